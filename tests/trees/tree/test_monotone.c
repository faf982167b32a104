/* Trees that are monotone in features: what the check says, and what the projection makes, against every step
 * on a grid that meets each cell of every tree. Values are whatever they like, seeds fixed. */
#include "support/check.h"
#include "tables/schema/schema.h"
#include "tables/synth/generate.h"
#include "trees/tree/monotone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of thresholds 0 to 7 within bounds of 0 and 7: rising, falling and free; and a category. */
enum { UP, DOWN, FREE, CATEGORY, FEATURES };
enum { HIGH = 7, NUMBERS = HIGH + 1, VALUES = 3, NODES = 127, TREES = 400 };
enum { POINTS = NUMBERS + 1 }; /* the last is missing; of the category, the first is */

typedef struct world {
    hr_dice dice;
    hr_schema *schema;
    hr_node nodes[NODES];
    hr_bin_set subsets[NODES];
    double thresholds[NODES * HIGH], values[NODES], weights[NODES];
    hr_tree tree;
    hr_forest forest;
} world;

static hr_schema *make_world_schema(void) {
    static const char *const names[] = {"up", "down", "free", "category"}, *const values[VALUES] = {"a", "b",
                                                                                                    "c"};
    hr_column columns[FEATURES], label = {.name = "y", .low = -1, .high = 1};
    hr_schema *schema = NULL;
    for (size_t f = 0; f < FEATURES; f++) columns[f] = (hr_column){.name = names[f], .low = 0, .high = HIGH};
    columns[UP].monotone = HR_MONOTONE_INCREASING;
    columns[DOWN].monotone = HR_MONOTONE_DECREASING;
    columns[CATEGORY] = (hr_column){
        .name = names[CATEGORY], .kind = HR_KIND_CATEGORY, .values = values, .value_count = VALUES};
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = columns, .feature_count = FEATURES},
                       &schema, NULL),
        HR_OK);
    return schema;
}

static void world_open(world *w, uint64_t seed) {
    *w = (world){.schema = make_world_schema()};
    hr_dice_init(&w->dice, seed);
    w->forest = (hr_forest){.trees = &w->tree, .tree_count = 1, .output_count = 1};
}

static void split_category(world *w, hr_node *node, bool multiway) {
    if (multiway) {
        node->branches = VALUES + 1;
        return;
    }
    node->subset = (uint32_t)w->tree.subset_count++;
    w->subsets[node->subset] = (hr_bin_set){{hr_dice_below(&w->dice, 1 << (VALUES + 1))}};
}

/* Thresholds may be beyond the bounds, and one in twenty is infinite. */
static void split_number(world *w, hr_node *node, bool multiway) {
    node->missing_left = hr_dice_below(&w->dice, 2);
    node->threshold = (double)hr_dice_below(&w->dice, HIGH + 3) - 1;
    if (hr_dice_below(&w->dice, 20) == 0)
        node->threshold = hr_dice_below(&w->dice, 2) ? (double)INFINITY : -(double)INFINITY;
    if (!multiway) return;
    node->first = (uint32_t)w->tree.threshold_count;
    node->branches = 2;
    for (int t = 0; t < HIGH; t++) {
        if (hr_dice_below(&w->dice, 3)) continue;
        w->thresholds[w->tree.threshold_count++] = t;
        node->branches++;
    }
}

/* A few values, many of them equal, or any. */
static double draw_value(world *w) {
    static const double hostile[] = {0, -0., 1e-300, -1e-300, 1e100, -1e100, .1, -.1, 1};
    const uint64_t kind = hr_dice_below(&w->dice, 3);
    if (!kind) return hostile[hr_dice_below(&w->dice, COUNT(hostile))];
    return kind == 1 ? (double)hr_dice_below(&w->dice, 3) : hr_dice_unit(&w->dice) - .5;
}

static void draw_tree(world *w, size_t most, bool multiways) {
    w->tree =
        (hr_tree){.nodes = w->nodes, .node_count = 1, .subsets = w->subsets, .thresholds = w->thresholds};
    for (size_t n = 0; n < w->tree.node_count; n++) {
        hr_node *node = &w->nodes[n];
        const bool multiway = multiways && hr_dice_below(&w->dice, 4) == 0;
        *node = (hr_node){.value = draw_value(w)};
        w->weights[n] = .01 + hr_dice_unit(&w->dice);
        if (w->tree.node_count + NUMBERS > most) continue;
        *node = (hr_node){.left = (uint32_t)w->tree.node_count,
                          .feature = (uint32_t)hr_dice_below(&w->dice, FEATURES)};
        (node->feature == CATEGORY ? split_category : split_number)(w, node, multiway);
        w->tree.node_count += hr_node_child_count(node);
    }
}

