#include "support/model_files.h"

static size_t count_multiway(const hr_model *model) {
    size_t count = 0;
    for (size_t t = 0; t < model->forest.tree_count; t++)
        for (size_t n = 0; n < model->forest.trees[t].node_count; n++)
            count += model->forest.trees[t].nodes[n].branches > 0;
    return count;
}

static void names_privacy_measure(const char *json, hr_privacy_measure privacy_measure) {
    static const char *const lines[] = {[HR_PRIVACY_NONE] = "\"privacy_measure\": \"none\"",
                                        [HR_PRIVACY_PURE] = "\"privacy_measure\": \"pure\"",
                                        [HR_PRIVACY_ZCDP] = "\"privacy_measure\": \"zcdp\"",
                                        [HR_PRIVACY_GDP] = "\"privacy_measure\": \"gdp\""};
    assert_non_null(strstr(json, lines[privacy_measure]));
}

static void check_calibrated(hr_task task, hr_link link, size_t outputs, hr_privacy_measure privacy_measure,
                             hr_calibration calibration) {
    parts p;
    parts_init(&p, (model_kind){task, link, outputs}, 12, 4, privacy_measure);
    p.model.forest.calibration = calibration;
    hr_model *model = make_model(&p);
    assert_int_equal(hr_model_check(model, NULL), HR_OK);
    char *json = render(model);
    names_privacy_measure(json, privacy_measure);
    hr_model *back = parse_model(json);
    char *again = render(back);
    assert_string_equal(again, json);
    assert_int_equal(count_multiway(back), count_multiway(model));
    assert_true(count_multiway(model) > 12);
    assert_int_equal(strstr(json, "\"calibration\"") != NULL, calibration.made);
    assert_true(back->forest.calibration.made == calibration.made &&
                back->forest.calibration.intercept == calibration.intercept &&
                back->forest.calibration.slope == calibration.slope);

    enum { ROWS = 700 };
    hr_data *data = make_data(model, ROWS, false);
    double *first = calloc(ROWS * hr_model_output_count(model), sizeof *first),
           *second = calloc(ROWS * hr_model_output_count(back), sizeof *second);
    assert_int_equal(hr_model_predict(model, data, 1, first, NULL), HR_OK);
    assert_int_equal(hr_model_predict(back, data, 1, second, NULL), HR_OK);
    assert_memory_equal(first, second, ROWS * hr_model_output_count(model) * sizeof *first);

    const hr_guarantee *a = hr_model_guarantee(model), *b = hr_model_guarantee(back);
    assert_int_equal(a->is_private, b->is_private);
    assert_true(a->epsilon == b->epsilon && a->delta == b->delta);
    assert_true(a->epsilon_replace == b->epsilon_replace && a->delta_replace == b->delta_replace);
    assert_string_equal(a->statement, b->statement);
    free(first);
    free(second);
    hr_data_free(data);
    hr_text_free(json);
    hr_text_free(again);
    hr_model_free(back);
    hr_model_free(model);
    parts_done(&p);
}

static void check_round_trip(hr_task task, hr_link link, size_t outputs, hr_privacy_measure privacy_measure) {
    check_calibrated(task, link, outputs, privacy_measure, (hr_calibration){0});
}

static void test_round_trip__keeps_a_calibration(void **state) {
    (void)state;
    check_calibrated(HR_TASK_BINARY, HR_LINK_SIGNED, 1, HR_PRIVACY_GDP, (hr_calibration){true, 1. / 3, .25});
    check_calibrated(HR_TASK_BINARY, HR_LINK_LOGISTIC, 2, HR_PRIVACY_PURE, (hr_calibration){true, -2, 4});
    check_calibrated(HR_TASK_MULTICLASS, HR_LINK_SIGNED, 3, HR_PRIVACY_NONE, (hr_calibration){true, 2, 1.1});
}

static void test_round_trip__keeps_bytes_and_predictions(void **state) {
    (void)state;
    check_round_trip(HR_TASK_REGRESSION, HR_LINK_NUMBER, 1, HR_PRIVACY_PURE);
    check_round_trip(HR_TASK_BINARY, HR_LINK_SIGNED, 1, HR_PRIVACY_ZCDP);
    check_round_trip(HR_TASK_BINARY, HR_LINK_SIGNED, 1, HR_PRIVACY_GDP);
    check_round_trip(HR_TASK_BINARY, HR_LINK_LOGISTIC, 2, HR_PRIVACY_PURE);
    check_round_trip(HR_TASK_MULTICLASS, HR_LINK_SIGNED, 3, HR_PRIVACY_NONE);
    check_round_trip(HR_TASK_MULTICLASS, HR_LINK_LOGISTIC, 3, HR_PRIVACY_PURE);
}

static void test_round_trip__keeps_the_sign_of_zero_and_control_characters(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, 1, 0, HR_PRIVACY_PURE);
    p.model.forest.base[0] = -0.0;
    p.model.guarantee.statement = "\x01\x1b\x1f\x7f";
    hr_model *model = make_model(&p);
    char *json = render(model);
    hr_model *back = parse_model(json);
    assert_true(signbit(back->forest.base[0]));
    assert_non_null(strstr(json, "\"base\": [-0.0]"));
    assert_string_equal(hr_model_guarantee(back)->statement, "\x01\x1b\x1f\x7f");
    assert_non_null(strstr(json, "\"\\u0001\\u001b\\u001f\\u007f\""));
    hr_text_free(json);
    hr_model_free(back);
    hr_model_free(model);
    parts_done(&p);
}

