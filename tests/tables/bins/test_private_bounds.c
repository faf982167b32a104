/* Private bounds: the cells of values, one record more, what they cost, the law of a far cell, and how near
 * to the values they come. */
#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "support/gate_cost.h"
#include "support/tables.h"
#include "tables/bins/private_bounds.h"

enum { ZERO = HR_BOUNDS_MAGNITUDES, CELLS = HR_BOUNDS_CELLS, EVEN = HR_BOUNDS_EVEN_CELLS };

/* ---- Cells ---- */

/* The one cell of a value; -1: none. */
static int cell_of(double value) {
    hr_exact cells[CELLS] = {{0}};
    int found = -1;
    hr_bounds_count_magnitudes(&value, 1, cells);
    for (int i = 0; i < CELLS; i++) {
        if (!cells[i].unpaid) continue;
        assert_true(cells[i].unpaid == HR_COUNT_UNIT && found < 0);
        found = i;
    }
    return found;
}

static void test_magnitudes__end_at_quarters_of_octaves(void **state) {
    (void)state;
    assert_int_equal(cell_of(0), ZERO);
    assert_int_equal(cell_of(-0.), ZERO);
    assert_int_equal(cell_of((double)NAN), -1);
    for (int m = 1; m < HR_BOUNDS_MAGNITUDES; m++) {
        double end = exp2(-20 + (m - 1) / 4.);
        assert_int_equal(cell_of(end * (1 - 1e-12)), ZERO + m);
        assert_int_equal(cell_of(end * (1 + 1e-12)), ZERO + m + 1);
        assert_int_equal(cell_of(-end * (1 + 1e-12)), ZERO - m - 1);
        if ((m - 1) % 4 == 0) assert_int_equal(cell_of(end), ZERO + m);
    }
    static const double ends[] = {1e300, (double)INFINITY, 0x1p50};
    for (size_t i = 0; i < COUNT(ends); i++) {
        assert_int_equal(cell_of(ends[i]), CELLS - 1);
        assert_int_equal(cell_of(-ends[i]), 0);
    }
    assert_int_equal(cell_of(5e-324), ZERO + 1);
    assert_int_equal(cell_of(-5e-324), ZERO - 1);
}

static void test_even_cells__hold_every_value_once(void **state) {
    (void)state;
    static const double values[] = {
        -3, -2, 0, 6, 6.0001, 1e300, -1e300, (double)INFINITY, -(double)INFINITY, 1e-12, 5.99999999};
    static const int wanted[] = {0, 0, 16, 63, 63, 63, 0, 63, 0, 16, 63};
    const hr_bounds within = {-2, 6};
    for (size_t i = 0; i < COUNT(values); i++) {
        hr_exact cells[EVEN] = {{0}};
        hr_bounds_count_even(&within, &values[i], 1, cells);
        for (int c = 0; c < EVEN; c++) assert_true(cells[c].unpaid == (c == wanted[i] ? HR_COUNT_UNIT : 0));
    }
    hr_exact cells[EVEN] = {{0}};
    hr_bounds_count_even(&within, &(double){(double)NAN}, 1, cells);
    for (int c = 0; c < EVEN; c++) assert_true(cells[c].unpaid == 0);
}

/* ---- Releases ---- */

static const hr_privacy_measure measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_ZCDP, HR_PRIVACY_GDP};

/* Two features, wide and whole, and a label, within limits of a million millions. */
static table values_open(size_t rows) {
    table t = table_open(rows, 2);
    uint64_t seed = 3;
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = 20 + 30 * next_unit(&seed);
        t.columns[1][i] = i % 10 ? 0 : -floor(1000 * next_unit(&seed));
        t.labels[i] = 5000 + 100 * next_unit(&seed);
    }
    hr_column features[] = {number_column("x", -1e12, 1e12), number_column("n", -1e12, 1e12)};
    features[1].integer = true;
    table_make(&t, number_column("y", -1e12, 1e12), features);
    return t;
}

