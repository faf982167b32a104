/* Where the bins of a feature are on the line of its numbers: what a cut midway between two bins, or one
 * drawn at random from the range of a node, must know. Exact statistics of the records: NOT PRIVATE. */
#ifndef HR_TABLES_BINS_BIN_MIDPOINTS_H
#define HR_TABLES_BINS_BIN_MIDPOINTS_H

#include "base/kernels/search.h"
#include "tables/bins/binned.h"

/* A feature, and of a number the midpoints of its bins. */
typedef struct hr_bin_midpoints {
    const hr_feature_bins *feature;
    /* Of HR_BINS_MAX bins: the middle of the smallest and the largest number in the bin, so that a number
     * with a bin of its own stands for itself; a bin without records has the place of the one before it (the
     * first bin: of the first with records). 0 for bin 0, and where all values are missing. NULL: a
     * category. */
    const double *midpoints;
    hr_search search; /* hr_midpoints_search */
} hr_bin_midpoints;

/* The search of which hr_search_bin(x) is the last bin whose midpoint is x or less (1 if there is none). Room
 * as for hr_search_make, of bin_count - 2 edges. */
hr_search hr_midpoints_search(const double *midpoints, uint32_t bin_count, uint8_t *first, double *padded);

/* Of every feature: (*out)[0..features). All of it is in `arena`; borrows the binning. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_bin_midpoints_find(const hr_data *data, const hr_binned *binned, int threads,
                                              hr_arena *arena, hr_bin_midpoints **out, hr_error *err);

#endif
