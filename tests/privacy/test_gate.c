#include "privacy/gate.h"
#include "support/gate_cost.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    hr_csprng *csprng;
    hr_gate *gate;
} fixture;

static fixture set_up(hr_privacy_measure privacy_measure, double budget) {
    fixture f = {0};
    assert_int_equal(hr_csprng_open_seeded(1, &f.csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(privacy_measure, hr_units_up(budget), f.csprng, &f.gate, NULL), HR_OK);
    return f;
}

static void tear_down(fixture f) {
    hr_gate_free(f.gate);
    hr_csprng_close(f.csprng);
}

static hr_charge charge_of(double cost, uint64_t group, uint64_t part, uint64_t sensitivity) {
    return (hr_charge){"leaf sum", 3, -1, group, part, hr_units_up(cost), sensitivity};
}

static const hr_release *last_line(const hr_gate *gate) {
    size_t count = 0;
    const hr_release *releases = hr_gate_releases(gate, &count);
    assert_true(count > 0);
    return &releases[count - 1];
}

static void test_gate__writes_the_line_of_a_sum(void **state) {
    (void)state;
    fixture f = set_up(HR_PRIVACY_PURE, 1);
    hr_charge charge = charge_of(.5, 1, 2, 6);
    hr_permit permit;
    assert_int_equal(hr_gate_charge_sums(f.gate, &charge, &permit, NULL), HR_OK);
    hr_exact in[3] = {{10}, {-5}, {0}};
    hr_noisy out[3];
    hr_gate_sums(f.gate, permit, in, 2, out);
    hr_gate_sums(f.gate, permit, in + 2, 1, out + 2);
    const hr_release *line = last_line(f.gate);
    assert_string_equal(line->what, "leaf sum");
    assert_int_equal(line->mechanism, HR_MECHANISM_DISCRETE_LAPLACE);
    assert_true(line->tree == 3 && line->level == -1 && line->group == 1 && line->part == 2 &&
                line->sensitivity == 6);
    assert_true(line->cost == HR_UNIT / 2);
    assert_true((double)line->scale_num / (double)line->scale_den == 12);
    assert_int_equal(line->draws, 3);
    tear_down(f);
}

static void test_gate__scales_the_gaussian_up(void **state) {
    (void)state;
    hr_charge charge = charge_of(.3, 0, 0, 5);
    const double cost = hr_units_value(charge.cost);
    const struct {
        hr_privacy_measure privacy_measure;
        double sigma2;
    } cases[] = {{HR_PRIVACY_ZCDP, 25 / (2 * cost)}, {HR_PRIVACY_GDP, 25 / cost + 6}};
    for (size_t i = 0; i < 2; i++) {
        fixture f = set_up(cases[i].privacy_measure, 1);
        hr_permit permit;
        assert_int_equal(hr_gate_charge_sums(f.gate, &charge, &permit, NULL), HR_OK);
        const hr_release *line = last_line(f.gate);
        double sigma2 = (double)line->scale_num / (double)line->scale_den;
        assert_int_equal(line->mechanism, HR_MECHANISM_DISCRETE_GAUSSIAN);
        assert_true(sigma2 >= cases[i].sigma2 && sigma2 < cases[i].sigma2 + 0x1p-15);
        assert_int_equal(hr_account_check(line, 1, cases[i].privacy_measure, NULL), HR_OK);
        tear_down(f);
    }
}

typedef hr_status charging(hr_gate *gate, const hr_charge *charge, hr_permit *out, hr_error *err);

static double epsilon_of_choice(const hr_release *line) {
    return (double)line->scale_num / (double)line->scale_den * (double)line->sensitivity;
}

static void check_choice(charging *charge_it, hr_privacy_measure privacy_measure, hr_mechanism mechanism,
                         double wanted) {
    for (int k = 0; k <= 42; k++) {
        fixture f = set_up(privacy_measure, 1);
        hr_charge charge = charge_of(.02, 0, 0, ((uint64_t)1 << k) + 1);
        hr_permit permit;
        assert_int_equal(charge_it(f.gate, &charge, &permit, NULL), HR_OK);
        const hr_release *line = last_line(f.gate);
        double epsilon = epsilon_of_choice(line);
        assert_int_equal(line->mechanism, mechanism);
        assert_true(epsilon <= wanted * (1 + 2e-9) && epsilon > wanted * (1 - 1e-3));
        assert_int_equal(hr_account_check(line, 1, privacy_measure, NULL), HR_OK);
        assert_true(gate_cost(f.gate) == charge.cost);
        tear_down(f);
    }
}

static void test_gate__gives_choices_what_their_range_allows(void **state) {
    (void)state;
    check_choice(hr_gate_charge_choice, HR_PRIVACY_PURE, HR_MECHANISM_PERMUTE_AND_FLIP, .02);
    check_choice(hr_gate_charge_choice, HR_PRIVACY_ZCDP, HR_MECHANISM_EXPONENTIAL, .4);
    check_choice(hr_gate_charge_choice, HR_PRIVACY_GDP, HR_MECHANISM_EXPONENTIAL,
                 .225675833); /* sqrt(.02 * 8/pi) */
}

static void test_gate__chooses_as_published_where_asked(void **state) {
    (void)state;
    check_choice(hr_gate_charge_exponential, HR_PRIVACY_PURE, HR_MECHANISM_EXPONENTIAL, .02);
    check_choice(hr_gate_charge_exponential, HR_PRIVACY_ZCDP, HR_MECHANISM_EXPONENTIAL, .4);
    check_choice(hr_gate_charge_exponential, HR_PRIVACY_GDP, HR_MECHANISM_EXPONENTIAL, .225675833);
}

/* Of two candidates the worse one, gamma behind, is chosen with probability e^-gamma/2, not 1/(1 + e^gamma):
 * the draws must be those of the mechanism that the line names. 20,000 draws, false-alarm rate below 1e-6
 * each: five standard deviations. */
static void test_gate__draws_what_its_line_says(void **state) {
    (void)state;
    enum { DRAWS = 20000 };
    static const struct {
        charging *charge;
        double wanted;
    } cases[] = {{hr_gate_charge_choice, .18394}, {hr_gate_charge_exponential, .26894}}; /* gamma = 1 */
    for (size_t i = 0; i < 2; i++) {
        fixture f = set_up(HR_PRIVACY_PURE, 1);
        hr_charge charge = charge_of(1, 0, 0, 3);
        hr_permit permit;
        assert_int_equal(cases[i].charge(f.gate, &charge, &permit, NULL), HR_OK);
        double seen = 0;
        for (int d = 0; d < DRAWS; d++) {
            hr_exact scores[2] = {{4}, {7}};
            seen += hr_gate_choose(f.gate, permit, scores, 2) == 0;
        }
        double p = cases[i].wanted;
        assert_true(fabs(seen / DRAWS - p) < 5 * sqrt(p * (1 - p) / DRAWS));
        tear_down(f);
    }
}

static void test_gate__without_privacy_is_the_identity(void **state) {
    (void)state;
    fixture f = set_up(HR_PRIVACY_NONE, 0);
    hr_charge charge = charge_of(0, 0, 0, 1);
    hr_permit sums, choice;
    assert_int_equal(hr_gate_charge_sums(f.gate, &charge, &sums, NULL), HR_OK);
    assert_int_equal(hr_gate_charge_choice(f.gate, &charge, &choice, NULL), HR_OK);
    hr_exact in[4] = {{INT64_MAX}, {-3}, {7}, {INT64_MAX}};
    hr_noisy out[4];
    hr_gate_sums(f.gate, sums, in, 4, out);
    for (int i = 0; i < 4; i++) assert_true(out[i].paid == in[i].unpaid);
    assert_int_equal(hr_gate_choose(f.gate, choice, in + 1, 3), 2);
    assert_int_equal(hr_gate_choose(f.gate, choice, in, 4), 0); /* the first of the largest */
    assert_int_equal(last_line(f.gate)->mechanism, HR_MECHANISM_IDENTITY);
    assert_true(gate_cost(f.gate) == 0);
    tear_down(f);
}

static void test_gate__refuses_before_anything_is_drawn(void **state) {
    (void)state;
    fixture f = set_up(HR_PRIVACY_PURE, 1), twin = set_up(HR_PRIVACY_PURE, 1);
    hr_charge most = charge_of(.75, 0, 0, 1), more = charge_of(.5, 1, 0, 1);
    hr_permit permit = {77};
    hr_error err = {0};
    assert_int_equal(hr_gate_charge_sums(f.gate, &most, &permit, &err), HR_OK);
    permit.line = 77;
    assert_int_equal(hr_gate_charge_sums(f.gate, &more, &permit, &err), HR_E_BUDGET);
    assert_int_equal(hr_gate_charge_choice(f.gate, &more, &permit, &err), HR_E_BUDGET);
    assert_int_equal(permit.line, 77);
    assert_non_null(strstr(err.message, "epsilon 0.5"));
    assert_non_null(strstr(err.message, "0.25 of 1 is left"));
    assert_non_null(strstr(err.remedy, "raise epsilon"));
    size_t count;
    hr_gate_releases(f.gate, &count);
    assert_int_equal(count, 1);
    assert_true(gate_cost(f.gate) == most.cost);
    assert_true(hr_csprng_u64(f.csprng) == hr_csprng_u64(twin.csprng));
    hr_charge rest = charge_of(.25, 1, 0, 1);
    assert_int_equal(hr_gate_charge_sums(f.gate, &rest, &permit, &err), HR_OK);
    assert_true(gate_cost(f.gate) == hr_gate_budget(f.gate));
    tear_down(f);
    tear_down(twin);
}

static void test_gate__names_the_privacy_measure_that_is_short(void **state) {
    (void)state;
    static const char *const wanted[] = {[HR_PRIVACY_PURE] = "needs epsilon 0.75, but 0.5 of 0.5",
                                         [HR_PRIVACY_ZCDP] = "needs rho 0.75, but 0.5 of 0.5",
                                         [HR_PRIVACY_GDP] = "needs mu^2 0.75, but 0.5 of 0.5"};
    for (hr_privacy_measure privacy_measure = HR_PRIVACY_PURE; privacy_measure <= HR_PRIVACY_GDP;
         privacy_measure++) {
        fixture f = set_up(privacy_measure, .5);
        hr_charge charge = charge_of(.75, 0, 0, 1);
        hr_permit permit;
        hr_error err = {0};
        assert_int_equal(hr_gate_charge_sums(f.gate, &charge, &permit, &err), HR_E_BUDGET);
        assert_non_null(strstr(err.message, wanted[privacy_measure]));
        tear_down(f);
    }
}

static void test_gate__refuses_what_noise_cannot_cover(void **state) {
    (void)state;
    static const hr_privacy_measure privacy_measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_ZCDP, HR_PRIVACY_GDP};
    for (size_t i = 0; i < 3; i++) {
        fixture f = set_up(privacy_measures[i], 1000);
        hr_charge nothing = charge_of(0, 0, 0, 1), too_little = charge_of(0x1p-40, 0, 0, 1 << 20);
        hr_charge too_wide = charge_of(1, 0, 0, ((uint64_t)1 << 22) + 1),
                  no_sensitivity = charge_of(1, 0, 0, 0);
        const hr_charge *bad[] = {&nothing, &too_little, &too_wide, &no_sensitivity};
        hr_permit permit;
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(hr_gate_charge_sums(f.gate, bad[k], &permit, NULL), HR_E_BUDGET);
        assert_int_equal(hr_gate_charge_choice(f.gate, &nothing, &permit, NULL), HR_E_BUDGET);
        assert_int_equal(hr_gate_charge_choice(f.gate, &no_sensitivity, &permit, NULL), HR_E_BUDGET);
        size_t count;
        hr_gate_releases(f.gate, &count);
        assert_int_equal(count, 0);
        tear_down(f);
    }
}

