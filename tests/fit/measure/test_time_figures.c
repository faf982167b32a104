/* Released figures of times: against sums over all pairs of records, and their stated noise against noise
 * that is drawn. Seeds are fixed. */
#include "fit/measure/evaluation_figures.h"
#include "support/check.h"
#include "support/random_numbers.h"
#include "trees/candidates/evaluation_counts.h"

#include <stdio.h>
#include <string.h>

enum {
    INTERVALS = 4,
    CODES = 2 * INTERVALS + 1,
    GROUPS = HR_TIME_GROUPS,
    CELLS = GROUPS * CODES,
    DRAWS = 4000
};

typedef struct sums {
    double codes[CELLS], survival[GROUPS], loss, noise;
} sums;

static hr_evaluation figures_of(const sums *s) {
    static hr_evaluation made;
    memset(&made, 0, sizeof made);
    const hr_evaluation_sums of = {.task = HR_TASK_SURVIVAL,
                                   .intervals = INTERVALS,
                                   .privacy_measure = HR_PRIVACY_GDP,
                                   .codes = s->codes,
                                   .survival = s->survival,
                                   .loss = &s->loss,
                                   .score_bins = GROUPS,
                                   .code_noise = s->noise,
                                   .survival_noise = s->noise,
                                   .loss_noise = s->noise};
    hr_evaluation_figures(&of, &made);
    return made;
}

static hr_figure figure_of(const hr_evaluation *made, const char *name) {
    for (size_t i = 0; i < made->figure_count; i++)
        if (!strcmp(made->figures[i].name, name)) return made->figures[i];
    fail_msg("there is no figure %s", name);
    return made->figures[0];
}

/* Groups of higher survival have fewer events; all codes occur. */
static sums sums_of(uint64_t seed, double size, double noise) {
    sums s = {.noise = noise, .loss = size * GROUPS};
    for (size_t g = 0; g < GROUPS; g++) {
        double records = 0;
        for (size_t c = 0; c < CODES; c++)
            records += s.codes[g * CODES + c] =
                floor(size / CODES * (.5 + next_unit(&seed)) * (c % 2 ? GROUPS - (double)g : 4));
        s.survival[g] = records * ((double)g + .5) / GROUPS;
    }
    return s;
}

/* ---- Against all pairs ---- */

/* -1: not known; else which of the two had its event first. */
static int first_of(size_t a, size_t b) {
    if (a % 2 && b / 2 > a / 2) return 0;
    if (b % 2 && a / 2 > b / 2) return 1;
    return -1;
}

static void test_concordance__is_that_of_all_pairs(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        const sums s = sums_of(seed, 40, 1e-6);
        double won = 0, all = 0;
        for (size_t a = 0; a < CELLS; a++)
            for (size_t b = 0; b < CELLS; b++) {
                const double pairs = s.codes[a] * s.codes[b];
                if (first_of(a % CODES, b % CODES)) continue;
                all += pairs;
                won += pairs * (a / CODES < b / CODES ? 1 : a / CODES == b / CODES ? .5 : 0);
            }
        const hr_evaluation made = figures_of(&s);
        assert_true(fabs(figure_of(&made, "interval_concordance").value - won / all) < 1e-12);
    }
}

/* Of one interval after the other, by hand; who was censored in one counts half there. */
static double observed_by_hand(const double *counts) {
    double survival = 1, left = 0;
    for (size_t c = 0; c < CODES; c++) left += counts[c];
    for (size_t k = 0; k < INTERVALS; k++) {
        survival *= 1 - counts[2 * k + 1] / (left - counts[2 * k] / 2);
        left -= counts[2 * k] + counts[2 * k + 1];
    }
    return survival;
}

static void test_survival__is_that_of_groups_and_of_all(void **state) {
    (void)state;
    const sums s = sums_of(3, 100, 1e-6);
    const hr_evaluation made = figures_of(&s);
    double all[CODES] = {0}, records = 0, predicted = 0;
    assert_int_equal(made.figure_count, HR_FIGURES_MAX);
    for (size_t g = 0; g < GROUPS; g++) {
        char name[32];
        double of_group = 0;
        for (size_t c = 0; c < CODES; c++) {
            all[c] += s.codes[g * CODES + c];
            of_group += s.codes[g * CODES + c];
        }
        records += of_group;
        predicted += s.survival[g];
        snprintf(name, sizeof name, "observed_%zu", g + 1);
        assert_true(fabs(figure_of(&made, name).value - observed_by_hand(s.codes + g * CODES)) < 1e-12);
        snprintf(name, sizeof name, "predicted_%zu", g + 1);
        assert_true(fabs(figure_of(&made, name).value - ((double)g + .5) / GROUPS) < 1e-12);
    }
    assert_true(fabs(figure_of(&made, "observed").value - observed_by_hand(all)) < 1e-12);
    assert_true(fabs(figure_of(&made, "predicted").value - predicted / records) < 1e-12);
    assert_true(figure_of(&made, "records").value == records);
    assert_true(fabs(figure_of(&made, "logloss").value - s.loss / records) < 1e-12);
}

/* ---- Noise ---- */

static double normal(uint64_t *seed) {
    return sqrt(-2 * log(1 - next_unit(seed))) * cos(2 * acos(-1) * next_unit(seed));
}

/* The deviation of so many draws is within 10 % of its own value but for one in 10^6 cases of a seed. */
static void test_noise__is_what_is_stated(void **state) {
    (void)state;
    static const char *const names[] = {"records",  "interval_concordance", "logloss",    "predicted",
                                        "observed", "observed_1",           "observed_8", "predicted_1"};
    const sums exact = sums_of(5, 1000, 12);
    const hr_evaluation stated = figures_of(&exact);
    uint64_t seed = 17;
    double sum[COUNT(names)] = {0}, squares[COUNT(names)] = {0};
    for (size_t d = 0; d < DRAWS; d++) {
        sums noisy = exact;
        for (size_t c = 0; c < CELLS; c++) noisy.codes[c] += exact.noise * normal(&seed);
        for (size_t g = 0; g < GROUPS; g++) noisy.survival[g] += exact.noise * normal(&seed);
        noisy.loss += exact.noise * normal(&seed);
        const hr_evaluation made = figures_of(&noisy);
        for (size_t i = 0; i < COUNT(names); i++) {
            const double miss = figure_of(&made, names[i]).value - figure_of(&stated, names[i]).value;
            sum[i] += miss;
            squares[i] += miss * miss;
        }
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        const double drawn = sqrt(squares[i] / DRAWS), noise = figure_of(&stated, names[i]).noise;
        if (!(fabs(drawn / noise - 1) < .1)) fail_msg("%s: %g where %g is stated", names[i], drawn, noise);
        if (!(fabs(sum[i]) / DRAWS < .2 * noise)) fail_msg("%s is off by %g", names[i], sum[i] / DRAWS);
    }
}

static void test_figures__are_unknown_where_noise_hides_the_records(void **state) {
    (void)state;
    const sums s = sums_of(5, 10, 1000);
    const hr_evaluation made = figures_of(&s);
    for (size_t i = 1; i < made.figure_count; i++)
        assert_true(isnan(made.figures[i].value) && isnan(made.figures[i].noise));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_concordance__is_that_of_all_pairs),
        cmocka_unit_test(test_survival__is_that_of_groups_and_of_all),
        cmocka_unit_test(test_noise__is_what_is_stated),
        cmocka_unit_test(test_figures__are_unknown_where_noise_hides_the_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
