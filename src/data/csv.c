/* CSV tables into typed columns. A cell of a number column is first tried as what nearly all of them are, a
 * plain number followed by its comma, read where it stands; anything else goes through the general tokenizer
 * and the table's rules. */
#include "data/csv.h"

#include "base/buffer.h"
#include "base/number_fast.h"
#include "data/cells.h"
#include "data/table.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_FIRST = 64, NAMES_LISTED = 240 };

/* ---- The header ---- */

static bool add_name(hr_csv_header *header, size_t *capacity, hr_arena *arena, const hr_cell *cell) {
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

hr_status hr_csv_read_header(hr_lines *lines, hr_arena *arena, hr_csv_header *out, hr_error *err) {
    hr_csv_header header = {0};
    hr_cell cell = {0};
    size_t capacity = 0;
    do {
        hr_status status = hr_lines_more(lines, err);
        if (status) return status;
        if (lines->at == lines->limit)
            return hr_fail(err, HR_E_FORMAT, "begin it with the names of the columns",
                           "the file holds empty lines only");
    } while (!hr_cells_skip_empty(lines));
    while (!cell.last) {
        hr_status status = hr_cells_next(lines, &cell, err);
        if (status) return status;
        if (!add_name(&header, &capacity, arena, &cell)) return hr_fail_memory(err);
    }
    *out = header;
    return HR_OK;
}

hr_status hr_csv_refuse_missing(const hr_csv_header *header, const char *name, hr_error *err) {
    hr_buffer list = {0};
    for (size_t i = 0; i < header->count && list.size < NAMES_LISTED; i++)
        hr_buffer_format(&list, "%s%s", i ? ", " : "", header->names[i]);
    bool other = header->count == 1 && strpbrk(header->names[0], ";\t|");
    hr_fail(err, HR_E_SCHEMA,
            other ? "cells are separated by commas; convert the table"
                  : "the first line must name the columns as the schema does",
            "the table has no such column; it has %.*s%s", NAMES_LISTED, list.bytes ? list.bytes : "",
            list.size > NAMES_LISTED ? " ..." : "");
    hr_buffer_done(&list);
    return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, name);
}

hr_status hr_csv_refuse_ragged(uint64_t line, size_t found, size_t expected, bool more, hr_error *err) {
    hr_fail(
        err, HR_E_FORMAT,
        "give every record as many cells as the first line has, and put cells with commas in quotation marks",
        "%s%zu cells where %zu are expected", more ? "more than " : "", found, expected);
    return hr_fail_at(err, HR_E_FORMAT, NULL, line, 0, NULL);
}

/* ---- Records ---- */

typedef struct csv {
    hr_lines lines;
    hr_arena *arena;
    hr_csv_header header;
    hr_table table;
    const hr_slot **slots; /* per column of the table; NULL: not wanted */
    bool labelled;
    hr_error *err;
} csv;

static hr_status map_slot(csv *c, const hr_string_map *names, hr_slot *slot, bool optional) {
    const char *name = hr_slot_column(slot);
    uint32_t at = hr_string_map_find(names, name, strlen(name));
    if (at == HR_STRING_MAP_NONE) return optional ? HR_OK : hr_csv_refuse_missing(&c->header, name, c->err);
    for (size_t i = at + 1; i < c->header.count; i++) {
        if (strcmp(c->header.names[i], name) != 0) continue;
        hr_fail(c->err, HR_E_FORMAT, "rename one of them", "two columns of the table have this name");
        return hr_fail_at(c->err, HR_E_FORMAT, NULL, 0, 0, name);
    }
    c->slots[at] = slot;
    return HR_OK;
}

/* Which column of the table goes where. */
static hr_status map_columns(csv *c, bool label_optional) {
    hr_string_map names = {0};
    hr_slot *label = hr_table_label(&c->table);
    hr_status status = HR_OK;
    c->slots = hr_arena_alloc(c->arena, c->header.count, sizeof *c->slots);
    if (!c->slots) return hr_fail_memory(c->err);
    for (size_t i = 0; i < c->header.count && !status; i++) {
        const char *name = c->header.names[i];
        if (hr_string_map_find(&names, name, strlen(name)) == HR_STRING_MAP_NONE &&
            !hr_string_map_add(&names, name, strlen(name), (uint32_t)i))
            status = hr_fail_memory(c->err);
    }
    for (hr_slot *slot = c->table.slots; slot <= label && !status; slot += hr_slot_span(slot))
        status = map_slot(c, &names, slot, slot == label && label_optional);
    hr_string_map_done(&names);
    for (size_t i = 0; i < c->header.count && !status; i++) {
        c->labelled |= c->slots[i] == label;
        c->table.data->extra += !c->slots[i];
    }
    return status;
}

