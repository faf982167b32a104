/* InPrivate Digging (Zhao et al. 2018) among many: Algorithm 2 and section VI.
 *
 * The coordinator offers a job, and fixes the order of the owners that accept. Owner by owner, each computes
 * residuals with the trees so far, trains one private tree on records of its own that no other round uses,
 * and passes on. With `chain` the set of all trees travels along (Algorithm 2); with `broadcast` each new
 * tree goes to all owners at once (section VI-C). After a round the owners may vote, for a price, on whether
 * it improved the model enough (section VI-B). An owner that does not answer is skipped.
 *
 * In mode paper votes are exact and free; the owners vote on each tree, too, if the job asks for it, and a
 * tree that makes predictions worse is left out before the next one is trained.
 *
 * An owner's machine acts on: Terms, Start, Forest, Skip, Round, Poll, Verdict, Finish. The coordinator's on:
 * Answer, Forest, Notice, Ballot. */
#ifndef HR_FEDERATION_MACHINES_INPRIVATE_H
#define HR_FEDERATION_MACHINES_INPRIVATE_H

#include "federation/protocol/beginning.h"
#include "federation/protocol/job_state.h"

/* The most last slots that a ballot is on; and one record in the integers of ballots. */
enum { HR_TAILS_MAX = 3, HR_BALLOT_UNIT = 1 << 10 };

/* How many of them owners vote on after a round: 0 but after the last, and never all slots. */
size_t hr_tails(const Hedgerow__Terms *terms, size_t owners, size_t round);

/* Owner: the caller frees *out with hr_protocol_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_inprivate_owner(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err);
/* Begins by offering the job. Fails: FORMAT (terms), MEMORY. */
HR_MUST_CHECK hr_status hr_inprivate_coordinator(const hr_protocol_setup *setup, hr_protocol **out,
                                                 hr_error *err);

/* The job state of a machine's job, for the trees in it; NULL before it has started. */
const hr_job_state *hr_inprivate_owner_course(const hr_protocol *owner);
const hr_job_state *hr_inprivate_coordinator_course(const hr_protocol *coordinator);

/* The last slots of the last round whose trees stay out of the model: by the votes they make predictions
 * worse. */
size_t hr_inprivate_dropped(const hr_protocol *coordinator);

/* Ballots of the coordinator's job. */
typedef struct hr_ballot {
    bool here, counted;
    int64_t gain, records;       /* noisy, in mode paper exact; units of 2^-10 records */
    int64_t tails[HR_TAILS_MAX]; /* noisy, the same unit */
    hr_release *releases;
    size_t release_count;
} hr_ballot;
/* Index: poll * owners + position. A poll is a round; of a job with votes on each tree, a slot. */
const hr_ballot *hr_inprivate_ballots(const hr_protocol *coordinator, size_t *count);

/* What a ballot is on. */
typedef struct hr_ballot_poll {
    const Hedgerow__Terms *terms;
    const hr_schema *schema;
    size_t owners, slot; /* slot: that its releases name */
} hr_ballot_poll;
/* *out lives in the arena. Fails: POLICY (what an owner of this job cannot send), FORMAT, MEMORY. */
HR_MUST_CHECK hr_status hr_ballot_read(const Hedgerow__Ballot *wire, const hr_ballot_poll *poll,
                                       hr_arena *arena, hr_ballot *out, hr_error *err);
/* Of ballots, one an owner: what a round gained for each record, from noisy numbers or from exact ones; how
 * many of `tails` last slots make predictions worse. 0 without voters. */
double hr_votes_noisy_gain(const hr_ballot *ballots, size_t owners);
double hr_votes_exact_gain(const hr_ballot *ballots, size_t owners);
size_t hr_votes_dropped(const hr_ballot *ballots, size_t owners, const Hedgerow__Terms *terms, size_t tails);

/* What became of a member. False: it had no offer. */
bool hr_inprivate_part(const hr_protocol *coordinator, size_t member, hr_part_info *out);

/* Whether terms fit this protocol, beyond hr_terms_check. Fails: FORMAT. */
HR_MUST_CHECK hr_terms_fit hr_inprivate_terms_check;

/* The rules for a tree, or a ballot, whose share of the job's budget this is. */
hr_tree_rules hr_terms_rules(const Hedgerow__Terms *terms, const hr_schema *schema, double share);

/* Queues a message: the trees of the slots first..end - 1, and the signatures of those that stay empty.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_send_slots(hr_protocol *protocol, const hr_job_state *job_state, size_t to,
                                      size_t first, size_t end, hr_error *err);

#endif
