/* The data set itself: what every reader fills and every method reads. */
#include "data/records.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hr_data_free(hr_data *data) {
    if (!data) return;
    for (size_t i = 0; i < data->feature_count; i++) {
        if (data->numbers && data->borrows_numbers && !data->borrows_numbers[i]) free(data->numbers[i]);
        if (data->codes) free(data->codes[i]);
    }
    if (!data->borrows_labels) free(data->labels);
    free(data->numbers);
    free(data->codes);
    free(data->reports);
    free(data->borrows_numbers);
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
    data->borrows_numbers = calloc(data->feature_count, sizeof *data->borrows_numbers);
    if (data->numbers && data->codes && data->reports && data->borrows_numbers) return data;
    hr_data_free(data);
    return NULL;
}

/* ---- From arrays ---- */

static size_t data_size_of(hr_element element) {
    return element == HR_ELEMENT_FLOAT32 ? sizeof(float) : sizeof(double);
}

static double element_at(const hr_array *array, size_t row) {
    const char *at = (const char *)array->at + (ptrdiff_t)row * array->stride;
    double value;
    float narrow;
    if (array->element == HR_ELEMENT_FLOAT64) {
        memcpy(&value, at, sizeof value);
        return value;
    }
    memcpy(&narrow, at, sizeof narrow);
    return (double)narrow;
}

static hr_status check_array(const hr_array *array, hr_error *err) {
    if (array->element != HR_ELEMENT_FLOAT64 && array->element != HR_ELEMENT_FLOAT32)
        return hr_fail(err, HR_E_ARGUMENT, "it is HR_ELEMENT_FLOAT64 or HR_ELEMENT_FLOAT32",
                       "there is no element %d", (int)array->element);
    size_t step = array->stride < 0 ? -(size_t)array->stride : (size_t)array->stride;
    if (step >= data_size_of(array->element)) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "give the bytes from one element to the next",
                   "a stride of %td bytes: elements overlap", array->stride);
}

static double clip_values(double value, const hr_column *column) {
    return value < column->low ? column->low : value > column->high ? column->high : value;
}

static hr_status copy_numbers(const hr_column *column, size_t rows, const hr_array *from, double **out,
                              hr_error *err) {
    double *to = malloc((rows ? rows : 1) * sizeof *to);
    if (!to) return hr_fail_memory(err);
    for (size_t i = 0; i < rows; i++) to[i] = clip_values(element_at(from, i), column);
    *out = to;
    return HR_OK;
}

static hr_status copy_codes(const hr_column *column, size_t rows, const hr_array *from, uint16_t **out,
                            hr_error *err) {
    uint16_t *to = malloc((rows ? rows : 1) * sizeof *to);
    if (!to) return hr_fail_memory(err);
    for (size_t i = 0; i < rows; i++) {
        double value = element_at(from, i), code = isnan(value) ? HR_CODE_MISSING : value;
        if (!(code >= 0 && code <= (double)column->value_count) || code != floor(code)) {
            free(to);
            return hr_fail(err, HR_E_SCHEMA, "codes count the schema's values from 1; 0 or NaN is missing",
                           "row %zu: %g is not a code", i + 1, code);
        }
        to[i] = (uint16_t)code;
    }
    *out = to;
    return HR_OK;
}

static hr_status copy_labels(const hr_column *label, size_t rows, const hr_array *from, double **out,
                             hr_error *err) {
    double *to = malloc((rows ? rows : 1) * sizeof *to);
    if (!to) return hr_fail_memory(err);
    for (size_t i = 0; i < rows; i++) {
        double value = element_at(from, i);
        bool is_class = value >= 0 && value < (double)label->value_count && value == floor(value);
        if (label->kind == HR_NUMBER ? isnan(value) : !is_class) {
            free(to);
            return hr_fail(err, HR_E_SCHEMA, "labels are numbers, or class indices counted from 0",
                           "row %zu: %g is not a label", i + 1, value);
        }
        to[i] = label->kind == HR_NUMBER ? clip_values(value, label) : value;
    }
    *out = to;
    return HR_OK;
}

