/* Statistics of nodes against sums over records in wide integers, and their sensitivities (impurity.proof.md)
 * by adding records: exhaustively where sets are small, and at random up to the largest. */
#include "privacy/sample.h"
#include "tables/schema/schema.h"
#include "tables/synth/generate.h"
#include "trees/stats/impurity.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { UNIT = 1 << HR_LABEL_BITS, CLASSES_MAX = 300 };

static const hr_labels numbers = {.classes = 0};

static int64_t square_unit(const hr_labels *labels) {
    return labels->classes ? 1 << HR_CLASS_BITS : 1;
}

/* ---- Labels ---- */

static hr_column class_column(size_t classes) {
    static char text[CLASSES_MAX][8];
    static const char *values[CLASSES_MAX];
    for (size_t k = 0; k < classes; k++) {
        snprintf(text[k], sizeof *text, "c%zu", k);
        values[k] = text[k];
    }
    return (hr_column){.name = "y", .kind = HR_KIND_CATEGORY, .value_count = classes, .values = values};
}

static hr_labels labels_from(hr_column label, const double *y, size_t rows) {
    const hr_column feature = {.name = "x", .kind = HR_KIND_NUMBER, .low = 0, .high = 1};
    double *x = calloc(rows, sizeof *x);
    assert_non_null(x);
    const double *columns[1] = {x};
    hr_schema *schema = NULL;
    hr_data *data = NULL;
    hr_labels labels;
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = &feature, .feature_count = 1}, &schema,
                       NULL),
        HR_OK);
    assert_int_equal(hr_data_from_arrays(schema, rows, columns, y, &data, NULL), HR_OK);
    assert_int_equal(hr_labels_of(data, &labels, NULL), HR_OK);
    hr_data_free(data);
    hr_schema_free(schema);
    free(x);
    return labels;
}

static void check_numbers(double low, double high) {
    enum { STEPS = 1000 };
    double y[STEPS + 1];
    for (int i = 0; i <= STEPS; i++) y[i] = low + (high - low) * ((double)i / STEPS);
    y[STEPS] = high;
    hr_labels labels =
        labels_from((hr_column){.name = "y", .kind = HR_KIND_NUMBER, .low = low, .high = high}, y, STEPS + 1);
    assert_true(labels.classes == 0 && hr_labels_width(&labels) == 2);
    for (int i = 0; i <= STEPS; i++) {
        long double exact = (2 * (((long double)y[i] - low) / ((long double)high - low)) - 1) * UNIT;
        assert_true(labels.values[i] >= -UNIT && labels.values[i] <= UNIT);
        assert_true(fabsl(labels.values[i] - exact) <= .5L + 1e-6L);
    }
    assert_true(labels.values[0] == -UNIT && labels.values[STEPS] == UNIT);
    hr_labels_done(&labels);
}

static void test_labels__map_numbers_to_whole_multiples_between_the_bounds(void **state) {
    (void)state;
    check_numbers(-1, 1);
    check_numbers(0, 1);
    check_numbers(-273.15, 5500);
    check_numbers(1e15, 1e15 + 4);
    check_numbers(-1e-300, 1e-300);
    check_numbers(-1e300, 1e300);
}

/* However a label came to be beyond its bounds, it weighs no more than one at a bound. */
static void test_labels__beyond_their_bounds_count_as_a_bound(void **state) {
    (void)state;
    const hr_column label = {.name = "y", .kind = HR_KIND_NUMBER, .low = -1, .high = 1},
                    feature = {.name = "x", .kind = HR_KIND_NUMBER, .high = 1};
    double x[2] = {0, 0}, y[2] = {0, 0};
    const double *columns[1] = {x};
    hr_schema *schema = NULL;
    hr_data *data = NULL;
    hr_labels labels;
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = &feature, .feature_count = 1}, &schema,
                       NULL),
        HR_OK);
    assert_int_equal(hr_data_from_arrays(schema, 2, columns, y, &data, NULL), HR_OK);
    double *kept = (double *)hr_data_labels(data);
    kept[0] = 50;
    kept[1] = -50;
    assert_int_equal(hr_labels_of(data, &labels, NULL), HR_OK);
    assert_true(labels.values[0] == UNIT && labels.values[1] == -UNIT);
    hr_labels_done(&labels);
    hr_data_free(data);
    hr_schema_free(schema);
}

