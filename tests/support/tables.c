#include "support/tables.h"

hr_column number_column(const char *name, double low, double high) {
    return (hr_column){.name = name, .kind = HR_KIND_NUMBER, .low = low, .high = high};
}

/* a, b, ... z, v26, v27, ... The texts stay where they are: made once, whatever is asked for. */
static const char *const *category_names(void) {
    static char texts[CATEGORY_VALUES][8];
    static const char *values[CATEGORY_VALUES];
    for (size_t v = 0; !values[CATEGORY_VALUES - 1] && v < CATEGORY_VALUES; v++) {
        if (v < 26)
            snprintf(texts[v], sizeof texts[v], "%c", (char)('a' + v));
        else
            snprintf(texts[v], sizeof texts[v], "v%zu", v);
        values[v] = texts[v];
    }
    return values;
}

hr_column category_column(const char *name, size_t count) {
    assert_true(count <= CATEGORY_VALUES);
    return (hr_column){
        .name = name, .kind = HR_KIND_CATEGORY, .value_count = count, .values = category_names()};
}

table table_open(size_t rows, size_t features) {
    table t = {.rows = rows, .features = features};
    assert_true(features <= TABLE_FEATURES);
    for (size_t f = 0; f < features; f++) assert_non_null(t.columns[f] = calloc(rows + 1, sizeof(double)));
    assert_non_null(t.labels = calloc(rows + 1, sizeof(double)));
    return t;
}

void table_make(table *t, hr_column label, const hr_column *features) {
    hr_error err = {0};
    const hr_schema_parts parts = {.single_records = true,
                                   .label = label,
                                   .features = features,
                                   .feature_count = t->features,
                                   .reviewed = t->is_proposal ? HR_REVIEW_PENDING : HR_REVIEW_DONE};
    if (hr_schema_make(&parts, &t->schema, &err) != HR_OK) fail_msg("%s", err.message);
    if (hr_data_from_arrays(t->schema, t->rows, (const double *const *)t->columns, t->labels, &t->data,
                            &err) != HR_OK)
        fail_msg("%s", err.message);
}

void table_make_plain(table *t, size_t classes) {
    static const char *const names[TABLE_FEATURES] = {"x0", "x1", "x2",  "x3",  "x4",  "x5",  "x6",  "x7",
                                                      "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15"};
    hr_column features[TABLE_FEATURES];
    for (size_t f = 0; f < t->features; f++) features[f] = number_column(names[f], 0, 1);
    table_make(t, classes ? category_column("y", classes) : number_column("y", -1, 1), features);
}

void table_close(table *t) {
    hr_data_free(t->data);
    hr_schema_free(t->schema);
    for (size_t f = 0; f < t->features; f++) free(t->columns[f]);
    free(t->labels);
}

table table_of_steps(size_t rows, size_t features, size_t classes, uint64_t seed) {
    table t = table_open(rows, features);
    for (size_t i = 0; i < rows; i++) {
        for (size_t f = 0; f < features; f++) t.columns[f][i] = next_unit(&seed);
        double z = t.columns[0][i] + (features > 1 && t.columns[1][i] > .5 ? .25 : 0);
        z -= floor(z);
        t.labels[i] = classes ? floor(z * (double)classes) : 2 * z - 1;
    }
    table_make_plain(&t, classes);
    return t;
}

hr_fit_options options_of(const char *method, hr_mode mode) {
    hr_fit_options options;
    assert_int_equal(hr_fit_options_init(&options, method, mode, NULL), HR_OK);
    options.threads = 1;
    return options;
}

hr_fit_options seeded_options_of(const char *method, hr_mode mode, uint64_t seed) {
    hr_fit_options options = options_of(method, mode);
    options.reproducible_noise = true;
    options.seed = seed;
    return options;
}

hr_model *fit(const hr_data *data, const hr_fit_options *options) {
    hr_model *model = NULL;
    hr_error err = {0};
    if (hr_fit(data, options, &model, &err) != HR_OK)
        fail_msg("%s: %s; %s", err.field, err.message, err.remedy);
    assert_non_null(model);
    return model;
}

char *fit_text(const hr_data *data, const hr_fit_options *options) {
    hr_model *model = fit(data, options);
    char *text = render(model);
    hr_model_free(model);
    return text;
}

hr_metrics metrics_of(const hr_model *model, const hr_data *data) {
    hr_metrics metrics;
    assert_int_equal(hr_evaluate(model, data, 1, &metrics, NULL), HR_OK);
    return metrics;
}

hr_metrics fit_metrics(const hr_data *data, const hr_fit_options *options) {
    hr_model *model = fit(data, options);
    hr_metrics metrics = metrics_of(model, data);
    hr_model_free(model);
    return metrics;
}

double *predictions_of(const hr_model *model, const hr_data *data) {
    double *out = calloc(hr_data_rows(data) * hr_model_output_count(model), sizeof *out);
    assert_non_null(out);
    assert_int_equal(hr_model_predict(model, data, 1, out, NULL), HR_OK);
    return out;
}
