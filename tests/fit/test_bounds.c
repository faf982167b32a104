/* Fits that release the bounds of columns: what the model says, what it costs, what is refused; and a game of
 * whole trainings (audit_games.h). */
#include "support/audit_games.h"
#include "support/tables.h"

#include <stdlib.h>
#include <unistd.h>

/* Values of about 50 to 150 within limits of a million millions. */
static table wide_table(size_t rows, size_t classes) {
    table t = table_open(rows, 2);
    uint64_t seed = 9;
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = 50 + 100 * next_unit(&seed);
        t.columns[1][i] = i % 7 ? next_unit(&seed) : (double)NAN;
        bool high = t.columns[0][i] > 100;
        t.labels[i] = classes ? high : 700 + 100 * high;
    }
    const hr_column features[] = {number_column("x", -1e12, 1e12), number_column("z", 0, 1)};
    table_make(&t, classes ? category_column("y", 2) : number_column("y", -1e12, 1e12), features);
    return t;
}

static const char *const of_both[] = {"x", "y"};

static hr_fit_options bounded_options(const char *method, size_t columns) {
    hr_fit_options options = options_of(method, HR_MODE_SOUND);
    options.private_bounds = of_both;
    options.private_bounds_count = columns;
    return options;
}

static double cost_of_bounds(const hr_model *model, size_t *others) {
    double cost = 0;
    *others = 0;
    for (size_t i = 0; i < model->release_count; i++) {
        const hr_release *r = &model->releases[i];
        bool of_bounds = !strcmp(r->what, "magnitudes") || !strcmp(r->what, "closer bounds") ||
                         !strcmp(r->what, "bounds of the label");
        assert_true(of_bounds == (r->group == (uint64_t)1 << 40));
        if (of_bounds) cost += hr_units_value(r->cost);
        *others += !of_bounds;
    }
    return cost;
}

/* Every private method: the model has the bounds, pays for them, and claims no more than was granted. */
static void test_fit__releases_bounds_for_every_private_method(void **state) {
    (void)state;
    table t = wide_table(3000, 2);
    for (size_t m = 0; m < hr_method_count(); m++) {
        const hr_method_info *info = hr_method_at(m);
        if (!info->is_private || makes_no_plain_model(info->name)) continue;
        hr_fit_options options = bounded_options(info->name, 1);
        options.epsilon = 8;
        options.bounds_share = .25;
        options.delta = 0;
        hr_model *model = fit(t.data, &options);
        hr_error err = {0};
        if (hr_model_check(model, &err)) fail_msg("%s: %s", err.field, err.message);
        const hr_column *x = hr_schema_feature(hr_model_schema(model), 0);
        if (!(x->low <= 60 && x->high >= 140 && x->high <= 1024)) /* noise is below ten records */
            fail_msg("%s: %g to %g", info->name, x->low, x->high);
        size_t others;
        double cost = cost_of_bounds(model, &others);
        assert_true(others > 0 && cost <= 2 && cost > 1.49); /* closer bounds are not needed */
        assert_true(hr_model_guarantee(model)->epsilon <= 8);
        assert_non_null(strstr(hr_model_guarantee(model)->statement, "bounds of 1 column"));
        hr_model_free(model);
    }
    table_close(&t);
}

/* A number as the label, from limits that would drown it: the model is right to a tenth of its range. Seeds
 * are fixed. */
static void test_fit__learns_within_the_bounds(void **state) {
    (void)state;
    table t = wide_table(20000, 0);
    for (uint64_t seed = 0; seed < 5; seed++) {
        hr_fit_options options = bounded_options("hedge", 2);
        options.reproducible_noise = true;
        options.seed = seed;
        hr_model *model = fit(t.data, &options);
        const hr_column *y = hr_schema_label(hr_model_schema(model));
        if (!(y->low >= 300 && y->low <= 700 && y->high >= 800 && y->high <= 1200))
            fail_msg("%g to %g", y->low, y->high);
        double *said = NULL, sum = 0;
        hr_data *again = NULL;
        assert_int_equal(hr_data_from_arrays(hr_model_schema(model), t.rows, (const double *const *)t.columns,
                                             t.labels, &again, NULL),
                         HR_OK);
        said = predictions_of(model, again);
        for (size_t i = 0; i < t.rows; i++) sum += fabs(said[i] - t.labels[i]);
        if (!(sum / (double)t.rows < 10)) fail_msg("mean error %g", sum / (double)t.rows);
        free(said);
        hr_data_free(again);
        hr_model_free(model);
    }
    table_close(&t);
}