/* A cost of .02 with .98 left: epsilon^2 = 4/(1/.02 + 1/.98). With .5 charged before it .48 is left; .05 for
 * a choice beside .05 pays by itself, and so does more than 6. */
static void test_gate__gives_choices_more_before_other_releases(void **state) {
    (void)state;
    static const struct {
        hr_privacy_measure privacy_measure;
        double budget, before, cost, wanted;
    } cases[] = {{HR_PRIVACY_GDP, 1, 0, .02, .28},
                 {HR_PRIVACY_GDP, 1, .5, .02, .277128129},
                 {HR_PRIVACY_GDP, .1, 0, .05, .356824823},
                 {HR_PRIVACY_GDP, .02, 0, .02, .225675833},
                 {HR_PRIVACY_GDP, 1000, 0, 6, 4.884260436},
                 {HR_PRIVACY_GDP, 1000, 0, 6.01, 3.912076}, /* sqrt(6.01 * 904/355) */
                 {HR_PRIVACY_ZCDP, 1, 0, .02, .4},
                 {HR_PRIVACY_PURE, 1, 0, .02, .02}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f = set_up(cases[i].privacy_measure, cases[i].budget);
        hr_charge before = charge_of(cases[i].before, 0, 0, 1), choice = charge_of(cases[i].cost, 1, 0, 3);
        hr_permit permit;
        if (cases[i].before > 0) assert_int_equal(hr_gate_charge_sums(f.gate, &before, &permit, NULL), HR_OK);
        assert_int_equal(hr_gate_charge_choice_now(f.gate, &choice, &permit, NULL), HR_OK);
        double epsilon = epsilon_of_choice(last_line(f.gate));
        assert_true(epsilon <= cases[i].wanted * (1 + 1e-6) && epsilon > cases[i].wanted * (1 - 1e-6));
        tear_down(f);
    }
}

