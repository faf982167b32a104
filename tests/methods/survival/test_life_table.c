/* Survival curves from counts of codes: by hand, beside Kaplan and Meier's, and how often bands cover the
 * truth. */
#include "methods/survival/life_table.h"
#include "support/check.h"
#include "tables/schema/survival_code.h"

#include <hedgerow/survival.h>
#include <math.h>

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-12)) fail_msg("%.17g is not %.17g", value, expected);
}

static void test_life_table__is_that_by_hand(void **state) {
    (void)state;
    /* 100: in the first interval 20 are censored and 18 have the event, of 90 at risk; in the second 4 and 20
     * of 60. */
    const double counts[] = {20, 18, 4, 20, 38};
    hr_life_interval out[2];
    hr_life_table(counts, 2, 0, out);
    assert_near(out[0].survival, .8);
    assert_near(out[1].survival, .8 * 2 / 3);
    const double first = 18. / (90 * 72), both = first + 20. / (60 * 40);
    assert_near(out[0].high - out[0].low, 2 * 1.959963984540054 * .8 * sqrt(first));
    assert_near(out[1].high - out[1].low, 2 * 1.959963984540054 * .8 * 2 / 3 * sqrt(both));
}

static void test_life_table__adds_the_noise_to_its_band(void **state) {
    (void)state;
    /* log S = log(n0/2 + n2) - log(n0/2 + n1 + n2). */
    const double counts[] = {20, 18, 72}, survived = 82, all = 100;
    hr_life_interval out;
    hr_life_table(counts, 1, 3, &out);
    const double middle = 1 / survived - 1 / all, noise = 9 * (middle * middle * 1.25 + 1 / (all * all));
    assert_near(out.survival, .82);
    assert_near(out.high - out.low, 2 * 1.959963984540054 * .82 * sqrt(18 / (all * survived) + noise));
}

/* All followed up to the last cut: the two are the same. */
static void test_life_table__is_kaplan_meier_s_at_the_cuts(void **state) {
    (void)state;
    enum { ROWS = 40, CUTS = 3 };
    const double cuts[CUTS] = {1, 2, 3};
    double times[ROWS], counts[2 * CUTS + 1] = {0}, expected[CUTS];
    uint8_t events[ROWS];
    hr_life_interval out[CUTS];
    for (size_t i = 0; i < ROWS; i++) {
        times[i] = 1 + (double)(i * 7 % 3);
        events[i] = times[i] < 3 || i % 5 < 2;
        counts[hr_survival_code(times[i], events[i], cuts, CUTS)]++;
    }
    assert_int_equal(
        hr_kaplan_meier(&(hr_followed_records){ROWS, times, events, NULL}, cuts, CUTS, expected, NULL),
        HR_OK);
    hr_life_table(counts, CUTS, 0, out);
    for (size_t k = 0; k < CUTS; k++) assert_near(out[k].survival, expected[k]);
}

static void test_life_table__pools_what_increases(void **state) {
    (void)state;
    /* Events 20, -10 and 0 of 100, 80 and 90: .8, .9, .9 become their mean. */
    const double counts[] = {0, 20, 0, -10, 0, 0, 90};
    hr_life_interval out[3];
    hr_life_table(counts, 3, 1, out);
    for (size_t k = 0; k < 3; k++) assert_near(out[k].survival, (.8 + .9 + .9) / 3);
    for (size_t k = 0; k < 3; k++) assert_true(out[k].low < .87 && out[k].high > .87 && out[k].high <= 1);
}

static void check_order(const hr_life_interval *out, size_t intervals) {
    for (size_t k = 0; k < intervals; k++) {
        assert_true(out[k].low >= 0 && out[k].low <= out[k].survival && out[k].survival <= out[k].high &&
                    out[k].high <= 1);
        if (k) assert_true(out[k].survival <= out[k - 1].survival);
    }
}

