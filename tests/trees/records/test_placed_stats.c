/* Sums over records in their places: whole trees, against sums over lists of records; and more records than a
 * chunk of packed words has room for. */
#include "support/binned_table.h"
#include "trees/grow/grow.h"
#include "trees/records/local_stats.h"
#include "trees/records/placed_stats.h"

#include <stdlib.h>

static const uint32_t some_bins[] = {7, 4, 6, 3, 12, 256, 2, 9};
static const hr_packing packed = {
    .shift = 26, .gradient_bound = 4096, .gradient_scale = 4096, .weight_scale = 1};

enum { DEPTH = 5, LEVELS = 1 << DEPTH };

/* The two, side by side. */
typedef struct both {
    binned_table t;
    hr_dice dice;
    size_t features, cells;
    hr_local_stats *lists;
    hr_placed_stats *placed;
    hr_packing packing;
} both;

static both both_open(size_t rows, size_t features, uint64_t seed) {
    both b = {.features = features, .cells = hr_histogram_cells(features), .packing = packed};
    hr_dice_init(&b.dice, seed);
    b.t = binned_table_new(&b.dice, rows, features, some_bins, 8);
    return b;
}

static void both_start(both *b, int threads) {
    binned_table_bin(&b->t);
    const size_t rows = b->t.rows;
    assert_int_equal(hr_local_stats_new(b->t.binned, rows, DEPTH, threads, &b->lists, NULL), HR_OK);
    assert_int_equal(hr_placed_stats_new(b->t.binned, DEPTH, threads, &b->placed, NULL), HR_OK);
    const int64_t *words = random_packed(&b->dice, b->t.arena, &b->packing, 1, rows);
    memcpy(hr_local_stats_packed(b->lists), words, rows * sizeof *words);
    memcpy(hr_placed_stats_packed(b->placed), words, rows * sizeof *words);
    hr_local_stats_start(b->lists, NULL, rows);
    hr_placed_stats_start(b->placed);
}

static void both_close(both *b) {
    hr_local_stats_free(b->lists);
    hr_placed_stats_free(b->placed);
    binned_table_close(&b->t);
}

/* Apart, `placed` has what the lists have packed. Lists leave sums behind the last feature, too. */
static void same_histograms(const both *b, const hr_sum_word *lists, const hr_sum_word *placed) {
    for (size_t i = 0; i < b->features * HR_BINS_MAX; i++) {
        const size_t c = hr_histogram_at(i / HR_BINS_MAX) + i % HR_BINS_MAX;
        if (!b->packing.weight_cells) {
            assert_true(lists[c] == placed[c]);
            continue;
        }
        const hr_sums sums = hr_unpack(&b->packing, lists[c]);
        assert_true(sums.gradient.unpaid == placed[c] && sums.weight.unpaid == placed[b->cells + c]);
    }
}

static void check_sums(both *b, const uint32_t *nodes, size_t count) {
    hr_sum_word *lists[LEVELS], *placed[LEVELS];
    for (size_t k = 0; k < count; k++) {
        lists[k] = malloc(b->cells * sizeof(hr_sum_word));
        placed[k] = malloc(2 * b->cells * sizeof(hr_sum_word));
        memset(placed[k], 0x5a, 2 * b->cells * sizeof(hr_sum_word));
    }
    hr_local_stats_sum(b->lists, nodes, lists, count);
    assert_int_equal(hr_placed_stats_sum(b->placed, &b->packing, nodes, placed, count, NULL), HR_OK);
    for (size_t k = 0; k < count; k++) {
        same_histograms(b, lists[k], placed[k]);
        free(lists[k]);
        free(placed[k]);
    }
}

