/* DPBoost as published: which records gradient-based data filtering (GDF) leaves out, what geometric leaf
 * clipping (GLC) clips and charges, and what becomes of both where they are off. */
#include "privacy/sensitivity.h"
#include "support/tables.h"

#include <string.h>

/* One category, so that every record can be in either leaf of a tree, and the same label in both. */
static table table_of_labels(const double *labels, size_t rows) {
    table t = table_open(rows, 1);
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = (double)(1 + i % 2);
        t.labels[i] = labels[i];
    }
    hr_column feature = category_column("x", 2);
    table_make(&t, number_column("y", -1, 1), &feature);
    return t;
}

/* 400 labels 1: with lambda so large that a leaf says half of what is left. */
static table table_of_ones(void) {
    double ones[400];
    for (size_t i = 0; i < COUNT(ones); i++) ones[i] = 1;
    return table_of_labels(ones, COUNT(ones));
}

static hr_fit_options paper_options_of(const char *method) {
    hr_fit_options options = seeded_options_of(method, HR_MODE_PAPER, 5);
    options.epsilon = 1e4;
    options.trees = 4;
    options.depth = 1;
    options.learning_rate = .5;
    options.lambda = 0;
    return options;
}

static void set(hr_fit_options *options, const char *name, const char *value) {
    assert_int_equal(hr_fit_options_set(options, name, value, NULL), HR_OK);
}

/* The largest value of a leaf, before it was shrunk. */
static double largest_leaf(const hr_model *model, size_t tree) {
    const hr_tree *of = &model->forest.trees[tree];
    double largest = -1;
    for (size_t n = 0; n < of->node_count; n++)
        if (!of->nodes[n].left) largest = fmax(largest, of->nodes[n].value / .5);
    return largest;
}

/* The sensitivity that the leaves of a tree were charged, in units of 2^-20. */
static uint64_t leaf_sensitivity(const hr_model *model, int64_t tree) {
    for (size_t i = 0; i < model->release_count; i++)
        if (model->releases[i].tree == tree && !strcmp(model->releases[i].what, "leaf value"))
            return model->releases[i].sensitivity;
    fail_msg("tree %d has no leaves", (int)tree);
    return 0;
}

static uint64_t in_units(double delta_v) {
    return (uint64_t)ceil(delta_v * (1 << HR_VALUE_BITS));
}

/* ---- GLC ---- */

static const struct {
    const char *glc, *exponent;
    double clips[4]; /* (1 - eta)^k of the trees, in two ensembles of two */
} clippings[] = {
    {"on", "place", {1, .5, 1, .5}},
    {"on", "iteration", {1, .5, .25, .125}},
    {"off", "place", {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL}},
};

/* Corollary 2: Delta V_t = min(g* / (1 + lambda), 2 g* (1 - eta)^(t - 1)). */
static void test_single_tree_paper__charges_leaves_as_corollary_2(void **state) {
    (void)state;
    static const double lambdas[] = {0, .1, 3};
    table t = table_of_ones();
    for (size_t c = 0; c < COUNT(clippings); c++)
        for (size_t l = 0; l < COUNT(lambdas); l++) {
            hr_fit_options options = paper_options_of("dpboost");
            set(&options, "ensemble", "2");
            set(&options, "glc", clippings[c].glc);
            set(&options, "glc-exponent", clippings[c].exponent);
            options.lambda = lambdas[l];
            options.gradient_bound = 1.5;
            hr_model *model = fit(t.data, &options);
            for (size_t k = 0; k < 4; k++)
                assert_int_equal(leaf_sensitivity(model, (int64_t)k),
                                 in_units(fmin(1.5 / (1 + lambdas[l]), 2 * 1.5 * clippings[c].clips[k])));
            hr_model_free(model);
        }
    table_close(&t);
}

