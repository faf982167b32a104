#include "privacy/quantiles.h"
#include "support/gate_cost.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BITS = 12, CELLS = 1 << BITS, LEVELS = 5, PARTS = 1 << LEVELS, SEEDS = 20 };

typedef enum algorithm { MEDIANS, COUNTS } algorithm;
static const algorithm both[] = {MEDIANS, COUNTS};

static charged_gate gate_of(hr_privacy_measure measure, double cost, uint64_t seed) {
    return charged_gate_open((hr_charge){"bin edges", -1, -1, 7, 3, 0, 99}, measure, cost, seed);
}

/* Into 2^levels parts. */
static hr_status cut_up(charged_gate f, algorithm way, hr_grid_counts column, int levels, hr_cuts *cuts) {
    if (way == MEDIANS) return hr_quantiles_by_medians(f.gate, &f.charge, &column, levels, cuts, NULL);
    return hr_quantiles_by_counts(f.gate, &f.charge, &column, (size_t)1 << levels, cuts, NULL);
}

static void check_cuts(const hr_cuts *cuts, int bits, size_t most) {
    assert_true(cuts->count <= most);
    for (size_t i = 0; i < cuts->count; i++) {
        assert_true(cuts->at[i] >= 1 && cuts->at[i] <= ((uint32_t)1 << bits) - 1);
        assert_true(i == 0 || cuts->at[i] > cuts->at[i - 1]);
    }
}

/* ---- Without noise ---- */

static void test_quantiles__are_exact_without_privacy(void **state) {
    (void)state;
    hr_exact even[16], tied[16] = {{0}};
    for (int i = 0; i < 16; i++) even[i].unpaid = 100;
    tied[0].unpaid = 1000;
    tied[5].unpaid = tied[9].unpaid = 10;
    for (size_t w = 0; w < 2; w++) {
        charged_gate f = gate_of(HR_PRIVACY_NONE, 0, 1);
        hr_cuts cuts = {(uint32_t[16]){0}, 0};
        assert_int_equal(cut_up(f, both[w], (hr_grid_counts){even, 4, HR_PER_RECORD}, 2, &cuts), HR_OK);
        assert_int_equal(cuts.count, 3);
        assert_true(cuts.at[0] == 4 && cuts.at[1] == 8 && cuts.at[2] == 12);
        assert_int_equal(cut_up(f, both[w], (hr_grid_counts){tied, 4, HR_PER_RECORD}, 2, &cuts), HR_OK);
        assert_true(cuts.at[0] == 1);                   /* the tied cell is set apart first */
        assert_true(cuts.at[1] > 5 && cuts.at[1] <= 9); /* then the rest is halved */
        charged_gate_close(f);
    }
}

static void test_quantiles_by_counts__take_any_number_of_parts(void **state) {
    (void)state;
    hr_exact even[16];
    for (int i = 0; i < 16; i++) even[i].unpaid = 30;
    static const uint32_t wanted[][4] = {{0}, {8}, {5, 10}, {4, 8, 12}, {3, 6, 9, 13}};
    for (size_t parts = 1; parts <= 5; parts++) {
        charged_gate f = gate_of(HR_PRIVACY_NONE, 0, 1);
        hr_cuts cuts = {(uint32_t[16]){0}, 77};
        assert_int_equal(hr_quantiles_by_counts(f.gate, &f.charge, &(hr_grid_counts){even, 4, HR_PER_RECORD},
                                                parts, &cuts, NULL),
                         HR_OK);
        assert_int_equal(cuts.count, parts - 1);
        for (size_t i = 0; i < cuts.count; i++)
            assert_true(abs((int)cuts.at[i] - (int)wanted[parts - 1][i]) <= 1);
        charged_gate_close(f);
    }
}

/* ---- What is charged ---- */

static void check_lines(charged_gate f, algorithm way, hr_privacy_measure privacy_measure, int levels) {
    size_t count = 0;
    const hr_release *lines = hr_gate_releases(f.gate, &count);
    assert_int_equal(count, levels);
    hr_units sum = 0;
    for (size_t l = 0; l < count; l++) {
        assert_true(lines[l].group == 7 && lines[l].part == 3 && lines[l].level == (int64_t)l &&
                    lines[l].tree == -1);
        assert_true(lines[l].sensitivity == (way == MEDIANS ? 2 : 64));
        assert_true(lines[l].draws <= (uint64_t)2 << l); /* no node is drawn twice */
        assert_true(l == 0 || lines[l].cost >= lines[l - 1].cost);
        sum += lines[l].cost;
    }
    assert_true(way == MEDIANS ? sum == f.charge.cost : sum <= f.charge.cost && sum + BITS > f.charge.cost);
    assert_true(gate_cost(f.gate) == sum);
    assert_int_equal(hr_account_check(lines, count, privacy_measure, NULL), HR_OK);
}

