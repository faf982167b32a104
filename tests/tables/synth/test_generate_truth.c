/* Generated tables follow the laws that their documentation states. The seeds are fixed; under other seeds
 * each of these two-sided tests would raise a false alarm once in a million (|z| < 4.892). */
#include "tables/synth/generate.h"

#include <hedgerow/generate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double alarm = 4.892;

enum { CELLS = 24, CELL_SIZE = 20 };

/* A row at a time, as texts. */
typedef struct table {
    char *bytes, *rest;
    size_t columns;
    char cell[CELLS][CELL_SIZE];
} table;

static bool collect(void *user, const char *bytes, size_t size) {
    hr_buffer_add(user, bytes, size);
    return true;
}

static bool next_row(table *t) {
    if (!*t->rest) return false;
    t->columns = 0;
    for (bool end = false; !end; t->columns++) {
        size_t length = strcspn(t->rest, ",\n");
        end = t->rest[length] == '\n';
        assert_true(t->columns < CELLS && length < CELL_SIZE);
        memcpy(t->cell[t->columns], t->rest, length);
        t->cell[t->columns][length] = '\0';
        t->rest += length + 1;
    }
    return true;
}

static table generate(const hr_generate_options *options) {
    table t = {0};
    hr_buffer buffer = {0};
    assert_int_equal(hr_generate(options, collect, &buffer, NULL), HR_OK);
    assert_int_equal(hr_buffer_take(&buffer, &t.bytes, NULL), HR_OK);
    t.rest = t.bytes;
    assert_true(next_row(&t));
    return t;
}

static double number(const table *t, size_t column) {
    return strtod(t->cell[column], NULL);
}

static void check_share(double count, double all, double share) {
    double z = (count - all * share) / sqrt(all * share * (1 - share));
    if (fabs(z) > alarm) fail_msg("%g of %g are not a share of %g: z = %g", count, all, share, z);
}

static void test_normal__has_its_moments(void **state) {
    (void)state;
    enum { N = 1000000 };
    hr_dice dice;
    hr_dice_init(&dice, 11);
    double one = 0, two = 0, four = 0, beyond = 0;
    for (int i = 0; i < N; i++) {
        double z = hr_dice_normal(&dice);
        assert_true(z >= -6 && z <= 6);
        one += z;
        two += z * z;
        four += z * z * z * z;
        beyond += z > 1;
    }
    /* Of a sum of twelve uniform numbers: E z^4 = 2.9, E z^8 = 85.63; Pr(z > 1) by Irwin and Hall's formula.
     */
    assert_true(fabs(one) < alarm * sqrt(N));
    assert_true(fabs(two - N) < alarm * sqrt(1.9 * N));
    assert_true(fabs(four - 2.9 * N) < alarm * sqrt((85.63 - 2.9 * 2.9) * N));
    check_share(beyond, N, 0.1607270);
}

static void test_unit_and_below__are_uniform(void **state) {
    (void)state;
    enum { N = 700000 };
    hr_dice dice;
    hr_dice_init(&dice, 12);
    double sum = 0, counts[7] = {0};
    for (int i = 0; i < N; i++) {
        double u = hr_dice_unit(&dice);
        assert_true(u >= 0 && u < 1);
        sum += u - 0.5;
        counts[hr_dice_below(&dice, 7)]++;
    }
    assert_true(fabs(sum) < alarm * sqrt(N / 12.0));
    for (int k = 0; k < 7; k++) check_share(counts[k], N, 1 / 7.0);
}

/* ---- The hospital, as docs/reference/hospital.md says ---- */

enum column {
    AGE,
    SEX,
    WARD,
    ADMISSION,
    DAYS,
    PRIOR,
    CHARLSON,
    MEDICATIONS,
    SYSTOLIC,
    HEART_RATE,
    CREATININE,
    HAEMOGLOBIN,
    SODIUM,
    HBA1C,
    BMI,
    SMOKER,
    DISCHARGE,
    READMITTED,
    FOLLOWED = READMITTED, /* of times */
    COLUMNS,
    EVENT = COLUMNS
};

static bool is(const table *t, enum column column, const char *value) {
    return strcmp(t->cell[column], value) == 0;
}

