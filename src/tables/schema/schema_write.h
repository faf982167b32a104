/* Pieces of a rendered schema, for those who add remarks between them. */
#ifndef HR_TABLES_SCHEMA_SCHEMA_WRITE_H
#define HR_TABLES_SCHEMA_SCHEMA_WRITE_H

#include "base/buffer.h"
#include "tables/schema/check.h"

/* A text in quotation marks. */
void hr_schema_write_text(hr_buffer *out, const char *text);

/* What a person should do with a mark, unless the writer knows better. */
#define HR_SCHEMA_ADVICE "replace by public facts, and this line by their source"

/* What is written with the line `review` of a column, which names all keys of its entry but its name. NULL:
 * nothing besides. */
typedef struct hr_schema_mark {
    const char *remark; /* what was seen in the records, or NULL */
    const char *advice; /* NULL: HR_SCHEMA_ADVICE */
    bool name_too;      /* that there is such a column was read from the records, too */
} hr_schema_mark;

/* One column, as an entry of `features` or as the label; not a part of a date. The mark is written if
 * column->review, here and below. */
void hr_schema_write_column(hr_buffer *out, const hr_column *column, bool is_label,
                            const hr_schema_mark *mark);

/* A column of dates, as an entry of `features`: `parts` are its features, of which there are `count`. */
void hr_schema_write_date(hr_buffer *out, const hr_column *parts, size_t count, const hr_schema_mark *mark);

/* A column that is no feature, as an entry of `features`. */
void hr_schema_write_unused(hr_buffer *out, const hr_column *column, const hr_schema_mark *mark);

/* What stands below the columns: spellings of missing, the unit, and where both come from. `remark` says what
 * was seen in the records of the unit, if it awaits review; NULL: nothing is known. */
void hr_schema_write_rest(hr_buffer *out, const hr_schema_parts *parts, const char *remark);

#endif
