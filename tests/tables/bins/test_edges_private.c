/* Private edges: what they cost, where they lie, and how near to the quantiles they come. */
#include "support/bin_fixture.h"
#include "support/gate_cost.h"

static charged_gate gate_of(hr_privacy_measure measure, double cost, uint64_t seed) {
    return charged_gate_open((hr_charge){"bin edges", -1, -1, 40, 3, 0, 1}, measure, cost, seed);
}

static const hr_privacy_measure privacy_measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_ZCDP, HR_PRIVACY_GDP};

/* Feature 0: any numbers; 1: few whole values; 2: a category; 3: many whole values. */
enum { MIXED = 4, MIXED_ROWS = 6000 };
static double mixed_columns[MIXED][MIXED_ROWS];

static fixture mixed(uint64_t seed) {
    static const char *const values[] = {"a", "b", "c"};
    const hr_column features[MIXED] = {
        {.name = "x", .kind = HR_KIND_NUMBER, .low = -4, .high = 12},
        {.name = "few", .kind = HR_KIND_NUMBER, .low = 0, .high = 9, .integer = true},
        {.name = "c", .kind = HR_KIND_CATEGORY, .value_count = 3, .values = values},
        {.name = "many", .kind = HR_KIND_NUMBER, .low = 0, .high = 5000, .integer = true}};
    hr_dice dice;
    hr_dice_init(&dice, seed);
    for (int i = 0; i < MIXED_ROWS; i++) {
        double u = hr_dice_unit(&dice);
        mixed_columns[0][i] = i % 50 ? -4 + 16 * u * u : (double)NAN;
        mixed_columns[1][i] = (double)hr_dice_below(&dice, 10);
        mixed_columns[2][i] = (double)hr_dice_below(&dice, 4);
        mixed_columns[3][i] = floor(5000 * u * hr_dice_unit(&dice));
    }
    return fixture_open(
        features, MIXED, MIXED_ROWS,
        (const double *const[]){mixed_columns[0], mixed_columns[1], mixed_columns[2], mixed_columns[3]});
}

static void check_grid(const hr_feature_bins *feature, const hr_column *column) {
    for (uint32_t e = 0; e + 2 < feature->bin_count; e++) {
        double cell = (feature->edges[e] - column->low) / (column->high - column->low) * 65536;
        assert_true(fabs(cell - nearbyint(cell)) < 1e-6);
        assert_true(nearbyint(cell) >= 1 && nearbyint(cell) <= 65535);
    }
}

static void test_private__charges_the_features_that_need_it(void **state) {
    (void)state;
    for (int c = 0; c < 3; c++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            fixture f = mixed(seed);
            charged_gate p = gate_of(privacy_measures[c], .3, seed);
            hr_binning out = {0};
            uint64_t groups = 77;
            assert_int_equal(hr_edges_private(f.data, &(hr_edges_release){32, p.gate, &p.charge}, f.arena,
                                              &out, &groups, NULL),
                             HR_OK);
            assert_int_equal(groups, 1);
            size_t lines;
            const hr_release *line = hr_gate_releases(p.gate, &lines);
            assert_true(lines > 0 && gate_cost(p.gate) > 0 && gate_cost(p.gate) <= p.charge.cost);
            assert_true(gate_cost(p.gate) > p.charge.cost / 2); /* and makes use of what it may spend */
            assert_int_equal(hr_account_check(line, lines, privacy_measures[c], NULL), HR_OK);
            for (size_t l = 0; l < lines; l++) {
                assert_true(line[l].group == 40 && line[l].part == 3);
                assert_int_equal(line[l].mechanism,
                                 c ? HR_MECHANISM_DISCRETE_GAUSSIAN : HR_MECHANISM_PERMUTE_AND_FLIP);
            }
            assert_int_equal(out.feature_count, MIXED);
            for (size_t j = 0; j < MIXED; j++) {
                const hr_column *column = hr_schema_feature(f.schema, j);
                if (column->kind == HR_KIND_NUMBER) check_number_bins(&out.features[j], column, 32);
                if (j == 0 || j == 3) check_grid(&out.features[j], column);
            }
            for (int v = 0; v < 10; v++) assert_int_equal(hr_bin_of_number(&out.features[1], v), 1 + v);
            assert_true(out.features[2].kind == HR_KIND_CATEGORY && out.features[2].bin_count == 4);
            charged_gate_close(p);
            fixture_close(f);
        }
}

