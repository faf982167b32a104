/* Private bounds: the cells of values, one record more, what they cost, how often noise is taken for records,
 * the law of a far cell, and how near to the values bounds come. */
#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "support/gate_cost.h"
#include "support/tables.h"
#include "tables/bins/private_bounds.h"

enum { ZERO = HR_BOUNDS_MAGNITUDES, CELLS = HR_BOUNDS_CELLS, LAST = HR_BOUNDS_LAST_CELLS };

/* ---- Cells ---- */

/* The one cell of a value; -1: none. */
static int cell_of(double value) {
    static const hr_bounds_question magnitudes = {.step = HR_BOUNDS_MAGNITUDES_STEP, .cells = CELLS};
    hr_exact cells[CELLS] = {{0}};
    int found = -1;
    hr_bounds_count_values(&magnitudes, &value, 1, cells);
    for (int i = 0; i < CELLS; i++) {
        if (!cells[i].unpaid) continue;
        assert_true(cells[i].unpaid == HR_COUNT_UNIT && found < 0);
        found = i;
    }
    return found;
}

static void test_magnitudes__end_at_octaves(void **state) {
    (void)state;
    assert_int_equal(cell_of(0), ZERO);
    assert_int_equal(cell_of(-0.), ZERO);
    assert_int_equal(cell_of((double)NAN), -1);
    for (int m = 1; m < HR_BOUNDS_MAGNITUDES; m++) {
        double end = exp2(-64 + (m - 1));
        assert_int_equal(cell_of(end), ZERO + m);
        assert_int_equal(cell_of(end * (1 - 1e-12)), ZERO + m);
        assert_int_equal(cell_of(end * (1 + 1e-12)), ZERO + m + 1);
        assert_int_equal(cell_of(-end), ZERO - m);
        assert_int_equal(cell_of(-end * (1 + 1e-12)), ZERO - m - 1);
    }
    static const double ends[] = {1e300, (double)INFINITY, 0x1p129};
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
    const hr_bounds_question q = {.step = HR_BOUNDS_LAST_STEP, .within = {-2, 6}, .cells = LAST};
    for (size_t i = 0; i < COUNT(values); i++) {
        hr_exact cells[LAST] = {{0}};
        hr_bounds_count_values(&q, &values[i], 1, cells);
        for (int c = 0; c < LAST; c++) assert_true(cells[c].unpaid == (c == wanted[i] ? HR_COUNT_UNIT : 0));
    }
    hr_exact cells[LAST] = {{0}};
    hr_bounds_count_values(&q, &(double){(double)NAN}, 1, cells);
    for (int c = 0; c < LAST; c++) assert_true(cells[c].unpaid == 0);
}

/* ---- How often noise is taken for records ---- */

enum { REACH = 2000, LAW = 2 * REACH + 1 };

/* The law of the sum of `terms` noises, from -REACH on: what is beyond is below 1e-20. */
static void add_noises(const double *one, int terms, double *sum) {
    static double before[LAW];
    memcpy(sum, one, LAW * sizeof *sum);
    for (int k = 1; k < terms; k++) {
        memcpy(before, sum, sizeof before);
        for (int i = 0; i < LAW; i++) {
            sum[i] = 0;
            for (int j = -300; j <= 300; j++)
                if (i - j >= 0 && i - j < LAW) sum[i] += before[i - j] * one[REACH + j];
        }
    }
}

static void assert_bound_holds(hr_privacy_measure measure, double deviation, const double *one) {
    static const double odds[] = {.1, 1e-3, 1e-7};
    static double law[LAW];
    for (int terms = 1; terms <= 4; terms *= 2) {
        add_noises(one, terms, law);
        for (size_t k = 0; k < COUNT(odds); k++) {
            const double bound = hr_noise_bound(measure, deviation, terms, odds[k]);
            double beyond = 0;
            for (int i = LAW - 1; i - REACH > bound; i--) beyond += law[i];
            if (!(beyond <= odds[k] && (deviation < 5 || beyond >= odds[k] / 50)))
                fail_msg("%d noises exceed %g with probability %g, not %g", terms, bound, beyond, odds[k]);
        }
    }
}

/* Against the exact laws of the noise: never more often; and, where its steps are small beside it, not much
 * more rarely, so that records are not hidden without need. */
