/* Means pulled towards their parents': by hand, at the limits, and where a leaf has no records at all. */
#include "trees/tree/hierarchical_shrinkage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The root (0) has a leaf (1) and a node (2) with two leaves (3, 4). */
enum { NODES = 5, OUTPUTS = 2 };

static const hr_tree tree = {.nodes = (hr_node[NODES]){{.left = 1}, {0}, {.left = 3}, {0}, {0}},
                             .node_count = NODES};

static void close_to(double is, double wanted) {
    if (!(fabs(is - wanted) <= 1e-12 * (1 + fabs(wanted)))) fail_msg("%.17g, wanted %.17g", is, wanted);
}

/* Sums 6, 3, -1 and counts 10, 5, 1; ridge 2. The root has S = 8, N = 16, L = 3; node 2 has S = 2, N = 6, L
 * = 2. */
static void test_hierarchical_shrinkage__pulls_every_node_towards_its_parent(void **state) {
    (void)state;
    double sums[NODES] = {NAN, 6, NAN, 3, -1}, counts[NODES] = {NAN, 10, NAN, 5, 1}, values[NODES];
    hr_hierarchical_shrinkage(&tree, 1, 2, sums, counts, values);
    double root = 8 / (16 + 2 * sqrt(3)), node = root + (2 - 6 * root) / (6 + 2 * sqrt(2));
    close_to(values[0], root);
    close_to(values[1], root + (6 - 10 * root) / 12);
    close_to(values[2], node);
    close_to(values[3], node + (3 - 5 * node) / 7);
    close_to(values[4], node + (-1 - node) / 3);
    close_to(sums[0], 8), close_to(sums[2], 2), close_to(counts[0], 16), close_to(counts[2], 6);
}

static void
test_hierarchical_shrinkage__is_the_plain_mean_without_noise_and_nothing_under_much(void **state) {
    (void)state;
    double sums[NODES] = {0, 6, 0, 3, -1}, counts[NODES] = {0, 10, 0, 5, 1}, values[NODES];
    hr_hierarchical_shrinkage(&tree, 1, 1e-15, sums, counts, values);
    close_to(values[1], .6), close_to(values[3], .6), close_to(values[4], -1);
    hr_hierarchical_shrinkage(&tree, 1, 1e15, sums, counts, values);
    for (size_t n = 0; n < NODES; n++) assert_true(fabs(values[n]) < 1e-13);
}

/* A leaf without records says what its parent says, but for the noise in its sum. */
static void test_hierarchical_shrinkage__gives_an_empty_leaf_its_parents_mean(void **state) {
    (void)state;
    double sums[NODES] = {0, 6, 0, 3, 0}, counts[NODES] = {0, 10, 0, 5, 0}, values[NODES];
    hr_hierarchical_shrinkage(&tree, 1, 2, sums, counts, values);
    close_to(values[4], values[2]);
    double empty[NODES] = {0}, none[NODES] = {0};
    hr_hierarchical_shrinkage(&tree, 1, 2, empty, none, values);
    for (size_t n = 0; n < NODES; n++) assert_true(values[n] == 0);
}

static void test_hierarchical_shrinkage__treats_outputs_by_themselves(void **state) {
    (void)state;
    double one[2][NODES] = {{0, 6, 0, 3, -1}, {0, -2, 0, 4, 7}}, values[2][NODES],
           counts[NODES] = {0, 10, 0, 5, 1};
    double both[NODES * OUTPUTS], all[NODES * OUTPUTS];
    for (size_t n = 0; n < NODES; n++)
        for (size_t k = 0; k < OUTPUTS; k++) both[n * OUTPUTS + k] = one[k][n];
    hr_hierarchical_shrinkage(&tree, OUTPUTS, 2, both, counts, all);
    for (size_t k = 0; k < OUTPUTS; k++) hr_hierarchical_shrinkage(&tree, 1, 2, one[k], counts, values[k]);
    for (size_t n = 0; n < NODES; n++)
        for (size_t k = 0; k < OUTPUTS; k++) close_to(all[n * OUTPUTS + k], values[k][n]);
}

static void test_hierarchical_shrinkage__knows_a_tree_of_one_leaf(void **state) {
    (void)state;
    hr_tree stump = {.nodes = (hr_node[1]){{0}}, .node_count = 1};
    double sum = 6, count = 4, value;
    hr_hierarchical_shrinkage(&stump, 1, 2, &sum, &count, &value);
    close_to(value, 1);
}

/* The root (0) has four children: leaves 1, 2 and 4 of 6, 0 and 2 records, and node 3 with leaves 5, 6 and 7
 * of 1, 1 and 6. */
