/* Fits that release the cuts between intervals of times: what the model says, what it costs, and who refuses.
 */
#include "privacy/sensitivity.h"
#include "support/tables.h"
#include "tables/schema/survival_code.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 4000, QUANTILES = 5 };
static const double HIGH = 1000;

static table table_of_times(uint64_t seed) {
    table t = table_open(ROWS, 1);
    double even[QUANTILES];
    hr_column feature = number_column("x", 0, 1), label = number_column("days", -1e15, 1e15);
    for (size_t k = 0; k < QUANTILES; k++) even[k] = HIGH * (double)(k + 1) / QUANTILES;
    label.event = "died";
    label.intervals = even;
    label.interval_count = QUANTILES;
    label.quantile_cuts = true;
    for (size_t i = 0; i < ROWS; i++) {
        t.columns[0][i] = next_unit(&seed);
        const double event = -200 * log(1 - next_unit(&seed)) * exp(1 - 2 * t.columns[0][i]);
        const double end = 1500 * next_unit(&seed);
        t.labels[i] = hr_time_label(fmin(event, end), event <= end);
    }
    table_make(&t, label, &feature);
    return t;
}

static double cost_of_cuts(const hr_model *model) {
    hr_units cost = 0;
    for (size_t i = 0; i < model->release_count; i++) {
        const bool of_cuts = !strcmp(model->releases[i].what, "cuts of times");
        assert_true(of_cuts == (model->releases[i].group == ((uint64_t)1 << 40) + 1));
        if (of_cuts) cost += model->releases[i].cost;
    }
    return hr_units_value(cost);
}

/* The model has plain cuts, as if they had been written into the schema, and pays for them. */
static void test_fit__publishes_cuts(void **state) {
    (void)state;
    static const char *const methods[] = {"hedge", "survival-curve"};
    table t = table_of_times(1);
    for (size_t m = 0; m < COUNT(methods); m++)
        for (int pure = 0; pure < 2; pure++) {
            hr_fit_options options = options_of(methods[m], HR_MODE_SOUND);
            options.epsilon = 8;
            options.delta = pure ? 0 : 1e-6;
            hr_model *model = fit(t.data, &options);
            const hr_column *label = hr_schema_label(hr_model_schema(model));
            assert_false(label->quantile_cuts);
            assert_int_equal(label->interval_count, pure ? 4 : QUANTILES);
            assert_true(label->intervals[label->interval_count - 1] == HIGH);
            assert_true(label->intervals[0] > 20 && label->intervals[0] < 140);
            assert_int_equal(model->forest.output_count, label->interval_count);
            assert_int_equal(hr_model_check(model, NULL), HR_OK);
            assert_non_null(strstr(hr_model_guarantee(model)->statement,
                                   "The cuts between intervals of times were released as well, for 5 % of"));
            assert_true(cost_of_cuts(model) > 0);
            hr_data *again = NULL; /* under the model's schema */
            assert_int_equal(hr_data_from_arrays(hr_model_schema(model), ROWS,
                                                 (const double *const *)t.columns, t.labels, &again, NULL),
                             HR_OK);
            hr_metrics metrics = metrics_of(model, again);
            assert_true(metrics.rows == ROWS && !isnan(metrics.brier));
            hr_data_free(again);
            hr_model_free(model);
        }
    table_close(&t);
}

/* Whatever is below the whole budget is what is left of it. */
static void test_fit__spends_no_more_than_it_is_granted(void **state) {
    (void)state;
    table t = table_of_times(2);
    const hr_fit_options options = options_of("survival-curve", HR_MODE_SOUND);
    hr_model *model = fit(t.data, &options);
    hr_units all = 0;
    for (size_t i = 0; i < model->release_count; i++) all += model->releases[i].cost;
    const double whole = hr_units_value(hr_gdp_budget(options.epsilon, options.delta));
    const double part = model->privacy_measure == HR_PRIVACY_GDP ? whole : options.epsilon;
    assert_true(hr_units_value(all) <= part * (1 + 1e-9));
    assert_true(fabs(cost_of_cuts(model) / part - .05) < 1e-3);
    hr_model_free(model);
    table_close(&t);
}

static void assert_refused(const hr_data *data, hr_fit_options options, const char *message) {
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_fit(data, &options, &model, &err), HR_E_ARGUMENT);
    if (!strstr(err.message, message)) fail_msg("%s", err.message);
}

static void test_fit__that_continues_has_the_cuts_of_its_schema(void **state) {
    (void)state;
    table t = table_of_times(3);
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    options.epsilon = 2;
    hr_model *start = fit(t.data, &options);
    options.start = start;
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_not_equal(hr_fit(t.data, &options, &model, &err), HR_OK);
    assert_null(model);
    assert_true(strstr(err.message, "intervals") || strstr(err.message, "cuts"));
    hr_model_free(start);
    options = options_of("dpboost", HR_MODE_SOUND);
    assert_refused(t.data, options, "does not learn times of events");
    table_close(&t);
}

/* Plans know how many intervals there are, and what is left for them. */
static void test_plan__leaves_cuts_their_part(void **state) {
    (void)state;
    table t = table_of_times(4);
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    hr_plan_info plan;
    assert_int_equal(hr_fit_plan(&options, ROWS, t.schema, &plan, NULL), HR_OK);
    options.epsilon = 1e-7;
    hr_error err = {0};
    assert_int_equal(hr_fit_plan(&options, ROWS, t.schema, &plan, &err), HR_E_BUDGET);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit__publishes_cuts),
        cmocka_unit_test(test_fit__spends_no_more_than_it_is_granted),
        cmocka_unit_test(test_fit__that_continues_has_the_cuts_of_its_schema),
        cmocka_unit_test(test_plan__leaves_cuts_their_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
