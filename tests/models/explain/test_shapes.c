#include "models/explain/leaf_facts.h"
#include "support/model_parts.h"

#include <hedgerow/explain.h>

enum { ROWS = 700, TREES = 60 };

static size_t features_of(const hr_tree *tree) {
    bool seen[FEATURES] = {false};
    size_t count = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        if (!tree->nodes[n].left || seen[tree->nodes[n].feature]) continue;
        seen[tree->nodes[n].feature] = true;
        count++;
    }
    return count;
}

/* The cell of a record, as the public header says. */
static size_t cell_by_hand(const hr_shape_axis *axis, const hr_data *data, size_t row) {
    double x;
    uint16_t code;
    if (!axis->edges) {
        code = *hr_data_code_block(data, axis->feature, row, 1, &code);
        return code < 255 ? code : 255;
    }
    x = *hr_data_number_block(data, axis->feature, row, 1, &x);
    if (isnan(x)) return 0;
    for (size_t i = 1; i + 1 < axis->cell_count; i++)
        if (x <= axis->edges[i - 1]) return i;
    return axis->cell_count - 1;
}

static size_t place_by_hand(const hr_shape *shape, const hr_data *data, size_t row) {
    size_t cell = cell_by_hand(&shape->axes[0], data, row);
    assert_true(cell < shape->axes[0].cell_count);
    if (shape->axis_count == 1) return cell;
    return cell * shape->axes[1].cell_count + cell_by_hand(&shape->axes[1], data, row);
}

/* What the trees of three features or more say. */
static size_t add_others(const hr_model *model, const hr_data *data, double *scores) {
    size_t trees = 0;
    for (size_t t = 0; t < model->forest.tree_count; t++) {
        const hr_tree *tree = &model->forest.trees[t];
        if (features_of(tree) < 3) continue;
        trees++;
        for (size_t i = 0; i < ROWS; i++)
            scores[i * model->forest.output_count + tree->output] +=
                tree->nodes[hr_tree_leaf(tree, data, i)].value;
    }
    return trees;
}

static void check_sums(const hr_model *model, const hr_shapes *shapes, const hr_data *data) {
    size_t outputs = model->forest.output_count;
    double *scores = calloc(ROWS * outputs, sizeof *scores), *sums = calloc(ROWS * outputs, sizeof *sums);
    assert_true(scores && sums);
    assert_int_equal(hr_model_scores(model, data, 1, scores, NULL), HR_OK);
    assert_int_equal(hr_shapes_output_count(shapes), outputs);
    assert_int_equal(hr_shapes_rest(shapes).trees, add_others(model, data, sums));
    hr_shape shape;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < outputs; k++) sums[i * outputs + k] += hr_shapes_base(shapes)[k];
        for (size_t s = 0; hr_shapes_at(shapes, s, &shape); s++)
            for (size_t k = 0; k < outputs; k++)
                sums[i * outputs + k] += shape.values[place_by_hand(&shape, data, i) * outputs + k];
        for (size_t k = 0; k < outputs; k++)
            assert_true(fabs(sums[i * outputs + k] - scores[i * outputs + k]) < 1e-10);
    }
    free(scores);
    free(sums);
}

/* Trees and shares of all shapes and the rest. */
static void check_shares(const hr_model *model, const hr_shapes *shapes) {
    hr_shape shape;
    hr_shape_rest rest = hr_shapes_rest(shapes);
    size_t trees = rest.trees, constant = 0;
    double share = rest.share;
    for (size_t s = 0; hr_shapes_at(shapes, s, &shape); s++) {
        trees += shape.trees;
        share += shape.share;
        assert_true(shape.axis_count == 1 || shape.axes[0].feature < shape.axes[1].feature);
    }
    for (size_t t = 0; t < model->forest.tree_count; t++) constant += !features_of(&model->forest.trees[t]);
    assert_int_equal(trees + constant, model->forest.tree_count);
    assert_true(fabs(share - 1) < 1e-9);
}

static void test_shapes__add_up_to_the_score(void **state) {
    (void)state;
    const model_kind kinds[] = {{HR_TASK_REGRESSION, HR_LINK_NUMBER, 1},
                                {HR_TASK_BINARY, HR_LINK_LOGISTIC, 1},
                                {HR_TASK_MULTICLASS, HR_LINK_SIGNED, 3}};
    for (size_t i = 0; i < 9; i++) {
        parts p;
        parts_init(&p, kinds[i % 3], TREES, 1 + (unsigned)i / 3, HR_PRIVACY_PURE);
        hr_model *model = make_model(&p);
        hr_data *data = make_data(model, ROWS, true);
        hr_shapes *shapes = NULL;
        assert_int_equal(hr_shapes_make(model, &shapes, NULL), HR_OK);
        check_sums(model, shapes, data);
        check_shares(model, shapes);
        hr_shapes_free(shapes);
        hr_data_free(data);
        hr_model_free(model);
        parts_done(&p);
    }
}

