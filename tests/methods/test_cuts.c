/* Cuts that are drawn while trees grow: looked up again, limited, and turned into edges and bins that divide as `value <= cut` does. */
#include "methods/cuts.h"
#include "support/tables.h"
#include "synth/generate.h"

#include <float.h>

static hr_cuts *cuts_of(size_t features) {
    hr_cuts *cuts = NULL;
    assert_int_equal(hr_cuts_new(features, &cuts, NULL), HR_OK);
    assert_non_null(cuts);
    return cuts;
}

static void test_cuts__are_kept_feature_by_feature(void **state) {
    (void)state;
    static const double values[] = {.5, -3, 1e300, 0, .5, -3, 0x1p-1074, -DBL_MAX};
    hr_cuts *cuts = cuts_of(3);
    for (size_t i = 0; i < COUNT(values); i++)
        for (uint32_t f = 0; f < 3; f++) {
            uint8_t index = hr_cuts_add(cuts, f, values[i] + f);
            assert_true(hr_cuts_value(cuts, f, index) == values[i] + f);
        }
    assert_int_equal(hr_cuts_add(cuts, 1, 1.5), hr_cuts_add(cuts, 1, 1.5));
    assert_int_equal(hr_cuts_add(cuts, 1, 1), hr_cuts_add(cuts, 1, 0x1p-1074 + 1)); /* the same number */
    hr_cuts_free(cuts);
    hr_cuts_free(NULL);
}

static double nearest_distance(const double *kept, size_t count, double value) {
    double best = HUGE_VAL;
    for (size_t i = 0; i < count; i++) best = fmin(best, fabs(kept[i] - value));
    return best;
}

static void test_cuts__past_254_the_nearest_takes_the_place_of_a_new_one(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 1);
    hr_cuts *cuts = cuts_of(2);
    double kept[HR_CUTS_MAX];
    assert_int_equal(HR_CUTS_MAX, 254);
    for (size_t i = 0; i < HR_CUTS_MAX; i++) {
        kept[i] = hr_dice_unit(&dice);
        for (int again = 0; again < 2; again++) assert_true(hr_cuts_value(cuts, 1, hr_cuts_add(cuts, 1, kept[i])) == kept[i]);
    }
    for (int i = 0; i < 2000; i++) {
        double value = i < 2 ? 3 * i - 1 : hr_dice_unit(&dice);
        double got = hr_cuts_value(cuts, 1, hr_cuts_add(cuts, 1, value));
        assert_true(fabs(got - value) == nearest_distance(kept, HR_CUTS_MAX, value));
    }
    for (size_t i = 0; i < HR_CUTS_MAX; i++) assert_true(hr_cuts_value(cuts, 1, hr_cuts_add(cuts, 1, kept[i])) == kept[i]);
    assert_true(hr_cuts_value(cuts, 0, hr_cuts_add(cuts, 0, 7)) == 7); /* the other feature is not full */
    hr_cuts_free(cuts);
}

/* ---- Edges and bins -------------------------------------------------------------------------------------------------- */

enum { FEATURES = 5, TREES = 6, NODES = 2 * 127 + 1, CATEGORY = 2, NEVER = 4 };

typedef struct world {
    hr_cuts *cuts;
    hr_arena *arena;
    hr_feature_bins bins[FEATURES];
    hr_binning binning;
    hr_node nodes[TREES][NODES];
    double wanted[TREES][NODES]; /* the cuts of the nodes */
    hr_tree trees[TREES];
    hr_forest forest;
} world;

static double draw_cut(hr_dice *dice, uint32_t feature) {
    switch (feature) {
    case 0: return hr_dice_unit(dice);                 /* more than 254 of them */
    case 1: return (double)hr_dice_below(dice, 3) - 1; /* duplicates */
    default: return hr_dice_below(dice, 2) ? -0. : 0x1p-1074 * (double)hr_dice_below(dice, 3);
    }
}

