/* The data set itself: what every reader fills and every method reads. */
#include "data/records.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>

void hr_data_free(hr_data *data) {
    if (!data) return;
    for (size_t i = 0; i < data->feature_count; i++) {
        if (data->numbers && !data->borrows_numbers) free(data->numbers[i]);
        if (data->codes) free(data->codes[i]);
    }
    if (!data->borrows_labels) free(data->labels);
    free(data->numbers);
    free(data->codes);
    free(data->reports);
    free(data);
}

hr_data *hr_data_new(const hr_schema *schema) {
    hr_data *data = calloc(1, sizeof *data);
    if (!data) return NULL;
    data->schema = schema;
    data->feature_count = hr_schema_feature_count(schema);
    data->numbers = calloc(data->feature_count, sizeof *data->numbers);
    data->codes = calloc(data->feature_count, sizeof *data->codes);
    data->reports = calloc(data->feature_count + 1, sizeof *data->reports);
    if (data->numbers && data->codes && data->reports) return data;
    hr_data_free(data);
    return NULL;
}

/* ---- From arrays ------------------------------------------------------------------------------------------------------------ */

static double clip(double value, const hr_column *column) {
    return value < column->low ? column->low : value > column->high ? column->high : value;
}

static hr_status copy_numbers(const hr_column *column, size_t rows, const double *from, double **out, hr_error *err) {
    double *to = malloc((rows ? rows : 1) * sizeof *to);
    if (!to) return hr_fail_memory(err);
    for (size_t i = 0; i < rows; i++) to[i] = clip(from[i], column);
    *out = to;
    return HR_OK;
}

static hr_status copy_codes(const hr_column *column, size_t rows, const double *from, uint16_t **out, hr_error *err) {
    uint16_t *to = malloc((rows ? rows : 1) * sizeof *to);
    if (!to) return hr_fail_memory(err);
    for (size_t i = 0; i < rows; i++) {
        double code = isnan(from[i]) ? HR_CODE_MISSING : from[i];
        if (!(code >= 0 && code <= (double)column->value_count) || code != floor(code)) {
            free(to);
            return hr_fail(err, HR_E_SCHEMA, "codes count the schema's values from 1; 0 or NaN is missing", "row %zu: %g is not a code",
                           i + 1, code);
        }
        to[i] = (uint16_t)code;
    }
    *out = to;
    return HR_OK;
}

static hr_status copy_labels(const hr_column *label, size_t rows, const double *from, double **out, hr_error *err) {
    double *to = malloc((rows ? rows : 1) * sizeof *to);
    if (!to) return hr_fail_memory(err);
    for (size_t i = 0; i < rows; i++) {
        double value = from[i];
        bool is_class = value >= 0 && value < (double)label->value_count && value == floor(value);
        if (label->kind == HR_NUMBER ? isnan(value) : !is_class) {
            free(to);
            return hr_fail(err, HR_E_SCHEMA, "labels are numbers, or class indices counted from 0", "row %zu: %g is not a label", i + 1,
                           value);
        }
        to[i] = label->kind == HR_NUMBER ? clip(value, label) : value;
    }
    *out = to;
    return HR_OK;
}

static hr_status borrow_numbers(const hr_column *column, size_t rows, const double *from, double **out, hr_error *err) {
    for (size_t i = 0; i < rows; i++)
        if (from[i] < column->low || from[i] > column->high)
            return hr_fail(err, HR_E_SCHEMA, "clip it, or let hr_data_from_arrays copy the numbers", "row %zu: %g is outside %g..%g", i + 1,
                           from[i], column->low, column->high);
    *out = (double *)from; /* never written: borrows_numbers */
    return HR_OK;
}

typedef hr_status take_numbers(const hr_column *column, size_t rows, const double *from, double **out, hr_error *err);

/* Labels: classes are always checked and copied, `take` is for those that are numbers. */
static hr_status take_labels(take_numbers *take, size_t rows, const double *labels, hr_data *data, hr_error *err) {
    const hr_column *column = hr_schema_label(data->schema);
    if (take == copy_numbers || column->kind == HR_CATEGORY) return copy_labels(column, rows, labels, &data->labels, err);
    for (size_t i = 0; i < rows; i++)
        if (isnan(labels[i])) return hr_fail(err, HR_E_SCHEMA, "leave the record out", "row %zu has no label", i + 1);
    data->borrows_labels = true;
    return take(column, rows, labels, &data->labels, err);
}

