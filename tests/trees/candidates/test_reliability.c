/* The table of reliability against a plain count, record by record, and its sensitivity
 * (reliability.proof.md) by adding records. */
#include "support/binned_table.h"
#include "trees/candidates/reliability.h"
#include "trees/tree/link.h"
#include "trees/tree/random_tree.h"

enum {
    FEATURES = 7,
    TREES = 9,
    OUTPUTS_MAX = 4,
    DEPTH_MAX = 5,
    NODES = (2 << DEPTH_MAX) - 1,
    CELLS = HR_RELIABILITY_CELLS,
    FINE = 1 << 20
};

static const uint32_t some_bins[] = {9, 4, 6, 2, 12, 256, 3};

typedef struct world {
    binned_table t;
    hr_dice dice;
    double *labels, *start, base[OUTPUTS_MAX];
    bool started; /* scores begin at `start`, and not at the base */
    hr_node nodes[TREES][NODES];
    hr_bin_set subsets[TREES][NODES];
    hr_tree trees[TREES];
    hr_forest forest;
} world;

/* Leaf values of `size`: probabilities everywhere, at the ends too. */
static void draw_forest(world *w, hr_link link, size_t outputs, double size) {
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(hr_dice_below(&w->dice, 1000000), &csprng, NULL), HR_OK);
    double weights[FEATURES];
    for (size_t f = 0; f < FEATURES; f++) weights[f] = 1;
    for (size_t t = 0; t < TREES; t++) {
        const hr_random_plan plan = {.depth = 1 + (int)t % DEPTH_MAX, .weights = weights, .centred = 2};
        hr_random_tree(csprng, &w->t.binning, &plan, w->nodes[t], w->subsets[t], &w->trees[t]);
        w->trees[t].output = t % outputs;
        for (size_t n = 0; n < w->trees[t].node_count; n++)
            w->nodes[t][n].value = size * (2 * hr_dice_unit(&w->dice) - 1);
    }
    for (size_t k = 0; k < outputs; k++) w->base[k] = hr_dice_unit(&w->dice) - .5;
    w->forest = (hr_forest){.link = link,
                            .output_count = outputs,
                            .base = w->base,
                            .trees = w->trees,
                            .tree_count = TREES,
                            .calibration = {true, 1, 2}}; /* it is not looked at */
    hr_csprng_close(csprng);
}

static void world_open(world *w, size_t rows, size_t classes, uint64_t seed) {
    memset(w, 0, sizeof *w);
    hr_dice_init(&w->dice, seed);
    w->t = binned_table_new(&w->dice, rows, FEATURES, some_bins, FEATURES);
    binned_table_bin(&w->t);
    w->labels = arena_room(w->t.arena, rows, sizeof *w->labels);
    w->start = arena_room(w->t.arena, rows * OUTPUTS_MAX, sizeof *w->start);
    for (size_t i = 0; i < rows; i++) w->labels[i] = (double)hr_dice_below(&w->dice, classes);
    for (size_t i = 0; i < rows * OUTPUTS_MAX; i++) w->start[i] = 2 * hr_dice_unit(&w->dice) - 1;
}

/* Scores are sums of integers, in units of 1/FINE. */
static double fixed(double x) {
    return nearbyint(x * FINE);
}

static double score_by_hand(const world *w, size_t row, size_t output) {
    double score = fixed(w->started ? w->start[row * w->forest.output_count + output] : w->base[output]);
    for (size_t t = 0; t < TREES; t++) {
        const hr_tree *tree = &w->trees[t];
        const hr_node *node = tree->nodes;
        if (tree->output != output) continue;
        while (node->left) {
            hr_kind kind = w->t.binning.features[node->feature].kind;
            node = &tree->nodes[node->left +
                                !hr_node_goes_left(tree, node, kind, bin_at(&w->t, row, node->feature))];
        }
        score += fixed(node->value);
    }
    return score / FINE;
}

/* The cell of a record, from the definition of links. */
static double soft_clip(double x) {
    return x < .5 ? (x < .02 ? .005 + .015 * exp((x - .02) / .015) : x) : 1 - soft_clip(1 - x);
}

static size_t cell_by_hand(const world *w, size_t row) {
    size_t outputs = w->forest.output_count, spoken_of = 1;
    bool is_signed = w->forest.link == HR_LINK_SIGNED;
    double p[OUTPUTS_MAX] = {0}, sum = 0, score = score_by_hand(w, row, 0);
    if (outputs == 1) {
        p[1] = is_signed ? soft_clip((1 + score) / 2) : 1 / (1 + exp(-score));
    } else {
        for (size_t k = 0; k < outputs; k++) {
            score = score_by_hand(w, row, k);
            sum += p[k] = is_signed ? soft_clip((1 + score) / 2) : exp(score);
        }
        for (size_t k = 0; k < outputs; k++) p[k] /= sum;
        for (size_t k = spoken_of = outputs == 2; outputs > 2 && k < outputs; k++)
            spoken_of = p[k] > p[spoken_of] ? k : spoken_of;
    }
    double clipped = p[spoken_of] < .005 ? .005 : p[spoken_of] > .995 ? .995 : p[spoken_of];
    return 2 * (size_t)floor(20 * clipped) + (w->labels[row] == (double)spoken_of);
}

