/* The denominators of InPrivate's leaves for two classes (Zhao et al. 2018, equation 8). */
#ifndef HR_STATS_HESSIAN_H
#define HR_STATS_HESSIAN_H

#include "privacy/sensitivity.h"
#include "stats/packing.h"

/* |r| (2 - |r|) of a residual r = gradient * bound / gradient_bound in units of 2^-12: an integer in 0 ..
 * 2^12, as |r| <= bound <= 2. */
int64_t hr_hessian(const hr_packing *packing, double bound, int64_t gradient);

#endif
