/* Bounds over owners, from the offer to the schema: what they are, and what an owner does where the
 * coordinator asks what its machine would not. Epsilon is so large where bounds are compared that their noise
 * does not show: a false alarm has a probability far below 1e-6. */
#include "federation/federated/federated_method.h"
#include "fit/measure/shared_bounds.h"
#include "support/false_coordinator.h"

#include <math.h>

enum { OWNERS = 3, ROWS = 300 };

static struct {
    federation federation;
    const char *columns[3];
} w;

/* Features and label are below 1; the label and the second feature are asked for. */
static void open_world(double epsilon, double delta, bool label) {
    memset(&w, 0, sizeof w);
    hr_job_file job = federated_job("hedge", epsilon, delta);
    table t = table_of_steps(ROWS, 2, 0, 9);
    w.columns[label] = hr_schema_feature(t.schema, 1)->name;
    if (label) w.columns[0] = hr_schema_label(t.schema)->name;
    job.columns = (hr_names){w.columns, 1 + (size_t)label};
    federation_open(&w.federation, t, OWNERS, job, 1);
}

static void close_world(void) {
    federation_close(&w.federation);
}

static const hr_joint_schema *run(void) {
    assert_null(federation_run(&w.federation));
    return w.federation.simulation.parties[0].as.coordinator.result.bounded;
}

static void assert_holds(const hr_column *column, const double *values, size_t count) {
    double low = values[0], high = values[0];
    for (size_t i = 0; i < count; i++) low = fmin(low, values[i]), high = fmax(high, values[i]);
    if (column->low > low || column->high < high)
        fail_msg("%s: %g to %g, values from %g to %g", column->name, column->low, column->high, low, high);
}

/* ---- Schemas ---- */

static void test_bounds__hold_the_values_of_all_owners(void **state) {
    (void)state;
    open_world(1e4, 0, true);
    const hr_schema *before = w.federation.table.schema, *made = run()->schema;
    assert_holds(hr_schema_feature(made, 1), w.federation.table.columns[1], ROWS);
    assert_holds(hr_schema_label(made), w.federation.table.labels, ROWS);
    assert_true(hr_schema_feature(made, 0)->low == hr_schema_feature(before, 0)->low);
    assert_true(hr_schema_feature(made, 0)->high == hr_schema_feature(before, 0)->high);
    assert_true(hr_schema_label(made)->low >= hr_schema_label(before)->low);
    assert_true(hr_schema_label(made)->high <= hr_schema_label(before)->high);
    close_world();
}

static void test_bounds__say_what_they_cost(void **state) {
    (void)state;
    open_world(1, 1e-6, false);
    const char *statement = run()->statement;
    assert_non_null(strstr(statement, "(1, 1e-06)-differentially private"));
    assert_non_null(strstr(statement, "one of the 3 owners"));
    close_world();
}

static void test_bounds__can_be_read_as_a_schema(void **state) {
    (void)state;
    char *yaml = NULL;
    hr_schema *again = NULL;
    open_world(1, 0, true);
    const hr_joint_schema *made = run();
    const hr_job_result result = {.bounded = (hr_joint_schema *)made};
    assert_int_equal(hr_job_result_render(&result, &yaml, NULL), HR_OK);
    assert_int_equal(yaml[0], '#');
    assert_null(strstr(yaml, "\n (")); /* every line of the statement is a comment */
    assert_int_equal(hr_schema_parse(yaml, strlen(yaml), "again", &again, NULL), HR_OK);
    assert_true(hr_schema_label(again)->high == hr_schema_label(made->schema)->high);
    hr_schema_free(again);
    hr_text_free(yaml);
    close_world();
}

/* ---- An owner that fails after the start ---- */

static hr_status (*honest_train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);

/* It has answered about magnitudes, and has no answer to the rest. */
static hr_status fail_later(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                            hr_error *err) {
    if (slot < 2) return honest_train(self, job, slot, out, err);
    return hr_fail(err, HR_E_SCHEMA, "", "no table");
}

