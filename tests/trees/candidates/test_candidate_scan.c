/* Sums over many trees in one pass, against a plain computation record by record; and the sensitivities of
 * candidate_scan.proof.md, by adding records. */
#include "support/binned_table.h"
#include "support/sanitized.h"
#include "trees/candidates/candidate_scan.h"
#include "trees/tree/random_tree.h"

#define COUNT_UNIT .2 /* of the losses here */

enum {
    FEATURES = 8,
    TREES = 13,
    OUTPUTS_MAX = 3,
    NODES = HR_CANDIDATE_SCAN_NODES_MAX,
    GRID = 1 << HR_GRADIENT_BITS,
    FINE = 1 << 20 /* scores are in units of 1/FINE */
};

static const uint32_t some_bins[] = {9, 4, 6, 2, 12, 256, 3, 200};
enum { WIDE = 5, WIDE_TOO = 7, CONSTANT = 3 };
static const double quantiles[OUTPUTS_MAX] = {.1, .5, .9};
#define WIDTH .3

/* ---- A plain computation ---- */

/* Records, scan and a twin of it that looks at one record after the other. */
typedef struct pair {
    binned_table t;
    hr_csprng *csprng;
    hr_dice dice;
    size_t outputs;
    bool has_classes, has_quantiles;
    double *targets, base; /* base: of one output */
    int64_t *scores, *published;
    double published_part; /* of the step */
    hr_candidate_scan *scan;
    hr_node nodes[TREES][NODES];
    hr_bin_set subsets[TREES][NODES];
    hr_tree trees[TREES];
    bool steps;
    double values[NODES * OUTPUTS_MAX];
    hr_node step_nodes[NODES];
    hr_bin_set step_subsets[NODES];
    hr_tree step_tree;
} pair;

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

static int64_t fixed(double x) {
    return (int64_t)nearbyint(x * FINE);
}

static double between(hr_dice *dice, double low, double high) {
    return low + (high - low) * hr_dice_unit(dice);
}

static void pair_open(pair *p, size_t rows, size_t outputs, hr_objective objective, int threads) {
    const uint64_t seed = 7 + rows + outputs;
    memset(p, 0, sizeof *p);
    hr_dice_init(&p->dice, seed);
    assert_int_equal(hr_csprng_open_seeded(seed, &p->csprng, NULL), HR_OK);
    p->t = binned_table_new(&p->dice, rows, FEATURES, some_bins, FEATURES);
    binned_table_bin(&p->t);
    p->outputs = outputs;
    p->has_quantiles = objective == HR_OBJECTIVE_QUANTILES;
    p->has_classes = outputs > 1 && !p->has_quantiles;
    p->targets = arena_room(p->t.arena, rows, sizeof *p->targets);
    p->scores = arena_room(p->t.arena, rows * outputs, sizeof *p->scores);
    p->published = arena_room(p->t.arena, rows * outputs, sizeof *p->published);
    double base[OUTPUTS_MAX];
    for (size_t k = 0; k < outputs; k++) base[k] = between(&p->dice, outputs > 1 ? 0 : -.5, .5);
    p->base = base[0];
    for (size_t i = 0; i < rows; i++) {
        p->targets[i] = p->has_classes ? (double)hr_dice_below(&p->dice, outputs)
                                       : (double)hr_dice_below(&p->dice, 3) - 1;
        if (!p->has_classes && hr_dice_below(&p->dice, 2)) p->targets[i] = between(&p->dice, -1, 1);
        for (size_t k = 0; k < outputs; k++) p->scores[i * outputs + k] = fixed(base[k]);
    }
    hr_candidate_scan_setup setup = {p->targets,
                                     outputs,
                                     base,
                                     TREES,
                                     threads,
                                     true,
                                     p->has_quantiles ? HR_OBJECTIVE_QUANTILES : HR_OBJECTIVE_SQUARE,
                                     p->has_quantiles ? quantiles : NULL};
    assert_int_equal(hr_candidate_scan_new(p->t.binned, &setup, &p->scan, NULL), HR_OK);
}

