/* The attack on SimFL: planted tables whose figures are known, and refusals. */
#include "support/tables.h"

#include <hedgerow/attack.h>

enum { ATTACKED = 400, ATTACKED_FEATURES = 4 };

static hr_attack_figures attack_with(const table *t, const hr_attack_options *options) {
    hr_attack_figures figures;
    hr_error err = {0};
    if (hr_attack_simfl(t->data, options, &figures, &err)) fail_msg("%s", err.message);
    assert_int_equal(figures.attacker + figures.victim, t->rows);
    return figures;
}

/* Independent numbers in [0, 1); the label is a coin. */
static table independent_table(void) {
    uint64_t seed = 7;
    table t = table_open(ATTACKED, ATTACKED_FEATURES);
    for (size_t i = 0; i < ATTACKED; i++) {
        for (size_t f = 0; f < ATTACKED_FEATURES; f++) t.columns[f][i] = next_unit(&seed);
        t.labels[i] = (double)(next_random(&seed) % 2);
    }
    return t;
}

/* More hashes than dimensions, in narrow cells: every record is known. */
static void test_attack__reads_records_off_narrow_cells(void **state) {
    (void)state;
    table t = independent_table();
    table_make_plain(&t, 2);
    hr_attack_options options = HR_ATTACK_OPTIONS_INIT;
    options.tables = 16;
    options.width = .01;
    const hr_attack_figures figures = attack_with(&t, &options);
    assert_true(figures.dimensions == ATTACKED_FEATURES && figures.tables == 16);
    assert_true(figures.r2 > .9999 && figures.median_r2 > .9999 && figures.r2 <= 1);
    assert_true(figures.distinct_hashes == 1 && figures.distinct_records == 1 && figures.reidentified == 1);
    assert_true(figures.alone < .6); /* no record of the victim is one of the attacker's, too */
    table_close(&t);
}

/* One hash, the same for all: what is left is the attacker's own mean. Each of 200 records is then matched
 * with one of 200 at random, and a share e^-1 = .37 is alone; 31 records of 200 deviate from that by more
 * than four deviations. */
static void test_attack__learns_nothing_from_one_wide_cell(void **state) {
    (void)state;
    table t = independent_table();
    table_make_plain(&t, 2);
    hr_attack_options options = HR_ATTACK_OPTIONS_INIT;
    options.tables = 1;
    options.width = 1e6;
    const hr_attack_figures figures = attack_with(&t, &options);
    assert_true(fabs(figures.r2) < 1e-6 && fabs(figures.median_r2) < 1e-6);
    assert_true(figures.distinct_hashes == 1 / (double)figures.victim && figures.reidentified == 0);
    assert_true(figures.distinct_records == 1);
    assert_true(figures.alone > .2 && figures.alone < .55);
    assert_true(figures.label_known > figures.alone && figures.label_known < .9);
    table_close(&t);
}

/* Two features of two values, and the label follows from them: records with equal hashes are equal, their
 * most similar ones too, so that every group has one label. */
static void test_attack__knows_labels_of_pure_groups(void **state) {
    (void)state;
    uint64_t seed = 3;
    table t = table_open(ATTACKED, 2);
    for (size_t i = 0; i < ATTACKED; i++) {
        const uint64_t bits = next_random(&seed) % 4;
        t.columns[0][i] = (double)(bits % 2);
        t.columns[1][i] = (double)(bits / 2);
        t.labels[i] = bits == 1 || bits == 2;
    }
    table_make_plain(&t, 2);
    hr_attack_options options = HR_ATTACK_OPTIONS_INIT;
    options.tables = 8;
    options.width = .05;
    const hr_attack_figures figures = attack_with(&t, &options);
    assert_true(figures.label_known == 1 && figures.alone < 1);
    assert_true(figures.distinct_records == 4 / (double)figures.victim);
    assert_true(figures.distinct_hashes == figures.distinct_records && figures.reidentified == 0);
    table_close(&t);
}