static void release(const table *t, const hr_bounds_columns *columns, hr_privacy_measure measure, double cost,
                    uint64_t seed, hr_bounds *out) {
    hr_csprng *csprng = NULL;
    hr_gate *gate = NULL;
    const hr_charge charge = {"bounds", -1, -1, 40, 3, hr_units_up(cost), 1};
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(measure, charge.cost, csprng, &gate, NULL), HR_OK);
    assert_int_equal(hr_bounds_private(t->data, columns, gate, &charge, out, NULL), HR_OK);
    size_t count, lines = 0;
    hr_units sum = 0;
    const hr_release *releases = hr_gate_releases(gate, &count);
    for (size_t i = 0; i < count; i++) {
        sum += releases[i].cost;
        lines++;
        assert_true(releases[i].group == 40 && releases[i].part == 3);
        assert_true(releases[i].sensitivity == HR_COUNT_SENSITIVITY);
        assert_true(releases[i].draws == (strcmp(releases[i].what, "magnitudes") ? EVEN : CELLS));
    }
    size_t labels = 0;
    for (size_t i = 0; i < columns->count; i++) labels += columns->at[i] == t->features;
    assert_int_equal(lines, columns->count + labels);
    assert_true(sum <= charge.cost && sum + 8 > charge.cost);
    hr_gate_free(gate);
    hr_csprng_close(csprng);
}

/* Within two octaves for features, and in those for the label, with seeds that are fixed. */
static void test_bounds__are_near_the_values(void **state) {
    (void)state;
    table t = values_open(20000);
    static const size_t at[] = {0, 1, 2};
    for (size_t m = 0; m < COUNT(measures); m++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            hr_bounds got[3];
            release(&t, &(hr_bounds_columns){at, 3}, measures[m], measures[m] == HR_PRIVACY_PURE ? 1 : .1,
                    seed, got);
            if (!(got[0].low >= 5 && got[0].low <= 21 && got[0].high >= 49 && got[0].high <= 180))
                fail_msg("%g to %g", got[0].low, got[0].high);
            assert_true(got[1].low <= -800 && got[1].low >= -2500 && got[1].high >= 0 && got[1].high <= 1);
            assert_true(got[1].low == floor(got[1].low));
            if (!(got[2].low <= 5010 && got[2].low >= 4000 && got[2].high >= 5090 && got[2].high <= 7500))
                fail_msg("%g to %g", got[2].low, got[2].high);
        }
    table_close(&t);
}

static void test_bounds__stay_within_the_limits(void **state) {
    (void)state;
    table t = table_open(1000, 1);
    for (size_t i = 0; i < t.rows; i++) {
        t.columns[0][i] = i % 2 ? 3 : 4;
        t.labels[i] = 1;
    }
    hr_column feature = number_column("x", 2.9, 4.1);
    table_make(&t, number_column("y", 0, 1), &feature);
    static const size_t at[] = {1, 0};
    for (uint64_t seed = 0; seed < 200; seed++) {
        hr_bounds got[2];
        double cost = seed % 2 ? 10 : .001; /* nearly no noise, and nothing but noise */
        release(&t, &(hr_bounds_columns){at, 2}, measures[seed % 3], cost, seed, got);
        assert_true(got[0].low >= 0 && got[0].low < got[0].high && got[0].high <= 1);
        assert_true(got[1].low >= 2.9 && got[1].low < got[1].high && got[1].high <= 4.1);
    }
    table_close(&t);
}

/* All values are 0: noise hides what else there may be. */
static void test_bounds__of_zeros_end_at_one(void **state) {
    (void)state;
    table t = table_open(5000, 1);
    hr_column feature = number_column("x", -1e12, 1e12);
    table_make(&t, category_column("y", 2), &feature);
    hr_bounds got;
    release(&t, &(hr_bounds_columns){&(size_t){0}, 1}, HR_PRIVACY_PURE, 1, 5, &got);
    assert_true(got.low == 0 && got.high == 1);
    table_close(&t);
}

/* ---- The law ---- */

/* m of many records lie far above the others, in a cell of their own: it is told if m and its noise pass the
 * threshold, 11 deviations, with the probability of the discrete Laplace law, p^j/(1 + p) for noise of j or
 * more; wide windows add less than 0.02. 4000 releases: 5 deviations of a binomial number are 1e-6. */
