/* Figures of predicted times to an event: by hand, against sums over all pairs, and against scikit-survival.
 */
#include "support/check.h"

#include <hedgerow/survival.h>
#include <math.h>
#include <stdbool.h>

enum { ROWS = 200, CUTS = 3 };

static void assert_near(double value, double expected) {
    if (isnan(value) && isnan(expected)) return;
    if (!(fabs(value - expected) <= 1e-12 * fmax(fabs(expected), 1)))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* ---- By hand ---- */

static void test_kaplan_meier__is_that_by_hand(void **state) {
    (void)state;
    /* At 1 one of five, at 2 one of four (a follow-up ends then, after it), at 4 one of two. */
    const double times[] = {1, 2, 2, 4, 7}, at[] = {0, 1, 1.5, 2, 3, 4, 6, 7, 7.5};
    const uint8_t events[] = {1, 1, 0, 1, 0};
    const double expected[] = {1, .8, .8, .6, .6, .3, .3, .3, (double)NAN};
    double out[COUNT(at)];
    assert_int_equal(
        hr_kaplan_meier(&(hr_followed_records){5, times, events, NULL}, at, COUNT(at), out, NULL), HR_OK);
    for (size_t i = 0; i + 1 < COUNT(at); i++) assert_near(out[i], expected[i]);
    assert_true(isnan(out[COUNT(at) - 1]));
}

static void test_kaplan_meier__stays_at_0_after_everybodys_event(void **state) {
    (void)state;
    const double times[] = {1, 2}, weights[] = {3, 1}, at[] = {1, 2, 100, (double)NAN};
    const uint8_t events[] = {1, 1};
    double out[4];
    assert_int_equal(hr_kaplan_meier(&(hr_followed_records){2, times, events, weights}, at, 4, out, NULL),
                     HR_OK);
    assert_near(out[0], .25);
    assert_true(out[1] == 0 && out[2] == 0 && isnan(out[3]));
}

static double concordance(const hr_followed_records *r, const double *risks) {
    double out = -1;
    assert_int_equal(hr_concordance(r, risks, &out, NULL), HR_OK);
    return out;
}

static double concordance_uno(const hr_followed_records *r, const double *risks, double horizon) {
    double out = -1;
    assert_int_equal(hr_concordance_uno(r, risks, horizon, &out, NULL), HR_OK);
    return out;
}

static void test_concordance__counts_pairs_by_hand(void **state) {
    (void)state;
    /* The event at 1 comes before four records and has a larger risk than three of them and an equal one
     * once; that at 2 before the end at 2 (smaller risk: lost), the one at 3 (won) and not before the other
     * event at 2; the other event at 2: lost, lost. */
    const double times[] = {1, 2, 2, 2, 3}, risks[] = {5, 4, 5, 1, 2};
    const uint8_t events[] = {1, 1, 0, 1, 0};
    const hr_followed_records r = {5, times, events, NULL};
    assert_near(concordance(&r, risks), (3 + .5 + 1) / 8);
}

static void test_concordance__weighs_pairs_by_hand(void **state) {
    (void)state;
    const double times[] = {1, 2, 3}, weights[] = {2, 3, .5}, risks[] = {1, 0, 2};
    const uint8_t events[] = {1, 1, 0};
    assert_near(concordance(&(hr_followed_records){3, times, events, weights}, risks), 6 / (6 + 1 + 1.5));
}

static void test_concordance_uno__divides_by_the_follow_up(void **state) {
    (void)state;
    /* One of the four follow-ups that are left ends at 2. The event at 5 is not before the first horizon. */
    const double times[] = {1, 2, 3, 5, 6}, risks[] = {0, 9, 7, 2, 1};
    const uint8_t events[] = {1, 0, 1, 1, 0};
    const hr_followed_records r = {5, times, events, NULL};
    const double once = 16. / 9;
    assert_near(concordance_uno(&r, risks, 5), 2 * once / (4 + 2 * once));
    assert_near(concordance_uno(&r, risks, 6), 3 * once / (4 + 3 * once));
    assert_near(concordance_uno(&r, risks, 3), 0);
    assert_true(isnan(concordance_uno(&r, risks, 1)));
}

static void test_brier__is_that_by_hand(void **state) {
    (void)state;
    /* The end at 2 is that of one of three: those after it count 3/2 times. At the cut 2 its record survived.
     */
    const double times[] = {1, 2, 3, 4}, cuts[] = {2, 3.5};
    const uint8_t events[] = {1, 0, 1, 0};
    const double survival[] = {.5, .25, .9, .8, .8, .4, 1, .5};
    const hr_survival_curves curves = {cuts, 2, survival};
    double out[2];
    assert_int_equal(hr_brier_scores(&(hr_followed_records){4, times, events, NULL}, &curves, out, NULL),
                     HR_OK);
    assert_near(out[0], (.25 + .01 + .04 + 0) / 4);
    assert_near(out[1], (.0625 + 1.5 * .16 + 1.5 * .25) / 4);
    assert_near(hr_brier_integrated(cuts, out, 2), (out[0] + out[1]) / 2);
    assert_near(hr_brier_integrated(cuts, out, 1), out[0]);
    assert_true(isnan(hr_brier_integrated(cuts, out, 0)));
    const double three[] = {1, 2, 4}, scores[] = {.1, .3, .2};
    assert_near(hr_brier_integrated(three, scores, 3), (.2 + .5) / 3);
}

static void test_brier__is_unknown_where_nobody_is_followed(void **state) {
    (void)state;
    const double times[] = {1, 2}, cuts[] = {1, 2, 3}, survival[] = {.5, .5, .5, .5, .5, .5};
    const uint8_t none[] = {0, 0}, last[] = {0, 1};
    const hr_survival_curves curves = {cuts, 3, survival};
    double out[3];
    assert_int_equal(hr_brier_scores(&(hr_followed_records){2, times, none, NULL}, &curves, out, NULL),
                     HR_OK);
    assert_near(out[0], .25);
    assert_near(out[1], .25);
    assert_true(isnan(out[2]));
    assert_int_equal(hr_brier_scores(&(hr_followed_records){2, times, last, NULL}, &curves, out, NULL),
                     HR_OK);
    assert_near(out[2], .25);
}

static void test_calibration__groups_by_prediction(void **state) {
    (void)state;
    /* Two predictions are equal and stay together: the second of three groups is empty. */
    const double times[] = {9, 1, 3, 9, 1}, cuts[] = {2, 5};
    const uint8_t events[] = {0, 1, 1, 0, 1};
    const double survival[] = {1, .9, 1, .2, 1, .2, 1, .6, 1, .2};
    const hr_survival_curves curves = {cuts, 2, survival};
    const hr_followed_records r = {5, times, events, NULL};
    hr_survival_group out[3];
    assert_int_equal(hr_survival_calibration(&r, &curves, 1, 3, out, NULL), HR_OK);
    assert_int_equal(out[0].count, 3);
    assert_near(out[0].predicted, .2);
    assert_true(out[0].observed == 0);
    assert_int_equal(out[1].count, 0);
    assert_true(isnan(out[1].predicted) && isnan(out[1].observed));
    assert_int_equal(out[2].count, 2);
    assert_near(out[2].predicted, .75);
    assert_true(out[2].observed == 1);
    assert_int_equal(hr_survival_calibration(&r, &curves, 0, 1, out, NULL), HR_OK);
    assert_int_equal(out[0].count, 5);
    assert_near(out[0].predicted, 1);
    assert_near(out[0].observed, .6);
}

static void test_log_loss__is_that_by_hand(void **state) {
    (void)state;
    /* Of two cuts: ended in the first interval, event there, ended in the second, event there, survived. */
    const double times[] = {.5, 1, 1, 2, 2}, cuts[] = {1, 2}, weights[] = {9, 1, 1, 1, 2};
    const uint8_t events[] = {0, 1, 0, 1, 0};
    const double survival[] = {.8, .5, .8, .5, .8, .5, .8, .5, .8, .5}, never[] = {1, 1};
    const hr_survival_curves curves = {cuts, 2, survival}, sure = {cuts, 2, never};
    const hr_followed_records r = {5, times, events, NULL}, weighed = {5, times, events, weights};
    double out = 0;
    assert_int_equal(hr_survival_log_loss(&r, &curves, &out, NULL), HR_OK);
    assert_near(out, -(log(.2) + log(.8) + log(.3) + log(.5)) / 5);
    assert_int_equal(hr_survival_log_loss(&weighed, &curves, &out, NULL), HR_OK);
    assert_near(out, -(log(.2) + log(.8) + log(.3) + 2 * log(.5)) / 14);
    assert_int_equal(
        hr_survival_log_loss(&(hr_followed_records){1, times + 3, events + 3, NULL}, &sure, &out, NULL),
        HR_OK);
    assert_near(out, -log(1e-15));
}

/* ---- Sums over all pairs ---- */

typedef struct study {
    double times[ROWS], weights[ROWS], risks[ROWS], survival[ROWS * CUTS];
    uint8_t events[ROWS];
} study;

static uint64_t random_state;

static double unit(void) {
    random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-53;
}

static const double study_cuts[CUTS] = {1, 2.5, 5};

/* steps 0: no ties; else times and risks are multiples of 1/steps. */
static void draw_study(study *s, double steps) {
    for (size_t i = 0; i < ROWS; i++) {
        double time = 8 * unit(), risk = 8 - time + 8 * unit();
        s->times[i] = steps > 0 ? floor(time * steps) / steps : time;
        s->risks[i] = steps > 0 ? floor(risk * steps) / steps : risk;
        s->events[i] = unit() < .6;
        s->weights[i] = floor(4 * unit());
        double left = 1;
        for (size_t k = 0; k < CUTS; k++) s->survival[i * CUTS + k] = left *= unit();
    }
}

static double weight_of(const study *s, bool weighed, size_t i) {
    return weighed ? s->weights[i] : 1;
}

/* Pr(a follow-up lasts until `time`), from its definition. */
static double slow_free_at(const study *s, bool weighed, double time) {
    double free = 1;
    for (size_t i = 0; i < ROWS; i++) {
        const double at = s->times[i];
        bool seen = s->events[i] || !(at < time);
        for (size_t j = 0; j < i; j++) seen |= !s->events[j] && s->times[j] == at;
        if (seen) continue;
        double ended = 0, followed = 0;
        for (size_t j = 0; j < ROWS; j++) {
            const double weight = weight_of(s, weighed, j);
            if (!s->events[j] && s->times[j] == at) ended += weight;
            if (s->times[j] > at || (s->times[j] == at && !s->events[j])) followed += weight;
        }
        if (followed > 0) free *= 1 - ended / followed;
    }
    return free;
}

static double slow_concordance(const study *s, bool weighed, bool uno, double horizon) {
    double won = 0, pairs = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const double time = s->times[i];
        if (!s->events[i] || (uno && !(time < horizon)) || weight_of(s, weighed, i) == 0) continue;
        const double free = uno ? slow_free_at(s, weighed, time) : 1;
        for (size_t j = 0; j < ROWS; j++) {
            if (!(s->times[j] > time || (s->times[j] == time && !s->events[j]))) continue;
            const double weight = weight_of(s, weighed, i) * weight_of(s, weighed, j) / (free * free);
            won += weight * (s->risks[i] > s->risks[j] ? 1 : s->risks[i] == s->risks[j] ? .5 : 0);
            pairs += weight;
        }
    }
    return won / pairs;
}