static void pair_close(pair *p) {
    hr_candidate_scan_free(p->scan);
    binned_table_close(&p->t);
    hr_csprng_close(p->csprng);
}

/* Trees over no, one, two, all features and all numbers, which are tables and walks by ranges or by sets; and
 * trees that share their features: one or two, in either order, few or many bins, or only one of two. */
static hr_random_plan plan_of(hr_dice *dice, size_t t, const hr_random_plan *drawn) {
    hr_random_plan plan = {.feature_count = 1};
    switch (t) {
    case 1:
    case 2:
        plan.feature_count = t;
        plan.features[0] = (uint32_t)hr_dice_below(dice, FEATURES);
        plan.features[1] = (plan.features[0] + 1 + (uint32_t)hr_dice_below(dice, FEATURES - 1)) % FEATURES;
        return plan;
    case 3: plan.features[0] = CONSTANT; return plan; /* a number with one value: a single leaf */
    case 6:
    case 7: return drawn[1];
    case 8:
        return (hr_random_plan){.feature_count = 2, .features = {drawn[2].features[1], drawn[2].features[0]}};
    case 9:
        return (hr_random_plan){.feature_count = 2,
                                .features = {drawn[2].features[0], (drawn[2].features[1] + 1) % FEATURES}};
    case 10: plan.features[0] = drawn[2].features[1]; return plan;
    case 11: return (hr_random_plan){.feature_count = 2, .features = {WIDE, WIDE_TOO}};
    case 12: return (hr_random_plan){.feature_count = 2, .features = {WIDE_TOO, drawn[2].features[0]}};
    default: return (hr_random_plan){.feature_count = 0};
    }
}

static void draw_trees(pair *p, int depth) {
    double all[FEATURES], numbers[FEATURES];
    hr_random_plan plans[TREES];
    for (size_t f = 0; f < FEATURES; f++) {
        all[f] = 1;
        numbers[f] = p->t.binning.features[f].kind == HR_KIND_NUMBER;
    }
    for (size_t t = 0; t < TREES; t++) {
        plans[t] = plan_of(&p->dice, t, plans);
        plans[t].depth = depth;
        plans[t].weights = t == 5 ? numbers : all;
        plans[t].centred = 2;
        hr_random_tree(p->csprng, &p->t.binning, &plans[t], p->nodes[t], p->subsets[t], &p->trees[t]);
    }
}

