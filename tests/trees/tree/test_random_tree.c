/* Random trees: whatever the dice say they obey their plan and no leaf contradicts itself; and the dice fall
 * as the plan says. */
#include "support/chi_square.h"
#include "trees/tree/random_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { FEATURES = 6, DRAWS = 40000, BINS_MANY = 101 };

/* Numbers and categories by turns, some with little or nothing to split. */
static const struct {
    hr_kind kind;
    uint32_t bin_count;
} shapes[FEATURES] = {{HR_KIND_NUMBER, 256}, {HR_KIND_CATEGORY, 9}, {HR_KIND_NUMBER, 4},
                      {HR_KIND_CATEGORY, 2}, {HR_KIND_NUMBER, 2},   {HR_KIND_CATEGORY, 256}};

/* Of every number. */
static double rising[HR_BINS_MAX];

typedef struct garden {
    hr_csprng *csprng;
    hr_feature_bins features[FEATURES];
    hr_binning binning;
    hr_random_plan plan;
    double weights[FEATURES];
    hr_node nodes[HR_RANDOM_NODES_MAX];
    hr_bin_set subsets[HR_RANDOM_NODES_MAX];
    hr_tree tree;
} garden;

static void garden_open(garden *g, uint64_t seed) {
    memset(g, 0, sizeof *g);
    assert_int_equal(hr_csprng_open_seeded(seed, &g->csprng, NULL), HR_OK);
    for (size_t f = 0; f < FEATURES; f++) {
        g->features[f] = (hr_feature_bins){shapes[f].kind, shapes[f].bin_count, rising};
        g->weights[f] = 1;
    }
    g->binning = (hr_binning){FEATURES, g->features, NULL};
    g->plan = (hr_random_plan){.depth = 3, .weights = g->weights, .centred = 4};
}

static void garden_close(garden *g) {
    hr_csprng_close(g->csprng);
}

static size_t room_of(const garden *g) {
    return ((size_t)2 << g->plan.depth) - 1;
}

static void grow(garden *g) {
    memset(g->nodes, 0xff, room_of(g) * sizeof *g->nodes); /* storage need not be clean */
    hr_random_tree(g->csprng, &g->binning, &g->plan, g->nodes, g->subsets, &g->tree);
}

static void one_feature(garden *g, hr_kind kind, uint32_t bin_count) {
    g->features[0] = (hr_feature_bins){kind, bin_count, rising};
    g->plan.feature_count = 1;
    g->plan.features[0] = 0;
}

/* ---- What every tree must be ---- */

/* Which bins of every feature can reach a node, from the definition of a split. */
typedef struct reach {
    bool bins[FEATURES][HR_BINS_MAX];
} reach;

static size_t values_in(const reach *r, const hr_binning *binning, size_t feature) {
    size_t count = 0;
    for (uint32_t b = binning->features[feature].kind == HR_KIND_NUMBER ||
                      binning->features[feature].bin_count > 2;
         b < binning->features[feature].bin_count; b++)
        count += r->bins[feature][b];
    return count;
}

static reach reach_of_child(const garden *g, const hr_node *node, const reach *parent, bool left) {
    reach child = *parent;
    for (uint32_t b = 0; b < HR_BINS_MAX; b++)
        if (hr_node_goes_left(&g->tree, node, g->features[node->feature].kind, (uint8_t)b) != left)
            child.bins[node->feature][b] = false;
    return child;
}

typedef struct census {
    size_t nodes, leaves, categories;
    int depth;
} census;

/* Checks the node and all below it. Of a number's split both sides have a value, of a category's too, unless
 * it has but one. */