/* Grows a tree level by level; a node in four stays a leaf. Returns how many nodes there are. */
static size_t check_levels(both *b, hr_node *nodes, hr_bin_set *subsets) {
    uint32_t level[LEVELS] = {0}, next[LEVELS], left[LEVELS], split_nodes[LEVELS];
    hr_split splits[LEVELS];
    size_t count = 1, all = 1;
    memset(nodes, 0, 2 * LEVELS * sizeof *nodes);
    for (int depth = 0; depth < DEPTH && count; depth++) {
        size_t made = 0, found = 0;
        check_sums(b, level, count);
        for (size_t k = 0; k < count; k++) {
            if (depth && !hr_dice_below(&b->dice, 4)) continue;
            splits[made] = random_split(&b->dice, &b->t.binning);
            const hr_split *s = &splits[made];
            nodes[level[k]] = (hr_node){.left = (uint32_t)all,
                                        .feature = s->feature,
                                        .cut = s->cut,
                                        .missing_left = s->missing_left,
                                        .subset = level[k]};
            subsets[level[k]] = s->left;
            split_nodes[made] = level[k];
            left[made++] = (uint32_t)all;
            next[found++] = (uint32_t)all;
            next[found++] = (uint32_t)all + 1;
            all += 2;
        }
        if (depth + 1 < DEPTH) { /* the last level's records stay where they are */
            hr_local_stats_split(b->lists, split_nodes, splits, left, made);
            assert_int_equal(hr_placed_stats_split(b->placed, split_nodes, splits, left, made, NULL), HR_OK);
        }
        memcpy(level, next, sizeof level);
        count = found;
    }
    return all;
}

static void check_trees(size_t rows, size_t features, int threads, uint64_t seed) {
    both b = both_open(rows, features, seed);
    both_start(&b, threads);
    hr_node nodes[2 * LEVELS];
    hr_bin_set subsets[2 * LEVELS];
    const size_t count = check_levels(&b, nodes, subsets);
    for (size_t n = 0; n < count; n++) nodes[n].value = (double)n * .37 - 2;
    const hr_tree tree = {.nodes = nodes, .node_count = count, .subsets = subsets, .subset_count = count};
    double *lists = calloc(2 * rows + 1, sizeof *lists), *placed = calloc(2 * rows + 1, sizeof *placed);
    hr_local_stats_add_tree(b.lists, &tree, lists, 2);
    assert_int_equal(hr_placed_stats_add_tree(b.placed, &tree, placed, 2, NULL), HR_OK);
    assert_memory_equal(lists, placed, 2 * rows * sizeof *lists);
    free(lists);
    free(placed);
    both_close(&b);
}

static void test_placed_stats__sum_and_split_as_lists_do(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++)
        check_trees(1 + (size_t)seed * 2500, 1 + seed * 5 % 41, 1 + (int)(seed % 4), seed);
}

static void test_placed_stats__keep_gradients_and_weights_apart(void **state) {
    (void)state;
    both b = both_open(2 * HR_CHUNK_ROWS + 777, 3, 99);
    both_start(&b, 2);
    const uint32_t root = 0, children[] = {1, 2}, left = 1;
    hr_split split = random_split(&b.dice, &b.t.binning);
    b.packing.weight_cells = b.cells;
    check_sums(&b, &root, 1);
    hr_local_stats_split(b.lists, &root, &split, &left, 1);
    assert_int_equal(hr_placed_stats_split(b.placed, &root, &split, &left, 1, NULL), HR_OK);
    check_sums(&b, children, 2);
    both_close(&b);
}

/* Words of the largest gradients: packed sums of three chunks would run over. */
static void test_placed_stats__have_room_for_more_records_than_words(void **state) {
    (void)state;
    const size_t rows = 3 * HR_CHUNK_ROWS;
    both b = both_open(rows, 1, 5);
    both_start(&b, 1);
    b.packing.gradient_bound = (int64_t)1 << 23;
    b.packing.shift = hr_packing_shift(HR_CHUNK_ROWS, 1, b.packing.gradient_bound);
    b.packing.weight_cells = b.cells;
    assert_true(b.packing.shift > 0 && hr_packing_shift(rows, 1, b.packing.gradient_bound) < 0);
    int64_t *words = hr_placed_stats_packed(b.placed), *cells = calloc(2 * b.cells, sizeof *cells);
    for (size_t i = 0; i < rows; i++) words[i] = hr_pack(&b.packing, -b.packing.gradient_bound, 1);
    const uint32_t root = 0;
    assert_int_equal(hr_placed_stats_sum(b.placed, &b.packing, &root, &cells, 1, NULL), HR_OK);
    hr_sum_word gradients = 0, weights = 0;
    for (size_t c = 0; c < HR_BINS_MAX; c++) gradients += cells[c], weights += cells[b.cells + c];
    assert_true(gradients == -(int64_t)rows * b.packing.gradient_bound && weights == (int64_t)rows);
    free(cells);
    both_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placed_stats__sum_and_split_as_lists_do),
        cmocka_unit_test(test_placed_stats__keep_gradients_and_weights_apart),
        cmocka_unit_test(test_placed_stats__have_room_for_more_records_than_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
