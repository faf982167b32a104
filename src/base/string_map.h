/* A table from words to small numbers: category values to codes, column names to positions. */
#ifndef HR_BASE_STRING_MAP_H
#define HR_BASE_STRING_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts from {0}. The text of a word is borrowed and must live as long as the table. */
typedef struct hr_string_map {
    struct hr_string_map_entry *words;
    size_t count, capacity; /* capacity: 0 or a power of two */
    uint64_t sizes;         /* of the words: a bit each, the last one for all that are longer */
} hr_string_map;

#define HR_STRING_MAP_NONE UINT32_MAX

/* The number of a word, or HR_STRING_MAP_NONE. */
uint32_t hr_string_map_find(const hr_string_map *words, const char *text, size_t size);

/* Adds a word that is not in the table. False when memory is short. */
bool hr_string_map_add(hr_string_map *words, const char *text, size_t size, uint32_t number);

void hr_string_map_done(hr_string_map *words);

#endif
