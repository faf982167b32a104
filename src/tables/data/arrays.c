/* Data sets made of the caller's arrays: borrowed, copied, or sparse. */
#include "base/fail.h"
#include "tables/data/columns.h"
#include "tables/data/float_rows.h"
#include "tables/data/persons.h"
#include "tables/data/sparse.h"
#include "tables/schema/schema.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- In columns ---- */

static hr_status check_array(const hr_array *array, hr_error *err) {
    const size_t size = hr_element_size(array->element),
                 step = array->stride < 0 ? -(size_t)array->stride : (size_t)array->stride;
    if (!size)
        return hr_fail(err, HR_E_ARGUMENT, "use a value of hr_element", "there is no element %d",
                       (int)array->element);
    if (step >= size) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "give the bytes from one element to the next",
                   "a stride of %td bytes: elements overlap", array->stride);
}

static void count_numbers(const hr_column *column, const double *values, size_t count,
                          hr_column_report *report) {
    size_t missing = 0, outside = 0, fractions = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i] >= column->low && values[i] <= column->high) continue;
        if (isnan(values[i]))
            missing++;
        else
            outside++;
    }
    for (size_t i = 0; column->integer && i < count; i++) fractions += hr_is_fraction(values[i]);
    report->missing += missing;
    report->out_of_range += outside;
    report->not_integer += fractions;
}

static hr_status check_codes(const hr_column *column, const double *values, size_t begin, size_t count,
                             hr_column_report *report, hr_error *err) {
    for (size_t i = 0; i < count; i++) {
        double code = isnan(values[i]) ? HR_CODE_MISSING : values[i];
        if (!(code >= 0 && code <= (double)column->value_count) || code != floor(code))
            return hr_fail(err, HR_E_SCHEMA, "codes count the schema's values from 1; 0 or NaN is missing",
                           "row %zu: %g is not a code", begin + i + 1, code);
        report->missing += code == HR_CODE_MISSING;
    }
    return HR_OK;
}

/* Doubles that need no clipping are handed out as they are. */
static bool are_as_read(const hr_array *array, const hr_column_report *report) {
    return hr_array_is_adjacent(array, HR_ELEMENT_FLOAT64) && !report->out_of_range;
}

/* Of rows [begin, begin + count), all columns: in a table by rows they share cache lines. */
static hr_status check_cells(hr_data *data, size_t begin, size_t count, hr_error *err) {
    double buffer[HR_DATA_BLOCK];
    hr_status status = HR_OK;
    for (size_t f = 0; !status && f < data->feature_count; f++) {
        const hr_column *column = hr_schema_feature(data->schema, f);
        const double *values = hr_array_block(&data->borrowed[f], begin, count, buffer);
        if (column->kind == HR_KIND_CATEGORY)
            status = check_codes(column, values, begin, count, &data->reports[f], err);
        else
            count_numbers(column, values, count, &data->reports[f]);
        if (status) return hr_fail_at(err, status, NULL, 0, 0, column->name);
    }
    return HR_OK;
}

static hr_status borrow_columns(hr_data *data, const hr_array *columns, hr_error *err) {
    const size_t features = data->feature_count;
    hr_status status = HR_OK;
    for (size_t f = 0; f < features; f++) {
        status = check_array(&columns[f], err);
        if (status) return hr_fail_at(err, status, NULL, 0, 0, hr_schema_feature(data->schema, f)->name);
        data->borrowed[f] = columns[f];
    }

    const bool by_rows = hr_float_rows_find(data);
    for (size_t begin = 0; begin < data->rows; begin += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(begin, data->rows);
        if (by_rows && hr_float_rows_within(data, begin, count)) continue;
        status = check_cells(data, begin, count, err);
        if (status) return status;
    }

    for (size_t f = 0; f < features; f++) {
        const bool is_number = hr_schema_feature(data->schema, f)->kind == HR_KIND_NUMBER;
        void *at = (void *)columns[f].at; /* never written: borrowed */
        if (is_number && are_as_read(&columns[f], &data->reports[f])) data->numbers[f] = at;
        if (!is_number && hr_array_is_adjacent(&columns[f], HR_ELEMENT_UINT16)) data->codes[f] = at;
    }
    return HR_OK;
}

