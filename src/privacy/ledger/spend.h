/* Spending as part of a larger transaction of the ledger's file. */
#ifndef HR_PRIVACY_LEDGER_SPEND_H
#define HR_PRIVACY_LEDGER_SPEND_H

#include <hedgerow/ledger.h>
#include <sqlite3.h>

/* The ledger's connection. Borrowed. */
sqlite3 *hr_ledger_file(const hr_ledger *ledger);

/* The path of the ledger's file. Borrowed. */
const char *hr_ledger_path(const hr_ledger *ledger);

/* As hr_ledger_reserve and hr_ledger_commit, for a caller who has begun a write transaction (BEGIN IMMEDIATE)
 * and ends it: nothing is reserved before it commits, and it rolls back after a failure. */
HR_MUST_CHECK hr_status hr_ledger_reserve_within(hr_ledger *ledger, double epsilon, double delta,
                                                 const char *purpose, int64_t *entry, hr_error *err);
HR_MUST_CHECK hr_status hr_ledger_commit_within(hr_ledger *ledger, int64_t entry, hr_error *err);

/* After the commit of a reservation, and before noise is drawn: copies the log into the main file, and brings
 * the number of entries to the ledger's witness. Fails: as hr_witness_note. */
HR_MUST_CHECK hr_status hr_ledger_settle(hr_ledger *ledger, hr_error *err);

/* As hr_witness_check. */
HR_MUST_CHECK hr_status hr_ledger_check_witness(hr_ledger *ledger, hr_error *err);

typedef struct hr_past_charge {
    double epsilon, delta;
    const char *purpose;
} hr_past_charge;

/* As hr_ledger_enter, for a caller who has begun a write transaction and ends it. */
HR_MUST_CHECK hr_status hr_ledger_enter_within(hr_ledger *ledger, const hr_past_charge *charge,
                                               int64_t *entry, hr_error *err);

/* As hr_ledger_sum, by a connection to a ledger's file. */
HR_MUST_CHECK hr_status hr_ledger_sum_within(sqlite3 *db, hr_ledger_total *out, hr_error *err);

#endif