static void test_noise_bound__holds_for_the_exact_laws(void **state) {
    (void)state;
    static double one[LAW];
    static const double scales[] = {1, 6};
    for (size_t s = 0; s < COUNT(scales); s++) {
        const double p = exp(-1 / scales[s]), variance = scales[s] * scales[s];
        double total = 0;
        for (int i = 0; i < LAW; i++) one[i] = (1 - p) / (1 + p) * pow(p, abs(i - REACH));
        assert_bound_holds(HR_PRIVACY_PURE, sqrt(2) * scales[s], one);
        for (int i = 0; i < LAW; i++) total += one[i] = exp(-pow(i - REACH, 2) / (2 * variance));
        for (int i = 0; i < LAW; i++) one[i] /= total;
        assert_bound_holds(HR_PRIVACY_GDP, scales[s], one);
    }
    assert_true(hr_noise_bound(HR_PRIVACY_NONE, 0, 4, .1) <= 0);
}

/* ---- Releases ---- */

static const hr_privacy_measure measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_ZCDP, HR_PRIVACY_GDP};

static hr_bounds_setup setup_of(const hr_schema *schema, const hr_bounds_columns *columns,
                                hr_privacy_measure measure, double cost) {
    return (hr_bounds_setup){.schema = schema,
                             .columns = *columns,
                             .privacy_measure = measure,
                             .charge = {"bounds", -1, -1, 40, 3, hr_units_up(cost), 1},
                             .noise_factor = 1,
                             .odds = HR_BOUNDS_ODDS};
}

static size_t cells_of(const char *what) {
    return !strcmp(what, "magnitudes") ? CELLS : !strcmp(what, "closer bounds") ? HR_BOUNDS_ZOOM_CELLS : LAST;
}

/* *lines: how many histograms there were. */
static void release_by(const table *t, const hr_bounds_setup *setup, uint64_t seed, hr_bounds_search *out,
                       size_t *lines) {
    hr_csprng *csprng = NULL;
    hr_gate *gate = NULL;
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(setup->privacy_measure, setup->charge.cost, csprng, &gate, NULL), HR_OK);
    assert_int_equal(hr_bounds_private(t->data, setup, gate, out, NULL), HR_OK);
    hr_units sum = 0;
    const hr_release *releases = hr_gate_releases(gate, lines);
    for (size_t i = 0; i < *lines; i++) {
        sum += releases[i].cost;
        assert_true(releases[i].group == 40 && releases[i].part == 3);
        assert_true(releases[i].sensitivity == HR_COUNT_SENSITIVITY);
        assert_true(releases[i].draws == cells_of(releases[i].what));
    }
    assert_true(*lines >= setup->columns.count && *lines <= hr_bounds_lines(setup->schema, &setup->columns));
    assert_true(sum <= setup->charge.cost);
    hr_gate_free(gate);
    hr_csprng_close(csprng);
}

static void release(const table *t, const hr_bounds_columns *columns, hr_privacy_measure measure, double cost,
                    uint64_t seed, hr_bounds_search *out) {
    const hr_bounds_setup setup = setup_of(t->schema, columns, measure, cost);
    size_t lines;
    release_by(t, &setup, seed, out, &lines);
}

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

/* Within two octaves for features, and in parts of its range for the label, with seeds that are fixed. */
static void test_bounds__are_near_the_values(void **state) {
    (void)state;
    table t = values_open(20000);
    static const size_t at[] = {0, 1, 2};
    for (size_t m = 0; m < COUNT(measures); m++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            hr_bounds_search found[3];
            release(&t, &(hr_bounds_columns){at, 3}, measures[m], measures[m] == HR_PRIVACY_PURE ? 1 : .1,
                    seed, found);
            const hr_bounds got[] = {found[0].bounds, found[1].bounds, found[2].bounds};
            if (!(got[0].low >= 0 && got[0].low <= 21 && got[0].high >= 49 && got[0].high <= 260))
                fail_msg("%g to %g", got[0].low, got[0].high);
            assert_true(got[1].low <= -800 && got[1].low >= -4096 && got[1].high >= 0 && got[1].high <= 1);
            assert_true(got[1].low == floor(got[1].low));
            if (!(got[2].low <= 5010 && got[2].low >= 4750 && got[2].high >= 5090 && got[2].high <= 5350))
                fail_msg("%g to %g", got[2].low, got[2].high);
        }
    table_close(&t);
}

