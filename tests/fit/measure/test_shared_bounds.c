/* Private bounds over owners: the sum of their answers counts all their records, an answer changes by what is
 * charged, and the noise of the sum is what bounds reckon with. Coins are fixed. */
#include "fit/measure/shared_bounds.h"

#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "support/sum_owners.h"
#include "support/tables.h"
#include "tables/data/records.h"

#include <math.h>
#include <string.h>

enum { OWNERS = SUM_OWNERS, ROWS = 300, COLUMNS = 3, VALUES_MAX = COLUMNS * HR_BOUNDS_CELLS };

static void assert_near(double value, double wanted, double within) {
    if (!(fabs(value - wanted) <= within)) fail_msg("%g is not within %g of %g", value, within, wanted);
}

/* Owners' tables of two features and a label, and one of all of their records. */
typedef struct bounds_world {
    table tables[OWNERS], all;
    size_t at[COLUMNS];
    hr_bounds_search searches[COLUMNS];
    hr_shared_bounds bounds;
} bounds_world;

/* Of even cells all columns are asked, the label for its last. */
static void set_step(bounds_world *w, bool even) {
    for (size_t i = 0; i < COLUMNS; i++) {
        w->searches[i] = (hr_bounds_search){.next = HR_BOUNDS_MAGNITUDES_STEP, .bounds = {0, 1}};
        if (even) w->searches[i].next = i + 1 < COLUMNS ? HR_BOUNDS_ZOOM_STEP : HR_BOUNDS_LAST_STEP;
    }
}

static table table_of_all(const bounds_world *w) {
    table all = table_open(OWNERS * ROWS, 2);
    for (size_t o = 0; o < OWNERS; o++)
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t f = 0; f < 2; f++) all.columns[f][o * ROWS + i] = w->tables[o].columns[f][i];
            all.labels[o * ROWS + i] = w->tables[o].labels[i];
        }
    table_make_plain(&all, 0);
    return all;
}

static void open_bounds(bounds_world *w, double epsilon, double delta) {
    *w = (bounds_world){.at = {0, 1, 2}};
    for (size_t o = 0; o < OWNERS; o++) w->tables[o] = table_of_steps(ROWS, 2, 0, 20 + o);
    w->all = table_of_all(w);
    w->bounds = (hr_shared_bounds){.schema = w->all.schema,
                                   .columns = {w->at, COLUMNS},
                                   .searches = w->searches,
                                   .epsilon = epsilon,
                                   .delta = delta,
                                   .members = OWNERS,
                                   .coalition = 1};
}

static void close_bounds(bounds_world *w) {
    for (size_t o = 0; o < OWNERS; o++) table_close(&w->tables[o]);
    table_close(&w->all);
}

static hr_budget budget_of(const bounds_world *w) {
    hr_budget budget;
    hr_error err = {0};
    if (hr_shared_bounds_check(&w->bounds, &budget, &err)) fail_msg("%s", err.message);
    return budget;
}

static size_t values_of(const bounds_world *w) {
    hr_bounds_question histograms[HR_SHARED_BOUNDS_MAX];
    const hr_budget budget = budget_of(w);
    size_t values = 0, lines = hr_shared_bounds_histograms(&w->bounds, &budget, histograms);
    for (size_t i = 0; i < lines; i++) values += histograms[i].cells;
    return values;
}

static void answer_of(const bounds_world *w, size_t owner, const hr_data *data, const sum_gate *g,
                      uint64_t out[VALUES_MAX]) {
    hr_bounds_question histograms[HR_SHARED_BOUNDS_MAX];
    hr_charge charges[HR_SHARED_BOUNDS_MAX];
    size_t counts[HR_SHARED_BOUNDS_MAX];
    hr_exact exact[VALUES_MAX];
    const hr_budget budget = budget_of(w);
    const size_t lines = hr_shared_bounds_histograms(&w->bounds, &budget, histograms);
    for (size_t i = 0, at = 0; i < lines; at += counts[i++]) {
        charges[i] = histograms[i].line;
        counts[i] = histograms[i].cells;
        hr_bounds_count(data, &histograms[i], exact + at);
    }
    const sum_lines all = {charges, counts, lines, hr_noise_shares(OWNERS, w->bounds.coalition)};
    assert_int_equal(sum_answer(g, owner, &all, exact, out), HR_OK);
}

