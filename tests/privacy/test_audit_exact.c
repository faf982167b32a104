/* Audits without sampling: mechanisms with finitely many outcomes have an exact privacy loss on a given pair
 * of neighbours. The published exponents must be caught, and what the library charges must never be exceeded.
 */
#include "privacy/gate.h"
#include "privacy/mechanisms.h"
#include "support/flip_law.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 64 };

/* ln of the probabilities proportional to exp(c scores[r]). */
static void log_probabilities(const double *scores, size_t count, double c, double *out) {
    double best = scores[0], sum = 0;
    for (size_t i = 1; i < count; i++) best = fmax(best, scores[i]);
    for (size_t i = 0; i < count; i++) sum += exp(c * (scores[i] - best));
    for (size_t i = 0; i < count; i++) out[i] = c * (scores[i] - best) - log(sum);
}

static void log_flip_law(const double *scores, size_t count, double c, double *out) {
    flip_law(scores, count, c, out);
    for (size_t i = 0; i < count; i++) out[i] = log(out[i]);
}

typedef void log_law(const double *scores, size_t count, double c, double *out);

/* The largest |ln(p/p')| over the outcomes. */
static double loss_under(log_law *law, const double *scores, const double *neighbour, size_t count,
                         double c) {
    double p[MOST], q[MOST], loss = 0;
    law(scores, count, c, p);
    law(neighbour, count, c, q);
    for (size_t i = 0; i < count; i++) loss = fmax(loss, fabs(p[i] - q[i]));
    return loss;
}

static double exact_loss(const double *scores, const double *neighbour, size_t count, double c) {
    return loss_under(log_probabilities, scores, neighbour, count, c);
}

/* ---- Splits of gradient trees ---- */

enum { CANDIDATES = 11 };

static double quality(double sum, double n, double lambda) {
    return n + lambda > 0 ? sum * sum / (n + lambda) : 0;
}

/* n records of gradient g and as many of -g, separated by every candidate. The canary of gradient -g joins
 * the positive side of the first candidate and the negative side of all others. */
static void split_scores(double n, double g, double lambda, int canary, double *out) {
    double s = g * n;
    out[0] = quality(s - g * canary, n + canary, lambda) + quality(-s, n, lambda);
    for (int i = 1; i < CANDIDATES; i++)
        out[i] = quality(s, n, lambda) + quality(-s - g * canary, n + canary, lambda);
}

static double split_loss(double n, double g, double lambda, double c) {
    double without[CANDIDATES], with[CANDIDATES];
    split_scores(n, g, lambda, 0, without);
    split_scores(n, g, lambda, 1, with);
    return exact_loss(without, with, CANDIDATES, c);
}

static void assert_near(double value, double wanted) {
    assert_true(fabs(value - wanted) < 5e-4);
}

static void test_audit__catches_the_published_split_exponent(void **state) {
    (void)state;
    static const struct { double lambda, loss; } cases[] = {{.1, 1.926}, {10, 8.110}};
    for (size_t i = 0; i < 2; i++) {
        double lambda = cases[i].lambda, claimed = (3 * lambda + 2) / ((lambda + 1) * (lambda + 2));
        assert_near(split_loss(2000, 1, lambda, 1 / (2 * claimed)), cases[i].loss); /* claimed: 1 */
    }
    assert_near(split_loss(5000, 2, 0, 1.0 / 8),
                1.918); /* residuals in (-2, 2) with the exponent for (-1, 1); claimed: 1 */
}

static void test_audit__width_four_keeps_its_promise(void **state) {
    (void)state;
    assert_near(split_loss(2000, 1, .1, 1.0 / 4), .940);
    assert_near(split_loss(2000, 1, 10, 1.0 / 4), .936);
    assert_near(split_loss(5000, 2, 0, 1.0 / 16), .941);
}

/* The same with what a gate makes of a cost of 1 and the width: integer scores, rounded down, in every
 * privacy measure. */
