/* One SQL query in a file. */
#ifndef HR_TABLES_SOURCE_QUERY_H
#define HR_TABLES_SOURCE_QUERY_H

#include <hedgerow/status.h>

enum { HR_QUERY_MAX = 1024 * 1024 /* bytes of the file */ };

typedef struct hr_query {
    const char *path;
    char *text; /* NUL-ended, without blanks and semicolons at its end */
} hr_query;

/* Owner: the caller frees *out with hr_query_done, in case of failure too. Fails: IO, FORMAT (empty, not
 * UTF-8), LIMIT, MEMORY; the file is named. */
HR_MUST_CHECK hr_status hr_query_read(const char *path, hr_query *out, hr_error *err);
void hr_query_done(hr_query *query);

/* Names the file in an error about the query, and the line of text[at]; SIZE_MAX: not known. */
hr_status hr_query_fail_at(const hr_query *query, size_t at, hr_status status, hr_error *err);

#endif
