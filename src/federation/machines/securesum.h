/* Secure sums and choices: a coordinator sends questions, owners answer, and of a sum it learns the sum
 * alone.
 *
 * A job is a sequence of questions, which the coordinator's method thinks of one by one. A sum goes to all
 * owners and names those that it is over; each of them answers with as many numbers, noisy and masked
 * (Share). A choice goes to one owner (Turn), which answers with an index (Choice). What a question means is
 * in its body, which the protocol does not read.
 *
 * A sum that lacks a share when the deadline is over is lost: an owner's masks cancel only in the sum of all
 * that it is over. A missing owner is out of the next sums until it sends something. An owner that sends
 * word that it has no share (Notice) is not missing; it sits out one sum the first time, two the second, four
 * the third.
 *
 * So a sum that a job needs is prepared first. Its question names no owners: each owner does all of the work
 * but drawing noise, and sends Ready, or a Notice. When all have answered, or at the deadline, the
 * coordinator names those that are ready (Members), and they answer as to any other sum. An owner that
 * declines, fails or dies before it is named is not in the sum, and no sum is lost. One that was named and
 * has no share, or is silent, sits out in the same way: it gets ready, and is not named. Proof:
 * securesum_owner.proof.md.
 *
 * Masks. An owner's mask key is published in its signed Answer, and all are in the Start, where every owner
 * checks them. The masks of an answer follow from these keys and from the chain: the digest of the Start and
 * of every question and Members up to this one. So two owners' masks cancel only if both received the same in
 * the whole job. An owner takes every position once and in order, and answers it at most once: two answers
 * under the same masks would show their difference. Where a question comes out of order, the owner ends the
 * job.
 *
 * An owner's machine acts on: Terms, Start, Turn, sums, Members, Finish. The coordinator's on: Answer,
 * Choice, Ready, Share, Notice. What an owner pays for is its method's matter (federation/sums/): the
 * protocol adds no noise. */
#ifndef HR_FEDERATION_MACHINES_SECURESUM_H
#define HR_FEDERATION_MACHINES_SECURESUM_H

#include "federation/protocol/beginning.h"

/* Of one sum; and of the questions that an owner takes in one job, and all their bytes. */
enum { HR_SUM_VALUES_MAX = 1 << 19, HR_QUESTIONS_MAX = 1 << 14, HR_QUESTION_BYTES_MAX = 64 << 20 };

/* Owner: the caller frees *out with hr_protocol_free. Uses setup->secret. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_securesum_owner(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err);
/* Begins by offering the job. Owner: as above. Fails: FORMAT (terms), MEMORY. */
HR_MUST_CHECK hr_status hr_securesum_coordinator(const hr_protocol_setup *setup, hr_protocol **out,
                                                 hr_error *err);

/* ---- Of either machine ---- */

/* How many owners take part; 0 before the job has started. *members: in the order of the start; borrowed. */
size_t hr_securesum_owners(const hr_protocol *any, const size_t **members);
/* The digest of the start, which is the same at every party: public coins can come from it. NULL before the
 * job has started. Borrowed. */
const hr_digest *hr_securesum_start(const hr_protocol *any);

/* ---- An owner ---- */

/* Its position among the owners. Only once the job has started. */
size_t hr_securesum_self(const hr_protocol *owner);

/* A question that an owner received. */
typedef struct hr_sum_question {
    bool choice;
    bool to_prepare; /* a sum whose owners are not named yet: every owner gets ready for it */
    bool prepared;   /* the same sum, now over these owners */
    size_t position; /* sum: in the job; choice: among those of this owner */
    hr_bytes body;   /* borrowed from the machine */
    size_t members;  /* owners that the sum is over; to_prepare: all of the job; 0: a choice */
    bool here;       /* this owner is one of them, or is the one that chooses */
} hr_sum_question;

/* How many questions the owner has received, and each of them in that order: HR_ACT_TRAIN's `slot` is such an
 * index. False: there is no such question. */
size_t hr_securesum_received(const hr_protocol *owner);
bool hr_securesum_question(const hr_protocol *owner, size_t index, hr_sum_question *out);

/* The masks of its answer to a sum that it is in, and whose owners are named. They are for one answer:
 * computed twice they are the same. Owner: the caller frees *out with hr_mask_free. Fails: ARGUMENT (no such
 * sum), MEMORY. */
HR_MUST_CHECK hr_status hr_securesum_mask(const hr_protocol *owner, size_t index, hr_mask **out,
                                          hr_error *err);

/* A key that this owner alone knows, of the job's secret: the same in all lives of the owner, for coins that
 * nobody else is to know. */
hr_digest hr_securesum_key(const hr_protocol *owner);

/* The answer to a sum, for HR_EVENT_WORK_DONE: values that are noisy and masked, as many as the question has.
 * Owner: the caller frees out->at. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_securesum_pack_share(const hr_sum_question *question, const uint64_t *values,
                                                size_t count, hr_bytes *out, hr_error *err);
/* That the owner is ready for a sum that is to be prepared, for HR_EVENT_WORK_DONE. Owner: the caller frees
 * out->at. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_securesum_pack_ready(const hr_sum_question *question, hr_bytes *out,
                                                hr_error *err);
/* The answer to a choice, for HR_EVENT_WORK_DONE. Owner: the caller frees out->at. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_securesum_pack_choice(const hr_sum_question *question, uint32_t index,
                                                 hr_bytes *out, hr_error *err);

/* What came with Finish; of size 0 if nothing did. Borrowed from the machine. */
hr_bytes hr_securesum_model(const hr_protocol *owner);

/* ---- The coordinator ---- */

/* What became of a question. */
typedef struct hr_sum_outcome {
    bool choice, dropped;
    size_t members; /* sum: how many owners it is over; 0 if none was there, or ready */
    size_t
        member; /* choice: the member that had the question; HR_NO_MEMBER: none was there with a turn left */
    const uint64_t *sums; /* modulo 2^64; NULL if dropped, and for a choice */
    size_t count;
    size_t index; /* choice: the answer, any number below 2^32; 0 if dropped */
} hr_sum_outcome;

/* Of the questions so far but the one that is open, in their order. Sums are borrowed
 * from the machine. False: there is no such outcome. */
size_t hr_securesum_outcomes(const hr_protocol *coordinator);
bool hr_securesum_outcome(const hr_protocol *coordinator, size_t index, hr_sum_outcome *out);

/* How many owners the next sum would be over, as things stand. */
size_t hr_securesum_here(const hr_protocol *coordinator);

/* What became of a member: `trees` are the sums that have its share, `skipped` all others of the job.
 * False: it had no offer. */
bool hr_securesum_part(const hr_protocol *coordinator, size_t member, hr_part_info *out);

/* ---- For the machines of both sides ---- */

/* The bytes of a set of owners: a bit each, in their order, the lowest first. */
enum { HR_SUM_SET_BYTES = HR_MEMBERS_MAX / 8 };
size_t hr_sum_set_size(size_t owners);
bool hr_sum_set_has(const uint8_t *set, size_t owner);

/* Whether terms fit this protocol, beyond hr_terms_check. Fails: FORMAT. */
HR_MUST_CHECK hr_terms_fit hr_securesum_terms_check;

#endif