static const char *skip_line_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

/* A number among blanks or quotation marks; returns what follows the cell, or NULL for the tokenizer to
 * decide. */
static const char *padded_number(const char *p, double *value) {
    p = skip_line_blanks(p);
    bool quoted = *p == '"';
    if (quoted) p = skip_line_blanks(p + 1);
    p = hr_number_fast(p, value);
    if (!p) return NULL;
    p = skip_line_blanks(p);
    if (!quoted) return p;
    return *p == '"' ? skip_line_blanks(p + 1) : NULL;
}

/* Takes the cell at `at` the short way; returns what follows it and its `end`, or NULL if it is not a plain
 * number that ends so. */
static inline const char *take_number(const hr_table *table, const hr_slot *slot, const char *at, char end) {
    double value;
    /* Blanks and quotation marks come before digits and signs in ASCII. */
    const char *p = (unsigned char)*at <= '"' ? padded_number(at, &value) : hr_number_fast(at, &value);
    if (!p) return NULL;
    if (*p != end) {
        p = skip_line_blanks(p);
        if (*p == '\r' && end == '\n') p++;
        if (*p != end) return NULL;
    }
    if (table->missing_number_count && hr_table_may_be_missing(table, value)) return NULL;
    hr_slot_number(slot, table->data->rows, value);
    return p + 1;
}

static hr_status take_cell(csv *c, const hr_slot *slot, hr_cell *cell) {
    hr_lines before = c->lines;
    hr_status status = hr_cells_next(&c->lines, cell, c->err);
    if (status || !slot) return status;
    status = hr_table_store(&c->table, slot, cell->text, cell->size, c->err);
    return status ? hr_lines_place(&before, cell->where, status, c->err) : HR_OK;
}

/* Takes plain numbers from column `i` on, as far as they reach. Returns the column in which something else
 * stands. */
static size_t take_csv_numbers(csv *c, size_t i) {
    const char *start = c->lines.at, *p = start;
    const size_t last = c->header.count - 1;
    for (; i <= last; i++) {
        const hr_slot *slot = c->slots[i];
        if (!slot || slot->role != HR_SLOT_NUMBER) break;
        const char *next = take_number(&c->table, slot, p, i < last ? ',' : '\n');
        if (!next) break;
        p = next;
    }
    c->lines.at += p - start;
    if (i > last) {
        c->lines.line++;
        c->lines.line_start = c->lines.at;
    }
    return i;
}

static hr_status read_csv_record(csv *c) {
    uint64_t line = c->lines.line;
    size_t count = c->header.count;
    for (size_t i = take_csv_numbers(c, 0); i < count; i = take_csv_numbers(c, i + 1)) {
        hr_cell cell;
        hr_status status = take_cell(c, c->slots[i], &cell);
        if (status)
            return status == HR_E_MEMORY ? status
                                         : hr_fail_at(c->err, status, NULL, 0, 0, c->header.names[i]);
        if (cell.last != (i + 1 == count))
            return hr_csv_refuse_ragged(line, i + 1, count, !cell.last, c->err);
        if (cell.last) break;
    }
    return HR_OK;
}

static hr_status take_csv_records(csv *c) {
    for (;;) {
        while (hr_cells_skip_empty(&c->lines)) {
            hr_status status = hr_table_grow(&c->table, c->err);
            if (!status) status = read_csv_record(c);
            if (status) return status;
            c->table.data->rows++;
        }
        hr_status status = hr_lines_more(&c->lines, c->err);
        if (status || c->lines.at == c->lines.limit) return status;
    }
}

hr_status hr_csv_read(const hr_schema *schema, hr_byte_source *source, bool label_optional, hr_data **out,
                      hr_error *err) {
    csv c = {.err = err, .arena = hr_arena_new()};
    hr_status status = c.arena ? hr_table_init(&c.table, schema, err) : hr_fail_memory(err);
    if (!status) status = hr_lines_start(&c.lines, source, true, err);
    if (!status) status = hr_csv_read_header(&c.lines, c.arena, &c.header, err);
    if (!status) status = map_columns(&c, label_optional);
    if (!status) status = take_csv_records(&c);
    if (!status) *out = hr_table_take(&c.table, c.labelled);
    hr_table_done(&c.table);
    hr_arena_free(c.arena);
    return status;
}
