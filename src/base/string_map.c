/* Open addressing with linear probing, at most half full, after Knuth's Algorithm 6.4L. */
#include "base/string_map.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 16 };

/* The ends of a word, which may overlap: with its size, they are all of it up to 16 bytes. */
typedef struct word_ends {
    uint64_t first, last;
} word_ends;

typedef struct hr_string_map_entry {
    const char *text; /* NULL: free */
    word_ends ends;
    uint32_t size, number;
} hr_string_map_entry;

static inline word_ends ends_of(const char *text, size_t size) {
    word_ends ends = {0, 0};
    uint32_t first, last;
    if (size >= sizeof ends.first) {
        memcpy(&ends.first, text, sizeof ends.first);
        memcpy(&ends.last, text + size - sizeof ends.last, sizeof ends.last);
    } else if (size >= sizeof first) {
        memcpy(&first, text, sizeof first);
        memcpy(&last, text + size - sizeof last, sizeof last);
        ends = (word_ends){first, last};
    } else {
        for (size_t at = 0; at < size; at++) ends.first = ends.first << 8 | (unsigned char)text[at];
    }
    return ends;
}

static inline uint64_t mix(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

/* Eight bytes at a time. */
static inline uint64_t hash(const char *text, size_t size, word_ends ends) {
    uint64_t h = mix(mix(size, ends.first), ends.last), word;
    for (size_t at = sizeof word; at + sizeof word < size; at += sizeof word) {
        memcpy(&word, text + at, sizeof word);
        h = mix(h, word);
    }
    return h;
}

static inline bool is_word(const hr_string_map_entry *word, const char *text, size_t size, word_ends ends) {
    return word->ends.first == ends.first && word->ends.last == ends.last && word->size == size &&
           (size <= sizeof ends || memcmp(word->text, text, size) == 0);
}

/* Where the word is, or the free place where it belongs. */
static inline hr_string_map_entry *string_map_slot(const hr_string_map *words, const char *text,
                                                   size_t size) {
    const word_ends ends = ends_of(text, size);
    size_t at = (size_t)hash(text, size, ends) & (words->capacity - 1);
    while (words->words[at].text && !is_word(&words->words[at], text, size, ends))
        at = (at + 1) & (words->capacity - 1);
    return &words->words[at];
}

/* One bit for each size of a word. */
static uint64_t bit_of_size(size_t size) {
    return (uint64_t)1 << (size < 63 ? size : 63);
}

uint32_t hr_string_map_find(const hr_string_map *words, const char *text, size_t size) {
    if (!(words->sizes & bit_of_size(size))) return HR_STRING_MAP_NONE;
    const hr_string_map_entry *word = string_map_slot(words, text, size);
    return word->text ? word->number : HR_STRING_MAP_NONE;
}

static void put_word(hr_string_map *words, const char *text, size_t size, uint32_t number) {
    *string_map_slot(words, text, size) =
        (hr_string_map_entry){text, ends_of(text, size), (uint32_t)size, number};
}

static bool grow_string_map(hr_string_map *words) {
    hr_string_map more = *words;
    more.capacity = words->capacity ? words->capacity * 2 : FIRST_CAPACITY;
    more.words = calloc(more.capacity, sizeof *more.words);
    if (!more.words) return false;
    for (size_t i = 0; i < words->capacity; i++) {
        const hr_string_map_entry *word = &words->words[i];
        if (word->text) put_word(&more, word->text, word->size, word->number);
    }
    free(words->words);
    *words = more;
    return true;
}

bool hr_string_map_add(hr_string_map *words, const char *text, size_t size, uint32_t number) {
    if (size > UINT32_MAX) return false;
    if (words->count >= words->capacity / 2 && !grow_string_map(words)) return false;
    put_word(words, text, size, number);
    words->sizes |= bit_of_size(size);
    words->count++;
    return true;
}

void hr_string_map_done(hr_string_map *words) {
    free(words->words);
    *words = (hr_string_map){0};
}
