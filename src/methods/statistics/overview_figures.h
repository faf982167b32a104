/* The figures of an overview, from its released numbers: consistent ones, each with an interval of the noise.
 * It sees no record. */
#ifndef HR_METHODS_STATISTICS_OVERVIEW_FIGURES_H
#define HR_METHODS_STATISTICS_OVERVIEW_FIGURES_H

#include "methods/statistics/overview.h"

/* Released numbers of all lines, as hr_overview_lines has them. */
typedef struct hr_overview_release {
    const hr_overview *overview;
    const hr_noisy *values;
    const hr_charge *lines;
    hr_privacy_measure privacy_measure;
    double noise_factor; /* how many times the deviation of one gate's noise theirs is; 1 of one gate */
} hr_overview_release;

/* As texts for the settings of a model: of the records first, then of each column. The records of a group,
 * and the counts of each column in it, add up to the same number, and no count is negative. What intervals
 * are around is in them; each covers the figure without noise with a probability of about .95 or more by
 * itself. */
typedef struct hr_overview_made {
    hr_forest forest;            /* without trees: it predicts nothing, and its scores are 0 */
    double records;              /* at least 1 */
    const hr_named_curve *texts; /* column_count + 1 */
} hr_overview_made;

/* All of it lives in the arena. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_overview_make(const hr_overview_release *release, hr_arena *arena,
                                         hr_overview_made *out, hr_error *err);

/* The nearest counts of that sum, none of them negative. sum >= 0; sorted: room for as many. */
void hr_counts_make_possible(double *counts, size_t count, double sum, double *sorted);

#endif