static void test_far_cells__are_told_as_the_noise_says(void **state) {
    (void)state;
    enum { RUNS = 4000, ROWS = 3000 };
    const double cost = .5, scale = HR_COUNT_UNIT / cost, p = exp(-1 / scale);
    double threshold = 11 * hr_noise_deviation(HR_PRIVACY_PURE, hr_units_up(cost), HR_COUNT_SENSITIVITY);
    size_t m = (size_t)((threshold - scale) / HR_COUNT_UNIT);
    double needed = floor(threshold - (double)(m * HR_COUNT_UNIT)) + 1,
           wanted = exp(-needed / scale) / (1 + p);
    assert_true(wanted > .1 && wanted < .3);
    table t = table_open(ROWS, 1);
    for (size_t i = 0; i < t.rows; i++) t.columns[0][i] = i < m ? 1e9 : 1;
    hr_column feature = number_column("x", -1e12, 1e12);
    table_make(&t, category_column("y", 2), &feature);
    size_t told = 0;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        hr_bounds got;
        release(&t, &(hr_bounds_columns){&(size_t){0}, 1}, HR_PRIVACY_PURE, cost, 1000 + seed, &got);
        told += got.high >= 1e9;
    }
    double part = (double)told / RUNS, slack = 5 * sqrt(wanted / RUNS);
    if (part < wanted - slack || part > wanted + .02 + slack)
        fail_msg("%.4f of the releases tell the far cell, not %.4f", part, wanted);
    table_close(&t);
}

static void test_check__knows_what_a_cost_buys(void **state) {
    (void)state;
    table t = values_open(10);
    static const size_t at[] = {0, 1, 2};
    const hr_bounds_columns columns = {at, 3};
    hr_charge charge = {.what = "bounds", .cost = hr_units_up(.1)};
    hr_error err = {0};
    for (size_t m = 0; m < COUNT(measures); m++) {
        assert_int_equal(hr_bounds_check(t.schema, &columns, measures[m], &charge, &err), HR_OK);
        hr_charge little = charge;
        little.cost = 2;
        assert_int_equal(hr_bounds_check(t.schema, &columns, measures[m], &little, &err), HR_E_BUDGET);
    }
    table_close(&t);
}

/* ---- Over owners ---- */

enum { OWNERS = 3 };

/* The records from `begin` to `end` of values_open. */
static table owner_open(const table *all, size_t begin, size_t end) {
    table t = table_open(end - begin, all->features);
    for (size_t i = begin; i < end; i++) {
        for (size_t f = 0; f < all->features; f++) t.columns[f][i - begin] = all->columns[f][i];
        t.labels[i - begin] = all->labels[i];
    }
    hr_column features[] = {number_column("x", -1e12, 1e12), number_column("n", -1e12, 1e12)};
    features[1].integer = true;
    table_make(&t, number_column("y", -1e12, 1e12), features);
    return t;
}

/* What the machine makes of the sums of these tables' cells, without noise. */
static void sum_bounds(const table *tables, size_t count, double noise_factor, hr_bounds *out) {
    static const size_t at[] = {2, 0, 1};
    const hr_bounds_columns columns = {at, 3};
    const hr_charge charge = {"bounds", -1, -1, 40, 3, hr_units_up(.1), 1};
    hr_bounds_machine machine;
    hr_bounds_question question;
    hr_bounds_begin(&machine, tables[0].schema, &columns, HR_PRIVACY_GDP, &charge, out);
    while (hr_bounds_next(&machine, &question)) {
        hr_exact cells[CELLS];
        hr_noisy sums[CELLS] = {{0}};
        for (size_t i = 0; i < count; i++) {
            hr_bounds_count(tables[i].data, &question, cells);
            for (size_t c = 0; c < question.cells; c++) sums[c].paid += cells[c].unpaid;
        }
        hr_bounds_take(&machine, sums, noise_factor);
    }
}