static void test_labels__index_classes(void **state) {
    (void)state;
    static const size_t counts[] = {2, 3, 17, CLASSES_MAX};
    for (size_t c = 0; c < COUNT(counts); c++) {
        double y[2 * CLASSES_MAX];
        for (size_t i = 0; i < 2 * counts[c]; i++) y[i] = (double)(i * 7 % counts[c]);
        hr_labels labels = labels_from(class_column(counts[c]), y, 2 * counts[c]);
        assert_true(labels.classes == counts[c] && hr_labels_width(&labels) == counts[c]);
        for (size_t i = 0; i < 2 * counts[c]; i++) assert_true(labels.values[i] == (int32_t)y[i]);
        hr_labels_done(&labels);
    }
}

/* ---- Random nodes ---- */

enum { RECORDS = 400 };

/* Labels that are often at the ends, or all of one class. */
static void draw_labels(hr_dice *dice, hr_labels *labels, size_t count) {
    uint64_t kind = hr_dice_below(dice, 4);
    for (size_t i = 0; i < count; i++) {
        if (labels->classes)
            labels->values[i] = kind ? (int32_t)hr_dice_below(dice, kind < 3 ? labels->classes : 2) : 0;
        else
            labels->values[i] = kind == 0   ? UNIT
                                : kind == 1 ? (hr_dice_below(dice, 2) ? UNIT : -UNIT)
                                            : (int32_t)hr_dice_below(dice, 2 * UNIT + 1) - UNIT;
    }
}

static void check_sums(hr_dice *dice, const hr_labels *labels) {
    enum { NODES = 7 };
    uint32_t rows[RECORDS], node_of[RECORDS];
    size_t count = hr_dice_below(dice, RECORDS), width = hr_labels_width(labels);
    bool all = hr_dice_below(dice, 2);
    for (size_t i = 0; i < count; i++) {
        rows[i] = (uint32_t)hr_dice_below(dice, RECORDS);
        node_of[i] = (uint32_t)hr_dice_below(dice, NODES - 1); /* the last has none */
    }
    hr_exact stats[NODES * 5 + 1];
    int64_t wanted[NODES * 5] = {0};
    assert_true(width <= 5);
    memset(stats, 0x55, sizeof stats);
    hr_exact beyond = stats[NODES * width];
    hr_labels_sum(labels, all ? NULL : rows, node_of, count, NODES, stats);
    for (size_t i = 0; i < count; i++) {
        int32_t y = labels->values[all ? i : rows[i]];
        if (labels->classes) {
            wanted[node_of[i] * width + (size_t)y]++;
        } else {
            wanted[node_of[i] * 2] += y;
            wanted[node_of[i] * 2 + 1]++;
        }
    }
    for (size_t k = 0; k < NODES * width; k++) assert_true(stats[k].unpaid == wanted[k]);
    assert_true(stats[NODES * width].unpaid == beyond.unpaid);
}

static void test_sums__are_those_of_the_records(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 1);
    int32_t values[RECORDS];
    for (size_t classes = 0; classes <= 5; classes += classes ? 1 : 2)
        for (int i = 0; i < 50; i++) {
            hr_labels labels = {.values = values, .classes = classes};
            draw_labels(&dice, &labels, RECORDS);
            check_sums(&dice, &labels);
        }
}

/* n^2 times the squared distances of records from their mean: exact, and no formula of the code's. */
static hr_i128 scatter(const hr_labels *labels, const int32_t *y, size_t n) {
    hr_i128 sum = 0;
    int64_t total[CLASSES_MAX] = {0};
    for (size_t i = 0; i < n; i++) total[labels->classes ? (size_t)y[i] : 0] += labels->classes ? 1 : y[i];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < (labels->classes ? labels->classes : 1); k++) {
            hr_i128 label = labels->classes ? y[i] == (int32_t)k : y[i],
                    apart = label * (hr_i128)n - total[k];
            sum += apart * apart;
        }
    return sum * square_unit(labels);
}

/* U |y|^2 */
static int64_t square(const hr_labels *labels, int32_t y) {
    return labels->classes ? square_unit(labels) : (int64_t)y * y;
}

static hr_i128 squares(const hr_labels *labels, const int32_t *y, size_t n) {
    hr_i128 sum = 0;
    for (size_t i = 0; i < n; i++) sum += square(labels, y[i]);
    return sum;
}

