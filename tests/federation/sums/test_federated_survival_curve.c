/* The survival curve over owners, from the offer to the model: it is that of one process on all records, what
 * it costs, and what an owner does where the coordinator asks what its machine would not. Epsilon is so large
 * where curves are compared that their noise does not show: a false alarm has a probability far below 1e-6.
 */
#include "federation/federated/federated_method.h"
#include "methods/survival/life_table.h"
#include "support/false_coordinator.h"
#include "tables/schema/survival_code.h"

#include <math.h>

enum { OWNERS = 3, ROWS = 900, CUTS = 3, CODES = 2 * CUTS + 1 };

static const double cuts[CUTS] = {1, 2, 4};

static federation w;

static table table_of_times(uint64_t seed, size_t rows) {
    table t = table_open(rows, 2);
    hr_column label = number_column("t", -1e300, 1e300),
              features[] = {number_column("x", 0, 1), category_column("ward", 3)};
    label.event = "died";
    label.intervals = cuts;
    label.interval_count = CUTS;
    for (size_t i = 0; i < rows; i++) {
        const double event = -4 * log(1 - next_unit(&seed)), end = 6 * next_unit(&seed);
        t.columns[0][i] = next_unit(&seed);
        t.columns[1][i] = (double)(i % 3);
        t.labels[i] = hr_time_label(fmin(event, end), event <= end);
    }
    table_make(&t, label, features);
    return t;
}

static void open_world(size_t rows, double epsilon, double delta) {
    federation_open(&w, table_of_times(7, rows), OWNERS, federated_job("survival-curve", epsilon, delta), 1);
}

static void counts_of(const table *t, double *counts) {
    memset(counts, 0, CODES * sizeof *counts);
    for (size_t i = 0; i < t->rows; i++)
        counts[hr_survival_code(hr_label_time(t->labels[i]), hr_label_event(t->labels[i]), cuts, CUTS)]++;
}

static const char *setting_of(const hr_model *model, const char *name) {
    for (size_t i = 0; i < model->setting_count; i++)
        if (!strcmp(model->settings[i].name, name)) return model->settings[i].value;
    fail_msg("there is no setting %s", name);
    return NULL;
}

static double records_of(const hr_model *model) {
    return strtod(setting_of(model, "records"), NULL);
}

/* ---- The curve ---- */

static void test_curve__is_that_of_all_records(void **state) {
    (void)state;
    static const double deltas[] = {0, 1e-6}, epsilons[] = {1e4, 100};
    for (size_t d = 0; d < COUNT(deltas); d++) {
        open_world(ROWS, epsilons[d], deltas[d]);
        const hr_model *joint = federation_run(&w);
        hr_fit_options options = options_of("survival-curve", HR_MODE_SOUND);
        options.epsilon = 1e4;
        options.delta = 0;
        hr_model *one = fit(w.table.data, &options);
        double counts[CODES];
        hr_life_interval curve[CUTS];
        counts_of(&w.table, counts);
        hr_life_table(counts, CUTS, 0, curve);
        assert_int_equal(joint->forest.tree_count, 0);
        assert_int_equal(joint->forest.output_count, CUTS);
        for (size_t k = 0; k < CUTS; k++)
            assert_true(fabs(joint->forest.base[k] - one->forest.base[k]) < .05);
        if (deltas[d] == 0) assert_string_equal(setting_of(joint, "curve"), setting_of(one, "curve"));
        assert_true(fabs(records_of(joint) - ROWS) < 1);
        double *predicted = predictions_of(joint, w.table.data);
        for (size_t k = 0; k < CUTS; k++) assert_true(fabs(predicted[k] - curve[k].survival) < 5e-3);
        free(predicted);
        hr_model_free(one);
        federation_close(&w);
    }
}

static void test_curve__is_that_of_each_group(void **state) {
    (void)state;
    static const char *const names[] = {"curve", "curve ward is missing", "curve ward=a", "curve ward=b",
                                        "curve ward=c"};
    hr_job_file job = federated_job("survival-curve", 1e4, 0);
    assert_int_equal(hr_fit_options_set(&job.options, "group", "ward", NULL), HR_OK);
    federation_open(&w, table_of_times(7, ROWS), OWNERS, job, 1);
    const hr_model *joint = federation_run(&w);
    hr_fit_options options = job.options;
    hr_model *one = fit(w.table.data, &options);
    assert_int_equal(joint->forest.tree_count, CUTS);
    assert_int_equal(joint->release_count, 1);
    for (size_t i = 0; i < COUNT(names); i++) {
        hr_curve_point a, b;
        assert_non_null(setting_of(joint, names[i]));
        for (size_t k = 0; hr_model_curve_point(one, i, k, &a); k++)
            assert_true(hr_model_curve_point(joint, i, k, &b) && fabs(a.survival - b.survival) < 1e-3 &&
                        fabs(a.high - b.high) < 1e-3);
    }
    double *of_joint = predictions_of(joint, w.table.data), *of_one = predictions_of(one, w.table.data);
    for (size_t i = 0; i < ROWS * hr_model_output_count(one); i++)
        assert_true(fabs(of_joint[i] - of_one[i]) < 1e-2 || of_joint[i] == of_one[i]);
    free(of_joint);
    free(of_one);
    hr_model_free(one);
    federation_close(&w);
}

