/* Words of logistic loss: every set gives what one record alone gives, for any score and target. */
#include "support/kernel_sets.h"
#include "tables/synth/generate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 200 };

static double draw_number(hr_dice *dice) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0., -0., 40, -40, 1e300, -1e300, 0x1p-1074};
    return hr_dice_below(dice, 4) ? (hr_dice_unit(dice) - .5) * 100 : odd[hr_dice_below(dice, 10)];
}

static void check_logistic_words(const hr_kernels *set) {
    static const hr_gradient_rule rules[] = {
        {.scale = 1024, .bound = 1024, .weight_scale = 4096, .shift = 32},
        {.scale = 0x1p40, .bound = 0x1p30, .weight_scale = 0x1p20, .shift = 0},
        {.scale = INFINITY, .bound = 7, .weight_scale = 1, .shift = 50}};
    double scores[ROWS], targets[ROWS];
    int64_t words[ROWS + 1];
    hr_dice dice;
    hr_dice_init(&dice, 3);
    for (size_t count = 0; count <= ROWS; count++) {
        const hr_gradient_rule *rule = &rules[count % 3];
        for (size_t i = 0; i < count; i++) {
            scores[i] = draw_number(&dice);
            targets[i] = hr_dice_below(&dice, 9) ? hr_dice_below(&dice, 2) ? 1 : -1 : draw_number(&dice);
        }
        words[count] = 77;
        set->logistic_words(rule, scores, targets, count, words);
        for (size_t i = 0; i < count; i++)
            assert_true(words[i] == hr_logistic_word(rule, scores[i], targets[i]));
        assert_int_equal(words[count], 77);
    }
}

static void test_logistic_words__are_those_of_single_records(void **state) {
    (void)state;
    with_each_set(check_logistic_words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logistic_words__are_those_of_single_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
