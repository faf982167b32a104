/* Records of several owners: who owns which, counts of regions, weights, and sums by owner. */
#include "methods/simfl/owned_records.h"

#include "privacy/crypto/csprng.h"
#include "privacy/sensitivity.h"
#include "support/tables.h"
#include "tables/bins/edges.h"
#include "trees/similar/lsh.h"

enum { OWNERS = 4, TABLES = 3, REGIONS = 8 };

typedef struct fixture {
    table t;
    hr_arena *arena;
    hr_binning binning;
    hr_csprng *csprng;
    hr_owned_records *records;
} fixture;

static fixture *open_fixture_of(table t, hr_owner_law law, uint64_t seed) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->t = t;
    f->arena = hr_arena_new();
    assert_int_equal(hr_edges_public(f->t.schema, 8, f->arena, &f->binning, NULL), HR_OK);
    law.binning = &f->binning;
    assert_int_equal(hr_csprng_open_seeded(seed, &f->csprng, NULL), HR_OK);
    assert_int_equal(hr_owned_records_new(f->t.data, &law, f->csprng, 1, &f->records, NULL), HR_OK);
    return f;
}

static fixture *open_fixture(size_t rows, hr_owner_law law, uint64_t seed) {
    return open_fixture_of(table_of_steps(rows, 3, 2, 41), law, seed);
}

static void close_fixture(fixture *f) {
    hr_owned_records_free(f->records);
    hr_csprng_close(f->csprng);
    hr_arena_free(f->arena);
    table_close(&f->t);
    free(f);
}

static void locate(fixture *f) {
    static const uint8_t coins[HR_LSH_COINS] = {3};
    const hr_regions_setup setup = {
        .schema = f->t.schema, .tables = TABLES, .count = REGIONS, .width = .5, .coins = coins};
    hr_regions *regions = NULL;
    assert_int_equal(hr_regions_new(&setup, &regions, NULL), HR_OK);
    assert_int_equal(hr_owned_records_locate(f->records, regions, TABLES, NULL), HR_OK);
    hr_regions_free(regions);
}

static void counts_of(const fixture *f, int64_t counts[OWNERS][TABLES][REGIONS]) {
    hr_exact exact[OWNERS][TABLES][REGIONS];
    hr_owned_records_count(f->records, REGIONS, &exact[0][0][0]);
    for (size_t o = 0; o < OWNERS; o++)
        for (size_t t = 0; t < TABLES; t++)
            for (size_t r = 0; r < REGIONS; r++) counts[o][t][r] = exact[o][t][r].unpaid;
}

/* The last record is counted once in each table, at one owner; nothing else changes. */
static void test_count__of_one_record_more_moves_one_region_of_each_table(void **state) {
    (void)state;
    const hr_owner_law laws[] = {
        {.owners = OWNERS}, {.owners = OWNERS, .theta = .9}, {.owners = OWNERS, .theta = .7, .skew = 2}};
    for (size_t l = 0; l < COUNT(laws); l++) {
        int64_t counts[2][OWNERS][TABLES][REGIONS], moved = 0;
        for (size_t i = 0; i < 2; i++) {
            fixture *f = open_fixture(300 + i, laws[l], 5);
            locate(f);
            counts_of(f, counts[i]);
            close_fixture(f);
        }
        for (size_t o = 0; o < OWNERS; o++) {
            int64_t of_owner = 0;
            for (size_t t = 0; t < TABLES; t++)
                for (size_t r = 0; r < REGIONS; r++) {
                    int64_t change = counts[1][o][t][r] - counts[0][o][t][r];
                    assert_true(change == 0 || change == 1);
                    of_owner += change;
                }
            assert_true(of_owner == 0 || of_owner == TABLES);
            moved += of_owner;
        }
        assert_int_equal(moved, TABLES);
    }
}

/* Records of the lower half at the first two owners, of 20,000: binomial; five standard deviations (false
 * alarm below 1e-6 for each of the twelve). */