/* ---- Files of released versions, and what must not pass for one ---- */

static void test_golden__version_2_predicts(void **state) {
    (void)state;
    hr_model *model = parse_golden("model-2.json");
    const double age[] = {10, (double)NAN, 18.5, 18}, size[] = {1, 1, 1, 1}, ward[] = {4, 2, 1, 0};
    const double *const columns[] = {age, size, ward};
    const double expected[] = {0.70625, 0.64375, 0.33125, 0.64375};
    hr_data *data = NULL;
    double out[8];
    assert_int_equal(hr_data_from_arrays(hr_model_schema(model), 4, columns, NULL, &data, NULL), HR_OK);
    assert_int_equal(hr_model_predict(model, data, 1, out, NULL), HR_OK);
    for (size_t i = 0; i < 4; i++) assert_true(fabs(out[2 * i + 1] - expected[i]) < 1e-15);
    hr_data_free(data);
    hr_model_free(model);
}

static void test_golden__version_2_tells_its_facts(void **state) {
    (void)state;
    hr_model *model = parse_golden("model-2.json");
    const hr_guarantee *g = hr_model_guarantee(model);
    assert_true(g->is_private && g->epsilon == 0.5 && g->epsilon_replace == 1 && g->delta == 0);
    assert_string_equal(hr_model_method(model), "dpboost");
    const hr_schema *schema = hr_model_schema(model);
    assert_int_equal(hr_schema_task(schema), HR_TASK_BINARY);
    assert_string_equal(hr_schema_label(schema)->name, "readmitted");
    assert_string_equal(hr_schema_feature(schema, 1)->name, "Gr\xc3\xb6\xc3\x9f"
                                                            "e");
    assert_string_equal(hr_schema_feature(schema, 2)->values[2], "c \"\\\n");
    assert_true(hr_schema_feature(schema, 0)->integer && hr_schema_feature(schema, 0)->high == 120);
    assert_string_equal(hr_schema_missing(schema, 0), "NA");
    assert_string_equal(model->settings[1].name, "learning-rate");
    assert_int_equal(model->releases[2].part, 1);
    hr_model_free(model);
}

static void test_golden__version_2_open_predicts(void **state) {
    (void)state;
    hr_model *model = parse_golden("model-2-open.json");
    const double x[] = {0.5, (double)NAN, 0.75};
    const double *const columns[] = {x};
    hr_data *data = NULL;
    double out[3];
    assert_true(!hr_model_guarantee(model)->is_private && isinf(hr_model_guarantee(model)->epsilon));
    assert_int_equal(hr_data_from_arrays(hr_model_schema(model), 3, columns, NULL, &data, NULL), HR_OK);
    assert_int_equal(hr_model_predict(model, data, 1, out, NULL), HR_OK);
    assert_true(out[0] == 3.75 && out[1] == 30 && out[2] == 30);
    hr_data_free(data);
    hr_model_free(model);
}

/* x <= .5 has the log-odds 0, q = 1/2; x > .5 has those of 3/4, q = 8/11. */
static void test_golden__version_2_calibrated_predicts(void **state) {
    (void)state;
    hr_model *model = parse_golden("model-2-calibrated.json");
    const double x[] = {.5, .75}, expected[] = {1 / (1 + exp(-.5)), 1 / (1 + exp(-.5) * 9 / 64)};
    const double *const columns[] = {x};
    hr_data *data = NULL;
    double out[4];
    assert_int_equal(hr_data_from_arrays(hr_model_schema(model), 2, columns, NULL, &data, NULL), HR_OK);
    assert_int_equal(hr_model_predict(model, data, 1, out, NULL), HR_OK);
    for (size_t i = 0; i < 2; i++) assert_true(fabs(out[2 * i + 1] - expected[i]) < 1e-14);
    hr_data_free(data);
    hr_model_free(model);
}

static void test_parse__refuses_wrong_shapes(void **state) {
    (void)state;
    static const forgery forgeries[] = {
        {"\"hedgerow-model\": 2", "\"hedgerow-model\": 1", "hedgerow-model", "version 1 is unknown"},
        {"\"hedgerow-model\": 2", "\"hedgerow-model\": \"2\"", "hedgerow-model", "must be an integer"},
        {"\"hedgerow-model\": 2,", "", "", "not a Hedgerow model"},
        {"\"mode\": \"sound\"", "\"mode\": \"sound\", \"extra\": 1", "extra", "unknown"},
        {"\"mode\": \"sound\"", "\"mode\": \"loud\"", "mode", "'loud' is unknown"},
        {"\"mode\": \"sound\",", "", "mode", "missing"},
        {"\"method\": \"dpboost\"", "\"method\": 7", "method", "must be a text, but is an integer"},
        {"\"method\": \"dpboost\"", "\"method\": \"\"", "method", "not valid text"},
        {"\"task\": \"binary\"", "\"task\": \"multiclass\"", "task", "does not fit the label"},
        {"\"link\": \"signed\"", "\"link\": \"number\"", "link", "does not fit the task"},
        {"\"trees\": \"2\"", "\"trees\": 2", "settings.trees", "must be a text"},
        {"\"private\": true", "\"private\": 1", "guarantee.private", "true or false"},
        {"\"delta\": 0", "\"delta\": null", "guarantee.delta", "must be a number, but is null"},
        {"\"delta\": 0", "\"delta\": 0, \"gamma\": 0", "guarantee.gamma", "unknown"},
        {"\"low\": 0", "\"low\": \"0\"", "schema.features[0].low", "must be a number"},
        {"\"low\": 0", "\"low\": 121", "schema.features[0].high", "low"},
        {"\"integer\": true", "\"integer\": true, \"origin\": true", "schema.features[0].origin", "unknown"},
        {"\"a\", \"b\"", "\"a\", \"a\"", "schema.features[2].values[1]", "twice"},
        {"\"name\": \"ward\"", "\"name\": \"age\"", "schema.features[2].name", "twice"},
        {"[\"no\", \"yes\"]", "[\"no\"]", "schema.label.values[0]", "one class"},
        {"[\"NA\"]", "[\"NA\", \"NA\"]", "schema.missing[1]", "twice"},
        {"[\"NA\"]", "\"NA\"", "schema.missing", "must be an array"},
    };
    assert_refused("model-2.json", forgeries, COUNT(forgeries));
}

