/* CSV tables into typed columns. A cell of a number column is first tried as what nearly all of them are, a
 * plain number followed by its comma, read where it stands; anything else goes through the general tokenizer
 * and the table's rules. */
#include "data/csv.h"

#include "base/fail.h"
#include "base/number_fast.h"
#include "data/cells.h"

#include <stdlib.h>
#include <string.h>

typedef struct csv {
    hr_lines lines;
    hr_arena *arena;
    hr_csv_header header;
    hr_table *table;
    const hr_slot **slots;      /* per column of the file; NULL: not wanted, or kept */
    const hr_slot **kept_slots; /* of columns that are kept: where else they go, or NULL */
    size_t *kept_places;        /* per column: 0, or 1 + its place among those that are kept */
    bool *twice;                /* per column: another one of its name comes later */
    size_t *run_ends;           /* per column: the next one that has other cells than numbers, or the last */
    double *numbers;            /* one a column: room for a run of numbers */
    hr_column_report *before;   /* of the record that is read; NULL: records without a label are refused */
    bool unlabelled;            /* that record has no label */
    hr_error *err;
} csv;

/* ---- Columns ---- */

static hr_status refuse_slot(const csv *c, const char *name) {
    for (size_t i = 0; i < c->header.count; i++) {
        if (strcmp(c->header.names[i], name) != 0) continue;
        hr_fail(c->err, HR_E_SCHEMA, "do not drop it",
                "the schema names this column, which is to be dropped");
        return hr_fail_at(c->err, HR_E_SCHEMA, NULL, 0, 0, name);
    }
    return hr_csv_refuse_missing(&c->header, name, c->err);
}

static hr_status refuse_twice(const csv *c, const char *name) {
    hr_fail(c->err, HR_E_FORMAT, "rename one of them", "two columns of the table have this name");
    return hr_fail_at(c->err, HR_E_FORMAT, NULL, 0, 0, name);
}

static hr_status map_slot(csv *c, const hr_string_map *names, hr_slot *slot, bool optional) {
    const char *name = hr_slot_column(slot);
    uint32_t at = hr_string_map_find(names, name, strlen(name));
    if (at == HR_STRING_MAP_NONE) return optional ? HR_OK : refuse_slot(c, name);
    if (c->twice[at]) return refuse_twice(c, name);
    c->slots[at] = slot;
    return HR_OK;
}

static hr_status refuse_kept(const csv *c, const char *name, const char *message) {
    hr_fail(c->err, HR_E_SCHEMA, "name each column that is to be kept once, as the first line has it", "%s",
            message);
    return hr_fail_at(c->err, HR_E_SCHEMA, NULL, 0, 0, name);
}

/* Takes the columns that are kept away from the short way of reading numbers. */
static hr_status map_kept(csv *c, const hr_string_map *names, const hr_read_options *options) {
    hr_data *data = c->table->data;
    if (options->kept_count && !data->kept) data->kept = hr_kept_new(options->kept_count);
    if (options->kept_count && !data->kept) return hr_fail_memory(c->err);
    for (size_t k = 0; k < options->kept_count; k++) {
        const char *name = options->kept[k];
        uint32_t at = hr_string_map_find(names, name, strlen(name));
        if (at == HR_STRING_MAP_NONE)
            return refuse_kept(c, name, "this column is to be kept, and the table has none of that name");
        if (c->kept_places[at]) return refuse_kept(c, name, "this column is to be kept twice");
        if (c->twice[at]) return refuse_twice(c, name);
        c->kept_places[at] = k + 1;
        c->kept_slots[at] = c->slots[at];
        c->slots[at] = NULL;
    }
    return HR_OK;
}

static hr_status map_names(csv *c, hr_string_map *names) {
    for (size_t i = 0; i < c->header.count; i++) {
        const char *name = c->header.names[i];
        if (c->header.dropped[i]) continue;
        uint32_t at = hr_string_map_find(names, name, strlen(name));
        if (at != HR_STRING_MAP_NONE)
            c->twice[at] = true;
        else if (!hr_string_map_add(names, name, strlen(name), (uint32_t)i))
            return hr_fail_memory(c->err);
    }
    return HR_OK;
}

/* The first file says what the table has; every other must have the same. */
static hr_status take_header(csv *c, hr_reading *reading) {
    size_t *order;
    if (reading->sources) return hr_csv_match_header(&reading->first, &c->header, c->arena, &order, c->err);
    reading->first = c->header;
    for (size_t i = 0; i < c->header.count; i++) {
        reading->labelled |= c->slots[i] == hr_table_label(c->table);
        c->table->data->extra += !c->slots[i];
    }
    return HR_OK;
}

