/* Which owner of a simulation has which records of one file. */
#ifndef HR_FEDERATION_ROLES_DEAL_H
#define HR_FEDERATION_ROLES_DEAL_H

#include "privacy/crypto/csprng.h"
#include "trees/tree/parts.h"

#include <hedgerow/data.h>

/* Part o of *out are the records of owner o. Each record, or each person with all of its records where the
 * schema names a unit, draws its owner independently of the others, all owners alike: adding or removing one
 * leaves the others where they are. An owner may get none. Owner: the caller, with hr_parts_done. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_deal(const hr_data *data, size_t owners, hr_csprng *csprng, hr_parts *out,
                                hr_error *err);

#endif