static void test_parse__refuses_bad_calibrations(void **state) {
    (void)state;
    static const forgery forgeries[] = {
        {"\"trees\": [", "\"calibration\": 1, \"trees\": [", "calibration", "must be an object"},
        {"\"trees\": [", "\"calibration\": null, \"trees\": [", "calibration", "must be an object"},
        {"\"trees\": [", "\"calibration\": {}, \"trees\": [", "calibration.intercept", "missing"},
        {"\"trees\": [", "\"calibration\": {\"intercept\": 0}, \"trees\": [", "calibration.slope", "missing"},
        {"\"trees\": [", "\"calibration\": {\"slope\": 1}, \"trees\": [", "calibration.intercept", "missing"},
        {"\"trees\": [", "\"calibration\": {\"intercept\": 0, \"slope\": 1, \"kind\": 2}, \"trees\": [",
         "calibration.kind", "unknown"},
        {"\"trees\": [", "\"calibration\": {\"intercept\": null, \"slope\": 1}, \"trees\": [",
         "calibration.intercept", "a number"},
        {"\"trees\": [", "\"calibration\": {\"intercept\": 2.01, \"slope\": 1}, \"trees\": [",
         "calibration.intercept", "between -2 and 2"},
        {"\"trees\": [", "\"calibration\": {\"intercept\": -2.01, \"slope\": 1}, \"trees\": [",
         "calibration.intercept", "between -2 and 2"},
        {"\"trees\": [", "\"calibration\": {\"intercept\": 0, \"slope\": 0.24}, \"trees\": [",
         "calibration.slope", "between 0.25 and 4"},
        {"\"trees\": [", "\"calibration\": {\"intercept\": 0, \"slope\": 4.01}, \"trees\": [",
         "calibration.slope", "between 0.25 and 4"},
    };
    assert_refused("model-2.json", forgeries, COUNT(forgeries));
    static const forgery number = {"\"trees\": [",
                                   "\"calibration\": {\"intercept\": 0, \"slope\": 1}, \"trees\": [",
                                   "calibration", "only probabilities"};
    assert_refused("model-2-open.json", &number, 1);
}

static void test_check__refuses_a_calibration_that_is_no_number(void **state) {
    (void)state;
    static const hr_calibration odd[] = {
        {true, (double)NAN, 1}, {true, 0, (double)NAN}, {true, 0, (double)INFINITY}};
    for (size_t i = 0; i < COUNT(odd); i++) {
        parts p;
        hr_error err = {0};
        parts_init(&p, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 1, 1, HR_PRIVACY_PURE);
        p.model.forest.calibration = odd[i];
        assert_int_equal(hr_model_check(&p.model, &err), HR_E_FORMAT);
        assert_string_equal(err.field, i ? "calibration.slope" : "calibration.intercept");
        parts_done(&p);
    }
}

static void test_parse__refuses_bad_trees(void **state) {
    (void)state;
    static const forgery forgeries[] = {
        {"[1,0,18,1]", "[0,0,18,1]", "trees[0].nodes[0][0]", "after their parent"},
        {"[3,2,0]", "[1,2,0]", "trees[0].nodes[1][0]", "after their parent"},
        {"[3,2,0]", "[2,2,0]", "trees[0].nodes[1][0]", "two parents"},
        {"[3,2,0]", "[4,2,0]", "trees[0].nodes[1][0]", "a child is missing"},
        {"[3,2,0]", "[4294967295,2,0]", "trees[0].nodes[1][0]", "a child is missing"},
        {"[3,2,0]", "[4294967296,2,0]", "trees[0].nodes[1][0]", "not between"},
        {"[3,2,0]", "[3,3,0]", "trees[0].nodes[1][1]", "not between 0 and 2"},
        {"[3,2,0]", "[3,-1,0]", "trees[0].nodes[1][1]", "not between 0 and 2"},
        {"[3,2,0]", "[3,2,1]", "trees[0].nodes[1][2]", "subset does not exist"},
        {"[3,2,0]", "[3,2,0,0]", "trees[0].nodes[1]", "has 3 entries, or 2"},
        {"[3,2,0]", "[3,2]", "trees[0].nodes[1][0]", "a child is missing"},
        {"[3,2,0]", "[]", "trees[0].nodes[1]", "1 to 4 entries, not 0"},
        {"[3,2,0]", "[3,2,0,0,0]", "trees[0].nodes[1]", "1 to 4 entries, not 5"},
        {"[3,2,0]", "[0.5]", "trees[0].nodes[3]", "no parent"},
        {"[1,0,18,1]", "[1,0,null,1]", "trees[0].nodes[0][2]", "must be a number"},
        {"[1,0,18,1]", "[1,0,\"nan\",1]", "trees[0].nodes[0][2]", "a number, 'inf' or '-inf'"},
        {"[1,0,18,1]", "[1,0,18,2]", "trees[0].nodes[0][3]", "not between 0 and 1"},
        {"[1,0,18,1]", "[1,0,18,1.0]", "trees[0].nodes[0][3]", "must be an integer"},
        {"[1,0,18,1]", "[1,0,18]", "trees[0].nodes[0]", "has 4 entries, or 3 with a list"},
        {"[1,0,18,1]", "null", "trees[0].nodes[0]", "must be an array"},
        {"[-0.5]", "[\"-0.5\"]", "trees[0].nodes[2][0]", "must be a number"},
        {"[-0.5]", "[-1e101]", "trees[0].nodes[2][0]", "out of bounds"},
        {"[[1,3,4]]", "[[1,5]]", "trees[0].nodes[1][2]", "a bin that the feature does not have"},
        {"[[1,3,4]]", "[[3,1]]", "trees[0].subsets[0][1]", "not between 4 and 255"},
        {"[[1,3,4]]", "[[1,256]]", "trees[0].subsets[0][1]", "not between 2 and 255"},
        {"\"output\": 0", "\"output\": 1", "trees[0].output", "score does not exist"},
        {"\"output\": 0", "\"output\": -1", "trees[0].output", "not between"},
        {"\"nodes\": [[6.25e-2]]", "\"nodes\": []", "trees[1].nodes", "one node or more"},
        {"\"nodes\": [[6.25e-2]]", "\"nodes\": [[1],[1]]", "trees[1].nodes[1]", "no parent"},
        {"[0.1]", "[]", "base", "does not fit the task"},
        {"[0.1]", "[0.1, 0.1, 0.1]", "base", "does not fit the task"},
        {"[0.1]", "[1e200]", "base[0]", "between -1e100"},
    };
    assert_refused("model-2.json", forgeries, COUNT(forgeries));
}

