/* Cells of Arrow's columns as cells of CSV. */
#ifndef HR_TABLES_SOURCE_ARROW_CELLS_H
#define HR_TABLES_SOURCE_ARROW_CELLS_H

#include "base/buffer.h"
#include "tables/source/arrow_abi.h"

/* How the cells of a column are read. */
typedef struct hr_arrow_column {
    const char *format; /* Arrow's, of the values */
    const char
        *code_format;   /* of the integers that stand for the values of a dictionary; NULL: there is none */
    int limbs, scale;   /* of a decimal: words of 32 bits, digits behind the point */
    int64_t per_second; /* of a time: units of its numbers */
    bool utc;           /* of a time: it is in UTC */
} hr_arrow_column;

/* Borrows the schema. Fails: FORMAT (a type that is no cell of a table); the field is named. */
HR_MUST_CHECK hr_status hr_arrow_column_init(const struct ArrowSchema *schema, hr_arrow_column *out,
                                             hr_error *err);

/* Adds the cell of a row of an array that is valid. What is missing, and NaN, adds nothing. Fails: FORMAT (a
 * NUL in a text, a time out of range); the place is not named. */
HR_MUST_CHECK hr_status hr_arrow_cell_write(const hr_arrow_column *column, const struct ArrowArray *array,
                                            int64_t row, hr_buffer *out, hr_error *err);

#endif
