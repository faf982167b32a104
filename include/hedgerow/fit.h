/* Training: data, a method and a privacy budget in; a model out.
 *
 *     hr_fit_options options;
 *     hr_fit_options_init(&options, NULL, HR_MODE_SOUND, NULL);
 *     options.epsilon = 1;
 *     hr_model *model = NULL;
 *     hr_error err = {0};
 *     if (hr_fit(data, &options, &model, &err)) ...
 */
#ifndef HEDGEROW_FIT_H
#define HEDGEROW_FIT_H

#include <hedgerow/cluster.h>
#include <hedgerow/data.h>
#include <hedgerow/ledger.h>
#include <hedgerow/timing.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hr_model hr_model;

/* HR_MODE_SOUND: the printed (epsilon, delta) is proved. HR_MODE_PAPER: the algorithm as its authors
 * published it; its guarantee does not hold, the model says why, and no ledger may be used with it. */
typedef enum hr_mode { HR_MODE_SOUND, HR_MODE_PAPER } hr_mode;

/* Square loss on labels mapped to [-1, 1] (classes: -1 and 1, one-hot for more than two), or logistic loss.
 */
typedef enum hr_loss { HR_LOSS_SQUARE, HR_LOSS_LOGISTIC } hr_loss;

/* Where bin edges come from: evenly spaced between the public bounds, private quantiles (spends), or exact
 * quantiles of the data (not private). */
typedef enum hr_edges { HR_EDGES_PUBLIC, HR_EDGES_PRIVATE, HR_EDGES_EXACT } hr_edges;

/* Room for options of single methods, and for those that are texts, with their NUL. Options are copied by
 * assignment, and nothing frees them: texts that hr_fit_options_set sets are within the struct, which is as
 * large as the longest of them therefore. */
enum { HR_BY_NAME_OPTIONS = 24, HR_INTERACTIONS_TEXT = 4096, HR_GROUP_TEXT = 1024, HR_COLUMNS_TEXT = 4096 };

/* The options of a fit. hr_fit_options_init sets the defaults of one method and mode; `hedgerow methods NAME`
 * and hr_method_option list which options the method takes, with ranges. Those that belong to one kind of
 * method have no field: hr_fit_options_set sets them. */