static void test_parse__refuses_releases_that_do_not_give_the_guarantee(void **state) {
    (void)state;
    static const forgery forgeries[] = {
        {"\"epsilon\": 0.5", "\"epsilon\": 0.49999999999999994", "guarantee.epsilon", "add up to more"},
        {"\"epsilon\": 0.5", "\"epsilon\": null", "guarantee.epsilon", "add up to more"},
        {"\"epsilon_replace\": 1", "\"epsilon_replace\": 0.5", "guarantee.epsilon_replace", "add up to more"},
        {"\"delta\": 0", "\"delta\": 1e-6", "guarantee.delta", "0 in pure"},
        {"\"delta\": 0", "\"delta\": -1", "guarantee.delta", "at least 0"},
        {"\"delta_replace\": 0", "\"delta_replace\": 0.1", "guarantee.delta_replace", "do not prove"},
        {"\"part\": 1", "\"part\": 0", "guarantee.epsilon", "add up to more"},
        {"\"group\": 0, \"part\": 1", "\"group\": 1, \"part\": 1", "guarantee.epsilon", "add up to more"},
        {"\"exponential\"", "\"identity\"", "releases[0].mechanism", "no noise"},
        {"\"exponential\"", "\"magic\"", "releases[0].mechanism", "'magic' is unknown"},
        {"\"exponential\"", "\"discrete gaussian\"", "releases", "does not justify"},
        {"\"sensitivity\": 3", "\"sensitivity\": 4", "releases", "release 1 "},
        {"3298534883328/", "3298534883327/", "releases", "release 1 "},
        {"12/1", "11/1", "releases", "release 2 "},
        {"12/1", "12/0", "releases", "release 2 "},
        {"12/1", "12", "releases[2].scale", "not of the form"},
        {"12/1", "12/1/1", "releases[2].scale", "not of the form"},
        {"12/1", "012/1", "releases[2].scale", "not of the form"},
        {"12/1", "-12/1", "releases[2].scale", "not of the form"},
        {"12/1", "18446744073709551616/1", "releases[2].scale", "not of the form"},
        {"\"units\": 274877906944", "\"units\": 274877906943", "releases[0].cost", "not units"},
        {"\"units\": 274877906944", "\"units\": -1", "releases[0].units", "not between"},
        {"\"cost\": 0.25", "\"cost\": 0.2", "releases[0].cost", "not units"},
        {"\"draws\": 1", "\"draws\": -1", "releases[0].draws", "not between"},
        {"\"draws\": 1", "\"draws\": 1, \"shares\": 2", "releases[0].shares", "and no other has"},
        {"\"discrete laplace\"", "\"shared discrete laplace\"", "releases[1].shares", "has shares"},
        {"\"draws\": 1", "\"draws\": 1, \"owner\": 0", "releases[0].owner", "not between"},
        {"\"draws\": 1", "\"draws\": 1, \"owner\": \"anna\"", "releases[0].owner", "must be"},
        {"\"draws\": 1", "\"draws\": 1, \"why\": 1", "releases[0].why", "unknown"},
        {"\"level\": 0", "\"level\": -2", "releases[0].level", "not between"},
        {"\"mode\": \"sound\"", "\"mode\": \"paper\"", "guarantee.private", "paper mode"},
        {"\"pure\"", "\"none\"", "guarantee.privacy_measure", "counts in"},
        {"\"pure\"", "\"zcdp\"", "guarantee.delta", "above 0 in zcdp"},
        {"\"pure\"", "\"gdp\"", "guarantee.delta", "above 0 in zcdp and gdp"},
        {"\"private\": true", "\"private\": false", "guarantee.epsilon", "has no epsilon"},
    };
    assert_refused("model-2.json", forgeries, COUNT(forgeries));
    static const forgery open[] = {
        {"\"private\": false", "\"private\": true", "releases[0].mechanism", "no noise"},
        {"\"epsilon\": null", "\"epsilon\": 1", "guarantee.epsilon", "has no epsilon"},
        {"\"epsilon_replace\": null", "\"epsilon_replace\": 1", "guarantee.epsilon", "has no epsilon"},
    };
    assert_refused("model-2-open.json", open, COUNT(open));
}

