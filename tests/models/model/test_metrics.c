/* The expected numbers are scikit-learn 1.9.1's on the same records (accuracy_score, roc_auc_score, log_loss
 * on probabilities clipped to [1e-15, 1 - 1e-15], mean_squared_error, mean_absolute_error, r2_score), drawn
 * in Python by the same xorshift64; the calibration errors are sums of fractions, exact. */
#include "support/model_parts.h"

enum { ROWS = 1000 };

/* Uniform in [0, 1), from 53 bits of xorshift64. */
static double xorshift_unit(uint64_t *state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53;
}

/* p is u, rounded down to steps of 1/steps (0: as it is); the label is 1 with probability 0.3 + 0.4 p. */
static hr_metrics compare_binary(double steps) {
    static double predicted[2 * ROWS], labels[ROWS];
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; i < ROWS; i++) {
        double p = xorshift_unit(&random);
        if (steps > 0) p = floor(p * steps) / steps;
        predicted[2 * i] = 1 - p;
        predicted[2 * i + 1] = p;
        labels[i] = xorshift_unit(&random) < 0.3 + 0.4 * p;
    }
    hr_metrics m = {0};
    assert_int_equal(hr_metrics_compare(
                         &(hr_comparison){HR_TASK_BINARY, predicted, labels, ROWS, 2, NULL, NULL}, &m, NULL),
                     HR_OK);
    return m;
}

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-13 * fabs(expected))) fail_msg("%.17g is not %.17g", value, expected);
}

static void test_binary__equals_scikit_learn(void **state) {
    (void)state;
    hr_metrics m = compare_binary(0);
    assert_int_equal(m.rows, ROWS);
    assert_int_equal(m.task, HR_TASK_BINARY);
    assert_near(m.error, 0.433);
    assert_near(m.auc, 0.59637600000000002);
    assert_near(m.logloss, 0.84917052126071613);
    assert_near(m.ece, 0.1774873375990702);
    assert_true(isnan(m.rmse) && isnan(m.mae) && isnan(m.r2));
}

static void test_binary__equals_scikit_learn_with_heavy_ties(void **state) {
    (void)state;
    hr_metrics seven = compare_binary(7), one = compare_binary(1);
    assert_near(seven.error, 0.417);
    assert_near(seven.auc, 0.60414236524485809);
    assert_near(seven.logloss, 2.2106796538214439);
    assert_near(seven.ece, 0.1692857142857143);
    assert_near(one.error, 0.324);
    assert_near(one.ece, 0.324);
    assert_true(one.auc == 0.5);
    assert_near(one.logloss, 11.190563551951062);
}

static void test_binary__has_no_auc_for_one_class(void **state) {
    (void)state;
    const double predicted[] = {0.5, 0.5, 0.2, 0.8}, labels[] = {1, 1};
    hr_metrics m = {0};
    assert_int_equal(
        hr_metrics_compare(&(hr_comparison){HR_TASK_BINARY, predicted, labels, 2, 2, NULL, NULL}, &m, NULL),
        HR_OK);
    assert_true(isnan(m.auc));
    assert_true(m.error == 0.5);
}

static void test_binary__orders_perfectly_and_backwards(void **state) {
    (void)state;
    const double predicted[] = {0.9, 0.1, 0.8, 0.2, 0.3, 0.7}, up[] = {0, 0, 1}, down[] = {1, 1, 0};
    hr_metrics m = {0};
    assert_int_equal(
        hr_metrics_compare(&(hr_comparison){HR_TASK_BINARY, predicted, up, 3, 2, NULL, NULL}, &m, NULL),
        HR_OK);
    assert_true(m.auc == 1);
    assert_int_equal(
        hr_metrics_compare(&(hr_comparison){HR_TASK_BINARY, predicted, down, 3, 2, NULL, NULL}, &m, NULL),
        HR_OK);
    assert_true(m.auc == 0);
}