static bool has_plain_numbers(const csv *c, size_t column) {
    return c->slots[column] && c->slots[column]->role == HR_SLOT_NUMBER;
}

static hr_status find_number_runs(csv *c) {
    const size_t last = c->header.count - 1;
    c->run_ends = hr_arena_alloc(c->arena, c->header.count, sizeof *c->run_ends);
    c->numbers = hr_arena_alloc(c->arena, c->header.count, sizeof *c->numbers);
    if (!c->run_ends || !c->numbers) return hr_fail_memory(c->err);
    c->run_ends[last] = last;
    for (size_t i = last; i-- > 0;) c->run_ends[i] = has_plain_numbers(c, i) ? c->run_ends[i + 1] : i;
    return HR_OK;
}

/* Which column of the file goes where. */
static hr_status map_columns(csv *c, hr_reading *reading) {
    const hr_read_options *options = reading->options;
    hr_string_map names = {0};
    hr_slot *label = hr_table_label(c->table);
    c->slots = hr_arena_alloc(c->arena, c->header.count, sizeof *c->slots);
    c->twice = hr_arena_alloc(c->arena, c->header.count, sizeof *c->twice);
    c->kept_slots = hr_arena_alloc(c->arena, c->header.count, sizeof *c->kept_slots);
    c->kept_places = hr_arena_alloc(c->arena, c->header.count, sizeof *c->kept_places);
    if (!c->slots || !c->twice || !c->kept_slots || !c->kept_places) return hr_fail_memory(c->err);
    hr_status status = map_names(c, &names);
    for (hr_slot *slot = c->table->slots; slot <= label && !status; slot += hr_slot_span(slot))
        status = map_slot(c, &names, slot, slot == label && options->label_optional);
    if (!status && hr_table_unit(c->table)) status = map_slot(c, &names, hr_table_unit(c->table), false);
    if (!status) status = take_header(c, reading);
    if (!status) status = map_kept(c, &names, options);
    if (!status) status = find_number_runs(c);
    hr_string_map_done(&names);
    return status;
}

/* ---- Records ---- */

static const char *skip_line_blanks(const char *p, char blank) {
    while (*p == ' ' || *p == blank) p++;
    return p;
}

/* A number among blanks or quotation marks; returns what follows the cell, or NULL for the tokenizer to
 * decide. */
static const char *padded_number(const char *p, char blank, double *value) {
    p = skip_line_blanks(p, blank);
    bool quoted = *p == '"';
    if (quoted) p = skip_line_blanks(p + 1, blank);
    p = hr_number_fast(p, value);
    if (!p) return NULL;
    p = skip_line_blanks(p, blank);
    if (!quoted) return p;
    return *p == '"' ? skip_line_blanks(p + 1, blank) : NULL;
}

/* Takes the cell at `at` the short way; returns what follows it and its `end`, or NULL if it is not a plain
 * number that ends so. */
static inline const char *take_number(const csv *c, const hr_slot *slot, const char *at, char end) {
    const hr_table *table = c->table;
    const char blank = c->lines.blank;
    double value;
    /* Blanks and quotation marks come before digits and signs in ASCII. */
    const char *p = (unsigned char)*at <= '"' ? padded_number(at, blank, &value) : hr_number_fast(at, &value);
    if (!p) return NULL;
    if (*p != end) {
        p = skip_line_blanks(p, blank);
        if (*p == '\r' && end == '\n') p++;
        if (*p != end) return NULL;
    }
    if (table->missing_number_count && hr_table_may_be_missing(table, value)) return NULL;
    hr_slot_number(slot, table->data->rows, value);
    return p + 1;
}

static bool keep_cell(csv *c, size_t column, const hr_cell *cell) {
    const size_t place = c->kept_places[column];
    hr_data *data = c->table->data;
    return !place || hr_kept_add(data->kept, place - 1, data->rows, cell->text, cell->size);
}

