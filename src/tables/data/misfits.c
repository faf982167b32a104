/* One reading of a table lists all that does not fit, so that nobody has to read it once for each spelling.
 */
#include "tables/data/misfits.h"

#include "base/text/text.h"
#include "base/word_counts.h"

#include <stdlib.h>
#include <string.h>

enum { TEXTS_MAX = 1000 /* different ones of a column */, SHOWN = 64 /* bytes of a text */ };

typedef struct column_misfits {
    hr_words texts;
    uint64_t rest; /* cells whose texts are not kept */
    bool sorted;
} column_misfits;

struct hr_misfits {
    hr_arena *arena;
    column_misfits *columns;
    size_t count;
    hr_error first; /* refusal; status HR_OK: none */
};

hr_misfits *hr_misfits_new(void) {
    hr_misfits *m = calloc(1, sizeof *m);
    hr_arena *arena = hr_arena_new();
    if (!m || !arena) {
        free(m);
        hr_arena_free(arena);
        return NULL;
    }
    m->arena = arena;
    return m;
}

void hr_misfits_free(hr_misfits *m) {
    if (!m) return;
    for (size_t i = 0; i < m->count; i++) hr_words_done(&m->columns[i].texts);
    free(m->columns);
    hr_arena_free(m->arena);
    free(m);
}

static bool has_room(hr_misfits *m, size_t feature) {
    if (feature < m->count) return true;
    column_misfits *more = realloc(m->columns, (feature + 1) * sizeof *more);
    if (!more) return false;
    memset(more + m->count, 0, (feature + 1 - m->count) * sizeof *more);
    m->columns = more;
    m->count = feature + 1;
    return true;
}

bool hr_misfits_add(hr_misfits *m, size_t feature, const char *cell, size_t size) {
    char whole[4 * SHOWN], text[SHOWN];
    if (!has_room(m, feature)) return false;
    if (size >= sizeof whole) size = sizeof whole - 1;
    memcpy(whole, cell, size);
    whole[size] = '\0';
    hr_text_show(whole, text, sizeof text);
    column_misfits *column = &m->columns[feature];
    bool kept;
    if (!hr_words_add(&column->texts, m->arena, text, strlen(text), TEXTS_MAX, &kept)) return false;
    column->rest += !kept;
    return true;
}

void hr_misfits_refuse(hr_misfits *m, const hr_error *refusal) {
    if (!m->first.status) m->first = *refusal;
}

hr_error *hr_misfits_without_line(hr_misfits *m) {
    return m->first.status && !m->first.line ? &m->first : NULL;
}

hr_error *hr_misfits_without_file(hr_misfits *m) {
    return m->first.status && !*m->first.file ? &m->first : NULL;
}

hr_status hr_misfits_first(const hr_misfits *m, hr_error *err) {
    if (m->first.status && err) *err = m->first;
    return m->first.status;
}

size_t hr_misfits_count(const hr_misfits *m, size_t feature) {
    return feature < m->count ? m->columns[feature].texts.count : 0;
}

const char *hr_misfits_text(hr_misfits *m, size_t feature, size_t i, uint64_t *cells) {
    column_misfits *column = &m->columns[feature];
    if (!column->sorted) hr_words_sort(&column->texts);
    column->sorted = true;
    *cells = column->texts.words[i].cells;
    return column->texts.words[i].text;
}

uint64_t hr_misfits_rest(const hr_misfits *m, size_t feature) {
    return feature < m->count ? m->columns[feature].rest : 0;
}
