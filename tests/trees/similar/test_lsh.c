#include "trees/similar/lsh.h"

#include "support/chi_square.h"
#include "support/tables.h"

static const uint8_t coins[HR_LSH_COINS] = {1, 2, 3, 4, 5, 6, 7, 8};

static hr_lsh *lsh_of(const hr_lsh_setup *setup) {
    hr_lsh *lsh = NULL;
    hr_error err = {0};
    if (hr_lsh_new(setup, &lsh, &err)) fail_msg("%s", err.message);
    return lsh;
}

static int16_t *hashes_of(const hr_lsh *lsh, const hr_data *data, int threads) {
    int16_t *out = calloc(hr_data_rows(data) * hr_lsh_tables(lsh) + 1, sizeof *out);
    assert_non_null(out);
    assert_int_equal(hr_lsh_hash(lsh, data, threads, out, NULL), HR_OK);
    return out;
}

/* Numbers of different bounds, categories of two, three and one values; a seventh of all is missing. */
static table mixed_table(size_t rows) {
    enum { FEATURES = 6 };
    const hr_column features[FEATURES] = {number_column("n", -3, 5),   category_column("two", 2),
                                          category_column("three", 3), number_column("constant", 2, 2),
                                          category_column("one", 1),   number_column("wide", -8e307, 8e307)};
    uint64_t random = 5;
    table t = table_open(rows, FEATURES);
    for (size_t i = 0; i < rows; i++) {
        for (size_t f = 0; f < FEATURES; f++) {
            const hr_column *column = &features[f];
            const double unit = next_unit(&random);
            t.columns[f][i] = next_random(&random) % 7 == 0 ? (double)NAN
                              : column->kind == HR_KIND_CATEGORY
                                  ? 1 + floor(unit * (double)column->value_count)
                                  : column->low * (1 - unit) + column->high * unit;
        }
    }
    table_make(&t, number_column("y", -1, 1), features);
    return t;
}

/* a . x + b over the width, which hr_lsh_hash floors. */
static double slab_of(const hr_lsh *lsh, size_t k, const double *x) {
    double a[32], b, sum;
    assert_true(hr_lsh_dimensions(lsh) <= COUNT(a));
    hr_lsh_plane(lsh, k, a, &b);
    sum = b;
    for (size_t i = 0; i < hr_lsh_dimensions(lsh); i++) sum += a[i] * x[i];
    return sum / hr_lsh_width(lsh);
}

/* x is rounded already: what is left is the rounding of doubles, below 1e-10 here, so that only sums nearer
 * to the edge of a slab may differ. */
static void check_floors(const table *t) {
    enum { TABLES = 12 };
    hr_lsh *lsh = lsh_of(&(hr_lsh_setup){t->schema, .3, TABLES, 1.7, coins});
    int16_t *hashes = hashes_of(lsh, t->data, 1);
    double x[8];
    assert_int_equal(hr_lsh_dimensions(lsh), 8);
    assert_true(fabs(hr_lsh_width(lsh) - .3) < 1e-12);
    for (size_t row = 0; row < t->rows; row++) {
        hr_lsh_point(lsh, t->data, row, x);
        for (size_t k = 0; k < TABLES; k++) {
            const double slab = slab_of(lsh, k, x), hash = hashes[row * TABLES + k];
            if (!(slab > hash - 1e-10 && slab < hash + 1 + 1e-10)) fail_msg("row %zu, table %zu", row, k);
        }
    }
    free(hashes);
    hr_lsh_free(lsh);
}

static void test_hash__is_the_floor_of_the_projection(void **state) {
    (void)state;
    table t = mixed_table(500);
    check_floors(&t);
    table_close(&t);
}

/* Most records have the same value in a column; in some blocks of 128 rows the first one, the middle one or
 * the last one does not. */