static hr_i128 ceiling(hr_i128 a, hr_i128 b) {
    return a / b + (a % b > 0);
}

static hr_i128 error_of(const hr_labels *labels, const int32_t *y, size_t n) {
    return n ? ceiling(scatter(labels, y, n), (hr_i128)n * (hr_i128)n) : 0;
}

static void test_purity__is_all_squares_less_those_of_the_errors(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 2);
    int32_t values[RECORDS];
    static const size_t counts[] = {0, 2, 3, 9, CLASSES_MAX};
    for (size_t c = 0; c < COUNT(counts); c++)
        for (int i = 0; i < 60; i++) {
            hr_labels labels = {.values = values, .classes = counts[c]};
            size_t n = i < 8 ? (size_t)i : hr_dice_below(&dice, RECORDS / 4);
            draw_labels(&dice, &labels, n);
            hr_exact stat[CLASSES_MAX] = {{0}};
            for (size_t r = 0; r < n; r++) hr_labels_add(&labels, (uint32_t)r, stat);
            hr_i128 wanted = squares(&labels, values, n) - error_of(&labels, values, n);
            assert_true(hr_purity(&labels, stat) == wanted);
            if (!n) assert_true(hr_purity(&labels, stat) == 0);
        }
}

static void test_purity__is_exact_of_the_largest_sets(void **state) {
    (void)state;
    const int64_t n = UINT32_MAX;
    hr_exact same[2] = {{n * UNIT}, {n}}, opposite[2] = {{-n * UNIT}, {n}}, odd[2] = {{n * UNIT - 1}, {n}};
    assert_true(hr_purity(&numbers, same) == n * UNIT * UNIT &&
                hr_purity(&numbers, opposite) == n * UNIT * UNIT);
    assert_true(hr_purity(&numbers, odd) == n * UNIT * UNIT - 2 * UNIT); /* and 1/n: rounded down */
    hr_labels two = {.classes = 2};
    hr_exact one[2] = {{0}, {n}}, halves[2] = {{n / 2}, {n - n / 2}};
    assert_true(hr_purity(&two, one) == n << HR_CLASS_BITS);
    hr_i128 squared = (hr_i128)(n / 2) * (n / 2) + (hr_i128)(n - n / 2) * (n - n / 2);
    assert_true(hr_purity(&two, halves) == (int64_t)((squared << HR_CLASS_BITS) / n));
}

/* ---- Weighted records ---- */

enum { PERSON_BINS = 255 };

/* Of weighted statistics, in units of hr_purity; the sums of numbers are finer than their weights. */
static long double purity_of_weighted(const hr_labels *labels, const hr_exact *stat) {
    const long double person = HR_PERSON_UNIT, unit = labels->classes ? 1 << HR_CLASS_BITS : UNIT * UNIT;
    long double squares = 0, all = 0;
    for (size_t k = 0; k < labels->classes; k++) {
        squares += powl((long double)stat[k].unpaid / person, 2);
        all += (long double)stat[k].unpaid / person;
    }
    if (!labels->classes) {
        squares = powl((long double)stat[0].unpaid / ((long double)UNIT * (1 << HR_PERSON_FINE_BITS)), 2);
        all = (long double)stat[1].unpaid / person;
    }
    return all > 0 ? unit * squares / all : 0;
}

/* One rounding of the sum, not one of every bin. */
static void test_weighted__purity_is_rounded_once_for_all_bins(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 12);
    for (int i = 0; i < 400; i++) {
        const hr_labels labels = {.classes = (size_t)(i % 2) * 3, .unit = HR_PER_PERSON};
        const size_t width = hr_labels_width(&labels), bins = 1 + hr_dice_below(&dice, PERSON_BINS);
        hr_exact stats[PERSON_BINS * 3];
        long double wanted = 0;
        for (size_t b = 0; b < bins; b++) {
            hr_exact *stat = stats + b * width;
            for (size_t k = 0; k < width; k++) stat[k].unpaid = (int64_t)hr_dice_below(&dice, 1 << 18);
            if (!labels.classes)
                stat[0].unpaid =
                    (int64_t)hr_dice_below(&dice, 8 * (uint64_t)stat[1].unpaid + 1) - 4 * stat[1].unpaid;
            wanted += purity_of_weighted(&labels, stat);
        }
        const long double off = wanted - (long double)hr_bins_score(&labels, bins, stats).unpaid;
        if (!(off > -1e-6L && off < 1 + (long double)bins / HR_PERSON_UNIT)) fail_msg("off by %Lg", off);
    }
}

