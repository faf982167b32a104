/* Keys and values of a YAML file that people write by hand, read strictly: what is unknown, given twice,
 * missing or of another type is refused with its place. Shared by all such files. */
#ifndef HR_TABLES_SCHEMA_KEYS_H
#define HR_TABLES_SCHEMA_KEYS_H

#include "base/buffer.h"
#include "tables/schema/yaml.h"

typedef struct hr_keys {
    hr_arena *arena;
    hr_error *err;
} hr_keys;

/* The remedy where the message itself names what is expected. */
#define HR_KEYS_SHOWN "docs/reference/formats.md shows how it is written"

/* Fails as hr_fail does, at the node. */
hr_status hr_keys_refuse(const hr_keys *keys, const hr_yaml_node *node, const char *remedy,
                         const char *format, ...) HR_PRINTF(4, 5);
/* The node is a list, a mapping or a single value, where something else is expected. */
hr_status hr_keys_refuse_kind(const hr_keys *keys, const hr_yaml_node *node, const char *what,
                              const char *expected);

/* The values of a mapping's keys: found[i] is that of names[i], or stays NULL. `names` ends in NULL; `help`
 * is the remedy for a key that is not among them. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_keys_find(const hr_keys *keys, const hr_yaml_node *map, const char *const *names,
                                     const char *help, const hr_yaml_node **found);
/* Refuses an absent value of the mapping `parent`. */
HR_MUST_CHECK hr_status hr_keys_need(const hr_keys *keys, const hr_yaml_node *parent,
                                     const hr_yaml_node *node, const char *key, const char *why);
/* The version of the format, which stands under `key`, must be there and 1. */
HR_MUST_CHECK hr_status hr_keys_version(const hr_keys *keys, const hr_yaml_node *root,
                                        const hr_yaml_node *node, const char *key);

/* Single values; `what` names them in messages. A text is not empty; a number or flag is not quoted. */
HR_MUST_CHECK hr_status hr_keys_text(const hr_keys *keys, const hr_yaml_node *node, const char *what,
                                     const char **out);
HR_MUST_CHECK hr_status hr_keys_number(const hr_keys *keys, const hr_yaml_node *node, const char *what,
                                       double *out);
HR_MUST_CHECK hr_status hr_keys_flag(const hr_keys *keys, const hr_yaml_node *node, const char *what,
                                     bool *out);
/* node->count texts. */
HR_MUST_CHECK hr_status hr_keys_list(const hr_keys *keys, const hr_yaml_node *node, const char *what,
                                     const char *const **out);

/* Adds the node as one line that is read as the same: lists in brackets, texts in quotation marks. */
void hr_keys_line(hr_buffer *out, const hr_yaml_node *node);

#endif