static void test_hash__is_the_floor_of_the_projection_where_most_values_are_equal(void **state) {
    (void)state;
    const hr_column features[] = {number_column("low", 0, 1),  number_column("high", -2, 3),
                                  number_column("none", 0, 1), category_column("two", 2),
                                  category_column("three", 3), number_column("between", -1, 1)};
    const double usual[] = {0, 3, (double)NAN, 1, 2, .25}, others[] = {1, -2, .5, 2, 0, 1};
    uint64_t random = 3;
    table t = table_open(500, COUNT(features));
    for (size_t i = 0; i < t.rows; i++)
        for (size_t f = 0; f < COUNT(features); f++)
            t.columns[f][i] = next_random(&random) % 8 ? usual[f] : others[f];
    for (size_t k = 0; k < 3; k++) {
        const size_t row = 128 * k + (k == 1 ? 64 : k == 2 ? 127 : 0);
        for (size_t f = 0; f < COUNT(features); f++) t.columns[f][row] = others[f];
    }
    table_make(&t, number_column("y", -1, 1), features);
    check_floors(&t);
    table_close(&t);
}

static void check_point(const hr_lsh *lsh, const table *t, size_t row, const double *expected) {
    double x[8];
    hr_lsh_point(lsh, t->data, row, x);
    for (size_t i = 0; i < hr_lsh_dimensions(lsh); i++)
        if (!(fabs(x[i] - expected[i]) <= 2 * 0x1p-21)) fail_msg("row %zu, dimension %zu: %g", row, i, x[i]);
}

static void test_point__scales_by_public_bounds_and_one_hot_values(void **state) {
    (void)state;
    const hr_column features[] = {number_column("n", -3, 5), category_column("two", 2),
                                  category_column("three", 3), number_column("constant", 2, 2)};
    static const double rows[][4] = {
        {-3, 1, 1, 2}, {5, 2, 3, 2}, {3, NAN, NAN, NAN}, {NAN, 0, 0, 7}, {99, 2, 2, 2}};
    static const double points[][6] = {{-2, -2, 2, -2, -2, 0},
                                       {2, 2, -2, -2, 2, 0},
                                       {1, 0, -2, -2, -2, 0},
                                       {0, 0, -2, -2, -2, 0},
                                       {2, 2, -2, 2, -2, 0}};
    table t = table_open(COUNT(rows), 4);
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t f = 0; f < 4; f++) t.columns[f][i] = rows[i][f];
    table_make(&t, number_column("y", -1, 1), features);
    hr_lsh *lsh = lsh_of(&(hr_lsh_setup){t.schema, 4, 0, 2, coins});
    assert_int_equal(hr_lsh_dimensions(lsh), 6);
    assert_int_equal(hr_lsh_tables(lsh), 5);
    for (size_t i = 0; i < COUNT(rows); i++) check_point(lsh, &t, i, points[i]);
    hr_lsh_free(lsh);
    table_close(&t);
}

static void test_hash__is_the_same_with_any_number_of_threads(void **state) {
    (void)state;
    table t = mixed_table(1500);
    hr_lsh *lsh = lsh_of(&(hr_lsh_setup){t.schema, .5, 20, 1, coins});
    int16_t *one = hashes_of(lsh, t.data, 1);
    for (int threads = 2; threads <= 8; threads *= 4) {
        int16_t *more = hashes_of(lsh, t.data, threads);
        assert_memory_equal(one, more, t.rows * 20 * sizeof *one);
        free(more);
    }
    free(one);
    hr_lsh_free(lsh);
    table_close(&t);
}

/* ---- Planes ---- */

/* Pr(a < x) of a standard normal a. */
static double normal_below(double x) {
    return erfc(-x * sqrt(.5)) / 2;
}

enum { PLANE_CELLS = 64, OFFSET_CELLS = 50 };

/* 40 sets of coins, 250 tables of 8 dimensions each. */
static void test_planes__fit_their_laws(void **state) {
    (void)state;
    static uint64_t seen[PLANE_CELLS], offsets[OFFSET_CELLS];
    double probability[PLANE_CELLS], even[OFFSET_CELLS], a[8], b;
    table t = mixed_table(1);
    for (uint8_t k = 0; k < 40; k++) {
        uint8_t own[HR_LSH_COINS] = {[31] = k};
        hr_lsh *lsh = lsh_of(&(hr_lsh_setup){t.schema, 3, 250, 2, own});
        for (size_t j = 0; j < 250; j++) {
            hr_lsh_plane(lsh, j, a, &b);
            assert_true(b >= 0 && b < hr_lsh_width(lsh));
            offsets[(size_t)(b / hr_lsh_width(lsh) * OFFSET_CELLS)]++;
            for (size_t i = 0; i < 8; i++) {
                assert_true(fabs(a[i]) < 8);
                seen[(size_t)(a[i] * (PLANE_CELLS / 16) + PLANE_CELLS / 2)]++;
            }
        }
        hr_lsh_free(lsh);
    }
    for (int i = 0; i < PLANE_CELLS; i++)
        probability[i] = normal_below((i + 1 - PLANE_CELLS / 2) * 16.0 / PLANE_CELLS) -
                         normal_below((i - PLANE_CELLS / 2) * 16.0 / PLANE_CELLS);
    for (int i = 0; i < OFFSET_CELLS; i++) even[i] = 1.0 / OFFSET_CELLS;
    assert_true(chi_square_fits(seen, probability, PLANE_CELLS, 40 * 250 * 8));
    assert_true(chi_square_fits(offsets, even, OFFSET_CELLS, 40 * 250));
    table_close(&t);
}

