/* The inside of a data set, for those who make one. */
#ifndef HR_DATA_RECORDS_H
#define HR_DATA_RECORDS_H

#include "data/kept.h"

#include <hedgerow/data.h>

enum { HR_CODE_MISSING = 0 };
/* Rows are counted in 32 bits; the highest count is reserved. */
#define HR_ROWS_MAX (UINT32_MAX - 1)

struct hr_data {
    const hr_schema *schema;
    size_t rows, feature_count;
    double *labels;            /* NULL: none */
    double **numbers;          /* per feature; NULL for categories, and if `borrowed` has to be converted */
    uint16_t **codes;          /* per feature; NULL for numbers, and if `borrowed` has to be converted */
    hr_column_report *reports; /* feature_count + 1; the last is the label's */
    size_t extra;
    uint64_t skipped;   /* records without a label that were left out */
    hr_array *borrowed; /* per feature: the caller's, read only; `at` is NULL for a column of our own */
    bool borrows_labels;
    hr_kept *kept; /* NULL: none */
};

/* Doubles from 2^52 on are whole. */
static inline bool hr_is_fraction(double value) {
    return value > -0x1p52 && value < 0x1p52 && value != (double)(int64_t)value;
}

/* An empty data set: the arrays of columns are there, the columns are not. NULL when memory is short. */
hr_data *hr_data_new(const hr_schema *schema);

/* A copy of those records, `rows` counted from 0, in that order. What the copy knows of the table
 * (hr_data_report) is 0. Owner: the caller frees the result. NULL when memory is short. */
hr_data *hr_data_take(const hr_data *data, const uint32_t *rows, size_t count);

#endif
