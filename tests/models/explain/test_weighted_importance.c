#include "support/model_parts.h"
#include "support/tables.h"

#include <hedgerow/explain.h>

enum { COLUMNS = 3 };

/* Tree 0: x0 sends 80 records to a leaf of 0, and 20 on to x1, which sends 4 of them to 1 and 16 to 0; tree
 * 1 asks about x2, at .75 of its range. */
static hr_node first[] = {{.left = 1, .feature = 0, .threshold = .5},
                          {0},
                          {.left = 3, .feature = 1, .threshold = .5},
                          {.value = 1},
                          {0}},
               second[] = {{.left = 1, .feature = 2, .threshold = .75}, {.value = 0}, {.value = .4}};
static double counts[] = {100, 80, 20, 4, 16};

static hr_model *make_two_trees(hr_schema *schema) {
    const hr_tree trees[] = {{.nodes = first, .node_count = COUNT(first), .counts = counts},
                             {.nodes = second, .node_count = COUNT(second)}};
    const hr_release none = {.what = "nothing", .mechanism = HR_MECHANISM_IDENTITY};
    hr_arena *arena = hr_arena_new();
    assert_non_null(arena);
    hr_tree *kept = hr_arena_alloc(arena, 2, sizeof *kept);
    double *base = hr_arena_alloc(arena, 1, sizeof *base);
    for (size_t t = 0; t < 2; t++) assert_int_equal(hr_tree_copy(&trees[t], arena, &kept[t], NULL), HR_OK);
    hr_model made = {
        .arena = arena,
        .schema = schema,
        .method = "dpboost",
        .forest = {.link = HR_LINK_NUMBER, .output_count = 1, .base = base, .trees = kept, .tree_count = 2},
        .guarantee = {.statement = "None."},
        .releases = (hr_release *)&none,
        .release_count = 1};
    hr_model *model = NULL;
    assert_int_equal(hr_model_make(&made, &model, NULL), HR_OK);
    return model;
}

/* x0: means 0 and .2, .8 * .2 * .04; x1: a fifth of .2 * .8; x2: .75 * .25 * .16. */
static void test_weighted_importance__is_the_part_of_the_variance(void **state) {
    (void)state;
    const hr_column columns[COLUMNS] = {number_column("x0", 0, 1), number_column("x1", 0, 1),
                                        number_column("x2", 0, 1)},
                    label = number_column("y", 0, 1);
    hr_schema *schema = NULL;
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = columns, .feature_count = COLUMNS},
                       &schema, NULL),
        HR_OK);
    hr_model *model = make_two_trees(schema);
    double importance[COLUMNS];
    size_t counted = 9;
    assert_int_equal(hr_weighted_importance(model, importance, &counted, NULL), HR_OK);
    assert_int_equal(counted, 1);
    const double wanted[] = {.0064 / .0684, .032 / .0684, .03 / .0684};
    for (size_t f = 0; f < COLUMNS; f++) assert_true(fabs(importance[f] - wanted[f]) < 1e-12);
    hr_model_free(model);
    hr_schema_free(schema);
}

/* Without a split, nothing is important. */
static void test_weighted_importance__is_0_without_a_split(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, 2, 0, HR_PRIVACY_PURE);
    hr_model *model = make_model(&p);
    double importance[FEATURES];
    size_t counted = 9;
    assert_int_equal(hr_weighted_importance(model, importance, &counted, NULL), HR_OK);
    for (size_t f = 0; f < FEATURES; f++) assert_true(importance[f] == 0);
    assert_int_equal(counted, 0);
    hr_model_free(model);
    parts_done(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weighted_importance__is_the_part_of_the_variance),
        cmocka_unit_test(test_weighted_importance__is_0_without_a_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
