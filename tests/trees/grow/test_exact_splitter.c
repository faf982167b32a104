/* The splitter without privacy against a search of every cut, missing side and subset of categories.
 *
 * What is guaranteed: of every feature the best cut in its order is found, and of these the best feature, to
 * within 2^-30 of the square of the largest gradient, which is the unit of the gate's scores. The gain
 * S_L^2/(N_L + lambda) + S_R^2/(N_R + lambda) is convex in the left sums, so the best of all subsets is a run
 * of the order by mean gradient, for any lambda >= 0; where categories are equally heavy the order that is
 * used, which draws rare ones towards 0, is that order. */
#include "support/binned_table.h"
#include "trees/grow/exact_splitter.h"

enum { FEATURES = 5, CELLS = FEATURES * HR_STRIDE, MAX_BINS = 7 };

static const hr_packing counts = {
    .shift = 26, .gradient_bound = 1 << 20, .gradient_scale = 1 << 20, .weight_scale = 1};
static const hr_packing fractions = {
    .shift = 26, .gradient_bound = 1 << 20, .gradient_scale = 1 << 18, .weight_scale = 1 << 14};

typedef struct fixture {
    hr_feature_bins features[FEATURES];
    hr_binning binning;
    hr_csprng *csprng;
    hr_gate *gate;
    hr_permit permits[2];
    hr_exact_splitter greedy;
    hr_dice dice;
    hr_sum_word cells[CELLS], total;
} fixture;

