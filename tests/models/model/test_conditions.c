/* Against whom a guarantee is one: numbers against the formulas of the proofs, computed here by other code;
 * words in full. */
#include "support/tables.h"

#include "models/model/conditions.h"

static double normal(double x) {
    return erfc(-x * sqrt(.5)) / 2;
}

/* The epsilon of mu^2 by bisection of the published curve. */
static double epsilon_of(double mu2, double delta) {
    double mu = sqrt(mu2), low = 0, high = 200;
    for (int i = 0; i < 100; i++) {
        double e = (low + high) / 2;
        bool holds = normal(mu / 2 - e / mu) - exp(e) * normal(-mu / 2 - e / mu) <= delta;
        *(holds ? &high : &low) = e;
    }
    return high;
}

static void assert_about(double found, double wanted) {
    assert_true(fabs(found - wanted) <= 1e-6 * wanted);
}

/* A Gaussian sum of sensitivity 64, with what h shares of it cost. */
static hr_release shared_sum(double cost, uint64_t shares, uint64_t group) {
    double variance = (64. * 64 / cost + 6) / (double)shares;
    return (hr_release){.what = "sum",
                        .tree = -1,
                        .level = -1,
                        .group = group,
                        .cost = hr_units_up(cost),
                        .sensitivity = 64,
                        .mechanism = HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN,
                        .scale_num = (uint64_t)ceil(variance * 1024),
                        .scale_den = 1024,
                        .shares = shares};
}

/* What one share alone is worth, of a list whose groups add up. */
static double alone_of(const hr_release *releases, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += 64. * 64 / ((double)releases[i].scale_num / (double)releases[i].scale_den - 6);
    return sum;
}

static hr_trust trust_of(const hr_release *releases, size_t count, const hr_sums_grant *grant) {
    hr_trust made;
    assert_int_equal(hr_trust_of_sums(releases, count, grant, &made, NULL), HR_OK);
    assert_true(made.stated.shared_noise && made.stated.coalition == grant->coalition);
    return made;
}

static hr_sums_grant grant_of(double mu2, size_t owners, size_t coalition) {
    return (hr_sums_grant){.privacy_measure = HR_PRIVACY_GDP,
                           .units = hr_units_down(mu2),
                           .epsilon = epsilon_of(mu2, 1e-6),
                           .delta = 1e-6,
                           .owners = owners,
                           .coalition = coalition};
}

static void test_numbers__are_those_of_the_proof(void **state) {
    (void)state;
    for (size_t owners = 2; owners <= 9; owners++)
        for (size_t coalition = 0; coalition < owners; coalition++) {
            const size_t honest = owners - coalition;
            const double mu2 = .04, delta = 1e-6;
            const hr_release releases[] = {shared_sum(mu2 / 2, honest, 0), shared_sum(mu2 / 2, honest, 1)};
            const hr_sums_grant grant = grant_of(mu2 * (1 + 1e-9), owners, coalition);
            hr_trust made = trust_of(releases, 2, &grant);
            double alone = honest == 1 ? mu2 : alone_of(releases, 2), worst = mu2 * (2. * (double)honest - 1);
            assert_about(made.stated.epsilon_owners, epsilon_of(alone, delta));
            assert_about(made.stated.epsilon_everyone, epsilon_of(worst, delta));
            assert_about(hr_units_value(made.owners), alone);
            assert_about(hr_units_value(made.everyone), worst);
            assert_true(made.stated.epsilon_owners <= made.stated.epsilon_everyone);
        }
}

/* How little of its budget a job spent may depend on noisy values. */
static void test_numbers__are_never_below_what_was_granted(void **state) {
    (void)state;
    const hr_release release = shared_sum(.0001, 3, 0);
    const hr_sums_grant grant = grant_of(.04, 4, 1);
    hr_trust made = trust_of(&release, 1, &grant);
    assert_about(made.stated.epsilon_owners, epsilon_of(.04, 1e-6));
}

/* Laplace noise of one share protects nothing, whatever its lines say of shares. */
static void test_numbers__of_pure_epsilon_are_nothing(void **state) {
    (void)state;
    hr_release release = {.what = "sum",
                          .cost = HR_UNIT / 2,
                          .sensitivity = 1,
                          .mechanism = HR_MECHANISM_SHARED_DISCRETE_LAPLACE,
                          .scale_num = 2,
                          .scale_den = 1,
                          .shares = 2};
    hr_sums_grant grant = {
        .privacy_measure = HR_PRIVACY_PURE, .units = HR_UNIT, .epsilon = 1, .owners = 3, .coalition = 1};
    hr_trust made = trust_of(&release, 1, &grant);
    assert_true(isinf(made.stated.epsilon_owners) && isinf(made.stated.epsilon_everyone));
    assert_true(made.owners == HR_UNITS_MAX && made.everyone == HR_UNITS_MAX);
    release.shares = 1;
    made = trust_of(&release, 1, &grant);
    assert_true(made.stated.epsilon_owners == 1 && isinf(made.stated.epsilon_everyone));
    grant.coalition = 2;
    made = trust_of(&release, 1, &grant);
    assert_true(made.stated.epsilon_owners == 1 && made.stated.epsilon_everyone == 1);
}

/* ---- Words ---- */

#define PRIMITIVES "as long as X25519, BLAKE2b, ChaCha20 and Ed25519 hold"

typedef struct worded {
    hr_conditions conditions;
    double epsilon;
    const char *text;
} worded;

static void test_words__name_each_adversary(void **state) {
    static const worded rows[] = {
        {{false, 0, 0, 0, NULL}, 1, ""},
        {{true, 0, 1.5, 2.25, NULL},
         1,
         "against everybody, the coordinator, whatever they do; if all other owners act together, epsilon is "
         "1.5, and at most 2.25 if the coordinator is with them; " PRIMITIVES},
        {{true, 1, 1.5, 2.25, NULL},
         1,
         "against everybody, the coordinator, and any owner with it, whatever they do; if all other owners "
         "act together, epsilon is 1.5, and at most 2.25 if the coordinator is with them; " PRIMITIVES},
        {{true, 12, 1.5, INFINITY, NULL},
         1,
         "against everybody, the coordinator, and any 12 owners with it, whatever they do; if all other "
         "owners act together, epsilon is 1.5, and nothing is promised if the coordinator is with "
         "them; " PRIMITIVES},
        {{true, 2, INFINITY, INFINITY, NULL},
         1,
         "against everybody, the coordinator, and any 2 owners with it, whatever they do; nothing is "
         "promised if more owners act together; " PRIMITIVES},
        {{true, 2, 1, 1, NULL},
         1,
         "against everybody, the coordinator, and any 2 owners with it, whatever they do; " PRIMITIVES},
        {{true, 1, 1.0000001, 2.0000001, NULL},
         1,
         "against everybody, the coordinator, and any owner with it, whatever they do; if all other owners "
         "act together, epsilon is 1.00001, and at most 2.00001 if the coordinator is with "
         "them; " PRIMITIVES},
    };
    char text[HR_CONDITIONS_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hr_conditions_text(&rows[i].conditions, rows[i].epsilon, text);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers__are_those_of_the_proof),
        cmocka_unit_test(test_numbers__are_never_below_what_was_granted),
        cmocka_unit_test(test_numbers__of_pure_epsilon_are_nothing),
        cmocka_unit_test(test_words__name_each_adversary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