static void check_law(hr_owner_law law, bool (*is_lower)(const table *t, size_t row)) {
    fixture *f = open_fixture(20000, law, 6);
    hr_stats_source *source = NULL;
    const hr_stats_setup setup = {.binning = &f->binning, .outputs = 1, .depth = 1};
    double lower = 0, wanted = law.theta > 0 ? law.theta : .5;
    for (size_t i = 0; i < f->t.rows; i++) lower += is_lower(&f->t, i);
    int64_t counts[OWNERS][TABLES][REGIONS];
    locate(f);
    counts_of(f, counts);
    assert_int_equal(hr_owned_records_source(f->records, &source, NULL), HR_OK);
    assert_int_equal(source->ops->prepare(source, &setup, NULL), HR_OK);
    assert_int_equal(hr_owned_records_share_out(f->records, source, NULL), HR_OK);
    for (size_t o = 0; o < OWNERS; o++) {
        double first = o < OWNERS / 2 ? wanted : 1 - wanted, upper = (double)f->t.rows - lower;
        double mean = (lower * first + upper * (1 - first)) / 2, found = 0;
        for (size_t r = 0; r < REGIONS; r++) found += (double)counts[o][0][r];
        if (fabs(found - mean) > 5 * sqrt(mean)) fail_msg("owner %zu: %g records, not %g", o, found, mean);
    }
    hr_stats_free(source);
    close_fixture(f);
}

static bool has_low_label(const table *t, size_t row) {
    return t->labels[row] < .5;
}

static bool has_low_feature(const table *t, size_t row) {
    return t->columns[1][row] <= .5;
}

static void test_owners__have_as_many_of_each_half_as_the_law_says(void **state) {
    (void)state;
    check_law((hr_owner_law){.owners = OWNERS}, has_low_label);
    check_law((hr_owner_law){.owners = OWNERS, .theta = .9}, has_low_label);
    check_law((hr_owner_law){.owners = OWNERS, .theta = .8, .skew = 2}, has_low_feature);
}

/* Over many draws two records are at one owner as often as coins say, wherever they stand: dealing by place,
 * in turn or in pieces, puts them together always or never. Binomial of 400; five standard deviations (false
 * alarm below 1e-6). */
static void test_owners__are_drawn_for_each_record_by_itself(void **state) {
    (void)state;
    enum { DRAWS = 400 };
    const hr_owner_law laws[] = {{.owners = OWNERS}, {.owners = OWNERS, .theta = 1}};
    for (size_t l = 0; l < COUNT(laws); l++) {
        double together = 0, chance = laws[l].theta > 0 ? .5 : .25;
        for (uint64_t seed = 1; seed <= DRAWS; seed++) {
            int64_t counts[OWNERS][TABLES][REGIONS], of_owner[OWNERS] = {0};
            table two = table_open(2, 3); /* records that are alike */
            table_make_plain(&two, 2);
            fixture *f = open_fixture_of(two, laws[l], seed);
            locate(f);
            counts_of(f, counts);
            for (size_t o = 0; o < OWNERS; o++)
                for (size_t r = 0; r < REGIONS; r++) of_owner[o] += counts[o][0][r];
            for (size_t o = 0; o < OWNERS; o++) together += of_owner[o] == 2;
            close_fixture(f);
        }
        if (fabs(together - DRAWS * chance) > 5 * sqrt(DRAWS * chance * (1 - chance)))
            fail_msg("together in %g of %d draws", together, DRAWS);
    }
}

/* theta 1: owners of the first half have the lower label alone. */
static void test_owners__are_apart_at_theta_1(void **state) {
    (void)state;
    fixture *f = open_fixture(2000, (hr_owner_law){.owners = 2, .theta = 1}, 7);
    hr_exact counts[2][TABLES][REGIONS];
    double lower = 0, first = 0;
    locate(f);
    for (size_t i = 0; i < f->t.rows; i++) lower += has_low_label(&f->t, i);
    hr_owned_records_count(f->records, REGIONS, &counts[0][0][0]);
    for (size_t r = 0; r < REGIONS; r++) first += (double)counts[0][0][r].unpaid;
    assert_true(first == lower && lower > 0 && lower < 2000);
    close_fixture(f);
}

