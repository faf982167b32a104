/* Answers to secure sums: charged like sums, masked, and with enough noise in the sum of any owners that were
 * counted on. */
#include "privacy/gate.h"
#include "privacy/mechanisms.h"
#include "privacy/noise.h"
#include "support/check.h"
#include "support/chi_square.h"
#include "support/gate_cost.h"

enum { OWNERS = 4, COORDINATES = 4096 };

/* The owners of a sum, each with a gate and a stream of its own. */
typedef struct owners {
    size_t count;
    hr_csprng *csprngs[OWNERS];
    hr_gate *gates[OWNERS];
    hr_permit permits[OWNERS];
} owners;

static owners owners_of(size_t count, hr_privacy_measure measure, double budget) {
    owners o = {.count = count};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(hr_csprng_open_seeded(60 + i, &o.csprngs[i], NULL), HR_OK);
        assert_int_equal(hr_gate_new(measure, hr_units_up(budget), o.csprngs[i], &o.gates[i], NULL), HR_OK);
    }
    return o;
}

static void owners_done(const owners *o) {
    for (size_t i = 0; i < o->count; i++) {
        hr_gate_free(o->gates[i]);
        hr_csprng_close(o->csprngs[i]);
    }
}

static hr_charge charge_of(double cost, uint64_t sensitivity) {
    return (hr_charge){"leaf sum", 3, -1, 1, 2, hr_units_up(cost), sensitivity};
}

static void charge_all(owners *o, hr_charge charge, uint64_t shares) {
    for (size_t i = 0; i < o->count; i++)
        assert_int_equal(hr_gate_charge_share(o->gates[i], &charge, shares, &o->permits[i], NULL), HR_OK);
}

typedef struct owner_keys {
    uint8_t secrets[OWNERS][HR_MASK_SECRET_SIZE], keys[OWNERS][HR_MASK_KEY_SIZE];
} owner_keys;

static owner_keys keys_of(const owners *o) {
    owner_keys made;
    for (size_t i = 0; i < o->count; i++) {
        memset(made.secrets[i], 11 * (int)i + 1, HR_MASK_SECRET_SIZE);
        hr_mask_public(made.secrets[i], made.keys[i]);
    }
    return made;
}

static hr_mask *mask_of(const owners *o, size_t self, uint8_t question) {
    const owner_keys keys = keys_of(o);
    const bool members[OWNERS] = {true, true, true, true};
    uint8_t job[HR_MASK_JOB_SIZE] = {5}, context[HR_MASK_CONTEXT_SIZE];
    memset(context, question, sizeof context);
    const hr_mask_job setup = {
        .secret = keys.secrets[self], .id = job, .keys = keys.keys, .owner_count = o->count, .self = self};
    hr_mask_pairs *pairs = NULL;
    hr_mask *mask = NULL;
    assert_int_equal(hr_mask_pairs_new(&setup, &pairs, NULL), HR_OK);
    assert_int_equal(hr_mask_new(pairs, &(hr_mask_sum){members, context}, &mask, NULL), HR_OK);
    hr_mask_pairs_free(pairs);
    return mask;
}

static void answer(const owners *o, size_t i, uint8_t question, const hr_exact *in, uint64_t *out) {
    hr_mask *mask = mask_of(o, i, question);
    hr_gate_share(o->gates[i], o->permits[i], in, mask, COORDINATES, out);
    hr_mask_free(mask);
}

/* Adds up all answers: owner i has i + 1 in each coordinate. */
static void sum_answers(const owners *o, uint8_t question, int64_t sums[COORDINATES]) {
    static hr_exact in[COORDINATES];
    static uint64_t out[COORDINATES];
    memset(sums, 0, COORDINATES * sizeof *sums);
    for (size_t i = 0; i < o->count; i++) {
        for (size_t c = 0; c < COORDINATES; c++) in[c].unpaid = (int64_t)i + 1;
        answer(o, i, question, in, out);
        for (size_t c = 0; c < COORDINATES; c++) sums[c] = (int64_t)((uint64_t)sums[c] + out[c]);
    }
}

static const hr_release *last_line(const hr_gate *gate) {
    size_t count = 0;
    const hr_release *releases = hr_gate_releases(gate, &count);
    assert_true(count > 0);
    return &releases[count - 1];
}

static void test_gate_share__writes_the_line_of_a_share(void **state) {
    (void)state;
    static const struct {
        hr_privacy_measure measure;
        hr_mechanism mechanism;
        double scale;
    } cases[] = {{HR_PRIVACY_GDP, HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN, (100 / .5 + 6) / 3},
                 {HR_PRIVACY_PURE, HR_MECHANISM_SHARED_DISCRETE_LAPLACE, 20}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        owners o = owners_of(2, cases[i].measure, 1);
        int64_t sums[COORDINATES];
        charge_all(&o, charge_of(.5, 10), 3);
        sum_answers(&o, 1, sums);
        const hr_release *line = last_line(o.gates[0]);
        assert_int_equal(line->mechanism, cases[i].mechanism);
        assert_true(line->tree == 3 && line->level == -1 && line->group == 1 && line->part == 2);
        assert_true(line->sensitivity == 10 && line->cost == HR_UNIT / 2 && line->shares == 3);
        assert_true(line->draws == COORDINATES && gate_cost(o.gates[0]) == HR_UNIT / 2);
        assert_true(fabs((double)line->scale_num / (double)line->scale_den - cases[i].scale) < 0x1p-15);
        assert_int_equal(hr_account_check(line, 1, cases[i].measure, NULL), HR_OK);
        owners_done(&o);
    }
}

