/* Columns are found by name, in any order.
 *
 * A cell of a number column is first tried as what nearly all of them are, a plain number followed by its
 * separator, read where it stands, and with those beside it in vectors if they are such, too; anything else
 * goes through the general tokenizer and the table's rules. */
#include "tables/readers/csv_records.h"

#include "base/fail.h"
#include "base/text/number_fast.h"
#include "tables/data/misfits.h"
#include "tables/readers/cells.h"

#include <string.h>

/* ---- Columns ---- */

static hr_status refuse_twice(const char *name, hr_error *err) {
    hr_fail(err, HR_E_FORMAT, "rename one of them", "two columns of the table have this name");
    return hr_fail_at(err, HR_E_FORMAT, NULL, 0, 0, name);
}

static bool is_number(const hr_slot *slot) {
    return slot && slot->role == HR_SLOT_NUMBER;
}

static hr_status map_slot(hr_csv_columns *c, const hr_string_map *names, const hr_slot *slot, bool optional,
                          hr_error *err) {
    const char *name = hr_slot_column(slot);
    uint32_t at = hr_string_map_find(names, name, strlen(name));
    if (at == HR_STRING_MAP_NONE && optional) return HR_OK;
    if (at == HR_STRING_MAP_NONE) {
        for (size_t i = 0; i < c->header.count; i++) {
            if (strcmp(c->header.names[i], name) != 0) continue;
            hr_fail(err, HR_E_SCHEMA, "do not drop it",
                    "the schema names this column, which is to be dropped");
            return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, name);
        }
        if (slot->role == HR_SLOT_EXPOSURE) {
            hr_fail(err, HR_E_SCHEMA, "add the column; 'predict --rate' needs none",
                    "the table has no such column");
            return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, name);
        }
        return hr_csv_refuse_missing(&c->header, name, err);
    }
    if (c->twice[at]) return refuse_twice(name, err);
    c->slots[at] = slot;
    return HR_OK;
}

static hr_status refuse_kept(const char *name, const char *message, hr_error *err) {
    hr_fail(err, HR_E_SCHEMA, "name each column that is to be kept once, as the first line has it", "%s",
            message);
    return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, name);
}

/* Takes the columns that are kept away from the short way of reading numbers. */
static hr_status map_kept(hr_csv_columns *c, const hr_string_map *names, hr_reading *reading, hr_error *err) {
    const hr_read_options *options = reading->options;
    hr_data *data = reading->table.data;
    if (options->kept_count && !data->kept) data->kept = hr_kept_new(options->kept_count);
    if (options->kept_count && !data->kept) return hr_fail_memory(err);
    for (size_t k = 0; k < options->kept_count; k++) {
        const char *name = options->kept[k];
        uint32_t at = hr_string_map_find(names, name, strlen(name));
        if (at == HR_STRING_MAP_NONE)
            return refuse_kept(name, "this column is to be kept, and the table has none of that name", err);
        if (c->kept_places[at]) return refuse_kept(name, "this column is to be kept twice", err);
        if (c->twice[at]) return refuse_twice(name, err);
        c->kept_places[at] = k + 1;
        c->kept_slots[at] = c->slots[at];
        c->slots[at] = NULL;
    }
    return HR_OK;
}

static hr_status map_names(const hr_csv_columns *c, hr_string_map *names, hr_error *err) {
    for (size_t i = 0; i < c->header.count; i++) {
        const char *name = c->header.names[i];
        if (c->header.dropped[i]) continue;
        uint32_t at = hr_string_map_find(names, name, strlen(name));
        if (at != HR_STRING_MAP_NONE)
            c->twice[at] = true;
        else if (!hr_string_map_add(names, name, strlen(name), (uint32_t)i))
            return hr_fail_memory(err);
    }
    return HR_OK;
}

/* The first file decides which columns the table has; every other must have the same. */
static hr_status take_header(const hr_csv_columns *c, hr_reading *reading, hr_error *err) {
    size_t *order;
    if (reading->sources) {
        hr_csv_note_dropped(&reading->first, &c->header);
        return hr_csv_match_header(&reading->first, &c->header, reading->arena, &order, err);
    }
    reading->first = c->header;
    bool has_label = false, has_event = !hr_table_event(&reading->table);
    for (size_t i = 0; i < c->header.count; i++) {
        has_label |= c->slots[i] == hr_table_label(&reading->table);
        has_event |= c->slots[i] == hr_table_event(&reading->table);
        reading->table.data->extra += !c->slots[i];
    }
    reading->labelled |= has_label && has_event;
    return HR_OK;
}

