/* What the machines of both sides of a one-shot job have in common; for these alone. */
#ifndef HR_FEDERATION_MACHINES_ONESHOT_MACHINE_H
#define HR_FEDERATION_MACHINES_ONESHOT_MACHINE_H

#include "federation/machines/oneshot.h"
#include "federation/protocol/beginning.h"

/* Whether terms fit this protocol, beyond hr_terms_check. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_oneshot_terms_check(const Hedgerow__Terms *terms, hr_error *err);

/* An owner's signature of its model, which names the start: so the job, its terms and its owners. */
void hr_released_sign(const hr_identity *owner, const hr_digest *start, const hr_bytes *model,
                      uint8_t signature[HR_SIGNATURE_SIZE]);
bool hr_released_holds(const hr_member *owner, const hr_digest *start, const Hedgerow__Released *released);

#endif
