/* Shares of discrete Gaussian noise: what they add up to, exactly, against Lemma 3 of the proof and against
 * what is charged; and what is drawn against the law. */
#include "privacy/mechanisms.h"
#include "support/check.h"
#include "support/chi_square.h"

enum { REACH_MAX = 4000 };

/* Probabilities of the integers from -reach to reach. */
typedef struct law {
    int reach;
    long double p[2 * REACH_MAX + 1];
} law;

static void gaussian_law(law *out, long double variance, int reach) {
    long double sum = 0;
    assert_true(reach <= REACH_MAX);
    out->reach = reach;
    for (int x = -reach; x <= reach; x++)
        sum += out->p[x + reach] = expl(-(long double)x * x / (2 * variance));
    for (int i = 0; i <= 2 * reach; i++) out->p[i] /= sum;
}

/* *sum becomes the law of an independent sum. */
static void add_law(law *sum, const law *one) {
    static law made;
    made.reach = sum->reach + one->reach;
    assert_true(made.reach <= REACH_MAX);
    memset(made.p, 0, sizeof made.p);
    for (int i = 0; i <= 2 * sum->reach; i++)
        for (int j = 0; j <= 2 * one->reach; j++) made.p[i + j] += sum->p[i] * one->p[j];
    *sum = made;
}

static int reach_of(long double variance) {
    return (int)(12 * sqrtl(variance)) + 9;
}

static void sum_of_shares(law *out, long double variance, int shares) {
    static law one;
    gaussian_law(&one, variance, reach_of(variance));
    *out = one;
    for (int j = 1; j < shares; j++) add_law(out, &one);
}

/* ---- Lemma 3 ---- */

/* The largest |ln| of the ratio to one discrete Gaussian of all the variance, where no tail is cut off. */
static long double largest_loss(long double variance, int shares) {
    static law sum, whole;
    sum_of_shares(&sum, variance, shares);
    gaussian_law(&whole, variance * shares, sum.reach);
    long double worst = 0;
    int near = (int)(6 * sqrtl(variance * shares));
    for (int x = -near; x <= near; x++)
        worst = fmaxl(worst, fabsl(logl(sum.p[sum.reach + x] / whole.p[whole.reach + x])));
    return worst;
}

static long double lemma_3(long double variance, int shares) {
    long double pi = acosl(-1), bound = 0;
    for (int j = 1; j < shares; j++) bound += 3 * 2.01L * expl(-2 * pi * pi * variance * j / (j + 1));
    return bound;
}

/* At variances far below 12, where there is a difference to be seen. */
static void test_shares__add_up_to_one_gaussian_as_lemma_3_says(void **state) {
    (void)state;
    static const struct {
        long double variance;
        int shares;
    } cases[] = {{.25L, 2}, {.5L, 2}, {.5L, 5}, {1, 2}, {1, 4}, {2, 3}, {3, 2}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        long double loss = largest_loss(cases[i].variance, cases[i].shares),
                    bound = lemma_3(cases[i].variance, cases[i].shares);
        assert_true(loss <= bound);
        assert_true(cases[i].shares > 2 || loss > bound / 4); /* what is left of two is smoothed by a third */
    }
    assert_true(largest_loss(12, 6) < 1e-15L && lemma_3(12, 256) < 255 * 2.3e-51L);
}

/* ---- What is charged ---- */

static double normal_tail(double x) {
    return erfc(x / sqrt(2)) / 2;
}

static double normal_delta(double mu, double epsilon) {
    return normal_tail(epsilon / mu - mu / 2) - exp(epsilon) * normal_tail(epsilon / mu + mu / 2);
}

/* delta at epsilon of a symmetric law against the same moved by `shift`. */
static double delta_of(const law *l, int shift, double epsilon) {
    long double delta = 0, factor = expl(epsilon);
    for (int i = 0; i <= 2 * l->reach; i++) {
        long double moved = i >= shift ? l->p[i - shift] : 0, more = l->p[i] - factor * moved;
        delta += more > 0 ? more : 0;
    }
    return (double)delta;
}

static hr_release line_of(uint64_t sensitivity, double cost, uint64_t shares) {
    return (hr_release){"sum", .cost = hr_units_up(cost), .sensitivity = sensitivity, .shares = shares};
}

static const struct {
    uint64_t sensitivity;
    double cost;
    uint64_t shares;
} charged[] = {{1, .0625, 1}, {3, .5, 2}, {3, .5, 1}, {8, .1, 3}, {20, .05, 2}, {20, .05, 6}, {40, 9, 3}};

/* The shares that were counted on keep within the mu that was paid; with one less they do not. */
static void test_shares__keep_within_their_mu(void **state) {
    (void)state;
    static law sum;
    double tightest = 0;
    for (size_t i = 0; i < COUNT(charged); i++) {
        hr_release line = line_of(charged[i].sensitivity, charged[i].cost, charged[i].shares);
        int shift = (int)line.sensitivity, shares = (int)line.shares;
        assert_true(hr_shared_gaussian_scale(&line, HR_PRIVACY_GDP));
        long double variance = (long double)line.scale_num / line.scale_den;
        double mu = sqrt(hr_units_value(line.cost));
        for (int present = shares; present >= 1 && present >= shares - 1; present--) {
            sum_of_shares(&sum, variance, present);
            for (int e = 0; e <= 3; e++) {
                double used = delta_of(&sum, shift, e * mu) / normal_delta(mu, e * mu);
                assert_true(present == shares ? used < 1 : used > 1);
                if (present == shares) tightest = fmax(tightest, used);
            }
        }
    }
    assert_true(tightest > .99);
}

