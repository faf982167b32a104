/* The features of a table most of whose cells are absent, column by column: the cells that are there, and one
 * value a column that all others have. Takes 12 bytes for each cell that is there, in place of 8 for each row
 * and column. */
#ifndef HR_TABLES_DATA_SPARSE_H
#define HR_TABLES_DATA_SPARSE_H

#include "tables/data/records.h"

enum { HR_SPARSE_CELL = sizeof(uint32_t) + sizeof(double) }; /* bytes of a cell */

/* Cells in lines, which are rows or columns: those of line i are cells begins[i] to begins[i + 1] - 1. */
typedef struct hr_entries {
    size_t lines;
    size_t *begins;   /* lines + 1 */
    uint32_t *across; /* the cell's place in its line: its column or its row */
    double *values;
} hr_entries;

struct hr_sparse {
    hr_entries columns; /* rows ascend in each; values as hr_data_number_block gives them, or codes */
    double *absent;     /* of each column: the value of the cells that are not there */
};

/* Cells of a sparse table that are there; 0: the table is in columns. */
static inline size_t hr_data_cells(const hr_data *data) {
    return data->sparse ? data->sparse->columns.begins[data->sparse->columns.lines] : 0;
}

/* Some cells of a column. */
typedef struct hr_entry_run {
    const uint32_t *rows; /* ascending */
    const double *values;
    size_t count;
} hr_entry_run;

/* Whether the cells that are there are few enough to keep a table so: at most one of 8. */
static inline bool hr_entries_are_few(size_t entries, size_t rows, size_t columns) {
    return entries <= rows * columns / 8;
}

/* Room for `count` cells; begins are 0. Call hr_entries_done in either case. False when memory is short. */
bool hr_entries_init(hr_entries *entries, size_t lines, size_t count);
void hr_entries_done(hr_entries *entries);

/* The same cells, lines across: those of each line ascend by the line that they come from; two cells of one
 * place keep their order. Call hr_entries_done in either case. False when memory is short. */
bool hr_entries_turn(const hr_entries *from, size_t lines, hr_entries *to);

/* Takes the cells of `rows` by row, whose places are columns. Takes `absent`, allocated by malloc, in either
 * case. Owner: the caller frees the result with hr_sparse_free. NULL when memory is short. */
hr_sparse *hr_sparse_of_rows(const hr_entries *rows, size_t columns, double *absent);
/* NULL is allowed. */
void hr_sparse_free(hr_sparse *sparse);

/* The cells of a column in rows [begin, end). */
hr_entry_run hr_sparse_run(const hr_sparse *sparse, size_t column, size_t begin, size_t end);

/* The cell of one row. */
double hr_sparse_cell(const hr_sparse *sparse, size_t column, size_t row);

/* The cells of rows [begin, begin + count), of numbers or of codes. */
void hr_sparse_numbers(const hr_sparse *sparse, size_t column, size_t begin, size_t count, double *out);
void hr_sparse_codes(const hr_sparse *sparse, size_t column, size_t begin, size_t count, uint16_t *out);

/* What hr_data_take and hr_data_clip make of the features: rows may come in any order, and more than once.
 * NULL when memory is short. */
hr_sparse *hr_sparse_take(const hr_sparse *sparse, size_t rows, const uint32_t *taken, size_t count);
hr_sparse *hr_sparse_clip(const hr_sparse *sparse, const hr_schema *schema);

/* A copy of some columns, in the given order. NULL when memory is short. */
hr_sparse *hr_sparse_part(const hr_sparse *sparse, const size_t *columns, size_t count);

/* ---- Records in the making ---- */

/* They come one after the other, each with the cells that are there. */
typedef struct hr_sparse_rows {
    hr_entries entries; /* of whole records */
    size_t cells;       /* with those of the record that is read */
    size_t row_room, cell_room;
    double *labels; /* of whole records */
    double *absent; /* of each feature: the value of the cells that are not there */
} hr_sparse_rows;

/* Owner: the caller frees the result with hr_sparse_rows_free. NULL when memory is short. */
hr_sparse_rows *hr_sparse_rows_new(size_t features);
/* NULL is allowed. */
void hr_sparse_rows_free(hr_sparse_rows *rows);

/* Adds a cell to the record that is read; ends the record. False when memory is short. */
bool hr_sparse_rows_add(hr_sparse_rows *rows, size_t feature, double value);
bool hr_sparse_rows_end(hr_sparse_rows *rows, double label);

#endif