/* The numbers of the golden file's guarantee, and others of a federation's. */
#define NUMBERS "\"epsilon\": 0.5,\n    \"delta\": 0,\n    \"epsilon_replace\": 1,\n    \"delta_replace\": 0"
#define NUMBERS_OF(epsilon, replace, unit)                                                                   \
    "\"epsilon\": " epsilon ",\n    \"delta\": 0,\n    \"epsilon_replace\": " replace                        \
    ",\n    \"delta_replace\": 0,\n    \"unit\": \"" unit "\""

static void check_unit(const char *numbers, const char *unit, double epsilon) {
    const forgery change = {NUMBERS, numbers, NULL, NULL};
    char *golden = read_golden("model-2.json"), *text = forge_model(golden, &change);
    hr_model *model = parse_model(text);
    char *json = render(model);
    assert_string_equal(hr_model_guarantee(model)->unit, unit);
    assert_true(hr_model_guarantee(model)->epsilon == epsilon &&
                hr_model_guarantee(model)->epsilon_replace == 2 * epsilon);
    assert_int_equal(strstr(json, numbers) != NULL,
                     strcmp(unit, "one record") != 0 || !strcmp(numbers, NUMBERS));
    hr_model_free(model);
    model = parse_model(json);
    assert_string_equal(hr_model_guarantee(model)->unit, unit);
    hr_model_free(model);
    hr_text_free(json);
    free(text);
    free(golden);
}

static void test_parse__reads_for_whom_the_guarantee_holds(void **state) {
    (void)state;
    check_unit(NUMBERS, "one record", .5);
    check_unit(NUMBERS_OF("0.5", "1", "one record"), "one record", .5);
    check_unit(NUMBERS_OF("0.5", "1", "one person"), "one person", .5);
    check_unit(NUMBERS_OF("0.5", "1", "one record of the file"), "one record of the file", .5);
    check_unit(NUMBERS_OF("0.5", "1", "one record of any owner"), "one record of any owner", .5);
    check_unit(NUMBERS_OF("0.75", "1.5", "one record of any owner"), "one record of any owner",
               .75); /* more than owners list */
}

static void test_parse__refuses_what_holds_for_nobody(void **state) {
    (void)state;
    static const forgery forgeries[] = {
        {NUMBERS, NUMBERS_OF("0.5", "1", "one patient"), "guarantee.unit", "'one patient' is unknown"},
        {NUMBERS, NUMBERS_OF("0.5", "1", ""), "guarantee.unit", "'' is unknown"},
        {NUMBERS, NUMBERS ",\n    \"unit\": 1", "guarantee.unit", "must be a text"},
        {NUMBERS, NUMBERS_OF("0.25", "0.5", "one record of any owner"), "guarantee.epsilon",
         "add up to more"},
        {NUMBERS, NUMBERS_OF("0.75", "0.75", "one record of any owner"), "guarantee.epsilon_replace",
         "add up to more"},
        {NUMBERS, NUMBERS_OF("null", "1", "one record of any owner"), "guarantee.epsilon", "add up to more"},
        {"\"settings\": {", "\"settings\": {\"records-per-person\": \"2\", ", "guarantee.epsilon",
         "add up to more"},
        {"\"settings\": {", "\"settings\": {\"records-per-person\": \"0\", ", "settings.records-per-person",
         "not a number of records"},
        {"\"settings\": {", "\"settings\": {\"records-per-person\": \"1.5\", ", "settings.records-per-person",
         "not a number of records"},
        {"\"settings\": {", "\"settings\": {\"records-per-person\": \"many\", ",
         "settings.records-per-person", "not a number of records"},
    };
    assert_refused("model-2.json", forgeries, COUNT(forgeries));
}

/* The golden model as if owners had added noise in six shares to one of its sums. Owner: the caller. */
static char *shared_golden(const char *settings) {
    static const forgery shared = {
        "\"discrete laplace\", \"sensitivity\": 3, \"scale\": \"3298534883328/274877906944\"",
        "\"shared discrete laplace\", \"sensitivity\": 3, "
        "\"scale\": \"3298534883328/274877906944\", \"shares\": 6",
        "", ""};
    const forgery owners = {"\"settings\": {", settings, "", ""};
    char *golden = read_golden("model-2.json"), *text = forge_model(golden, &shared),
         *forged = forge_model(text, &owners);
    free(golden);
    free(text);
    return forged;
}

/* Six shares of eight owners are those of all but a coalition of two. Models from before settings of jobs had
 * a prefix have them without one. */
static void test_parse__refuses_more_shares_than_honest_owners(void **state) {
    static const char *const settings[] = {"\"settings\": {",
                                           "\"settings\": {\"owners\": \"8\", ",
                                           "\"settings\": {\"owners\": \"7\", \"coalition\": \"2\", ",
                                           "\"settings\": {\"owners\": \"8\", \"coalition\": \"3\", ",
                                           "\"settings\": {\"job.owners\": \"8\", \"job.coalition\": \"2\", ",
                                           "\"settings\": {\"job.owners\": \"8\", \"job.coalition\": \"3\", ",
                                           "\"settings\": {\"job.owners\": \"5\", \"owners\": \"8\", "};
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        char *text = shared_golden(settings[i]);
        hr_model *model = NULL;
        hr_error err;
        bool fine = i == 1 || i == 4;
        assert_int_equal(hr_model_parse(text, strlen(text), "m", &model, &err), fine ? HR_OK : HR_E_FORMAT);
        if (!fine) assert_string_equal(err.field, "releases[1].shares");
        hr_model_free(model);
        free(text);
    }
}

