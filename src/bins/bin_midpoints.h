/* Where the bins of a feature are on the line of its numbers: what a cut midway between two bins, or one
 * drawn at random from the range of a node, must know. Exact statistics of the records: NOT PRIVATE. */
#ifndef HR_BINS_BIN_MIDPOINTS_H
#define HR_BINS_BIN_MIDPOINTS_H

#include "bins/binned.h"

/* out[feature * HR_BINS_MAX + bin]: the middle of the smallest and the largest number in the bin, so that a
 * number with a bin of its own stands for itself; a bin without records has the place of the one before it
 * (the first bin: of the first with records). 0 for categories, for bin 0, and where all values are missing.
 */
void hr_bin_midpoints(const hr_data *data, const hr_binned *binned, int threads, double *out);

#endif