static double slow_brier(const study *s, bool weighed, size_t k) {
    double sum = 0, all = 0;
    if (slow_free_at(s, weighed, study_cuts[k]) == 0) return (double)NAN;
    for (size_t i = 0; i < ROWS; i++) {
        const double cut = study_cuts[k], survival = s->survival[i * CUTS + k],
                     weight = weight_of(s, weighed, i);
        all += weight;
        if (weight == 0) continue;
        if (s->events[i] && s->times[i] <= cut)
            sum += weight * pow(survival, 2) / slow_free_at(s, weighed, s->times[i]);
        else if (s->times[i] >= cut)
            sum += weight * pow(1 - survival, 2) / slow_free_at(s, weighed, cut);
    }
    return sum / all;
}

static void test_figures__equal_sums_over_all_pairs(void **state) {
    (void)state;
    static study s;
    random_state = 88172645463325252u;
    for (int draw = 0; draw < 40; draw++) {
        const double steps[] = {0, 1, 2, .25};
        const bool weighed = draw % 2;
        draw_study(&s, steps[draw / 2 % 4]);
        const hr_followed_records r = {ROWS, s.times, s.events, weighed ? s.weights : NULL};
        assert_near(concordance(&r, s.risks), slow_concordance(&s, weighed, false, 0));
        assert_near(concordance_uno(&r, s.risks, 6), slow_concordance(&s, weighed, true, 6));
        double out[CUTS];
        assert_int_equal(hr_brier_scores(&r, &(hr_survival_curves){study_cuts, CUTS, s.survival}, out, NULL),
                         HR_OK);
        for (size_t k = 0; k < CUTS; k++) assert_near(out[k], slow_brier(&s, weighed, k));
    }
}

