/* The bins of a sparse table, row by row: of the cells that are there, and one bin a feature that all others
 * have. Takes 5 bytes for each cell that is there and 8 for each row. */
#ifndef HR_TABLES_BINS_SPARSE_BINS_H
#define HR_TABLES_BINS_SPARSE_BINS_H

#include "tables/bins/binning.h"

#include <hedgerow/data.h>

enum { HR_SPARSE_BIN = sizeof(uint32_t) + 1 }; /* bytes of a cell */

typedef struct hr_sparse_bins {
    size_t *begins;     /* rows + 1: the cells of row i are begins[i] to begins[i + 1] - 1 */
    uint32_t *features; /* of each cell; they ascend in a row */
    uint8_t *bins;      /* of each cell */
    uint8_t *absent;    /* of each feature: the bin of cells that are not there */
} hr_sparse_bins;

/* The data are sparse. Call hr_sparse_bins_done in either case. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_sparse_bins_init(hr_sparse_bins *bins, const hr_data *data,
                                            const hr_binning *binning, hr_error *err);
void hr_sparse_bins_done(hr_sparse_bins *bins);

/* The first cell of a row of a feature that is not before this one; the end of the row if there is none. */
static inline size_t hr_sparse_bins_from(const hr_sparse_bins *bins, size_t row, size_t feature) {
    size_t low = bins->begins[row], high = bins->begins[row + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bins->features[middle] < feature)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline uint8_t hr_sparse_bin(const hr_sparse_bins *bins, size_t row, size_t feature) {
    const size_t at = hr_sparse_bins_from(bins, row, feature);
    return at < bins->begins[row + 1] && bins->features[at] == feature ? bins->bins[at]
                                                                       : bins->absent[feature];
}

#endif
