/* How well a model predicts: decisions other than the most probable class, times of events by cut, and
 * figures that may be published.
 *
 * hr_evaluate (model.h) gives exact figures of private records, for the owner's eyes. hr_evaluate_private
 * releases the figures with noise, for a part of the privacy budget of the records they are of. */
#ifndef HEDGEROW_EVALUATION_H
#define HEDGEROW_EVALUATION_H

#include <hedgerow/model.h>
#include <hedgerow/survival.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Decisions ---- */

/* How the class of a record follows from its probabilities. It looks at nothing else: it costs no budget. */
typedef struct hr_decision_rule {
    double threshold;    /* two classes: the second one is predicted if its probability exceeds this; 0 to 1.
                            0.5: the most probable class, of any number */
    const double *costs; /* NULL, or classes x classes numbers, 0 to 1e9, borrowed: costs[truth * classes +
                            predicted]. The class of the smallest expected cost is predicted; ties go to the
                            lower index; the threshold is not looked at */
} hr_decision_rule;
#define HR_DECISION_RULE_INIT                                                                                \
    { 0.5, NULL }

/* Fails: ARGUMENT (a threshold or cost out of range; a threshold for more than two classes). */
HR_API HR_MUST_CHECK hr_status hr_decision_rule_check(const hr_decision_rule *decision, size_t classes,
                                                      hr_error *err);

/* The class (index from 0) of one record; `count` >= 2 probabilities. NULL: hr_predicted_class. */
HR_API size_t hr_decide(const hr_decision_rule *decision, const double *probabilities, size_t count);

typedef struct hr_decided {
    hr_metrics metrics; /* `error` counts the decisions; the rest does not depend on them */
    double cost;        /* mean cost of a record; NaN without costs */
    uint64_t *counts;   /* NULL, or room for classes x classes: counts[truth * classes + predicted] */
} hr_decided;

/* hr_evaluate for these decisions; out->counts is the caller's. EXACT: for the owner's eyes only. Fails:
 * ARGUMENT (decision; regression), SCHEMA (no labels, no rows), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_evaluate_decisions(const hr_model *model, const hr_data *data,
                                                     const hr_decision_rule *decision, int threads,
                                                     hr_decided *out, hr_error *err);

/* ---- Times of events ---- */

enum { HR_SURVIVAL_GROUPS = 10 };

typedef struct hr_survival_evaluation {
    hr_metrics metrics; /* ece is that of `groups`, weighed as they are */
    size_t cut_count;
    double brier[HR_INTERVALS_MAX];               /* at each cut */
    double horizon;                               /* one of the cuts */
    hr_survival_group groups[HR_SURVIVAL_GROUPS]; /* calibration there (hr_survival_calibration) */
} hr_survival_evaluation;

/* hr_evaluate with what there is by cut, and by groups of records. horizon: a cut of the model's label; 0:
 * the last one. EXACT: for the owner's eyes only. Fails: ARGUMENT (the label is no time; no such cut), SCHEMA
 * (no labels, no rows, all of them weigh 0), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_evaluate_survival(const hr_model *model, const hr_data *data,
                                                    double horizon, int threads, hr_survival_evaluation *out,
                                                    hr_error *err);

/* ---- Figures that may be published ---- */

typedef struct hr_evaluation_options {
    size_t size;    /* sizeof(hr_evaluation_options) */
    double epsilon; /* 0 < epsilon <= 10000 */
    double delta;   /* 0: pure epsilon, Laplace noise; else Gaussian noise; at most 1/rows */
    const hr_decision_rule *decision; /* classes: what counts as an error. NULL: the most probable class */
    int threads;                      /* of the predictions; 0: see hr_threads */
    hr_ledger *ledger;                /* of the records; NULL: no durable budget. Borrowed */
    int64_t *entry;      /* NULL, or where the number of the ledger's entry goes, also of a failed
                            evaluation; 0: none stays reserved or committed */
    bool single_records; /* each person has one record in this table; a ledger pays for nothing else. False:
                            the model's schema says so (hr_schema_single_records) */
} hr_evaluation_options;
#define HR_EVALUATION_OPTIONS_INIT                                                                           \
    { sizeof(hr_evaluation_options), 0, 0, NULL, 0, NULL, NULL, false }

