#include "support/model_parts.h"
#include "tables/data/records.h"

/* The kinds of steps that a record takes: which of them trees have met. */
enum { CUT, SUBSET, FEW_BRANCHES, ALL_BRANCHES, BRANCH_OF_MISSING, BRANCH_OF_UNKNOWN, STEPS };

static void note_step(const hr_node *node, hr_kind kind, uint32_t bin, bool *met) {
    if (!node->branches) {
        met[kind == HR_KIND_NUMBER ? CUT : SUBSET] = true;
        return;
    }
    met[node->branches == HR_BINS_MAX ? ALL_BRANCHES : FEW_BRANCHES] = true;
    if (!bin) met[kind == HR_KIND_NUMBER ? BRANCH_OF_MISSING : BRANCH_OF_UNKNOWN] = true;
}

/* Which of its children a record goes to. */
static uint32_t number_by_hand(const hr_tree *tree, const hr_node *node, double x) {
    uint32_t child = !isnan(x);
    if (!node->branches) return isnan(x) ? !node->missing_left : x > node->threshold;
    for (uint32_t i = 0; i + 2 < node->branches; i++) child += x > tree->thresholds[node->first + i];
    return child;
}

static uint32_t code_by_hand(const hr_tree *tree, const hr_node *node, uint16_t code) {
    uint8_t bin = (uint8_t)(code < 255 ? code : 255);
    return node->branches ? bin : !hr_bin_set_has(&tree->subsets[node->subset], bin);
}

/* The same sums, record by record, in the plainest way. */
static void scores_by_hand(const hr_model *m, const hr_data *data, size_t row, double *scores, bool *met) {
    memcpy(scores, m->forest.base, m->forest.output_count * sizeof *scores);
    for (size_t t = 0; t < m->forest.tree_count; t++) {
        const hr_tree *tree = &m->forest.trees[t];
        const hr_node *node = &tree->nodes[0];
        while (node->left) {
            const double *numbers = hr_data_numbers(data, node->feature);
            uint32_t child = numbers ? number_by_hand(tree, node, numbers[row])
                                     : code_by_hand(tree, node, hr_data_codes(data, node->feature)[row]);
            note_step(node, numbers ? HR_KIND_NUMBER : HR_KIND_CATEGORY, child, met);
            node = &tree->nodes[node->left + child];
        }
        scores[tree->output] += node->value;
    }
}

static double clip(double x, double low, double high) {
    return fmin(fmax(x, low), high);
}

static double soft_clip(double x) {
    if (x > .98) return 1 - (.005 + .015 * exp((.98 - x) / .015));
    return x < .02 ? .005 + .015 * exp((x - .02) / .015) : x;
}

/* Links as their definitions say, without care for overflow. */
static void link_by_hand(const hr_model *m, const double *s, double *out) {
    size_t count = m->forest.output_count, classes = hr_model_output_count(m);
    double sum = 0;
    if (m->forest.link == HR_LINK_NUMBER) {
        out[0] = -5 + (clip(s[0], -1, 1) + 1) / 2 * 35;
        return;
    }
    if (count == 1) {
        out[1] = m->forest.link == HR_LINK_SIGNED ? soft_clip((1 + s[0]) / 2) : 1 / (1 + exp(-s[0]));
        out[0] = 1 - out[1];
        return;
    }
    for (size_t k = 0; k < classes; k++) {
        out[k] = m->forest.link == HR_LINK_SIGNED ? soft_clip((1 + s[k]) / 2) : exp(s[k]);
        sum += out[k];
    }
    for (size_t k = 0; k < classes; k++) out[k] /= sum;
}

/* As docs/reference/formats.md says. Returns whether the order of classes set the largest. */
static bool calibrate_by_hand(const hr_calibration *c, double *p, size_t classes) {
    size_t top = classes == 2 ? 1 : hr_predicted_class(p, classes);
    double q = .5 + (p[top] - .5) / 1.1, said = 1 / (1 + exp(-c->intercept) * pow(q / (1 - q), -c->slope)),
           rest = 0, second = 0;
    for (size_t k = 0; k < classes; k++) rest += k == top ? 0 : p[k];
    for (size_t k = 0; k < classes; k++) second = k == top ? second : fmax(second, p[k]);
    double least = classes == 2 ? 0 : second / rest / (1 + second / rest);
    for (size_t k = 0; k < classes; k++) p[k] *= (1 - fmax(said, least)) / rest;
    p[top] = fmax(said, least);
    return least > said;
}