static void test_weighted__purity_has_room_for_the_largest_sets(void **state) {
    (void)state;
    const hr_labels two = {.classes = 2, .unit = HR_PER_PERSON}, number = {.unit = HR_PER_PERSON};
    const int64_t persons = INT32_MAX, n = persons * HR_PERSON_UNIT;
    hr_exact one_class[2] = {{0}, {n}}, lowest[2] = {{-4 * n}, {n}};
    assert_true(hr_purity(&two, one_class) == persons << HR_CLASS_BITS);
    assert_true(hr_purity(&number, lowest) == persons * UNIT * UNIT);
}

/* Weighted squares, in whole units: of records that are alike the score of a division is 0. */
static void test_weighted__division_of_equal_labels_has_no_error(void **state) {
    (void)state;
    enum { ROWS = 40 };
    int32_t values[ROWS];
    uint32_t weights[ROWS], rows[ROWS];
    uint8_t left[ROWS];
    for (uint32_t i = 0; i < ROWS; i++)
        values[i] = UNIT, weights[i] = HR_PERSON_UNIT / (1 + i % 4), rows[i] = i, left[i] = i % 3 == 0;
    for (size_t classes = 0; classes <= 2; classes += 2) {
        hr_labels labels = {.values = values, .classes = classes, .weights = weights, .unit = HR_PER_PERSON};
        hr_exact sides[5];
        if (classes) memset(values, 0, sizeof values);
        hr_sides_sum(&labels, rows, left, ROWS, sides);
        const int64_t score = hr_division_score(&labels, sides).unpaid;
        if (score > 0 || score < -1) fail_msg("%zu classes: %lld", classes, (long long)score);
    }
}

/* ---- The width ---- */

/* How near changes came to the ends of [U|y|^2 - W, U|y|^2]: 0 is there. */
typedef struct ends {
    int64_t lowest, highest;
} ends;

static void check_added(const hr_labels *labels, const hr_exact *stat, int32_t y, ends *seen) {
    hr_exact with[CLASSES_MAX];
    memcpy(with, stat, hr_labels_width(labels) * sizeof *with);
    hr_labels_add(&(hr_labels){.values = &y, .classes = labels->classes}, 0, with);
    int64_t change = hr_purity(labels, with) - hr_purity(labels, stat),
            width = (int64_t)hr_purity_width(labels, 1);
    int64_t above = change - (square(labels, y) - width), below = square(labels, y) - change;
    if (above < 0 || below < 0)
        fail_msg("a record of %d: %lld above, %lld below", y, (long long)above, (long long)below);
    seen->lowest = above < seen->lowest ? above : seen->lowest;
    seen->highest = below < seen->highest ? below : seen->highest;
}

static void assert_reached(const hr_labels *labels, const ends *seen) {
    if (seen->highest != 0 || (double)seen->lowest > 1e-5 * (double)hr_purity_width(labels, 1))
        fail_msg("%zu classes: nearest to the ends %lld, %lld", labels->classes, (long long)seen->lowest,
                 (long long)seen->highest);
}

/* Log-uniform below 2^31. */
static int64_t any_size(hr_dice *dice) {
    return (int64_t)exp(21.4 * hr_dice_unit(dice));
}

static void test_width__holds_for_numbers_and_is_needed(void **state) {
    (void)state;
    static const int32_t ys[] = {-UNIT, -UNIT + 1, -UNIT / 2, -1, 0, 1, 3, UNIT / 3, UNIT - 1, UNIT};
    ends seen = {INT64_MAX, INT64_MAX};
    assert_true(hr_purity_width(&numbers, 1) == (uint64_t)4 << 24);
    for (int64_t n = 0; n <= 12; n++) /* all sums of few records, some in steps */
        for (int64_t sum = -n * UNIT; sum <= n * UNIT; sum += n < 2 ? 1 : 61)
            for (size_t k = 0; k < COUNT(ys); k++)
                check_added(&numbers, (hr_exact[2]){{sum}, {n}}, ys[k], &seen);
    hr_dice dice;
    hr_dice_init(&dice, 3);
    for (int i = 0; i < 400000; i++) {
        int64_t n = any_size(&dice), most = n * UNIT,
                sum = (int64_t)((2 * hr_dice_unit(&dice) - 1) * (double)most);
        if (hr_dice_below(&dice, 3)) sum = hr_dice_below(&dice, 2) ? most : -most;
        if (hr_dice_below(&dice, 2)) sum += (sum < 0) - (sum > 0);
        int32_t y = hr_dice_below(&dice, 2) ? ys[hr_dice_below(&dice, COUNT(ys))]
                                            : (int32_t)hr_dice_below(&dice, 2 * UNIT + 1) - UNIT;
        check_added(&numbers, (hr_exact[2]){{sum}, {n}}, y, &seen);
    }
    assert_reached(&numbers, &seen);
}

