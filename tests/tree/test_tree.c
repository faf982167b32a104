/* Copies of trees. */
#include "tree/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_copy__has_its_own_nodes_and_subsets(void **state) {
    (void)state;
    hr_node nodes[3] = {{.left = 1, .feature = 4, .subset = 0}, {.value = -1.5}, {.value = 2.5}};
    hr_bin_set subset = {{5, 0, 0, 9}};
    hr_tree tree = {nodes, 3, &subset, 1, 2}, copy;
    hr_arena *arena = hr_arena_new();
    assert_non_null(arena);
    assert_int_equal(hr_tree_copy(&tree, arena, &copy, NULL), HR_OK);
    nodes[1].value = 7;
    subset.words[0] = 0;
    assert_true(copy.node_count == 3 && copy.subset_count == 1 && copy.output == 2);
    assert_true(copy.nodes[0].left == 1 && copy.nodes[0].feature == 4 && copy.nodes[1].value == -1.5 && copy.nodes[2].value == 2.5);
    assert_true(copy.subsets[0].words[0] == 5 && copy.subsets[0].words[3] == 9);
    hr_arena_free(arena);
}

static void test_copy__may_have_no_subsets(void **state) {
    (void)state;
    hr_node leaf = {.value = .25};
    hr_tree tree = {&leaf, 1, NULL, 0, 0}, copy;
    hr_arena *arena = hr_arena_new();
    assert_non_null(arena);
    assert_int_equal(hr_tree_copy(&tree, arena, &copy, NULL), HR_OK);
    assert_true(copy.node_count == 1 && copy.subset_count == 0 && copy.nodes[0].value == .25);
    hr_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy__has_its_own_nodes_and_subsets),
        cmocka_unit_test(test_copy__may_have_no_subsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
