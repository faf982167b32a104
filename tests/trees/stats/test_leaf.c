#include "support/check.h"
#include "trees/stats/split.h"

static const hr_packing packing = {
    .shift = 20, .gradient_bound = 1024, .gradient_scale = 1024, .weight_scale = 1};

/* A root, a leaf, a split and its two leaves. */
static void test_leaves__are_taken_and_set_in_the_order_of_nodes(void **state) {
    (void)state;
    hr_node nodes[5] = {{.left = 1}, {.value = 0}, {.left = 3}, {.value = 0}, {.value = 0}};
    hr_tree tree = {.nodes = nodes, .node_count = 5};
    const hr_sums sums[5] = {{{0}, {10}}, {{1}, {4}}, {{-1}, {6}}, {{2}, {5}}, {{-3}, {1}}};
    hr_exact gradients[5], weights[5];
    assert_int_equal(hr_leaves_of(&tree, sums, gradients, weights), 3);
    static const int64_t expected[][2] = {{1, 4}, {2, 5}, {-3, 1}};
    for (size_t i = 0; i < 3; i++)
        assert_true(gradients[i].unpaid == expected[i][0] && weights[i].unpaid == expected[i][1]);
    hr_leaves_set(&tree, (const double[]){.5, .25, -1});
    assert_true(nodes[1].value == .5 && nodes[3].value == .25 && nodes[4].value == -1);
    assert_true(nodes[0].value == 0 && nodes[2].value == 0);
}

static int64_t value_of(int64_t gradient, int64_t weight, double lambda, double clip) {
    return hr_leaf_value(&packing, (hr_exact){gradient}, (hr_exact){weight}, lambda, clip).unpaid;
}

static void test_value__is_equation_4_clipped_and_rounded(void **state) {
    (void)state;
    const int64_t one = (int64_t)1 << HR_VALUE_BITS;
    assert_true(value_of(1024, 1, 1, 1) == -one / 2);
    assert_true(value_of(-3 * 1024, 2, 0, 10) == 3 * one / 2);
    assert_true(value_of(-1024 * 100, 1, 0, 1) == one && value_of(1024 * 100, 1, 0, 1) == -one);
    assert_true(value_of(0, 0, 0, 1) == 0 && value_of(1024, 0, 0, 1) == 0);
    assert_true(value_of(1, 3, 0, 1) == -341); /* 1024 / 3, rounded */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves__are_taken_and_set_in_the_order_of_nodes),
        cmocka_unit_test(test_value__is_equation_4_clipped_and_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
