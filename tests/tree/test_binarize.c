/* Trees with multiway splits, and what they become: a walk by hand down the one and down the other ends at the same value. */
#include "synth/generate.h"
#include "tree/binarize.h"
#include "tree/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { FEATURES = 8, ROOM = 3000, RECORDS = 203 };

/* Kinds take turns, so that there are numbers and categories with few bins and with all 256. */
static const uint32_t bin_counts[FEATURES] = {2, 2, 6, 5, 256, 256, 17, 100};

typedef struct world {
    hr_dice dice;
    hr_arena *arena;
    hr_feature_bins features[FEATURES];
    hr_binning binning;
    hr_node nodes[ROOM];
    hr_bin_set subsets[ROOM];
    hr_tree tree;
    uint8_t bins[FEATURES * RECORDS]; /* feature by feature */
} world;

static void world_open(world *w, uint64_t seed) {
    hr_dice_init(&w->dice, seed);
    w->arena = hr_arena_new();
    assert_non_null(w->arena);
    w->binning = (hr_binning){FEATURES, w->features};
    for (size_t f = 0; f < FEATURES; f++) {
        w->features[f] = (hr_feature_bins){f % 2 ? HR_CATEGORY : HR_NUMBER, bin_counts[f], NULL};
        for (size_t i = 0; i < RECORDS; i++) w->bins[f * RECORDS + i] = (uint8_t)hr_dice_below(&w->dice, bin_counts[f]);
    }
}

static void split_in_two(world *w, hr_node *node) {
    const hr_feature_bins *bins = &w->features[node->feature];
    node->cut = (uint8_t)hr_dice_below(&w->dice, bins->bin_count);
    node->missing_left = hr_dice_below(&w->dice, 2);
    if (bins->kind == HR_NUMBER) return;
    hr_bin_set *set = &w->subsets[w->tree.subset_count];
    *set = (hr_bin_set){{0}};
    node->subset = (uint32_t)w->tree.subset_count++;
    for (unsigned bin = 0; bin < bins->bin_count; bin++)
        if (hr_dice_below(&w->dice, 2)) hr_bin_set_add(set, (uint8_t)bin);
}

/* Splits nodes until the room for `most` nodes is nearly used up. */
static void draw_tree(world *w, size_t most) {
    w->tree = (hr_tree){.nodes = w->nodes, .node_count = 1, .subsets = w->subsets};
    for (size_t n = 0; n < w->tree.node_count; n++) {
        hr_node *node = &w->nodes[n];
        uint32_t feature = (uint32_t)hr_dice_below(&w->dice, FEATURES), bins = bin_counts[feature];
        bool multiway = hr_dice_below(&w->dice, 2);
        *node = (hr_node){.value = (double)n + .25};
        if (w->tree.node_count + bins > most || hr_dice_below(&w->dice, 8) == 0) continue;
        *node = (hr_node){.left = (uint32_t)w->tree.node_count, .feature = feature, .branches = (uint16_t)(multiway ? bins : 0)};
        if (!multiway) split_in_two(w, node);
        w->tree.node_count += multiway ? bins : 2;
    }
}

static double value_by_hand(const world *w, const hr_tree *tree, size_t record) {
    const hr_node *node = tree->nodes;
    while (node->left)
        node = &tree->nodes[hr_node_child(tree, node, w->features[node->feature].kind, w->bins[node->feature * RECORDS + record])];
    return node->value;
}

static void test_child__is_one_a_bin_of_a_multiway_split(void **state) {
    (void)state;
    hr_node nodes[10] = {{.left = 4, .feature = 1, .branches = 6}, {.left = 2, .cut = 3, .missing_left = true}, {.value = 1}};
    const hr_tree tree = {.nodes = nodes, .node_count = 10};
    assert_int_equal(hr_node_child_count(&nodes[0]), 6);
    assert_int_equal(hr_node_child_count(&nodes[1]), 2);
    assert_int_equal(hr_node_child_count(&nodes[2]), 0);
    for (uint8_t bin = 0; bin < 6; bin++) {
        assert_int_equal(hr_node_child(&tree, &nodes[0], HR_NUMBER, bin), 4 + bin);
        assert_int_equal(hr_node_child(&tree, &nodes[0], HR_CATEGORY, bin), 4 + bin);
        assert_int_equal(hr_node_child(&tree, &nodes[1], HR_NUMBER, bin), bin <= 3 ? 2 : 3);
    }
}