static void test_quantiles__charge_their_cost_level_by_level(void **state) {
    (void)state;
    static hr_exact cells[CELLS];
    for (int i = 0; i < CELLS; i++) cells[i].unpaid = i % 5;
    static const hr_privacy_measure privacy_measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_ZCDP, HR_PRIVACY_GDP};
    for (size_t c = 0; c < 3; c++)
        for (size_t w = 0; w < 2; w++) {
            charged_gate f = gate_of(privacy_measures[c], .1, 5);
            hr_cuts cuts = {(uint32_t[PARTS]){0}, 0};
            assert_int_equal(cut_up(f, both[w], (hr_grid_counts){cells, BITS, HR_PER_RECORD}, LEVELS, &cuts),
                             HR_OK);
            check_lines(f, both[w], privacy_measures[c], both[w] == MEDIANS ? LEVELS : BITS);
            charged_gate_close(f);
        }
}

static void test_quantiles_by_medians__draw_once_an_interval(void **state) {
    (void)state;
    static const hr_exact cells[CELLS];
    charged_gate f = gate_of(HR_PRIVACY_PURE, .1, 5);
    hr_cuts cuts = {(uint32_t[PARTS]){0}, 0};
    assert_int_equal(cut_up(f, MEDIANS, (hr_grid_counts){cells, BITS, HR_PER_RECORD}, LEVELS, &cuts), HR_OK);
    const hr_release *lines = hr_gate_releases(f.gate, &(size_t){0});
    uint64_t draws = 0;
    for (int l = 0; l < LEVELS; l++) {
        assert_true(lines[l].draws <= (uint64_t)1 << l);
        draws += lines[l].draws;
    }
    assert_true(draws == cuts.count);
    charged_gate_close(f);
}

static void test_quantiles__spend_nothing_when_refused(void **state) {
    (void)state;
    static const hr_exact cells[CELLS];
    for (size_t w = 0; w < 2; w++) {
        charged_gate f = gate_of(HR_PRIVACY_PURE, 1, 1);
        hr_cuts cuts = {(uint32_t[PARTS]){123}, 77};
        size_t lines = 77;
        f.charge.cost = HR_UNIT + 1; /* one unit too many, though every level by itself is covered */
        assert_int_equal(cut_up(f, both[w], (hr_grid_counts){cells, BITS, HR_PER_RECORD}, LEVELS, &cuts),
                         HR_E_BUDGET);
        f.charge.cost = 3; /* less than a unit a level */
        assert_int_equal(cut_up(f, both[w], (hr_grid_counts){cells, BITS, HR_PER_RECORD}, LEVELS, &cuts),
                         HR_E_BUDGET);
        hr_gate_releases(f.gate, &lines);
        assert_true(lines == 0 && gate_cost(f.gate) == 0);
        assert_true(cuts.count == 77 && cuts.at[0] == 123);
        charged_gate_close(f);
    }
}

/* ---- With noise ---- */

static void test_quantiles__are_cuts_of_any_grid(void **state) {
    (void)state;
    static hr_exact cells[1 << 16];
    for (size_t w = 0; w < 2; w++)
        for (int bits = 1; bits <= 16; bits++)
            for (int levels = 1; levels <= 8; levels++) {
                hr_cuts cuts = {(uint32_t[256]){0}, 0};
                charged_gate f = gate_of(levels % 2 ? HR_PRIVACY_PURE : HR_PRIVACY_ZCDP, .02,
                                         (uint64_t)(bits * 100 + levels));
                memset(cells, 0, sizeof cells);
                for (int i = 0; i < 500; i++) cells[hr_uniform(f.csprng, (uint64_t)1 << bits)].unpaid++;
                assert_int_equal(
                    cut_up(f, both[w], (hr_grid_counts){cells, bits, HR_PER_RECORD}, levels, &cuts), HR_OK);
                check_cuts(&cuts, bits, ((size_t)1 << levels) - 1);
                assert_true(cuts.count >= 1);
                charged_gate_close(f);
            }
}

static double uniform(hr_csprng *csprng) {
    return ((double)(hr_csprng_u64(csprng) >> 11) + .5) * 0x1p-53;
}

