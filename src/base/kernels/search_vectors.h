/* Bins of numbers where vectors compare four doubles or more: narrower ones gain nothing over the loop of
 * loops.h. */
#ifndef HR_BASE_KERNELS_SEARCH_VECTORS_H
#define HR_BASE_KERNELS_SEARCH_VECTORS_H

#include "base/kernels/search.h"

#include <math.h>

enum { HR_SEARCHED_TOGETHER = 128 };

/* In turns: loops that compute, which compilers make vectors of, and loops that look up, whose loads overlap.
 * A comparison is shifted and added, never chosen by, so no branch depends on a number. */
static inline void hr_vector_bins_together(const hr_search *search, const double *restrict values,
                                           size_t count, uint8_t *restrict out) {
    uint32_t buckets[HR_SEARCHED_TOGETHER], at[HR_SEARCHED_TOGETHER];
    double edges[HR_SEARCHED_TOGETHER];
    for (size_t i = 0; i < count; i++) buckets[i] = hr_search_bucket(search, values[i]);
    for (size_t i = 0; i < count; i++) at[i] = search->first[buckets[i]];
    for (unsigned step = search->steps; step-- > 0;) {
        const double *ahead = search->padded + ((size_t)1 << step) - 1;
        for (size_t i = 0; i < count; i++) edges[i] = ahead[at[i]];
        for (size_t i = 0; i < count; i++) at[i] += (uint32_t)(edges[i] < values[i]) << step;
    }
    for (size_t i = 0; i < count; i++) out[i] = isnan(values[i]) ? 0 : (uint8_t)(1 + at[i]);
}

static inline void hr_vector_bins_of_numbers(const hr_search *search, const hr_number_block *n,
                                             uint8_t *out) {
    for (size_t i = 0; i < n->count; i += HR_SEARCHED_TOGETHER) {
        const size_t left = n->count - i, count = left < HR_SEARCHED_TOGETHER ? left : HR_SEARCHED_TOGETHER;
        for (size_t line = 0; line < count; line += HR_NUMBERS_A_LINE) hr_ask_ahead(n, i + line);
        hr_vector_bins_together(search, n->values + i, count, out + i);
    }
}

#endif
