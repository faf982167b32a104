/* The private splitter: its candidates, its scores, and the width that split_candidates.proof.md proves for
 * them. */
#include "privacy/sample.h"
#include "support/binned_table.h"
#include "trees/grow/private_splitter.h"
#include "trees/stats/split_candidates.h"

enum { FEATURES = 4, CELLS = FEATURES * HR_STRIDE, G = 4096 };

static const hr_packing pack = {.shift = 26, .gradient_bound = G, .gradient_scale = G, .weight_scale = 1};

static hr_binning binning_of(hr_feature_bins *features, const uint32_t *bins, const hr_kind *kinds,
                             size_t count) {
    static const double edges[HR_BINS_MAX];
    for (size_t f = 0; f < count; f++) features[f] = (hr_feature_bins){kinds[f], bins[f], edges};
    return (hr_binning){count, features, NULL};
}

/* Which of the 256 bins go left. */
static hr_bin_set left_of(const hr_split *split) {
    hr_bin_set set = {{0}};
    for (int b = 0; b < HR_BINS_MAX; b++)
        if (hr_split_goes_left(split, (uint8_t)b)) hr_bin_set_add(&set, (uint8_t)b);
    return set;
}

/* ---- Candidates ---- */

static void check_candidate(const hr_binning *binning, const hr_split *split) {
    assert_true(split->made && split->feature < binning->feature_count);
    const hr_feature_bins *feature = &binning->features[split->feature];
    assert_int_equal(split->kind, feature->kind);
    uint32_t left = 0;
    for (uint32_t b = 0; b < feature->bin_count; b++) left += hr_split_goes_left(split, (uint8_t)b);
    assert_true(left > 0 && left < feature->bin_count); /* a split with an empty side is none */
    if (feature->kind == HR_KIND_CATEGORY) assert_int_equal(left, 1);
    if (feature->kind == HR_KIND_NUMBER)
        assert_true(split->missing_left && split->cut + 1u < feature->bin_count && split->cut > 0);
}

static void test_candidates__are_every_cut_and_category_once(void **state) {
    (void)state;
    static const uint32_t bins[][3] = {{2, 2, 2}, {3, 2, 5}, {256, 256, 2}, {7, 31, 256}};
    static const hr_kind kinds[][3] = {{HR_KIND_NUMBER, HR_KIND_CATEGORY, HR_KIND_NUMBER},
                                       {HR_KIND_CATEGORY, HR_KIND_CATEGORY, HR_KIND_NUMBER}};
    for (size_t c = 0; c < 8; c++) {
        hr_feature_bins features[3];
        hr_binning binning = binning_of(features, bins[c / 2], kinds[c % 2], 3);
        size_t count = hr_candidate_count(&binning), wanted = 0;
        for (size_t f = 0; f < 3; f++)
            wanted += features[f].bin_count - (features[f].kind == HR_KIND_NUMBER ? 2 : 0);
        assert_int_equal(count, wanted);
        hr_bin_set *sets = calloc(count + 1, sizeof *sets);
        assert_non_null(sets);
        for (size_t i = 0; i < count; i++) {
            hr_split split = hr_candidate(&binning, i);
            check_candidate(&binning, &split);
            sets[i] = left_of(&split);
            for (size_t j = 0; j < i; j++)
                assert_false(hr_candidate(&binning, j).feature == split.feature &&
                             !memcmp(&sets[j], &sets[i], sizeof *sets));
        }
        free(sets);
    }
}

/* ---- Nodes ---- */

/* Sums of a node by feature and bin. Every feature sees the same records. */
typedef struct node {
    int64_t gradient[FEATURES][HR_BINS_MAX], weight[FEATURES][HR_BINS_MAX];
} node;

static void add_record(node *n, const uint8_t *bins, int64_t gradient, int64_t times) {
    for (int f = 0; f < FEATURES; f++) {
        n->gradient[f][bins[f]] += gradient * times;
        n->weight[f][bins[f]] += times;
    }
}