static double normal(hr_csprng *csprng) {
    return sqrt(-2 * log(uniform(csprng))) * cos(6.283185307179586 * uniform(csprng));
}

static double skewed(hr_csprng *csprng) {
    return exp(normal(csprng) * 1.5) / 200;
}

static double tied(hr_csprng *csprng) {
    return uniform(csprng) < .6 ? 0 : floor(uniform(csprng) * 12) / 20;
}

static double narrow(hr_csprng *csprng) {
    return .3 + normal(csprng) / 100;
}

/* Mean over seeds of the sum of squared masses of the parts; PARTS equal parts have 1/PARTS. */
static double unevenness(algorithm way, hr_privacy_measure privacy_measure, double cost,
                         double (*draw)(hr_csprng *), int rows) {
    static hr_exact cells[CELLS];
    double sum = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        charged_gate f = gate_of(privacy_measure, cost, seed);
        hr_cuts cuts = {(uint32_t[PARTS]){0}, 0};
        memset(cells, 0, sizeof cells);
        for (int i = 0; i < rows; i++) cells[(int)fmin(fmax(draw(f.csprng) * CELLS, 0), CELLS - 1)].unpaid++;
        assert_int_equal(cut_up(f, way, (hr_grid_counts){cells, BITS, HR_PER_RECORD}, LEVELS, &cuts), HR_OK);
        check_cuts(&cuts, BITS, PARTS - 1);
        uint32_t cell = 0;
        for (size_t i = 0; i <= cuts.count; i++) {
            double mass = 0;
            for (; cell < (i < cuts.count ? cuts.at[i] : CELLS); cell++)
                mass += (double)cells[cell].unpaid / rows;
            sum += mass * mass / SEEDS;
        }
        charged_gate_close(f);
    }
    return sum;
}

/* Bounds are about 5 % above what was measured over these seeds (a test of quality, not of the law); zCDP
 * gets epsilon^2/8, GDP twice that: the same noise. */
