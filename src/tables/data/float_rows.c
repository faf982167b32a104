#include "tables/data/float_rows.h"

#include "tables/data/columns.h"
#include "tables/schema/schema.h"

#include <math.h>

static bool is_beside(const hr_array *array, const hr_array *first, size_t f) {
    return array->element == HR_ELEMENT_FLOAT32 && array->stride == first->stride &&
           (uintptr_t)array->at == (uintptr_t)first->at + f * sizeof(float);
}

bool hr_float_rows_find(hr_data *data) {
    const hr_array *first = data->borrowed;
    bool found = data->feature_count >= HR_FLOATS_TOGETHER && (uintptr_t)first->at % sizeof(float) == 0 &&
                 first->stride % (ptrdiff_t)sizeof(float) == 0;
    for (size_t f = 0; found && f < data->feature_count; f++) {
        const hr_column *column = hr_schema_feature(data->schema, f);
        found = column->kind == HR_KIND_NUMBER && !column->integer && is_beside(&data->borrowed[f], first, f);
    }
    if (!found) return false;
    data->rows_at = first->at;
    data->row_stride = first->stride / (ptrdiff_t)sizeof(float);
    return true;
}

static hr_float_rows rows_from(const hr_data *data, size_t feature, size_t begin, size_t count) {
    return (hr_float_rows){data->rows_at + (ptrdiff_t)begin * data->row_stride + feature, data->row_stride,
                           count};
}

/* The least float from the low bound on, and the largest up to the high one: a float is within these exactly
 * if it is within those. */
static hr_float_bounds bounds_from(const hr_schema *schema, size_t feature) {
    hr_float_bounds bounds;
    for (size_t k = 0; k < HR_FLOATS_TOGETHER; k++) {
        const hr_column *column = hr_schema_feature(schema, feature + k);
        const float low = (float)column->low, high = (float)column->high;
        bounds.low[k] = (double)low < column->low ? nextafterf(low, INFINITY) : low;
        bounds.high[k] = (double)high > column->high ? nextafterf(high, -INFINITY) : high;
    }
    return bounds;
}

bool hr_float_rows_within(const hr_data *data, size_t begin, size_t count) {
    const hr_kernels *kernels = hr_kernels_get();
    bool within = true;
    for (size_t f = 0; within && f < data->feature_count; f += HR_FLOATS_TOGETHER) {
        const size_t first = hr_float_rows_first(data, f);
        const hr_float_bounds bounds = bounds_from(data->schema, first);
        const hr_float_rows rows = rows_from(data, first, begin, count);
        within = kernels->floats_within(&rows, &bounds);
    }
    return within;
}

void hr_float_rows_read(const hr_data *data, size_t first, size_t begin, size_t count, size_t room,
                        double *out) {
    const hr_float_rows rows = rows_from(data, first, begin, count);
    hr_kernels_get()->columns_of_floats(&rows, room, out);
    for (size_t k = 0; k < HR_FLOATS_TOGETHER; k++) {
        const hr_column *column = hr_schema_feature(data->schema, first + k);
        double *numbers = out + k * room;
        if (!data->reports[first + k].out_of_range) continue;
        for (size_t i = 0; i < count; i++) numbers[i] = hr_clip_number(column, numbers[i]);
    }
}
