#include "fits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

_Noreturn void bench_die(const hr_error *err, const char *what) {
    char text[1024] = "";
    if (err) hr_error_format(err, text, sizeof text);
    fprintf(stderr, "bench: %s %s\n", what, text);
    exit(1);
}

void *bench_allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) bench_die(NULL, "out of memory");
    return memory;
}

static void read_numbers(bench_table *t, const char *path) {
    float *record = bench_allocate(t->features, sizeof *record);
    FILE *file = fopen(path, "rb");
    if (!file) bench_die(NULL, "cannot open the table");
    for (size_t i = 0; i < t->rows; i++) {
        if (fread(record, sizeof *record, t->features, file) != t->features)
            bench_die(NULL, "the table is too short");
        for (size_t f = 0; f < t->features; f++) t->columns[f][i] = (double)record[f];
    }
    for (size_t i = 0; i < t->rows; i++) t->labels[i] = fgetc(file);
    fclose(file);
    free(record);
}

hr_schema *bench_schema(size_t features) {
    const char *head =
        "hedgerow-schema: 1\nlabel:\n  name: y\n  kind: classes\n  values: [\"0\", \"1\"]\nfeatures:\n";
    const size_t feature_room = 96;
    size_t room = strlen(head) + features * feature_room + 1;
    char *text = bench_allocate(room, 1);
    size_t at = (size_t)snprintf(text, room, "%s", head);
    for (size_t f = 0; f < features; f++)
        at += (size_t)snprintf(text + at, room - at,
                               "  - name: x%zu\n    kind: number\n    low: -4\n    high: 4\n", f);
    hr_schema *schema = NULL;
    hr_error err = {0};
    if (hr_schema_parse(text, at, "bench", &schema, &err)) bench_die(&err, "schema:");
    free(text);
    return schema;
}

bench_table bench_table_read(const char *path, size_t rows, size_t features) {
    bench_table t = {.rows = rows, .features = features, .schema = bench_schema(features)};
    hr_error err = {0};
    const char *kernels = getenv("HEDGEROW_KERNELS");
    if (kernels && *kernels && hr_use_kernels(kernels, &err)) bench_die(&err, "HEDGEROW_KERNELS:");
    t.columns = bench_allocate(features, sizeof *t.columns);
    t.labels = bench_allocate(rows, sizeof *t.labels);
    for (size_t f = 0; f < features; f++) t.columns[f] = bench_allocate(rows, sizeof **t.columns);
    read_numbers(&t, path);
    hr_array *arrays = bench_allocate(features, sizeof *arrays),
             labels = {t.labels, HR_ELEMENT_FLOAT64, sizeof(double)};
    for (size_t f = 0; f < features; f++)
        arrays[f] = (hr_array){t.columns[f], HR_ELEMENT_FLOAT64, sizeof(double)};
    if (hr_data_borrow(t.schema, &(hr_arrays){.rows = rows, .columns = arrays, .labels = &labels}, &t.data,
                       &err))
        bench_die(&err, "data:");
    free(arrays);
    return t;
}

void bench_table_done(bench_table *t) {
    hr_data_free(t->data);
    for (size_t f = 0; f < t->features; f++) free(t->columns[f]);
    free(t->columns);
    free(t->labels);
    hr_schema_free(t->schema);
}

/* `kernels` is no option of a fit: it names the set that is timed. */
void bench_set(hr_fit_options *options, const char *name, const char *value) {
    hr_error err = {0};
    if (!strcmp(name, "kernels")) {
        if (hr_use_kernels(value, &err)) bench_die(&err, "kernels:");
        return;
    }
    if (hr_fit_options_set(options, name, value, &err)) bench_die(&err, "option:");
}

hr_fit_options bench_options(const char *method, int threads, char *const *settings, int count) {
    hr_fit_options options;
    hr_error err = {0};
    char text[512];
    const char *kernels = getenv("HEDGEROW_KERNELS");
    if (kernels && hr_use_kernels(kernels, &err)) bench_die(&err, "kernels:");
    if (hr_fit_options_init(&options, method, HR_MODE_SOUND, &err)) bench_die(&err, "method:");
    options.threads = threads;
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%s", settings[i]);
        char *value = strchr(text, '=');
        if (!value) bench_die(NULL, "settings are OPTION=VALUE");
        *value++ = '\0';
        bench_set(&options, text, value);
    }
    return options;
}

double bench_time_predictions(const hr_data *data, int threads, const hr_model *model) {
    enum { PREDICTIONS = 3 };
    double *out = bench_allocate(hr_data_rows(data) * hr_model_output_count(model), sizeof *out), least = 0;
    hr_error err = {0};
    for (int run = 0; run < PREDICTIONS; run++) {
        double start = bench_seconds();
        if (hr_model_predict(model, data, threads, out, &err)) bench_die(&err, "predict:");
        double spent = bench_seconds() - start;
        if (!run || spent < least) least = spent;
    }
    free(out);
    return least;
}
