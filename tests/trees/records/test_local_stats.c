/* Whole trees over records in this process: grown by random splits, against brute force over rows. */
#include "support/binned_table.h"
#include "trees/grow/grow.h"
#include "trees/records/local_stats.h"
#include "trees/records/tree_scores.h"
#include "trees/stats/gradient.h"
#include "trees/stats/split.h"

static const hr_packing pack = {
    .shift = 26, .gradient_bound = 4096, .gradient_scale = 4096, .weight_scale = 1};
static const uint32_t some_bins[] = {7, 4, 6, 3, 12, 256, 2, 9};

/* ---- A source of nothing but sums ---- */

typedef struct bare_source {
    hr_stats_source source; /* first */
    hr_local_stats *local;
} bare_source;

static hr_status sum_bare(hr_stats_source *self, const uint32_t *nodes, hr_sum_word *const *out, size_t count,
                          hr_error *err) {
    (void)err;
    hr_local_stats_sum(((bare_source *)self)->local, nodes, out, count);
    return HR_OK;
}

static hr_status split_bare(hr_stats_source *self, const uint32_t *nodes, const hr_split *splits,
                            const uint32_t *left, size_t count, hr_error *err) {
    (void)err;
    hr_local_stats_split(((bare_source *)self)->local, nodes, splits, left, count);
    return HR_OK;
}

static const hr_stats_ops bare_ops = {.sum = sum_bare, .split = split_bare};

static bare_source bare(hr_local_stats *local) {
    return (bare_source){{&bare_ops, 0}, local};
}

/* ---- A splitter that rolls dice ---- */

typedef struct roller {
    hr_splitter splitter; /* first */
    hr_dice dice;
    const hr_binning *binning;
    uint64_t leaf_of_16; /* how often a node stays a leaf */
    int levels;          /* how many were asked for */
} roller;

static void check_histogram(const hr_binning *binning, const hr_sum_word *cells, hr_sum_word total) {
    for (size_t f = 0; f < binning->feature_count; f++) {
        hr_sum_word sum = 0;
        for (uint32_t b = 0; b < binning->features[f].bin_count; b++) sum += cells[hr_histogram_at(f) + b];
        assert_true(sum == total);
    }
}

static hr_status roll(hr_splitter *self, const hr_level_nodes *nodes, hr_split *splits, hr_error *err) {
    (void)err;
    roller *r = (roller *)self;
    assert_int_equal(nodes->level, r->levels);
    assert_true(nodes->count >= 1 && nodes->count <= (size_t)1 << nodes->level);
    r->levels = nodes->level + 1;
    for (size_t i = 0; i < nodes->count; i++) {
        check_histogram(r->binning, nodes->cells[i], nodes->totals[i]);
        splits[i] = random_split(&r->dice, r->binning);
        splits[i].made = hr_dice_below(&r->dice, 16) >= r->leaf_of_16;
    }
    return HR_OK;
}

static hr_status refuse(hr_splitter *self, const hr_level_nodes *nodes, hr_split *splits, hr_error *err) {
    return nodes->level == 2 ? hr_fail(err, HR_E_BUDGET, "", "no more") : roll(self, nodes, splits, err);
}

static roller roller_new(const hr_binning *binning, uint64_t seed, uint64_t leaf_of_16) {
    roller r = {.splitter = {roll}, .binning = binning, .leaf_of_16 = leaf_of_16};
    hr_dice_init(&r.dice, seed);
    return r;
}

/* ---- Brute force ---- */

static uint32_t leaf_of(const binned_table *t, const hr_tree *tree, size_t row) {
    uint32_t at = 0;
    while (tree->nodes[at].left) {
        const hr_node *node = &tree->nodes[at];
        bool left = hr_node_goes_left(tree, node, t->binning.features[node->feature].kind,
                                      bin_at(t, row, node->feature));
        at = node->left + !left;
    }
    return at;
}

