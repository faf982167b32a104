/* Tables of which most cells are absent: they are kept by the cells that are there, and cells, hashes, models
 * and predictions are those of the same table in columns, bit for bit. */
#include "support/reader_checks.h"
#include "support/sanitized.h"
#include "support/tables.h"
#include "support/temp_dir.h"
#include "tables/bins/edges.h"
#include "tables/data/sparse.h"
#include "trees/similar/lsh.h"

#include <hedgerow/tune.h>
#include <sys/resource.h>

enum { PLAIN = 40, FEATURES = PLAIN + 6, EMPTY = PLAIN, RAISED, MISSING, CODES, ZERO_CODE, WIDE };

/* The same records as text and as columns. */
typedef struct both {
    hr_schema *schema;
    hr_buffer text;
    size_t rows;
    double *columns[FEATURES], *labels;
    hr_data *sparse, *dense;
} both;

static hr_schema *schema_of_both(bool is_class) {
    hr_buffer text = {0};
    hr_buffer_format(&text, "hedgerow-schema: 1\nmissing: ['?']\nlabel: {name: y, %s}\nfeatures:\n",
                     is_class ? "kind: classes, values: ['0', '1']" : "kind: number, low: -1, high: 1");
    for (size_t f = 0; f < PLAIN + 1; f++)
        hr_buffer_format(&text, "  - {name: x%zu, kind: number, low: -2, high: 2}\n", f);
    hr_buffer_text(&text, "  - {name: raised, kind: number, low: 1, high: 3}\n"
                          "  - {name: missing, kind: number, low: -2, high: 2}\n"
                          "  - {name: codes, kind: category, values: ['1', '2', '3']}\n"
                          "  - {name: zero, kind: category, values: ['1', '0', '2']}\n"
                          "  - {name: wide, kind: number, low: 0, high: 1000, integer: true}\n");
    hr_schema *schema = must_schema(text.bytes);
    hr_buffer_done(&text);
    return schema;
}

/* What a column holds where its cell is absent. */
static double absent_of(size_t f) {
    return f == RAISED ? 1 : f == ZERO_CODE ? 2 : 0;
}

/* Cells are of a column: negative, explicit zeros, beyond the bounds, missing. */
static double draw_cell(both *b, size_t f, uint64_t *seed) {
    const double x = 4.4 * next_unit(seed) - 2.2, whole = (double)(next_random(seed) % 3);
    double value = f == WIDE ? 400 * whole : f == CODES || f == ZERO_CODE ? whole : x;
    if (f < PLAIN && next_random(seed) % 8 == 0) value = 0;
    if (f == MISSING && next_random(seed) % 2) value = (double)NAN;
    if (isnan(value))
        hr_buffer_format(&b->text, " %zu:?", f + 1);
    else
        hr_buffer_format(&b->text, " %zu:%.17g", f + 1, value);
    if (f == CODES) return value; /* 1 and 2; 0 is none of the values */
    if (f == ZERO_CODE) return value == 1 ? 1 : value == 0 ? 2 : 3;
    const double low = f == RAISED ? 1 : f == WIDE ? 0 : -2, high = f == RAISED ? 3 : f == WIDE ? 1000 : 2;
    return value < low ? low : value > high ? high : value;
}

/* density: of 100 cells, how many are there; every 11th record has none. Features come in any order. */
static both both_open(size_t rows, unsigned density, bool is_class) {
    both b = {.schema = schema_of_both(is_class), .rows = rows};
    uint64_t seed = 5 + rows;
    b.labels = (double *)(void *)must_alloc(rows * sizeof *b.labels);
    for (size_t f = 0; f < FEATURES; f++) {
        b.columns[f] = (double *)(void *)must_alloc(rows * sizeof **b.columns);
        for (size_t i = 0; i < rows; i++) b.columns[f][i] = absent_of(f);
    }
    for (size_t i = 0; i < rows; i++) {
        const size_t before = b.text.size;
        hr_buffer_text(&b.text, "0       ");
        for (size_t k = 0; i % 11 && k < FEATURES; k++) {
            const size_t f = (7 * k + i) % FEATURES;
            if (f != EMPTY && next_random(&seed) % 100 < density) b.columns[f][i] = draw_cell(&b, f, &seed);
        }
        const double sum = b.columns[0][i] + b.columns[1][i] - b.columns[2][i] + b.columns[CODES][i] / 8;
        b.labels[i] = is_class ? sum > .1 || next_unit(&seed) < .2 : sum > 0 ? .5 : -.25;
        char label[32];
        memcpy(b.text.bytes + before, label, (size_t)snprintf(label, sizeof label, "%g", b.labels[i]));
        hr_buffer_text(&b.text, "\n");
    }
    b.sparse = must_parse(b.schema, b.text.bytes, b.text.size, HR_FORMAT_LIBSVM);
    assert_int_equal(
        hr_data_from_arrays(b.schema, rows, (const double *const *)b.columns, b.labels, &b.dense, NULL),
        HR_OK);
    return b;
}