static hr_status check_labels(const hr_data *data, const hr_array *labels, hr_error *err) {
    const hr_column *column = hr_schema_label(data->schema);
    double buffer[HR_DATA_BLOCK];
    hr_status status = check_array(labels, err);
    for (size_t begin = 0; !status && begin < data->rows; begin += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(begin, data->rows);
        const double *values = hr_array_block(labels, begin, count, buffer);
        for (size_t i = 0; !status && i < count; i++) {
            double value = values[i];
            bool is_class = value >= 0 && value < (double)column->value_count && value == floor(value);
            bool is_time = fabs(value) < HR_TIME_MAX;
            if (column->event ? !is_time : column->kind == HR_KIND_NUMBER ? isnan(value) : !is_class)
                status = hr_fail(err, HR_E_SCHEMA, "labels are numbers, or class indices counted from 0",
                                 "row %zu: %g is not a label", begin + i + 1, value);
        }
        if (column->kind == HR_KIND_NUMBER)
            count_numbers(column, values, count, &data->reports[data->feature_count]);
    }
    return status ? hr_fail_at(err, status, NULL, 0, 0, column->name) : HR_OK;
}

static hr_status borrow_labels(hr_data *data, const hr_array *labels, hr_error *err) {
    const hr_column *column = hr_schema_label(data->schema);
    hr_status status = check_labels(data, labels, err);
    if (status) return status;
    data->borrows_labels =
        column->kind == HR_KIND_NUMBER && are_as_read(labels, &data->reports[data->feature_count]);
    if (data->borrows_labels) {
        data->labels = (double *)labels->at; /* never written: borrows_labels */
        return HR_OK;
    }
    data->labels = malloc((data->rows + 1) * sizeof *data->labels);
    if (!data->labels) return hr_fail_memory(err);
    hr_array_read(labels, 0, data->rows, data->labels);
    for (size_t i = 0; column->kind == HR_KIND_NUMBER && i < data->rows; i++)
        data->labels[i] = hr_clip_number(column, data->labels[i]);
    return HR_OK;
}

static hr_status take_numbers_of_persons(hr_data *data, const uint64_t *numbers, hr_error *err) {
    hr_persons persons = {0};
    data->persons = malloc((data->rows + 1) * sizeof *data->persons);
    bool numbered = data->persons;
    for (size_t i = 0; numbered && i < data->rows; i++)
        numbered =
            hr_persons_number(&persons, (const char *)&numbers[i], sizeof numbers[i], &data->persons[i]);
    hr_persons_give_hashes(&persons, data);
    hr_persons_done(&persons);
    return numbered && hr_records_weigh(data) ? HR_OK : hr_fail_memory(err);
}

/* Without persons: their records weigh what take_numbers_of_persons gives them. */
static hr_status take_exposures(hr_data *data, const double *exposures, hr_error *err) {
    double high;
    if (!hr_schema_exposure(data->schema, &high))
        return hr_fail(err, HR_E_ARGUMENT, "name an exposure in the schema, or give none",
                       "exposures of records, and the schema names none");
    data->exposures = malloc((data->rows + 1) * sizeof *data->exposures);
    if (!data->exposures) return hr_fail_memory(err);
    for (size_t i = 0; i < data->rows; i++) {
        if (!(exposures[i] > 0 && exposures[i] <= high)) {
            hr_fail(err, HR_E_SCHEMA, "give numbers above 0 and at most the exposure's 'high' in the schema",
                    "record %zu has the exposure %g", i + 1, exposures[i]);
            return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, "exposure");
        }
        data->exposures[i] = fmax(exposures[i] / high, DBL_MIN); /* a quotient may be 0 */
    }
    return data->persons || hr_records_weigh(data) ? HR_OK : hr_fail_memory(err);
}

/* What the caller counted when it read the cells; those that were unknown were counted as missing here. */
static void add_counts(hr_data *data, const hr_column_report *read) {
    for (size_t f = 0; f < data->feature_count; f++) {
        hr_column_report *report = &data->reports[f];
        const uint64_t unknown = read[f].unknown < report->missing ? read[f].unknown : report->missing;
        report->unknown += unknown;
        report->missing -= unknown;
        report->out_of_range += read[f].out_of_range;
    }
}

static hr_status refuse_rows(size_t rows, hr_error *err) {
    if (rows <= HR_ROWS_MAX) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "use fewer rows", "%zu rows; at most %u are allowed", rows, HR_ROWS_MAX);
}

