#include "privacy/sample.h"
#include "support/chi_square.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { DRAWS = 200000, REACH = 400, CELLS = 2 * REACH + 1 };

static const uint64_t seeds[] = {1, 2, 3};
enum { SEEDS = sizeof seeds / sizeof *seeds };

static hr_csprng *seeded(uint64_t seed) {
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    return csprng;
}

/* ---- Uniform, Bernoulli, categorical ---- */

static void test_uniform__fits_its_law(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 7, 10, 64, 100};
    for (size_t s = 0; s < SEEDS; s++)
        for (size_t k = 1; k < sizeof sizes / sizeof *sizes; k++) {
            hr_csprng *csprng = seeded(seeds[s]);
            uint64_t seen[100] = {0}, wide[100] = {0};
            double p[100];
            for (uint64_t i = 0; i < sizes[k]; i++) p[i] = 1.0 / (double)sizes[k];
            for (int i = 0; i < DRAWS; i++) {
                uint64_t x = hr_uniform(csprng, sizes[k]);
                assert_true(x < sizes[k]);
                seen[x]++;
                /* the same number of thirds, tenths ... of a range beyond 64 bits */
                hr_u128 part = (hr_u128)1 << 90;
                wide[hr_uniform_wide(csprng, part * sizes[k]) / part]++;
            }
            assert_true(chi_square_fits(seen, p, sizes[k], DRAWS));
            assert_true(chi_square_fits(wide, p, sizes[k], DRAWS));
            hr_csprng_close(csprng);
        }
}

/* With m = 3 * 2^62 a sampler that does not reject gives some thirds twice as often as others; with 5 * 2^61
 * one that rejects too little does the same to fifths. */
static void test_uniform__rejects_where_the_range_does_not_divide(void **state) {
    (void)state;
    static const struct {
        uint64_t parts;
        int shift;
    } cases[] = {{3, 62}, {5, 61}, {7, 61}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hr_csprng *csprng = seeded(4);
        uint64_t parts = cases[k].parts, m = parts << cases[k].shift, low[7] = {0}, high[7] = {0};
        double p[7];
        for (uint64_t i = 0; i < parts; i++) p[i] = 1.0 / (double)parts;
        for (int i = 0; i < DRAWS; i++) {
            low[hr_uniform(csprng, m) % parts]++;
            high[hr_uniform(csprng, m) >> cases[k].shift]++;
        }
        assert_true(chi_square_fits(low, p, parts, DRAWS));
        assert_true(chi_square_fits(high, p, parts, DRAWS));
        hr_csprng_close(csprng);
    }
}

static void test_uniform__of_one_is_zero(void **state) {
    (void)state;
    hr_csprng *csprng = seeded(4);
    for (int i = 0; i < 100; i++) assert_true(hr_uniform(csprng, 1) == 0 && hr_uniform_wide(csprng, 1) == 0);
    hr_csprng_close(csprng);
}

static void check_coin(uint64_t seed, bool (*toss)(hr_csprng *csprng, hr_u128 a, hr_u128 b), hr_u128 a,
                       hr_u128 b, double p) {
    hr_csprng *csprng = seeded(seed);
    uint64_t seen[2] = {0};
    double both[2] = {1 - p, p};
    for (int i = 0; i < DRAWS; i++) seen[toss(csprng, a, b)]++;
    assert_true(chi_square_fits(seen, both, 2, DRAWS));
    hr_csprng_close(csprng);
}

static void test_bernoulli__fits_its_probability(void **state) {
    (void)state;
    for (size_t s = 0; s < SEEDS; s++) {
        check_coin(seeds[s], hr_bernoulli, 1, 3, 1.0 / 3);
        check_coin(seeds[s], hr_bernoulli, 999, 1000, .999);
        check_coin(seeds[s], hr_bernoulli, (hr_u128)5 << 70, (hr_u128)7 << 70, 5.0 / 7);
        check_coin(seeds[s], hr_bernoulli, (hr_u128)1 << 126, (hr_u128)3 << 126, 1.0 / 3);
    }
    hr_csprng *csprng = seeded(1);
    for (int i = 0; i < 1000; i++) {
        assert_false(hr_bernoulli(csprng, 0, 5));
        assert_true(hr_bernoulli(csprng, 5, 5));
    }
    hr_csprng_close(csprng);
}

static void test_bernoulli_exp__fits_its_probability(void **state) {
    (void)state;
    static const struct {
        uint64_t a, b;
    } cases[] = {{1, 10}, {1, 2}, {1, 1}, {3, 2}, {2, 1}, {7, 2}, {9, 1}};
    for (size_t s = 0; s < SEEDS; s++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            double p = exp(-(double)cases[i].a / (double)cases[i].b);
            check_coin(seeds[s], hr_bernoulli_exp, cases[i].a, cases[i].b, p);
            check_coin(seeds[s] + 100, hr_bernoulli_exp, (hr_u128)cases[i].a << 110,
                       (hr_u128)cases[i].b << 110, p);
        }
}

