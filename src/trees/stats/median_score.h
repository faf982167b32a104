/* How evenly a cut of a number, or a subset of categories, divides the records of a node: what private
 * medians are chosen by.
 *
 * A score is -|left - right|. Adding a record to the node moves one side by 1, so every score by 1 up or
 * down: the width of the scores is HR_MEDIAN_SCORE_WIDTH, whatever the node holds (median_score.proof.md). A
 * person moves them by at most what its records weigh there: hr_unit_median_width for all nodes of a level.
 */
#ifndef HR_TREES_STATS_MEDIAN_SCORE_H
#define HR_TREES_STATS_MEDIAN_SCORE_H

#include "privacy/exact.h"
#include "privacy/sensitivity.h"
#include "trees/tree/tree.h"

enum { HR_MEDIAN_SCORE_CELLS = 4096, HR_BALANCE_COUNTS = HR_MEDIAN_SCORE_CELLS + 1 };

/* The public or released bounds between which a numeric feature is cut. */
typedef struct hr_median_score_range {
    double low, high; /* low < high, high - low finite */
} hr_median_score_range;

/* Adds to each cell the weights (NULL: 1 each) of the values, one a record, that are in it, and to the last,
 * HR_MEDIAN_SCORE_CELLS, those of missing values (NaN): a record adds to one of HR_BALANCE_COUNTS numbers. */
void hr_median_score_count(const hr_median_score_range *range, const double *values, const uint32_t *weights,
                           size_t count, hr_exact *cells);

/* scores[c - 1] of the cuts hr_median_score_cut(range, c), c = 1..HR_MEDIAN_SCORE_CELLS - 1: value <= cut
 * goes left, as in a model. */
void hr_median_score_of_cuts(const hr_exact *cells, bool missing_left, hr_exact *scores);

/* low + (high - low) c / HR_MEDIAN_SCORE_CELLS. */
double hr_median_score_cut(const hr_median_score_range *range, size_t c);

/* scores[s] of `subset_count` sets of bins that go left; records: how many each of the `bin_count` bins has.
 */
void hr_median_score_of_subsets(const hr_exact *records, size_t bin_count, const hr_bin_set *subsets,
                                size_t subset_count, hr_exact *scores);

/* scores[j - 1] = -|count - 2 j|, j = 1..count - 1: of the gaps between sorted values, as published. How many
 * gaps there are gives away the number of records: NOT PRIVATE. */
void hr_median_score_of_gaps(size_t count, hr_exact *scores);

#endif
