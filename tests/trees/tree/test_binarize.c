/* Trees with multiway splits, and what they become: a walk by hand down the one and down the other ends at
 * the same value. The number v is in bin v + 1 of its feature. */
#include "tables/schema/schema.h"
#include "tables/synth/generate.h"
#include "trees/tree/binarize.h"
#include "trees/tree/place_tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
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
    double thresholds[ROOM];
    hr_tree tree;
    hr_schema *schema;
    uint8_t bins[FEATURES * RECORDS]; /* feature by feature */
} world;

static hr_schema *make_schema(const hr_feature_bins *features, size_t count) {
    static char names[HR_BINS_MAX][8];
    static const char *values[HR_BINS_MAX];
    hr_column columns[FEATURES], label = {.name = "label", .kind = HR_KIND_NUMBER, .low = 0, .high = 1};
    hr_schema *schema = NULL;
    for (size_t i = 0; i < HR_BINS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "v%zu", i);
        values[i] = names[i];
    }
    for (size_t f = 0; f < count; f++) {
        columns[f] = (hr_column){.name = names[f], .kind = features[f].kind, .low = 0, .high = 255};
        if (features[f].kind == HR_KIND_CATEGORY)
            columns[f].values = values, columns[f].value_count = features[f].bin_count - 1;
    }
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = columns, .feature_count = count},
                       &schema, NULL),
        HR_OK);
    return schema;
}

static void world_open(world *w, uint64_t seed) {
    hr_dice_init(&w->dice, seed);
    w->arena = hr_arena_new();
    assert_non_null(w->arena);
    w->binning = (hr_binning){FEATURES, w->features, NULL};
    for (size_t f = 0; f < FEATURES; f++) {
        w->features[f] = (hr_feature_bins){f % 2 ? HR_KIND_CATEGORY : HR_KIND_NUMBER, bin_counts[f], NULL};
        for (size_t i = 0; i < RECORDS; i++)
            w->bins[f * RECORDS + i] = (uint8_t)hr_dice_below(&w->dice, bin_counts[f]);
    }
    w->schema = make_schema(w->features, FEATURES);
}

static void world_close(world *w) {
    hr_schema_free(w->schema);
    hr_arena_free(w->arena);
}

static void split_in_two(world *w, hr_node *node) {
    const hr_feature_bins *bins = &w->features[node->feature];
    node->cut = (uint8_t)hr_dice_below(&w->dice, bins->bin_count);
    node->threshold = node->cut - .5;
    node->missing_left = hr_dice_below(&w->dice, 2);
    if (bins->kind == HR_KIND_NUMBER) return;
    hr_bin_set *set = &w->subsets[w->tree.subset_count];
    *set = (hr_bin_set){{0}};
    node->subset = (uint32_t)w->tree.subset_count++;
    for (unsigned bin = 0; bin < bins->bin_count; bin++)
        if (hr_dice_below(&w->dice, 2)) hr_bin_set_add(set, (uint8_t)bin);
}

/* A child for every bin; numbers are divided by thresholds. */
static void split_by_bins(world *w, hr_node *node) {
    const hr_feature_bins *bins = &w->features[node->feature];
    node->branches = (uint16_t)bins->bin_count;
    if (bins->kind == HR_KIND_CATEGORY) return;
    node->first = (uint32_t)w->tree.threshold_count;
    for (uint32_t e = 0; e + 2 < bins->bin_count; e++) w->thresholds[w->tree.threshold_count++] = e + .5;
}

/* Splits nodes until the room for `most` nodes is nearly used up. */
static void draw_tree(world *w, size_t most) {
    w->tree =
        (hr_tree){.nodes = w->nodes, .node_count = 1, .subsets = w->subsets, .thresholds = w->thresholds};
    for (size_t n = 0; n < w->tree.node_count; n++) {
        hr_node *node = &w->nodes[n];
        uint32_t feature = (uint32_t)hr_dice_below(&w->dice, FEATURES), bins = bin_counts[feature];
        bool multiway = hr_dice_below(&w->dice, 2);
        *node = (hr_node){.value = (double)n + .25};
        if (w->tree.node_count + bins > most || hr_dice_below(&w->dice, 8) == 0) continue;
        *node = (hr_node){.left = (uint32_t)w->tree.node_count, .feature = feature};
        (multiway ? split_by_bins : split_in_two)(w, node);
        w->tree.node_count += multiway ? bins : 2;
    }
}