static void test_bounds__go_on_without_an_owner_that_fails(void **state) {
    (void)state;
    open_world(100, 0, true);
    hr_party_work *work = &w.federation.simulation.parties[2].as.work;
    honest_train = work->train;
    work->train = fail_later;
    const hr_joint_schema *made = run();
    const hr_column *label = hr_schema_label(made->schema);
    assert_true(label->low < label->high);
    assert_non_null(strstr(w.federation.lines, "question 2 goes on: owner"));
    assert_null(strstr(w.federation.lines, "lost"));
    assert_non_null(strstr(made->statement, "one of the 2 owners"));
    close_world();
}

/* ---- A coordinator that asks falsely ---- */

/* column -1: the magnitudes of all. */
static void put_body(Hedgerow__Question *question, int column, bool last, double low, double high) {
    Hedgerow__BoundsQuestion body = HEDGEROW__BOUNDS_QUESTION__INIT;
    Hedgerow__BoundsQuestion__Range range = HEDGEROW__BOUNDS_QUESTION__RANGE__INIT, *ranges[] = {&range};
    hr_bytes packed = {0};
    range.column = (uint32_t)column;
    range.last = last;
    range.low = low;
    range.high = high;
    body.ranges = ranges;
    body.n_ranges = column >= 0;
    assert_int_equal(hr_message_pack(&body.base, &packed, NULL), HR_OK);
    free(question->body.data);
    question->body = (ProtobufCBinaryData){packed.size, packed.at};
    if (column >= 0) question->values = last ? HR_BOUNDS_LAST_CELLS : HR_BOUNDS_ZOOM_CELLS;
}

/* The questions that the job pays for, the label's last cells among them, and then the first one again. */
static void test_bounds__are_asked_for_once(void **state) {
    (void)state;
    for (int label = 0; label < 2; label++) {
        false_coordinator log;
        open_world(1e4, 0, label != 0);
        (void)!false_coordinator_run(&w.federation, NULL, 6, &log);
        assert_true(log.answers >= OWNERS * (size_t)(1 + label) && log.answers < OWNERS * 6);
        assert_true(log.refusals >= 1);
        assert_non_null(strstr(log.why, "a histogram is asked for once"));
        close_world();
    }
}

static void asks_for_one_zoom(Hedgerow__Question *question) {
    put_body(question, 0, false, 0, 1);
}

/* Each answer is paid for; a coordinator that goes on asking gets no more than the proof allows: here none,
 * since magnitudes come first. */
static void test_bounds__are_not_asked_for_before_magnitudes(void **state) {
    (void)state;
    false_coordinator log;
    tampering *const tamper = asks_for_one_zoom;
    open_world(1, 0, true);
    assert_int_not_equal(false_coordinator_run(&w.federation, tamper, 1, &log), HR_OK);
    assert_int_equal(log.answers, 0);
    assert_non_null(strstr(log.why, "magnitudes first"));
    close_world();
}

static size_t asked_so_far;

static void goes_on_with_the_last(Hedgerow__Question *question) {
    if (asked_so_far++) put_body(question, 1, true, 0, 1);
}

static void goes_on_with_zooms(Hedgerow__Question *question) {
    if (asked_so_far++) put_body(question, 0, false, 0, 1);
}