static void check_predictions(hr_task task, hr_link link, size_t outputs, hr_calibration calibration) {
    enum { ROWS = 1500 };
    parts p;
    parts_init(&p, (model_kind){task, link, outputs}, 23, 7, HR_PRIVACY_NONE);
    p.model.forest.calibration = calibration;
    bool met[STEPS] = {false};
    size_t held = 0;
    hr_model *model = make_model(&p);
    hr_data *data = make_data(model, ROWS, false);
    size_t width = hr_model_output_count(model);
    assert_int_equal(width, task == HR_TASK_REGRESSION ? 1 : task == HR_TASK_BINARY ? 2 : 3);
    double *out = malloc(ROWS * width * sizeof *out), scores[3], expected[3];
    assert_int_equal(hr_model_predict(model, data, 1, out, NULL), HR_OK);
    for (size_t i = 0; i < ROWS; i++) {
        scores_by_hand(model, data, i, scores, met);
        link_by_hand(model, scores, expected);
        bool is_held = calibration.made && calibrate_by_hand(&calibration, expected, width);
        double slack = is_held ? 2e-9 : calibration.made ? 1e-13 : 1e-14; /* held: to 2^-30 */
        held += is_held;
        for (size_t k = 0; k < width; k++)
            assert_true(fabs(out[i * width + k] - expected[k]) <= slack * fmax(1, fabs(expected[k])));
    }
    for (size_t s = 0; s < STEPS; s++) assert_true(met[s]);
    assert_true((held > 0) == (calibration.made && width > 2 && calibration.intercept < 0));
    free(out);
    hr_data_free(data);
    hr_model_free(model);
    parts_done(&p);
}

static void test_predict__equals_walking_by_hand(void **state) {
    (void)state;
    const hr_calibration none = {0};
    check_predictions(HR_TASK_REGRESSION, HR_LINK_NUMBER, 1, none);
    check_predictions(HR_TASK_BINARY, HR_LINK_SIGNED, 1, none);
    check_predictions(HR_TASK_BINARY, HR_LINK_SIGNED, 2, none);
    check_predictions(HR_TASK_BINARY, HR_LINK_LOGISTIC, 1, none);
    check_predictions(HR_TASK_BINARY, HR_LINK_LOGISTIC, 2, none);
    check_predictions(HR_TASK_MULTICLASS, HR_LINK_SIGNED, 3, none);
    check_predictions(HR_TASK_MULTICLASS, HR_LINK_LOGISTIC, 3, none);
}

static void test_predict__calibrates_classes(void **state) {
    (void)state;
    static const hr_calibration calibrations[] = {{true, .5, 1.3}, {true, -1, .7}};
    for (size_t i = 0; i < COUNT(calibrations); i++) {
        check_predictions(HR_TASK_BINARY, HR_LINK_SIGNED, 1, calibrations[i]);
        check_predictions(HR_TASK_BINARY, HR_LINK_SIGNED, 2, calibrations[i]);
        check_predictions(HR_TASK_BINARY, HR_LINK_LOGISTIC, 1, calibrations[i]);
        check_predictions(HR_TASK_BINARY, HR_LINK_LOGISTIC, 2, calibrations[i]);
        check_predictions(HR_TASK_MULTICLASS, HR_LINK_SIGNED, 3, calibrations[i]);
        check_predictions(HR_TASK_MULTICLASS, HR_LINK_LOGISTIC, 3, calibrations[i]);
    }
}

