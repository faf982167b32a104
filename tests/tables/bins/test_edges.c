/* Public and exact edges against what edges.h promises, with columns that invite mistakes. */
#include "support/bin_fixture.h"

enum { MANY = (1 << 18) + 50000 }; /* more rows than are looked at */

static hr_binning public_bins(fixture f, uint32_t bins) {
    hr_binning out = {0};
    assert_int_equal(hr_edges_public(f.schema, bins, f.arena, &out, NULL), HR_OK);
    assert_int_equal(out.feature_count, hr_schema_feature_count(f.schema));
    for (size_t j = 0; j < out.feature_count; j++)
        if (out.features[j].kind == HR_KIND_NUMBER)
            check_number_bins(&out.features[j], hr_schema_feature(f.schema, j), bins);
    return out;
}

static hr_binning exact_bins(fixture f, uint32_t bins, int threads) {
    hr_binning out = {0};
    assert_int_equal(hr_edges_exact(f.data, bins, threads, f.arena, &out, NULL), HR_OK);
    assert_int_equal(out.feature_count, hr_schema_feature_count(f.schema));
    for (size_t j = 0; j < out.feature_count; j++)
        if (out.features[j].kind == HR_KIND_NUMBER)
            check_number_bins(&out.features[j], hr_schema_feature(f.schema, j), bins);
    return out;
}

/* Exact bins of one column within +-1e300. */
static hr_feature_bins exact_of(const double *column, size_t rows, uint32_t bins) {
    hr_column x = bounded_number(-1e300, 1e300, false);
    fixture f = fixture_open(&x, 1, rows, &column);
    hr_feature_bins found = exact_bins(f, bins, 2).features[0];
    double *edges = NULL;
    if (found.bin_count > 2) {
        edges = malloc((found.bin_count - 2) * sizeof *edges);
        assert_non_null(edges);
        memcpy(edges, found.edges, (found.bin_count - 2) * sizeof *edges);
    }
    found.edges = edges;
    fixture_close(f);
    return found;
}

static void free_bins(hr_feature_bins bins) {
    free((double *)bins.edges);
}

static void shuffle(hr_dice *dice, double *values, size_t count) {
    for (size_t i = count; i > 1; i--) {
        size_t j = hr_dice_below(dice, i);
        double kept = values[i - 1];
        values[i - 1] = values[j];
        values[j] = kept;
    }
}

/* ---- Public bounds ---- */

static void test_public__cuts_evenly(void **state) {
    (void)state;
    static const uint32_t bins[] = {2, 3, 16, 254, 255};
    hr_column x = bounded_number(-3, 7, false);
    fixture f = fixture_open(&x, 1, 0, NULL);
    for (size_t b = 0; b < 5; b++) {
        hr_binning found = public_bins(f, bins[b]);
        assert_int_equal(found.features[0].bin_count, bins[b] + 1);
        for (uint32_t e = 0; e + 1 < bins[b]; e++)
            assert_true(fabs(found.features[0].edges[e] - (-3 + 10. * (e + 1) / bins[b])) < 1e-12);
    }
    fixture_close(f);
}

static void test_public__gives_few_integer_values_a_bin_each(void **state) {
    (void)state;
    static const struct {
        double low, high;
        uint32_t bins;
        int first, last;
    } cases[] = {{0, 1, 2, 0, 1},    {-3, 3, 7, -3, 3},  {-3, 3, 255, -3, 3},    {0, 254, 255, 0, 254},
                 {.5, 3.5, 8, 1, 3}, {.5, 3.5, 3, 1, 3}, {-2.5, -.5, 2, -2, -1}, {1e9, 1e9 + 4, 5, 0, 4}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hr_column x = bounded_number(cases[c].low, cases[c].high, true);
        fixture f = fixture_open(&x, 1, 0, NULL);
        hr_binning found = public_bins(f, cases[c].bins);
        double base = cases[c].low >= 1e9 ? 1e9 : 0;
        for (int v = cases[c].first; v <= cases[c].last; v++)
            assert_int_equal(hr_bin_of_number(&found.features[0], base + v), 1 + v - cases[c].first);
        assert_int_equal(found.features[0].bin_count, cases[c].last - cases[c].first + 2);
        fixture_close(f);
    }
}

