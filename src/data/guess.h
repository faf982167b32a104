/* What the cells of one column look like: gathered cell by cell, then judged. */
#ifndef HR_DATA_GUESS_H
#define HR_DATA_GUESS_H

#include "base/arena.h"
#include "data/words.h"

#include <hedgerow/schema.h>

enum {
    HR_GUESS_VALUES = 254,   /* categories that are listed; more are only counted as "more" */
    HR_GUESS_SPELLINGS = 11, /* common spellings of missing */
    HR_GUESS_CLASSES = 20,   /* more classes than that deserve a remark */
    HR_GUESS_WHOLE_CLASSES = 10
};

/* Starts from {0} and a name. Texts are in the caller's arena. */
typedef struct hr_guess {
    const char *name;
    hr_words distinct; /* different cells, as text */
    const char *values[HR_GUESS_VALUES];
    size_t value_count;
    bool more; /* there are more different cells than `values` hold */
    uint64_t cells, numbers, empty;
    uint64_t last_row; /* LIBSVM: the record in which the column was met last, from 1 */
    double low, high;  /* of the numbers */
    bool fractions, words;
    bool spelled[HR_GUESS_SPELLINGS]; /* which spellings of missing were met */
} hr_guess;

/* False when memory is short. */
bool hr_guess_add(hr_guess *guess, hr_arena *arena, const char *cell, size_t size);
void hr_guess_done(hr_guess *guess);

/* The i-th common spelling of missing. */
const char *hr_guess_spelling(size_t i);

/* Whether all cells are numbers, but for empty ones and common spellings of missing. */
bool hr_guess_is_number(const hr_guess *guess);

/* Judges a feature or the label. `missing` are the words that the schema will list as missing: they are no categories.
 * The column borrows from the guess, whose values are put in order. *remark is a line for people, or NULL. */
void hr_guess_feature(hr_guess *guess, const hr_words *missing, hr_column *out, const char **remark);
/* Fails: SCHEMA (it cannot be a label). */
HR_MUST_CHECK hr_status hr_guess_label(hr_guess *guess, const hr_words *missing, hr_column *out, const char **remark, hr_error *err);

#endif
