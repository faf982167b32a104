/* What a run that did not finish leaves in its ledger. */
#ifndef CLI_RESERVED_H
#define CLI_RESERVED_H

#include <hedgerow/ledger.h>

/* The number of the newest entry; 0: none, or the ledger cannot be read. */
int64_t newest_entry(hr_ledger *ledger);

/* Says on standard error which entries after `since` are reserved, each line beginning with `why`. Returns how many there are. ledger:
 * NULL if there is none. */
size_t tell_reserved(const char *command, const char *why, hr_ledger *ledger, const char *path, int64_t since);

#endif
