/* What the cuts of a node are judged by: sums of its gradients and weights, of all records and of those below
 * each cut. */
#ifndef HR_KERNELS_CUTS_H
#define HR_KERNELS_CUTS_H

#include <stddef.h>
#include <stdint.h>

enum { HR_CUTS_MAX = 256 };

typedef struct hr_cut_rule {
    int64_t gradient, weight; /* of the node */
    double lambda;
    double min_weight; /* of a side */
} hr_cut_rule;

#endif
