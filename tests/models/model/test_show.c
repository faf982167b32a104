#include "support/model_parts.h"

static const hr_column mixed[] = {{.name = "age", .kind = HR_KIND_NUMBER, .low = 0, .high = 100},
                                  {.name = "a\"b\\c&d\x1b[2J",
                                   .kind = HR_KIND_CATEGORY,
                                   .value_count = 2,
                                   .values = (const char *const[]){"x\"", "y"}},
                                  {.name = "unused", .kind = HR_KIND_NUMBER, .low = 0, .high = 1}};

/* Three features; tree 0: age <= 18 or missing ? (category in {missing, y} ? 3 : 1) : -2; tree 1: age is
 * missing ? 1 : 1. */
typedef struct small {
    hr_schema *schema;
    hr_model *model;
} small;

static small make_small(bool is_private, const char *statement) {
    const hr_column label = {.name = "stay", .kind = HR_KIND_NUMBER, .low = 0, .high = 10};
    hr_bin_set subset = {{5}};
    hr_node first[] = {{.left = 1, .feature = 0, .threshold = 18, .missing_left = true},
                       {.left = 3, .feature = 1},
                       {.value = -2},
                       {.value = 3},
                       {.value = 1}};
    hr_node second[] = {
        {.left = 1, .feature = 0, .threshold = -HUGE_VAL, .missing_left = true}, {.value = 1}, {.value = 1}};
    const hr_tree trees[] = {{.nodes = first, .node_count = 5, .subsets = &subset, .subset_count = 1},
                             {.nodes = second, .node_count = 3}};
    hr_arena *arena = hr_arena_new();
    hr_tree *kept = hr_arena_alloc(arena, 2, sizeof *kept);
    double *base = hr_arena_alloc(arena, 1, sizeof *base);
    for (int t = 0; t < 2; t++) assert_int_equal(hr_tree_copy(&trees[t], arena, &kept[t], NULL), HR_OK);
    hr_release releases[] = {{.what = "split", .cost = HR_UNIT / 4, .group = 1, .part = 0, .draws = 1},
                             {.what = "leaf sum", .cost = HR_UNIT / 4, .group = 1, .part = 0, .draws = 2},
                             {.what = "leaf sum", .cost = HR_UNIT / 8, .group = 1, .part = 1, .draws = 4},
                             {.what = "bin edges", .cost = HR_UNIT / 2, .group = 2, .part = 0, .draws = 8}};
    hr_setting settings[] = {{"trees", "2"}};
    small s = {0};
    assert_int_equal(hr_schema_make(&(hr_schema_parts){.label = label, .features = mixed, .feature_count = 3},
                                    &s.schema, NULL),
                     HR_OK);
    hr_model made = {
        .arena = arena,
        .schema = s.schema,
        .method = "dpboost",
        .forest = {.link = HR_LINK_NUMBER, .output_count = 1, .base = base, .trees = kept, .tree_count = 2},
        .privacy_measure = HR_PRIVACY_PURE,
        .guarantee = {.is_private = is_private,
                      .epsilon = 1.00000001,
                      .epsilon_replace = 2,
                      .statement = statement},
        .releases = releases,
        .release_count = COUNT(releases),
        .settings = settings,
        .setting_count = 1};
    assert_int_equal(hr_model_make(&made, &s.model, NULL), HR_OK);
    return s;
}

static void small_done(small *s) {
    hr_model_free(s->model);
    hr_schema_free(s->schema);
}

static void test_tree_text__speaks_of_names_and_thresholds(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    char *text = NULL;
    assert_int_equal(hr_model_tree_text(s.model, 0, &text, NULL), HR_OK);
    assert_string_equal(text, "tree 0, adds to the score of stay\n"
                              "if age <= 18 or missing:\n"
                              "  if a\"b\\c&d?[2J in {missing, 'y'}:\n"
                              "    +3\n"
                              "  else:\n"
                              "    +1\n"
                              "else:\n"
                              "  -2\n");
    hr_text_free(text);
    assert_int_equal(hr_model_tree_text(s.model, 1, &text, NULL), HR_OK);
    assert_non_null(strstr(text, "if age is missing:\n"));
    hr_text_free(text);
    small_done(&s);
}

