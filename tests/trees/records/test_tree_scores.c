/* Scores that released trees add to records: what a walk by hand adds, whichever trees and records are asked
 * for. */
#include "support/binned_table.h"
#include "trees/records/tree_scores.h"

#include <string.h>

enum { ROWS = 1300, FEATURES = 40, OUTPUTS = 3, TREES = 20, SPLITS = 7, NODES = 2 * SPLITS + 1 };

typedef struct world {
    hr_dice dice;
    binned_table table;
    hr_tree trees[TREES];
    double expected[ROWS * OUTPUTS], got[ROWS * OUTPUTS];
    hr_tree_scores *scores;
} world;

static void set_split(const hr_split *split, hr_tree *tree, hr_node *node) {
    node->feature = split->feature;
    node->cut = split->cut;
    node->missing_left = split->missing_left;
    if (split->kind == HR_KIND_NUMBER) return;
    node->subset = (uint32_t)tree->subset_count;
    tree->subsets[tree->subset_count++] = split->left;
}

static hr_tree draw_tree(world *w) {
    hr_arena *arena = w->table.arena;
    hr_tree tree = {.nodes = arena_room(arena, NODES, sizeof *tree.nodes),
                    .subsets = arena_room(arena, SPLITS, sizeof *tree.subsets),
                    .node_count = NODES,
                    .output = (size_t)hr_dice_below(&w->dice, OUTPUTS)};
    for (size_t n = 0; n < SPLITS; n++) {
        const hr_split split = random_split(&w->dice, &w->table.binning);
        tree.nodes[n].left = (uint32_t)(2 * n + 1);
        set_split(&split, &tree, &tree.nodes[n]);
    }
    for (size_t n = SPLITS; n < NODES; n++) tree.nodes[n].value = hr_dice_normal(&w->dice);
    return tree;
}

static void open_world(world *w, int threads) {
    static const uint32_t bin_counts[] = {2, 17, 256};
    hr_dice_init(&w->dice, 3);
    w->table = binned_table_new(&w->dice, ROWS, FEATURES, bin_counts, 3);
    binned_table_bin(&w->table);
    for (size_t t = 0; t < TREES; t++) w->trees[t] = draw_tree(w);
    for (size_t i = 0; i < ROWS * OUTPUTS; i++) w->expected[i] = w->got[i] = hr_dice_normal(&w->dice);
    assert_int_equal(hr_tree_scores_new(w->table.binned, OUTPUTS, threads, &w->scores, NULL), HR_OK);
}

static void close_world(world *w) {
    hr_tree_scores_free(w->scores);
    binned_table_close(&w->table);
}

static double value_by_hand(const world *w, const hr_tree *tree, size_t row) {
    const hr_node *node = tree->nodes;
    while (node->left) {
        const hr_kind kind = w->table.binning.features[node->feature].kind;
        node = &tree->nodes[node->left +
                            !hr_node_goes_left(tree, node, kind, bin_at(&w->table, row, node->feature))];
    }
    return node->value;
}

/* Trees first .. end of all that were drawn, of which the one that was kept first is `kept`. */
static void check_add(world *w, size_t kept, size_t first, size_t end, const uint32_t *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t t = first; t < end; t++) {
            const size_t row = rows ? rows[i] : i;
            w->expected[row * OUTPUTS + w->trees[t].output] += value_by_hand(w, &w->trees[t], row);
        }
    assert_int_equal(hr_tree_scores_add(w->scores, first - kept, rows, count, w->got, NULL), HR_OK);
    assert_memory_equal(w->got, w->expected, sizeof w->got);
}

static void keep(world *w, size_t first, size_t end, size_t count) {
    assert_int_equal(hr_tree_scores_keep(w->scores, w->trees + first, end - first, NULL), HR_OK);
    assert_int_equal(hr_tree_scores_count(w->scores), count);
    assert_ptr_equal(hr_tree_scores_tree(w->scores, count - 1), &w->trees[end - 1]);
}

static void check_trees(int threads) {
    static world w;
    memset(&w, 0, sizeof w);
    open_world(&w, threads);
    uint32_t odd[ROWS / 2], few[] = {ROWS - 1, 0, 512, 511};
    for (uint32_t i = 0; i < ROWS / 2; i++) odd[i] = ROWS - 1 - 2 * i;
    keep(&w, 0, 2, 2);
    check_add(&w, 0, 0, 2, odd, ROWS / 2);
    keep(&w, 2, 18, 18);
    check_add(&w, 0, 2, 18, odd, ROWS / 2);
    check_add(&w, 0, 0, 18, few, 4);
    check_add(&w, 0, 17, 18, NULL, ROWS);
    hr_tree_scores_forget(w.scores);
    assert_int_equal(hr_tree_scores_count(w.scores), 0);
    keep(&w, 18, 20, 2);
    check_add(&w, 18, 18, 20, NULL, ROWS);
    check_add(&w, 18, 19, 20, odd, 0);
    close_world(&w);
}

static void test_add__adds_what_trees_say_by_hand(void **state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads++) check_trees(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add__adds_what_trees_say_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