/* After the magnitudes: one histogram of last cells, and as many closer ones as are paid for. */
static void test_bounds__have_no_more_steps_than_are_paid_for(void **state) {
    (void)state;
    static const struct {
        tampering *tamper;
        bool label;
        size_t steps;
    } cases[] = {{goes_on_with_the_last, true, 1}, {goes_on_with_zooms, false, HR_BOUNDS_ZOOMS_OF_FEATURE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        false_coordinator log;
        asked_so_far = 0;
        open_world(1, 0, cases[i].label);
        (void)!false_coordinator_run(&w.federation, cases[i].tamper, 6, &log);
        assert_int_equal(log.answers, OWNERS * (1 + cases[i].steps));
        assert_non_null(strstr(log.why, "a histogram is asked for once"));
        close_world();
    }
}

static void assert_refused(tampering *tamper, bool label, const char *why) {
    false_coordinator log;
    open_world(1, 0, label);
    assert_int_not_equal(false_coordinator_run(&w.federation, tamper, 1, &log), HR_OK);
    assert_int_equal(log.answers, 0);
    assert_true(log.refusals >= 1);
    if (!strstr(log.why, why)) fail_msg("%s", log.why);
    close_world();
}

static void asks_for_a_features_last(Hedgerow__Question *question) {
    put_body(question, 0, true, 0, 1);
}

static void asks_beyond_the_limits(Hedgerow__Question *question) {
    put_body(question, 1, true, -1e300, 1e300);
}

static void asks_for_an_empty_range(Hedgerow__Question *question) {
    put_body(question, 0, false, .5, .5);
}

static void asks_for_no_range(Hedgerow__Question *question) {
    put_body(question, 1, false, (double)NAN, 1);
}

static void asks_for_no_column(Hedgerow__Question *question) {
    put_body(question, 2, false, 0, 1);
}

static void test_bounds__are_asked_for_within_the_limits(void **state) {
    (void)state;
    assert_refused(asks_for_a_features_last, true, "no label");
    assert_refused(asks_beyond_the_limits, true, "outside its limits");
    assert_refused(asks_for_an_empty_range, true, "outside its limits");
    assert_refused(asks_for_no_range, true, "outside its limits");
    assert_refused(asks_for_no_column, true, "no column");
    assert_refused(asks_for_a_choice, true, "asks for sums");
}

/* ---- Terms ---- */

static void assert_no_terms(const Hedgerow__Terms *terms, const char *says) {
    hr_error err = {0};
    assert_int_not_equal(hr_federated_bounds.check_terms(terms, w.federation.table.schema, &err), HR_OK);
    if (!strstr(err.message, says)) fail_msg("%s", err.message);
}

static void test_bounds__check_their_terms(void **state) {
    (void)state;
    hr_error err = {0};
    uint8_t text[] = "no column";
    ProtobufCBinaryData columns[300];
    open_world(1, 0, true);
    Hedgerow__Terms *terms = federation_terms(&w.federation.job, w.federation.table.schema, &err);
    if (!terms) fail_msg("%s", err.message);
    assert_int_equal(hr_federated_bounds.check_terms(terms, w.federation.table.schema, NULL), HR_OK);
    Hedgerow__Terms bad = *terms;
    bad.columns = columns;
    columns[0] = (ProtobufCBinaryData){sizeof text - 1, text};
    bad.n_columns = 1;
    assert_no_terms(&bad, "no column");
    columns[0] = columns[1] = terms->columns[0];
    bad.n_columns = 2;
    assert_no_terms(&bad, "twice");
    bad.n_columns = 0;
    assert_no_terms(&bad, "0 columns");
    bad.n_columns = 300;
    assert_no_terms(&bad, "300 columns");
    bad = *terms;
    bad.epsilon = 1e-12;
    assert_no_terms(&bad, "");
    bad = *terms;
    bad.paper = true;
    assert_no_terms(&bad, "no paper mode");
    hr_message_unpacked_free(&terms->base);
    close_world();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds__hold_the_values_of_all_owners),
        cmocka_unit_test(test_bounds__say_what_they_cost),
        cmocka_unit_test(test_bounds__can_be_read_as_a_schema),
        cmocka_unit_test(test_bounds__are_asked_for_once),
        cmocka_unit_test(test_bounds__are_not_asked_for_before_magnitudes),
        cmocka_unit_test(test_bounds__go_on_without_an_owner_that_fails),
        cmocka_unit_test(test_bounds__have_no_more_steps_than_are_paid_for),
        cmocka_unit_test(test_bounds__are_asked_for_within_the_limits),
        cmocka_unit_test(test_bounds__check_their_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
