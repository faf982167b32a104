/* Regions of public random partitions, and the weights that follow from released counts of them. */
#include "methods/simfl/regions.h"

#include "privacy/sensitivity.h"
#include "support/tables.h"
#include "trees/similar/lsh.h"

enum { TABLES = 3, REGIONS = 16, W = HR_WEIGHT_UNIT };

static const uint8_t coins[HR_LSH_COINS] = {7, 1, 2};

static hr_regions *regions_of(const hr_schema *schema, const uint8_t *of_coins) {
    const hr_regions_setup setup = {
        .schema = schema, .tables = TABLES, .count = REGIONS, .width = .3, .coins = of_coins};
    hr_regions *made = NULL;
    assert_int_equal(hr_regions_new(&setup, &made, NULL), HR_OK);
    return made;
}

static uint16_t *found(const hr_regions *regions, const table *t, int threads) {
    uint16_t *out = malloc((t->rows * TABLES + 1) * sizeof *out);
    assert_non_null(out);
    assert_int_equal(hr_regions_find(regions, t->data, threads, out, NULL), HR_OK);
    return out;
}

/* The regions of a record are its own: other records, their number and threads change nothing. */
static void test_regions__of_a_record_follow_from_it_and_public_coins(void **state) {
    (void)state;
    static const uint8_t others[HR_LSH_COINS] = {8};
    table t = table_of_steps(600, 4, 2, 31), less = table_of_steps(500, 4, 2, 31);
    hr_regions *one = regions_of(t.schema, coins), *two = regions_of(t.schema, coins),
               *other = regions_of(t.schema, others);
    uint16_t *a = found(one, &t, 1), *b = found(two, &less, 3), *c = found(other, &t, 1);
    assert_memory_equal(a, b, less.rows * TABLES * sizeof *a);
    assert_true(memcmp(a, c, t.rows * TABLES * sizeof *a) != 0);
    free(a), free(b), free(c);
    hr_regions_free(one), hr_regions_free(two), hr_regions_free(other);
    table_close(&t);
    table_close(&less);
}

/* Of 600 records at 300 places: two at one place share all regions; all regions are in use, and tables
 * differ. */
static void test_regions__are_shared_by_equal_records_and_used_by_all(void **state) {
    (void)state;
    table t = table_of_steps(600, 4, 2, 32);
    for (size_t i = 300; i < 600; i++)
        for (size_t f = 0; f < 4; f++) t.columns[f][i] = t.columns[f][i - 300];
    hr_data *data = NULL;
    assert_int_equal(
        hr_data_from_arrays(t.schema, t.rows, (const double *const *)t.columns, t.labels, &data, NULL),
        HR_OK);
    hr_data_free(t.data);
    t.data = data;
    hr_regions *regions = regions_of(t.schema, coins);
    uint16_t *at = found(regions, &t, 1);
    bool used[TABLES][REGIONS] = {{false}};
    size_t differ = 0;
    for (size_t i = 0; i < t.rows; i++)
        for (size_t k = 0; k < TABLES; k++) {
            assert_true(at[i * TABLES + k] < REGIONS);
            used[k][at[i * TABLES + k]] = true;
            differ += at[i * TABLES + k] != at[i * TABLES];
        }
    assert_memory_equal(at, at + 300 * TABLES, (size_t)300 * TABLES * sizeof *at);
    for (size_t k = 0; k < TABLES; k++)
        for (size_t r = 0; r < REGIONS; r++) assert_true(used[k][r]);
    assert_true(differ > 100);
    free(at);
    hr_regions_free(regions);
    table_close(&t);
}

static void test_regions__refuse_a_width_that_hashes_have_not(void **state) {
    (void)state;
    table t = table_of_steps(10, 2, 2, 33);
    hr_regions *regions = NULL;
    hr_error err = {0};
    const hr_regions_setup setup = {.schema = t.schema, .tables = 1, .count = 2, .width = 0, .coins = coins};
    assert_int_equal(hr_regions_new(&setup, &regions, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "width"));
    assert_null(regions);
    table_close(&t);
}