static void both_close(both *b) {
    hr_data_free(b->sparse);
    hr_data_free(b->dense);
    hr_schema_free(b->schema);
    hr_buffer_done(&b->text);
    for (size_t f = 0; f < FEATURES; f++) free(b->columns[f]);
    free(b->labels);
}

/* ---- Cells ---- */

static double cell_of(const hr_data *data, size_t f, size_t row) {
    double number;
    uint16_t code;
    if (hr_schema_feature(hr_data_schema(data), f)->kind == HR_KIND_NUMBER)
        return *hr_data_number_block(data, f, row, 1, &number);
    return *hr_data_code_block(data, f, row, 1, &code);
}

static void check_same_cells(const hr_data *a, const hr_data *b) {
    assert_int_equal(hr_data_rows(a), hr_data_rows(b));
    assert_memory_equal(hr_data_labels(a), hr_data_labels(b), hr_data_rows(a) * sizeof(double));
    for (size_t f = 0; f < FEATURES; f++)
        for (size_t i = 0; i < hr_data_rows(a); i++)
            if (!is_same_double(cell_of(a, f, i), cell_of(b, f, i)))
                fail_msg("column %zu, row %zu: %g and %g", f, i, cell_of(a, f, i), cell_of(b, f, i));
}

static void test_sparse__cells_are_those_of_columns(void **state) {
    (void)state;
    both b = both_open(3000, 6, true);
    assert_non_null(b.sparse->sparse);
    assert_null(hr_data_numbers(b.sparse, 0));
    assert_null(hr_data_codes(b.sparse, CODES));
    check_same_cells(b.sparse, b.dense);
    for (size_t f = 0; f < FEATURES; f++) {
        const hr_column_report *mine = hr_data_report(b.sparse, f), *other = hr_data_report(b.dense, f);
        if (f != CODES) assert_int_equal(mine->missing, other->missing);
    }
    assert_int_equal(hr_data_report(b.sparse, EMPTY)->out_of_range, 0);
    assert_true(hr_data_report(b.sparse, RAISED)->out_of_range > 2500); /* an absent 0 is below 1 */
    both_close(&b);
}

/* Whole and in blocks, the cells that are there decide, and not how the table came. */
static void test_sparse__tables_of_many_cells_are_columns(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 20, 1024, 1025, 3000};
    for (size_t k = 0; k < COUNT(sizes); k++) {
        both b = both_open(sizes[k], 40, true);
        if (sizes[k] > 1) assert_null(b.sparse->sparse);
        check_same_cells(b.sparse, b.dense);
        both_close(&b);
    }
}

