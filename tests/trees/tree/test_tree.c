/* Trees by their thresholds: they say of values what their cuts say of bins, and nothing that a stranger
 * writes into one gets past the check. */
#include "trees/tree/tree_check.h"

#include "support/binned_table.h"

enum { ROWS = 300, FEATURES = 7, DEPTH = 4, NODES = (2 << DEPTH) - 1, TREES = 40, TRIES = 20000 };

static const uint32_t shapes[] = {5, 9, 4, 3, 30};

/* A tree with leaves at any depth. */
static hr_tree random_tree(hr_dice *dice, const binned_table *t) {
    hr_tree tree = {.nodes = arena_room(t->arena, NODES, sizeof(hr_node)),
                    .subsets = arena_room(t->arena, NODES, sizeof(hr_bin_set))};
    size_t depths[NODES] = {0};
    tree.node_count = 1;
    for (size_t n = 0; n < tree.node_count; n++) {
        hr_split split = random_split(dice, &t->binning);
        tree.nodes[n] = (hr_node){.value = (double)hr_dice_below(dice, 1000) / 8 - 60};
        if (depths[n] == DEPTH || !hr_dice_below(dice, 4)) continue;
        uint32_t cuts = t->binning.features[split.feature].bin_count - 2;
        tree.nodes[n] = (hr_node){.left = (uint32_t)tree.node_count,
                                  .feature = split.feature,
                                  .cut = (uint8_t)(1 + hr_dice_below(dice, cuts)),
                                  .missing_left = split.missing_left,
                                  .subset = (uint32_t)tree.subset_count};
        if (split.kind == HR_KIND_CATEGORY) tree.subsets[tree.subset_count++] = split.left;
        if (split.kind == HR_KIND_NUMBER)
            tree.nodes[n].threshold =
                hr_bins_threshold(&t->binning.features[split.feature], tree.nodes[n].cut);
        depths[tree.node_count] = depths[tree.node_count + 1] = depths[n] + 1;
        tree.node_count += 2;
    }
    return tree;
}

static double said_of_bins(const binned_table *t, const hr_tree *tree, size_t row) {
    size_t n = 0;
    while (tree->nodes[n].left) {
        const hr_node *node = &tree->nodes[n];
        bool left = hr_node_goes_left(tree, node, t->binning.features[node->feature].kind,
                                      bin_at(t, row, node->feature));
        n = node->left + !left;
    }
    return tree->nodes[n].value;
}

static void test_tree__says_what_its_tree_says(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 7);
    binned_table t = binned_table_new(&dice, ROWS, FEATURES, shapes, sizeof shapes / sizeof *shapes);
    size_t inner = 0;
    for (size_t k = 0; k < TREES; k++) {
        hr_tree tree = random_tree(&dice, &t);
        double scores[ROWS];
        inner += tree.node_count > 1;
        for (size_t i = 0; i < ROWS; i++) scores[i] = (double)i;
        const hr_tree_limits limits = {t.schema, DEPTH, 100, true};
        hr_tree_fault fault;
        assert_int_equal(hr_tree_check(&tree, &limits, &fault, NULL), HR_OK);
        hr_tree_add(&tree, t.data, scores);
        for (size_t i = 0; i < ROWS; i++) assert_true(scores[i] == (double)i + said_of_bins(&t, &tree, i));
    }
    assert_true(inner > TREES / 2);
    binned_table_close(&t);
}

/* ---- Strangers ---- */

/* Feature 0: a number between 0 and 10; feature 1: a category of three values. */
typedef struct world {
    hr_schema *schema;
    hr_node nodes[7];
    hr_bin_set subsets[1];
    hr_tree tree;
} world;

/* Two levels, five nodes: a number's cut above a category's. */
static world world_open(void) {
    static const char text[] = "hedgerow-schema: 1\nlabel: {name: y, kind: number, low: -1, high: "
                               "1}\nfeatures: [{name: n, kind: number, "
                               "low: 0, high: 10}, {name: c, kind: category, values: [a, b, d]}]\n";
    world w = {.nodes = {{.left = 1, .feature = 0, .threshold = 5},
                         {.value = .5},
                         {.left = 3, .feature = 1},
                         {.value = -1},
                         {.value = 1}}};
    assert_int_equal(hr_schema_parse(text, sizeof text - 1, "s", &w.schema, NULL), HR_OK);
    w.subsets[0].words[0] = 0xf;
    return w;
}

static hr_status check_tree(const hr_tree *tree, const hr_schema *schema, size_t depth_max) {
    const hr_tree_limits limits = {
        .schema = schema, .depth_max = depth_max, .value_max = 1, .within_bounds = true};
    hr_tree_fault fault;
    hr_status status = hr_tree_check(tree, &limits, &fault, NULL);
    assert_int_equal(!status, !fault.what);
    return status;
}