static void test_private__is_free_where_bounds_say_it_all(void **state) {
    (void)state;
    double column[] = {0, 1, 1, 5, NAN};
    hr_column x = bounded_number(0, 15, true);
    for (int c = 0; c < 3; c++) {
        fixture f = fixture_open(&x, 1, 5, (const double *const[]){column});
        charged_gate p = gate_of(privacy_measures[c], .1, 1);
        hr_binning out = {0};
        uint64_t groups = 77;
        assert_int_equal(hr_edges_private(f.data, &(hr_edges_release){16, p.gate, &p.charge}, f.arena, &out,
                                          &groups, NULL),
                         HR_OK);
        size_t lines;
        hr_gate_releases(p.gate, &lines);
        assert_true(groups == 0 && lines == 0 && gate_cost(p.gate) == 0);
        assert_int_equal(out.features[0].bin_count, 17);
        assert_int_equal(hr_edges_private(f.data, &(hr_edges_release){15, p.gate, &p.charge}, f.arena, &out,
                                          &groups, NULL),
                         HR_OK);
        assert_int_equal(groups, 1);
        charged_gate_close(p);
        fixture_close(f);
    }
}

static void test_private__finds_the_quantiles_with_a_large_budget(void **state) {
    (void)state;
    for (int c = 0; c < 3; c++) {
        fixture f = mixed(11);
        charged_gate p = gate_of(privacy_measures[c], 100000, 11);
        hr_binning out = {0};
        uint64_t groups;
        assert_int_equal(hr_edges_private(f.data, &(hr_edges_release){32, p.gate, &p.charge}, f.arena, &out,
                                          &groups, NULL),
                         HR_OK);
        assert_true(out.features[0].bin_count >= 32);
        size_t counts[34] = {0};
        for (int i = 0; i < MIXED_ROWS; i++)
            counts[hr_bin_of_number(&out.features[0], mixed_columns[0][i])]++;
        for (uint32_t b = 1; b < out.features[0].bin_count; b++)
            assert_true(fabs((double)counts[b] - MIXED_ROWS * .98 / 32) <= 25);
        charged_gate_close(p);
        fixture_close(f);
    }
}

static void test_private__sees_counts_alone(void **state) {
    (void)state;
    for (int c = 0; c < 3; c++) {
        fixture f = mixed(5);
        double *reversed[MIXED];
        for (int j = 0; j < MIXED; j++) {
            reversed[j] = column_new(MIXED_ROWS);
            for (int i = 0; i < MIXED_ROWS; i++) reversed[j][i] = mixed_columns[j][MIXED_ROWS - 1 - i];
        }
        hr_data *other;
        assert_int_equal(
            hr_data_from_arrays(f.schema, MIXED_ROWS, (const double *const *)reversed, NULL, &other, NULL),
            HR_OK);
        charged_gate p = gate_of(privacy_measures[c], .5, 9), q = gate_of(privacy_measures[c], .5, 9);
        hr_binning one = {0}, two = {0};
        uint64_t groups;
        assert_int_equal(hr_edges_private(f.data, &(hr_edges_release){32, p.gate, &p.charge}, f.arena, &one,
                                          &groups, NULL),
                         HR_OK);
        assert_int_equal(
            hr_edges_private(other, &(hr_edges_release){32, q.gate, &q.charge}, f.arena, &two, &groups, NULL),
            HR_OK);
        check_same_bins(&one.features[0], &two.features[0]);
        check_same_bins(&one.features[3], &two.features[3]);
        for (int j = 0; j < MIXED; j++) free(reversed[j]);
        hr_data_free(other);
        charged_gate_close(p);
        charged_gate_close(q);
        fixture_close(f);
    }
}

