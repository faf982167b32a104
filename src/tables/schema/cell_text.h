/* How a schema describes the text of cells: how numbers are written, columns of dates; and words of files. */
#ifndef HR_TABLES_SCHEMA_CELL_TEXT_H
#define HR_TABLES_SCHEMA_CELL_TEXT_H

#include <hedgerow/schema.h>

/* Whether the texts of two columns mean the same: formats of numbers, booleans, columns and parts of dates.
 */
bool hr_cell_text_same(const hr_column *a, const hr_column *b);

/* Whether two formats of numbers, or two columns of dates, are the same. */
bool hr_number_format_same(const hr_number_format *a, const hr_number_format *b);
bool hr_date_column_same(const hr_date_column *a, const hr_date_column *b);

/* The rules of docs/reference/formats.md for them. *key is the key that is wrong. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_number_format_check(const hr_number_format *format, const char **key,
                                               hr_error *err);
HR_MUST_CHECK hr_status hr_boolean_check(const hr_column *column, const char **key, hr_error *err);
HR_MUST_CHECK hr_status hr_date_column_check(const hr_date_column *date, const char **key, hr_error *err);

/* The words of hr_offset_rule in files. */
extern const char *const HR_OFFSET_NAMES[3];

/* The words of hr_monotone in files, which have none for HR_MONOTONE_NONE. */
extern const char *const HR_MONOTONE_NAMES[3];

/* The spellings of a boolean: the i-th, and whether it means true; NULL after the last. */
const char *hr_boolean_spelling(size_t i, bool *value);

/* The values of a boolean column. */
extern const char *const HR_BOOLEAN_VALUES[2];

#endif