static hr_status verdict(world *w, hr_error *err) {
    const hr_tree_limits limits = {
        .schema = w->schema, .depth_max = 2, .value_max = 1, .within_bounds = true};
    hr_tree_fault fault;
    w->tree = (hr_tree){.nodes = w->nodes,
                        .node_count = w->tree.node_count ? w->tree.node_count : 5,
                        .subsets = w->subsets,
                        .subset_count = 1};
    return hr_tree_check(&w->tree, &limits, &fault, err);
}

static void make_cut_nan(world *w) {
    w->nodes[0].threshold = (double)NAN;
}
static void make_cut_infinite(world *w) {
    w->nodes[0].threshold = -(double)INFINITY;
}
static void put_cut_below(world *w) {
    w->nodes[0].threshold = -.001;
}
static void put_cut_above(world *w) {
    w->nodes[0].threshold = 10.001;
}
static void put_child_before_parent(world *w) {
    w->nodes[2].left = 1;
}
static void make_cycle(world *w) {
    w->nodes[2].left = 2;
}
static void share_child(world *w) {
    w->nodes[1].left = 3;
    w->nodes[1].feature = 1;
}
static void share_child_by_one(world *w) {
    w->nodes[1].left = 2;
}
static void leave_orphans(world *w) {
    w->nodes[2] = (hr_node){.value = 0};
}
static void lose_child(world *w) {
    w->nodes[2].left = 4;
}
static void point_far_away(world *w) {
    w->nodes[2].left = UINT32_MAX;
}
static void ask_no_feature(world *w) {
    w->nodes[0].feature = 2;
}
static void ask_far_feature(world *w) {
    w->nodes[0].feature = UINT32_MAX;
}
static void use_no_subset(world *w) {
    w->nodes[2].subset = 1;
}
static void add_foreign_bin(world *w) {
    w->subsets[0].words[0] |= 16;
}
static void add_last_bin(world *w) {
    w->subsets[0].words[3] = UINT64_C(1) << 63;
}
static void say_too_much(world *w) {
    w->nodes[4].value = 1.0000001;
}
static void say_too_little(world *w) {
    w->nodes[4].value = -1.0000001;
}
static void say_nan(world *w) {
    w->nodes[4].value = (double)NAN;
}
static void say_infinity(world *w) {
    w->nodes[4].value = (double)INFINITY;
}
static void grow_too_deep(world *w) {
    w->nodes[4] = (hr_node){.left = 5, .feature = 0, .threshold = 1};
    w->tree.node_count = 7;
}

static void test_tree__of_a_stranger_is_refused(void **state) {
    (void)state;
    static const struct {
        void (*spoil)(world *w);
        const char *says;
    } cases[] = {{make_cut_nan, "not a number"},
                 {make_cut_infinite, "bounds"},
                 {put_cut_below, "bounds"},
                 {put_cut_above, "bounds"},
                 {put_child_before_parent, "after"},
                 {make_cycle, "after"},
                 {share_child, "two parents"},
                 {share_child_by_one, "two parents"},
                 {leave_orphans, "no parent"},
                 {lose_child, "missing"},
                 {point_far_away, "missing"},
                 {ask_no_feature, "feature does not exist"},
                 {ask_far_feature, "feature does not exist"},
                 {use_no_subset, "subset does not exist"},
                 {add_foreign_bin, "does not have"},
                 {add_last_bin, "does not have"},
                 {say_too_much, "out of bounds"},
                 {say_too_little, "out of bounds"},
                 {say_nan, "out of bounds"},
                 {say_infinity, "out of bounds"},
                 {grow_too_deep, "too deep"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w = world_open();
        hr_error err = {0};
        assert_int_equal(verdict(&w, &err), HR_OK);
        cases[i].spoil(&w);
        if (verdict(&w, &err) != HR_E_FORMAT || !strstr(err.message, cases[i].says))
            fail_msg("case %zu: %s", i, err.message);
        assert_int_equal(verdict(&w, NULL), HR_E_FORMAT);
        hr_schema_free(w.schema);
    }
}

static void test_tree__sends_what_is_on_a_cut_left(void **state) {
    (void)state;
    world w = world_open();
    double n[] = {5, nextafter(5, 6), (double)NAN}, c[] = {3, 3, 3}, scores[3] = {0};
    const double *columns[] = {n, c};
    hr_data *data = NULL;
    assert_int_equal(hr_data_from_arrays(w.schema, 3, columns, NULL, &data, NULL), HR_OK);
    assert_int_equal(verdict(&w, NULL), HR_OK);
    hr_tree_add(&w.tree, data, scores);
    assert_true(scores[0] == .5 && scores[1] == -1 && scores[2] == -1);
    hr_data_free(data);
    hr_schema_free(w.schema);
}

/* Counts that no array could have are refused before a byte is read or asked for. */
static void test_tree__of_any_size_is_refused_unread(void **state) {
    (void)state;
    static const size_t depths[] = {0, 2, 30, 64, SIZE_MAX};
    world w = world_open();
    const hr_tree empty = {.nodes = NULL}, huge = {.node_count = SIZE_MAX, .subset_count = SIZE_MAX},
                  leaf = {.nodes = w.nodes + 1, .node_count = 1};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        assert_int_equal(check_tree(&empty, w.schema, depths[i]), HR_E_FORMAT);
        assert_int_equal(check_tree(&huge, w.schema, depths[i]), HR_E_FORMAT);
        assert_int_equal(check_tree(&leaf, w.schema, depths[i]), HR_OK);
    }
    w.tree = (hr_tree){.nodes = w.nodes, .node_count = 5, .subsets = w.subsets, .subset_count = 1};
    assert_int_equal(check_tree(&w.tree, w.schema, 1), HR_E_FORMAT);
    hr_schema_free(w.schema);
}