static void check_shape(const binned_table *t, const hr_tree *tree, int depth) {
    int *level = arena_room(t->arena, tree->node_count, sizeof *level);
    bool *reached = arena_room(t->arena, tree->node_count, sizeof *reached);
    reached[0] = true;
    for (uint32_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        assert_true(reached[n]);
        assert_true(node->value == 0);
        if (!node->left) continue;
        assert_true(node->left > n && node->left + 1 < tree->node_count && level[n] < depth);
        assert_true(!reached[node->left] && !reached[node->left + 1]);
        reached[node->left] = reached[node->left + 1] = true;
        level[node->left] = level[node->left + 1] = level[n] + 1;
        assert_true(node->feature < t->binning.feature_count);
        if (t->binning.features[node->feature].kind == HR_KIND_CATEGORY)
            assert_true(node->subset < tree->subset_count);
    }
}

static void check_sums(const binned_table *t, const hr_tree *tree, const hr_sums *sums, const uint32_t *rows,
                       const int64_t *packed, size_t count) {
    hr_sums *wanted = arena_room(t->arena, tree->node_count, sizeof *wanted);
    for (size_t i = 0; i < count; i++) {
        hr_sums one = hr_unpack(&pack, packed[i]), *leaf = &wanted[leaf_of(t, tree, rows ? rows[i] : i)];
        leaf->gradient.unpaid += one.gradient.unpaid;
        leaf->weight.unpaid += one.weight.unpaid;
    }
    for (size_t n = 0; n < tree->node_count; n++) {
        if (tree->nodes[n].left) continue;
        assert_true(sums[n].gradient.unpaid == wanted[n].gradient.unpaid);
        assert_true(sums[n].weight.unpaid == wanted[n].weight.unpaid);
    }
}

/* Every record's own gradient, in the leaf that it walks to, wherever growth left it. */
static void check_hessians(const binned_table *t, const hr_local_stats *local, const hr_tree *tree,
                           const uint32_t *rows, const int64_t *packed, size_t count) {
    const hr_hessian_rule rule = {&pack, 1.5, NULL};
    int64_t *wanted = arena_room(t->arena, tree->node_count, sizeof *wanted);
    hr_exact *sums = arena_room(t->arena, tree->node_count, sizeof *sums);
    size_t leaf = 0;
    for (size_t i = 0; i < count; i++)
        wanted[leaf_of(t, tree, rows ? rows[i] : i)] +=
            hr_hessian(&rule, 0, hr_unpack(&pack, packed[i]).gradient.unpaid);
    hr_local_stats_hessians(local, tree, &rule, sums);
    for (size_t n = 0; n < tree->node_count; n++)
        if (!tree->nodes[n].left) assert_int_equal(sums[leaf++].unpaid, wanted[n]);
}

/* Values that no order of addition would leave as they are. */
static void set_values(hr_dice *dice, hr_tree *tree) {
    for (size_t n = 0; n < tree->node_count; n++)
        if (!tree->nodes[n].left) tree->nodes[n].value = hr_dice_normal(dice) * .1;
}

static double *scores_new(hr_dice *dice, const binned_table *t, size_t stride) {
    double *scores = arena_room(t->arena, t->rows * stride, sizeof *scores);
    for (size_t i = 0; i < t->rows * stride; i++) scores[i] = hr_dice_normal(dice);
    return scores;
}

static double *scores_copy(const binned_table *t, const double *scores, size_t stride) {
    double *copy = arena_room(t->arena, t->rows * stride, sizeof *copy);
    memcpy(copy, scores, t->rows * stride * sizeof *copy);
    return copy;
}

/* Adds what the walk of blocks finds for rows[0..count). */
static void add_walked(const binned_table *t, const hr_tree *tree, const uint32_t *rows, size_t count,
                       double *scores, size_t stride) {
    hr_tree_scores *walks;
    assert_int_equal(hr_tree_scores_new(t->binned, stride, 2, &walks, NULL), HR_OK);
    assert_int_equal(hr_tree_scores_keep(walks, tree, 1, NULL), HR_OK);
    assert_int_equal(hr_tree_scores_add(walks, 0, rows, count, scores, NULL), HR_OK);
    hr_tree_scores_free(walks);
}

