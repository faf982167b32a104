/* A trained model: predictions, its text forms, and the privacy statement it carries.
 *
 * A model holds released values only and may be published as its guarantee says. It is immutable and may be
 * shared between threads. The JSON format is specified in docs/reference/formats.md; every double survives a
 * round trip bit for bit. */
#ifndef HEDGEROW_MODEL_H
#define HEDGEROW_MODEL_H

#include <hedgerow/fit.h>
#include <hedgerow/predictor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a model file, or the same from `size` bytes in memory; `name` stands for the file in messages. It may
 * be compressed by gzip, which its first bytes tell. Owner: the caller frees *out with hr_model_free. Fails:
 * IO, FORMAT (also compressed bytes that are damaged or cut off), LIMIT (also if it is more than 64 MiB plus
 * 100 times its size when decompressed), ABSENT (a build without zlib), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_model_read(const char *path, hr_model **out, hr_error *err);
HR_API HR_MUST_CHECK hr_status hr_model_parse(const char *bytes, size_t size, const char *name,
                                              hr_model **out, hr_error *err);
/* "-" is standard output. A file appears whole or not at all; one whose name ends in ".gz" is compressed by
 * gzip, with no name and time in it. Fails: IO, ABSENT (a build without zlib), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_model_write(const hr_model *model, const char *path, hr_error *err);
/* The bytes that hr_model_write writes to a file of this name, for programs that write it themselves. Owner:
 * the caller frees *bytes with hr_text_free. Fails: ABSENT (a build without zlib), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_model_pack(const hr_model *model, const char *path, char **bytes,
                                             size_t *size, hr_error *err);
/* Whether hr_model_write can write a model to a file of this name, for programs that ask before they spend: a
 * build without zlib writes none that ends in ".gz". The file is not looked at. Fails: ABSENT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_model_check_name(const char *path, hr_error *err);
/* Owner: the caller frees *json with hr_text_free; NUL-ended. */
HR_API HR_MUST_CHECK hr_status hr_model_render(const hr_model *model, char **json, hr_error *err);
/* NULL is allowed. */
HR_API void hr_model_free(hr_model *model);

/* Borrowed views, valid as long as the model. */
HR_API const hr_schema *hr_model_schema(const hr_model *model);
HR_API const char *hr_model_method(const hr_model *model);
HR_API hr_mode hr_model_mode(const hr_model *model);
HR_API size_t hr_model_tree_count(const hr_model *model);
/* The number of records that the model was trained on, as it was released: noisy; of persons, or with class
 * weights, the sum of what records weigh; with exposures, of their parts of the largest one. 0 if the method
 * did not release it. */
HR_API double hr_model_records(const hr_model *model);
/* The checks that what owners sent failed, such as "record count, leaf or bin counts"; such a model may be
 * spoiled, and its guarantee holds all the same. NULL: none failed, or the method has none. Borrowed. */
HR_API const char *hr_model_suspect(const hr_model *model);
/* An interval that held-out records corrected: the part of the labels that it is to cover, the part of its
 * width by which each end moves outwards, and by how many held-out records noise may make the coverage fall
 * short, on average at most; held_out: about how many there were, 0 if that is not known. */
typedef struct hr_interval_info {
    double coverage, correction, shortfall, held_out;
} hr_interval_info;
/* Whether the model has such a correction; false leaves *out alone. */
HR_API bool hr_model_interval(const hr_model *model, hr_interval_info *out);
/* Which features a tree may split by together, as the fit was told: "all", "none", "pairs", or lists such as
 * [["age", "dose"]]; every model that is read was checked for it. Borrowed. */
HR_API const char *hr_model_interactions(const hr_model *model);
/* Whether no tree splits by more than one feature: then a score is the base, and a number for each feature
 * that its value alone decides (hr_shapes_make). */
HR_API bool hr_model_is_additive(const hr_model *model);

/* ---- Survival curves ---- */

/* The survival at a cut, and its band: four decimals each. */
typedef struct hr_curve_point {
    double time, survival, low, high;
} hr_curve_point;

/* Whose the index-th curve of a model of the method survival-curve is: "" of all, then "sex is missing" and
 * "sex=f" of groups. NULL past the last, and of every other method. Borrowed. */