/* Its one line, with the shares that a coalition leaves; what the model says of itself adds up. */
static void test_curve__lists_what_each_owner_is_charged(void **state) {
    (void)state;
    static const double deltas[] = {0, 1e-6};
    static const char *const mechanisms[] = {"shared discrete laplace", "shared discrete gaussian"};
    for (size_t d = 0; d < COUNT(deltas); d++) {
        open_world(ROWS, 1, deltas[d]);
        const hr_model *model = federation_run(&w);
        check_joint_model(model, 1, deltas[d]);
        assert_int_equal(model->release_count, 1);
        const hr_release_info line = hr_release_info_of(&model->releases[0]);
        assert_string_equal(line.what, "interval counts");
        assert_string_equal(line.mechanism, mechanisms[d]);
        assert_int_equal(model->releases[0].shares, OWNERS - 1);
        assert_int_equal(model->releases[0].sensitivity, HR_COUNT_UNIT);
        federation_close(&w);
    }
}

/* Wider than those of one process: a coalition's shares of the noise come on top. */
static void test_curve__has_bands_that_know_the_shares(void **state) {
    (void)state;
    double widths[2];
    for (size_t coalition = 1; coalition <= 2; coalition++) {
        hr_job_file job = federated_job("survival-curve", .05, 0);
        double first, low, high;
        job.coalition = coalition;
        federation_open(&w, table_of_times(7, 30000), OWNERS, job, 1);
        const char *text = setting_of(federation_run(&w), "curve");
        assert_int_equal(sscanf(text, "1: %lf (%lf..%lf);", &first, &low, &high), 3);
        widths[coalition - 1] = high - low;
        federation_close(&w);
    }
    /* Deviations of 1/.05 sqrt(2) sqrt(3/2) and sqrt(3) times, beside Greenwood's of 30,000 records. */
    assert_true(widths[1] > 1.02 * widths[0]);
}

/* ---- An owner that fails ---- */

/* The sum is prepared: it is over the others, whose noise is of two owners. */
static void test_curve__goes_on_without_an_owner_that_fails(void **state) {
    (void)state;
    open_world(ROWS, 1e4, 0);
    federation_owner_fails(&w, 2);
    const hr_model *model = federation_run(&w);
    assert_true(fabs(records_of(model) - (ROWS - ROWS / OWNERS)) < 1);
    assert_non_null(strstr(w.lines, "question 1 goes on: owner"));
    assert_int_equal(model->releases[0].shares, 1);
    federation_close(&w);
}

static void test_curve__ends_without_an_owner(void **state) {
    (void)state;
    hr_error err = {0};
    open_world(ROWS, 1, 0);
    for (size_t o = 1; o <= OWNERS; o++) federation_owner_fails(&w, o);
    assert_int_not_equal(hr_simulation_run(&w.simulation, &err), HR_OK);
    federation_close(&w);
}

/* ---- A coordinator that asks falsely ---- */

static void test_curve__is_answered_once(void **state) {
    (void)state;
    open_world(ROWS, 1, 0);
    assert_owners_answer_once(&w, "a survival curve asks one question");
    federation_close(&w);
}

static void assert_refused(tampering *tamper, const char *why) {
    open_world(ROWS, 1, 0);
    assert_no_owner_answers(&w, tamper, why);
    federation_close(&w);
}

static void test_curve__is_what_the_terms_say_alone(void **state) {
    (void)state;
    assert_refused(asks_for_a_choice, "asks for sums");
    assert_refused(sends_a_body, "asks nothing but its terms");
}

/* ---- Terms ---- */

static void test_curve__checks_its_terms(void **state) {
    (void)state;
    hr_error err = {0};
    open_world(ROWS, 1, 0);
    Hedgerow__Terms *terms = federation_terms(&w.job, w.table.schema, &err);
    if (!terms) fail_msg("%s", err.message);
    assert_int_equal(hr_federated_survival_curve.check_terms(terms, w.table.schema, NULL), HR_OK);
    Hedgerow__Terms bad = *terms;
    bad.epsilon = 1e-13;
    assert_int_equal(hr_federated_survival_curve.check_terms(&bad, w.table.schema, &err), HR_E_BUDGET);
    /* A group that is no category: no job is made of it, and no owner takes part in one. */
    enum { SETTINGS = 64 };
    uint8_t name[] = "group", value[] = "x";
    Hedgerow__Setting group = HEDGEROW__SETTING__INIT, *settings[SETTINGS];
    group.name = (ProtobufCBinaryData){sizeof name - 1, name};
    group.value = (ProtobufCBinaryData){sizeof value - 1, value};
    assert_true(terms->n_settings < SETTINGS);
    for (size_t i = 0; i < terms->n_settings; i++) settings[i] = terms->settings[i];
    bad = *terms;
    settings[bad.n_settings++] = &group;
    bad.settings = settings;
    assert_int_equal(hr_federated_survival_curve.check_terms(&bad, w.table.schema, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "group");
    hr_message_unpacked_free(&terms->base);
    hr_job_file grouped = w.job;
    assert_int_equal(hr_fit_options_set(&grouped.options, "group", "x", NULL), HR_OK);
    assert_null(federation_terms(&grouped, w.table.schema, &err));
    assert_int_equal(err.status, HR_E_ARGUMENT);
    assert_string_equal(err.field, "group");
    table steps = table_of_steps(60, 2, 2, 5);
    assert_null(federation_terms(&w.job, steps.schema, &err));
    assert_int_equal(err.status, HR_E_ARGUMENT);
    table_close(&steps);
    federation_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curve__is_that_of_all_records),
        cmocka_unit_test(test_curve__is_that_of_each_group),
        cmocka_unit_test(test_curve__lists_what_each_owner_is_charged),
        cmocka_unit_test(test_curve__has_bands_that_know_the_shares),
        cmocka_unit_test(test_curve__goes_on_without_an_owner_that_fails),
        cmocka_unit_test(test_curve__ends_without_an_owner),
        cmocka_unit_test(test_curve__is_answered_once),
        cmocka_unit_test(test_curve__is_what_the_terms_say_alone),
        cmocka_unit_test(test_curve__checks_its_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
