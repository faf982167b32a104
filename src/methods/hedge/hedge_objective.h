/* What an objective decides about hedge, beside a record's gradient (trees/candidates/score_gradients.h). All
 * of it follows from the objective, the schema and released numbers. */
#ifndef HR_METHODS_HEDGE_HEDGE_OBJECTIVE_H
#define HR_METHODS_HEDGE_HEDGE_OBJECTIVE_H

#include "methods/method.h"
#include "trees/candidates/candidate_scan.h"

/* What a fit with these options is for. */
hr_objective hr_hedge_objective(const hr_fit_options *options, hr_task task);
/* What the scores of its forest mean. */
hr_link hr_hedge_link(hr_objective objective, hr_task task);

/* Scores while the rounds last, F. */
typedef struct hr_hedge_scores {
    double limit;         /* they are kept within +-this; more classes have limits of their own */
    double value_limit;   /* so is a step of size 1 */
    double gradient_unit; /* a mean gradient of 1, in scores; of quantiles at a width of 1 and a reach of 1 */
    double clip_quantile; /* where the clip adapts: so many gradients are to be within it */
} hr_hedge_scores;

hr_hedge_scores hr_hedge_scores_of(hr_objective objective);

/* What a label decides beside its objective. */
typedef struct hr_hedge_label {
    double high;        /* counts; 0: of no schema */
    double reach;       /* quantiles: hr_quantile_reach; 0: none */
    bool has_exposures; /* counts: the totals are those of hr_candidate_scan_totals with exposures */
} hr_hedge_label;

/* schema NULL: none of it. */
hr_hedge_label hr_hedge_label_of(const hr_schema *schema, size_t outputs);

/* Where scores start: the mean target, -1 to 1, was released with noise of this deviation; with exposures the
 * rate, as a part of the highest count at the largest exposure. That may be above 1, since the exposures of
 * most records may be small. */
double hr_hedge_base(hr_objective objective, const hr_hedge_label *label, double mean, double noise);

/* What records are counted by before the rounds: classes, or codes of times (hr_survival_code). 0: nothing; a
 * mean target is released. */
size_t hr_hedge_classes(hr_objective objective, size_t outputs);
/* What the first sum's line is called: counts of classes or of intervals, or one of records. */
const char *hr_hedge_totals_name(hr_task task, hr_privacy_unit unit);
/* Whether the clip follows the gradients. */
bool hr_hedge_adapts_clip(hr_task task);

/* A published score of one output is this much of F: log-odds are twice F, and so are parts from -1 to 1 of
 * those from 0 to 1. */
double hr_hedge_published_unit(hr_objective objective, size_t outputs);
/* Where published scores start if F does so at `base`. */
double hr_hedge_published_base(hr_objective objective, size_t outputs, double base);

/* What a leaf's sums tell, for people, and how much of it a mean gradient of 1 is. */
typedef struct hr_hedge_figure {
    const char *text; /* static: "the mean ... of it" */
    double unit;
} hr_hedge_figure;

hr_hedge_figure hr_hedge_leaf_figure(hr_task task, const hr_hedge_label *label);

/* Counts: what their gradients are in units of, as a part of the highest count: the released mean, exp(base),
 * and at least one event. */
double hr_hedge_count_unit(double base, double high);

/* Quantiles: where the width starts (hr_candidate_scan_loss), and what it becomes after a round in which so
 * large a part of the records had their middle quantile within it. */
#define HR_QUANTILE_WIDTH_FIRST .3
double hr_hedge_next_width(double width, double part);

#endif
