/* Scores of candidates where features are monotone: against all orders of leaves that the trees allow, a
 * record's part in them, and the same from a scan. Seeds are fixed. */
#include "support/check.h"
#include "tables/schema/schema.h"
#include "tables/synth/generate.h"
#include "trees/candidates/candidate_scan.h"
#include "trees/tree/block_walk.h"
#include "trees/tree/monotone.h"

#include <stdlib.h>
#include <string.h>

enum { UP, DOWN, FREE, FEATURES };
enum { BINS = 9, NODES = 13, LEAVES = (NODES + 1) / 2, TREES = 300, ROWS = 500 };
enum { STRIDE = (ROWS + HR_WALK_BLOCK - 1) / HR_WALK_BLOCK * HR_WALK_BLOCK }; /* blocks are read whole */

typedef struct world {
    hr_dice dice;
    hr_schema *schema;
    double edges[BINS - 2];
    hr_feature_bins features[FEATURES];
    hr_binning binning;
    hr_node nodes[NODES];
    hr_tree tree;
    hr_exact sums[LEAVES];
    size_t leaves;
} world;

static void world_open(world *w, uint64_t seed, bool directed) {
    static const char *const names[] = {"up", "down", "free"};
    const hr_column label = {.name = "y", .low = -1, .high = 1};
    hr_column columns[FEATURES];
    *w = (world){.binning = {FEATURES, w->features, NULL}};
    hr_dice_init(&w->dice, seed);
    for (size_t i = 0; i < BINS - 2; i++) w->edges[i] = (double)i + 1;
    for (size_t f = 0; f < FEATURES; f++) {
        w->features[f] = (hr_feature_bins){HR_KIND_NUMBER, BINS, w->edges};
        columns[f] = (hr_column){.name = names[f], .low = 0, .high = BINS};
    }
    columns[UP].monotone = directed ? HR_MONOTONE_INCREASING : HR_MONOTONE_NONE;
    columns[DOWN].monotone = directed ? HR_MONOTONE_DECREASING : HR_MONOTONE_NONE;
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = columns, .feature_count = FEATURES},
                       &w->schema, NULL),
        HR_OK);
}

/* features: how many of them are split by, within what the splits above leave of them, as hedge's trees are.
 */
static void draw_tree(world *w, size_t features) {
    uint64_t low[NODES][FEATURES], high[NODES][FEATURES]; /* bins that come to a node */
    w->tree = (hr_tree){.nodes = w->nodes, .node_count = 1};
    w->nodes[0] = (hr_node){0};
    for (size_t f = 0; f < FEATURES; f++) low[0][f] = 1, high[0][f] = BINS - 1;
    while (w->tree.node_count < NODES) {
        const size_t n = hr_dice_below(&w->dice, w->tree.node_count);
        hr_node *node = &w->nodes[n];
        const uint32_t feature = (uint32_t)hr_dice_below(&w->dice, features);
        if (node->left || low[n][feature] == high[n][feature]) continue;
        const uint8_t cut =
            (uint8_t)(low[n][feature] + hr_dice_below(&w->dice, high[n][feature] - low[n][feature]));
        *node = (hr_node){.left = (uint32_t)w->tree.node_count,
                          .feature = feature,
                          .cut = cut,
                          .threshold = cut,
                          .missing_left = hr_dice_below(&w->dice, 2)};
        for (int i = 0; i < 2; i++) {
            const size_t child = w->tree.node_count++;
            w->nodes[child] = (hr_node){0};
            memcpy(low[child], low[n], sizeof low[n]);
            memcpy(high[child], high[n], sizeof high[n]);
            if (i)
                low[child][feature] = cut + 1u;
            else
                high[child][feature] = cut;
        }
    }
    w->leaves = hr_tree_leaves(&w->tree);
    for (size_t i = 0; i < w->leaves; i++) w->sums[i].unpaid = (int64_t)hr_dice_below(&w->dice, 2001) - 1000;
}

static int64_t score_of(const world *w, int64_t threshold) {
    hr_exact score;
    const hr_leaf_score_rule rule = {1, threshold, w->schema};
    hr_leaf_scores(w->sums, &w->tree, 1, &rule, &score);
    return score.unpaid;
}

/* The largest sum over all values of leaves in {-1, 0, 1} that keep the order; a leaf of positive sum is
 * lowered. */
static int64_t largest_in_order(world *w, int64_t threshold) {
    const hr_forest forest = {.trees = &w->tree, .tree_count = 1, .output_count = 1};
    int64_t best = 0;
    int values[LEAVES] = {0};
    size_t all = 1;
    for (size_t i = 0; i < w->leaves; i++) all *= 3;
    for (size_t code = 0; code < all; code++) {
        size_t rest = code, leaf = 0;
        int64_t sum = 0;
        for (size_t i = 0; i < w->leaves; i++, rest /= 3) {
            values[i] = (int)(rest % 3) - 1;
            sum -= values[i] * w->sums[i].unpaid + (values[i] != 0) * threshold;
        }
        if (sum <= best) continue;
        for (size_t n = 0; n < w->tree.node_count; n++)
            if (!w->nodes[n].left) w->nodes[n].value = values[leaf++];
        bool monotone = false;
        hr_monotone_fault fault;
        assert_int_equal(hr_monotone_check(&forest, w->schema, &monotone, &fault, NULL), HR_OK);
        if (monotone) best = sum;
    }
    return best;
}