static int64_t clip_to(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

static void plain_step(pair *p, const hr_candidate_scan_loss *loss) {
    double low = p->has_classes ? -.2 : -loss->score_limit, high = p->has_classes ? 1.2 : loss->score_limit;
    for (size_t i = 0; i < p->t.rows; i++)
        for (size_t k = 0; k < p->outputs; k++) {
            double value = p->values[leaf_of(&p->t, &p->step_tree, i) * p->outputs + k];
            int64_t *score = &p->scores[i * p->outputs + k];
            *score = clip_to(*score + fixed(value), fixed(low), fixed(high));
            p->published[i * p->outputs + k] += fixed(p->published_part * value);
        }
    p->steps = false;
}

static int64_t square_of(const int64_t *vector, size_t size) {
    int64_t sum = 0;
    for (size_t k = 0; k < size; k++) sum += vector[k] * vector[k];
    return sum;
}

/* (mean - count) / (2 max(mean, unit)), of parts of the high; a mean is at most 1. */
static int64_t count_gradient(const pair *p, size_t row) {
    double mean = exp((double)p->scores[row] / FINE), count = ((double)fixed(p->targets[row]) / FINE + 1) / 2;
    if (mean > 1) mean = 1;
    return fixed((mean - count) / 2 / (mean > COUNT_UNIT ? mean : COUNT_UNIT));
}

/* The integer vector of a record: shortened to the clip where it is longer than `most`. */
static void plain_vector(const pair *p, const hr_candidate_scan_loss *loss, const double *g, double most,
                         int64_t *gradient) {
    double square = 0;
    for (size_t k = 0; k < p->outputs; k++) square += g[k] * g[k];
    double factor = loss->clip / (sqrt(square) > most ? sqrt(square) : most) * GRID;
    for (size_t k = 0; k < p->outputs; k++) gradient[k] = (int64_t)trunc(g[k] * factor);
    while (square_of(gradient, p->outputs) >
           loss->bound * loss->bound) /* possible where the clip is no multiple of the unit */
        for (size_t k = 0; k < p->outputs; k++) gradient[k] /= 2;
}

/* Whether the middle score is within the width; the ramp is a quarter of that. */
static bool plain_quantiles(const pair *p, const hr_candidate_scan_loss *loss, size_t row,
                            int64_t *gradient) {
    const int64_t *score = p->scores + row * p->outputs, target = fixed(p->targets[row]);
    double g[OUTPUTS_MAX];
    for (size_t k = 0; k < p->outputs; k++) {
        double part = .5 + 2 * (double)(score[k] - target) / FINE / loss->width;
        g[k] = (part < 0 ? 0 : part > 1 ? 1 : part) - quantiles[k];
    }
    plain_vector(p, loss, g, hr_quantile_reach(quantiles, p->outputs), gradient);
    return llabs(score[p->outputs / 2] - target) <= fixed(loss->width);
}

/* The integer gradient of a record. Returns whether it was within the clip (one output, and quantiles). */
static bool plain_gradient(const pair *p, const hr_candidate_scan_loss *loss, size_t row, int64_t *gradient) {
    const int64_t *score = p->scores + row * p->outputs;
    if (p->has_quantiles) return plain_quantiles(p, loss, row, gradient);
    if (p->outputs == 1) {
        int64_t predicted =
            loss->objective == HR_OBJECTIVE_LOGISTIC ? fixed(tanh((double)*score / FINE)) : *score;
        int64_t g = predicted - fixed(p->targets[row]), clip = fixed(loss->clip);
        if (loss->objective == HR_OBJECTIVE_COUNT) g = count_gradient(p, row);
        double whole = floor((double)clip_to(g, -clip, clip) * GRID / FINE + .5);
        gradient[0] = clip_to((int64_t)whole, -loss->bound, loss->bound);
        return llabs(g) <= clip;
    }
    double g[OUTPUTS_MAX];
    for (size_t k = 0; k < p->outputs; k++) g[k] = (double)score[k] / FINE - (p->targets[row] == (double)k);
    plain_vector(p, loss, g, loss->clip, gradient);
    return false;
}

/* ---- Comparing ---- */

typedef struct sums {
    int64_t gradients[NODES][OUTPUTS_MAX], counts[NODES];
} sums;

static int64_t plain_score(const pair *p, const hr_tree *tree, const sums *s, int64_t threshold) {
    int64_t score = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        if (tree->nodes[n].left) continue;
        long double square = 0;
        for (size_t k = 0; k < p->outputs; k++)
            square += (long double)s->gradients[n][k] * (long double)s->gradients[n][k];
        int64_t length = (int64_t)sqrtl(square);
        if (length > threshold) score += length - threshold;
    }
    return score;
}

static void check_leaves(const pair *p, size_t tree, const sums *s) {
    static hr_exact gradients[NODES * OUTPUTS_MAX], counts[NODES];
    size_t got = hr_candidate_scan_leaves(p->scan, p->trees, tree, gradients, counts), leaf = 0;
    for (size_t n = 0; n < p->trees[tree].node_count; n++) {
        if (p->trees[tree].nodes[n].left) continue;
        assert_true(leaf < got && counts[leaf].unpaid == 64 * s->counts[n]);
        for (size_t k = 0; k < p->outputs; k++)
            assert_true(gradients[leaf * p->outputs + k].unpaid == s->gradients[n][k]);
        leaf++;
    }
    assert_int_equal(leaf, got);
}

