/* Tables in rows of floats are checked and predicted as the same numbers in columns are. */
#include "models/model/model.h"
#include "support/check.h"
#include "support/random_numbers.h"
#include "tables/data/float_rows.h"
#include "tables/schema/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FEATURES_MAX = 21,
    ROWS = 2 * HR_PREDICTOR_BLOCK + 300,
    TREES = 60,
    DEPTH = 4,
    SPLITS = (1 << DEPTH) - 1
};

/* Bounds that no float has. */
static const double LOW = -1.1, HIGH = 1.1;

static hr_schema *schema_of(size_t features, bool is_integer) {
    static const char *const classes[] = {"no", "yes"};
    static char names[FEATURES_MAX][8];
    static hr_column columns[FEATURES_MAX];
    const hr_column label = {.name = "label", .kind = HR_KIND_CATEGORY, .value_count = 2, .values = classes};
    for (size_t f = 0; f < features; f++) {
        snprintf(names[f], sizeof names[f], "f%zu", f);
        columns[f] = (hr_column){.name = names[f], .kind = HR_KIND_NUMBER, .low = LOW, .high = HIGH};
        if (is_integer && f == 2) columns[f].integer = true, columns[f].low = -1, columns[f].high = 1;
    }
    hr_schema *schema = NULL;
    const hr_schema_parts parts = {.label = label, .features = columns, .feature_count = features};
    assert_int_equal(hr_schema_make(&parts, &schema, NULL), HR_OK);
    return schema;
}

/* Some thresholds are bounds or beyond them: who is clipped is seen. The first feature has more thresholds
 * than a byte can number; the second is not asked about. */
static hr_model *model_of(const hr_schema *schema) {
    hr_arena *arena = hr_arena_new();
    hr_tree *trees = hr_arena_alloc(arena, TREES, sizeof *trees);
    double *base = hr_arena_alloc(arena, 1, sizeof *base);
    uint64_t seed = 11;
    for (size_t t = 0; t < TREES; t++) {
        hr_node *nodes = hr_arena_alloc(arena, 2 * SPLITS + 1, sizeof *nodes);
        for (size_t n = 0; n < 2 * SPLITS + 1; n++) {
            const uint64_t r = next_random(&seed);
            const double odd[] = {LOW, HIGH, HIGH + 1, LOW - 1};
            const uint32_t drawn = (uint32_t)(r % hr_schema_feature_count(schema));
            nodes[n].value = (double)(r % 1000) / 1e4;
            if (n >= SPLITS) continue;
            nodes[n].left = (uint32_t)(2 * n + 1);
            nodes[n].feature = n % 2 || drawn == 1 ? 0 : drawn;
            nodes[n].threshold = r % 16 < 4 ? odd[r % 4] : (double)(r % 2000) / 1000 - 1;
            nodes[n].missing_left = r % 3 == 0;
        }
        trees[t] = (hr_tree){.nodes = nodes, .node_count = 2 * SPLITS + 1};
    }
    hr_model parts = {
        .arena = arena,
        .schema = (hr_schema *)schema,
        .method = "made up",
        .forest = {
            .link = HR_LINK_LOGISTIC, .output_count = 1, .base = base, .trees = trees, .tree_count = TREES}};
    hr_model *model = NULL;
    assert_int_equal(hr_model_make(&parts, &model, NULL), HR_OK);
    return model;
}

/* In the first case all are within the bounds; in the second there are others in the second block alone; in
 * the third and the fourth these are the floats nearest to a bound, which are beyond it. */
static void fill(float *cells, size_t features, size_t which) {
    static const float odd[] = {NAN, INFINITY, -INFINITY, 1.4f, -1.2f, 1.1f, -1.1f};
    uint64_t seed = 3 + which;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t f = 0; f < features; f++) {
            const uint64_t r = next_random(&seed);
            const bool is_odd = which && i / HR_PREDICTOR_BLOCK == 1 && r % 9 == 0;
            cells[i * features + f] = is_odd ? odd[which == 1 ? r / 9 % COUNT(odd) : COUNT(odd) + 1 - which]
                                             : (float)(r % 2048) / 1024 - 1;
        }
}

typedef struct borrowed {
    hr_data *data;
    double *predicted;
} borrowed;

static borrowed predict(const hr_model *model, const hr_array *columns, size_t rows) {
    borrowed b = {NULL, calloc(2 * ROWS, sizeof *b.predicted)};
    assert_int_equal(
        hr_data_borrow(hr_model_schema(model), &(hr_arrays){.rows = rows, .columns = columns}, &b.data, NULL),
        HR_OK);
    assert_int_equal(hr_model_predict(model, b.data, 2, b.predicted, NULL), HR_OK);
    return b;
}

