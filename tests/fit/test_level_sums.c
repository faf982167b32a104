/* The correction of an interval from sums with noise: what a record changes of the sums, which level is found
 * without noise, and how far below what is wanted it is with noise. Seeds are fixed. */
#include "fit/level_sums.h"
#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "support/check.h"
#include "support/random_numbers.h"

#include <math.h>

enum { LEVELS = HR_INTERVAL_LEVELS, RECORDS = 2000 };

static hr_level_terms terms_of(bool pure, bool weighs, double epsilon) {
    return (hr_level_terms){.privacy_measure = pure ? HR_PRIVACY_PURE : HR_PRIVACY_GDP,
                            .weighs = weighs,
                            .coverage = .8,
                            .cost = pure ? hr_units_up(epsilon) : hr_gdp_budget(epsilon, 1e-6)};
}

static int64_t unit_of(const hr_level_terms *terms) {
    return terms->weighs ? HR_PERSON_UNIT : HR_RECORD_UNIT;
}

/* ---- Privacy ---- */

/* A record more, of any level, beside others: the sums move by a vector whose length the line names, exactly
 * so at the first level. */
static void test_sums__move_by_what_is_charged(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (size_t way = 0; way < 4; way++) {
        const bool pure = way & 1;
        const hr_level_terms terms = terms_of(pure, way & 2, 1);
        const double charged = (double)hr_level_sums_charge(&terms).sensitivity;
        hr_exact weights[LEVELS];
        hr_exact before[LEVELS], after[LEVELS];
        for (size_t i = 0; i < LEVELS; i++)
            weights[i].unpaid = (int64_t)(next_random(&seed) % 1000) * unit_of(&terms);
        hr_level_sums_of(&terms, weights, before);
        for (size_t level = 0; level < LEVELS; level++) {
            double length = 0;
            weights[level].unpaid += unit_of(&terms);
            hr_level_sums_of(&terms, weights, after);
            weights[level].unpaid -= unit_of(&terms);
            for (size_t i = 0; i < LEVELS; i++) {
                const double moved = fabs((double)(after[i].unpaid - before[i].unpaid));
                length += pure ? moved : moved * moved;
            }
            if (!pure) length = sqrt(length);
            assert_true(length <= charged);
            if (!level) assert_true(length > charged - 2 * (double)unit_of(&terms));
        }
    }
}

/* Records of one person, of any levels, whose weights add up to 1. */
static void test_sums__of_a_person_move_by_no_more(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (size_t pure = 0; pure < 2; pure++) {
        const hr_level_terms terms = terms_of(pure, true, 1);
        const double charged = (double)hr_level_sums_charge(&terms).sensitivity;
        for (size_t i = 0; i < 300; i++) {
            hr_exact weights[LEVELS] = {{0}};
            int64_t left = HR_PERSON_UNIT;
            hr_exact sums[LEVELS];
            double length = 0;
            for (size_t r = 0; r < 1 + i % 9; r++) {
                const int64_t weight = (int64_t)(next_random(&seed) % (uint64_t)(left + 1));
                weights[next_random(&seed) % (i % 2 ? 4 : LEVELS)].unpaid += weight;
                left -= weight;
            }
            hr_level_sums_of(&terms, weights, sums);
            for (size_t j = 0; j < LEVELS; j++)
                length += pure ? fabs((double)sums[j].unpaid) : pow((double)sums[j].unpaid, 2);
            assert_true((pure ? length : sqrt(length)) <= charged);
        }
    }
}

/* ---- The level ---- */

typedef struct noise {
    hr_csprng *csprng;
    hr_gate *gate;
    hr_permit permit;
} noise;

static void noise_open(noise *n, const hr_level_terms *terms) {
    const hr_charge line = hr_level_sums_charge(terms);
    assert_int_equal(hr_csprng_open_seeded(9, &n->csprng, NULL), HR_OK);
    assert_int_equal(hr_gate_new(terms->privacy_measure, terms->cost, n->csprng, &n->gate, NULL), HR_OK);
    assert_int_equal(hr_gate_charge_sums(n->gate, &line, &n->permit, NULL), HR_OK);
}

static void noise_close(noise *n) {
    hr_gate_free(n->gate);
    hr_csprng_close(n->csprng);
}

static void open_sums(noise *n, const hr_level_terms *terms, const hr_exact *weights, hr_noisy *out) {
    hr_exact exact[LEVELS];
    hr_level_sums_of(terms, weights, exact);
    hr_gate_sums(n->gate, n->permit, exact, LEVELS, out);
}

