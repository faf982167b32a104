/* Trees laid out for predictions: whatever their shape, blocks of records and single records get what a walk
 * by hand gives them, with every set of kernels. */
#include "base/kernels/kernels.h"
#include "tables/synth/generate.h"
#include "trees/tree/place_tree.h"

#include <hedgerow/hedgerow.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FEATURES = 7, BLOCK = HR_PLACES_BLOCK, NODES_MAX = 2001, TREES = 19, OUTPUTS = 3 };

/* Kinds take turns. */
static const uint32_t bin_counts[FEATURES] = {256, 256, 40, 9, 2, 2, 255};

typedef struct world {
    hr_dice dice;
    hr_arena *arena;
    hr_feature_bins features[FEATURES];
    hr_binning binning;
    size_t offsets[FEATURES];
    uint8_t *bins; /* feature by feature, BLOCK records each */
    size_t asked;  /* how many features trees ask about */
    hr_tree trees[TREES];
    hr_place_tree laid_out[TREES];
} world;

static void open_world(world *w, uint64_t seed) {
    hr_dice_init(&w->dice, seed);
    assert_non_null(w->arena = hr_arena_new());
    w->binning = (hr_binning){FEATURES, w->features, NULL};
    w->bins = hr_arena_alloc(w->arena, FEATURES, BLOCK);
    for (size_t f = 0; f < FEATURES; f++) {
        w->features[f] = (hr_feature_bins){f % 2 ? HR_KIND_CATEGORY : HR_KIND_NUMBER, bin_counts[f], NULL};
        w->offsets[f] = f * BLOCK;
        for (size_t i = 0; i < BLOCK; i++)
            w->bins[f * BLOCK + i] = (uint8_t)hr_dice_below(&w->dice, bin_counts[f]);
    }
}

static void ask(world *w, hr_tree *tree, hr_node *node) {
    node->feature = (uint32_t)hr_dice_below(&w->dice, w->asked) + (w->asked < FEATURES ? 1 : 0);
    const hr_feature_bins *bins = &w->features[node->feature];
    if (bins->kind == HR_KIND_NUMBER) {
        node->cut = (uint8_t)hr_dice_below(&w->dice, bins->bin_count);
        node->missing_left = hr_dice_below(&w->dice, 2);
        return;
    }
    node->subset = (uint32_t)tree->subset_count++;
    for (uint32_t b = 0; b < bins->bin_count; b++)
        if (hr_dice_below(&w->dice, 2)) hr_bin_set_add(&tree->subsets[node->subset], (uint8_t)b);
}

enum { FULL = 9 };

static size_t first_leaf(const hr_tree *tree) {
    size_t n = 0;
    while (tree->nodes[n].left) n++;
    return n;
}

/* Splits leaves that are there, the last one with so many chances of 8, else any: chains and bushes. FULL:
 * the first one, level by level. */
static void grow_tree(world *w, hr_tree *tree, size_t splits, uint64_t last) {
    tree->nodes = hr_arena_alloc(w->arena, NODES_MAX, sizeof *tree->nodes);
    tree->subsets = hr_arena_alloc(w->arena, NODES_MAX, sizeof *tree->subsets);
    tree->node_count = 1;
    tree->output = (size_t)hr_dice_below(&w->dice, OUTPUTS);
    while (splits) {
        size_t n = last == FULL                        ? first_leaf(tree)
                   : hr_dice_below(&w->dice, 8) < last ? tree->node_count - 1
                                                       : (size_t)hr_dice_below(&w->dice, tree->node_count);
        if (tree->nodes[n].left) continue;
        tree->nodes[n].left = (uint32_t)tree->node_count;
        ask(w, tree, &tree->nodes[n]);
        tree->node_count += 2;
        splits--;
    }
    for (size_t n = 0; n < tree->node_count; n++) {
        tree->nodes[n].value = (double)hr_dice_below(&w->dice, 1000) / 7;
        if (!tree->nodes[n].left) tree->nodes[n].feature = UINT32_MAX; /* of a leaf, nobody reads it */
    }
}

