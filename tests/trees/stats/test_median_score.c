/* Scores of cuts and subsets against a plain count of the records on each side, and their sensitivity
 * (median_score.proof.md) by adding records: every score moves by 1, whatever the values are. */
#include "tables/synth/generate.h"
#include "trees/stats/median_score.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { CUTS = HR_MEDIAN_SCORE_CELLS - 1, RECORDS = 300, BINS = 256 };

/* Bounds of any kind, the hardest ones at the end. */
static const struct {
    double low, high;
} bounds[] = {
    {0, 1},
    {-1, 1},
    {0, 4096},
    {-3, 5},
    {0, 3},
    {1e6, 1e6 + 1},
    {-1e-300, 1e-300},
    {-1e300, 1e300},
    {1, 1 + DBL_EPSILON},
    {0, 0x1p-1074},
    {-0x1p-1074, 0x1p-1074},
    {0, 0x1p-1060},
    {-DBL_MAX / 2, DBL_MAX / 2},
    {-DBL_MAX, 0},
    {DBL_MAX / 2, DBL_MAX},
};

/* Values inside, on cuts and beside them, at the bounds, outside, and missing. */
static double draw_value(hr_dice *dice, const hr_median_score_range *range) {
    double cut = hr_median_score_cut(range, 1 + hr_dice_below(dice, CUTS));
    switch (hr_dice_below(dice, 12)) {
    case 0: return NAN;
    case 1: return range->low;
    case 2: return range->high;
    case 3: return cut;
    case 4: return nextafter(cut, INFINITY);
    case 5: return nextafter(cut, -INFINITY);
    case 6: return nextafter(range->low, -INFINITY);
    case 7: return -1e9 + hr_dice_unit(dice);
    case 8: return DBL_MAX;
    case 9: return -DBL_MAX;
    default: return range->low * (1 - hr_dice_unit(dice)) + range->high * hr_dice_unit(dice);
    }
}

static bool goes_left(bool missing_left, double value, double cut) {
    return isnan(value) ? missing_left : value <= cut;
}

/* What some records have, and which way missing values go. */
typedef struct sample {
    hr_median_score_range range;
    const double *values;
    bool missing_left;
} sample;

static void score_cuts(const sample *s, const uint32_t *rows, size_t count, hr_exact *scores) {
    hr_exact cells[HR_BALANCE_COUNTS] = {{0}};
    for (size_t i = 0; i < count; i++) hr_median_score_count(&s->range, &s->values[rows[i]], NULL, 1, cells);
    hr_median_score_of_cuts(cells, s->missing_left, scores);
}

static void score_subsets(const uint8_t *bins, const uint32_t *rows, size_t count, const hr_bin_set *sets,
                          size_t set_count, hr_exact *scores) {
    hr_exact records[BINS] = {{0}};
    for (size_t i = 0; i < count; i++) records[bins[rows[i]]].unpaid++;
    hr_median_score_of_subsets(records, BINS, sets, set_count, scores);
}

static int64_t balance(size_t left, size_t count) {
    return -llabs((long long)(2 * left) - (long long)count);
}

static void test_cuts__ascend_between_their_bounds(void **state) {
    (void)state;
    for (size_t b = 0; b < COUNT(bounds); b++) {
        hr_median_score_range range = {bounds[b].low, bounds[b].high};
        double last = range.low;
        for (size_t c = 1; c <= CUTS; c++) {
            double cut = hr_median_score_cut(&range, c), part = (double)c / HR_MEDIAN_SCORE_CELLS;
            if (!(cut >= last && cut <= range.high))
                fail_msg("bounds %g, %g: cut %zu is %g after %g", range.low, range.high, c, cut, last);
            double near = range.low * (1 - part) + range.high * part,
                   size = fmax(fabs(range.low), fabs(range.high));
            assert_true(fabs(cut - near) <= 4 * DBL_EPSILON * size + 0x1p-1074);
            last = cut;
        }
    }
}

/* What a cut sends left in the model is what its score counts, for values on cuts too. */
static void test_scores_of_cuts__count_what_the_cuts_divide(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 1);
    for (int i = 0; i < 20; i++)
        for (size_t b = 0; b < COUNT(bounds); b++) {
            double values[2 * RECORDS];
            uint32_t rows[RECORDS];
            hr_median_score_range range = {bounds[b].low, bounds[b].high};
            sample s = {range, values, i % 2};
            size_t count = i < 4 ? (size_t)i : hr_dice_below(&dice, RECORDS);
            for (size_t r = 0; r < 2 * RECORDS; r++) values[r] = draw_value(&dice, &range);
            for (size_t r = 0; r < count; r++) rows[r] = (uint32_t)hr_dice_below(&dice, 2 * RECORDS);
            hr_exact scores[CUTS + 1] = {[CUTS] = {77}};
            score_cuts(&s, rows, count, scores);
            assert_true(scores[CUTS].unpaid == 77);
            for (size_t c = 1; c <= CUTS; c++) {
                double cut = hr_median_score_cut(&range, c);
                size_t left = 0;
                for (size_t r = 0; r < count; r++) left += goes_left(s.missing_left, values[rows[r]], cut);
                if (scores[c - 1].unpaid != balance(left, count))
                    fail_msg("bounds %g, %g: cut %zu (%.17g) scores %lld, not %lld", range.low, range.high, c,
                             cut, (long long)scores[c - 1].unpaid, (long long)balance(left, count));
            }
        }
}