/* ---- By hand ---- */

static double value_at(const world *w, const uint16_t point[FEATURES]) {
    uint32_t n = 0;
    while (w->nodes[n].left) {
        const hr_node *node = &w->nodes[n];
        const uint16_t at = point[node->feature];
        n = node->feature == CATEGORY
                ? hr_node_child_of_code(&w->tree, node, at)
                : hr_node_child_of_number(&w->tree, node, at == NUMBERS ? (double)NAN : at);
    }
    return w->nodes[n].value;
}

static bool rises_by_hand(const world *w, uint32_t feature) {
    uint16_t p[FEATURES];
    const double sign = feature == DOWN ? -1 : 1;
    for (p[UP] = 0; p[UP] < POINTS; p[UP]++)
        for (p[DOWN] = 0; p[DOWN] < POINTS; p[DOWN]++)
            for (p[FREE] = 0; p[FREE] < POINTS; p[FREE]++)
                for (p[CATEGORY] = 0; p[CATEGORY] <= VALUES; p[CATEGORY]++) {
                    uint16_t next[FEATURES];
                    memcpy(next, p, sizeof next);
                    if (++next[feature] >= NUMBERS) continue;
                    if (sign * value_at(w, next) < sign * value_at(w, p)) return false;
                }
    return true;
}

static bool is_monotone(const world *w, hr_monotone_fault *fault) {
    bool monotone = false;
    assert_int_equal(hr_monotone_check(&w->forest, w->schema, &monotone, fault, NULL), HR_OK);
    return monotone;
}

static void project_tree(world *w) {
    for (size_t n = 0; n < w->tree.node_count; n++)
        w->values[n] = w->nodes[n].left ? (double)NAN : w->nodes[n].value;
    assert_int_equal(hr_monotone_project(&w->tree, w->schema, w->weights, w->values, NULL), HR_OK);
    for (size_t n = 0; n < w->tree.node_count; n++)
        if (!w->nodes[n].left) w->nodes[n].value = w->values[n];
}

/* ---- Tests ---- */

/* Half of the trees are small, so that many are monotone as they are. */
static void test_check__says_what_every_step_says(void **state) {
    (void)state;
    static world w;
    size_t sound = 0;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        hr_monotone_fault fault = {0};
        world_open(&w, seed);
        draw_tree(&w, seed % 2 ? NUMBERS + 5 : NODES, seed % 3);
        const bool by_hand = rises_by_hand(&w, UP) && rises_by_hand(&w, DOWN);
        sound += by_hand;
        if (is_monotone(&w, &fault) != by_hand) fail_msg("seed %d: by hand %d", (int)seed, by_hand);
        if (!by_hand) {
            assert_true(fault.tree == 0 && fault.feature <= DOWN && fault.below != fault.above);
            assert_true(!w.nodes[fault.below].left && !w.nodes[fault.above].left);
            assert_false(rises_by_hand(&w, fault.feature));
        }
        hr_schema_free(w.schema);
    }
    print_message("%zu of %d trees are monotone as they are\n", sound, TREES);
    assert_true(sound > TREES / 20 && sound < TREES * 19 / 20);
}

static void test_projection__is_monotone_to_the_last_bit_and_under_factors(void **state) {
    (void)state;
    static world w;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        hr_monotone_fault fault;
        world_open(&w, seed);
        draw_tree(&w, NODES, seed % 2);
        project_tree(&w);
        if (!rises_by_hand(&w, UP) || !rises_by_hand(&w, DOWN)) fail_msg("seed %d falls", (int)seed);
        assert_true(is_monotone(&w, &fault));
        for (size_t n = 0; n < w.tree.node_count; n++) w.nodes[n].value *= .1;
        assert_true(is_monotone(&w, &fault));
        hr_schema_free(w.schema);
    }
}

