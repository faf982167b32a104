/* The row of LIBSVM: its text into a sparse table, into typed columns or into a proposal. Absent entries mean
 * 0. Records begin as those of a sparse table; where the first blocks have too many entries for that, or the
 * whole, they go to columns, which are filled with what 0 means before entries are stored. */
#include "tables/formats/formats.h"

#include "base/buffer.h"
#include "base/fail.h"
#include "base/text/number_fast.h"
#include "tables/data/table.h"
#include "tables/schema/check.h"
#include "tables/schema/schema.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_LOOKED_AT = 32, FILL = 1024, WORK_ROWS = 16384, WORK_CELLS = 1 << 19 };

/* ---- One line in pieces: "label index:value index:value ..." ---- */

typedef struct libsvm_entry {
    const char *where;
    uint32_t index; /* from 1; 0: the label */
    const char *text;
    size_t size;
    bool ended; /* there is no entry: the line is over */
} libsvm_entry;

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_index_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool ends_token(char c) {
    return is_blank(c) || c == '\n' || c == '#';
}

/* Skips blanks, and a comment up to its line end. */
static char *skip_space(char *p) {
    while (is_blank(*p)) p++;
    if (*p == '#') {
        while (*p != '\n') p++;
    }
    return p;
}

static void take_line_end(hr_lines *lines, char *p) {
    lines->at = lines->line_start = p + 1;
    lines->line++;
}

/* Skips empty lines and comments; returns whether a record waits before lines->limit. */
static bool skip_empty(hr_lines *lines) {
    while (lines->at < lines->limit) {
        char *p = skip_space(lines->at);
        if (*p != '\n') return true;
        take_line_end(lines, p);
    }
    return false;
}

static hr_status refuse_entry(const hr_lines *lines, const libsvm_entry *entry, const char *message,
                              const char *remedy, hr_error *err) {
    hr_fail(err, HR_E_FORMAT, remedy, "'%.*s': %s", (int)(entry->size < 60 ? entry->size : 60), entry->text,
            message);
    return hr_lines_place(lines, entry->where, HR_E_FORMAT, err);
}

/* Splits "12:0.5", which `entry` holds as text, at its colon. */
static hr_status split_pair(const hr_lines *lines, const char *colon, libsvm_entry *entry, hr_error *err) {
    uint64_t index = 0;
    const char *p = entry->text;
    while (p < colon && is_index_digit(*p) && index <= UINT32_MAX)
        index = index * 10 + (uint64_t)(*p++ - '0');
    if (colon - entry->text == 3 && memcmp(entry->text, "qid", 3) == 0) {
        return refuse_entry(lines, entry, "data for ranking (qid) cannot be read", "remove the qid entries",
                            err);
    }
    if (p != colon || index == 0 || index > UINT32_MAX) {
        return refuse_entry(lines, entry, "not an index and a value",
                            "write entries such as 3:0.5, with indices from 1", err);
    }
    if (colon + 1 == entry->text + entry->size)
        return refuse_entry(lines, entry, "the value is missing", "leave the entry out if it is 0", err);
    entry->size -= (size_t)(colon + 1 - entry->text);
    entry->text = colon + 1;
    entry->index = (uint32_t)index;
    return HR_OK;
}

/* Takes the next entry of the line at lines->at; at the end of the line, moves to the next one. Only the
 * first entry may be a label. Fails: FORMAT (line, column). */
static hr_status next_entry(hr_lines *lines, bool first, libsvm_entry *entry, hr_error *err) {
    char *p = skip_space(lines->at);
    *entry = (libsvm_entry){.where = p, .text = p, .ended = *p == '\n'};
    if (entry->ended) {
        take_line_end(lines, p);
        return HR_OK;
    }
    const char *colon = NULL;
    for (; !ends_token(*p); p++) {
        if (*p == ':' && !colon) colon = p;
    }
    entry->size = (size_t)(p - entry->text);
    lines->at = p;
    if (colon) return split_pair(lines, colon, entry, err);
    return first ? HR_OK
                 : refuse_entry(lines, entry, "not an index and a value",
                                "write entries such as 3:0.5, with indices from 1", err);
}

