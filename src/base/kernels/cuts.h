/* A node, by whose sums of gradients and weights cuts are judged. */
#ifndef HR_BASE_KERNELS_CUTS_H
#define HR_BASE_KERNELS_CUTS_H

#include <stddef.h>
#include <stdint.h>

enum { HR_CUTS_MAX = 256 };

typedef struct hr_cut_node {
    int64_t gradient, weight;
    double lambda;
    double min_weight; /* of a side, 1 or more */
} hr_cut_node;

#endif