static void test_audit__charged_width_bounds_the_loss(void **state) {
    (void)state;
    static const struct {
        hr_privacy_measure privacy_measure;
        double cost;
    } cases[] = {{HR_PRIVACY_PURE, 1}, {HR_PRIVACY_ZCDP, .125}, {HR_PRIVACY_GDP, .3926991}}; /* epsilon 1 */
    const double unit = 0x1p12;
    for (size_t i = 0; i < 3; i++) {
        hr_gate *gate = NULL;
        hr_permit permit;
        hr_charge charge = {"split", 0, 0, 0, 0, hr_units_up(cases[i].cost), 4 * 4096 + 4};
        assert_int_equal(hr_gate_new(cases[i].privacy_measure, charge.cost, NULL, &gate, NULL), HR_OK);
        assert_int_equal(hr_gate_charge_choice(gate, &charge, &permit, NULL), HR_OK);
        size_t count;
        const hr_release *line = hr_gate_releases(gate, &count);
        double without[CANDIDATES], with[CANDIDATES];
        split_scores(2000, 1, .1, 0, without);
        split_scores(2000, 1, .1, 1, with);
        for (int k = 0; k < CANDIDATES; k++) {
            without[k] = floor(without[k] * unit);
            with[k] = floor(with[k] * unit);
        }
        log_law *law = line->mechanism == HR_MECHANISM_PERMUTE_AND_FLIP ? log_flip_law : log_probabilities;
        double loss =
            loss_under(law, without, with, CANDIDATES, (double)line->scale_num / (double)line->scale_den);
        assert_true(loss <= 1 && loss > .93);
        hr_gate_free(gate);
    }
}

/* ---- The width, by random search ---- */

static double uniform(hr_csprng *dice) {
    return (double)(hr_csprng_u64(dice) >> 11) * 0x1p-53;
}

/* From -1 to 1, often at the ends. */
static double signed_uniform(hr_csprng *dice) {
    double u = uniform(dice);
    return u < .3 ? -1 : u < .6 ? 1 : 2 * uniform(dice) - 1;
}

static void test_audit__split_score_has_width_four(void **state) {
    (void)state;
    hr_csprng *dice = NULL;
    assert_int_equal(hr_csprng_open_seeded(8, &dice, NULL), HR_OK);
    static const double lambdas[] = {0, .1, 1, 10, 1000};
    double lowest = 0, highest = 0;
    for (int i = 0; i < 100000; i++) {
        double g = exp(4 * uniform(dice) - 2), lambda = lambdas[hr_uniform(dice, 5)],
               record = g * signed_uniform(dice);
        double n = floor(exp(15 * uniform(dice))) - 1, sum = g * n * signed_uniform(dice);
        double change = (quality(sum + record, n + 1, lambda) - quality(sum, n, lambda)) / (g * g);
        assert_true(change <= 1 + 1e-6 && change >= -3 - 1e-6);
        lowest = fmin(lowest, change);
        highest = fmax(highest, change);
    }
    assert_true(lowest < -2.99 && highest > .99); /* the search is able to find the ends: 4 is needed */
    hr_csprng_close(dice);
}

/* ---- What the privacy measures promise ---- */

static double renyi(const double *log_p, const double *log_q, size_t count, double alpha) {
    double sum = 0, largest = -HUGE_VAL;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, alpha * log_p[i] + (1 - alpha) * log_q[i]);
    for (size_t i = 0; i < count; i++) sum += exp(alpha * log_p[i] + (1 - alpha) * log_q[i] - largest);
    return (largest + log(sum)) / (alpha - 1);
}

static const double alphas[] = {1.01, 1.5, 2, 4, 16, 100};

