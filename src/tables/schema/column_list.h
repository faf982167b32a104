/* Names of columns as one text: "age, dose" or "[age, dose]". */
#ifndef HR_TABLES_SCHEMA_COLUMN_LIST_H
#define HR_TABLES_SCHEMA_COLUMN_LIST_H

#include "tables/schema/yaml.h"

enum { HR_COLUMN_LIST_TEXT = 4096 }; /* bytes, with the NUL */

/* *out: a list of at least one name, none of them twice; in the arena. Fails: ARGUMENT, MEMORY. */
HR_MUST_CHECK hr_status hr_column_list_read(const char *text, hr_arena *arena, const hr_yaml_node **out,
                                            hr_error *err);

/* Writes the list in brackets, all names in quotation marks. `out` may be `text`. Fails: ARGUMENT (no list,
 * or too long), MEMORY. */
HR_MUST_CHECK hr_status hr_column_list_write(const char *text, char out[HR_COLUMN_LIST_TEXT], hr_error *err);

#endif
