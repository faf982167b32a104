/* The bootstrap: as many draws as things, and each thing comes up as the binomial law says. */
#include "support/chi_square.h"
#include "trees/records/bootstrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 12, ROUNDS = 20000 };

static double binomial(int n, int k, double p) {
    return exp(lgamma(n + 1.) - lgamma(k + 1.) - lgamma(n - k + 1.) + k * log(p) + (n - k) * log1p(-p));
}

static void test_bootstrap__draws_as_many_as_there_are(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 3, 100, 4097};
    static uint32_t times[4097];
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(1, &csprng, NULL), HR_OK);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        memset(times, 0xff, sizeof times); /* storage need not be clean */
        hr_bootstrap(csprng, counts[c], times);
        size_t sum = 0;
        for (size_t i = 0; i < counts[c]; i++) sum += times[i];
        assert_int_equal(sum, counts[c]);
    }
    hr_csprng_close(csprng);
}

/* One thing a round: rounds are independent, things of one round are not. */
static void test_bootstrap__follows_the_binomial_law(void **state) {
    (void)state;
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(2, &csprng, NULL), HR_OK);
    static const size_t of[] = {0, 5, COUNT - 1};
    uint64_t seen[3][COUNT + 1] = {{0}};
    double probability[COUNT + 1];
    for (int k = 0; k <= COUNT; k++) probability[k] = binomial(COUNT, k, 1. / COUNT);
    for (int r = 0; r < ROUNDS; r++) {
        uint32_t times[COUNT];
        hr_bootstrap(csprng, COUNT, times);
        for (size_t t = 0; t < 3; t++) seen[t][times[of[t]]]++;
    }
    for (size_t t = 0; t < 3; t++) assert_true(chi_square_fits(seen[t], probability, COUNT + 1, ROUNDS));
    hr_csprng_close(csprng);
}

/* Two things together: the numbers of draws that fall to either are multinomial. */
static void test_bootstrap__draws_independently(void **state) {
    (void)state;
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(3, &csprng, NULL), HR_OK);
    enum { N = 4 };
    uint64_t seen[(N + 1) * (N + 1)] = {0};
    double probability[(N + 1) * (N + 1)] = {0};
    for (int a = 0; a <= N; a++)
        for (int b = 0; a + b <= N; b++)
            probability[a * (N + 1) + b] =
                exp(lgamma(N + 1.) - lgamma(a + 1.) - lgamma(b + 1.) - lgamma(N - a - b + 1.) +
                    (a + b) * log(1. / N) + (N - a - b) * log(1 - 2. / N));
    for (int r = 0; r < ROUNDS; r++) {
        uint32_t times[N];
        hr_bootstrap(csprng, N, times);
        seen[times[0] * (N + 1) + times[1]]++;
    }
    assert_true(chi_square_fits(seen, probability, (N + 1) * (N + 1), ROUNDS));
    hr_csprng_close(csprng);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bootstrap__draws_as_many_as_there_are),
        cmocka_unit_test(test_bootstrap__follows_the_binomial_law),
        cmocka_unit_test(test_bootstrap__draws_independently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
