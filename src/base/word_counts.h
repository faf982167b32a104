/* Different texts and how often each occurs, up to a number of different ones. */
#ifndef HR_BASE_WORD_COUNTS_H
#define HR_BASE_WORD_COUNTS_H

#include "base/arena.h"
#include "base/string_map.h"

typedef struct hr_word {
    const char *text; /* in the caller's arena */
    uint64_t cells;   /* that have it */
} hr_word;

/* Starts from {0}. */
typedef struct hr_words {
    hr_word *words;
    size_t count, capacity;
    hr_string_map known; /* the place of each text; empty after hr_words_sort */
} hr_words;

/* Counts a text; one that is not there yet is kept if there are fewer than `most`, and else *kept is false.
 * False when memory is short. Not after hr_words_sort. */
bool hr_words_add(hr_words *words, hr_arena *arena, const char *text, size_t size, size_t most, bool *kept);

/* Cells of all texts that are kept. */
uint64_t hr_words_cells(const hr_words *words);

/* The most frequent ones first; equally frequent ones in the order of their bytes. */
void hr_words_sort(hr_words *words);

void hr_words_done(hr_words *words);

#endif