static void assert_bounds_refused(const hr_data *data, const hr_fit_options *options, hr_status wanted,
                                  const char *says) {
    hr_model *model = NULL;
    hr_error err = {0};
    char text[1024];
    hr_status status = hr_fit(data, options, &model, &err);
    hr_error_format(&err, text, sizeof text);
    if (status != wanted || !strstr(text, says)) fail_msg("status %d: '%s', not '%s'", status, text, says);
    assert_null(model);
}

static void test_fit__refuses_bounds_that_it_cannot_release(void **state) {
    (void)state;
    table t = wide_table(100, 2);
    hr_fit_options options = bounded_options("gbdt", 1);
    assert_bounds_refused(t.data, &options, HR_E_ARGUMENT, "method gbdt");
    assert_int_equal(hr_fit_options_init(&options, "dpboost", HR_MODE_PAPER, NULL), HR_OK);
    options.private_bounds = of_both;
    options.private_bounds_count = 1;
    assert_bounds_refused(t.data, &options, HR_E_ARGUMENT, "paper mode");
    options = bounded_options("dpboost", 2);
    assert_bounds_refused(t.data, &options, HR_E_ARGUMENT, "'y' is no number");
    options.private_bounds = (const char *const[]){"x", "w"};
    assert_bounds_refused(t.data, &options, HR_E_ARGUMENT, "no column 'w'");
    options.private_bounds = (const char *const[]){"x", "x"};
    assert_bounds_refused(t.data, &options, HR_E_ARGUMENT, "named twice");
    options = bounded_options("dpboost", 1);
    static const double shares[] = {.6, 2, 0, -1, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < COUNT(shares); i++) {
        options.bounds_share = shares[i];
        assert_bounds_refused(t.data, &options, HR_E_ARGUMENT, "of its budget to bounds");
    }
    options.bounds_share = .001;
    options.epsilon = 1e-10;
    assert_bounds_refused(t.data, &options, HR_E_BUDGET, "closer bounds");
    options.bounds_share = .05;
    options.epsilon = 1;
    hr_fit_options first = options_of("dpboost", HR_MODE_SOUND);
    hr_model *start = fit(t.data, &first);
    options.start = start;
    assert_bounds_refused(t.data, &options, HR_E_ARGUMENT, "starts from a model");
    hr_plan_info plan;
    options = bounded_options("hedge", 1);
    assert_int_equal(hr_fit_plan(&options, 1000, t.schema, &plan, NULL), HR_OK);
    hr_model_free(start);
    table_close(&t);
}

/* ---- Records that noise hides ---- */

static void assert_states(const hr_model *model, const char *says) {
    const char *statement = hr_model_guarantee(model)->statement;
    if (!strstr(statement, says)) fail_msg("'%s' is not in: %s", says, statement);
}

