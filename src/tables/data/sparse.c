#include "tables/data/sparse.h"

#include "tables/data/columns.h"

#include <stdlib.h>
#include <string.h>

/* ---- Cells in lines ---- */

bool hr_entries_init(hr_entries *entries, size_t lines, size_t count) {
    *entries = (hr_entries){.lines = lines,
                            .begins = calloc(lines + 1, sizeof *entries->begins),
                            .across = malloc((count + 1) * sizeof *entries->across),
                            .values = malloc((count + 1) * sizeof *entries->values)};
    return entries->begins && entries->across && entries->values;
}

void hr_entries_done(hr_entries *entries) {
    free(entries->begins);
    free(entries->across);
    free(entries->values);
    *entries = (hr_entries){0};
}

bool hr_entries_turn(const hr_entries *from, size_t lines, hr_entries *to) {
    const size_t count = from->begins[from->lines];
    if (!hr_entries_init(to, lines, count)) return false;
    size_t *next = to->begins;
    for (size_t e = 0; e < count; e++) next[from->across[e] + 1]++;
    for (size_t i = 0; i < lines; i++) next[i + 1] += next[i];
    /* next[i]: where the next cell of line i goes; in the end, where line i + 1 begins. */
    for (size_t line = 0; line < from->lines; line++)
        for (size_t e = from->begins[line]; e < from->begins[line + 1]; e++) {
            const size_t at = next[from->across[e]]++;
            to->across[at] = (uint32_t)line;
            to->values[at] = from->values[e];
        }
    memmove(next + 1, next, lines * sizeof *next);
    next[0] = 0;
    return true;
}

/* ---- Life ---- */

void hr_sparse_free(hr_sparse *sparse) {
    if (!sparse) return;
    hr_entries_done(&sparse->columns);
    free(sparse->absent);
    free(sparse);
}

hr_sparse *hr_sparse_of_rows(const hr_entries *rows, size_t columns, double *absent) {
    hr_sparse *sparse = calloc(1, sizeof *sparse);
    if (!sparse) {
        free(absent);
        return NULL;
    }
    sparse->absent = absent;
    if (hr_entries_turn(rows, columns, &sparse->columns)) return sparse;
    hr_sparse_free(sparse);
    return NULL;
}

static double *copy_absent(const hr_sparse *sparse) {
    const size_t size = sparse->columns.lines * sizeof *sparse->absent;
    double *copy = malloc(size + 1);
    return copy ? memcpy(copy, sparse->absent, size) : NULL;
}

/* ---- Cells ---- */

