#include "tables/infer/dictionary.h"

#include "base/buffer.h"
#include "base/fail.h"
#include "base/text/number.h"
#include "base/text/text.h"
#include "tables/readers/cells.h"
#include "tables/readers/csv_header.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMN_NAME,
    COLUMN_LOW,
    COLUMN_HIGH,
    COLUMN_INTEGER,
    COLUMN_VALUES,
    COLUMN_MISSING,
    COLUMN_SOURCE,
    COLUMNS
};
static const char *const columns[COLUMNS] = {"name", "low", "high", "integer", "values", "missing", "source"};

typedef struct dictionary_reader {
    hr_dictionary *dictionary;
    hr_lines lines;
    hr_arena *arena;
    hr_csv_header header;
    uint64_t line; /* of the entry at hand */
    hr_error *err;
} dictionary_reader;

static hr_status refuse_entry(const dictionary_reader *r, size_t column, const char *remedy,
                              const char *message, const char *text) {
    hr_fail(r->err, HR_E_FORMAT, remedy, *text ? "'%.60s' %s" : "%s%s", text, message);
    return hr_fail_at(r->err, HR_E_FORMAT, NULL, r->line, 0, columns[column]);
}

static void free_words(hr_dictionary_words *list) {
    hr_string_map_done(&list->known);
    free(list->words);
}

void hr_dictionary_done(hr_dictionary *dictionary) {
    for (size_t i = 0; i < dictionary->count; i++) free_words(&dictionary->entries[i].values);
    free_words(&dictionary->missing);
    hr_string_map_done(&dictionary->names);
    free(dictionary->entries);
}

/* The entry at hand. */
static hr_dictionary_entry *last_entry(const hr_dictionary *dictionary) {
    return &dictionary->entries[dictionary->count - 1];
}

static hr_status add_entry(dictionary_reader *r, const char *name) {
    hr_dictionary *d = r->dictionary;
    if (!*name)
        return refuse_entry(r, COLUMN_NAME, "name the column of the table", "the name is missing", "");
    if (hr_string_map_find(&d->names, name, strlen(name)) != HR_STRING_MAP_NONE)
        return refuse_entry(r, COLUMN_NAME, "describe every column once", "is described twice", name);
    if (d->count == d->capacity) {
        const size_t capacity = d->capacity ? 2 * d->capacity : 64;
        hr_dictionary_entry *larger = realloc(d->entries, capacity * sizeof *larger);
        if (!larger) return hr_fail_memory(r->err);
        d->entries = larger;
        d->capacity = capacity;
    }
    if (!hr_string_map_add(&d->names, name, strlen(name), (uint32_t)d->count)) return hr_fail_memory(r->err);
    d->entries[d->count++] = (hr_dictionary_entry){.name = name, .source = d->source};
    return HR_OK;
}

static hr_status read_bound(const dictionary_reader *r, size_t column, const char *text, double *out) {
    if (hr_number_parse(text, strlen(text), out) == HR_NUMBER_OK) return HR_OK;
    return refuse_entry(r, column, "give both bounds as numbers, or leave both empty",
                        *text ? "is not a number" : "is empty", text);
}

static hr_status read_bounds(const dictionary_reader *r, const char *low, const char *high,
                             hr_dictionary_entry *entry) {
    if (!*low && !*high) return HR_OK;
    hr_status status = read_bound(r, COLUMN_LOW, low, &entry->low);
    if (!status) status = read_bound(r, COLUMN_HIGH, high, &entry->high);
    if (status) return status;
    if (!(entry->low <= entry->high) || !isfinite(entry->high - entry->low))
        return refuse_entry(r, COLUMN_LOW, "give finite bounds with low <= high",
                            "has bounds that are not in order", entry->name);
    entry->has_bounds = true;
    return HR_OK;
}

static bool is_listed(const hr_dictionary_words *list, const char *word) {
    return hr_string_map_find(&list->known, word, strlen(word)) != HR_STRING_MAP_NONE;
}

static hr_status add_word(hr_dictionary_words *list, const char *word, hr_error *err) {
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 8;
        const char **larger = realloc(list->words, capacity * sizeof *larger);
        if (!larger) return hr_fail_memory(err);
        list->words = larger;
        list->capacity = capacity;
    }
    if (!hr_string_map_add(&list->known, word, strlen(word), 0)) return hr_fail_memory(err);
    list->words[list->count++] = word;
    return HR_OK;
}

/* Calls `add` for each word of a list with | or ; between them; an empty cell has none. */
static hr_status read_words(dictionary_reader *r, const char *list, size_t column,
                            hr_status (*add)(dictionary_reader *r, const char *word)) {
    const char *separator = strchr(list, '|') ? "|" : ";";
    hr_status status = HR_OK;
    for (const char *p = list; *list && !status;) {
        size_t size = strcspn(p, separator);
        const char *next = p + size, *word = p;
        hr_text_trim(&word, &size);
        if (!size)
            return refuse_entry(r, column, "an empty cell always counts as missing",
                                "has an empty value in its list", last_entry(r->dictionary)->name);
        const char *copy = hr_arena_text(r->arena, word, size);
        status = copy ? add(r, copy) : hr_fail_memory(r->err);
        if (!*next) break;
        p = next + 1;
    }
    return status;
}