/* Noise of node n of tree t: different everywhere. */
static double noise_by_hand(size_t t, size_t n) {
    return (double)(t + 1) / 100 + (double)n / 7;
}

static void give_noise(hr_forest *forest, hr_arena *arena) {
    for (size_t t = 0; t < forest->tree_count; t++) {
        hr_tree *tree = &forest->trees[t];
        tree->noise = hr_arena_alloc(arena, tree->node_count, sizeof *tree->noise);
        assert_non_null(tree->noise);
        for (size_t n = 0; n < tree->node_count; n++)
            tree->noise[n] = tree->nodes[n].left ? 0 : noise_by_hand(t, n);
    }
}

/* Of the trees of exactly these features. */
static double variance_by_hand(const hr_model *model, const hr_shape *shape, const hr_data *data,
                               size_t row) {
    double variance = 0;
    for (size_t t = 0; t < model->forest.tree_count; t++) {
        const hr_tree *tree = &model->forest.trees[t];
        bool others = features_of(tree) != shape->axis_count;
        for (size_t n = 0; n < tree->node_count; n++)
            others |= tree->nodes[n].left && tree->nodes[n].feature != shape->axes[0].feature &&
                      tree->nodes[n].feature != shape->axes[shape->axis_count - 1].feature;
        if (!others) variance += pow(noise_by_hand(t, hr_tree_leaf(tree, data, row)), 2);
    }
    return variance;
}

static void test_deviations__are_of_the_sum_of_the_leaves_noise(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, TREES, 2, HR_PRIVACY_PURE);
    give_noise(&p.model.forest, p.model.arena);
    hr_model *model = make_model(&p);
    hr_data *data = make_data(model, ROWS, true);
    hr_shapes *shapes = NULL;
    hr_shape shape;
    assert_int_equal(hr_shapes_make(model, &shapes, NULL), HR_OK);
    for (size_t s = 0; hr_shapes_at(shapes, s, &shape); s++) {
        assert_non_null(shape.deviations);
        for (size_t i = 0; i < ROWS; i++) {
            double deviation = shape.deviations[place_by_hand(&shape, data, i)],
                   expected = sqrt(variance_by_hand(model, &shape, data, i));
            assert_true(fabs(deviation - expected) < 1e-12 * expected);
        }
    }
    hr_shapes_free(shapes);
    hr_data_free(data);
    hr_model_free(model);
    parts_done(&p);
}

static void test_deviations__are_unknown_if_one_tree_does_not_tell(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, TREES, 1, HR_PRIVACY_PURE);
    give_noise(&p.model.forest, p.model.arena);
    size_t silent = 0;
    while (!features_of(&p.model.forest.trees[silent])) silent++;
    p.model.forest.trees[silent].noise = NULL;
    size_t feature = p.model.forest.trees[silent].nodes[0].feature;
    hr_model *model = make_model(&p);
    hr_shapes *shapes = NULL;
    hr_shape shape;
    assert_int_equal(hr_shapes_make(model, &shapes, NULL), HR_OK);
    assert_true(hr_shapes_count(shapes) > 1);
    for (size_t s = 0; hr_shapes_at(shapes, s, &shape); s++)
        assert_true((shape.axes[0].feature == feature) == (shape.deviations == NULL));
    hr_shapes_free(shapes);
    hr_model_free(model);
    parts_done(&p);
}

/* Two trees of the same splits, one an output: the first tells for both; a third has others. */
static void test_leaf_facts__of_shared_leaves_stand_in_the_first_tree(void **state) {
    (void)state;
    hr_node one[] = {{.left = 1, .threshold = 3}, {.value = 1}, {.value = 2}}, other[3];
    memcpy(other, one, sizeof one);
    other[0].threshold = 4;
    double counts[] = {5, 2, 3}, noise[] = {0, .5, .25};
    hr_tree trees[] = {{.nodes = one, .node_count = 3, .counts = counts, .noise = noise},
                       {.nodes = one, .node_count = 3, .output = 1},
                       {.nodes = other, .node_count = 3, .output = 2},
                       {.nodes = one, .node_count = 3, .output = 1}};
    const hr_forest forest = {.output_count = 3, .trees = trees, .tree_count = 4};
    assert_ptr_equal(hr_forest_counts(&forest, 0), counts);
    assert_ptr_equal(hr_forest_counts(&forest, 1), counts);
    assert_ptr_equal(hr_forest_noise(&forest, 1), noise);
    assert_null(hr_forest_counts(&forest, 2));
    assert_null(hr_forest_noise(&forest, 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes__add_up_to_the_score),
        cmocka_unit_test(test_deviations__are_of_the_sum_of_the_leaves_noise),
        cmocka_unit_test(test_deviations__are_unknown_if_one_tree_does_not_tell),
        cmocka_unit_test(test_leaf_facts__of_shared_leaves_stand_in_the_first_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