/* The first cell of a column at or behind a row. */
static size_t first_from(const hr_entries *columns, size_t column, size_t row) {
    size_t low = columns->begins[column], high = columns->begins[column + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (columns->across[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

hr_entry_run hr_sparse_run(const hr_sparse *sparse, size_t column, size_t begin, size_t end) {
    const hr_entries *columns = &sparse->columns;
    const size_t first = first_from(columns, column, begin), last = columns->begins[column + 1];
    size_t count = 0;
    while (first + count < last && columns->across[first + count] < end) count++;
    return (hr_entry_run){columns->across + first, columns->values + first, count};
}

double hr_sparse_cell(const hr_sparse *sparse, size_t column, size_t row) {
    const hr_entries *columns = &sparse->columns;
    const size_t at = first_from(columns, column, row);
    return at < columns->begins[column + 1] && columns->across[at] == row ? columns->values[at]
                                                                          : sparse->absent[column];
}

void hr_sparse_numbers(const hr_sparse *sparse, size_t column, size_t begin, size_t count, double *out) {
    const hr_entry_run run = hr_sparse_run(sparse, column, begin, begin + count);
    for (size_t i = 0; i < count; i++) out[i] = sparse->absent[column];
    for (size_t e = 0; e < run.count; e++) out[run.rows[e] - begin] = run.values[e];
}

void hr_sparse_codes(const hr_sparse *sparse, size_t column, size_t begin, size_t count, uint16_t *out) {
    const hr_entry_run run = hr_sparse_run(sparse, column, begin, begin + count);
    for (size_t i = 0; i < count; i++) out[i] = (uint16_t)sparse->absent[column];
    for (size_t e = 0; e < run.count; e++) out[run.rows[e] - begin] = (uint16_t)run.values[e];
}

/* ---- Copies ---- */

static size_t line_cells(const hr_entries *entries, size_t line) {
    return entries->begins[line + 1] - entries->begins[line];
}

/* Puts the cells of a line into the next one of `to`, whose lines before it are filled. */
static void copy_line(const hr_entries *from, size_t line, hr_entries *to, size_t next) {
    const size_t first = from->begins[line], size = line_cells(from, line), at = to->begins[next];
    memcpy(to->across + at, from->across + first, size * sizeof *to->across);
    memcpy(to->values + at, from->values + first, size * sizeof *to->values);
    to->begins[next + 1] = at + size;
}

/* Puts the cells of row taken[i] into row i. */
static bool take_rows(const hr_entries *rows, const uint32_t *taken, size_t count, hr_entries *out) {
    size_t cells = 0;
    for (size_t i = 0; i < count; i++) cells += line_cells(rows, taken[i]);
    if (!hr_entries_init(out, count, cells)) return false;
    for (size_t i = 0; i < count; i++) copy_line(rows, taken[i], out, i);
    return true;
}

hr_sparse *hr_sparse_take(const hr_sparse *sparse, size_t rows, const uint32_t *taken, size_t count) {
    hr_entries all = {0}, some = {0};
    hr_sparse *out = NULL;
    bool made = hr_entries_turn(&sparse->columns, rows, &all) && take_rows(&all, taken, count, &some);
    double *absent = made ? copy_absent(sparse) : NULL;
    if (absent) out = hr_sparse_of_rows(&some, sparse->columns.lines, absent);
    hr_entries_done(&all);
    hr_entries_done(&some);
    return out;
}

hr_sparse *hr_sparse_part(const hr_sparse *sparse, const size_t *columns, size_t count) {
    size_t cells = 0;
    for (size_t i = 0; i < count; i++) cells += line_cells(&sparse->columns, columns[i]);
    hr_sparse *part = calloc(1, sizeof *part);
    if (!part || !hr_entries_init(&part->columns, count, cells) ||
        !(part->absent = malloc(count * sizeof *part->absent + 1))) {
        hr_sparse_free(part);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        copy_line(&sparse->columns, columns[i], &part->columns, i);
        part->absent[i] = sparse->absent[columns[i]];
    }
    return part;
}

hr_sparse *hr_sparse_clip(const hr_sparse *sparse, const hr_schema *schema) {
    const hr_entries *from = &sparse->columns;
    const size_t count = from->begins[from->lines];
    hr_sparse *out = calloc(1, sizeof *out);
    if (!out || !hr_entries_init(&out->columns, from->lines, count) || !(out->absent = copy_absent(sparse))) {
        hr_sparse_free(out);
        return NULL;
    }
    memcpy(out->columns.begins, from->begins, (from->lines + 1) * sizeof *from->begins);
    memcpy(out->columns.across, from->across, count * sizeof *from->across);
    memcpy(out->columns.values, from->values, count * sizeof *from->values);
    for (size_t f = 0; f < from->lines; f++) {
        const hr_column *column = hr_schema_feature(schema, f);
        if (column->kind != HR_KIND_NUMBER) continue;
        out->absent[f] = hr_clip_number(column, out->absent[f]);
        for (size_t e = from->begins[f]; e < from->begins[f + 1]; e++)
            out->columns.values[e] = hr_clip_number(column, out->columns.values[e]);
    }
    return out;
}

/* ---- Records in the making ---- */

enum { ROOM = 1024 };

hr_sparse_rows *hr_sparse_rows_new(size_t features) {
    hr_sparse_rows *rows = calloc(1, sizeof *rows);
    if (!rows) return NULL;
    rows->row_room = rows->cell_room = ROOM;
    rows->labels = malloc(ROOM * sizeof *rows->labels);
    rows->absent = calloc(features + 1, sizeof *rows->absent);
    if (hr_entries_init(&rows->entries, ROOM, ROOM) && rows->labels && rows->absent) {
        rows->entries.lines = 0;
        return rows;
    }
    hr_sparse_rows_free(rows);
    return NULL;
}

void hr_sparse_rows_free(hr_sparse_rows *rows) {
    if (!rows) return;
    hr_entries_done(&rows->entries);
    free(rows->labels);
    free(rows->absent);
    free(rows);
}

bool hr_sparse_rows_add(hr_sparse_rows *rows, size_t feature, double value) {
    hr_entries *entries = &rows->entries;
    if (rows->cells == rows->cell_room) {
        const size_t room = rows->cell_room + rows->cell_room / 2;
        uint32_t *across = realloc(entries->across, room * sizeof *across);
        if (across) entries->across = across;
        double *values = realloc(entries->values, room * sizeof *values);
        if (values) entries->values = values;
        if (!across || !values) return false;
        rows->cell_room = room;
    }
    entries->across[rows->cells] = (uint32_t)feature;
    entries->values[rows->cells++] = value;
    return true;
}

bool hr_sparse_rows_end(hr_sparse_rows *rows, double label) {
    hr_entries *entries = &rows->entries;
    if (entries->lines == rows->row_room) {
        const size_t room = rows->row_room + rows->row_room / 2;
        size_t *begins = realloc(entries->begins, (room + 1) * sizeof *begins);
        if (begins) entries->begins = begins;
        double *labels = realloc(rows->labels, room * sizeof *labels);
        if (labels) rows->labels = labels;
        if (!begins || !labels) return false;
        rows->row_room = room;
    }
    rows->labels[entries->lines++] = label;
    entries->begins[entries->lines] = rows->cells;
    return true;
}