static void test_public__spreads_many_integer_values_over_all_bins(void **state) {
    (void)state;
    static const struct {
        double low, high;
        uint32_t bins;
    } cases[] = {{0, 255, 255}, {0, 2, 2}, {-1000, 1000, 16}, {0, 0x1p53, 255}, {-1e15, 1e15, 7}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hr_column x = bounded_number(cases[c].low, cases[c].high, true);
        fixture f = fixture_open(&x, 1, 0, NULL);
        hr_binning found = public_bins(f, cases[c].bins);
        assert_int_equal(found.features[0].bin_count, cases[c].bins + 1);
        assert_int_equal(hr_bin_of_number(&found.features[0], cases[c].low), 1);
        assert_int_equal(hr_bin_of_number(&found.features[0], cases[c].high), cases[c].bins);
        fixture_close(f);
    }
}

static void test_public__stays_ascending_within_bounds_of_any_magnitude(void **state) {
    (void)state;
    const double bounds[][2] = {{1, nextafter(1, 2)},
                                {0, 5e-324},
                                {0, 40 * 5e-324},
                                {-5e-324, 5e-324},
                                {-DBL_MAX, DBL_MAX},
                                {0, DBL_MAX},
                                {-1e308, 1.5e308},
                                {1e16, 1e16 + 6},
                                {-DBL_MIN, DBL_MIN},
                                {1, 1 + 0x1p-48},
                                {.2, .8},
                                {-.9, -.1},
                                {-1e-300, 1e300},
                                {-DBL_MAX, -DBL_MAX / 2}};
    for (size_t c = 0; c < sizeof bounds / sizeof *bounds; c++)
        for (int whole = 0; whole < 2; whole++) {
            hr_column x = bounded_number(bounds[c][0], bounds[c][1], whole);
            fixture f = {.arena = hr_arena_new()};
            assert_non_null(f.arena);
            if (hr_schema_make(&(hr_schema_parts){.label = unit_label, .features = &x, .feature_count = 1},
                               &f.schema, NULL) == HR_OK) {
                public_bins(f, 2);
                hr_binning found = public_bins(f, 255);
                assert_int_equal(hr_bin_of_number(&found.features[0], x.low), 1);
            }
            fixture_close(f);
        }
}

static void test_public__gives_categories_a_bin_a_value(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 254, 255, 256, 1000};
    static char names[1000][8];
    const char *values[1000];
    for (int v = 0; v < 1000; v++) {
        names[v][0] = 'v', names[v][1] = (char)('0' + v / 100), names[v][2] = (char)('0' + v / 10 % 10),
        names[v][3] = (char)('0' + v % 10);
        values[v] = names[v];
    }
    for (size_t c = 0; c < 6; c++) {
        hr_column x = {.name = "c", .kind = HR_KIND_CATEGORY, .value_count = counts[c], .values = values};
        fixture f = fixture_open(&x, 1, 0, NULL);
        const hr_feature_bins *found = public_bins(f, 2).features; /* `bins` is for numbers */
        assert_int_equal(found->kind, HR_KIND_CATEGORY);
        assert_int_equal(found->bin_count, counts[c] < 255 ? counts[c] + 1 : 256);
        fixture_close(f);
    }
}

/* ---- The data themselves ---- */

static void check_a_bin_each(const double *distinct, size_t count, const double *column, size_t rows,
                             uint32_t bins) {
    hr_feature_bins found = exact_of(column, rows, bins);
    assert_int_equal(found.bin_count, count + 1);
    for (size_t v = 0; v < count; v++) assert_int_equal(hr_bin_of_number(&found, distinct[v]), v + 1);
    free_bins(found);
}