static void test_quantiles__are_even_on_many_kinds_of_columns(void **state) {
    (void)state;
    static const struct {
        double (*draw)(hr_csprng *);
        int rows;
        double epsilon, medians, counts;
    } cases[] = {
        {skewed, 10000, .5, .034, .034}, {skewed, 10000, .05, .038, .044}, {normal, 10000, .5, .29, .29},
        {narrow, 10000, .5, .033, .034}, {narrow, 10000, .05, .039, .046}, {tied, 10000, .5, .416, .416},
        {tied, 10000, .05, .416, .42},   {uniform, 10000, .5, .033, .033}, {uniform, 20, .05, .18, .09},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (hr_privacy_measure privacy_measure = HR_PRIVACY_PURE; privacy_measure <= HR_PRIVACY_GDP;
             privacy_measure++) {
            double rho = cases[i].epsilon * cases[i].epsilon / 8;
            double cost = privacy_measure == HR_PRIVACY_PURE   ? cases[i].epsilon
                          : privacy_measure == HR_PRIVACY_ZCDP ? rho
                                                               : 2 * rho;
            double medians = unevenness(MEDIANS, privacy_measure, cost, cases[i].draw, cases[i].rows);
            double counts = unevenness(COUNTS, privacy_measure, cost, cases[i].draw, cases[i].rows);
            assert_true(medians < cases[i].medians);
            assert_true(counts < cases[i].counts);
        }
}

/* A column whose noisy counts all but decide between two cuts: 500 records in cell 0, as many in cell 1 and
 * in cell 2, so that the median lies in the middle of cell 1. With n the noise of nodes L, R (level 1) and l,
 * r (cells 0 and 1), and `more` further records in cell 0, the cut is 2 rather than 1 where 2 n_R - n_l + n_r
 * - n_L > 2 more: normal noise of variance 7 sigma^2. sigma is 4 records and so is `more`. 40,000 draws,
 * false-alarm rate below 1e-6: five standard deviations, which is 5 % of sigma. */
static void test_quantiles_by_counts__have_the_noise_that_was_paid_for(void **state) {
    (void)state;
    enum { DRAWS = 40000, BOTH_LEVELS = 2 };
    static const struct {
        hr_privacy_measure privacy_measure;
        double level_cost;
    } cases[] = {{HR_PRIVACY_ZCDP, 1.0 / 32}, {HR_PRIVACY_GDP, 1.0 / 16}};
    const hr_exact cells[4] = {{504}, {500}, {500}, {0}};
    double p = erfc(2 * 4 / (sqrt(7) * 4) / sqrt(2)) / 2;
    for (size_t c = 0; c < 2; c++) {
        charged_gate f = gate_of(cases[c].privacy_measure, BOTH_LEVELS * cases[c].level_cost * DRAWS, 3);
        f.charge.cost = hr_units_up(BOTH_LEVELS * cases[c].level_cost);
        double twos = 0;
        for (int i = 0; i < DRAWS; i++) {
            hr_cuts cuts = {(uint32_t[1]){0}, 0};
            f.charge.group = (uint64_t)i;
            assert_int_equal(hr_quantiles_by_counts(f.gate, &f.charge,
                                                    &(hr_grid_counts){cells, 2, HR_PER_RECORD}, 2, &cuts,
                                                    NULL),
                             HR_OK);
            assert_true(cuts.count == 1 && (cuts.at[0] == 1 || cuts.at[0] == 2));
            twos += cuts.at[0] == 2;
        }
        assert_true(fabs(twos / DRAWS - p) < 5 * sqrt(p * (1 - p) / DRAWS));
        charged_gate_close(f);
    }
}

/* ---- The law of deep nodes ---- */

enum { DEEP_DRAWS = 16000, SPREAD = 64, GUARD = 40 * SPREAD };

/* The characteristic function of the noise of a node, times `weight`; units: SPREAD records, the standard
 * deviation of Gaussian noise, and the scale of Laplace noise. */
static double node_law(hr_privacy_measure privacy_measure, double weight, double t) {
    double x = weight * t;
    return privacy_measure == HR_PRIVACY_PURE ? 1 / (1 + x * x) : exp(-x * x / 2);
}

/* Pr(S > at) for S = n_R - n_L + 2^(1-bits) n_L + the sum over levels k = 2..bits of 2^-(bits-k+1) (n_r -
 * n_l), all n independent: Gil-Pelaez, by the midpoint rule. */
static double deep_tail(hr_privacy_measure privacy_measure, int bits, double at) {
    enum { STEPS = 40000 };
    double sum = 0, width = (privacy_measure == HR_PRIVACY_PURE ? 200.0 : 12.0) / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double t = (i + .5) * width,
               law = node_law(privacy_measure, 1, t) * node_law(privacy_measure, 1 - ldexp(1, 1 - bits), t);
        for (int k = 2; k <= bits; k++) law *= pow(node_law(privacy_measure, ldexp(1, k - bits - 1), t), 2);
        sum += sin(t * at) / t * law * width;
    }
    return .5 - sum / acos(-1);
}

/* How often the median of `cells` is cut on the right of its own cell, `at`. */
static double cuts_to_the_right(hr_privacy_measure privacy_measure, const hr_exact *cells, int bits,
                                uint32_t at) {
    double level_cost = privacy_measure == HR_PRIVACY_PURE   ? 1.0 / SPREAD
                        : privacy_measure == HR_PRIVACY_ZCDP ? .5 / SPREAD / SPREAD
                                                             : 1.0 / SPREAD / SPREAD,
           seen = 0;
    hr_csprng *csprng;
    assert_int_equal(hr_csprng_open_seeded(17, &csprng, NULL), HR_OK);
    for (int i = 0; i < DEEP_DRAWS; i++) {
        hr_cuts cuts = {(uint32_t[1]){0}, 0};
        hr_gate *gate;
        hr_charge charge = {"bin edges", -1, -1, 0, 0, hr_units_up(bits * level_cost), 1};
        assert_int_equal(hr_gate_new(privacy_measure, charge.cost, csprng, &gate, NULL), HR_OK);
        assert_int_equal(hr_quantiles_by_counts(gate, &charge, &(hr_grid_counts){cells, bits, HR_PER_RECORD},
                                                2, &cuts, NULL),
                         HR_OK);
        assert_true(cuts.count == 1 && (cuts.at[0] == at || cuts.at[0] == at + 1));
        seen += cuts.at[0] == at + 1;
        hr_gate_free(gate);
    }
    hr_csprng_close(csprng);
    return seen / DEEP_DRAWS;
}