static void test_private__takes_columns_without_values(void **state) {
    (void)state;
    static const size_t rows[] = {0, 1, 300};
    static const uint32_t bins[] = {2, 3, 255};
    double *column = column_new(300);
    for (int i = 0; i < 300; i++) column[i] = (double)NAN;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            for (int b = 0; b < 3; b++) {
                hr_column x = bounded_number(-DBL_MAX / 4, DBL_MAX / 4, false);
                fixture f = fixture_open(&x, 1, rows[r], (const double *const[]){column});
                charged_gate p = gate_of(privacy_measures[c], .1, 3);
                hr_binning out = {0};
                uint64_t groups;
                assert_int_equal(hr_edges_private(f.data, &(hr_edges_release){bins[b], p.gate, &p.charge},
                                                  f.arena, &out, &groups, NULL),
                                 HR_OK);
                check_number_bins(&out.features[0], &x, bins[b]);
                charged_gate_close(p);
                fixture_close(f);
            }
    free(column);
}

/* An edge sends what equals it to the left; so a value on the grid must have been counted there. */
static void test_private__sets_neighbouring_values_apart(void **state) {
    (void)state;
    enum { ROWS = 4000 };
    double *column = column_new(ROWS);
    for (int c = 0; c < 3; c++) {
        int cells = privacy_measures[c] == HR_PRIVACY_PURE ? 1 << 16 : 1 << 14;
        for (int low = 1; low < cells - 1; low += cells / 5) {
            for (int i = 0; i < ROWS; i++) column[i] = low + (i & 1);
            hr_column x = bounded_number(0, cells, true);
            fixture f = fixture_open(&x, 1, ROWS, (const double *const[]){column});
            charged_gate p = gate_of(privacy_measures[c], 1000, 3);
            hr_binning out = {0};
            uint64_t groups;
            assert_int_equal(hr_edges_private(f.data, &(hr_edges_release){2, p.gate, &p.charge}, f.arena,
                                              &out, &groups, NULL),
                             HR_OK);
            assert_int_equal(out.features[0].bin_count, 3);
            assert_int_equal(hr_bin_of_number(&out.features[0], low), 1);
            assert_int_equal(hr_bin_of_number(&out.features[0], low + 1), 2);
            charged_gate_close(p);
            fixture_close(f);
        }
    }
    free(column);
}

static void test_private__takes_bounds_of_any_magnitude(void **state) {
    (void)state;
    const double bounds[][2] = {{1, nextafter(1, 2)}, {0, 5e-324},       {0, 40 * 5e-324}, {-5e-324, 5e-324},
                                {-DBL_MIN, DBL_MIN},  {1, 1 + 0x1p-48},  {.2, .8},         {-1e308, 7e307},
                                {-1e-300, 1e300},     {1e16, 1e16 + 600}};
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
        for (int c = 0; c < 6; c++) {
            hr_column x = bounded_number(bounds[b][0], bounds[b][1], c / 3);
            double column[100];
            for (int i = 0; i < 100; i++) column[i] = i % 2 ? x.low : i % 3 ? x.high : x.low / 2 + x.high / 2;
            fixture f = fixture_open(&x, 1, 100, (const double *const[]){column});
            charged_gate p = gate_of(privacy_measures[c % 3], 1, 3);
            hr_binning out = {0};
            uint64_t groups;
            assert_int_equal(hr_edges_private(f.data, &(hr_edges_release){255, p.gate, &p.charge}, f.arena,
                                              &out, &groups, NULL),
                             HR_OK);
            check_number_bins(&out.features[0], &x, 255);
            charged_gate_close(p);
            fixture_close(f);
        }
}

