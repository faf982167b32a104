/* Different texts of a column and how often each occurs, as far as a proposal lists them. */
#ifndef HR_TABLES_INFER_INFER_WORDS_H
#define HR_TABLES_INFER_INFER_WORDS_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/string_map.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    HR_WORDS_FIRST = 64,  /* different texts that are kept whatever they are */
    HR_WORDS_MAX = 318,   /* different texts that are kept at all */
    HR_WORDS_LISTED = 254 /* words besides numbers or dates that a proposal lists */
};

typedef struct hr_word {
    const char *text; /* in the caller's arena */
    uint64_t cells;
} hr_word;

/* Starts from {0}. */
typedef struct hr_words {
    hr_word *words;
    size_t count, capacity;
    hr_string_map known;
} hr_words;

/* Counts a text. One that is not there yet is kept among the first HR_WORDS_FIRST, and up to HR_WORDS_MAX if
 * it is `wanted`. False when memory is short. */
bool hr_words_add(hr_words *words, hr_arena *arena, const char *text, size_t size, bool wanted);

/* Cells of all texts that are kept. */
uint64_t hr_words_cells(const hr_words *words);

/* Writes the most frequent ones and the number of cells of each, for people: "N" (12 cells), "unknown" (1
 * cell) and 3 more. Puts the words in this order. */
void hr_words_show(hr_words *words, hr_buffer *out);

/* Whether a text is a number below or above a limit of measurement, such as <0.5, >100 or <LOD. */
bool hr_word_is_censored(const char *text);

/* Whether at least half of the words, and two of them, are letters before digits, as codes such as V57 and
 * E909 are. */
bool hr_words_are_codes(const hr_words *words);

void hr_words_done(hr_words *words);

#endif