static void test_audit__bounded_range_costs_an_eighth_of_its_square(void **state) {
    (void)state;
    hr_csprng *dice = NULL;
    assert_int_equal(hr_csprng_open_seeded(9, &dice, NULL), HR_OK);
    double tightest = 0;
    for (int i = 0; i < 20000; i++) {
        double scores[MOST], neighbour[MOST], p[MOST], q[MOST], epsilon = exp(6 * uniform(dice) - 4);
        size_t count = 2 + hr_uniform(dice, MOST - 2);
        for (size_t k = 0; k < count; k++) {
            scores[k] = 4 * uniform(dice) / epsilon;
            neighbour[k] = scores[k] + (uniform(dice) < .5   ? 0
                                        : uniform(dice) < .8 ? 1
                                                             : uniform(dice)); /* width 1 */
        }
        log_probabilities(scores, count, epsilon, p);
        log_probabilities(neighbour, count, epsilon, q);
        assert_true(exact_loss(scores, neighbour, count, epsilon) <= epsilon * (1 + 1e-9));
        for (size_t k = 0; k < sizeof alphas / sizeof *alphas; k++) {
            double used = renyi(p, q, count, alphas[k]) / (alphas[k] * epsilon * epsilon / 8);
            assert_true(used <= 1 + 1e-6);
            tightest = fmax(tightest, used);
        }
    }
    assert_true(tightest > .99);
    hr_csprng_close(dice);
}

/* ---- Permute-and-flip ---- */

/* Scores and those of a neighbour, whose changes lie in an interval of length 1, somewhere. */
static size_t random_neighbours(hr_csprng *dice, double epsilon, double *scores, double *neighbour) {
    size_t count = 2 + hr_uniform(dice, MOST - 2);
    double shift = 3 * uniform(dice) - 1.5, spread = 4 * uniform(dice) / epsilon;
    if (uniform(dice) < .2) count = 2, spread = 0;
    for (size_t k = 0; k < count; k++) {
        scores[k] = spread * uniform(dice);
        neighbour[k] = scores[k] + shift + (uniform(dice) < .4 ? 0 : uniform(dice) < .7 ? 1 : uniform(dice));
    }
    return count;
}

/* As private as the exponential mechanism of the same scale, for changes of width 1 and of any sign; half the
 * width would not do. */
static void test_audit__permute_and_flip_keeps_its_epsilon(void **state) {
    (void)state;
    hr_csprng *dice = NULL;
    assert_int_equal(hr_csprng_open_seeded(10, &dice, NULL), HR_OK);
    double tightest = 0, at_half_the_width = 0;
    for (int i = 0; i < 1500; i++) {
        double scores[MOST], neighbour[MOST], epsilon = exp(6 * uniform(dice) - 4);
        size_t count = random_neighbours(dice, epsilon, scores, neighbour);
        double used = loss_under(log_flip_law, scores, neighbour, count, epsilon) / epsilon;
        assert_true(used <= 1 + 1e-9);
        tightest = fmax(tightest, used);
        at_half_the_width = fmax(at_half_the_width,
                                 loss_under(log_flip_law, scores, neighbour, count, 2 * epsilon) / epsilon);
    }
    assert_true(tightest > .999 && at_half_the_width > 1.99);
    hr_csprng_close(dice);
}

/* What the exponential mechanism is charged in zCDP and in GDP would be false: the range of two candidates
 * whose gap closes is longer than epsilon, and they need four times epsilon^2/8, and twice sqrt(pi/8)
 * epsilon. */
static void test_audit__permute_and_flip_has_no_bounded_range(void **state) {
    (void)state;
    static const double apart[2] = {0, -1}, level[2] = {0, 0};
    for (double epsilon = .01; epsilon < 5; epsilon *= 2) {
        double p[2], q[2];
        log_flip_law(level, 2, epsilon, p);
        log_flip_law(apart, 2, epsilon, q);
        double range = (p[1] - q[1]) - (p[0] - q[0]), rho = renyi(p, q, 2, 1.01) / 1.01;
        assert_true(fabs(range - epsilon - log(2 - exp(-epsilon))) < 1e-9 && range > 1.1 * epsilon);
        assert_true(rho > epsilon * epsilon / 8 * (epsilon < .1 ? 3.5 : 1));
        if (epsilon < .1)
            assert_true((exp(p[1]) - exp(q[1])) * sqrt(2 * acos(-1)) >
                        1.9 * sqrt(acos(-1) / 8) * epsilon); /* mu, nearly */
    }
}

