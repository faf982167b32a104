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

/* What an answer is charged: lines, with `counts` numbers each. */
typedef struct sum_lines {
    const hr_charge *charges;
    const size_t *counts;
    size_t count, shares;
} sum_lines;

/* An owner's answer of these exact numbers, under its mask: all lines are charged before the first share. */
hr_status sum_answer(const sum_gate *g, size_t owner, const sum_lines *lines, const hr_exact *exact,
                     uint64_t *out);

#endif
