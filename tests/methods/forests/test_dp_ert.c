/* Private extremely randomised trees: trees owe nothing to the records, leaves all of the budget; and what is
 * claimed holds in games. */
#include "support/chi_square.h"
#include "support/forest_checks.h"

static const forest_setting settings[] = {
    {false, 10, 12, 0, 300, 0, 1, 0}, {false, 10, 5, 0, 300, 2, 1, 1e-6}, {true, 7, 3, 0, 300, 3, .5, 0},
    {true, 4, 6, 0, 300, 0, 8, 1e-6}, {false, 1, 1, 0, 300, 5, 1e4, 0},   {true, 5, 4, 0, 1, 2, 1, 1e-6},
};

/* ---- Trees ---- */

/* Which bins of every feature can reach a node. */
typedef struct reach {
    bool bins[ODD_FEATURES][HR_BINS_MAX];
} reach;

static bool has_value(const reach *r, const hr_binning *binning, size_t f) {
    const hr_feature_bins *feature = &binning->features[f];
    for (uint32_t b = feature->kind == HR_KIND_NUMBER || feature->bin_count > 2; b < feature->bin_count; b++)
        if (r->bins[f][b]) return true;
    return false;
}

/* Each node can be reached by some value of every feature; returns how many leaves there are below. */
static size_t visit(const hr_binning *binning, const hr_tree *tree, size_t n, const reach *here,
                    int64_t depth) {
    const hr_node *node = &tree->nodes[n];
    for (size_t f = 0; f < ODD_FEATURES; f++) assert_true(has_value(here, binning, f));
    assert_true(depth >= 0 && node->branches == 0);
    if (!node->left) return 1;
    size_t leaves = 0;
    for (uint32_t side = 0; side < 2; side++) {
        reach child = *here;
        for (uint32_t b = 0; b < HR_BINS_MAX; b++)
            if (hr_node_child(tree, node, binning->features[node->feature].kind, (uint8_t)b) !=
                node->left + side)
                child.bins[node->feature][b] = false;
        leaves += visit(binning, tree, node->left + side, &child, depth - 1);
    }
    return leaves;
}

static void check_trees(const forest_setting *s, const hr_model *model) {
    check_outputs(s, model);
    hr_arena *arena = hr_arena_new();
    hr_binning binning;
    assert_int_equal(hr_edges_public(model->schema, HR_BINS_MAX - 1, arena, &binning, NULL), HR_OK);
    reach all;
    for (size_t f = 0; f < ODD_FEATURES; f++)
        for (uint32_t b = 0; b < HR_BINS_MAX; b++) all.bins[f][b] = b < binning.features[f].bin_count;
    for (size_t t = 0; t < model->forest.tree_count; t++) {
        const hr_tree *tree = &model->forest.trees[t];
        size_t leaves = visit(&binning, tree, 0, &all, s->depth);
        assert_true(2 * leaves == tree->node_count + 1 && leaves > (size_t)1 << (s->depth / 2));
    }
    hr_arena_free(arena);
}

static void test_trees__have_no_leaf_that_no_record_can_reach(void **state) {
    (void)state;
    /* Seeded: a node gives up after some tries, so that trees are small by chance. */
    each_forest("dp-ert", settings, COUNT(settings), 11, check_trees);
}

/* Of 20,000 roots over two numbers of 255 bins. Chi-square, false alarm 1e-6 each. */
static void test_cuts__are_uniform_between_public_bounds(void **state) {
    (void)state;
    enum { TREES = 20000, CUTS = HR_BINS_MAX - 2 };
    table t = table_open(3, 2);
    for (size_t i = 0; i < t.rows; i++) t.columns[0][i] = t.columns[1][i] = .1;
    const hr_column columns[] = {number_column("x", 0, 1), number_column("z", -5, 1000)};
    table_make(&t, category_column("y", 2), columns);
    hr_fit_options options = seeded_options_of("dp-ert", HR_MODE_SOUND, 1);
    options.trees = TREES;
    options.depth = 1;
    hr_model *model = fit(t.data, &options);
    uint64_t features[2] = {0}, cuts[CUTS + 1] = {0}, missing[2] = {0};
    for (size_t k = 0; k < TREES; k++) {
        const hr_node *root = model->forest.trees[k].nodes;
        assert_true(root->left && root->feature < 2 && root->cut >= 1 && root->cut <= CUTS);
        features[root->feature]++;
        cuts[root->cut]++;
        missing[root->missing_left]++;
    }
    double half[2] = {.5, .5}, even[CUTS + 1] = {0};
    for (size_t c = 1; c <= CUTS; c++) even[c] = 1. / CUTS;
    assert_true(chi_square_fits(features, half, 2, TREES) && chi_square_fits(missing, half, 2, TREES));
    assert_true(chi_square_fits(cuts, even, CUTS + 1, TREES));
    for (size_t f = 0; f < 2; f++) {                                     /* edges are even */
        const hr_feature_bins *bins = &model->predictor.columns[f].bins; /* every cut was drawn */
        assert_int_equal(bins->bin_count, HR_BINS_MAX);
        double width = columns[f].high - columns[f].low;
        for (size_t e = 0; e < CUTS; e++)
            assert_true(fabs(bins->edges[e] - (columns[f].low + width * (double)(e + 1) / (CUTS + 1))) <
                        1e-9 * width);
    }
    hr_model_free(model);
    table_close(&t);
}

