#include "privacy/mechanisms.h"
#include "support/check.h"
#include "support/random_numbers.h"

#include <math.h>

static hr_units account(const hr_release *releases, size_t count) {
    hr_units total = 77;
    assert_int_equal(hr_account(releases, count, &total, NULL), HR_OK);
    return total;
}

static hr_release costs(uint64_t group, uint64_t part, hr_units cost) {
    return (hr_release){.what = "sum", .group = group, .part = part, .cost = cost};
}

/* ---- Units ---- */

static void test_units__round_outwards(void **state) {
    (void)state;
    assert_true(hr_units_up(0) == 0 && hr_units_down(0) == 0);
    assert_true(hr_units_up(1) == HR_UNIT && hr_units_down(1) == HR_UNIT);
    assert_true(hr_units_up(0x1p-41) == 1 && hr_units_down(0x1p-41) == 0);
    assert_true(hr_units_up(.1) == hr_units_down(.1) + 1);
    assert_true(hr_units_up(0x1p-1000) == 1);
    assert_true(hr_units_up(0x1p20) == HR_UNITS_MAX && hr_units_down(0x1p20) == HR_UNITS_MAX);
    assert_true(hr_units_value(HR_UNIT) == 1 && hr_units_value(0) == 0);
    assert_true(hr_units_value(HR_UNITS_MAX - 1) >= 0x1p20);                  /* not a double: rounded up */
    assert_true(hr_units_value(((hr_units)1 << 53) + 1) > 0x1p13);            /* halfway: rounded up */
    assert_true(hr_units_value(((hr_units)1 << 53) - 1) == 0x1p13 - 0x1p-40); /* a double: exact */
}

static void test_units__share_is_the_floor(void **state) {
    (void)state;
    hr_csprng *dice = NULL;
    assert_int_equal(hr_csprng_open_seeded(3, &dice, NULL), HR_OK);
    for (int i = 0; i < 20000; i++) {
        hr_units units = hr_uniform(dice, HR_UNITS_MAX + 1);
        uint64_t part = hr_uniform(dice, ((uint64_t)1 << 50) + 1);
        assert_true(hr_units_share(units, (double)part * 0x1p-50) == (hr_units)((hr_u128)units * part >> 50));
    }
    assert_true(hr_units_share(HR_UNITS_MAX, 1) == HR_UNITS_MAX);
    assert_true(hr_units_share(HR_UNITS_MAX, 0) == 0);
    assert_true(hr_units_share(HR_UNITS_MAX, nextafter(1, 0)) == HR_UNITS_MAX - 128);
    assert_true(hr_units_share(HR_UNITS_MAX, 0x1p-60) == 1);
    assert_true(hr_units_share(HR_UNITS_MAX, nextafter(0x1p-60, 0)) == 0);
    assert_true(hr_units_share(HR_UNITS_MAX, 0x1p-1074) == 0);
    assert_true(hr_units_share(10, 1 / 3.0) == 3);
    hr_csprng_close(dice);
}

/* ---- Adding up ---- */

static void test_account__adds_groups_and_takes_the_costliest_part(void **state) {
    (void)state;
    hr_release list[] = {
        costs(1, 0, 5), costs(1, 1, 7),          costs(1, 0, 4), /* 9 */
        costs(2, 0, 1),                                          /* 1 */
        costs(0, 9, 2), costs(0, 9, 2),                          /* 4 */
        costs(3, 0, 6), costs(3, UINT64_MAX, 8),                 /* 8 */
    };
    size_t count = sizeof list / sizeof *list;
    assert_true(account(list, count) == 22);
    for (size_t i = 0; i + 1 < count; i++) { /* in any order */
        hr_release first = list[0];
        memmove(list, list + 1, (count - 1) * sizeof *list);
        list[count - 1] = first;
        assert_true(account(list, count) == 22);
    }
}

static hr_release owned(uint64_t owner, uint64_t group, uint64_t part, hr_units cost) {
    hr_release line = costs(group, part, cost);
    line.owner = owner;
    return line;
}