static void visit(const garden *g, uint32_t index, const reach *here, int level, census *c) {
    const hr_node *node = &g->tree.nodes[index];
    assert_true(index < g->tree.node_count && level <= g->plan.depth && node->value == 0);
    c->nodes++;
    if (level > c->depth) c->depth = level;
    if (!node->left) {
        c->leaves++;
        return;
    }
    assert_true(node->left > index && node->feature < FEATURES);
    c->categories += g->features[node->feature].kind == HR_KIND_CATEGORY;
    if (g->features[node->feature].kind == HR_KIND_CATEGORY) assert_true(node->subset < g->tree.subset_count);
    for (uint32_t side = 0; side < 2; side++) {
        reach child = reach_of_child(g, node, here, !side);
        assert_true(values_in(&child, &g->binning, node->feature) >= 1);
        visit(g, node->left + side, &child, level + 1, c);
    }
}

static census take_census(const garden *g) {
    static reach root;
    census c = {0};
    for (size_t f = 0; f < FEATURES; f++)
        for (uint32_t b = 0; b < HR_BINS_MAX; b++) root.bins[f][b] = b < g->features[f].bin_count;
    visit(g, 0, &root, 0, &c);
    assert_int_equal(c.nodes, g->tree.node_count);
    assert_int_equal(c.categories, g->tree.subset_count);
    return c;
}

static void test_random_tree__never_contradicts_itself(void **state) {
    (void)state;
    static garden g;
    garden_open(&g, 1);
    for (int i = 0; i < 1000; i++) {
        g.plan.depth = 1 + i % HR_TREE_DEPTH_MAX;
        g.plan.centred = 1 + i % 5;
        g.plan.feature_count = (size_t)i / 8 % 3;
        g.plan.features[0] = (uint32_t)i / 24 % FEATURES;
        g.plan.features[1] = (uint32_t)(i / 24 + 1) % FEATURES;
        grow(&g);
        census c = take_census(&g);
        assert_true(c.depth <= g.plan.depth && c.leaves <= (size_t)1 << g.plan.depth);
    }
    garden_close(&g);
}

static void test_random_tree__asks_only_about_features_of_its_plan(void **state) {
    (void)state;
    static garden g;
    garden_open(&g, 2);
    g.plan.depth = 8;
    g.weights[0] = g.weights[3] = 0;
    size_t used[3][FEATURES] = {{0}};
    for (int i = 0; i < 3000; i++) {
        g.plan.feature_count = (size_t)i % 3;
        g.plan.features[0] = 5, g.plan.features[1] = 2;
        grow(&g);
        for (size_t n = 0; n < g.tree.node_count; n++)
            if (g.nodes[n].left) used[i % 3][g.nodes[n].feature]++;
    }
    for (size_t f = 0; f < FEATURES; f++) {
        bool weighed = f != 0 && f != 3 && f != 4; /* feature 4 has one value: nothing to split */
        assert_int_equal(used[0][f] > 0, weighed);
        assert_int_equal(used[1][f] > 0, f == 5);
        assert_int_equal(used[2][f] > 0, f == 5 || f == 2);
    }
    garden_close(&g);
}

/* A feature is split until each leaf has one value left of it; 40 draws of a subset of two values all fail
 * once in 2^40. */
static void test_random_tree__splits_as_long_as_there_is_something_to_split(void **state) {
    (void)state;
    static const struct {
        hr_kind kind;
        uint32_t bins;
        size_t leaves;
    } cases[] = {{HR_KIND_NUMBER, 2, 1}, {HR_KIND_NUMBER, 3, 2},   {HR_KIND_NUMBER, 6, 5},
                 {HR_KIND_NUMBER, 9, 8}, {HR_KIND_CATEGORY, 2, 2}, {HR_KIND_CATEGORY, 5, 4}};
    static garden g;
    garden_open(&g, 3);
    g.plan.depth = 7; /* eight values give seven levels at most */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 500; k++) {
            one_feature(&g, cases[i].kind, cases[i].bins);
            grow(&g);
            assert_int_equal(take_census(&g).leaves, cases[i].leaves);
        }
    garden_close(&g);
}

