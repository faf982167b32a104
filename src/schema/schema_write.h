/* Pieces of a rendered schema, for those who add remarks between them. */
#ifndef HR_SCHEMA_SCHEMA_WRITE_H
#define HR_SCHEMA_SCHEMA_WRITE_H

#include "base/buffer.h"

#include <hedgerow/schema.h>

/* A text in quotation marks. */
void hr_schema_write_text(hr_buffer *out, const char *text);

/* The line of a column that awaits review: its keys, and what a person should do. NULL: the bounds or the
 * values; to replace them by public knowledge. */
typedef struct hr_schema_mark {
    const char *keys, *advice;
} hr_schema_mark;

/* One column, as an entry of `features` or as the label; not a part of a date. The mark (NULL: as described)
 * is written if column->review. */
void hr_schema_write_column(hr_buffer *out, const hr_column *column, bool is_label,
                            const hr_schema_mark *mark);

/* A column of dates, as an entry of `features`: `parts` are its features, of which there are `count`. The
 * mark is as above. */
void hr_schema_write_date(hr_buffer *out, const hr_column *parts, size_t count, const hr_schema_mark *mark);

/* "missing: [...]", nothing if there are none. */
void hr_schema_write_missing(hr_buffer *out, const char *const *words, size_t count);

#endif