/* Groups of different owners have nothing to do with each other, whatever their numbers. */
static void test_account__takes_the_costliest_owner(void **state) {
    (void)state;
    hr_release list[] = {
        owned(1, 1, 0, 5), owned(1, 2, 0, 1), owned(1, 2, 3, 2), /* 7 */
        owned(9, 1, 0, 1), owned(9, 2, 0, 8),                    /* 9 */
        owned(2, 4, 0, 8),                                       /* 8 */
        costs(1, 0, 3),                                          /* of any owner */
    };
    size_t count = sizeof list / sizeof *list;
    for (size_t i = 0; i < count; i++) { /* in any order */
        hr_release first = list[0];
        memmove(list, list + 1, (count - 1) * sizeof *list);
        list[count - 1] = first;
        assert_true(account(list, count) == 12);
    }
    list[0].cost = list[count - 1].cost = list[3].cost = HR_UNITS_MAX - 1;
    assert_true(account(list, count) == HR_UNITS_MAX);
}

static void test_account__of_nothing_is_zero(void **state) {
    (void)state;
    assert_true(account(NULL, 0) == 0);
}

static void test_account__saturates(void **state) {
    (void)state;
    hr_release list[] = {costs(0, 0, HR_UNITS_MAX - 1), costs(1, 0, 1), costs(2, 0, UINT64_MAX),
                         costs(2, 0, UINT64_MAX)};
    assert_true(account(list, 1) == HR_UNITS_MAX - 1);
    assert_true(account(list, 2) == HR_UNITS_MAX);
    assert_true(account(list, 4) == HR_UNITS_MAX);
}

/* ---- The running total of a gate ---- */

enum { CHARGES = 3000 };

/* Each charge of a random list, in few and in many groups, against the accountant's sum of the list so far.
 */
static void check_against_account(uint64_t groups, uint64_t parts) {
    static hr_release list[CHARGES];
    uint64_t random = groups * 100 + parts;
    hr_running_total running_total = {0};
    for (size_t i = 0; i < CHARGES; i++) {
        list[i] = (hr_release){.group = next_random(&random) % groups,
                               .part = next_random(&random) % parts,
                               .mechanism = HR_MECHANISM_DISCRETE_LAPLACE};
        list[i].cost = (hr_units)(next_random(&random) % 1000);
        assert_int_equal(hr_running_total_reserve(&running_total, NULL), HR_OK);
        hr_units told = hr_running_total_would_be(&running_total, list[i].group, list[i].part, list[i].cost),
                 total;
        hr_running_total_add(&running_total, list[i].group, list[i].part, list[i].cost);
        assert_true(running_total.total == told);
        if (i % 50) continue;
        assert_int_equal(hr_account(list, i + 1, &total, NULL), HR_OK);
        assert_true(running_total.total == total);
    }
    hr_running_total_done(&running_total);
    assert_true(running_total.total == 0);
}

static void test_total__is_what_the_accountant_says(void **state) {
    (void)state;
    check_against_account(1, 1);
    check_against_account(1, 100);
    check_against_account(100, 1);
    check_against_account(30, 30);
    check_against_account(UINT64_MAX, UINT64_MAX);
}

static void test_total__of_parts_is_the_costliest_and_of_groups_the_sum(void **state) {
    (void)state;
    hr_running_total running_total = {0};
    static const struct {
        uint64_t group, part;
        hr_units cost, total;
    } charges[] = {{0, 0, 5, 5}, {0, 1, 3, 5}, {0, 1, 4, 7}, {9, 0, 2, 9}, {0, 0, 1, 9}, {0, 0, 2, 10}};
    for (size_t i = 0; i < COUNT(charges); i++) {
        assert_int_equal(hr_running_total_reserve(&running_total, NULL), HR_OK);
        hr_running_total_add(&running_total, charges[i].group, charges[i].part, charges[i].cost);
        assert_true(running_total.total == charges[i].total);
    }
    hr_running_total_done(&running_total);
}

/* ---- Lines that justify their cost ---- */

static bool passes(const hr_release *line, hr_privacy_measure privacy_measure) {
    return hr_account_check(line, 1, privacy_measure, NULL) == HR_OK;
}

