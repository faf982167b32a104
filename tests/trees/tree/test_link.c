/* Calibrated probabilities against the formula, and that they keep the order of classes. What links make of
 * scores is tested with predictions (tests/models/model/test_predict.c). */
#include "tables/synth/generate.h"
#include "trees/tree/link.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { CLASSES_MAX = 9 };

static const hr_calibration corners[] = {{true, -2, .25}, {true, 2, .25}, {true, -2, 4},
                                         {true, 2, 4},    {true, 0, 1},   {true, .1, .8}};

static void test_input__is_what_the_formula_says(void **state) {
    (void)state;
    assert_true(hr_link_input(.5) == 0);
    assert_true(fabs(hr_link_input(1) - log(21)) < 1e-12 &&
                fabs(hr_link_input(0) + log(21)) < 1e-12);       /* q = 21/22 */
    assert_true(fabs(hr_link_input(.72) - log(7. / 3)) < 1e-12); /* q = .7 */
}

static void test_calibration__of_two_classes_is_what_the_formula_says(void **state) {
    (void)state;
    double p[2] = {.28, .72};
    const hr_calibration calibration = {true, .25, .5};
    hr_link_calibrate(&calibration, p, 2);
    assert_true(fabs(p[1] - 1 / (1 + exp(-.25) * sqrt(3. / 7))) < 1e-15 && p[0] == 1 - p[1]);
    double middle[2] = {.5, .5}; /* an intercept moves the threshold */
    hr_link_calibrate(&calibration, middle, 2);
    assert_true(fabs(middle[1] - 1 / (1 + exp(-.25))) < 1e-15);
}

static void test_calibration__rises_with_the_probability(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(corners); i++) {
        double before = 0;
        for (int step = 0; step <= 1000; step++) {
            double p[2] = {1 - step / 1000., step / 1000.};
            hr_link_calibrate(&corners[i], p, 2);
            assert_true(p[1] > before && p[1] < 1 && fabs(p[0] + p[1] - 1) < 1e-15);
            before = p[1];
        }
    }
}

static void test_calibration__that_was_not_made_changes_nothing(void **state) {
    (void)state;
    const hr_calibration none = {false, 2, 4};
    double two[2] = {.3, .7}, three[3] = {.2, .3, .5};
    hr_link_calibrate(&none, two, 2);
    hr_link_calibrate(&none, three, 3);
    assert_true(two[0] == .3 && two[1] == .7 && three[0] == .2 && three[1] == .3 && three[2] == .5);
}

static void test_calibration__of_more_classes_keeps_proportions(void **state) {
    (void)state;
    double p[3] = {.2, .08, .72};
    const hr_calibration calibration = {true, .25, .5};
    hr_link_calibrate(&calibration, p, 3);
    double said = 1 / (1 + exp(-.25) * sqrt(3. / 7));
    assert_true(fabs(p[2] - said) < 1e-15);
    assert_true(fabs(p[0] - (1 - said) * 5 / 7) < 1e-15 && fabs(p[1] - (1 - said) * 2 / 7) < 1e-15);
    double close[3] = {.41, .44, .15}; /* .12 would be said of the second: less than the first gets */
    const hr_calibration low = {true, -2, 1};
    hr_link_calibrate(&low, close, 3);
    assert_true(fabs(close[1] - 41. / 97) < 1e-9 && fabs(close[0] - 41. / 97) < 1e-9 && close[1] > close[0]);
}

/* Random probabilities, some equal, some 0. */
static void draw(hr_dice *dice, double *p, size_t count) {
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        p[k] = hr_dice_below(dice, 8) ? pow(hr_dice_unit(dice), 3) : 0;
        if (k && !hr_dice_below(dice, 5)) p[k] = nextafter(p[k - 1], hr_dice_below(dice, 2) ? 1 : p[k - 1]);
        sum += p[k];
    }
    if (sum <= 0) p[0] = sum = 1;
    for (size_t k = 0; k < count; k++) p[k] /= sum;
}

static void assert_same_order(const double *before, const double *after, size_t count) {
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        assert_true(after[k] >= 0 && after[k] < 1);
        sum += after[k];
        for (size_t l = 0; l < count; l++) assert_true(!(before[k] > before[l]) || after[k] >= after[l]);
    }
    assert_true(fabs(sum - 1) < 1e-12);
    assert_int_equal(hr_link_largest(after, count), hr_link_largest(before, count));
}

static void test_calibration__keeps_the_order_of_more_classes(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 3);
    for (int i = 0; i < 100000; i++) {
        size_t count = 3 + hr_dice_below(&dice, CLASSES_MAX - 2);
        double before[CLASSES_MAX], after[CLASSES_MAX];
        draw(&dice, before, count);
        memcpy(after, before, sizeof after);
        hr_link_calibrate(&corners[i % (int)COUNT(corners)], after, count);
        assert_same_order(before, after, count);
    }
}

static void test_calibration__takes_what_softmax_makes_of_huge_scores(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(corners); i++) {
        const double sure[3] = {0, 1, 0}, even[3] = {1. / 3, 1. / 3, 1. / 3};
        double p[3] = {0, 1, 0}, q[3] = {1. / 3, 1. / 3, 1. / 3};
        hr_link_calibrate(&corners[i], p, 3);
        assert_same_order(sure, p, 3);
        assert_true(p[0] == p[2]);
        hr_link_calibrate(&corners[i], q, 3);
        assert_same_order(even, q, 3);
    }
}

static void test_spoken_of__is_the_second_of_two_and_the_largest_of_more(void **state) {
    (void)state;
    assert_int_equal(hr_link_spoken_of((const double[]){.9, .1}, 2), 1);
    assert_int_equal(hr_link_spoken_of((const double[]){.5, .1, .4}, 3), 0);
    assert_int_equal(hr_link_spoken_of((const double[]){.2, .4, .4}, 3), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_input__is_what_the_formula_says),
        cmocka_unit_test(test_calibration__of_two_classes_is_what_the_formula_says),
        cmocka_unit_test(test_calibration__rises_with_the_probability),
        cmocka_unit_test(test_calibration__that_was_not_made_changes_nothing),
        cmocka_unit_test(test_calibration__of_more_classes_keeps_proportions),
        cmocka_unit_test(test_calibration__keeps_the_order_of_more_classes),
        cmocka_unit_test(test_calibration__takes_what_softmax_makes_of_huge_scores),
        cmocka_unit_test(test_spoken_of__is_the_second_of_two_and_the_largest_of_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