static void test_parse__reads_what_is_written_of_shared_noise(void **state) {
    (void)state;
    char *text = shared_golden("\"settings\": {\"owners\": \"8\", \"coalition\": \"2\", ");
    hr_model *model = parse_model(text);
    hr_release_info release;
    assert_true(hr_model_release_at(model, 1, &release));
    assert_string_equal(release.mechanism, "shared discrete laplace");
    assert_int_equal(release.shares, 6);
    assert_true(hr_model_release_at(model, 0, &release) && release.shares == 0);
    char *again = render(model);
    assert_non_null(strstr(again, "/274877906944\", \"shares\": 6, \"units\""));
    assert_null(strstr(strstr(again, "\"shares\"") + 1, "\"shares\"")); /* nowhere else */
    const hr_conditions *conditions = &hr_model_guarantee(model)->conditions;
    assert_true(conditions->shared_noise && conditions->coalition == 2);
    assert_true(isinf(conditions->epsilon_owners) && isinf(conditions->epsilon_everyone));
    assert_non_null(strstr(conditions->text, "any 2 owners with it"));
    hr_text_free(again);
    hr_model_free(model);
    free(text);
}

static void test_parse__reads_what_is_written_of_owners(void **state) {
    (void)state;
    static const forgery owned = {"\"units\"", "\"owner\": 3, \"units\"", "", ""};
    char *golden = read_golden("model-2.json"), *text = forge_model(golden, &owned);
    hr_model *model = parse_model(text);
    assert_true(model->releases[0].owner == 3 && model->releases[1].owner == 0);
    char *again = render(model);
    const char *said = strstr(again, ", \"owner\": 3, \"units\"");
    assert_non_null(said);
    assert_null(strstr(said + 3, "\"owner\"")); /* nowhere else */
    hr_text_free(again);
    hr_model_free(model);
    free(text);
    free(golden);
}

/* The file says what earlier libraries wrote of a choice; later ones name the mechanism that is in its place,
 * at the same price. */
static void test_parse__reads_either_mechanism_of_a_pure_choice(void **state) {
    (void)state;
    static const char *const names[] = {"exponential", "permute-and-flip"};
    static const hr_mechanism mechanisms[] = {HR_MECHANISM_EXPONENTIAL, HR_MECHANISM_PERMUTE_AND_FLIP};
    char *text = read_golden("model-2.json");
    for (size_t i = 0; i < 2; i++) {
        char *named = forge_model(text, &(forgery){"exponential", names[i], "", ""}), *again = NULL;
        hr_model *model = parse_model(named);
        hr_release_info release;
        assert_true(hr_model_release_at(model, 0, &release) && hr_model_guarantee(model)->epsilon == 0.5);
        assert_string_equal(release.mechanism, names[i]);
        assert_int_equal(model->releases[0].mechanism, mechanisms[i]);
        again = render(model);
        assert_non_null(strstr(again, names[i]));
        assert_null(strstr(again, names[!i]));
        hr_text_free(again);
        hr_model_free(model);
        free(named);
    }
    char *cheaper = forge_model(text, &(forgery){"\"exponential\", \"sensitivity\": 8",
                                                 "\"permute-and-flip\", \"sensitivity\": 9", "", ""});
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_model_parse(cheaper, strlen(cheaper), "cheaper.json", &model, &err), HR_E_POLICY);
    assert_non_null(strstr(err.message, "permute-and-flip"));
    free(cheaper);
    free(text);
}

static void test_parse__tells_line_and_column(void **state) {
    (void)state;
    char *text = read_golden("model-2.json");
    char *forged = forge_model(text, &(forgery){"[-0.5]", "[null]", "", ""});
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_model_parse(forged, strlen(forged), "forged.json", &model, &err), HR_E_FORMAT);
    assert_string_equal(err.field, "trees[0].nodes[2][0]");
    assert_int_equal(err.line, 32);
    assert_int_equal(err.column, 71);
    free(text);
    free(forged);
}

static void test_parse__refuses_what_is_not_json(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t line;
    } cases[] = {{"", 1},
                 {"{\"hedgerow-model\": 1", 1},
                 {"{\n\n\"hedgerow-model\": 1,\n\"base\": [NaN]}", 4},
                 {"{\"hedgerow-model\": 1,\n\"mode\": \"sound\",\n\"mode\": \"sound\"}", 3},
                 {"{\"a\": \"\xff\"}", 1},
                 {"{\"base\": [1e999]}", 1},
                 {"{\"hedgerow-model\": 1} x", 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_model *model = NULL;
        hr_error err = {0};
        assert_int_equal(hr_model_parse(cases[i].text, strlen(cases[i].text), "bad.json", &model, &err),
                         HR_E_FORMAT);
        assert_non_null(strstr(err.message, "not valid JSON"));
        assert_int_equal(err.line, cases[i].line);
        assert_null(model);
    }
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_model_parse("[1, 2]", 6, "list.json", &model, &err), HR_E_FORMAT);
    assert_non_null(strstr(err.message, "not a Hedgerow model"));
    assert_int_equal(hr_model_parse("[1, 2]", 6, NULL, &model, NULL), HR_E_FORMAT);
}