static uint32_t child_by_hand(const world *w, const hr_tree *tree, const hr_node *node, uint8_t bin) {
    hr_kind kind = w->features[node->feature].kind;
    if (node->branches || kind == HR_KIND_CATEGORY) return hr_node_child(tree, node, kind, bin);
    return node->left + !(bin ? bin - 1 <= node->threshold : node->missing_left);
}

static double value_by_hand(const world *w, const hr_tree *tree, size_t record) {
    const hr_node *node = tree->nodes;
    while (node->left)
        node = &tree->nodes[child_by_hand(w, tree, node, w->bins[node->feature * RECORDS + record])];
    return node->value;
}

/* Two-way, and laid out among the bins. */
static void lay_out(const world *w, const hr_tree *tree, const hr_schema *schema, const hr_binning *binning,
                    const size_t *offsets, hr_place_tree *walk) {
    hr_tree out;
    assert_true(hr_binarize(w->arena, tree, schema, &out));
    for (size_t n = 0; n < out.node_count; n++) {
        hr_node *node = &out.nodes[n];
        if (node->left && hr_schema_feature(schema, node->feature)->kind == HR_KIND_NUMBER)
            node->cut = (uint8_t)fmax(node->threshold + .5, 0);
    }
    assert_true(hr_place_tree_make(w->arena, &out, binning, offsets, walk));
}

/* Of the record whose bin of column c is bins[c * stride]. */
static double walked_value(const hr_place_tree *tree, const uint8_t *bins, size_t stride) {
    double score = 0;
    hr_place_trees_add_to_one(tree, 1, bins, stride, &score);
    return score;
}

static void test_child__is_one_a_bin_of_a_multiway_split(void **state) {
    (void)state;
    hr_node nodes[10] = {
        {.left = 4, .feature = 1, .branches = 6}, {.left = 2, .cut = 3, .missing_left = true}, {.value = 1}};
    const hr_tree tree = {.nodes = nodes, .node_count = 10};
    assert_int_equal(hr_node_child_count(&nodes[0]), 6);
    assert_int_equal(hr_node_child_count(&nodes[1]), 2);
    assert_int_equal(hr_node_child_count(&nodes[2]), 0);
    for (uint8_t bin = 0; bin < 6; bin++) {
        assert_int_equal(hr_node_child(&tree, &nodes[0], HR_KIND_NUMBER, bin), 4 + bin);
        assert_int_equal(hr_node_child(&tree, &nodes[0], HR_KIND_CATEGORY, bin), 4 + bin);
        assert_int_equal(hr_node_child(&tree, &nodes[1], HR_KIND_NUMBER, bin), bin <= 3 ? 2 : 3);
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
        assert_true(hr_binarize(w.arena, &w.tree, w.schema, &out));
        size_t wanted = w.tree.node_count;
        for (size_t n = 0; n < w.tree.node_count; n++)
            wanted += w.nodes[n].branches ? w.nodes[n].branches - 2u : 0;
        assert_int_equal(out.node_count, wanted);
        multiway += out.nodes != w.nodes;
        check_shape(&out);
        for (size_t i = 0; i < RECORDS; i++)
            assert_true(value_by_hand(&w, &out, i) == value_by_hand(&w, &w.tree, i));
        world_close(&w);
    }
    assert_true(multiway > 150);
}

static void test_binarize__hands_on_a_tree_without_multiway_splits(void **state) {
    (void)state;
    hr_node nodes[] = {{.left = 3}, {.value = 1}, {.value = 2}, {.left = 1}, {.value = 3}};
    const hr_tree tree = {.nodes = nodes, .node_count = 5, .output = 7};
    hr_arena *arena = hr_arena_new();
    hr_tree out;
    assert_true(hr_binarize(arena, &tree, NULL, &out));
    assert_true(out.nodes == nodes && out.node_count == 5 && out.output == 7 && !out.subsets);
    hr_arena_free(arena);
}