/* Whether the noise of the sum has the variance that the caller reckons with: six standard deviations. */
static void check_variance(hr_privacy_measure measure, uint64_t members, uint64_t conspirators) {
    owners o = owners_of(members, measure, 1);
    const uint64_t shares = hr_noise_shares(members, conspirators);
    static int64_t sums[COORDINATES];
    double squares = 0, central = hr_noise_deviation(measure, hr_units_up(.5), 200),
           wanted = central * central * (double)members / (double)shares,
           kurtosis = measure == HR_PRIVACY_PURE ? 6 : 3; /* of a Laplace law, which more shares come below */
    charge_all(&o, charge_of(.5, 200), shares);
    sum_answers(&o, 1, sums);
    for (size_t c = 0; c < COORDINATES; c++) {
        double noise = (double)sums[c] - (double)(members * (members + 1)) / 2;
        squares += noise * noise;
    }
    assert_true(fabs(squares / COORDINATES / wanted - 1) < 6 * sqrt((kurtosis - 1) / COORDINATES));
    owners_done(&o);
}

static void test_gate_share__adds_up_to_the_noisy_sum(void **state) {
    (void)state;
    for (uint64_t members = 1; members <= OWNERS; members++)
        for (uint64_t conspirators = 0; conspirators <= members; conspirators++) {
            check_variance(HR_PRIVACY_GDP, members, conspirators);
            check_variance(HR_PRIVACY_PURE, members, conspirators);
        }
}

/* An answer by itself is uniform: all 16 values of its highest bits are as likely, with two owners as with
 * four; and the same sum asked again under another context has another mask. */
static void test_gate_share__is_masked(void **state) {
    (void)state;
    for (size_t k = 2; k <= OWNERS; k++) {
        owners o = owners_of(k, HR_PRIVACY_NONE, 0);
        static hr_exact in[COORDINATES];
        static uint64_t out[2][COORDINATES];
        uint64_t seen[2][16] = {{0}};
        double p[16];
        for (size_t i = 0; i < 16; i++) p[i] = 1.0 / 16;
        charge_all(&o, charge_of(0, 1), 1);
        for (uint8_t question = 0; question < 2; question++) answer(&o, 0, question, in, out[question]);
        for (size_t c = 0; c < COORDINATES; c++) {
            seen[0][out[0][c] >> 60]++;
            seen[1][(out[1][c] - out[0][c]) >> 60]++;
        }
        for (size_t i = 0; i < 2; i++) assert_true(chi_square_fits(seen[i], p, 16, COORDINATES));
        owners_done(&o);
    }
}

/* A sum that was lost is asked again, and paid again: of the two answers, less their masks, not even a sign
 * of the noise is the same more often than by chance (five standard deviations: 6e-7). */
static void test_gate_share__draws_anew_when_asked_again(void **state) {
    (void)state;
    static const hr_privacy_measure measures[] = {HR_PRIVACY_GDP, HR_PRIVACY_PURE};
    for (size_t m = 0; m < COUNT(measures); m++) {
        owners o = owners_of(3, measures[m], 1);
        static int64_t sums[2][COORDINATES];
        double alike = 0;
        for (uint8_t question = 0; question < 2; question++) {
            charge_all(&o, charge_of(.25, 4000), 2);
            sum_answers(&o, question, sums[question]);
        }
        for (size_t c = 0; c < COORDINATES; c++) alike += (sums[0][c] > 6) == (sums[1][c] > 6);
        assert_true(fabs(alike - COORDINATES / 2.) < 5 * sqrt(COORDINATES) / 2);
        owners_done(&o);
    }
}

static void test_gate_share__without_privacy_has_masks_and_no_noise(void **state) {
    (void)state;
    owners o = owners_of(3, HR_PRIVACY_NONE, 0);
    int64_t sums[COORDINATES];
    charge_all(&o, charge_of(0, 1), 2);
    assert_int_equal(last_line(o.gates[0])->mechanism, HR_MECHANISM_IDENTITY);
    assert_int_equal(last_line(o.gates[0])->shares, 0);
    sum_answers(&o, 7, sums);
    for (size_t c = 0; c < COORDINATES; c++) assert_int_equal(sums[c], 1 + 2 + 3);
    owners_done(&o);
}