static void test_parse__refuses_a_tree_deeper_than_64_levels(void **state) {
    (void)state;
    for (unsigned depth = 64; depth <= 65; depth++) {
        char nodes[4000];
        size_t at = (size_t)snprintf(nodes, sizeof nodes, "[1,0,0.5,0]");
        for (unsigned d = 1; d < depth; d++)
            at += (size_t)snprintf(nodes + at, sizeof nodes - at, ",[0],[%u,0,0.5,0]", 2 * d + 1);
        snprintf(nodes + at, sizeof nodes - at, ",[0],[0]");
        char *text = read_golden("model-2-open.json");
        char *forged = forge_model(text, &(forgery){"[1, 0, 0.5, 0], [-0.5], [1]", nodes, "", ""});
        hr_model *model = NULL;
        hr_error err = {0};
        hr_status status = hr_model_parse(forged, strlen(forged), "deep.json", &model, &err);
        assert_int_equal(status, depth == 64 ? HR_OK : HR_E_FORMAT);
        if (status) assert_string_equal(err.field, "trees[0].nodes[128]");
        hr_model_free(model);
        free(text);
        free(forged);
    }
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define START "\"link\": \"signed\",\n  \"start_model\": \"" HASH "\""

#define BOTH(measure, units, epsilon, delta, epsilon_replace, delta_replace)                                 \
    "\"start_guarantee\": {\"privacy_measure\": \"" measure "\", \"units\": " units                          \
    ", \"epsilon\": " epsilon ", \"delta\": " delta ", \"epsilon_replace\": " epsilon_replace                \
    ", \"delta_replace\": " delta_replace "}"

static void test_round_trip__keeps_what_may_be_absent(void **state) {
    (void)state;
    static const char released[] = "{\"output\": 0, \"deviation\": 2.5, \"counts\": [7, 4, 3, 0, 4.25], "
                                   "\"noise\": [0, 0, 0.5, 0.25, 2], "
                                   "\"subsets\": [[1,3,4]]";
    char *golden = read_golden("model-2.json");
    char *started = forge_model(golden, &(forgery){"\"link\": \"signed\"", START, NULL, NULL});
    char *text =
        forge_model(started, &(forgery){"{\"output\": 0, \"subsets\": [[1,3,4]]", released, NULL, NULL});
    hr_model *model = parse_model(text);
    char *again = render(model), *shown = NULL, *summary = NULL;
    assert_non_null(strstr(again, released));
    assert_non_null(strstr(again, START));
    assert_true(model->forest.trees[0].deviation == 2.5 && model->forest.trees[0].counts[4] == 4.25 &&
                model->forest.trees[0].noise[3] == .25);
    assert_true(!model->forest.trees[1].counts && !model->forest.trees[1].noise);
    assert_int_equal(hr_model_tree_text(model, 0, &shown, NULL), HR_OK);
    assert_non_null(strstr(shown, "readmitted = yes; noise of each leaf's sum: 2.5\n"));
    assert_non_null(strstr(shown, "else:\n  -0.5 (about 3 records)\n"));
    assert_int_equal(hr_model_summary(model, &summary, NULL), HR_OK);
    assert_non_null(strstr(summary, HASH));
    hr_text_free(summary);
    hr_text_free(shown);
    hr_text_free(again);
    hr_model_free(model);
    free(text);
    free(started);
    free(golden);
}

static void test_parse__refuses_what_may_be_absent_if_it_is_wrong(void **state) {
    (void)state;
    static const forgery forgeries[] = {
        {"\"output\": 0,", "\"output\": 0, \"deviation\": -1,", "trees[0].deviation", "between 0"},
        {"\"output\": 0,", "\"output\": 0, \"deviation\": null,", "trees[0].deviation", "must be a number"},
        {"\"output\": 0,", "\"output\": 0, \"counts\": [1, 2],", "trees[0].counts",
         "one entry for every node"},
        {"\"output\": 0,", "\"output\": 0, \"counts\": [1, 2, 3, 4, -1],", "trees[0].counts[4]", "between 0"},
        {"\"output\": 0,", "\"output\": 0, \"noise\": [1, 2],", "trees[0].noise", "one entry for every node"},
        {"\"output\": 0,", "\"output\": 0, \"noise\": [0, 0, 0, 1, -1],", "trees[0].noise[4]", "between 0"},
        {"\"output\": 0,", "\"output\": 0, \"counts\": 5,", "trees[0].counts", "must be an array"},
        {"\"link\": \"signed\"", "\"link\": \"signed\", \"start_model\": 1", "start_model", "must be a text"},
        {"\"link\": \"signed\"", "\"link\": \"signed\", \"start_model\": \"abc\"", "start_model", "64 small"},
        {"\"link\": \"signed\"", "\"link\": \"signed\", \"start_guarantee\": 1", "start_guarantee",
         "must be an object"},
        {"\"link\": \"signed\"", "\"link\": \"signed\", " BOTH("pure", "1", "9", "0", "9", "0"),
         "start_guarantee", "continues another"},
        {"\"link\": \"signed\"", START ", " BOTH("nat", "1", "9", "0", "9", "0"),
         "start_guarantee.privacy_measure", "unknown"},
        {"\"link\": \"signed\"", START ", " BOTH("pure", "-1", "9", "0", "9", "0"), "start_guarantee.units",
         "not between"},
        {"\"link\": \"signed\"", START ", " BOTH("pure", "1", "1e-9", "0", "9", "0"),
         "start_guarantee.epsilon", "below that of this model"},
        {"\"link\": \"signed\"", START ", " BOTH("pure", "1", "9", "0", "1e-9", "0"),
         "start_guarantee.epsilon_replace", "below that of this model"},
        {"\"link\": \"signed\"", START ", " BOTH("pure", "1", "9", "1e-6", "9", "1e-6"),
         "start_guarantee.delta", "0 in pure"},
        {"\"link\": \"signed\"", START ", " BOTH("none", "0", "9", "1e-6", "9", "0"),
         "start_guarantee.delta_replace", "below delta"},
        {"\"link\": \"signed\"", START ", " BOTH("none", "0", "9", "1", "9", "1"), "start_guarantee.delta",
         "not below 1"},
        {"\"link\": \"signed\"", START ", " BOTH("pure", "99999999999999", "9", "0", "90", "0"),
         "start_guarantee.units", "cost more"},
        {"\"link\": \"signed\"", START ", " BOTH("pure", "9895604649984", "9", "0", "9", "0"),
         "start_guarantee.units", "cost more"},
    };
    assert_refused("model-2.json", forgeries, COUNT(forgeries));
}

static void test_check__refuses_texts_that_are_not_utf8(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, 1, 1, HR_PRIVACY_PURE);
    hr_error err = {0};
    hr_release *releases = hr_arena_alloc(p.model.arena, p.model.release_count, sizeof *releases);
    memcpy(releases, p.model.releases, p.model.release_count * sizeof *releases);
    p.model.releases = releases;
    assert_int_equal(hr_model_check(&p.model, &err), HR_OK);
    releases[1].what = "\xc0\x80";
    assert_int_equal(hr_model_check(&p.model, &err), HR_E_FORMAT);
    assert_string_equal(err.field, "releases[1].what");
    p.model.guarantee.statement = "\xed\xa0\x80";
    assert_int_equal(hr_model_check(&p.model, &err), HR_E_FORMAT);
    assert_string_equal(err.field, "guarantee.statement");
    p.model.method = "\xff";
    assert_int_equal(hr_model_check(&p.model, &err), HR_E_FORMAT);
    assert_string_equal(err.field, "method");
    parts_done(&p);
}

