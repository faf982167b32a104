/* Released figures of quantiles: what they cost, that they are those of the records, the law of their noise,
 * and that counts of several owners add up to those of all. Numbers drawn from a gate are within 30 standard
 * deviations of Laplace noise: a false alarm in e^-42 of cases. */
#include "fit/measure/shared_evaluation.h"
#include "support/chi_square.h"
#include "support/tables.h"
#include "tables/data/records.h"
#include "trees/candidates/evaluation_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3000, QUANTILES = 5, INTERVALS = 2, RUNS = 300, CELLS = 16 };
static const double quantiles[QUANTILES] = {.1, .25, .5, .75, .9}, RANGE = 10;

static table table_of_quantiles(size_t rows, uint64_t seed, size_t count) {
    table t = table_open(rows, 1);
    hr_column feature = number_column("x", 0, 1), label = number_column("y", 0, 10);
    label.quantiles = quantiles;
    label.quantile_count = count;
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = next_unit(&seed);
        t.labels[i] = 10 * (.6 * t.columns[0][i] + .4 * next_unit(&seed));
    }
    table_make(&t, label, &feature);
    return t;
}

static table table_of_numbers(size_t rows, uint64_t seed) {
    return table_of_quantiles(rows, seed, QUANTILES);
}

static hr_model *model_of(const table *t, const char *conformal) {
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, 3);
    options.epsilon = 8;
    assert_int_equal(hr_fit_options_set(&options, "conformal", conformal, NULL), HR_OK);
    return fit(t->data, &options);
}

static hr_evaluation evaluation_of(const hr_model *model, const hr_data *data, double epsilon, double delta) {
    hr_evaluation_options options = HR_EVALUATION_OPTIONS_INIT;
    hr_evaluation made;
    hr_error err = {0};
    options.epsilon = epsilon;
    options.delta = delta;
    options.threads = 1;
    if (hr_evaluate_private(model, data, &options, &made, &err)) fail_msg("%s", err.message);
    return made;
}

/* What a record adds to all five losses, each of which is .9 or .75 or .5 of the range at most; and to the
 * widths of two intervals. */
static double sensitivity_of(const char *what, bool pure) {
    if (!strcmp(what, "labels by intervals")) return 64;
    if (!strcmp(what, "widths")) return pure ? 2 * 65536 : floor(65536 * sqrt(2)) + 1;
    const double parts[] = {.9, .75, .5, .75, .9};
    double sum = 0, square = 0;
    for (size_t k = 0; k < QUANTILES; k++) {
        const double most = floor(parts[k] * 65536 + .5);
        sum += most;
        square += most * most;
    }
    return pure ? sum : floor(sqrt(square)) + 1;
}

static void test_releases__are_charged_for_what_a_record_adds(void **state) {
    (void)state;
    table t = table_of_numbers(ROWS, 1);
    hr_model *model = model_of(&t, "0");
    for (int pure = 0; pure < 2; pure++) {
        const hr_evaluation made = evaluation_of(model, t.data, 1.5, pure ? 0 : 1e-6);
        const double granted = pure ? made.epsilon : hr_units_value(hr_gdp_budget(made.epsilon, made.delta));
        double total = 0;
        for (size_t i = 0; i < made.release_count; i++) {
            const hr_release_info *r = &made.releases[i];
            const double s = sensitivity_of(r->what, pure);
            assert_true((double)r->sensitivity == s && r->draws > 0);
            assert_true(fabs(r->scale / (pure ? s / r->cost : s * s / r->cost + 6) - 1) < 1e-9);
            total += r->cost;
        }
        assert_int_equal(made.release_count, 3);
        assert_true(total <= granted && total > .999999 * granted);
    }
    hr_model_free(model);
    table_close(&t);
}

/* There is no interval, so that nothing is paid for its width: by one owner, and by several. */
static void test_releases__of_one_quantile_take_all_of_the_budget(void **state) {
    (void)state;
    table t = table_of_quantiles(ROWS, 6, 1);
    hr_model *model = model_of(&t, "0");
    for (int pure = 0; pure < 2; pure++) {
        const hr_evaluation made = evaluation_of(model, t.data, 1.5, pure ? 0 : 1e-6);
        const double granted = pure ? made.epsilon : hr_units_value(hr_gdp_budget(made.epsilon, made.delta));
        const hr_shared_evaluation shared = {t.schema, model, 1.5, pure ? 0 : 1e-6, 3, 1};
        hr_budget budget;
        hr_charge charges[HR_STATISTICS_MAX];
        size_t counts[HR_STATISTICS_MAX];
        assert_int_equal(made.release_count, 2);
        assert_int_equal(hr_shared_evaluation_check(&shared, &budget, NULL), HR_OK);
        assert_int_equal(hr_shared_evaluation_lines(&shared, &budget, charges, counts), 2);
        const double total = made.releases[0].cost + made.releases[1].cost, all = (double)budget.units,
                     together = (double)(charges[0].cost + charges[1].cost);
        assert_true(total <= granted && total > .999999 * granted);
        assert_true(together <= all && together > .999999 * all);
    }
    hr_model_free(model);
    table_close(&t);
}

