/* A data dictionary: public facts about columns in a table of their own, as studies publish them. */
#ifndef HR_TABLES_INFER_DICTIONARY_H
#define HR_TABLES_INFER_DICTIONARY_H

#include "base/arena.h"
#include "base/string_map.h"

#include <hedgerow/status.h>
#include <stdbool.h>

/* One column; texts are in the arena of the dictionary. */
/* Different words, in their order. */
typedef struct hr_dictionary_words {
    const char **words;
    size_t count, capacity;
    hr_string_map known;
} hr_dictionary_words;

typedef struct hr_dictionary_entry {
    const char *name;
    bool has_bounds, integer;
    double low, high;           /* if it has bounds: low <= high */
    hr_dictionary_words values; /* some: a category, and no bounds */
    const char *source;         /* where the facts are published */
} hr_dictionary_entry;

typedef struct hr_dictionary {
    hr_dictionary_entry *entries;
    size_t count, capacity;
    hr_string_map names;
    const char *source;          /* of facts whose entry does not name one */
    bool lists_missing;          /* it has a column of spellings of missing */
    hr_dictionary_words missing; /* those of all its entries */
} hr_dictionary;

/* Reads CSV with the columns `name`, `low`, `high`, `integer` (true or false), `values`, `missing` (lists
 * with | or ; between the words), `source`; all but the first may be absent, and others are ignored. Starts
 * from {0}; call hr_dictionary_done in either case. Fails: IO, FORMAT (file, line, field), LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_dictionary_read(const char *path, hr_arena *arena, hr_dictionary *out,
                                           hr_error *err);
void hr_dictionary_done(hr_dictionary *dictionary);

/* The entry of a column, with its bounds or its values. NULL: it has none. */
const hr_dictionary_entry *hr_dictionary_find(const hr_dictionary *dictionary, const char *name);

#endif