typedef struct hr_fit_options {
    size_t size; /* bytes of the struct as the program knows it: what comes after them has its default */
    const char *method;
    hr_mode mode;

    double epsilon; /* total privacy budget; > 0. Ignored by non-private methods */
    double delta; /* 0: pure epsilon; else (epsilon, delta), through Gaussian DP (hedge) or zCDP (the others).
                     At most 1/rows */

    int64_t trees, depth,
        bins; /* depth: 1..12, rf, ert and median: 1..60; bins: per numeric feature, missing values apart */
    double learning_rate, lambda;
    hr_loss loss;
    hr_edges edges;
    double gradient_bound; /* g*: in units of the label mapped to [-1, 1] */
    double bin_share;      /* part of epsilon for private bin edges */
    double leaf_share;     /* part of a tree's epsilon for its leaves */
    double count_share;    /* part of the leaves' epsilon for their counts */

    double by_name[HR_BY_NAME_OPTIONS]; /* for hr_fit_options_set alone: what each of them is may change */

    int threads;       /* 0: see hr_threads */
    hr_ledger *ledger; /* NULL: no durable budget. Borrowed */
    int64_t *entry;    /* NULL, or where hr_fit writes the number of the entry that it reserved in the ledger,
                        * also if it fails later;    0: none stays reserved or committed */
    bool reproducible_noise; /* noise from `seed`: NOT PRIVATE, for tests only; the model says so */
    uint64_t seed;

    /* Called now and then from the calling thread; returns false to stop the fit with HR_E_CANCELLED. May be
     * NULL. What it is told depends on public settings only. */
    bool (*progress)(void *user, size_t done, size_t total);
    void *user;

    const hr_model *start; /* NULL, or a released model that training continues: the scores of a record start
                              at what it says, and the new model has its trees, too. Of the same schema and
                              task, with scores that add up alike. Borrowed */
    bool start_is_public;  /* nothing is charged for the start: its data need no protection */
    /* Where the schema names a unit: 0: each record of a person counts a part, so that the person counts 1
     * (hedge, dpboost, inprivate, diprime, dp-ert, dp-df, survival-curve, statistics). m, 1..65536: at most m
     * records of each person are drawn by secret coins, with the noise that lets m records cost epsilon: all
     * methods. */
    int64_t records_per_person;

    const char *const *private_bounds; /* columns whose range nobody knows (features, or a label that is a
                                          number), private_bounds_count names: the schema has wide limits of
                                          them, and the fit releases bounds, which the model's schema has.
                                          Limits up to 2^128 are resolved */
    size_t private_bounds_count;
    double bounds_share; /* part of the budget for them, 0.001 to 0.5; 0.05 unless it is set. Where noise
                            hides some, four times as much, 0.5 in all at most, goes to these once more */

    const double *class_weights; /* NULL, or how much a record counts by its class, one number above 0 for
                                    each class in the schema's order; only ratios count, of at most 1000.
                                    Public: nothing may be read off the records for them. Probabilities are
                                    then those of a population with such weights. Of the methods of
                                    records_per_person 0, in sound mode. Borrowed */
    size_t class_weight_count;

    const char *leak; /* NULL, or what was read off the records although the schema calls it public, such as
                         "the bounds of age": NOT PRIVATE, and the model says so. Marks that the schema
                         accepts (hr_schema_public) count without being named here. Borrowed */
    hr_timings *timings; /* NULL, or what counts where the time goes: for the owner's eyes. Borrowed */

    hr_cluster *cluster; /* NULL, or the ranks that train together: this is rank 0, `data` is its part of the
                            table (hr_cluster_read), and the others serve. Borrowed */

    const double *record_weights; /* NULL, or how much each record of `data` counts, 0 to 1, in the order of
                                     the table. The number of a record must be a function of it, or of its
                                     person's records, alone: the caller vouches for it, and the model says
                                     so. Numbers that were divided by their sum or their largest are not.
                                     Of the methods of records_per_person 0, in sound mode. Borrowed */
    size_t record_weight_count;   /* as many as records */

    /* NULL, or called with `user` for each remark about the table (hr_data_remarks), before anything is
     * spent, and in paper mode for HR_REMARK_LEFT_OUT at the end; if it returns false, the fit fails with
     * that remark. For the owner's screen: the model does not depend on it. */
    bool (*remark)(void *user, const hr_remark *remark);
    bool of_program; /* a program made the table: the statement adds that what it computed from the records
                        before is not covered */

    char interactions[HR_INTERACTIONS_TEXT]; /* which features a tree may split by together; for
                                                hr_fit_options_set alone. "": any */
    double conformal; /* of quantiles: the part of the labels that the interval between two of them is to
                         cover, 0 to 0.999: a fifth of the records, or of the persons, is held out, and
                         corrects it. 0: it is left as it is, and all records train */
    char group[HR_GROUP_TEXT]; /* survival-curve: the category whose values have a curve each; for
                                  hr_fit_options_set alone. "": there is one curve, of all */
    int by_label;              /* statistics: also of each class of the label; for hr_fit_options_set alone */
    char
        columns[HR_COLUMNS_TEXT]; /* statistics: of which columns; for hr_fit_options_set alone. "": of all */
} hr_fit_options;

/* Fills in all defaults of a method and mode, in the first `size` bytes of the struct; a NULL method means
 * hr_default_method(). Fails: ARGUMENT (no such method: the remedy lists them; a size that leaves no room for
 * the mode). */
HR_API HR_MUST_CHECK hr_status hr_fit_options_init_sized(hr_fit_options *options, size_t size,
                                                         const char *method, hr_mode mode, hr_error *err);

/* The same for the struct as this header has it. */
HR_MUST_CHECK static inline hr_status hr_fit_options_init(hr_fit_options *options, const char *method,
                                                          hr_mode mode, hr_error *err) {
    return hr_fit_options_init_sized(options, sizeof *options, method, mode, err);
}

