/* The best division of a number against a search of every cut, bins without records among them: the gain, the
 * first cut that has it, and the side of missing values. Sums in one word and apart give the same. */
#include "support/check.h"
#include "tables/synth/generate.h"
#include "trees/stats/split_gains.h"

#include <string.h>

static const hr_packing packed = {
    .shift = 30, .gradient_bound = 1 << 20, .gradient_scale = 1 << 20, .weight_scale = 1};
static const hr_packing apart = {.shift = 30,
                                 .gradient_bound = 1 << 20,
                                 .gradient_scale = 1 << 20,
                                 .weight_scale = 1,
                                 .weight_cells = HR_BINS_MAX};

typedef struct bins {
    uint32_t count;
    int64_t gradients[HR_BINS_MAX], weights[HR_BINS_MAX];
    hr_sum_word cells[HR_BINS_MAX], cells_apart[2 * HR_BINS_MAX];
} bins;

/* One bin in `rarity` has records; with `values`, gradients are of few values, so that gains are equal. */
static void draw_bins(hr_dice *dice, bins *b) {
    const uint64_t rarity = 1 + hr_dice_below(dice, 12), values = hr_dice_below(dice, 2) ? 3 : 1 << 20;
    memset(b, 0, sizeof *b);
    b->count = 2 + (uint32_t)hr_dice_below(dice, HR_BINS_MAX - 1);
    for (uint32_t i = 0; i < b->count; i++) {
        if (!hr_dice_below(dice, rarity)) {
            b->weights[i] = 1 + (int64_t)hr_dice_below(dice, 9);
            b->gradients[i] = b->weights[i] * ((int64_t)hr_dice_below(dice, values) - (int64_t)values / 2);
        }
        b->cells[i] = hr_pack(&packed, b->gradients[i], b->weights[i]);
        b->cells_apart[i] = b->gradients[i];
        b->cells_apart[HR_BINS_MAX + i] = b->weights[i];
    }
}

typedef struct found_cut {
    double gain;
    uint32_t last;
    bool missing_left;
} found_cut;

static double gain_between(const hr_gain_rule *rule, const int64_t left[2], const int64_t all[2]) {
    const double gl = (double)left[0], gr = (double)(all[0] - left[0]), wl = (double)left[1],
                 wr = (double)(all[1] - left[1]), a = wl + rule->lambda, b = wr + rule->lambda;
    if (wl < rule->min_weight || wr < rule->min_weight) return -1;
    return (gl * gl * b + gr * gr * a) / (a * b);
}

static found_cut search_all(const hr_gain_rule *rule, const bins *b) {
    found_cut best = {.gain = -1};
    int64_t all[2] = {0};
    for (uint32_t i = 0; i < b->count; i++) all[0] += b->gradients[i], all[1] += b->weights[i];
    for (int missing_left = 1; missing_left >= 0; missing_left--) {
        int64_t left[2] = {missing_left ? b->gradients[0] : 0, missing_left ? b->weights[0] : 0};
        for (uint32_t cut = 0; cut + 1 < b->count; cut++) {
            if (cut) left[0] += b->gradients[cut], left[1] += b->weights[cut];
            const double gain = gain_between(rule, left, all);
            if (gain > best.gain) best = (found_cut){gain, cut, missing_left};
        }
    }
    return best;
}

static void check_division(const hr_gain_rule *rule, const bins *b, const hr_sum_word *cells) {
    const hr_feature_bins feature = {HR_KIND_NUMBER, b->count, NULL};
    const hr_best_division division = hr_best_division_of(rule, &feature, cells);
    const found_cut best = search_all(rule, b);
    const double bound = (double)packed.gradient_bound;
    if (best.gain < 0) {
        assert_true(division.score.unpaid == -1 && !division.gains);
        return;
    }
    assert_true(division.score.unpaid == (int64_t)(best.gain / (bound * bound) * 0x1p30));
    assert_int_equal(division.last, best.last);
    assert_int_equal(division.missing_left, best.missing_left);
}

static void test_best_division__is_the_first_of_all_cuts(void **state) {
    static bins b;
    static const double least[] = {1, 1, 5, 40}, lambdas[] = {0, 1, .1};
    hr_dice dice;
    (void)state;
    hr_dice_init(&dice, 31);
    for (size_t draw = 0; draw < 4000; draw++) {
        hr_gain_rule rule = {&packed, lambdas[draw % 3], least[draw / 3 % 4], 0};
        draw_bins(&dice, &b);
        check_division(&rule, &b, b.cells);
        rule.packing = &apart;
        check_division(&rule, &b, b.cells_apart);
    }
}

static void test_best_division__there_is_none_without_records(void **state) {
    static bins b = {.count = 9};
    const hr_gain_rule one_word = {&packed, 1, 1, 0}, two_words = {&apart, 1, 1, 0};
    (void)state;
    check_division(&one_word, &b, b.cells);
    check_division(&two_words, &b, b.cells_apart);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best_division__is_the_first_of_all_cuts),
        cmocka_unit_test(test_best_division__there_is_none_without_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