static void check_trees(const pair *p, const hr_candidate_scan_loss *loss, size_t tree_count) {
    static sums all[TREES];
    memset(all, 0, sizeof all);
    int64_t within = 0;
    for (size_t i = 0; i < p->t.rows; i++) {
        int64_t gradient[OUTPUTS_MAX];
        within += plain_gradient(p, loss, i, gradient);
        for (size_t t = 0; t < tree_count; t++) {
            uint32_t leaf = leaf_of(&p->t, &p->trees[t], i);
            all[t].counts[leaf]++;
            for (size_t k = 0; k < p->outputs; k++) all[t].gradients[leaf][k] += gradient[k];
        }
    }
    for (size_t t = 0; t < tree_count; t++) check_leaves(p, t, &all[t]);
    if (!p->has_classes) assert_true(hr_candidate_scan_within(p->scan).unpaid == 64 * within);
    const int64_t thresholds[] = {0, 1, 5 * loss->bound};
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
        hr_exact scores[TREES];
        const hr_leaf_score_rule rule = {p->outputs, thresholds[i], NULL};
        hr_candidate_scan_scores(p->scan, p->trees, tree_count, &rule, scores);
        for (size_t t = 0; t < tree_count; t++)
            assert_true(scores[t].unpaid == plain_score(p, &p->trees[t], &all[t], thresholds[i]));
    }
}

/* Large enough that scores meet their limits within a few rounds. */
static void set_step(pair *p, size_t tree) {
    for (size_t i = 0; i < NODES * p->outputs; i++) p->values[i] = between(&p->dice, -.7, .7);
    p->published_part = between(&p->dice, .1, 2);
    hr_candidate_scan_set_step(p->scan, tree, p->values, p->published_part);
    memcpy(p->step_nodes, p->nodes[tree], sizeof p->step_nodes);
    memcpy(p->step_subsets, p->subsets[tree], sizeof p->step_subsets);
    p->step_tree = p->trees[tree];
    p->step_tree.nodes = p->step_nodes;
    p->step_tree.subsets = p->step_subsets;
    p->steps = true;
}

/* They have taken every step, whether or not a round came after it. */
static void check_published(pair *p, const hr_candidate_scan_loss *loss) {
    const int32_t *published = hr_candidate_scan_published(p->scan, loss);
    if (p->steps) plain_step(p, loss);
    for (size_t i = 0; i < p->t.rows * p->outputs; i++) assert_true(published[i] == p->published[i]);
}

/* Rounds whose trees overwrite those of the round before, whose steps go down each kind of tree, of many or
 * of one, or that take none. */
static void check_rounds(size_t rows, size_t outputs, hr_objective objective, int threads) {
    static pair p;
    pair_open(&p, rows, outputs, objective, threads);
    for (size_t round = 0; round < 3 * TREES; round++) {
        hr_candidate_scan_loss loss = {objective,
                                       round % 3 ? between(&p.dice, .02, 1) : 1,
                                       objective == HR_OBJECTIVE_SQUARE ? 1 : 3,
                                       0,
                                       COUNT_UNIT,
                                       WIDTH};
        loss.bound = (int64_t)floor(loss.clip * GRID);
        size_t tree_count = round % 5 == 4 ? 2 : round % 5 == 1 ? 1 : TREES;
        draw_trees(&p, 1 + (int)round % HR_CANDIDATE_SCAN_DEPTH_MAX);
        assert_int_equal(hr_candidate_scan_round(p.scan, p.trees, tree_count, &loss, NULL), HR_OK);
        if (p.steps) plain_step(&p, &loss);
        check_trees(&p, &loss, tree_count);
        if (round % 4 != 2) set_step(&p, round % tree_count);
        if (round % 7 == 3) check_published(&p, &loss);
    }
    pair_close(&p);
}

static const size_t row_counts[] = {0, 1, 2, 511, 512, 513, 1300};
enum { ROW_COUNTS = sizeof row_counts / sizeof *row_counts };

