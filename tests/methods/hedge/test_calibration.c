/* The curve that mends probabilities: against numbers that other code computed, on cells that no records
 * would give. */
#include "methods/hedge/calibration.h"
#include "support/tables.h"
#include "trees/tree/link.h"

enum { CELLS = HR_RELIABILITY_CELLS };

static const double sigmas[] = {.05, 5, 60, 2000};

/* Cells (no, yes, no, yes, ...) in units of 1/64; intercept and slope for each sigma, as
 * `calibration_check.py test_calibration.c` prints them. */
static const struct {
    const char *name;
    int64_t cells[CELLS];
    double fits[COUNT(sigmas)][2];
} goldens[] = {
    {"bold",
     {54080, 3520,  38528, 6272,  33088, 8512,  23616, 8384,  17600, 8000,  17216, 9664,  11456, 7744,
      10944, 8896,  9152,  8768,  6016,  6784,  5760,  7680,  4736,  7424,  5632,  10368, 5184,  11456,
      5248,  13952, 4928,  16192, 5056,  21184, 4736,  27264, 3008,  27712, 1408,  31872},
     {{0.19497698, 0.98343724},
      {0.19313361, 0.98274905},
      {0.08766217, 0.95778099},
      {0.00015295, 0.99973238}}},
    {"timid",
     {57536, 64,    44352, 448,   40512, 1088,  30400, 1600,  23488, 2112,  23552, 3328,  15808, 3392,
      15104, 4736,  12416, 5504,  7872,  4928,  7168,  6272,  5440,  6720,  5760,  10240, 4672,  11968,
      3968,  15232, 3008,  18112, 2304,  23936, 1536,  30464, 576,   30144, 64,    33216},
     {{-0.28404920, 1.96044019},
      {-0.27318003, 1.93341466},
      {-0.08090467, 1.43430970},
      {-0.00023504, 1.00214122}}},
    {"drowned",
     {-196,  -1306, -1455, 1126,  419,  7,     1447,  -1004, 2693,  915,  659,   1785, -741, -2963,
      -1187, -301,  1694,  -1691, 3331, -204,  652,   -2284, -2240, 232,  -1712, 183,  3200, -328,
      518,   -1628, -3198, -377,  -33,  -1583, -2105, -1962, -1144, 1136, -937,  -1298},
     {{0.50769107, 4.00000000},
      {-0.06611190, 1.42958142},
      {-0.00107735, 1.00475974},
      {-0.00000098, 1.00000431}}},
    {"one bin",
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0,     0, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6400, 57600, 0, 0},
     {{0.00778957, 1.06400296},
      {0.00753930, 1.06194666},
      {0.00151453, 1.01244416},
      {0.00000175, 1.00001440}}},
    {"one class",
     {0, 57600, 0, 44800, 0, 41600, 0, 32000, 0, 25600, 0, 26880, 0, 19200, 0, 19840, 0, 17920, 0, 12800,
      0, 13440, 0, 12160, 0, 16000, 0, 16640, 0, 19200, 0, 21120, 0, 26240, 0, 32000, 0, 30720, 0, 33280},
     {{2.00000000, 0.25000000},
      {2.00000000, 0.25000000},
      {1.21687401, 0.25000000},
      {0.00274103, 0.98941992}}},
};

static hr_calibration fit_of(const int64_t *cells, double sigma) {
    hr_noisy noisy[CELLS];
    for (size_t c = 0; c < CELLS; c++) noisy[c].paid = cells[c];
    return hr_calibration_fit(noisy, HR_COUNT_UNIT, sigma);
}

static void test_fit__equals_what_other_code_computes(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(goldens); i++)
        for (size_t s = 0; s < COUNT(sigmas); s++) {
            hr_calibration c = fit_of(goldens[i].cells, sigmas[s]);
            const double *wanted = goldens[i].fits[s];
            assert_true(c.made);
            if (!(fabs(c.intercept - wanted[0]) < 1e-7 && fabs(c.slope - wanted[1]) < 1e-7))
                fail_msg("%s, sigma %g: %.9f %.9f", goldens[i].name, sigmas[s], c.intercept, c.slope);
        }
}