/* A grid of 2^bits cells whose median lies in the last cell of the left half, so that the way to it goes left
 * once and then right, down to the last level. Its sibling on every level holds GUARD records, too many to be
 * lost in noise, and the right half as many as all siblings together, and `more`. Totals are halved between
 * what the two children say, so that with noise n of the nodes (L, R on level 1; l, r on the way) the cut is
 * on the cell's right where S of deep_tail is above -more. The two nodes of the last level have a fifth of
 * the variance of S: the chance of that event, with `more` at S's deviation, would change by .024 were their
 * counts exact, and by more were those of the levels above. Two-sided, false-alarm rate 1e-6 each: five
 * standard deviations, .015. */
static void test_quantiles_by_counts__have_noise_of_its_law_at_deep_nodes(void **state) {
    (void)state;
    static hr_exact cells[1 << 14];
    for (int bits = 9; bits <= 14; bits++)
        for (hr_privacy_measure privacy_measure = HR_PRIVACY_PURE; privacy_measure <= HR_PRIVACY_GDP;
             privacy_measure++) {
            double one = privacy_measure == HR_PRIVACY_PURE ? 2 : 1, deviation = sqrt(one * (2 + 2.0 / 3));
            int64_t more = (int64_t)(deviation * SPREAD);
            uint32_t middle = (uint32_t)1 << (bits - 1);
            memset(cells, 0, sizeof cells);
            for (int k = 2; k <= bits; k++) cells[middle - ((uint32_t)1 << (bits - k + 1))].unpaid = GUARD;
            cells[middle - 1].unpaid = GUARD;
            cells[2 * middle - 1].unpaid = (bits - 1) * GUARD + more;
            double p = deep_tail(privacy_measure, bits, -(double)more / SPREAD);
            double seen = cuts_to_the_right(privacy_measure, cells, bits, middle - 1);
            if (fabs(seen - p) >= 5 * sqrt(p * (1 - p) / DEEP_DRAWS))
                fail_msg("%d levels, privacy measure %d: seen %.4f, expected %.4f", bits,
                         (int)privacy_measure, seen, p);
        }
}

/* Whether a node is split follows from its released total, not from its exact one: of no records at all level
 * 2 is asked where the noise l, r of level 1 (deviation 1) has l + r > 2, and l > 2 or r > 2. That is 2 A -
 * B, A the integral of phi(l) Phi(l - 2) from 2 on, B = Phi(-2)^2. 20,000 draws, two-sided, false-alarm rate
 * 1e-6: five standard deviations. */
static void test_quantiles_by_counts__lose_totals_by_what_was_released(void **state) {
    (void)state;
    enum { DRAWS = 20000, STEPS = 10000 };
    static const hr_exact cells[4];
    double p = -pow(erfc(sqrt(2)) / 2, 2), seen = 0;
    for (int i = 0; i < STEPS; i++) {
        double l = 2 + (i + .5) * 8 / STEPS;
        p += 2 * exp(-l * l / 2) / sqrt(2 * acos(-1)) * erfc((2 - l) / sqrt(2)) / 2 * 8 / STEPS;
    }
    for (uint64_t i = 0; i < DRAWS; i++) {
        charged_gate f = gate_of(HR_PRIVACY_ZCDP, 1. / SPREAD / SPREAD, i);
        hr_cuts cuts = {(uint32_t[1]){0}, 0};
        assert_int_equal(hr_quantiles_by_counts(f.gate, &f.charge, &(hr_grid_counts){cells, 2, HR_PER_RECORD},
                                                2, &cuts, NULL),
                         HR_OK);
        seen += hr_gate_releases(f.gate, &(size_t){0})[1].draws > 0;
        charged_gate_close(f);
    }
    print_message("level 2 is asked in %.4f, expected %.4f\n", seen / DRAWS, p);
    assert_true(fabs(seen / DRAWS - p) < 5 * sqrt(p * (1 - p) / DRAWS));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles__are_exact_without_privacy),
        cmocka_unit_test(test_quantiles_by_counts__take_any_number_of_parts),
        cmocka_unit_test(test_quantiles__charge_their_cost_level_by_level),
        cmocka_unit_test(test_quantiles_by_medians__draw_once_an_interval),
        cmocka_unit_test(test_quantiles__spend_nothing_when_refused),
        cmocka_unit_test(test_quantiles__are_cuts_of_any_grid),
        cmocka_unit_test(test_quantiles__are_even_on_many_kinds_of_columns),
        cmocka_unit_test(test_quantiles_by_counts__have_the_noise_that_was_paid_for),
        cmocka_unit_test(test_quantiles_by_counts__have_noise_of_its_law_at_deep_nodes),
        cmocka_unit_test(test_quantiles_by_counts__lose_totals_by_what_was_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