static void test_candidate_scan__sums_as_a_plain_computation(void **state) {
    (void)state;
    for (size_t i = 0; i < ROW_COUNTS; i++) check_rounds(row_counts[i], 1, HR_OBJECTIVE_SQUARE, 1);
    check_rounds(3000, 1, HR_OBJECTIVE_SQUARE, 1);
}

static void test_candidate_scan__sums_gradients_of_logistic_loss(void **state) {
    (void)state;
    for (size_t i = 0; i < ROW_COUNTS; i++) check_rounds(row_counts[i], 1, HR_OBJECTIVE_LOGISTIC, 1);
}

static void test_candidate_scan__sums_gradients_of_counts(void **state) {
    (void)state;
    for (size_t i = 0; i < ROW_COUNTS; i++) check_rounds(row_counts[i], 1, HR_OBJECTIVE_COUNT, 1);
}

static void test_candidate_scan__sums_vectors_of_more_outputs(void **state) {
    (void)state;
    for (size_t outputs = 2; outputs <= OUTPUTS_MAX; outputs++)
        for (size_t i = 0; i < ROW_COUNTS; i++) check_rounds(row_counts[i], outputs, HR_OBJECTIVE_SQUARE, 1);
}

static void test_candidate_scan__sums_gradients_of_quantiles(void **state) {
    (void)state;
    for (size_t outputs = 1; outputs <= OUTPUTS_MAX; outputs++)
        for (size_t i = 0; i < ROW_COUNTS; i++)
            check_rounds(row_counts[i], outputs, HR_OBJECTIVE_QUANTILES, 1 + (int)(i % 2));
}

static void test_candidate_scan__does_not_depend_on_threads(void **state) {
    (void)state;
    for (int threads = 2; threads <= 4; threads++)
        for (size_t i = 0; i < ROW_COUNTS; i++) {
            check_rounds(row_counts[i], 1, HR_OBJECTIVE_SQUARE, threads);
            check_rounds(row_counts[i], 3, HR_OBJECTIVE_SQUARE, threads);
        }
}

static void test_candidate_scan__counts_records_and_labels(void **state) {
    (void)state;
    static const double numbers[] = {1, -1, .25, 1. / 3, -.9999}, classes[] = {2, 0, 2, 1, 2, 2};
    hr_exact count, labels[3];
    assert_int_equal(hr_candidate_scan_totals(&(hr_scan_records){numbers, NULL, NULL, 5}, 1, &count, labels),
                     1);
    assert_true(count.unpaid == 5 * 64 && labels[0].unpaid == 4096 - 4096 + 1024 + 1365 - 4096);
    static const double beyond[] = {5, -7, 4}; /* however a target came to be there, it counts as a bound */
    assert_int_equal(hr_candidate_scan_totals(&(hr_scan_records){beyond, NULL, NULL, 3}, 1, &count, labels),
                     1);
    assert_true(labels[0].unpaid == 4096);
    assert_int_equal(hr_candidate_scan_totals(&(hr_scan_records){classes, NULL, NULL, 6}, 3, &count, labels),
                     3);
    assert_true(count.unpaid == 6 * 64 && labels[0].unpaid == 64 && labels[1].unpaid == 64 &&
                labels[2].unpaid == 4 * 64);
    assert_int_equal(hr_candidate_scan_totals(&(hr_scan_records){0}, 3, &count, labels), 3);
    assert_true(count.unpaid == 0 && labels[0].unpaid == 0 && labels[2].unpaid == 0);
}