/* Sets one option by name ("trees", "learning-rate", ...) from text, strictly parsed; `options` must have
 * been initialised. Fails: ARGUMENT (the method takes no such option, or the value is out of range: the
 * remedy lists what is allowed; or the struct is too short to have the option). */
HR_API HR_MUST_CHECK hr_status hr_fit_options_set(hr_fit_options *options, const char *name,
                                                  const char *value, hr_error *err);

/* Trains.
 * Of a schema with a unit (hr_schema_unit) epsilon and delta are for adding or removing one person with all
 * its records, and the ledger is one of that unit. Spends: at most (epsilon, delta), reserved in
 * `options->ledger` before any noise is drawn, and given back (hr_ledger_void) if the fit fails before the
 * first draw. Owner: the caller frees *out with hr_model_free. The model keeps nothing of the data except
 * released values. Thread: data and options may be shared; the ledger not. Fails: ARGUMENT, SCHEMA (no
 * labels, no rows; a remark that options->remark refuses), POLICY (REVIEW left; such a remark; ledger with
 * paper mode, reproducible noise or a leak, or of another unit; a unit that the method cannot protect; delta
 * above 1/rows; a list of more than 254 values without a source), BUDGET (the ledger does not cover it, or
 * the budget is too small for the noise of some release), LIMIT: nothing was spent; MEMORY: nothing was
 * spent, but for a failure after the first draw; CANCELLED: what was reserved stays spent, unless nothing was
 * drawn; FORMAT: a fault of the library, the private model cannot be read back: what was reserved stays
 * spent, and with a ledger the model's text is in LEDGER.entry-N.unread, which err->file names. Options that
 * the method does not take in its mode are ignored. With options->private_bounds: ARGUMENT also for a method
 * or mode that is not private, a start, and names of no number of the schema; POLICY for a schema with a
 * unit; BUDGET also where noise hides the values of the label: there is no model, and what was reserved stays
 * spent (hr_fit_plan tells beforehand, of a number of records that need not be private). With
 * options->conformal: ARGUMENT also for a label that has not both quantiles, a start, private bounds,
 * records_per_person and a binned cache. With options->start
 * the model's guarantee is the new cost, and hr_model_start_guarantee tells that and the start's together.
 * Fails also: ARGUMENT (the method or mode takes no start; another task, classes or kind of scores), SCHEMA
 * (another schema: the message names the difference), POLICY (the start has no guarantee, or one that is not
 * for records, and start_is_public is not set; the schema has a unit). */
HR_API HR_MUST_CHECK hr_status hr_fit(const hr_data *data, const hr_fit_options *options, hr_model **out,
                                      hr_error *err);

/* Whether the ranks of options->cluster can train like this, from public facts: what hr_fit would refuse
 * after the records were read. HR_OK without a cluster. Fails: ARGUMENT (the method asks for more than sums,
 * or an option does: exact edges, the paper mode of a private method, records_per_person, record_weights,
 * conformal of persons; the message names it). */
HR_API HR_MUST_CHECK hr_status hr_fit_check_cluster(const hr_fit_options *options, const hr_schema *schema,
                                                    hr_error *err);

/* ---- What a fit will do ---- */

/* Shares are parts of the budget; together they are at most 1, but for what is lost to rounding. Noise is a
 * standard deviation. */