/* The last line makes the list cost the whole budget: without it the list does not justify its choices. */
static void test_gate__spends_the_rest_that_choices_count_on(void **state) {
    (void)state;
    fixture f = set_up(HR_PRIVACY_GDP, 1);
    hr_permit permit;
    for (uint64_t round = 0; round < 20; round++) {
        hr_charge choice = charge_of(.01, 3 * round, round % 3, 3),
                  sums = charge_of(.02, 3 * round + 1, 0, 64);
        assert_int_equal(hr_gate_charge_choice_now(f.gate, &choice, &permit, NULL), HR_OK);
        assert_int_equal(hr_gate_charge_sums(f.gate, &sums, &permit, NULL), HR_OK);
    }
    assert_int_equal(hr_gate_spend_rest(f.gate, NULL), HR_OK);
    assert_true(gate_cost(f.gate) == HR_UNIT);
    size_t count;
    const hr_release *releases = hr_gate_releases(f.gate, &count);
    assert_int_equal(count, 41);
    assert_int_equal(hr_account_check(releases, count, HR_PRIVACY_GDP, NULL), HR_OK);
    assert_int_equal(hr_account_check(releases, count - 1, HR_PRIVACY_GDP, NULL), HR_E_POLICY);
    assert_int_equal(hr_gate_spend_rest(f.gate, NULL), HR_OK); /* nothing is left */
    hr_gate_releases(f.gate, &count);
    assert_int_equal(count, 41);
    tear_down(f);
    f = set_up(HR_PRIVACY_ZCDP, 1);
    assert_int_equal(hr_gate_spend_rest(f.gate, NULL), HR_OK);
    hr_gate_releases(f.gate, &count);
    assert_int_equal(count, 0);
    tear_down(f);
}

