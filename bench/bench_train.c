/* Times training through the public API, with binning and trees apart: three fits that differ in their number of trees alone.
 *
 * usage: bench_train FILE ROWS FEATURES METHOD THREADS FEW MANY [OPTION=VALUE]...
 * FILE holds ROWS x FEATURES float32 numbers, row by row, within [-4, 4], then ROWS labels of one byte, 0 or 1. Reading it is
 * not timed. Prints one line of JSON: seconds a tree, (t(MANY) - t(FEW)) / (MANY - FEW); seconds of everything before the
 * first tree, t(FEW) - FEW trees; seconds of predicting, a record and tree; and the log-loss on the training records, so that
 * the work is seen to be real. */
#include <hedgerow/hedgerow.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct table {
    size_t rows, features;
    double **columns;
    double *labels;
} table;

typedef struct bench_plan {
    const char *method;
    int threads;
    char **settings;
    int setting_count;
} bench_plan;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static _Noreturn void die(const hr_error *err, const char *what) {
    char text[1024] = "";
    if (err) hr_error_format(err, text, sizeof text);
    fprintf(stderr, "bench_train: %s %s\n", what, text);
    exit(1);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) die(NULL, "out of memory");
    return memory;
}

static void free_table(table *t) {
    for (size_t f = 0; f < t->features; f++) free(t->columns[f]);
    free(t->columns);
    free(t->labels);
}

static table read_table(const char *path, size_t rows, size_t features) {
    table t = {rows, features, allocate(features, sizeof *t.columns), allocate(rows, sizeof *t.labels)};
    for (size_t f = 0; f < features; f++) t.columns[f] = allocate(rows, sizeof **t.columns);
    float *record = allocate(features, sizeof *record);
    FILE *file = fopen(path, "rb");
    if (!file) die(NULL, "cannot open the table");
    for (size_t i = 0; i < rows; i++) {
        if (fread(record, sizeof *record, features, file) != features) die(NULL, "the table is too short");
        for (size_t f = 0; f < features; f++) t.columns[f][i] = (double)record[f];
    }
    for (size_t i = 0; i < rows; i++) t.labels[i] = fgetc(file);
    fclose(file);
    free(record);
    return t;
}

/* The schema of such a table: numbers within [-4, 4], two classes. */
static hr_schema *make_schema(size_t features) {
    const char *head = "hedgerow-schema: 1\nlabel:\n  name: y\n  kind: classes\n  values: [\"0\", \"1\"]\nfeatures:\n";
    const size_t feature_room = 96;
    size_t room = strlen(head) + features * feature_room + 1;
    char *text = allocate(room, 1);
    size_t at = (size_t)snprintf(text, room, "%s", head);
    for (size_t f = 0; f < features; f++)
        at += (size_t)snprintf(text + at, room - at, "  - name: x%zu\n    kind: number\n    low: -4\n    high: 4\n", f);
    hr_schema *schema = NULL;
    hr_error err = {0};
    if (hr_schema_parse(text, at, "bench_train", &schema, &err)) die(&err, "schema:");
    free(text);
    return schema;
}

static void set(hr_fit_options *options, const char *name, const char *value) {
    hr_error err = {0};
    if (hr_fit_options_set(options, name, value, &err)) die(&err, "option:");
}

/* Fits `trees` trees; seconds of the fit. Owner: the caller frees *model. */
static double fit(const hr_data *data, const bench_plan *plan, int trees, hr_model **model) {
    hr_fit_options options;
    hr_error err = {0};
    if (hr_fit_options_init(&options, plan->method, HR_SOUND, &err)) die(&err, "method:");
    options.threads = plan->threads;
    char text[512];
    for (int i = 0; i < plan->setting_count; i++) {
        snprintf(text, sizeof text, "%s", plan->settings[i]);
        char *value = strchr(text, '=');
        if (!value) die(NULL, "settings are OPTION=VALUE");
        *value++ = '\0';
        set(&options, text, value);
    }
    snprintf(text, sizeof text, "%d", trees);
    set(&options, "trees", text);
    double start = seconds();
    if (hr_fit(data, &options, model, &err)) die(&err, "fit:");
    return seconds() - start;
}

/* Seconds of predicting every record. */
static double predict(const hr_data *data, const bench_plan *plan, const hr_model *model) {
    double *out = allocate(hr_data_rows(data) * hr_model_output_count(model), sizeof *out);
    hr_error err = {0};
    double start = seconds();
    if (hr_model_predict(model, data, plan->threads, out, &err)) die(&err, "predict:");
    double spent = seconds() - start;
    free(out);
    return spent;
}

static void time_fits(const hr_data *data, const bench_plan *plan, int few, int many) {
    hr_model *model = NULL;
    double first = fit(data, plan, few, &model);
    hr_model_free(model);
    model = NULL;
    double second = fit(data, plan, many, &model);
    double tree = (second - first) / (many - few);
    double predicting = predict(data, plan, model) / ((double)hr_data_rows(data) * many);
    hr_metrics metrics;
    hr_error err = {0};
    if (hr_evaluate(model, data, plan->threads, &metrics, &err)) die(&err, "evaluate:");
    printf("{\"tree\": %.9f, \"bins\": %.9f, \"predict\": %.6g, \"logloss\": %.6f}\n", tree, first - tree * few, predicting,
           metrics.logloss);
    hr_model_free(model);
}

int main(int argc, char **argv) {
    if (argc < 8) die(NULL, "usage: bench_train FILE ROWS FEATURES METHOD THREADS FEW MANY [OPTION=VALUE]...");
    size_t rows = strtoul(argv[2], NULL, 10), features = strtoul(argv[3], NULL, 10);
    bench_plan plan = {argv[4], atoi(argv[5]), argv + 8, argc - 8};
    table t = read_table(argv[1], rows, features);
    hr_schema *schema = make_schema(features);
    hr_data *data = NULL;
    hr_error err = {0};
    if (hr_data_borrow_arrays(schema, rows, (const double *const *)t.columns, t.labels, &data, &err)) die(&err, "data:");
    time_fits(data, &plan, atoi(argv[6]), atoi(argv[7]));
    hr_data_free(data);
    free_table(&t);
    hr_schema_free(schema);
    return 0;
}