/* Several chunks of packed words, whose gradients are all as large as the bound lets them be. */
static void test_candidate_scan__has_room_for_more_records_than_words(void **state) {
    (void)state;
    const size_t rows = ((size_t)5 << 20) / 2 + 77, left = rows / 3;
    hr_feature_bins feature = {HR_KIND_NUMBER, 4, (const double[]){0, 1}};
    hr_binning binning = {1, &feature, NULL};
    hr_binned many = {.rows = rows, .features = 1, .binning = &binning, .column_stride = rows};
    hr_node nodes[3] = {{.left = 1, .cut = 1}, {0}, {0}};
    hr_tree tree = {.nodes = nodes, .node_count = 3};
    hr_exact of_leaves[2], counts[2];
    hr_candidate_scan *scan = NULL;
    const hr_candidate_scan_loss loss = {HR_OBJECTIVE_SQUARE, 2, 1, 2 * GRID, 0, 0};
    const double base = 1;
    double *targets = malloc(rows * sizeof *targets);
    many.columns = malloc(rows);
    for (size_t i = 0; i < rows; i++) {
        targets[i] = -1;
        many.columns[i] = i < left ? 1 : 2;
    }
    for (int threads = 1; threads <= 3; threads += 2) {
        hr_candidate_scan_setup setup = {targets, 1, &base, 1, threads, false, HR_OBJECTIVE_SQUARE, NULL};
        assert_int_equal(hr_candidate_scan_new(&many, &setup, &scan, NULL), HR_OK);
        assert_int_equal(hr_candidate_scan_round(scan, &tree, 1, &loss, NULL), HR_OK);
        assert_int_equal(hr_candidate_scan_leaves(scan, &tree, 0, of_leaves, counts), 2);
        assert_true(of_leaves[0].unpaid == (int64_t)left * 2 * GRID &&
                    counts[0].unpaid == (int64_t)left * 64);
        assert_true(of_leaves[1].unpaid == (int64_t)(rows - left) * 2 * GRID);
        assert_true(hr_candidate_scan_within(scan).unpaid == (int64_t)rows * 64);
        hr_candidate_scan_free(scan);
    }
    free(many.columns);
    free(targets);
}

/* ---- Sensitivity: candidate_scan.proof.md ---- */

/* All of them are tried without sanitizers. */
enum { CASES = IS_SANITIZED ? 5000 : 25000, WINDOW = 6, WALKED = 3 };

/* What a round tells about some records. */
typedef struct answers {
    size_t leaves[WALKED];
    hr_exact gradients[WALKED][NODES * OUTPUTS_MAX], counts[WALKED][NODES], scores[WALKED], within, total,
        labels[OUTPUTS_MAX];
} answers;

typedef struct setting {
    size_t outputs;
    double base[OUTPUTS_MAX], step[NODES * OUTPUTS_MAX];
    hr_candidate_scan_loss loss;
    int64_t threshold;
    const double *start; /* of the window; NULL: the base */
} setting;

static void ask_all(const pair *p, const hr_binned *binned, const double *targets, const setting *s,
                    answers *a) {
    hr_candidate_scan *scan = NULL;
    hr_candidate_scan_setup setup = {targets,
                                     s->outputs,
                                     s->base,
                                     WALKED,
                                     1,
                                     false,
                                     p->has_quantiles ? HR_OBJECTIVE_QUANTILES : HR_OBJECTIVE_SQUARE,
                                     p->has_quantiles ? quantiles : NULL};
    assert_int_equal(hr_candidate_scan_new(binned, &setup, &scan, NULL), HR_OK);
    if (s->start) hr_candidate_scan_start(scan, s->start, &s->loss);
    const hr_tree *trees = p->trees + 2; /* over two features, none, and all */
    for (int round = 0; round < 2; round++) {
        assert_int_equal(hr_candidate_scan_round(scan, trees, WALKED, &s->loss, NULL), HR_OK);
        if (!round) hr_candidate_scan_set_step(scan, 2, s->step, 1);
    }
    for (size_t t = 0; t < WALKED; t++)
        a->leaves[t] = hr_candidate_scan_leaves(scan, trees, t, a->gradients[t], a->counts[t]);
    hr_candidate_scan_scores(scan, trees, WALKED, &(hr_leaf_score_rule){s->outputs, s->threshold, NULL},
                             a->scores);
    a->within = hr_candidate_scan_within(scan);
    hr_candidate_scan_totals(&(hr_scan_records){targets, NULL, NULL, binned->rows},
                             p->has_classes ? s->outputs : 1, &a->total, a->labels);
    hr_candidate_scan_free(scan);
}