static void test_random_tree__is_one_leaf_where_nothing_splits(void **state) {
    (void)state;
    static garden g;
    garden_open(&g, 4);
    for (size_t f = 0; f < FEATURES; f++) g.weights[f] = f == 4;
    for (int i = 0; i < 100; i++) {
        grow(&g);
        assert_int_equal(g.tree.node_count, 1);
        assert_int_equal(g.tree.subset_count, 0);
        assert_int_equal(g.nodes[0].left, 0);
        assert_true(g.nodes[0].value == 0);
    }
    garden_close(&g);
}

static size_t max_nodes(garden *g) {
    size_t most = 0;
    for (int i = 0; i < 100; i++) {
        grow(g);
        if (g->tree.node_count > most) most = g->tree.node_count;
    }
    return most;
}

static void test_random_tree__fills_its_room_at_most(void **state) {
    (void)state;
    static garden g;
    garden_open(&g, 5);
    for (size_t f = 0; f < FEATURES; f++) g.weights[f] = f == 5;
    g.plan.centred = 64; /* halves: 255 values last for eight levels or nearly */
    g.plan.depth = 8;
    size_t most = max_nodes(&g);
    assert_true(most > room_of(&g) / 2 && most <= room_of(&g));
    g.features[5].kind = HR_KIND_NUMBER;
    g.features[0] = g.features[2] = g.features[5];
    g.weights[0] = g.weights[2] = 1;
    g.plan.depth = HR_TREE_DEPTH_MAX;
    assert_int_equal(max_nodes(&g), HR_RANDOM_NODES_MAX);
    garden_close(&g);
}

static void test_random_tree__is_a_function_of_the_stream(void **state) {
    (void)state;
    static garden a, b;
    garden_open(&a, 6);
    garden_open(&b, 6);
    for (int i = 0; i < 50; i++) {
        grow(&a), grow(&b);
        assert_int_equal(a.tree.node_count, b.tree.node_count);
        for (size_t n = 0; n < a.tree.node_count; n++) {
            const hr_node *x = &a.nodes[n], *y = &b.nodes[n];
            assert_true(x->left == y->left && x->feature == y->feature && x->cut == y->cut &&
                        x->missing_left == y->missing_left);
        }
        assert_memory_equal(a.subsets, b.subsets, a.tree.subset_count * sizeof *a.subsets);
    }
    garden_close(&a);
    garden_close(&b);
}

/* ---- How the dice fall: chi-square at a false-alarm rate of 1e-6 ---- */

static double power_of(double x, int n) {
    double product = 1;
    while (n-- > 0) product *= x;
    return product;
}

/* Pr(mean of n uniform numbers <= x): Irwin and Hall. */
static double mean_below(double x, int n) {
    double sum = 0, sign = 1, choose = 1, factorial = 1;
    for (int k = 1; k <= n; k++) factorial *= k;
    for (int k = 0; k <= n && k < x * n; k++) {
        sum += sign * choose * power_of(x * n - k, n);
        sign = -sign;
        choose *= (double)(n - k) / (k + 1);
    }
    return sum / factorial;
}

static void test_random_tree__cuts_are_means_of_uniform_numbers(void **state) {
    (void)state;
    static garden g;
    garden_open(&g, 7);
    one_feature(&g, HR_KIND_NUMBER, BINS_MANY);
    g.plan.depth = 1;
    for (int centred = 1; centred <= 4; centred++) {
        uint64_t seen[BINS_MANY] = {0};
        double probability[BINS_MANY] = {0};
        const double gaps = BINS_MANY - 2; /* between 100 values */
        for (int k = 0; k < BINS_MANY - 2; k++)
            probability[k + 1] = mean_below((k + 1) / gaps, centred) - mean_below(k / gaps, centred);
        g.plan.centred = centred;
        for (int i = 0; i < DRAWS; i++) {
            grow(&g);
            seen[g.nodes[0].cut]++;
        }
        assert_true(chi_square_fits(seen, probability, BINS_MANY, DRAWS));
    }
    garden_close(&g);
}

