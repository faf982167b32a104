/* Gradients of hazards: what a record adds, by hand, and that no record adds more than the bound, whatever
 * its scores and its code are. */
#include "support/binned_table.h"
#include "tables/schema/survival_code.h"
#include "trees/candidates/hazard_gradients.h"

#include <math.h>
#include <string.h>

enum { ROWS = 700, BLOCK = HR_WALK_BLOCK };

typedef struct records {
    binned_table t;
    hr_dice dice;
    hr_score_gradients g;
    double targets[ROWS], base[HR_INTERVALS_MAX];
    int64_t words[(HR_INTERVALS_MAX + 1) * BLOCK];
    uint32_t weights[ROWS];
} records;

static void open_records(records *r, size_t outputs, bool weighs) {
    static const uint32_t bins[] = {4};
    memset(r, 0, sizeof *r);
    hr_dice_init(&r->dice, 5);
    r->t = binned_table_new(&r->dice, ROWS, 1, bins, 1);
    binned_table_bin(&r->t);
    for (size_t i = 0; i < ROWS; i++) {
        r->targets[i] = (double)hr_dice_below(&r->dice, hr_survival_codes(outputs));
        r->weights[i] = (uint32_t)hr_dice_below(&r->dice, HR_PERSON_UNIT + 1);
    }
    if (weighs) r->t.binned->weights = r->weights;
    for (size_t k = 0; k < outputs; k++) r->base[k] = -1 - (double)k / 8;
    const hr_candidate_scan_setup setup = {.targets = r->targets,
                                           .outputs = outputs,
                                           .objective = HR_OBJECTIVE_HAZARD,
                                           .base = r->base,
                                           .trees = 1,
                                           .threads = 1};
    assert_true(hr_score_gradients_init(&r->g, r->t.binned, &setup));
}

static void close_records(records *r) {
    hr_score_gradients_done(&r->g);
    binned_table_close(&r->t);
}

static hr_candidate_scan_loss loss_of(double clip) {
    return (hr_candidate_scan_loss){.objective = HR_OBJECTIVE_HAZARD,
                                    .clip = clip,
                                    .bound = (int64_t)(clip * (1 << HR_GRADIENT_BITS)),
                                    .score_limit = 20};
}

static int64_t gradient_at(const records *r, size_t k, size_t i) {
    const hr_packing packing = {.shift = r->g.shift};
    const int64_t word = r->words[k * BLOCK + i];
    return r->g.weights ? word : hr_unpack(&packing, word).gradient.unpaid;
}

/* Hazard minus event in the intervals at risk, 0 behind them, truncated. */
static void test_gradients__are_hazard_minus_event(void **state) {
    (void)state;
    enum { OUTPUTS = 3 };
    records r;
    open_records(&r, OUTPUTS, false);
    const hr_row_block rows = {0, BLOCK};
    const hr_candidate_scan_loss loss = loss_of(2); /* clips nothing */
    assert_int_equal(hr_score_gradients_words(&r.g, &loss, &rows, r.words), 0);
    for (size_t i = 0; i < BLOCK; i++) {
        const size_t code = (size_t)r.targets[i], survived = code / 2;
        for (size_t k = 0; k < OUTPUTS; k++) {
            const double hazard = 1 / (1 + exp(1 + (double)k / 8));
            const double g = k < survived ? hazard : code % 2 && k == survived ? hazard - 1 : 0;
            if (llabs(gradient_at(&r, k, i) - (int64_t)trunc(g * (1 << HR_GRADIENT_BITS))) > 1)
                fail_msg("code %zu, output %zu", code, k);
            const hr_packing packing = {.shift = r.g.shift};
            assert_int_equal(hr_unpack(&packing, r.words[k * BLOCK + i]).weight.unpaid, 1);
        }
    }
    close_records(&r);
}

static int64_t square_at(const records *r, size_t i) {
    int64_t square = 0;
    for (size_t k = 0; k < r->g.outputs; k++) square += gradient_at(r, k, i) * gradient_at(r, k, i);
    return square;
}

/* Scores at the ends of their range, codes beyond the largest and below 0, clips that are no multiple of the
 * unit; with weights the person's share. */
static void test_gradients__are_within_the_bound_of_hostile_records(void **state) {
    (void)state;
    static const double clips[] = {1, .02, .3333, 1.7, 8};
    static const int32_t scores[] = {0,         1,          -1,        20 << 20, -(20 << 20),
                                     (1 << 29), -(1 << 29), INT32_MAX, INT32_MIN};
    static const size_t outputs[] = {1, 2, 7, HR_INTERVALS_MAX};
    static records r;
    for (size_t o = 0; o < 4; o++)
        for (int weighs = 0; weighs < 2; weighs++) {
            open_records(&r, outputs[o], weighs);
            for (size_t i = 0; i < ROWS; i++)
                r.g.targets[i] = i % 5 ? (int32_t)r.targets[i] : i % 2 ? INT32_MAX : INT32_MIN;
            for (size_t i = 0; i < ROWS * outputs[o]; i++) r.g.scores[i] = scores[hr_dice_below(&r.dice, 9)];
            for (size_t c = 0; c < 5; c++) {
                const hr_candidate_scan_loss loss = loss_of(clips[c]);
                const hr_row_block rows = {BLOCK, ROWS - BLOCK};
                assert_int_equal(hr_score_gradients_words(&r.g, &loss, &rows, r.words), 0);
                for (size_t i = 0; i < rows.count; i++) {
                    const double share = weighs ? (double)r.weights[rows.begin + i] / 1024 : 1;
                    assert_true(sqrt((double)square_at(&r, i)) <= share * (double)loss.bound);
                    if (weighs) assert_int_equal(r.words[outputs[o] * BLOCK + i], r.weights[rows.begin + i]);
                }
            }
            close_records(&r);
        }
}

/* Steps stay within the limit on both sides, which those of classes do not have. */
static void test_scores__are_log_odds_within_the_limit(void **state) {
    (void)state;
    records r;
    open_records(&r, 2, false);
    const hr_candidate_scan_loss loss = loss_of(1);
    const hr_row_block rows = {0, BLOCK};
    static const hr_fixed_step values[] = {{-(19 << 20), 0}, {1 << 20, 0}};
    static const uint8_t places[BLOCK] = {0};
    const hr_score_step step = {values, 1, places};
    hr_score_gradients_take_step(&r.g, &loss, &rows, &step);
    hr_score_gradients_take_step(&r.g, &loss, &rows, &step);
    assert_int_equal(r.g.scores[0], -(20 << 20));
    assert_int_equal(r.g.scores[1], hr_fixed_score(-1.125) + (2 << 20));
    double start[2 * ROWS];
    for (size_t i = 0; i < 2 * ROWS; i++) start[i] = i % 2 ? -30 : 3.5;
    hr_score_gradients_start(&r.g, start, &loss);
    assert_int_equal(r.g.scores[0], hr_fixed_score(3.5));
    assert_int_equal(r.g.scores[1], -(20 << 20));
    close_records(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients__are_hazard_minus_event),
        cmocka_unit_test(test_gradients__are_within_the_bound_of_hostile_records),
        cmocka_unit_test(test_scores__are_log_odds_within_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
