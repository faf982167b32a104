/* Words between numbers and dates: the owner, who knows what they mean, gets a list of them. */
#include "tables/infer/infer_words.h"

#include "tables/schema/schema_write.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_WORDS = 10 };

bool hr_words_add(hr_words *w, hr_arena *arena, const char *text, size_t size, bool wanted) {
    const uint32_t at = hr_string_map_find(&w->known, text, size);
    if (at != HR_STRING_MAP_NONE) {
        w->words[at].cells++;
        return true;
    }
    if (w->count >= (wanted ? HR_WORDS_MAX : HR_WORDS_FIRST)) return true;
    if (w->count == w->capacity) {
        const size_t capacity = w->capacity ? 4 * w->capacity : 4;
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

uint64_t hr_words_cells(const hr_words *w) {
    uint64_t cells = 0;
    for (size_t i = 0; i < w->count; i++) cells += w->words[i].cells;
    return cells;
}

static int compare_words(const void *a, const void *b) {
    const hr_word *x = a, *y = b;
    return x->cells > y->cells ? -1 : x->cells < y->cells ? 1 : strcmp(x->text, y->text);
}

void hr_words_show(hr_words *w, hr_buffer *out) {
    const size_t shown = w->count > SHOWN_WORDS ? SHOWN_WORDS : w->count;
    hr_string_map_done(&w->known); /* the words change their places */
    if (w->count) qsort(w->words, w->count, sizeof *w->words, compare_words);
    for (size_t i = 0; i < shown; i++) {
        if (i) hr_buffer_text(out, ", ");
        hr_schema_write_text(out, w->words[i].text);
        hr_buffer_format(out, " (%llu cell%s)", (unsigned long long)w->words[i].cells,
                         w->words[i].cells == 1 ? "" : "s");
    }
    if (shown < w->count) hr_buffer_format(out, " and %zu more", w->count - shown);
}

bool hr_word_is_censored(const char *text) {
    return (*text == '<' || *text == '>') && text[1] && text[strlen(text) - 1] != '>';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool hr_words_are_codes(const hr_words *w) {
    enum { CODE_LETTERS = 3 };
    size_t codes = 0;
    for (size_t i = 0; i < w->count; i++) {
        const char *text = w->words[i].text;
        size_t letters = 0;
        while (is_letter(text[letters])) letters++;
        codes += letters && letters <= CODE_LETTERS && text[letters] >= '0' && text[letters] <= '9';
    }
    return codes >= 2 && 2 * codes >= w->count;
}

void hr_words_done(hr_words *w) {
    hr_string_map_done(&w->known);
    free(w->words);
}
