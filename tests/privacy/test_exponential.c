#include "privacy/mechanisms.h"
#include "support/check.h"
#include "support/choice_law.h"

#include <math.h>

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

static const choice_mechanism mechanism = {hr_exponential_choose, probabilities};

static void test_exponential__fits_its_law(void **state) {
    (void)state;
    check_choices_of_few(&mechanism);
}

/* Most candidates far behind the best one, where the proposals differ most from the wanted law: the sum of
 * the hopeless ones has the weight of the best. */
static void test_exponential__fits_its_law_over_thousands_of_candidates(void **state) {
    (void)state;
    check_choices_of_thousands(&mechanism, -900, 4000, 8000);
}

static void test_exponential__of_one_candidate_needs_no_luck(void **state) {
    (void)state;
    check_choices_of_one(&mechanism);
}

static void test_exponential__takes_extreme_scores_and_scales(void **state) {
    (void)state;
    check_choices_of_extremes(&mechanism);
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
