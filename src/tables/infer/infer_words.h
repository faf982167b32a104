/* Words of a column between its numbers or dates, as far as a proposal lists them. */
#ifndef HR_TABLES_INFER_INFER_WORDS_H
#define HR_TABLES_INFER_INFER_WORDS_H

#include "base/buffer.h"
#include "base/word_counts.h"

enum {
    HR_WORDS_FIRST = 64,  /* different texts that are kept whatever they are */
    HR_WORDS_MAX = 318,   /* different texts that are kept at all */
    HR_WORDS_LISTED = 254 /* words besides numbers or dates that a proposal lists */
};

/* Counts a text. One that is not there yet is kept among the first HR_WORDS_FIRST, and up to HR_WORDS_MAX if
 * it is `wanted`. False when memory is short. */
bool hr_words_note(hr_words *words, hr_arena *arena, const char *text, size_t size, bool wanted);

/* Writes the most frequent ones and the number of cells of each, for people: "N" (12 cells), "unknown" (1
 * cell) and 3 more. Puts the words in this order. */
void hr_words_show(hr_words *words, hr_buffer *out);

/* Whether a text is a number below or above a limit of measurement, such as <0.5, >100 or <LOD. */
bool hr_word_is_censored(const char *text);

/* Whether at least half of the words, and two of them, are letters before digits, as codes such as V57 and
 * E909 are. */
bool hr_words_are_codes(const hr_words *words);

#endif