static void test_bernoulli_exp__ends_early_for_large_exponents(void **state) {
    (void)state;
    hr_csprng *csprng = seeded(6);
    hr_u128 a = ((hr_u128)1 << 127) - 1;
    for (int i = 0; i < DRAWS; i++) assert_false(hr_bernoulli_exp(csprng, a, 1));
    for (int i = 0; i < DRAWS; i++) assert_true(hr_bernoulli_exp(csprng, 0, 1));
    hr_csprng_close(csprng);
}

static bool toss_two_over_e(hr_csprng *csprng, hr_u128 a, hr_u128 b) {
    (void)a;
    (void)b;
    return hr_bernoulli_two_over_e(csprng);
}

static void test_bernoulli_two_over_e__fits_its_probability(void **state) {
    (void)state;
    for (size_t s = 0; s < SEEDS; s++) check_coin(seeds[s], toss_two_over_e, 0, 1, 2 / exp(1));
}

static void test_categorical__fits_its_weights(void **state) {
    (void)state;
    static const uint64_t weights[] = {3, 0, 1, 6, 0, 90};
    double p[6];
    for (int i = 0; i < 6; i++) p[i] = (double)weights[i] / 100;
    for (size_t s = 0; s < SEEDS; s++) {
        hr_csprng *csprng = seeded(seeds[s]);
        uint64_t seen[6] = {0};
        for (int i = 0; i < DRAWS; i++) seen[hr_categorical(csprng, weights, 6)]++;
        assert_true(seen[1] == 0 && seen[4] == 0);
        assert_true(chi_square_fits(seen, p, 6, DRAWS));
        hr_csprng_close(csprng);
    }
}

/* ---- Noise ---- */

typedef int64_t sampler(hr_csprng *csprng, uint64_t num, uint64_t den);
typedef double density(double x, double scale);

static double laplace_density(double x, double t) {
    return exp(-fabs(x) / t);
}

static double gaussian_density(double x, double sigma2) {
    return exp(-x * x / (2 * sigma2));
}

/* Compares counts with the probabilities on -REACH..REACH, where nearly all mass must lie. */
static void check_noise(sampler *draw, density *weight, uint64_t num, uint64_t den) {
    static double p[CELLS];
    double scale = (double)num / (double)den, sum = 0;
    for (int x = -REACH; x <= REACH; x++) sum += p[x + REACH] = weight(x, scale);
    for (int i = 0; i < CELLS; i++) p[i] /= sum;
    for (size_t s = 0; s < SEEDS; s++) {
        hr_csprng *csprng = seeded(seeds[s]);
        uint64_t seen[CELLS] = {0};
        for (int i = 0; i < DRAWS; i++) {
            int64_t x = draw(csprng, num, den);
            assert_true(x >= -REACH && x <= REACH);
            seen[x + REACH]++;
        }
        assert_true(chi_square_fits(seen, p, CELLS, DRAWS));
        hr_csprng_close(csprng);
    }
}

static void test_geometric__fits_its_law(void **state) {
    (void)state;
    static const struct {
        uint64_t s, u;
    } cases[] = {{1, 1}, {5, 2}, {2, 5}, {(uint64_t)13 << 50, (uint64_t)1 << 50}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double q = exp(-(double)cases[i].u / (double)cases[i].s), p[REACH];
        uint64_t seen[REACH] = {0};
        hr_csprng *csprng = seeded(5);
        for (int x = 0; x < REACH; x++) p[x] = (1 - q) * pow(q, x);
        for (int d = 0; d < DRAWS; d++) {
            hr_u128 x = hr_geometric(csprng, cases[i].s, cases[i].u);
            assert_true(x < REACH);
            seen[x]++;
        }
        assert_true(chi_square_fits(seen, p, REACH, DRAWS));
        hr_csprng_close(csprng);
    }
}

static void test_discrete_laplace__fits_its_law(void **state) {
    (void)state;
    check_noise(hr_discrete_laplace, laplace_density, 1, 1);
    check_noise(hr_discrete_laplace, laplace_density, 5, 2);
    check_noise(hr_discrete_laplace, laplace_density, 1, 3);
    check_noise(hr_discrete_laplace, laplace_density, 2, 5);
    check_noise(hr_discrete_laplace, laplace_density, 13, 1);
    check_noise(hr_discrete_laplace, laplace_density, (uint64_t)5 << 60, (uint64_t)2 << 60);
}