static void check_same(const hr_model *model, const hr_array *by_rows, const hr_array *by_columns,
                       size_t rows, bool found) {
    const hr_schema *schema = hr_model_schema(model);
    const borrowed a = predict(model, by_rows, rows), b = predict(model, by_columns, rows);
    assert_int_equal(a.data->rows_at != NULL, found);
    assert_null(b.data->rows_at);
    assert_memory_equal(a.predicted, b.predicted, 2 * ROWS * sizeof *a.predicted);
    assert_memory_equal(a.data->reports, b.data->reports,
                        hr_schema_feature_count(schema) * sizeof *a.data->reports);
    const borrowed all[] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        hr_data_free(all[i].data);
        free(all[i].predicted);
    }
}

/* backwards: the last row is the first. */
static void check_table(const hr_model *model, const float *cells, size_t rows, bool backwards, bool found) {
    const size_t features = hr_schema_feature_count(hr_model_schema(model));
    const ptrdiff_t stride = (ptrdiff_t)(features * sizeof *cells);
    hr_array by_rows[FEATURES_MAX], by_columns[FEATURES_MAX];
    double *numbers = calloc(features * ROWS, sizeof *numbers);
    for (size_t f = 0; f < features; f++) {
        const float *first = cells + f + (backwards && rows ? (rows - 1) * features : 0);
        by_rows[f] = (hr_array){first, HR_ELEMENT_FLOAT32, backwards ? -stride : stride};
        by_columns[f] = (hr_array){numbers + f * ROWS, HR_ELEMENT_FLOAT64, sizeof *numbers};
        for (size_t i = 0; i < rows; i++)
            numbers[f * ROWS + i] = (double)cells[(backwards ? rows - 1 - i : i) * features + f];
    }
    check_same(model, by_rows, by_columns, rows, found);
    free(numbers);
}

static void check_tables(size_t features, bool is_integer, bool found) {
    static const size_t counts[] = {0, 1, 7, HR_PREDICTOR_BLOCK - 1, HR_PREDICTOR_BLOCK + 1, ROWS};
    hr_schema *schema = schema_of(features, is_integer);
    hr_model *model = model_of(schema);
    float *cells = malloc(ROWS * features * sizeof *cells);
    for (size_t which = 0; which < 4; which++) {
        fill(cells, features, which);
        for (size_t c = 0; c < COUNT(counts); c++) {
            check_table(model, cells, counts[c], false, found);
            check_table(model, cells, counts[c], true, found);
        }
    }
    free(cells);
    hr_model_free(model);
    hr_schema_free(schema);
}

static void test_predict__of_rows_of_floats_equals_that_of_columns(void **state) {
    (void)state;
    check_tables(8, false, true);
    check_tables(13, false, true);
    check_tables(FEATURES_MAX, false, true);
}

static void test_predict__reads_columns_where_rows_are_narrow_or_whole_numbers(void **state) {
    (void)state;
    check_tables(7, false, false);
    check_tables(9, true, false);
}

/* Rows of which a column is elsewhere are none. */
static void test_rows__have_their_columns_side_by_side(void **state) {
    (void)state;
    enum { FEATURES = 9, FEW = 20 };
    hr_schema *schema = schema_of(FEATURES, false);
    static float cells[FEW * (FEATURES + 1)];
    hr_array columns[FEATURES];
    for (int kind = 0; kind < 4; kind++) {
        const ptrdiff_t stride = (FEATURES + 1) * sizeof *cells;
        for (size_t f = 0; f < FEATURES; f++) columns[f] = (hr_array){cells + f, HR_ELEMENT_FLOAT32, stride};
        if (kind == 1) columns[5].at = cells + 6;
        if (kind == 2) columns[5].stride = 2 * stride;
        if (kind == 3) columns[5].element = HR_ELEMENT_UINT16;
        hr_data *data = NULL;
        assert_int_equal(
            hr_data_borrow(schema, &(hr_arrays){.rows = FEW / 2, .columns = columns}, &data, NULL), HR_OK);
        assert_int_equal(data->rows_at != NULL, kind == 0);
        hr_data_free(data);
    }
    hr_schema_free(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predict__of_rows_of_floats_equals_that_of_columns),
        cmocka_unit_test(test_predict__reads_columns_where_rows_are_narrow_or_whole_numbers),
        cmocka_unit_test(test_rows__have_their_columns_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
