/* Words between numbers and dates: the owner, who knows what they mean, gets a list of them. */
#include "tables/infer/infer_words.h"

#include "tables/schema/schema_write.h"

#include <string.h>

enum { SHOWN_WORDS = 10 };

bool hr_words_note(hr_words *w, hr_arena *arena, const char *text, size_t size, bool wanted) {
    bool kept;
    return hr_words_add(w, arena, text, size, wanted ? HR_WORDS_MAX : HR_WORDS_FIRST, &kept);
}

void hr_words_show(hr_words *w, hr_buffer *out) {
    const size_t shown = w->count > SHOWN_WORDS ? SHOWN_WORDS : w->count;
    hr_words_sort(w);
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