/* Below a cut at c the left child has the values 1..c to cut, and the right one the others: again in the
 * middle. */
static void test_random_tree__cuts_of_children_are_centred_in_what_is_left(void **state) {
    (void)state;
    static garden g;
    garden_open(&g, 8);
    one_feature(&g, HR_KIND_NUMBER, BINS_MANY);
    g.plan.depth = 2;
    double sum[2] = {0}, count[2] = {0};
    for (int i = 0; i < DRAWS; i++) {
        grow(&g);
        double first[2] = {1, g.nodes[0].cut + 1.}, last[2] = {g.nodes[0].cut, BINS_MANY - 1};
        for (uint32_t side = 0; side < 2; side++) {
            const hr_node *child = &g.nodes[g.nodes[0].left + side];
            if (last[side] - first[side] < 8) continue;
            sum[side] += (child->cut + .5 - first[side]) / (last[side] - first[side]);
            count[side]++;
        }
    }
    /* The mean of 4 uniform numbers has standard deviation .144; the grid shifts its mean by less than half a
     * gap of 8 or more. */
    for (int side = 0; side < 2; side++)
        assert_true(fabs(sum[side] / count[side] - .5) < 4.9 * .15 / sqrt(count[side]) + 1e-3);
    garden_close(&g);
}

static void test_random_tree__missing_goes_to_either_side(void **state) {
    (void)state;
    static garden g;
    garden_open(&g, 9);
    one_feature(&g, HR_KIND_NUMBER, 12);
    static const double half[2] = {.5, .5};
    uint64_t seen[2] = {0}, later[2] = {0};
    uint64_t laters = 0;
    for (int i = 0; i < DRAWS; i++) {
        grow(&g);
        seen[g.nodes[0].missing_left]++;
        const hr_node *child = &g.nodes[g.nodes[0].left + !g.nodes[0].missing_left]; /* where missing went */
        if (!child->left) continue;
        later[child->missing_left]++;
        laters++;
    }
    assert_true(chi_square_fits(seen, half, 2, DRAWS) && chi_square_fits(later, half, 2, laters));
    garden_close(&g);
}

static void test_random_tree__subsets_are_uniform_among_those_that_split(void **state) {
    (void)state;
    static garden g;
    garden_open(&g, 10);
    enum {
        BINS = 5,
        SETS = 1 << BINS,
        SPLIT = 2 * (SETS / 2 - 2)
    }; /* missing, on either side, is no value */
    one_feature(&g, HR_KIND_CATEGORY, BINS);
    g.plan.depth = 1;
    uint64_t seen[SETS] = {0};
    double probability[SETS];
    for (size_t s = 0; s < SETS; s++) probability[s] = s / 2 == 0 || s / 2 == SETS / 2 - 1 ? 0 : 1. / SPLIT;
    for (int i = 0; i < DRAWS; i++) {
        grow(&g);
        assert_true(g.tree.subset_count == 1 && g.subsets[0].words[0] < SETS);
        seen[g.subsets[0].words[0]]++;
    }
    assert_true(seen[0] + seen[1] + seen[SETS - 2] + seen[SETS - 1] == 0 &&
                chi_square_fits(seen, probability, SETS, DRAWS));
    garden_close(&g);
}

