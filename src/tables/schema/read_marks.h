/* Where the facts of a schema file come from: marks of what was read from the records, and sources. */
#ifndef HR_TABLES_SCHEMA_READ_MARKS_H
#define HR_TABLES_SCHEMA_READ_MARKS_H

#include "tables/schema/check.h"
#include "tables/schema/keys.h"

/* Where the keys of a mapping, and their values, are. */
typedef struct hr_named_keys {
    const char *const *names;
    const hr_yaml_node **found;
    size_t count;
    const char *also; /* a name that lists may have, too; NULL: none */
} hr_named_keys;

/* Values of the keys of these names; NULL: the key is not there. */
typedef struct hr_mark_keys {
    const hr_yaml_node *review, *accepted, *source;
} hr_mark_keys;

/* Sets review, accepted and source of a column whose keys are `named`. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_read_column_marks(const hr_keys *keys, const hr_named_keys *named,
                                             const hr_mark_keys *marks, hr_column *out);

/* The same of the file: the marks of its spellings of missing and of its unit; `named` are those two keys,
 * in this order. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_read_file_marks(const hr_keys *keys, const hr_named_keys *named,
                                           const hr_mark_keys *marks, hr_schema_parts *parts);

/* The unit: a column, or the plain word `record`. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_read_unit(const hr_keys *keys, const hr_yaml_node *node, hr_schema_parts *parts);

/* The exposure of counts, always a mapping. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_read_exposure(const hr_keys *keys, const hr_yaml_node *node,
                                         const hr_number_format *format, hr_schema_parts *parts);

/* The weight: a column of weights from 0 to 1, or a mapping of it, its largest value, and how its numbers are
 * written if that is not the file's `format`. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_read_weight(const hr_keys *keys, const hr_yaml_node *node,
                                       const hr_number_format *format, hr_schema_parts *parts);

#endif
