/* Columns and tiles against the bins of single values. */
#include "tables/bins/binned.h"
#include "tables/schema/schema.h"
#include "tables/synth/generate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 70, CATEGORIES = 300 };

static const double edges[254] = {-3, -2.5, -1, 0, 0.25, 1.5, 2, 3.75};

/* Features by turns: a number with edges, a number without, a category, a category with a shared last bin. */
static hr_feature_bins feature_bins(size_t j) {
    return (hr_feature_bins[]){{HR_KIND_NUMBER, 10, edges},
                               {HR_KIND_NUMBER, 2, NULL},
                               {HR_KIND_CATEGORY, 5, NULL},
                               {HR_KIND_CATEGORY, 256, NULL}}[j % 4];
}

static hr_schema *schema_new(size_t features) {
    static char names[MOST][4], values[CATEGORIES][4];
    static const char *list[CATEGORIES];
    hr_column columns[MOST], label = {.name = "y", .kind = HR_KIND_NUMBER, .low = 0, .high = 1};
    for (int v = 0; v < CATEGORIES; v++) {
        values[v][0] = (char)('0' + v / 100), values[v][1] = (char)('0' + v / 10 % 10),
        values[v][2] = (char)('0' + v % 10);
        list[v] = values[v];
    }
    for (size_t j = 0; j < features; j++) {
        hr_kind kind = feature_bins(j).kind;
        names[j][0] = 'f', names[j][1] = (char)('0' + j / 10), names[j][2] = (char)('0' + j % 10);
        columns[j] = (hr_column){.name = names[j], .kind = kind, .low = -5, .high = 5};
        if (kind == HR_KIND_CATEGORY)
            columns[j].value_count = j % 4 == 2 ? 4 : CATEGORIES, columns[j].values = list;
    }
    hr_schema *schema;
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = columns, .feature_count = features},
                       &schema, NULL),
        HR_OK);
    return schema;
}

static hr_data *data_new(const hr_schema *schema, size_t features, size_t rows) {
    hr_dice dice;
    hr_dice_init(&dice, rows * 100 + features);
    double *columns[MOST];
    for (size_t j = 0; j < features; j++) {
        columns[j] = malloc((rows + 1) * sizeof **columns);
        assert_non_null(columns[j]);
        for (size_t i = 0; i < rows; i++) {
            double value = floor(hr_dice_normal(&dice) * 8) / 8;
            if (feature_bins(j).kind == HR_KIND_CATEGORY)
                value = (double)hr_dice_below(&dice, j % 4 == 2 ? 5 : CATEGORIES + 1);
            columns[j][i] = hr_dice_below(&dice, 10) ? fmax(value, -5) : (double)NAN;
        }
    }
    hr_data *data;
    assert_int_equal(hr_data_from_arrays(schema, rows, (const double *const *)columns, NULL, &data, NULL),
                     HR_OK);
    for (size_t j = 0; j < features; j++) free(columns[j]);
    return data;
}

static uint8_t bin_of(const hr_data *data, size_t j, size_t i) {
    const hr_feature_bins feature = feature_bins(j);
    if (feature.kind == HR_KIND_CATEGORY) return hr_bin_of_code(&feature, hr_data_codes(data, j)[i]);
    return hr_bin_of_number(&feature, hr_data_numbers(data, j)[i]);
}

static void check_bins(const hr_binned *binned, const hr_data *data) {
    for (size_t j = 0; j < binned->features; j++)
        for (size_t i = 0; i < binned->rows; i++) {
            uint8_t wanted = bin_of(data, j, i);
            assert_int_equal(hr_binned_column(binned, j)[i], wanted);
            assert_int_equal(hr_binned_tile(binned, j / HR_TILE, i)[j % HR_TILE], wanted);
        }
}

static void check_padding(const hr_binned *binned) {
    for (size_t j = binned->features; j < binned->tile_count * HR_TILE; j++)
        for (size_t i = 0; i < binned->rows; i++)
            assert_int_equal(hr_binned_tile(binned, j / HR_TILE, i)[j % HR_TILE], 0);
}

static void test_binned__agrees_with_single_values(void **state) {
    (void)state;
    static const size_t features[] = {1, 31, 32, 33, 70},
                        rows[] = {0, 1, 2, 63, 64, 65, 255, 256, 257, 1000, 16385};
    for (size_t a = 0; a < sizeof features / sizeof *features; a++)
        for (size_t b = 0; b < sizeof rows / sizeof *rows; b++)
            for (int threads = 1; threads <= 5; threads += 2) {
                hr_feature_bins bins[MOST];
                for (size_t j = 0; j < features[a]; j++) bins[j] = feature_bins(j);
                const hr_binning binning = {features[a], bins, NULL};
                hr_schema *schema = schema_new(features[a]);
                hr_data *data = data_new(schema, features[a], rows[b]);
                hr_binned *binned = NULL;
                assert_int_equal(hr_binned_new(data, &binning, threads, &binned, NULL), HR_OK);
                assert_true(binned->rows == rows[b] && binned->features == features[a] &&
                            binned->binning == &binning);
                assert_int_equal(binned->tile_count, (features[a] + HR_TILE - 1) / HR_TILE);
                check_bins(binned, data);
                check_padding(binned);
                hr_binned_free(binned);
                hr_data_free(data);
                hr_schema_free(schema);
            }
}

static void test_binned__may_be_freed_as_null(void **state) {
    (void)state;
    hr_binned_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binned__agrees_with_single_values),
        cmocka_unit_test(test_binned__may_be_freed_as_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