/* The tree's own records, by the partition and by walks: the same bits. */
static void check_scores(hr_dice *dice, const binned_table *t, const hr_local_stats *local,
                         const hr_tree *tree, const uint32_t *rows, size_t count) {
    enum { STRIDE = 3 };
    double *start = scores_new(dice, t, STRIDE), *walked = scores_copy(t, start, STRIDE),
           *local_scores = scores_copy(t, start, STRIDE), *routed = scores_copy(t, start, STRIDE);
    for (size_t i = 0; i < count; i++) {
        size_t row = rows ? rows[i] : i;
        walked[row * STRIDE + tree->output] += tree->nodes[leaf_of(t, tree, row)].value;
    }
    hr_local_stats_add_tree(local, tree, local_scores + tree->output, STRIDE);
    assert_memory_equal(walked, local_scores, t->rows * STRIDE * sizeof *walked);
    add_walked(t, tree, rows, count, routed, STRIDE);
    assert_memory_equal(walked, routed, t->rows * STRIDE * sizeof *walked);
}

/* ---- One tree ---- */

typedef struct growth {
    int depth, threads;
    uint64_t seed, leaf_of_16;
    const uint32_t *rows; /* NULL: all */
    size_t count;
} growth;

static void check_growth(const binned_table *t, hr_local_stats *local, hr_grower *grower, const growth *g,
                         hr_tree *tree) {
    hr_dice dice;
    hr_dice_init(&dice, g->seed);
    int64_t *packed = random_packed(&dice, t->arena, &pack, 1, g->count);
    roller r = roller_new(&t->binning, g->seed, g->leaf_of_16);
    bare_source source = bare(local);
    hr_growth from = {&source.source, &r.splitter, &pack, t->arena, NULL};
    const hr_sums *sums;
    memcpy(hr_local_stats_packed(local), packed, g->count * sizeof *packed);
    hr_local_stats_start(local, g->rows, g->count);
    assert_int_equal(hr_grow(grower, &from, tree, &sums, NULL), HR_OK);
    assert_true(r.levels <= g->depth);
    check_shape(t, tree, g->depth);
    check_sums(t, tree, sums, g->rows, packed, g->count);
    check_hessians(t, local, tree, g->rows, packed, g->count);
    set_values(&dice, tree);
    tree->output = g->seed % 3;
    check_scores(&dice, t, local, tree, g->rows, g->count);
}

static bool same_tree(const hr_tree *a, const hr_tree *b) {
    if (a->node_count != b->node_count || a->subset_count != b->subset_count || a->output != b->output)
        return false;
    for (size_t n = 0; n < a->node_count; n++) {
        const hr_node *x = &a->nodes[n], *y = &b->nodes[n];
        if (x->left != y->left || x->value != y->value) return false;
        if (x->left && (x->feature != y->feature || x->subset != y->subset || x->cut != y->cut ||
                        x->missing_left != y->missing_left))
            return false;
    }
    return a->subset_count == 0 || !memcmp(a->subsets, b->subsets, a->subset_count * sizeof *a->subsets);
}

/* Grows one tree with each number of threads, twice with the same tools. */
static void check_threads(const binned_table *t, growth g) {
    hr_tree first = {0}, tree;
    for (g.threads = 1; g.threads <= 4; g.threads++) {
        hr_local_stats *local;
        hr_grower *grower;
        assert_int_equal(hr_local_stats_new(t->binned, t->rows, g.depth, g.threads, &local, NULL), HR_OK);
        assert_int_equal(
            hr_grower_new(&t->binning, hr_histogram_cells(t->binning.feature_count), g.depth, &grower, NULL),
            HR_OK);
        growth other = g;
        other.seed += 1000;
        check_growth(t, local, grower, &other, &tree);
        check_growth(t, local, grower, &g, &tree);
        if (g.threads == 1) first = tree;
        assert_true(same_tree(&first, &tree));
        hr_grower_free(grower);
        hr_local_stats_free(local);
    }
}

static uint32_t *some_rows(hr_dice *dice, const binned_table *t, uint64_t keep_of_16, size_t *count) {
    uint32_t *rows = arena_room(t->arena, t->rows, sizeof *rows);
    *count = 0;
    for (size_t i = 0; i < t->rows; i++)
        if (hr_dice_below(dice, 16) < keep_of_16) rows[(*count)++] = (uint32_t)i;
    return rows;
}

