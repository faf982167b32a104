/* The answer of an SQLite database to a query, as CSV. */
#ifndef HR_TABLES_SOURCE_SQLITE_H
#define HR_TABLES_SOURCE_SQLITE_H

#include "base/byte_source.h"
#include "tables/source/query.h"

/* Opens the database for reading alone, and runs the query, which must be one statement that reads. The rows
 * are of one snapshot. NULL is an empty cell. Owner: the caller frees *out by its `free`. Reading fails: IO,
 * FORMAT (a BLOB), MEMORY. Fails: IO, FORMAT (the query; its file and line are named), MEMORY. */
HR_MUST_CHECK hr_status hr_sqlite_open(const char *path, const hr_query *query, hr_byte_stream **out,
                                       hr_error *err);

#endif