/* By hand: bins 0: {0 no}, 2: {0.25 yes, 0.25 no}, 5: {0.5 yes, 0.55 no}, 8: {0.85 yes}, 9: {0.95 yes, 1 no}.
 * A bin holds its lower end: told by the first class, 0.5 and 0.45 would part. */
static void test_binary__is_calibrated_as_computed_by_hand(void **state) {
    (void)state;
    const double predicted[] = {1, 0, .75, .25, .75, .25, .5, .5, .45, .55, .15, .85, .05, .95, 0, 1},
                 labels[] = {0, 1, 0, 1, 0, 1, 1, 0};
    hr_metrics m = {0};
    assert_int_equal(
        hr_metrics_compare(&(hr_comparison){HR_TASK_BINARY, predicted, labels, 8, 2, NULL, NULL}, &m, NULL),
        HR_OK);
    assert_near(m.ece, (0 + .5 + .05 + .15 + .95) / 8);
}

/* By hand: predicted are the classes 0 (0.5, right), 2 (0.6, wrong), 1 (0.625, right): bins 5: 0.5, 6: |1.225
 * - 1|. */
static void test_multiclass__is_calibrated_as_computed_by_hand(void **state) {
    (void)state;
    const double predicted[] = {.5, .25, .25, .2, .2, .6, .25, .625, .125}, labels[] = {0, 1, 1};
    hr_metrics m = {0};
    assert_int_equal(hr_metrics_compare(
                         &(hr_comparison){HR_TASK_MULTICLASS, predicted, labels, 3, 3, NULL, NULL}, &m, NULL),
                     HR_OK);
    assert_near(m.ece, (.5 + .225) / 3);
}

/* Who says the truth's frequency to everybody is calibrated, however little he knows. */
static void test_binary__is_calibrated_if_frequencies_are_met(void **state) {
    (void)state;
    const double predicted[] = {.75, .25, .75, .25, .75, .25, .75, .25}, labels[] = {0, 1, 0, 0};
    hr_metrics m = {0};
    assert_int_equal(
        hr_metrics_compare(&(hr_comparison){HR_TASK_BINARY, predicted, labels, 4, 2, NULL, NULL}, &m, NULL),
        HR_OK);
    assert_true(m.ece == 0);
}

static void test_multiclass__equals_scikit_learn(void **state) {
    (void)state;
    static double predicted[4 * ROWS], labels[ROWS];
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; i < ROWS; i++) {
        double *p = predicted + 4 * i, sum = 0;
        for (size_t k = 0; k < 4; k++) sum += p[k] = xorshift_unit(&random) + 0.01;
        for (size_t k = 0; k < 4; k++) p[k] /= sum;
        labels[i] = floor(4 * xorshift_unit(&random));
    }
    hr_metrics m = {0};
    assert_int_equal(
        hr_metrics_compare(&(hr_comparison){HR_TASK_MULTICLASS, predicted, labels, ROWS, 4, NULL, NULL}, &m,
                           NULL),
        HR_OK);
    assert_near(m.error, 0.739);
    assert_near(m.logloss, 1.5998342757062571);
    assert_near(m.ece, 0.15536938818605459);
    assert_true(isnan(m.auc));
}

static void test_regression__equals_scikit_learn(void **state) {
    (void)state;
    static double predicted[ROWS], labels[ROWS];
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = 10 * xorshift_unit(&random);
        predicted[i] = 0.5 * labels[i] + 5 * xorshift_unit(&random);
    }
    hr_metrics m = {0};
    assert_int_equal(
        hr_metrics_compare(&(hr_comparison){HR_TASK_REGRESSION, predicted, labels, ROWS, 1, NULL, NULL}, &m,
                           NULL),
        HR_OK);
    assert_near(m.rmse, 2.0271865637766671);
    assert_near(m.mae, 1.646808941369146);
    assert_near(m.r2, 0.4938018497267912);
    assert_true(isnan(m.error) && isnan(m.auc) && isnan(m.logloss) && isnan(m.ece));
}

