/* What a training method is, and what it is given. Adding a method: one file, and one line in table.c. */
#ifndef HR_METHODS_METHOD_H
#define HR_METHODS_METHOD_H

#include "base/arena.h"
#include "privacy/gate.h"
#include "privacy/sensitivity.h"
#include "trees/tree/tree.h"

#include <hedgerow/fit.h>

/* Options of single methods: where they are in hr_fit_options.by_name. */
typedef enum hr_option {
    HR_OPTION_MIN_CHILD_WEIGHT, /* gbdt: of a leaf (square loss: its number of records); forests: records of a
                                   leaf */
    HR_OPTION_MAX_FEATURES, /* forests: candidate features of a node (K); 0: the root of their number, rounded
                             */
    HR_OPTION_PART, /* private forests, 0 or 1: every record trains one tree, at the full budget, or all, at
                       epsilon / trees */
    HR_OPTION_ENSEMBLE,     /* dpboost: trees of one ensemble, which divides the records (T_e) */
    HR_OPTION_SHARES,       /* dpboost: an hr_shares */
    HR_OPTION_BOUNDING,     /* dpboost: an hr_bounding */
    HR_OPTION_LEAF_BUDGET,  /* dpboost, paper mode: an hr_leaf_budget */
    HR_OPTION_GDF,          /* dpboost, seq and para, paper mode, 0 or 1: gradient-based data filtering */
    HR_OPTION_GLC,          /* dpboost, paper mode, 0 or 1: geometric leaf clipping */
    HR_OPTION_GLC_EXPONENT, /* the same: an hr_glc_exponent */
    HR_OPTION_SPLIT_BUDGET, /* diprime and inprivate, paper mode: an hr_split_budget */
    HR_OPTION_OWNERS,       /* simfl, tfl, solo, dp-simfl: owners among whom the records are divided */
    HR_OPTION_OWNER,        /* solo: the one that trains, from 1 */
    HR_OPTION_THETA,        /* simfl, tfl, solo: hr_simfl_split; dp-simfl: hr_owner_law; 0: alike */
    HR_OPTION_ORDER,        /* simfl, tfl: an hr_owner_order */
    HR_OPTION_GAMMA,        /* simfl, tfl, solo, all-in: what a split must gain */
    HR_OPTION_LSH_WIDTH,    /* simfl: hr_lsh_setup; dp-simfl: hr_regions_setup */
    HR_OPTION_LSH_TABLES,   /* the same */
    HR_OPTION_LSH_RANGE,    /* simfl: hr_lsh_setup */
    HR_OPTION_SKEW,         /* dp-simfl: what theta divides (hr_owner_law) */
    HR_OPTION_WEIGHT_MAX,   /* dp-simfl: w_max; 1: no weights */
    HR_OPTION_WEIGHT_SHARE, /* dp-simfl: part of the budget for the counts that weights follow from */
    HR_OPTION_ROUND_GAIN,   /* inprivate, paper mode: what a round must improve for another one; 0: nothing */
    HR_OPTION_VOTE_TREES,   /* inprivate, paper mode, 0 or 1: leave out trees that lower the accuracy */
    HR_OPTIONS_BY_NAME
} hr_option;

/* The option that names the category whose values have a survival curve each. */
#define HR_GROUP_NAME "group"

/* The option that names the columns whose statistics are released. */
#define HR_COLUMNS_NAME "columns"
/* The option that has statistics of each class of the label. */
#define HR_BY_NAME "by"

/* How an ensemble's records are shared out to its trees. */
typedef enum hr_shares { HR_SHARES_EQUAL, HR_SHARES_GEOMETRIC } hr_shares;

/* How a gradient beyond the bound g* is treated in sound mode: clipped to it, or its record left out of the
 * tree (the paper's GDF). */
typedef enum hr_bounding { HR_BOUNDING_CLIP, HR_BOUNDING_FILTER } hr_bounding;

/* Which owner trains a tree: they take turns, tree by tree; or each trains all of its trees, as many as its
 * part of the records, before the next. */
typedef enum hr_owner_order { HR_OWNER_ORDER_TURNS, HR_OWNER_ORDER_BLOCKS } hr_owner_order;

/* Which budget the leaves of DPBoost's Algorithm 1 get: eps_leaf as its text intends, or eps_nleaf as in its
 * line 14. */
typedef enum hr_leaf_budget { HR_LEAF_BUDGET_INTENDED, HR_LEAF_BUDGET_LITERAL } hr_leaf_budget;

/* What GLC counts for the exponent of 1 - eta: the trees of the ensemble before this one, or of the model. */
typedef enum hr_glc_exponent { HR_GLC_PLACE, HR_GLC_ITERATION } hr_glc_exponent;

