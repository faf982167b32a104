/* A plan is what the fit then does: the same rounds, budget and noise as the releases of a model trained with
 * as many records as it says. And what it refuses. */
#include "support/tables.h"

static hr_plan_info plan_of(const hr_fit_options *options, double records, const hr_schema *schema) {
    hr_plan_info plan = {0};
    hr_error err = {0};
    if (hr_fit_plan(options, records, schema, &plan, &err) != HR_OK)
        fail_msg("%s; %s", err.message, err.remedy);
    return plan;
}

static void assert_near(double value, double expected, double part) {
    if (!(fabs(value - expected) <= part * fabs(expected))) fail_msg("%.17g is not %.17g", value, expected);
}

/* The cost of all releases of that name. */
static double cost_of(const hr_model *model, const char *what) {
    hr_release_info info;
    double cost = 0;
    for (size_t i = 0; hr_model_release_at(model, i, &info); i++)
        if (strcmp(info.what, what) == 0) cost += info.cost;
    return cost;
}

static double total_cost(const hr_model *model) {
    hr_release_info info;
    double cost = 0;
    for (size_t i = 0; hr_model_release_at(model, i, &info); i++) cost += info.cost;
    return cost;
}

/* Standard deviation of the noise of the first leaf sums, in records. */
static double sum_noise(const hr_model *model) {
    hr_release_info info;
    size_t i = 0;
    while (hr_model_release_at(model, i, &info) && strcmp(info.what, "leaf sum") != 0) i++;
    bool gaussian = strcmp(info.mechanism, "discrete gaussian") == 0;
    return (gaussian ? sqrt(info.scale) : sqrt(2) * info.scale) / 4096;
}

static void assert_as_planned(size_t classes, double epsilon, double delta, size_t rows) {
    table t = table_of_steps(rows, 3, classes, 5);
    hr_fit_options options = seeded_options_of(hr_default_method(), HR_MODE_SOUND, 7);
    options.epsilon = epsilon;
    options.delta = delta;
    hr_model *model = fit(t.data, &options);
    double records = hr_model_records(model), noise = sum_noise(model), all = total_cost(model);
    hr_plan_info plan = plan_of(&options, records, hr_data_schema(t.data));
    size_t trees = plan.rounds * (classes > 2 ? classes : 1);

    assert_true(records > 0 && fabs(records - (double)rows) < (double)rows / 2);
    assert_int_equal(hr_model_tree_count(model), trees);
    assert_near(plan.share_bins + 1, cost_of(model, "bin edges") / all + 1, 1e-3);
    assert_near(
        plan.share_count + plan.share_base,
        (cost_of(model, "record count") + cost_of(model, "base score") + cost_of(model, "class counts")) /
            all,
        1e-3);
    assert_near(plan.share_choices, cost_of(model, "choice of tree") / all, 1e-3);
    assert_near(plan.share_sums, cost_of(model, "leaf sum") / all, 1e-3);
    assert_near(plan.share_counts, cost_of(model, "leaf count") / all, 1e-3);
    assert_near(plan.share_clip + 1, cost_of(model, "clip count") / all + 1, 1e-3);
    assert_near(plan.share_calibration + 1, cost_of(model, "calibration count") / all + 1, 1e-3);
    assert_true(plan.leaf_records == records / (double)(1 << plan.depth_all));
    assert_near(plan.gradient_noise, noise / plan.leaf_records, 1e-3);
    hr_model_free(model);
    table_close(&t);
}

static void test_plan__is_what_the_fit_does(void **state) {
    (void)state;
    assert_as_planned(2, 2, 1e-6, 3000);
    assert_as_planned(2, .5, 1e-6, 500);
    assert_as_planned(3, 2, 1e-6, 1000);
    assert_as_planned(0, 2, 1e-6, 1000);
    assert_as_planned(2, 2, 0, 1000);
    assert_as_planned(3, 4, 0, 1000);
    assert_as_planned(0, 4, 0, 1000);
}

static void test_plan__adds_up_to_the_budget(void **state) {
    (void)state;
    hr_fit_options options = options_of(hr_default_method(), HR_MODE_SOUND);
    for (double records = 10; records < 2e7; records *= 10) {
        hr_plan_info p = plan_of(&options, records, NULL);
        double once = p.share_bins + p.share_count + p.share_base + p.share_calibration;
        double all = once + p.share_choices + p.share_sums + p.share_counts + p.share_clip;
        assert_true(all <= 1 + 1e-9);
        assert_near(all, 1, 1e-6);
    }
}

static void test_plan__without_a_schema_is_for_two_classes(void **state) {
    (void)state;
    table two = table_of_steps(8, 2, 2, 1), numbers = table_of_steps(8, 2, 0, 1);
    hr_fit_options options = options_of(hr_default_method(), HR_MODE_SOUND);
    hr_plan_info blind = plan_of(&options, 5000, NULL),
                 with = plan_of(&options, 5000, hr_data_schema(two.data));
    assert_true(blind.rounds == with.rounds && blind.gradient_noise == with.gradient_noise &&
                blind.share_bins == with.share_bins);
    assert_true(blind.label_range == 1);
    assert_near(blind.label_noise, blind.gradient_noise / 2, 1e-12);
    hr_plan_info number = plan_of(&options, 5000, hr_data_schema(numbers.data));
    const hr_column *label = hr_schema_label(hr_data_schema(numbers.data));
    assert_true(number.label_range == label->high - label->low);
    assert_near(number.label_noise, number.gradient_noise * number.label_range / 2, 1e-12);
    assert_true(number.share_clip > 0 && with.share_clip == 0);
    assert_true(number.share_calibration == 0);
    assert_near(with.share_calibration, .02, 1e-6);
    table_close(&two);
    table_close(&numbers);
}