/* Integer weights stand for copies. */
static void test_figures__take_weights_for_copies(void **state) {
    (void)state;
    static study s, copies;
    random_state = 362436069;
    draw_study(&s, 2);
    size_t count = 0, few = ROWS / 4;
    for (size_t i = 0; i < few; i++) {
        for (int copy = 0; copy < (int)s.weights[i]; copy++, count++) {
            copies.times[count] = s.times[i];
            copies.events[count] = s.events[i];
            copies.risks[count] = s.risks[i];
            memcpy(copies.survival + count * CUTS, s.survival + i * CUTS, CUTS * sizeof *s.survival);
        }
    }
    const hr_followed_records weighed = {few, s.times, s.events, s.weights},
                              copied = {count, copies.times, copies.events, NULL};
    const hr_survival_curves curves = {study_cuts, CUTS, s.survival},
                             curves_of_copies = {study_cuts, CUTS, copies.survival};
    double one[CUTS], other[CUTS];
    assert_near(concordance_uno(&weighed, s.risks, 6), concordance_uno(&copied, copies.risks, 6));
    assert_int_equal(hr_brier_scores(&weighed, &curves, one, NULL), HR_OK);
    assert_int_equal(hr_brier_scores(&copied, &curves_of_copies, other, NULL), HR_OK);
    for (size_t k = 0; k < CUTS; k++) assert_near(one[k], other[k]);
    assert_int_equal(hr_kaplan_meier(&weighed, study_cuts, CUTS, one, NULL), HR_OK);
    assert_int_equal(hr_kaplan_meier(&copied, study_cuts, CUTS, other, NULL), HR_OK);
    for (size_t k = 0; k < CUTS; k++) assert_near(one[k], other[k]);
    hr_survival_group group, group_of_copies;
    assert_int_equal(hr_survival_calibration(&weighed, &curves, 1, 1, &group, NULL), HR_OK);
    assert_int_equal(hr_survival_calibration(&copied, &curves_of_copies, 1, 1, &group_of_copies, NULL),
                     HR_OK);
    assert_near(group.predicted, group_of_copies.predicted);
    assert_near(group.observed, group_of_copies.observed);
}