/* The second file goes on where the first ended, and decides with it whether the table is sparse. */
static void check_two_files(const temp_dir *dir, size_t rows, unsigned density, size_t more_rows,
                            unsigned more_density) {
    both a = both_open(rows, density, true), b = both_open(more_rows, more_density, true);
    char paths[2][96];
    for (size_t i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%zu.libsvm", dir->folder, i);
        write_file(paths[i], i ? b.text.bytes : a.text.bytes, i ? b.text.size : a.text.size);
    }
    const char *const files[] = {paths[0], paths[1]};
    hr_data *data = NULL;
    assert_int_equal(hr_data_read_all(a.schema, files, 2, NULL, &data, NULL), HR_OK);
    assert_int_equal(hr_data_rows(data), rows + more_rows);
    assert_int_equal(data->sparse != NULL, density < 12 && more_density < 12);
    for (size_t f = 0; f < FEATURES; f++) {
        for (size_t i = 0; i < rows + more_rows; i++) {
            const double wanted = i < rows ? cell_of(a.dense, f, i) : cell_of(b.dense, f, i - rows);
            assert_true(is_same_double(cell_of(data, f, i), wanted));
        }
        const hr_column_report *all = hr_data_report(data, f), *one = hr_data_report(a.sparse, f),
                               *other = hr_data_report(b.sparse, f);
        assert_int_equal(all->missing, one->missing + other->missing);
        assert_int_equal(all->unknown, one->unknown + other->unknown);
        assert_int_equal(all->out_of_range, one->out_of_range + other->out_of_range);
    }
    assert_memory_equal(hr_data_labels(data), a.labels, rows * sizeof *a.labels);
    assert_memory_equal(hr_data_labels(data) + rows, b.labels, more_rows * sizeof *b.labels);
    hr_data_free(data);
    both_close(&a);
    both_close(&b);
}

static void test_sparse__files_are_one_table(void **state) {
    void *dir = NULL;
    (void)state;
    assert_int_equal(temp_dir_open(&dir), 0);
    check_two_files(dir, 1500, 6, 1700, 7);
    check_two_files(dir, 1500, 6, 4000, 60);
    check_two_files(dir, 1500, 60, 1500, 50);
    assert_int_equal(temp_dir_close(&dir), 0);
}

static void test_sparse__tables_may_have_no_labels(void **state) {
    (void)state;
    hr_schema *schema = schema_of_both(true);
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_buffer text = {0};
    hr_data *data = NULL;
    options.label_optional = true;
    options.format = HR_FORMAT_LIBSVM;
    for (size_t i = 0; i < 2000; i++) hr_buffer_format(&text, "%zu:%zu\n", i % FEATURES + 1, i % 2);
    assert_int_equal(hr_data_parse(schema, text.bytes, text.size, &options, &data, NULL), HR_OK);
    assert_non_null(data->sparse);
    assert_false(hr_data_has_labels(data));
    assert_true(cell_of(data, 1, 1) == 1);
    hr_data_free(data);
    hr_schema_free(schema);
    hr_buffer_done(&text);
}

/* Entries that are refused in columns are refused here, at their place. */
static void test_sparse__bad_entries_have_their_place(void **state) {
    (void)state;
    static const struct {
        const char *entry, *message;
        hr_status status;
    } bad[] = {
        {"2:1 2:1", "comes twice", HR_E_FORMAT},    {"99:1", "index 99, but the schema has 46", HR_E_SCHEMA},
        {"0:1", "not an index", HR_E_FORMAT},       {"1:x", "'x' is not a number", HR_E_FORMAT},
        {"1:1e999", "too large", HR_E_FORMAT},      {"7", "not an index and a value", HR_E_FORMAT},
        {"4:", "the value is missing", HR_E_FORMAT}};
    hr_schema *schema = schema_of_both(true);
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.format = HR_FORMAT_LIBSVM;
    for (size_t k = 0; k < COUNT(bad); k++) {
        hr_buffer text = {0};
        hr_data *data = NULL;
        hr_error err = {0};
        for (size_t i = 0; i < 1999; i++) hr_buffer_format(&text, "0 %zu:1\n", i % FEATURES + 1);
        hr_buffer_format(&text, "1 %s\n", bad[k].entry);
        assert_int_equal(hr_data_parse(schema, text.bytes, text.size, &options, &data, &err), bad[k].status);
        assert_non_null(strstr(err.message, bad[k].message));
        assert_int_equal(err.line, 2000);
        assert_null(data);
        hr_buffer_done(&text);
    }
    hr_schema_free(schema);
}