static double points_of(const table *t) {
    double age = number(t, AGE), days = number(t, DAYS), charlson = number(t, CHARLSON),
           haemoglobin = number(t, HAEMOGLOBIN);
    double systolic = number(t, SYSTOLIC), bmi = number(t, BMI),
           points = 0.9 * fmin(number(t, PRIOR), 5) + 0.35 * fmin(charlson, 8);
    points += 0.03 * fmax(age - 70, 0);
    points += haemoglobin < 10 ? 1.6 : haemoglobin < 12 ? 0.8 : 0;
    points += number(t, SODIUM) < 135 ? 0.7 : 0;
    points += systolic < 105 ? 0.8 : systolic > 175 ? 0.5 : 0;
    points += number(t, HEART_RATE) > 100 ? 0.5 : 0;
    points += number(t, HBA1C) > 8 ? 0.7 : 0;
    points += bmi < 20 ? 0.6 : bmi > 37 ? 0.4 : 0;
    points += is(t, ADMISSION, "emergency") ? 0.12 * fmin(days, 14) : 0;
    points += number(t, CREATININE) > 1.5 ? (age > 75 ? 1.6 : 0.8) : 0;
    points += is(t, SMOKER, "current") && is(t, WARD, "cardiology") ? 1.2 : 0;
    points += is(t, WARD, "oncology") && haemoglobin < 11 ? 0.8 : 0;
    points += number(t, MEDICATIONS) >= 10 && is(t, DISCHARGE, "home") ? 1.0 : 0;
    points += is(t, DISCHARGE, "home") && charlson >= 5 ? 1.0 : 0;
    return points - (is(t, DISCHARGE, "rehabilitation") ? 0.8 : 0);
}

static bool complete(const table *t) {
    for (int i = 0; i < COLUMNS; i++)
        if (!t->cell[i][0]) return false;
    return true;
}

/* Which slice of its column a cell belongs to: an integer's own, or any of its own for the word of a
 * category. */
static size_t slice_of(const char *cell) {
    if (strchr("0123456789", cell[0])) return (size_t)strtod(cell, NULL);
    size_t sum = 0;
    for (; *cell; cell++) sum = sum * 31 + (unsigned char)*cell;
    return sum % 256;
}

typedef struct slice {
    double rows, excess, variance;
} slice;

static void add_row(slice *to, double yes, double p) {
    to->rows++;
    to->excess += yes - p;
    to->variance += p * (1 - p);
}

/* Among rows without holes, and in every slice of every column and of the points, readmissions are as many as
 * the formula says. (The sum of twelve uniform numbers differs from a normal one by less than 0.0024 in
 * probability: that much is allowed on top.) */
static void test_hospital__follows_its_formula(void **state) {
    (void)state;
    hr_generate_options options;
    hr_generate_options_init(&options, HR_GENERATE_HOSPITAL);
    options.rows = 200000;
    options.seed = 13;
    static slice slices[COLUMNS][256];
    table t = generate(&options);
    assert_int_equal(t.columns, COLUMNS);
    while (next_row(&t)) {
        if (!complete(&t)) continue;
        double points = points_of(&t), p = 0.5 * erfc((4.6 - points) / 1.2 / sqrt(2)),
               yes = is(&t, READMITTED, "yes");
        for (int i = 0; i < READMITTED; i++) add_row(&slices[i][slice_of(t.cell[i])], yes, p);
        add_row(&slices[READMITTED][(size_t)fmax(points + 1, 0)], yes, p);
    }
    for (int i = 0; i < COLUMNS; i++) {
        for (int k = 0; k < 256; k++) {
            const slice *s = &slices[i][k];
            if (s->variance < 10) continue; /* too few for a normal approximation */
            if (fabs(s->excess) > alarm * sqrt(s->variance) + 0.0024 * s->rows)
                fail_msg("column %d, slice %d: %g", i, k, s->excess);
        }
    }
    assert_true(slices[READMITTED][5].rows > 1000);
    free(t.bytes);
}

static void test_hospital__has_the_documented_shares(void **state) {
    (void)state;
    hr_generate_options options;
    hr_generate_options_init(&options, HR_GENERATE_HOSPITAL);
    options.rows = 100000;
    options.seed = 14;
    double yes = 0, emergencies = 0, smokers = 0, no_bmi[2] = {0}, no_blood[2] = {0}, no_creatinine[2] = {0},
           no_hba1c = 0, no_smoker = 0;
    table t = generate(&options);
    while (next_row(&t)) {
        int emergency = is(&t, ADMISSION, "emergency");
        emergencies += emergency;
        yes += is(&t, READMITTED, "yes");
        smokers += is(&t, SMOKER, "current");
        no_smoker += is(&t, SMOKER, "");
        no_bmi[emergency] += is(&t, BMI, "");
        no_blood[emergency] += is(&t, SODIUM, "");
        no_creatinine[emergency] += is(&t, CREATININE, "");
        no_hba1c += is(&t, HBA1C, "");
        assert_int_equal(is(&t, SODIUM, ""), is(&t, HAEMOGLOBIN, ""));
    }
    double all = (double)options.rows, others = all - emergencies;
    assert_true(yes > 0.15 * all && yes < 0.25 * all);
    check_share(no_bmi[1], emergencies, 0.25);
    check_share(no_bmi[0], others, 0.05);
    check_share(no_blood[1], emergencies, 0.01);
    check_share(no_blood[0], others, 0.06);
    check_share(no_creatinine[1], emergencies, 0.02);
    check_share(no_creatinine[0], others, 0.09);
    check_share(no_smoker, all, 0.2 * 0.15 + 0.8 * 0.05);
    check_share(smokers, all, 0.2 * 0.85);
    assert_true(no_hba1c > 0.6 * all && no_hba1c < 0.7 * all);
    free(t.bytes);
}

