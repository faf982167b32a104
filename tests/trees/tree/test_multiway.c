/* Multiway splits: edges of all numbers one behind the other, children, and what was asked above a node. */
#include "trees/tree/multiway.h"

#include "support/check.h"

static const double two[] = {.25, .75}, one[] = {3};

static void test_multiway__splits_into_all_bins_and_knows_what_was_asked(void **state) {
    (void)state;
    hr_feature_bins features[] = {{HR_KIND_NUMBER, 4, two},
                                  {HR_KIND_CATEGORY, 3, NULL},
                                  {HR_KIND_NUMBER, 2, NULL},
                                  {HR_KIND_NUMBER, 3, one}};
    const hr_binning binning = {COUNT(features), features, NULL};
    hr_multiway m;
    hr_node nodes[16] = {{0}};
    uint32_t parents[16] = {0};
    assert_int_equal(hr_multiway_init(&m, &binning, NULL), HR_OK);
    assert_true(m.edge_count == 3 && m.edges[0] == .25 && m.edges[1] == .75 && m.edges[2] == 3);
    assert_int_equal(hr_multiway_split(&m, nodes, 1, 0, 3), 4);
    assert_true(nodes[0].left == 1 && nodes[0].feature == 3 && nodes[0].first == 2 && nodes[0].branches == 3);
    nodes[5].left = 9; /* what was there before */
    assert_int_equal(hr_multiway_split(&m, nodes, 4, 2, 0), 8);
    assert_true(nodes[2].left == 4 && nodes[2].first == 0 && nodes[2].branches == 4 && nodes[5].left == 0);
    for (uint32_t n = 4; n < 8; n++) parents[n] = 2;
    for (uint32_t f = 0; f < 4; f++) {
        assert_false(hr_multiway_is_asked_above(nodes, parents, 0, f));
        assert_int_equal(hr_multiway_is_asked_above(nodes, parents, 2, f), f == 3);
        assert_int_equal(hr_multiway_is_asked_above(nodes, parents, 7, f), f == 3 || f == 0);
    }
    hr_multiway_done(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multiway__splits_into_all_bins_and_knows_what_was_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