static void test_sums_of_owners__say_what_all_records_say(void **state) {
    (void)state;
    table all = values_open(9000), owners[OWNERS];
    static const size_t ends[] = {0, 10, 3000, 9000};
    for (size_t i = 0; i < OWNERS; i++) owners[i] = owner_open(&all, ends[i], ends[i + 1]);
    hr_bounds wanted[3], got[3];
    sum_bounds(&all, 1, 1, wanted);
    sum_bounds(owners, OWNERS, 1, got);
    for (size_t i = 0; i < 3; i++)
        assert_true(!(got[i].low < wanted[i].low) && !(got[i].low > wanted[i].low) &&
                    !(got[i].high < wanted[i].high) && !(got[i].high > wanted[i].high));
    assert_true(wanted[0].low > 4000 && wanted[0].high < 6500);
    for (size_t i = 0; i < OWNERS; i++) table_close(&owners[i]);
    table_close(&all);
}

/* With more noise than there are records, no far cell is told. */
static void test_more_noise__hides_far_cells(void **state) {
    (void)state;
    table t = table_open(2000, 2);
    for (size_t i = 0; i < t.rows; i++) t.columns[0][i] = i < 200 ? 1e9 : 1;
    hr_column features[] = {number_column("x", -1e12, 1e12), number_column("n", -1e12, 1e12)};
    table_make(&t, number_column("y", -1e12, 1e12), features);
    hr_bounds got[3];
    sum_bounds(&t, 1, 1, got);
    assert_true(got[1].high >= 1e9);
    sum_bounds(&t, 1, 10, got);
    assert_true(got[1].high < 1e9);
    table_close(&t);
}

/* Every question: one record more adds HR_COUNT_UNIT to one cell, and the line says so. */
static void test_questions__change_by_a_count_a_record(void **state) {
    (void)state;
    table more = values_open(300), less = owner_open(&more, 1, 300);
    static const size_t at[] = {0, 2, 1};
    const hr_charge charge = {"bounds", -1, -1, 40, 3, hr_units_up(.1), 1};
    hr_bounds got[3];
    hr_bounds_machine machine;
    hr_bounds_question question;
    hr_units sum = 0;
    size_t asked = 0;
    hr_bounds_begin(&machine, more.schema, &(hr_bounds_columns){at, 3}, HR_PRIVACY_PURE, &charge, got);
    for (; hr_bounds_next(&machine, &question); asked++) {
        hr_exact with[CELLS], without[CELLS];
        hr_noisy cells[CELLS] = {{0}};
        int64_t moved = 0;
        memset(with, 1, sizeof with);
        memset(without, 2, sizeof without);
        hr_bounds_count(more.data, &question, with);
        hr_bounds_count(less.data, &question, without);
        for (size_t c = 0; c < question.cells; c++) {
            moved += llabs(with[c].unpaid - without[c].unpaid);
            cells[c].paid = with[c].unpaid;
        }
        assert_int_equal(moved, HR_COUNT_UNIT);
        assert_true(question.line.sensitivity == (uint64_t)moved);
        assert_true(question.line.group == 40 && question.line.part == 3 && question.line.cost > 0);
        sum += question.line.cost;
        hr_bounds_take(&machine, cells, 1);
    }
    assert_int_equal(asked, 4);
    assert_true(sum <= charge.cost && sum + 8 > charge.cost);
    table_close(&less);
    table_close(&more);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_magnitudes__end_at_quarters_of_octaves),
        cmocka_unit_test(test_even_cells__hold_every_value_once),
        cmocka_unit_test(test_bounds__are_near_the_values),
        cmocka_unit_test(test_bounds__stay_within_the_limits),
        cmocka_unit_test(test_bounds__of_zeros_end_at_one),
        cmocka_unit_test(test_far_cells__are_told_as_the_noise_says),
        cmocka_unit_test(test_sums_of_owners__say_what_all_records_say),
        cmocka_unit_test(test_more_noise__hides_far_cells),
        cmocka_unit_test(test_questions__change_by_a_count_a_record),
        cmocka_unit_test(test_check__knows_what_a_cost_buys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