/* Its price counts on what comes after it: it is not drawn after that. */
static void test_gate__draws_a_choice_before_the_next_charge_or_never(void **state) {
    (void)state;
    fixture f = set_up(HR_PRIVACY_GDP, 100);
    hr_charge charge = charge_of(5, 0, 0, 1);
    hr_permit choice, sums;
    hr_exact scores[2] = {{0}, {1000}};
    assert_int_equal(hr_gate_charge_choice_now(f.gate, &charge, &choice, NULL), HR_OK);
    assert_int_equal(hr_gate_choose(f.gate, choice, scores, 2), 1);
    assert_int_equal(hr_gate_charge_sums(f.gate, &charge, &sums, NULL), HR_OK);
    scores[0].unpaid = 0;
    scores[1].unpaid = 1000;
    assert_int_equal(hr_gate_choose(f.gate, choice, scores, 2), 0);
    tear_down(f);
}

static void test_gate__costliest_part_counts(void **state) {
    (void)state;
    fixture f = set_up(HR_PRIVACY_ZCDP, 1);
    hr_permit permit;
    for (uint64_t part = 0; part < 10; part++)
        for (int i = 0; i < 2; i++) {
            hr_charge charge = charge_of(.25, 5, part, 1);
            assert_int_equal(hr_gate_charge_sums(f.gate, &charge, &permit, NULL), HR_OK);
        }
    assert_true(gate_cost(f.gate) == HR_UNIT / 2);
    hr_charge more = charge_of(.75, 5, 3, 1), other = charge_of(.5, 6, 0, 1);
    assert_int_equal(hr_gate_charge_sums(f.gate, &more, &permit, NULL), HR_E_BUDGET);
    assert_int_equal(hr_gate_charge_sums(f.gate, &other, &permit, NULL), HR_OK);
    assert_true(gate_cost(f.gate) == HR_UNIT);
    tear_down(f);
}