/* What is monotone stays as it is, bit by bit. */
static void test_projection__leaves_what_is_monotone(void **state) {
    (void)state;
    static world w;
    static double before[NODES];
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        world_open(&w, seed);
        draw_tree(&w, NODES, true);
        project_tree(&w);
        memcpy(before, w.values, sizeof before);
        project_tree(&w);
        for (size_t n = 0; n < w.tree.node_count; n++)
            if (!w.nodes[n].left) assert_memory_equal(&before[n], &w.values[n], sizeof *before);
        hr_schema_free(w.schema);
    }
}

/* A caterpillar: leaf i has the numbers (i - 1, i] of one feature; pool-adjacent-violators is exact there. */
static void draw_chain(world *w, size_t leaves, double *values) {
    w->tree = (hr_tree){.nodes = w->nodes, .node_count = 2 * leaves - 1};
    for (size_t i = 0; i < leaves; i++) {
        const size_t leaf = i + 1 < leaves ? 2 * i + 1 : 2 * i;
        values[i] = hr_dice_unit(&w->dice) + .02 * (double)i;
        w->nodes[leaf] = (hr_node){.value = values[i]};
        w->weights[leaf] = .1 + hr_dice_unit(&w->dice);
        if (i + 1 == leaves) break;
        w->nodes[2 * i] = (hr_node){.left = (uint32_t)(2 * i + 1), .feature = UP, .threshold = (double)i};
    }
}

static void pool_adjacent(const double *values, const double *weights, size_t count, double *out) {
    double sums[NUMBERS], of[NUMBERS];
    size_t sizes[NUMBERS], blocks = 0;
    for (size_t i = 0; i < count; i++) {
        sums[blocks] = values[i] * weights[i];
        of[blocks] = weights[i];
        sizes[blocks++] = 1;
        for (; blocks > 1 && sums[blocks - 2] / of[blocks - 2] > sums[blocks - 1] / of[blocks - 1];
             blocks--) {
            sums[blocks - 2] += sums[blocks - 1];
            of[blocks - 2] += of[blocks - 1];
            sizes[blocks - 2] += sizes[blocks - 1];
        }
    }
    for (size_t b = 0, i = 0; b < blocks; b++)
        for (size_t k = 0; k < sizes[b]; k++) out[i++] = sums[b] / of[b];
}

static void test_projection__is_the_nearest_on_a_chain(void **state) {
    (void)state;
    static world w;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        double values[NUMBERS], weights[NUMBERS], nearest[NUMBERS];
        const size_t leaves = 2 + seed % (NUMBERS - 1);
        world_open(&w, seed);
        draw_chain(&w, leaves, values);
        for (size_t i = 0; i < leaves; i++) {
            weights[i] = w.weights[i + 1 < leaves ? 2 * i + 1 : 2 * i];
        }
        pool_adjacent(values, weights, leaves, nearest);
        project_tree(&w);
        for (size_t i = 0; i < leaves; i++) {
            const double is = w.values[i + 1 < leaves ? 2 * i + 1 : 2 * i];
            if (fabs(is - nearest[i]) > 1e-3) fail_msg("seed %d: %g, nearest %g", (int)seed, is, nearest[i]);
        }
        hr_schema_free(w.schema);
    }
}

static void test_check__takes_anything_where_nothing_is_monotone(void **state) {
    (void)state;
    static world w;
    hr_monotone_fault fault;
    const hr_column x = {.name = "x", .low = 0, .high = HIGH}, y = {.name = "y", .low = 0, .high = 1};
    world_open(&w, 1);
    hr_schema_free(w.schema);
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = y, .features = &x, .feature_count = 1}, &w.schema, NULL),
        HR_OK);
    w.nodes[0] = (hr_node){.left = 1, .threshold = 3};
    w.nodes[1] = (hr_node){.value = 1};
    w.nodes[2] = (hr_node){.value = -1};
    w.tree = (hr_tree){.nodes = w.nodes, .node_count = 3};
    assert_true(is_monotone(&w, &fault));
    hr_schema_free(w.schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check__says_what_every_step_says),
        cmocka_unit_test(test_projection__is_monotone_to_the_last_bit_and_under_factors),
        cmocka_unit_test(test_projection__leaves_what_is_monotone),
        cmocka_unit_test(test_projection__is_the_nearest_on_a_chain),
        cmocka_unit_test(test_check__takes_anything_where_nothing_is_monotone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