/* A feature that never varies is left out: it would have no R^2. */
static void test_attack__leaves_out_constant_features(void **state) {
    (void)state;
    for (int scale = 0; scale < 2; scale++) {
        table t = independent_table();
        for (size_t i = 0; i < ATTACKED; i++) t.columns[1][i] = t.columns[2][i] = t.columns[3][i] = .3;
        table_make_plain(&t, 2);
        hr_attack_options options = HR_ATTACK_OPTIONS_INIT;
        options.width = .5;
        options.scale = scale ? HR_ATTACK_SCALE_STANDARD : HR_ATTACK_SCALE_BOUNDS;
        const hr_attack_figures figures = attack_with(&t, &options);
        assert_true(figures.r2 == figures.median_r2 && figures.r2 > .5 && figures.r2 < 1);
        table_close(&t);
    }
}

/* One hash of (x, x, x, y), with x and y alike but independent: what it tells of x it does not tell of y, so
 * that their R^2 add up to 1. That of all is (3 R_x + 1 - R_x) / 4, the median R_x. */
static void test_attack__median_is_of_the_middle_features(void **state) {
    (void)state;
    size_t apart = 0;
    table t = independent_table();
    memcpy(t.columns[1], t.columns[0], ATTACKED * sizeof *t.columns[0]);
    memcpy(t.columns[2], t.columns[0], ATTACKED * sizeof *t.columns[0]);
    table_make_plain(&t, 2);
    hr_attack_options options = HR_ATTACK_OPTIONS_INIT;
    options.tables = 1;
    options.width = .01;
    for (options.seed = 1; options.seed <= 20; options.seed++) {
        const hr_attack_figures figures = attack_with(&t, &options);
        assert_true(fabs(figures.median_r2 - (2 * figures.r2 - .5)) < .1);
        apart += figures.median_r2 > .7;
    }
    assert_true(apart > 4);
    table_close(&t);
}

static void test_attack__says_nothing_of_points_that_are_all_equal(void **state) {
    (void)state;
    table t = table_open(ATTACKED, 2);
    table_make_plain(&t, 2);
    const hr_attack_figures figures = attack_with(&t, NULL);
    assert_true(isnan(figures.r2) && isnan(figures.median_r2) && isnan(figures.label_known));
    assert_true(figures.distinct_records == 1 / (double)figures.victim);
    table_close(&t);
}

static hr_attack_figures figures_between(double low, double high, hr_attack_scale scale) {
    table t = independent_table();
    hr_column features[ATTACKED_FEATURES];
    for (size_t f = 0; f < ATTACKED_FEATURES; f++) features[f] = number_column("x", low, high);
    static const char *const names[] = {"a", "b", "c", "d"};
    for (size_t f = 0; f < ATTACKED_FEATURES; f++) features[f].name = names[f];
    table_make(&t, category_column("y", 2), features);
    hr_attack_options options = HR_ATTACK_OPTIONS_INIT;
    options.scale = scale;
    const hr_attack_figures figures = attack_with(&t, &options);
    table_close(&t);
    return figures;
}

/* Bounds that are ten times as wide hide the records in wider cells, but not from who scales by the records.
 */
static void test_attack__standard_scale_does_not_depend_on_bounds(void **state) {
    (void)state;
    const hr_attack_figures narrow = figures_between(0, 1, HR_ATTACK_SCALE_STANDARD);
    const hr_attack_figures wide = figures_between(-4, 6, HR_ATTACK_SCALE_STANDARD);
    assert_true(fabs(narrow.r2 - wide.r2) < .01 && narrow.r2 > .2);
    assert_true(fabs(narrow.reidentified - wide.reidentified) < .03);
    assert_true(figures_between(0, 1, HR_ATTACK_SCALE_BOUNDS).r2 >
                figures_between(-4, 6, HR_ATTACK_SCALE_BOUNDS).r2 + .05);
}

static void test_attack__takes_as_many_records_as_it_may(void **state) {
    (void)state;
    table t = independent_table();
    table_make_plain(&t, 2);
    hr_attack_options options = HR_ATTACK_OPTIONS_INIT;
    hr_attack_figures figures, again;
    options.records = 7;
    assert_int_equal(hr_attack_simfl(t.data, &options, &figures, NULL), HR_OK);
    assert_true(figures.attacker == 3 && figures.victim == 4);
    assert_int_equal(hr_attack_simfl(t.data, &options, &again, NULL), HR_OK);
    assert_memory_equal(&figures.r2, &again.r2, sizeof figures.r2);
    options.seed = 2;
    assert_int_equal(hr_attack_simfl(t.data, &options, &again, NULL), HR_OK);
    assert_true(again.r2 != figures.r2);
    table_close(&t);
}