static fixture *set_up(uint64_t seed, const hr_packing *packing, double lambda, double min_child_weight) {
    static const double edges[MAX_BINS];
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    hr_dice_init(&f->dice, seed);
    for (size_t j = 0; j < FEATURES; j++) {
        hr_kind kind = j % 2 ? HR_KIND_CATEGORY : HR_KIND_NUMBER;
        f->features[j] = (hr_feature_bins){kind, 2 + (uint32_t)hr_dice_below(&f->dice, MAX_BINS - 1), edges};
    }
    f->binning = (hr_binning){FEATURES, f->features, NULL};
    assert_int_equal(hr_csprng_open_seeded(1, &f->csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(HR_PRIVACY_NONE, 0, f->csprng, &f->gate, NULL), HR_OK);
    const hr_charge charge = {"split", 0, 0, 0, 0, 0, 1};
    for (int level = 0; level < 2; level++)
        assert_int_equal(hr_gate_charge_choice(f->gate, &charge, &f->permits[level], NULL), HR_OK);
    f->greedy = (hr_exact_splitter){.binning = &f->binning,
                                    .packing = packing,
                                    .gate = f->gate,
                                    .permits = f->permits,
                                    .lambda = lambda,
                                    .min_child_weight = min_child_weight,
                                    .threads = 1};
    hr_exact_splitter_init(&f->greedy);
    return f;
}

static void tear_down(fixture *f) {
    hr_gate_free(f->gate);
    hr_csprng_close(f->csprng);
    free(f);
}

/* Records with any bins; `distinct` different gradients, all the same if 1. */
static void fill(fixture *f, size_t records, uint64_t distinct) {
    const hr_packing *packing = f->greedy.packing;
    memset(f->cells, 0, sizeof f->cells);
    f->total = 0;
    for (size_t i = 0; i < records; i++) {
        int64_t gradient = 777777 - 40000 * (int64_t)hr_dice_below(&f->dice, distinct);
        hr_sum_word cell = hr_pack(
            packing, gradient, packing->weight_scale > 1 ? 1 + (int64_t)hr_dice_below(&f->dice, 4096) : 1);
        f->total += cell;
        for (size_t j = 0; j < FEATURES; j++)
            f->cells[hr_histogram_at(j) + hr_dice_below(&f->dice, f->features[j].bin_count)] += cell;
    }
}

/* All bins of a feature are equally heavy. */
static void fill_evenly(fixture *f, uint64_t distinct) {
    enum { RECORDS = 420 };
    const hr_packing *packing = f->greedy.packing;
    int64_t gradients[RECORDS];
    memset(f->cells, 0, sizeof f->cells);
    f->total = 0;
    for (size_t i = 0; i < RECORDS; i++)
        gradients[i] = 777777 - 40000 * (int64_t)hr_dice_below(&f->dice, distinct);
    for (size_t j = 0; j < FEATURES; j++)
        for (size_t i = RECORDS; i > 0; i--) {
            size_t k = hr_dice_below(&f->dice, i);
            int64_t gradient = gradients[k];
            gradients[k] = gradients[i - 1], gradients[i - 1] = gradient;
            hr_sum_word cell = hr_pack(packing, gradient, packing->weight_scale > 1 ? 1234 : 1);
            f->cells[hr_histogram_at(j) + i % f->features[j].bin_count] += cell;
            f->total += j == 0 ? cell : 0;
        }
}

static hr_split choose(fixture *f) {
    hr_split split;
    memset(&split, 0x33, sizeof split);
    hr_sum_word *cells = f->cells;
    hr_level_nodes nodes = {1, 1, &cells, &f->total};
    assert_int_equal(f->greedy.splitter.choose(&f->greedy.splitter, &nodes, &split, NULL), HR_OK);
    return split;
}

/* ---- Gains in plain arithmetic ---- */

static long double part(const fixture *f, hr_sum_word cell) {
    hr_sums sums = hr_unpack(f->greedy.packing, cell);
    long double s = (long double)sums.gradient.unpaid / (long double)f->greedy.packing->gradient_scale;
    long double n = (long double)sums.weight.unpaid / (long double)f->greedy.packing->weight_scale;
    return sums.weight.unpaid ? s * s / (n + (long double)f->greedy.lambda) : 0;
}

static long double weight_of(const fixture *f, hr_sum_word cell) {
    return (long double)hr_unpack(f->greedy.packing, cell).weight.unpaid /
           (long double)f->greedy.packing->weight_scale;
}

/* -1: not allowed. */
static long double gain_of(const fixture *f, hr_sum_word left) {
    long double least = (long double)f->greedy.min_child_weight, wl = weight_of(f, left),
                wr = weight_of(f, f->total - left);
    if (wl <= 0 || wr <= 0 || wl < least || wr < least) return -1;
    return part(f, left) + part(f, f->total - left) - part(f, f->total);
}

static long double best_cut(const fixture *f, size_t feature) {
    long double best = -1;
    for (uint32_t cut = 0; cut < f->features[feature].bin_count; cut++)
        for (int missing_left = 0; missing_left < 2; missing_left++) {
            hr_sum_word left = missing_left ? f->cells[hr_histogram_at(feature)] : 0;
            for (uint32_t b = 1; b <= cut; b++) left += f->cells[hr_histogram_at(feature) + b];
            best = fmaxl(best, gain_of(f, left));
        }
    return best;
}

static long double best_subset(const fixture *f, size_t feature) {
    long double best = -1;
    for (uint32_t set = 0; set < 1u << f->features[feature].bin_count; set++) {
        hr_sum_word left = 0;
        for (uint32_t b = 0; b < f->features[feature].bin_count; b++)
            if (set >> b & 1) left += f->cells[hr_histogram_at(feature) + b];
        best = fmaxl(best, gain_of(f, left));
    }
    return best;
}

/* Runs of the order by mean gradient, as if every category had ten more records of weight 1 and gradient 0,
 * and lambda. */
static long double best_run(const fixture *f, size_t feature) {
    uint32_t order[MAX_BINS], used = 0;
    long double mean[MAX_BINS], best = -1;
    for (uint32_t b = 0; b < f->features[feature].bin_count; b++) {
        hr_sums sums = hr_unpack(f->greedy.packing, f->cells[hr_histogram_at(feature) + b]);
        if (sums.weight.unpaid == 0) continue;
        long double more =
            (10 + (long double)f->greedy.lambda) * (long double)f->greedy.packing->weight_scale;
        mean[b] = (long double)sums.gradient.unpaid / ((long double)sums.weight.unpaid + more);
        uint32_t at = used++;
        for (; at > 0 && mean[order[at - 1]] > mean[b]; at--) order[at] = order[at - 1];
        order[at] = b;
    }
    hr_sum_word left = 0;
    for (uint32_t i = 0; i < used; i++) {
        left += f->cells[hr_histogram_at(feature) + order[i]];
        best = fmaxl(best, gain_of(f, left));
    }
    return best;
}

static hr_sum_word left_sum(const fixture *f, const hr_split *split) {
    hr_sum_word left = 0;
    for (uint32_t b = 0; b < f->features[split->feature].bin_count; b++)
        if (hr_split_goes_left(split, (uint8_t)b)) left += f->cells[hr_histogram_at(split->feature) + b];
    return left;
}

static void check_best(fixture *f, long double (*best_category)(const fixture *, size_t)) {
    long double best = -1;
    for (size_t j = 0; j < FEATURES; j++) best = fmaxl(best, j % 2 ? best_category(f, j) : best_cut(f, j));
    hr_split split = choose(f);
    const hr_packing *p = f->greedy.packing;
    long double largest = (long double)p->gradient_bound / (long double)p->gradient_scale;
    long double unit =
        largest * largest * (long double)p->weight_scale * 0x1p-30L + 2e-12L * part(f, f->total);
    if (!split.made) {
        assert_true(best <= unit);
        return;
    }
    assert_true(split.feature < FEATURES && split.kind == f->features[split.feature].kind);
    hr_sum_word left = left_sum(f, &split);
    assert_true(hr_split_left_sum(&split, &f->binning, f->cells) == left);
    long double gain = gain_of(f, left);
    assert_true(gain > 0);
    assert_true(gain >= best - unit);
}

/* ---- Tests ---- */

static void test_exact_splitter__finds_the_best_of_all_subsets(void **state) {
    (void)state;
    static const double lambdas[] = {0, 1, 37.5, 1e-9};
    for (uint64_t seed = 0; seed < 2000; seed++) {
        fixture *f = set_up(seed, seed & 1 ? &fractions : &counts, lambdas[seed / 2 % 4], 0);
        fill_evenly(f, 2 + hr_dice_below(&f->dice, 40));
        check_best(f, best_subset);
        tear_down(f);
    }
}

static void test_exact_splitter__finds_the_best_of_all_cuts(void **state) {
    (void)state;
    static const double lambdas[] = {0, 1, 37.5, 1e-9};
    for (uint64_t seed = 0; seed < 1500; seed++) {
        fixture *f = set_up(seed, seed & 1 ? &fractions : &counts, lambdas[seed / 2 % 4], 0);
        fill(f, 1 + hr_dice_below(&f->dice, seed % 3 ? 30 : 3000), 2 + hr_dice_below(&f->dice, 40));
        check_best(f, best_run);
        tear_down(f);
    }
}

static void test_exact_splitter__keeps_children_heavy_enough(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        fixture *f = set_up(seed, seed & 1 ? &fractions : &counts, 1,
                            seed & 1 ? .3 * (double)(seed % 9) : (double)(seed % 23));
        fill(f, 1 + hr_dice_below(&f->dice, 60), 2 + hr_dice_below(&f->dice, 40));
        check_best(f, best_run);
        tear_down(f);
    }
}

