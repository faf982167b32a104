/* The separator is decided by the header alone: what a record holds changes nothing. */
#include "tables/readers/csv_header.h"

#include "base/buffer.h"
#include "tables/readers/cells.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_FIRST = 64, NAMES_LISTED = 240, SEPARATORS = 4 };

/* In the order of hr_separator, from 1. */
static const char separators[SEPARATORS + 1] = ",;\t|";
static const char *const separator_names[SEPARATORS] = {"comma", "semicolon", "tab", "pipe"};

/* ---- The separator ---- */

static bool is_header_blank(char c) {
    return c == ' ' || c == '\t';
}

/* Whether blanks that begin at p, of which one is a tab, stand between two names; beside another separator
 * they belong to nothing. `before`: what stands before them, NUL at the beginning. */
static bool tab_separates(const char *p, char before) {
    while (is_header_blank(*p)) p++;
    return before && !strchr(separators, before) && !strchr(",;|\r\n", *p);
}

/* Which separators stand in the record at lines->at, outside of quotation marks. */
static void find_separators(const hr_lines *lines, bool found[SEPARATORS]) {
    char before = 0;
    bool quoted = false;
    for (const char *p = lines->at; p < lines->limit && (quoted || *p != '\n'); p++) {
        if (*p == '"' && lines->quotes) quoted = !quoted;
        const char *at = !quoted && *p ? strchr(separators, *p) : NULL;
        if (at) found[at - separators] |= *p != '\t' || tab_separates(p, before);
        if (quoted || !is_header_blank(*p)) before = *p == ',' || *p == ';' || *p == '|' ? *p : 'a';
    }
}

static hr_status set_separator(hr_lines *lines, hr_separator given, hr_error *err) {
    bool found[SEPARATORS] = {false};
    size_t count = 0, only = HR_SEPARATOR_COMMA - 1;
    if (given == HR_SEPARATOR_AUTO) {
        find_separators(lines, found);
        for (size_t i = 0; i < SEPARATORS; i++) {
            if (found[i]) only = i;
            count += found[i];
        }
        given = (hr_separator)(only + 1);
    }
    if (count > 1) {
        hr_buffer list = {0};
        for (size_t i = 0; i < SEPARATORS; i++)
            if (found[i]) hr_buffer_format(&list, "%s%s", list.size ? ", " : "", separator_names[i]);
        hr_fail(err, HR_E_FORMAT,
                "say which one separates the cells (--separator, or 'separator' in an owner file), or put "
                "names that hold one in quotation marks",
                "the header has several separators: %s", list.bytes ? list.bytes : "");
        hr_buffer_done(&list);
        return hr_fail_at(err, HR_E_FORMAT, NULL, lines->line, 0, NULL);
    }
    lines->separator = separators[given - 1];
    lines->blank = given == HR_SEPARATOR_TAB ? ' ' : '\t';
    return HR_OK;
}

/* ---- Names ---- */

static bool add_name(hr_csv_header *header, size_t *capacity, hr_arena *arena, const hr_csv_cell *cell) {
    if (header->count == *capacity) {
        size_t more = *capacity ? *capacity * 2 : NAMES_FIRST;
        const char **names = hr_arena_alloc(arena, more, sizeof *names);
        if (!names) return false;
        if (header->count) memcpy(names, header->names, header->count * sizeof *names);
        header->names = names;
        *capacity = more;
    }
    header->names[header->count] = hr_arena_text(arena, cell->text, cell->size);
    return header->names[header->count++] != NULL;
}

/* To the first record that waits. */
static hr_status find_record(hr_lines *lines, hr_error *err) {
    while (!hr_cells_skip_empty(lines)) {
        hr_status status = hr_lines_more(lines, err);
        if (status) return status;
        if (lines->at == lines->limit)
            return hr_fail(err, HR_E_FORMAT, "begin it with the names of the columns",
                           "the file holds empty lines only");
    }
    return HR_OK;
}

hr_status hr_csv_read_header(hr_lines *lines, const hr_read_options *options, hr_arena *arena,
                             hr_csv_header *out, hr_error *err) {
    hr_csv_header header = {0};
    hr_csv_cell cell = {0};
    size_t capacity = 0;
    hr_separator separator = options->separator;
    hr_status status = find_record(lines, err);
    if (!status) status = hr_csv_take_separator(lines, &separator, err);
    if (!status) status = find_record(lines, err);
    if (!status) status = set_separator(lines, separator, err);
    while (!status && !cell.last) {
        status = hr_cells_next(lines, &cell, err);
        if (!status && !add_name(&header, &capacity, arena, &cell)) status = hr_fail_memory(err);
    }
    if (status) return status;

    header.dropped = hr_arena_alloc(arena, header.count, sizeof *header.dropped);
    header.absent = hr_arena_alloc(arena, options->drop_count + 1, sizeof *header.absent);
    if (!header.dropped || !header.absent) return hr_fail_memory(err);
    for (size_t d = 0; d < options->drop_count; d++) {
        bool found = false;
        for (size_t i = 0; i < header.count; i++) {
            if (strcmp(header.names[i], options->drop[d]) != 0) continue;
            header.dropped[i] = found = true;
        }
        if (!found) header.absent[header.absent_count++] = options->drop[d];
    }
    *out = header;
    return HR_OK;
}