static void test_attack__leaves_labels_out_that_are_no_two_classes(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += 3) {
        table t = independent_table();
        table_make_plain(&t, classes);
        assert_true(isnan(attack_with(&t, NULL).label_known));
        table_close(&t);
    }
    table one = independent_table();
    for (size_t i = 0; i < ATTACKED; i++) one.labels[i] = 1;
    table_make_plain(&one, 2);
    assert_true(isnan(attack_with(&one, NULL).label_known));
    hr_data *unlabelled = NULL;
    hr_attack_figures figures;
    assert_int_equal(hr_data_from_arrays(one.schema, ATTACKED, (const double *const *)one.columns, NULL,
                                         &unlabelled, NULL),
                     HR_OK);
    assert_int_equal(hr_attack_simfl(unlabelled, NULL, &figures, NULL), HR_OK);
    assert_true(isnan(figures.label_known) && figures.alone > 0);
    hr_data_free(unlabelled);
    table_close(&one);
}

static void check_attack_refused(const hr_data *data, hr_attack_options options, hr_status status) {
    hr_attack_figures figures = {.attacker = 77};
    hr_error err = {0};
    assert_int_equal(hr_attack_simfl(data, &options, &figures, &err), status);
    assert_true(figures.attacker == 77 && err.status == status && err.message[0] && err.remedy[0]);
}

static void test_attack__refuses_options(void **state) {
    (void)state;
    table t = independent_table();
    table_make_plain(&t, 2);
    const hr_attack_options options = HR_ATTACK_OPTIONS_INIT;
    for (int fault = 0; fault < 9; fault++) {
        hr_attack_options bad = options;
        if (fault == 0) bad.size = 4;
        if (fault == 1) bad.records = 3;
        if (fault == 2) bad.tables = 256;
        if (fault == 3) bad.width = 0;
        if (fault == 4) bad.width = 1e-9;
        if (fault == 5) bad.range = -1;
        if (fault == 6) bad.scale = (hr_attack_scale)2;
        if (fault == 7) bad.width = NAN;
        if (fault == 8) bad.range = INFINITY;
        check_attack_refused(t.data, bad, HR_E_ARGUMENT);
    }
    table_close(&t);
}

/* A value far from the others: its standardised point leaves the cells of 16 bits, which its bounds do not.
 */
static void test_attack__refuses_cells_beyond_16_bits(void **state) {
    (void)state;
    table t = table_open(ATTACKED, 1);
    t.columns[0][0] = 1;
    table_make_plain(&t, 2);
    hr_attack_options options = HR_ATTACK_OPTIONS_INIT;
    options.tables = 40;
    options.width = 2e-4;
    attack_with(&t, &options);
    options.scale = HR_ATTACK_SCALE_STANDARD;
    check_attack_refused(t.data, options, HR_E_ARGUMENT);
    table_close(&t);
}

static void test_attack__refuses_tables_without_records(void **state) {
    (void)state;
    const hr_attack_options options = HR_ATTACK_OPTIONS_INIT;
    table t = table_open(3, 2);
    table_make_plain(&t, 2);
    hr_data *none = NULL;
    assert_int_equal(
        hr_data_from_arrays(t.schema, 0, (const double *const *)t.columns, t.labels, &none, NULL), HR_OK);
    check_attack_refused(t.data, options, HR_E_SCHEMA);
    check_attack_refused(none, options, HR_E_SCHEMA);
    hr_data_free(none);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attack__reads_records_off_narrow_cells),
        cmocka_unit_test(test_attack__learns_nothing_from_one_wide_cell),
        cmocka_unit_test(test_attack__knows_labels_of_pure_groups),
        cmocka_unit_test(test_attack__leaves_out_constant_features),
        cmocka_unit_test(test_attack__median_is_of_the_middle_features),
        cmocka_unit_test(test_attack__says_nothing_of_points_that_are_all_equal),
        cmocka_unit_test(test_attack__standard_scale_does_not_depend_on_bounds),
        cmocka_unit_test(test_attack__takes_as_many_records_as_it_may),
        cmocka_unit_test(test_attack__leaves_labels_out_that_are_no_two_classes),
        cmocka_unit_test(test_attack__refuses_options),
        cmocka_unit_test(test_attack__refuses_cells_beyond_16_bits),
        cmocka_unit_test(test_attack__refuses_tables_without_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