static void test_private__spends_nothing_when_refused(void **state) {
    (void)state;
    for (int c = 0; c < 3; c++) {
        fixture f = mixed(1);
        charged_gate p = gate_of(privacy_measures[c], .1, 1);
        hr_binning out = {123, NULL, NULL};
        uint64_t groups = 77;
        p.charge.cost *= 2; /* each feature by itself would be covered */
        assert_int_equal(hr_edges_private(f.data, &(hr_edges_release){32, p.gate, &p.charge}, f.arena, &out,
                                          &groups, NULL),
                         HR_E_BUDGET);
        size_t lines;
        hr_gate_releases(p.gate, &lines);
        assert_true(lines == 0 && gate_cost(p.gate) == 0);
        assert_true(groups == 77 && out.feature_count == 123 && !out.features);
        charged_gate_close(p);
        fixture_close(f);
    }
}

/* ---- Cells ---- */

enum { CELLS_MAX = 1 << 14, NONE = CELLS_MAX };

/* The cell of a value, worked out another way: the first whose upper end is not below it. */
static size_t cell_of(const hr_column *column, double value, size_t grid) {
    if (isnan(value)) return NONE;
    size_t cell = 0;
    while (cell + 1 < grid &&
           (value - column->low) / (column->high - column->low) * (double)grid > (double)(cell + 1))
        cell++;
    return cell;
}

/* One record more, of `value`, at any place among others: one unit in its cell and nothing else, or nothing
 * at all. */
static void check_neighbour(const hr_column *column, const double *others, size_t count, double value,
                            size_t grid) {
    static hr_exact without[CELLS_MAX], with[CELLS_MAX];
    double values[32];
    assert_true(count < 32);
    memset(without, 0, sizeof without);
    hr_edges_count_cells(column, &(hr_edge_values){others, NULL, count}, grid, without);
    for (size_t place = 0; place <= count; place += count ? count : 1) {
        memcpy(values, others, place * sizeof *values);
        values[place] = value;
        memcpy(values + place + 1, others + place, (count - place) * sizeof *values);
        memset(with, 0, sizeof with);
        hr_edges_count_cells(column, &(hr_edge_values){values, NULL, count + 1}, grid, with);
        size_t wanted = cell_of(column, value, grid);
        for (size_t c = 0; c < grid; c++)
            if (with[c].unpaid - without[c].unpaid != (c == wanted))
                fail_msg("%g changes cell %zu of %zu", value, c, grid);
    }
}

/* Low, high, on and beside every border of a coarse grid, beyond either bound, infinite, missing. */
static void check_cells(const hr_column *column, size_t grid) {
    double width = column->high - column->low, others[20];
    const double ends[] = {column->low,
                           column->high,
                           nextafter(column->low, INFINITY),
                           nextafter(column->high, -INFINITY),
                           column->low - width,
                           column->high + width,
                           nextafter(column->low, -INFINITY),
                           nextafter(column->high, INFINITY),
                           -DBL_MAX,
                           DBL_MAX,
                           -INFINITY,
                           INFINITY,
                           (double)NAN};
    for (size_t i = 0; i < 20; i++)
        others[i] = i % 7 == 6 ? (double)NAN : column->low + width * (double)i / 19;
    for (size_t count = 0; count <= 20; count += 20) {
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            check_neighbour(column, others, count, ends[i], grid);
        for (int i = 0; i <= 16; i++) {
            double border = column->low + width * i / 16, value = column->integer ? floor(border) : border;
            check_neighbour(column, others, count, value, grid);
            check_neighbour(column, others, count, nextafter(value, -INFINITY), grid);
            check_neighbour(column, others, count, nextafter(value, INFINITY), grid);
        }
    }
}

