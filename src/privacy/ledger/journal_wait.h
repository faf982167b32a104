/* How long a coordinator's jobs have waited for their owners: a deadline goes on where it was when the
 * process starts again. */
#ifndef HR_PRIVACY_LEDGER_JOURNAL_WAIT_H
#define HR_PRIVACY_LEDGER_JOURNAL_WAIT_H

#include "privacy/ledger/journal.h"

typedef struct hr_journal_waited {
    uint64_t advances;    /* hr_protocol.advances of the wait: with another number, another wait has begun */
    int64_t milliseconds; /* since the deadline began, while a process ran */
} hr_journal_waited;

/* Forgets all waits. Within a transaction. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_journal_forget_waits(hr_journal *journal, hr_error *err);
/* Within a transaction, after hr_journal_forget_waits. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_journal_note_wait(hr_journal *journal, const uint8_t *id,
                                             const hr_journal_waited *waited, hr_error *err);
/* {0} of a job without a wait. Fails: IO, FORMAT, MEMORY. */
HR_MUST_CHECK hr_status hr_journal_wait_of(hr_journal *journal, const uint8_t *id, hr_journal_waited *out,
                                           hr_error *err);

#endif
