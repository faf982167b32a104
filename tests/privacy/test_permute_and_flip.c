#include "privacy/mechanisms.h"
#include "support/chi_square.h"
#include "support/flip_law.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DRAWS = 100000, FEWER_DRAWS = 4000, MANY = 7000, FEW = 12 };

static hr_csprng *seeded(uint64_t seed) {
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    return csprng;
}

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

/* The scores are kept: a draw overwrites its own. */
static size_t choose(hr_csprng *csprng, const hr_exact *scores, size_t count, uint64_t num, uint64_t den) {
    static hr_exact copy[MANY];
    memcpy(copy, scores, count * sizeof *copy);
    const hr_release line = {.scale_num = num, .scale_den = den};
    size_t chosen = hr_permute_and_flip_choose(csprng, &line, copy, count);
    assert_true(chosen < count);
    return chosen;
}

static void check_law(const hr_exact *scores, size_t count, uint64_t num, uint64_t den, uint64_t draws) {
    double *p = calloc(count, sizeof *p);
    uint64_t *seen = calloc(count, sizeof *seen);
    assert_true(p && seen);
    probabilities(scores, count, num, den, p);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        hr_csprng *csprng = seeded(seed);
        for (size_t i = 0; i < count; i++) seen[i] = 0;
        for (uint64_t i = 0; i < draws; i++) {
            seen[choose(csprng, scores, count, num, den)]++;
        }
        assert_true(chi_square_fits(seen, p, count, draws));
        hr_csprng_close(csprng);
    }
    free(p);
    free(seen);
}

#define CHECK_LAW(num, den, ...)                                                                             \
    do {                                                                                                     \
        const hr_exact scores_[] = {__VA_ARGS__};                                                            \
        check_law(scores_, sizeof scores_ / sizeof *scores_, num, den, DRAWS);                               \
    } while (0)

static void test_permute_and_flip__fits_its_law(void **state) {
    (void)state;
    CHECK_LAW(1, 8, {0}, {3}, {5}, {10});
    CHECK_LAW(1, 1, {-7}, {-7});
    CHECK_LAW(1, 1, {0}, {-1});
    CHECK_LAW(7, 3, {1}, {0}, {1}, {-1}, {2}, {2});
    CHECK_LAW(1, 10, {0}, {-5}, {-9}, {-11}, {-15}, {-19}, {-21}, {-25}, {-29}, {-31}, {-39}, {-41});
    CHECK_LAW((uint64_t)1 << 59, (uint64_t)1 << 60, {0}, {1}, {2}, {3});
    CHECK_LAW((uint64_t)3 << 40, (uint64_t)100 << 40, {0}, {12}, {99}, {100}, {40});
    CHECK_LAW(1, (uint64_t)1 << 62, {(int64_t)1 << 61}, {-((int64_t)1 << 61)}, {0}, {((int64_t)1 << 62) - 1});
}

/* Many candidates of one bucket that together outweigh the best one: each of the coins of a bucket counts. */
static void test_permute_and_flip__fits_its_law_over_thousands_of_candidates(void **state) {
    (void)state;
    static hr_exact scores[MANY];
    for (size_t i = 0; i < MANY; i++) scores[i].unpaid = -700 + (int64_t)(i % 7);
    scores[4321].unpaid = 0;
    scores[17].unpaid = -50;
    check_law(scores, MANY, 1, 100, FEWER_DRAWS);
    for (size_t i = 0; i < MANY; i++) scores[i].unpaid = -(int64_t)(i * i % 100003);
    check_law(scores, MANY, 1, 1000, FEWER_DRAWS);
}

static void test_permute_and_flip__of_one_candidate_needs_no_luck(void **state) {
    (void)state;
    hr_csprng *csprng = seeded(1);
    hr_exact only = {-5};
    for (int i = 0; i < 1000; i++) assert_int_equal(choose(csprng, &only, 1, 1, 1), 0);
    hr_csprng_close(csprng);
}

static void test_permute_and_flip__takes_extreme_scores_and_scales(void **state) {
    (void)state;
    hr_csprng *csprng = seeded(1);
    int64_t end = ((int64_t)1 << 62) - 1;
    hr_exact scores[] = {{-end}, {end}, {-end}, {0}};
    uint64_t seen[4] = {0};
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(choose(csprng, scores, 4, HR_UNITS_MAX, 1), 1);
        assert_int_equal(choose(csprng, scores, 4, 1, 1), 1);
        seen[choose(csprng, scores, 4, 1, UINT64_MAX)]++;
    }
    double p[4];
    probabilities(scores, 4, 1, UINT64_MAX, p);
    assert_true(chi_square_fits(seen, p, 4, 10000));
    hr_csprng_close(csprng);
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
