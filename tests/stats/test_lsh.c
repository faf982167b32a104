#include "stats/lsh.h"

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
static void test_hash__is_the_floor_of_the_projection(void **state) {
    (void)state;
    table t = mixed_table(500);
    hr_lsh *lsh = lsh_of(&(hr_lsh_setup){t.schema, .3, 12, 1.7, coins});
    int16_t *hashes = hashes_of(lsh, t.data, 1);
    double x[8];
    assert_int_equal(hr_lsh_dimensions(lsh), 8);
    assert_true(fabs(hr_lsh_width(lsh) - .3) < 1e-12);
    for (size_t row = 0; row < t.rows; row++) {
        hr_lsh_point(lsh, t.data, row, x);
        for (size_t k = 0; k < 12; k++) {
            const double slab = slab_of(lsh, k, x), hash = hashes[row * 12 + k];
            assert_true(slab > hash - 1e-10 && slab < hash + 1 + 1e-10);
        }
    }
    free(hashes);
    hr_lsh_free(lsh);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash__is_the_floor_of_the_projection),
        cmocka_unit_test(test_point__scales_by_public_bounds_and_one_hot_values),
        cmocka_unit_test(test_hash__is_the_same_with_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