static const hr_figure *figure_of(const hr_evaluation *made, const char *name) {
    for (size_t i = 0; i < made->figure_count; i++)
        if (!strcmp(made->figures[i].name, name)) return &made->figures[i];
    fail_msg("there is no figure %s", name);
    return NULL;
}

static void check_figure(const hr_evaluation *made, const char *name, double exact, double slack) {
    const hr_figure *f = figure_of(made, name);
    assert_true(f->low <= f->value && f->value <= f->high && f->noise > 0);
    if (!(fabs(f->value - exact) <= 30 * f->noise + slack))
        fail_msg("%s: %g with noise %g for %g", name, f->value, f->noise, exact);
}

/* Of the outer interval, and of the one within it, which is the one that was corrected. */
static void test_figures__are_those_of_the_records(void **state) {
    (void)state;
    static const char *const losses[QUANTILES] = {"pinball_q10", "pinball_q25", "pinball_q50", "pinball_q75",
                                                  "pinball_q90"};
    table t = table_of_numbers(ROWS, 2);
    hr_model *model = model_of(&t, "0.5");
    const hr_metrics exact = metrics_of(model, t.data);
    for (int pure = 0; pure < 2; pure++) {
        const hr_evaluation made = evaluation_of(model, t.data, 1000, pure ? 0 : 1e-6);
        check_figure(&made, "records", ROWS, 0);
        for (size_t k = 0; k < QUANTILES; k++) check_figure(&made, losses[k], exact.pinball[k], 1e-4);
        check_figure(&made, "coverage", exact.coverage, 0);
        check_figure(&made, "width", exact.width, 1e-4);
        check_figure(&made, "coverage_0.5", exact.interval_coverage, 0);
        check_figure(&made, "width_0.5", exact.interval_width, 1e-4);
        assert_true(figure_of(&made, "width_0.5")->value < figure_of(&made, "width")->value);
        assert_int_equal(made.figure_count, 1 + QUANTILES + 2 * INTERVALS);
    }
    hr_model_free(model);
    table_close(&t);
}

static void test_plan__has_the_names_and_noise_of_as_many_records(void **state) {
    (void)state;
    table t = table_of_numbers(ROWS, 3);
    hr_model *model = model_of(&t, "0");
    hr_evaluation_options options = HR_EVALUATION_OPTIONS_INIT;
    hr_evaluation plan;
    options.epsilon = 1;
    assert_int_equal(hr_evaluation_plan(model, ROWS, &options, &plan, NULL), HR_OK);
    const hr_evaluation made = evaluation_of(model, t.data, 1, 0);
    assert_int_equal(plan.figure_count, made.figure_count);
    for (size_t i = 0; i < plan.figure_count; i++) {
        const double ratio = plan.figures[i].noise / made.figures[i].noise;
        assert_string_equal(plan.figures[i].name, made.figures[i].name);
        assert_true(ratio > .5 && ratio < 2);
    }
    assert_true(fabs(figure_of(&plan, "coverage")->value - .8) < 1e-9);
    assert_true(fabs(figure_of(&plan, "coverage_0.5")->value - .5) < 1e-9);
    hr_model_free(model);
    table_close(&t);
}

/* ---- The law of the noise ---- */

/* The standard normal law has CELLS equally likely cells. */
static size_t cell_of(double z) {
    return (size_t)fmin(erfc(-z / sqrt(2)) / 2 * CELLS, CELLS - 1);
}