static hr_status from_arrays(take_numbers *take, size_t rows, const double *const *columns, const double *labels, hr_data *data,
                             hr_error *err) {
    const hr_column *column = hr_schema_label(data->schema);
    hr_status status = labels ? take_labels(take, rows, labels, data, err) : HR_OK;
    for (size_t i = 0; i < data->feature_count && !status; i++) {
        column = hr_schema_feature(data->schema, i);
        status = column->kind == HR_NUMBER ? take(column, rows, columns[i], &data->numbers[i], err)
                                           : copy_codes(column, rows, columns[i], &data->codes[i], err);
    }
    return status ? hr_fail_at(err, status, NULL, 0, 0, column->name) : HR_OK;
}

static hr_status make_from_arrays(const hr_schema *schema, take_numbers *take, size_t rows, const double *const *columns,
                                  const double *labels, hr_data **out, hr_error *err) {
    if (rows > HR_ROWS_MAX) return hr_fail(err, HR_E_LIMIT, "use fewer rows", "%zu rows; at most %u are allowed", rows, HR_ROWS_MAX);
    hr_data *data = hr_data_new(schema);
    if (!data) return hr_fail_memory(err);
    data->rows = rows;
    data->borrows_numbers = take == borrow_numbers;
    hr_status status = from_arrays(take, rows, columns, labels, data, err);
    if (status)
        hr_data_free(data);
    else
        *out = data;
    return status;
}

hr_status hr_data_from_arrays(const hr_schema *schema, size_t rows, const double *const *columns, const double *labels, hr_data **out,
                              hr_error *err) {
    return make_from_arrays(schema, copy_numbers, rows, columns, labels, out, err);
}

hr_status hr_data_borrow_arrays(const hr_schema *schema, size_t rows, const double *const *columns, const double *labels, hr_data **out,
                                hr_error *err) {
    return make_from_arrays(schema, borrow_numbers, rows, columns, labels, out, err);
}

/* ---- Some of the records ---------------------------------------------------------------------------------------------------------- */

static double *take_numbers_of(const double *from, const uint32_t *rows, size_t count) {
    double *to = malloc((count ? count : 1) * sizeof *to);
    for (size_t i = 0; to && i < count; i++) to[i] = from[rows[i]];
    return to;
}

static uint16_t *take_codes_of(const uint16_t *from, const uint32_t *rows, size_t count) {
    uint16_t *to = malloc((count ? count : 1) * sizeof *to);
    for (size_t i = 0; to && i < count; i++) to[i] = from[rows[i]];
    return to;
}

/* False when memory is short. */
static bool take_column(const hr_data *data, size_t f, const uint32_t *rows, size_t count, hr_data *out) {
    if (data->numbers[f]) return (out->numbers[f] = take_numbers_of(data->numbers[f], rows, count));
    return (out->codes[f] = take_codes_of(data->codes[f], rows, count));
}

hr_data *hr_data_take(const hr_data *data, const uint32_t *rows, size_t count) {
    hr_data *taken = hr_data_new(data->schema);
    if (!taken) return NULL;
    taken->rows = count;
    bool all = !data->labels || (taken->labels = take_numbers_of(data->labels, rows, count));
    for (size_t f = 0; all && f < data->feature_count; f++) all = take_column(data, f, rows, count, taken);
    if (all) return taken;
    hr_data_free(taken);
    return NULL;
}

/* ---- Views --------------------------------------------------------------------------------------------------------------------- */

const hr_schema *hr_data_schema(const hr_data *data) {
    return data->schema;
}

size_t hr_data_rows(const hr_data *data) {
    return data->rows;
}

bool hr_data_has_labels(const hr_data *data) {
    return data->labels != NULL;
}

const double *hr_data_labels(const hr_data *data) {
    return data->labels;
}

const double *hr_data_numbers(const hr_data *data, size_t feature) {
    return data->numbers[feature];
}

const uint16_t *hr_data_codes(const hr_data *data, size_t feature) {
    return data->codes[feature];
}

const hr_column_report *hr_data_report(const hr_data *data, size_t feature) {
    return &data->reports[feature];
}

size_t hr_data_extra_columns(const hr_data *data) {
    return data->extra;
}
