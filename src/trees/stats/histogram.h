/* Sums of packed gradients by (feature, bin): the kernel that training spends most of its time in.
 *
 * A cell is one integer, (sum of gradients << shift) + sum of weights, so that one addition adds both
 * (packing.h). A node's histogram has HR_STRIDE cells a feature; the stride is not a power of two, or the
 * cells of one bin over many features would share a cache set. Sums of integers do not depend on the order of
 * rows or threads. */
#ifndef HR_TREES_STATS_HISTOGRAM_H
#define HR_TREES_STATS_HISTOGRAM_H

#include "tables/bins/binned.h"

enum { HR_STRIDE = 264 };

typedef int64_t hr_sum_word;

/* Cells of one node's histogram: features rounded up to whole tiles. */
static inline size_t hr_histogram_cells(size_t features) {
    return (features + HR_TILE - 1) / HR_TILE * HR_TILE * HR_STRIDE;
}

static inline size_t hr_histogram_at(size_t feature) {
    return feature * HR_STRIDE;
}

/* All rows, in order: packed[i] belongs to row i. Overwrites out[0..hr_histogram_cells). Reads columns. */
void hr_histogram_of_all(const hr_binned *binned, const int64_t *packed, int threads, hr_sum_word *out);

/* Some columns of some rows: features [first, last), rows [begin, end). */
typedef struct hr_column_block {
    size_t first, last, begin, end;
} hr_column_block;

/* Adds its sums to out[0..(last - first) * HR_STRIDE): packed[i] belongs to row i. */
void hr_histogram_add_block(const hr_binned *binned, const hr_column_block *block, const int64_t *packed,
                            hr_sum_word *out);

/* One tile of a node: packed[i] belongs to row rows[i]. Overwrites the tile's HR_TILE * HR_STRIDE cells. */
void hr_histogram_of_tile(const hr_binned *binned, size_t tile, const uint32_t *rows, const int64_t *packed,
                          size_t count, hr_sum_word *cells);

/* all + part, in place in `all`. */
void hr_histogram_add(hr_sum_word *all, const hr_sum_word *part, size_t cells);

/* all - part, in place in `all`: the histogram of the other child. */
void hr_histogram_subtract(hr_sum_word *all, const hr_sum_word *part, size_t cells);

#endif
