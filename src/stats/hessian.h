/* The denominators of InPrivate's leaves for two classes (Zhao et al. 2018, equation 8). */
#ifndef HR_STATS_HESSIAN_H
#define HR_STATS_HESSIAN_H

#include "bins/binned.h"
#include "stats/packing.h"
#include "tree/tree.h"

enum { HR_HESSIAN_BITS = 12 };

/* |r| (2 - |r|) of a residual r = gradient * bound / gradient_bound in units of 2^-12: an integer in 0 ..
 * 2^12, as |r| <= bound <= 2. */
int64_t hr_hessian(const hr_packing *packing, double bound, int64_t gradient);

/* Its sums over the leaves of a tree, in order of their nodes: packed[i] belongs to row i of `binned`. `sums`
 * has room for node_count. A record changes one sum by at most 2^12. */
void hr_hessian_sums(const hr_tree *tree, const hr_binned *binned, const hr_packing *packing, double bound,
                     const int64_t *packed, hr_exact *sums);

#endif