/* ---- What must not fail, and what must ---- */

static void test_figures__are_unknown_without_events_or_records(void **state) {
    (void)state;
    const double times[] = {3, 1, 2}, risks[] = {1, 2, 3}, cuts[] = {1}, survival[] = {.5, .5, .5};
    const uint8_t none[] = {0, 0, 0}, one[] = {1};
    const hr_followed_records censored = {3, times, none, NULL}, single = {1, times, one, NULL},
                              empty = {0, NULL, NULL, NULL};
    const hr_survival_curves curves = {cuts, 1, survival};
    const hr_followed_records *all[] = {&censored, &single, &empty};
    for (size_t i = 0; i < COUNT(all); i++) {
        assert_true(isnan(concordance(all[i], risks)));
        assert_true(isnan(concordance_uno(all[i], risks, 10)));
        double out = -1;
        assert_int_equal(hr_brier_scores(all[i], &curves, &out, NULL), HR_OK);
        assert_true(i == 2 ? isnan(out) : out == .25);
        hr_survival_group groups[4];
        assert_int_equal(hr_survival_calibration(all[i], &curves, 0, 4, groups, NULL), HR_OK);
    }
    double loss = 0;
    assert_int_equal(hr_survival_log_loss(&empty, &curves, &loss, NULL), HR_OK);
    assert_true(isnan(loss));
}

