/* Statistics over owners, from the offer to the figures: they are those of one process on all records, what
 * they cost, and what an owner does where the coordinator asks what its machine would not. Epsilon is so
 * large where figures are compared that their noise does not show: a false alarm has a probability far below
 * 1e-6. */
#include "federation/federated/federated_method.h"
#include "support/false_coordinator.h"

#include <math.h>

enum { OWNERS = 3, ROWS = 900 };

static federation w;

static table table_of_columns(uint64_t seed, size_t rows) {
    table t = table_open(rows, 2);
    const hr_column features[] = {number_column("x", 0, 4), category_column("ward", 3)};
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = next_unit(&seed) < .1 ? (double)NAN : 4 * next_unit(&seed);
        t.columns[1][i] = (double)(i % 4);
        t.labels[i] = next_unit(&seed) < .4;
    }
    table_make(&t, category_column("y", 2), features);
    return t;
}

static hr_job_file job_of(double epsilon, double delta) {
    hr_job_file job = federated_job("statistics", epsilon, delta);
    assert_int_equal(hr_fit_options_set(&job.options, "by", "label", NULL), HR_OK);
    assert_int_equal(hr_fit_options_set(&job.options, "columns", "ward,x", NULL), HR_OK);
    return job;
}

static void open_world(size_t rows, double epsilon, double delta) {
    federation_open(&w, table_of_columns(7, rows), OWNERS, job_of(epsilon, delta), 1);
}

static bool figure_at(const hr_model *m, size_t index, size_t group, size_t place, hr_statistic_figure *out) {
    return hr_model_statistic_figure(m, index, (size_t[]){group, place}, out);
}

static double records_of(const hr_model *model) {
    hr_statistic_figure figure;
    assert_true(figure_at(model, 0, 0, 0, &figure));
    return figure.value;
}

static void test_statistics__are_those_of_all_records(void **state) {
    (void)state;
    open_world(ROWS, 1e4, 0);
    const hr_model *joint = federation_run(&w);
    hr_model *one = fit(w.table.data, &w.job.options);
    size_t figures = 0;
    for (size_t i = 0; i < 3; i++)
        for (size_t g = 0; g < 3; g++) {
            hr_statistic_figure a, b;
            assert_string_equal(hr_model_statistic(joint, i), hr_model_statistic(one, i));
            for (size_t k = 0; figure_at(one, i, g, k, &a); k++, figures++)
                assert_true(figure_at(joint, i, g, k, &b) && fabs(a.value - b.value) < .1 &&
                            a.kind == b.kind);
        }
    assert_int_equal(figures, 3 * (1 + 4 + 3 + w.job.options.bins));
    assert_true(fabs(records_of(joint) - ROWS) < .1);
    assert_int_equal(joint->forest.tree_count, 0);
    hr_model_free(one);
    federation_close(&w);
}

/* Its lines, with the shares that a coalition leaves; what the file says of itself adds up. */
static void test_statistics__list_what_each_owner_is_charged(void **state) {
    (void)state;
    static const double deltas[] = {0, 1e-6};
    static const char *const mechanisms[] = {"shared discrete laplace", "shared discrete gaussian"},
                             *const what[] = {"record counts", "counts of values", "histograms",
                                              "sums of numbers", "sums of squares"};
    for (size_t d = 0; d < COUNT(deltas); d++) {
        open_world(ROWS, 1, deltas[d]);
        const hr_model *model = federation_run(&w);
        check_joint_model(model, 1, deltas[d]);
        assert_int_equal(model->release_count, COUNT(what));
        for (size_t i = 0; i < COUNT(what); i++) {
            const hr_release_info line = hr_release_info_of(&model->releases[i]);
            assert_string_equal(line.what, what[i]);
            assert_string_equal(line.mechanism, mechanisms[d]);
            assert_int_equal(model->releases[i].shares, OWNERS - 1);
            assert_int_equal(model->releases[i].sensitivity, i < 3 ? HR_COUNT_UNIT : HR_LABEL_SENSITIVITY);
        }
        federation_close(&w);
    }
}