typedef struct extremes {
    double length, l1, score, label; /* in parts of what is claimed */
    size_t within;
} extremes;

static double part(double change, double claimed) {
    assert_true(change <= claimed * (1 + 1e-12));
    return change / claimed;
}

/* One leaf changes, by one record. */
static void compare_leaves(const setting *s, const answers *a, const answers *b, size_t t, extremes *x) {
    size_t changed = 0;
    for (size_t leaf = 0; leaf < a->leaves[t]; leaf++) {
        double square = 0, l1 = 0;
        for (size_t k = 0; k < s->outputs; k++) {
            size_t at = leaf * s->outputs + k;
            double d = (double)(b->gradients[t][at].unpaid - a->gradients[t][at].unpaid);
            square += d * d, l1 += fabs(d);
        }
        int64_t records = b->counts[t][leaf].unpaid - a->counts[t][leaf].unpaid;
        assert_true(records == 64 || (records == 0 && square == 0));
        changed += records == 64;
        x->length = fmax(x->length, part(sqrt(square), (double)s->loss.bound));
        x->l1 = fmax(x->l1, part(l1, sqrt((double)s->outputs) * (double)s->loss.bound));
    }
    assert_int_equal(changed, 1);
}

static void compare(const setting *s, const answers *a, const answers *b, extremes *x) {
    const bool has_classes = s->outputs > 1 && s->loss.objective != HR_OBJECTIVE_QUANTILES;
    for (size_t t = 0; t < WALKED; t++) {
        assert_int_equal(a->leaves[t], b->leaves[t]);
        compare_leaves(s, a, b, t, x);
        x->score = fmax(
            x->score, part(fabs((double)(b->scores[t].unpaid - a->scores[t].unpaid)), (double)s->loss.bound));
    }
    int64_t within = b->within.unpaid - a->within.unpaid, label = 0;
    assert_true(within == 0 || (within == 64 && !has_classes));
    x->within |= within ? 2 : 1;
    assert_true(b->total.unpaid - a->total.unpaid == 64);
    for (size_t k = 0; k < (has_classes ? s->outputs : 1); k++)
        label += llabs(b->labels[k].unpaid - a->labels[k].unpaid);
    assert_true(has_classes ? label == 64 : label <= GRID);
    x->label = fmax(x->label, (double)label / (has_classes ? 64 : GRID));
}

static setting draw_setting(hr_dice *dice, size_t outputs, hr_objective objective) {
    setting s = {.outputs = outputs};
    s.loss = (hr_candidate_scan_loss){objective,
                                      hr_dice_below(dice, 2) ? 2 : between(dice, .001, 2),
                                      objective == HR_OBJECTIVE_SQUARE ? 1 : 3,
                                      0,
                                      COUNT_UNIT,
                                      hr_dice_below(dice, 2) ? WIDTH : HR_QUANTILE_WIDTH_MIN};
    s.loss.bound = (int64_t)floor(s.loss.clip * GRID);
    s.threshold = hr_dice_below(dice, 2) ? 0 : (int64_t)hr_dice_below(dice, 3 * (uint64_t)s.loss.bound + 1);
    double far =
        hr_dice_below(dice, 20) ? 1 : 1e3; /* floats that no run would see: integers bound them as well */
    for (size_t k = 0; k < outputs; k++) s.base[k] = between(dice, -far, far);
    for (size_t i = 0; i < NODES * outputs; i++) s.step[i] = between(dice, -.5, .5);
    if (!hr_dice_below(dice, 4)) memset(s.step, 0, sizeof s.step);
    return s;
}