static hr_status refuse_twice(const hr_lines *lines, const libsvm_entry *entry, hr_error *err) {
    hr_fail(err, HR_E_FORMAT, "give every index once in a line", "the index %u comes twice",
            (unsigned)entry->index);
    return hr_lines_place(lines, entry->where, HR_E_FORMAT, err);
}

/* ---- Looking ---- */

/* Whether a token is "12:something" or "qid:something". */
static bool is_pair(const char *p, const char *end) {
    const char *from = p;
    while (p < end && is_index_digit(*p)) p++;
    if (p == from && end - p > 3 && memcmp(p, "qid", 3) == 0) p += 3;
    return p > from && p < end && *p == ':';
}

/* Whether a line is a label and pairs, or pairs only; counts the pairs. */
static bool line_looks(const char *p, const char *end, size_t *pairs) {
    bool first = true;
    for (;; first = false) {
        while (p < end && is_blank(*p)) p++;
        const char *from = p;
        while (p < end && !ends_token(*p)) {
            if (*p == ',' || *p == ';' || *p == '|' || *p == '"') return false;
            p++;
        }
        if (p == from) return true;
        bool pair = is_pair(from, p);
        if (!pair && !first) return false;
        *pairs += pair;
    }
}

/* Whether text that begins with these bytes is LIBSVM rather than CSV. */
static bool looks(const char *bytes, size_t size) {
    const char *end = bytes + size;
    size_t pairs = 0;
    for (int i = 0; i < LINES_LOOKED_AT && bytes < end; i++) {
        const char *line_end = memchr(bytes, '\n', (size_t)(end - bytes));
        if (!line_end && i) break; /* cut off by the block */
        if (!line_end) line_end = end;
        if (!line_looks(bytes, line_end, &pairs)) return false;
        bytes = line_end + (line_end < end);
    }
    return pairs > 0;
}

/* ---- Options ---- */

static hr_status check_options(const hr_read_options *options, hr_error *err) {
    if (options->separator)
        return hr_fail(err, HR_E_ARGUMENT, "leave --separator out", "LIBSVM tables have no separator");
    if (options->quote)
        return hr_fail(err, HR_E_ARGUMENT, "leave --quote out", "LIBSVM tables have no quotation marks");
    if (options->skip_lines)
        return hr_fail(err, HR_E_ARGUMENT, "leave --skip-lines out",
                       "LIBSVM tables have no lines before their records");
    if (options->drop_count)
        return hr_fail(err, HR_E_ARGUMENT, "drop columns of CSV tables only",
                       "the columns of a LIBSVM table have no names");
    if (options->skip_unlabelled)
        return hr_fail(err, HR_E_ARGUMENT, "remove the lines without a label, or convert the table to CSV",
                       "records without a label can be skipped in CSV tables only");
    if (options->kept_count) {
        hr_fail(err, HR_E_SCHEMA, "keep columns of CSV tables only",
                "LIBSVM tables have no columns to be kept");
        return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, options->kept[0]);
    }
    return HR_OK;
}

/* ---- Records ---- */

/* What 0 means in a column, and what it adds to the report. */
typedef struct absent {
    double value; /* or code */
    hr_column_report report;
    uint64_t present; /* entries that were not absent */
    size_t last_row;  /* of all sources, in which the feature was met last, from 1 */
} absent;

typedef struct libsvm {
    hr_lines lines;
    hr_reading *reading;
    hr_table *table;
    hr_cursor cursor;
    absent *absent; /* per feature */
    size_t features, filled;
    size_t first_row; /* of this source */
    bool labelled, label_optional;
    hr_error *err;
} libsvm;

static hr_status refuse_date(const hr_slot *slot, hr_error *err) {
    hr_fail(err, HR_E_SCHEMA, "give a CSV table", "LIBSVM tables have no dates");
    return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, hr_slot_column(slot));
}