static void test_width__holds_for_classes_and_is_needed(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 4);
    for (size_t classes = 2; classes <= 5; classes++) {
        hr_labels labels = {.values = NULL, .classes = classes};
        ends seen = {INT64_MAX, INT64_MAX};
        assert_true(hr_purity_width(&labels, 1) == (uint64_t)2 << 20);
        for (uint64_t code = 0; code < UINT64_C(1) << (3 * classes); code++) { /* all counts up to 7 */
            hr_exact stat[5];
            for (size_t k = 0; k < classes; k++) stat[k].unpaid = (int64_t)(code >> (3 * k) & 7);
            for (size_t k = 0; k < classes; k++) check_added(&labels, stat, (int32_t)k, &seen);
        }
        for (int i = 0; i < 100000; i++) {
            hr_exact stat[5];
            for (size_t k = 0; k < classes; k++)
                stat[k].unpaid = hr_dice_below(&dice, 2) ? any_size(&dice) / 4 : 0;
            check_added(&labels, stat, (int32_t)hr_dice_below(&dice, classes), &seen);
        }
        assert_reached(&labels, &seen);
    }
}

/* ---- Divisions ---- */

typedef struct division {
    size_t count;
    uint32_t rows[RECORDS + 1];
    uint8_t left[RECORDS + 1];
} division;

/* Records of a node, once each, in any order; sides that may be empty. */
static void draw_division(hr_dice *dice, division *d) {
    uint64_t sides = hr_dice_below(dice, 4);
    d->count = hr_dice_below(dice, 3) ? hr_dice_below(dice, RECORDS) : hr_dice_below(dice, 6);
    for (uint32_t i = 0; i < RECORDS; i++) d->rows[i] = i;
    for (size_t i = RECORDS - 1; i > 0; i--) {
        size_t j = hr_dice_below(dice, i + 1);
        uint32_t kept = d->rows[i];
        d->rows[i] = d->rows[j], d->rows[j] = kept;
    }
    for (size_t i = 0; i <= RECORDS; i++)
        d->left[i] = sides == 0 ? 0 : sides == 1 ? 1 : (uint8_t)hr_dice_below(dice, 2);
}

static int64_t score_of(const hr_labels *labels, const division *d, size_t count) {
    hr_exact sides[2 * 5 + 1];
    assert_true(hr_labels_width(labels) <= 5);
    hr_sides_sum(labels, d->rows, d->left, count, sides);
    return hr_division_score(labels, sides).unpaid;
}

static hr_i128 plain_errors(const hr_labels *labels, const division *d) {
    hr_i128 sum = 0;
    for (int side = 0; side < 2; side++) {
        int32_t y[RECORDS];
        size_t n = 0;
        for (size_t i = 0; i < d->count; i++)
            if (d->left[i] == side) y[n++] = labels->values[d->rows[i]];
        sum += error_of(labels, y, n);
    }
    return sum;
}

static void test_division_score__is_minus_the_squared_errors(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 5);
    int32_t values[RECORDS + 1];
    for (size_t classes = 0; classes <= 5; classes += classes ? 1 : 2)
        for (int i = 0; i < 100; i++) {
            hr_labels labels = {.values = values, .classes = classes};
            division d;
            draw_labels(&dice, &labels, RECORDS + 1);
            draw_division(&dice, &d);
            hr_i128 wanted = -plain_errors(&labels, &d);
            assert_true(score_of(&labels, &d, d.count) == wanted);
            hr_exact sides[2 * 5 + 1];
            hr_sides_sum(&labels, d.rows, d.left, d.count, sides);
            double mean = (double)hr_division_score_per_record(&labels, sides).unpaid;
            assert_true(d.count ? fabs(mean - (double)wanted / (double)d.count) <= 1 : mean == 0);
        }
}

