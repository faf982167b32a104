/* The sums of an evaluation against plain counts, and their sensitivities (evaluation_counts.proof.md) by
 * adding records, whatever floats their predictions are. */
#include "support/check.h"
#include "support/random_numbers.h"
#include "tables/schema/survival_code.h"
#include "trees/candidates/evaluation_counts.h"

#include <math.h>

enum { ROWS = 600, CLASSES_MAX = 4, GRID = 1 << HR_SCORE_GRID_BITS, CUTS = 5 };

static const uint32_t cuts[CUTS] = {1, GRID / 9, GRID / 2 - 1, GRID / 2, GRID - 1};
static const double odd[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 0, 1, -1, 2, 1e-320, .5};

typedef struct records {
    double predicted[ROWS * CLASSES_MAX], labels[ROWS];
    uint32_t decided[ROWS];
    uint64_t random;
} records;

/* Every eighth prediction is odd. */
static void draw_records(records *r, size_t classes) {
    for (size_t i = 0; i < ROWS * CLASSES_MAX; i++)
        r->predicted[i] =
            next_random(&r->random) % 8 ? next_unit(&r->random) : odd[next_random(&r->random) % COUNT(odd)];
    for (size_t i = 0; i < ROWS; i++) {
        r->labels[i] = classes ? (double)(next_random(&r->random) % classes) : 3 * next_unit(&r->random) - 1;
        r->decided[i] = classes ? (uint32_t)(next_random(&r->random) % classes) : 0;
    }
}

static hr_scored judged_of(const records *r, size_t from, size_t rows, size_t classes) {
    size_t outputs = classes ? classes : 1;
    return (hr_scored){.rows = rows,
                       .bins = HR_SCORE_BINS,
                       .outputs = outputs,
                       .predicted = r->predicted + from * outputs,
                       .labels = r->labels + from,
                       .decided = r->decided + from,
                       .cuts = cuts,
                       .cut_count = CUTS,
                       .range = 3};
}

/* ---- Against plain counts ---- */

static double bounded(double x, double max) {
    return x >= 0 ? (x < max ? x : max) : 0; /* 0 for NaN */
}

static void check_classes(const records *r, size_t classes) {
    hr_scored j = judged_of(r, 0, ROWS, classes);
    hr_exact cells[2 * CLASSES_MAX], loss, count;
    double sum = 0;
    hr_scored_records(&j, &count);
    hr_scored_outcomes(&j, cells);
    hr_scored_loss(&j, &loss);
    assert_true(count.unpaid == 64 * ROWS);
    for (size_t k = 0; k < classes; k++) {
        int64_t wrong = 0, right = 0;
        for (size_t i = 0; i < ROWS; i++) {
            right += r->labels[i] == (double)k && r->decided[i] == k;
            wrong += r->labels[i] == (double)k && r->decided[i] != k;
        }
        assert_true(cells[2 * k].unpaid == 64 * wrong && cells[2 * k + 1].unpaid == 64 * right);
    }
    for (size_t i = 0; i < ROWS; i++)
        sum += floor(bounded(-log(r->predicted[i * classes + (size_t)r->labels[i]]), 4) * 4096 + .5);
    assert_true((double)loss.unpaid == sum);
}

/* By the inverse of the grid's scale: p of the lower edge of cell c is q^2/(q^2 + (1 - q)^2), q = c/GRID. */
static size_t cell_by_hand(double p) {
    if (isnan(p) || p <= 0 || p > 1) return 0; /* NaN from the root of a negative number */
    if (p == 1) return GRID - 1;
    size_t c = 0;
    for (size_t next = 1; next < GRID; next++) {
        double up = (double)next, down = (double)(GRID - next);
        if (p * (up * up + down * down) >= up * up) c = next;
    }
    return c;
}

static void check_grid(const records *r) {
    static hr_exact grid[GRID];
    static int64_t wanted[GRID];
    hr_scored j = judged_of(r, 0, ROWS, 2);
    hr_exact scores[HR_SCORE_CELLS];
    int64_t bins[HR_SCORE_CELLS] = {0};
    memset(wanted, 0, sizeof wanted);
    hr_scored_grid(&j, grid);
    hr_scored_scores(&j, scores);
    for (size_t i = 0; i < ROWS; i++) {
        size_t cell = cell_by_hand(r->predicted[2 * i + 1]), b = 0;
        wanted[cell]++;
        for (size_t c = 0; c < CUTS; c++) b += cuts[c] <= cell;
        bins[2 * b + (size_t)r->labels[i]] += 64;
    }
    for (size_t c = 0; c < GRID; c++) assert_true(grid[c].unpaid == wanted[c]);
    for (size_t c = 0; c < HR_SCORE_CELLS; c++) assert_true(scores[c].unpaid == bins[c]);
}