typedef struct hr_plan_info {
    double epsilon, delta;
    double odds_beyond, odds_beyond_gaussian; /* as in hr_promise */
    double records;

    size_t rounds,
        candidates; /* trees in the model (times the number of classes above two); candidates of each */
    double step;    /* the part of a leaf's mean gradient by which a round corrects the model */
    int depth_one, depth_pair, depth_all; /* of trees that ask about one, two, or all features; 0: there are
                                             none */
    bool lists; /* trees ask about features that meet in a list of the interactions, not about all */

    double cuts_share; /* of the budget, for cuts between intervals that the fit is to find; the shares below
                          are of what is left. 0: there are none */
    double share_bins, share_count, share_base, share_calibration;
    double share_choices, share_sums, share_counts, share_clip; /* over all rounds */

    double label_range; /* high - low of the label; 1 for a probability */
    bool of_logarithm;  /* counts: label_noise and prediction_noise are of the logarithm of the mean */
    size_t intervals; /* times of events: how many; share_count and share_base pay for their counts together,
                         and label_noise is of the part of the records with an event in one. 0: no times */
    size_t quantiles; /* that the label has; 0: it is learned otherwise */

    double leaf_records;     /* of a tree of depth_all, were its leaves alike */
    const char *leaf_figure; /* what such a leaf's sums tell, in words: static */
    double leaf_noise;       /* of that */
    double gradient_noise;   /* of its mean gradient; labels are mapped to [-1, 1], more than two classes to 0
                                and 1, and gradients of quantiles are at most 1 in length together */
    double label_noise;      /* the same in units of the label; of the probability of a class; of quantiles at
                                the width that their steps have at first */
    double prediction_noise; /* what the noise of all rounds comes to in a prediction, had it met such leaves
                                only; same units; 0 of times of events, where it is not told */

    double coverage, held_out, short_by; /* with options->conformal: what it is, how many records are held
                                            out, about, and what the coverage may fall short by, on average at
                                            most; rounds and noise are of the others. 0: all train */
    double start_coverage; /* for which the start's interval is corrected, as the new model's will not be; 0:
                              there is no start, or its interval is as it was learned */
} hr_plan_info;

/* Tells what hr_fit would do with so many records, without looking at any: nothing is spent or drawn. hr_fit
 * itself goes by the noisy number of records that it releases. schema: NULL stands for two classes and
 * numeric features. Thread: any. Fails: as hr_fit for so many records: ARGUMENT (options; records not
 * in 1..2^32 - 2; the method has no plan), BUDGET (too small for the noise of some release; of so many
 * records noise may hide a column of private_bounds: the message has how many are needed), LIMIT. A delta
 * above 1/records, which may be a guess, is left to hr_fit. */
HR_API HR_MUST_CHECK hr_status hr_fit_plan(const hr_fit_options *options, double records,
                                           const hr_schema *schema, hr_plan_info *out, hr_error *err);

/* ---- What methods exist ---- */

typedef struct hr_method_info {
    const char *name;    /* as in hr_fit_options.method */
    const char *summary; /* one line */
    const char *paper;   /* where it was published */
    bool is_private;     /* false: trains without any privacy */
    const char *sound;   /* what the sound mode proves, in a sentence or two */
    const char *flaws;   /* why the paper mode is not private; "" if there is none */
} hr_method_info;

typedef struct hr_option_info {
    const char *name;
    const char *range; /* such as "1..10000" or "square|logistic" */
    const char *help;
    char sound[32]; /* default in the mode, as text; "" if the mode does not take the option */
    char paper[32];
} hr_option_info;

/* What some methods can do in sound mode, and others refuse. */
typedef enum hr_capability {
    HR_CAN_WEIGH,     /* the records of a person (a schema's unit), and classes */
    HR_CAN_CACHE,     /* train on a binned cache (hr_data_map) */
    HR_CAN_RANKS,     /* train on a table whose parts are at several processes */
    HR_CAN_START,     /* continue a released model */
    HR_CAN_COUNT,     /* learn the mean of a count (hr_schema_label_count) */
    HR_CAN_TIME,      /* learn times of events (hr_schema_label_time) */
    HR_CAN_QUANTILES, /* learn quantiles of a number (hr_schema_label_quantiles) */
    HR_CAN_MONOTONE,  /* train models that are monotone in a feature (hr_schema_set_monotone) */
    HR_CAPABILITIES
} hr_capability;

/* The method that is meant where none is named: "hedge". */
HR_API const char *hr_default_method(void);
HR_API size_t hr_method_count(void);
HR_API const hr_method_info *hr_method_at(size_t index);
/* NULL if there is none of that name. */
HR_API const hr_method_info *hr_method_find(const char *name);
/* False also if there is no method of that name. */
HR_API bool hr_method_can(const char *name, hr_capability capability);
/* The index-th option that the method takes. Returns false past the last. */
HR_API bool hr_method_option(const hr_method_info *method, size_t index, hr_option_info *out);

#ifdef __cplusplus
}
#endif
#endif
