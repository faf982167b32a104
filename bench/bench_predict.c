/* Times predictions of a made-up model: full trees over features with 254 thresholds each, of a table and of
 * one record at a time.
 *
 *     bench_predict [ROWS] [TREES] [DEPTH] [THREADS] [FEATURES] [KERNELS]
 *
 * Defaults: a million records, 100 trees, depth 6, one thread, 28 features, the best kernels here. Prints the
 * best of five runs in ns per record and in ns per record and tree, and a checksum, so that the work is real;
 * then what one record takes with an open predictor, records in turn, which gives the same checksum. */
#include "models/model/model.h"
#include "tables/schema/schema.h"

#include <hedgerow/data.h>
#include <hedgerow/hedgerow.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FEATURES_MAX = 5000, EDGES = 254, RUNS = 5, DEPTH_MAX = 16 };

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

static double next_unit(uint64_t *state) {
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void stop(const char *what, const hr_error *err) {
    fprintf(stderr, "bench_predict: %s: %s\n", what, err->message);
    exit(1);
}

static void *take(void *memory) {
    if (!memory) stop("memory", &(hr_error){.message = "out of memory"});
    return memory;
}

static hr_schema *make_schema(size_t count) {
    static const char *const classes[] = {"no", "yes"};
    static char names[FEATURES_MAX][8];
    static hr_column features[FEATURES_MAX];
    hr_column label = {.name = "label", .kind = HR_KIND_CATEGORY, .value_count = 2, .values = classes};
    for (size_t f = 0; f < count; f++) {
        snprintf(names[f], sizeof names[f], "f%zu", f);
        features[f] = (hr_column){.name = names[f], .kind = HR_KIND_NUMBER, .low = 0, .high = 1};
    }
    hr_schema *schema = NULL;
    hr_error err = {0};
    const hr_schema_parts parts = {.label = label, .features = features, .feature_count = count};
    if (hr_schema_make(&parts, &schema, &err)) stop("schema", &err);
    return schema;
}

static hr_tree make_tree(hr_arena *arena, size_t depth, size_t features, uint64_t *random) {
    size_t splits = ((size_t)1 << depth) - 1;
    hr_tree tree = {.node_count = 2 * splits + 1};
    tree.nodes = take(hr_arena_alloc(arena, tree.node_count, sizeof *tree.nodes));
    for (size_t n = 0; n < splits; n++)
        tree.nodes[n] = (hr_node){.left = (uint32_t)(2 * n + 1),
                                  .feature = (uint32_t)(next_random(random) % features),
                                  .threshold = (double)(1 + next_random(random) % EDGES) / (EDGES + 1.0)};
    for (size_t n = splits; n < tree.node_count; n++) tree.nodes[n].value = (next_unit(random) - 0.5) / 10;
    return tree;
}

static hr_model *make_model(const hr_schema *schema, size_t trees, size_t depth) {
    hr_arena *arena = take(hr_arena_new());
    hr_tree *all = take(hr_arena_alloc(arena, trees, sizeof *all));
    double *base = take(hr_arena_alloc(arena, 1, sizeof *base));
    uint64_t random = 88172645463325252u;
    for (size_t t = 0; t < trees; t++)
        all[t] = make_tree(arena, depth, hr_schema_feature_count(schema), &random);
    hr_model parts = {
        .arena = arena,
        .schema = (hr_schema *)schema,
        .method = "bench",
        .forest = {
            .link = HR_LINK_LOGISTIC, .output_count = 1, .base = base, .trees = all, .tree_count = trees}};
    hr_model *model = NULL;
    hr_error err = {0};
    if (hr_model_make(&parts, &model, &err)) stop("model", &err);
    return model;
}

/* The same values by column and by row. */
static hr_data *make_data(const hr_schema *schema, size_t rows, double *by_row) {
    size_t features = hr_schema_feature_count(schema);
    double **columns = take(malloc(features * sizeof *columns));
    uint64_t random = 362436069;
    for (size_t f = 0; f < features; f++) {
        columns[f] = take(malloc(rows * sizeof(double)));
        for (size_t i = 0; i < rows; i++) columns[f][i] = next_unit(&random);
        for (size_t i = 0; i < rows; i++) by_row[i * features + f] = columns[f][i];
    }
    hr_data *data = NULL;
    hr_error err = {0};
    if (hr_data_from_arrays(schema, rows, (const double *const *)columns, NULL, &data, &err))
        stop("data", &err);
    for (size_t f = 0; f < features; f++) free(columns[f]);
    free(columns);
    return data;
}

/* Seconds of the best run. */
static double time_table(const hr_model *model, const hr_data *data, int threads, double *out) {
    double best = 1e30;
    hr_error err = {0};
    for (int run = 0; run < RUNS; run++) {
        double start = seconds();
        if (hr_model_predict(model, data, threads, out, &err)) stop("predict", &err);
        double took = seconds() - start;
        best = took < best ? took : best;
    }
    return best;
}

static double time_rows(const hr_model *model, const double *by_row, size_t rows, double *out) {
    const hr_predictor *predictor = hr_model_predictor(model);
    size_t features = hr_predictor_feature_count(predictor);
    double best = 1e30;
    hr_error err = {0};
    for (int run = 0; run < RUNS; run++) {
        double start = seconds();
        for (size_t i = 0; i < rows; i++)
            if (hr_predict_row(predictor, by_row + i * features, out + 2 * i, &err)) stop("one", &err);
        double took = seconds() - start;
        best = took < best ? took : best;
    }
    return best;
}

static double sum_of_second(const double *out, size_t rows) {
    double sum = 0;
    for (size_t i = 0; i < rows; i++) sum += out[2 * i + 1];
    return sum;
}

static size_t argument(int argc, char **argv, int index, size_t otherwise) {
    return argc > index ? (size_t)strtoull(argv[index], NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
    size_t rows = argument(argc, argv, 1, 1000000), trees = argument(argc, argv, 2, 100),
           depth = argument(argc, argv, 3, 6), features = argument(argc, argv, 5, 28);
    int threads = (int)argument(argc, argv, 4, 1);
    hr_error err = {0};
    if (!rows || !trees || depth > DEPTH_MAX || !features || features > FEATURES_MAX)
        stop("arguments",
             &(hr_error){.message = "rows, trees and features (to 5000) above 0, depth up to 16"});
    if (argc > 6 && hr_use_kernels(argv[6], &err)) stop("kernels", &err);
    hr_schema *schema = make_schema(features);
    hr_model *model = make_model(schema, trees, depth);
    double *by_row = take(malloc(rows * features * sizeof *by_row)),
           *out = take(malloc(2 * rows * sizeof *out));
    hr_data *data = make_data(schema, rows, by_row);
    double best = time_table(model, data, threads, out);
    printf("predict rows %zu trees %zu depth %zu threads %d: %.3f s, %.1f ns/row, %.3f ns/row/tree, checksum "
           "%.12g\n",
           rows, trees, depth, threads, best, 1e9 * best / (double)rows,
           1e9 * best / (double)rows / (double)trees, sum_of_second(out, rows));
    double best_one = time_rows(model, by_row, rows, out);
    printf("row rows %zu trees %zu depth %zu: one at a time, %.1f ns/row, checksum %.12g\n", rows, trees,
           depth, 1e9 * best_one / (double)rows, sum_of_second(out, rows));
    free(by_row);
    free(out);
    hr_data_free(data);
    hr_model_free(model);
    hr_schema_free(schema);
    return 0;
}