static hr_sum_word cells_of(const node *n, const hr_packing *packing, hr_sum_word *cells) {
    hr_sum_word total = 0;
    for (int f = 0; f < FEATURES; f++)
        for (int b = 0; b < HR_BINS_MAX; b++) {
            cells[hr_histogram_at((size_t)f) + (size_t)b] =
                hr_pack(packing, n->gradient[f][b], n->weight[f][b]);
            if (f == 0) total += hr_pack(packing, n->gradient[f][b], n->weight[f][b]);
        }
    return total;
}

/* floor(2^16 (S_L^2/(N_L + lambda) + S_R^2/(N_R + lambda)) / G^2), lambda = tenths/10, as one fraction of
 * integers. */
static int64_t plain_score(const hr_split *split, const node *n, uint32_t bins, int64_t tenths) {
    int64_t s[2] = {0, 0}, w[2] = {0, 0};
    for (uint32_t b = 0; b < bins; b++) {
        int side = hr_split_goes_left(split, (uint8_t)b);
        s[side] += n->gradient[split->feature][b], w[side] += n->weight[split->feature][b];
    }
    hr_i128 score = 0, whole = 0, fraction = 0;
    for (int side = 0; side < 2; side++) {
        if (w[side] == 0) continue;
        hr_i128 above = (hr_i128)s[side] * s[side] * (10 << HR_GAIN_BITS),
                below = (hr_i128)(w[side] * 10 + tenths) * G * G;
        whole += above / below;
        fraction += (above % below << 32) / below; /* too small by less than 2^-32 */
    }
    score = whole + (fraction >> 32);
    return (int64_t)score;
}

static void random_node(hr_dice *dice, const hr_binning *binning, size_t records, node *out) {
    memset(out, 0, sizeof *out);
    uint64_t lean = hr_dice_below(dice, 3);
    for (size_t i = 0; i < records; i++) {
        uint8_t bins[FEATURES];
        for (int f = 0; f < FEATURES; f++)
            bins[f] = (uint8_t)hr_dice_below(dice, binning->features[f].bin_count);
        int64_t gradient = (int64_t)hr_dice_below(dice, 2 * G + 1) - G;
        if (lean == 1) gradient = bins[0] % 2 ? G : -G;
        if (lean == 2) gradient = hr_dice_below(dice, 8) ? G : gradient;
        add_record(out, bins, gradient, hr_dice_below(dice, 50) ? 1 : 1 + (int64_t)hr_dice_below(dice, 3000));
    }
}

static const uint32_t node_bins[FEATURES] = {5, 3, 4, 9};
static const hr_kind node_kinds[FEATURES] = {HR_KIND_NUMBER, HR_KIND_CATEGORY, HR_KIND_NUMBER,
                                             HR_KIND_CATEGORY};

static void test_scores__are_the_fraction_rounded_down(void **state) {
    (void)state;
    static const int64_t tenths[] = {0, 1, 10, 25, 1000000};
    hr_feature_bins features[FEATURES];
    hr_binning binning = binning_of(features, node_bins, node_kinds, FEATURES);
    size_t count = hr_candidate_count(&binning);
    hr_exact scores[64];
    assert_true(count <= 64);
    static hr_sum_word cells[CELLS];
    hr_dice dice;
    hr_dice_init(&dice, 1);
    for (int t = 0; t < 3000; t++) {
        node n;
        random_node(&dice, &binning, hr_dice_below(&dice, 60), &n);
        hr_sum_word total = cells_of(&n, &pack, cells);
        for (int l = 0; l < 5; l++) {
            hr_candidate_scores(&binning, &pack, (double)tenths[l] / 10, cells, total, scores);
            for (size_t i = 0; i < count; i++) {
                hr_split split = hr_candidate(&binning, i);
                int64_t wanted = plain_score(&split, &n, node_bins[split.feature], tenths[l]);
                assert_true(scores[i].unpaid - wanted >= -1 && scores[i].unpaid - wanted <= 1);
                assert_true(scores[i].unpaid >= 0);
            }
        }
    }
}