static void test_regression__has_no_r2_for_a_constant_label(void **state) {
    (void)state;
    const double predicted[] = {1, 2}, labels[] = {1, 1};
    hr_metrics m = {0};
    assert_int_equal(hr_metrics_compare(
                         &(hr_comparison){HR_TASK_REGRESSION, predicted, labels, 2, 1, NULL, NULL}, &m, NULL),
                     HR_OK);
    assert_true(isnan(m.r2));
    assert_near(m.mae, 0.5);
}

static void test_evaluate__compares_its_own_predictions(void **state) {
    (void)state;
    const struct {
        hr_task task;
        hr_link link;
        size_t outputs;
    } cases[] = {{HR_TASK_REGRESSION, HR_LINK_NUMBER, 1},
                 {HR_TASK_BINARY, HR_LINK_SIGNED, 1},
                 {HR_TASK_MULTICLASS, HR_LINK_LOGISTIC, 3}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        parts p;
        parts_init(&p, (model_kind){cases[c].task, cases[c].link, cases[c].outputs}, 5, 4, HR_PRIVACY_NONE);
        hr_model *model = make_model(&p);
        hr_data *data = make_data(model, ROWS, true);
        size_t width = hr_model_output_count(model);
        double *out = malloc(ROWS * width * sizeof *out);
        hr_metrics ours = {0}, expected = {0};
        assert_int_equal(hr_model_predict(model, data, 1, out, NULL), HR_OK);
        assert_int_equal(hr_metrics_compare(&(hr_comparison){cases[c].task, out, hr_data_labels(data), ROWS,
                                                             width, NULL, NULL},
                                            &expected, NULL),
                         HR_OK);
        assert_int_equal(hr_evaluate(model, data, 2, &ours, NULL), HR_OK);
        assert_int_equal(ours.rows, expected.rows);
        assert_memory_equal(&ours.error, &expected.error, 7 * sizeof ours.error);
        free(out);
        hr_data_free(data);
        hr_model_free(model);
        parts_done(&p);
    }
}

static void test_evaluate__wants_labels_and_rows(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 1, 1, HR_PRIVACY_NONE);
    hr_model *model = make_model(&p);
    hr_data *unlabelled = make_data(model, 4, false), *empty = make_data(model, 0, true);
    hr_metrics m = {.rows = 77};
    hr_error err = {0};
    assert_int_equal(hr_evaluate(model, unlabelled, 1, &m, &err), HR_E_SCHEMA);
    assert_non_null(strstr(err.message, "no labels"));
    assert_int_equal(hr_evaluate(model, empty, 1, &m, &err), HR_E_SCHEMA);
    assert_non_null(strstr(err.message, "no records"));
    assert_int_equal(m.rows, 77);
    hr_data_free(unlabelled);
    hr_data_free(empty);
    hr_model_free(model);
    parts_done(&p);
}

/* mean_poisson_deviance of scikit-learn on the same numbers; a mean of 0 counts as 1e-15. */
static void test_count__equals_scikit_learn(void **state) {
    (void)state;
    static const double predicted[] = {.5, 2, 3.25, .125, 7, 1}, labels[] = {0, 2, 5, 1, 4, 0}, none[] = {0};
    hr_metrics m = {0};
    assert_int_equal(
        hr_metrics_compare(&(hr_comparison){HR_TASK_COUNT, predicted, labels, 6, 1, NULL, NULL}, &m, NULL),
        HR_OK);
    assert_near(m.deviance, 1.2899643234668055);
    assert_near(m.mae, 1.1875);
    assert_true(m.rmse > 0 && isnan(m.error) && isnan(m.auc));
    assert_int_equal(
        hr_metrics_compare(&(hr_comparison){HR_TASK_COUNT, none, labels + 3, 1, 1, NULL, NULL}, &m, NULL),
        HR_OK);
    assert_near(m.deviance, 2 * (log(1e15) - 1 + 1e-15));
    assert_int_equal(
        hr_metrics_compare(&(hr_comparison){HR_TASK_REGRESSION, none, labels, 1, 1, NULL, NULL}, &m, NULL),
        HR_OK);
    assert_true(isnan(m.deviance));
}