/* Whether the array is what a copy of it would be. A NaN is above and below nothing. */
static bool is_as_copied(const hr_column *column, size_t rows, const hr_array *array, bool missing_allowed) {
    if (array->element != HR_ELEMENT_FLOAT64 || array->stride != sizeof(double) ||
        (uintptr_t)array->at % _Alignof(double))
        return false;
    const double *values = array->at;
    for (size_t i = 0; i < rows; i++) {
        if (values[i] < column->low || values[i] > column->high) return false;
        if (!missing_allowed && isnan(values[i])) return false;
    }
    return true;
}

static hr_status take_labels(hr_data *data, const hr_array *labels, bool borrow, hr_error *err) {
    const hr_column *column = hr_schema_label(data->schema);
    data->borrows_labels =
        borrow && column->kind == HR_NUMBER && is_as_copied(column, data->rows, labels, false);
    if (!data->borrows_labels) return copy_labels(column, data->rows, labels, &data->labels, err);
    data->labels = (double *)labels->at; /* never written: borrows_labels */
    return HR_OK;
}

static hr_status take_feature_data(hr_data *data, size_t f, const hr_array *array, bool borrow,
                                   hr_error *err) {
    const hr_column *column = hr_schema_feature(data->schema, f);
    if (column->kind == HR_CATEGORY) return copy_codes(column, data->rows, array, &data->codes[f], err);
    data->borrows_numbers[f] = borrow && is_as_copied(column, data->rows, array, true);
    if (!data->borrows_numbers[f]) return copy_numbers(column, data->rows, array, &data->numbers[f], err);
    data->numbers[f] = (double *)array->at; /* never written: borrows_numbers */
    return HR_OK;
}

static hr_status take_arrays(hr_data *data, const hr_array *columns, const hr_array *labels, bool borrow,
                             hr_error *err) {
    const hr_column *column = hr_schema_label(data->schema);
    hr_status status = labels ? check_array(labels, err) : HR_OK;
    if (!status && labels) status = take_labels(data, labels, borrow, err);
    for (size_t f = 0; f < data->feature_count && !status; f++) {
        column = hr_schema_feature(data->schema, f);
        status = check_array(&columns[f], err);
        if (!status) status = take_feature_data(data, f, &columns[f], borrow, err);
    }
    return status ? hr_fail_at(err, status, NULL, 0, 0, column->name) : HR_OK;
}

static hr_status new_data(const hr_schema *schema, size_t rows, hr_data **out, hr_error *err) {
    if (rows > HR_ROWS_MAX)
        return hr_fail(err, HR_E_LIMIT, "use fewer rows", "%zu rows; at most %u are allowed", rows,
                       HR_ROWS_MAX);
    hr_data *data = hr_data_new(schema);
    if (!data) return hr_fail_memory(err);
    data->rows = rows;
    *out = data;
    return HR_OK;
}

static hr_status finish_data_(hr_data *data, hr_status status, hr_data **out) {
    if (status)
        hr_data_free(data);
    else
        *out = data;
    return status;
}

static hr_array adjacent(const double *at) {
    return (hr_array){at, HR_ELEMENT_FLOAT64, sizeof *at};
}

hr_status hr_data_from_arrays(const hr_schema *schema, size_t rows, const double *const *columns,
                              const double *labels, hr_data **out, hr_error *err) {
    hr_data *data = NULL;
    hr_status status = new_data(schema, rows, &data, err);
    if (status) return status;
    hr_array label = adjacent(labels), *arrays = malloc((data->feature_count + 1) * sizeof *arrays);
    for (size_t f = 0; arrays && f < data->feature_count; f++) arrays[f] = adjacent(columns[f]);
    status = arrays ? take_arrays(data, arrays, labels ? &label : NULL, false, err) : hr_fail_memory(err);
    free(arrays);
    return finish_data_(data, status, out);
}

hr_status hr_data_borrow(const hr_schema *schema, size_t rows, const hr_array *columns,
                         const hr_array *labels, hr_data **out, hr_error *err) {
    hr_data *data = NULL;
    hr_status status = new_data(schema, rows, &data, err);
    return status ? status : finish_data_(data, take_arrays(data, columns, labels, true, err), out);
}

/* ---- Some of the records ---- */

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

/* ---- Views ---- */

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
