/* A table from words to small numbers: category values to codes, column names to positions. */
#ifndef HR_DATA_WORDS_H
#define HR_DATA_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts from {0}. The text of a word is borrowed and must live as long as the table. */
typedef struct hr_words {
    struct hr_word *words;
    size_t count, capacity; /* capacity: 0 or a power of two */
} hr_words;

#define HR_WORD_NONE UINT32_MAX

/* The number of a word, or HR_WORD_NONE. */
uint32_t hr_words_find(const hr_words *words, const char *text, size_t size);

/* Adds a word that is not in the table. False when memory is short. */
bool hr_words_add(hr_words *words, const char *text, size_t size, uint32_t number);

void hr_words_done(hr_words *words);

#endif
