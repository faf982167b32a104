/* The durable privacy budget of one owner: an SQLite file that says how much may be spent on its records, and
 * what was.
 *
 * A run first reserves (the transaction is on disk before noise is drawn), then commits when its model
 * exists. A reservation that is never committed stays spent: a crash can waste budget, never leak it. Only
 * the handle that made a reservation can give it back, before anything was drawn under it. Runs compose by
 * addition of epsilon and delta. Epsilon is kept as an integer number of 2^-40 units, rounded up; so the sums
 * are exact. */
#ifndef HEDGEROW_LEDGER_H
#define HEDGEROW_LEDGER_H

#include <hedgerow/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hr_ledger hr_ledger;

typedef struct hr_ledger_total {
    double epsilon_limit, delta_limit; /* what may be spent in all; never more */
    double epsilon_spent, delta_spent; /* reserved and committed entries; never less */
    double epsilon_left, delta_left;   /* what may still be spent; never more */
    uint64_t entries;                  /* void ones too */
    bool frozen;                       /* no further spending */
} hr_ledger_total;

typedef enum hr_entry_state { HR_ENTRY_RESERVED, HR_ENTRY_COMMITTED, HR_ENTRY_VOID } hr_entry_state;

typedef struct hr_ledger_entry {
    int64_t id;
    const char *when;    /* UTC, ISO 8601 */
    const char *purpose; /* method, mode and schema label of the run */
    double epsilon, delta;
    hr_entry_state state;
} hr_ledger_entry;

/* Creates a ledger with its limits; refuses to touch an existing file. Fails: ARGUMENT, IO (or it exists). */
HR_API HR_MUST_CHECK hr_status hr_ledger_create(const char *path, double epsilon, double delta,
                                                hr_error *err);

/* Opens an existing ledger; one of an older version is brought up to date. Owner: the caller closes it.
 * Thread: one at a time per handle; any number of processes. Fails: IO, FORMAT (not a ledger, or of a newer
 * version). */
HR_API HR_MUST_CHECK hr_status hr_ledger_open(const char *path, hr_ledger **out, hr_error *err);
HR_API void hr_ledger_close(hr_ledger *ledger);

/* What epsilon and delta are spent for through this handle from now on: adding or removing one record (NULL,
 * as at first), or a person, the records of one value of the column `unit` (hr_schema_unit). A ledger is of
 * one unit, that of its first reservation: losses of records and of persons do not add up. Thread: as the
 * handle. Fails: MEMORY, ARGUMENT (not a printable line). */
HR_API HR_MUST_CHECK hr_status hr_ledger_set_unit(hr_ledger *ledger, const char *unit, hr_error *err);

/* The unit of the ledger: a column's name; "" for records; NULL before the first reservation. Owner: the
 * caller frees *unit with hr_text_free. Fails: IO, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_ledger_unit(hr_ledger *ledger, char **unit, hr_error *err);

/* Forbids all further spending, for good. */
HR_API HR_MUST_CHECK hr_status hr_ledger_freeze(hr_ledger *ledger, hr_error *err);

/* Spends: epsilon and delta at once, durably, before it returns. Fails: BUDGET (says what is left), POLICY
 * (frozen; a ledger of another unit), IO. */
HR_API HR_MUST_CHECK hr_status hr_ledger_reserve(hr_ledger *ledger, double epsilon, double delta,
                                                 const char *purpose, int64_t *entry, hr_error *err);

/* Marks a reservation as used by a finished run. Fails: ARGUMENT (no such reservation), IO. */
HR_API HR_MUST_CHECK hr_status hr_ledger_commit(hr_ledger *ledger, int64_t entry, hr_error *err);

/* Gives back a reservation whose run published nothing: no noise was drawn, and no choice made, from the
 * records. The caller vouches for this. Only for entries that hr_ledger_reserve made through this handle. The
 * entry stays in the ledger, as void, and is not spent. Fails: POLICY (not reserved through this handle),
 * ARGUMENT (committed or void already), IO; the entry stays spent then. */
HR_API HR_MUST_CHECK hr_status hr_ledger_void(hr_ledger *ledger, int64_t entry, hr_error *err);

/* Enters what was spent without an entry, such as before an older copy of the ledger was restored: committed
 * at once, whatever the limits are and also if the ledger is frozen, since it was spent. Fails: ARGUMENT,
 * POLICY (a ledger of another unit), IO. */
HR_API HR_MUST_CHECK hr_status hr_ledger_enter(hr_ledger *ledger, double epsilon, double delta,
                                               const char *purpose, int64_t *entry, hr_error *err);

/* From now on the number of entries is also in this file, on another disk or in a folder that is not backed
 * up with the ledger: hr_ledger_reserve refuses with POLICY in a ledger that has fewer, an older copy. The
 * path is kept in the ledger, and replaces one that was set before; a file that is missing is made. Fails:
 * ARGUMENT (not an absolute path), POLICY (the file is another ledger's), FORMAT (another kind of file), IO,
 * MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_ledger_set_witness(hr_ledger *ledger, const char *path, hr_error *err);

/* What was spent and what is left. Fails: IO, FORMAT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_ledger_sum(hr_ledger *ledger, hr_ledger_total *out, hr_error *err);

/* Calls `visit` for every entry, oldest first, until it returns false. Strings are valid during the call
 * only. */
HR_API HR_MUST_CHECK hr_status hr_ledger_each(hr_ledger *ledger,
                                              bool (*visit)(void *user, const hr_ledger_entry *entry),
                                              void *user, hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