static void test_life_table__goes_on_level_where_nobody_is_left(void **state) {
    (void)state;
    const double nobody[] = {0, 0, 0, 0, 0}, lost[] = {50, 50, 0, 0, 0}, dead[] = {0, 10, 0, 10, 0},
                 noisy[] = {-9, 3, 8, -4, -20}, noise[] = {60, 40, 5, 3, -2};
    hr_life_interval out[2];
    hr_life_table(nobody, 2, 0, out);
    check_order(out, 2);
    assert_true(out[0].survival == 1 && out[0].low == 0 && out[1].low == 0 && out[1].high == 1);
    hr_life_table(lost, 2, 0, out);
    check_order(out, 2);
    assert_near(out[0].survival, 1. / 3);
    assert_near(out[1].survival, 1. / 3);
    assert_true(out[0].low > 0 && out[1].low == 0 && out[1].high == out[0].high);
    hr_life_table(dead, 2, 0, out);
    check_order(out, 2);
    assert_near(out[0].survival, .5);
    assert_true(out[1].survival == 0 && out[1].low == 0 && out[1].high > 0 && out[1].high < .5);
    hr_life_table(noisy, 2, 10, out);
    check_order(out, 2);
    assert_true(out[0].survival == 1 && out[0].low == 0);
    hr_life_table(noise, 2, 10, out);
    check_order(out, 2);
    assert_true(out[0].low > 0 && out[1].low == 0);
}

/* ---- Laws ---- */

static uint64_t random_state;

static double unit(void) {
    random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
    return ((double)(random_state >> 11) + .5) * 0x1p-53;
}

static double laplace(double deviation) {
    const double scale = deviation / sqrt(2), u = unit();
    return u < .5 ? scale * log(2 * u) : -scale * log(2 * (1 - u));
}

enum { STUDIES = 3000, INTERVALS = 4 };

/* How often the band of each interval covers the truth, in studies of so many records whose events come and
 * whose follow-ups end at constant rates within intervals of length 1. */
static void cover(size_t rows, double deviation, double *covered, double *widths) {
    const double cuts[] = {1, 2, 3, 4}, rate = .2, end_rate = .1;
    for (size_t s = 0; s < STUDIES; s++) {
        double counts[2 * INTERVALS + 1] = {0};
        hr_life_interval out[INTERVALS];
        for (size_t i = 0; i < rows; i++) {
            const double event = -log(unit()) / rate, end = -log(unit()) / end_rate;
            counts[hr_survival_code(fmin(event, end), event <= end, cuts, INTERVALS)]++;
        }
        for (size_t c = 0; c <= 2 * INTERVALS; c++) counts[c] += laplace(deviation);
        hr_life_table(counts, INTERVALS, deviation, out);
        check_order(out, INTERVALS);
        for (size_t k = 0; k < INTERVALS; k++) {
            const double truth = exp(-rate * cuts[k]);
            covered[k] += out[k].low <= truth && truth <= out[k].high;
            widths[k] += (out[k].high - out[k].low) / STUDIES;
        }
    }
}

/* |z| < 4.892 of the share .95, and .01 for the laws that are only nearly normal. */
static void test_bands__cover_the_truth(void **state) {
    (void)state;
    random_state = 88172645463325252u;
    const double deviations[] = {0, 8, 20};
    double before[INTERVALS] = {0};
    for (size_t d = 0; d < COUNT(deviations); d++) {
        double covered[INTERVALS] = {0}, widths[INTERVALS] = {0};
        cover(500, deviations[d], covered, widths);
        for (size_t k = 0; k < INTERVALS; k++) {
            const double share = covered[k] / STUDIES, allowed = 4.892 * sqrt(.95 * .05 / STUDIES) + .01;
            if (fabs(share - .95) > allowed)
                fail_msg("deviation %g, interval %zu: %g", deviations[d], k, share);
            assert_true(widths[k] > before[k]);
            before[k] = widths[k];
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life_table__is_that_by_hand),
        cmocka_unit_test(test_life_table__adds_the_noise_to_its_band),
        cmocka_unit_test(test_life_table__is_kaplan_meier_s_at_the_cuts),
        cmocka_unit_test(test_life_table__pools_what_increases),
        cmocka_unit_test(test_life_table__goes_on_level_where_nobody_is_left),
        cmocka_unit_test(test_bands__cover_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