static void test_tree__agrees_with_brute_force(void **state) {
    (void)state;
    static const size_t rows[] = {1, 2, 33, 700, 4099}, features[] = {1, 3, 32, 34};
    static const int depths[] = {1, 2, 6};
    hr_dice dice;
    hr_dice_init(&dice, 1);
    for (uint64_t c = 0; c < 5 * 4; c += 3) {
        binned_table t = binned_table_new(&dice, rows[c % 5], features[c / 5], some_bins, 8);
        binned_table_bin(&t);
        for (int d = 0; d < 3; d++)
            for (uint64_t keep = 0; keep <= 16; keep += 8) {
                growth g = {.depth = depths[d],
                            .seed = c * 100 + keep,
                            .leaf_of_16 = (c + keep / 8) % 3 * 3,
                            .count = t.rows};
                if (keep < 16) g.rows = some_rows(&dice, &t, keep, &g.count);
                check_threads(&t, g);
            }
        binned_table_close(&t);
    }
}

static void test_tree__may_be_twelve_deep(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 2);
    binned_table t = binned_table_new(&dice, 20000, 5, some_bins, 8);
    binned_table_bin(&t);
    check_threads(&t, (growth){.depth = 12, .seed = 5, .leaf_of_16 = 1, .count = t.rows});
    binned_table_close(&t);
}

static void test_tree__may_be_a_single_leaf(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 3);
    binned_table t = binned_table_new(&dice, 500, 4, some_bins, 8);
    binned_table_bin(&t);
    check_threads(&t, (growth){.depth = 6, .seed = 5, .leaf_of_16 = 16, .count = t.rows});
    binned_table_close(&t);
}

static void test_tree__takes_enough_records_for_all_threads(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 4);
    binned_table t = binned_table_new(&dice, 32768 * 6 + 123, 3, some_bins, 8);
    binned_table_bin(&t);
    check_threads(&t, (growth){.depth = 4, .seed = 1, .count = t.rows});
    check_threads(&t, (growth){.depth = 4, .seed = 2, .leaf_of_16 = 2, .count = t.rows});
    growth g = {.depth = 5, .seed = 3, .leaf_of_16 = 1};
    g.rows = some_rows(&dice, &t, 14, &g.count);
    check_threads(&t, g);
    binned_table_close(&t);
}

/* ---- The sums by themselves ---- */

static void check_node_sums(const binned_table *t, hr_local_stats *local, uint32_t node,
                            const uint32_t *where, const int64_t *packed) {
    size_t cells = hr_histogram_cells(t->binning.feature_count);
    hr_sum_word *out = arena_room(t->arena, cells, sizeof *out),
                *wanted = arena_room(t->arena, cells, sizeof *wanted);
    memset(out, 0x11, cells * sizeof *out);
    hr_local_stats_sum(local, &node, &out, 1);
    for (size_t i = 0; i < t->rows; i++)
        for (size_t f = 0; where[i] == node && f < t->binning.feature_count; f++)
            wanted[hr_histogram_at(f) + bin_at(t, i, f)] += packed[i];
    for (size_t f = 0; f < t->binning.feature_count; f++)
        assert_memory_equal(out + hr_histogram_at(f), wanted + hr_histogram_at(f), HR_BINS_MAX * sizeof *out);
}

static void test_sums__are_those_of_every_node(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 5);
    for (int threads = 1; threads <= 3; threads++) {
        binned_table t = binned_table_new(&dice, 3000, 40, some_bins, 8);
        binned_table_bin(&t);
        hr_local_stats *local;
        assert_int_equal(hr_local_stats_new(t.binned, t.rows, 6, threads, &local, NULL), HR_OK);
        int64_t *packed = random_packed(&dice, t.arena, &pack, 1, t.rows);
        uint32_t *where = arena_room(t.arena, t.rows, sizeof *where), begin = 0, end = 1;
        memcpy(hr_local_stats_packed(local), packed, t.rows * sizeof *packed);
        hr_local_stats_start(local, NULL, t.rows);
        check_node_sums(&t, local, 0, where, packed);
        for (int level = 0; level < 4; level++) {
            uint32_t nodes[64], left[64], count = 0, next = end;
            hr_split splits[64];
            for (uint32_t n = begin; n < end; n++) {
                if (level > 1 && n % 5 == 0) continue; /* stays a leaf */
                nodes[count] = n, left[count] = next, splits[count] = random_split(&dice, &t.binning);
                for (size_t i = 0; i < t.rows; i++)
                    if (where[i] == n)
                        where[i] =
                            next + !hr_split_goes_left(&splits[count], bin_at(&t, i, splits[count].feature));
                next += 2, count++;
            }
            hr_local_stats_split(local, nodes, splits, left, count);
            for (uint32_t n = end; n < next; n++) check_node_sums(&t, local, n, where, packed);
            begin = end, end = next;
        }
        hr_local_stats_free(local);
        binned_table_close(&t);
    }
}

