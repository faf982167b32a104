/* Which version of its federation a party uses. */
#ifndef HR_FEDERATION_ROLES_FEDERATION_VERSION_H
#define HR_FEDERATION_ROLES_FEDERATION_VERSION_H

#include "base/log.h"
#include "federation/config/federation_file.h"
#include "privacy/ledger/journal.h"

/* Notes the version of the file in the journal, and logs it if it is a newer one. Fails: POLICY (an older one
 * than before, or another file of the same version), IO, MEMORY. */
HR_MUST_CHECK hr_status hr_federation_version_note(const hr_federation_file *file, hr_journal *journal,
                                                   const hr_log *log, hr_error *err);

#endif
