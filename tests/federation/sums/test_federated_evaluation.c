/* An evaluation over owners, from the offer to the figures: what it says of all test records, what it costs,
 * and what an owner does where the coordinator asks what its machine would not. Epsilon is so large where
 * figures are compared that their noise does not show: a false alarm has a probability far below 1e-6. */
#include "federation/federated/federated_method.h"
#include "support/false_coordinator.h"

#include <math.h>

enum { OWNERS = 3, ROWS = 300 };

static struct {
    federation federation;
    hr_model *model;
    char *json;
} w;

static hr_model *model_of(size_t classes) {
    table train = table_of_steps(60, 2, classes, 5);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.trees = 10;
    hr_model *model = fit(train.data, &options);
    table_close(&train);
    return model;
}

static void open_world(size_t classes, double epsilon, double delta) {
    memset(&w, 0, sizeof w);
    w.model = model_of(classes);
    assert_int_equal(hr_model_render(w.model, &w.json, NULL), HR_OK);
    hr_job_file job = federated_job("hedge", epsilon, delta);
    job.model = "model.json";
    job.evaluated = (hr_file_text){job.model, w.json, strlen(w.json)};
    federation_open(&w.federation, table_of_steps(ROWS, 2, classes, 9), OWNERS, job, 1);
}

static void close_world(void) {
    federation_close(&w.federation);
    hr_text_free(w.json);
    hr_model_free(w.model);
}

static const hr_evaluation *run(void) {
    assert_null(federation_run(&w.federation));
    return w.federation.simulation.parties[0].as.coordinator.result.evaluation;
}

static double value_of(const hr_evaluation *made, const char *name) {
    for (size_t i = 0; i < made->figure_count; i++)
        if (!strcmp(made->figures[i].name, name)) return made->figures[i].value;
    fail_msg("there is no figure %s", name);
    return 0;
}

static void assert_near(double value, double wanted, double within) {
    if (!(fabs(value - wanted) <= within)) fail_msg("%g is not within %g of %g", value, within, wanted);
}

/* ---- Figures ---- */

static void test_evaluation__has_the_figures_of_all_test_records(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
        open_world(classes, 1e4, 0);
        const hr_evaluation *made = run();
        hr_metrics exact;
        assert_int_equal(hr_evaluate(w.model, w.federation.table.data, 1, &exact, NULL), HR_OK);
        assert_near(value_of(made, "records"), ROWS, .5);
        if (classes) {
            assert_near(value_of(made, "error"), exact.error, .01);
            assert_near(value_of(made, "logloss"), exact.logloss, .02);
        } else {
            assert_near(value_of(made, "rmse"), exact.rmse, .02);
            assert_near(value_of(made, "mae"), exact.mae, .02);
        }
        if (classes == 2) assert_near(value_of(made, "auc"), exact.auc, .02);
        close_world();
    }
}

static void test_evaluation__lists_what_each_owner_is_charged(void **state) {
    (void)state;
    open_world(2, 1, 1e-6);
    const hr_evaluation *made = run();
    assert_int_equal(made->release_count, 3);
    for (size_t i = 0; i < made->release_count; i++) {
        assert_string_equal(made->releases[i].mechanism, "shared discrete gaussian");
        assert_int_equal(made->releases[i].shares, OWNERS - 1); /* one is a coalition, as usual */
    }
    assert_true(made->epsilon <= 1 && made->epsilon > .99 && made->delta <= 1e-6);
    assert_non_null(strstr(made->statement, "one of the 3 owners' tables"));
    close_world();
}

/* ---- Owners without test records ---- */

static void test_evaluation__leaves_out_owners_without_test_records(void **state) {
    (void)state;
    open_world(2, 1e4, 0);
    w.federation.simulation.parties[2].as.owner.test = NULL;
    assert_near(value_of(run(), "records"), ROWS - ROWS / OWNERS, .5);
    assert_non_null(strstr(w.federation.lines, "2 of 3 owners take part"));
    close_world();
}

static void test_evaluation__ends_without_an_owner(void **state) {
    (void)state;
    hr_error err = {0};
    open_world(2, 1, 0);
    for (size_t o = 1; o <= OWNERS; o++) w.federation.simulation.parties[o].as.owner.test = NULL;
    assert_int_equal(hr_simulation_run(&w.federation.simulation, &err), HR_E_POLICY);
    assert_non_null(strstr(err.message, "ended without a file of figures"));
    close_world();
}

/* ---- An owner that fails after the start ---- */