HR_API const char *hr_model_curve(const hr_model *model, size_t index);
/* The curve's point at the cut of that index, from 0. False past the last; a group that noise hides has none.
 */
HR_API bool hr_model_curve_point(const hr_model *model, size_t index, size_t cut, hr_curve_point *out);

/* ---- Statistics of columns ---- */

typedef enum hr_statistic_kind {
    HR_STATISTIC_RECORDS,   /* how many there are, of the group */
    HR_STATISTIC_MISSING,   /* the part of them that lacks the column */
    HR_STATISTIC_MEAN,      /* of the others, of a number */
    HR_STATISTIC_DEVIATION, /* the standard deviation, of a number */
    HR_STATISTIC_BIN,       /* how many records are in a bin of a number */
    HR_STATISTIC_VALUE      /* how many records have a value of a category */
} hr_statistic_kind;

/* A released figure, and an interval that covers the one without noise with a probability of about .95. */
typedef struct hr_statistic_figure {
    hr_statistic_kind kind;
    double end; /* of a bin: its largest value; of a value: its place in the schema, from 1 */
    double value, low, high;
} hr_statistic_figure;

/* What the index-th statistics of a model of the method statistics are of: "" of the records, then the names
 * of columns. NULL past the last, and of every other method. Borrowed. */
HR_API const char *hr_model_statistic(const hr_model *model, size_t index);
/* Of which records: "" of all, then the classes of the label, if the statistics are by class. NULL past the
 * last. Borrowed. */
HR_API const char *hr_model_statistic_group(const hr_model *model, size_t index, size_t group);
/* The figure at place[1] of group place[0], both from 0. False past the last. */
HR_API bool hr_model_statistic_figure(const hr_model *model, size_t index, const size_t place[2],
                                      hr_statistic_figure *out);

/* ---- Predictions ---- */

/* Borrowed, valid as long as the model. */
HR_API const hr_predictor *hr_model_predictor(const hr_model *model);

/* As hr_predictor_output_count and hr_predict_data of the model's predictor. */
HR_API size_t hr_model_output_count(const hr_model *model);
HR_API HR_MUST_CHECK hr_status hr_model_predict(const hr_model *model, const hr_data *data, int threads,
                                                double *out, hr_error *err);

/* The most probable class (index from 0) of one record's probabilities; ties go to the lower index. */
HR_API size_t hr_predicted_class(const double *probabilities, size_t count);

typedef struct hr_metrics {
    size_t rows;
    hr_task task;
    double error, auc, logloss; /* classes; auc is NaN for more than two classes or one class present */
    /* times of events: logloss is the mean negative log-likelihood of what is known by intervals */
    double ece;           /* classes, times of events: expected calibration error, see below */
    double rmse, mae, r2; /* regression, counts */
    double deviance;      /* counts: the mean Poisson deviance */
    double weight;        /* of all rows together; as many where each counts 1 */
    /* Times of events: Harrell's concordance of the risks, Uno's up to the last cut, and the Brier score,
     * integrated over the cuts. */
    double concordance, concordance_uno, brier;
    double pinball[HR_QUANTILES_MAX]; /* one a quantile q of the label: the mean of max(q (y - p), (q - 1) (y
                                         - p)) */
    double coverage, width; /* several quantiles: the part of the labels within the outer two, and the
                               mean distance of those */
    double interval_coverage, interval_width; /* the same of the interval that hr_model_interval has, if it is
                                                 another one; NaN otherwise */
} hr_metrics;

/* The expected calibration error tells how far a probability can be taken at its word: 0 is best. Two
 * classes: p is the probability of the second class (index 1), and the event is that it is the label. More: p
 * is the probability of the predicted class, and the event is that it is right. The records are put into ten
 * bins by p, [0, 0.1), ..., [0.8, 0.9), [0.9, 1]; ece = sum over bins of
 * |(sum of p) - (number of events)| / rows. Times of events: p is the probability that the event has not come
 * by the last cut; ten groups of about equal numbers of records by p, and what Kaplan and Meier's estimate of
 * the group is in the place of the number of events; a group whose follow-ups all end too early for that is
 * left out. */

