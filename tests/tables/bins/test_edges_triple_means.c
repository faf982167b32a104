/* Averages of every three values, as a publication cuts numbers. */
#include "support/bin_fixture.h"

static hr_feature_bins triple_means_of(fixture f, uint32_t bins) {
    hr_binning out = {0};
    assert_int_equal(hr_edges_triple_means(f.data, bins, f.arena, &out, NULL), HR_OK);
    return out.features[0];
}

/* Eight values, of which two are left over, in no order, and missing ones. */
static void test_triple_means__are_averages_of_sorted_values(void **state) {
    (void)state;
    const double column[] = {9, 1, (double)NAN, 4, 2, 3, 5, (double)NAN, 7, 8}, *columns[] = {column};
    hr_column x = bounded_number(0, 10, false);
    fixture f = fixture_open(&x, 1, 10, columns);
    hr_feature_bins made = triple_means_of(f, 255);
    assert_int_equal(made.bin_count, 4);
    assert_true(fabs(made.edges[0] - 2) < 1e-12 && fabs(made.edges[1] - 16. / 3) < 1e-12);
    fixture_close(f);
}

/* Equal ones are there once, and none is beyond what it averages. */
static void test_triple_means__of_equal_values_are_one(void **state) {
    (void)state;
    double column[300];
    const double *columns[] = {column};
    hr_column x = bounded_number(0, 1, false);
    for (int k = 1; k < 200; k++) { /* a third of many of them is rounded */
        for (size_t i = 0; i < 300; i++) column[i] = 1 / (double)k;
        fixture f = fixture_open(&x, 1, 300, columns);
        hr_feature_bins made = triple_means_of(f, 255);
        assert_true(made.bin_count == 3 && made.edges[0] == 1 / (double)k);
        fixture_close(f);
    }
}

/* 900 values are 300 averages; the fourth of four evenly ranked ones is that of the last eighth. */
static void test_triple_means__are_thinned_to_the_bins(void **state) {
    (void)state;
    double column[900];
    const double *columns[] = {column};
    hr_column x = bounded_number(0, 900, false);
    for (size_t i = 0; i < 900; i++) column[i] = (double)i;
    fixture f = fixture_open(&x, 1, 900, columns);
    hr_feature_bins made = triple_means_of(f, 5), all = triple_means_of(f, 255);
    assert_int_equal(made.bin_count, 6);
    const hr_column few = bounded_number(0, 900, false);
    fixture g = fixture_open(&few, 1, 15, columns); /* five averages for five bins: one too many */
    assert_int_equal(triple_means_of(g, 5).bin_count, 6);
    assert_int_equal(triple_means_of(g, 6).bin_count, 7);
    fixture_close(g);
    for (size_t e = 0; e < 4; e++) assert_true(fabs(made.edges[e] - (112 + 225 * (double)e + .5)) < 2);
    assert_int_equal(all.bin_count, 256);
    for (size_t e = 0; e + 3 < all.bin_count; e++) assert_true(all.edges[e] < all.edges[e + 1]);
    fixture_close(f);
}

/* Fewer than three known values make no average; categories are as the schema has them. */
static void test_triple_means__may_be_none(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b"};
    const double column[] = {1, (double)NAN, 2}, codes[] = {0, 1, 2}, *columns[] = {column, codes};
    hr_column features[] = {bounded_number(0, 10, false),
                            {.name = "c", .kind = HR_KIND_CATEGORY, .value_count = 2, .values = names}};
    hr_binning out = {0};
    fixture f = fixture_open(features, 2, 3, columns);
    assert_int_equal(hr_edges_triple_means(f.data, 255, f.arena, &out, NULL), HR_OK);
    assert_true(out.features[0].bin_count == 2 && out.features[1].kind == HR_KIND_CATEGORY &&
                out.features[1].bin_count == 3);
    fixture_close(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triple_means__are_averages_of_sorted_values),
        cmocka_unit_test(test_triple_means__of_equal_values_are_one),
        cmocka_unit_test(test_triple_means__are_thinned_to_the_bins),
        cmocka_unit_test(test_triple_means__may_be_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
