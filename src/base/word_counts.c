#include "base/word_counts.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4 };

static bool add_word(hr_words *w, hr_arena *arena, const char *text, size_t size) {
    if (w->count == w->capacity) {
        const size_t capacity = w->capacity ? 4 * w->capacity : FIRST_CAPACITY;
        hr_word *larger = realloc(w->words, capacity * sizeof *larger);
        if (!larger) return false;
        w->words = larger;
        w->capacity = capacity;
    }
    const char *copy = hr_arena_text(arena, text, size);
    if (!copy || !hr_string_map_add(&w->known, copy, size, (uint32_t)w->count)) return false;
    w->words[w->count++] = (hr_word){copy, 1};
    return true;
}

bool hr_words_add(hr_words *w, hr_arena *arena, const char *text, size_t size, size_t most, bool *kept) {
    const uint32_t at = hr_string_map_find(&w->known, text, size);
    *kept = at != HR_STRING_MAP_NONE || w->count < most;
    if (at != HR_STRING_MAP_NONE) w->words[at].cells++;
    return at != HR_STRING_MAP_NONE || !*kept || add_word(w, arena, text, size);
}

uint64_t hr_words_cells(const hr_words *w) {
    uint64_t cells = 0;
    for (size_t i = 0; i < w->count; i++) cells += w->words[i].cells;
    return cells;
}

static int compare_words(const void *a, const void *b) {
    const hr_word *x = a, *y = b;
    return x->cells > y->cells ? -1 : x->cells < y->cells ? 1 : strcmp(x->text, y->text);
}

void hr_words_sort(hr_words *w) {
    hr_string_map_done(&w->known); /* the words change their places */
    if (w->count) qsort(w->words, w->count, sizeof *w->words, compare_words);
}

void hr_words_done(hr_words *w) {
    hr_string_map_done(&w->known);
    free(w->words);
    *w = (hr_words){0};
}