hr_status hr_csv_map_columns(hr_reading *reading, const hr_csv_header *header, hr_csv_columns *out,
                             hr_error *err) {
    const size_t count = header->count, last = count - 1;
    hr_arena *arena = reading->arena;
    hr_csv_columns c = {.header = *header,
                        .slots = hr_arena_alloc(arena, count, sizeof *c.slots),
                        .twice = hr_arena_alloc(arena, count, sizeof *c.twice),
                        .kept_slots = hr_arena_alloc(arena, count, sizeof *c.kept_slots),
                        .kept_places = hr_arena_alloc(arena, count, sizeof *c.kept_places),
                        .run_ends = hr_arena_alloc(arena, count, sizeof *c.run_ends)};
    if (!c.slots || !c.twice || !c.kept_slots || !c.kept_places || !c.run_ends) return hr_fail_memory(err);

    hr_table *table = &reading->table;
    const hr_slot *label = hr_table_label(table), *unit = hr_table_unit(table),
                  *weight = hr_table_weight(table), *exposure = hr_table_exposure(table),
                  *event = hr_table_event(table);
    const bool label_optional = reading->options->label_optional;
    hr_string_map names = {0};
    hr_status status = map_names(&c, &names, err);
    for (const hr_slot *slot = table->slots; slot <= label && !status; slot += hr_slot_span(slot))
        status = map_slot(&c, &names, slot, slot == label && label_optional, err);
    if (!status && unit) status = map_slot(&c, &names, unit, false, err);
    if (!status && weight) status = map_slot(&c, &names, weight, false, err);
    if (!status && exposure) status = map_slot(&c, &names, exposure, false, err);
    if (!status && event) status = map_slot(&c, &names, event, label_optional, err);
    if (!status) status = take_header(&c, reading, err);
    if (!status) status = map_kept(&c, &names, reading, err);
    c.run_ends[last] = last;
    for (size_t i = last; i-- > 0;) c.run_ends[i] = is_number(c.slots[i]) ? c.run_ends[i + 1] : i;
    hr_string_map_done(&names);
    *out = c;
    return status;
}

/* ---- Cells and records ---- */

static const char *skip_line_blanks(const char *p, char blank) {
    while (*p == ' ' || *p == blank) p++;
    return p;
}

/* A number among blanks or quotation marks; returns what follows the cell, or NULL for the tokenizer to
 * decide. */
static const char *padded_number(const hr_lines *lines, const char *p, double *value) {
    const char blank = lines->blank;
    p = skip_line_blanks(p, blank);
    bool quoted = *p == '"' && lines->quotes;
    if (quoted) p = skip_line_blanks(p + 1, blank);
    p = hr_number_fast(p, value);
    if (!p) return NULL;
    p = skip_line_blanks(p, blank);
    if (!quoted) return p;
    return *p == '"' ? skip_line_blanks(p + 1, blank) : NULL;
}

/* Takes the cell at `at` the short way; returns what follows it and its `end`, or NULL if it is not a plain
 * number that ends so. */
static inline const char *take_number(const hr_csv_part *c, const hr_slot *slot, const char *at, char end) {
    const hr_table *table = c->cursor.table;
    const char blank = c->lines.blank;
    double value;
    /* Blanks and quotation marks come before digits and signs in ASCII. */
    const char *p =
        (unsigned char)*at <= '"' ? padded_number(&c->lines, at, &value) : hr_number_fast(at, &value);
    if (!p) return NULL;
    if (*p != end) {
        p = skip_line_blanks(p, blank);
        if (*p == '\r' && end == '\n') p++;
        if (*p != end) return NULL;
    }
    if (table->missing_number_count && hr_table_may_be_missing(table, value)) return NULL;
    hr_cursor_number(&c->cursor, slot, value);
    return p + 1;
}

/* Takes the cell of column `i` at lines->at the short way: a word or a date, in quotation marks or not, and
 * no marks and line ends inside. False if it is anything else, or does not fit, for the tokenizer to decide;
 * so is what has blanks around it, since no word and no date of a schema has. */
static inline bool take_word(hr_csv_part *c, size_t i) {
    const hr_csv_columns *columns = c->columns;
    const hr_slot *slot = columns->slots[i];
    hr_lines *lines = &c->lines;
    const bool last = i + 1 == columns->header.count, quoted = *lines->at == '"' && lines->quotes;
    char *from = lines->at + quoted, end = last ? '\n' : lines->separator;
    const char *to = lines->kernels->find_cell_end(from, quoted ? '"' : lines->separator), *after = to;
    if (quoted && *after++ != '"') return false;
    if (last && *after == '\r') after++;
    if (*after != end || columns->kept_places[i]) return false;
    if (slot && !hr_cursor_take_word(&c->cursor, slot, from, (size_t)(to - from))) return false;
    lines->at += after + 1 - lines->at;
    if (last) {
        lines->line++;
        lines->line_start = lines->at;
    }
    return true;
}