/* A column of values from `low` to `high`, as the feature and as the label. */
static table even_open(size_t rows, double low, double high) {
    table t = table_open(rows, 1);
    uint64_t seed = 5;
    for (size_t i = 0; i < rows; i++) t.columns[0][i] = t.labels[i] = low + (high - low) * next_unit(&seed);
    const hr_column feature = number_column("x", -0x1p127, 0x1p127);
    table_make(&t, number_column("y", -0x1p127, 0x1p127), &feature);
    return t;
}

/* From all limits that there are: years of nanoseconds, a narrow range far from 0, tiny and negative values.
 */
static void test_bounds__of_narrow_and_far_values_are_narrow(void **state) {
    (void)state;
    static const hr_bounds ranges[] = {{1.6e18, 1.63e18}, {1e6, 1e6 + 60}, {-1e6 - 60, -1e6},
                                       {2e-15, 3e-15},    {1e30, 2e30},    {-7, 5}};
    for (size_t k = 0; k < COUNT(ranges); k++) {
        const double width = ranges[k].high - ranges[k].low;
        table t = even_open(20000, ranges[k].low, ranges[k].high);
        for (uint64_t seed = 0; seed < 12; seed++) {
            hr_bounds_search found[2];
            release(&t, &(hr_bounds_columns){(const size_t[]){0, 1}, 2}, measures[seed % 3],
                    seed % 3 ? .05 : 1, seed, found);
            const hr_bounds label = found[1].bounds, feature = found[0].bounds;
            assert_true(found[0].seen && found[1].seen);
            if (!(label.low <= ranges[k].low + .1 * width && label.high >= ranges[k].high - .1 * width &&
                  label.high - label.low <= 6 * width))
                fail_msg("label %g to %g", label.low, label.high);
            if (!(feature.low <= ranges[k].low + .1 * width && feature.high >= ranges[k].high - .1 * width &&
                  feature.high - feature.low <= 300 * width))
                fail_msg("feature %g to %g", feature.low, feature.high);
        }
        table_close(&t);
    }
}

/* Of tables without a value, an odd-less release sees something with the probability that is said, at most.
 * 2000 releases of 12 columns; 5 deviations of a binomial number are 1e-6; and at the odds of a fit, none. */
static void test_noise__is_taken_for_records_as_rarely_as_said(void **state) {
    (void)state;
    enum { RUNS = 2000, FEATURES = 11 };
    static const double said = .1;
    table t = table_open(1, FEATURES);
    hr_column features[FEATURES];
    static const char *const names[FEATURES] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
    size_t at[FEATURES + 1], wrong = 0;
    for (size_t f = 0; f <= FEATURES; f++) at[f] = f;
    for (size_t f = 0; f < FEATURES; f++) {
        features[f] = number_column(names[f], -1e12, 1e12);
        t.columns[f][0] = (double)NAN;
    }
    table_make(&t, number_column("y", -1e12, 1e12), features);
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        hr_bounds_search found[FEATURES + 1];
        hr_bounds_setup setup = setup_of(t.schema, &(hr_bounds_columns){at, FEATURES + 1}, measures[seed % 3],
                                         seed % 3 ? 1e-3 : .2);
        setup.odds = said;
        size_t lines;
        bool any = false;
        release_by(&t, &setup, seed, found, &lines);
        for (size_t f = 0; f <= FEATURES; f++) any |= found[f].seen;
        wrong += any;
        if (any) continue;
        for (size_t f = 0; f <= FEATURES; f++)
            assert_true(found[f].bounds.low == -1e12 && found[f].bounds.high == 1e12);
        assert_int_equal(lines, FEATURES + 1);
    }
    const double part = (double)wrong / RUNS, slack = 5 * sqrt(said / RUNS);
    if (part > said + slack) fail_msg("%.4f of the releases see what is not there, not %.2f", part, said);
    table_close(&t);
}

/* A label is hidden, not guessed, where there are few records for the noise; the number that is needed
 * suffices nearly always. */