static double cell_at(const hr_slot *slot, size_t row) {
    return slot->role == HR_SLOT_CODE ? slot->codes[row] : slot->numbers[row];
}

static hr_status find_absent(libsvm *l) {
    l->features = l->table->data->feature_count;
    l->absent = calloc(l->features, sizeof *l->absent);
    if (!l->absent) return hr_fail_memory(l->err);
    for (size_t i = 0; i < l->features; i++) {
        hr_slot *slot = &l->table->slots[i];
        hr_column_report *report = &l->cursor.reports[i];
        const hr_column_report before = *report;
        *report = (hr_column_report){0};
        hr_status status = slot->role == HR_SLOT_DATE ? refuse_date(slot, l->err)
                                                      : hr_cursor_store(&l->cursor, slot, "0", 1, l->err);
        if (status) return status;
        l->absent[i].value = cell_at(slot, l->cursor.row);
        if (l->table->sparse) l->table->sparse->absent[i] = l->absent[i].value;
        l->absent[i].report = *report;
        *report = before;
    }
    return HR_OK;
}

/* Fills a block of rows from the one that comes next; capacities are multiples of a block but for the
 * largest. */
static void fill_block(libsvm *l) {
    size_t from = l->filled, to = from + FILL < l->table->capacity ? from + FILL : l->table->capacity;
    for (size_t i = 0; i < l->features; i++) {
        const hr_slot *slot = &l->table->slots[i];
        if (slot->role == HR_SLOT_CODE) {
            for (size_t row = from; row < to; row++) slot->codes[row] = (uint16_t)l->absent[i].value;
        } else {
            for (size_t row = from; row < to; row++) slot->numbers[row] = l->absent[i].value;
        }
    }
    l->filled = to;
}

static hr_status store(libsvm *l, const hr_slot *slot, const libsvm_entry *entry) {
    double value = 0;
    if (slot->role == HR_SLOT_NUMBER && hr_number_fast(entry->text, &value) == entry->text + entry->size &&
        !hr_table_may_be_missing(l->table, value)) {
        hr_cursor_number(&l->cursor, slot, value);
        return HR_OK;
    }
    hr_status status = hr_cursor_store(&l->cursor, slot, entry->text, entry->size, l->err);
    return status ? hr_lines_place(&l->lines, entry->where, status, l->err) : HR_OK;
}

static hr_status take_feature(libsvm *l, const libsvm_entry *entry) {
    if (entry->index > l->features) {
        hr_fail(l->err, HR_E_SCHEMA, "correct the entry, or add the feature to the schema",
                "index %u, but the schema has %zu features", (unsigned)entry->index, l->features);
        return hr_lines_place(&l->lines, entry->where, HR_E_SCHEMA, l->err);
    }
    absent *a = &l->absent[entry->index - 1];
    const size_t row = hr_reading_rows(l->reading) + 1;
    if (a->last_row == row) return refuse_twice(&l->lines, entry, l->err);
    a->last_row = row;
    a->present++;
    const hr_slot *slot = &l->table->slots[entry->index - 1];
    hr_status status = store(l, slot, entry);
    if (status || !l->table->sparse) return status;
    const bool added = hr_sparse_rows_add(l->table->sparse, slot->index, cell_at(slot, l->cursor.row));
    return added ? HR_OK : hr_fail_memory(l->err);
}

static hr_status take_label(libsvm *l, const libsvm_entry *entry) {
    bool has = entry->index == 0;
    if (!hr_reading_rows(l->reading) && l->label_optional) l->labelled = has;
    if (has && hr_table_event(l->table))
        return hr_fail(l->err, HR_E_SCHEMA, "convert the table to CSV, or remove its labels to predict it",
                       "a LIBSVM table has no column that says whether events came");
    if (has != l->labelled) {
        hr_fail(l->err, HR_E_SCHEMA, "begin all lines with a label, or none",
                has ? "a label, though the lines before have none" : "the label is missing");
        return hr_lines_place(&l->lines, entry->where, HR_E_SCHEMA, l->err);
    }
    return has ? store(l, hr_table_label(l->table), entry) : take_feature(l, entry);
}