/* Which budget a split of DiPriMe's trees gets: eps rho / (2 d_max) as in Algorithm 1 and the MSE not weighed
 * by the node's records, or eps rho / d_max and the MSE times N_i as in the text of section 3. */
typedef enum hr_split_budget { HR_SPLIT_BUDGET_ALGORITHM, HR_SPLIT_BUDGET_TEXT } hr_split_budget;
typedef struct hr_stats_source hr_stats_source; /* trees/records/stats_source.h */

/* A released curve with its bands, or statistics of a column, for the settings of a model. */
typedef struct hr_named_curve {
    const char *name, *text;
} hr_named_curve;

/* One run: inputs first, then what the method makes. Everything made lives in `arena`. */
typedef struct hr_training {
    const hr_data *data;
    const hr_fit_options *options;
    hr_privacy_unit unit; /* of the method's releases: hr_facts_unit */
    hr_gate *gate;
    hr_stats_source *source; /* sums over the records of `data` */
    int threads;
    hr_arena *arena;
    hr_binning binning;
    hr_forest forest;
    const hr_forest *start;     /* a released forest that this one continues; NULL: none */
    const double *start_scores; /* its scores of the records: rows x outputs; NULL: none */
    bool sums_apart;            /* more records than packed sums have room for (trees/stats/packing.h) */
    uint64_t next_group;        /* composition: groups below it are taken */
    double records;             /* their number as it was released, noisy; 0: it was not */
    const hr_named_curve *curves;
    size_t curve_count;
} hr_training;

/* Sets training->forest: the start's base scores and trees, if there is a start, else base 0 and no tree;
 * with room for `trees` more. Everything made is in the arena. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_training_forest_init(hr_training *training, hr_link link, size_t trees,
                                                hr_error *err);

/* hr_edges_private of the source's records. Fails: BUDGET, MEMORY, and as the source. */
typedef struct hr_edges_release hr_edges_release;
HR_MUST_CHECK hr_status hr_training_private_edges(hr_training *training, const hr_edges_release *release,
                                                  uint64_t *groups, hr_error *err);

/* What is known of a fit before it looks at a record. */
typedef struct hr_fit_facts {
    const hr_fit_options *options;
    const hr_schema *schema; /* a plan may have none: NULL stands for two classes and numeric features */
    size_t rows;
    size_t
        cells;   /* of a sparse table: those that are there; 0: the table is in columns. For `memory` alone */
    int threads; /* for `memory` alone */
    hr_privacy_measure privacy_measure;
    hr_units budget;
} hr_fit_facts;

/* Whether classes or records have weights. */
static inline bool hr_options_weigh(const hr_fit_options *options) {
    return options->class_weights || options->record_weights;
}

/* What the fit's releases count: sums of weights, as of persons, if the schema has a unit, unless at most m
 * records of each are drawn, or if classes or records have weights; else records. */
hr_privacy_unit hr_facts_unit(const hr_fit_facts *facts);
/* Scores per record: 1, or the number of classes if there are more than two, or of the intervals of a time.
 */
size_t hr_training_outputs(const hr_data *data);
size_t hr_facts_outputs(const hr_fit_facts *facts);
/* Bytes of one binned table: a byte a cell. */
double hr_facts_table(const hr_fit_facts *facts);
/* Whether sums of gradients and of weights up to the bounds fit into 63 bits; and whether a
 * release of classes has room for all. Fails: LIMIT. */
HR_MUST_CHECK hr_status hr_facts_check_rows(const hr_fit_facts *facts, uint64_t weight_bound,
                                            int64_t gradient_bound, hr_error *err);
HR_MUST_CHECK hr_status hr_facts_check_classes(const hr_fit_facts *facts, hr_error *err);
/* Whether the cost buys the noise of sums, or a choice. Fails: BUDGET. */
HR_MUST_CHECK hr_status hr_facts_check_sums(const hr_fit_facts *facts, const char *what, hr_units cost,
                                            uint64_t sensitivity, hr_error *err);
HR_MUST_CHECK hr_status hr_facts_check_choice(const hr_fit_facts *facts, const char *what, hr_units cost,
                                              uint64_t width, hr_error *err);
/* Whether it buys the private edges of all features: none without a schema. Fails: BUDGET. */
HR_MUST_CHECK hr_status hr_facts_check_edges(const hr_fit_facts *facts, hr_units cost, hr_error *err);
/* Calls the caller's progress callback. Fails: CANCELLED. */
HR_MUST_CHECK hr_status hr_training_progress(const hr_training *training, size_t done, size_t total,
                                             hr_error *err);

/* An option whose range, or meaning, is another one for some methods. */
typedef struct hr_bound {
    const char *name;
    double min, max;
    const char *range, *help; /* help NULL: as for all methods */
} hr_bound;