static void check_line(hr_release line, hr_privacy_measure privacy_measure) {
    static const hr_privacy_measure privacy_measures[] = {HR_PRIVACY_NONE, HR_PRIVACY_PURE, HR_PRIVACY_ZCDP,
                                                          HR_PRIVACY_GDP};
    for (size_t i = 0; i < 4; i++) {
        bool known_to_pass = line.mechanism == HR_MECHANISM_EXPONENTIAL ||
                             (privacy_measure == HR_PRIVACY_GDP && privacy_measures[i] == HR_PRIVACY_ZCDP);
        if (privacy_measures[i] != privacy_measure && !known_to_pass)
            assert_false(passes(&line, privacy_measures[i]));
    }
    assert_true(passes(&line, privacy_measure));
    hr_release bad = line;
    bad.cost--;
    assert_false(passes(&bad, privacy_measure));
    bad = line;
    bad.sensitivity++;
    assert_false(passes(&bad, privacy_measure));
    bad = line;
    bad.scale_num = 0;
    assert_false(passes(&bad, privacy_measure));
    bad = line;
    bad.scale_den = 0;
    assert_false(passes(&bad, privacy_measure));
    bad = line;
    bad.sensitivity = 0;
    assert_false(passes(&bad, privacy_measure));
    bad = line;
    bad.cost = HR_UNITS_MAX + 1;
    assert_false(passes(&bad, privacy_measure));
}

static void test_check__finds_lines_that_claim_too_little(void **state) {
    (void)state;
    check_line((hr_release){"sum", .cost = HR_UNIT, .sensitivity = 3,
                            .mechanism = HR_MECHANISM_DISCRETE_LAPLACE, .scale_num = 3, .scale_den = 1},
               HR_PRIVACY_PURE);
    check_line((hr_release){"sum", .cost = HR_UNIT / 2, .sensitivity = 3,
                            .mechanism = HR_MECHANISM_DISCRETE_GAUSSIAN, .scale_num = 9, .scale_den = 1},
               HR_PRIVACY_ZCDP);
    check_line((hr_release){"sum", .cost = HR_UNIT / 4, .sensitivity = 3,
                            .mechanism = HR_MECHANISM_DISCRETE_GAUSSIAN, .scale_num = 84, .scale_den = 2},
               HR_PRIVACY_GDP); /* 9 / (42 - 6) */
    hr_release choice = {
        "cut",          .cost = HR_UNIT, .sensitivity = 4, .mechanism = HR_MECHANISM_EXPONENTIAL,
        .scale_num = 1, .scale_den = 4};
    check_line(choice, HR_PRIVACY_PURE);
    choice.cost = HR_UNIT / 8;
    check_line(choice, HR_PRIVACY_ZCDP);
    choice.cost = HR_UNIT / 8 * 355 / 113 + 1; /* pi/8 < 355/904 */
    check_line(choice, HR_PRIVACY_GDP);
    choice.scale_den = 12; /* three times the width: a part of epsilon that is not counted in units */
    assert_false(passes(&choice, HR_PRIVACY_ZCDP));
    assert_false(passes(&choice, HR_PRIVACY_GDP));
    check_line((hr_release){"cut", .cost = HR_UNIT, .sensitivity = 4,
                            .mechanism = HR_MECHANISM_PERMUTE_AND_FLIP, .scale_num = 1, .scale_den = 4},
               HR_PRIVACY_PURE); /* and in no other privacy measure */
}

static void test_check__counts_shares_of_noise(void **state) {
    (void)state;
    hr_release gaussian = {"sum",
                           .cost = HR_UNIT / 2,
                           .sensitivity = 8,
                           .mechanism = HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN,
                           .scale_num = 67,
                           .scale_den = 2,
                           .shares = 4}; /* 64 / (4 * 33.5 - 6) */
    hr_release laplace = {"sum",
                          .cost = HR_UNIT / 3 + 1,
                          .sensitivity = 3,
                          .mechanism = HR_MECHANISM_SHARED_DISCRETE_LAPLACE,
                          .scale_num = 9,
                          .scale_den = 1,
                          .shares = 4};
    check_line(gaussian, HR_PRIVACY_GDP);
    check_line(laplace, HR_PRIVACY_PURE);
    gaussian.scale_num = 66;
    assert_false(passes(&gaussian, HR_PRIVACY_GDP));
    gaussian.scale_num = 67;
    gaussian.shares = 3;
    assert_false(passes(&gaussian, HR_PRIVACY_GDP));
    gaussian.shares = 1 << 30;
    gaussian.cost = HR_UNIT;
    assert_false(passes(&gaussian, HR_PRIVACY_GDP));
    gaussian = (hr_release){.cost = 100 * HR_UNIT,
                            .sensitivity = 1,
                            .scale_den = 1,
                            .shares = 5,
                            .mechanism = HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN};
    gaussian.scale_num = 12;
    assert_true(passes(&gaussian, HR_PRIVACY_GDP));
    gaussian.scale_num = 11; /* nothing is proved of the sum of such shares */
    assert_false(passes(&gaussian, HR_PRIVACY_GDP));
    laplace.shares = 0;
    assert_false(passes(&laplace, HR_PRIVACY_PURE));
    laplace.mechanism = HR_MECHANISM_DISCRETE_LAPLACE;
    assert_true(passes(&laplace, HR_PRIVACY_PURE));
    laplace.shares = 1; /* noise of one owner has no shares */
    assert_false(passes(&laplace, HR_PRIVACY_PURE));
}

