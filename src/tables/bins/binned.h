/* The matrix of bins that training reads: one byte a record and feature, twice.
 *
 * Columns serve the root histogram and the partition; tiles (32 features of a record side by side) serve the
 * histograms of smaller nodes, where records are scattered and one cache line should bring many features. */
#ifndef HR_TABLES_BINS_BINNED_H
#define HR_TABLES_BINS_BINNED_H

#include "tables/bins/binning.h"
#include "tables/bins/sparse_bins.h"

#include <hedgerow/data.h>

enum { HR_TILE = 32 };

typedef struct hr_binned {
    size_t rows, features;
    const hr_binning *binning;
    size_t column_stride; /* bytes from one feature's column to the next */
    uint8_t *columns;     /* NULL: the bins are `sparse` */
    size_t tile_count;    /* ceil(features / HR_TILE) */
    uint8_t *tiles;       /* tile t, record i: HR_TILE bytes at (t * rows + i) * HR_TILE; bytes past the last
                             feature are 0 */
    const uint32_t *weights; /* of the records (hr_data_weights), borrowed from the data; NULL: 1 each */
    const double *exposures; /* the same; NULL: none */
    const struct hr_cell_file *mapped; /* columns are this file's (hr_data_map); NULL: ours */
    uint8_t *spare;                    /* or of a mapped file of ours beside it; NULL: none */
    hr_sparse_bins *sparse;            /* in place of columns and tiles; NULL: none */
} hr_binned;

/* Bins every record into columns and tiles. `binning` is borrowed. Owner: the caller frees *out with
 * hr_binned_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_binned_new(const hr_data *data, const hr_binning *binning, int threads,
                                      hr_binned **out, hr_error *err);
/* The same into columns alone, half the memory: `tiles` is NULL. A binned cache's columns are taken as they
 * are in its map, of which `binning` must be the grid; where they are read in place no memory is taken. */
HR_MUST_CHECK hr_status hr_binned_columns(const hr_data *data, const hr_binning *binning, int threads,
                                          hr_binned **out, hr_error *err);
/* The same of sparse data: neither columns nor tiles. */
HR_MUST_CHECK hr_status hr_binned_sparse(const hr_data *data, const hr_binning *binning, hr_binned **out,
                                         hr_error *err);
/* Makes the tiles of columns that have none. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_binned_add_tiles(hr_binned *binned, int threads, hr_error *err);
void hr_binned_free(hr_binned *binned);

/* Puts the bins of record order[i] into row i; `order` is a permutation. Of columns alone; weights stay as
 * they are. Mapped columns go to a file without a name beside the cache. Fails: MEMORY, IO. */
HR_MUST_CHECK hr_status hr_binned_reorder(hr_binned *binned, const uint32_t *order, int threads,
                                          hr_error *err);

/* NULL: the bins are sparse. */
static inline const uint8_t *hr_binned_column(const hr_binned *binned, size_t feature) {
    return binned->columns ? binned->columns + feature * binned->column_stride : NULL;
}

/* column: hr_binned_column of the feature. */
static inline uint8_t hr_binned_bin(const hr_binned *binned, const uint8_t *column, size_t feature,
                                    size_t row) {
    return column ? column[row] : hr_sparse_bin(binned->sparse, row, feature);
}

static inline const uint8_t *hr_binned_tile(const hr_binned *binned, size_t tile, size_t row) {
    return binned->tiles + (tile * binned->rows + row) * HR_TILE;
}

/* Where a feature's bins are among the tiles: record i's is tiles[offset + i * HR_TILE]. */
static inline size_t hr_binned_offset(const hr_binned *binned, size_t feature) {
    return feature / HR_TILE * binned->rows * HR_TILE + feature % HR_TILE;
}

#endif