static hr_status read_record(libsvm *l) {
    libsvm_entry entry;
    hr_status status = next_entry(&l->lines, true, &entry, l->err);
    if (!status) status = take_label(l, &entry);
    while (!status) {
        status = next_entry(&l->lines, false, &entry, l->err);
        if (status || entry.ended) return status;
        status = take_feature(l, &entry);
    }
    return status;
}

/* Looks after each block whether its records are those of a sparse table, unless a work takes them. */
static hr_status begin_record(libsvm *l) {
    hr_table *table = l->table;
    const size_t rows = table->data->rows;
    hr_status status = HR_OK;
    if (table->sparse && !l->reading->work && rows && rows % FILL == 0 &&
        !hr_entries_are_few(table->sparse->cells, rows, l->features)) {
        status = hr_table_fill_columns(table, l->err);
        l->cursor.row = l->filled = rows;
    }
    if (status || (table->sparse && rows < HR_ROWS_MAX)) return status;
    status = hr_table_reserve(table, rows + 1, l->err);
    if (!status && !table->sparse && rows == l->filled) fill_block(l);
    return status;
}

/* Hands the records so far to the work, and forgets them. */
static hr_status hand_on(libsvm *l) {
    const hr_block_work *work = l->reading->work;
    hr_sparse_rows *sparse = l->table->sparse;
    hr_data *records = hr_data_new(l->table->data->schema);
    double *values = malloc((l->features + 1) * sizeof *values);
    if (records && values) {
        memcpy(values, sparse->absent, l->features * sizeof *values);
        records->sparse = hr_sparse_of_rows(&sparse->entries, l->features, values);
        values = NULL;
    }
    hr_status status = records && records->sparse ? HR_OK : hr_fail_memory(l->err);
    free(values);
    if (!status) {
        records->rows = l->table->data->rows;
        records->labels = l->labelled ? sparse->labels : NULL;
        records->borrows_labels = true;
        const hr_block block = {.records = records, .threads = l->reading->options->threads};
        status = work->work(work->user, &block, l->err);
        if (!status) status = work->finish(work->user, &block, l->err);
        l->reading->work_failed = status != HR_OK;
        l->reading->worked += records->rows;
        l->table->data->rows = sparse->entries.lines = sparse->cells = 0;
    }
    hr_data_free(records);
    return status;
}

static hr_status take_records(libsvm *l) {
    hr_table *table = l->table;
    for (;;) {
        hr_status status = hr_lines_more(&l->lines, l->err);
        if (status) return status;
        if (l->lines.at == l->lines.limit)
            return l->reading->work && l->table->data->rows ? hand_on(l) : HR_OK;
        while (skip_empty(&l->lines)) {
            status = begin_record(l);
            if (!status) status = read_record(l);
            if (status) return status;
            const double label = l->labelled ? hr_table_label(table)->numbers[l->cursor.row] : 0;
            const size_t rows = ++table->data->rows;
            if (!table->sparse)
                l->cursor.row = rows;
            else if (!hr_sparse_rows_end(table->sparse, label))
                return hr_fail_memory(l->err);
            const bool many = rows == WORK_ROWS || (table->sparse && table->sparse->cells >= WORK_CELLS);
            if (l->reading->work && many) status = hand_on(l);
            if (status) return status;
        }
    }
}

static void report_absent(const libsvm *l) {
    for (size_t i = 0; i < l->features; i++) {
        const absent *a = &l->absent[i];
        uint64_t times = hr_reading_rows(l->reading) - l->first_row - a->present;
        hr_column_report *report = &l->table->data->reports[i];
        report->missing += times * a->report.missing;
        report->unknown += times * a->report.unknown;
        report->out_of_range += times * a->report.out_of_range;
    }
}