/* A record that weighs k counts as k records do. */
static void check_weights(hr_task task, size_t outputs) {
    enum { FEW = 200, MOST = 3 * FEW };
    static double predicted[3 * FEW], labels[FEW], repeated[3 * MOST], their_labels[MOST];
    static uint32_t weights[FEW];
    uint64_t random = 88172645463325252u;
    size_t rows = 0;
    for (size_t i = 0; i < FEW; i++) {
        double sum = 0;
        for (size_t k = 0; k < outputs; k++) sum += predicted[i * outputs + k] = .1 + xorshift_unit(&random);
        for (size_t k = 0; outputs > 1 && k < outputs; k++) predicted[i * outputs + k] /= sum;
        labels[i] = floor(xorshift_unit(&random) * (outputs > 1 ? (double)outputs : 5));
        weights[i] = (uint32_t)(4 * xorshift_unit(&random));
        for (size_t k = 0; k < weights[i]; k++, rows++) {
            memcpy(repeated + rows * outputs, predicted + i * outputs, outputs * sizeof *predicted);
            their_labels[rows] = labels[i];
        }
        weights[i] *= 16384; /* quarters */
    }
    hr_comparison weighed = {task, predicted, labels, FEW, outputs, NULL, weights},
                  again = {task, repeated, their_labels, rows, outputs, NULL, NULL};
    hr_metrics a = {0}, b = {0};
    assert_int_equal(hr_metrics_compare(&weighed, &a, NULL), HR_OK);
    assert_int_equal(hr_metrics_compare(&again, &b, NULL), HR_OK);
    assert_true(a.rows == FEW && b.rows == rows && b.weight == (double)rows && a.weight == (double)rows / 4);
    const double one[] = {a.error, a.auc, a.logloss, a.ece, a.rmse, a.mae, a.r2, a.deviance},
                 other[] = {b.error, b.auc, b.logloss, b.ece, b.rmse, b.mae, b.r2, b.deviance};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        if (isnan(one[i]) && isnan(other[i])) continue;
        if (!(fabs(one[i] - other[i]) <= 1e-11 * fabs(other[i])))
            fail_msg("%zu: %g, not %g", i, one[i], other[i]);
    }
    memset(weights, 0, sizeof weights);
    assert_int_equal(hr_metrics_compare(&weighed, &a, NULL), HR_E_SCHEMA);
}

static void test_weights__count_as_so_many_records(void **state) {
    (void)state;
    check_weights(HR_TASK_BINARY, 2);
    check_weights(HR_TASK_MULTICLASS, 3);
    check_weights(HR_TASK_REGRESSION, 1);
    check_weights(HR_TASK_COUNT, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binary__equals_scikit_learn),
        cmocka_unit_test(test_binary__equals_scikit_learn_with_heavy_ties),
        cmocka_unit_test(test_binary__has_no_auc_for_one_class),
        cmocka_unit_test(test_binary__orders_perfectly_and_backwards),
        cmocka_unit_test(test_binary__is_calibrated_as_computed_by_hand),
        cmocka_unit_test(test_multiclass__is_calibrated_as_computed_by_hand),
        cmocka_unit_test(test_binary__is_calibrated_if_frequencies_are_met),
        cmocka_unit_test(test_multiclass__equals_scikit_learn),
        cmocka_unit_test(test_regression__equals_scikit_learn),
        cmocka_unit_test(test_regression__has_no_r2_for_a_constant_label),
        cmocka_unit_test(test_evaluate__compares_its_own_predictions),
        cmocka_unit_test(test_evaluate__wants_labels_and_rows),
        cmocka_unit_test(test_count__equals_scikit_learn),
        cmocka_unit_test(test_weights__count_as_so_many_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