/* On the limit is heavy enough; a hair above is not. */
static void test_exact_splitter__takes_min_child_weight_exactly(void **state) {
    (void)state;
    fixture *f = set_up(1, &counts, 0, 5);
    f->binning.feature_count = 1;
    f->features[0].bin_count = 3;
    f->cells[1] = hr_pack(&counts, -5000, 5), f->cells[2] = hr_pack(&counts, 5000, 5);
    f->total = f->cells[1] + f->cells[2];
    assert_true(choose(f).made);
    f->greedy.min_child_weight = 5.001;
    assert_false(choose(f).made);
    tear_down(f);
}

static void test_exact_splitter__makes_no_split_where_nothing_gains(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        fixture *f = set_up(seed, &counts, 0, 0);
        fill(f, hr_dice_below(&f->dice, seed % 2 ? 8 : 5000), 1);
        assert_false(choose(f).made);
        tear_down(f);
    }
}

static void test_exact_splitter__makes_no_split_of_one_record_or_none(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        fixture *f = set_up(seed, &fractions, (double)(seed % 2), 0);
        fill(f, seed % 3 ? 1 : 0, 5);
        assert_false(choose(f).made);
        tear_down(f);
    }
}

static void test_exact_splitter__sees_small_gains_beside_large_sums(void **state) {
    (void)state;
    for (int bits = 4; bits <= 24; bits += 4) {
        fixture *f = set_up(3, &counts, 0, 0);
        f->features[0].bin_count = 3;
        f->binning.feature_count = 1;
        int64_t n = (int64_t)1 << bits;
        f->cells[1] = hr_pack(&counts, 1000 * n, n), f->cells[2] = hr_pack(&counts, 1100 * n, n);
        f->total = f->cells[1] + f->cells[2];
        hr_split split = choose(f);
        assert_true(split.made && split.cut == 1);
        tear_down(f);
    }
}

