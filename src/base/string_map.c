/* Open addressing with linear probing, at most half full, after Knuth's Algorithm 6.4L. */
#include "base/string_map.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 16 };

typedef struct hr_string_map_entry {
    const char *text; /* NULL: free */
    size_t size;
    uint32_t number;
} hr_string_map_entry;

static uint64_t mix(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

/* Eight bytes at a time: most words are read at once. The last ones are read with those before them again. */
static size_t hash(const char *text, size_t size) {
    uint64_t h = size, word = 0;
    uint32_t first, last;
    size_t at = 0;
    for (; at + sizeof word <= size; at += sizeof word) {
        memcpy(&word, text + at, sizeof word);
        h = mix(h, word);
    }
    if (at == size) return (size_t)h;
    if (size >= sizeof word) {
        memcpy(&word, text + size - sizeof word, sizeof word);
    } else if (size >= sizeof first) {
        memcpy(&first, text, sizeof first);
        memcpy(&last, text + size - sizeof last, sizeof last);
        word = (uint64_t)first << 32 | last;
    } else {
        for (; at < size; at++) word = word << 8 | (unsigned char)text[at];
    }
    return (size_t)mix(h, word);
}

/* Where the word is, or the free place where it belongs. */
static hr_string_map_entry *string_map_slot(hr_string_map_entry *words, size_t capacity, const char *text,
                                            size_t size) {
    size_t at = hash(text, size) & (capacity - 1);
    while (words[at].text && (words[at].size != size || memcmp(words[at].text, text, size) != 0))
        at = (at + 1) & (capacity - 1);
    return &words[at];
}

uint32_t hr_string_map_find(const hr_string_map *words, const char *text, size_t size) {
    if (!words->count) return HR_STRING_MAP_NONE;
    const hr_string_map_entry *word = string_map_slot(words->words, words->capacity, text, size);
    return word->text ? word->number : HR_STRING_MAP_NONE;
}

static bool grow_string_map(hr_string_map *words) {
    size_t capacity = words->capacity ? words->capacity * 2 : FIRST_CAPACITY;
    hr_string_map_entry *more = calloc(capacity, sizeof *more);
    if (!more) return false;
    for (size_t i = 0; i < words->capacity; i++) {
        const hr_string_map_entry *word = &words->words[i];
        if (word->text) *string_map_slot(more, capacity, word->text, word->size) = *word;
    }
    free(words->words);
    words->words = more;
    words->capacity = capacity;
    return true;
}

bool hr_string_map_add(hr_string_map *words, const char *text, size_t size, uint32_t number) {
    if (words->count >= words->capacity / 2 && !grow_string_map(words)) return false;
    *string_map_slot(words->words, words->capacity, text, size) = (hr_string_map_entry){text, size, number};
    words->count++;
    return true;
}

void hr_string_map_done(hr_string_map *words) {
    free(words->words);
    *words = (hr_string_map){0};
}
