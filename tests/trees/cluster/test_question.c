/* Questions as bytes: what is written is read again, with all that pointers lead to, and a body that is cut
 * off anywhere is refused. */
#include "support/check.h"
#include "trees/cluster/question.h"

#include <string.h>

enum { OUTPUTS = 3, NODES = 5 };

static double edges[] = {.25, .5, .75};
static hr_feature_bins features[] = {{HR_KIND_NUMBER, 5, edges}, {HR_KIND_CATEGORY, 4, NULL}};
static const hr_binning binning = {2, features, NULL};
static hr_node nodes[NODES] = {{.left = 1, .threshold = .5, .cut = 2},
                               {.value = -1.5},
                               {.left = 3, .feature = 1, .subset = 0},
                               {.value = 2},
                               {.value = 1e-300}};
static hr_bin_set subsets[] = {{{5, 0, 0, 1}}};
static double thresholds[] = {1, 2};
static double counts[NODES];
static const hr_tree trees[] = {
    {.nodes = nodes,
     .node_count = NODES,
     .subsets = subsets,
     .subset_count = 1,
     .counts = counts,
     .output = 2},
    {.nodes = nodes + 1, .node_count = 1, .thresholds = thresholds, .threshold_count = 2}};

static void assert_same_binning(const hr_binning *got) {
    assert_non_null(got);
    assert_int_equal(got->feature_count, 2);
    for (size_t f = 0; f < 2; f++)
        assert_true(got->features[f].kind == features[f].kind &&
                    got->features[f].bin_count == features[f].bin_count);
    assert_memory_equal(got->features[0].edges, edges, sizeof edges);
}

/* What the nodes are made of; their padding is nobody's. */
static void assert_same_trees(const hr_tree *got, const hr_tree *wanted, size_t count) {
    for (size_t t = 0; t < count; t++) {
        assert_true(got[t].node_count == wanted[t].node_count && got[t].output == wanted[t].output);
        assert_true(got[t].subset_count == wanted[t].subset_count);
        assert_true(got[t].threshold_count == wanted[t].threshold_count);
        assert_true(got[t].counts == NULL && got[t].noise == NULL);
        assert_memory_equal(got[t].nodes, wanted[t].nodes, wanted[t].node_count * sizeof *nodes);
        assert_memory_equal(got[t].subsets, wanted[t].subsets, wanted[t].subset_count * sizeof *subsets);
        assert_memory_equal(got[t].thresholds, wanted[t].thresholds,
                            wanted[t].threshold_count * sizeof *thresholds);
    }
}

/* Writes one question into `to`, or reads it and compares; what is cut off reads as anything, and fails. */
typedef struct form {
    void (*write)(hr_buffer *to);
    void (*read)(hr_rank_reader *from);
} form;

static void write_setup(hr_buffer *to) {
    const uint32_t weight = 1;
    hr_rank_write_setup(to, &(hr_stats_setup){.kind = HR_STATS_LABELS,
                                              .binning = &binning,
                                              .outputs = OUTPUTS,
                                              .depth = 4,
                                              .weights = &weight});
}

static void read_setup(hr_rank_reader *from) {
    static const uint32_t own[] = {3, 4};
    hr_stats_setup got;
    hr_rank_read_setup(from, own, &got);
    if (from->failed) return;
    assert_true(got.kind == HR_STATS_LABELS && got.outputs == OUTPUTS && got.depth == 4);
    assert_ptr_equal(got.weights, own);
    assert_same_binning(got.binning);
}

static void write_trees(hr_buffer *to) {
    hr_rank_write_trees(to, trees, 2);
}

static void read_trees(hr_rank_reader *from) {
    size_t count;
    const hr_tree *got = hr_rank_read_trees(from, &count);
    if (from->failed) return;
    assert_int_equal(count, 2);
    assert_same_trees(got, trees, 2);
}

static void write_queries(hr_buffer *to) {
    const hr_stats_query queries[] = {{.answer = HR_STATS_BINS, .node = 3, .feature = 1},
                                      {.answer = HR_STATS_LEAVES, .tree = trees, .walk = true}};
    hr_rank_write_queries(to, queries, 2);
}

static void read_queries(hr_rank_reader *from) {
    size_t count;
    const hr_stats_query *got = hr_rank_read_queries(from, &count);
    if (from->failed) return;
    assert_int_equal(count, 2);
    assert_true(got[0].answer == HR_STATS_BINS && got[0].node == 3 && got[0].feature == 1);
    assert_true(got[1].answer == HR_STATS_LEAVES && got[1].walk);
    assert_same_trees(got[1].tree, trees, 1);
}

static double base[OUTPUTS] = {.1, -.2, .3}, step[OUTPUTS * HR_CANDIDATE_SCAN_NODES_MAX];

