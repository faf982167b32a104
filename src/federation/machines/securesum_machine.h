/* What the machines of both sides of a secure sum have in common; for these alone. */
#ifndef HR_FEDERATION_MACHINES_SECURESUM_MACHINE_H
#define HR_FEDERATION_MACHINES_SECURESUM_MACHINE_H

#include "federation/machines/securesum.h"
#include "federation/protocol/beginning.h"

/* Either machine begins with it. */
typedef struct hr_sum_machine {
    hr_protocol protocol;
    const hr_start *start; /* of the machine's job */
} hr_sum_machine;

/* The bytes of a set of owners: a bit each, in their order, the lowest first. */
enum { HR_SUM_SET_BYTES = HR_MEMBERS_MAX / 8 };
size_t hr_sum_set_size(size_t owners);
bool hr_sum_set_has(const uint8_t *set, size_t owner);

/* Whether terms fit this protocol, beyond hr_terms_check. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_securesum_terms_check(const Hedgerow__Terms *terms, hr_error *err);

#endif