static void test_check__takes_the_identity_without_privacy_only(void **state) {
    (void)state;
    hr_release line = {"sum", .mechanism = HR_MECHANISM_IDENTITY, .scale_den = 1};
    assert_true(passes(&line, HR_PRIVACY_NONE));
    assert_false(passes(&line, HR_PRIVACY_PURE));
    assert_false(passes(&line, HR_PRIVACY_ZCDP));
    assert_false(passes(&line, HR_PRIVACY_GDP));
    line.mechanism = (hr_mechanism)17;
    assert_false(passes(&line, HR_PRIVACY_NONE));
}

/* e of a choice of cost c with `rest` behind it, as a line of width 1: rounded down to 2^-40. */
static hr_release choice_before(uint64_t owner, hr_units cost, double rest) {
    double c = hr_units_value(cost), e = sqrt(4 / (1 / c + 1 / rest));
    return (hr_release){.what = "choice",
                        .group = 0,
                        .cost = cost,
                        .sensitivity = 1,
                        .owner = owner,
                        .mechanism = HR_MECHANISM_EXPONENTIAL,
                        .scale_num = hr_units_down(e) - 1,
                        .scale_den = HR_UNIT};
}

static hr_release sum_of(uint64_t owner, uint64_t group, uint64_t part, hr_units cost) {
    return (hr_release){.what = "sum",
                        .group = group,
                        .part = part,
                        .cost = cost,
                        .sensitivity = 1,
                        .owner = owner,
                        .mechanism = HR_MECHANISM_DISCRETE_GAUSSIAN,
                        .scale_num = (HR_UNIT / cost + 8) << 10,
                        .scale_den = 1 << 10};
}

static bool justified(const hr_release *lines, size_t count) {
    return hr_account_check(lines, count, HR_PRIVACY_GDP, NULL) == HR_OK;
}

/* What counts are later lines of the same owner, in groups the costliest part alone. */
static void test_check__lets_choices_count_on_later_lines(void **state) {
    (void)state;
    const hr_units small = HR_UNIT / 64, rest = HR_UNIT / 2;
    hr_release choice = choice_before(0, small, .5), large = sum_of(0, 1, 0, rest);
    assert_true(justified((hr_release[]){choice, large}, 2));
    assert_false(justified((hr_release[]){large, choice}, 2));
    assert_false(justified(&choice, 1));
    choice.rest = rest; /* what a line says of itself is not read */
    assert_false(justified(&choice, 1));
    choice.scale_num += 2;
    assert_false(justified((hr_release[]){choice, large}, 2));
    choice.scale_num -= 2;

    const hr_release half = sum_of(0, 1, 0, rest / 2), other = sum_of(0, 1, 1, rest / 2),
                     next = sum_of(0, 2, 0, rest / 2);
    assert_true(justified((hr_release[]){choice, half, other, next}, 4));
    assert_false(justified((hr_release[]){choice, half, other}, 3));

    const hr_release first = choice_before(1, small, .5), second = choice_before(2, small, .5);
    assert_true(justified((hr_release[]){first, second, sum_of(2, 1, 0, rest), sum_of(1, 1, 0, rest)}, 4));
    assert_false(justified((hr_release[]){first, second, sum_of(1, 1, 0, rest), sum_of(1, 2, 0, rest)}, 4));
}

/* Costs that add up to more than a number holds: nothing may be counted on. */
static void test_check__counts_on_no_sum_that_overflows(void **state) {
    (void)state;
    hr_release lines[40] = {choice_before(0, HR_UNIT / 64, .5)};
    for (uint64_t i = 1; i < 40; i++) {
        lines[i] = sum_of(0, i, 0, HR_UNIT);
        lines[i].cost = HR_UNITS_MAX / 2;
    }
    assert_false(justified(lines, 40));
    assert_true(justified(lines, 2));
}

