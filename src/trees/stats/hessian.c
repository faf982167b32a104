#include "trees/stats/hessian.h"

#include <math.h>

static int64_t hessian_of_residual(double r) {
    r = fmin(r, 2);
    return hr_round(r * (2 - r) * (1 << HR_HESSIAN_BITS));
}

int64_t hr_hessian(const hr_hessian_rule *rule, uint32_t row, int64_t gradient) {
    const double residual = fabs((double)gradient) * rule->bound / (double)rule->packing->gradient_bound;
    if (!rule->weights) return hessian_of_residual(residual);
    const uint32_t weight = rule->weights[row];
    return weight ? hr_person_share(weight, hessian_of_residual(residual / weight)) : 0;
}
