/* Sums of packed gradients by (feature, bin): the kernel that training spends most of its time in.
 *
 * A cell is one integer, (sum of gradients << shift) + sum of weights, so that one addition adds both
 * (packing.h). A node's histogram has HR_STRIDE cells a feature; the stride is not a power of two, or the
 * cells of one bin over many features would share a cache set; where bins are sparse it is narrow, with the
 * cells of each feature's own bins. Sums of integers do not depend on the order of
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

/* The cells of a feature. */
static inline size_t hr_histogram_of(const hr_binning *binning, size_t feature) {
    return binning->cells_at ? binning->cells_at[feature] : hr_histogram_at(feature);
}

/* Cells of one node's histogram of this binning. */
static inline size_t hr_histogram_size(const hr_binning *binning) {
    return binning->cells_at ? binning->cells_at[binning->feature_count]
                             : hr_histogram_cells(binning->feature_count);
}

/* Lets histograms of the binning have the cells of its bins and no others: for bins that are sparse, of
 * features that have few. False when memory is short. */
bool hr_histogram_narrow(hr_binning *binning, hr_arena *arena);

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

/* Some nodes of sparse bins: rows[i] of a node has packed[i]; rows NULL: all, in order. Overwrites
 * cells[0..hr_histogram_size). */
typedef struct hr_sparse_node {
    const uint32_t *rows;
    const int64_t *packed;
    size_t count;
    hr_sum_word *cells;
} hr_sparse_node;
void hr_histograms_of_sparse(const hr_binned *binned, const hr_sparse_node *nodes, size_t count, int threads);

/* all + part, in place in `all`. */
void hr_histogram_add(hr_sum_word *all, const hr_sum_word *part, size_t cells);

/* all - part, in place in `all`: the histogram of the other child. */
void hr_histogram_subtract(hr_sum_word *all, const hr_sum_word *part, size_t cells);

#endif