static hr_status take_cell(csv *c, size_t column, hr_cell *cell) {
    const hr_slot *slot = c->slots[column] ? c->slots[column] : c->kept_slots[column];
    hr_lines before = c->lines;
    hr_status status = hr_cells_next(&c->lines, cell, c->err);
    if (!status && !keep_cell(c, column, cell)) return hr_fail_memory(c->err);
    if (status || !slot) return status;
    if (c->before && slot == hr_table_label(c->table) &&
        hr_table_is_missing(c->table, cell->text, cell->size)) {
        c->unlabelled = true;
        return HR_OK;
    }
    status = hr_table_store(c->table, slot, cell->text, cell->size, c->err);
    return status ? hr_lines_place(&before, cell->where, status, c->err) : HR_OK;
}

/* How many of the numbers come before the first that may be a spelling of missing. */
static size_t count_present(const hr_table *table, const double *numbers, size_t count) {
    size_t present = 0;
    if (!table->missing_number_count) return count;
    while (present < count && !hr_table_may_be_missing(table, numbers[present])) present++;
    return present;
}

/* Takes numbers from column `i` on that stand between separators without anything around them. Returns the
 * column of the next cell. */
static size_t take_number_run(csv *c, size_t i, const char **at) {
    const hr_kernels *kernels = c->lines.kernels;
    const size_t most = c->run_ends[i] - i;
    const char *start = *at;
    if (!most) return i;
    size_t count = kernels->numbers_of_cells(at, c->lines.separator, most, c->numbers);
    const size_t present = count_present(c->table, c->numbers, count);
    if (present < count) {
        *at = start;
        count = kernels->numbers_of_cells(at, c->lines.separator, present, c->numbers);
    }
    for (size_t k = 0; k < count; k++) hr_slot_number(c->slots[i + k], c->table->data->rows, c->numbers[k]);
    return i + count;
}

/* Takes plain numbers from column `i` on, as far as they reach. Returns the column in which something else
 * stands. */
static size_t take_csv_numbers(csv *c, size_t i) {
    const char *start = c->lines.at, *p = start;
    const size_t last = c->header.count - 1;
    const char separator = c->lines.separator;
    if (i <= last) i = take_number_run(c, i, &p);
    for (; i <= last; i++) {
        const hr_slot *slot = c->slots[i];
        if (!slot || slot->role != HR_SLOT_NUMBER) break;
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

static hr_status read_csv_record(csv *c) {
    uint64_t line = c->lines.line;
    size_t count = c->header.count;
    for (size_t i = take_csv_numbers(c, 0); i < count; i = take_csv_numbers(c, i + 1)) {
        hr_cell cell;
        hr_status status = take_cell(c, i, &cell);
        if (status)
            return status == HR_E_MEMORY ? status
                                         : hr_fail_at(c->err, status, NULL, 0, 0, c->header.names[i]);
        if (cell.last != (i + 1 == count))
            return hr_csv_refuse_ragged(line, i + 1, count, !cell.last, c->err);
        if (cell.last) break;
    }
    return HR_OK;
}

/* Takes a record back whose label is missing. */
static void skip_csv_record(csv *c) {
    hr_data *data = c->table->data;
    memcpy(data->reports, c->before, c->table->slot_count * sizeof *c->before);
    data->skipped++;
}

static hr_status take_csv_record(csv *c) {
    hr_data *data = c->table->data;
    c->unlabelled = false;
    if (c->before) memcpy(c->before, data->reports, c->table->slot_count * sizeof *c->before);
    hr_status status = hr_table_grow(c->table, c->err);
    if (!status) status = read_csv_record(c);
    if (status) return status;
    if (c->unlabelled)
        skip_csv_record(c);
    else
        data->rows++;
    return HR_OK;
}

static hr_status take_csv_records(csv *c) {
    for (;;) {
        while (hr_cells_skip_empty(&c->lines)) {
            hr_status status = take_csv_record(c);
            if (status) return status;
        }
        hr_status status = hr_lines_more(&c->lines, c->err);
        if (status || c->lines.at == c->lines.limit) return status;
    }
}

hr_status hr_csv_read(hr_reading *reading, hr_byte_source *source, hr_error *err) {
    const hr_read_options *options = reading->options;
    csv c = {.err = err, .arena = reading->arena, .table = &reading->table};
    hr_status status = hr_lines_start(&c.lines, source, true, err);
    if (!status) status = hr_csv_read_header(&c.lines, options, c.arena, &c.header, err);
    if (!status) status = map_columns(&c, reading);
    if (!status && options->skip_unlabelled) {
        c.before = hr_arena_alloc(c.arena, c.table->slot_count, sizeof *c.before);
        if (!c.before) status = hr_fail_memory(err);
    }
    return status ? status : take_csv_records(&c);
}