/* Modulo 2^64 everything adds up, at the ends of the range as well. */
static void test_gate_share__wraps_as_sums_do(void **state) {
    (void)state;
    owners o = owners_of(2, HR_PRIVACY_NONE, 0);
    static hr_exact in[2][COORDINATES];
    static uint64_t out[2][COORDINATES];
    in[0][0].unpaid = INT64_MAX;
    in[1][0].unpaid = INT64_MIN;
    in[0][1].unpaid = in[1][1].unpaid = INT64_MAX;
    charge_all(&o, charge_of(0, 1), 1);
    for (size_t i = 0; i < 2; i++) answer(&o, i, 3, in[i], out[i]);
    assert_true(out[0][0] + out[1][0] == UINT64_MAX && out[0][1] + out[1][1] == UINT64_MAX - 1);
    owners_done(&o);
}

static void test_gate_share__refuses_before_anything_is_drawn(void **state) {
    (void)state;
    owners o = owners_of(1, HR_PRIVACY_GDP, 1), twin = owners_of(1, HR_PRIVACY_GDP, 1);
    const struct {
        hr_charge charge;
        uint64_t shares;
        const char *message;
    } cases[] = {{charge_of(1.5, 64), 2, "needs mu^2 1.5, but 1 of 1 is left"},
                 {charge_of(0x1p-40, 1 << 20), 2, "too small for a sensitivity of 1048576"},
                 {charge_of(.9, 4), 2, "too large for a sensitivity of 4 if 2 owners share the noise"},
                 {charge_of(.5, 64), 0, "leaf sum"},
                 {charge_of(.5, 64), HR_SHARES_MAX + 1, "leaf sum"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_permit permit = {77};
        hr_error err = {0};
        assert_int_equal(hr_gate_charge_share(o.gates[0], &cases[i].charge, cases[i].shares, &permit, &err),
                         HR_E_BUDGET);
        assert_non_null(strstr(err.message, cases[i].message));
        assert_int_equal(permit.line, 77);
        assert_int_equal(hr_charge_check_share(HR_PRIVACY_GDP, &cases[i].charge, cases[i].shares, NULL),
                         i ? HR_E_BUDGET : HR_OK);
    }
    assert_true(gate_cost(o.gates[0]) == 0);
    assert_true(hr_csprng_u64(o.csprngs[0]) == hr_csprng_u64(twin.csprngs[0]));
    owners_done(&o);
    owners_done(&twin);
}

/* zCDP has no proof for shares. */
static void test_gate_share__is_refused_in_zcdp(void **state) {
    (void)state;
    owners o = owners_of(1, HR_PRIVACY_ZCDP, 1);
    const hr_charge charge = charge_of(.5, 64);
    hr_permit permit;
    assert_int_equal(hr_gate_charge_share(o.gates[0], &charge, 1, &permit, NULL), HR_E_BUDGET);
    owners_done(&o);
}

/* A permit for sums or choices gives the mask alone, and one for shares neither a sum nor a choice. */
static void test_gate_share__misused_permit_reveals_nothing(void **state) {
    (void)state;
    owners o = owners_of(1, HR_PRIVACY_PURE, 3);
    const hr_charge charge = charge_of(1, 1);
    static hr_exact in[COORDINATES];
    static uint64_t out[COORDINATES];
    static hr_noisy sums[COORDINATES];
    for (size_t c = 0; c < COORDINATES; c++) in[c].unpaid = 1000000 + (int64_t)c;
    assert_int_equal(hr_gate_charge_sums(o.gates[0], &charge, &o.permits[0], NULL), HR_OK);
    answer(&o, 0, 0, in, out);
    for (size_t c = 0; c < COORDINATES; c++) assert_true(out[c] == 0);
    assert_int_equal(hr_gate_charge_choice(o.gates[0], &charge, &o.permits[0], NULL), HR_OK);
    answer(&o, 0, 0, in, out);
    for (size_t c = 0; c < COORDINATES; c++) assert_true(out[c] == 0);
    assert_int_equal(hr_gate_charge_share(o.gates[0], &charge, 1, &o.permits[0], NULL), HR_OK);
    hr_gate_sums(o.gates[0], o.permits[0], in, COORDINATES, sums);
    for (size_t c = 0; c < COORDINATES; c++) assert_true(sums[c].paid == 0);
    assert_int_equal(hr_gate_choose(o.gates[0], o.permits[0], in, COORDINATES), 0);
    owners_done(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gate_share__writes_the_line_of_a_share),
        cmocka_unit_test(test_gate_share__adds_up_to_the_noisy_sum),
        cmocka_unit_test(test_gate_share__is_masked),
        cmocka_unit_test(test_gate_share__draws_anew_when_asked_again),
        cmocka_unit_test(test_gate_share__without_privacy_has_masks_and_no_noise),
        cmocka_unit_test(test_gate_share__wraps_as_sums_do),
        cmocka_unit_test(test_gate_share__refuses_before_anything_is_drawn),
        cmocka_unit_test(test_gate_share__is_refused_in_zcdp),
        cmocka_unit_test(test_gate_share__misused_permit_reveals_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