typedef struct hr_method {
    hr_method_info info;
    void (*defaults)(hr_fit_options *options); /* options->mode is set */
    const char *const *sound_options;          /* names of the options it takes in each mode, ended by NULL */
    const char *const *paper_options;          /* NULL: there is no such mode */
    bool over_ranks;   /* it needs the statistics source alone, and sums that add up over parts of a table */
    const char *alone; /* why owners do not train it together, for people; NULL: no reason is given */
    bool counts;       /* it learns the mean of a count, in sound mode */
    bool times;        /* it learns times of events, in sound mode */
    bool times_alone;  /* and no other label */
    bool predicts_nothing;  /* it makes no model: any label will do, and lists of methods that learn one lack
                               it */
    bool quantiles;         /* it learns quantiles of a number, in sound mode */
    bool monotone;          /* its models are monotone in the features that the schema says, in sound mode */
    bool cells;             /* it trains on a binned cache (hr_data_map), too */
    const hr_bound *bounds; /* ended by a NULL name; NULL: the options' own ranges hold */
    hr_privacy_measure with_delta; /* what its releases are counted in when delta > 0 */
    const char *persons; /* what the sound mode proves where the schema names a unit; NULL: it cannot protect
                            persons, and refuses such a schema */
    const char *weighed; /* what weights of records change in info.sound: the widths; NULL: nothing */
    /* Refuses what `train` could not do, whatever the records are: a budget that is too small for some
     * release that it may make, too many records or classes. It runs before the ledger is charged. NULL:
     * there is nothing to refuse. Fails: BUDGET, LIMIT, ARGUMENT. */
    hr_status (*check)(const hr_fit_facts *facts, hr_error *err);
    /* Bytes that `train` takes for what grows with the table, at the most; the rest is a few MB. NULL: not
     * known. */
    double (*memory)(const hr_fit_facts *facts);
    hr_status (*train)(hr_training *training, hr_error *err);
    /* The link of its forests, for starts and averages. NULL: HR_LINK_NUMBER or HR_LINK_SIGNED, by the task;
     * its forests do not continue others. */
    hr_link (*link)(const hr_fit_options *options, hr_task task);
    /* Fills in all but epsilon, delta and the number of records, which are set; `schema` may be NULL. NULL:
     * the method has no plan. */
    void (*plan)(const hr_fit_options *options, const hr_schema *schema, hr_privacy_measure privacy_measure,
                 hr_units budget, hr_plan_info *plan);
} hr_method;

extern const hr_method hr_method_hedge, hr_method_gbdt, hr_method_rf, hr_method_ert, hr_method_median,
    hr_method_dpboost, hr_method_seq, hr_method_para, hr_method_diprime, hr_method_inprivate,
    hr_method_dp_ert, hr_method_dp_df, hr_method_id3, hr_method_simfl, hr_method_tfl, hr_method_solo,
    hr_method_all_in, hr_method_dp_simfl, hr_method_survival_curve, hr_method_statistics;

/* NULL if there is none of that name. */
const hr_method *hr_method_named(const char *name);

/* The methods that can, and learn labels of the task, for the remedy of an error: "hedge, gbdt or dpboost".
 */
enum { HR_METHODS_TEXT = 200 };
/* Refuses a label that is a count or a time, or whose quantiles are wanted, if the method, or its mode, does
 * not learn them. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_method_check_label(const hr_method *method, hr_mode mode, const hr_schema *schema,
                                              hr_error *err);
/* Refuses monotone features, if the schema has some, on behalf of a method that does not know them (`able`:
 * it does), and of a label that is no number, no count, and not one of two classes. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_check_monotone(const char *method, bool able, const hr_schema *schema,
                                          hr_error *err);
void hr_methods_list(hr_capability capability, hr_task task, char out[HR_METHODS_TEXT]);
/* Whether it learns such labels, in sound mode. */
bool hr_method_learns(const hr_method *method, hr_task task);

/* A copy in which the options that the caller's struct is too short to have, and those that the method does
 * not take in the mode, whatever the caller set, have their defaults: published methods have exact edges and
 * no delta. Fails: ARGUMENT (not initialised, no such method or mode). */
HR_MUST_CHECK hr_status hr_options_taken(const hr_fit_options *options, hr_fit_options *out, hr_error *err);

/* Checks every option of `options` against its range. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_options_check(const hr_method *method, const hr_fit_options *options,
                                         hr_error *err);

/* Calls visit(name, value as text) for every option that the method takes in the options' mode, in a fixed
 * order; of the interactions where they are limited, and of the conformal correction where one is wanted. */
void hr_options_each(const hr_method *method, const hr_fit_options *options,
                     void (*visit)(void *user, const char *name, const char *value), void *user);

#endif