/* Every tree of an ensemble of two has 200 records of label 1, 100 a leaf if it splits. With lambda = 0 a
 * leaf says what is left, r: r of the trees is 1, 1/2, 1/4, 1/8, which the thresholds by iteration do not
 * touch. With g* = 1/5, and nothing filtered off because GDF is off, they are clipped: V_t = min(r_t, g* (1 -
 * eta)^k), r_(t+1) = r_t - V_t / 2. */
static void test_single_tree_paper__clips_leaf_values(void **state) {
    (void)state;
    table t = table_of_ones();
    for (size_t c = 0; c < COUNT(clippings); c++) {
        hr_fit_options options = paper_options_of("dpboost");
        set(&options, "ensemble", "2");
        set(&options, "shares", "equal");
        set(&options, "gdf", "off");
        set(&options, "glc", clippings[c].glc);
        set(&options, "glc-exponent", clippings[c].exponent);
        options.gradient_bound = .2;
        hr_model *model = fit(t.data, &options);
        double left = 1;
        for (size_t k = 0; k < 4; k++) {
            double wanted = fmin(left, .2 * clippings[c].clips[k]);
            assert_true(fabs(largest_leaf(model, k) - wanted) < 2e-3);
            left -= wanted / 2;
        }
        hr_model_free(model);
    }
    table_close(&t);
}

/* ---- GDF ---- */

/* Labels .25 and, each fourth, 1; g* = 1/2. The first tree is trained on the former alone, or on all. */
static table table_of_two_labels(void) {
    double labels[400];
    for (size_t i = 0; i < COUNT(labels); i++) labels[i] = i % 8 < 2 ? 1 : .25;
    return table_of_labels(labels, COUNT(labels));
}

static bool has_line(const hr_model *model, const char *what) {
    for (size_t i = 0; i < model->release_count; i++)
        if (!strcmp(model->releases[i].what, what)) {
            assert_int_equal(model->releases[i].mechanism, HR_MECHANISM_IDENTITY);
            return true;
        }
    return false;
}

/* Of dpboost and seq one tree trains on all. Both leaves are alike, however it splits: of eight records in
 * order the first two have the label 1, one of either category. */
static void test_single_tree_paper__leaves_out_gradients_beyond_the_bound(void **state) {
    (void)state;
    static const char *const methods[] = {"dpboost", "seq"};
    table t = table_of_two_labels();
    for (size_t m = 0; m < COUNT(methods); m++)
        for (int gdf = 0; gdf < 2; gdf++) {
            hr_fit_options options = paper_options_of(methods[m]);
            if (!m) set(&options, "ensemble", "1");
            set(&options, "gdf", gdf ? "on" : "off");
            options.trees = 1;
            options.gradient_bound = .5;
            if (!m) set(&options, "glc", "off");
            hr_model *model = fit(t.data, &options);
            double mean = gdf ? .25 : (.25 * 3 + 1) / 4;
            assert_true(fabs(largest_leaf(model, 0) - mean) < 2e-3);
            assert_int_equal(leaf_sensitivity(model, 0), in_units(gdf ? .5 : 1)); /* g* of Lemma 2 */
            assert_int_equal(has_line(model, "largest gradients"), !gdf);
            assert_true(has_line(model, "bin edges"));
            hr_model_free(model);
        }
    table_close(&t);
}

/* The second tree's g* is what the first one left: |1 - 7/16 / 2|, of labels .25 and 1 whose leaves say 7/16.
 */
static void test_single_tree_paper__takes_the_largest_gradient_of_each_tree(void **state) {
    (void)state;
    table t = table_of_two_labels();
    hr_fit_options options = paper_options_of("seq");
    set(&options, "gdf", "off");
    options.trees = 2;
    options.gradient_bound = .5;
    hr_model *model = fit(t.data, &options);
    double first = (.25 * 3 + 1) / 4, second = 1 - first / 2;
    assert_true(fabs((double)leaf_sensitivity(model, 1) / (1 << HR_VALUE_BITS) - second) < 2e-3);
    assert_true(fabs(largest_leaf(model, 1) - first / 2) < 3e-3);
    hr_model_free(model);
    table_close(&t);
}

