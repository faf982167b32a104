/* The spellings of missing that a proposal lists: they hold for all columns of a table. */
#ifndef HR_TABLES_INFER_INFER_MISSING_H
#define HR_TABLES_INFER_INFER_MISSING_H

#include "tables/infer/infer_write.h"

/* Starts from {0}. Words are borrowed from the inferences. */
typedef struct hr_missing_words {
    const char **list;
    size_t count, capacity;
    hr_string_map known;
} hr_missing_words;

/* The spellings of the dictionary, if it has a column of them, in `known` alone. Else common ones that
 * columns of numbers, booleans or dates use, and words and codes between numbers and dates. Those that are
 * values of another column are not taken: the column that has them is judged again, with a remark. Call
 * hr_missing_words_done in either case. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_missing_words_take(hr_missing_words *words, const hr_inferences *all,
                                              hr_error *err);
void hr_missing_words_done(hr_missing_words *words);

#endif