static void check_numbers(const records *r) {
    hr_scored j = judged_of(r, 0, ROWS, 0);
    hr_exact misses, squares;
    double sum = 0, square = 0;
    hr_scored_misses(&j, &misses);
    hr_scored_squares(&j, &squares);
    for (size_t i = 0; i < ROWS; i++) {
        double miss = fabs(r->predicted[i] - r->labels[i]) / 3;
        miss = miss < 1 ? miss : 1; /* 1 for NaN */
        sum += floor(miss * 65536 + .5);
        square += floor(miss * miss * 65536 + .5);
    }
    assert_true((double)misses.unpaid == sum && (double)squares.unpaid == square);
}

static void test_sums__are_plain_counts(void **state) {
    (void)state;
    static records r;
    r.random = 1;
    for (int run = 0; run < 20; run++) {
        for (size_t classes = 2; classes <= CLASSES_MAX; classes++) {
            draw_records(&r, classes);
            check_classes(&r, classes);
            if (classes == 2) check_grid(&r);
        }
        draw_records(&r, 0);
        check_numbers(&r);
    }
}

/* ---- Times ---- */

enum { INTERVALS = 3, TIME_OUTPUTS = INTERVALS + 3, CODES = 2 * INTERVALS + 1 };
static const double ends[INTERVALS] = {1, 2, 4};

typedef struct time_records {
    double predicted[ROWS * TIME_OUTPUTS], labels[ROWS];
    uint64_t random;
} time_records;

/* Times are on a grid that has the cuts; every eighth prediction is odd. */
static void draw_times(time_records *r) {
    for (size_t i = 0; i < ROWS; i++) {
        double survival = 1;
        for (size_t k = 0; k < TIME_OUTPUTS; k++)
            r->predicted[i * TIME_OUTPUTS + k] = next_random(&r->random) % 8
                                                     ? (survival *= next_unit(&r->random))
                                                     : odd[next_random(&r->random) % COUNT(odd)];
        const double time = (double)(next_random(&r->random) % 11) / 2;
        r->labels[i] = hr_time_label(time, next_random(&r->random) % 2);
    }
}

static hr_scored times_of(const time_records *r, size_t rows) {
    return (hr_scored){.rows = rows,
                       .bins = HR_TIME_GROUPS,
                       .outputs = TIME_OUTPUTS,
                       .predicted = r->predicted,
                       .labels = r->labels,
                       .cuts = cuts,
                       .cut_count = CUTS,
                       .intervals = ends,
                       .interval_count = INTERVALS};
}

static size_t code_by_hand(double label) {
    const double time = fabs(label);
    const bool event = !signbit(label);
    size_t survived = 0;
    for (size_t k = 0; k < INTERVALS; k++) survived += event ? time > ends[k] : time >= ends[k];
    return 2 * survived + (event && survived < INTERVALS);
}

static void test_times__are_plain_counts(void **state) {
    (void)state;
    static time_records r;
    r.random = 7;
    for (int run = 0; run < 20; run++) {
        hr_exact codes[HR_TIME_GROUPS * CODES], survival[HR_TIME_GROUPS], loss;
        int64_t counted[HR_TIME_GROUPS * CODES] = {0}, summed[HR_TIME_GROUPS] = {0}, losses = 0;
        draw_times(&r);
        const hr_scored s = times_of(&r, ROWS);
        hr_scored_codes(&s, codes);
        hr_scored_survival(&s, survival);
        hr_scored_code_loss(&s, &loss);
        for (size_t i = 0; i < ROWS; i++) {
            const double *p = r.predicted + i * TIME_OUTPUTS;
            const size_t cell = cell_by_hand(p[INTERVALS - 1]), code = code_by_hand(r.labels[i]);
            size_t b = 0;
            for (size_t c = 0; c < CUTS; c++) b += cuts[c] <= cell;
            counted[b * CODES + code] += 64;
            summed[b] += (int64_t)floor(bounded(p[INTERVALS - 1], 1) * 65536 + .5);
            const double before = code < 2 ? 1 : p[code / 2 - 1];
            const double probability = code % 2 ? before - p[code / 2] : before;
            losses += (int64_t)floor(bounded(-log(probability), 4) * 4096 + .5);
        }
        for (size_t c = 0; c < HR_TIME_GROUPS * CODES; c++) assert_true(codes[c].unpaid == counted[c]);
        for (size_t b = 0; b < HR_TIME_GROUPS; b++) assert_true(survival[b].unpaid == summed[b]);
        assert_true(loss.unpaid == losses);
    }
}

