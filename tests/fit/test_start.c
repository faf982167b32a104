/* Fits that continue a released model: what the new model is made of, what both cost together, and which
 * models are refused. */
#include "support/tables.h"
#include "support/temp_dir.h"

#include "fit/start.h"

static hr_fit_options continued(const hr_model *start, const char *method, hr_mode mode) {
    hr_fit_options options = options_of(method, mode);
    options.start = start;
    return options;
}

/* ---- What the new model is made of ---- */

static const char *const starters[] = {"hedge", "gbdt", "dpboost", "seq", "para", "inprivate"};

static void assert_same_trees(const hr_model *one, const hr_model *other, size_t count) {
    for (size_t t = 0; t < count; t++) {
        char *a = NULL, *b = NULL;
        assert_int_equal(hr_model_tree_text(one, t, &a, NULL), HR_OK);
        assert_int_equal(hr_model_tree_text(other, t, &b, NULL), HR_OK);
        assert_string_equal(a, b);
        hr_text_free(a);
        hr_text_free(b);
    }
}

/* Twice six rounds are twelve: the scores that the second six start at are those that the first six left. */
static void test_start__goes_on_where_the_other_stopped(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes++)
        for (int loss = HR_LOSS_SQUARE; loss <= HR_LOSS_LOGISTIC; loss++) {
            if (classes == 1) continue;
            table t = table_of_steps(700, 3, classes, 5);
            hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
            options.loss = (hr_loss)loss;
            options.depth = 3;
            options.trees = 12;
            hr_model *whole = fit(t.data, &options);
            options.trees = 6;
            hr_model *first = fit(t.data, &options);
            options.start = first;
            options.start_is_public = true;
            hr_model *second = fit(t.data, &options);
            assert_int_equal(hr_model_tree_count(second), hr_model_tree_count(whole));
            assert_same_trees(second, whole, hr_model_tree_count(whole));
            double *wanted = predictions_of(whole, t.data), *said = predictions_of(second, t.data);
            assert_memory_equal(said, wanted, t.rows * hr_model_output_count(whole) * sizeof *said);
            free(wanted);
            free(said);
            hr_model_free(whole);
            hr_model_free(first);
            hr_model_free(second);
            table_close(&t);
        }
}

/* The start is the beginning of the new model, which is whole by itself. */
static void check_contents(const char *method, size_t classes) {
    table t = table_of_steps(400, 3, classes, 7);
    hr_fit_options options = options_of(method, HR_MODE_SOUND);
    hr_model *start = fit(t.data, &options);
    options.start = start;
    hr_model *made = fit(t.data, &options);
    char *text = render(made), *summary = NULL, hash[HR_DIGEST_TEXT];
    size_t before = hr_model_tree_count(start);
    assert_true(hr_model_tree_count(made) > before);
    assert_same_trees(made, start, before);
    assert_int_equal(hr_model_file_hash(start, hash, NULL), HR_OK);
    assert_string_equal(hr_model_start(made), hash);
    double *wanted = predictions_of(made, t.data);
    hr_model_free(start);
    hr_model_free(made);
    made = parse_model(text);
    double *said = predictions_of(made, t.data), shares[TABLE_FEATURES], sum = 0;
    assert_memory_equal(said, wanted, t.rows * hr_model_output_count(made) * sizeof *said);
    assert_int_equal(hr_model_summary(made, &summary, NULL), HR_OK);
    assert_non_null(strstr(summary, hash));
    hr_model_importance(made, shares);
    for (size_t f = 0; f < t.features; f++) sum += shares[f];
    assert_true(fabs(sum - 1) < 1e-9);
    hr_text_free(summary);
    hr_text_free(text);
    hr_model_free(made);
    free(wanted);
    free(said);
    table_close(&t);
}

static void test_start__is_part_of_the_new_model(void **state) {
    (void)state;
    for (size_t m = 0; m < COUNT(starters); m++) {
        if (!strcmp(starters[m], "gbdt")) continue; /* not private */
        check_contents(starters[m], 2);
        check_contents(starters[m], 0);
        if (strcmp(starters[m], "inprivate") != 0) check_contents(starters[m], 3);
    }
}

/* A start that is right is kept by a budget that could not have found it: chance is right in half of the
 * cases. 4000 records and seeds that are fixed. */
