/* Keys of a schema file about the meaning of the text of cells. */
#ifndef HR_TABLES_SCHEMA_SCHEMA_READ_TEXT_H
#define HR_TABLES_SCHEMA_SCHEMA_READ_TEXT_H

#include "tables/schema/keys.h"

#include <hedgerow/schema.h>

/* Values of keys; NULL: the key is not there. */
typedef struct hr_number_format_keys {
    const hr_yaml_node *decimal, *thousands, *symbol;
} hr_number_format_keys;

typedef struct hr_date_keys {
    const hr_yaml_node *from, *to, *format, *offset, *parts;
} hr_date_keys;

typedef struct hr_time_keys {
    const hr_yaml_node *event, *intervals;
} hr_time_keys;

/* Sets the fields of *out that the keys describe. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_read_number_format(const hr_keys *keys, const hr_number_format_keys *nodes,
                                              hr_number_format *out);

/* Reads a column of dates and puts one feature a part into out[0 .. number of parts); `map` is its mapping.
 * Everything lives in the arena. Fails: FORMAT, MEMORY. */
HR_MUST_CHECK hr_status hr_read_date_column(const hr_keys *keys, const hr_yaml_node *map, const char *name,
                                            const hr_date_keys *nodes, hr_column *out);

/* Reads the event and the cuts of a label that is a time; `map` is its mapping. Fails: FORMAT, MEMORY. */
HR_MUST_CHECK hr_status hr_read_time_column(const hr_keys *keys, const hr_yaml_node *map,
                                            const hr_time_keys *nodes, hr_column *out);

#endif