/* The running total that refuses, and the total re-added from the list, are two programs: they must agree
 * after every charge, refused ones included. */
static void test_gate__running_total_agrees_with_the_list(void **state) {
    (void)state;
    fixture f = set_up(HR_PRIVACY_PURE, 40);
    hr_csprng *dice = NULL;
    assert_int_equal(hr_csprng_open_seeded(5, &dice, NULL), HR_OK);
    size_t refused = 0;
    for (int i = 0; i < 3000; i++) {
        hr_charge charge = charge_of(0, hr_uniform(dice, 60), hr_uniform(dice, 5) << 40, 1);
        charge.cost = 1 + hr_uniform(dice, HR_UNIT / 8);
        hr_units spent = gate_cost(f.gate), after = 0;
        size_t count = 0;
        const hr_release *list = hr_gate_releases(f.gate, &count);
        hr_release *longer = calloc(count + 1, sizeof *longer);
        assert_non_null(longer);
        if (count) memcpy(longer, list, count * sizeof *list);
        longer[count] = (hr_release){.group = charge.group, .part = charge.part, .cost = charge.cost};
        assert_int_equal(hr_account(longer, count + 1, &after, NULL), HR_OK);
        free(longer);
        hr_permit permit;
        hr_status status = hr_gate_charge_sums(f.gate, &charge, &permit, NULL);
        assert_int_equal(status, after > hr_gate_budget(f.gate) ? HR_E_BUDGET : HR_OK);
        assert_true(gate_cost(f.gate) == (status ? spent : after));
        refused += status != HR_OK;
    }
    assert_true(refused > 100 && refused < 2900);
    hr_csprng_close(dice);
    tear_down(f);
}

static const hr_release *only_line(const hr_gate *gate) {
    size_t count = 0;
    const hr_release *releases = hr_gate_releases(gate, &count);
    assert_int_equal(count, 1);
    return releases;
}

/* In one step it draws what charging and releasing draw one after the other; refused, it draws nothing. */
static void test_gate__charges_and_draws_in_one_step(void **state) {
    (void)state;
    fixture one = set_up(HR_PRIVACY_PURE, 1), two = set_up(HR_PRIVACY_PURE, 1);
    hr_release_scope scope = {.tree = 3, .group = 1, .part = 2};
    hr_charge charge = hr_scope_charge(&scope, "leaf sum", 4, HR_UNIT / 2, 6),
              more = hr_scope_charge(&scope, "leaf sum", 4, HR_UNIT, 6);
    hr_exact in[2] = {{10}, {-5}};
    hr_noisy out[2], wanted[2], untouched = {77};
    hr_permit permit;
    assert_int_equal(hr_gate_release_sums(one.gate, &charge, in, 2, out, NULL), HR_OK);
    assert_int_equal(hr_gate_charge_sums(two.gate, &charge, &permit, NULL), HR_OK);
    hr_gate_sums(two.gate, permit, in, 2, wanted);
    assert_memory_equal(out, wanted, sizeof out);
    const hr_release *line = only_line(one.gate);
    assert_true(line->tree == 3 && line->level == 4 && line->group == 1 && line->part == 2 &&
                line->draws == 2);
    assert_int_equal(hr_gate_release_sums(one.gate, &more, in, 1, &untouched, NULL), HR_E_BUDGET);
    assert_true(untouched.paid == 77 && only_line(one.gate)->draws == 2);
    tear_down(one);
    tear_down(two);
}