/* before: the lines when the cell was not read yet. */
static hr_status store_csv_cell(hr_csv_part *c, const hr_slot *slot, const hr_lines *before,
                                const hr_csv_cell *cell) {
    const hr_status status = hr_cursor_store(&c->cursor, slot, cell->text, cell->size, &c->error);
    hr_error *first = c->cursor.misfits ? hr_misfits_without_line(c->cursor.misfits) : NULL;
    if (first) (void)hr_lines_place(before, cell->where, first->status, first);
    return status ? hr_lines_place(before, cell->where, status, &c->error) : HR_OK;
}

static hr_status take_cell(hr_csv_part *c, size_t column, hr_csv_cell *cell) {
    const hr_csv_columns *columns = c->columns;
    const hr_table *table = c->cursor.table;
    const hr_slot *slot = columns->slots[column] ? columns->slots[column] : columns->kept_slots[column];
    const size_t place = columns->kept_places[column];
    const hr_lines before = c->lines;
    hr_status status = hr_cells_next(&c->lines, cell, &c->error);
    if (!status && place && !hr_cursor_add_late(&c->cursor, place, cell->text, cell->size))
        return hr_fail_memory(&c->error);
    if (status || !slot) return status;
    const bool is_missing = c->before && hr_table_is_missing(table, cell->text, cell->size);
    if (is_missing && (slot == hr_table_label(table) || slot->role == HR_SLOT_EVENT)) {
        c->unlabelled = true;
        return HR_OK;
    }
    if (is_missing && hr_slot_is_part(slot)) {
        c->absent[slot->role == HR_SLOT_EXPOSURE] = (hr_csv_absent){slot, before, *cell};
        return HR_OK;
    }
    return store_csv_cell(c, slot, &before, cell);
}

/* Takes plain numbers from column `i` on, as far as they reach: first those that stand between separators
 * without anything around them. Returns the column in which something else stands. */
static size_t take_csv_numbers(hr_csv_part *c, size_t i) {
    const hr_kernels *kernels = c->lines.kernels;
    const hr_table *table = c->cursor.table;
    const char *start = c->lines.at, *p = start;
    const size_t last = c->columns->header.count - 1, most = c->columns->run_ends[i] - i;
    const char separator = c->lines.separator;
    if (most) {
        size_t count = kernels->numbers_of_cells(&p, separator, most, c->numbers);
        size_t present = table->missing_number_count ? 0 : count;
        while (present < count && !hr_table_may_be_missing(table, c->numbers[present])) present++;
        if (present < count) {
            p = start;
            count = kernels->numbers_of_cells(&p, separator, present, c->numbers);
        }
        for (size_t k = 0; k < count; k++)
            hr_cursor_number(&c->cursor, c->columns->slots[i + k], c->numbers[k]);
        i += count;
    }
    for (; i <= last; i++) {
        const hr_slot *slot = c->columns->slots[i];
        if (!is_number(slot)) break;
        const char *next = take_number(c, slot, p, i < last ? separator : '\n');
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

static hr_status read_csv_record(hr_csv_part *c) {
    const uint64_t line = c->lines.line;
    const size_t count = c->columns->header.count;
    for (size_t i = take_csv_numbers(c, 0); i < count;) {
        if (!take_word(c, i)) {
            hr_csv_cell cell;
            hr_status status = take_cell(c, i, &cell);
            if (status)
                return status == HR_E_MEMORY
                           ? status
                           : hr_fail_at(&c->error, status, NULL, 0, 0, c->columns->header.names[i]);
            if (cell.last != (i + 1 == count))
                return hr_csv_refuse_ragged(line, i + 1, count, !cell.last, &c->error);
        }
        if (++i < count && is_number(c->columns->slots[i])) i = take_csv_numbers(c, i);
    }
    return HR_OK;
}

hr_status hr_csv_read_records(hr_csv_part *part) {
    hr_cursor *cursor = &part->cursor;
    while (hr_cells_skip_empty(&part->lines)) {
        const size_t late_count = cursor->late_count, reports = cursor->table->slot_count + HR_BEHIND_LABEL;
        part->unlabelled = false;
        part->absent[0].slot = part->absent[1].slot = NULL;
        if (cursor->row == part->row_limit)
            return hr_fail(&part->error, HR_E_LIMIT, "use fewer rows", "more than %u rows", HR_ROWS_MAX);
        if (part->before) memcpy(part->before, cursor->reports, reports * sizeof *part->before);
        hr_status status = read_csv_record(part);
        for (size_t k = 0; !status && !part->unlabelled && k < 2; k++) {
            const hr_csv_absent *absent = &part->absent[k];
            if (absent->slot) status = store_csv_cell(part, absent->slot, &absent->lines, &absent->cell);
        }
        if (status) return status;
        if (!part->unlabelled) {
            hr_cursor_next(cursor);
            continue;
        }
        cursor->censored = false;
        /* A record whose label is missing is taken back. */
        memcpy(cursor->reports, part->before, reports * sizeof *part->before);
        cursor->late_count = late_count;
        part->skipped++;
    }
    return HR_OK;
}