static void test_bounds__need_the_records_that_they_say(void **state) {
    (void)state;
    enum { RUNS = 60 };
    static const size_t at[] = {1, 0};
    const hr_bounds_columns columns = {at, 2};
    for (size_t m = 0; m < COUNT(measures); m++) {
        table few = even_open(60, -100, 100);
        const hr_bounds_setup setup = setup_of(few.schema, &columns, measures[m], m ? .005 : .3);
        const double needed = hr_bounds_records_needed(&setup, 0);
        assert_true(needed > 400 && needed < 20000 && needed > hr_bounds_records_needed(&setup, 1) / 3);
        table enough = even_open((size_t)needed, -100, 100);
        size_t seen = 0;
        for (uint64_t seed = 0; seed < RUNS; seed++) {
            hr_bounds_search found[2];
            release(&few, &columns, measures[m], m ? .005 : .3, seed, found);
            assert_false(found[0].seen || found[1].seen);
            release(&enough, &columns, measures[m], m ? .005 : .3, seed, found);
            seen += found[0].seen;
            if (found[0].seen) assert_true(found[0].bounds.low >= -600 && found[0].bounds.high <= 600);
        }
        if (seen < RUNS * 8 / 10) fail_msg("%zu of %d labels seen of %g records", seen, RUNS, needed);
        table_close(&enough);
        table_close(&few);
    }
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
        hr_bounds_search found[2];
        double cost = seed % 2 ? 10 : .001; /* nearly no noise, and nothing but noise */
        release(&t, &(hr_bounds_columns){at, 2}, measures[seed % 3], cost, seed, found);
        const hr_bounds got[] = {found[0].bounds, found[1].bounds};
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
    hr_bounds_search got;
    release(&t, &(hr_bounds_columns){&(size_t){0}, 1}, HR_PRIVACY_PURE, 1, 5, &got);
    assert_true(got.seen && got.bounds.low == 0 && got.bounds.high == 1);
    table_close(&t);
}

/* ---- The law ---- */

/* m of many records lie far above the others, in a cell of their own: it is told if m and its noise pass the
 * threshold, with the probability of the discrete Laplace law, p^j/(1 + p) for noise of j or more; wide
 * windows add less than 0.02. 4000 releases: 5 deviations of a binomial number are 1e-6. */