/* Of a cut that moves with a record, the neighbours' scores would differ by more. */
static void test_scores_of_cuts__change_by_one_with_a_record(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 2);
    for (int i = 0; i < 60; i++)
        for (size_t b = 0; b < COUNT(bounds); b++) {
            double values[RECORDS];
            uint32_t rows[RECORDS];
            hr_median_score_range range = {bounds[b].low, bounds[b].high};
            sample s = {range, values, hr_dice_below(&dice, 2)};
            size_t count = hr_dice_below(&dice, 30);
            for (uint32_t r = 0; r < RECORDS; r++) rows[r] = r, values[r] = draw_value(&dice, &range);
            static const double hostile[] = {INFINITY, -INFINITY, NAN, -0., 0x1p-1074};
            if (i < (int)COUNT(hostile)) values[count] = hostile[i];
            hr_exact without[CUTS], with[CUTS];
            score_cuts(&s, rows, count, without);
            score_cuts(&s, rows, count + 1, with);
            for (size_t c = 0; c < CUTS; c++)
                assert_true(llabs((long long)(with[c].unpaid - without[c].unpaid)) == 1);
        }
}

/* ---- Subsets ---- */

static void draw_subsets(hr_dice *dice, hr_bin_set *sets, size_t count) {
    for (size_t s = 0; s < count; s++) {
        sets[s] = (hr_bin_set){{0}};
        uint64_t most = s == 0 ? 0 : s == 1 ? 4 : hr_dice_below(dice, 5);
        for (size_t b = 0; b < BINS; b++)
            if (hr_dice_below(dice, 4) < most) hr_bin_set_add(&sets[s], (uint8_t)b);
    }
}

static void test_scores_of_subsets__count_and_change_by_one_with_a_record(void **state) {
    (void)state;
    enum { SETS = 40 };
    hr_dice dice;
    hr_dice_init(&dice, 3);
    for (int i = 0; i < 50; i++) {
        uint8_t bins[RECORDS];
        uint32_t rows[RECORDS];
        hr_bin_set sets[SETS];
        draw_subsets(&dice, sets, SETS);
        for (uint32_t r = 0; r < RECORDS; r++) {
            bins[r] = (uint8_t)(i % 2 ? hr_dice_below(&dice, BINS) : 254 + hr_dice_below(&dice, 2));
            rows[r] = RECORDS - 1 - r;
        }
        size_t count = i < 4 ? (size_t)i : hr_dice_below(&dice, RECORDS - 1);
        hr_exact without[SETS + 1] = {[SETS] = {77}}, with[SETS];
        score_subsets(bins, rows, count, sets, SETS, without);
        score_subsets(bins, rows, count + 1, sets, SETS, with);
        assert_true(without[SETS].unpaid == 77);
        for (size_t s = 0; s < SETS; s++) {
            size_t left = 0;
            for (size_t r = 0; r < count; r++) left += hr_bin_set_has(&sets[s], bins[rows[r]]);
            assert_true(without[s].unpaid == balance(left, count));
            assert_true(llabs((long long)(with[s].unpaid - without[s].unpaid)) == 1);
        }
    }
}

/* ---- Gaps ---- */

static void test_gaps__score_the_index_as_published(void **state) {
    (void)state;
    hr_exact scores[RECORDS] = {[6] = {77}};
    hr_median_score_of_gaps(7, scores);
    static const int64_t wanted[] = {-5, -3, -1, -1, -3, -5, 77};
    for (size_t j = 0; j < COUNT(wanted); j++) assert_true(scores[j].unpaid == wanted[j]);
    scores[0].unpaid = 78;
    hr_median_score_of_gaps(1, scores);
    hr_median_score_of_gaps(0, scores);
    assert_true(scores[0].unpaid == 78);
    hr_median_score_of_gaps(2, scores);
    assert_true(scores[0].unpaid == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts__ascend_between_their_bounds),
        cmocka_unit_test(test_scores_of_cuts__count_what_the_cuts_divide),
        cmocka_unit_test(test_scores_of_cuts__change_by_one_with_a_record),
        cmocka_unit_test(test_scores_of_subsets__count_and_change_by_one_with_a_record),
        cmocka_unit_test(test_gaps__score_the_index_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
