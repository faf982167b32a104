/* CSV tables. */
#ifndef HR_DATA_CSV_H
#define HR_DATA_CSV_H

#include "base/arena.h"
#include "data/lines.h"

#include <hedgerow/data.h>

/* The first record: the names of the columns. */
typedef struct hr_csv_header {
    const char **names; /* in an arena; NUL-ended */
    size_t count;
} hr_csv_header;

/* Fails: FORMAT (no header), MEMORY. */
HR_MUST_CHECK hr_status hr_csv_read_header(hr_lines *lines, hr_arena *arena, hr_csv_header *out,
                                           hr_error *err);

/* The failure of a header that lacks a column; lists what is there. */
hr_status hr_csv_refuse_missing(const hr_csv_header *header, const char *name, hr_error *err);

/* The failure of a record with fewer or more cells than expected. */
hr_status hr_csv_refuse_ragged(uint64_t line, size_t found, size_t expected, bool more, hr_error *err);

/* Reads a table from its beginning. Fails as hr_data_read does, without the file's name. */
HR_MUST_CHECK hr_status hr_csv_read(const hr_schema *schema, hr_byte_source *source, bool label_optional,
                                    hr_data **out, hr_error *err);

#endif