/* Any last record joins the side that its division says: the score falls by something from 0 to the width. */
static void test_division_score__falls_by_at_most_the_width(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 6);
    int32_t values[RECORDS + 1];
    for (size_t classes = 0; classes <= 5; classes += classes ? 1 : 2) {
        hr_labels labels = {.values = values, .classes = classes};
        int64_t width = (int64_t)hr_purity_width(&labels, 1), most = 0, least = width;
        for (int i = 0; i < 4000; i++) {
            division d;
            draw_labels(&dice, &labels, RECORDS + 1);
            draw_division(&dice, &d);
            d.rows[d.count] = RECORDS;
            if (!classes && hr_dice_below(&dice, 2)) values[RECORDS] = -UNIT;
            if (classes && hr_dice_below(&dice, 2)) values[RECORDS] = (int32_t)classes - 1;
            int64_t fall = score_of(&labels, &d, d.count) - score_of(&labels, &d, d.count + 1);
            assert_true(fall >= 0 && fall <= width);
            most = fall > most ? fall : most;
            least = fall < least ? fall : least;
        }
        assert_true(least == 0 && (double)most > .99 * (double)width);
    }
}

/* ---- Bins ---- */

enum { BINS = 9 };

/* Scores of a node's records, and of one more. */
static void score_bins(hr_dice *dice, const hr_labels *labels, int64_t scores[2], hr_i128 *wanted) {
    division d;
    uint8_t bins[RECORDS + 1];
    hr_exact stats[BINS * 5];
    uint64_t used = 1 + hr_dice_below(dice, BINS);
    draw_division(dice, &d);
    d.rows[d.count] = RECORDS;
    for (size_t i = 0; i <= RECORDS; i++) bins[i] = (uint8_t)hr_dice_below(dice, used);
    if (hr_dice_below(dice, 2)) bins[RECORDS] = BINS - 1;
    for (size_t k = 0; k < 2; k++) {
        hr_bins_sum(labels, bins, BINS, d.rows, d.count + k, stats);
        scores[k] = hr_bins_score(labels, BINS, stats).unpaid;
    }
    *wanted = 0;
    for (size_t b = 0; b < BINS; b++) {
        int32_t y[RECORDS];
        size_t n = 0;
        for (size_t i = 0; i < d.count; i++)
            if (bins[d.rows[i]] == b) y[n++] = labels->values[d.rows[i]];
        *wanted += squares(labels, y, n) - error_of(labels, y, n);
    }
}

static void test_bins_score__is_the_purity_of_all_bins_and_as_wide_as_one(void **state) {
    (void)state;
    hr_dice dice;
    hr_dice_init(&dice, 7);
    int32_t values[RECORDS + 1];
    for (size_t classes = 0; classes <= 5; classes += classes ? 1 : 2) {
        hr_labels labels = {.values = values, .classes = classes};
        ends seen = {INT64_MAX, INT64_MAX};
        int64_t width = (int64_t)hr_purity_width(&labels, 1), scores[2];
        for (int i = 0; i < 4000; i++) {
            hr_i128 wanted;
            draw_labels(&dice, &labels, RECORDS + 1);
            if (hr_dice_below(&dice, 2)) values[RECORDS] = classes ? (int32_t)classes - 1 : -UNIT;
            score_bins(&dice, &labels, scores, &wanted);
            assert_true(scores[0] == wanted);
            int64_t below = square(&labels, values[RECORDS]) - (scores[1] - scores[0]), above = width - below;
            assert_true(above >= 0 && below >= 0);
            seen.lowest = above < seen.lowest ? above : seen.lowest;
            seen.highest = below < seen.highest ? below : seen.highest;
        }
        assert_true(seen.highest == 0 && (double)seen.lowest < .01 * (double)width);
    }
}

/* ---- Leaves ---- */

