/* Reads configuration files by tables: the keys of a mapping, the values that each allows, and where they
 * go. */
#ifndef HR_FEDERATION_CONFIG_FIELDS_H
#define HR_FEDERATION_CONFIG_FIELDS_H

#include "tables/schema/keys.h"

#include <float.h>
#include <stdbool.h>

enum {
    HR_FIELDS_FILE_MAX = 1024 * 1024, /* bytes of a file */
    HR_FIELDS_KEYS_MAX = 32           /* keys of a mapping */
};

/* The least number above 0, for open ranges. */
#define HR_ABOVE_ZERO DBL_TRUE_MIN

#define HR_NAME_EXPECTED "a name of 1 to 32 of a-z, 0-9 and -, not beginning with -"

typedef enum hr_field_kind {
    HR_FIELD_OTHER,   /* the caller looks at it */
    HR_FIELD_TEXT,    /* const char * */
    HR_FIELD_NAME,    /* const char *: of a member or federation */
    HR_FIELD_PATH,    /* const char *: relative ones are taken from the file's folder */
    HR_FIELD_TABLE,   /* as HR_FIELD_PATH, or the address of a database, which stays as it is */
    HR_FIELD_NUMBER,  /* double */
    HR_FIELD_INTEGER, /* size_t */
    HR_FIELD_FLAG,    /* bool */
    HR_FIELD_WORD,    /* int: which of `words` */
    HR_FIELD_NAMES,   /* hr_names: at least one; none twice */
    HR_FIELD_MEMBERS, /* as HR_FIELD_NAMES; or the keys of a mapping, whose values the caller looks at */
    HR_FIELD_WORDS    /* hr_names: texts, at least one; none twice */
} hr_field_kind;

typedef struct hr_names {
    const char *const *items;
    size_t count;
} hr_names;

bool hr_names_hold(const hr_names *names, const char *name);

typedef struct hr_field {
    const char *key;
    hr_field_kind kind;
    bool required;
    size_t offset;            /* in the caller's struct */
    double min, max;          /* of numbers; how many of lists */
    const char *const *words; /* ended by NULL */
    const char *expected;     /* what stands there, such as "an integer from 1 to 8" */
} hr_field;

/* The keys of a kind of mapping. */
typedef struct hr_field_table {
    const char *what; /* the mapping, in messages, such as "a job file" */
    const hr_field *fields;
    size_t count;
} hr_field_table;

/* The text of a file. */
typedef struct hr_file_text {
    const char *path; /* in messages; relative paths in the text are taken from its folder */
    const char *text; /* not ended by NUL */
    size_t size;
} hr_file_text;

typedef struct hr_fields {
    hr_keys keys;
    const char *path; /* of the file */
    const hr_yaml_node *root;
} hr_fields;

/* The bytes of a file, at most HR_FIELDS_FILE_MAX, in the arena. Fails: IO, LIMIT, MEMORY; the file is named.
 */
HR_MUST_CHECK hr_status hr_fields_load(const char *path, hr_arena *arena, hr_file_text *out, hr_error *err);

/* Reads the mapping reader->root into `out`. */
typedef hr_status hr_root_reader(const hr_fields *reader, void *out);

/* Parses the text as a mapping, which `read` reads; `what` names it in messages, such as "a job file". *out
 * keeps no pointer to the text. Fails: FORMAT, LIMIT, MEMORY, as `read`; the file is named. */
HR_MUST_CHECK hr_status hr_fields_parse(const hr_file_text *file, const char *what, hr_root_reader *read,
                                        hr_arena *arena, void *out, hr_error *err);

/* Reads a mapping into `target`, in which what is absent stays as it is; found[i] becomes the value of
 * table->fields[i], or NULL. The first field of a file is its version. Fails: FORMAT (line, column), MEMORY.
 */
HR_MUST_CHECK hr_status hr_fields_read(const hr_fields *reader, const hr_yaml_node *map,
                                       const hr_field_table *table, void *target, const hr_yaml_node **found);

/* Two keys that belong together are both there or both not. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_fields_pair(const hr_fields *reader, const hr_field *fields,
                                       const hr_yaml_node *const *found, size_t one, size_t other);

#endif