/* ---- The grower by itself ---- */

static void test_grow__hands_failures_on(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 6);
    binned_table t = binned_table_new(&dice, 500, 3, some_bins, 8);
    binned_table_bin(&t);
    hr_local_stats *local;
    hr_grower *grower;
    assert_int_equal(hr_local_stats_new(t.binned, t.rows, 5, 1, &local, NULL), HR_OK);
    assert_int_equal(hr_grower_new(&t.binning, hr_histogram_cells(t.binning.feature_count), 5, &grower, NULL),
                     HR_OK);
    int64_t *packed = random_packed(&dice, t.arena, &pack, 1, t.rows);
    roller r = roller_new(&t.binning, 1, 0);
    r.splitter.choose = refuse;
    hr_tree tree = {.node_count = 77}, good;
    const hr_sums *sums = NULL;
    hr_error err = {0};
    memcpy(hr_local_stats_packed(local), packed, t.rows * sizeof *packed);
    hr_local_stats_start(local, NULL, t.rows);
    bare_source source = bare(local);
    hr_growth from = {&source.source, &r.splitter, &pack, t.arena, NULL};
    assert_int_equal(hr_grow(grower, &from, &tree, &sums, &err), HR_E_BUDGET);
    assert_true(tree.node_count == 77 && !sums && err.status == HR_E_BUDGET);
    check_growth(&t, local, grower, &(growth){.depth = 5, .seed = 9, .count = t.rows},
                 &good); /* and can be used again */
    hr_grower_free(grower);
    hr_local_stats_free(local);
    binned_table_close(&t);
    hr_grower_free(NULL);
    hr_local_stats_free(NULL);
}

/* What a tree shows besides its splits, the numbers of its nodes, tells nothing of the records: it may be
 * published. */
static void test_grow__numbers_nodes_without_a_look_at_records(void **state) {
    (void)state;
    enum { DEPTH = 5, DRAWS = 20 };
    hr_dice dice;
    hr_dice_init(&dice, 7);
    binned_table t = binned_table_new(&dice, 900, 6, some_bins, 8);
    binned_table_bin(&t);
    hr_local_stats *local;
    hr_grower *grower;
    assert_int_equal(hr_local_stats_new(t.binned, t.rows, DEPTH, 1, &local, NULL), HR_OK);
    assert_int_equal(
        hr_grower_new(&t.binning, hr_histogram_cells(t.binning.feature_count), DEPTH, &grower, NULL), HR_OK);
    hr_tree first;
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        hr_tree tree;
        roller r = roller_new(&t.binning, 1, 0); /* splits by dice alone, and always the same */
        const hr_sums *sums;
        size_t count;
        uint32_t *rows = some_rows(&dice, &t, draw % 16, &count);
        int64_t *packed = random_packed(&dice, t.arena, &pack, 1, count);
        memcpy(hr_local_stats_packed(local), packed, count * sizeof *packed);
        hr_local_stats_start(local, rows, count);
        bare_source source = bare(local);
        hr_growth from = {&source.source, &r.splitter, &pack, t.arena, NULL};
        assert_int_equal(hr_grow(grower, &from, &tree, &sums, NULL), HR_OK);
        if (!draw) first = tree;
        assert_int_equal(tree.node_count, (2 << DEPTH) - 1);
        assert_true(same_tree(&first, &tree));
    }
    hr_grower_free(grower);
    hr_local_stats_free(local);
    binned_table_close(&t);
}

/* ---- Walks ---- */

