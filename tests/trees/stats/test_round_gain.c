/* The advance of a round: what one record can add to it. */
#include "support/tables.h"
#include "trees/stats/round_gain.h"

static table table_of_label(size_t rows, size_t classes, const double *labels) {
    table t = table_open(rows, 1);
    for (size_t i = 0; i < rows; i++) t.labels[i] = labels[i];
    table_make_plain(&t, classes);
    return t;
}

static void assert_sums(const table *t, const double *before, const double *after, int64_t gain,
                        int64_t count) {
    hr_exact g, c;
    hr_round_gain_sums(t->data, before, after, &g, &c);
    assert_int_equal(g.unpaid, gain);
    assert_int_equal(c.unpaid, count);
}

static void test_round_gain__counts_classes_that_became_right_or_wrong(void **state) {
    (void)state;
    const double labels[] = {0, 0, 0, 0, 1, 1, 1, 1}, before[] = {-1, -1, 1, 1, -1, -1, 1, 1},
                 after[] = {-1, 1, -1, 1, -1, 1, -1, 1};
    table t = table_of_label(8, 2, labels);
    assert_sums(&t, before, before, 0, 8192);
    assert_sums(&t, before, after, 0, 8192); /* one of each kind became right, one wrong */
    const double perfect[] = {-1, -1, -1, -1, 1, 1, 1, 1}, useless[] = {1, 1, 1, 1, -1, -1, -1, -1};
    assert_sums(&t, useless, perfect, 8 * 1024, 8192);
    assert_sums(&t, perfect, useless, -8 * 1024, 8192);
    assert_sums(&t, before, perfect, 4 * 1024, 8192);
    table_close(&t);
}

static void test_round_gain__counts_half_the_error_of_numbers(void **state) {
    (void)state;
    const double labels[] = {-1, 0, 1}, before[] = {1, .5, 0}, after[] = {-1, .25, .5};
    table t = table_of_label(3, 0, labels);
    assert_sums(&t, before, after, 1024 + 128 + 256, 3 * 1024);
    assert_sums(&t, after, before, -1024 - 128 - 256, 3 * 1024);
    table_close(&t);
}

/* In mode paper: of classes the same, of numbers all of the error, and no record is rounded by itself. */
static void test_round_gain__of_mode_paper_is_exact(void **state) {
    (void)state;
    const double classes[] = {0, 0, 1, 1}, right[] = {-1, -1, 1, 1}, half[] = {-1, 1, -1, 1},
                 numbers[] = {-1, 0, 1}, before[] = {1, .5, 0}, after[] = {-1, .25, .5000001};
    table t = table_of_label(4, 2, classes);
    assert_true(hr_round_gain_exact(t.data, half, right) == 2);
    assert_true(hr_round_gain_exact(t.data, right, half) == -2);
    table_close(&t);
    t = table_of_label(3, 0, numbers);
    assert_true(fabs(hr_round_gain_exact(t.data, before, after) - 2.7500001) < 1e-12);
    table_close(&t);
}

/* Every pair of extreme scores, for both kinds of labels: a record alone never passes its unit. */
static void test_round_gain__of_one_record_is_bounded(void **state) {
    (void)state;
    const double scores[] = {-INFINITY, -1e300, -1.5, -1, -0.0, 0, 1e-320, 1, 1e300, INFINITY, NAN},
                 labels[] = {-1, 1, 0, 1};
    for (size_t k = 0; k < 4; k++) {
        table t = table_of_label(1, k < 2 ? 0 : 2, &labels[k]);
        int64_t most = 0;
        for (size_t a = 0; a < COUNT(scores); a++)
            for (size_t b = 0; b < COUNT(scores); b++) {
                hr_exact gain, count;
                hr_round_gain_sums(t.data, &scores[a], &scores[b], &gain, &count);
                assert_in_range(gain.unpaid + 1024, 0, 2048);
                assert_int_equal(count.unpaid, 1024);
                if (gain.unpaid > most) most = gain.unpaid;
            }
        assert_int_equal(most, 1024);
        table_close(&t);
    }
}

static void test_round_gain__adds_record_by_record(void **state) {
    (void)state;
    enum { ROWS = 50 };
    uint64_t random = 7;
    double labels[ROWS], before[ROWS], after[ROWS];
    hr_exact last = {0}, count;
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = 2 * next_unit(&random) - 1;
        before[i] = 4 * next_unit(&random) - 2;
        after[i] = 4 * next_unit(&random) - 2;
    }
    for (size_t rows = 1; rows <= ROWS; rows++) {
        hr_exact sum, alone;
        table t = table_of_label(rows, 0, labels), one = table_of_label(1, 0, labels + rows - 1);
        hr_round_gain_sums(t.data, before, after, &sum, &count);
        hr_round_gain_sums(one.data, before + rows - 1, after + rows - 1, &alone, &count);
        assert_int_equal(sum.unpaid - last.unpaid, alone.unpaid);
        last = sum;
        table_close(&one);
        table_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_gain__counts_classes_that_became_right_or_wrong),
        cmocka_unit_test(test_round_gain__of_mode_paper_is_exact),
        cmocka_unit_test(test_round_gain__counts_half_the_error_of_numbers),
        cmocka_unit_test(test_round_gain__of_one_record_is_bounded),
        cmocka_unit_test(test_round_gain__adds_record_by_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