static void test_scale__is_the_variance_of_a_share_rounded_up(void **state) {
    (void)state;
    for (uint64_t shares = 1; shares <= HR_SHARES_MAX; shares++) {
        hr_release line = line_of(4096, .003, shares);
        assert_true(hr_shared_gaussian_scale(&line, HR_PRIVACY_GDP));
        double wanted = (4096 * 4096 / hr_units_value(line.cost) + 6) / (double)shares,
               variance = (double)line.scale_num / (double)line.scale_den;
        assert_int_equal(line.mechanism, HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN);
        assert_true(line.scale_den == 1 << 16 && variance >= wanted * (1 - 1e-15));
        assert_true(variance < wanted + 0x1p-15);
        assert_true(hr_shared_gaussian_covers(&line, HR_PRIVACY_GDP));
        line.shares--; /* fewer do not suffice */
        assert_false(hr_shared_gaussian_covers(&line, HR_PRIVACY_GDP));
    }
}

static void test_scale__is_refused_where_nothing_is_proved(void **state) {
    (void)state;
    const struct {
        hr_release line;
        hr_privacy_measure measure;
    } cases[] = {{line_of(64, 1, 0), HR_PRIVACY_GDP},
                 {line_of(64, 1, HR_SHARES_MAX + 1), HR_PRIVACY_GDP},
                 {line_of(64, 1, 3), HR_PRIVACY_ZCDP},
                 {line_of(64, 1, 3), HR_PRIVACY_PURE},
                 {line_of(64, 0, 3), HR_PRIVACY_GDP},
                 {line_of(0, 1, 3), HR_PRIVACY_GDP},
                 {line_of(HR_SENSITIVITY_MAX + 1, 1, 3), HR_PRIVACY_GDP},
                 {line_of(1 << 20, 0x1p-40, 3), HR_PRIVACY_GDP},
                 {line_of(4, .9, 2), HR_PRIVACY_GDP}}; /* (17.8 + 6)/2 < 12 */
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_release line = cases[i].line;
        assert_false(hr_shared_gaussian_scale(&line, cases[i].measure));
    }
    hr_release least = line_of(4, .88, 2); /* (18.2 + 6)/2 */
    assert_true(hr_shared_gaussian_scale(&least, HR_PRIVACY_GDP));
}

/* The largest and the smallest ratios of sensitivity to cost that fit: nothing wraps. */
static void test_scale__takes_the_ends_of_its_range(void **state) {
    (void)state;
    hr_release wide = line_of(HR_SENSITIVITY_MAX, 0x1p-12, 256),
               narrow = line_of(HR_SENSITIVITY_MAX, 0x1p18, 256);
    assert_true(hr_shared_gaussian_scale(&wide, HR_PRIVACY_GDP));
    assert_true(wide.scale_den == 64 && wide.scale_num == ((uint64_t)1 << 54) + 2); /* 6 * 64/256, up */
    assert_true(hr_shared_gaussian_scale(&narrow, HR_PRIVACY_GDP));
    wide.scale_num--;
    narrow.scale_num--;
    assert_false(hr_shared_gaussian_covers(&wide, HR_PRIVACY_GDP));
    assert_false(hr_shared_gaussian_covers(&narrow, HR_PRIVACY_GDP));
    wide.scale_num = UINT64_MAX;
    assert_false(hr_shared_gaussian_covers(&wide, HR_PRIVACY_GDP));
}

/* ---- What is drawn ---- */

enum { DRAWS = 100000 };

static void test_share__fits_its_law_and_so_does_the_sum(void **state) {
    (void)state;
    static const uint64_t shares[] = {1, 2, 5};
    static law one, all;
    static double p[2][2 * REACH_MAX + 1];
    for (size_t s = 0; s < COUNT(shares); s++) {
        static uint64_t seen[2][2 * REACH_MAX + 1];
        hr_release line = line_of(9, .5, shares[s]);
        hr_csprng *csprng = NULL;
        assert_int_equal(hr_csprng_open_seeded(30 + s, &csprng, NULL), HR_OK);
        assert_true(hr_shared_gaussian_scale(&line, HR_PRIVACY_GDP));
        gaussian_law(&one, (long double)line.scale_num / line.scale_den, 300);
        gaussian_law(&all, 168, 300); /* 81/.5 + 6, however many share it */
        for (size_t i = 0; i <= 600; i++) {
            p[0][i] = (double)one.p[i];
            p[1][i] = (double)all.p[i];
        }
        memset(seen, 0, sizeof seen);
        for (int i = 0; i < DRAWS; i++) {
            uint64_t sum = 0;
            for (uint64_t j = 0; j < shares[s]; j++) {
                uint64_t share = hr_shared_gaussian_draw(csprng, &line);
                sum += share;
                if (!j) seen[0][300 + (int64_t)share]++;
            }
            seen[1][300 + (int64_t)sum]++;
        }
        for (size_t k = 0; k < 2; k++) assert_true(chi_square_fits(seen[k], p[k], 601, DRAWS));
        hr_csprng_close(csprng);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares__add_up_to_one_gaussian_as_lemma_3_says),
        cmocka_unit_test(test_shares__keep_within_their_mu),
        cmocka_unit_test(test_scale__is_the_variance_of_a_share_rounded_up),
        cmocka_unit_test(test_scale__is_refused_where_nothing_is_proved),
        cmocka_unit_test(test_scale__takes_the_ends_of_its_range),
        cmocka_unit_test(test_share__fits_its_law_and_so_does_the_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