static void test_scores__are_zero_without_records(void **state) {
    (void)state;
    hr_feature_bins features[FEATURES];
    hr_binning binning = binning_of(features, node_bins, node_kinds, FEATURES);
    static const hr_sum_word cells[CELLS];
    hr_exact scores[64];
    for (int l = 0; l < 3; l++) {
        memset(scores, 0x55, sizeof scores);
        hr_candidate_scores(&binning, &pack, (double[]){0, 1e-300, 5}[l], cells, 0, scores);
        for (size_t i = 0; i < hr_candidate_count(&binning); i++) assert_true(scores[i].unpaid == 0);
    }
}

/* ---- The width ---- */

/* How far the changes of two scores differ when a record joins the node. */
static int64_t width_of_weighted(const hr_binning *binning, double lambda, const node *n, const uint8_t *bins,
                                 int64_t gradient, int64_t weight) {
    static hr_sum_word cells[CELLS];
    hr_exact before[64], after[64];
    node more = *n;
    hr_sum_word total = cells_of(n, &pack, cells);
    hr_candidate_scores(binning, &pack, lambda, cells, total, before);
    add_record(&more, bins, gradient, weight);
    total = cells_of(&more, &pack, cells);
    hr_candidate_scores(binning, &pack, lambda, cells, total, after);
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (size_t i = 0; i < hr_candidate_count(binning); i++) {
        int64_t change = after[i].unpaid - before[i].unpaid;
        if (change < least) least = change;
        if (change > most) most = change;
    }
    return most - least;
}

static int64_t width_of(const hr_binning *binning, double lambda, const node *n, const uint8_t *bins,
                        int64_t gradient) {
    return width_of_weighted(binning, lambda, n, bins, gradient, 1);
}

static void test_width__holds_for_random_nodes(void **state) {
    (void)state;
    static const double lambdas[] = {0, 1e-9, .5, 1, 10};
    hr_feature_bins features[FEATURES];
    hr_binning binning = binning_of(features, node_bins, node_kinds, FEATURES);
    hr_dice dice;
    hr_dice_init(&dice, 2);
    int64_t widest = 0;
    for (int t = 0; t < 100000; t++) {
        static node n;
        if (t % 25 == 0) random_node(&dice, &binning, hr_dice_below(&dice, 40), &n);
        uint8_t bins[FEATURES];
        for (int f = 0; f < FEATURES; f++) bins[f] = (uint8_t)hr_dice_below(&dice, node_bins[f]);
        int64_t gradient = hr_dice_below(&dice, 2)   ? (int64_t)hr_dice_below(&dice, 2 * G + 1) - G
                           : hr_dice_below(&dice, 2) ? G
                                                     : -G;
        int64_t width = width_of(&binning, lambdas[t % 5], &n, bins, gradient);
        assert_true(width <= HR_GAIN_WIDTH);
        if (width > widest) widest = width;
    }
    assert_true(widest > 2 << HR_GAIN_BITS); /* the search is no formality */
}

/* The worst of the proof: the record joins those of the other sign in one feature and those of its own in
 * another. */
static int64_t worst_width(const hr_binning *binning, double lambda, int64_t records, int sign) {
    node n;
    memset(&n, 0, sizeof n);
    add_record(&n, (uint8_t[]){1, 1, 1, 1}, sign * G, records);
    add_record(&n, (uint8_t[]){2, 2, 2, 2}, -sign * G, records);
    return width_of(binning, lambda, &n, (uint8_t[]){1, 2, 1, 1}, -sign * G);
}

static void test_width__is_attained_nearly_and_never_passed(void **state) {
    (void)state;
    static const double lambdas[] = {0, 1e-12, .1, 1, 100};
    hr_feature_bins features[FEATURES];
    hr_binning binning = binning_of(features, node_bins, node_kinds, FEATURES);
    int64_t widest = 0;
    for (int64_t records = 1; records < 1 << 23; records += 1 + records / 3)
        for (int l = 0; l < 5; l++)
            for (int sign = -1; sign <= 1; sign += 2) {
                int64_t width = worst_width(&binning, lambdas[l], records, sign);
                assert_true(width <= HR_GAIN_WIDTH);
                if (width > widest) widest = width;
            }
    assert_true(widest >= (4 << HR_GAIN_BITS) - 1 && widest <= HR_GAIN_WIDTH);
}