static void test_start__is_what_a_small_budget_corrects(void **state) {
    (void)state;
    table t = table_of_steps(4000, 2, 2, 11);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    hr_model *start = fit(t.data, &options);
    for (size_t m = 0; m < COUNT(starters); m++) {
        if (!strcmp(starters[m], "gbdt")) continue;
        options = seeded_options_of(starters[m], HR_MODE_SOUND, 1);
        options.epsilon = .5;
        hr_fit_options square = options_of("gbdt", HR_MODE_SOUND);
        square.loss = HR_LOSS_SQUARE;
        hr_model *other = fit(t.data, &square);
        options.start = strcmp(starters[m], "inprivate") != 0 ? other : start;
        options.start_is_public = true;
        hr_metrics said = fit_metrics(t.data, &options);
        if (said.error > .1) fail_msg("%s: error %.3f", starters[m], said.error);
        hr_model_free(other);
    }
    hr_model_free(start);
    table_close(&t);
}

static double cost_of(const hr_model *model, const char *what) {
    double cost = 0;
    for (size_t i = 0; i < model->release_count; i++)
        if (!strcmp(model->releases[i].what, what)) cost += hr_units_value(model->releases[i].cost);
    return cost;
}

/* hedge asks for no base score where a start gives one: the rounds have its share. */
static void test_start__needs_no_base_score(void **state) {
    (void)state;
    table t = table_of_steps(500, 2, 2, 3);
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    hr_model *start = fit(t.data, &options);
    options.start = start;
    hr_model *made = fit(t.data, &options);
    assert_true(cost_of(start, "base score") > 0 && cost_of(made, "base score") == 0);
    assert_true(cost_of(made, "record count") == cost_of(start, "record count"));
    double budget = hr_units_value(hr_gdp_budget(1, 1e-6)), sum = 0;
    for (size_t i = 0; i < made->release_count; i++) sum += hr_units_value(made->releases[i].cost);
    assert_true(sum <= budget && sum > .999 * budget);
    hr_model_free(start);
    hr_model_free(made);
    table_close(&t);
}

/* ---- Scores of any size ---- */

/* A model of the table's schema that says `score` of every record. */
static hr_model *constant_model(const table *t, hr_link link, size_t outputs, double score) {
    hr_model *model = NULL, parts = {.method = "test", .arena = hr_arena_new(), .schema = t->schema};
    parts.forest = (hr_forest){.link = link, .output_count = outputs};
    parts.forest.base = hr_arena_alloc(parts.arena, outputs, sizeof *parts.forest.base);
    for (size_t k = 0; k < outputs; k++) parts.forest.base[k] = k % 2 ? -score : score;
    parts.guarantee = (hr_guarantee){.epsilon = (double)INFINITY, .epsilon_replace = (double)INFINITY};
    assert_int_equal(hr_model_make(&parts, &model, NULL), HR_OK);
    return model;
}

/* Every method makes a sound model of them: leaves are finite, and what was released is what was paid for. */
static void test_start__may_have_extreme_scores(void **state) {
    (void)state;
    static const double scores[] = {1e99, -1e99, 1e-300, 0};
    for (size_t m = 0; m < COUNT(starters); m++)
        for (size_t classes = 0; classes <= 3; classes++)
            for (size_t i = 0; i < COUNT(scores); i++) {
                bool one = !strcmp(starters[m], "inprivate");
                if (classes == 1 || (one && classes == 3)) continue;
                table t = table_of_steps(60, 2, classes, 13);
                hr_fit_options options = options_of(starters[m], HR_MODE_SOUND);
                hr_link link = !classes                              ? HR_LINK_NUMBER
                               : one || !strcmp(starters[m], "gbdt") ? HR_LINK_LOGISTIC
                                                                     : HR_LINK_SIGNED;
                hr_model *start = constant_model(&t, link, classes == 3 ? 3 : 1, scores[i]);
                options.start = start;
                options.start_is_public = true;
                hr_model *made = fit(t.data, &options);
                hr_error err = {0};
                if (hr_model_check(made, &err)) fail_msg("%s: %s: %s", starters[m], err.field, err.message);
                double *said = predictions_of(made, t.data);
                for (size_t k = 0; k < t.rows * hr_model_output_count(made); k++)
                    assert_true(isfinite(said[k]));
                free(said);
                hr_model_free(made);
                hr_model_free(start);
                table_close(&t);
            }
}

