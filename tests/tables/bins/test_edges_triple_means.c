/* Averages of every three values, as a publication cuts numbers. */
#include "support/bin_fixture.h"

static hr_feature_bins triple_means_of(fixture f) {
    hr_binning out = {0};
    assert_int_equal(hr_edges_triple_means(f.data, f.arena, &out, NULL), HR_OK);
    return out.features[0];
}

/* Eight values, of which two are left over, in no order, some of them often, and missing ones. */
static void test_triple_means__are_averages_of_different_values(void **state) {
    (void)state;
    const double column[] = {9, 1, (double)NAN, 4, 2, 9, 3, 5, 1, 1, (double)NAN, 7, 4, 8},
                 *columns[] = {column};
    hr_column x = bounded_number(0, 10, false);
    fixture f = fixture_open(&x, 1, COUNT(column), columns);
    hr_feature_bins made = triple_means_of(f);
    assert_int_equal(made.bin_count, 4);
    assert_true(fabs(made.edges[0] - 2) < 1e-12 && fabs(made.edges[1] - 16. / 3) < 1e-12);
    assert_true(made.edges[0] < 2); /* 2, the average of 1, 2 and 3, goes right */
    fixture_close(f);
}

/* Of |d| values a third, however many: no limit of bins. None is beyond what it averages. */
static void test_triple_means__have_no_limit(void **state) {
    (void)state;
    enum { ROWS = 3000 };
    static double column[ROWS];
    const double *columns[] = {column};
    hr_column x = bounded_number(0, 1, false);
    for (size_t i = 0; i < ROWS; i++) column[i] = 1 / (double)(i + 1);
    fixture f = fixture_open(&x, 1, ROWS, columns);
    hr_feature_bins made = triple_means_of(f);
    assert_int_equal(made.bin_count, ROWS / 3 + 2);
    for (size_t e = 0; e < ROWS / 3; e++)
        assert_true(made.edges[e] >= column[ROWS - 1 - 3 * e] && made.edges[e] <= column[ROWS - 3 - 3 * e]);
    fixture_close(f);
}

/* Two values have one candidate, fewer have none; categories are as the schema has them. */
static void test_triple_means__of_two_values_are_the_second(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b"};
    const double two[] = {1, (double)NAN, 2, 1},
                 none[] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN}, codes[] = {0, 1, 2, 1},
                 *columns[] = {two, none, codes};
    hr_column features[] = {bounded_number(0, 10, false),
                            {.name = "none", .kind = HR_KIND_NUMBER, .high = 10},
                            {.name = "c", .kind = HR_KIND_CATEGORY, .value_count = 2, .values = names}};
    hr_binning out = {0};
    fixture f = fixture_open(features, 3, 4, columns);
    assert_int_equal(hr_edges_triple_means(f.data, f.arena, &out, NULL), HR_OK);
    assert_true(out.features[0].bin_count == 3 && out.features[0].edges[0] < 2 &&
                out.features[0].edges[0] > 1.9);
    assert_int_equal(out.features[1].bin_count, 2);
    assert_true(out.features[2].kind == HR_KIND_CATEGORY && out.features[2].bin_count == 3);
    fixture_close(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triple_means__are_averages_of_different_values),
        cmocka_unit_test(test_triple_means__have_no_limit),
        cmocka_unit_test(test_triple_means__of_two_values_are_the_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
