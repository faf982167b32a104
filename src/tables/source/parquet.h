/* A Parquet file as CSV: row group after row group, with the cells of the columns that are read alone. */
#ifndef HR_TABLES_SOURCE_PARQUET_H
#define HR_TABLES_SOURCE_PARQUET_H

#include "base/byte_source.h"
#include "tables/source/file_range.h"
#include "tables/source/parquet_module.h"

#include <stddef.h>

/* Which columns of a table are read, by their names without outer blanks. */
typedef struct hr_column_choice {
    bool (*reads)(const void *of, const char *name, size_t size); /* NULL: all are read */
    const void *of;
} hr_column_choice;

/* A regular file that is open, whose position stays as it is. The first line has the names of all columns;
 * cells of those that are not read are empty. range: of row groups; NULL: all. Owner: the caller frees *out.
 * Reading fails: FORMAT (damaged; a cell that is none), LIMIT, MEMORY. Fails: as that; FORMAT (a column has a
 * type that is no cell; the field is named), ABSENT (this build lacks the reader, or it cannot be loaded),
 * IO. */
HR_MUST_CHECK hr_status hr_parquet_open(int file, const hr_column_choice *columns, const hr_byte_range *range,
                                        hr_byte_stream **out, hr_error *err);

/* How many rows there are up to the end of each row group. */
typedef struct hr_row_groups {
    uint64_t *ends;
    size_t count;
} hr_row_groups;

/* Of a file that is open. Owner: the caller frees out->ends; after a failure it is NULL. Fails: as
 * hr_parquet_open; LIMIT (rows). */
HR_MUST_CHECK hr_status hr_parquet_groups(int file, hr_row_groups *out, hr_error *err);

/* ---- The module ---- */

/* Loads it the first time. Fails: ABSENT. */
HR_MUST_CHECK hr_status hr_parquet_load(const hr_parquet_module **out, hr_error *err);

#endif