enum { HR_FIGURE_NAME = 32 };

/* A released figure. Its noise is that of the release alone: how far the figure of these records is from that
 * of other records of the same kind is another matter. */
typedef struct hr_figure {
    char name[HR_FIGURE_NAME];
    double value;     /* within its range; NaN if the noise is too large to tell anything */
    double noise;     /* standard deviation; by linear approximation. NaN with the value */
    double low, high; /* holds the exact figure with probability 95 %, within its range */
} hr_figure;

enum { HR_FIGURES_MAX = 21, HR_EVALUATION_RELEASES = 8, HR_EVALUATION_EDGES = 7 };

/* Classes: "records", "error", "auc" (two classes: that of up to 16 bins of the probability, whose edges are
 * released, too), and "logloss", where the loss of a record counts as at most 4. Regression: "records",
 * "rmse", "mae"; a prediction and a label are at most high - low of the schema apart. Times of events:
 * "records", "interval_concordance" (of groups of records, whose times are known by intervals), "logloss",
 * where a loss counts as at most 4, "predicted" and "observed", survival until the last cut, and the same of
 * up to eight groups from the lowest predicted survival to the highest, whose edges are released, too:
 * "predicted_1", "observed_1", ... Quantiles: "records", of each quantile its pinball loss, "pinball_q10"
 * (hr_quantile_name), where a label and a prediction are at most high - low apart, and of two or more
 * "coverage" and "width" of the interval between the outer ones, and of each within it between q and 1 - q,
 * such as "coverage_0.5" and "width_0.5". */
typedef struct hr_evaluation {
    hr_task task;
    size_t figure_count, release_count;
    hr_figure figures[HR_FIGURES_MAX];
    hr_release_info releases[HR_EVALUATION_RELEASES]; /* what was charged and drawn */
    /* Times: the predicted survival where groups begin, from the second on, ascending; none of a plan. */
    size_t edge_count;
    double edges[HR_EVALUATION_EDGES];
    double epsilon, delta;                 /* granted, and charged to the ledger: whole units, rounded down */
    double epsilon_replace, delta_replace; /* the guarantee for replacing one record by another */
    char statement[640];                   /* the guarantee, for people */
} hr_evaluation;

/* Predicts, and releases how good the predictions are. The model must be public already: it is not paid for
 * here. Spends: (epsilon, delta), reserved in the ledger before any noise is drawn, and given back if the
 * evaluation fails before the first draw. Thread: model and data may be shared; the ledger not. Fails:
 * ARGUMENT, SCHEMA (no labels, no rows, another schema), POLICY (delta above 1/rows; the model protects
 * persons), BUDGET (the ledger does not cover it, or too little for any noise), MEMORY: nothing was spent;
 * FORMAT: as hr_fit, of the figures. */
HR_API HR_MUST_CHECK hr_status hr_evaluate_private(const hr_model *model, const hr_data *data,
                                                   const hr_evaluation_options *options, hr_evaluation *out,
                                                   hr_error *err);

/* What hr_evaluate_private would release of so many records, with how much noise, before anything is spent:
 * the figures are those of invented records (classes of one size, scores that order them rightly in three
 * of four cases, a quarter of errors; regression: misses of a tenth of the label's range). Looks at no
 * record, draws nothing. `ledger` is not looked at. Fails: ARGUMENT (records not in 1..2^32 - 2, options),
 * POLICY (the model protects persons), BUDGET (too little for any noise). */
HR_API HR_MUST_CHECK hr_status hr_evaluation_plan(const hr_model *model, double records,
                                                  const hr_evaluation_options *options, hr_evaluation *out,
                                                  hr_error *err);

/* The figures as a JSON object on a line of its own (docs/reference/formats.md). Owner: the caller frees
 * *text with hr_text_free. Fails: MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_evaluation_render(const hr_evaluation *evaluation, char **text,
                                                    hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