static void test_check__refuses_numbers_that_json_lacks(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, 1, 0, HR_PRIVACY_PURE);
    hr_error err = {0};
    hr_node split[] = {{.left = 1, .feature = AGE, .threshold = 18}, {.value = 1}, {.value = 2}};
    p.model.forest.trees[0].nodes = split;
    p.model.forest.trees[0].node_count = 3;
    double *value = &split[1].value, *threshold = &split[0].threshold;
    for (int i = 0; i < 2; i++) {
        *value = i ? (double)NAN : (double)INFINITY;
        assert_int_equal(hr_model_check(&p.model, &err), HR_E_FORMAT);
        assert_string_equal(err.field, "trees[0].nodes[1][0]");
        *value = 1;
        *threshold = i ? (double)NAN : (double)INFINITY;
        assert_int_equal(hr_model_check(&p.model, &err), i ? HR_E_FORMAT : HR_OK);
        if (i) assert_string_equal(err.field, "trees[0].nodes[0][2]");
        *threshold = 18;
        p.model.guarantee.delta_replace = i ? (double)NAN : (double)INFINITY;
        assert_int_equal(hr_model_check(&p.model, &err), HR_E_FORMAT);
        assert_string_equal(err.field, "guarantee.delta_replace");
        p.model.guarantee.delta_replace = 0;
    }
    assert_int_equal(hr_model_check(&p.model, &err), HR_OK);
    parts_done(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip__keeps_bytes_and_predictions),
        cmocka_unit_test(test_round_trip__keeps_a_calibration),
        cmocka_unit_test(test_round_trip__keeps_what_may_be_absent),
        cmocka_unit_test(test_parse__refuses_what_may_be_absent_if_it_is_wrong),
        cmocka_unit_test(test_parse__refuses_bad_calibrations),
        cmocka_unit_test(test_check__refuses_a_calibration_that_is_no_number),
        cmocka_unit_test(test_round_trip__keeps_the_sign_of_zero_and_control_characters),
        cmocka_unit_test(test_golden__version_2_predicts),
        cmocka_unit_test(test_golden__version_2_tells_its_facts),
        cmocka_unit_test(test_golden__version_2_open_predicts),
        cmocka_unit_test(test_golden__version_2_calibrated_predicts),
        cmocka_unit_test(test_parse__refuses_wrong_shapes),
        cmocka_unit_test(test_parse__refuses_bad_trees),
        cmocka_unit_test(test_parse__refuses_releases_that_do_not_give_the_guarantee),
        cmocka_unit_test(test_parse__reads_for_whom_the_guarantee_holds),
        cmocka_unit_test(test_parse__refuses_what_holds_for_nobody),
        cmocka_unit_test(test_parse__reads_what_is_written_of_shared_noise),
        cmocka_unit_test(test_parse__refuses_more_shares_than_honest_owners),
        cmocka_unit_test(test_parse__reads_what_is_written_of_owners),
        cmocka_unit_test(test_parse__reads_either_mechanism_of_a_pure_choice),
        cmocka_unit_test(test_parse__tells_line_and_column),
        cmocka_unit_test(test_parse__refuses_what_is_not_json),
        cmocka_unit_test(test_parse__refuses_a_tree_deeper_than_64_levels),
        cmocka_unit_test(test_check__refuses_texts_that_are_not_utf8),
        cmocka_unit_test(test_check__refuses_numbers_that_json_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