/* Never worse (McKenna and Sheldon 2020): whatever the scores, high ones are at least as likely as under the
 * exponential mechanism. */
static void test_audit__permute_and_flip_is_never_worse(void **state) {
    (void)state;
    hr_csprng *dice = NULL;
    assert_int_equal(hr_csprng_open_seeded(11, &dice, NULL), HR_OK);
    double most_gained = 0;
    for (int i = 0; i < 1500; i++) {
        double scores[MOST], unused[MOST], flip[MOST], exponential[MOST],
            gained = 0, epsilon = exp(6 * uniform(dice) - 4);
        size_t count = random_neighbours(dice, epsilon, scores, unused);
        flip_law(scores, count, epsilon, flip);
        log_probabilities(scores, count, epsilon, exponential);
        for (size_t k = 0; k < count; k++) {
            double more = 0;
            for (size_t s = 0; s < count; s++)
                more += scores[s] >= scores[k] ? flip[s] - exp(exponential[s]) : 0;
            assert_true(more > -1e-12);
            gained += epsilon * scores[k] * (flip[k] - exp(exponential[k]));
        }
        most_gained = fmax(most_gained, gained);
    }
    assert_true(most_gained > .1);
    hr_csprng_close(dice);
}

/* ---- Sums ---- */

static void test_audit__discrete_gaussian_costs_what_its_line_says(void **state) {
    (void)state;
    enum { REACH = 400 };
    static const uint64_t sensitivities[] = {1, 3, 10};
    static const double rhos[] = {.005, .1, 1};
    static double p[2 * REACH + 1], q[2 * REACH + 1];
    for (size_t s = 0; s < 3; s++)
        for (size_t r = 0; r < 3; r++) {
            hr_release line = {"sum", .cost = hr_units_up(rhos[r]), .sensitivity = sensitivities[s]};
            assert_true(hr_gaussian_scale(&line, HR_PRIVACY_ZCDP));
            double sigma2 = (double)line.scale_num / (double)line.scale_den, shift = (double)line.sensitivity,
                   sum = 0;
            for (int x = -4 * REACH; x <= 4 * REACH; x++) sum += exp(-x * x / (2 * sigma2));
            for (int x = -REACH; x <= REACH; x++) {
                p[x + REACH] = -x * x / (2 * sigma2) - log(sum);
                q[x + REACH] = -(x - shift) * (x - shift) / (2 * sigma2) - log(sum);
            }
            for (size_t k = 0; k < 4; k++) {
                double cost = renyi(p, q, 2 * REACH + 1, alphas[k]) / alphas[k];
                assert_true(cost <= hr_units_value(line.cost) * (1 + 1e-9) + 1e-12);
            }
        }
}

static double normal_tail(double x) {
    return erfc(x / sqrt(2)) / 2;
}

/* delta at epsilon of N(0, 1) against N(mu, 1). */
static double normal_delta(double mu, double epsilon) {
    return normal_tail(epsilon / mu - mu / 2) - exp(epsilon) * normal_tail(epsilon / mu + mu / 2);
}

/* delta at epsilon of the discrete Gaussian of variance sigma2 around 0, against the one around `shift`. */
static double discrete_delta(double sigma2, int shift, double epsilon) {
    int reach = (int)(40 * sqrt(sigma2)) + shift;
    double sum = 0, delta = 0;
    for (int x = -reach; x <= reach; x++) sum += exp(-(double)x * x / (2 * sigma2));
    for (int x = -reach; x <= reach; x++) {
        double loss = shift * (shift - 2.0 * x) / (2 * sigma2);
        delta += loss > epsilon ? exp(-(double)x * x / (2 * sigma2)) / sum * -expm1(epsilon - loss) : 0;
    }
    return delta;
}

