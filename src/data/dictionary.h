/* A data dictionary: public facts about columns in a table of their own, as studies publish them. */
#ifndef HR_DATA_DICTIONARY_H
#define HR_DATA_DICTIONARY_H

#include "base/arena.h"
#include "base/string_map.h"

#include <hedgerow/status.h>
#include <stdbool.h>

/* One column; texts are in the arena of the dictionary. */
typedef struct hr_dictionary_entry {
    const char *name;
    bool has_bounds;
    double low, high; /* if it has bounds: low <= high */
    const char **values;
    size_t value_count; /* not 0: a category, and no bounds */
} hr_dictionary_entry;

typedef struct hr_dictionary {
    hr_dictionary_entry *entries;
    size_t count, capacity;
    hr_string_map names;
} hr_dictionary;

/* Reads CSV with the columns `name`, `low`, `high`, `values` (a list with | or ; between the values); all but
 * the first may be absent, and others are ignored. Starts from {0}; call hr_dictionary_done in either case.
 * Fails: IO, FORMAT (file, line, field), LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_dictionary_read(const char *path, hr_arena *arena, hr_dictionary *out,
                                           hr_error *err);
void hr_dictionary_done(hr_dictionary *dictionary);

/* What it says of a column: its bounds or its values. NULL: neither. */
const hr_dictionary_entry *hr_dictionary_find(const hr_dictionary *dictionary, const char *name);

#endif