static void test_sparse__records_are_taken_in_any_order(void **state) {
    (void)state;
    both b = both_open(500, 6, true);
    uint32_t rows[700];
    uint64_t seed = 8;
    for (size_t i = 0; i < COUNT(rows); i++) rows[i] = (uint32_t)(next_random(&seed) % 500);
    hr_data *mine = hr_data_take(b.sparse, rows, COUNT(rows)),
            *other = hr_data_take(b.dense, rows, COUNT(rows));
    assert_non_null(mine->sparse);
    check_same_cells(mine, other);
    hr_data_free(mine);
    hr_data_free(other);
    mine = hr_data_take(b.sparse, NULL, 0);
    assert_int_equal(hr_data_rows(mine), 0);
    hr_data_free(mine);
    both_close(&b);
}

/* A schema of some features, in an order of its own: what a job has of an owner's columns. */
static void test_sparse__parts_have_the_columns_of_their_features(void **state) {
    (void)state;
    both b = both_open(700, 6, true);
    hr_schema *few = must_schema("hedgerow-schema: 1\nmissing: ['?']\n"
                                 "label: {name: y, kind: classes, values: ['0', '1']}\nfeatures:\n"
                                 "  - {name: zero, kind: category, values: ['1', '0', '2']}\n"
                                 "  - {name: x3, kind: number, low: -2, high: 2}\n"
                                 "  - {name: raised, kind: number, low: 1, high: 3}\n");
    const size_t features[] = {ZERO_CODE, 3, RAISED};
    hr_data *part = hr_data_part(b.sparse, few, features);
    assert_non_null(part);
    assert_ptr_equal(hr_data_schema(part), few);
    assert_int_equal(hr_data_rows(part), 700);
    assert_memory_equal(hr_data_labels(part), b.labels, 700 * sizeof *b.labels);
    for (size_t i = 0; i < COUNT(features); i++) {
        assert_memory_equal(hr_data_report(part, i), hr_data_report(b.sparse, features[i]),
                            sizeof(hr_column_report));
        for (size_t row = 0; row < 700; row++)
            assert_true(is_same_double(cell_of(part, i, row), cell_of(b.dense, features[i], row)));
    }
    hr_data_free(part);
    hr_schema_free(few);
    both_close(&b);
}

static void test_sparse__bounds_clip_what_is_absent_too(void **state) {
    (void)state;
    both b = both_open(500, 6, true);
    hr_buffer text = {0};
    hr_buffer_text(&text,
                   "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: ['0', '1']}\nfeatures:\n");
    for (size_t f = 0; f < FEATURES; f++)
        if (f == CODES || f == ZERO_CODE)
            hr_buffer_format(&text, "  - {name: x%zu, kind: category, values: [a, b, c]}\n", f);
        else
            hr_buffer_format(&text, "  - {name: x%zu, kind: number, low: .5, high: 1}\n", f);
    hr_schema *tight = must_schema(text.bytes);
    hr_data *mine = hr_data_clip(b.sparse, tight), *other = hr_data_clip(b.dense, tight);
    assert_non_null(mine->sparse);
    assert_true(cell_of(mine, EMPTY, 0) == .5);
    check_same_cells(mine, other);
    hr_data_free(mine);
    hr_data_free(other);
    hr_schema_free(tight);
    hr_buffer_done(&text);
    both_close(&b);
}

/* ---- Hashes ---- */

static void test_sparse__hashes_are_those_of_columns(void **state) {
    (void)state;
    both b = both_open(700, 6, true);
    const uint8_t coins[HR_LSH_COINS] = {3};
    const hr_lsh_setup setup = {.schema = b.schema, .width = 1, .tables = 9, .range = 1, .coins = coins};
    hr_lsh *lsh;
    static int16_t mine[700 * 9], other[700 * 9];
    assert_int_equal(hr_lsh_new(&setup, &lsh, NULL), HR_OK);
    assert_int_equal(hr_lsh_hash(lsh, b.sparse, 1, mine, NULL), HR_OK);
    assert_int_equal(hr_lsh_hash(lsh, b.dense, 2, other, NULL), HR_OK);
    assert_memory_equal(mine, other, sizeof mine);
    hr_lsh_free(lsh);
    both_close(&b);
}

/* ---- Models ---- */

