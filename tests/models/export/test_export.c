#include "support/model_parts.h"
#include "support/temp_dir.h"

#include <hedgerow/export.h>
#include <string.h>

enum { TREES = 6, DEPTH = 3 };

static hr_model *export_model(parts *p, const char *name, double value) {
    parts_init(p, (model_kind){HR_TASK_MULTICLASS, HR_LINK_LOGISTIC, 3}, TREES, DEPTH, HR_PRIVACY_PURE);
    hr_schema *schema = p->model.schema;
    hr_column features[FEATURES];
    for (size_t f = 0; f < FEATURES; f++) features[f] = *hr_schema_feature(schema, f);
    features[INCOME].name = name;
    features[CONSTANT].name = "per_year";
    hr_schema_parts renamed = {
        .label = *hr_schema_label(schema), .features = features, .feature_count = FEATURES};
    assert_int_equal(hr_schema_make(&renamed, &p->model.schema, NULL), HR_OK);
    hr_schema_free(schema);
    p->model.forest.trees[TREES - 1].node_count = 1;
    p->model.forest.trees[TREES - 1].nodes[0] = (hr_node){.value = value};
    return make_model(p);
}

/* The file, or NULL with *err if there is none. */
static char *export_text(void **state, hr_export_format format, const char *name, double value, size_t *size,
                         hr_error *err) {
    const temp_dir *dir = *state;
    char path[256];
    parts p;
    hr_model *model = export_model(&p, name, value);
    snprintf(path, sizeof path, "%s/exported", dir->folder);
    hr_status status = hr_model_export(model, format, path, err);
    FILE *file = fopen(path, "rb");
    assert_int_equal(file != NULL, status == HR_OK);
    if (file) fclose(file);
    char *bytes = NULL;
    size_t rendered;
    assert_int_equal(hr_model_export_render(model, format, &bytes, &rendered, NULL), status);
    hr_model_free(model);
    parts_done(&p);
    if (status) return NULL;
    char *text = read_file(path, size);
    assert_int_equal(rendered, *size);
    assert_memory_equal(bytes, text, rendered);
    hr_text_free(bytes);
    unlink(path);
    return text;
}

static void check_refused(void **state, hr_export_format format, const char *name, double value,
                          const char *why) {
    hr_error err = {0};
    size_t size;
    assert_null(export_text(state, format, name, value, &size, &err));
    assert_int_equal(err.status, HR_E_LIMIT);
    assert_non_null(strstr(err.message, why));
    assert_non_null(strstr(err.remedy, "onnx"));
}

/* The file holds the words; it may be binary. */
static void check_taken(void **state, hr_export_format format, const char *name, const char *words) {
    hr_error err = {0};
    size_t size;
    char *text = export_text(state, format, name, .5, &size, &err);
    bool found = false;
    assert_non_null(text);
    for (size_t i = 0; i + strlen(words) <= size && !found; i++)
        found = !memcmp(text + i, words, strlen(words));
    assert_true(found);
    free(text);
}

static void export__refuses_what_the_format_cannot_say(void **state) {
    check_refused(state, HR_EXPORT_XGBOOST, "income", 1e60, "1e+60");
    check_refused(state, HR_EXPORT_XGBOOST, "income", -1e60, "-1e+60");
    check_refused(state, HR_EXPORT_ONNX_FLOAT32, "income", 1e60, "32-bit");
    check_refused(state, HR_EXPORT_LIGHTGBM, "income\tnet", .5, "name with a tab");
}

static void export__writes_names_as_the_engine_does(void **state) {
    check_taken(state, HR_EXPORT_XGBOOST, "income \"net\"", ",\"income \\\"net\\\"\",");
    check_taken(state, HR_EXPORT_LIGHTGBM, "income: \"[net]\"", "feature_names=age income:_\"[net]\" sex ");
    check_taken(state, HR_EXPORT_LIGHTGBM, "income per year", "feature_names=age income_per_year sex ");
}

static void export__refuses_two_names_that_the_engine_takes_for_one(void **state) {
    check_refused(state, HR_EXPORT_LIGHTGBM, "per year", .5, "'per year' and 'per_year'");
}

/* ---- Objectives and covers: what engines make of the sums, and how they weigh the ways of a split ---- */

static void render_kind(model_kind kind, bool calibrated, hr_export_format format, char **bytes) {
    parts p;
    size_t size;
    parts_init(&p, kind, TREES, DEPTH, HR_PRIVACY_PURE);
    p.model.forest.calibration = (hr_calibration){calibrated, calibrated ? .5 : 0, calibrated ? 2 : 0};
    hr_model *model = make_model(&p);
    assert_int_equal(hr_model_export_render(model, format, bytes, &size, NULL), HR_OK);
    hr_model_free(model);
    parts_done(&p);
}

typedef struct objective_case {
    model_kind kind;
    bool calibrated;
    const char *xgboost, *base_score, *estimator, *lightgbm; /* lightgbm: NULL: none */
} objective_case;