/* The sum of all owners' answers; of exact ones where the measure is HR_PRIVACY_NONE. */
static void sum_of(const bounds_world *w, hr_privacy_measure measure, uint64_t seed,
                   int64_t out[VALUES_MAX]) {
    uint64_t answer[VALUES_MAX], sums[VALUES_MAX] = {0};
    for (size_t o = 0; o < OWNERS; o++) {
        sum_gate g = sum_gate_of(measure, budget_of(w).units, OWNERS * seed + o);
        answer_of(w, o, w->tables[o].data, &g, answer);
        for (size_t i = 0; i < values_of(w); i++) sums[i] += answer[i];
        sum_gate_done(&g);
    }
    for (size_t i = 0; i < values_of(w); i++) out[i] = (int64_t)sums[i];
}

/* ---- Columns ---- */

static void test_shared_bounds__have_the_label_last(void **state) {
    (void)state;
    bounds_world w;
    hr_error err = {0};
    size_t at[COLUMNS];
    open_bounds(&w, 1, 0);
    const char *given[COLUMNS] = {hr_schema_label(w.all.schema)->name,
                                  hr_schema_feature(w.all.schema, 1)->name,
                                  hr_schema_feature(w.all.schema, 0)->name};
    if (hr_shared_bounds_find(w.all.schema, given, COLUMNS, at, &err)) fail_msg("%s", err.message);
    assert_int_equal(at[0], 1);
    assert_int_equal(at[1], 0);
    assert_int_equal(at[2], 2);
    given[0] = "none";
    assert_int_equal(hr_shared_bounds_find(w.all.schema, given, COLUMNS, at, &err), HR_E_ARGUMENT);
    assert_int_equal(hr_shared_bounds_find(w.all.schema, given, 0, at, &err), HR_E_LIMIT);
    close_bounds(&w);
}

/* ---- Sums ---- */

static void assert_counts_of_all(const bounds_world *w, const int64_t *sums, const hr_bounds_question *q) {
    hr_exact cells[HR_BOUNDS_CELLS];
    hr_bounds_count(w->all.data, q, cells);
    for (size_t c = 0; c < q->cells; c++) assert_int_equal(sums[c], cells[c].unpaid);
}

static void test_shared_bounds__sums_count_all_records(void **state) {
    (void)state;
    bounds_world w;
    int64_t sums[VALUES_MAX];
    hr_bounds_question histograms[HR_SHARED_BOUNDS_MAX];
    open_bounds(&w, 1, 0);
    const hr_budget budget = budget_of(&w);
    for (int even = 0; even < 2; even++) {
        set_step(&w, even);
        sum_of(&w, HR_PRIVACY_NONE, 1, sums);
        const int64_t *at = sums;
        assert_int_equal(hr_shared_bounds_histograms(&w.bounds, &budget, histograms), COLUMNS);
        for (size_t i = 0; i < COLUMNS; at += histograms[i++].cells)
            assert_counts_of_all(&w, at, &histograms[i]);
    }
    close_bounds(&w);
}

static bool is_done(const bounds_world *w) {
    for (size_t i = 0; i < COLUMNS; i++)
        if (w->searches[i].next != HR_BOUNDS_DONE) return false;
    return true;
}

/* With so little noise the bounds are those of one table that has all records. */
static void test_shared_bounds__are_those_of_all_records(void **state) {
    (void)state;
    bounds_world w;
    int64_t sums[VALUES_MAX];
    hr_noisy noisy[VALUES_MAX];
    hr_bounds_search alone[COLUMNS];
    open_bounds(&w, 1e4, 0);
    while (!is_done(&w)) {
        sum_of(&w, HR_PRIVACY_NONE, 1, sums);
        for (size_t i = 0; i < VALUES_MAX; i++) noisy[i].paid = sums[i];
        assert_int_equal(hr_shared_bounds_take(&w.bounds, noisy, w.searches, NULL), HR_OK);
    }
    sum_gate g = sum_gate_of(HR_PRIVACY_NONE, budget_of(&w).units, 1);
    const hr_bounds_setup setup = {.schema = w.all.schema,
                                   .columns = w.bounds.columns,
                                   .charge = {.what = "bounds", .cost = budget_of(&w).units},
                                   .noise_factor = 1,
                                   .odds = HR_BOUNDS_ODDS};
    assert_int_equal(hr_bounds_private(w.all.data, &setup, g.gate, alone, NULL), HR_OK);
    for (size_t i = 0; i < COLUMNS; i++) {
        assert_true(w.searches[i].seen && alone[i].seen);
        assert_near(w.searches[i].bounds.low, alone[i].bounds.low, 0);
        assert_near(w.searches[i].bounds.high, alone[i].bounds.high, 0);
    }
    sum_gate_done(&g);
    close_bounds(&w);
}

