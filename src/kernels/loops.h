/* Loops in C that compilers make vectors of: every set compiles them for its own instructions, and replaces
 * those that it knows a better way for. */
#ifndef HR_KERNELS_LOOPS_H
#define HR_KERNELS_LOOPS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { HR_LOOP_LANES = 16 };

/* The largest k such that 2^k is not above n; n >= 1. */
static inline unsigned hr_loop_power_below(size_t n) {
    unsigned k = 0;
    while (n >>= 1) k++;
    return k;
}

/* How many of `count` ascending edges are less than each of the lanes' values (NaN: 0). Every step adds a
 * shifted comparison, never chooses, so compilers make no branch of it; the lanes' loads overlap. The first
 * step picks one of two overlapping windows of 2^k - 1 edges; each other step halves the window. */
static inline void hr_loop_count_below(const double *edges, size_t count, const double *values, size_t *at) {
    for (size_t i = 0; i < HR_LOOP_LANES; i++) at[i] = 0;
    if (!count) return;
    unsigned power = hr_loop_power_below(count);
    size_t window = ((size_t)1 << power) - 1;
    for (size_t i = 0; i < HR_LOOP_LANES; i++) at[i] = (edges[window] < values[i]) * (count - window);
    while (power--) {
        size_t middle = ((size_t)1 << power) - 1;
        for (size_t i = 0; i < HR_LOOP_LANES; i++)
            at[i] += (size_t)(edges[at[i] + middle] < values[i]) << power;
    }
}

static inline void hr_loop_bin_lanes(const double *edges, size_t count, const double *values, uint8_t *out) {
    size_t below[HR_LOOP_LANES];
    hr_loop_count_below(edges, count, values, below);
    for (size_t i = 0; i < HR_LOOP_LANES; i++) out[i] = isnan(values[i]) ? 0 : (uint8_t)(1 + below[i]);
}

static inline void hr_loop_bins_of_numbers(const double *edges, size_t count, const double *values,
                                           size_t rows, uint8_t *out) {
    size_t i = 0;
    for (; i + HR_LOOP_LANES <= rows; i += HR_LOOP_LANES)
        hr_loop_bin_lanes(edges, count, values + i, out + i);
    if (i == rows) return;
    double last[HR_LOOP_LANES] = {0};
    uint8_t bins[HR_LOOP_LANES];
    memcpy(last, values + i, (rows - i) * sizeof *last);
    hr_loop_bin_lanes(edges, count, last, bins);
    memcpy(out + i, bins, rows - i);
}

#endif