/* Predicts and compares with the labels of `data`. The schema of `data` is that of the model; or it names a
 * unit or a weight besides, and in every measure a record counts its weight over the bound then. Fails:
 * SCHEMA (no labels, no rows, all of them weigh 0), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_evaluate(const hr_model *model, const hr_data *data, int threads,
                                           hr_metrics *out, hr_error *err);

/* ---- The guarantee ---- */

/* Against whom a guarantee is one. Of owners who add noisy sums up: against everybody, the coordinator, and
 * any `coalition` owners with it, as long as X25519, BLAKE2b, ChaCha20 and Ed25519 hold. Whatever continues
 * such a model has its conditions. */
typedef struct hr_conditions {
    bool shared_noise; /* false: against everybody, whatever they know; the rest is 0 then */
    size_t coalition;
    double epsilon_owners, /* if all other owners act together; infinite: nothing is promised */
        epsilon_everyone;  /* at most, if the coordinator is with them */
    const char *text;      /* in words for people; "" without conditions */
} hr_conditions;

/* Of a fit: the budget that was granted and that a ledger is charged. The releases add up to no more. */
typedef struct hr_guarantee {
    bool is_private;       /* false: read `statement` for the reasons */
    double epsilon, delta; /* for adding or removing what `unit` says; infinite epsilon if not private */
    double epsilon_replace, delta_replace; /* for replacing it by another */
    /* "one record"; "one person", where the schema named a unit; of a federation: "one record of any owner",
     * or, if the records of one file were dealt out to owners, "one record of the file" */
    const char *unit;
    const char *statement; /* a paragraph for people */
    const char *promise;   /* what epsilon and delta mean (hr_promise_text); "" if not private */
    hr_conditions conditions;
} hr_guarantee;

/* Borrowed, valid as long as the model. */
HR_API const hr_guarantee *hr_model_guarantee(const hr_model *model);

/* Of a model that continues another (hr_fit_options.start): the SHA-256 of the other's file, 64 hexadecimal
 * digits; else NULL. */
HR_API const char *hr_model_start(const hr_model *model);

/* What this model and those that it continues cost together a record that is in the data of all of them.
 * Returns false if it continues none, or one for which nothing is charged (start_is_public). Strings are
 * borrowed. */
HR_API bool hr_model_start_guarantee(const hr_model *model, hr_guarantee *out);

/* One noisy answer that the model was built from. */
typedef struct hr_release_info {
    const char *what;      /* "bin edges", "split", "leaf sum", "leaf count", ... */
    const char *mechanism; /* "exponential", "permute-and-flip", "discrete laplace", "discrete gaussian",
                              "shared discrete gaussian", "shared discrete laplace", "identity" */
    int64_t tree, level;   /* where; -1: does not apply */
    uint64_t group,
        part; /* groups add up; in a group the costliest part counts (its parts see disjoint records) */
    uint64_t sensitivity; /* L1 or L2 sensitivity of the integer query, or width of the score */
    double scale;         /* t of exp(-|x|/t), sigma^2 (of a share), or epsilon/width of a choice */
    double cost;          /* epsilon (pure), rho (zCDP) or mu^2 (GDP) */
    uint64_t draws;       /* noisy values drawn under this charge */
    uint64_t shares;      /* of shared noise: how many owners' shares justify the cost; else 0 */
} hr_release_info;

/* How many releases hr_model_release_at tells. */
HR_API size_t hr_model_release_count(const hr_model *model);
/* Returns false past the last. Strings are borrowed. */
HR_API bool hr_model_release_at(const hr_model *model, size_t index, hr_release_info *out);

/* ---- For people ---- */

/* Importance of every feature, feature_count doubles that sum to 1 (or 0 without a split): the spread of leaf
 * values that its splits account for. Computed from the published trees alone. */
HR_API void hr_model_importance(const hr_model *model, double *out);

/* A summary of the model; or one tree as indented text or DOT. Owner: the caller frees *text with
 * hr_text_free. Fails: ARGUMENT (no such tree), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_model_summary(const hr_model *model, char **text, hr_error *err);
HR_API HR_MUST_CHECK hr_status hr_model_tree_text(const hr_model *model, size_t tree, char **text,
                                                  hr_error *err);
HR_API HR_MUST_CHECK hr_status hr_model_tree_dot(const hr_model *model, size_t tree, char **text,
                                                 hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