static void assert_within_bounds(const int64_t *cells, double sigma) {
    hr_calibration c = fit_of(cells, sigma);
    if (!(c.made && fabs(c.intercept) <= HR_INTERCEPT_MAX && c.slope >= HR_SLOPE_MIN &&
          c.slope <= HR_SLOPE_MAX))
        fail_msg("sigma %g: %g %g", sigma, c.intercept, c.slope);
}

static void fill(int64_t *cells, size_t from, size_t step, int64_t value) {
    for (size_t c = from; c < CELLS; c += step) cells[c] = value;
}

/* Whatever the gate may release: sums are within +-2^61. */
static void test_fit__keeps_its_bounds_on_any_cells(void **state) {
    (void)state;
    static const int64_t values[] = {
        0, 1, 64, -64, 100000 * 64, -100000 * 64, (int64_t)1 << 40, (int64_t)1 << 61, -((int64_t)1 << 61)};
    static const double noise[] = {1e-6, .05, 1, 300, 1e12};
    uint64_t random = 71;
    for (size_t s = 0; s < COUNT(noise); s++)
        for (size_t v = 0; v < COUNT(values); v++) {
            int64_t cells[CELLS] = {0};
            fill(cells, 0, 1, values[v]); /* as many of each */
            assert_within_bounds(cells, noise[s]);
            fill(cells, 0, 2, 0); /* one class */
            assert_within_bounds(cells, noise[s]);
            fill(cells, 0, 1, 0);
            cells[1 + 2 * (v % HR_RELIABILITY_BINS)] = values[v]; /* one cell */
            assert_within_bounds(cells, noise[s]);
            for (int i = 0; i < 200; i++) {
                for (size_t c = 0; c < CELLS; c++)
                    cells[c] = (int64_t)((double)values[v] * (2 * next_unit(&random) - 1));
                assert_within_bounds(cells, noise[s]);
            }
        }
}

static void test_fit__without_counts_leaves_probabilities_alone(void **state) {
    (void)state;
    const int64_t none[CELLS] = {0};
    hr_calibration c = fit_of(none, 10);
    assert_true(c.made && fabs(c.intercept) < 1e-12 && fabs(c.slope - 1) < 1e-12);
    c = fit_of(goldens[0].cells, 1e9); /* drowned */
    assert_true(fabs(c.intercept) < 1e-6 && fabs(c.slope - 1) < 1e-6);
}

static void test_fit__of_one_class_reaches_its_bounds(void **state) {
    (void)state;
    int64_t cells[CELLS] = {0};
    fill(cells, 1, 2, (int64_t)64 * 1000000);
    hr_calibration c = fit_of(cells, 1);
    assert_true(c.intercept == HR_INTERCEPT_MAX && c.slope == HR_SLOPE_MIN);
    fill(cells, 1, 2, 0);
    fill(cells, 0, 2, (int64_t)64 * 1000000);
    c = fit_of(cells, 1);
    assert_true(c.intercept == -HR_INTERCEPT_MAX && c.slope == HR_SLOPE_MIN);
}

/* One bin, 9 of 10: the curve must pass through it, as near to (0, 1) as the prior weighs distances. All
 * hessian is in one direction, which loses the other to rounding where noise is small. */
static void test_fit__of_one_huge_bin_passes_through_it(void **state) {
    (void)state;
    static const double noise[] = {1e-6, .05, 5};
    double x = hr_link_input(hr_reliability_middle(18)), push = (log(9) - x) / (.15 * .15 + .3 * .3 * x * x);
    for (size_t s = 0; s < COUNT(noise); s++)
        for (int bits = 12; bits <= 43; bits++) {
            int64_t cells[CELLS] = {0};
            cells[36] = (int64_t)6400 << bits;
            cells[37] = (int64_t)57600 << bits;
            hr_calibration c = fit_of(cells, noise[s]);
            assert_true(fabs(c.intercept - .15 * .15 * push) < 1e-6 &&
                        fabs(c.slope - 1 - .3 * .3 * x * push) < 1e-6);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit__equals_what_other_code_computes),
        cmocka_unit_test(test_fit__keeps_its_bounds_on_any_cells),
        cmocka_unit_test(test_fit__without_counts_leaves_probabilities_alone),
        cmocka_unit_test(test_fit__of_one_class_reaches_its_bounds),
        cmocka_unit_test(test_fit__of_one_huge_bin_passes_through_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