static void test_exact__gives_few_values_a_bin_each(void **state) {
    (void)state;
    const double near[] = {1, nextafter(1, 2), nextafter(nextafter(1, 2), 2)},
                 far[] = {-1e300, -1, -5e-324, 0, 5e-324, 1e-300, 1, 1e300};
    check_a_bin_each(near, 3, (double[]){near[2], near[0], near[1], near[0], NAN}, 5, 255);
    check_a_bin_each(near, 3, (double[]){near[2], near[0], near[1], near[0], NAN}, 5, 3);
    check_a_bin_each(far, 8, far, 8, 8);
    check_a_bin_each(far, 8, far, 8, 255);
    double column[255 * 3];
    for (int i = 0; i < 255 * 3; i++) column[i] = (i * 7 % 255) * .1;
    double distinct[255];
    for (int i = 0; i < 255; i++) distinct[i] = i * .1;
    check_a_bin_each(distinct, 255, column, 255 * 3, 255);
}

static void test_exact__gives_few_values_a_bin_each_however_unequal(void **state) {
    (void)state;
    enum { ROWS = 20000 };
    double *column = column_new(ROWS);
    const double distinct[] = {-4, -3, 0, 1, 9};
    for (int i = 0; i < ROWS; i++) column[i] = 0;
    column[3] = -4, column[500] = -3, column[10000] = 1, column[19999] = 9; /* one record each */
    check_a_bin_each(distinct, 5, column, ROWS, 5);
    check_a_bin_each(distinct, 5, column, ROWS, 255);
    free(column);
}

static void test_exact__needs_no_edge_for_one_value_or_none(void **state) {
    (void)state;
    double column[100];
    const size_t rows[] = {0, 1, 100};
    for (int constant = 0; constant < 2; constant++)
        for (size_t r = 0; r < 3; r++) {
            for (int i = 0; i < 100; i++) column[i] = constant ? 4.25 : (double)NAN;
            hr_feature_bins found = exact_of(column, rows[r], 16);
            assert_int_equal(found.bin_count, 2);
            assert_int_equal(hr_bin_of_number(&found, 4.25), 1);
            free_bins(found);
        }
}

static void test_exact__takes_both_zeros_for_one_value(void **state) {
    (void)state;
    double column[] = {0., -0., 0., -0., 0., -0., 1, -1};
    hr_feature_bins first = exact_of(column, 8, 255), last;
    assert_int_equal(first.bin_count, 4);
    assert_int_equal(hr_bin_of_number(&first, -0.), 2);
    assert_int_equal(hr_bin_of_number(&first, 0.), 2);
    hr_dice dice;
    hr_dice_init(&dice, 1);
    for (int t = 0; t < 50; t++) {
        shuffle(&dice, column, 8);
        last = exact_of(column, 8, 255);
        check_same_bins(&first, &last);
        free_bins(last);
        hr_feature_bins two = exact_of(column, 8, 2), again;
        shuffle(&dice, column, 8);
        again = exact_of(column, 8, 2);
        check_same_bins(&two, &again);
        free_bins(two);
        free_bins(again);
    }
    free_bins(first);
}

/* Quantiles: a bin has its even share of the values, or as much more as its most frequent value forces on it.
 */
static void check_shares(const hr_feature_bins *found, const double *column, size_t rows, uint32_t bins,
                         double slack) {
    size_t counts[256] = {0}, present = 0;
    for (size_t i = 0; i < rows; i++) {
        counts[hr_bin_of_number(found, column[i])]++;
        present += !isnan(column[i]);
    }
    for (uint32_t b = 1; b < found->bin_count; b++) {
        assert_true((double)counts[b] <= (double)present / bins + slack);
        assert_true(counts[b] > 0);
    }
}

