/* Three owners of a secure sum, without the protocol: their masks, which cancel in the sum of all three, and
 * their gates. */
#ifndef HR_TESTS_SUPPORT_SUM_OWNERS_H
#define HR_TESTS_SUPPORT_SUM_OWNERS_H

#include "privacy/crypto/csprng.h"
#include "privacy/crypto/mask.h"
#include "privacy/gate.h"

enum { SUM_OWNERS = 3 };

/* Owner: the caller frees it with hr_mask_free. */
hr_mask *sum_mask_of(size_t owner);

/* An owner's gate, and what it draws from. */
typedef struct sum_gate {
    hr_csprng *csprng;
    hr_gate *gate;
} sum_gate;

sum_gate sum_gate_of(hr_privacy_measure measure, hr_units units, uint64_t seed);
void sum_gate_done(const sum_gate *g);

#endif