/* Of records that the tree was not trained on, in any number. */
static void test_walk__ends_in_the_same_leaf(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 7);
    binned_table t = binned_table_new(&dice, 3001, 35, some_bins, 8);
    binned_table_bin(&t);
    for (int k = 0; k < 12; k++) {
        hr_local_stats *local;
        hr_grower *grower;
        hr_tree tree;
        growth g = {.depth = 1 + k % 9, .seed = (uint64_t)k, .leaf_of_16 = k > 9 ? 16 : (uint64_t)k % 4 * 2};
        g.rows = some_rows(&dice, &t, 5, &g.count);
        assert_int_equal(hr_local_stats_new(t.binned, t.rows, g.depth, 1, &local, NULL), HR_OK);
        assert_int_equal(
            hr_grower_new(&t.binning, hr_histogram_cells(t.binning.feature_count), g.depth, &grower, NULL),
            HR_OK);
        check_growth(&t, local, grower, &g, &tree);
        for (size_t count = 0; count <= t.rows; count += count < 20 ? 1 : 993) {
            double *walked = arena_room(t.arena, t.rows * 3, sizeof *walked),
                   *wanted = arena_room(t.arena, t.rows * 3, sizeof *wanted);
            add_walked(&t, &tree, NULL, count, walked, 3);
            for (size_t i = 0; i < count; i++)
                wanted[i * 3 + tree.output] += tree.nodes[leaf_of(&t, &tree, i)].value;
            assert_memory_equal(walked, wanted, t.rows * 3 * sizeof *walked);
        }
        hr_grower_free(grower);
        hr_local_stats_free(local);
    }
    binned_table_close(&t);
}

/* ---- Leaves ---- */

static void test_leaves__go_and_come_in_order(void **state) {
    (void)state;
    hr_node nodes[7] = {{.left = 1}, {.left = 5}, {.left = 3}, {0}, {0}, {0}, {0}};
    hr_tree tree = {.nodes = nodes, .node_count = 7};
    hr_sums sums[7];
    hr_exact gradients[7], weights[7];
    for (int n = 0; n < 7; n++) sums[n] = (hr_sums){{-10 * n}, {n}};
    assert_int_equal(hr_leaves_of(&tree, sums, gradients, weights), 4);
    for (int l = 0; l < 4; l++)
        assert_true(gradients[l].unpaid == -10 * (l + 3) && weights[l].unpaid == l + 3);
    hr_leaves_set(&tree, (double[]){.5, 1.5, 2.5, 3.5});
    for (int n = 0; n < 7; n++) assert_true(nodes[n].value == (n < 3 ? 0 : n - 2.5));
    hr_tree root = {.nodes = nodes + 3, .node_count = 1};
    assert_int_equal(hr_leaves_of(&root, sums, gradients, weights), 1);
    assert_true(gradients[0].unpaid == 0 && weights[0].unpaid == 0);
}

static void test_leaf_value__is_equation_4(void **state) {
    (void)state;
    static const double lambdas[] = {0, .1, 3}, clips[] = {.01, 1, 1e9};
    const hr_packing packing = {
        .shift = 30, .gradient_bound = 4096, .gradient_scale = 4096 / .7, .weight_scale = 16};
    hr_dice dice;
    hr_dice_init(&dice, 8);
    for (int t = 0; t < 9000; t++) {
        double lambda = lambdas[t % 3], clip = clips[t / 3 % 3];
        int64_t weight = (int64_t)hr_dice_below(&dice, 5000) * (t % 50 != 0), gradient = 0;
        if (weight) gradient = (int64_t)hr_dice_below(&dice, 2 * 4096 * 100) - 4096 * 100;
        double below = (double)weight / 16 + lambda,
               value = below > 0 ? -(double)gradient / packing.gradient_scale / below : 0;
        double wanted = fmax(-clip, fmin(clip, value)) * (1 << HR_VALUE_BITS);
        double found =
            (double)hr_leaf_value(&packing, (hr_exact){gradient}, (hr_exact){weight}, lambda, clip).unpaid;
        assert_true(fabs(found - wanted) <= .5 + 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree__agrees_with_brute_force),
        cmocka_unit_test(test_tree__may_be_twelve_deep),
        cmocka_unit_test(test_tree__may_be_a_single_leaf),
        cmocka_unit_test(test_tree__takes_enough_records_for_all_threads),
        cmocka_unit_test(test_sums__are_those_of_every_node),
        cmocka_unit_test(test_grow__hands_failures_on),
        cmocka_unit_test(test_grow__numbers_nodes_without_a_look_at_records),
        cmocka_unit_test(test_walk__ends_in_the_same_leaf),
        cmocka_unit_test(test_leaves__go_and_come_in_order),
        cmocka_unit_test(test_leaf_value__is_equation_4),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