static void test_predict__is_the_same_for_any_number_of_threads(void **state) {
    (void)state;
    enum { ROWS = 5003 };
    parts p;
    parts_init(&p, (model_kind){HR_TASK_MULTICLASS, HR_LINK_LOGISTIC, 3}, 17, 6, HR_PRIVACY_NONE);
    hr_model *model = make_model(&p);
    hr_data *data = make_data(model, ROWS, false);
    double *one = malloc(ROWS * 3 * sizeof *one), *many = malloc(ROWS * 3 * sizeof *many);
    assert_int_equal(hr_model_predict(model, data, 1, one, NULL), HR_OK);
    for (int threads = 0; threads < 8; threads++) {
        memset(many, 0, ROWS * 3 * sizeof *many);
        assert_int_equal(hr_model_predict(model, data, threads, many, NULL), HR_OK);
        assert_memory_equal(one, many, ROWS * 3 * sizeof *one);
    }
    free(one);
    free(many);
    hr_data_free(data);
    hr_model_free(model);
    parts_done(&p);
}

/* Writes record `row` as hr_predict_row takes it; numbers that are at a bound are beyond it. */
static void row_of(const hr_model *model, const hr_data *data, size_t row, double *values) {
    for (size_t f = 0; f < FEATURES; f++) {
        const hr_column *column = hr_schema_feature(hr_model_schema(model), f);
        const double *numbers = hr_data_numbers(data, f);
        values[f] = numbers ? numbers[row] : hr_data_codes(data, f)[row];
        if (numbers && values[f] == column->high) values[f] += 1000;
        if (numbers && values[f] == column->low) values[f] -= 1000;
        if (!numbers && values[f] == 0 && row % 2) values[f] = (double)NAN;
    }
}

/* Thresholds at a bound, where a number beyond it would take another way. */
static void cut_at_bounds(parts *p) {
    for (size_t t = 0; t < p->model.forest.tree_count; t++) {
        hr_node *node = p->model.forest.trees[t].nodes;
        const hr_column *column = hr_schema_feature(p->model.schema, node->feature);
        if (node->left && !node->branches && column->kind == HR_KIND_NUMBER)
            node->threshold = t % 2 ? column->high : nextafter(column->low, -INFINITY);
    }
}

/* One record in five is at the upper bounds, and one at the lower ones. */
static void move_to_bounds(const hr_schema *schema, hr_data *data) {
    for (size_t f = 0; f < FEATURES; f++) {
        const hr_column *column = hr_schema_feature(schema, f);
        for (size_t i = 0; column->kind == HR_KIND_NUMBER && i + 1 < hr_data_rows(data); i += 5) {
            data->numbers[f][i] = column->high;
            data->numbers[f][i + 1] = column->low;
        }
    }
}

static void check_rows(model_kind kind, hr_calibration calibration) {
    enum { ROWS = 700 };
    parts p;
    parts_init(&p, kind, 29, 8, HR_PRIVACY_NONE);
    p.model.forest.calibration = calibration;
    cut_at_bounds(&p);
    hr_model *model = make_model(&p);
    hr_data *data = make_data(model, ROWS, false);
    move_to_bounds(hr_model_schema(model), data);
    const hr_predictor *predictor = hr_model_predictor(model);
    const size_t width = hr_predictor_output_count(predictor);
    double *table = malloc(ROWS * width * sizeof *table), values[FEATURES], out[3];
    assert_int_equal(hr_predictor_feature_count(predictor), FEATURES);
    assert_int_equal(hr_predict_data(predictor, data, 1, table, NULL), HR_OK);
    for (size_t i = 0; i < ROWS; i++) {
        row_of(model, data, i, values);
        assert_int_equal(hr_predict_row(predictor, values, out, NULL), HR_OK);
        assert_memory_equal(out, table + i * width, width * sizeof *out);
    }
    free(table);
    hr_data_free(data);
    hr_model_free(model);
    parts_done(&p);
}