hr_status hr_csv_start_records(hr_lines *lines, hr_byte_source *source, const hr_read_options *options,
                               hr_error *err) {
    hr_csv_header header;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    hr_status status = hr_csv_start(lines, source, options, err);
    if (!status) status = hr_csv_read_header(lines, options, arena, &header, err);
    hr_arena_free(arena);
    return status;
}

/* ---- The columns of several files ---- */

typedef struct named_column {
    const char *name;
    size_t index;
} named_column;

static int compare_named(const void *a, const void *b) {
    const named_column *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* The columns that are kept, sorted by name. */
static named_column *sort_columns(const hr_csv_header *header, hr_arena *arena, size_t *count) {
    named_column *columns = hr_arena_alloc(arena, header->count, sizeof *columns);
    *count = 0;
    for (size_t i = 0; columns && i < header->count; i++)
        if (!header->dropped[i]) columns[(*count)++] = (named_column){header->names[i], i};
    if (columns) qsort(columns, *count, sizeof *columns, compare_named);
    return columns;
}

static hr_status refuse_column(const char *name, const char *message, hr_error *err) {
    hr_fail(err, HR_E_SCHEMA, "give all files the same columns, in any order, or leave this one out (--drop)",
            "%s", message);
    return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, name);
}

hr_status hr_csv_match_header(const hr_csv_header *first, const hr_csv_header *next, hr_arena *arena,
                              size_t **order, hr_error *err) {
    size_t expected, count;
    named_column *a = sort_columns(first, arena, &expected), *b = sort_columns(next, arena, &count);
    size_t *to = hr_arena_alloc(arena, next->count, sizeof *to);
    if (!a || !b || !to) return hr_fail_memory(err);
    for (size_t i = 0; i < next->count; i++) to[i] = SIZE_MAX;
    for (size_t i = 0; i < expected || i < count; i++) {
        int side = i == expected ? 1 : i == count ? -1 : strcmp(a[i].name, b[i].name);
        if (side < 0)
            return refuse_column(a[i].name, "the first file has this column, and this file lacks it", err);
        if (side > 0) return refuse_column(b[i].name, "the first file lacks this column", err);
        to[b[i].index] = a[i].index;
    }
    *order = to;
    return HR_OK;
}

void hr_csv_note_dropped(hr_csv_header *first, const hr_csv_header *next) {
    size_t left = 0;
    for (size_t i = 0; i < first->absent_count; i++) {
        bool found = false;
        for (size_t k = 0; k < next->count; k++) found |= strcmp(next->names[k], first->absent[i]) == 0;
        if (!found) first->absent[left++] = first->absent[i];
    }
    first->absent_count = left;
}

/* ---- Refusals ---- */

hr_status hr_csv_refuse_missing(const hr_csv_header *header, const char *name, hr_error *err) {
    hr_buffer list = {0};
    for (size_t i = 0; i < header->count && list.size < NAMES_LISTED; i++)
        hr_buffer_format(&list, "%s%s", i ? ", " : "", header->names[i]);
    bool other = header->count == 1 && strpbrk(header->names[0], separators);
    hr_fail(err, HR_E_SCHEMA,
            other ? "is another separator given than the table has? without --separator it is found"
                  : "the first line must name the columns as the schema does",
            "the table has no such column; it has %.*s%s", NAMES_LISTED, list.bytes ? list.bytes : "",
            list.size > NAMES_LISTED ? " ..." : "");
    hr_buffer_done(&list);
    return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, name);
}

hr_status hr_csv_refuse_ragged(uint64_t line, size_t found, size_t expected, bool more, hr_error *err) {
    hr_fail(err, HR_E_FORMAT,
            "give every record as many cells as the first line has, and put cells that hold the separator in "
            "quotation marks",
            "%s%zu cells where %zu are expected", more ? "more than " : "", found, expected);
    return hr_fail_at(err, HR_E_FORMAT, NULL, line, 0, NULL);
}