static void test_gate__counts_every_draw(void **state) {
    (void)state;
    fixture f = set_up(HR_PRIVACY_PURE, 100);
    hr_exact in[64] = {{0}};
    hr_noisy out[64];
    uint64_t drawn = 0, listed = 0;
    for (uint64_t i = 0; i < 50; i++) {
        hr_charge charge = charge_of(1, i, 0, 4);
        hr_permit permit;
        if (i % 2) {
            assert_int_equal(hr_gate_charge_sums(f.gate, &charge, &permit, NULL), HR_OK);
            hr_gate_sums(f.gate, permit, in, i, out);
            drawn += i;
        } else {
            assert_int_equal(hr_gate_charge_choice(f.gate, &charge, &permit, NULL), HR_OK);
            for (uint64_t k = 0; k < i; k++) assert_true(hr_gate_choose(f.gate, permit, in, 64) < 64);
            drawn += i;
        }
    }
    size_t count = 0;
    const hr_release *releases = hr_gate_releases(f.gate, &count);
    for (size_t i = 0; i < count; i++) listed += releases[i].draws;
    assert_true(listed == drawn);
    assert_int_equal(hr_account_check(releases, count, HR_PRIVACY_PURE, NULL), HR_OK);
    tear_down(f);
}

/* A permit for one kind of release says nothing about the records when it is used for the other. */
static void test_gate__misused_permit_reveals_nothing(void **state) {
    (void)state;
    fixture f = set_up(HR_PRIVACY_PURE, 2);
    hr_charge charge = charge_of(1, 0, 0, 1);
    hr_permit sums, choice;
    assert_int_equal(hr_gate_charge_sums(f.gate, &charge, &sums, NULL), HR_OK);
    assert_int_equal(hr_gate_charge_choice(f.gate, &charge, &choice, NULL), HR_OK);
    hr_exact in[3] = {{1}, {2}, {1000000}};
    hr_noisy out[3];
    hr_gate_sums(f.gate, choice, in, 3, out);
    for (int i = 0; i < 3; i++) assert_true(out[i].paid == 0);
    assert_int_equal(hr_gate_choose(f.gate, sums, in, 3), 0);
    tear_down(f);
}

static void test_gate__clamps_what_is_beyond_its_range(void **state) {
    (void)state;
    fixture f = set_up(HR_PRIVACY_PURE, 2);
    hr_charge charge = charge_of(1, 0, 0, 1);
    hr_permit sums;
    assert_int_equal(hr_gate_charge_sums(f.gate, &charge, &sums, NULL), HR_OK);
    hr_exact in[2] = {{INT64_MAX}, {INT64_MIN}};
    hr_noisy out[2];
    for (int i = 0; i < 100; i++) {
        hr_gate_sums(f.gate, sums, in, 2, out);
        assert_true(out[0].paid <= (int64_t)1 << 61 && out[0].paid > ((int64_t)1 << 61) - 100);
        assert_true(out[1].paid >= -((int64_t)1 << 61) && out[1].paid < -((int64_t)1 << 61) + 100);
    }
    tear_down(f);
}

enum { COORDINATES = 1 << 15, BLOCK = 1 << 12 };
static hr_exact coordinates[COORDINATES];
static hr_noisy released[2][COORDINATES];

static double noise_at(size_t call, size_t i) {
    return (double)(released[call][i].paid - coordinates[i].unpaid);
}

/* Whether the mean of n independent numbers of variance `variance` is as expected: six standard deviations.
 * Sums of thousands of such squares are not quite normal; the false-alarm rate is below 1e-6 each. */