static void test_width__holds_around_the_worst(void **state) {
    (void)state;
    hr_feature_bins features[FEATURES];
    hr_binning binning = binning_of(features, node_bins, node_kinds, FEATURES);
    hr_dice dice;
    hr_dice_init(&dice, 3);
    for (int t = 0; t < 30000; t++) {
        node n;
        memset(&n, 0, sizeof n);
        for (int group = 0; group < 5; group++) {
            uint8_t bins[FEATURES];
            for (int f = 0; f < FEATURES; f++) bins[f] = (uint8_t)hr_dice_below(&dice, 3);
            int64_t times = (int64_t)1 << hr_dice_below(&dice, 20);
            add_record(&n, bins, hr_dice_below(&dice, 2) ? G : -G, times + (int64_t)hr_dice_below(&dice, 3));
        }
        uint8_t bins[FEATURES];
        for (int f = 0; f < FEATURES; f++) bins[f] = (uint8_t)hr_dice_below(&dice, 3);
        assert_true(width_of(&binning, t % 4 ? 0 : 1, &n, bins, t & 1 ? G : -G) <= HR_GAIN_WIDTH);
    }
}

/* A record of weight w moves gains w times as far: random nodes, and the worst of the proof. */
static void test_width__of_weighted_records_is_in_proportion(void **state) {
    (void)state;
    static const int64_t weights[] = {2, 16, 31, 128};
    hr_feature_bins features[FEATURES];
    hr_binning binning = binning_of(features, node_bins, node_kinds, FEATURES);
    hr_dice dice;
    hr_dice_init(&dice, 4);
    for (size_t w = 0; w < COUNT(weights); w++) {
        int64_t widest = 0;
        for (int t = 0; t < 20000; t++) {
            static node n;
            if (t % 25 == 0) random_node(&dice, &binning, hr_dice_below(&dice, 40), &n);
            if (t % 25 == 24) {
                memset(&n, 0, sizeof n);
                add_record(&n, (uint8_t[]){1, 1, 1, 1}, G, (int64_t)1 << 21);
                add_record(&n, (uint8_t[]){2, 2, 2, 2}, -G, (int64_t)1 << 21);
            }
            uint8_t bins[FEATURES];
            for (int f = 0; f < FEATURES; f++) bins[f] = (uint8_t)hr_dice_below(&dice, node_bins[f]);
            if (t % 25 == 24) memcpy(bins, (uint8_t[]){1, 2, 1, 1}, sizeof bins);
            int64_t width = width_of_weighted(&binning, t % 2, &n, bins, -G, weights[w]);
            assert_true(width <= (int64_t)hr_weighted_gain_width((uint64_t)weights[w]));
            if (width > widest) widest = width;
        }
        assert_true(widest > (4 * weights[w] << HR_GAIN_BITS) * 99 / 100);
    }
    assert_int_equal(hr_weighted_gain_width(1), HR_GAIN_WIDTH);
}

/* ---- The splitter ---- */

typedef struct purse {
    hr_csprng *csprng;
    hr_gate *gate;
    hr_permit permits[2];
} purse;