static void test_discrete_gaussian__fits_its_law(void **state) {
    (void)state;
    check_noise(hr_discrete_gaussian, gaussian_density, 25, 4);
    check_noise(hr_discrete_gaussian, gaussian_density, 1, 1);
    check_noise(hr_discrete_gaussian, gaussian_density, 1, 4);
    check_noise(hr_discrete_gaussian, gaussian_density, 7, 10);
    check_noise(hr_discrete_gaussian, gaussian_density, 7, 2);
    check_noise(hr_discrete_gaussian, gaussian_density, 2000, 1);
    check_noise(hr_discrete_gaussian, gaussian_density, (uint64_t)25 << 14, 4 << 14);
}

static void test_discrete_gaussian__of_tiny_variance_is_zero(void **state) {
    (void)state;
    hr_csprng *csprng = seeded(9);
    for (int i = 0; i < 10000; i++) assert_true(hr_discrete_gaussian(csprng, 1, 1 << 16) == 0);
    hr_csprng_close(csprng);
}

/* For scales too large to count single values: quantiles cells of the continuous law, which is within 1e-6 of
 * the discrete one. */
enum { PARTS = 40 };

static double laplace_cdf(double x, double t) {
    return x < 0 ? .5 * exp(x / t) : 1 - .5 * exp(-x / t);
}

static double gaussian_cdf(double x, double sigma2) {
    return .5 * erfc(-x / sqrt(2 * sigma2));
}

static void check_large_noise(sampler *draw, double (*cdf)(double x, double scale), uint64_t num,
                              uint64_t den) {
    double p[PARTS], scale = (double)num / (double)den;
    for (int i = 0; i < PARTS; i++) p[i] = 1.0 / PARTS;
    for (size_t s = 0; s < SEEDS; s++) {
        hr_csprng *csprng = seeded(seeds[s]);
        uint64_t seen[PARTS] = {0}, odd = 0;
        for (int i = 0; i < DRAWS; i++) {
            int64_t x = draw(csprng, num, den);
            double at = cdf((double)x, scale) * PARTS;
            seen[at < PARTS ? (int)at : PARTS - 1]++;
            odd += x & 1;
        }
        assert_true(chi_square_fits(seen, p, PARTS, DRAWS));
        uint64_t parity[2] = {DRAWS - odd, odd};
        assert_true(chi_square_fits(parity, (double[]){.5, .5}, 2, DRAWS));
        hr_csprng_close(csprng);
    }
}

static void test_discrete_laplace__fits_its_law_at_large_scales(void **state) {
    (void)state;
    check_large_noise(hr_discrete_laplace, laplace_cdf, 1 << 24, 1);
    check_large_noise(hr_discrete_laplace, laplace_cdf, ((uint64_t)1 << 62) + 12345, (uint64_t)1 << 40);
    check_large_noise(hr_discrete_laplace, laplace_cdf, ((uint64_t)1 << 50) - 1, 1);
    check_large_noise(hr_discrete_laplace, laplace_cdf, ((uint64_t)1 << 63) - 1, ((uint64_t)1 << 14) - 1);
}

static void test_discrete_gaussian__fits_its_law_at_large_scales(void **state) {
    (void)state;
    check_large_noise(hr_discrete_gaussian, gaussian_cdf, (uint64_t)1 << 50, 3);
    check_large_noise(hr_discrete_gaussian, gaussian_cdf, (uint64_t)1 << 60, 1);
    check_large_noise(hr_discrete_gaussian, gaussian_cdf, ((uint64_t)1 << 63) - 1, 1 << 16);
    check_large_noise(hr_discrete_gaussian, gaussian_cdf, 987654321987, 1 << 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform__fits_its_law),
        cmocka_unit_test(test_uniform__rejects_where_the_range_does_not_divide),
        cmocka_unit_test(test_uniform__of_one_is_zero),
        cmocka_unit_test(test_bernoulli__fits_its_probability),
        cmocka_unit_test(test_bernoulli_exp__fits_its_probability),
        cmocka_unit_test(test_bernoulli_exp__ends_early_for_large_exponents),
        cmocka_unit_test(test_bernoulli_two_over_e__fits_its_probability),
        cmocka_unit_test(test_categorical__fits_its_weights),
        cmocka_unit_test(test_geometric__fits_its_law),
        cmocka_unit_test(test_discrete_laplace__fits_its_law),
        cmocka_unit_test(test_discrete_gaussian__fits_its_law),
        cmocka_unit_test(test_discrete_gaussian__of_tiny_variance_is_zero),
        cmocka_unit_test(test_discrete_laplace__fits_its_law_at_large_scales),
        cmocka_unit_test(test_discrete_gaussian__fits_its_law_at_large_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