/* By one feature it is the largest; by several never more. */
static void test_scores__count_what_keeps_the_order(void **state) {
    (void)state;
    size_t less = 0;
    for (uint64_t seed = 1; seed <= TREES / 3; seed++) {
        world w;
        const int64_t threshold = seed % 3 ? 0 : 150;
        world_open(&w, seed, true);
        draw_tree(&w, seed % 2 ? 1 : FEATURES);
        const int64_t score = score_of(&w, threshold), best = largest_in_order(&w, threshold);
        if (score > best || (seed % 2 && score < best))
            fail_msg("%lld, %lld", (long long)score, (long long)best);
        less += score < best;
        hr_schema_free(w.schema);
    }
    print_message("of %d scores by several features %zu are less than the largest\n", TREES / 6, less);
}

static void test_scores__are_lengths_where_nothing_is_monotone(void **state) {
    (void)state;
    static const int64_t thresholds[] = {0, 7, 400};
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        world w;
        world_open(&w, seed, false);
        draw_tree(&w, FEATURES);
        for (size_t t = 0; t < COUNT(thresholds); t++) {
            const hr_leaf_score_rule rule = {1, thresholds[t], NULL};
            hr_exact plain;
            hr_leaf_scores(w.sums, &w.tree, 1, &rule, &plain);
            assert_true(score_of(&w, thresholds[t]) == plain.unpaid);
        }
        hr_schema_free(w.schema);
    }
}

/* A record moves one leaf's sum, and the score by no more. */
static void test_scores__change_by_no_more_than_one_leaf(void **state) {
    (void)state;
    int64_t most = 0;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        world w;
        world_open(&w, seed, true);
        draw_tree(&w, FEATURES);
        for (int change = -500; change <= 500; change += 125) {
            for (size_t leaf = 0; leaf < w.leaves; leaf++) {
                const int64_t threshold = (int64_t)hr_dice_below(&w.dice, 300),
                              before = score_of(&w, threshold);
                w.sums[leaf].unpaid += change;
                const int64_t moved = llabs(score_of(&w, threshold) - before);
                if (moved > abs(change)) fail_msg("%lld by %d", (long long)moved, change);
                if (change == 500 && moved > most) most = moved;
                w.sums[leaf].unpaid -= change;
            }
        }
        hr_schema_free(w.schema);
    }
    assert_int_equal(most, 500);
}

static void test_scores__are_those_of_a_scan(void **state) {
    (void)state;
    static uint8_t columns[FEATURES][STRIDE];
    static double targets[ROWS];
    for (uint64_t seed = 1; seed <= 40; seed++) {
        world w;
        hr_exact counts[LEAVES], score;
        hr_candidate_scan *scan = NULL;
        const double base = 0;
        world_open(&w, seed, true);
        draw_tree(&w, FEATURES);
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t f = 0; f < FEATURES; f++) columns[f][i] = (uint8_t)hr_dice_below(&w.dice, BINS);
            targets[i] = 2 * hr_dice_unit(&w.dice) - 1;
        }
        const hr_binned binned = {.rows = ROWS,
                                  .features = FEATURES,
                                  .binning = &w.binning,
                                  .column_stride = STRIDE,
                                  .columns = columns[0]};
        const hr_candidate_scan_setup setup = {
            .targets = targets, .outputs = 1, .base = &base, .trees = 1, .threads = 1};
        const hr_candidate_scan_loss loss = {
            .objective = HR_OBJECTIVE_SQUARE, .clip = 1, .score_limit = 1, .bound = 4096};
        const hr_leaf_score_rule rule = {1, (int64_t)seed * 1000, w.schema};
        assert_int_equal(hr_candidate_scan_new(&binned, &setup, &scan, NULL), HR_OK);
        assert_int_equal(hr_candidate_scan_round(scan, &w.tree, 1, &loss, NULL), HR_OK);
        hr_candidate_scan_leaves(scan, &w.tree, 0, w.sums, counts);
        hr_candidate_scan_scores(scan, &w.tree, 1, &rule, &score);
        assert_true(score.unpaid == score_of(&w, rule.threshold));
        hr_candidate_scan_free(scan);
        hr_schema_free(w.schema);
    }
}

/* A coordinator may ask for any threshold: the sign of a sum must not show in a score that wraps. */
static void test_scores__do_not_wrap_with_the_largest_thresholds(void **state) {
    (void)state;
    static const int64_t thresholds[] = {INT64_MAX, INT64_C(1) << 62, INT64_C(1) << 60, INT64_C(1) << 51};
    for (size_t t = 0; t < COUNT(thresholds); t++)
        for (uint64_t seed = 1; seed <= TREES; seed++) {
            world w;
            world_open(&w, seed, true);
            draw_tree(&w, FEATURES);
            for (int64_t sum = -1; sum <= 1; sum++) {
                for (size_t l = 0; l < w.leaves; l++) w.sums[l].unpaid = sum;
                assert_int_equal(score_of(&w, thresholds[t]), 0);
            }
            hr_schema_free(w.schema);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores__count_what_keeps_the_order),
        cmocka_unit_test(test_scores__are_lengths_where_nothing_is_monotone),
        cmocka_unit_test(test_scores__change_by_no_more_than_one_leaf),
        cmocka_unit_test(test_scores__are_those_of_a_scan),
        cmocka_unit_test(test_scores__do_not_wrap_with_the_largest_thresholds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
