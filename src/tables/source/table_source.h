/* Where a table's bytes come from: a file, which may be compressed, standard input, or what comes as CSV: a
 * Parquet file, a database's answer to a query. The readers see no difference. */
#ifndef HR_TABLES_SOURCE_TABLE_SOURCE_H
#define HR_TABLES_SOURCE_TABLE_SOURCE_H

#include "base/byte_source.h"
#include "tables/source/parquet.h"

typedef struct hr_table_place {
    const char *path;    /* of a file, "-" for standard input, or the address of a PostgreSQL database */
    const char *query;   /* for a database: a file with one SQL query, else NULL */
    const char *formats; /* names of those that a table may be in, for refusals; NULL: no contents are read */
    bool as_written;     /* options say how its lines are written: it is not converted */
    hr_column_choice columns;    /* that are read, where others need not be: {0}: all */
    const hr_byte_range *groups; /* of a Parquet file: its row groups that are read; NULL: all */
} hr_table_place;

typedef struct hr_origins hr_origins; /* origins.h */

/* Opens it, adds it to the origins (NULL: to none), which see all that is read, and reads the beginning.
 * Fails: IO, FORMAT (neither text nor anything that can be read as such; a query that cannot be run),
 * ARGUMENT (a database without a query, or a query without a database; it was added before), ABSENT (a
 * library is missing), LIMIT, MEMORY; the file is named, without a password. Call hr_byte_source_done in
 * either case. */
HR_MUST_CHECK hr_status hr_table_source_open(const hr_table_place *place, hr_origins *origins,
                                             hr_byte_source *out, hr_error *err);

/* Names the place in an error about what was read from it: `name`, or the path (NULL) without a password. */
hr_status hr_table_source_fail_at(const hr_table_place *place, const char *name, hr_status status,
                                  hr_error *err);

#endif