static void test_random_tree__features_fall_by_their_weights(void **state) {
    (void)state;
    static const double weights[FEATURES] = {.1, 0, 3, 1e-3, 1.7, .2}, pair[FEATURES] = {0, 0, .5, 0, 0, .5};
    static garden g;
    garden_open(&g, 11);
    double probability[FEATURES], sum = 0;
    for (size_t f = 0; f < FEATURES; f++) {
        g.features[f] = (hr_feature_bins){HR_KIND_NUMBER, 50, rising};
        g.weights[f] = weights[f];
        sum += weights[f];
    }
    for (size_t f = 0; f < FEATURES; f++) probability[f] = weights[f] / sum;
    g.plan.features[0] = 5, g.plan.features[1] = 2;
    for (size_t count = 0; count <= 2; count += 2) {
        uint64_t root[FEATURES] = {0}, child[FEATURES] = {0};
        g.plan.feature_count = count;
        for (int i = 0; i < DRAWS; i++) {
            do grow(&g);
            while (g.nodes[0].cut < 5 || g.nodes[0].cut > 45); /* children can be cut in any feature */
            root[g.nodes[0].feature]++;
            child[g.nodes[g.nodes[0].left].feature]++;
        }
        assert_true(chi_square_fits(root, count ? pair : probability, FEATURES, DRAWS));
        assert_true(chi_square_fits(child, count ? pair : probability, FEATURES, DRAWS));
    }
    garden_close(&g);
}

static void test_pick__falls_by_weight_and_never_on_none(void **state) {
    (void)state;
    static const double weights[] = {0, 5, 0, 1, .25, 0, 3.75, 0};
    enum { COUNT = sizeof weights / sizeof *weights };
    static garden g;
    garden_open(&g, 12);
    for (double scale = 1e-300; scale < 1e301; scale *= 1e100) {
        double scaled[COUNT], probability[COUNT];
        uint64_t seen[COUNT] = {0};
        for (size_t i = 0; i < COUNT; i++) scaled[i] = weights[i] * scale, probability[i] = weights[i] / 10;
        for (int i = 0; i < DRAWS; i++) seen[hr_pick(g.csprng, scaled, COUNT)]++;
        assert_true(seen[0] + seen[2] + seen[5] + seen[7] == 0 &&
                    chi_square_fits(seen, probability, COUNT, DRAWS));
    }
    static const double last[] = {0, 0, 1e-9}, huge[] = {1e18, 1e-18, 0};
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(hr_pick(g.csprng, last, 3), 2);
        assert_int_equal(hr_pick(g.csprng, last + 2, 1), 0);
        assert_int_not_equal(hr_pick(g.csprng, huge, 3), 2);
    }
    garden_close(&g);
}

/* ---- Variations ---- */

/* A tree to vary, in storage of its own. */
typedef struct keepsake {
    hr_node nodes[HR_RANDOM_NODES_MAX];
    hr_bin_set subsets[HR_RANDOM_NODES_MAX];
    hr_tree tree;
} keepsake;

static void keep(const garden *g, keepsake *k) {
    memcpy(k->nodes, g->nodes, sizeof k->nodes);
    memcpy(k->subsets, g->subsets, sizeof k->subsets);
    k->tree = g->tree;
    k->tree.nodes = k->nodes;
    k->tree.subsets = k->subsets;
}

static void test_random_tree__varied_never_contradicts_itself(void **state) {
    (void)state;
    static garden g;
    static keepsake model;
    garden_open(&g, 20);
    for (int i = 0; i < 600; i++) {
        g.plan.model = NULL;
        g.plan.depth = 1 + i % HR_TREE_DEPTH_MAX;
        grow(&g);
        keep(&g, &model);
        g.plan.model = &model.tree;
        g.plan.depth = 1 + i / 8 % HR_TREE_DEPTH_MAX; /* also deeper than its model, or less deep */
        grow(&g);
        census c = take_census(&g);
        assert_true(c.depth <= g.plan.depth);
    }
    garden_close(&g);
}

/* The root of a number with values 1..255 and a cut at 100: cuts from 100 - .4 * 254 to 100 + .4 * 254, all
 * about alike. */
