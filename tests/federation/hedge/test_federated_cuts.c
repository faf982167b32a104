/* Cuts of times over owners, from the offer to the model: they are quantiles of the events of all, each owner
 * is charged for them, and the model has them as if they had always been public. Where cuts are compared the
 * noise is a hundredth of what may be missed: a false alarm has a probability far below 1e-6. */
#include "federation/federated/federated_method.h"
#include "fit/budget.h"
#include "fit/cuts.h"
#include "support/federation.h"
#include "tables/schema/survival_code.h"

#include <math.h>

enum { OWNERS = 3, ROWS = 6000, QUANTILES = 4 };
static const double HIGH = 1000;

static federation w;

static table table_of_times(uint64_t seed) {
    table t = table_open(ROWS, 2);
    double even[QUANTILES];
    hr_column features[] = {number_column("x", 0, 1), category_column("ward", 3)},
              label = number_column("days", -1e300, 1e300);
    for (size_t k = 0; k < QUANTILES; k++) even[k] = HIGH * (double)(k + 1) / QUANTILES;
    label.event = "died";
    label.intervals = even;
    label.interval_count = QUANTILES;
    label.quantile_cuts = true;
    for (size_t i = 0; i < ROWS; i++) {
        t.columns[0][i] = next_unit(&seed);
        t.columns[1][i] = (double)(i % 3);
        const double event = -200 * log(1 - next_unit(&seed)) * exp(1 - 2 * t.columns[0][i]);
        const double end = 1500 * next_unit(&seed);
        t.labels[i] = hr_time_label(fmin(event, end), event <= end);
    }
    table_make(&t, label, features);
    return t;
}

static void open_world(double epsilon, double delta) {
    federation_open(&w, table_of_times(5), OWNERS, federated_job("hedge", epsilon, delta), 1);
}

static double part_of_events_before(const table *t, double cut) {
    double before = 0, all = 0;
    for (size_t i = 0; i < t->rows; i++) {
        if (!hr_label_event(t->labels[i]) || hr_label_time(t->labels[i]) > HIGH) continue;
        all++;
        before += hr_label_time(t->labels[i]) <= cut;
    }
    return before / all;
}

static void check_cuts(const hr_model *model) {
    const hr_column *label = hr_schema_label(hr_model_schema(model));
    assert_false(label->quantile_cuts);
    assert_int_equal(label->interval_count, QUANTILES);
    assert_int_equal(model->forest.output_count, QUANTILES);
    assert_true(label->intervals[QUANTILES - 1] == HIGH);
    for (size_t k = 0; k + 1 < QUANTILES; k++) {
        const double part = part_of_events_before(&w.table, label->intervals[k]);
        if (fabs(part - (double)(k + 1) / QUANTILES) > .05) fail_msg("cut %zu: %g", k, part);
    }
}

static void test_cuts__are_quantiles_of_the_events_of_all(void **state) {
    (void)state;
    static const double deltas[] = {0, 1e-6};
    for (size_t d = 0; d < COUNT(deltas); d++) {
        open_world(20, deltas[d]);
        const hr_model *model = federation_run(&w);
        hr_metrics metrics;
        check_joint_model(model, 20, deltas[d]);
        check_cuts(model);
        assert_int_equal(hr_evaluate(model, w.table.data, 1, &metrics, NULL), HR_OK);
        assert_true(metrics.concordance > .55);
        assert_non_null(strstr(hr_model_guarantee(model)->statement,
                               "The cuts between intervals of times were released as well, for 5 % of"));
        assert_non_null(strstr(w.lines, "asks for the cuts of times"));
        federation_close(&w);
    }
}

/* A line a level, of a tenth each, with the shares that a coalition leaves; hedge has the rest. */
static void test_cuts__cost_what_one_process_pays(void **state) {
    (void)state;
    static const double deltas[] = {0, 1e-6};
    for (size_t d = 0; d < COUNT(deltas); d++) {
        open_world(2, deltas[d]);
        const hr_model *model = federation_run(&w);
        hr_budget budget;
        size_t lines = 0;
        assert_int_equal(hr_budget_of(&hr_method_hedge, &w.job.options, &budget, NULL), HR_OK);
        const hr_units cost = hr_cuts_cost(&hr_method_hedge, w.table.schema, budget.units);
        assert_true(cost > 0);
        for (size_t i = 0; i < model->release_count; i++) {
            const hr_release *line = &model->releases[i];
            if (strcmp(line->what, "cuts of times") != 0) continue;
            assert_int_equal(line->level, lines++);
            assert_true(line->cost == cost / HR_TIME_CUTS_BITS);
            assert_int_equal(line->sensitivity, HR_COUNT_UNIT);
            assert_int_equal(line->shares, OWNERS - 1);
        }
        assert_int_equal(lines, HR_TIME_CUTS_BITS);
        check_joint_model(model, 2, deltas[d]);
        federation_close(&w);
    }
}

/* ---- Owners that fail ---- */

static hr_status (*real_train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);

static void test_cuts__go_on_without_an_owner_that_fails(void **state) {
    (void)state;
    open_world(20, 1e-6);
    federation_owner_fails(&w, 2);
    check_cuts(federation_run(&w));
    assert_non_null(strstr(w.lines, "question 1 goes on: owner"));
    federation_close(&w);
}

static size_t failures;

/* Of the first sum the shares of one owner are missing once it was named: it was paid for, and comes again.
 */
static hr_status fail_when_named(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                                 hr_error *err) {
    if (slot == 1 && !failures++) return hr_fail(err, HR_E_LIMIT, "", "away");
    return real_train(self, job, slot, out, err);
}

static void test_cuts__are_paid_again_where_their_sum_is_lost(void **state) {
    (void)state;
    failures = 0;
    open_world(20, 1e-6);
    real_train = w.simulation.parties[2].as.work.train;
    w.simulation.parties[2].as.work.train = fail_when_named;
    const hr_model *model = federation_run(&w);
    size_t lines = 0;
    for (size_t i = 0; i < model->release_count; i++)
        lines += !strcmp(model->releases[i].what, "cuts of times");
    assert_int_equal(failures, 1);
    if (lines != 2 * HR_TIME_CUTS_BITS) fail_msg("%zu lines: %s", lines, w.lines);
    check_cuts(model);
    check_joint_model(model, 20, 1e-6);
    federation_close(&w);
}

/* ---- Terms ---- */

static void test_cuts__need_a_budget_and_a_method(void **state) {
    (void)state;
    hr_error err = {0};
    open_world(1, 0);
    Hedgerow__Terms *terms = federation_terms(&w.job, w.table.schema, &err);
    if (!terms) fail_msg("%s", err.message);
    assert_int_equal(hr_federated_hedge.check_terms(terms, w.table.schema, NULL), HR_OK);
    terms->epsilon = 1e-11;
    assert_int_equal(hr_federated_hedge.check_terms(terms, w.table.schema, &err), HR_E_BUDGET);
    hr_message_unpacked_free(&terms->base);
    hr_job_file curve = federated_job("survival-curve", 1, 0);
    assert_null(federation_terms(&curve, w.table.schema, &err));
    assert_int_equal(err.status, HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "a job of method survival-curve cannot release cuts"));
    federation_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts__are_quantiles_of_the_events_of_all),
        cmocka_unit_test(test_cuts__cost_what_one_process_pays),
        cmocka_unit_test(test_cuts__go_on_without_an_owner_that_fails),
        cmocka_unit_test(test_cuts__are_paid_again_where_their_sum_is_lost),
        cmocka_unit_test(test_cuts__need_a_budget_and_a_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
