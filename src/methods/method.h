/* What a training method is, and what it is given. Adding a method: one file, and one line in table.c. */
#ifndef HR_METHODS_METHOD_H
#define HR_METHODS_METHOD_H

#include "base/arena.h"
#include "privacy/gate.h"
#include "tree/tree.h"

#include <hedgerow/fit.h>

/* One run: inputs first, then what the method makes. Everything made lives in `arena`. */
typedef struct hr_training {
    const hr_data *data;
    const hr_fit_options *options;
    hr_gate *gate;
    int threads;
    hr_arena *arena;
    hr_binning binning;
    hr_forest forest;
    uint64_t next_group; /* composition: groups below it are taken */
    double records;      /* their number as it was released, noisy; 0: it was not */
} hr_training;

/* Scores per record: 1, or the number of classes if there are more than two. */
size_t hr_training_outputs(const hr_data *data);
/* Tells the caller's progress callback. Fails: CANCELLED. */
HR_MUST_CHECK hr_status hr_training_progress(const hr_training *training, size_t done, size_t total, hr_error *err);

/* An option whose largest value is another one for some methods. */
typedef struct hr_bound {
    const char *name;
    double most;
    const char *range;
} hr_bound;

typedef struct hr_method {
    hr_method_info info;
    void (*defaults)(hr_fit_options *options); /* options->mode is set */
    const char *const *sound_options;          /* names of the options it takes in each mode, ended by NULL */
    const char *const *paper_options;          /* NULL: there is no such mode */
    const hr_bound *bounds;                    /* ended by a NULL name; NULL: the options' own ranges hold */
    hr_currency with_delta;                    /* what its releases are counted in when delta > 0 */
    hr_status (*train)(hr_training *training, hr_error *err);
    /* Fills in all but epsilon, delta and the number of records, which are set; `schema` may be NULL. NULL: the method has no plan. */
    void (*plan)(const hr_fit_options *options, const hr_schema *schema, hr_currency currency, hr_units budget, hr_plan_info *plan);
} hr_method;

extern const hr_method hr_method_hedge, hr_method_gbdt, hr_method_rf, hr_method_ert, hr_method_median, hr_method_dpboost, hr_method_seq,
    hr_method_para, hr_method_diprime, hr_method_inprivate, hr_method_dp_ert, hr_method_dp_df;

/* NULL if there is none of that name. */
const hr_method *hr_method_named(const char *name);

/* A copy in which options that the method does not take in the mode have their defaults, whatever the caller set: published
 * methods have exact edges and no delta. Fails: ARGUMENT (no such method or mode). */
HR_MUST_CHECK hr_status hr_options_taken(const hr_fit_options *options, hr_fit_options *out, hr_error *err);

/* Checks every option of `options` against its range. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_options_check(const hr_method *method, const hr_fit_options *options, hr_error *err);

/* Calls visit(name, value as text) for every option that the method takes in the options' mode, in a fixed order. */
void hr_options_each(const hr_method *method, const hr_fit_options *options, void (*visit)(void *user, const char *name, const char *value),
                     void *user);

#endif