/* ---- What both cost ---- */

typedef struct price {
    const char *method;
    double epsilon, delta;
} price;

static hr_model *fit_at(const table *t, const price *p, const hr_model *start) {
    hr_fit_options options = continued(start, p->method, HR_MODE_SOUND);
    options.epsilon = p->epsilon;
    options.delta = p->delta;
    return fit(t->data, &options);
}

/* The new model says its own cost as always, and both in two places. */
static void check_both(const table *t, const price *old, const price *new, const hr_guarantee *wanted) {
    hr_model *start = fit_at(t, old, NULL), *made = fit_at(t, new, start);
    hr_guarantee both;
    assert_true(hr_model_guarantee(made)->epsilon <= new->epsilon);
    assert_true(hr_model_start_guarantee(made, &both));
    double slack = wanted->epsilon * 1e-6;
    if (!(both.epsilon >= wanted->epsilon && both.epsilon < wanted->epsilon + slack))
        fail_msg("%s and %s: epsilon %.12g, not %.12g", old->method, new->method, both.epsilon,
                 wanted->epsilon);
    assert_true(both.epsilon_replace >= wanted->epsilon_replace &&
                both.epsilon_replace < wanted->epsilon_replace * (1 + 1e-6));
    assert_true(fabs(both.delta - wanted->delta) <= wanted->delta * 1e-4); /* in units of a ledger */
    assert_non_null(strstr(hr_model_guarantee(made)->statement, "for both together"));
    char *text = render(made);
    hr_model *again = parse_model(text);
    hr_guarantee read;
    assert_true(hr_model_start_guarantee(again, &read) && read.epsilon == both.epsilon &&
                read.delta_replace == both.delta_replace);
    hr_text_free(text);
    hr_model_free(again);
    hr_model_free(start);
    hr_model_free(made);
}

static hr_guarantee gdp(hr_units units, double delta) {
    return (hr_guarantee){.epsilon = hr_gdp_epsilon(units, delta),
                          .delta = delta,
                          .epsilon_replace = hr_gdp_epsilon(4 * units, delta)};
}

static hr_guarantee zcdp(hr_units units, double delta) {
    return (hr_guarantee){.epsilon = hr_zcdp_epsilon(units, delta),
                          .delta = delta,
                          .epsilon_replace = hr_zcdp_epsilon(4 * units, delta)};
}

static void test_costs__of_one_measure_add_up_in_it(void **state) {
    (void)state;
    table t = table_of_steps(300, 2, 2, 17);
    const price pure = {"dpboost", .75, 0}, more = {"hedge", .5, 0}, g = {"hedge", 1, 1e-6},
                h = {"hedge", .5, 1e-5}, z = {"dpboost", 1, 1e-6}, y = {"seq", 2, 1e-6};
    hr_guarantee sum = {.epsilon = 1.25, .epsilon_replace = 2.5};
    check_both(&t, &pure, &more, &sum);
    sum = gdp(hr_gdp_budget(1, 1e-6) + hr_gdp_budget(.5, 1e-5), 1e-5);
    check_both(&t, &g, &h, &sum);
    assert_true(sum.epsilon < 1.5); /* less than what basic composition would say */
    sum = gdp(hr_gdp_budget(1, 1e-6) + hr_gdp_budget(.5, 1e-5), 1e-6);
    check_both(&t, &h, &g, &sum);
    sum = zcdp(hr_zcdp_rho(1, 1e-6) + hr_zcdp_rho(2, 1e-6), 1e-6);
    check_both(&t, &z, &y, &sum);
    table_close(&t);
}

static void test_costs__of_different_measures_add_up_as_epsilons_and_deltas(void **state) {
    (void)state;
    table t = table_of_steps(300, 2, 2, 17);
    const price pure = {"dpboost", .75, 0}, g = {"hedge", 1, 1e-6}, z = {"dpboost", 1, 2e-6};
    hr_guarantee own_g, own_z;
    hr_guarantee_of(hr_gdp_budget(1, 1e-6), HR_PRIVACY_GDP, 1e-6, &own_g);
    hr_guarantee_of(hr_zcdp_rho(1, 2e-6), HR_PRIVACY_ZCDP, 2e-6, &own_z);
    hr_guarantee sum = {.epsilon = 1.75, .delta = 1e-6, .epsilon_replace = 1.5 + own_g.epsilon_replace};
    check_both(&t, &pure, &g, &sum);
    check_both(&t, &g, &pure, &sum);
    sum = (hr_guarantee){
        .epsilon = 2, .delta = 3e-6, .epsilon_replace = own_g.epsilon_replace + own_z.epsilon_replace};
    check_both(&t, &g, &z, &sum);
    table_close(&t);
}

