/* The witness of a ledger: a file elsewhere that holds the number of the ledger's entries.
 *
 * A ledger with fewer entries than its witness counted is an older copy, and takes no reservation. The number
 * is written after a reservation is on the disk and before noise is drawn for it: a crash between the two
 * leaves a number that is too low, which is no fault, and the next reservation corrects it. The path of the
 * witness is in the ledger, so every program that spends looks at it. */
#ifndef HR_PRIVACY_LEDGER_WITNESS_H
#define HR_PRIVACY_LEDGER_WITNESS_H

#include <hedgerow/status.h>
#include <sqlite3.h>

/* Within a transaction: notes that the ledger has its witness at `path`, in place of one before. Fails:
 * POLICY (the file is the witness of another ledger), FORMAT (it is no witness), IO, MEMORY. */
HR_MUST_CHECK hr_status hr_witness_name(sqlite3 *db, const char *path, hr_error *err);

/* Whether the ledger has as many entries as its witness counted; also OK if it has no witness. Fails: POLICY
 * (fewer, or the file is the witness of another ledger), FORMAT (the file is no witness), IO (also: it is
 * missing), MEMORY. */
HR_MUST_CHECK hr_status hr_witness_check(sqlite3 *db, hr_error *err);

/* Outside of any transaction: brings the number of entries to the witness, unless it has a higher one; makes
 * the file if it is missing. No effect without a witness. Fails: as hr_witness_check. */
HR_MUST_CHECK hr_status hr_witness_note(sqlite3 *db, hr_error *err);

#endif