static void test_figures__are_unknown_where_nobody_weighs(void **state) {
    (void)state;
    const double times[] = {3, 1, 2}, risks[] = {1, 2, 3}, cuts[] = {1}, survival[] = {.5, .5, .5},
                 weights[] = {0, 0, 0};
    const uint8_t events[] = {1, 1, 0};
    const hr_followed_records r = {3, times, events, weights};
    const hr_survival_curves curves = {cuts, 1, survival};
    double out = 0;
    assert_true(isnan(concordance(&r, risks)));
    assert_true(isnan(concordance_uno(&r, risks, 10)));
    assert_int_equal(hr_brier_scores(&r, &curves, &out, NULL), HR_OK);
    assert_true(isnan(out));
    hr_survival_group group;
    assert_int_equal(hr_survival_calibration(&r, &curves, 0, 1, &group, NULL), HR_OK);
    assert_true(isnan(group.predicted) && isnan(group.observed));
    assert_int_equal(hr_survival_log_loss(&r, &curves, &out, NULL), HR_OK);
    assert_true(isnan(out));
}

/* A record without weight, after the last follow-up, takes no part. */
static void test_figures__leave_out_what_weighs_nothing(void **state) {
    (void)state;
    const double times[] = {1, 2, 3}, risks[] = {2, 1, 3}, cuts[] = {2, 4},
                 survival[] = {.5, .1, .5, .1, .5, .1}, weights[] = {1, 1, 0};
    const uint8_t events[] = {1, 0, 1};
    const hr_followed_records r = {3, times, events, weights};
    double out[2];
    assert_near(concordance_uno(&r, risks, 10), 1);
    assert_int_equal(hr_brier_scores(&r, &(hr_survival_curves){cuts, 2, survival}, out, NULL), HR_OK);
    assert_near(out[0], .25);
    assert_true(isnan(out[1]));
}

