/* The answer of a PostgreSQL database to a query, as CSV. */
#ifndef HR_TABLES_SOURCE_POSTGRES_H
#define HR_TABLES_SOURCE_POSTGRES_H

#include "base/byte_source.h"
#include "tables/source/query.h"

/* Connects as libpq does (its environment variables, password and service files), and runs the query, which
 * must be one statement that reads, in a read-only transaction of one snapshot. NULL is an empty cell; the
 * text is UTF-8. Nothing is written to standard error, and no message holds a password. Owner: the caller
 * frees *out by its `free`. Reading fails: IO (the query failed, the connection was lost), MEMORY. Fails: IO,
 * FORMAT (the address; the query: its file and line are named), ABSENT, MEMORY. */
HR_MUST_CHECK hr_status hr_postgres_open(const char *address, const hr_query *query, hr_byte_stream **out,
                                         hr_error *err);

#endif
