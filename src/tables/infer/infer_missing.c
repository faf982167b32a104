/* A word can mean missing in one column and be a value of another, and a schema has one list for both. */
#include "tables/infer/infer_missing.h"

#include "base/text/number.h"

#include <stdlib.h>
#include <string.h>

static bool is_missing(const hr_missing_words *m, const char *word) {
    return hr_string_map_find(&m->known, word, strlen(word)) != HR_STRING_MAP_NONE;
}

static hr_status add_missing(hr_missing_words *m, const char *word, hr_error *err) {
    if (is_missing(m, word)) return HR_OK;
    if (m->count == m->capacity) {
        const size_t capacity = m->capacity ? 4 * m->capacity : 16;
        const char **larger = realloc(m->list, capacity * sizeof *larger);
        if (!larger) return hr_fail_memory(err);
        m->list = larger;
        m->capacity = capacity;
    }
    if (!hr_string_map_add(&m->known, word, strlen(word), 0)) return hr_fail_memory(err);
    m->list[m->count++] = word;
    return HR_OK;
}

/* ---- Common spellings ---- */

static hr_status take_common(hr_missing_words *m, const hr_inferences *all, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t s = 0; !status && s < HR_INFERENCE_SPELLINGS; s++) {
        const char *word = hr_inference_spelling(s);
        bool used = false;
        for (size_t i = 0; i < all->count; i++)
            used |= *all->columns[i]->name && hr_inference_has_missing(all->columns[i]) &&
                    all->columns[i]->spelled[s];
        for (size_t i = 0; used && i < all->dictionary.count; i++)
            used = hr_string_map_find(&all->dictionary.entries[i].values.known, word, strlen(word)) ==
                   HR_STRING_MAP_NONE;
        if (used) status = add_missing(m, word, err);
    }
    return status;
}

/* ---- Words and codes of columns ---- */

/* Notes which columns the proposal describes by their cells. */
static void note_described(const hr_inferences *all) {
    for (size_t i = 0; i < all->count; i++) {
        hr_inference *g = all->columns[i];
        const bool read = *g->name && !(all->dropped && all->dropped[i]);
        g->described = read && !hr_dictionary_find(&all->dictionary, g->name) &&
                       (i == all->label || all->positional || !hr_inference_left_out(g));
    }
}

/* The words of a column that would have to be listed: those between numbers or dates, and codes. */
static const hr_words *words_of(const hr_inference *g, bool codes) {
    static const hr_words none;
    if (codes) return g->plain.has_missing_codes && hr_inference_is_number(g) ? &g->plain.codes : &none;
    return hr_inference_has_words(g) ? &g->text.odd : &none;
}

static bool lies_within(const char *word, double low, double high) {
    double value;
    return hr_number_parse(word, strlen(word), &value) == HR_NUMBER_OK && value >= low && value <= high;
}

/* Whether a word is a value of the column: a number of its range; one of its categories, if it is a number or
 * a class of the label. Other words may mean missing in a category, too. */
static bool is_value(const hr_inferences *all, size_t i, const char *word) {
    const hr_inference *g = all->columns[i];
    const hr_dictionary_entry *entry = hr_dictionary_find(&all->dictionary, g->name);
    const size_t size = strlen(word);
    double value;
    if (entry && entry->has_bounds) return lies_within(word, entry->low, entry->high);
    if (entry) return hr_string_map_find(&entry->values.known, word, size) != HR_STRING_MAP_NONE;
    if (!g->described) return false;
    if (hr_inference_is_number(g) || g->text.kind == HR_INFERRED_NUMBER) {
        const bool coded = g->plain.has_missing_codes;
        return g->numbers &&
               lies_within(word, coded ? g->plain.low : g->low, coded ? g->plain.high : g->high);
    }
    if (g->text.kind != HR_INFERRED_WORDS && !hr_inference_has_codes(g)) return false;
    return hr_string_map_find(&g->distinct, word, size) != HR_STRING_MAP_NONE &&
           (i == all->label || hr_number_parse(word, size, &value) == HR_NUMBER_OK);
}

static void refuse_words(hr_inference *g, bool codes, const char *why) {
    hr_remark_begin(&g->remarks);
    if (codes) {
        hr_buffer_text(&g->remarks, "numbers that stand apart: ");
        hr_words_show(&g->plain.codes, &g->remarks);
        g->plain.has_missing_codes = false;
    } else {
        hr_buffer_text(&g->remarks, "most cells are numbers or dates, and between them are words");
        g->text.kind = HR_INFERRED_WORDS;
    }
    hr_buffer_text(&g->remarks, why);
}

/* Whether a word of the column is a value of another column. What was found of a word is kept in `judged`. */
static bool has_conflict(const hr_inferences *all, const hr_words *words, hr_string_map *judged) {
    for (size_t k = 0; k < words->count; k++) {
        const char *word = words->words[k].text;
        uint32_t found = hr_string_map_find(judged, word, strlen(word));
        if (found == HR_STRING_MAP_NONE) {
            found = 0;
            for (size_t i = 0; i < all->count && !found; i++) found = is_value(all, i, word);
            (void)hr_string_map_add(judged, word, strlen(word), found); /* else it is found again */
        }
        if (found) return true;
    }
    return false;
}

/* A column whose codes are taken back has a wider range, which can hold a word of another one. */
static void settle_words(const hr_inferences *all, bool codes) {
    bool changed = true;
    while (changed) {
        hr_string_map judged = {0};
        changed = false;
        note_described(all);
        for (size_t i = 0; i < all->count; i++) {
            hr_inference *g = all->columns[i];
            if (!g->described || !has_conflict(all, words_of(g, codes), &judged)) continue;
            refuse_words(
                g, codes,
                "; if they mean missing, leave these cells empty in the table: 'missing' holds for all "
                "columns, and another one has such a value");
            changed = true;
        }
        hr_string_map_done(&judged);
    }
}

/* The dictionary decides what is missing. */
static void keep_listed_words(const hr_missing_words *m, const hr_inferences *all, bool codes) {
    note_described(all);
    for (size_t i = 0; i < all->count; i++) {
        hr_inference *g = all->columns[i];
        const hr_words *words = words_of(g, codes);
        bool listed = true;
        for (size_t k = 0; k < words->count; k++) listed &= is_missing(m, words->words[k].text);
        if (g->described && !listed)
            refuse_words(g, codes,
                         "; if they mean missing, add them to the column 'missing' of the dictionary");
    }
}

static hr_status take_words(hr_missing_words *m, const hr_inferences *all, bool codes, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < all->count; i++) {
        if (!all->columns[i]->described) continue;
        const hr_words *words = words_of(all->columns[i], codes);
        for (size_t k = 0; !status && k < words->count; k++)
            status = add_missing(m, words->words[k].text, err);
    }
    return status;
}

hr_status hr_missing_words_take(hr_missing_words *m, const hr_inferences *all, hr_error *err) {
    const hr_dictionary_words *words = &all->dictionary.missing;
    if (all->dictionary.lists_missing) {
        for (size_t i = 0; i < words->count; i++)
            if (!hr_string_map_add(&m->known, words->words[i], strlen(words->words[i]), 0))
                return hr_fail_memory(err);
        keep_listed_words(m, all, true);
        keep_listed_words(m, all, false);
        return HR_OK;
    }
    settle_words(all, true);
    settle_words(all, false);
    hr_status status = take_common(m, all, err);
    if (!status) status = take_words(m, all, false, err);
    return status ? status : take_words(m, all, true, err);
}

void hr_missing_words_done(hr_missing_words *m) {
    hr_string_map_done(&m->known);
    free(m->list);
}