/* ---- Times until the readmission, as the same page says ---- */

enum { DAYS_MOST = 730 };

static table generate_times(uint64_t rows, uint64_t seed) {
    hr_generate_options options;
    hr_generate_options_init(&options, HR_GENERATE_HOSPITAL);
    options.rows = rows;
    options.seed = seed;
    options.times = 1;
    return generate(&options);
}

/* That the patients do not depend on what is asked of them. */
static void test_hospital_times__are_of_the_same_patients(void **state) {
    (void)state;
    hr_generate_options options;
    hr_generate_options_init(&options, HR_GENERATE_HOSPITAL);
    options.rows = 1000;
    options.seed = 15;
    table t = generate_times(1000, 15), plain = generate(&options);
    assert_string_equal(t.cell[FOLLOWED], "followed");
    assert_string_equal(t.cell[EVENT], "readmitted");
    while (next_row(&t)) {
        assert_true(next_row(&plain));
        assert_int_equal(t.columns, plain.columns + 1);
        for (int i = 0; i < READMITTED; i++) assert_string_equal(t.cell[i], plain.cell[i]);
        const double days = number(&t, FOLLOWED);
        assert_true(days >= 1 && days <= DAYS_MOST && days == floor(days));
        assert_true(is(&t, EVENT, "0") || is(&t, EVENT, "1"));
    }
    free(t.bytes);
    free(plain.bytes);
}

static void add_day(slice *to, bool came, double hazard) {
    to->excess += came - hazard;
    to->variance += hazard * (1 - hazard);
}

static void check_slices(const slice *slices, size_t count, size_t needed) {
    size_t checked = 0;
    for (size_t k = 0; k < count; k++) {
        if (slices[k].variance < 25) continue; /* too few for a normal approximation */
        checked++;
        if (fabs(slices[k].excess) > alarm * sqrt(slices[k].variance))
            fail_msg("slice %zu: %g, deviation %g", k, slices[k].excess, sqrt(slices[k].variance));
    }
    if (checked < needed) fail_msg("%zu slices", checked);
}

/* Of days on which a patient may be readmitted, as many bring it as the hazard says: early and late, for
 * emergencies and others, by points. */
static void test_hospital_times__have_the_hazard_of_readmissions(void **state) {
    (void)state;
    enum { POINTS = 31 };
    static slice slices[4 * (POINTS + 1)]; /* the last: of any points */
    table t = generate_times(200000, 16);
    while (next_row(&t)) {
        if (!complete(&t)) continue;
        const double points = points_of(&t), r = 1 + fmax(points, 0);
        const int days = (int)number(&t, FOLLOWED), emergency = is(&t, ADMISSION, "emergency");
        for (int d = 1; d <= days; d++) {
            const double hazard = 0.00006 * r * r * (d > 30 ? 1 : emergency ? 4 : 2);
            const size_t when = (size_t)(d > 30) * 2 + (size_t)emergency;
            const bool came = d == days && is(&t, EVENT, "1");
            add_day(&slices[(size_t)fmax(points, 0) * 4 + when], came, hazard);
            add_day(&slices[(size_t)POINTS * 4 + when], came, hazard);
        }
    }
    check_slices(slices, sizeof slices / sizeof *slices, 20);
    free(t.bytes);
}

/* A day on which the patient is readmitted is none on which the follow-up may end. */
static void test_hospital_times__have_the_hazard_of_ends(void **state) {
    (void)state;
    static slice slices[4 * 16];
    table t = generate_times(100000, 17);
    while (next_row(&t)) {
        const int event = is(&t, EVENT, "1"), days = (int)number(&t, FOLLOWED) - event,
                  nursed = is(&t, DISCHARGE, "nursing_home");
        const double charlson = number(&t, CHARLSON), away = 0.0002 * (1 + charlson) + (nursed ? 0.001 : 0);
        for (int d = 1; d <= days; d++) {
            const double study = d < 30 ? 0 : 1. / (DAYS_MOST - d + 1);
            add_day(&slices[(size_t)charlson * 4 + (size_t)nursed * 2 + (size_t)(d >= 30)],
                    d == days && !event, 1 - (1 - away) * (1 - study));
        }
    }
    check_slices(slices, sizeof slices / sizeof *slices, 20);
    free(t.bytes);
}