static void test_exact__shares_distinct_values_out_evenly(void **state) {
    (void)state;
    enum { ROWS = 10007 };
    static const uint32_t bins[] = {2, 3, 16, 100, 255};
    double *column = column_new(ROWS);
    hr_dice dice;
    hr_dice_init(&dice, 2);
    for (int i = 0; i < ROWS; i++) column[i] = exp(40 * hr_dice_unit(&dice)) * (i % 2 ? 1 : -1);
    for (int i = 0; i < 1000; i++) column[i * 10] = (double)NAN;
    for (size_t b = 0; b < 5; b++) {
        hr_feature_bins found = exact_of(column, ROWS, bins[b]);
        assert_int_equal(found.bin_count, bins[b] + 1);
        check_shares(&found, column, ROWS, bins[b], 2);
        free_bins(found);
    }
    free(column);
}

static void test_exact__survives_heavy_ties(void **state) {
    (void)state;
    enum { ROWS = 30000 };
    double *column = column_new(ROWS);
    hr_dice dice;
    hr_dice_init(&dice, 3);
    for (int i = 0; i < ROWS; i++)
        column[i] = i < ROWS / 2 ? 0 : i < ROWS * 3 / 4 ? 1 : 2 + hr_dice_unit(&dice);
    shuffle(&dice, column, ROWS);
    hr_feature_bins found = exact_of(column, ROWS, 20);
    const uint8_t zero = hr_bin_of_number(&found, 0), one = hr_bin_of_number(&found, 1);
    assert_true(zero == 1 && one == 2);                          /* a value above its share stands alone */
    assert_true(hr_bin_of_number(&found, nextafter(2, 3)) == 3); /* ... and does not take others in */
    assert_true(found.bin_count >= 7); /* a quarter of 20 bins at least for the distinct rest */
    free_bins(found);
    free(column);
}

static void test_exact__does_not_see_the_order_of_rows(void **state) {
    (void)state;
    static const size_t rows[] = {2, 255, 256, 1000, 70000};
    hr_dice dice;
    hr_dice_init(&dice, 4);
    for (size_t r = 0; r < 5; r++) {
        double *column = column_new(rows[r]);
        for (size_t i = 0; i < rows[r]; i++) {
            double u = hr_dice_normal(&dice);
            column[i] = i % 17 == 0 ? (double)NAN : i % 3 ? floor(u * 20) : u;
        }
        for (uint32_t bins = 2; bins < 256; bins += 41) {
            hr_feature_bins one = exact_of(column, rows[r], bins);
            shuffle(&dice, column, rows[r]);
            hr_feature_bins two = exact_of(column, rows[r], bins);
            check_same_bins(&one, &two);
            free_bins(one);
            free_bins(two);
        }
        free(column);
    }
}

/* ---- More rows than are looked at ---- */

static void test_exact_sampled__does_not_see_the_order_of_rows(void **state) {
    (void)state;
    double *column = column_new(MANY);
    hr_dice dice;
    hr_dice_init(&dice, 5);
    for (int i = 0; i < MANY; i++) column[i] = i % 5 ? hr_dice_normal(&dice) : (double)(i % 40);
    hr_feature_bins one = exact_of(column, MANY, 100);
    shuffle(&dice, column, MANY);
    hr_feature_bins two = exact_of(column, MANY, 100);
    check_same_bins(&one, &two);
    free_bins(one);
    free_bins(two);
    free(column);
}

