/* What became of the jobs that an owner was offered: a table in the file of its ledger, beside the journal's.
 *
 * Limits of a period are counted from it, so a restart does not reset them. A row is written within the
 * journal's transaction that holds the decision. Thread: one at a time. */
#ifndef HR_PRIVACY_LEDGER_OFFERS_H
#define HR_PRIVACY_LEDGER_OFFERS_H

#include "privacy/accountant.h"
#include "privacy/ledger/journal.h"

#include <hedgerow/ledger.h>

/* Files hold these numbers: a number is never given to another state. */
typedef enum hr_offer_state {
    HR_OFFER_ACCEPTED = 1,
    HR_OFFER_DECLINED = 2,
    HR_OFFER_WAITING = 3,  /* for a person */
    HR_OFFER_APPROVED = 4, /* by a person; the process that serves has not accepted it yet */
    HR_OFFER_REFUSED = 5   /* likewise */
} hr_offer_state;

typedef struct hr_offer_row {
    const uint8_t *id; /* of the job: HR_JOURNAL_ID bytes */
    const char *coordinator;
    int64_t date;     /* of this state: seconds since 1970 began */
    hr_units epsilon; /* what the job costs in the ledger */
    hr_offer_state state;
    const char *text; /* declined: the reason; waiting: what is offered */
} hr_offer_row;

/* What jobs accepted since some date took. */
typedef struct hr_offers_taken {
    hr_units
        epsilon; /* of jobs that have reserved their cost, or may still do so: not those that ended without */
    uint64_t jobs;
} hr_offers_taken;

/* Makes the table if the file has none, with the jobs that reserved budget by the journal's table. The file
 * must have a journal. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_offers_prepare(hr_ledger *ledger, hr_error *err);

/* Adds the row of a job, or replaces it. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_offers_put(hr_ledger *ledger, const hr_offer_row *row, hr_error *err);

/* Of one coordinator; of all: NULL. Nothing, if the file has no such table. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_offers_count(hr_ledger *ledger, const char *coordinator, int64_t since,
                                        hr_offers_taken *out, hr_error *err);

/* What a person decided: the state, 0 if the table has no row of the job, and the reason of a refusal, cut to
 * `size` bytes. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_offers_state(hr_ledger *ledger, const uint8_t *id, hr_offer_state *out,
                                        char *reason, size_t size, hr_error *err);

/* A person's decision, on the disk when it returns: HR_OFFER_APPROVED, or HR_OFFER_REFUSED with a reason, for
 * the job of this id (hr_journal_find). Outside of any transaction. Fails: ARGUMENT (no such offer), POLICY
 * (it does not wait any more), IO, MEMORY. */
HR_MUST_CHECK hr_status hr_offers_decide(hr_ledger *ledger, const char *id, hr_offer_state state,
                                         const char *reason, hr_error *err);

#endif
