#include "stats/hessian.h"

#include <math.h>

int64_t hr_hessian(const hr_packing *packing, double bound, int64_t gradient) {
    double r = fmin(fabs((double)gradient) * bound / (double)packing->gradient_bound, 2);
    return hr_round(r * (2 - r) * (1 << HR_HESSIAN_BITS));
}
