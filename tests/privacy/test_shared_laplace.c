/* Shares of discrete Laplace noise: their law, exactly, and what is drawn against it. */
#include "privacy/mechanisms.h"
#include "support/check.h"
#include "support/chi_square.h"

enum { MOST = 600, CELLS = 2 * MOST + 1 };

/* Probabilities of 0..MOST of the negative binomial (Polya) law of that shape: in n tries q^n is left. */
static void polya_law(double shape, double q, double out[MOST + 1]) {
    out[0] = pow(1 - q, shape);
    for (int x = 0; x < MOST; x++) out[x + 1] = out[x] * q * (shape + x) / (x + 1);
}

/* Of -MOST..MOST: the difference of two independent draws. */
static void difference_law(const double one[MOST + 1], double out[CELLS]) {
    memset(out, 0, CELLS * sizeof *out);
    for (int a = 0; a <= MOST; a++)
        for (int b = 0; b <= MOST; b++) out[MOST + a - b] += one[a] * one[b];
}

static void laplace_law(double q, double out[CELLS]) {
    for (int x = -MOST; x <= MOST; x++) out[MOST + x] = (1 - q) / (1 + q) * pow(q, abs(x));
}

static const struct {
    double scale;
    uint64_t shares;
} cases[] = {{3, 1}, {3, 2}, {5, 7}, {.4, 3}, {12, 10}};

/* The cycles of a random permutation of n elements, each given to one of h: the next element's cycle has each
 * length from 1 to n with the same probability. law[n][a]: that a of n are given to the first. */
static void test_cycles__of_a_geometric_number_are_polya(void **state) {
    (void)state;
    enum { ELEMENTS = 120 };
    static double law[ELEMENTS + 1][ELEMENTS + 1], polya[MOST + 1];
    for (size_t c = 0; c < COUNT(cases); c++) {
        double given = 1 / (double)cases[c].shares, q = exp(-1 / cases[c].scale);
        memset(law, 0, sizeof law);
        law[0][0] = 1;
        for (int n = 1; n <= ELEMENTS; n++)
            for (int cycle = 1; cycle <= n; cycle++)
                for (int a = 0; a <= n - cycle; a++) {
                    law[n][a + cycle] += given / n * law[n - cycle][a];
                    law[n][a] += (1 - given) / n * law[n - cycle][a];
                }
        polya_law(given, q, polya);
        for (int a = 0; a <= ELEMENTS; a++) {
            double seen = 0;
            for (int n = a; n <= ELEMENTS; n++) seen += (1 - q) * pow(q, n) * law[n][a];
            assert_true(fabs(seen - polya[a]) < 1e-13 + pow(q, ELEMENTS + 1));
        }
    }
}

static void test_shares__add_up_to_discrete_laplace(void **state) {
    (void)state;
    static double one[MOST + 1], sum[MOST + 1], more[MOST + 1], both[CELLS], wanted[CELLS];
    for (size_t c = 0; c < COUNT(cases); c++) {
        double q = exp(-1 / cases[c].scale);
        polya_law(1 / (double)cases[c].shares, q, one);
        memcpy(sum, one, sizeof sum);
        for (uint64_t j = 1; j < cases[c].shares; j++) {
            memset(more, 0, sizeof more);
            for (int a = 0; a <= MOST; a++)
                for (int b = 0; b <= MOST - a; b++) more[a + b] += sum[a] * one[b];
            memcpy(sum, more, sizeof sum);
        }
        difference_law(sum, both);
        laplace_law(q, wanted);
        int near = (int)(10 * cases[c].scale); /* the tails that are cut off do not matter here */
        for (int x = -near; x <= near; x++) assert_true(fabs(log(both[MOST + x] / wanted[MOST + x])) < 1e-9);
    }
}

static hr_release line_of(double scale, uint64_t shares) {
    hr_release line = {"sum", .cost = hr_units_up(30 / scale), .sensitivity = 30, .shares = shares};
    assert_true(hr_shared_laplace_scale(&line, HR_PRIVACY_PURE));
    assert_int_equal(line.mechanism, HR_MECHANISM_SHARED_DISCRETE_LAPLACE);
    return line;
}

enum { DRAWS = 100000 };

static void test_share__fits_its_law_and_so_does_the_sum(void **state) {
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        static double polya[MOST + 1], p[2][CELLS];
        static uint64_t seen[2][CELLS];
        const hr_release line = line_of(cases[c].scale, cases[c].shares);
        double q = exp(-1 / cases[c].scale);
        hr_csprng *csprng = NULL;
        assert_int_equal(hr_csprng_open_seeded(40 + c, &csprng, NULL), HR_OK);
        polya_law(1 / (double)cases[c].shares, q, polya);
        difference_law(polya, p[0]);
        laplace_law(q, p[1]);
        memset(seen, 0, sizeof seen);
        for (int i = 0; i < DRAWS; i++) {
            uint64_t sum = 0;
            for (uint64_t j = 0; j < cases[c].shares; j++) {
                uint64_t share = hr_shared_laplace_draw(csprng, &line);
                sum += share;
                if (!j) seen[0][MOST + (int64_t)share]++;
            }
            seen[1][MOST + (int64_t)sum]++;
        }
        for (size_t k = 0; k < 2; k++) assert_true(chi_square_fits(seen[k], p[k], CELLS, DRAWS));
        hr_csprng_close(csprng);
    }
}

/* At the largest scale that is drawn, 2^50: shares are as large as the noise, and are drawn at once. */
static void test_share__is_drawn_at_any_scale(void **state) {
    (void)state;
    hr_release line = {.sensitivity = HR_SENSITIVITY_MAX, .cost = ((uint64_t)1 << 12) + 1, .shares = 2};
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(50, &csprng, NULL), HR_OK);
    assert_true(hr_shared_laplace_scale(&line, HR_PRIVACY_PURE));
    uint64_t seen[4] = {0};
    const double quarters[4] = {.25, .25, .25, .25};
    for (int i = 0; i < DRAWS / 10; i++) {
        int64_t x = (int64_t)(hr_shared_laplace_draw(csprng, &line) + hr_shared_laplace_draw(csprng, &line));
        double share = exp(-fabs((double)x) / 0x1p50); /* uniform */
        seen[2 * (x < 0) + (share < .5)]++;
    }
    assert_true(chi_square_fits(seen, quarters, 4, DRAWS / 10));
    hr_csprng_close(csprng);
}

static void test_scale__is_refused_where_nothing_is_proved(void **state) {
    (void)state;
    const struct {
        uint64_t shares;
        hr_privacy_measure measure;
    } refused[] = {{0, HR_PRIVACY_PURE},
                   {HR_SHARES_MAX + 1, HR_PRIVACY_PURE},
                   {3, HR_PRIVACY_GDP},
                   {3, HR_PRIVACY_ZCDP}};
    for (size_t i = 0; i < COUNT(refused); i++) {
        hr_release line = {.sensitivity = 3, .cost = HR_UNIT, .shares = refused[i].shares};
        assert_false(hr_shared_laplace_scale(&line, refused[i].measure));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycles__of_a_geometric_number_are_polya),
        cmocka_unit_test(test_shares__add_up_to_discrete_laplace),
        cmocka_unit_test(test_share__fits_its_law_and_so_does_the_sum),
        cmocka_unit_test(test_share__is_drawn_at_any_scale),
        cmocka_unit_test(test_scale__is_refused_where_nothing_is_proved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