/* Two children, both after their parent, and every node but the root has one. */
static void check_shape(const hr_tree *tree) {
    static uint8_t parents[2 * ROOM];
    memset(parents, 0, sizeof parents);
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        assert_int_equal(node->branches, 0);
        if (!node->left) continue;
        assert_true(node->left > n && node->left + 1 < tree->node_count);
        parents[node->left]++, parents[node->left + 1]++;
    }
    for (size_t n = 0; n < tree->node_count; n++) assert_int_equal(parents[n], n > 0);
}

static void test_binarize__gives_every_record_its_value(void **state) {
    (void)state;
    static world w;
    size_t multiway = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        world_open(&w, seed);
        draw_tree(&w, seed % 3 ? 60 : ROOM);
        hr_tree out;
        assert_true(hr_binarize(w.arena, &w.tree, &out));
        size_t wanted = w.tree.node_count;
        for (size_t n = 0; n < w.tree.node_count; n++) wanted += w.nodes[n].branches ? w.nodes[n].branches - 2u : 0;
        assert_int_equal(out.node_count, wanted);
        multiway += out.nodes != w.nodes;
        check_shape(&out);
        for (size_t i = 0; i < RECORDS; i++) assert_true(value_by_hand(&w, &out, i) == value_by_hand(&w, &w.tree, i));
        hr_arena_free(w.arena);
    }
    assert_true(multiway > 150);
}

static void test_binarize__hands_on_a_tree_without_multiway_splits(void **state) {
    (void)state;
    hr_node nodes[] = {{.left = 3}, {.value = 1}, {.value = 2}, {.left = 1}, {.value = 3}};
    const hr_tree tree = {.nodes = nodes, .node_count = 5, .output = 7};
    hr_arena *arena = hr_arena_new();
    hr_tree out;
    assert_true(hr_binarize(arena, &tree, &out));
    assert_true(out.nodes == nodes && out.node_count == 5 && out.output == 7 && !out.subsets);
    hr_arena_free(arena);
}

/* A split of 2^k bins takes k steps, one of 2^k + 1 takes k + 1; then each bin has its own leaf. */
static void test_walk__takes_a_logarithm_of_steps(void **state) {
    (void)state;
    static world w;
    world_open(&w, 1);
    static const unsigned bins[] = {2, 3, 4, 5, 6, 8, 9, 128, 129, 255, 256}, steps[] = {1, 2, 2, 3, 3, 3, 4, 7, 8, 8, 8};
    static uint8_t every[HR_BINS_MAX];
    static size_t positions[HR_BINS_MAX];
    for (size_t bin = 0; bin < HR_BINS_MAX; bin++) every[bin] = (uint8_t)bin, positions[bin] = bin;
    for (size_t i = 0; i < 2 * sizeof bins / sizeof *bins; i++) {
        unsigned count = bins[i / 2];
        const hr_feature_bins feature = {i % 2 ? HR_NUMBER : HR_CATEGORY, count, NULL};
        const hr_binning binning = {1, (hr_feature_bins *)&feature};
        w.nodes[0] = (hr_node){.left = 1, .branches = (uint16_t)count};
        for (unsigned bin = 0; bin < count; bin++) w.nodes[1 + bin] = (hr_node){.value = 1 + bin};
        w.tree = (hr_tree){.nodes = w.nodes, .node_count = 1 + count};
        const size_t offset = 0;
        double values[HR_BINS_MAX];
        hr_walk_tree walk;
        assert_true(hr_walk_tree_make(w.arena, &w.tree, &binning, &offset, &walk));
        assert_non_null(walk.ranges);
        assert_int_equal(walk.depth, steps[i / 2]);
        hr_walk(&walk, every, positions, count, values);
        for (unsigned bin = 0; bin < count; bin++) assert_true(values[bin] == 1 + bin);
    }
    hr_arena_free(w.arena);
}