static void test_cells__gain_one_unit_by_a_record_or_none(void **state) {
    (void)state;
    static const size_t grids[] = {2, 16, 1 << 10, CELLS_MAX};
    const hr_column columns[] = {bounded_number(0, 1, false),   bounded_number(-4, 12, false),
                                 bounded_number(.1, .3, false), bounded_number(0, 5000, true),
                                 bounded_number(-7, 8, true),   bounded_number(0, 1, true)};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++)
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) check_cells(&columns[c], grids[g]);
}

/* Categories, and integers with no more values than bins, have no cells: their bins are the same whatever the
 * records. */
static void test_private__looks_at_no_record_where_values_are_few(void **state) {
    (void)state;
    static const char *const values[] = {"a", "b", "c"};
    const hr_column features[2] = {
        {.name = "c", .kind = HR_KIND_CATEGORY, .value_count = 3, .values = values},
        {.name = "x", .integer = true, .high = 9}};
    static const double tables[][2] = {{0, 0}, {1, 9}, {3, 5}};
    for (int c = 0; c < 3; c++)
        for (size_t t = 0; t < 3; t++) {
            fixture f = fixture_open(features, 2, 1, (const double *const[]){&tables[t][0], &tables[t][1]});
            charged_gate p = gate_of(privacy_measures[c], .1, 1);
            hr_binning out = {0};
            uint64_t groups = 77;
            size_t lines = 77;
            assert_int_equal(hr_edges_private(f.data, &(hr_edges_release){32, p.gate, &p.charge}, f.arena,
                                              &out, &groups, NULL),
                             HR_OK);
            hr_gate_releases(p.gate, &lines);
            assert_true(groups == 0 && lines == 0 && out.features[0].bin_count == 4 &&
                        out.features[1].bin_count == 11);
            for (int v = 0; v < 10; v++) assert_int_equal(hr_bin_of_number(&out.features[1], v), 1 + v);
            charged_gate_close(p);
            fixture_close(f);
        }
}

/* As many records as several threads share out. */
static void test_cells__do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    enum { ROWS = 50001, GRID = 1 << 10, THREADS = 3 };
    static hr_exact wanted[GRID], got[GRID];
    const hr_column feature = bounded_number(-2, 3, false);
    double *values = column_new(ROWS);
    hr_dice dice;
    hr_dice_init(&dice, 11);
    for (size_t i = 0; i < ROWS; i++)
        values[i] = i % 100 == 7 ? (double)NAN : -2.5 + 6 * hr_dice_unit(&dice) * hr_dice_unit(&dice);
    fixture f = fixture_open(&feature, 1, ROWS, (const double *const[]){values});
    memset(wanted, 0, sizeof wanted);
    hr_edges_count_cells(&feature, &(hr_edge_values){values, NULL, ROWS}, GRID, wanted);
    for (int threads = 1; threads <= THREADS; threads++)
        for (int again = 0; again < 20; again++) {
            memset(got, 77, sizeof got);
            assert_int_equal(hr_edges_count_column(&(hr_edge_rows){f.data, threads}, 0, GRID, got, NULL),
                             HR_OK);
            assert_memory_equal(got, wanted, sizeof got);
        }
    fixture_close(f);
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_private__charges_the_features_that_need_it),
        cmocka_unit_test(test_private__is_free_where_bounds_say_it_all),
        cmocka_unit_test(test_private__finds_the_quantiles_with_a_large_budget),
        cmocka_unit_test(test_private__sees_counts_alone),
        cmocka_unit_test(test_private__takes_columns_without_values),
        cmocka_unit_test(test_private__sets_neighbouring_values_apart),
        cmocka_unit_test(test_private__takes_bounds_of_any_magnitude),
        cmocka_unit_test(test_private__spends_nothing_when_refused),
        cmocka_unit_test(test_cells__gain_one_unit_by_a_record_or_none),
        cmocka_unit_test(test_cells__do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(test_private__looks_at_no_record_where_values_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