/* ---- What one record changes, and what is charged for it ---- */

static void test_shared_bounds__one_record_changes_no_histogram_by_more_than_is_charged(void **state) {
    (void)state;
    for (int even = 0; even < 2; even++) {
        bounds_world w;
        hr_bounds_question histograms[HR_SHARED_BOUNDS_MAX];
        uint64_t before[VALUES_MAX], after[VALUES_MAX];
        open_bounds(&w, 1, 0);
        set_step(&w, even);
        const hr_budget budget = budget_of(&w);
        assert_int_equal(hr_shared_bounds_histograms(&w.bounds, &budget, histograms), COLUMNS);
        for (size_t rows = 100; rows < 110; rows++) {
            table t[] = {table_of_steps(rows, 2, 0, 9), table_of_steps(rows + 1, 2, 0, 9)};
            sum_gate g[] = {sum_gate_of(HR_PRIVACY_NONE, 0, 1), sum_gate_of(HR_PRIVACY_NONE, 0, 1)};
            size_t lines;
            answer_of(&w, 0, t[0].data, &g[0], before);
            answer_of(&w, 0, t[1].data, &g[1], after);
            const hr_release *releases = hr_gate_releases(g[0].gate, &lines);
            assert_int_equal(lines, COLUMNS);
            for (size_t i = 0, at = 0; i < lines; at += histograms[i++].cells) {
                double change = 0;
                for (size_t c = at; c < at + histograms[i].cells; c++)
                    change += fabs((double)(int64_t)(after[c] - before[c]));
                assert_true(change <= (double)releases[i].sensitivity);
                assert_int_equal(releases[i].sensitivity, HR_COUNT_SENSITIVITY);
            }
            for (size_t i = 0; i < 2; i++) sum_gate_done(&g[i]), table_close(&t[i]);
        }
        close_bounds(&w);
    }
}

/* However the searches go, all answers together cost the budget at most; the label's all of its half. Gates
 * of their own, so that none is refused for what the others cost. */
static void test_shared_bounds__all_answers_cost_the_budget_together(void **state) {
    (void)state;
    bounds_world w;
    uint64_t answer[VALUES_MAX];
    hr_units total = 0;
    open_bounds(&w, .5, 0);
    for (int step = 0; step < 4; step++) {
        size_t lines;
        set_step(&w, step > 0);
        for (size_t i = 0; i < COLUMNS; i++) {
            w.searches[i].zooms = step - 1;
            if (step == 3) w.searches[i].next = i + 1 < COLUMNS ? HR_BOUNDS_DONE : HR_BOUNDS_LAST_STEP;
            if (step == 1 || step == 2) w.searches[i].next = HR_BOUNDS_ZOOM_STEP;
        }
        sum_gate g = sum_gate_of(HR_PRIVACY_PURE, budget_of(&w).units, 1);
        answer_of(&w, 0, w.tables[0].data, &g, answer);
        const hr_release *releases = hr_gate_releases(g.gate, &lines);
        for (size_t i = 0; i < lines; i++) total += releases[i].cost;
        sum_gate_done(&g);
    }
    assert_true(total <= budget_of(&w).units);
    assert_near((double)total / (double)budget_of(&w).units, 1, 1e-6);
    close_bounds(&w);
}

/* ---- Noise ---- */

/* Two of three owners are counted on: the sum has 3/2 of the variance that is paid for: six
 * eighths of half of the budget for the feature's magnitudes, four for the label's. Means of 40 x 389
 * squares; coins are fixed. */
static void assert_bounds_noise(double delta) {
    enum { RUNS = 40 };
    bounds_world w;
    int64_t exact[VALUES_MAX], noisy[VALUES_MAX];
    double squares[2] = {0};
    open_bounds(&w, 1, delta);
    w.at[1] = 2;
    w.bounds.columns.count = 2;
    const hr_budget budget = budget_of(&w);
    sum_of(&w, HR_PRIVACY_NONE, 1, exact);
    for (uint64_t run = 0; run < RUNS; run++) {
        sum_of(&w, budget.privacy_measure, 100 + run, noisy);
        for (size_t i = 0; i < 2 * (size_t)HR_BOUNDS_CELLS; i++)
            squares[i / HR_BOUNDS_CELLS] += pow((double)(noisy[i] - exact[i]), 2);
    }
    for (size_t h = 0; h < 2; h++) {
        const double paid =
            hr_noise_deviation(budget.privacy_measure, budget.units / 16 * (h ? 4 : 6), HR_COUNT_SENSITIVITY);
        assert_near(squares[h] / (RUNS * HR_BOUNDS_CELLS) / (paid * paid), 1.5, .2);
    }
    close_bounds(&w);
}