/* ---- Sensitivities ---- */

typedef void count(const hr_scored *scored, hr_exact *sums);

typedef struct change {
    int64_t l1, cells;
} change;

static change change_between(const hr_scored *some, const hr_scored *more, count *of, size_t cells) {
    static hr_exact without[GRID], with[GRID];
    change c = {0, 0};
    of(some, without);
    of(more, with);
    for (size_t i = 0; i < cells; i++) {
        c.l1 += llabs(with[i].unpaid - without[i].unpaid);
        c.cells += with[i].unpaid != without[i].unpaid;
    }
    return c;
}

/* What record `row` changes when it is added to those before it. */
static change change_by(const records *r, size_t row, size_t classes, count *of, size_t cells) {
    const hr_scored some = judged_of(r, 0, row, classes), more = judged_of(r, 0, row + 1, classes);
    return change_between(&some, &more, of, cells);
}

static void plain_total(const hr_scored *scored, hr_exact *sum) {
    hr_scored_total(scored, NULL, sum);
}

static void check_change(change c, int64_t most, int64_t *met) {
    assert_true(c.l1 <= most && c.cells <= 1);
    *met = c.l1 > *met ? c.l1 : *met;
}

static void test_sums__change_by_their_sensitivity_at_most(void **state) {
    (void)state;
    static records r;
    int64_t met[9] = {0};
    r.random = 3;
    for (int run = 0; run < 12; run++) {
        size_t classes = 2 + (size_t)run % 3;
        draw_records(&r, classes);
        for (size_t row = 0; row < ROWS; row += 7) {
            check_change(change_by(&r, row, classes, hr_scored_records, 1), HR_COUNT_SENSITIVITY, &met[0]);
            check_change(change_by(&r, row, classes, hr_scored_outcomes, 2 * classes), HR_COUNT_SENSITIVITY,
                         &met[1]);
            check_change(change_by(&r, row, classes, hr_scored_loss, 1), HR_LOSS_SENSITIVITY, &met[2]);
            check_change(change_by(&r, row, classes, plain_total, 1), HR_TOTAL_WIDTH, &met[7]);
            if (classes > 2) continue;
            check_change(change_by(&r, row, 2, hr_scored_grid, GRID), 1, &met[3]);
            check_change(change_by(&r, row, 2, hr_scored_scores, HR_SCORE_CELLS), HR_COUNT_SENSITIVITY,
                         &met[4]);
        }
        draw_records(&r, 0);
        for (size_t row = 0; row < ROWS; row += 7) {
            check_change(change_by(&r, row, 0, hr_scored_misses, 1), HR_MISS_SENSITIVITY, &met[5]);
            check_change(change_by(&r, row, 0, hr_scored_squares, 1), HR_MISS_SENSITIVITY, &met[6]);
            check_change(change_by(&r, row, 0, plain_total, 1), HR_TOTAL_WIDTH, &met[8]);
        }
    }
    const int64_t tight[9] = {HR_COUNT_SENSITIVITY, HR_COUNT_SENSITIVITY, HR_LOSS_SENSITIVITY, 1,
                              HR_COUNT_SENSITIVITY, HR_MISS_SENSITIVITY,  HR_MISS_SENSITIVITY, HR_TOTAL_WIDTH,
                              HR_TOTAL_WIDTH};
    assert_memory_equal(met, tight, sizeof met); /* some record reaches each bound */
}

static change time_change(const time_records *r, size_t row, count *of, size_t cells) {
    const hr_scored some = times_of(r, row), more = times_of(r, row + 1);
    return change_between(&some, &more, of, cells);
}

static void test_times__change_by_their_sensitivity_at_most(void **state) {
    (void)state;
    static time_records r;
    int64_t met[4] = {0};
    r.random = 11;
    for (int run = 0; run < 12; run++) {
        draw_times(&r);
        for (size_t row = 0; row < ROWS; row += 7) {
            check_change(time_change(&r, row, hr_scored_grid, GRID), 1, &met[0]);
            check_change(time_change(&r, row, hr_scored_codes, HR_TIME_GROUPS * CODES), HR_COUNT_SENSITIVITY,
                         &met[1]);
            check_change(time_change(&r, row, hr_scored_survival, HR_TIME_GROUPS), HR_MISS_SENSITIVITY,
                         &met[2]);
            check_change(time_change(&r, row, hr_scored_code_loss, 1), HR_LOSS_SENSITIVITY, &met[3]);
        }
    }
    const int64_t tight[4] = {1, HR_COUNT_SENSITIVITY, HR_MISS_SENSITIVITY, HR_LOSS_SENSITIVITY};
    assert_memory_equal(met, tight, sizeof met);
}