static void test_check__names_the_line(void **state) {
    (void)state;
    hr_release list[] = {{"leaf sum", .cost = HR_UNIT, .sensitivity = 1,
                          .mechanism = HR_MECHANISM_DISCRETE_LAPLACE, .scale_num = 1, .scale_den = 1},
                         {"split", .cost = 1, .sensitivity = 4, .mechanism = HR_MECHANISM_EXPONENTIAL,
                          .scale_num = 1, .scale_den = 4}};
    hr_error err = {0};
    assert_int_equal(hr_account_check(list, 2, HR_PRIVACY_PURE, &err), HR_E_POLICY);
    assert_non_null(strstr(err.message, "release 1 ('split', exponential)"));
}

/* ---- zCDP to (epsilon, delta) ---- */

/* The best alpha of CKS 2020, Corollary 13, found by golden-section search with 40 digits. */
static const struct {
    double epsilon, delta, rho;
} largest_rho[] = {
    {.1, 1e-6, 3.2104769035e-04}, {.5, 1e-6, 6.6415243567e-03},  {1, 1e-6, 2.4355970360e-02},
    {1, 1e-5, 3.0556595198e-02},  {2, 1e-6, 8.8152688380e-02},   {8, 1e-6, 1.0523580046e+00},
    {1, 1e-12, 1.0740116443e-02}, {.01, 1e-9, 2.0954343963e-06}, {100, 1e-6, 4.9545762799e+01},
    {.5, .1, 1.2101049960e-01},
};
static const struct {
    double rho, delta, epsilon;
} min_epsilon[] = {
    {1e-4, 1e-6, 5.3727120635e-02}, {.01, 1e-6, 6.2169265456e-01}, {.1, 1e-5, 1.9142388320e+00},
    {.5, 1e-6, 5.2215344445e+00},   {2, 1e-9, 1.4150147554e+01},   {50, 1e-6, 1.0068990516e+02},
};

static void test_zcdp__agrees_with_the_formula_and_errs_outwards(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof largest_rho / sizeof *largest_rho; i++) {
        double rho = hr_units_value(hr_zcdp_rho(largest_rho[i].epsilon, largest_rho[i].delta)),
               best = largest_rho[i].rho;
        assert_true(rho <= best * (1 + 1e-10) && rho >= best * (1 - 3e-6));
    }
    for (size_t i = 0; i < sizeof min_epsilon / sizeof *min_epsilon; i++) {
        double epsilon = hr_zcdp_epsilon(hr_units_up(min_epsilon[i].rho), min_epsilon[i].delta),
               best = min_epsilon[i].epsilon;
        assert_true(epsilon >= best * (1 - 1e-10) && epsilon <= best * (1 + 3e-6));
    }
}

static void test_zcdp__there_and_back_does_not_exceed_what_was_asked(void **state) {
    (void)state;
    for (double epsilon = 1e-3; epsilon < 2000; epsilon *= 2.7)
        for (double delta = 1e-15; delta < 1; delta *= 37) {
            double back = hr_zcdp_epsilon(hr_zcdp_rho(epsilon, delta), delta);
            assert_true(back <= epsilon);
            assert_true(back >= epsilon * (1 - 1e-5) || hr_zcdp_rho(epsilon, delta) < HR_UNIT >> 20);
        }
}

/* Corollary 13 of CKS 2020 at alpha = 1 + x. */
static double epsilon_by_the_formula(double rho, double delta, double x) {
    return (1 + x) * rho + (-log(delta) - log(x) - (1 + x) * log1p(1 / x)) / x;
}

/* The search looks at few points of the grid. */
static void test_zcdp__finds_the_best_point_of_the_grid(void **state) {
    (void)state;
    for (double rho = 0x1p-30; rho < 0x1p18; rho *= 61)
        for (double delta = 1e-300; delta < 1; delta *= 9e7) {
            double best = HUGE_VAL, found = hr_zcdp_epsilon(hr_units_up(rho), delta);
            for (int k = -20 * 256; k <= 30 * 256; k++)
                best = fmin(best, epsilon_by_the_formula(hr_units_value(hr_units_up(rho)), delta,
                                                         exp2((double)k / 256)));
            assert_true(found >= best && found <= best * (1 + 1e-9) + 1e-12);
        }
}