/* The same coins on other records, and on another number of them, draw the same trees: they come before the
 * noise of the first tree's leaves. */
static void test_trees__do_not_look_at_the_records(void **state) {
    (void)state;
    static const size_t counts[] = {1, 20, 299, 300};
    const forest_setting s = {false, 1, 8, 0, 300, 2, 1, 0};
    table t = odd_table(s.rows, s.classes), other = odd_table(s.rows, s.classes);
    for (size_t i = 0; i < s.rows; i++) {
        other.columns[X][i] = 1, other.columns[FEW][i] = 3;
        other.labels[i] = 1;
    }
    hr_fit_options options = options_of_forest("dp-ert", &s);
    options.reproducible_noise = true;
    hr_model *one = fit(t.data, &options);
    for (size_t c = 0; c < COUNT(counts); c++) {
        hr_data *data = NULL;
        assert_int_equal(hr_data_from_arrays(other.schema, counts[c], (const double *const *)other.columns,
                                             other.labels, &data, NULL),
                         HR_OK);
        hr_model *two = fit(data, &options);
        const hr_tree *a = one->forest.trees, *b = two->forest.trees;
        assert_int_equal(a->node_count, b->node_count);
        for (size_t n = 0; n < a->node_count; n++)
            assert_true(a->nodes[n].left == b->nodes[n].left && a->nodes[n].feature == b->nodes[n].feature &&
                        a->nodes[n].cut == b->nodes[n].cut);
        hr_model_free(two);
        hr_data_free(data);
    }
    hr_model_free(one);
    table_close(&t);
    table_close(&other);
}

/* ---- Releases ---- */

static void check_list(const forest_setting *s, const hr_model *model) {
    reader r = {.s = s, .model = model};
    for (; r.tree < (size_t)s->trees; r.tree++) check_leaf_lines(&r, budget_of_tree(s));
    assert_int_equal(r.at, model->release_count);
}

static void test_releases__are_leaves_alone(void **state) {
    (void)state;
    each_forest("dp-ert", settings, COUNT(settings), 0, check_list);
}

static void test_releases__cost_what_was_asked_for(void **state) {
    (void)state;
    each_forest("dp-ert", settings, COUNT(settings), 0, check_costs);
}

/* ---- Leaves and fits ---- */

static void test_leaves__say_the_means_of_their_records_at_huge_epsilon(void **state) {
    (void)state;
    check_leaves_at_huge_epsilon("dp-ert", 2);
    check_leaves_at_huge_epsilon("dp-ert", 0);
    check_parts_at_huge_epsilon("dp-ert");
}

static void test_dp_ert__repeats_itself_from_a_seed_for_any_threads(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) check_seeds("dp-ert", &settings[i]);
}

static void test_dp_ert__trains_on_hardly_any_records(void **state) {
    (void)state;
    check_hardly_any_records("dp-ert");
}

/* Labels are -1 or 1 on either side of 1/2 of x0; 5000 records at epsilon 4, where half of them are wrong by
 * chance. */
static void test_dp_ert__is_of_use_at_epsilon_4(void **state) {
    (void)state;
    table t = table_of_steps(5000, 2, 2, 31);
    hr_fit_options options = seeded_options_of("dp-ert", HR_MODE_SOUND, 3);
    options.epsilon = 4;
    double error = fit_metrics(t.data, &options).error;
    if (error > .2) fail_msg("error %g", error);
    table_close(&t);
}

/* ---- Games ---- */

static void test_game__finds_no_more_than_is_claimed_on_an_isolated_canary(void **state) {
    (void)state;
    for (size_t i = 0; i < ISOLATED; i++) {
        game g = isolated_canary("dp-ert", 1, i, RUNS_MAX);
        double bound = statistic_bound(&g);
        assert_quiet(&g, bound);
        if (i == 0) assert_true(bound > .5 * g.claimed); /* half the noise would show */
        game_close(&g);
    }
}

static void test_game__catches_fits_at_ten_times_what_they_claim(void **state) {
    (void)state;
    check_that_excess_is_caught("dp-ert", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees__have_no_leaf_that_no_record_can_reach),
        cmocka_unit_test(test_cuts__are_uniform_between_public_bounds),
        cmocka_unit_test(test_trees__do_not_look_at_the_records),
        cmocka_unit_test(test_releases__are_leaves_alone),
        cmocka_unit_test(test_releases__cost_what_was_asked_for),
        cmocka_unit_test(test_leaves__say_the_means_of_their_records_at_huge_epsilon),
        cmocka_unit_test(test_dp_ert__repeats_itself_from_a_seed_for_any_threads),
        cmocka_unit_test(test_dp_ert__trains_on_hardly_any_records),
        cmocka_unit_test(test_dp_ert__is_of_use_at_epsilon_4),
        cmocka_unit_test(test_game__finds_no_more_than_is_claimed_on_an_isolated_canary),
        cmocka_unit_test(test_game__catches_fits_at_ten_times_what_they_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
