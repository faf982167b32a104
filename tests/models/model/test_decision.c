/* Decisions by thresholds and costs, against the rule written plainly. */
#include "support/model_parts.h"
#include "support/tables.h"

#include <hedgerow/evaluation.h>

static void refused(const hr_decision_rule *rule, size_t classes, const char *field, const char *words) {
    hr_error err = {0};
    assert_int_equal(hr_decision_rule_check(rule, classes, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, field);
    assert_non_null(strstr(err.message, words));
    assert_true(err.remedy[0] != '\0');
}

static void test_rule__is_checked(void **state) {
    (void)state;
    const double odd[] = {-.1, 1.1, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < COUNT(odd); i++)
        refused(&(hr_decision_rule){odd[i], NULL}, 2, "threshold", "0 to 1");
    refused(&(hr_decision_rule){.4, NULL}, 3, "threshold", "two classes");
    double costs[] = {0, 1, 1e9, 0};
    const hr_decision_rule rule = {.5, costs};
    assert_int_equal(hr_decision_rule_check(&rule, 2, NULL), HR_OK);
    const double wrong[] = {-1, 1.1e9, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        costs[2] = wrong[i];
        refused(&rule, 2, "costs", "predicting class 0 where class 1 is true");
    }
    const hr_decision_rule none = HR_DECISION_RULE_INIT;
    for (size_t classes = 2; classes < 5; classes++)
        assert_int_equal(hr_decision_rule_check(&none, classes, NULL), HR_OK);
}

static void test_threshold__must_be_exceeded(void **state) {
    (void)state;
    const double p[] = {.75, .25};
    assert_int_equal(hr_decide(&(hr_decision_rule){.2, NULL}, p, 2), 1);
    assert_int_equal(hr_decide(&(hr_decision_rule){.25, NULL}, p, 2), 0);
    assert_int_equal(hr_decide(&(hr_decision_rule){.3, NULL}, p, 2), 0);
    assert_int_equal(hr_decide(&(hr_decision_rule){0, NULL}, p, 2), 1);
    assert_int_equal(hr_decide(&(hr_decision_rule){1, NULL}, (const double[]){0, 1}, 2), 0);
}

static void test_half__is_the_most_probable_class(void **state) {
    (void)state;
    uint64_t random = 5;
    const hr_decision_rule none = HR_DECISION_RULE_INIT;
    for (int i = 0; i < 10000; i++) {
        double p[4];
        size_t count = 2 + next_random(&random) % 3;
        for (size_t k = 0; k < count; k++) p[k] = (double)(next_random(&random) % 4) / 4;
        assert_int_equal(hr_decide(&none, p, count), hr_predicted_class(p, count));
        assert_int_equal(hr_decide(NULL, p, count), hr_predicted_class(p, count));
    }
}

static double expected_cost(const double *costs, const double *p, size_t count, size_t k) {
    double sum = 0;
    for (size_t truth = 0; truth < count; truth++) sum += p[truth] * costs[truth * count + k];
    return sum;
}

static void test_costs__are_smallest(void **state) {
    (void)state;
    uint64_t random = 6;
    for (int i = 0; i < 10000; i++) {
        double p[4], costs[16];
        size_t count = 2 + next_random(&random) % 3;
        for (size_t k = 0; k < count; k++) p[k] = (double)(1 + next_random(&random) % 4) / 8;
        for (size_t k = 0; k < count * count; k++) costs[k] = (double)(next_random(&random) % 6);
        size_t best = hr_decide(&(hr_decision_rule){.5, costs}, p, count);
        double least = expected_cost(costs, p, count, best);
        for (size_t k = 0; k < count; k++) {
            double cost = expected_cost(costs, p, count, k);
            assert_true(k < best ? cost > least : cost >= least);
        }
    }
}

/* A threshold t is the costs t and 1 - t, but for ties. */
static void test_threshold__is_a_cost(void **state) {
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < 10000; i++) {
        double t = next_unit(&random), p1 = next_unit(&random);
        const double p[] = {1 - p1, p1}, costs[] = {0, t, 1 - t, 0};
        if (fabs(p1 - t) < 1e-12) continue;
        assert_int_equal(hr_decide(&(hr_decision_rule){t, NULL}, p, 2),
                         hr_decide(&(hr_decision_rule){.5, costs}, p, 2));
    }
}

/* ---- Evaluations ---- */

static void check_decided(const hr_model *model, const table *t, const hr_decision_rule *rule,
                          size_t classes) {
    double *p = predictions_of(model, t->data), wrong = 0, cost = 0;
    uint64_t counts[16], wanted[16] = {0};
    memset(counts, 7, sizeof counts);
    hr_decided decided = {.counts = counts};
    assert_int_equal(hr_evaluate_decisions(model, t->data, rule, 1, &decided, NULL), HR_OK);
    for (size_t i = 0; i < t->rows; i++) {
        size_t truth = (size_t)t->labels[i], k = hr_decide(rule, p + i * classes, classes);
        wanted[truth * classes + k]++;
        wrong += k != truth;
        cost += rule->costs ? rule->costs[truth * classes + k] : 0;
    }
    assert_memory_equal(counts, wanted, classes * classes * sizeof *counts);
    assert_true(decided.metrics.error == wrong / (double)t->rows);
    assert_true(rule->costs ? fabs(decided.cost - cost / (double)t->rows) < 1e-12 : isnan(decided.cost));
    hr_metrics plain = metrics_of(model, t->data);
    assert_true(decided.metrics.logloss == plain.logloss && decided.metrics.ece == plain.ece);
    decided.counts = NULL;
    assert_int_equal(hr_evaluate_decisions(model, t->data, rule, 1, &decided, NULL), HR_OK);
    free(p);
}

static void test_evaluation__counts_decisions(void **state) {
    (void)state;
    const double costs[] = {0, 3, 1, 5, 0, 1, 2, 2, 0};
    for (size_t classes = 2; classes <= 3; classes++) {
        table t = table_of_steps(400, 3, classes, classes);
        hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
        options.trees = 3;
        hr_model *model = fit(t.data, &options);
        check_decided(model, &t, &(hr_decision_rule)HR_DECISION_RULE_INIT, classes);
        check_decided(model, &t, &(hr_decision_rule){.5, costs}, classes);
        if (classes == 2) check_decided(model, &t, &(hr_decision_rule){.2, NULL}, classes);
        hr_model_free(model);
        table_close(&t);
    }
}

static void test_evaluation__refuses_decisions_about_numbers(void **state) {
    (void)state;
    table t = table_of_steps(50, 2, 0, 1);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    hr_model *model = fit(t.data, &options);
    const hr_decision_rule none = HR_DECISION_RULE_INIT;
    hr_decided decided = {0};
    hr_error err = {0};
    assert_int_equal(hr_evaluate_decisions(model, t.data, &none, 1, &decided, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "predicts a number"));
    hr_model_free(model);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule__is_checked),
        cmocka_unit_test(test_threshold__must_be_exceeded),
        cmocka_unit_test(test_half__is_the_most_probable_class),
        cmocka_unit_test(test_costs__are_smallest),
        cmocka_unit_test(test_threshold__is_a_cost),
        cmocka_unit_test(test_evaluation__counts_decisions),
        cmocka_unit_test(test_evaluation__refuses_decisions_about_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