/* ---- Quantiles ---- */

enum { QUANTILES = 4, COVERED = 2 };
static const double quantiles[QUANTILES] = {.05, .25, .75, .9};

static hr_column label_of_quantiles(void) {
    return (hr_column){
        .kind = HR_KIND_NUMBER, .low = -1, .high = 2, .quantiles = quantiles, .quantile_count = QUANTILES};
}

static hr_scored quantiles_of(const records *r, size_t rows) {
    const hr_column label = label_of_quantiles();
    return (hr_scored){.rows = rows,
                       .outputs = QUANTILES,
                       .predicted = r->predicted,
                       .labels = r->labels,
                       .range = 3,
                       .quantiles = quantiles,
                       .covered = hr_covered_of(&label)};
}

/* The outer one, though it is not symmetric, and the one between .25 and .75. */
static void test_covered__are_the_outer_and_symmetric_intervals(void **state) {
    (void)state;
    static const double others[][5] = {
        {.5}, {.1, .9}, {.1, .2, .3, .7, .9}, {.01, .02, .5, .98, .99}, {.1, .2, .3}};
    static const size_t sizes[] = {1, 2, 5, 5, 3}, wanted[] = {0, 1, 2, 2, 1};
    hr_column label = label_of_quantiles();
    const hr_covered made = hr_covered_of(&label);
    assert_int_equal(made.count, COVERED);
    assert_true(made.ends[0][0] == 0 && made.ends[0][1] == 3);
    assert_true(made.ends[1][0] == 1 && made.ends[1][1] == 2);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        label.quantiles = others[i];
        label.quantile_count = sizes[i];
        assert_int_equal(hr_covered_of(&label).count, wanted[i]);
    }
}

static void test_quantiles__are_plain_counts(void **state) {
    (void)state;
    static records r;
    r.random = 21;
    for (int run = 0; run < 20; run++) {
        hr_exact covered[COVERED + 1], pinball[QUANTILES], widths[COVERED];
        int64_t counted[COVERED + 1] = {0};
        double losses[QUANTILES] = {0}, wide[COVERED] = {0};
        draw_records(&r, 0);
        const hr_scored s = quantiles_of(&r, ROWS);
        hr_scored_covered(&s, covered);
        hr_scored_pinball(&s, pinball);
        hr_scored_widths(&s, widths);
        for (size_t i = 0; i < ROWS; i++) {
            const double *p = r.predicted + i * QUANTILES, y = r.labels[i];
            counted[(p[0] <= y && y <= p[3]) + (p[1] <= y && y <= p[2])] += 64;
            wide[0] += floor(bounded((p[3] - p[0]) / 3, 1) * 65536 + .5);
            wide[1] += floor(bounded((p[2] - p[1]) / 3, 1) * 65536 + .5);
            for (size_t k = 0; k < QUANTILES; k++) {
                const double q = quantiles[k], miss = (y - p[k]) / 3;
                losses[k] +=
                    floor(bounded(miss > 0 ? q * miss : (q - 1) * miss, q < .5 ? 1 - q : q) * 65536 + .5);
            }
        }
        for (size_t d = 0; d <= COVERED; d++) assert_true(covered[d].unpaid == counted[d]);
        for (size_t k = 0; k < QUANTILES; k++) assert_true((double)pinball[k].unpaid == losses[k]);
        for (size_t k = 0; k < COVERED; k++) assert_true((double)widths[k].unpaid == wide[k]);
    }
}

/* Squares of what the sums change by, and what they change by together. */
static void check_both_sizes(const hr_scored *some, const hr_scored *more, count *of, size_t cells,
                             uint64_t (*most)(const hr_column *label, bool length), double met[2]) {
    const hr_column label = label_of_quantiles();
    hr_exact without[QUANTILES], with[QUANTILES];
    double sum = 0, square = 0;
    of(some, without);
    of(more, with);
    for (size_t i = 0; i < cells; i++) {
        const double added = (double)(with[i].unpaid - without[i].unpaid);
        sum += fabs(added);
        square += added * added;
    }
    assert_true(sum <= (double)most(&label, false));
    assert_true(sqrt(square) <= (double)most(&label, true));
    met[0] = fmax(met[0], sum - (double)most(&label, false));
    met[1] = fmax(met[1], sqrt(square) - (double)most(&label, true));
}