/* A start that continues another brings along what that one cost. */
static void test_costs__add_up_along_a_chain(void **state) {
    (void)state;
    table t = table_of_steps(300, 2, 2, 17);
    const price a = {"dpboost", .5, 0}, b = {"hedge", .25, 0}, c = {"seq", .125, 0}, g = {"hedge", 1, 1e-6};
    hr_model *first = fit_at(&t, &a, NULL), *second = fit_at(&t, &b, first), *third = fit_at(&t, &c, second),
             *fourth = fit_at(&t, &g, third), *fifth = fit_at(&t, &a, fourth);
    hr_guarantee both;
    assert_true(hr_model_start_guarantee(third, &both) && both.epsilon == .875 && both.delta == 0);
    assert_true(hr_model_start_guarantee(fourth, &both) && fabs(both.epsilon - 1.875) < 1e-9);
    assert_true(hr_model_start_guarantee(fifth, &both) && fabs(both.epsilon - 2.375) < 1e-9 &&
                both.delta > .999e-6);
    hr_model *all[] = {first, second, third, fourth, fifth};
    for (size_t i = 0; i < COUNT(all); i++) hr_model_free(all[i]);
    table_close(&t);
}

static void test_costs__of_a_public_start_are_none(void **state) {
    (void)state;
    table t = table_of_steps(300, 2, 2, 17);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.loss = HR_LOSS_SQUARE;
    hr_model *start = fit(t.data, &options);
    options = continued(start, "hedge", HR_MODE_SOUND);
    options.start_is_public = true;
    hr_model *made = fit(t.data, &options);
    hr_guarantee both;
    assert_true(hr_model_guarantee(made)->is_private && hr_model_guarantee(made)->epsilon <= 1);
    assert_false(hr_model_start_guarantee(made, &both));
    assert_non_null(strstr(hr_model_guarantee(made)->statement, "said to be public"));
    hr_model_free(start);
    hr_model_free(made);
    table_close(&t);
}

/* A model without a guarantee says nothing of both. */
static void test_costs__are_not_told_by_a_fit_that_is_not_private(void **state) {
    (void)state;
    table t = table_of_steps(300, 2, 2, 17);
    const price z = {"dpboost", 1, 1e-6};
    hr_model *start = fit_at(&t, &z, NULL);
    hr_fit_options options = seeded_options_of("seq", HR_MODE_SOUND, 1);
    options.start = start;
    hr_model *made = fit(t.data, &options);
    hr_guarantee both;
    assert_false(hr_model_guarantee(made)->is_private);
    assert_false(hr_model_start_guarantee(made, &both));
    assert_null(strstr(hr_model_guarantee(made)->statement, "public"));
    hr_model_free(start);
    hr_model_free(made);
    table_close(&t);
}

/* ---- Refusals ---- */

static void assert_refused(const hr_data *data, const hr_fit_options *options, hr_status wanted,
                           const char *says) {
    hr_model *model = NULL;
    hr_error err = {0};
    hr_status status = hr_fit(data, options, &model, &err);
    char text[1024];
    hr_error_format(&err, text, sizeof text);
    if (status != wanted || !strstr(text, says))
        fail_msg("status %d: '%s' does not say '%s'", status, text, says);
    assert_null(model);
    assert_string_equal(err.field, "start");
    assert_true(err.remedy[0] != '\0');
}

static void test_refusals__name_methods_and_modes_that_start_from_nothing(void **state) {
    (void)state;
    table t = table_of_steps(60, 2, 2, 19);
    hr_fit_options options = options_of("dpboost", HR_MODE_SOUND);
    hr_model *start = fit(t.data, &options);
    for (size_t m = 0; m < hr_method_count(); m++) {
        const char *name = hr_method_at(m)->name;
        bool known = false;
        for (size_t i = 0; i < COUNT(starters); i++) known |= !strcmp(starters[i], name);
        options = continued(start, name, HR_MODE_SOUND);
        if (!known) assert_refused(t.data, &options, HR_E_ARGUMENT, name);
        if (hr_fit_options_init(&options, name, HR_MODE_PAPER, NULL)) continue;
        options.start = start;
        if (known) assert_refused(t.data, &options, HR_E_ARGUMENT, "paper mode");
    }
    hr_model_free(start);
    table_close(&t);
}

