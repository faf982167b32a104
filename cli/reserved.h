/* What a run that was stopped leaves in its ledger. */
#ifndef CLI_RESERVED_H
#define CLI_RESERVED_H

#include <hedgerow/ledger.h>

/* The number of the newest entry; 0: none, or the ledger cannot be read. */
int64_t newest_entry(hr_ledger *ledger);

/* Says on standard error which entries after `since` are reserved, or that nothing was spent. ledger: NULL if there is none. */
void tell_reserved(const char *command, hr_ledger *ledger, const char *path, int64_t since);

#endif