static void test_far_cells__are_told_as_the_noise_says(void **state) {
    (void)state;
    enum { RUNS = 4000, ROWS = 3000, WINDOWS = CELLS + (CELLS - 1) + (CELLS - 3), LINES = 3 };
    const double cost = .5, scale = HR_COUNT_UNIT / (cost * 6 / 8), p = exp(-1 / scale);
    const double threshold = scale * log(2 * LINES * WINDOWS / HR_BOUNDS_ODDS);
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
        hr_bounds_search got;
        release(&t, &(hr_bounds_columns){&(size_t){0}, 1}, HR_PRIVACY_PURE, cost, 1000 + seed, &got);
        told += got.bounds.high >= 1e9;
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
    hr_error err = {0};
    for (size_t m = 0; m < COUNT(measures); m++) {
        hr_bounds_setup setup = setup_of(t.schema, &columns, measures[m], .1);
        assert_int_equal(hr_bounds_check(&setup, &err), HR_OK);
        setup.charge.cost = 2;
        assert_int_equal(hr_bounds_check(&setup, &err), HR_E_BUDGET);
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

/* What the sums of these tables' cells make, without noise. */
static void sum_bounds(const table *tables, size_t count, double noise_factor, hr_bounds_search *out) {
    static const size_t at[] = {2, 0, 1};
    hr_bounds_setup setup = setup_of(tables[0].schema, &(hr_bounds_columns){at, 3}, HR_PRIVACY_GDP, .1);
    setup.noise_factor = noise_factor;
    for (size_t c = 0; c < 3; c++) {
        out[c] = (hr_bounds_search){0};
        while (out[c].next != HR_BOUNDS_DONE) {
            const hr_bounds_question question = hr_bounds_next_question(&setup, c, &out[c]);
            hr_exact cells[CELLS];
            hr_noisy sums[CELLS] = {{0}};
            for (size_t i = 0; i < count; i++) {
                hr_bounds_count(tables[i].data, &question, cells);
                for (size_t k = 0; k < question.cells; k++) sums[k].paid += cells[k].unpaid;
            }
            hr_bounds_accept(&setup, c, sums, &out[c]);
        }
    }
}

static void test_sums_of_owners__say_what_all_records_say(void **state) {
    (void)state;
    table all = values_open(9000), owners[OWNERS];
    static const size_t ends[] = {0, 10, 3000, 9000};
    for (size_t i = 0; i < OWNERS; i++) owners[i] = owner_open(&all, ends[i], ends[i + 1]);
    hr_bounds_search wanted[3], got[3];
    sum_bounds(&all, 1, 1, wanted);
    sum_bounds(owners, OWNERS, 1, got);
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(&got[i].bounds, &wanted[i].bounds, sizeof got[i].bounds);
    assert_true(wanted[0].bounds.low > 4900 && wanted[0].bounds.high < 5200 && wanted[0].zooms > 0);
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
    hr_bounds_search got[3];
    sum_bounds(&t, 1, 1, got);
    assert_true(got[1].bounds.high >= 1e9);
    sum_bounds(&t, 1, 10, got);
    assert_true(got[1].bounds.high < 1e9);
    table_close(&t);
}

/* Every question: one record more adds HR_COUNT_UNIT to one cell, and the line says so. Without noise the
 * label, which is far from 0 and narrow, has all steps. */
static void test_questions__change_by_a_count_a_record(void **state) {
    (void)state;
    table more = values_open(3000), less = owner_open(&more, 1, 3000);
    static const size_t at[] = {0, 2, 1};
    const hr_bounds_setup setup = setup_of(more.schema, &(hr_bounds_columns){at, 3}, HR_PRIVACY_PURE, .5);
    hr_units sum = 0;
    size_t asked[3] = {0};
    for (size_t i = 0; i < 3; i++) {
        hr_bounds_search search = {0};
        for (; search.next != HR_BOUNDS_DONE; asked[i]++) {
            const hr_bounds_question question = hr_bounds_next_question(&setup, i, &search);
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
            hr_bounds_accept(&setup, i, cells, &search);
        }
    }
    assert_in_range(asked[0], 1, 3);
    assert_in_range(asked[1], 3, 5);
    assert_int_equal(asked[2], 1);
    assert_true(sum <= setup.charge.cost);
    table_close(&less);
    table_close(&more);
}

/* However a search goes, it costs no more than its column. */
static void test_costs__add_up_to_what_is_charged(void **state) {
    (void)state;
    table t = values_open(10);
    static const size_t at[] = {0, 1, 2};
    for (hr_units cost = 1000; cost < 1040; cost++) {
        hr_bounds_setup setup = setup_of(t.schema, &(hr_bounds_columns){at, 3}, HR_PRIVACY_PURE, 1);
        setup.charge.cost = cost;
        for (int zooms = 0; zooms <= HR_BOUNDS_ZOOMS_OF_LABEL; zooms++) {
            hr_units sum = 0;
            for (size_t i = 0; i < 3; i++) {
                hr_bounds_search s = {0};
                sum += hr_bounds_next_question(&setup, i, &s).line.cost;
                s.next = HR_BOUNDS_ZOOM_STEP;
                for (; s.zooms < zooms && (i == 2 || s.zooms < HR_BOUNDS_ZOOMS_OF_FEATURE); s.zooms++)
                    sum += hr_bounds_next_question(&setup, i, &s).line.cost;
                s.next = HR_BOUNDS_LAST_STEP;
                if (i == 2) sum += hr_bounds_next_question(&setup, i, &s).line.cost;
            }
            assert_true(sum <= cost);
        }
    }
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_magnitudes__end_at_octaves),
        cmocka_unit_test(test_even_cells__hold_every_value_once),
        cmocka_unit_test(test_noise_bound__holds_for_the_exact_laws),
        cmocka_unit_test(test_bounds__are_near_the_values),
        cmocka_unit_test(test_bounds__of_narrow_and_far_values_are_narrow),
        cmocka_unit_test(test_noise__is_taken_for_records_as_rarely_as_said),
        cmocka_unit_test(test_bounds__need_the_records_that_they_say),
        cmocka_unit_test(test_bounds__stay_within_the_limits),
        cmocka_unit_test(test_bounds__of_zeros_end_at_one),
        cmocka_unit_test(test_far_cells__are_told_as_the_noise_says),
        cmocka_unit_test(test_sums_of_owners__say_what_all_records_say),
        cmocka_unit_test(test_more_noise__hides_far_cells),
        cmocka_unit_test(test_questions__change_by_a_count_a_record),
        cmocka_unit_test(test_costs__add_up_to_what_is_charged),
        cmocka_unit_test(test_check__knows_what_a_cost_buys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