static void test_hierarchical_shrinkage__pulls_the_children_of_multiway_splits(void **state) {
    (void)state;
    enum { MANY = 8 };
    hr_node nodes[MANY] = {
        {.left = 1, .branches = 4}, {0}, {0}, {.left = 5, .branches = 3}, {0}, {0}, {0}, {0}};
    const hr_tree multiway = {.nodes = nodes, .node_count = MANY};
    double sums[MANY] = {NAN, 3, 1, NAN, -2, 1, 0, 4}, counts[MANY] = {NAN, 6, 0, NAN, 2, 1, 1, 6},
           values[MANY];
    hr_hierarchical_shrinkage(&multiway, 1, 2, sums, counts, values);
    double root = 7 / (16 + 2 * sqrt(6)), node = root + (5 - 8 * root) / (8 + 2 * sqrt(3));
    close_to(values[0], root), close_to(values[3], node);
    close_to(values[1], root + (3 - 6 * root) / 8);
    close_to(values[2], root + 1. / 2);
    close_to(values[4], root + (-2 - 2 * root) / 4);
    close_to(values[5], node + (1 - node) / 3);
    close_to(values[6], node + (0 - node) / 3);
    close_to(values[7], node + (4 - 6 * node) / 8);
    close_to(sums[0], 7), close_to(sums[3], 5), close_to(counts[0], 16), close_to(counts[3], 8);
}

/* More nodes than any drawn tree has: one split of 256 bins below each of another's. All leaves are alike, so
 * all means are. */
static void test_hierarchical_shrinkage__has_room_for_any_tree(void **state) {
    (void)state;
    enum { BINS = 256, LEAVES = BINS * BINS, MANY = 1 + BINS + LEAVES };
    static hr_node nodes[MANY];
    static double sums[2 * MANY], counts[MANY], values[2 * MANY];
    const hr_tree large = {.nodes = nodes, .node_count = MANY};
    for (size_t n = 0; n <= BINS; n++)
        nodes[n] = (hr_node){.left = (uint32_t)(1 + BINS * n), .branches = BINS};
    for (size_t n = 1 + BINS; n < MANY; n++) counts[n] = 2, sums[2 * n] = 1, sums[2 * n + 1] = -3;
    hr_hierarchical_shrinkage(&large, 2, 1e-9, sums, counts, values);
    close_to(counts[0], 2 * LEAVES), close_to(sums[0], LEAVES), close_to(sums[1], -3. * LEAVES);
    for (size_t n = 0; n < MANY; n++)
        assert_true(fabs(values[2 * n] - .5) < 1e-8 && fabs(values[2 * n + 1] + 1.5) < 1e-8);
}

/* Values are linear in the sums: adding 1 to the sum of one leaf moves each value by its weight. */
static void test_shrinkage_noise__adds_up_the_squares_of_the_weights(void **state) {
    (void)state;
    hr_node nodes[8] = {{.left = 1}, {.left = 3}, {.left = 5, .branches = 3}};
    const hr_tree wide = {.nodes = nodes, .node_count = 8};
    double counts[8] = {0, 0, 0, 10, 5, 1, 0, 2.5}, base[8], noise[8], squares[8] = {0};
    double none[8] = {0};
    hr_hierarchical_shrinkage(&wide, 1, 2, none, counts, base);
    hr_shrinkage_noise(&wide, 2, counts, noise);
    for (size_t leaf = 3; leaf < 8; leaf++) {
        double sums[8] = {0}, values[8];
        sums[leaf] = 1;
        hr_hierarchical_shrinkage(&wide, 1, 2, sums, counts, values);
        for (size_t n = 3; n < 8; n++) squares[n] += (values[n] - base[n]) * (values[n] - base[n]);
    }
    for (size_t n = 0; n < 8; n++) close_to(noise[n], sqrt(squares[n]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hierarchical_shrinkage__pulls_every_node_towards_its_parent),
        cmocka_unit_test(test_hierarchical_shrinkage__is_the_plain_mean_without_noise_and_nothing_under_much),
        cmocka_unit_test(test_hierarchical_shrinkage__gives_an_empty_leaf_its_parents_mean),
        cmocka_unit_test(test_hierarchical_shrinkage__treats_outputs_by_themselves),
        cmocka_unit_test(test_hierarchical_shrinkage__knows_a_tree_of_one_leaf),
        cmocka_unit_test(test_hierarchical_shrinkage__pulls_the_children_of_multiway_splits),
        cmocka_unit_test(test_hierarchical_shrinkage__has_room_for_any_tree),
        cmocka_unit_test(test_shrinkage_noise__adds_up_the_squares_of_the_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
