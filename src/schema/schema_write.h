/* Pieces of a rendered schema, for those who add remarks between them. */
#ifndef HR_SCHEMA_SCHEMA_WRITE_H
#define HR_SCHEMA_SCHEMA_WRITE_H

#include "base/buffer.h"

#include <hedgerow/schema.h>

/* One column, as an entry of `features` or as the label; not a part of a date. `review` overrides what the line of that name lists;
 * NULL: the bounds or the values, if column->review. */
void hr_schema_write_column(hr_buffer *out, const hr_column *column, bool is_label, const char *review);

/* A column of dates, as an entry of `features`: `parts` are its features, of which there are `count`. `review`
 * is as above. */
void hr_schema_write_date(hr_buffer *out, const hr_column *parts, size_t count, const char *review);

/* "missing: [...]", nothing if there are none. */
void hr_schema_write_missing(hr_buffer *out, const char *const *words, size_t count);

#endif