/* Without the 6 of its proof the privacy measure would promise too much. */
static void test_audit__discrete_gaussian_is_worse_than_the_continuous_one(void **state) {
    (void)state;
    assert_true(fabs(discrete_delta(16, 1, .5) - 2.753e-3) < 5e-7);
    assert_true(fabs(normal_delta(.25, .5) - 2.709e-3) < 5e-7);
    hr_release line = {"sum", .sensitivity = 1, .mechanism = HR_MECHANISM_DISCRETE_GAUSSIAN, .scale_num = 16,
                       .scale_den = 1};
    line.cost = HR_UNIT / 16;
    assert_false(hr_gaussian_covers(&line, HR_PRIVACY_GDP));
    line.cost = HR_UNIT / 10 + 1;
    assert_true(hr_gaussian_covers(&line, HR_PRIVACY_GDP));
    assert_true(discrete_delta(16, 1, .5) < normal_delta(sqrt(hr_units_value(line.cost)), .5));
}

static void test_audit__discrete_gaussian_keeps_within_its_mu(void **state) {
    (void)state;
    static const int sensitivities[] = {1, 3, 64};
    static const double mu2s[] = {.001, 1.0 / 16, .1, 1, 9}, epsilons[] = {0, .05, .2, .5, 1, 3};
    double tightest = 0;
    for (size_t s = 0; s < 3; s++)
        for (size_t m = 0; m < 5; m++) {
            hr_release line = {"sum", .cost = hr_units_up(mu2s[m]),
                               .sensitivity = (uint64_t)sensitivities[s]};
            assert_true(hr_gaussian_scale(&line, HR_PRIVACY_GDP));
            double sigma2 = (double)line.scale_num / (double)line.scale_den,
                   mu = sqrt(hr_units_value(line.cost));
            for (size_t e = 0; e < 6; e++) {
                double used =
                    discrete_delta(sigma2, sensitivities[s], epsilons[e]) / normal_delta(mu, epsilons[e]);
                assert_true(used < 1 || normal_delta(mu, epsilons[e]) < 1e-12);
                tightest = fmax(tightest, used);
            }
        }
    assert_true(tightest > .999); /* of large sums, where the 6 does not matter */
}

/* Phi^-1 of 1/(1 + e^-x), by bisection. */
static double normal_quantile_of_odds(double x) {
    double low = -40, high = 40, wanted = 1 / (1 + exp(fabs(x))); /* of the upper tail */
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (normal_tail(middle) > wanted)
            low = middle;
        else
            high = middle;
    }
    return x < 0 ? -low : low;
}

/* The mu of two candidates whose odds are e^x and e^(x - epsilon): of all choices of this range the worst is
 * one of these. */
static double mu_of_odds(double x, double epsilon) {
    return normal_quantile_of_odds(x) - normal_quantile_of_odds(x - epsilon);
}

static void test_audit__choices_keep_within_their_mu(void **state) {
    (void)state;
    assert_true(fabs(mu_of_odds(.0005, .001) / .001 - .626657) < 1e-6);
    assert_true(fabs(mu_of_odds(.5, 1) - .6239) < 5e-5);
    for (double mu = 1e-3; mu < 4; mu *= 1.3) {
        hr_release line = {"split", .cost = hr_units_up(mu * mu), .sensitivity = 3};
        assert_true(hr_exponential_scale(&line, HR_PRIVACY_GDP));
        double epsilon = 3 * (double)line.scale_num / (double)line.scale_den,
               paid = sqrt(hr_units_value(line.cost)), worst = 0;
        for (double x = -epsilon; x <= 2 * epsilon; x += epsilon / 64)
            worst = fmax(worst, mu_of_odds(x, epsilon));
        assert_true(worst <= paid);
        assert_true(worst > paid * (mu < .01 ? .9999 : .7));
    }
}

