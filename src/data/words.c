/* Open addressing with linear probing, at most half full, after Knuth's Algorithm 6.4L. */
#include "data/words.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 16 };

typedef struct hr_word {
    const char *text; /* NULL: free */
    size_t size;
    uint32_t number;
} hr_word;

/* FNV-1a; the high half is folded in because tables use the low bits. */
static size_t hash(const char *text, size_t size) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return (size_t)(h ^ (h >> 32));
}

/* Where the word is, or the free place where it belongs. */
static hr_word *place(hr_word *words, size_t capacity, const char *text, size_t size) {
    size_t at = hash(text, size) & (capacity - 1);
    while (words[at].text && (words[at].size != size || memcmp(words[at].text, text, size) != 0)) at = (at + 1) & (capacity - 1);
    return &words[at];
}

uint32_t hr_words_find(const hr_words *words, const char *text, size_t size) {
    if (!words->count) return HR_WORD_NONE;
    const hr_word *word = place(words->words, words->capacity, text, size);
    return word->text ? word->number : HR_WORD_NONE;
}

static bool grow(hr_words *words) {
    size_t capacity = words->capacity ? words->capacity * 2 : FIRST_CAPACITY;
    hr_word *more = calloc(capacity, sizeof *more);
    if (!more) return false;
    for (size_t i = 0; i < words->capacity; i++) {
        const hr_word *word = &words->words[i];
        if (word->text) *place(more, capacity, word->text, word->size) = *word;
    }
    free(words->words);
    words->words = more;
    words->capacity = capacity;
    return true;
}

bool hr_words_add(hr_words *words, const char *text, size_t size, uint32_t number) {
    if (words->count >= words->capacity / 2 && !grow(words)) return false;
    *place(words->words, words->capacity, text, size) = (hr_word){text, size, number};
    words->count++;
    return true;
}

void hr_words_done(hr_words *words) {
    free(words->words);
    *words = (hr_words){0};
}
