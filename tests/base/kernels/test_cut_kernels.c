/* The kernels that find the best cut of a node: every set gives what a scan by definition gives. */
#include "support/kernel_sets.h"
#include "tables/synth/generate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct cuts {
    hr_cut_node node;
    int64_t gradients[HR_CUTS_MAX], weights[HR_CUTS_MAX];
    size_t count;
} cuts;

static double gain_by_definition(const cuts *c, size_t i) {
    double gl = (double)c->gradients[i], gr = (double)(c->node.gradient - c->gradients[i]);
    double wl = (double)c->weights[i], wr = (double)(c->node.weight - c->weights[i]);
    if (wl < c->node.min_weight || wr < c->node.min_weight) return -1;
    return (gl * gl * (wr + c->node.lambda) + gr * gr * (wl + c->node.lambda)) /
           ((wl + c->node.lambda) * (wr + c->node.lambda));
}

/* Bins without records make neighbouring cuts equal. Sums may be above 2^53, where doubles are rounded. */
static cuts draw_cuts(hr_dice *dice, size_t count) {
    static const double least[] = {1, 20, 1e9};
    static const int widths[] = {3, 40, 54}; /* bits */
    cuts c = {.count = count};
    const int bits = widths[hr_dice_below(dice, 3)];
    for (size_t i = 0; i <= count; i++) {
        if (hr_dice_below(dice, 3)) {
            c.node.weight += (int64_t)hr_dice_below(dice, 30);
            c.node.gradient += (int64_t)(hr_dice_u64(dice) >> (64 - bits)) - ((int64_t)1 << bits) / 2;
        }
        if (i == count) break;
        c.gradients[i] = c.node.gradient;
        c.weights[i] = c.node.weight;
    }
    c.node.lambda = (double)hr_dice_below(dice, 3) / 2;
    c.node.min_weight = least[hr_dice_below(dice, 3)];
    return c;
}

static void check_best_cut(const hr_kernels *set) {
    hr_dice dice;
    hr_dice_init(&dice, 5);
    size_t refused = 0;
    for (size_t count = 0; count <= HR_CUTS_MAX; count++)
        for (int draw = 0; draw < 20; draw++) {
            const cuts c = draw_cuts(&dice, count);
            double expected = -1, gain = 7;
            size_t first = 0;
            for (size_t i = 0; i < count; i++)
                if (gain_by_definition(&c, i) > expected) expected = gain_by_definition(&c, i), first = i;
            size_t best = set->best_cut(&c.node, c.gradients, c.weights, count, &gain);
            assert_true(gain == expected);
            assert_int_equal(best, first);
            refused += expected < 0;
        }
    assert_true(refused > 1000 && refused < 4000);
}

static void test_best_cut__is_the_first_of_the_largest_gain(void **state) {
    (void)state;
    with_each_set(check_best_cut);
}

/* One cut, of a node with lambda 1 and no gradient but that on the left: its gain tells how a sum became a
 * double. */
static void check_sums_as_doubles(const hr_kernels *set) {
    hr_dice dice;
    hr_dice_init(&dice, 6);
    const int64_t weight = 1;
    for (int bits = 0; bits < 63; bits++)
        for (int draw = 0; draw < 50; draw++) {
            int64_t x = ((int64_t)1 << bits) | (int64_t)(hr_dice_u64(&dice) >> (63 - bits) >> 1);
            if (draw < 4) x = ((int64_t)1 << bits) + draw - 2;
            if (draw % 2) x = -x;
            const hr_cut_node node = {.gradient = x, .weight = 2, .lambda = 0, .min_weight = 1};
            double gain;
            set->best_cut(&node, &x, &weight, 1, &gain);
            assert_true(gain == (double)x * (double)x);
        }
}

static void check_sums_of_words(const hr_kernels *set) {
    hr_dice dice;
    hr_dice_init(&dice, 7);
    int64_t words[HR_CUTS_MAX], gradients[HR_CUTS_MAX + 1], weights[HR_CUTS_MAX + 1];
    for (int shift = 1; shift < 63; shift++)
        for (size_t count = 0; count <= HR_CUTS_MAX; count += 1 + hr_dice_below(&dice, 40)) {
            const int64_t unit = (int64_t)1 << shift;
            for (size_t i = 0; i < count; i++)
                words[i] = i % 5 ? (int64_t)hr_dice_u64(&dice) : i % 2 ? INT64_MIN : INT64_MAX;
            gradients[count] = weights[count] = 7;
            set->sums_of_words(shift, words, count, gradients, weights);
            for (size_t i = 0; i < count; i++) {
                assert_true(weights[i] >= 0 && weights[i] < unit);
                assert_true(gradients[i] == (words[i] - weights[i]) / unit);
                assert_true(gradients[i] * unit == words[i] - weights[i]);
            }
            assert_true(gradients[count] == 7 && weights[count] == 7);
        }
}

