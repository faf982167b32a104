#include "tables/data/columns.h"

#include "tables/data/sparse.h"

#include <math.h>
#include <string.h>

/* ---- Arrays ---- */

static const void *address_of(const hr_array *array, size_t row) {
    return (const char *)array->at + (ptrdiff_t)row * array->stride;
}

static double read_float64(const void *at) {
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

static double read_float32(const void *at) {
    float value;
    memcpy(&value, at, sizeof value);
    return (double)value;
}

static double read_uint16(const void *at) {
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return (double)value;
}

static double element_at(const hr_array *array, size_t row) {
    const void *at = address_of(array, row);
    if (array->element == HR_ELEMENT_FLOAT64) return read_float64(at);
    return array->element == HR_ELEMENT_FLOAT32 ? read_float32(at) : read_uint16(at);
}

/* A loop for each element: the choice is made once a block. */
void hr_array_read(const hr_array *array, size_t begin, size_t count, double *out) {
    switch (array->element) {
    case HR_ELEMENT_FLOAT64:
        for (size_t i = 0; i < count; i++) out[i] = read_float64(address_of(array, begin + i));
        return;
    case HR_ELEMENT_FLOAT32:
        for (size_t i = 0; i < count; i++) out[i] = read_float32(address_of(array, begin + i));
        return;
    case HR_ELEMENT_UINT16:
        for (size_t i = 0; i < count; i++) out[i] = read_uint16(address_of(array, begin + i));
        return;
    }
}

size_t hr_element_size(hr_element element) {
    switch (element) {
    case HR_ELEMENT_FLOAT64: return sizeof(double);
    case HR_ELEMENT_FLOAT32: return sizeof(float);
    case HR_ELEMENT_UINT16: return sizeof(uint16_t);
    }
    return 0;
}

bool hr_array_is_adjacent(const hr_array *array, hr_element element) {
    const size_t size = hr_element_size(element);
    return array->element == element && array->stride == (ptrdiff_t)size && (uintptr_t)array->at % size == 0;
}

const double *hr_array_block(const hr_array *array, size_t begin, size_t count, double *buffer) {
    if (hr_array_is_adjacent(array, HR_ELEMENT_FLOAT64)) return (const double *)array->at + begin;
    hr_array_read(array, begin, count, buffer);
    return buffer;
}

/* ---- Columns ---- */

/* NaN is missing; so is what is no code, which hr_data_borrow has refused. */
static uint16_t code_of(const hr_column *column, double value) {
    return value >= 0 && value <= (double)column->value_count ? (uint16_t)value : HR_CODE_MISSING;
}

/* Of a binned cache (hr_data_check_values). */
static const double *no_values(double *buffer, size_t count) {
    for (size_t i = 0; i < count; i++) buffer[i] = (double)NAN;
    return buffer;
}

const double *hr_data_number_block(const hr_data *data, size_t feature, size_t begin, size_t count,
                                   double *buffer) {
    if (data->numbers[feature]) return data->numbers[feature] + begin;
    if (data->cells) return no_values(buffer, count);
    if (data->sparse) {
        hr_sparse_numbers(data->sparse, feature, begin, count, buffer);
        return buffer;
    }
    const hr_column *column = hr_schema_feature(data->schema, feature);
    hr_array_read(&data->borrowed[feature], begin, count, buffer);
    for (size_t i = 0; i < count; i++) buffer[i] = hr_clip_number(column, buffer[i]);
    return buffer;
}

const uint16_t *hr_data_code_block(const hr_data *data, size_t feature, size_t begin, size_t count,
                                   uint16_t *buffer) {
    if (data->codes[feature]) return data->codes[feature] + begin;
    if (data->cells) return memset(buffer, 0, count * sizeof *buffer);
    if (data->sparse) {
        hr_sparse_codes(data->sparse, feature, begin, count, buffer);
        return buffer;
    }
    const hr_column *column = hr_schema_feature(data->schema, feature);
    for (size_t i = 0; i < count; i++)
        buffer[i] = code_of(column, element_at(&data->borrowed[feature], begin + i));
    return buffer;
}

void hr_data_numbers_at(const hr_data *data, size_t feature, const uint32_t *rows, size_t count,
                        double *out) {
    const double *numbers = data->numbers[feature];
    const hr_column *column = hr_schema_feature(data->schema, feature);
    for (size_t i = 0; numbers && i < count; i++) out[i] = numbers[rows[i]];
    if (data->cells) {
        (void)no_values(out, count);
        return;
    }
    for (size_t i = 0; data->sparse && i < count; i++)
        out[i] = hr_sparse_cell(data->sparse, feature, rows[i]);
    for (size_t i = 0; !numbers && !data->sparse && i < count; i++)
        out[i] = hr_clip_number(column, element_at(&data->borrowed[feature], rows[i]));
}

void hr_data_codes_at(const hr_data *data, size_t feature, const uint32_t *rows, size_t count,
                      uint16_t *out) {
    for (size_t i = 0; i < count; i++) {
        uint16_t code;
        out[i] = *hr_data_code_block(data, feature, rows[i], 1, &code);
    }
}