/* What a start may say of records: anything that a double can be. */
static double *draw_start(pair *p) {
    static const double odd[] = {1e300, -1e300, (double)INFINITY, -(double)INFINITY, (double)NAN, 1, -1, 0};
    double *start = arena_room(p->t.arena, p->t.rows * p->outputs, sizeof *start);
    for (size_t i = 0; i < p->t.rows * p->outputs; i++)
        start[i] = hr_dice_below(&p->dice, 2) ? odd[hr_dice_below(&p->dice, 8)] : between(&p->dice, -2, 2);
    return start;
}

/* Neighbours: consecutive rows of a large table, and one more. */
static void search(size_t outputs, hr_objective objective, extremes *x) {
    static pair p;
    static answers without, with;
    pair_open(&p, 2000, outputs, objective, 1);
    const double *start = draw_start(&p);
    for (int i = 0; i < CASES; i++) {
        if (i % 50 == 0) draw_trees(&p, 1 + i / 50 % 4);
        setting s = draw_setting(&p.dice, outputs, objective);
        hr_binned some = *p.t.binned, more;
        size_t begin = hr_dice_below(&p.dice, p.t.rows - WINDOW - 1);
        if (i % 3 == 1) s.start = start + begin * outputs;
        some.columns += begin;
        some.rows = hr_dice_below(&p.dice, WINDOW);
        more = some;
        more.rows++;
        ask_all(&p, &some, p.targets + begin, &s, &without);
        ask_all(&p, &more, p.targets + begin, &s, &with);
        compare(&s, &without, &with, x);
    }
    pair_close(&p);
}

static void test_candidate_scan__one_record_changes_one_leaf_by_the_bound_at_most(void **state) {
    (void)state;
    static const hr_objective all[] = {HR_OBJECTIVE_SQUARE, HR_OBJECTIVE_LOGISTIC, HR_OBJECTIVE_COUNT};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        extremes x = {0};
        search(1, all[i], &x);
        assert_true(x.length == 1 && x.score == 1 && x.label == 1 && x.within == 3);
    }
}

/* Truncation takes less than one unit of each coordinate. */
static void test_candidate_scan__one_record_changes_one_vector_by_the_bound_at_most(void **state) {
    (void)state;
    for (size_t outputs = 2; outputs <= OUTPUTS_MAX; outputs++) {
        extremes x = {0};
        search(outputs, HR_OBJECTIVE_SQUARE, &x);
        assert_true(x.length > .999 && x.length <= 1 && x.l1 > .99 && x.score > .999 && x.label == 1);
    }
}

static void
test_candidate_scan__one_record_changes_one_vector_of_quantiles_by_the_bound_at_most(void **state) {
    (void)state;
    for (size_t outputs = 1; outputs <= OUTPUTS_MAX; outputs++) {
        extremes x = {0};
        search(outputs, HR_OBJECTIVE_QUANTILES, &x);
        assert_true(x.length > .999 && x.length <= 1 && x.score > .999 && x.label == 1 && x.within == 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidate_scan__sums_as_a_plain_computation),
        cmocka_unit_test(test_candidate_scan__sums_gradients_of_logistic_loss),
        cmocka_unit_test(test_candidate_scan__sums_gradients_of_counts),
        cmocka_unit_test(test_candidate_scan__sums_gradients_of_quantiles),
        cmocka_unit_test(test_candidate_scan__sums_vectors_of_more_outputs),
        cmocka_unit_test(test_candidate_scan__does_not_depend_on_threads),
        cmocka_unit_test(test_candidate_scan__counts_records_and_labels),
        cmocka_unit_test(test_candidate_scan__has_room_for_more_records_than_words),
        cmocka_unit_test(test_candidate_scan__one_record_changes_one_leaf_by_the_bound_at_most),
        cmocka_unit_test(test_candidate_scan__one_record_changes_one_vector_by_the_bound_at_most),
        cmocka_unit_test(
            test_candidate_scan__one_record_changes_one_vector_of_quantiles_by_the_bound_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