static void write_choice(hr_buffer *to) {
    step[OUTPUTS * HR_CANDIDATE_SCAN_NODES_MAX - 1] = 7;
    const hr_hedge_question question = {.kind = HR_HEDGE_CHOICE,
                                        .binning = &binning,
                                        .base = base,
                                        .trees = trees,
                                        .tree_count = 2,
                                        .blocks = 4,
                                        .block = 3,
                                        .threshold = 9,
                                        .step = step};
    hr_rank_write_hedge_question(to, &question, OUTPUTS, true);
}

static void read_choice(hr_rank_reader *from) {
    hr_hedge_question got;
    hr_rank_read_hedge_question(from, &got);
    if (from->failed) return;
    assert_true(got.kind == HR_HEDGE_CHOICE && got.tree_count == 2 && got.blocks == 4 && got.block == 3);
    assert_true(got.threshold == 9 && got.forest == NULL);
    assert_same_binning(got.binning);
    assert_memory_equal(got.base, base, sizeof base);
    assert_memory_equal(got.step, step, sizeof step);
    assert_same_trees(got.trees, trees, 2);
}

static void write_reliability(hr_buffer *to) {
    const hr_forest forest = {.link = HR_LINK_SIGNED,
                              .output_count = OUTPUTS,
                              .base = base,
                              .trees = (hr_tree *)trees,
                              .tree_count = 2};
    hr_rank_write_hedge_question(to,
                                 &(hr_hedge_question){.kind = HR_HEDGE_RELIABILITY,
                                                      .binning = &binning,
                                                      .forest = &forest,
                                                      .step = step,
                                                      .published = 1.5},
                                 OUTPUTS, false);
}

static void read_reliability(hr_rank_reader *from) {
    hr_hedge_question got;
    hr_rank_read_hedge_question(from, &got);
    if (from->failed) return;
    assert_true(got.kind == HR_HEDGE_RELIABILITY && !got.binning && !got.trees[0].nodes);
    assert_true(got.published == 1.5);
    assert_memory_equal(got.step, step, sizeof step);
    assert_true(got.forest->link == HR_LINK_SIGNED && got.forest->tree_count == 2);
    assert_memory_equal(got.forest->base, base, sizeof base);
    assert_same_trees(got.forest->trees, trees, 2);
}

static void write_forest(hr_buffer *to) {
    const hr_forest forest = {
        .output_count = OUTPUTS, .base = base, .trees = (hr_tree *)trees, .tree_count = 2};
    hr_rank_write_forest(to, &forest);
}

static void read_forest(hr_rank_reader *from) {
    const hr_forest *got = hr_rank_read_forest(from);
    if (from->failed) return;
    assert_non_null(got);
    assert_true(got->tree_count == 2);
    assert_memory_equal(got->base, base, sizeof base);
    assert_same_trees(got->trees, trees, 2);
}

static const form forms[] = {{write_setup, read_setup},
                             {write_trees, read_trees},
                             {write_queries, read_queries},
                             {write_choice, read_choice},
                             {write_reliability, read_reliability},
                             {write_forest, read_forest}};

/* The bytes stand at the end of their memory, so that a tool sees who reads past them. */
static bool reads(const form *of, const char *bytes, size_t size) {
    hr_arena *arena = hr_arena_new();
    char *copy = malloc(size + 1);
    assert_true(arena && copy);
    memcpy(copy, bytes, size);
    hr_rank_reader reader = {copy, size, arena, false};
    of->read(&reader);
    const bool all = !reader.failed && !reader.left;
    free(copy);
    hr_arena_free(arena);
    return all;
}

static void test_question__is_read_as_it_was_written(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        hr_buffer bytes = {0};
        forms[i].write(&bytes);
        assert_false(bytes.failed);
        assert_true(reads(&forms[i], bytes.bytes, bytes.size));
        hr_buffer_done(&bytes);
    }
}

static void test_question__is_refused_if_it_is_cut_off(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        hr_buffer bytes = {0};
        forms[i].write(&bytes);
        for (size_t size = 0; size < bytes.size; size += 1 + size / 97)
            assert_false(reads(&forms[i], bytes.bytes, size));
        hr_buffer_done(&bytes);
    }
}

static void test_question__is_refused_if_a_count_is_too_large(void **state) {
    (void)state;
    static const uint64_t counts_sent[] = {2, UINT64_MAX, UINT64_MAX / 8, (uint64_t)1 << 61};
    for (size_t i = 0; i < sizeof counts_sent / sizeof *counts_sent; i++) {
        uint64_t body[2] = {counts_sent[i], 0};
        hr_arena *arena = hr_arena_new();
        hr_rank_reader reader = {(const char *)body, sizeof body, arena, false};
        size_t count;
        assert_null(hr_rank_read(&reader, &count, sizeof(uint64_t)));
        assert_true(reader.failed && !count);
        hr_arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_question__is_read_as_it_was_written),
        cmocka_unit_test(test_question__is_refused_if_it_is_cut_off),
        cmocka_unit_test(test_question__is_refused_if_a_count_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