static void test_planes__depend_on_coins_alone_and_not_on_how_many_there_are(void **state) {
    (void)state;
    uint8_t other_coins[HR_LSH_COINS] = {0};
    double a[3][8], b[3];
    table t = mixed_table(1);
    memcpy(other_coins, coins, sizeof coins);
    other_coins[HR_LSH_COINS - 1] ^= 1;
    hr_lsh *few = lsh_of(&(hr_lsh_setup){t.schema, 3, 2, 1, coins}),
           *many = lsh_of(&(hr_lsh_setup){t.schema, 3, 90, 1, coins}),
           *other = lsh_of(&(hr_lsh_setup){t.schema, 3, 2, 1, other_coins});
    hr_lsh_plane(few, 1, a[0], &b[0]);
    hr_lsh_plane(many, 1, a[1], &b[1]);
    hr_lsh_plane(other, 1, a[2], &b[2]);
    assert_memory_equal(a[0], a[1], sizeof a[0]);
    assert_true(b[0] == b[1] && b[0] != b[2]);
    for (size_t i = 0; i < 8; i++) assert_true(a[0][i] != a[2][i]);
    hr_lsh_free(few);
    hr_lsh_free(many);
    hr_lsh_free(other);
    table_close(&t);
}

/* The same on every machine, and in every release: owners of two releases may train together. */
static void test_hash__stays_what_it_was(void **state) {
    (void)state;
    static const int16_t golden[8][5] = {{-18, 3, -6, 11, 0},    {-2, -2, 6, -6, 9},    {-13, -9, -15, 7, -6},
                                         {-26, 20, -3, 15, -10}, {-25, 18, -4, 16, -8}, {-17, 4, -4, 12, 1},
                                         {0, -15, 5, 3, -9},     {-9, 6, 1, 10, -8}};
    table t = mixed_table(8);
    hr_lsh *lsh = lsh_of(&(hr_lsh_setup){t.schema, .2, 5, 1, coins});
    int16_t *hashes = hashes_of(lsh, t.data, 1);
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < 5; k++)
            if (hashes[i * 5 + k] != golden[i][k])
                fail_msg("row %zu, table %zu: %d", i, k, hashes[i * 5 + k]);
    free(hashes);
    hr_lsh_free(lsh);
    table_close(&t);
}

static void test_tables__are_one_less_than_dimensions_and_at_most_forty(void **state) {
    (void)state;
    static const struct { size_t features, tables; } cases[] = {{1, 1}, {2, 1}, {6, 40}};
    const hr_column features[] = {number_column("a", 0, 1), number_column("b", 0, 1),
                                  category_column("c", 8),  category_column("d", 8),
                                  category_column("e", 8),  number_column("f", 0, 1)};
    hr_column wide[6];
    static const char *const names[] = {"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9",
                                        "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9"};
    memcpy(wide, features, sizeof wide);
    for (size_t f = 2; f < 5; f++) wide[f].values = names, wide[f].value_count = COUNT(names);
    for (size_t i = 0; i < COUNT(cases); i++) {
        table t = table_open(1, cases[i].features);
        table_make(&t, number_column("y", -1, 1), wide);
        hr_lsh *lsh = lsh_of(&(hr_lsh_setup){t.schema, 4, 0, 1, coins});
        assert_int_equal(hr_lsh_tables(lsh), cases[i].tables);
        hr_lsh_free(lsh);
        table_close(&t);
    }
}

/* ---- Refusals ---- */