static void test_predict_row__equals_the_table(void **state) {
    (void)state;
    check_rows((model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, (hr_calibration){0});
    check_rows((model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, (hr_calibration){true, .5, 1.3});
    check_rows((model_kind){HR_TASK_BINARY, HR_LINK_LOGISTIC, 2}, (hr_calibration){0});
    check_rows((model_kind){HR_TASK_MULTICLASS, HR_LINK_LOGISTIC, 3}, (hr_calibration){true, -1, .7});
}

/* A table of few records takes another way than one of many. */
static void test_predict__is_the_same_for_a_record_alone(void **state) {
    (void)state;
    enum { ROWS = 200 };
    parts p;
    parts_init(&p, (model_kind){HR_TASK_MULTICLASS, HR_LINK_LOGISTIC, 3}, 40, 8, HR_PRIVACY_NONE);
    hr_model *model = make_model(&p);
    hr_data *data = make_data(model, ROWS, false);
    double *all = malloc(ROWS * 3 * sizeof *all), some[ROWS * 3];
    assert_int_equal(hr_model_predict(model, data, 1, all, NULL), HR_OK);
    for (size_t count = 1; count < 120; count += 7) {
        uint32_t rows[ROWS];
        for (size_t i = 0; i < count; i++) rows[i] = (uint32_t)(ROWS - count + i);
        hr_data *few = hr_data_take(data, rows, count);
        assert_int_equal(hr_model_predict(model, few, 1, some, NULL), HR_OK);
        assert_memory_equal(some, all + (ROWS - count) * 3, count * 3 * sizeof *some);
        hr_data_free(few);
    }
    free(all);
    hr_data_free(data);
    hr_model_free(model);
    parts_done(&p);
}

static void test_predict_row__refuses_what_is_no_code(void **state) {
    (void)state;
    static const double bad[] = {-1, .5, WARDS + 1, 1e300, (double)INFINITY};
    parts p;
    parts_init(&p, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 60, 7, HR_PRIVACY_NONE);
    hr_model *model = make_model(&p);
    double values[FEATURES] = {0}, out[2] = {77, 77};
    for (size_t i = 0; i < COUNT(bad); i++) {
        hr_error err = {0};
        values[WARD] = bad[i];
        assert_int_equal(hr_predict_row(hr_model_predictor(model), values, out, &err), HR_E_SCHEMA);
        assert_string_equal(err.field, hr_schema_feature(hr_model_schema(model), WARD)->name);
        assert_non_null(strstr(err.message, "is no code of a category with 300 values"));
        assert_true(out[0] == 77 && out[1] == 77);
    }
    values[WARD] = WARDS;
    assert_int_equal(hr_predict_row(hr_model_predictor(model), values, out, NULL), HR_OK);
    hr_model_free(model);
    parts_done(&p);
}

/* One leaf whose value is the score. */
static void predict_score(hr_task task, hr_link link, size_t outputs, const double *scores, double *out) {
    parts p;
    parts_init(&p, (model_kind){task, link, outputs}, 0, 0, HR_PRIVACY_NONE);
    memcpy(p.model.forest.base, scores, outputs * sizeof *scores);
    hr_model *model = make_model(&p);
    hr_data *data = make_data(model, 1, false);
    assert_int_equal(hr_model_predict(model, data, 1, out, NULL), HR_OK);
    hr_data_free(data);
    hr_model_free(model);
    parts_done(&p);
}

static void test_link__keeps_numbers_within_the_label_bounds(void **state) {
    (void)state;
    double out;
    predict_score(HR_TASK_REGRESSION, HR_LINK_NUMBER, 1, (const double[]){1e90}, &out);
    assert_true(out == 30);
    predict_score(HR_TASK_REGRESSION, HR_LINK_NUMBER, 1, (const double[]){-7}, &out);
    assert_true(out == -5);
    predict_score(HR_TASK_REGRESSION, HR_LINK_NUMBER, 1, (const double[]){0}, &out);
    assert_true(out == 12.5);
}

static void test_link__never_calls_a_class_impossible_when_signed(void **state) {
    (void)state;
    double out[3];
    predict_score(HR_TASK_BINARY, HR_LINK_SIGNED, 1, (const double[]){-3}, out);
    assert_true(out[1] == 0.005 && out[0] == 0.995);
    predict_score(HR_TASK_BINARY, HR_LINK_SIGNED, 1, (const double[]){3}, out);
    assert_true(out[1] == 0.995 && out[0] > 0.00499 && out[0] < 0.00501);
    predict_score(HR_TASK_BINARY, HR_LINK_SIGNED, 1, (const double[]){-.96}, out); /* where the line ends */
    assert_true(fabs(out[1] - .02) < 1e-15);
    predict_score(HR_TASK_MULTICLASS, HR_LINK_SIGNED, 3, (const double[]){5, -5, -5}, out);
    assert_true(fabs(out[0] - .995 / 1.005) < 1e-15 && fabs(out[1] - 0.005 / 1.005) < 1e-15 &&
                out[1] == out[2]);
}

/* Also where a probability would be below 0 or above 1. */
static void test_link__keeps_the_order_of_signed_scores_beyond_1(void **state) {
    (void)state;
    double before = 0;
    for (int i = -110; i <= 110; i++) {
        double out[2];
        predict_score(HR_TASK_BINARY, HR_LINK_SIGNED, 1, (const double[]){i / 100.}, out);
        assert_true(out[1] > before + 1e-6 && out[1] < 1);
        before = out[1];
    }
}

static void test_link__survives_huge_log_odds(void **state) {
    (void)state;
    double out[3];
    predict_score(HR_TASK_BINARY, HR_LINK_LOGISTIC, 1, (const double[]){1e5}, out);
    assert_true(out[1] == 1 && out[0] == 0);
    predict_score(HR_TASK_BINARY, HR_LINK_LOGISTIC, 1, (const double[]){-40}, out);
    assert_true(out[0] == 1 && fabs(out[1] / exp(-40) - 1) < 1e-12);
    predict_score(HR_TASK_BINARY, HR_LINK_LOGISTIC, 1, (const double[]){0}, out);
    assert_true(out[0] == 0.5 && out[1] == 0.5);
    predict_score(HR_TASK_MULTICLASS, HR_LINK_LOGISTIC, 3, (const double[]){1e5, 1e5, -1e5}, out);
    assert_true(out[0] == 0.5 && out[1] == 0.5 && out[2] == 0);
}

static void test_predict__refuses_another_schema(void **state) {
    (void)state;
    parts p, other;
    parts_init(&p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, 1, 2, HR_PRIVACY_NONE);
    parts_init(&other, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 1, 2, HR_PRIVACY_NONE);
    hr_model *model = make_model(&p), *second = make_model(&other);
    hr_data *data = make_data(second, 3, false);
    double out[6] = {77};
    hr_error err = {0};
    assert_int_equal(hr_model_predict(model, data, 1, out, &err), HR_E_SCHEMA);
    assert_true(out[0] == 77);
    assert_non_null(strstr(err.message, "another schema"));
    hr_data_free(data);
    hr_model_free(model);
    hr_model_free(second);
    parts_done(&p);
    parts_done(&other);
}

static void test_predict__takes_no_rows(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, 1, 2, HR_PRIVACY_NONE);
    hr_model *model = make_model(&p);
    hr_data *data = make_data(model, 0, false);
    double out = 77;
    assert_int_equal(hr_model_predict(model, data, 0, &out, NULL), HR_OK);
    assert_true(out == 77);
    hr_data_free(data);
    hr_model_free(model);
    parts_done(&p);
}

static void test_predicted_class__gives_ties_to_the_lower_index(void **state) {
    (void)state;
    assert_int_equal(hr_predicted_class((const double[]){0.2, 0.4, 0.4}, 3), 1);
    assert_int_equal(hr_predicted_class((const double[]){0.5, 0.5}, 2), 0);
    assert_int_equal(hr_predicted_class((const double[]){0.1, 0.2, 0.7}, 3), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predict__equals_walking_by_hand),
        cmocka_unit_test(test_predict__calibrates_classes),
        cmocka_unit_test(test_predict__is_the_same_for_any_number_of_threads),
        cmocka_unit_test(test_predict_row__equals_the_table),
        cmocka_unit_test(test_predict__is_the_same_for_a_record_alone),
        cmocka_unit_test(test_predict_row__refuses_what_is_no_code),
        cmocka_unit_test(test_link__keeps_numbers_within_the_label_bounds),
        cmocka_unit_test(test_link__never_calls_a_class_impossible_when_signed),
        cmocka_unit_test(test_link__keeps_the_order_of_signed_scores_beyond_1),
        cmocka_unit_test(test_link__survives_huge_log_odds),
        cmocka_unit_test(test_predict__refuses_another_schema),
        cmocka_unit_test(test_predict__takes_no_rows),
        cmocka_unit_test(test_predicted_class__gives_ties_to_the_lower_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
