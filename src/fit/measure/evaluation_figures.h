/* From released sums to the figures of an evaluation, each with its noise. Sees released values only. */
#ifndef HR_FIT_MEASURE_EVALUATION_FIGURES_H
#define HR_FIT_MEASURE_EVALUATION_FIGURES_H

#include "fit/paid.h"
#include "privacy/accountant.h"

#include <hedgerow/evaluation.h>
#include <math.h>

/* Noisy sums, in records, losses, or parts of the label's range (trees/candidates/evaluation_counts.h); of
 * each kind the standard deviation of its noise. NULL: not released. */
typedef struct hr_evaluation_sums {
    hr_task task;
    size_t classes;
    double range; /* regression: of the label */
    hr_privacy_measure privacy_measure;
    const double *outcomes, *scores, *loss; /* 2 x classes, 2 x score_bins, 1 */
    size_t score_bins;                      /* at most HR_SCORE_BINS_MAX */
    const double *records, *misses, *squares;
    const double *codes, *survival; /* times: score_bins x codes of `intervals`; score_bins */
    size_t intervals;
    double code_noise, survival_noise;
    const hr_column *label; /* quantiles */
    const double *covered, *pinball, *widths;
    double cover_noise, pinball_noise, width_noise;
    double outcome_noise, score_noise, loss_noise, record_noise, miss_noise, square_noise;
} hr_evaluation_sums;

/* A released number, and the standard deviation of its noise. */
typedef struct hr_estimate {
    double value, noise;
} hr_estimate;

#define HR_ESTIMATE_UNKNOWN ((hr_estimate){(double)NAN, (double)NAN})

/* Whether it may be a denominator: noise alone is hardly that far above 0. */
bool hr_estimate_is_known(hr_estimate e);
/* Of a sum over the records. */
hr_estimate hr_estimate_of_mean(double sum, double noise, hr_estimate records);
/* The next figure of *out, which is within 0 .. max. */
void hr_evaluation_add_figure(const hr_evaluation_sums *sums, const char *name, hr_estimate e, double max,
                              hr_evaluation *out);

/* The figures of times (time_figures.c). */
void hr_time_figures(const hr_evaluation_sums *sums, hr_evaluation *out);

/* The figures of quantiles (quantile_figures.c). */
void hr_quantile_figures(const hr_evaluation_sums *sums, hr_evaluation *out);

/* Fills in out->figures and their count. */
void hr_evaluation_figures(const hr_evaluation_sums *sums, hr_evaluation *out);

extern const hr_paid_kind hr_paid_evaluation; /* of an hr_evaluation (evaluation_read.c) */

#endif