/* ---- Packed sums ---- */

typedef struct word_cuts {
    cuts by_sums;
    int shift;
    int64_t words[HR_CUTS_MAX];
} word_cuts;

/* Sums as large as words of this shift can hold, or small ones, behind which cuts are equal now and then. */
static word_cuts draw_words(hr_dice *dice, int shift, size_t count) {
    word_cuts w = {.shift = shift, .by_sums = {.count = count}};
    cuts *c = &w.by_sums;
    const bool are_large = hr_dice_below(dice, 2);
    const int64_t heaviest = ((int64_t)1 << shift) - 1, largest = (int64_t)1 << (62 - shift);
    const int64_t weight = are_large && heaviest > HR_CUTS_MAX ? heaviest / HR_CUTS_MAX : 1;
    for (size_t i = 0; i <= count; i++) {
        if (hr_dice_below(dice, 3) && c->node.weight + weight <= heaviest) {
            c->node.weight += (int64_t)(hr_dice_u64(dice) % (uint64_t)weight) + 1;
            c->node.gradient = (int64_t)(hr_dice_u64(dice) % (uint64_t)(are_large ? largest : 3));
            if (i % 2) c->node.gradient = -c->node.gradient;
        }
        if (i == count) break;
        c->gradients[i] = c->node.gradient;
        c->weights[i] = c->node.weight;
        w.words[i] = (int64_t)((uint64_t)c->node.gradient << shift) + c->node.weight;
    }
    c->node.lambda = (double)hr_dice_below(dice, 3) / 2;
    c->node.min_weight = hr_dice_below(dice, 2) ? 1 : (double)c->node.weight / 4 + 1;
    return w;
}

static void check_best_cut_of_words(const hr_kernels *set) {
    hr_dice dice;
    hr_dice_init(&dice, 8);
    size_t found = 0;
    for (int shift = 1; shift < 62; shift++)
        for (size_t count = 0; count <= HR_CUTS_MAX; count += 1 + hr_dice_below(&dice, 9)) {
            const word_cuts w = draw_words(&dice, shift, count);
            const cuts *c = &w.by_sums;
            double expected, gain = 7;
            const size_t first =
                hr_kernels_at(0)->best_cut(&c->node, c->gradients, c->weights, count, &expected);
            assert_int_equal(set->best_cut_of_words(&c->node, shift, w.words, count, &gain), first);
            assert_true(gain == expected);
            found += expected > 0;
        }
    assert_true(found > 1000);
}

static void test_best_cut_of_words__is_that_of_their_sums(void **state) {
    (void)state;
    with_each_set(check_best_cut_of_words);
}

static void check_sums_up_to(const hr_kernels *set) {
    enum { KEPT = 77 };
    hr_dice dice;
    hr_dice_init(&dice, 9);
    for (size_t count = 0; count <= HR_CUTS_MAX; count++)
        for (uint64_t part = 1; part < 6; part++) { /* of the words: not 0 */
            int64_t *words = malloc((count + 1) * sizeof *words), sums[HR_CUTS_MAX + 1], sum = 0;
            uint8_t bins[HR_CUTS_MAX + 1];
            size_t found = 0;
            for (size_t i = 0; i < count; i++)
                words[i] =
                    hr_dice_below(&dice, 5) < part ? (int64_t)(hr_dice_u64(&dice) >> 10) - (1ll << 53) : 0;
            sums[HR_CUTS_MAX] = bins[HR_CUTS_MAX] = KEPT;
            const size_t said = set->sums_up_to(words, count, sums, bins);
            for (size_t i = 0; i < count; i++) {
                if (!words[i]) continue;
                sum += words[i];
                assert_true(found < said && bins[found] == i && sums[found] == sum);
                found++;
            }
            assert_int_equal(found, said);
            assert_true(sums[HR_CUTS_MAX] == KEPT && bins[HR_CUTS_MAX] == KEPT);
            free(words);
        }
}

static void test_sums_up_to__are_of_words_that_are_not_0(void **state) {
    (void)state;
    with_each_set(check_sums_up_to);
}

static void test_best_cut__takes_sums_as_the_nearest_doubles(void **state) {
    (void)state;
    with_each_set(check_sums_as_doubles);
}

static void test_sums_of_words__are_of_gradients_and_weights(void **state) {
    (void)state;
    with_each_set(check_sums_of_words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best_cut__is_the_first_of_the_largest_gain),
        cmocka_unit_test(test_best_cut__takes_sums_as_the_nearest_doubles),
        cmocka_unit_test(test_sums_of_words__are_of_gradients_and_weights),
        cmocka_unit_test(test_best_cut_of_words__is_that_of_their_sums),
        cmocka_unit_test(test_sums_up_to__are_of_words_that_are_not_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
