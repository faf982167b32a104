/* What the fuzz targets of table readers share. */
#ifndef HR_FUZZ_TABLES_H
#define HR_FUZZ_TABLES_H

#include "check.h"

#include <hedgerow/data.h>
#include <math.h>
#include <string.h>

static inline hr_schema *fuzz_schema(const char *label) {
    char text[600];
    int size = snprintf(text, sizeof text,
                        "hedgerow-schema: 1\n"
                        "label: %s\n"
                        "features:\n"
                        "  - {name: n, kind: number, low: -1e3, high: 1e3}\n"
                        "  - {name: w, kind: number, low: 0, high: 9, integer: true}\n"
                        "  - {name: c, kind: category, values: [\"0\", b, \"a,b\", \"q\\\"\"]}\n"
                        "missing: [\"?\", \"-99\"]\n",
                        label);
    hr_schema *schema = NULL;
    CHECK(hr_schema_parse(text, (size_t)size, "schema", &schema, NULL) == HR_OK);
    return schema;
}

static inline bool same_bits(const double *a, const double *b, size_t count) {
    return !a == !b && (!a || memcmp(a, b, count * sizeof *a) == 0);
}

/* Cells in columns, or sparse. */
static inline void check_same_cells(const hr_data *a, const hr_data *b, size_t row) {
    double x, y;
    uint16_t c, d;
    for (size_t f = 0; f < 2; f++)
        CHECK(same_bits(hr_data_number_block(a, f, row, 1, &x), hr_data_number_block(b, f, row, 1, &y), 1));
    CHECK(*hr_data_code_block(a, 2, row, 1, &c) == *hr_data_code_block(b, 2, row, 1, &d));
}

/* Parsing is a function of the bytes. */
static inline void check_same(const hr_data *a, const hr_data *b) {
    size_t rows = hr_data_rows(a);
    CHECK(rows == hr_data_rows(b) && hr_data_extra_columns(a) == hr_data_extra_columns(b));
    CHECK(same_bits(hr_data_labels(a), hr_data_labels(b), rows));
    for (size_t row = 0; row < rows; row++) check_same_cells(a, b, row);
    for (size_t i = 0; i < 4; i++)
        CHECK(memcmp(hr_data_report(a, i), hr_data_report(b, i), sizeof(hr_column_report)) == 0);
}

/* What the schema promises of every data set. */
static inline void check_bounds(const hr_data *data) {
    size_t rows = hr_data_rows(data);
    uint64_t missing[2] = {0};
    for (size_t row = 0; row < rows; row++) {
        double n, w;
        uint16_t c;
        n = *hr_data_number_block(data, 0, row, 1, &n);
        w = *hr_data_number_block(data, 1, row, 1, &w);
        CHECK(isnan(n) || (n >= -1e3 && n <= 1e3));
        CHECK(isnan(w) || (w >= 0 && w <= 9));
        CHECK(*hr_data_code_block(data, 2, row, 1, &c) <= 4);
        CHECK(!hr_data_has_labels(data) ||
              (hr_data_labels(data)[row] >= -1 && hr_data_labels(data)[row] <= 2));
        missing[0] += isnan(n);
        missing[1] += isnan(w);
    }
    CHECK(missing[0] == hr_data_report(data, 0)->missing && missing[1] == hr_data_report(data, 1)->missing);
}

static inline void check_error(const hr_error *err, hr_status status) {
    char text[2000];
    CHECK(err->status == status && err->message[0]);
    CHECK(hr_error_format(err, text, sizeof text) < sizeof text);
}

/* Reads the bytes twice, and checks that both agree and that the result or the error is whole. */
static inline void fuzz_read(const hr_schema *schema, hr_format format, const uint8_t *bytes, size_t size) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_data *a = NULL, *b = NULL;
    hr_error err = {0};
    options.format = format;
    options.label_optional = size % 2 == 1;
    hr_status first = hr_data_parse(schema, (const char *)bytes, size, &options, &a, &err);
    hr_status second = hr_data_parse(schema, (const char *)bytes, size, &options, &b, NULL);
    CHECK(first == second && (first == HR_OK) == (a != NULL) && (a != NULL) == (b != NULL));
    if (first) check_error(&err, first);
    if (a) check_same(a, b);
    if (a) check_bounds(a);
    hr_data_free(a);
    hr_data_free(b);
}

#endif
