/* Fits of schemas that name a unit: which methods take them, what they cost, what the ledger says, and what
 * the model says. */
#include "support/person_tables.h"
#include "support/tables.h"
#include "support/temp_dir.h"
#include "tables/data/records.h"

static person_tables tables;

static int open_tables(void **state) {
    person_tables_open(&tables, 2, &(person_canary){50, true}, 1);
    return temp_dir_open(state);
}

static int close_tables(void **state) {
    person_tables_close(&tables);
    return temp_dir_close(state);
}

static hr_status try_fit(const hr_fit_options *options, hr_error *err) {
    hr_model *model = NULL;
    hr_status status = hr_fit(tables.with, options, &model, err);
    hr_model_free(model);
    return status;
}

static bool weighs_persons(const char *method) {
    static const char *const methods[] = {"hedge",  "dpboost", "inprivate",      "diprime",
                                          "dp-ert", "dp-df",   "survival-curve", "statistics"};
    for (size_t i = 0; i < COUNT(methods); i++)
        if (!strcmp(method, methods[i])) return true;
    return false;
}

/* Before anything is spent. */
static void test_private_methods__refuse_a_unit_that_they_cannot_protect(void **state) {
    temp_dir *dir = *state;
    hr_ledger *ledger = NULL;
    hr_ledger_total total;
    assert_int_equal(hr_ledger_create(dir->path, 10, .1, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(dir->path, &ledger, NULL), HR_OK);
    size_t refused = 0;
    for (size_t i = 0; i < hr_method_count(); i++) {
        const hr_method_info *info = hr_method_at(i);
        if (!info->is_private || weighs_persons(info->name)) continue;
        hr_fit_options options = options_of(info->name, HR_MODE_SOUND);
        hr_error err = {0};
        char wanted[100];
        options.ledger = ledger;
        assert_int_equal(try_fit(&options, &err), HR_E_POLICY);
        snprintf(wanted, sizeof wanted, "method %s cannot give a person's records weights (unit who)",
                 info->name);
        assert_string_equal(err.message, wanted);
        assert_non_null(strstr(err.remedy, "records-per-person"));
        if (hr_fit_options_init(&options, info->name, HR_MODE_PAPER, NULL)) continue;
        assert_int_equal(try_fit(&options, &err), HR_E_POLICY);
        refused++;
    }
    assert_true(refused >= 2);
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    assert_int_equal(total.entries, 0);
    hr_ledger_close(ledger);
}

/* ---- Evaluations ---- */

/* Its figures would be private for one record only. */
static void test_evaluation__refuses_a_model_that_protects_persons(void **state) {
    temp_dir *dir = *state;
    hr_ledger *ledger = NULL;
    hr_ledger_total total;
    hr_evaluation made;
    hr_error err = {0};
    assert_int_equal(hr_ledger_create(dir->path, 10, .1, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(dir->path, &ledger, NULL), HR_OK);
    hr_fit_options fitting = options_of("hedge", HR_MODE_SOUND);
    hr_model *model = fit(tables.with, &fitting);
    hr_evaluation_options options = HR_EVALUATION_OPTIONS_INIT;
    options.epsilon = 1;
    options.ledger = ledger;
    assert_int_equal(hr_evaluate_private(model, tables.with, &options, &made, &err), HR_E_POLICY);
    assert_non_null(strstr(err.message, "single records"));
    assert_non_null(strstr(err.remedy, "one record of each person"));
    assert_int_equal(hr_evaluation_plan(model, 1000, &options, &made, NULL), HR_E_POLICY);
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    assert_int_equal(total.entries, 0);
    hr_model_free(model);
    hr_ledger_close(ledger);
}

/* ---- The ledger ---- */

static hr_model *fit_with(hr_ledger *ledger, const hr_data *data, const char *method, int64_t most) {
    hr_fit_options options = options_of(method, HR_MODE_SOUND);
    options.epsilon = 1;
    options.ledger = ledger;
    options.records_per_person = most;
    return fit(data, &options);
}

static void assert_unit(hr_ledger *ledger, const char *wanted) {
    char *unit = NULL;
    assert_int_equal(hr_ledger_unit(ledger, &unit, NULL), HR_OK);
    if (wanted)
        assert_string_equal(unit, wanted);
    else
        assert_null(unit);
    hr_text_free(unit);
}

static void test_ledger__is_of_one_unit(void **state) {
    temp_dir *dir = *state;
    hr_ledger *ledger = NULL;
    hr_error err = {0};
    table records = table_of_steps(60, 2, 2, 3);
    assert_int_equal(hr_ledger_create(dir->path, 10, .1, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(dir->path, &ledger, NULL), HR_OK);
    assert_unit(ledger, NULL);
    hr_model_free(fit_with(ledger, tables.with, "hedge", 0));
    assert_unit(ledger, "who");
    hr_model_free(fit_with(ledger, tables.without, "dpboost", 3));
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    hr_model *model = NULL;
    options.ledger = ledger;
    assert_int_equal(hr_fit(records.data, &options, &model, &err), HR_E_POLICY);
    assert_string_equal(err.message,
                        "the ledger counts losses per who, this run per single records: they do not add up");
    assert_int_equal(hr_ledger_set_unit(ledger, "household", NULL), HR_OK);
    int64_t entry;
    assert_int_equal(hr_ledger_reserve(ledger, .1, 0, "by hand", &entry, &err), HR_E_POLICY);
    assert_string_equal(err.message,
                        "the ledger counts losses per who, this run per household: they do not add up");
    hr_ledger_total total;
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    assert_true(total.entries == 2 && total.epsilon_spent == 2);
    hr_ledger_close(ledger);
    table_close(&records);
}

/* Nothing is spent, and an evaluation of its model is refused alike, until the caller knows of one record a
 * person. */
static void test_ledger__pays_for_no_undecided_schema(void **state) {
    temp_dir *dir = *state;
    static const char text[] = "hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 1}\n"
                               "features: [{name: x, kind: number, low: 0, high: 1}]\n";
    static const char rows[] = "x,y\n0,0\n1,1\n0.5,0\n0.25,1\n0.75,1\n";
    hr_schema *schema = schema_of_text(text);
    hr_data *data = data_of_text(schema, rows);
    hr_fit_options options = options_of("dpboost", HR_MODE_SOUND);
    hr_evaluation_options asked = HR_EVALUATION_OPTIONS_INIT;
    hr_evaluation made;
    hr_ledger_total total;
    hr_error err = {0};
    hr_model *model = fit(data, &options), *none = NULL;
    assert_null(strstr(hr_model_guarantee(model)->statement, "one record. "));
    assert_int_equal(hr_ledger_create(dir->path, 10, .1, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(dir->path, &options.ledger, NULL), HR_OK);
    assert_int_equal(hr_fit(data, &options, &none, &err), HR_E_POLICY);
    assert_string_equal(err.field, "unit");
    asked.epsilon = 1;
    asked.ledger = options.ledger;
    assert_int_equal(hr_evaluate_private(model, data, &asked, &made, &err), HR_E_POLICY);
    assert_string_equal(err.field, "unit");
    assert_int_equal(hr_ledger_sum(options.ledger, &total, NULL), HR_OK);
    assert_int_equal(total.entries, 0);
    asked.single_records = true;
    assert_int_equal(hr_evaluate_private(model, data, &asked, &made, &err), HR_OK);
    hr_ledger_close(options.ledger);
    hr_model_free(model);
    hr_data_free(data);
    hr_schema_free(schema);
}

/* By the same handle, on which a fit has set the unit. */
static void test_ledger__of_persons_takes_no_evaluation_of_records(void **state) {
    temp_dir *dir = *state;
    hr_ledger *ledger = NULL;
    hr_error err = {0};
    hr_evaluation made;
    table records = table_of_steps(60, 2, 2, 3);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    hr_model *model = fit(records.data, &options);
    assert_int_equal(hr_ledger_create(dir->path, 10, .1, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(dir->path, &ledger, NULL), HR_OK);
    hr_model_free(fit_with(ledger, tables.with, "hedge", 0));
    hr_evaluation_options asked = HR_EVALUATION_OPTIONS_INIT;
    asked.epsilon = 1;
    asked.ledger = ledger;
    assert_int_equal(hr_evaluate_private(model, records.data, &asked, &made, &err), HR_E_POLICY);
    assert_string_equal(err.message,
                        "the ledger counts losses per who, this run per single records: they do not add up");
    hr_ledger_close(ledger);
    hr_model_free(model);
    table_close(&records);
}

static void test_ledger__of_records_takes_no_persons(void **state) {
    temp_dir *dir = *state;
    hr_ledger *ledger = NULL;
    hr_error err = {0};
    int64_t entry;
    assert_int_equal(hr_ledger_create(dir->path, 10, .1, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(dir->path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_reserve(ledger, 1, 0, "by hand", &entry, NULL), HR_OK);
    assert_int_equal(hr_ledger_void(ledger, entry, NULL), HR_OK); /* the unit stays */
    assert_unit(ledger, "");
    assert_int_equal(hr_ledger_set_unit(ledger, "two\nlines", &err), HR_E_ARGUMENT);
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    options.ledger = ledger;
    assert_int_equal(try_fit(&options, &err), HR_E_POLICY);
    assert_string_equal(err.message,
                        "the ledger counts losses per single records, this run per who: they do not add up");
    hr_ledger_close(ledger);
}

/* ---- At most m records of a person ---- */

static hr_units spent_on_one_record(const hr_model *model) {
    hr_units units = 0;
    assert_int_equal(hr_account(model->releases, model->release_count, &units, NULL), HR_OK);
    return units;
}

/* m records cost m epsilon, m^2 rho or m^2 mu^2: that is at most what was granted, and nearly so. */
static void check_group_cost(const char *method, double delta, int64_t most) {
    hr_fit_options options = options_of(method, HR_MODE_SOUND);
    options.epsilon = 6;
    options.delta = delta;
    options.records_per_person = most;
    hr_model *model = fit(tables.with, &options);
    hr_units whole = model->privacy_measure == HR_PRIVACY_PURE  ? hr_units_down(6)
                     : model->privacy_measure == HR_PRIVACY_GDP ? hr_gdp_budget(6, delta)
                                                                : hr_zcdp_rho(6, delta);
    hr_units factor = (hr_units)(model->privacy_measure == HR_PRIVACY_PURE ? most : most * most),
             group = factor * spent_on_one_record(model);
    if (group > whole || (double)group < .9 * (double)whole)
        fail_msg("%s: %.6g", method, (double)group / (double)whole);
    const hr_guarantee *g = hr_model_guarantee(model);
    assert_true(g->is_private && g->epsilon == 6 && g->delta <= delta);
    assert_string_equal(g->unit, "one person");
    assert_non_null(strstr(g->statement, "records of each person were drawn by secret coins"));
    const char *whose = strstr(g->statement, "In what follows, epsilon is that of one record. ");
    assert_non_null(whose);
    const char *sound = strstr(g->statement, hr_method_find(method)->sound);
    assert_true(sound && whose < sound);
    hr_model_free(model);
}

static void test_samples__cost_what_a_group_of_records_does(void **state) {
    (void)state;
    static const char *const methods[] = {"hedge", "dpboost", "inprivate", "dp-df"};
    for (size_t i = 0; i < COUNT(methods); i++)
        for (int64_t most = 1; most <= 4; most += 3) check_group_cost(methods[i], 0, most);
    check_group_cost("hedge", 1e-6, 4);
    check_group_cost("dpboost", 1e-6, 4);
}

/* The number of records that hedge finds, with hardly any noise: 40 persons of 1 to 6 and one of 50. */
static void test_samples__have_at_most_m_records_of_a_person(void **state) {
    (void)state;
    for (int64_t most = 1; most <= 7; most += 3) {
        hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
        double wanted = 0;
        uint32_t count[64] = {0};
        for (size_t i = 0; i < hr_data_rows(tables.with); i++) count[tables.with->persons[i]]++;
        for (size_t p = 0; p < 41; p++) wanted += fmin(count[p], (double)most);
        options.epsilon = 5000;
        options.delta = 0;
        options.records_per_person = most;
        hr_model *model = fit(tables.with, &options);
        if (fabs(hr_model_records(model) - wanted) > 1)
            fail_msg("%g records, not %g", hr_model_records(model), wanted);
        hr_model_free(model);
    }
}

static void test_samples__have_other_coins_every_time(void **state) {
    (void)state;
    hr_fit_options options = seeded_options_of("gbdt", HR_MODE_SOUND, 1);
    options.records_per_person = 2;
    char *one = fit_text(tables.with, &options);
    options.seed = 2;
    char *two = fit_text(tables.with, &options);
    assert_string_not_equal(one, two);
    hr_text_free(one);
    hr_text_free(two);
}

static void test_records_per_person__must_make_sense(void **state) {
    (void)state;
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    hr_error err = {0};
    for (int64_t most = -1; most <= 65537; most += 65538) {
        options.records_per_person = most;
        assert_int_equal(try_fit(&options, &err), HR_E_ARGUMENT);
        assert_string_equal(err.field, "records-per-person");
    }
    hr_plan_info plan;
    options.records_per_person = (int64_t)1 << 32; /* its square is 2^64 */
    assert_int_equal(hr_fit_plan(&options, 1000, hr_data_schema(tables.with), &plan, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "records-per-person");
    table records = table_of_steps(60, 2, 2, 3);
    hr_model *model = NULL;
    options.records_per_person = 2;
    assert_int_equal(hr_fit(records.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_string_equal(err.message, "the schema names no unit");
    table_close(&records);
}

static void test_plan__of_a_sample_has_the_smaller_budget(void **state) {
    (void)state;
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    hr_plan_info all, few, plain;
    assert_int_equal(hr_fit_plan(&options, 5000, tables.schema, &all, NULL), HR_OK);
    options.records_per_person = 5;
    assert_int_equal(hr_fit_plan(&options, 5000, tables.schema, &few, NULL), HR_OK);
    options.records_per_person = 0;
    assert_int_equal(hr_fit_plan(&options, 5000, NULL, &plain, NULL), HR_OK);
    assert_true(few.rounds < all.rounds && all.rounds == plain.rounds && few.epsilon == all.epsilon);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_tables, close_tables)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_private_methods__refuse_a_unit_that_they_cannot_protect),
        TEST(test_evaluation__refuses_a_model_that_protects_persons),
        TEST(test_ledger__is_of_one_unit),
        TEST(test_ledger__of_records_takes_no_persons),
        TEST(test_samples__cost_what_a_group_of_records_does),
        TEST(test_samples__have_at_most_m_records_of_a_person),
        TEST(test_samples__have_other_coins_every_time),
        TEST(test_ledger__pays_for_no_undecided_schema),
        TEST(test_ledger__of_persons_takes_no_evaluation_of_records),
        TEST(test_records_per_person__must_make_sense),
        TEST(test_plan__of_a_sample_has_the_smaller_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