static void test_zcdp__takes_the_ends_of_its_range(void **state) {
    (void)state;
    assert_true(hr_zcdp_rho(0, 1e-300) == 0);
    assert_true(hr_zcdp_epsilon(0, 1e-6) < 1e-4);
    assert_true(hr_zcdp_rho(1e7, 1e-6) == HR_UNITS_MAX);
    assert_true(isfinite(hr_zcdp_epsilon(HR_UNITS_MAX, 1e-300)));
    assert_true(hr_zcdp_epsilon(1, nextafter(1, 0)) == 0);
}

/* ---- GDP to (epsilon, delta) ---- */

/* The solutions of Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2) = delta, by bisection with 50
 * digits. */
static const struct {
    double epsilon, delta, mu2;
} largest_mu2[] = {
    {.1, 1e-6, 0.000758707757055}, {.5, 1e-6, 0.0154023362272},   {1, 1e-6, 0.0560289638253},
    {1, 1e-5, 0.0718514046548},    {2, 1e-6, 0.201004039445},     {8, 1e-6, 2.34563044714},
    {1, 1e-12, 0.0232530937371},   {.01, 1e-9, 4.75669409171e-6}, {.01, 1e-12, 2.98295067639e-6},
    {.01, .1, 0.0689091442772},    {100, 1e-6, 104.470039008},    {1000, 1e-6, 1619.32640288},
    {10000, 1e-12, 18108.7081635}, {.5, .1, 0.412876458492},      {1e5, 1e-200, 174748.298506},
};
static const struct {
    double mu2, delta, epsilon;
} epsilon_of_mu2[] = {
    {1e-4, 1e-6, 0.033673780130806},  {.01, 1e-6, 0.39685737764408},  {.1, 1e-5, 1.1993695737532},
    {1, 1e-6, 4.8865541174622},       {.5, 1e-6, 3.3076007226126},    {2, 1e-9, 9.0925583685818},
    {50, 1e-6, 57.848549498785},      {2000, 1e-12, 1313.6630587279}, {.25, .01, 0.91945763504927},
    {20000, 1e-250, 14779.086653936}, {784, .006, 461.38272410025},   {1e6, .5, 499999.00000033},
};

static void test_gdp__agrees_with_the_formula_and_errs_outwards(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof largest_mu2 / sizeof *largest_mu2; i++) {
        hr_units mu2 = hr_gdp_budget(largest_mu2[i].epsilon, largest_mu2[i].delta),
                 best = hr_units_up(largest_mu2[i].mu2 * (1 + 1e-11));
        assert_true(mu2 <= best && (double)mu2 >= (double)best * (1 - 2e-5) - 2);
    }
    for (size_t i = 0; i < sizeof epsilon_of_mu2 / sizeof *epsilon_of_mu2; i++) {
        double epsilon = hr_gdp_epsilon(hr_units_up(epsilon_of_mu2[i].mu2), epsilon_of_mu2[i].delta),
               best = epsilon_of_mu2[i].epsilon;
        assert_true(epsilon >= best * (1 - 1e-13) + 1e-9 && epsilon <= best * (1 + 1e-6));
    }
}

static void test_gdp__there_and_back_does_not_exceed_what_was_asked(void **state) {
    (void)state;
    for (double epsilon = .01; epsilon < 20000; epsilon *= 1.7)
        for (double delta = 1e-12; delta <= .1; delta *= 7) {
            hr_units mu2 = hr_gdp_budget(epsilon, delta);
            double back = hr_gdp_epsilon(mu2, delta);
            assert_true(mu2 > 0);
            assert_true(back <= epsilon && back >= epsilon * (1 - 2e-5));
        }
}

static void test_gdp__is_monotone(void **state) {
    (void)state;
    static const double epsilons[] = {0, 1e-3, .01, .1, 1, 10, 100, 1e4},
                        deltas[] = {1e-300, 1e-100, 1e-12, 1e-6, 1e-3, .1, .9};
    for (size_t e = 0; e < 8; e++)
        for (size_t d = 0; d < 7; d++) {
            hr_units mu2 = hr_gdp_budget(epsilons[e], deltas[d]);
            if (e) assert_true(mu2 >= hr_gdp_budget(epsilons[e - 1], deltas[d]));
            if (d) assert_true(mu2 >= hr_gdp_budget(epsilons[e], deltas[d - 1]));
            double back = hr_gdp_epsilon(mu2 + 1, deltas[d]);
            assert_true(hr_gdp_epsilon(2 * mu2 + 1, deltas[d]) >= back);
            if (d) assert_true(hr_gdp_epsilon(mu2 + 1, deltas[d - 1]) >= back);
        }
}