static void check_same_fits(const both *b, const hr_fit_options *options) {
    hr_model *mine = fit(b->sparse, options), *other = fit(b->dense, options);
    char *text = render(mine), *wanted = render(other);
    double *said = predictions_of(other, b->sparse), *of_columns = predictions_of(mine, b->dense);
    assert_string_equal(text, wanted);
    assert_memory_equal(said, of_columns, b->rows * hr_model_output_count(mine) * sizeof *said);
    free(said);
    free(of_columns);
    hr_text_free(text);
    hr_text_free(wanted);
    hr_model_free(mine);
    hr_model_free(other);
}

static void check_method(const both *b, const char *method, hr_mode mode, int threads) {
    hr_fit_options options = seeded_options_of(method, mode, 3);
    options.threads = threads;
    if (options.trees > 6) options.trees = 6;
    check_same_fits(b, &options);
}

static void test_sparse__boosting_trains_alike(void **state) {
    (void)state;
    static const char *const methods[] = {"gbdt", "all-in", "tfl", "solo", "simfl"};
    for (size_t is_class = 0; is_class < 2; is_class++) {
        both b = both_open(1500, 6, is_class);
        for (size_t m = 0; m < COUNT(methods); m++)
            for (int threads = 1; threads <= 3; threads += 2)
                check_method(&b, methods[m], HR_MODE_SOUND, threads);
        both_close(&b);
    }
}

static void test_sparse__methods_that_read_columns_of_bins_train_alike(void **state) {
    (void)state;
    static const char *const methods[] = {"hedge",  "rf",    "ert",     "median",
                                          "dp-ert", "dp-df", "diprime", "id3"};
    both b = both_open(900, 6, true);
    for (size_t m = 0; m < COUNT(methods); m++) check_method(&b, methods[m], HR_MODE_SOUND, 1);
    both_close(&b);
}

static void test_sparse__private_boosting_trains_alike(void **state) {
    (void)state;
    static const char *const methods[] = {"dpboost", "seq", "para", "inprivate", "dp-simfl"};
    both b = both_open(1500, 6, true);
    for (size_t m = 0; m < COUNT(methods); m++) {
        check_method(&b, methods[m], HR_MODE_SOUND, 1);
        if (m < 4) check_method(&b, methods[m], HR_MODE_PAPER, 1);
    }
    hr_fit_options weighed = seeded_options_of("dpboost", HR_MODE_SOUND, 3);
    weighed.trees = 3;
    const double weights[] = {1, .5};
    weighed.class_weights = weights;
    weighed.class_weight_count = 2;
    check_same_fits(&b, &weighed);
    both_close(&b);
}

/* What comes before a fit, and around it. */
static void test_sparse__bounds_starts_and_weights_train_alike(void **state) {
    (void)state;
    static const char *const columns[] = {"x1", "wide", "raised"};
    both b = both_open(1200, 6, true);
    double *weights = (double *)(void *)must_alloc(b.rows * sizeof *weights);
    for (size_t i = 0; i < b.rows; i++) weights[i] = (double)(i % 5) / 4;
    hr_fit_options options = seeded_options_of("dpboost", HR_MODE_SOUND, 7), bounded, started, weighed;
    options.trees = 4;
    options.epsilon = 20;
    bounded = started = weighed = options;
    bounded.private_bounds = columns;
    bounded.private_bounds_count = COUNT(columns);
    char *mine = fit_text(b.sparse, &bounded), *other = fit_text(b.dense, &bounded);
    assert_string_equal(mine, other);
    hr_text_free(mine);
    hr_text_free(other);
    hr_model *start = fit(b.dense, &options);
    started.start = start;
    started.start_is_public = true;
    check_same_fits(&b, &started);
    weighed.record_weights = weights;
    weighed.record_weight_count = b.rows;
    check_same_fits(&b, &weighed);
    hr_model_free(start);
    free(weights);
    both_close(&b);
}

static char *tuned_text(const hr_data *data) {
    hr_fit_options one = seeded_options_of("dpboost", HR_MODE_SOUND, 3), two;
    const hr_fit_options *const settings[] = {&one, &two};
    hr_tune_options options = HR_TUNE_OPTIONS_INIT;
    hr_tuned tuned;
    one.trees = 3;
    two = one;
    two.depth = 2;
    options.delta = 0;
    options.epsilon = 3;
    assert_int_equal(hr_tune(data, settings, 2, &options, &tuned, NULL), HR_OK);
    char *text = render(tuned.model);
    hr_model_free(tuned.model);
    return text;
}