/* Random fields: whatever passes is used on records that hold every bin; a sanitizer sees steps outside the
 * arrays, a hang a cycle. */
static void test_tree__that_passes_is_harmless(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 11);
    world w = world_open();
    double n[] = {(double)NAN, 0, 5, 10}, c[] = {0, 1, 2, 3};
    const double *columns[] = {n, c};
    hr_data *data = NULL;
    size_t passed = 0;
    assert_int_equal(hr_data_from_arrays(w.schema, 4, columns, NULL, &data, NULL), HR_OK);
    for (size_t i = 0; i < TRIES; i++) {
        double scores[4] = {0};
        for (size_t k = 0; k < 7; k++)
            w.nodes[k] =
                (hr_node){.left = (uint32_t)hr_dice_below(&dice, 2) * (uint32_t)hr_dice_below(&dice, 8),
                          .feature = (uint32_t)hr_dice_below(&dice, 3),
                          .subset = (uint32_t)hr_dice_below(&dice, 2),
                          .threshold = (double)hr_dice_below(&dice, 12)};
        w.tree = (hr_tree){.nodes = w.nodes,
                           .node_count = 1 + 2 * hr_dice_below(&dice, 4),
                           .subsets = w.subsets,
                           .subset_count = 1};
        if (check_tree(&w.tree, w.schema, 3)) continue;
        passed += w.tree.node_count > 1;
        hr_tree_add(&w.tree, data, scores);
        for (size_t k = 0; k < 4; k++) assert_true(scores[k] == 0);
    }
    assert_true(passed > 20);
    hr_data_free(data);
    hr_schema_free(w.schema);
}

/* ---- Copies ---- */

static void test_copy__has_its_own_arrays(void **state) {
    (void)state;
    hr_node nodes[3] = {{.left = 1, .feature = 4, .subset = 0}, {.value = -1.5}, {.value = 2.5}};
    hr_bin_set subset = {{5, 0, 0, 9}};
    double thresholds[2] = {3, 4}, counts[3] = {10, 4, 6}, noise[3] = {0, 1, 2};
    hr_tree tree = {nodes, 3, &subset, 1, thresholds, 2, counts, .25, noise, 2}, copy;
    hr_arena *arena = hr_arena_new();
    assert_non_null(arena);
    assert_int_equal(hr_tree_copy(&tree, arena, &copy, NULL), HR_OK);
    nodes[1].value = 7;
    subset.words[0] = 0;
    thresholds[1] = counts[2] = noise[2] = 0;
    assert_true(copy.node_count == 3 && copy.subset_count == 1 && copy.threshold_count == 2 &&
                copy.output == 2 && copy.deviation == .25);
    assert_true(copy.nodes[0].left == 1 && copy.nodes[0].feature == 4 && copy.nodes[1].value == -1.5 &&
                copy.nodes[2].value == 2.5);
    assert_true(copy.subsets[0].words[0] == 5 && copy.subsets[0].words[3] == 9);
    assert_true(copy.thresholds[0] == 3 && copy.thresholds[1] == 4 && copy.counts[0] == 10 &&
                copy.counts[2] == 6 && copy.noise[1] == 1 && copy.noise[2] == 2);
    hr_arena_free(arena);
}

static void test_copy__may_have_nodes_alone(void **state) {
    (void)state;
    hr_node leaf = {.value = .25};
    hr_tree tree = {.nodes = &leaf, .node_count = 1}, copy;
    hr_arena *arena = hr_arena_new();
    assert_non_null(arena);
    assert_int_equal(hr_tree_copy(&tree, arena, &copy, NULL), HR_OK);
    assert_true(copy.node_count == 1 && !copy.subset_count && !copy.threshold_count && !copy.counts &&
                copy.nodes[0].value == .25);
    hr_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree__says_what_its_tree_says),
        cmocka_unit_test(test_tree__sends_what_is_on_a_cut_left),
        cmocka_unit_test(test_tree__of_a_stranger_is_refused),
        cmocka_unit_test(test_tree__of_any_size_is_refused_unread),
        cmocka_unit_test(test_tree__that_passes_is_harmless),
        cmocka_unit_test(test_copy__has_its_own_arrays),
        cmocka_unit_test(test_copy__may_have_nodes_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