/* At the same epsilon and delta GDP buys less noise than zCDP: sigma^2 is 1/mu^2 and 1/(2 rho). */
static void test_gdp__is_worth_its_name(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof largest_mu2 / sizeof *largest_mu2; i++) {
        double epsilon = largest_mu2[i].epsilon, delta = largest_mu2[i].delta;
        assert_true(hr_gdp_budget(epsilon, delta) > 2 * hr_zcdp_rho(epsilon, delta));
    }
}

static void test_gdp__takes_the_ends_of_its_range(void **state) {
    (void)state;
    assert_true(hr_gdp_budget(0, 1e-300) == 0);
    assert_true(hr_gdp_budget(1e7, 1e-6) > HR_UNITS_MAX / 2);
    assert_true(hr_gdp_budget(1e300, nextafter(1, 0)) <= HR_UNITS_MAX);
    assert_true(hr_gdp_epsilon(0, 1e-300) == 0);
    assert_true(hr_gdp_epsilon(1, .5) == 0);
    double largest = hr_gdp_epsilon(HR_UNITS_MAX, 1e-300);
    assert_true(largest > 0x1p19 && largest < 0x1p20);
    double by_zcdp = hr_gdp_epsilon(HR_UNIT, 1e-310); /* the curve underflows */
    assert_true(by_zcdp >= hr_zcdp_epsilon(HR_UNIT / 2, 1e-310) &&
                by_zcdp < hr_gdp_epsilon(HR_UNIT, 1e-299) + 2);
}

static void test_mechanism_text__names_all(void **state) {
    (void)state;
    assert_string_equal(hr_mechanism_text(HR_MECHANISM_IDENTITY), "identity");
    assert_string_equal(hr_mechanism_text(HR_MECHANISM_DISCRETE_LAPLACE), "discrete laplace");
    assert_string_equal(hr_mechanism_text(HR_MECHANISM_DISCRETE_GAUSSIAN), "discrete gaussian");
    assert_string_equal(hr_mechanism_text(HR_MECHANISM_EXPONENTIAL), "exponential");
    assert_string_equal(hr_mechanism_text(HR_MECHANISM_PERMUTE_AND_FLIP), "permute-and-flip");
    assert_string_equal(hr_mechanism_text(HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN), "shared discrete gaussian");
    assert_string_equal(hr_mechanism_text(HR_MECHANISM_SHARED_DISCRETE_LAPLACE), "shared discrete laplace");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units__round_outwards),
        cmocka_unit_test(test_units__share_is_the_floor),
        cmocka_unit_test(test_account__adds_groups_and_takes_the_costliest_part),
        cmocka_unit_test(test_account__takes_the_costliest_owner),
        cmocka_unit_test(test_account__of_nothing_is_zero),
        cmocka_unit_test(test_account__saturates),
        cmocka_unit_test(test_total__is_what_the_accountant_says),
        cmocka_unit_test(test_total__of_parts_is_the_costliest_and_of_groups_the_sum),
        cmocka_unit_test(test_check__finds_lines_that_claim_too_little),
        cmocka_unit_test(test_check__counts_shares_of_noise),
        cmocka_unit_test(test_check__takes_the_identity_without_privacy_only),
        cmocka_unit_test(test_check__lets_choices_count_on_later_lines),
        cmocka_unit_test(test_check__counts_on_no_sum_that_overflows),
        cmocka_unit_test(test_check__names_the_line),
        cmocka_unit_test(test_zcdp__agrees_with_the_formula_and_errs_outwards),
        cmocka_unit_test(test_zcdp__there_and_back_does_not_exceed_what_was_asked),
        cmocka_unit_test(test_zcdp__finds_the_best_point_of_the_grid),
        cmocka_unit_test(test_zcdp__takes_the_ends_of_its_range),
        cmocka_unit_test(test_gdp__agrees_with_the_formula_and_errs_outwards),
        cmocka_unit_test(test_gdp__there_and_back_does_not_exceed_what_was_asked),
        cmocka_unit_test(test_gdp__is_monotone),
        cmocka_unit_test(test_gdp__is_worth_its_name),
        cmocka_unit_test(test_gdp__takes_the_ends_of_its_range),
        cmocka_unit_test(test_mechanism_text__names_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
