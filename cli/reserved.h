/* What a run leaves in its ledger. */
#ifndef CLI_RESERVED_H
#define CLI_RESERVED_H

#include "output.h"

#include <hedgerow/ledger.h>

/* Says on standard error what stays reserved by the entry, in a line that begins with `why`. Returns whether
 * anything does: not if the entry is 0, or has another state. */
bool print_reserved(const char *command, const char *why, hr_ledger *ledger, const char *path, int64_t entry);

/* What is spent of its limits, as a line or as an object "ledger"; nothing for NULL. */
void print_ledger_left(FILE *out, const hr_ledger_total *total);
void json_ledger(json_writer *json, const hr_ledger_total *total);

#endif
