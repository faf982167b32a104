#include "privacy/mechanisms.h"
#include "support/chi_square.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DRAWS = 100000, FEWER_DRAWS = 8000, MANY = 7000 };

static hr_csprng *seeded(uint64_t seed) {
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    return csprng;
}

/* Pr(r) proportional to exp(scores[r] num/den), by floats that are good to 1e-12. */
static void probabilities(const hr_exact *scores, size_t count, uint64_t num, uint64_t den, double *p) {
    int64_t best = scores[0].unpaid;
    for (size_t i = 1; i < count; i++) best = scores[i].unpaid > best ? scores[i].unpaid : best;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double gamma = (double)((uint64_t)best - (uint64_t)scores[i].unpaid) * ((double)num / (double)den);
        sum += p[i] = exp(-gamma);
    }
    for (size_t i = 0; i < count; i++) p[i] /= sum;
}

/* The scores are kept: the gate lets a mechanism overwrite them. */
static size_t choose(hr_csprng *csprng, const hr_exact *scores, size_t count, uint64_t num, uint64_t den) {
    static hr_exact copy[MANY];
    const hr_release line = {.scale_num = num, .scale_den = den};
    memcpy(copy, scores, count * sizeof *copy);
    return hr_exponential_choose(csprng, &line, copy, count);
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
            size_t chosen = choose(csprng, scores, count, num, den);
            assert_true(chosen < count);
            seen[chosen]++;
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

static void test_exponential__fits_its_law(void **state) {
    (void)state;
    CHECK_LAW(1, 8, {0}, {3}, {5}, {10});
    CHECK_LAW(1, 1, {-7}, {-7});
    CHECK_LAW(7, 3, {1}, {0}, {1}, {-1}, {2}, {2});
    CHECK_LAW(1, 10, {0}, {-5}, {-9}, {-11}, {-15}, {-19}, {-21}, {-25}, {-29}, {-31}, {-39}, {-41});
    CHECK_LAW((uint64_t)1 << 59, (uint64_t)1 << 60, {0}, {1}, {2}, {3});
    CHECK_LAW((uint64_t)3 << 40, (uint64_t)100 << 40, {0}, {12}, {99}, {100}, {40});
    CHECK_LAW(1, (uint64_t)1 << 62, {(int64_t)1 << 61}, {-((int64_t)1 << 61)}, {0}, {((int64_t)1 << 62) - 1});
}

/* Most candidates far behind the best one, where the proposals differ most from the wanted law: the sum of
 * the hopeless ones has the weight of the best. */
static void test_exponential__fits_its_law_over_thousands_of_candidates(void **state) {
    (void)state;
    static hr_exact scores[MANY];
    for (size_t i = 0; i < MANY; i++) scores[i].unpaid = -900 + (int64_t)(i % 7);
    scores[4321].unpaid = 0;
    scores[17].unpaid = -50;
    check_law(scores, MANY, 1, 100, FEWER_DRAWS);
    for (size_t i = 0; i < MANY; i++) scores[i].unpaid = -(int64_t)(i * i % 100003);
    check_law(scores, MANY, 1, 4000, FEWER_DRAWS);
}

static void test_exponential__of_one_candidate_needs_no_luck(void **state) {
    (void)state;
    hr_csprng *csprng = seeded(1);
    hr_exact only = {-5};
    for (int i = 0; i < 1000; i++) assert_int_equal(choose(csprng, &only, 1, 1, 1), 0);
    hr_csprng_close(csprng);
}

static void test_exponential__takes_extreme_scores_and_scales(void **state) {
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

/* The largest epsilon the cost pays for, at any width, and not one unit more. */
static void test_exponential__scale_is_the_largest_that_is_covered(void **state) {
    (void)state;
    static const hr_privacy_measure privacy_measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_ZCDP, HR_PRIVACY_GDP};
    hr_csprng *dice = seeded(12);
    for (int i = 0; i < 20000; i++) {
        hr_privacy_measure privacy_measure = privacy_measures[i % 3];
        hr_release line = {.cost = 1 + hr_uniform(dice, (uint64_t)1 << (1 + hr_uniform(dice, 59))),
                           .sensitivity = 1 + hr_uniform(dice, (uint64_t)1 << hr_uniform(dice, 60))};
        if (!hr_exponential_scale(&line, privacy_measure)) continue;
        assert_true(hr_exponential_covers(&line, privacy_measure));
        line.scale_num++;
        assert_false(hr_exponential_covers(&line, privacy_measure));
    }
    hr_csprng_close(dice);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponential__fits_its_law),
        cmocka_unit_test(test_exponential__fits_its_law_over_thousands_of_candidates),
        cmocka_unit_test(test_exponential__of_one_candidate_needs_no_luck),
        cmocka_unit_test(test_exponential__takes_extreme_scores_and_scales),
        cmocka_unit_test(test_exponential__scale_is_the_largest_that_is_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