static hr_status refuse_persons(const hr_schema *schema, hr_error *err) {
    return hr_schema_refuse_unit(schema, "a table in arrays that do not say whose each record is",
                                 "give hr_arrays.persons to hr_data_borrow", err);
}

hr_status hr_data_borrow(const hr_schema *schema, const hr_arrays *arrays, hr_data **out, hr_error *err) {
    hr_status status = refuse_rows(arrays->rows, err);
    if (!status && arrays->persons && !hr_schema_unit(schema))
        status = hr_fail(err, HR_E_ARGUMENT, "name a unit in the schema, or give no persons",
                         "records of persons, and the schema names no unit");
    if (!status && !arrays->persons && hr_schema_unit(schema)) status = refuse_persons(schema, err);
    if (!status && hr_schema_weight(schema, NULL)) {
        hr_fail(err, HR_E_POLICY,
                "remove 'weight' from the schema, and give the weights, as parts of their bound, to the fit: "
                "record_weights, in Python sample_weight",
                "a table in arrays has no column of weights");
        status = hr_fail_at(err, HR_E_POLICY, NULL, 0, 0, "weight");
    }
    if (status) return status;

    hr_data *data = hr_data_new(schema);
    if (!data) return hr_fail_memory(err);
    data->rows = arrays->rows;
    if (arrays->persons) status = take_numbers_of_persons(data, arrays->persons, err);
    if (!status && arrays->exposures) status = take_exposures(data, arrays->exposures, err);
    if (!status && arrays->labels) status = borrow_labels(data, arrays->labels, err);
    if (!status) status = borrow_columns(data, arrays->columns, err);
    if (!status && arrays->read) add_counts(data, arrays->read);
    if (status)
        hr_data_free(data);
    else
        *out = data;
    return status;
}

/* Puts copies in the place of borrowed doubles. False when memory is short. */
static bool own_arrays(hr_data *data) {
    data->rows_at = NULL;
    if (data->borrows_labels) {
        double *copy = malloc((data->rows + 1) * sizeof *copy);
        if (!copy) return false;
        memcpy(copy, data->labels, data->rows * sizeof *copy);
        data->labels = copy;
        data->borrows_labels = false;
    }
    for (size_t f = 0; f < data->feature_count; f++) {
        if (hr_schema_feature(data->schema, f)->kind == HR_KIND_NUMBER) {
            double *copy = malloc((data->rows + 1) * sizeof *copy);
            if (!copy) return false;
            const double *values = hr_data_number_block(data, f, 0, data->rows, copy);
            if (values != copy) memcpy(copy, values, data->rows * sizeof *copy);
            data->numbers[f] = copy;
        } else {
            uint16_t *copy = malloc((data->rows + 1) * sizeof *copy);
            if (!copy) return false;
            (void)hr_data_code_block(data, f, 0, data->rows, copy); /* codes in doubles: always converted */
            data->codes[f] = copy;
        }
        data->borrowed[f] = (hr_array){0};
    }
    return true;
}

static hr_array adjacent(const double *at) {
    return (hr_array){at, HR_ELEMENT_FLOAT64, sizeof *at};
}

hr_status hr_data_from_arrays(const hr_schema *schema, size_t rows, const double *const *columns,
                              const double *labels, hr_data **out, hr_error *err) {
    hr_data *data = NULL;
    const size_t features = hr_schema_feature_count(schema);
    hr_array label = adjacent(labels), *arrays = malloc((features + 1) * sizeof *arrays);
    if (!arrays) return hr_fail_memory(err);
    for (size_t f = 0; f < features; f++) arrays[f] = adjacent(columns[f]);
    const hr_arrays table = {.rows = rows, .columns = arrays, .labels = labels ? &label : NULL};
    hr_status status = hr_data_borrow(schema, &table, &data, err);
    free(arrays);
    if (status) return status;
    if (own_arrays(data)) {
        *out = data;
        return HR_OK;
    }
    hr_data_free(data);
    return hr_fail_memory(err);
}

/* ---- Sparse ---- */

