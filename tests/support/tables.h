/* Tables made from formulas, and fits of them, for the tests of src/methods and src/fit. */
#ifndef HR_TESTS_SUPPORT_TABLES_H
#define HR_TESTS_SUPPORT_TABLES_H

#include "base/fail.h"
#include "methods/method.h"
#include "models/model/model.h"
#include "support/check.h"
#include "support/model_text.h"
#include "support/random_numbers.h"
#include "tables/schema/schema.h"

#include <hedgerow/hedgerow.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { TABLE_FEATURES = 16, CATEGORY_VALUES = 1000 };

/* Fill in the columns by hand, then table_make. */
typedef struct table {
    size_t rows, features;
    double *columns[TABLE_FEATURES];
    double *labels;
    bool is_proposal; /* its schema says 'reviewed: false'; else it counts as reviewed, as those from code do
                       */
    hr_schema *schema;
    hr_data *data;
} table;

hr_column number_column(const char *name, double low, double high);

/* The first `count` of CATEGORY_VALUES values: a, b, ... */
hr_column category_column(const char *name, size_t count);

/* Room for rows x features values, all 0. */
table table_open(size_t rows, size_t features);

/* Makes schema and data. */
void table_make(table *t, hr_column label, const hr_column *features);

/* The same with all features numbers in [0, 1] and a label of `classes` classes, or a number in [-1, 1] for
 * 0. */
void table_make_plain(table *t, size_t classes);
void table_close(table *t);

/* Uniform numbers; the label counts how many of the thresholds 1/classes, 2/classes, ... x0 + (x1 > .5)/4
 * (mod 1) passes. */
table table_of_steps(size_t rows, size_t features, size_t classes, uint64_t seed);

/* Defaults, on one thread: models do not depend on it, and tests run beside each other. */
hr_fit_options options_of(const char *method, hr_mode mode);

/* Noise that is the same in every run of the test. */
hr_fit_options seeded_options_of(const char *method, hr_mode mode, uint64_t seed);
hr_model *fit(const hr_data *data, const hr_fit_options *options);

/* Whether the method refuses a label that is no time, or makes no model that predicts. */
static inline bool makes_no_plain_model(const char *method) {
    return strcmp(method, "survival-curve") == 0 || strcmp(method, "statistics") == 0;
}

/* The model of a fit, as text. Owner: the caller, by hr_text_free. */
char *fit_text(const hr_data *data, const hr_fit_options *options);
hr_metrics metrics_of(const hr_model *model, const hr_data *data);
hr_metrics fit_metrics(const hr_data *data, const hr_fit_options *options);

/* Predictions of all records. Owner: the caller, by free. */
double *predictions_of(const hr_model *model, const hr_data *data);

#endif
