/* Edges from cuts that are told: which features want them, what they become, and that it does not matter who
 * counted the records. */
#include "privacy/quantiles.h"
#include "support/bin_fixture.h"

enum { FEATURES = 5, ROWS = 900, HALF = ROWS / 3, BITS = 16, LEVELS = 3, BINS = 1 << LEVELS };

static double columns[FEATURES][ROWS];

/* 0: a category; 1: any numbers; 2: few whole values; 3: many whole values; 4: one value. */
static fixture mixed(size_t from, size_t rows) {
    static const char *const values[] = {"a", "b"};
    const hr_column features[FEATURES] = {
        {.name = "c", .kind = HR_KIND_CATEGORY, .value_count = 2, .values = values},
        {.name = "x", .kind = HR_KIND_NUMBER, .low = -4, .high = 12},
        {.name = "few", .kind = HR_KIND_NUMBER, .low = 0, .high = 5, .integer = true},
        {.name = "many", .kind = HR_KIND_NUMBER, .low = 0, .high = 5000, .integer = true},
        {.name = "one", .kind = HR_KIND_NUMBER, .low = 3, .high = 3}};
    const double *part[FEATURES];
    hr_dice dice;
    hr_dice_init(&dice, 8);
    for (size_t i = 0; i < ROWS; i++) {
        double u = hr_dice_unit(&dice);
        columns[0][i] = (double)hr_dice_below(&dice, 3);
        columns[1][i] = i % 50 ? -4 + 16 * u * u : (double)NAN;
        columns[2][i] = (double)hr_dice_below(&dice, 6);
        columns[3][i] = floor(5000 * u * hr_dice_unit(&dice));
        columns[4][i] = 3;
    }
    for (size_t f = 0; f < FEATURES; f++) part[f] = columns[f] + from;
    return fixture_open(features, FEATURES, rows, part);
}

static void test_machine__wants_cuts_of_the_numbers_that_need_quantiles(void **state) {
    (void)state;
    fixture f = mixed(0, ROWS);
    hr_edges_machine machine;
    hr_binning even;
    size_t feature, wanted[] = {1, 3};
    assert_int_equal(hr_edges_begin(&machine, f.schema, BINS, f.arena, NULL), HR_OK);
    assert_int_equal(hr_edges_columns(f.schema, BINS), 2);
    for (size_t i = 0; i < 2; i++) {
        uint32_t at[] = {1, 1 << (BITS - 1)};
        for (int again = 0; again < 2; again++) {
            assert_true(hr_edges_next(&machine, &feature));
            assert_int_equal(feature, wanted[i]);
        }
        assert_int_equal(hr_edges_accept(&machine, &(hr_cuts){at, 2}, BITS, NULL), HR_OK);
    }
    assert_false(hr_edges_next(&machine, &feature));
    assert_int_equal(hr_edges_public(f.schema, BINS, f.arena, &even, NULL), HR_OK);
    for (size_t k = 0; k < FEATURES; k++) {
        const hr_feature_bins *made = &machine.binning.features[k], *public = &even.features[k];
        if (k == 1 || k == 3) {
            const hr_column *column = hr_schema_feature(f.schema, k);
            double width = column->high - column->low;
            assert_true(made->kind == HR_KIND_NUMBER && made->bin_count == 4);
            assert_true(made->edges[0] == column->low + width / 65536);
            assert_true(made->edges[1] == column->low + width / 2);
            continue;
        }
        assert_true(made->kind == public->kind && made->bin_count == public->bin_count);
        for (size_t e = 0; e + 2 < made->bin_count && made->kind == HR_KIND_NUMBER; e++)
            assert_true(made->edges[e] == public->edges[e]);
    }
    fixture_close(f);
}

static void test_machine__wants_nothing_where_no_feature_needs_quantiles(void **state) {
    (void)state;
    static const char *const values[] = {"a", "b"};
    const hr_column only = {.name = "c", .kind = HR_KIND_CATEGORY, .value_count = 2, .values = values};
    fixture f = fixture_open(&only, 1, ROWS, (const double *const[]){columns[0]});
    hr_edges_machine machine;
    size_t feature;
    assert_int_equal(hr_edges_begin(&machine, f.schema, BINS, f.arena, NULL), HR_OK);
    assert_false(hr_edges_next(&machine, &feature));
    assert_true(machine.binning.features[0].kind == HR_KIND_CATEGORY &&
                machine.binning.features[0].bin_count == 3);
    fixture_close(f);
}

/* Without noise: the counts of two parts of the records, added up, make the edges of all records. */
static void test_machine__makes_of_summed_counts_the_edges_of_all_records(void **state) {
    (void)state;
    static hr_exact cells[1 << BITS];
    fixture all = mixed(0, ROWS), parts[] = {mixed(0, HALF), mixed(HALF, ROWS - HALF)};
    const hr_charge charge = {"bin edges", -1, -1, 0, 0, 0, 1};
    hr_gate *gate;
    hr_edges_machine machine;
    hr_binning wanted;
    uint64_t groups;
    size_t feature, told = 0;
    assert_int_equal(hr_gate_new(HR_PRIVACY_NONE, 0, NULL, &gate, NULL), HR_OK);
    assert_int_equal(hr_edges_private(all.data, &(hr_edges_release){BINS, gate, &charge}, all.arena, &wanted,
                                      &groups, NULL),
                     HR_OK);
    assert_int_equal(hr_edges_begin(&machine, all.schema, BINS, all.arena, NULL), HR_OK);
    for (; hr_edges_next(&machine, &feature); told++) {
        const hr_column *column = hr_schema_feature(all.schema, feature);
        uint32_t at[BINS];
        hr_cuts cuts = {at, 0};
        memset(cells, 0, sizeof cells);
        hr_edges_count_cells(column, &(hr_edge_values){hr_data_numbers(parts[0].data, feature), NULL, HALF},
                             1 << BITS, cells);
        hr_edges_count_cells(column,
                             &(hr_edge_values){hr_data_numbers(parts[1].data, feature), NULL, ROWS - HALF},
                             1 << BITS, cells);
        assert_int_equal(hr_quantiles_by_medians(gate, &charge, &(hr_grid_counts){cells, BITS, HR_PER_RECORD},
                                                 LEVELS, &cuts, NULL),
                         HR_OK);
        assert_int_equal(hr_edges_accept(&machine, &cuts, BITS, NULL), HR_OK);
        assert_int_equal(machine.binning.features[feature].bin_count, wanted.features[feature].bin_count);
        assert_memory_equal(machine.binning.features[feature].edges, wanted.features[feature].edges,
                            (wanted.features[feature].bin_count - 2) * sizeof(double));
    }
    assert_int_equal(told, 2);
    hr_gate_free(gate);
    fixture_close(all);
    for (size_t p = 0; p < 2; p++) fixture_close(parts[p]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine__wants_cuts_of_the_numbers_that_need_quantiles),
        cmocka_unit_test(test_machine__wants_nothing_where_no_feature_needs_quantiles),
        cmocka_unit_test(test_machine__makes_of_summed_counts_the_edges_of_all_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
