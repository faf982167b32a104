/* YAML text as a small tree, in the strict subset that files written by hand need: mappings, sequences and
 * scalars; no anchors, aliases, tags, second documents, or deep nesting. Every node knows its place for
 * messages. */
#ifndef HR_TABLES_SCHEMA_YAML_H
#define HR_TABLES_SCHEMA_YAML_H

#include "base/arena.h"

#include <hedgerow/status.h>
#include <stdbool.h>

typedef enum hr_yaml_kind { HR_YAML_SCALAR, HR_YAML_SEQUENCE, HR_YAML_MAPPING } hr_yaml_kind;

typedef struct hr_yaml_node {
    hr_yaml_kind kind;
    const char *text; /* scalars: NUL-ended, without NUL inside */
    bool plain;       /* scalars: not quoted */
    uint64_t line, column;
    size_t count; /* of children; a mapping's are key, value, key, value ... and its keys are scalars */
    struct hr_yaml_node *child; /* the first */
    struct hr_yaml_node *next;  /* the next in the same parent */
} hr_yaml_node;

/* Owner: *out lives in the arena. Fails: FORMAT (line, column), MEMORY. */
HR_MUST_CHECK hr_status hr_yaml_parse(const char *text, size_t size, hr_arena *arena,
                                      const hr_yaml_node **out, hr_error *err);

#endif