static void test_refusals__name_what_does_not_fit(void **state) {
    (void)state;
    table t = table_of_steps(60, 2, 2, 19), numbers = table_of_steps(60, 2, 0, 19),
          more = table_of_steps(60, 2, 3, 19), wide = table_of_steps(60, 3, 2, 19);
    hr_fit_options options = options_of("dpboost", HR_MODE_SOUND);
    hr_model *start = fit(t.data, &options);
    options.start = start;
    assert_refused(numbers.data, &options, HR_E_SCHEMA, "in the start");
    assert_refused(more.data, &options, HR_E_SCHEMA, "in the start");
    assert_refused(wide.data, &options, HR_E_SCHEMA, "in the start");
    options = continued(start, "inprivate", HR_MODE_SOUND);
    assert_refused(t.data, &options, HR_E_ARGUMENT, "log-odds");
    options = continued(start, "hedge", HR_MODE_SOUND);
    options.loss = HR_LOSS_LOGISTIC;
    assert_refused(t.data, &options, HR_E_ARGUMENT, "square loss");
    hr_model *trees = constant_model(&t, HR_LINK_SIGNED, 2, .5);
    options = continued(trees, "hedge", HR_MODE_SOUND);
    options.start_is_public = true;
    assert_refused(t.data, &options, HR_E_ARGUMENT, "2 scores a record");
    hr_plan_info plan;
    hr_error err = {0};
    assert_int_equal(hr_fit_plan(&options, 60, t.schema, &plan, &err), HR_E_ARGUMENT);
    options = options_of("hedge", HR_MODE_SOUND);
    options.start_is_public = true;
    assert_refused(t.data, &options, HR_E_ARGUMENT, "there is none");
    hr_model_free(trees);
    hr_model_free(start);
    table_close(&t);
    table_close(&numbers);
    table_close(&more);
    table_close(&wide);
}

/* Nothing is spent by it. */
static void test_refusals__name_starts_without_a_guarantee(void **state) {
    temp_dir *files;
    (void)state;
    assert_int_equal(temp_dir_open((void **)&files), 0);
    table t = table_of_steps(60, 2, 2, 19);
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_create(files->path, 2, 1e-5, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(files->path, &ledger, NULL), HR_OK);
    hr_fit_options seeded = seeded_options_of("dpboost", HR_MODE_SOUND, 1);
    hr_model *start = fit(t.data, &seeded);
    hr_fit_options options = continued(start, "dpboost", HR_MODE_SOUND);
    options.ledger = ledger;
    assert_refused(t.data, &options, HR_E_POLICY, "no privacy guarantee");
    start->guarantee.is_private = true;
    start->guarantee.unit = "one household";
    assert_refused(t.data, &options, HR_E_POLICY, "one household");
    start->guarantee.is_private = false;
    hr_ledger_total total;
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    assert_int_equal(total.entries, 0);
    hr_ledger_close(ledger);
    hr_model_free(start);
    table_close(&t);
    temp_dir_close((void **)&files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start__goes_on_where_the_other_stopped),
        cmocka_unit_test(test_start__is_part_of_the_new_model),
        cmocka_unit_test(test_start__is_what_a_small_budget_corrects),
        cmocka_unit_test(test_start__needs_no_base_score),
        cmocka_unit_test(test_start__may_have_extreme_scores),
        cmocka_unit_test(test_costs__of_one_measure_add_up_in_it),
        cmocka_unit_test(test_costs__of_different_measures_add_up_as_epsilons_and_deltas),
        cmocka_unit_test(test_costs__add_up_along_a_chain),
        cmocka_unit_test(test_costs__of_a_public_start_are_none),
        cmocka_unit_test(test_costs__are_not_told_by_a_fit_that_is_not_private),
        cmocka_unit_test(test_refusals__name_methods_and_modes_that_start_from_nothing),
        cmocka_unit_test(test_refusals__name_what_does_not_fit),
        cmocka_unit_test(test_refusals__name_starts_without_a_guarantee),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