static void test_figures__refuse_what_is_no_number(void **state) {
    (void)state;
    const double bad_times[] = {(double)NAN, -1, (double)INFINITY}, cuts[] = {1, 2};
    const double risks[] = {1, 2}, no_risk[] = {1, (double)NAN},
                 endless[] = {(double)INFINITY, -(double)INFINITY};
    const uint8_t events[] = {1, 0}, bad_events[] = {1, 2};
    double out[2] = {7, 7};
    hr_error err = {0};
    for (size_t i = 0; i < COUNT(bad_times); i++) {
        const double times[] = {1, bad_times[i]}, good[] = {1, 2};
        assert_int_equal(hr_concordance(&(hr_followed_records){2, times, events, NULL}, risks, out, &err),
                         HR_E_ARGUMENT);
        assert_string_equal(err.message, "record 2: the time cannot be used");
        assert_int_equal(hr_concordance(&(hr_followed_records){2, good, events, times}, risks, out, &err),
                         HR_E_ARGUMENT);
        assert_string_equal(err.message, "record 2: the weight cannot be used");
        const double survival[] = {1, .5, bad_times[i] > 0 ? 1.5 : bad_times[i], .5},
                     bad_cuts[] = {1, bad_times[i]};
        const hr_followed_records r = {2, good, events, NULL};
        assert_int_equal(hr_brier_scores(&r, &(hr_survival_curves){cuts, 2, survival}, out, &err),
                         HR_E_ARGUMENT);
        assert_string_equal(err.message, "record 2: the survival cannot be used");
        assert_int_equal(hr_brier_scores(&r, &(hr_survival_curves){bad_cuts, 1 + 1, good}, out, &err),
                         HR_E_ARGUMENT);
        assert_string_equal(err.message, "cut 2 cannot be used");
        assert_int_equal(hr_survival_log_loss(&r, &(hr_survival_curves){cuts, 2, survival}, out, &err),
                         HR_E_ARGUMENT);
    }
    const hr_followed_records r = {2, risks, events, NULL};
    assert_int_equal(hr_concordance(&(hr_followed_records){2, risks, bad_events, NULL}, risks, out, &err),
                     HR_E_ARGUMENT);
    assert_int_equal(hr_concordance(&r, no_risk, out, &err), HR_E_ARGUMENT);
    assert_int_equal(hr_concordance_uno(&r, no_risk, 9, out, &err), HR_E_ARGUMENT);
    assert_true(out[0] == 7 && out[1] == 7);
    assert_near(concordance(&r, endless), 1);
    const double survival[] = {1, .5, 1, .5};
    hr_survival_group group;
    assert_int_equal(
        hr_survival_calibration(&r, &(hr_survival_curves){cuts, 2, survival}, 2, 1, &group, &err),
        HR_E_ARGUMENT);
    assert_int_equal(
        hr_survival_calibration(&r, &(hr_survival_curves){cuts, 2, survival}, 1, 0, &group, &err),
        HR_E_ARGUMENT);
}

static void test_concordance__is_exact_for_many_records(void **state) {
    (void)state;
    enum { MANY = 100000 };
    double *times = malloc(MANY * sizeof *times), *risks = malloc(MANY * sizeof *risks);
    uint8_t *events = malloc(MANY);
    for (size_t i = 0; i < MANY; i++) {
        times[i] = (double)(i * 7919 % MANY);
        risks[i] = -times[i];
        events[i] = 1;
    }
    assert_true(concordance(&(hr_followed_records){MANY, times, events, NULL}, risks) == 1);
    free(times);
    free(risks);
    free(events);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kaplan_meier__is_that_by_hand),
        cmocka_unit_test(test_kaplan_meier__stays_at_0_after_everybodys_event),
        cmocka_unit_test(test_concordance__counts_pairs_by_hand),
        cmocka_unit_test(test_concordance__weighs_pairs_by_hand),
        cmocka_unit_test(test_concordance_uno__divides_by_the_follow_up),
        cmocka_unit_test(test_brier__is_that_by_hand),
        cmocka_unit_test(test_brier__is_unknown_where_nobody_is_followed),
        cmocka_unit_test(test_calibration__groups_by_prediction),
        cmocka_unit_test(test_log_loss__is_that_by_hand),
        cmocka_unit_test(test_figures__equal_sums_over_all_pairs),
        cmocka_unit_test(test_figures__take_weights_for_copies),
        cmocka_unit_test(test_figures__are_unknown_without_events_or_records),
        cmocka_unit_test(test_figures__are_unknown_where_nobody_weighs),
        cmocka_unit_test(test_figures__leave_out_what_weighs_nothing),
        cmocka_unit_test(test_figures__refuse_what_is_no_number),
        cmocka_unit_test(test_concordance__is_exact_for_many_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