/* The figures are those of the others, whose noise is of two owners. */
static void test_evaluation__goes_on_without_an_owner_that_fails(void **state) {
    (void)state;
    open_world(2, 1e4, 0);
    federation_owner_fails(&w.federation, 2);
    const hr_evaluation *made = run();
    assert_near(value_of(made, "records"), ROWS - ROWS / OWNERS, .5);
    assert_non_null(strstr(w.federation.lines, "question 1 goes on: owner"));
    assert_null(strstr(w.federation.lines, "lost"));
    assert_non_null(strstr(made->statement, "one of the 2 owners' tables"));
    assert_int_equal(made->releases[0].shares, 1);
    close_world();
}

/* ---- A coordinator that asks falsely ---- */

static void assert_refused(tampering *tamper, const char *why) {
    open_world(2, 1, 0);
    assert_no_owner_answers(&w.federation, tamper, why);
    close_world();
}

/* The job costs one answer. */
static void test_evaluation__is_answered_once(void **state) {
    (void)state;
    open_world(2, 1, 0);
    assert_owners_answer_once(&w.federation, "an evaluation asks one question");
    close_world();
}

static void sends_another_model(Hedgerow__Question *question) {
    question->body.data[question->body.len / 2] ^= 1;
}

static void sends_nothing(Hedgerow__Question *question) {
    free(question->body.data);
    question->body = (ProtobufCBinaryData){0};
}

static void test_evaluation__is_of_the_model_in_the_terms(void **state) {
    (void)state;
    assert_refused(sends_another_model, "the model that was sent is");
    assert_refused(sends_nothing, "the model that was sent is");
}

static void test_evaluation__is_no_choice(void **state) {
    (void)state;
    assert_refused(asks_for_a_choice, "asks for sums");
}

/* ---- Terms ---- */

static void assert_no_terms(const Hedgerow__Terms *terms, const char *says) {
    hr_error err = {0};
    assert_int_not_equal(hr_federated_evaluation.check_terms(terms, w.federation.table.schema, &err), HR_OK);
    if (!strstr(err.message, says)) fail_msg("%s", err.message);
}

static void test_evaluation__checks_its_terms(void **state) {
    (void)state;
    hr_error err = {0};
    uint8_t text[] = "model 1";
    open_world(2, 1, 0);
    Hedgerow__Terms *terms = federation_terms(&w.federation.job, w.federation.table.schema, &err);
    if (!terms) fail_msg("%s", err.message);
    assert_int_equal(hr_federated_evaluation.check_terms(terms, w.federation.table.schema, NULL), HR_OK);
    Hedgerow__Terms bad = *terms;
    bad.model = (ProtobufCBinaryData){sizeof text - 1, text};
    assert_no_terms(&bad, "name no model");
    bad = *terms;
    bad.epsilon = 1e-12;
    assert_no_terms(&bad, "");
    bad = *terms;
    bad.paper = true;
    assert_no_terms(&bad, "no paper mode");
    bad = *terms;
    bad.train = (ProtobufCBinaryData){sizeof text - 1, text};
    assert_no_terms(&bad, "no options");
    hr_message_unpacked_free(&terms->base);
    close_world();
}

static void test_evaluation__offers_models_of_the_schema_alone(void **state) {
    (void)state;
    static const char none[] = "{}";
    hr_error err = {0};
    open_world(2, 1, 0);
    hr_model *other = model_of(3);
    char *json = NULL;
    assert_int_equal(hr_model_render(other, &json, NULL), HR_OK);
    hr_job_file job = w.federation.job;
    job.evaluated = (hr_file_text){"model.json", json, strlen(json)};
    assert_null(federation_terms(&job, w.federation.table.schema, &err));
    assert_int_equal(err.status, HR_E_SCHEMA);
    assert_string_equal(err.file, "model.json");
    job.evaluated = (hr_file_text){"model.json", none, sizeof none - 1};
    assert_null(federation_terms(&job, w.federation.table.schema, &err));
    assert_int_equal(err.status, HR_E_FORMAT);
    hr_text_free(json);
    hr_model_free(other);
    close_world();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evaluation__has_the_figures_of_all_test_records),
        cmocka_unit_test(test_evaluation__lists_what_each_owner_is_charged),
        cmocka_unit_test(test_evaluation__leaves_out_owners_without_test_records),
        cmocka_unit_test(test_evaluation__ends_without_an_owner),
        cmocka_unit_test(test_evaluation__goes_on_without_an_owner_that_fails),
        cmocka_unit_test(test_evaluation__is_answered_once),
        cmocka_unit_test(test_evaluation__is_of_the_model_in_the_terms),
        cmocka_unit_test(test_evaluation__is_no_choice),
        cmocka_unit_test(test_evaluation__checks_its_terms),
        cmocka_unit_test(test_evaluation__offers_models_of_the_schema_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