/* Wider than those of one process: a coalition's shares of the noise come on top. */
static void test_statistics__have_intervals_that_know_the_shares(void **state) {
    (void)state;
    double widths[2];
    for (size_t coalition = 1; coalition <= 2; coalition++) {
        hr_job_file job = job_of(.5, 0);
        hr_statistic_figure figure;
        job.coalition = coalition;
        federation_open(&w, table_of_columns(7, 30000), OWNERS, job, 1);
        assert_true(figure_at(federation_run(&w), 0, 0, 0, &figure));
        widths[coalition - 1] = figure.high - figure.low;
        federation_close(&w);
    }
    /* Deviations of sqrt(3/2) and sqrt(3) times that of one gate. */
    assert_true(fabs(widths[1] / widths[0] - sqrt(2)) < .01);
}

/* ---- An owner that fails ---- */

/* The sum is prepared: it is over the others, whose noise is of two owners. */
static void test_statistics__go_on_without_an_owner_that_fails(void **state) {
    (void)state;
    open_world(ROWS, 1e4, 0);
    federation_owner_fails(&w, 2);
    const hr_model *model = federation_run(&w);
    assert_true(fabs(records_of(model) - (ROWS - ROWS / OWNERS)) < 1);
    assert_int_equal(model->releases[0].shares, 1);
    federation_close(&w);
}

static void test_statistics__end_without_an_owner(void **state) {
    (void)state;
    hr_error err = {0};
    open_world(ROWS, 1, 0);
    for (size_t o = 1; o <= OWNERS; o++) federation_owner_fails(&w, o);
    assert_int_not_equal(hr_simulation_run(&w.simulation, &err), HR_OK);
    federation_close(&w);
}

/* ---- A coordinator that asks falsely ---- */

static void test_statistics__are_answered_once(void **state) {
    (void)state;
    open_world(ROWS, 1, 0);
    assert_owners_answer_once(&w, "statistics ask one question");
    federation_close(&w);
}

static void assert_refused(tampering *tamper, const char *why) {
    open_world(ROWS, 1, 0);
    assert_no_owner_answers(&w, tamper, why);
    federation_close(&w);
}

static void test_statistics__are_what_the_terms_say_alone(void **state) {
    (void)state;
    assert_refused(asks_for_a_choice, "asks for sums");
    assert_refused(sends_a_body, "ask nothing but their terms");
}

/* ---- Terms ---- */

static void test_statistics__check_their_terms(void **state) {
    (void)state;
    hr_error err = {0};
    open_world(ROWS, 1, 0);
    Hedgerow__Terms *terms = federation_terms(&w.job, w.table.schema, &err);
    if (!terms) fail_msg("%s", err.message);
    assert_int_equal(hr_federated_statistics.check_terms(terms, w.table.schema, NULL), HR_OK);
    Hedgerow__Terms bad = *terms;
    bad.epsilon = 1e-13;
    assert_int_equal(hr_federated_statistics.check_terms(&bad, w.table.schema, &err), HR_E_BUDGET);
    /* Columns that the owner's schema has not. */
    table steps = table_of_steps(60, 2, 2, 5);
    assert_int_equal(hr_federated_statistics.check_terms(terms, steps.schema, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "columns");
    table_close(&steps);
    hr_message_unpacked_free(&terms->base);
    hr_job_file other = w.job;
    assert_int_equal(hr_fit_options_set(&other.options, "columns", "z", NULL), HR_OK);
    assert_null(federation_terms(&other, w.table.schema, &err));
    assert_int_equal(err.status, HR_E_ARGUMENT);
    assert_string_equal(err.field, "columns");
    federation_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics__are_those_of_all_records),
        cmocka_unit_test(test_statistics__list_what_each_owner_is_charged),
        cmocka_unit_test(test_statistics__have_intervals_that_know_the_shares),
        cmocka_unit_test(test_statistics__go_on_without_an_owner_that_fails),
        cmocka_unit_test(test_statistics__end_without_an_owner),
        cmocka_unit_test(test_statistics__are_answered_once),
        cmocka_unit_test(test_statistics__are_what_the_terms_say_alone),
        cmocka_unit_test(test_statistics__check_their_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