static double value_by_hand(const world *w, const hr_tree *tree, size_t record) {
    const hr_node *node = tree->nodes;
    while (node->left) {
        uint8_t bin = w->bins[node->feature * BLOCK + record];
        bool left = hr_node_goes_left(tree, node, w->features[node->feature].kind, bin);
        node = &tree->nodes[node->left + !left];
    }
    return node->value;
}

static void check_block(const world *w, size_t t) {
    static const size_t counts[] = {1, 40, 100, BLOCK};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        double scores[OUTPUTS * BLOCK], *of_tree = scores + w->trees[t].output * BLOCK;
        for (size_t i = 0; i < OUTPUTS * BLOCK; i++) scores[i] = (double)(i % BLOCK) / 3;
        hr_place_trees_add(&w->laid_out[t], 1, w->bins, counts[c], scores);
        for (size_t i = 0; i < counts[c]; i++)
            assert_true(of_tree[i] == (double)i / 3 + value_by_hand(w, &w->trees[t], i));
    }
}

static void check_one(const world *w, size_t record) {
    uint8_t row[FEATURES];
    double expected[OUTPUTS] = {.5, -.5, 0}, scores[OUTPUTS] = {.5, -.5, 0}, apart[OUTPUTS * BLOCK] = {0};
    for (size_t f = 0; f < FEATURES; f++) row[f] = w->bins[f * BLOCK + record];
    for (size_t k = 0; k < OUTPUTS; k++) apart[k * BLOCK] = scores[k];
    for (size_t t = 0; t < TREES; t++) expected[w->trees[t].output] += value_by_hand(w, &w->trees[t], record);
    hr_place_trees_add_to_one(w->laid_out, TREES, row, 1, scores);
    hr_place_trees_add_to_one(w->laid_out, TREES, w->bins + record, BLOCK, apart);
    for (size_t k = 0; k < OUTPUTS; k++)
        assert_true(scores[k] == expected[k] && apart[k * BLOCK] == expected[k]);
}

/* Splits from none to more than there are places for. */
static void check_shape(uint64_t seed, size_t splits, uint64_t last, size_t asked) {
    world w = {.asked = asked};
    open_world(&w, seed);
    for (size_t t = 0; t < TREES; t++) {
        grow_tree(&w, &w.trees[t], splits, last);
        assert_true(hr_place_tree_make(w.arena, &w.trees[t], &w.binning, w.offsets, &w.laid_out[t]));
        check_block(&w, t);
        const bool has_grid = splits >= HR_PLACES_MAX && splits < 256 && asked <= 2;
        assert_int_equal(w.laid_out[t].grid.cells != NULL, has_grid);
        if (last == FULL) /* of depth 3 with 7 splits, 4 with 15, 8 with 255 */
            assert_int_equal(w.laid_out[t].levels != NULL, splits > 7 && splits < 256 && !has_grid);
    }
    for (size_t i = 0; i < BLOCK; i += 37) check_one(&w, i);
    hr_arena_free(w.arena);
}

static void test_place_trees__give_what_a_walk_by_hand_gives(void **state) {
    (void)state;
    static const size_t splits[] = {0, 1, 2, 3, 7, 15, 31, 62, 63, 64, 65, 127, 255, 256, 500};
    const char *best = hr_kernels_name();
    const hr_kernels *set;
    for (size_t k = 0; (set = hr_kernels_at(k)); k++) {
        if (hr_use_kernels(set->name, NULL)) {
            print_message("[  SKIPPED ] %s: not on this processor\n", set->name);
            continue;
        }
        for (size_t s = 0; s < sizeof splits / sizeof *splits; s++)
            for (uint64_t last = 0; last <= FULL; last += last < 8 ? 4 : 1)
                for (size_t asked = 1; asked <= FEATURES; asked += asked < 3 ? 1 : 4)
                    check_shape(100 * k + s, splits[s], last, asked);
    }
    assert_int_equal(hr_use_kernels(best, NULL), HR_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place_trees__give_what_a_walk_by_hand_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