static void test_random_tree__varied_moves_a_cut_a_little(void **state) {
    (void)state;
    static garden g;
    static keepsake model;
    garden_open(&g, 21);
    one_feature(&g, HR_KIND_NUMBER, 256);
    g.plan.depth = 1;
    grow(&g);
    keep(&g, &model);
    model.nodes[0].cut = 100;
    g.plan.model = &model.tree;
    enum { FIRST = 1, LAST = 202, PARTS = 10 };
    uint64_t seen[PARTS] = {0};
    double probability[PARTS];
    for (int i = 0; i < DRAWS; i++) {
        model.nodes[0].missing_left = i % 2;
        grow(&g);
        assert_true(g.nodes[0].cut >= FIRST && g.nodes[0].cut <= LAST &&
                    g.nodes[0].missing_left == (i % 2 == 1));
        seen[(g.nodes[0].cut - FIRST) * PARTS / (LAST - FIRST + 1)]++;
    }
    /* uniform on 100 + 101.6 (2 u - 1), rounded; what falls below 1 counts as 1 */
    double total = 0;
    for (int k = 0; k < PARTS; k++) {
        double low = FIRST + (LAST - FIRST + 1) * k / (double)PARTS,
               high = FIRST + (LAST - FIRST + 1) * (k + 1) / (double)PARTS;
        double from = k ? ceil(low) - .5 : 100 - 101.6, to = k < PARTS - 1 ? ceil(high) - .5 : 100 + 101.6;
        total += probability[k] = (to - from) / 203.2;
    }
    assert_true(fabs(total - 1) < 1e-9);
    assert_true(chi_square_fits(seen, probability, PARTS, DRAWS));
    garden_close(&g);
}

/* A category's subset is kept, and so are the features of all nodes that still can be split. */
static void test_random_tree__varied_asks_what_its_model_asks(void **state) {
    (void)state;
    static garden g;
    static keepsake model;
    garden_open(&g, 22);
    size_t same = 0, nodes = 0;
    for (int i = 0; i < 500; i++) {
        g.plan.model = NULL;
        g.plan.depth = 3;
        grow(&g);
        keep(&g, &model);
        g.plan.model = &model.tree;
        grow(&g);
        if (!model.nodes[0].left) continue;
        assert_int_equal(g.nodes[0].feature, model.nodes[0].feature);
        if (g.features[g.nodes[0].feature].kind == HR_KIND_CATEGORY)
            assert_memory_equal(&g.subsets[g.nodes[0].subset], &model.subsets[model.nodes[0].subset],
                                sizeof(hr_bin_set));
        for (size_t n = 0; n < g.tree.node_count && n < model.tree.node_count; n++) {
            if (!g.nodes[n].left || g.nodes[n].left != model.nodes[n].left) continue;
            same += g.nodes[n].feature == model.nodes[n].feature;
            nodes++;
        }
    }
    assert_true(nodes > 1500 && (double)same > .9 * (double)nodes);
    garden_close(&g);
}

int main(void) {
    for (size_t e = 0; e < HR_BINS_MAX; e++) rising[e] = (double)e;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_tree__never_contradicts_itself),
        cmocka_unit_test(test_random_tree__asks_only_about_features_of_its_plan),
        cmocka_unit_test(test_random_tree__splits_as_long_as_there_is_something_to_split),
        cmocka_unit_test(test_random_tree__is_one_leaf_where_nothing_splits),
        cmocka_unit_test(test_random_tree__fills_its_room_at_most),
        cmocka_unit_test(test_random_tree__is_a_function_of_the_stream),
        cmocka_unit_test(test_random_tree__cuts_are_means_of_uniform_numbers),
        cmocka_unit_test(test_random_tree__cuts_of_children_are_centred_in_what_is_left),
        cmocka_unit_test(test_random_tree__missing_goes_to_either_side),
        cmocka_unit_test(test_random_tree__subsets_are_uniform_among_those_that_split),
        cmocka_unit_test(test_random_tree__features_fall_by_their_weights),
        cmocka_unit_test(test_pick__falls_by_weight_and_never_on_none),
        cmocka_unit_test(test_random_tree__varied_never_contradicts_itself),
        cmocka_unit_test(test_random_tree__varied_moves_a_cut_a_little),
        cmocka_unit_test(test_random_tree__varied_asks_what_its_model_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