static hr_status check_places(const hr_sparse_arrays *arrays, size_t f, hr_error *err) {
    const size_t begin = arrays->begins[f], end = arrays->begins[f + 1];
    if (begin > end || (f == 0 && begin))
        return hr_fail(err, HR_E_ARGUMENT, "begins are 0, and then ascend",
                       "its cells are %zu to %zu, which is no range", begin, end);
    if (end - begin > arrays->rows)
        return hr_fail(err, HR_E_ARGUMENT, "give each row at most one cell of a column",
                       "it has %zu cells, and there are %zu rows", end - begin, arrays->rows);
    for (size_t k = begin; k < end; k++) {
        const size_t row = arrays->rows_at[k];
        if (row >= arrays->rows)
            return hr_fail(err, HR_E_ARGUMENT, "count rows from 0",
                           "a cell of row %zu, and there are %zu rows", row, arrays->rows);
        if (k > begin && row <= arrays->rows_at[k - 1])
            return hr_fail(err, HR_E_ARGUMENT, "sort the cells of each column, and add up those of one row",
                           "row %zu comes after row %u", row, arrays->rows_at[k - 1]);
    }
    return HR_OK;
}

/* Counts a cell of each value, and gives it as the table has it. */
static hr_status take_value(const hr_column *column, size_t row, double *value, hr_column_report *report,
                            hr_error *err) {
    if (column->kind != HR_KIND_CATEGORY) {
        count_numbers(column, value, 1, report);
        *value = hr_clip_number(column, *value);
        return HR_OK;
    }
    const hr_status status = check_codes(column, value, row, 1, report, err);
    if (isnan(*value)) *value = HR_CODE_MISSING;
    return status;
}

static hr_status take_cells(hr_data *data, size_t f, hr_error *err) {
    const hr_column *column = hr_schema_feature(data->schema, f);
    const hr_entries *cells = &data->sparse->columns;
    const size_t begin = cells->begins[f], count = cells->begins[f + 1] - begin, others = data->rows - count;
    const uint32_t *rows = cells->across + begin;
    hr_column_report *report = &data->reports[f], one = {0};
    hr_status status = HR_OK;
    size_t gap = 0; /* the first row without a cell */
    for (size_t k = 0; !status && k < count; k++) {
        status = take_value(column, rows[k], &cells->values[begin + k], report, err);
        gap += rows[k] == gap;
    }
    if (!status && others) status = take_value(column, gap, &data->sparse->absent[f], &one, err);
    report->missing += others * one.missing;
    report->out_of_range += others * one.out_of_range;
    report->not_integer += others * one.not_integer;
    return status;
}

/* False when memory is short. */
static bool copy_cells(hr_data *data, const hr_sparse_arrays *arrays) {
    const size_t features = data->feature_count, count = arrays->begins[features];
    hr_sparse *sparse = data->sparse = calloc(1, sizeof *sparse);
    if (!sparse || !hr_entries_init(&sparse->columns, features, count) ||
        !(sparse->absent = malloc((features + 1) * sizeof *sparse->absent)))
        return false;
    memcpy(sparse->columns.begins, arrays->begins, (features + 1) * sizeof *arrays->begins);
    memcpy(sparse->absent, arrays->absent, features * sizeof *arrays->absent);
    for (size_t k = 0; k < count; k++) {
        sparse->columns.across[k] = arrays->rows_at[k];
        sparse->columns.values[k] = arrays->values[k];
    }
    return true;
}

hr_status hr_data_from_sparse(const hr_schema *schema, const hr_sparse_arrays *arrays, hr_data **out,
                              hr_error *err) {
    hr_status status = refuse_rows(arrays->rows, err);
    if (!status) status = refuse_persons(schema, err);
    for (size_t f = 0; !status && f < hr_schema_feature_count(schema); f++) {
        status = check_places(arrays, f, err);
        if (status) hr_fail_at(err, status, NULL, 0, 0, hr_schema_feature(schema, f)->name);
    }
    if (status) return status;
    hr_data *data = hr_data_new(schema);
    if (!data) return hr_fail_memory(err);
    data->rows = arrays->rows;
    if (!copy_cells(data, arrays)) status = hr_fail_memory(err);
    if (!status && arrays->labels) status = borrow_labels(data, arrays->labels, err);
    for (size_t f = 0; !status && f < data->feature_count; f++) {
        status = take_cells(data, f, err);
        if (status) hr_fail_at(err, status, NULL, 0, 0, hr_schema_feature(schema, f)->name);
    }
    if (!status && arrays->read) add_counts(data, arrays->read);
    if (status)
        hr_data_free(data);
    else
        *out = data;
    return status;
}
