/* What epsilon and delta mean: the sentence, and the probability that the odds change by more than e^epsilon,
 * against the published form Phi(-epsilon/mu + mu/2) with 50 digits, and against events of that probability.
 */
#include "support/tables.h"

#include "privacy/accountant.h"

#include <hedgerow/promise.h>
#include <math.h>

/* ---- Numbers ---- */

typedef struct beyond {
    double epsilon, mu, gaussian, anything;
} beyond;

/* With mpmath, 50 digits: the fourth column by bisection of Phi(z - mu) = e^-epsilon Phi(z). */
static const beyond rows[] = {
    {0.1, 0.0275, 0.00014582063583489712, 0.00038398668413203775},
    {0.1, 0.1, 0.17105612630848181, 0.4003191627272906},
    {0.5, 0.25, 0.030396361765261375, 0.074002146621655461},
    {1, 0.2367, 2.0093050847226008e-5, 5.2075011424030567e-5},
    {1, 0.5, 0.04005915686381709, 0.093268636082678676},
    {1, 2, 0.6914624612740131, 0.94625349997568842},
    {2, 0.4, 7.9332815197559462e-7, 2.0436323210651285e-6},
    {4, 1, 0.00023262907903552504, 0.00055333769551141273},
    {8, 1.5, 2.2881082869581238e-6, 5.3955404175568357e-6},
    {8, 0.75, 3.8417376414924381e-25, 1.0049571098555164e-24},
    {20, 3, 1.191528533201394e-7, 2.6164900820361255e-7},
    {3, 0.1, 2.1999480096212316e-197, 5.966850112962891e-197},
};

static hr_units units_of_mu(double mu) {
    return hr_units_up(mu * mu);
}

/* Units round mu^2 by up to 2^-40, which moves the logarithm of a tail by its square times that. */
static void assert_near(double found, double wanted, const beyond *r) {
    double x = r->epsilon / r->mu, off = 2e-9 + (10 + x * x) * 0x1p-40 / (r->mu * r->mu);
    assert_true(found >= wanted * (1 - off) && found <= wanted * (1 + off));
}

static void test_beyond__is_the_published_form(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const beyond *r = &rows[i];
        assert_near(hr_gdp_beyond_gaussian(units_of_mu(r->mu), r->epsilon), r->gaussian, r);
        assert_near(hr_gdp_beyond(units_of_mu(r->mu), r->epsilon), r->anything, r);
    }
    assert_true(hr_gdp_beyond(0, 1) == 0 && hr_gdp_beyond_gaussian(0, 1) == 0);
}

/* Phi by the library's erfc. */
static double normal(double x) {
    return erfc(-x * sqrt(.5)) / 2;
}

/* The half-line of N(mu, 1) that has the probability has e^epsilon times the probability of N(0, 1):
 * published alone, it is an event of such odds, and a larger one has smaller odds. */
static void test_beyond__is_attained_by_one_event(void **state) {
    (void)state;
    for (double mu = .05; mu < 4; mu *= 1.7)
        for (double epsilon = mu; epsilon < 6 * mu; epsilon += mu) {
            double p = hr_gdp_beyond(units_of_mu(mu), epsilon), z = -38, high = 38;
            for (int i = 0; i < 100; i++) *(normal((z + high) / 2) < p ? &z : &high) = (z + high) / 2;
            double odds = log(p / normal(z - mu));
            assert_true(fabs(odds - epsilon) < 1e-6 * (1 + epsilon));
            assert_true(p > hr_gdp_beyond_gaussian(units_of_mu(mu), epsilon));
        }
}

/* Never delta: 4 to 393 times as much. */
static void test_beyond__is_more_than_delta(void **state) {
    static const double epsilons[] = {.1, 1, 8}, gaussian[] = {149, 20, 4}, anything[] = {393, 52, 10};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        hr_units mu2 = hr_gdp_budget(epsilons[i], 1e-6);
        assert_true(fabs(hr_gdp_beyond_gaussian(mu2, epsilons[i]) / 1e-6 - gaussian[i]) < .5);
        assert_true(fabs(hr_gdp_beyond(mu2, epsilons[i]) / 1e-6 - anything[i]) < .5);
    }
}

/* Two laws of three outcomes, (epsilon, delta)-private with equality: no guess is right more often than is
 * said, and one is as often. */
static void test_guess__is_the_best_one(void **state) {
    (void)state;
    for (double epsilon = .1; epsilon < 12; epsilon *= 2)
        for (double delta = 0; delta < .2; delta += .05) {
            const hr_promise promise = {.epsilon = epsilon, .delta = delta};
            double p = (1 - delta) * exp(epsilon) / (1 + exp(epsilon));
            double right = delta / 2 + p / 2 + (delta + p) / 2;
            assert_true(fabs(hr_promise_guess(&promise) - right) < 1e-12);
        }
    assert_true(hr_promise_guess(&(hr_promise){.epsilon = 10000, .delta = 0}) == 1);
    assert_true(hr_promise_guess(&(hr_promise){.epsilon = 0, .delta = 0}) == .5);
}

/* ---- Words ---- */

static void test_text__says_the_additive_form(void **state) {
    char text[HR_PROMISE_TEXT];
    (void)state;
    const hr_promise pure = {.epsilon = 1}, gdp = {1, 1e-6, 5.209306e-05, 2.0100041e-05},
                     zcdp = {.epsilon = .1, .delta = .01};
    hr_promise_text(&pure, "one record", text);
    assert_string_equal(text, "every set of models is at most e^epsilon = 2.71829 times as likely with one "
                              "record as without, and the other way round. A guess whether it was there, at "
                              "even odds before, is right with a probability of at most 73.1059 % (epsilon "
                              "0.1: 52.5 %, 1: 73.2 %, 8: 99.97 %)");
    hr_promise_text(&zcdp, "one person", text);
    assert_string_equal(text, "every set of models is at most e^epsilon = 1.10518 times as likely with one "
                              "person as without, plus delta = 0.01, and the other way round. A guess "
                              "whether it was there, at even odds before, is right with a probability of at "
                              "most 52.973 % (epsilon 0.1: 52.5 %, 1: 73.2 %, 8: 99.97 %)");
    hr_promise_text(&gdp, "one record", text);
    assert_string_equal(text, "every set of models is at most e^epsilon = 2.71829 times as likely with one "
                              "record as without, plus delta = 1e-06, and the other way round. A guess "
                              "whether it was there, at even odds before, is right with a probability of at "
                              "most 73.1059 % (epsilon 0.1: 52.5 %, 1: 73.2 %, 8: 99.97 %). A model changes "
                              "the odds by more than e^epsilon with a probability of at most 5.20931e-05 "
                              "(2.01001e-05 if all noise is Gaussian), which is more than delta");
}

/* The longest that there can be. */
static void test_text__fits(void **state) {
    char text[HR_PROMISE_TEXT], unit[200];
    (void)state;
    memset(unit, 'x', sizeof unit);
    unit[sizeof unit - 1] = '\0';
    const hr_promise promise = {1.2345678e-9, 1.2345678e-111, 1.2345678e-111, 1.2345678e-111};
    hr_promise_text(&promise, unit, text);
    assert_true(strlen(text) < HR_PROMISE_TEXT - 1);
    assert_non_null(strstr(text, "which is more than delta"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beyond__is_the_published_form),
        cmocka_unit_test(test_beyond__is_attained_by_one_event),
        cmocka_unit_test(test_beyond__is_more_than_delta),
        cmocka_unit_test(test_guess__is_the_best_one),
        cmocka_unit_test(test_text__says_the_additive_form),
        cmocka_unit_test(test_text__fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