/* What a leaf's sums are sums of differs: in words, and in how much of it a gradient is. */
static void test_plan__tells_what_is_known_of_a_leaf(void **state) {
    (void)state;
    static const double quantiles[] = {.1, .5, .9};
    hr_column label = number_column("y", 0, 50);
    const hr_column feature = number_column("x", 0, 1);
    label.quantiles = quantiles;
    label.quantile_count = COUNT(quantiles);
    table several = table_open(8, 1), counts = table_open(8, 1),
          tables[] = {table_of_steps(8, 2, 2, 1), table_of_steps(8, 2, 0, 1), table_of_steps(8, 2, 3, 1)};
    static const char *const figures[] = {"the mean error of the model, labels being mapped to -1..1,",
                                          "the mean error of the model, labels being mapped to -1..1,",
                                          "the mean error of a class's probability"};
    const hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    for (size_t i = 0; i < COUNT(tables); i++) {
        const hr_plan_info plan = plan_of(&options, 5000, hr_data_schema(tables[i].data));
        assert_string_equal(plan.leaf_figure, figures[i]);
        assert_true(plan.leaf_noise == plan.gradient_noise && plan.quantiles == 0);
        table_close(&tables[i]);
    }
    table_make(&several, label, &feature);
    const hr_plan_info plan = plan_of(&options, 5000, several.schema);
    assert_string_equal(plan.leaf_figure, "the part of the labels that lies below a predicted quantile");
    assert_int_equal(plan.quantiles, 3);
    /* the longest vector of gradients: a label above or below all three */
    assert_near(plan.leaf_noise, plan.gradient_noise * sqrt(.01 + .25 + .81), 1e-12);
    assert_near(plan.label_noise, plan.leaf_noise * 50 * .3, 1e-12);
    label.quantiles = NULL;
    label.quantile_count = 0;
    label.integer = label.count = true;
    table_make(&counts, label, &feature);
    const hr_plan_info of_counts = plan_of(&options, 5000, counts.schema);
    assert_non_null(strstr(of_counts.leaf_figure, "the logarithm of its mean count"));
    assert_true(of_counts.leaf_noise == of_counts.label_noise && of_counts.of_logarithm);
    table_close(&several);
    table_close(&counts);
}

static void test_plan__has_less_noise_with_more_records_or_budget(void **state) {
    (void)state;
    hr_fit_options options = options_of(hr_default_method(), HR_MODE_SOUND);
    hr_plan_info few = plan_of(&options, 1000, NULL), many = plan_of(&options, 1e6, NULL);
    assert_true(many.gradient_noise < few.gradient_noise && many.rounds > few.rounds);
    /* few records hardly move a prediction, neither do their labels nor the noise */
    assert_true(plan_of(&options, 1.6e7, NULL).prediction_noise < many.prediction_noise);
    options.epsilon = 8;
    assert_true(plan_of(&options, 1000, NULL).gradient_noise < few.gradient_noise);
}

static void assert_refused(const hr_fit_options *options, double records, hr_status wanted,
                           const char *says) {
    hr_plan_info plan, untouched;
    memset(&plan, 7, sizeof plan);
    memcpy(&untouched, &plan, sizeof plan);
    hr_error err = {0};
    assert_int_equal(hr_fit_plan(options, records, NULL, &plan, &err), wanted);
    assert_memory_equal(&plan, &untouched, sizeof plan);
    char text[1024];
    hr_error_format(&err, text, sizeof text);
    if (!strstr(text, says)) fail_msg("'%s' does not say '%s'", text, says);
    assert_true(err.remedy[0] != '\0');
}

static void test_plan__refuses_what_it_cannot_tell(void **state) {
    (void)state;
    for (size_t m = 0; m < hr_method_count(); m++) {
        hr_fit_options other = options_of(hr_method_at(m)->name, HR_MODE_SOUND);
        if (strcmp(other.method, "hedge") != 0)
            assert_refused(&other, 1000, HR_E_ARGUMENT,
                           strcmp(other.method, "statistics") == 0 ? "a table of errors"
                                                                   : "method hedge has a plan");
    }
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    static const double records[] = {0, .5, -1, NAN, INFINITY, 4294967295.};
    for (size_t i = 0; i < COUNT(records); i++)
        assert_refused(&options, records[i], HR_E_ARGUMENT, "from 1 to 4294967294");
    options.epsilon = 0;
    assert_refused(&options, 1000, HR_E_ARGUMENT, "epsilon");
    options.epsilon = 1e-13;
    assert_refused(&options, 1000, HR_E_BUDGET, "too small");
    options.size = 0;
    assert_refused(&options, 1000, HR_E_ARGUMENT, "hr_fit_options_init");
    options = options_of("hedge", HR_MODE_SOUND);
    options.method = NULL;
    assert_refused(&options, 1000, HR_E_ARGUMENT, "no method");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan__is_what_the_fit_does),
        cmocka_unit_test(test_plan__adds_up_to_the_budget),
        cmocka_unit_test(test_plan__without_a_schema_is_for_two_classes),
        cmocka_unit_test(test_plan__tells_what_is_known_of_a_leaf),
        cmocka_unit_test(test_plan__has_less_noise_with_more_records_or_budget),
        cmocka_unit_test(test_plan__refuses_what_it_cannot_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