/* Every node but the leaves at the end splits; numbers, and some nodes of the category. */
static void grow(world *w, hr_dice *dice, size_t tree) {
    for (uint32_t n = 0; n < NODES / 2; n++) {
        static const uint32_t features[] = {0, 0, 0, 1, CATEGORY, 3};
        hr_node *node = &w->nodes[tree][n];
        *node = (hr_node){.left = 2 * n + 1, .feature = features[hr_dice_below(dice, COUNT(features))], .cut = 9, .subset = n};
        if (node->feature == CATEGORY) continue;
        node->cut = hr_cuts_add(w->cuts, node->feature, draw_cut(dice, node->feature));
        w->wanted[tree][n] = hr_cuts_value(w->cuts, node->feature, node->cut);
    }
    w->trees[tree] = (hr_tree){.nodes = w->nodes[tree], .node_count = NODES};
}

static void open_world(world *w, hr_dice *dice) {
    memset(w, 0, sizeof *w);
    w->cuts = cuts_of(FEATURES);
    assert_non_null(w->arena = hr_arena_new());
    for (size_t f = 0; f < FEATURES; f++)
        w->bins[f] = (hr_feature_bins){f == CATEGORY ? HR_CATEGORY : HR_NUMBER, f == CATEGORY ? 7 : 2, NULL};
    w->binning = (hr_binning){FEATURES, w->bins};
    for (size_t t = 0; t < TREES; t++) grow(w, dice, t);
    w->forest = (hr_forest){.output_count = 1, .trees = w->trees, .tree_count = TREES};
}

static void check_node(const world *w, hr_dice *dice, const hr_node *node, double cut) {
    const hr_feature_bins *feature = &w->binning.features[node->feature];
    assert_true(node->cut >= 1 && node->cut <= feature->bin_count - 2);
    for (int i = 0; i < 12; i++) {
        double value = i == 0   ? cut
                       : i == 1 ? nextafter(cut, INFINITY)
                       : i == 2 ? nextafter(cut, -INFINITY)
                       : i == 3 ? -0.
                       : i < 8  ? draw_cut(dice, node->feature)
                                : 4 * hr_dice_unit(dice) - 2;
        bool left = hr_bin_of_number(feature, value) <= node->cut;
        if (left != (value <= cut)) fail_msg("feature %u: %.17g at the cut %.17g", node->feature, value, cut);
    }
}

static void test_finish__divides_as_the_cuts_did(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 2);
    static world w;
    for (int i = 0; i < 20; i++) {
        open_world(&w, &dice);
        assert_int_equal(hr_cuts_finish(w.cuts, w.arena, &w.binning, &w.forest, NULL), HR_OK);
        hr_cuts_free(w.cuts); /* nothing points there any more */
        for (size_t f = 0; f < FEATURES; f++)
            for (uint32_t e = 1; w.bins[f].kind == HR_NUMBER && e + 2 < w.binning.features[f].bin_count; e++)
                assert_true(w.binning.features[f].edges[e - 1] < w.binning.features[f].edges[e]);
        assert_int_equal(w.binning.features[0].bin_count, HR_BINS_MAX);
        assert_int_equal(w.binning.features[1].bin_count, 3 + 2);
        assert_int_equal(w.binning.features[CATEGORY].bin_count, 7);
        assert_int_equal(w.binning.features[NEVER].bin_count, 2);
        for (size_t t = 0; t < TREES; t++)
            for (size_t n = 0; n < NODES / 2; n++) {
                const hr_node *node = &w.nodes[t][n];
                if (node->feature == CATEGORY)
                    assert_true(node->cut == 9 && node->subset == n);
                else
                    check_node(&w, &dice, node, w.wanted[t][n]);
            }
        for (size_t n = NODES / 2; n < NODES; n++) assert_int_equal(w.nodes[0][n].cut, 0); /* leaves have none */
        hr_arena_free(w.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts__are_kept_feature_by_feature),
        cmocka_unit_test(test_cuts__past_254_the_nearest_takes_the_place_of_a_new_one),
        cmocka_unit_test(test_finish__divides_as_the_cuts_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