static void test_leaves__hold_counts_of_classes_leaf_by_leaf(void **state) {
    (void)state;
    int32_t values[] = {2, 0, 1, 1, 2, 1};
    const uint32_t rows[] = {5, 0, 2, 3, 4}, leaf_of[] = {2, 0, 2, 2, 0};
    hr_labels labels = {.values = values, .classes = 3};
    hr_exact stats[3 * 3], counts[3 * 3 + 1] = {[9] = {77}};
    hr_labels_sum(&labels, rows, leaf_of, 5, 3, stats);
    hr_labels_of_leaves(&labels, stats, 3, NULL, counts);
    static const int64_t wanted[] = {0, 0, 2, 0, 0, 0, 0, 3, 0};
    for (size_t i = 0; i < 9; i++) assert_true(counts[i].unpaid == HR_COUNT_UNIT * wanted[i]);
    assert_true(counts[9].unpaid == 77);
}

static void test_leaves__hold_sums_and_counts_of_numbers(void **state) {
    (void)state;
    int32_t values[] = {UNIT, -UNIT, 5, 7, -1, 100};
    const uint32_t rows[] = {5, 0, 2, 3, 4}, leaf_of[] = {2, 0, 2, 2, 0};
    hr_labels labels = {.values = values, .classes = 0};
    hr_exact stats[3 * 2], sums[4] = {[3] = {77}}, counts[4] = {[3] = {78}};
    hr_labels_sum(&labels, rows, leaf_of, 5, 3, stats);
    hr_labels_of_leaves(&labels, stats, 3, sums, counts);
    assert_true(sums[0].unpaid == UNIT - 1 && sums[1].unpaid == 0 && sums[2].unpaid == 112 &&
                sums[3].unpaid == 77);
    assert_true(counts[0].unpaid == 2 * HR_COUNT_UNIT && counts[1].unpaid == 0 &&
                counts[2].unpaid == 3 * HR_COUNT_UNIT);
    assert_true(counts[3].unpaid == 78);
}

/* `sum` is in units of 2^-12, `count` in those of the leaves. */
static void test_published_mean__is_clipped_and_undefined_of_nothing(void **state) {
    (void)state;
    static const struct {
        int64_t sum, records;
    } cases[] = {{UNIT, 2}, {-3, 7}, {1, 1000000}, {UNIT, 1}, {-UNIT, 1}, {0, 3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        double wanted = (double)cases[i].sum / UNIT / (double)cases[i].records;
        double mean =
            hr_mean_as_published((hr_noisy){cases[i].sum}, (hr_exact){cases[i].records * HR_COUNT_UNIT});
        assert_true(fabs(mean - wanted) <= 1e-15);
    }
    const hr_exact one = {HR_COUNT_UNIT}, many = {(int64_t)UINT32_MAX * HR_COUNT_UNIT};
    assert_true(hr_mean_as_published((hr_noisy){UNIT + 1}, one) == 1 &&
                hr_mean_as_published((hr_noisy){-UNIT - 1}, one) == -1);
    assert_true(hr_mean_as_published((hr_noisy){(int64_t)1 << 61}, many) == 1);
    assert_true(hr_mean_as_published((hr_noisy){-((int64_t)1 << 61)}, one) == -1);
    assert_true(isnan(hr_mean_as_published((hr_noisy){5}, (hr_exact){0})));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels__map_numbers_to_whole_multiples_between_the_bounds),
        cmocka_unit_test(test_labels__index_classes),
        cmocka_unit_test(test_labels__beyond_their_bounds_count_as_a_bound),
        cmocka_unit_test(test_sums__are_those_of_the_records),
        cmocka_unit_test(test_purity__is_all_squares_less_those_of_the_errors),
        cmocka_unit_test(test_purity__is_exact_of_the_largest_sets),
        cmocka_unit_test(test_weighted__purity_is_rounded_once_for_all_bins),
        cmocka_unit_test(test_weighted__purity_has_room_for_the_largest_sets),
        cmocka_unit_test(test_weighted__division_of_equal_labels_has_no_error),
        cmocka_unit_test(test_width__holds_for_numbers_and_is_needed),
        cmocka_unit_test(test_width__holds_for_classes_and_is_needed),
        cmocka_unit_test(test_division_score__is_minus_the_squared_errors),
        cmocka_unit_test(test_division_score__falls_by_at_most_the_width),
        cmocka_unit_test(test_bins_score__is_the_purity_of_all_bins_and_as_wide_as_one),
        cmocka_unit_test(test_leaves__hold_counts_of_classes_leaf_by_leaf),
        cmocka_unit_test(test_leaves__hold_sums_and_counts_of_numbers),
        cmocka_unit_test(test_published_mean__is_clipped_and_undefined_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
