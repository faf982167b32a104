/* Tables that the caller has as rows of floats, such as arrays of numpy. Eight columns are looked at, or
 * read, together: one at a time, each would fetch the cache lines of all rows anew. */
#ifndef HR_TABLES_DATA_FLOAT_ROWS_H
#define HR_TABLES_DATA_FLOAT_ROWS_H

#include "base/kernels/kernels.h"
#include "tables/data/records.h"

/* Whether the borrowed columns are such rows, all of them numbers that need not be whole: then sets
 * data->rows_at and data->row_stride. */
bool hr_float_rows_find(hr_data *data);

/* Of a table of such rows: whether all numbers of rows [begin, begin + count) are within the bounds of the
 * schema, and none is missing. */
bool hr_float_rows_within(const hr_data *data, size_t begin, size_t count);

/* out[k * room + i]: feature first + k in row begin + i, as hr_data_number_block gives it, of
 * HR_FLOATS_TOGETHER features, count <= room. */
void hr_float_rows_read(const hr_data *data, size_t first, size_t begin, size_t count, size_t room,
                        double *out);

/* The first of those features that are read together with `feature`. */
static inline size_t hr_float_rows_first(const hr_data *data, size_t feature) {
    const size_t last = data->feature_count - HR_FLOATS_TOGETHER;
    return feature < last ? feature : last;
}

#endif