/* ---- Weighted sums ---- */

/* All weight and gradient of an owner's records, at scores of 0: a gradient is minus the label, -1 or 1. */
static hr_sums sums_of_owner(hr_stats_source *source, const fixture *f, size_t owner) {
    const hr_packing packing = {.shift = 34, .gradient_bound = 32, .gradient_scale = 32, .weight_scale = 16};
    const hr_stats_round round = {.part = owner, .loss = HR_STATS_SQUARE, .bound = 1, .packing = packing};
    hr_sum_word *const out = calloc(hr_histogram_cells(f->binning.feature_count), sizeof *out);
    hr_sum_word total = 0;
    assert_non_null(out);
    assert_int_equal(source->ops->begin(source, &round, NULL), HR_OK);
    assert_int_equal(source->ops->sum(source, &(uint32_t){0}, &out, 1, NULL), HR_OK);
    for (size_t b = 0; b < f->binning.features[0].bin_count; b++) total += out[hr_histogram_at(0) + b];
    free(out);
    return hr_unpack(&packing, total);
}

/* One table of one region: all records of an owner have the weight that its released counts say, also where
 * these are far from the exact ones. */
static void test_source__sums_records_by_the_weights_of_released_counts(void **state) {
    (void)state;
    static const uint8_t coins[HR_LSH_COINS] = {3};
    static const hr_noisy released[] = {{1000}, {2000}, {3000}, {6000}};
    fixture *f = open_fixture(1000, (hr_owner_law){.owners = 2}, 8);
    const hr_regions_setup setup = {
        .schema = f->t.schema, .tables = 1, .count = 2, .width = 1000, .coins = coins};
    const hr_region_counts counts = {2, 1, 2, released, 0};
    hr_regions *regions = NULL;
    hr_stats_source *source = NULL;
    const hr_stats_setup gradients = {.binning = &f->binning, .outputs = 1, .depth = 1};
    hr_exact exact[2][2];
    double totals[2];
    assert_int_equal(hr_regions_new(&setup, &regions, NULL), HR_OK);
    assert_int_equal(hr_owned_records_locate(f->records, regions, 1, NULL), HR_OK);
    assert_int_equal(hr_owned_records_weigh(f->records, &counts, 4, NULL), HR_OK);
    assert_int_equal(hr_owned_records_source(f->records, &source, NULL), HR_OK);
    assert_int_equal(source->ops->prepare(source, &gradients, NULL), HR_OK);
    assert_int_equal(hr_owned_records_share_out(f->records, source, NULL), HR_OK);
    hr_region_totals(&counts, totals);
    hr_owned_records_count(f->records, 2, &exact[0][0]);
    for (size_t o = 0; o < 2; o++) {
        int64_t wanted = 0;
        for (uint16_t r = 0; r < 2; r++)
            wanted += exact[o][r].unpaid * hr_region_weight(&counts, totals, o, &r, 4);
        hr_sums sums = sums_of_owner(source, f, o);
        assert_int_equal(sums.weight.unpaid, wanted);
        assert_true(llabs(sums.gradient.unpaid) <= 32 * wanted && sums.gradient.unpaid % 32 == 0);
    }
    assert_int_equal(exact[0][0].unpaid + exact[0][1].unpaid + exact[1][0].unpaid + exact[1][1].unpaid, 1000);
    hr_stats_free(source);
    hr_regions_free(regions);
    close_fixture(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count__of_one_record_more_moves_one_region_of_each_table),
        cmocka_unit_test(test_owners__have_as_many_of_each_half_as_the_law_says),
        cmocka_unit_test(test_owners__are_drawn_for_each_record_by_itself),
        cmocka_unit_test(test_owners__are_apart_at_theta_1),
        cmocka_unit_test(test_source__sums_records_by_the_weights_of_released_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
