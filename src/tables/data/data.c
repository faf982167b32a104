/* The data set itself: what every reader fills and every method reads. */
#include "tables/data/sparse.h"

#include "base/fail.h"
#include "tables/data/cell_file.h"
#include "tables/data/columns.h"
#include "tables/data/persons.h"
#include "tables/schema/schema.h"
#include "tables/source/origins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hr_data_free(hr_data *data) {
    if (!data) return;
    for (size_t i = 0; i < data->feature_count; i++) {
        if (data->block || (data->borrowed && data->borrowed[i].at)) continue;
        if (data->numbers) free(data->numbers[i]);
        if (data->codes) free(data->codes[i]);
    }
    if (!data->block && !data->borrows_labels) free(data->labels);
    free(data->block);
    free(data->numbers);
    free(data->codes);
    free(data->reports);
    free(data->borrowed);
    hr_kept_free(data->kept);
    if (data->origins) hr_origins_done(data->origins);
    free(data->origins);
    hr_cell_file_close(data->cells);
    hr_sparse_free(data->sparse);
    free(data->persons);
    free(data->weights);
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
    data->borrowed = calloc(data->feature_count, sizeof *data->borrowed);
    if (data->numbers && data->codes && data->reports && data->borrowed) return data;
    hr_data_free(data);
    return NULL;
}

/* ---- From arrays ---- */

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