static void test_exact_splitter__gives_ties_to_the_first_feature(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        fixture *f = set_up(seed, &counts, 1, 0);
        for (size_t j = 0; j < FEATURES; j++) f->features[j] = f->features[seed % 2];
        fill(f, 50, 20);
        for (size_t j = 1; j < FEATURES; j++)
            memcpy(f->cells + hr_histogram_at(j), f->cells, HR_STRIDE * sizeof *f->cells);
        hr_split split = choose(f);
        assert_true(!split.made || split.feature == 0);
        for (int threads = 1; threads <= 4; threads++) {
            f->greedy.threads = threads;
            hr_split again = choose(f);
            assert_true(again.made == split.made &&
                        (!split.made ||
                         (again.feature == split.feature && left_sum(f, &again) == left_sum(f, &split))));
        }
        tear_down(f);
    }
}

static void test_exact_splitter__treats_nodes_one_by_one(void **state) {
    (void)state;
    fixture *f = set_up(8, &counts, 1, 0);
    static hr_sum_word kept[9][CELLS];
    hr_sum_word *cells[9], totals[9];
    hr_split alone[9], together[9];
    for (size_t i = 0; i < 9; i++) {
        fill(f, i * 10, 30);
        memcpy(kept[i], f->cells, sizeof f->cells);
        cells[i] = kept[i], totals[i] = f->total;
        alone[i] = choose(f);
    }
    for (int threads = 1; threads <= 4; threads++) {
        f->greedy.threads = threads;
        hr_level_nodes nodes = {0, 9, cells, totals};
        assert_int_equal(f->greedy.splitter.choose(&f->greedy.splitter, &nodes, together, NULL), HR_OK);
        for (size_t i = 0; i < 9; i++) {
            assert_true(alone[i].made == together[i].made);
            if (alone[i].made)
                for (int b = 0; b < MAX_BINS; b++)
                    assert_true(alone[i].feature == together[i].feature &&
                                hr_split_goes_left(&alone[i], (uint8_t)b) ==
                                    hr_split_goes_left(&together[i], (uint8_t)b));
        }
    }
    tear_down(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_splitter__finds_the_best_of_all_subsets),
        cmocka_unit_test(test_exact_splitter__finds_the_best_of_all_cuts),
        cmocka_unit_test(test_exact_splitter__keeps_children_heavy_enough),
        cmocka_unit_test(test_exact_splitter__takes_min_child_weight_exactly),
        cmocka_unit_test(test_exact_splitter__makes_no_split_where_nothing_gains),
        cmocka_unit_test(test_exact_splitter__makes_no_split_of_one_record_or_none),
        cmocka_unit_test(test_exact_splitter__sees_small_gains_beside_large_sums),
        cmocka_unit_test(test_exact_splitter__gives_ties_to_the_first_feature),
        cmocka_unit_test(test_exact_splitter__treats_nodes_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
