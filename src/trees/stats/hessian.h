/* The denominators of InPrivate's leaves for two classes (Zhao et al. 2018, equation 8). */
#ifndef HR_TREES_STATS_HESSIAN_H
#define HR_TREES_STATS_HESSIAN_H

#include "privacy/sensitivity.h"
#include "trees/stats/packing.h"

/* How the denominators follow from gradients. */
typedef struct hr_hessian_rule {
    const hr_packing *packing;
    double bound;            /* of a residual, at most 2 */
    const uint32_t *weights; /* of persons' records, in 1/HR_PERSON_UNIT; NULL: none */
} hr_hessian_rule;

/* |r| (2 - |r|) of a residual r = gradient * bound / gradient_bound in units of 2^-12: an integer in 0 ..
 * 2^12, as |r| <= bound <= 2. With weights: w times that, in units finer by HR_PERSON_FINE_BITS, of a
 * gradient that is weighted. `row`: the record. */
int64_t hr_hessian(const hr_hessian_rule *rule, uint32_t row, int64_t gradient);

#endif