static bool is_mean(double sum, double n, double expected, double variance) {
    return fabs(sum / n - expected) < 6 * sqrt(variance / n);
}

/* Noise of the line's variance in every block of a long call, and of its own in every coordinate and call:
 * products of two have mean 0. */
static void test_gate__gives_every_coordinate_noise_of_its_own(void **state) {
    (void)state;
    static const size_t apart[] = {1, 2, 3, 64, BLOCK};
    for (size_t i = 0; i < COORDINATES; i++) coordinates[i].unpaid = (int64_t)(i * i % 1009) - 500;
    for (hr_privacy_measure privacy_measure = HR_PRIVACY_PURE; privacy_measure <= HR_PRIVACY_GDP;
         privacy_measure++) {
        fixture f = set_up(privacy_measure, 1);
        hr_charge charge = charge_of(.5, 0, 0, 1000);
        hr_permit permit;
        assert_int_equal(hr_gate_charge_sums(f.gate, &charge, &permit, NULL), HR_OK);
        for (size_t call = 0; call < 2; call++)
            hr_gate_sums(f.gate, permit, coordinates, COORDINATES, released[call]);
        const hr_release *line = last_line(f.gate);
        double scale = (double)line->scale_num / (double)line->scale_den,
               variance = privacy_measure == HR_PRIVACY_PURE ? 2 * scale * scale : scale;
        double of_squares = variance * variance * (privacy_measure == HR_PRIVACY_PURE ? 5 : 2);
        for (size_t begin = 0; begin < COORDINATES; begin += BLOCK) {
            double sum = 0, square = 0, both = 0;
            for (size_t i = begin; i < begin + BLOCK; i++) {
                sum += noise_at(0, i);
                square += noise_at(0, i) * noise_at(0, i);
                both += noise_at(0, i) * noise_at(1, i);
            }
            assert_true(is_mean(sum, BLOCK, 0, variance) && is_mean(square, BLOCK, variance, of_squares));
            assert_true(is_mean(both, BLOCK, 0, variance * variance));
        }
        for (size_t a = 0; a < sizeof apart / sizeof *apart; a++) {
            double product = 0, n = (double)(COORDINATES - apart[a]);
            for (size_t i = 0; i + apart[a] < COORDINATES; i++)
                product += noise_at(0, i) * noise_at(0, i + apart[a]);
            assert_true(is_mean(product, n, 0, variance * variance));
        }
        tear_down(f);
    }
}

static void test_gate__free_takes_null(void **state) {
    (void)state;
    hr_gate_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gate__writes_the_line_of_a_sum),
        cmocka_unit_test(test_gate__scales_the_gaussian_up),
        cmocka_unit_test(test_gate__gives_choices_what_their_range_allows),
        cmocka_unit_test(test_gate__chooses_as_published_where_asked),
        cmocka_unit_test(test_gate__draws_what_its_line_says),
        cmocka_unit_test(test_gate__without_privacy_is_the_identity),
        cmocka_unit_test(test_gate__refuses_before_anything_is_drawn),
        cmocka_unit_test(test_gate__names_the_privacy_measure_that_is_short),
        cmocka_unit_test(test_gate__refuses_what_noise_cannot_cover),
        cmocka_unit_test(test_gate__gives_choices_more_before_other_releases),
        cmocka_unit_test(test_gate__spends_the_rest_that_choices_count_on),
        cmocka_unit_test(test_gate__draws_a_choice_before_the_next_charge_or_never),
        cmocka_unit_test(test_gate__costliest_part_counts),
        cmocka_unit_test(test_gate__running_total_agrees_with_the_list),
        cmocka_unit_test(test_gate__charges_and_draws_in_one_step),
        cmocka_unit_test(test_gate__counts_every_draw),
        cmocka_unit_test(test_gate__misused_permit_reveals_nothing),
        cmocka_unit_test(test_gate__clamps_what_is_beyond_its_range),
        cmocka_unit_test(test_gate__gives_every_coordinate_noise_of_its_own),
        cmocka_unit_test(test_gate__free_takes_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