static void check_objective(const objective_case *c) {
    char words[200], *xgboost, *lightgbm;
    render_kind(c->kind, c->calibrated, HR_EXPORT_XGBOOST, &xgboost);
    render_kind(c->kind, c->calibrated, HR_EXPORT_LIGHTGBM, &lightgbm);
    snprintf(words, sizeof words, "\"objective\":{\"name\":\"%s\"", c->xgboost);
    assert_non_null(strstr(xgboost, words));
    snprintf(words, sizeof words, "\"base_score\":\"%s\"", c->base_score);
    assert_non_null(strstr(xgboost, words));
    snprintf(words, sizeof words, "{\\\"_estimator_type\\\": \\\"%s\\\"}", c->estimator);
    assert_non_null(strstr(xgboost, words));
    snprintf(words, sizeof words, "\nobjective=%s\n", c->lightgbm ? c->lightgbm : "");
    assert_int_equal(strstr(lightgbm, c->lightgbm ? words : "objective=") != NULL, c->lightgbm != NULL);
    hr_text_free(xgboost);
    hr_text_free(lightgbm);
}

static void export__says_the_link_where_the_format_has_it(void **state) {
    (void)state;
    const model_kind number = {HR_TASK_REGRESSION, HR_LINK_NUMBER, 1},
                     two = {HR_TASK_BINARY, HR_LINK_LOGISTIC, 1},
                     two_signed = {HR_TASK_BINARY, HR_LINK_SIGNED, 1},
                     three = {HR_TASK_MULTICLASS, HR_LINK_LOGISTIC, 3},
                     three_signed = {HR_TASK_MULTICLASS, HR_LINK_SIGNED, 3};
    const objective_case cases[] = {
        {number, false, "reg:squarederror", "0", "regressor", "regression"},
        {two, false, "binary:logistic", "5E-1", "classifier", "binary sigmoid:1"},
        {two, true, "reg:squarederror", "0", "regressor", NULL},
        {two_signed, false, "reg:squarederror", "0", "regressor", NULL},
        {three, false, "multi:softprob", "0", "classifier", "multiclass num_class:3"},
        {three, true, "reg:squarederror", "0", "regressor", NULL},
        {three_signed, false, "reg:squarederror", "0", "regressor", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) check_objective(&cases[i]);
}

/* No list of records has a 0. */
static void check_no_zero(const char *text, const char *key, char separator, char end) {
    for (const char *at = text; (at = strstr(at, key));) {
        at += strlen(key);
        while (*at && *at != end) {
            assert_true(strtod(at, NULL) >= 1);
            while (*at && *at != end && *at != separator) at++;
            at += *at == separator;
        }
    }
}

static void export__says_how_many_records_come_to_a_node(void **state) {
    (void)state;
    const model_kind kind = {HR_TASK_BINARY, HR_LINK_LOGISTIC, 1};
    char *xgboost, *lightgbm;
    render_kind(kind, false, HR_EXPORT_XGBOOST, &xgboost);
    render_kind(kind, false, HR_EXPORT_LIGHTGBM, &lightgbm);
    assert_non_null(strstr(xgboost, "\"sum_hessian\":["));
    check_no_zero(xgboost, "\"sum_hessian\":[", ',', ']');
    assert_non_null(strstr(lightgbm, "\nleaf_count="));
    check_no_zero(lightgbm, "\nleaf_count=", ' ', '\n');
    check_no_zero(lightgbm, "\ninternal_count=", ' ', '\n');
    hr_text_free(xgboost);
    hr_text_free(lightgbm);
}

/* Everything that a model can say; the bytes end with a property, the guarantee's statement. */
static void export__says_all_in_onnx(void **state) {
    check_taken(state, HR_EXPORT_ONNX, "income [net]", "TreeEnsemble");
    check_taken(state, HR_EXPORT_ONNX, "per year", "per year");
    check_taken(state, HR_EXPORT_ONNX_FLOAT32, "income [net]", "TreeEnsemble");
    hr_error err = {0};
    size_t size;
    free(export_text(state, HR_EXPORT_ONNX, "income", 1e60, &size, &err));
    assert_int_equal(err.status, HR_OK);
}

static void export__knows_its_formats(void **state) {
    hr_error err = {0};
    size_t size;
    assert_null(export_text(state, (hr_export_format)99, "income", .5, &size, &err));
    assert_int_equal(err.status, HR_E_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(export__refuses_what_the_format_cannot_say, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(export__writes_names_as_the_engine_does, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(export__refuses_two_names_that_the_engine_takes_for_one,
                                        temp_dir_open, temp_dir_close),
        cmocka_unit_test(export__says_the_link_where_the_format_has_it),
        cmocka_unit_test(export__says_how_many_records_come_to_a_node),
        cmocka_unit_test_setup_teardown(export__says_all_in_onnx, temp_dir_open, temp_dir_close),
        cmocka_unit_test_setup_teardown(export__knows_its_formats, temp_dir_open, temp_dir_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