/* ---- The classic tables ---- */

static void test_friedman1__is_its_formula(void **state) {
    (void)state;
    hr_generate_options options;
    hr_generate_options_init(&options, HR_GENERATE_FRIEDMAN1);
    options.noise = 0;
    table t = generate(&options);
    const double pi = acos(-1);
    while (next_row(&t)) {
        double third = number(&t, 2) - 0.5;
        double y = 10 * sin(pi * number(&t, 0) * number(&t, 1)) + 20 * third * third + 10 * number(&t, 3) +
                   5 * number(&t, 4);
        assert_true(fabs(y - number(&t, t.columns - 1)) < 0.5001e-4);
    }
    free(t.bytes);
}

static void test_friedman1__has_the_noise_that_was_asked_for(void **state) {
    (void)state;
    hr_generate_options options;
    hr_generate_options_init(&options, HR_GENERATE_FRIEDMAN1);
    options.noise = 2;
    table t = generate(&options);
    const double pi = acos(-1), n = (double)options.rows;
    double one = 0, two = 0;
    while (next_row(&t)) {
        double third = number(&t, 2) - 0.5;
        double y = 10 * sin(pi * number(&t, 0) * number(&t, 1)) + 20 * third * third + 10 * number(&t, 3) +
                   5 * number(&t, 4);
        double z = (number(&t, t.columns - 1) - y) / 2;
        one += z;
        two += z * z;
    }
    assert_true(fabs(one) < alarm * sqrt(n));
    assert_true(fabs(two - n) < alarm * sqrt(1.9 * n));
    free(t.bytes);
}

static void test_regression__weighs_informative_features_alone(void **state) {
    (void)state;
    hr_generate_options options;
    hr_generate_options_init(&options, HR_GENERATE_REGRESSION);
    options.features = 3;
    options.informative = 1;
    options.noise = 0;
    table t = generate(&options);
    double weight = 0;
    for (int i = 0; next_row(&t); i++) {
        double x = number(&t, 0), y = number(&t, 3);
        if (fabs(x) > 1 && weight == 0)
            weight = y / x;
        else if (weight > 0 && fabs(y) < 4 * weight)
            assert_true(fabs(y - weight * x) < 1e-3);
    }
    assert_true(weight > 0 && weight < 100);
    free(t.bytes);
}

/* Labels are equally frequent; without flips every class keeps to its two corners, so that means differ by
 * class, and with all labels flipped they do not. */
static void check_classes(double noise, bool apart) {
    hr_generate_options options;
    hr_generate_options_init(&options, HR_GENERATE_CLASSIFICATION);
    options.features = 4;
    options.informative = 3;
    options.noise = noise;
    options.seed = 3;
    table t = generate(&options);
    double counts[2] = {0}, sums[2][3] = {{0}}, squares[3] = {0};
    while (next_row(&t)) {
        int label = t.cell[4][0] - '0';
        counts[label]++;
        for (int i = 0; i < 3; i++) {
            sums[label][i] += number(&t, (size_t)i);
            squares[i] += number(&t, (size_t)i) * number(&t, (size_t)i);
        }
    }
    check_share(counts[1], (double)options.rows, 0.5);
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        double z = (sums[1][i] / counts[1] - sums[0][i] / counts[0]) /
                   sqrt(squares[i] / (double)options.rows * (1 / counts[0] + 1 / counts[1]));
        largest = fmax(largest, fabs(z));
    }
    assert_int_equal(largest > 5 * alarm, apart);
    assert_int_equal(largest > alarm, apart);
    free(t.bytes);
}

static void test_classification__ties_labels_to_corners(void **state) {
    (void)state;
    check_classes(0, true);
    check_classes(1, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal__has_its_moments),
        cmocka_unit_test(test_unit_and_below__are_uniform),
        cmocka_unit_test(test_hospital__follows_its_formula),
        cmocka_unit_test(test_hospital__has_the_documented_shares),
        cmocka_unit_test(test_hospital_times__are_of_the_same_patients),
        cmocka_unit_test(test_hospital_times__have_the_hazard_of_readmissions),
        cmocka_unit_test(test_hospital_times__have_the_hazard_of_ends),
        cmocka_unit_test(test_friedman1__is_its_formula),
        cmocka_unit_test(test_friedman1__has_the_noise_that_was_asked_for),
        cmocka_unit_test(test_regression__weighs_informative_features_alone),
        cmocka_unit_test(test_classification__ties_labels_to_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
