#include "privacy/mechanisms.h"
#include "support/check.h"
#include "support/choice_law.h"
#include "support/flip_law.h"

#include <math.h>

enum { FEW = 12 };

static void probabilities(const hr_exact *scores, size_t count, uint64_t num, uint64_t den, double *p) {
    double *values = calloc(count, sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++) values[i] = (double)scores[i].unpaid;
    flip_law(values, count, (double)num / (double)den, p);
    free(values);
}

/* ---- The formula that the draws are held against ---- */

/* The published mechanism, step by step: the law by summing over all orders and coins, candidate after
 * candidate. `left` are the candidates not yet visited, as bits. */
static void visit(const double *p, unsigned left, double so_far, double *out) {
    double each = so_far / __builtin_popcount(left);
    for (unsigned r = 0; r < FEW; r++) {
        if (!(left >> r & 1)) continue;
        out[r] += each * p[r];
        if (p[r] < 1) visit(p, left & ~(1U << r), each * (1 - p[r]), out);
    }
}

static void test_law__is_that_of_visits_in_random_order(void **state) {
    (void)state;
    static const double sets[][FEW] = {
        {0, -1, -2, -3, -40, -41, -500}, {0, 0, 0, -.1, -.1, -.2, -5}, {-3, 0, -1e-3, -2, -2, -1, -.5}};
    for (size_t s = 0; s < 3; s++)
        for (size_t count = 1; count <= 7; count++) {
            double best = sets[s][0], p[FEW], wanted[FEW] = {0}, law[FEW], sum = 0;
            for (size_t r = 0; r < count; r++) best = fmax(best, sets[s][r]);
            for (size_t r = 0; r < count; r++) p[r] = exp(sets[s][r] - best);
            visit(p, (1U << count) - 1, 1, wanted);
            flip_law(sets[s], count, 1, law);
            for (size_t r = 0; r < count; r++) {
                assert_true(fabs(law[r] - wanted[r]) < 1e-12);
                sum += law[r];
            }
            assert_true(fabs(sum - 1) < 1e-12);
        }
}

/* ---- The draws ---- */

static const choice_mechanism mechanism = {hr_permute_and_flip_choose, probabilities};

static void test_permute_and_flip__fits_its_law(void **state) {
    (void)state;
    check_choices_of_few(&mechanism);
}

/* Many candidates of one bucket that together outweigh the best one: each of the coins of a bucket counts. */
static void test_permute_and_flip__fits_its_law_over_thousands_of_candidates(void **state) {
    (void)state;
    check_choices_of_thousands(&mechanism, -700, 1000, 4000);
}

static void test_permute_and_flip__of_one_candidate_needs_no_luck(void **state) {
    (void)state;
    check_choices_of_one(&mechanism);
}

static void test_permute_and_flip__takes_extreme_scores_and_scales(void **state) {
    (void)state;
    check_choices_of_extremes(&mechanism);
}

/* ---- The scale ---- */

/* All of the cost, at any width, and not one unit more. */
static void test_permute_and_flip__scale_is_the_largest_that_is_covered(void **state) {
    (void)state;
    hr_csprng *dice = seeded(12);
    for (int i = 0; i < 20000; i++) {
        hr_release line = {.cost = 1 + hr_uniform(dice, (uint64_t)1 << (1 + hr_uniform(dice, 59))),
                           .sensitivity = 1 + hr_uniform(dice, (uint64_t)1 << hr_uniform(dice, 60))};
        if (!hr_permute_and_flip_scale(&line, HR_PRIVACY_PURE)) continue;
        assert_int_equal(line.mechanism, HR_MECHANISM_PERMUTE_AND_FLIP);
        assert_true(hr_permute_and_flip_covers(&line, HR_PRIVACY_PURE));
        if (line.sensitivity >> 24 == 0)
            assert_true(line.scale_num == line.cost && line.scale_den == line.sensitivity << 40);
        line.scale_num++;
        assert_false(hr_permute_and_flip_covers(&line, HR_PRIVACY_PURE));
    }
    hr_csprng_close(dice);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law__is_that_of_visits_in_random_order),
        cmocka_unit_test(test_permute_and_flip__fits_its_law),
        cmocka_unit_test(test_permute_and_flip__fits_its_law_over_thousands_of_candidates),
        cmocka_unit_test(test_permute_and_flip__of_one_candidate_needs_no_luck),
        cmocka_unit_test(test_permute_and_flip__takes_extreme_scores_and_scales),
        cmocka_unit_test(test_permute_and_flip__scale_is_the_largest_that_is_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