/* ---- Weights ---- */

/* Two owners, one table, two regions. */
static hr_region_counts two_by_two(const hr_noisy counts[4], double deviation) {
    return (hr_region_counts){.owners = 2, .tables = 1, .count = 2, .counts = counts, .deviation = deviation};
}

static uint8_t weight_in(const hr_region_counts *counts, size_t owner, uint16_t region, int64_t most) {
    double totals[2];
    hr_region_totals(counts, totals);
    return hr_region_weight(counts, totals, owner, &region, most);
}

/* 1000 and 3000 records of the first owner, 2000 and 2000 of the second: the first region has 3/8 of all
 * records, and a quarter of the first owner's; a doubt of one record hardly matters. */
static void test_weight__is_the_ratio_of_densities(void **state) {
    (void)state;
    static const hr_noisy counts[] = {{1000}, {3000}, {2000}, {2000}};
    const hr_region_counts c = two_by_two(counts, 0);
    assert_int_equal(weight_in(&c, 0, 0, 8), W * 3 / 2);
    assert_int_equal(weight_in(&c, 0, 1, 8), 13); /* 5/8 over 3/4, 13.3 */
    assert_int_equal(weight_in(&c, 1, 0, 8), W * 3 / 4);
    assert_int_equal(weight_in(&c, 1, 1, 8), W * 5 / 4);
}

/* Owners of different sizes and the same density weigh all records alike. */
static void test_weight__is_one_where_owners_agree(void **state) {
    (void)state;
    static const hr_noisy counts[] = {{100}, {300}, {4000}, {12000}};
    const hr_region_counts c = two_by_two(counts, 0);
    for (size_t owner = 0; owner < 2; owner++)
        for (uint16_t region = 0; region < 2; region++) assert_int_equal(weight_in(&c, owner, region, 8), W);
}

static void test_weight__stays_within_its_bounds(void **state) {
    (void)state;
    static const hr_noisy far[] = {{1}, {100000}, {100000}, {1}};
    static const hr_noisy odd[] = {{-50}, {-70}, {-1000000}, {(int64_t)1 << 61}};
    for (int64_t most = 1; most <= HR_REGION_WEIGHT_MAX; most++) {
        hr_region_counts c = two_by_two(far, 0);
        assert_int_equal(weight_in(&c, 0, 0, most), W * most);
        assert_int_equal(weight_in(&c, 1, 1, most), W * most);
        assert_int_equal(weight_in(&c, 1, 0, most), (int)fmax(rint((double)W / (double)most), W * .5));
        c = two_by_two(odd, 3);
        for (size_t owner = 0; owner < 2; owner++)
            for (uint16_t region = 0; region < 2; region++) {
                uint8_t weight = weight_in(&c, owner, region, most);
                assert_true(weight >= 1 && weight >= (W - most / 2) / most && weight <= W * most);
            }
    }
}

/* Counts that are a tenth of their noise say little: a ratio of 40 is taken for one below 1.2. */
static void test_weight__is_near_one_where_counts_are_noise(void **state) {
    (void)state;
    static const hr_noisy counts[] = {{10}, {400}, {400}, {10}};
    const hr_region_counts c = two_by_two(counts, 4000);
    for (size_t owner = 0; owner < 2; owner++)
        for (uint16_t region = 0; region < 2; region++) {
            uint8_t weight = weight_in(&c, owner, region, 8);
            assert_true(weight >= W - 1 && weight <= W + 1);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions__of_a_record_follow_from_it_and_public_coins),
        cmocka_unit_test(test_regions__are_shared_by_equal_records_and_used_by_all),
        cmocka_unit_test(test_regions__refuse_a_width_that_hashes_have_not),
        cmocka_unit_test(test_weight__is_the_ratio_of_densities),
        cmocka_unit_test(test_weight__is_one_where_owners_agree),
        cmocka_unit_test(test_weight__stays_within_its_bounds),
        cmocka_unit_test(test_weight__is_near_one_where_counts_are_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