/* delta at e^epsilon = k of a choice between two candidates, whose loss is `high` or `high` - range, and a
 * Gaussian of mu^2 = rest that follows. The mean of e^loss is 1, so the probabilities are settled. */
static double composed_delta(double high, double range, double rest, double k) {
    double up = exp(high), down = exp(high - range), p = (1 - down) / (up - down);
    return p * up * normal_delta(sqrt(rest), log(k / up)) +
           (1 - p) * down * normal_delta(sqrt(rest), log(k / down));
}

/* How far the two together exceed a Gaussian of mu^2 = rest + cost, over where the losses lie and over
 * epsilon; relative to what the Gaussian has more than one of mu^2 = rest, where doubles tell the two apart.
 */
static double worst_excess(double range, double rest, double cost) {
    double worst = -HUGE_VAL, mu = sqrt(rest + cost);
    for (int place = 1; place < 16; place++)
        for (double e = -3 * mu; e <= 3 * mu; e += mu / 16) {
            double all = normal_delta(mu, e), alone = normal_delta(sqrt(rest), e);
            double both = composed_delta(range * place / 16, range, rest, exp(e));
            if (all - alone > 1e-9) worst = fmax(worst, (both - all) / (all - alone));
        }
    return worst;
}

/* The price of a choice before other releases, and that 5 % less would not do where the choice is small
 * beside the rest. */
static void test_audit__choices_before_a_gaussian_cost_what_their_line_says(void **state) {
    (void)state;
    static const double rests[] = {.01, .1, 1, 10, 100};
    for (size_t r = 0; r < 5; r++)
        for (double part = .002; part < 1; part *= 1.5) {
            hr_release line = {"choice of tree", .cost = hr_units_up(rests[r] * part), .sensitivity = 3,
                               .rest = hr_units_down(rests[r])};
            assert_true(hr_exponential_scale(&line, HR_PRIVACY_GDP));
            double range = 3 * (double)line.scale_num / (double)line.scale_den,
                   cost = hr_units_value(line.cost);
            assert_true(worst_excess(range, rests[r], cost) < 1e-6);
            if (part < .03 && range < .3) assert_true(worst_excess(range, rests[r], .95 * cost) > 0);
        }
}

static void test_audit__discrete_laplace_costs_what_its_line_says(void **state) {
    (void)state;
    for (uint64_t sensitivity = 1; sensitivity <= HR_SENSITIVITY_MAX; sensitivity *= 4) {
        hr_release line = {"sum", .cost = hr_units_up(.7), .sensitivity = sensitivity};
        assert_true(hr_laplace_scale(&line, HR_PRIVACY_PURE));
        double t = (double)line.scale_num / (double)line.scale_den;
        assert_true(fabs((double)sensitivity / t - hr_units_value(line.cost)) < 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_audit__catches_the_published_split_exponent),
        cmocka_unit_test(test_audit__width_four_keeps_its_promise),
        cmocka_unit_test(test_audit__charged_width_bounds_the_loss),
        cmocka_unit_test(test_audit__split_score_has_width_four),
        cmocka_unit_test(test_audit__bounded_range_costs_an_eighth_of_its_square),
        cmocka_unit_test(test_audit__permute_and_flip_keeps_its_epsilon),
        cmocka_unit_test(test_audit__permute_and_flip_has_no_bounded_range),
        cmocka_unit_test(test_audit__permute_and_flip_is_never_worse),
        cmocka_unit_test(test_audit__discrete_gaussian_costs_what_its_line_says),
        cmocka_unit_test(test_audit__discrete_gaussian_is_worse_than_the_continuous_one),
        cmocka_unit_test(test_audit__discrete_gaussian_keeps_within_its_mu),
        cmocka_unit_test(test_audit__choices_keep_within_their_mu),
        cmocka_unit_test(test_audit__choices_before_a_gaussian_cost_what_their_line_says),
        cmocka_unit_test(test_audit__discrete_laplace_costs_what_its_line_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