static void test_sparse__settings_are_chosen_alike(void **state) {
    (void)state;
    both b = both_open(900, 6, true);
    char *mine = tuned_text(b.sparse), *other = tuned_text(b.dense);
    assert_string_equal(mine, other);
    hr_text_free(mine);
    hr_text_free(other);
    both_close(&b);
}

/* Exact edges of so many records come from a sample. */
static void test_sparse__edges_of_a_sample_are_alike(void **state) {
    (void)state;
    both b = both_open((1 << 18) + 3000, 3, true);
    hr_arena *arena = hr_arena_new();
    hr_binning mine, other;
    assert_int_equal(hr_edges_exact(b.sparse, 16, 2, arena, &mine, NULL), HR_OK);
    assert_int_equal(hr_edges_exact(b.dense, 16, 1, arena, &other, NULL), HR_OK);
    for (size_t f = 0; f < FEATURES; f++) {
        assert_int_equal(mine.features[f].bin_count, other.features[f].bin_count);
        if (mine.features[f].kind == HR_KIND_NUMBER)
            assert_memory_equal(mine.features[f].edges, other.features[f].edges,
                                (mine.features[f].bin_count - 2) * sizeof(double));
    }
    hr_arena_free(arena);
    both_close(&b);
}

/* ---- Memory ---- */

enum { MANY = 20000, MANY_ROWS = 30000, MEMORY = 512 << 20 };

/* 600 million cells, of which 90,000 are there, within 512 MiB: 4.8 GB would be doubles, .6 GB bytes. */
static void test_sparse__memory_is_by_cells_that_are_there(void **state) {
    (void)state;
    hr_buffer schema_text = {0}, text = {0};
    uint64_t seed = 1;
    hr_buffer_text(&schema_text,
                   "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: ['0', '1']}\nfeatures:\n");
    for (size_t f = 0; f < MANY; f++)
        hr_buffer_format(&schema_text, "  - {name: x%zu, kind: number, low: 0, high: 1}\n", f);
    for (size_t i = 0; i < MANY_ROWS; i++) {
        const size_t first = next_random(&seed) % (MANY / 3);
        hr_buffer_format(&text, "%d %zu:1 %zu:.5 %zu:.25\n", first % 2 == 0, 3 * first + 1, 3 * first + 2,
                         3 * first + 3);
    }
    hr_schema *schema = must_schema(schema_text.bytes);
    const struct rlimit limit = {MEMORY, MEMORY};
    if (!IS_SANITIZED) assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    hr_data *data = must_parse(schema, text.bytes, text.size, HR_FORMAT_LIBSVM);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.trees = 2;
    options.depth = 3;
    hr_model *model = fit(data, &options);
    double *said = predictions_of(model, data);
    free(said);
    hr_model_free(model);
    hr_data_free(data);
    hr_schema_free(schema);
    hr_buffer_done(&schema_text);
    hr_buffer_done(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sparse__cells_are_those_of_columns),
        cmocka_unit_test(test_sparse__tables_of_many_cells_are_columns),
        cmocka_unit_test(test_sparse__files_are_one_table),
        cmocka_unit_test(test_sparse__tables_may_have_no_labels),
        cmocka_unit_test(test_sparse__bad_entries_have_their_place),
        cmocka_unit_test(test_sparse__records_are_taken_in_any_order),
        cmocka_unit_test(test_sparse__parts_have_the_columns_of_their_features),
        cmocka_unit_test(test_sparse__bounds_clip_what_is_absent_too),
        cmocka_unit_test(test_sparse__hashes_are_those_of_columns),
        cmocka_unit_test(test_sparse__boosting_trains_alike),
        cmocka_unit_test(test_sparse__methods_that_read_columns_of_bins_train_alike),
        cmocka_unit_test(test_sparse__private_boosting_trains_alike),
        cmocka_unit_test(test_sparse__bounds_starts_and_weights_train_alike),
        cmocka_unit_test(test_sparse__settings_are_chosen_alike),
        cmocka_unit_test(test_sparse__edges_of_a_sample_are_alike),
        cmocka_unit_test(test_sparse__memory_is_by_cells_that_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