static void check_refused(const hr_lsh_setup *setup, hr_status status, const char *word) {
    hr_lsh *lsh = NULL;
    hr_error err = {0};
    assert_int_equal(hr_lsh_new(setup, &lsh, &err), status);
    assert_null(lsh);
    if (!strstr(err.message, word) || !err.remedy[0]) fail_msg("%s; %s", err.message, err.remedy);
}

static void test_setup__is_refused_with_a_width_or_range_that_is_none(void **state) {
    (void)state;
    static const double wrong[] = {0, -1, (double)NAN, (double)INFINITY};
    table t = mixed_table(1);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        check_refused(&(hr_lsh_setup){t.schema, wrong[i], 0, 1, coins}, HR_E_ARGUMENT, "width");
        check_refused(&(hr_lsh_setup){t.schema, 4, 0, wrong[i], coins}, HR_E_ARGUMENT, "range");
    }
    check_refused(&(hr_lsh_setup){t.schema, 0x1.1p20, 0, 1, coins}, HR_E_ARGUMENT, "width");
    check_refused(&(hr_lsh_setup){t.schema, 4, 256, 1, coins}, HR_E_ARGUMENT, "256 tables");
    check_refused(&(hr_lsh_setup){t.schema, 1e-5, 0, 1, coins}, HR_E_ARGUMENT, "16 bits");
    check_refused(&(hr_lsh_setup){t.schema, 1e-300, 0, 1, coins}, HR_E_ARGUMENT, "16 bits");
    table_close(&t);
}

static void test_setup__is_refused_with_too_many_dimensions(void **state) {
    (void)state;
    enum { VALUES = 65535 };
    static char names[VALUES][8];
    static const char *values[VALUES];
    for (int i = 0; i < VALUES; i++) {
        snprintf(names[i], sizeof names[i], "v%d", i);
        values[i] = names[i];
    }
    hr_column features[3] = {category_column("a", 2), category_column("b", 2), category_column("c", 2)};
    for (size_t f = 0; f < 3; f++) features[f].values = values, features[f].value_count = VALUES;
    table t = table_open(1, 3);
    table_make(&t, number_column("y", -1, 1), features);
    check_refused(&(hr_lsh_setup){t.schema, 4, 0, 1, coins}, HR_E_LIMIT, "dimensions");
    table_close(&t);
}

/* The least width that is named is taken. */
static void test_hash__fits_16_bits_at_the_least_width(void **state) {
    (void)state;
    table t = mixed_table(2000);
    hr_error err = {0};
    hr_lsh *lsh = NULL;
    assert_int_equal(hr_lsh_new(&(hr_lsh_setup){t.schema, 1e-5, 5, 1, coins}, &lsh, &err), HR_E_ARGUMENT);
    const double least = strtod(strrchr(err.message, ' '), NULL);
    lsh = lsh_of(&(hr_lsh_setup){t.schema, least * 1.01, 5, 1, coins});
    int16_t *hashes = hashes_of(lsh, t.data, 1);
    double x[8], far = 0;
    for (size_t row = 0; row < t.rows; row++) {
        hr_lsh_point(lsh, t.data, row, x);
        for (size_t k = 0; k < 5; k++) {
            const double slab = slab_of(lsh, k, x), hash = hashes[row * 5 + k];
            assert_true(slab > hash - 1e-6 && slab < hash + 1 + 1e-6);
            far = fmax(far, fabs(slab));
        }
    }
    assert_true(far > 15000);
    free(hashes);
    hr_lsh_free(lsh);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash__is_the_floor_of_the_projection),
        cmocka_unit_test(test_hash__is_the_floor_of_the_projection_where_most_values_are_equal),
        cmocka_unit_test(test_point__scales_by_public_bounds_and_one_hot_values),
        cmocka_unit_test(test_hash__is_the_same_with_any_number_of_threads),
        cmocka_unit_test(test_planes__fit_their_laws),
        cmocka_unit_test(test_planes__depend_on_coins_alone_and_not_on_how_many_there_are),
        cmocka_unit_test(test_hash__stays_what_it_was),
        cmocka_unit_test(test_tables__are_one_less_than_dimensions_and_at_most_forty),
        cmocka_unit_test(test_setup__is_refused_with_a_width_or_range_that_is_none),
        cmocka_unit_test(test_setup__is_refused_with_too_many_dimensions),
        cmocka_unit_test(test_hash__fits_16_bits_at_the_least_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
