/* Loops in C that compilers make vectors of: every set compiles them for its own instructions, and replaces
 * those that it knows a better way for. */
#ifndef HR_BASE_KERNELS_LOOPS_H
#define HR_BASE_KERNELS_LOOPS_H

#include "base/kernels/place_loops.h"
#include "base/kernels/search.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { HR_LOOP_LANES = 16 };

/* Every step adds a comparison that it shifts, never chooses, so compilers make no branch of it; the lanes'
 * loads overlap. */
static inline void hr_loop_bin_lanes(const hr_search *search, const double *values, uint8_t *out) {
    uint32_t at[HR_LOOP_LANES];
    const double *edges = search->padded;
    for (size_t i = 0; i < HR_LOOP_LANES; i++) at[i] = search->first[hr_search_bucket(search, values[i])];
    for (unsigned step = search->steps; step-- > 0;) {
        uint32_t window = (uint32_t)1 << step;
        for (size_t i = 0; i < HR_LOOP_LANES; i++)
            at[i] += (uint32_t)(edges[at[i] + window - 1] < values[i]) << step;
    }
    for (size_t i = 0; i < HR_LOOP_LANES; i++) out[i] = isnan(values[i]) ? 0 : (uint8_t)(1 + at[i]);
}

static inline void hr_loop_bins_of_numbers(const hr_search *search, const hr_number_block *n, uint8_t *out) {
    size_t i = 0;
    for (; i + HR_LOOP_LANES <= n->count; i += HR_LOOP_LANES) {
        for (size_t line = 0; line < HR_LOOP_LANES; line += HR_NUMBERS_A_LINE) hr_ask_ahead(n, i + line);
        hr_loop_bin_lanes(search, n->values + i, out + i);
    }
    if (i == n->count) return;
    double last[HR_LOOP_LANES] = {0};
    uint8_t bins[HR_LOOP_LANES];
    memcpy(last, n->values + i, (n->count - i) * sizeof *last);
    hr_loop_bin_lanes(search, last, bins);
    memcpy(out + i, bins, n->count - i);
}

#endif