static void check_counts(size_t rows, hr_link link, size_t outputs, int threads, bool *met) {
    static world w;
    world_open(&w, rows, outputs == 1 ? 2 : outputs, 40 + rows + outputs);
    draw_forest(&w, link, outputs, link == HR_LINK_SIGNED ? .7 : 3);
    w.started = rows % 2;
    const hr_reliability_records records = {w.t.binned, w.labels, w.started ? w.start : NULL, NULL};
    hr_exact got[CELLS];
    int64_t wanted[CELLS] = {0};
    for (size_t i = 0; i < rows; i++) wanted[cell_by_hand(&w, i)] += 64;
    assert_int_equal(hr_reliability_count(&w.forest, &records, threads, got, NULL), HR_OK);
    for (size_t c = 0; c < CELLS; c++) {
        if (got[c].unpaid != wanted[c])
            fail_msg("cell %zu holds %lld, wanted %lld", c, (long long)got[c].unpaid, (long long)wanted[c]);
        met[c] |= wanted[c] > 0;
    }
    binned_table_close(&w.t);
}

static void test_reliability__counts_as_a_plain_computation(void **state) {
    (void)state;
    static const size_t row_counts[] = {0, 1, 511, 512, 513, 2600};
    bool met[CELLS] = {false};
    for (int threads = 1; threads <= 4; threads++)
        for (size_t i = 0; i < sizeof row_counts / sizeof *row_counts; i++) {
            check_counts(row_counts[i], HR_LINK_SIGNED, 1, threads, met);
            check_counts(row_counts[i], HR_LINK_LOGISTIC, 1, threads, met);
            check_counts(row_counts[i], HR_LINK_SIGNED, 2, threads, met);
            check_counts(row_counts[i], HR_LINK_SIGNED, 4, threads, met);
            check_counts(row_counts[i], HR_LINK_LOGISTIC, 3, threads, met);
        }
    for (size_t c = 0; c < CELLS; c++) assert_true(met[c]);
}

/* Neighbours: consecutive rows of a table, and one more. */
static void check_neighbours(world *w) {
    hr_binned some = *w->t.binned, more;
    size_t begin = hr_dice_below(&w->dice, w->t.rows - 700);
    some.columns += begin;
    some.rows = hr_dice_below(&w->dice, 20) ? hr_dice_below(&w->dice, 9) : 500 + hr_dice_below(&w->dice, 30);
    more = some;
    more.rows++;
    hr_exact without[CELLS], with[CELLS];
    const double *start = hr_dice_below(&w->dice, 2) ? w->start + begin * w->forest.output_count : NULL;
    const hr_reliability_records fewer = {&some, w->labels + begin, start, NULL},
                                 all = {&more, fewer.labels, start, NULL};
    assert_int_equal(hr_reliability_count(&w->forest, &fewer, 1, without, NULL), HR_OK);
    assert_int_equal(hr_reliability_count(&w->forest, &all, 2, with, NULL), HR_OK);
    int64_t l1 = 0, square = 0;
    for (size_t c = 0; c < CELLS; c++) {
        int64_t change = with[c].unpaid - without[c].unpaid;
        l1 += llabs(change);
        square += change * change;
    }
    assert_true(l1 == 64 && square == 64 * 64);
}

static void test_reliability__one_record_changes_one_cell(void **state) {
    (void)state;
    static world w;
    world_open(&w, 2000, OUTPUTS_MAX, 8);
    for (int i = 0; i < 4000; i++) {
        if (i % 20 == 0)
            draw_forest(&w, i % 40 ? HR_LINK_SIGNED : HR_LINK_LOGISTIC, 1 + (size_t)i / 20 % OUTPUTS_MAX,
                        i % 3 ? .5 : 1e99);
        check_neighbours(&w);
    }
    binned_table_close(&w.t);
}

/* No release can make such a forest; but then, what floats do is not part of the proof. */
static void test_reliability__has_a_cell_for_whatever_floats_do(void **state) {
    (void)state;
    static world w;
    world_open(&w, 1000, OUTPUTS_MAX, 9);
    static const double odd[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300};
    for (size_t outputs = 1; outputs <= OUTPUTS_MAX; outputs++)
        for (size_t i = 0; i < 8; i++) {
            draw_forest(&w, i % 2 ? HR_LINK_SIGNED : HR_LINK_LOGISTIC, outputs, 1e300);
            for (size_t k = 0; k < outputs; k++) w.base[k] = odd[(i / 2 + k) % 4];
            hr_exact cells[CELLS];
            int64_t sum = 0;
            assert_int_equal(hr_reliability_count(&w.forest,
                                                  &(hr_reliability_records){w.t.binned, w.labels, NULL, NULL},
                                                  2, cells, NULL),
                             HR_OK);
            for (size_t c = 0; c < CELLS; c++) sum += cells[c].unpaid;
            assert_true(sum == 64 * 1000);
        }
    binned_table_close(&w.t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reliability__counts_as_a_plain_computation),
        cmocka_unit_test(test_reliability__one_record_changes_one_cell),
        cmocka_unit_test(test_reliability__has_a_cell_for_whatever_floats_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