/* Of 150 records at epsilon 1 no bounds are made up: the fit fails, and says that the budget is spent. */
static void test_fit__fails_where_noise_hides_the_label(void **state) {
    (void)state;
    table t = wide_table(150, 0);
    char path[] = "/tmp/hr-bounds-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && !close(file) && !unlink(path));
    hr_ledger *ledger = NULL;
    hr_ledger_total total;
    assert_int_equal(hr_ledger_create(path, 100, 1e-3, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(path, &ledger, NULL), HR_OK);
    for (int run = 0; run < 20; run++) {
        hr_fit_options options = bounded_options("hedge", 2);
        options.ledger = ledger;
        assert_bounds_refused(t.data, &options, HR_E_BUDGET, "noise hides the values of 'y'");
        assert_bounds_refused(t.data, &options, HR_E_BUDGET, "counts as spent");
    }
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    assert_true(total.epsilon_spent >= 40 && total.epsilon_spent < 40.1);
    hr_ledger_close(ledger);
    assert_int_equal(unlink(path), 0);
    table_close(&t);
}

/* About 1,100 records need the second release at epsilon 1, which costs four times the first, and is kept
 * from the method. */
static void test_fit__looks_again_for_what_noise_hid(void **state) {
    (void)state;
    table few = wide_table(1200, 0), many = wide_table(20000, 0);
    for (uint64_t seed = 0; seed < 5; seed++) {
        hr_fit_options options = bounded_options("hedge", 2);
        size_t others;
        options.reproducible_noise = true;
        options.seed = seed;
        hr_model *model = fit(few.data, &options);
        const hr_column *y = hr_schema_label(hr_model_schema(model));
        if (!(y->low >= 250 && y->low <= 700 && y->high >= 800 && y->high <= 2048))
            fail_msg("%g to %g", y->low, y->high);
        assert_states(model, "for 25 % of the budget");
        assert_int_equal(hr_model_check(model, NULL), HR_OK);
        const double again = cost_of_bounds(model, &others);
        hr_model_free(model);
        model = fit(many.data, &options);
        assert_states(model, "for 5 % of the budget");
        const double once = cost_of_bounds(model, &others);
        assert_true(again > 4 * once && again < 6.5 * once);
        hr_model_free(model);
    }
    table_close(&few);
    table_close(&many);
}

/* A feature without values has the limits that were given, and the statement names it. */
static void test_fit__names_the_features_that_noise_hides(void **state) {
    (void)state;
    table t = wide_table(3000, 2);
    for (size_t i = 0; i < t.rows; i++) t.columns[0][i] = (double)NAN;
    const hr_column features[] = {number_column("x", -1e12, 1e12), number_column("z", 0, 1)};
    hr_data_free(t.data);
    hr_schema_free(t.schema);
    table_make(&t, category_column("y", 2), features);
    hr_fit_options options = bounded_options("hedge", 1);
    hr_model *model = fit(t.data, &options);
    assert_true(hr_schema_feature(hr_model_schema(model), 0)->low <= -1e12);
    assert_states(model, "Noise hides the values of 1 of these columns");
    assert_states(model, "hardly count: x.");
    hr_model_free(model);
    table_close(&t);
}

/* Before anything is spent, from public numbers alone. */
static void test_plan__says_how_many_records_bounds_need(void **state) {
    (void)state;
    table t = wide_table(10, 0);
    static const struct {
        double epsilon, records;
        bool refused;
    } cases[] = {{1, 100, true},   {1, 700, true}, {1, 1500, false}, {1, 10000, false}, {.1, 1000, true},
                 {.1, 5000, true}, {8, 100, true}, {8, 400, false},  {.3, 10000, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_fit_options options = bounded_options("hedge", 2);
        hr_plan_info plan;
        hr_error err = {0};
        options.epsilon = cases[i].epsilon;
        const hr_status status = hr_fit_plan(&options, cases[i].records, t.schema, &plan, &err);
        if (status != (cases[i].refused ? HR_E_BUDGET : HR_OK))
            fail_msg("epsilon %g, %g records: %d %s", cases[i].epsilon, cases[i].records, status,
                     err.message);
        if (status) assert_non_null(strstr(err.message, "private bounds of it need about"));
        if (status) assert_string_equal(err.field, "private-bounds");
    }
    table_close(&t);
}

/* ---- W11: the bounds of a column in which one record is far from the other ---- */

static double sees_far(const hr_model *model) {
    return hr_schema_feature(model->schema, 0)->high > 1e6;
}

static game w11(double epsilon, size_t runs) {
    game g = {.name = "W11 bounds of two records", .claimed = 1, .runs = runs, .look = sees_far};
    g.options = bounded_options("seq", 1);
    g.options.epsilon = 2 * epsilon;
    g.options.bounds_share = .5;
    g.options.trees = g.options.depth = 1;
    table t = table_open(3, 1);
    t.columns[0][0] = t.columns[0][1] = 3;
    t.columns[0][2] = 1e9;
    t.labels[2] = 1;
    hr_column feature = number_column("x", -1e12, 1e12);
    game_make(&g, &t, category_column("y", 2), &feature);
    return g;
}

static void test_w11__finds_nothing_beyond_what_bounds_cost(void **state) {
    (void)state;
    game g = w11(1, 4000);
    assert_quiet(&g, event_bound(&g));
    game_close(&g);
}

static void test_w11x__catches_bounds_at_twenty_times_what_they_claim(void **state) {
    (void)state;
    game g = w11(20, 1000);
    assert_caught(&g, event_bound(&g));
    game_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit__releases_bounds_for_every_private_method),
        cmocka_unit_test(test_fit__learns_within_the_bounds),
        cmocka_unit_test(test_fit__refuses_bounds_that_it_cannot_release),
        cmocka_unit_test(test_fit__fails_where_noise_hides_the_label),
        cmocka_unit_test(test_fit__looks_again_for_what_noise_hid),
        cmocka_unit_test(test_fit__names_the_features_that_noise_hides),
        cmocka_unit_test(test_plan__says_how_many_records_bounds_need),
        cmocka_unit_test(test_w11__finds_nothing_beyond_what_bounds_cost),
        cmocka_unit_test(test_w11x__catches_bounds_at_twenty_times_what_they_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