static hr_status borrow_columns(hr_data *data, const hr_array *columns, hr_error *err) {
    const size_t features = data->feature_count;
    double buffer[HR_DATA_BLOCK];
    hr_status status = HR_OK;
    for (size_t f = 0; f < features; f++) {
        status = check_array(&columns[f], err);
        if (status) return hr_fail_at(err, status, NULL, 0, 0, hr_schema_feature(data->schema, f)->name);
    }

    /* Block by block, all columns of each: in a table by rows they share cache lines. */
    for (size_t begin = 0; begin < data->rows; begin += HR_DATA_BLOCK)
        for (size_t f = 0; f < features; f++) {
            const hr_column *column = hr_schema_feature(data->schema, f);
            const size_t count = hr_data_block_size(begin, data->rows);
            const double *values = hr_array_block(&columns[f], begin, count, buffer);
            if (column->kind == HR_KIND_CATEGORY)
                status = check_codes(column, values, begin, count, &data->reports[f], err);
            else
                count_numbers(column, values, count, &data->reports[f]);
            if (status) return hr_fail_at(err, status, NULL, 0, 0, column->name);
        }

    for (size_t f = 0; f < features; f++) {
        const bool is_number = hr_schema_feature(data->schema, f)->kind == HR_KIND_NUMBER;
        void *at = (void *)columns[f].at; /* never written: borrowed */
        data->borrowed[f] = columns[f];
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
            if (column->kind == HR_KIND_NUMBER ? isnan(value) : !is_class)
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
    data->weights = malloc((data->rows + 1) * sizeof *data->weights);
    bool numbered = data->persons && data->weights;
    for (size_t i = 0; numbered && i < data->rows; i++)
        numbered =
            hr_persons_number(&persons, (const char *)&numbers[i], sizeof numbers[i], &data->persons[i]);
    hr_persons_done(&persons);
    return numbered && hr_persons_weigh(data) ? HR_OK : hr_fail_memory(err);
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

hr_status hr_data_borrow(const hr_schema *schema, const hr_arrays *arrays, hr_data **out, hr_error *err) {
    hr_status status = HR_OK;
    if (arrays->rows > HR_ROWS_MAX)
        return hr_fail(err, HR_E_LIMIT, "use fewer rows", "%zu rows; at most %u are allowed", arrays->rows,
                       HR_ROWS_MAX);
    if (arrays->persons && !hr_schema_unit(schema))
        return hr_fail(err, HR_E_ARGUMENT, "name a unit in the schema, or give no persons",
                       "records of persons, and the schema names no unit");
    if (!arrays->persons)
        status = hr_schema_refuse_unit(schema, "a table in arrays that do not say whose each record is",
                                       "give hr_arrays.persons to hr_data_borrow", err);
    if (status) return status;

    hr_data *data = hr_data_new(schema);
    if (!data) return hr_fail_memory(err);
    data->rows = arrays->rows;
    if (arrays->persons) status = take_numbers_of_persons(data, arrays->persons, err);
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

/* ---- Some of the records ---- */

/* Room for the cells of a column. False when memory is short. */
static bool make_column(hr_data *data, size_t f) {
    if (hr_schema_feature(data->schema, f)->kind == HR_KIND_NUMBER) {
        data->numbers[f] = malloc((data->rows + 1) * sizeof **data->numbers);
        return data->numbers[f];
    }
    data->codes[f] = malloc((data->rows + 1) * sizeof **data->codes);
    return data->codes[f];
}

/* NULL when memory is short. */
static uint32_t *take_numbers(const uint32_t *numbers, const uint32_t *rows, size_t count) {
    uint32_t *taken = malloc((count + 1) * sizeof *taken);
    for (size_t i = 0; taken && i < count; i++) taken[i] = numbers[rows[i]];
    return taken;
}

hr_data *hr_data_take(const hr_data *data, const uint32_t *rows, size_t count) {
    hr_data *taken = hr_data_new(data->schema);
    if (!taken) return NULL;
    taken->rows = count;
    bool all = !data->labels || (taken->labels = malloc((count + 1) * sizeof *taken->labels));
    for (size_t i = 0; taken->labels && i < count; i++) taken->labels[i] = data->labels[rows[i]];
    if (data->sparse) all = all && (taken->sparse = hr_sparse_take(data->sparse, data->rows, rows, count));
    for (size_t f = 0; all && !data->sparse && f < data->feature_count; f++) {
        all = make_column(taken, f);
        if (taken->numbers[f]) hr_data_numbers_at(data, f, rows, count, taken->numbers[f]);
        if (taken->codes[f]) hr_data_codes_at(data, f, rows, count, taken->codes[f]);
    }
    if (all && data->weights) all = (taken->weights = take_numbers(data->weights, rows, count));
    /* Persons keep their numbers; they weigh what their records in the copy give. */
    if (all && data->persons)
        all = (taken->persons = take_numbers(data->persons, rows, count)) && hr_persons_weigh(taken);
    if (all) return taken;
    hr_data_free(taken);
    return NULL;
}

hr_data *hr_data_part(const hr_data *data, const hr_schema *schema, const size_t *features) {
    hr_data *part = hr_data_new(schema);
    if (!part) return NULL;
    part->rows = data->rows;
    part->labels = data->labels;
    part->borrows_labels = true;
    part->whole = data->whole;
    for (size_t f = 0; f < part->feature_count; f++) {
        const size_t from = features[f];
        part->reports[f] = data->reports[from];
        if (data->sparse) continue;
        part->numbers[f] = data->numbers[from];
        part->codes[f] = data->codes[from];
        part->borrowed[f] = data->borrowed[from];
        const void *column = part->numbers[f] ? (void *)part->numbers[f] : (void *)part->codes[f];
        if (!part->borrowed[f].at) part->borrowed[f].at = column;
    }
    part->reports[part->feature_count] = data->reports[data->feature_count];
    const size_t size = data->rows * sizeof(uint32_t);
    bool all = (!data->weights || (part->weights = malloc(size + 1))) &&
               (!data->persons || (part->persons = malloc(size + 1)));
    if (all && data->sparse)
        all = (part->sparse = hr_sparse_part(data->sparse, features, part->feature_count)) != NULL;
    if (all && data->weights) memcpy(part->weights, data->weights, size);
    if (all && data->persons) memcpy(part->persons, data->persons, size);
    if (all) return part;
    hr_data_free(part);
    return NULL;
}

hr_data *hr_data_clip(const hr_data *data, const hr_schema *schema) {
    const hr_column *label = hr_schema_label(schema);
    double numbers[HR_DATA_BLOCK];
    uint16_t codes[HR_DATA_BLOCK];
    hr_data *clipped = hr_data_new(schema);
    if (!clipped) return NULL;
    clipped->rows = data->rows;
    bool all = !data->labels || (clipped->labels = malloc((data->rows + 1) * sizeof *clipped->labels));
    for (size_t i = 0; clipped->labels && i < data->rows; i++)
        clipped->labels[i] =
            label->kind == HR_KIND_NUMBER ? hr_clip_number(label, data->labels[i]) : data->labels[i];
    if (data->sparse) all = all && (clipped->sparse = hr_sparse_clip(data->sparse, schema));
    for (size_t f = 0; all && !data->sparse && f < data->feature_count; f++) {
        const hr_column *column = hr_schema_feature(schema, f);
        all = make_column(clipped, f);
        for (size_t begin = 0; all && begin < data->rows; begin += HR_DATA_BLOCK) {
            const size_t count = hr_data_block_size(begin, data->rows);
            if (column->kind != HR_KIND_NUMBER) {
                memcpy(clipped->codes[f] + begin, hr_data_code_block(data, f, begin, count, codes),
                       count * sizeof *codes);
                continue;
            }
            const double *block = hr_data_number_block(data, f, begin, count, numbers);
            double *out = clipped->numbers[f] + begin;
            for (size_t i = 0; i < count; i++) out[i] = hr_clip_number(column, block[i]);
        }
    }
    if (all) return clipped;
    hr_data_free(clipped);
    return NULL;
}

/* ---- Texts beside the records ---- */

enum { KEPT_ROWS_FIRST = 1024 };

hr_kept *hr_kept_new(size_t columns) {
    hr_kept *kept = calloc(1, sizeof *kept);
    if (kept) kept->columns = columns;
    return kept;
}

void hr_kept_free(hr_kept *kept) {
    if (!kept) return;
    hr_buffer_done(&kept->texts);
    free(kept->starts);
    free(kept);
}

bool hr_kept_add(hr_kept *kept, size_t column, size_t row, const char *text, size_t size) {
    if (row == kept->rows && row == kept->capacity) {
        size_t rows = kept->capacity ? 2 * kept->capacity : KEPT_ROWS_FIRST;
        if (rows > SIZE_MAX / sizeof *kept->starts / kept->columns) return false;
        size_t *starts = realloc(kept->starts, rows * kept->columns * sizeof *starts);
        if (!starts) return false;
        kept->starts = starts;
        kept->capacity = rows;
    }
    if (row == kept->rows) kept->rows++;
    kept->starts[row * kept->columns + column] = kept->texts.size;
    hr_buffer_add(&kept->texts, text, size);
    hr_buffer_add(&kept->texts, "", 1);
    return !kept->texts.failed;
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

uint64_t hr_data_skipped(const hr_data *data) {
    return data->skipped;
}

size_t hr_data_extra_columns(const hr_data *data) {
    return data->extra;
}

const char *hr_data_kept(const hr_data *data, size_t column, size_t row) {
    const hr_kept *kept = data->kept;
    if (!kept || column >= kept->columns || row >= kept->rows) return NULL;
    return kept->texts.bytes + kept->starts[row * kept->columns + column];
}