/* Sums back from the figures that are made of them: false alarm 1e-6. */
static void test_noise__has_the_law_that_a_record_needs(void **state) {
    (void)state;
    static const char *const names[] = {"pinball_q10", "pinball_q25", "pinball_q50", "pinball_q75",
                                        "pinball_q90", "width",       "width_0.5"};
    enum { SUMS = COUNT(names) };
    uint64_t seen[CELLS] = {0};
    double p[CELLS], expected[SUMS], deviations[SUMS];
    const double units = hr_units_value(hr_gdp_budget(2, 1e-5));
    table t = table_of_numbers(ROWS, 4);
    hr_model *model = model_of(&t, "0");
    const hr_metrics exact = metrics_of(model, t.data);
    const hr_evaluation close = evaluation_of(model, t.data, 10000, 0); /* nearly exact */
    for (size_t c = 0; c < CELLS; c++) p[c] = 1. / CELLS;
    for (size_t k = 0; k < SUMS; k++) {
        const bool is_loss = k < QUANTILES;
        const double s = sensitivity_of(is_loss ? "pinball losses" : "widths", false);
        deviations[k] = sqrt(s * s / (units * (is_loss ? .5 : .2)) + 6) / 65536;
        expected[k] = ROWS / RANGE * (is_loss ? exact.pinball[k] : figure_of(&close, names[k])->value);
    }
    for (size_t run = 0; run < RUNS; run++) {
        const hr_evaluation made = evaluation_of(model, t.data, 2, 1e-5);
        const double records = figure_of(&made, "records")->value;
        for (size_t k = 0; k < SUMS; k++) {
            const double sum = figure_of(&made, names[k])->value / RANGE * records;
            seen[cell_of((sum - expected[k]) / deviations[k])]++;
        }
    }
    if (!chi_square_fits(seen, p, CELLS, RUNS * SUMS)) fail_msg("the noise is not what is charged for");
    hr_model_free(model);
    table_close(&t);
}

/* ---- Owners ---- */

static void test_counts__of_owners_add_up(void **state) {
    (void)state;
    enum { OWNERS = 3, VALUES = 1 + INTERVALS + QUANTILES + INTERVALS };
    table train = table_of_numbers(ROWS, 5);
    hr_model *model = model_of(&train, "0.8");
    const hr_shared_evaluation evaluation = {hr_model_schema(model), model, 1, 0, OWNERS, 1};
    hr_exact all[VALUES], one[VALUES];
    int64_t sums[VALUES] = {0};
    hr_budget budget;
    hr_charge charges[HR_STATISTICS_MAX];
    size_t counts[HR_STATISTICS_MAX];
    assert_int_equal(hr_shared_evaluation_values(hr_model_schema(model)), VALUES);
    assert_int_equal(hr_shared_evaluation_check(&evaluation, &budget, NULL), HR_OK);
    assert_int_equal(hr_shared_evaluation_lines(&evaluation, &budget, charges, counts), 3);
    assert_int_equal(counts[0] + counts[1] + counts[2], VALUES);
    for (size_t i = 0; i < 3; i++)
        assert_true((double)charges[i].sensitivity == sensitivity_of(charges[i].what, true));
    for (size_t o = 0; o < OWNERS; o++) {
        hr_data *part = NULL;
        const double *columns[] = {train.columns[0] + ROWS / OWNERS * o};
        assert_int_equal(hr_data_from_arrays(train.schema, ROWS / OWNERS, columns,
                                             train.labels + ROWS / OWNERS * o, &part, NULL),
                         HR_OK);
        assert_int_equal(hr_shared_evaluation_count(&evaluation, part, one, NULL), HR_OK);
        for (size_t i = 0; i < VALUES; i++) sums[i] += one[i].unpaid;
        hr_data_free(part);
    }
    hr_data *nobody = hr_data_take(train.data, NULL, 0);
    memset(one, 77, sizeof one);
    assert_int_equal(hr_shared_evaluation_count(&evaluation, nobody, one, NULL), HR_OK);
    assert_int_equal(hr_shared_evaluation_count(&evaluation, train.data, all, NULL), HR_OK);
    for (size_t i = 0; i < VALUES; i++) {
        assert_int_equal(one[i].unpaid, 0);
        assert_int_equal(all[i].unpaid, sums[i]);
    }
    hr_data_free(nobody);
    hr_model_free(model);
    table_close(&train);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_releases__are_charged_for_what_a_record_adds),
        cmocka_unit_test(test_releases__of_one_quantile_take_all_of_the_budget),
        cmocka_unit_test(test_figures__are_those_of_the_records),
        cmocka_unit_test(test_plan__has_the_names_and_noise_of_as_many_records),
        cmocka_unit_test(test_noise__has_the_law_that_a_record_needs),
        cmocka_unit_test(test_counts__of_owners_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