static hr_status read_libsvm(hr_reading *reading, hr_byte_source *source, hr_error *err) {
    hr_data *data = reading->table.data;
    libsvm l = {.reading = reading,
                .table = &reading->table,
                .cursor = {.table = &reading->table, .row = data->rows, .reports = data->reports},
                .labelled = !reading->sources || reading->labelled,
                .label_optional = reading->options->label_optional,
                .first_row = hr_reading_rows(reading),
                .filled = reading->table.data->rows,
                .err = err};
    hr_byte_source of_range = {.file = -1};
    hr_status status = hr_schema_refuse_unit(l.table->data->schema, "a LIBSVM table",
                                             "give a CSV table with the unit's column", err);
    if (!status && !reading->sources) status = hr_table_begin_sparse(l.table, err);
    if (!status && !l.table->sparse) status = hr_table_reserve(l.table, data->rows + 1, err);
    if (l.table->sparse) l.cursor.row = 0;
    if (!status) status = find_absent(&l);
    if (!status) status = hr_lines_start(&l.lines, source, false, err);
    if (!status && reading->range) status = hr_lines_enter_range(&l.lines, reading->range, &of_range, err);
    if (!status) status = take_records(&l);
    hr_byte_source_done(&of_range);
    if (!status) report_absent(&l);
    reading->labelled = l.labelled;
    free(l.absent);
    return status;
}

static hr_status start_libsvm(hr_lines *lines, hr_byte_source *source, const hr_read_options *options,
                              hr_error *err) {
    (void)options;
    return hr_lines_start(lines, source, false, err);
}

/* ---- What a proposal is made of ---- */

/* Makes sure that there is a guess for the feature. */
static hr_status reach_feature(hr_gathering *g, const libsvm_entry *entry) {
    if (entry->index > HR_FEATURES_MAX) {
        hr_fail(g->err, HR_E_LIMIT, "leave some features out", "index %u; at most %d features are allowed",
                (unsigned)entry->index, HR_FEATURES_MAX);
        return hr_lines_place(&g->lines, entry->where, HR_E_LIMIT, g->err);
    }
    while (g->all.count <= entry->index) {
        hr_buffer name = {0};
        hr_buffer_format(&name, "f%zu", g->all.count);
        const char *copy = name.failed ? NULL : hr_arena_text(g->arena, name.bytes, name.size);
        hr_buffer_done(&name);
        hr_status status = copy ? hr_gathering_add(g, copy) : hr_fail_memory(g->err);
        if (status) return status;
    }
    return HR_OK;
}

static hr_status gather_record(hr_gathering *g) {
    for (bool first = true;; first = false) {
        libsvm_entry entry;
        hr_status status = next_entry(&g->lines, first, &entry, g->err);
        if (status || entry.ended) return status;
        if (first && entry.index) {
            hr_fail(g->err, HR_E_SCHEMA, "begin every line with its label", "the label is missing");
            return hr_lines_place(&g->lines, entry.where, HR_E_SCHEMA, g->err);
        }
        status = reach_feature(g, &entry);
        if (status) return status;
        hr_inference *inference = g->all.columns[entry.index];
        if (inference->last_row == g->all.rows + 1) return refuse_twice(&g->lines, &entry, g->err);
        inference->last_row = g->all.rows + 1;
        if (!hr_inference_add(inference, g->arena, entry.text, entry.size)) return hr_fail_memory(g->err);
    }
}

static hr_status gather_libsvm(hr_gathering *g, hr_byte_source *source) {
    hr_status status = hr_lines_start(&g->lines, source, false, g->err);
    if (!status && !g->sources) status = hr_gathering_add(g, g->options->label ? g->options->label : "label");
    while (!status) {
        status = hr_lines_more(&g->lines, g->err);
        if (g->lines.at == g->lines.limit) break;
        while (!status && skip_empty(&g->lines)) {
            status = gather_record(g);
            g->all.rows++;
        }
    }
    return status;
}

const hr_table_format hr_libsvm_format = {
    .number = HR_FORMAT_LIBSVM,
    .name = "LIBSVM",
    .sparse = true,
    .looks = looks,
    .check = check_options,
    .start = start_libsvm,
    .read = read_libsvm,
    .gather = gather_libsvm,
};
