/* Values of columns, whether the data set keeps them or the caller's array does. */
#ifndef HR_TABLES_DATA_COLUMNS_H
#define HR_TABLES_DATA_COLUMNS_H

#include <hedgerow/data.h>

/* Rows that readers take at a time: a block of doubles fits into the first-level cache. */
enum { HR_DATA_BLOCK = 1024 };

/* How many rows of the block at `begin`. */
static inline size_t hr_data_block_size(size_t begin, size_t rows) {
    return rows - begin < HR_DATA_BLOCK ? rows - begin : HR_DATA_BLOCK;
}

static inline double hr_clip_number(const hr_column *column, double value) {
    return value < column->low ? column->low : value > column->high ? column->high : value;
}

/* Bytes; 0: there is no such element. */
size_t hr_element_size(hr_element element);

/* out[i]: element begin + i as a double, not clipped. */
void hr_array_read(const hr_array *array, size_t begin, size_t count, double *out);

/* Whether the elements are a C array of `element`, aligned. */
bool hr_array_is_adjacent(const hr_array *array, hr_element element);

/* Elements [begin, begin + count) as doubles, not clipped: in place if they are adjacent doubles, else in
 * `buffer`. */
const double *hr_array_block(const hr_array *array, size_t begin, size_t count, double *buffer);

/* out[i]: the value of an HR_KIND_NUMBER feature, or the code of an HR_KIND_CATEGORY feature, in row rows[i].
 */
void hr_data_numbers_at(const hr_data *data, size_t feature, const uint32_t *rows, size_t count, double *out);
void hr_data_codes_at(const hr_data *data, size_t feature, const uint32_t *rows, size_t count, uint16_t *out);

#endif
