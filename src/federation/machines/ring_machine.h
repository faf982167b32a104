/* What the machines of both sides of a ring have in common; for these alone. */
#ifndef HR_FEDERATION_MACHINES_RING_MACHINE_H
#define HR_FEDERATION_MACHINES_RING_MACHINE_H

#include "federation/machines/ring.h"
#include "federation/machines/securesum_machine.h"

/* Whether terms fit this protocol, beyond hr_terms_check: it takes no job that claims to be private. Fails:
 * FORMAT. */
HR_MUST_CHECK hr_status hr_ring_terms_check(const Hedgerow__Terms *terms, hr_error *err);

/* Whether numbers of a share or of what is passed on can be those of a sum of so many values. Fails: POLICY.
 */
HR_MUST_CHECK hr_status hr_ring_length_check(size_t count, size_t values, hr_error *err);

#endif