/* A split of 2^k bins takes k steps, one of 2^k + 1 takes k + 1; then each bin has its own leaf. */
static void test_walk__takes_a_logarithm_of_steps(void **state) {
    (void)state;
    static world w;
    world_open(&w, 1);
    static const unsigned bins[] = {2, 3, 4, 5, 6, 8, 9, 128, 129, 255, 256},
                          steps[] = {1, 2, 2, 3, 3, 3, 4, 7, 8, 8, 8};
    static uint8_t every[HR_BINS_MAX];
    for (size_t bin = 0; bin < HR_BINS_MAX; bin++) every[bin] = (uint8_t)bin;
    for (size_t i = 0; i < 2 * sizeof bins / sizeof *bins; i++) {
        unsigned count = bins[i / 2];
        const hr_feature_bins feature = {i % 2 ? HR_KIND_NUMBER : HR_KIND_CATEGORY, count, NULL};
        const hr_binning binning = {1, (hr_feature_bins *)&feature, NULL};
        hr_schema *schema = make_schema(&feature, 1);
        w.nodes[0] = (hr_node){.left = 1, .branches = (uint16_t)count};
        for (unsigned e = 0; e + 2 < count; e++) w.thresholds[e] = e + .5;
        for (unsigned bin = 0; bin < count; bin++) w.nodes[1 + bin] = (hr_node){.value = 1 + bin};
        w.tree = (hr_tree){.nodes = w.nodes, .node_count = 1 + count, .thresholds = w.thresholds};
        const size_t offset = 0;
        hr_place_tree walk;
        lay_out(&w, &w.tree, schema, &binning, &offset, &walk);
        hr_schema_free(schema);
        assert_non_null(walk.walk.ranges);
        assert_int_equal(walk.walk.depth, steps[i / 2]);
        for (unsigned bin = 0; bin < count; bin++)
            assert_true(walked_value(&walk, every + bin, 1) == 1 + bin);
    }
    world_close(&w);
}

/* Two-way splits then send bins 0..cut left. */
static void make_ranges(world *w) {
    for (size_t n = 0; n < w->tree.node_count; n++) {
        hr_node *node = &w->nodes[n];
        if (!node->left || node->branches) continue;
        node->missing_left = true;
        if (w->features[node->feature].kind == HR_KIND_NUMBER) continue;
        w->subsets[node->subset] = (hr_bin_set){{0}};
        for (unsigned bin = 0; bin <= node->cut; bin++)
            hr_bin_set_add(&w->subsets[node->subset], (uint8_t)bin);
    }
}

/* In both layouts. */
static void test_walk__reaches_the_value_found_by_hand(void **state) {
    (void)state;
    static world w;
    static size_t offsets[FEATURES], layouts[2];
    for (size_t f = 0; f < FEATURES; f++) offsets[f] = f * HR_PLACES_BLOCK;
    for (uint64_t seed = 0; seed < 200; seed++) {
        world_open(&w, seed);
        draw_tree(&w, ROOM);
        if (seed % 2) make_ranges(&w);
        hr_place_tree walk;
        lay_out(&w, &w.tree, w.schema, &w.binning, offsets, &walk);
        assert_true(seed % 2 == 0 || walk.walk.ranges);
        layouts[walk.walk.ranges != NULL] += w.tree.node_count > 100;
        for (size_t i = 0; i < RECORDS; i++)
            assert_true(walked_value(&walk, w.bins + i, RECORDS) == value_by_hand(&w, &w.tree, i));
        world_close(&w);
    }
    assert_true(layouts[0] > 50 && layouts[1] > 50);
}

/* 64 splits of 256 bins, each below a bin of the one before: 512 steps. */
static void test_walk__counts_more_than_255_steps(void **state) {
    (void)state;
    enum { LEVELS = 64, NODES = LEVELS * HR_BINS_MAX + 1 };
    static hr_node nodes[NODES];
    const hr_feature_bins feature = {HR_KIND_NUMBER, HR_BINS_MAX, NULL};
    const hr_binning binning = {1, (hr_feature_bins *)&feature, NULL};
    static double thresholds[HR_BINS_MAX];
    const hr_tree tree = {.nodes = nodes, .node_count = NODES, .thresholds = thresholds};
    for (size_t e = 0; e < HR_BINS_MAX; e++) thresholds[e] = (double)e + .5;
    for (size_t n = 1; n < NODES; n++) nodes[n].value = (double)n;
    for (size_t level = 0; level < LEVELS; level++)
        nodes[level * HR_BINS_MAX] =
            (hr_node){.left = (uint32_t)(level * HR_BINS_MAX + 1), .branches = HR_BINS_MAX};
    const world w = {.arena = hr_arena_new()};
    hr_schema *schema = make_schema(&feature, 1);
    hr_place_tree walk;
    const size_t offset = 0;
    lay_out(&w, &tree, schema, &binning, &offset, &walk);
    assert_int_equal(walk.walk.depth, 8 * LEVELS);
    static const uint8_t bins[] = {255, 0, 254};
    assert_true(walked_value(&walk, &bins[0], 1) == NODES - 1);
    assert_true(walked_value(&walk, &bins[1], 1) == 1 && walked_value(&walk, &bins[2], 1) == 255);
    hr_schema_free(schema);
    hr_arena_free(w.arena);
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