static void test_exact_sampled__permutes_whole_records(void **state) {
    (void)state;
    double *a = column_new(MANY), *b = column_new(MANY);
    hr_dice dice;
    hr_dice_init(&dice, 6);
    for (int i = 0; i < MANY; i++)
        a[i] = hr_dice_normal(&dice), b[i] = floor(a[i] * 3) + (double)hr_dice_below(&dice, 100);
    hr_column features[2] = {bounded_number(-10, 10, false), bounded_number(-100, 200, true)};
    features[1].name = "z";
    fixture f = fixture_open(features, 2, MANY, (const double *const[]){a, b});
    hr_binning one = exact_bins(f, 63, 1), threads = exact_bins(f, 63, 3);
    for (int i = MANY; i > 1; i--) {
        size_t j = hr_dice_below(&dice, (uint64_t)i);
        double x = a[i - 1], z = b[i - 1];
        a[i - 1] = a[j], b[i - 1] = b[j], a[j] = x, b[j] = z;
    }
    fixture g = fixture_open(features, 2, MANY, (const double *const[]){a, b});
    hr_binning two = exact_bins(g, 63, 2);
    for (int j = 0; j < 2; j++) {
        check_same_bins(&one.features[j], &two.features[j]);
        check_same_bins(&one.features[j], &threads.features[j]);
    }
    fixture_close(f);
    fixture_close(g);
    free(a);
    free(b);
}

static void test_exact_sampled__is_near_the_quantiles(void **state) {
    (void)state;
    double *column = column_new(MANY);
    hr_dice dice;
    hr_dice_init(&dice, 7);
    for (int i = 0; i < MANY; i++) column[i] = hr_dice_unit(&dice);
    hr_feature_bins found = exact_of(column, MANY, 32);
    assert_int_equal(found.bin_count, 33);
    check_shares(&found, column, MANY, 32, .1 * MANY / 32);
    free_bins(found);
    free(column);
}

/* A sample of values instead of records would lose some of these: each of them is a twentieth of the records.
 */
static void test_exact_sampled__keeps_every_frequent_value(void **state) {
    (void)state;
    double *column = column_new(MANY);
    for (int i = 0; i < MANY; i++) column[i] = (i % 20) * 1.37 - 5;
    for (uint32_t bins = 20; bins < 256; bins += 100) {
        double distinct[20];
        for (int v = 0; v < 20; v++) distinct[v] = v * 1.37 - 5;
        check_a_bin_each(distinct, 20, column, MANY, bins);
    }
    free(column);
}

/* ... and would be off by whole values where ties are heavy. */
static void test_exact_sampled__weighs_ties(void **state) {
    (void)state;
    double *column = column_new(MANY);
    hr_dice dice;
    hr_dice_init(&dice, 8);
    for (int i = 0; i < MANY; i++) column[i] = (double)hr_dice_below(&dice, 1000);
    hr_feature_bins found = exact_of(column, MANY, 10);
    assert_int_equal(found.bin_count, 11);
    check_shares(&found, column, MANY, 10, .1 * MANY / 10);
    free_bins(found);
    free(column);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_public__cuts_evenly),
        cmocka_unit_test(test_public__gives_few_integer_values_a_bin_each),
        cmocka_unit_test(test_public__spreads_many_integer_values_over_all_bins),
        cmocka_unit_test(test_public__stays_ascending_within_bounds_of_any_magnitude),
        cmocka_unit_test(test_public__gives_categories_a_bin_a_value),
        cmocka_unit_test(test_exact__gives_few_values_a_bin_each),
        cmocka_unit_test(test_exact__gives_few_values_a_bin_each_however_unequal),
        cmocka_unit_test(test_exact__needs_no_edge_for_one_value_or_none),
        cmocka_unit_test(test_exact__takes_both_zeros_for_one_value),
        cmocka_unit_test(test_exact__shares_distinct_values_out_evenly),
        cmocka_unit_test(test_exact__survives_heavy_ties),
        cmocka_unit_test(test_exact__does_not_see_the_order_of_rows),
        cmocka_unit_test(test_exact_sampled__does_not_see_the_order_of_rows),
        cmocka_unit_test(test_exact_sampled__permutes_whole_records),
        cmocka_unit_test(test_exact_sampled__is_near_the_quantiles),
        cmocka_unit_test(test_exact_sampled__keeps_every_frequent_value),
        cmocka_unit_test(test_exact_sampled__weighs_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