static void test_tree_text__tells_every_kind_of_cut(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    hr_node *root = &s.model->forest.trees[0].nodes[0];
    const struct {
        double threshold;
        bool missing_left;
        const char *text;
    } cases[] = {{-HUGE_VAL, false, "if age in {}:"},
                 {-HUGE_VAL, true, "if age is missing:"},
                 {18, false, "if age <= 18:"},
                 {37.5, false, "if age <= 37.5:"},
                 {HUGE_VAL, false, "if age is present:"},
                 {37.5, true, "if age <= 37.5 or missing:"},
                 {HUGE_VAL, true, "if age is anything:"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        root->threshold = cases[i].threshold;
        root->missing_left = cases[i].missing_left;
        char *text = NULL;
        assert_int_equal(hr_model_tree_text(s.model, 0, &text, NULL), HR_OK);
        if (!strstr(text, cases[i].text)) fail_msg("%s lacks %s", text, cases[i].text);
        hr_text_free(text);
    }
    small_done(&s);
}

static void test_tree_dot__escapes_names(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    char *text = NULL;
    assert_int_equal(hr_model_tree_dot(s.model, 0, &text, NULL), HR_OK);
    assert_memory_equal(text, "digraph tree_0 {\n", 17);
    assert_non_null(strstr(text, "n1 [label=\"a\\\"b\\\\c&amp;d?[2J in {missing, 'y'}\"];\n"));
    assert_non_null(strstr(text, "n0 -> n1 [label=\"yes\"];\n  n0 -> n2 [label=\"no\"];\n"));
    assert_non_null(strstr(text, "n2 [label=\"-2\", shape=ellipse];\n"));
    assert_string_equal(text + strlen(text) - 3, "\n}\n");
    hr_text_free(text);
    small_done(&s);
}

/* Puts a tree of all kinds of splits in the place of tree 0. Owner: `nodes` is the caller's. */
static void split_by_bins(small *s, hr_node *nodes) {
    const hr_node made[12] = {{.left = 1, .feature = 0, .branches = 4},
                              {.value = 1},
                              {.left = 5, .feature = 2, .threshold = -HUGE_VAL, .missing_left = true},
                              {.left = 7, .feature = 1, .branches = 3},
                              {.left = 10, .feature = 2, .branches = 2},
                              {.value = -1},
                              {.value = -2},
                              {.value = 2},
                              {.value = 3},
                              {.value = 4},
                              {.value = -3},
                              {.value = -4}};
    memcpy(nodes, made, sizeof made);
    static double thresholds[] = {18, 37.5};
    s->model->forest.trees[0].nodes = nodes;
    s->model->forest.trees[0].thresholds = thresholds;
    s->model->forest.trees[0].threshold_count = 2;
    s->model->forest.trees[0].node_count = 12;
}

static void test_tree_text__has_a_line_for_every_branch(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    hr_node nodes[12];
    split_by_bins(&s, nodes);
    char *text = NULL;
    assert_int_equal(hr_model_tree_text(s.model, 0, &text, NULL), HR_OK);
    assert_string_equal(text, "tree 0, adds to the score of stay\n"
                              "split by age:\n"
                              "  missing: +1\n"
                              "  <= 18:\n"
                              "    if unused is missing:\n"
                              "      -1\n"
                              "    else:\n"
                              "      -2\n"
                              "  > 18 and <= 37.5:\n"
                              "    split by a\"b\\c&d?[2J:\n"
                              "      missing or any other: +2\n"
                              "      'x\"': +3\n"
                              "      'y': +4\n"
                              "  > 37.5:\n"
                              "    split by unused:\n"
                              "      missing: -3\n"
                              "      present: -4\n");
    hr_text_free(text);
    small_done(&s);
}

static void test_tree_dot__has_an_edge_for_every_branch(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    hr_node nodes[12];
    split_by_bins(&s, nodes);
    char *text = NULL;
    assert_int_equal(hr_model_tree_dot(s.model, 0, &text, NULL), HR_OK);
    assert_non_null(strstr(text, "  n0 [label=\"age\"];\n"
                                 "  n0 -> n1 [label=\"missing\"];\n"
                                 "  n0 -> n2 [label=\"<= 18\"];\n"
                                 "  n0 -> n3 [label=\"> 18 and <= 37.5\"];\n"
                                 "  n0 -> n4 [label=\"> 37.5\"];\n"
                                 "  n1 [label=\"+1\", shape=ellipse];\n"
                                 "  n2 [label=\"unused is missing\"];\n"
                                 "  n2 -> n5 [label=\"yes\"];\n"
                                 "  n2 -> n6 [label=\"no\"];\n"
                                 "  n3 [label=\"a\\\"b\\\\c&amp;d?[2J\"];\n"
                                 "  n3 -> n7 [label=\"missing or any other\"];\n"
                                 "  n3 -> n8 [label=\"'x\\\"'\"];\n"
                                 "  n3 -> n9 [label=\"'y'\"];\n"));
    hr_text_free(text);
    small_done(&s);
}

static void test_summary__counts_the_leaves_of_multiway_splits(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    hr_node nodes[14] = {0};
    split_by_bins(&s, nodes);
    nodes[11] = (hr_node){.left = 12, .feature = 2}; /* below the last branches alone */
    s.model->forest.trees[0].node_count = 14;
    char *text = NULL;
    assert_int_equal(hr_model_summary(s.model, &text, NULL), HR_OK);
    assert_non_null(strstr(text, "\nTrees     2, depth up to 3, 11 leaves\n"));
    hr_text_free(text);
    small_done(&s);
}

static void test_tree__refuses_an_index_beyond_the_last(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    char *text = NULL;
    hr_error err = {0};
    assert_int_equal(hr_model_tree_text(s.model, 2, &text, &err), HR_E_ARGUMENT);
    assert_string_equal(err.message, "there is no tree 2: the model has 2");
    assert_int_equal(hr_model_tree_dot(s.model, 2, &text, &err), HR_E_ARGUMENT);
    assert_null(text);
    small_done(&s);
}

/* Tree 0: the die expects 2 below age's left side. age: (2 - -2)^2 / 4 = 4; category: (3 - 1)^2 / 4 / 2 =
 * 0.5. */
static void test_importance__is_the_spread_of_leaf_values(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    double shares[3];
    hr_model_importance(s.model, shares);
    assert_true(fabs(shares[0] - 4 / 4.5) < 1e-15 && fabs(shares[1] - 0.5 / 4.5) < 1e-15 && shares[2] == 0);
    s.model->forest.tree_count = 0;
    hr_model_importance(s.model, shares);
    assert_true(shares[0] == 0 && shares[1] == 0 && shares[2] == 0);
    small_done(&s);
}

/* By the law of total variance the spreads of one tree sum to the variance of its leaf value under a fair
 * die. */
static void test_importance__adds_up_to_the_variance_of_a_die(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    const double mean = 0.25 * 3 + 0.25 * 1 + 0.5 * -2;
    const double variance =
        0.25 * (3 - mean) * (3 - mean) + 0.25 * (1 - mean) * (1 - mean) + 0.5 * (-2 - mean) * (-2 - mean);
    double shares[3];
    hr_model_importance(s.model, shares);
    assert_true(fabs(shares[0] * variance - 4) < 1e-14 && fabs(shares[1] * variance - 0.5) < 1e-14);
    small_done(&s);
}

/* age: children expect 1, -1.5, 3, -3.5, whose variance is 6.0625. Its children are reached with a chance of
 * 1/4: 2, 3, 4 have a variance of 2/3; twice two values, 1 apart, of 1/4 each. In all 6.0625 + 1/6 + 1/8, the
 * variance of the leaf values: their mean is -1/4, and that of their squares 1/4 + (1 + 4)/8 + (4 + 9 +
 * 16)/12 + (9 + 16)/8. */
static void test_importance__throws_a_die_over_all_branches(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    hr_node nodes[12];
    split_by_bins(&s, nodes);
    double shares[3];
    const double variance = 1. / 4 + 5. / 8 + 29. / 12 + 25. / 8 - 1. / 16;
    hr_model_importance(s.model, shares);
    assert_true(fabs(shares[0] * variance - 6.0625) < 1e-14 && fabs(shares[1] * variance - 1. / 6) < 1e-14 &&
                fabs(shares[2] * variance - 1. / 8) < 1e-14);
    small_done(&s);
}

static void test_summary__of_a_private_model(void **state) {
    (void)state;
    small s = make_small(
        true,
        "Proved for adding or removing one record, by way of a sentence that is too long for a single line.");
    char *text = NULL;
    assert_int_equal(hr_model_summary(s.model, &text, NULL), HR_OK);
    assert_string_equal(text,
                        "Method    dpboost, sound mode\n"
                        "Task      regression of stay (0 to 10)\n"
                        "Trees     2, depth up to 2, 5 leaves\n"
                        "\n"
                        "Privacy   epsilon 1.00001, delta 0 for adding or removing one record\n"
                        "          epsilon 2, delta 0 for replacing one\n"
                        "          every set of models is at most e^epsilon = 2.71829 times as likely\n"
                        "          with one record as without, and the other way round. A guess whether\n"
                        "          it was there, at even odds before, is right with a probability of at\n"
                        "          most 73.1059 % (epsilon 0.1: 52.5 %, 1: 73.2 %, 8: 99.97 %)\n"
                        "          Proved for adding or removing one record, by way of a sentence that\n"
                        "          is too long for a single line.\n"
                        "\n"
                        "Releases                        share of budget    releases       draws\n"
                        "  bin edges                              50.0 %           1           8\n"
                        "  leaf sum                               25.0 %           2           6\n"
                        "  split                                  25.0 %           1           1\n"
                        "\n"
                        "Features  2 of 3 used, by the spread of leaf values that their splits account for\n"
                        "  age                            88.9 %  ########################################\n"
                        "  a\"b\\c&d?[2J                    11.1 %  #####\n"
                        "\n"
                        "Settings\n"
                        "  trees                         2\n");
    hr_text_free(text);
    small_done(&s);
}

static void test_summary__tells_how_many_share_the_noise(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    char *text = NULL;
    s.model->releases[0].shares = 4;
    s.model->releases[1].shares = 6;
    s.model->releases[2].shares = 5;
    assert_int_equal(hr_model_summary(s.model, &text, NULL), HR_OK);
    assert_non_null(strstr(text, "           2           6  noise in 5 to 6 shares\n"));
    assert_non_null(strstr(text, "           1           1  noise in 4 shares\n"));
    assert_non_null(strstr(text, "           1           8\n"));
    hr_text_free(text);
    small_done(&s);
}

/* The two leaf sums are parts of one group: the costlier one counts. Of two owners both do. */
static void test_summary__counts_the_releases_of_every_owner(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    char *text = NULL;
    for (size_t i = 0; i < s.model->release_count; i++) s.model->releases[i].owner = 1 + (i == 2);
    assert_int_equal(hr_model_summary(s.model, &text, NULL), HR_OK);
    assert_non_null(
        strstr(text, "  bin edges                              44.4 %           1           8\n"));
    assert_non_null(
        strstr(text, "  leaf sum                               33.3 %           2           6\n"));
    hr_text_free(text);
    small_done(&s);
}

static void test_summary__tells_for_whom_the_guarantee_holds(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    s.model->guarantee.unit = HR_RECORD_OF_OWNER;
    char *text = NULL;
    assert_int_equal(hr_model_summary(s.model, &text, NULL), HR_OK);
    assert_non_null(strstr(text, "for adding or removing one record of any owner\n"));
    hr_text_free(text);
    small_done(&s);
}

/* The page is never below the statement, which is rounded by the same rule. */
static void test_summary__rounds_amounts_up(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    s.model->guarantee.epsilon = .052651505;
    s.model->guarantee.delta = 1.2349e-6;
    s.model->guarantee.epsilon_replace = .10530301;
    s.model->guarantee.delta_replace = 7.8033000000000005e-07;
    char *text = NULL;
    assert_int_equal(hr_model_summary(s.model, &text, NULL), HR_OK);
    assert_non_null(
        strstr(text, "\nPrivacy   epsilon 0.0526516, delta 1.2349e-06 for adding or removing one record\n"
                     "          epsilon 0.105304, delta 7.80331e-07 for replacing one\n"));
    hr_text_free(text);
    small_done(&s);
}

static void test_summary__tells_of_a_calibration(void **state) {
    (void)state;
    small s = make_small(true, "Proved.");
    s.model->forest.calibration = (hr_calibration){true, .25, 1. / 3};
    char *text = NULL;
    assert_int_equal(hr_model_summary(s.model, &text, NULL), HR_OK);
    assert_non_null(
        strstr(text, "\nClasses   probabilities calibrated, with intercept +0.25 and slope 0.333\n\n"));
    hr_text_free(text);
    small_done(&s);
}

static void test_summary__boxes_a_model_that_is_not_private(void **state) {
    (void)state;
    small s = make_small(false, "Every answer is exact: \xc3\xa4nyone can read \x1b[2J rec\xc2\x9bords off "
                                "this model, and the sentence goes on and on.");
    char *text = NULL;
    assert_int_equal(hr_model_summary(s.model, &text, NULL), HR_OK);
    const char *box = strstr(text, "\n****");
    assert_non_null(box);
    assert_non_null(strstr(text, "*  THIS MODEL IS NOT PRIVATE "));
    assert_null(strchr(text, '\x1b'));
    assert_null(strstr(text, "\xc2\x9b"));
    assert_non_null(strstr(text, "?[2J rec?ords"));
    int lines = 0;
    for (const char *line = box + 1; *line == '*'; line = strchr(line, '\n') + 1) {
        size_t length = strcspn(line, "\n"), width = 0;
        for (size_t i = 0; i < length; i++) width += (line[i] & 0xc0) != 0x80;
        assert_int_equal(width, 80);
        assert_int_equal(line[length - 1], '*');
        lines++;
    }
    assert_int_equal(lines, 5);
    hr_text_free(text);
    small_done(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree_text__speaks_of_names_and_thresholds),
        cmocka_unit_test(test_tree_text__tells_every_kind_of_cut),
        cmocka_unit_test(test_tree_text__has_a_line_for_every_branch),
        cmocka_unit_test(test_tree_dot__escapes_names),
        cmocka_unit_test(test_tree_dot__has_an_edge_for_every_branch),
        cmocka_unit_test(test_tree__refuses_an_index_beyond_the_last),
        cmocka_unit_test(test_importance__is_the_spread_of_leaf_values),
        cmocka_unit_test(test_importance__adds_up_to_the_variance_of_a_die),
        cmocka_unit_test(test_importance__throws_a_die_over_all_branches),
        cmocka_unit_test(test_summary__of_a_private_model),
        cmocka_unit_test(test_summary__tells_how_many_share_the_noise),
        cmocka_unit_test(test_summary__counts_the_leaves_of_multiway_splits),
        cmocka_unit_test(test_summary__counts_the_releases_of_every_owner),
        cmocka_unit_test(test_summary__tells_for_whom_the_guarantee_holds),
        cmocka_unit_test(test_summary__rounds_amounts_up),
        cmocka_unit_test(test_summary__tells_of_a_calibration),
        cmocka_unit_test(test_summary__boxes_a_model_that_is_not_private),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