static void test_shared_bounds__noise_is_enough_without_a_coalition(void **state) {
    (void)state;
    assert_bounds_noise(0);
    assert_bounds_noise(1e-5);
}

/* Of the label: most records are at 0, and `count` far from it. */
static hr_bounds bounds_of_count(const bounds_world *w, int64_t count) {
    hr_noisy sums[VALUES_MAX] = {{0}};
    hr_bounds_search found[COLUMNS] = {{0}};
    hr_noisy *at_zero = sums + (COLUMNS - 1) * HR_BOUNDS_CELLS + HR_BOUNDS_MAGNITUDES;
    at_zero[0].paid = INT64_C(1) << 40;
    at_zero[40].paid = count;
    assert_int_equal(hr_shared_bounds_take(&w->bounds, sums, found, NULL), HR_OK);
    return found[COLUMNS - 1].bounds;
}

/* The least count that is more than noise. */
static int64_t least_count_of(const bounds_world *w) {
    const hr_bounds unseen = bounds_of_count(w, 0);
    int64_t low = 0, high = INT64_C(1) << 40;
    while (high - low > 1) {
        const int64_t count = low + (high - low) / 2;
        const hr_bounds found = bounds_of_count(w, count);
        *(memcmp(&found, &unseen, sizeof found) == 0 ? &low : &high) = count;
    }
    return high;
}

/* Shares of all three are in the sum, but two of them are all that the guarantee counts on, so that each is
 * larger. */
static void test_shared_bounds__reckon_with_the_noise_of_all_shares(void **state) {
    (void)state;
    bounds_world w;
    char statement[HR_SHARED_BOUNDS_STATEMENT];
    open_bounds(&w, 1, 0);
    const double with = (double)least_count_of(&w);
    for (size_t i = 0; i < COLUMNS; i++) w.searches[i].seen = true;
    assert_int_equal(hr_shared_bounds_state(&w.bounds, statement, NULL), HR_OK);
    assert_null(strstr(statement, "hides"));
    w.searches[1].seen = false;
    assert_int_equal(hr_shared_bounds_state(&w.bounds, statement, NULL), HR_OK);
    assert_non_null(strstr(statement, "hides the values of 1 of the 3 columns"));
    assert_non_null(strstr(statement, "if 1 of the owners add no noise"));
    w.bounds.coalition = 0;
    const double ratio = with / (double)least_count_of(&w);
    if (!(ratio > 1.05 && ratio < 1.5)) fail_msg("%g", ratio);
    close_bounds(&w);
}

/* ---- What is refused, before anything can be charged ---- */

static void test_shared_bounds__refuse_amounts_out_of_range(void **state) {
    (void)state;
    static const struct {
        double epsilon, delta;
        size_t members;
        hr_status status;
    } cases[] = {{0, 0, 3, HR_E_ARGUMENT},
                 {1, 1, 3, HR_E_ARGUMENT},
                 {1, 0, 0, HR_E_ARGUMENT},
                 {1, 0, 257, HR_E_ARGUMENT},
                 {1e-12, 0, 3, HR_E_BUDGET}};
    bounds_world w;
    open_bounds(&w, 1, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_shared_bounds bad = w.bounds;
        hr_budget budget;
        bad.epsilon = cases[i].epsilon;
        bad.delta = cases[i].delta;
        bad.members = cases[i].members;
        assert_int_equal(hr_shared_bounds_check(&bad, &budget, NULL), cases[i].status);
    }
    close_bounds(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_bounds__have_the_label_last),
        cmocka_unit_test(test_shared_bounds__sums_count_all_records),
        cmocka_unit_test(test_shared_bounds__are_those_of_all_records),
        cmocka_unit_test(test_shared_bounds__one_record_changes_no_histogram_by_more_than_is_charged),
        cmocka_unit_test(test_shared_bounds__all_answers_cost_the_budget_together),
        cmocka_unit_test(test_shared_bounds__noise_is_enough_without_a_coalition),
        cmocka_unit_test(test_shared_bounds__reckon_with_the_noise_of_all_shares),
        cmocka_unit_test(test_shared_bounds__refuse_amounts_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