static purse purse_new(hr_privacy_measure privacy_measure, double cost, uint64_t seed) {
    purse p = {0};
    hr_charge charge = {"split", 0, 0, 0, 0, hr_units_up(cost), HR_GAIN_WIDTH};
    assert_int_equal(hr_csprng_open_seeded(seed, &p.csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(privacy_measure, 2 * charge.cost, p.csprng, &p.gate, NULL), HR_OK);
    for (int level = 0; level < 2; level++) {
        charge.level = level, charge.group = (uint64_t)level;
        assert_int_equal(hr_gate_charge_choice(p.gate, &charge, &p.permits[level], NULL), HR_OK);
    }
    return p;
}

static void purse_done(purse p) {
    hr_gate_free(p.gate);
    hr_csprng_close(p.csprng);
}

static void test_splitter__takes_the_best_score_without_noise(void **state) {
    (void)state;
    hr_feature_bins features[FEATURES];
    hr_binning binning = binning_of(features, node_bins, node_kinds, FEATURES);
    purse p = purse_new(HR_PRIVACY_NONE, 0, 1);
    hr_private_splitter noisy = {
        .binning = &binning, .packing = &pack, .gate = p.gate, .permits = p.permits, .lambda = 1};
    hr_private_splitter_init(&noisy);
    hr_dice dice;
    hr_dice_init(&dice, 4);
    for (int t = 0; t < 500; t++) {
        static hr_sum_word room_of[3][CELLS];
        hr_sum_word *cells[3] = {room_of[0], room_of[1], room_of[2]}, totals[3];
        hr_split splits[3];
        hr_exact scores[64];
        node n;
        for (int i = 0; i < 3; i++) {
            random_node(&dice, &binning, hr_dice_below(&dice, 60), &n);
            totals[i] = cells_of(&n, &pack, cells[i]);
        }
        hr_level_nodes nodes = {t % 2, 3, cells, totals};
        assert_int_equal(noisy.splitter.choose(&noisy.splitter, &nodes, splits, NULL), HR_OK);
        for (int i = 0; i < 3; i++) {
            size_t best = 0, count = hr_candidate_count(&binning);
            hr_candidate_scores(&binning, &pack, 1, cells[i], totals[i], scores);
            for (size_t c = 1; c < count; c++)
                if (scores[c].unpaid > scores[best].unpaid) best = c;
            hr_split wanted = hr_candidate(&binning, best);
            hr_bin_set a = left_of(&wanted), b = left_of(&splits[i]);
            assert_true(splits[i].made && splits[i].feature == wanted.feature);
            assert_memory_equal(&a, &b, sizeof a);
        }
    }
    purse_done(p);
}

/* Whether a node is split, and what is drawn for it, must not depend on its records. */
static void test_splitter__draws_once_a_node_even_without_records(void **state) {
    (void)state;
    static hr_sum_word empty[CELLS], full[CELLS];
    hr_feature_bins features[FEATURES];
    hr_binning binning = binning_of(features, node_bins, node_kinds, FEATURES);
    node n;
    hr_dice dice;
    hr_dice_init(&dice, 5);
    random_node(&dice, &binning, 60, &n);
    hr_sum_word total = cells_of(&n, &pack, full);
    purse p = purse_new(HR_PRIVACY_PURE, .1, 1);
    hr_private_splitter noisy = {
        .binning = &binning, .packing = &pack, .gate = p.gate, .permits = p.permits, .lambda = 1};
    hr_private_splitter_init(&noisy);
    hr_split splits[2];
    hr_level_nodes nodes = {1, 2, (hr_sum_word *const[]){empty, full}, (hr_sum_word[]){0, total}};
    assert_int_equal(noisy.splitter.choose(&noisy.splitter, &nodes, splits, NULL), HR_OK);
    assert_true(splits[0].made && splits[1].made);
    size_t lines;
    const hr_release *line = hr_gate_releases(p.gate, &lines);
    assert_true(lines == 2 && line[0].draws == 0 && line[1].draws == 2);
    purse_done(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidates__are_every_cut_and_category_once),
        cmocka_unit_test(test_scores__are_the_fraction_rounded_down),
        cmocka_unit_test(test_scores__are_zero_without_records),
        cmocka_unit_test(test_width__holds_for_random_nodes),
        cmocka_unit_test(test_width__is_attained_nearly_and_never_passed),
        cmocka_unit_test(test_width__holds_around_the_worst),
        cmocka_unit_test(test_width__of_weighted_records_is_in_proportion),
        cmocka_unit_test(test_splitter__takes_the_best_score_without_noise),
        cmocka_unit_test(test_splitter__draws_once_a_node_even_without_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