/* Some record reaches each, up to the rounding of a length. */
static void test_quantiles__change_by_their_sensitivity_at_most(void **state) {
    (void)state;
    static records r;
    const double far[QUANTILES] = {(double)INFINITY, (double)INFINITY, -(double)INFINITY, -(double)INFINITY},
                 wide[QUANTILES] = {-9, -9, 9, 9};
    double met[2][2] = {{-1e9, -1e9}, {-1e9, -1e9}};
    int64_t counted = 0;
    r.random = 23;
    for (int run = 0; run < 12; run++) {
        draw_records(&r, 0);
        for (size_t row = 0; row < ROWS; row += 7) {
            if (row % 3 == 0) memcpy(r.predicted + row * QUANTILES, row % 2 ? far : wide, sizeof far);
            const hr_scored some = quantiles_of(&r, row), more = quantiles_of(&r, row + 1);
            check_change(change_between(&some, &more, hr_scored_covered, COVERED + 1), HR_COUNT_SENSITIVITY,
                         &counted);
            check_both_sizes(&some, &more, hr_scored_pinball, QUANTILES, hr_scored_pinball_sensitivity,
                             met[0]);
            check_both_sizes(&some, &more, hr_scored_widths, COVERED, hr_scored_width_sensitivity, met[1]);
        }
    }
    assert_int_equal(counted, HR_COUNT_SENSITIVITY);
    for (size_t i = 0; i < 2; i++) assert_true(met[i][0] == 0 && met[i][1] > -1.01);
}

/* ---- Totals, which models are compared by ---- */

static double loss_of(const records *r, size_t i, size_t classes) {
    double sum = 0;
    if (!classes) {
        const double miss = 4 * bounded(fabs(r->predicted[i] - r->labels[i]) / 3, 1);
        return bounded(miss * miss, 1);
    }
    for (size_t k = 0; k < classes; k++) {
        const double miss = r->predicted[i * classes + k] - (k == (size_t)r->labels[i] ? 1 : 0);
        sum += miss * miss / 2;
    }
    return bounded(sum, 1);
}

/* Half a unit of 2^-16 of a record is lost to rounding. */
static void test_totals__are_what_is_missed(void **state) {
    (void)state;
    static records r;
    r.random = 4;
    for (size_t classes = 0; classes <= CLASSES_MAX; classes += classes ? 1 : 2) {
        draw_records(&r, classes);
        for (size_t i = 0; i < ROWS * CLASSES_MAX; i++) r.predicted[i] = bounded(r.predicted[i], 1);
        const hr_scored j = judged_of(&r, 0, ROWS, classes);
        double sum = 0;
        hr_exact total;
        for (size_t i = 0; i < ROWS; i++) sum += loss_of(&r, i, classes);
        hr_scored_total(&j, NULL, &total);
        assert_true(total.unpaid < 0 && fabs(ldexp((double)-total.unpaid, -HR_SCORE_LOSS_BITS) - sum) < .02);
    }
}

/* A person's records count 1 together, however many there are. */
static void test_totals__of_a_person_fall_by_their_width_at_most(void **state) {
    (void)state;
    static records r;
    static uint32_t weights[ROWS];
    int64_t most = 0;
    r.random = 5;
    for (size_t many = 1; many <= ROWS; many += many < 9 ? 1 : 97) {
        draw_records(&r, 2);
        for (size_t i = 0; i < ROWS; i++) {
            weights[i] = i < many ? 65536 / (uint32_t)many : 65536;
            if (i < many) r.predicted[2 * i] = r.predicted[2 * i + 1] = i % 2 ? 99 : -1;
        }
        const hr_scored all = judged_of(&r, 0, ROWS, 2), others = judged_of(&r, many, ROWS - many, 2);
        hr_exact with, without;
        hr_scored_total(&all, weights, &with);
        hr_scored_total(&others, weights + many, &without);
        const int64_t fall = without.unpaid - with.unpaid;
        assert_true(fall >= 0 && fall <= HR_TOTAL_WIDTH);
        most = fall > most ? fall : most;
    }
    assert_true(most == HR_TOTAL_WIDTH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums__are_plain_counts),
        cmocka_unit_test(test_sums__change_by_their_sensitivity_at_most),
        cmocka_unit_test(test_times__are_plain_counts),
        cmocka_unit_test(test_times__change_by_their_sensitivity_at_most),
        cmocka_unit_test(test_covered__are_the_outer_and_symmetric_intervals),
        cmocka_unit_test(test_quantiles__are_plain_counts),
        cmocka_unit_test(test_quantiles__change_by_their_sensitivity_at_most),
        cmocka_unit_test(test_totals__are_what_is_missed),
        cmocka_unit_test(test_totals__of_a_person_fall_by_their_width_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