static hr_status add_value(dictionary_reader *r, const char *word) {
    hr_dictionary_words *values = &last_entry(r->dictionary)->values;
    if (is_listed(values, word))
        return refuse_entry(r, COLUMN_VALUES, "list every value once", "is listed twice", word);
    return add_word(values, word, r->err);
}

static hr_status add_missing(dictionary_reader *r, const char *word) {
    hr_dictionary_words *missing = &r->dictionary->missing;
    return is_listed(missing, word) ? HR_OK : add_word(missing, word, r->err);
}

/* The cells of one line that are known; the others stay "". */
static hr_status take_entry_cells(dictionary_reader *r, const char *texts[COLUMNS]) {
    hr_csv_cell cell = {0};
    r->line = r->lines.line;
    for (size_t i = 0; !cell.last; i++) {
        hr_status status = hr_cells_next(&r->lines, &cell, r->err);
        if (status) return status;
        if (cell.last != (i + 1 == r->header.count))
            return hr_csv_refuse_ragged(r->line, i + 1, r->header.count, !cell.last, r->err);
        for (size_t c = 0; c < COLUMNS; c++) {
            if (strcmp(r->header.names[i], columns[c]) != 0) continue;
            texts[c] = hr_arena_text(r->arena, cell.text, cell.size);
            if (!texts[c]) return hr_fail_memory(r->err);
        }
    }
    return HR_OK;
}

static hr_status read_entry(dictionary_reader *r) {
    const char *texts[COLUMNS] = {"", "", "", "", "", "", ""};
    hr_status status = take_entry_cells(r, texts);
    if (!status) status = add_entry(r, texts[COLUMN_NAME]);
    if (status) return status;
    hr_dictionary_entry *entry = last_entry(r->dictionary);
    if (*texts[COLUMN_SOURCE]) entry->source = texts[COLUMN_SOURCE];
    status = read_bounds(r, texts[COLUMN_LOW], texts[COLUMN_HIGH], entry);
    if (status) return status;
    const char *integer = texts[COLUMN_INTEGER];
    entry->integer = strcmp(integer, "true") == 0;
    if (!entry->integer && *integer && strcmp(integer, "false") != 0)
        return refuse_entry(r, COLUMN_INTEGER, "write true, false or nothing", "is neither true nor false",
                            integer);
    if (*texts[COLUMN_VALUES] && entry->has_bounds)
        return refuse_entry(r, COLUMN_VALUES, "a number has bounds, a category has values: leave one empty",
                            "has both bounds and values", entry->name);
    status = read_words(r, texts[COLUMN_VALUES], COLUMN_VALUES, add_value);
    return status ? status : read_words(r, texts[COLUMN_MISSING], COLUMN_MISSING, add_missing);
}

static hr_status check_dictionary_header(const dictionary_reader *r) {
    bool has_name = false;
    for (size_t i = 0; i < r->header.count; i++) {
        has_name |= strcmp(r->header.names[i], columns[COLUMN_NAME]) == 0;
        r->dictionary->lists_missing |= strcmp(r->header.names[i], columns[COLUMN_MISSING]) == 0;
    }
    if (has_name) return HR_OK;
    hr_fail(r->err, HR_E_FORMAT, "begin it with the line name,low,high,values",
            "the data dictionary has no such column");
    return hr_fail_at(r->err, HR_E_FORMAT, NULL, 0, 0, columns[COLUMN_NAME]);
}

static hr_status read_dictionary(dictionary_reader *r, hr_byte_source *source) {
    hr_read_options options = HR_READ_OPTIONS_INIT;
    options.separator = HR_SEPARATOR_COMMA;
    hr_status status = hr_lines_start(&r->lines, source, true, r->err);
    if (!status) status = hr_csv_read_header(&r->lines, &options, r->arena, &r->header, r->err);
    if (!status) status = check_dictionary_header(r);
    while (!status) {
        while (!status && hr_cells_skip_empty(&r->lines)) status = read_entry(r);
        if (!status) status = hr_lines_more(&r->lines, r->err);
        if (r->lines.at == r->lines.limit) break;
    }
    return status;
}

/* The name of the file, without its folders. */
static hr_status name_source(dictionary_reader *r, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const bool named = strcmp(path, "-") != 0 && hr_utf8_valid(name, strlen(name));
    hr_buffer text = {0};
    hr_buffer_format(&text, "data dictionary%s%s", named ? " " : "", named ? name : "");
    r->dictionary->source = text.failed ? NULL : hr_arena_text(r->arena, text.bytes, text.size);
    hr_buffer_done(&text);
    return r->dictionary->source ? HR_OK : hr_fail_memory(r->err);
}

hr_status hr_dictionary_read(const char *path, hr_arena *arena, hr_dictionary *out, hr_error *err) {
    hr_byte_source source;
    dictionary_reader r = {.dictionary = out, .arena = arena, .err = err};
    hr_status status = hr_byte_source_open(&source, path, err);
    if (!status) status = name_source(&r, path);
    if (!status) status = read_dictionary(&r, &source);
    hr_byte_source_done(&source);
    return status ? hr_fail_at(err, status, path, 0, 0, NULL) : HR_OK;
}

const hr_dictionary_entry *hr_dictionary_find(const hr_dictionary *dictionary, const char *name) {
    const uint32_t at = hr_string_map_find(&dictionary->names, name, strlen(name));
    if (at == HR_STRING_MAP_NONE) return NULL;
    const hr_dictionary_entry *entry = &dictionary->entries[at];
    return entry->has_bounds || entry->values.count ? entry : NULL;
}