/* Noise of 1/eps a tree makes gradients without a bound grow without one. */
static void test_single_tree_paper__stops_when_gradients_grow_without_filtering(void **state) {
    (void)state;
    table t = table_of_two_labels();
    hr_fit_options options = paper_options_of("seq");
    set(&options, "gdf", "off");
    options.epsilon = .5;
    options.trees = 50;
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_LIMIT);
    assert_null(model);
    assert_non_null(strstr(err.message, "without gradient-based data filtering gradients grew"));
    assert_non_null(strstr(err.remedy, "gdf=on"));
    table_close(&t);
}

/* ---- What was left out ---- */

typedef struct remarks {
    size_t count;
    char text[sizeof((hr_error *)NULL)->message];
    bool refuses;
} remarks;

static bool take_remark(void *user, const hr_remark *remark) {
    remarks *r = user;
    if (remark->kind != HR_REMARK_LEFT_OUT) return true;
    r->count++;
    assert_int_equal(remark->level, HR_REMARK_NOTE);
    snprintf(r->text, sizeof r->text, "%s", remark->what.message);
    return !r->refuses;
}

static remarks remarks_of(const table *t, hr_fit_options options) {
    remarks found = {0};
    options.remark = take_remark;
    options.user = &found;
    hr_model_free(fit(t->data, &options));
    return found;
}

static void assert_left_out(const table *t, const char *method, const char *gdf, const char *wanted) {
    hr_fit_options options = paper_options_of(method);
    set(&options, "gdf", gdf);
    options.trees = 1;
    options.gradient_bound = .5;
    if (!strcmp(method, "dpboost")) set(&options, "ensemble", "1");
    remarks found = remarks_of(t, options);
    assert_int_equal(found.count, *wanted != '\0');
    if (*wanted) assert_non_null(strstr(found.text, wanted));
}

/* A hundred of 400; nothing is said where nothing is filtered. */
static void test_single_tree_paper__counts_what_filtering_left_out(void **state) {
    (void)state;
    table t = table_of_two_labels();
    assert_left_out(&t, "dpboost", "on", "left 100 of 400 records out of their trees (25.00 %)");
    assert_left_out(&t, "seq", "on", "left 100 of 400 records out of their trees (25.00 %)");
    assert_left_out(&t, "para", "on", " of 200 records out of their trees");
    assert_left_out(&t, "seq", "off", "");
    hr_fit_options sound = seeded_options_of("dpboost", HR_MODE_SOUND, 1);
    set(&sound, "bounding", "filter");
    assert_int_equal(remarks_of(&t, sound).count, 0); /* a sound fit tells nobody */
    table_close(&t);
}

static void test_single_tree_paper__fails_with_a_remark_that_is_refused(void **state) {
    (void)state;
    table t = table_of_two_labels();
    hr_fit_options options = paper_options_of("seq");
    remarks refusing = {.refuses = true};
    options.remark = take_remark;
    options.user = &refusing;
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_CANCELLED);
    assert_null(model);
    assert_string_equal(err.message, refusing.text);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_tree_paper__charges_leaves_as_corollary_2),
        cmocka_unit_test(test_single_tree_paper__clips_leaf_values),
        cmocka_unit_test(test_single_tree_paper__leaves_out_gradients_beyond_the_bound),
        cmocka_unit_test(test_single_tree_paper__takes_the_largest_gradient_of_each_tree),
        cmocka_unit_test(test_single_tree_paper__stops_when_gradients_grow_without_filtering),
        cmocka_unit_test(test_single_tree_paper__counts_what_filtering_left_out),
        cmocka_unit_test(test_single_tree_paper__fails_with_a_remark_that_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
