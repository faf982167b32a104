/* What a run leaves in its ledger. */
#ifndef CLI_RESERVED_H
#define CLI_RESERVED_H

#include "output.h"

#include <hedgerow/ledger.h>

/* Says on standard error what stays reserved by the entry, in a line that begins with `why`. Returns whether
 * anything does: not if the entry is 0, or has another state. */
bool print_reserved(const char *command, const char *why, hr_ledger *ledger, const char *path, int64_t entry);

/* After a run that failed with `err`, or was interrupted: prints what happened, and what stays reserved by
 * the entry. Returns the exit code. */
int report_run_failure(const char *command, hr_ledger *ledger, const char *path, int64_t entry,
                       const hr_error *err);

/* Reads what a ledger has spent into *total, and returns that; NULL without a ledger. A ledger that cannot be
 * read back is reported, and NULL: what was paid for is there by then. */
const hr_ledger_total *read_ledger_total(const char *command, hr_ledger *ledger, hr_ledger_total *total);

/* What is spent of its limits, as a line or as an object "ledger"; nothing for NULL. */
void print_ledger_left(FILE *out, const hr_ledger_total *total);
void json_ledger(json_writer *json, const hr_ledger_total *total);

#endif