static void fill(hr_exact *weights, size_t kind, int64_t unit, uint64_t *seed) {
    memset(weights, 0, LEVELS * sizeof *weights);
    for (size_t i = 0; i < RECORDS; i++) {
        const uint64_t at = next_random(seed);
        const size_t level = kind == 0 ? 60 + at % 40 : kind == 1 ? at % LEVELS : kind == 2 ? 308 : 7;
        weights[level].unpaid += unit;
    }
}

static double covered_by(const hr_level_terms *terms, const hr_exact *weights, double correction) {
    int64_t covered = 0;
    for (size_t i = 0; i < LEVELS && hr_interval_correction(i) <= correction; i++)
        covered += weights[i].unpaid;
    return (double)covered / (double)unit_of(terms);
}

/* With so large a budget that noise is at most SHARP records, of all levels, but with a probability far below
 * 1e-6: the level covers enough, and the one before it does not. */
enum { SHARP = 3 };

static void test_level__is_the_least_that_covers_enough(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (size_t way = 0; way < 4; way++)
        for (size_t kind = 0; kind < 4; kind++) {
            const hr_level_terms terms = terms_of(way & 1, way & 2, way & 1 ? 1e4 : 300);
            hr_exact weights[LEVELS];
            hr_noisy sums[LEVELS];
            hr_conformal made = {0};
            noise n;
            fill(weights, kind, unit_of(&terms), &seed);
            noise_open(&n, &terms);
            open_sums(&n, &terms, weights, sums);
            hr_level_sums_find(&terms, sums, 1, &made);
            const double missing = .8 * (RECORDS + 1) - covered_by(&terms, weights, made.correction);
            assert_true(missing < SHARP && fabs(made.held_out - RECORDS) < SHARP);
            if (made.correction > hr_interval_correction(0))
                assert_true(.8 * (RECORDS + 1) - covered_by(&terms, weights, nextafter(made.correction, -1)) >
                            -SHARP);
            noise_close(&n);
        }
}

/* How far the level that is found is below what is wanted, in the mean of many draws, of records that are
 * close together, spread, or few: not above what is told. Means are within .3 of what is told, or far below
 * it, so that a false alarm is far below 1e-6. */
static void test_shortfall__is_as_it_is_told(void **state) {
    (void)state;
    enum { DRAWS = 400 };
    uint64_t seed = 6;
    for (size_t way = 0; way < 8; way++) {
        const hr_level_terms terms = terms_of(way & 1, way & 2, 1);
        const size_t kind = way & 4 ? 0 : 1;
        hr_exact weights[LEVELS];
        hr_noisy sums[LEVELS];
        double below = 0, told = 0;
        noise n;
        fill(weights, kind, unit_of(&terms), &seed);
        noise_open(&n, &terms);
        for (size_t i = 0; i < DRAWS; i++) {
            hr_conformal made = {0};
            open_sums(&n, &terms, weights, sums);
            hr_level_sums_find(&terms, sums, 1, &made);
            const double missing = .8 * (RECORDS + 1) - covered_by(&terms, weights, made.correction);
            below += fmax(missing, 0) / DRAWS;
            told = made.shortfall;
        }
        print_message("%s, %s: %.3g records below, told %.3g\n", way & 1 ? "pure" : "delta",
                      kind ? "spread" : "close", below, told);
        assert_true(below <= told);
        assert_true(told < (way & 1 ? 80 : 50));
        noise_close(&n);
    }
}

/* Without what one owner adds, noise is told as it is. */
static void test_shortfall__grows_with_noise(void **state) {
    (void)state;
    for (size_t pure = 0; pure < 2; pure++) {
        const hr_level_terms one = terms_of(pure, false, 1), half = terms_of(pure, false, .5);
        const double told = hr_level_sums_shortfall(&one, 1);
        assert_true(hr_level_sums_shortfall(&half, 1) > 1.8 * told);
        assert_true(hr_level_sums_shortfall(&one, sqrt(4. / 3)) > 1.1 * told);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums__move_by_what_is_charged),
        cmocka_unit_test(test_sums__of_a_person_move_by_no_more),
        cmocka_unit_test(test_level__is_the_least_that_covers_enough),
        cmocka_unit_test(test_shortfall__is_as_it_is_told),
        cmocka_unit_test(test_shortfall__grows_with_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