/* Two-way splits then send bins 0..cut left. */
static void make_ranges(world *w) {
    for (size_t n = 0; n < w->tree.node_count; n++) {
        hr_node *node = &w->nodes[n];
        if (!node->left || node->branches) continue;
        node->missing_left = true;
        if (w->features[node->feature].kind == HR_NUMBER) continue;
        w->subsets[node->subset] = (hr_bin_set){{0}};
        for (unsigned bin = 0; bin <= node->cut; bin++) hr_bin_set_add(&w->subsets[node->subset], (uint8_t)bin);
    }
}

/* In both layouts. */
static void test_walk__reaches_the_value_found_by_hand(void **state) {
    (void)state;
    static world w;
    static size_t positions[RECORDS], offsets[FEATURES], layouts[2];
    for (size_t i = 0; i < RECORDS; i++) positions[i] = i;
    for (size_t f = 0; f < FEATURES; f++) offsets[f] = f * RECORDS;
    for (uint64_t seed = 0; seed < 200; seed++) {
        world_open(&w, seed);
        draw_tree(&w, ROOM);
        if (seed % 2) make_ranges(&w);
        double values[RECORDS];
        hr_walk_tree walk;
        assert_true(hr_walk_tree_make(w.arena, &w.tree, &w.binning, offsets, &walk));
        assert_true(seed % 2 == 0 || walk.ranges);
        layouts[walk.ranges != NULL] += w.tree.node_count > 100;
        hr_walk(&walk, w.bins, positions, RECORDS, values);
        for (size_t i = 0; i < RECORDS; i++) assert_true(values[i] == value_by_hand(&w, &w.tree, i));
        hr_arena_free(w.arena);
    }
    assert_true(layouts[0] > 50 && layouts[1] > 50);
}

/* 64 splits of 256 bins, each below a bin of the one before: 512 steps. */
static void test_walk__counts_more_than_255_steps(void **state) {
    (void)state;
    enum { LEVELS = 64, NODES = LEVELS * HR_BINS_MAX + 1 };
    static hr_node nodes[NODES];
    const hr_feature_bins feature = {HR_NUMBER, HR_BINS_MAX, NULL};
    const hr_binning binning = {1, (hr_feature_bins *)&feature};
    const hr_tree tree = {.nodes = nodes, .node_count = NODES};
    for (size_t n = 1; n < NODES; n++) nodes[n].value = (double)n;
    for (size_t level = 0; level < LEVELS; level++)
        nodes[level * HR_BINS_MAX] = (hr_node){.left = (uint32_t)(level * HR_BINS_MAX + 1), .branches = HR_BINS_MAX};
    hr_arena *arena = hr_arena_new();
    hr_walk_tree walk;
    const size_t offset = 0, positions[3] = {0, 1, 2};
    double values[3];
    assert_true(hr_walk_tree_make(arena, &tree, &binning, &offset, &walk));
    assert_int_equal(walk.depth, 8 * LEVELS);
    hr_walk(&walk, (const uint8_t[]){255, 0, 254}, positions, 3, values);
    assert_true(values[0] == NODES - 1 && values[1] == 1 && values[2] == 255);
    hr_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_child__is_one_a_bin_of_a_multiway_split),
        cmocka_unit_test(test_binarize__gives_every_record_its_value),
        cmocka_unit_test(test_binarize__hands_on_a_tree_without_multiway_splits),
        cmocka_unit_test(test_walk__takes_a_logarithm_of_steps),
        cmocka_unit_test(test_walk__reaches_the_value_found_by_hand),
        cmocka_unit_test(test_walk__counts_more_than_255_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
