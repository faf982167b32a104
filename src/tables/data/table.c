/* Columns stand in one block, which is large enough for the system's huge pages. Its size is what is expected
 * of the source, if that is known; else it doubles when it is full, a small one faster. A column's old place
 * is given back once it is copied, and pages that were never written take no memory, so the parsed data are
 * held once. Columns begin at different places of a page: rows are written across all of them, and lines of
 * the processor's cache that are a page apart displace each other. */
#include "tables/data/table.h"

#include "base/arena.h"
#include "base/fail.h"
#include "base/text/number.h"
#include "base/text/number_format.h"
#include "base/text/timestamp.h"
#include "tables/data/misfits.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1024, MANY_ROWS = 1024 * 1024, CACHE_LINE = 64 };

/* ---- Life ---- */

static bool init_values(hr_slot *slot) {
    bool value;
    const char *spelling;
    if (slot->column->boolean) {
        for (size_t i = 0; (spelling = hr_boolean_spelling(i, &value)); i++)
            if (!hr_string_map_add(&slot->values, spelling, strlen(spelling), value ? 2 : 1)) return false;
        return true;
    }
    for (size_t i = 0; i < slot->column->value_count; i++) {
        const char *name = slot->column->values[i];
        if (!hr_string_map_add(&slot->values, name, strlen(name), (uint32_t)i + 1)) return false;
    }
    return true;
}

static bool init_slots(hr_table *table, const hr_schema *schema) {
    size_t features = table->slot_count - 1;
    for (size_t i = 0; i <= features; i++) {
        hr_slot *slot = &table->slots[i];
        slot->column = i < features ? hr_schema_feature(schema, i) : hr_schema_label(schema);
        slot->role = slot->column->kind == HR_KIND_CATEGORY ? (i < features ? HR_SLOT_CODE : HR_SLOT_CLASS)
                     : slot->column->date                   ? HR_SLOT_DATE
                     : slot->column->event                  ? HR_SLOT_TIME
                     : hr_number_format_plain(&slot->column->format) ? HR_SLOT_NUMBER
                                                                     : HR_SLOT_FORMATTED;
        slot->integer = slot->column->integer;
        slot->low = slot->column->low;
        slot->high = slot->column->high;
        slot->index = i;
        if (!init_values(slot)) return false;
    }
    return true;
}

hr_status hr_table_init(hr_table *table, const hr_schema *schema, hr_error *err) {
    const size_t missing_count = hr_schema_missing_count(schema);
    *table = (hr_table){0};
    table->data = hr_data_new(schema);
    if (!table->data) return hr_fail_memory(err);
    table->slots = calloc(table->data->feature_count + 1, sizeof *table->slots);
    if (!table->slots) return hr_fail_memory(err);
    table->slot_count = table->data->feature_count + 1;
    table->unit = (hr_column){.name = hr_schema_unit(schema)};
    table->unit_slot = (hr_slot){.role = HR_SLOT_PERSON, .column = &table->unit};
    hr_table_init_parts(table, schema);
    table->event.name = hr_schema_label(schema)->event;
    table->event_slot =
        (hr_slot){.role = HR_SLOT_EVENT, .index = table->slot_count + 2, .column = &table->event};
    if (!init_slots(table, schema)) return hr_fail_memory(err);

    table->missing_numbers = malloc((missing_count ? missing_count : 1) * sizeof *table->missing_numbers);
    if (!table->missing_numbers) return hr_fail_memory(err);
    for (size_t i = 0; i < missing_count; i++) {
        const char *word = hr_schema_missing(schema, i);
        double *number = &table->missing_numbers[table->missing_number_count];
        if (!hr_string_map_add(&table->missing, word, strlen(word), HR_CODE_MISSING))
            return hr_fail_memory(err);
        if (hr_number_parse(word, strlen(word), number) == HR_NUMBER_OK) table->missing_number_count++;
    }
    return hr_table_reserve(table, 1, err);
}

void hr_table_done(hr_table *table) {
    for (size_t i = 0; i < table->slot_count; i++) hr_string_map_done(&table->slots[i].values);
    hr_string_map_done(&table->missing);
    hr_persons_done(&table->persons);
    free(table->missing_numbers);
    free(table->slots);
    hr_sparse_rows_free(table->sparse);
    hr_data_free(table->data);
    *table = (hr_table){0};
}

hr_slot *hr_table_label(const hr_table *table) {
    return &table->slots[table->slot_count - 1];
}

const char *hr_slot_column(const hr_slot *slot) {
    return slot->column->date ? slot->column->date->name : slot->column->name;
}

/* The label's slot ends the slots, and is no date. */
size_t hr_slot_span(const hr_slot *slot) {
    size_t count = 1;
    while (slot->column->date && slot[count].column->date == slot->column->date) count++;
    return count;
}

hr_slot *hr_table_unit(hr_table *table) {
    return table->unit.name ? &table->unit_slot : NULL;
}

hr_slot *hr_table_event(hr_table *table) {
    return table->event.name ? &table->event_slot : NULL;
}

/* ---- Growth ---- */

static size_t slot_width(const hr_slot *slot) {
    return slot->role == HR_SLOT_CODE ? sizeof *slot->codes : sizeof *slot->numbers;
}

static char *slot_cells(const hr_slot *slot) {
    return slot->role == HR_SLOT_CODE ? (char *)slot->codes : (char *)slot->numbers;
}

/* Bytes of a column in the block: an odd number of lines of the cache. */
static size_t slot_stride(const hr_slot *slot, size_t rows) {
    return ((slot_width(slot) * rows + CACHE_LINE - 1) / CACHE_LINE | 1) * CACHE_LINE;
}

/* Puts a block for `rows` rows in the place of the one that is there. */
static bool resize_columns(hr_table *table, size_t rows) {
    hr_data *data = table->data;
    const size_t kept = data->rows < rows ? data->rows : rows;
    size_t size = 0;
    for (size_t i = 0; i < table->slot_count; i++) size += slot_stride(&table->slots[i], rows);
    char *block = hr_pages_new(size), *to = block;
    if (!block) return false;
    for (size_t i = 0; i < table->slot_count; i++) {
        hr_slot *slot = &table->slots[i];
        char *from = slot_cells(slot);
        if (kept) {
            memcpy(to, from, kept * slot_width(slot));
            hr_pages_drop(from, kept * slot_width(slot));
        }
        if (slot->role == HR_SLOT_CODE)
            slot->codes = data->codes[slot->index] = (uint16_t *)(void *)to;
        else
            slot->numbers = *(slot == hr_table_label(table) ? &data->labels : &data->numbers[slot->index]) =
                (double *)(void *)to;
        to += slot_stride(slot, rows);
    }
    free(data->block);
    data->block = block;
    return true;
}

static bool resize_numbers(uint32_t **numbers, size_t rows) {
    uint32_t *resized = realloc(*numbers, rows * sizeof *resized);
    if (resized) *numbers = resized;
    return resized;
}

static bool resize(hr_table *table, size_t rows) {
    hr_data *data = table->data;
    if (hr_table_unit(table) && !resize_numbers(&data->persons, rows)) return false;
    if (hr_table_weight(table) && !resize_numbers(&data->own_weights, rows)) return false;
    if (hr_table_exposure(table)) {
        double *exposures = realloc(data->exposures, rows * sizeof *exposures);
        if (!exposures) return false;
        data->exposures = exposures;
    }
    if (!resize_columns(table, rows)) return false;
    table->capacity = rows;
    return true;
}

/* Grows to what is expected, or to twice or four times as much as there is: the columns are copied, so it
 * must not happen often. In whole units of the first capacity, but for the largest. */
hr_status hr_table_reserve(hr_table *table, size_t rows, hr_error *err) {
    if (table->data->rows >= HR_ROWS_MAX)
        return hr_fail(err, HR_E_LIMIT, "use fewer rows", "more than %u rows", HR_ROWS_MAX);
    if (rows > HR_ROWS_MAX) rows = HR_ROWS_MAX;
    if (rows <= table->capacity) return HR_OK;
    size_t capacity = table->capacity * (table->capacity < MANY_ROWS ? 4 : 2);
    if (table->expected) {
        capacity = table->capacity + table->capacity / 8;
        if (capacity < table->expected) capacity = table->expected;
    }
    if (capacity < rows) capacity = rows;
    capacity = (capacity + FIRST_CAPACITY - 1) / FIRST_CAPACITY * FIRST_CAPACITY;
    if (capacity > HR_ROWS_MAX) capacity = HR_ROWS_MAX;
    return resize(table, capacity) ? HR_OK : hr_fail_memory(err);
}

hr_status hr_table_begin_sparse(hr_table *table, hr_error *err) {
    table->sparse = hr_sparse_rows_new(table->data->feature_count);
    return table->sparse && resize(table, 1) ? HR_OK : hr_fail_memory(err);
}

static void put_cell(const hr_slot *slot, size_t row, double value) {
    if (slot->role == HR_SLOT_CODE)
        slot->codes[row] = (uint16_t)value;
    else
        slot->numbers[row] = value;
}

hr_status hr_table_fill_columns(hr_table *table, hr_error *err) {
    hr_data *data = table->data;
    hr_sparse_rows *sparse = table->sparse;
    const hr_entries *entries = &sparse->entries;
    const size_t rows = data->rows;
    data->rows = 0; /* the columns hold none of them */
    hr_status status = hr_table_reserve(table, rows, err);
    data->rows = rows;
    if (status) return status;
    for (size_t f = 0; f < data->feature_count; f++)
        for (size_t row = 0; row < rows; row++) put_cell(&table->slots[f], row, sparse->absent[f]);
    for (size_t row = 0; row < rows; row++)
        for (size_t e = entries->begins[row]; e < entries->begins[row + 1]; e++)
            put_cell(&table->slots[entries->across[e]], row, entries->values[e]);
    memcpy(hr_table_label(table)->numbers, sparse->labels, rows * sizeof *sparse->labels);
    hr_sparse_rows_free(sparse);
    table->sparse = NULL;
    return HR_OK;
}

void hr_table_move(const hr_table *table, size_t from, size_t to, size_t count) {
    for (size_t i = 0; i < table->slot_count; i++) {
        const size_t width = slot_width(&table->slots[i]);
        char *cells = slot_cells(&table->slots[i]);
        memmove(cells + to * width, cells + from * width, count * width);
    }
    uint32_t *persons = table->data->persons;
    if (persons) memmove(persons + to, persons + from, count * sizeof *persons);
    uint32_t *weights = table->data->own_weights;
    if (weights) memmove(weights + to, weights + from, count * sizeof *weights);
    double *exposures = table->data->exposures;
    if (exposures) memmove(exposures + to, exposures + from, count * sizeof *exposures);
}

/* A sparse table of few cells stays as it is. */
hr_status hr_table_take(hr_table *table, bool labelled, hr_data **out, hr_error *err) {
    hr_data *data = table->data;
    hr_sparse_rows *sparse = table->sparse;
    const size_t features = data->feature_count;
    hr_status status = HR_OK;
    if (sparse && hr_entries_are_few(sparse->cells, data->rows, features)) {
        data->sparse = hr_sparse_of_rows(&sparse->entries, features, sparse->absent);
        sparse->absent = NULL;
        if (!data->sparse) return hr_fail_memory(err);
        memset(data->numbers, 0, features * sizeof *data->numbers);
        memset(data->codes, 0, features * sizeof *data->codes);
        free(data->block);
        data->block = NULL;
        data->labels = sparse->labels;
        sparse->labels = NULL;
    } else if (sparse) {
        status = hr_table_fill_columns(table, err);
        if (status) return status;
    }
    /* Giving memory back may fail; then the columns are merely larger than they need be. */
    if (!data->sparse && data->rows < table->capacity / 8 * 7)
        (void)resize(table, data->rows ? data->rows : 1);
    if (hr_schema_weighs(data->schema) && !hr_records_weigh(data)) return hr_fail_memory(err);
    if (!labelled) {
        if (!data->block) free(data->labels);
        data->labels = NULL;
    }
    hr_persons_give_hashes(&table->persons, data);
    table->data = NULL;
    *out = data;
    return HR_OK;
}

/* ---- Cells ---- */

bool hr_table_is_missing(const hr_table *table, const char *cell, size_t size) {
    return !size || hr_string_map_find(&table->missing, cell, size) != HR_STRING_MAP_NONE;
}

/* How much of a cell a message shows. */
static int shown(size_t size) {
    return size < 60 ? (int)size : 60;
}

static hr_status store_number(hr_cursor *cursor, const hr_slot *slot, const char *cell, size_t size,
                              hr_error *err) {
    double value;
    hr_number_status status = slot->role == HR_SLOT_NUMBER
                                  ? hr_number_parse(cell, size, &value)
                                  : hr_number_format_parse(&slot->column->format, cell, size, &value);
    if (status == HR_NUMBER_OK) {
        hr_cursor_number(cursor, slot, value);
        return HR_OK;
    }
    return hr_fail(err, HR_E_FORMAT,
                   "correct it, list it under 'missing' in the schema if it means that there is no value, or "
                   "declare how numbers are written (decimal, thousands, symbol)",
                   status == HR_NUMBER_LARGE ? "'%.*s' is too large for a number" : "'%.*s' is not a number",
                   shown(size), cell);
}

static void put_date(const hr_cursor *cursor, const hr_slot *slot, int64_t second) {
    const hr_date_column *date = slot->column->date;
    const hr_date_time time = {second, hr_calendar_of(second)};
    for (size_t i = 0, span = hr_slot_span(slot); i < span; i++) {
        bool clipped;
        slot[i].numbers[cursor->row] = hr_date_part_value(date, slot[i].column->part, &time, &clipped);
        cursor->reports[slot[i].index].out_of_range += clipped;
    }
}

static hr_status store_date(hr_cursor *cursor, const hr_slot *slot, const char *cell, size_t size,
                            hr_error *err) {
    const hr_date_column *date = slot->column->date;
    const hr_timestamp_rule rule = {date->format, date->offset};
    int64_t second = 0;
    hr_timestamp_status status = hr_timestamp_parse(&rule, cell, size, &second);
    if (status == HR_TIMESTAMP_OFFSET)
        return hr_fail(err, HR_E_FORMAT,
                       "say in the schema what it means: offset: utc (convert to UTC), or offset: local (the "
                       "clock as written)",
                       "'%.*s' has an offset from UTC", shown(size), cell);
    if (status)
        return hr_fail(err, HR_E_FORMAT,
                       "correct it, list it under 'missing' in the schema if it means that there is no "
                       "value, or declare the column's 'format'",
                       status == HR_TIMESTAMP_NONE
                           ? "'%.*s' is a day or time that does not exist (format: %s)"
                           : "'%.*s' is not a date (format: %s)",
                       shown(size), cell, date->format ? date->format : "ISO 8601");
    put_date(cursor, slot, second);
    return HR_OK;
}

static hr_status store_class(hr_cursor *cursor, const hr_slot *slot, const char *cell, size_t size,
                             hr_error *err) {
    const hr_column *label = slot->column;
    uint32_t code = hr_string_map_find(&slot->values, cell, size);
    if (code == HR_STRING_MAP_NONE) {
        /* The class whose name is the same number as the cell, such as "1" for "+1" and "1.0". */
        double value, other;
        const bool is_number = hr_number_parse(cell, size, &value) == HR_NUMBER_OK;
        code = 0;
        for (size_t i = 0; is_number && !code && i < label->value_count; i++) {
            const char *name = label->values[i];
            if (hr_number_parse(name, strlen(name), &other) == HR_NUMBER_OK && other == value)
                code = (uint32_t)i + 1;
        }
    }
    if (!code) {
        return hr_fail(err, HR_E_SCHEMA, "correct it, or list it under the label's 'values' in the schema",
                       "'%.*s' is not one of the classes", shown(size), cell);
    }
    slot->numbers[cursor->row] = code - 1;
    return HR_OK;
}

static void store_no_value(const hr_cursor *cursor, const hr_slot *slot) {
    for (size_t i = 0, span = hr_slot_span(slot); i < span; i++) {
        if (slot->role == HR_SLOT_CODE)
            slot->codes[cursor->row] = HR_CODE_MISSING;
        else
            slot[i].numbers[cursor->row] = (double)NAN;
    }
}

static hr_status store_missing(hr_cursor *cursor, const hr_slot *slot, hr_error *err) {
    const hr_table *table = cursor->table;
    if (slot == hr_table_label(table) || slot == &table->event_slot) {
        return hr_fail(
            err, HR_E_SCHEMA,
            "leave out records without a label with --skip-unlabelled, or the whole column when predicting",
            "the label is missing");
    }
    if (slot == &table->unit_slot)
        return hr_fail(err, HR_E_SCHEMA, "say whose record it is, or remove the record",
                       "the identifier of the unit is missing");
    if (hr_slot_is_part(slot)) return hr_slot_refuse_missing(slot, err);
    for (size_t i = 0, span = hr_slot_span(slot); i < span; i++) cursor->reports[slot[i].index].missing++;
    store_no_value(cursor, slot);
    return HR_OK;
}

/* A cell that does not fit: noted in place of the refusal. */
static hr_status note_misfit(hr_cursor *cursor, const hr_slot *slot, const char *cell, size_t size,
                             hr_error *err) {
    if (!hr_misfits_add(cursor->misfits, slot->index, cell, size)) return hr_fail_memory(err);
    for (size_t i = 0, span = hr_slot_span(slot); i < span; i++) {
        if (size)
            cursor->reports[slot[i].index].unknown++;
        else
            cursor->reports[slot[i].index].missing++;
    }
    if (hr_slot_is_part(slot))
        hr_cursor_leave_part(cursor, slot);
    else if (slot->role != HR_SLOT_EVENT)
        store_no_value(cursor, slot);
    return HR_OK;
}

static hr_status store_cell(hr_cursor *cursor, const hr_slot *slot, const char *cell, size_t size,
                            hr_error *err) {
    hr_status status = HR_OK;
    if (hr_table_is_missing(cursor->table, cell, size)) {
        status = store_missing(cursor, slot, err);
    } else if (slot->role == HR_SLOT_NUMBER || slot->role == HR_SLOT_FORMATTED) {
        status = store_number(cursor, slot, cell, size, err);
    } else if (slot->role == HR_SLOT_CODE) {
        uint32_t code = hr_string_map_find(&slot->values, cell, size);
        if (code == HR_STRING_MAP_NONE && cursor->misfits) return note_misfit(cursor, slot, cell, size, err);
        cursor->reports[slot->index].unknown += code == HR_STRING_MAP_NONE;
        slot->codes[cursor->row] = (uint16_t)(code == HR_STRING_MAP_NONE ? HR_CODE_MISSING : code);
    } else if (hr_slot_is_part(slot)) {
        status = hr_cursor_store_part(cursor, slot, cell, size, err);
    } else if (slot->role == HR_SLOT_TIME) {
        status = hr_cursor_store_time(cursor, slot, cell, size, err);
    } else if (slot->role == HR_SLOT_EVENT) {
        status = hr_cursor_store_event(cursor, cell, size, err);
    } else if (slot->role == HR_SLOT_PERSON) {
        status = hr_cursor_add_late(cursor, 0, cell, size) ? HR_OK : hr_fail_memory(err);
    } else {
        status = slot->role == HR_SLOT_DATE ? store_date(cursor, slot, cell, size, err)
                                            : store_class(cursor, slot, cell, size, err);
    }
    return status ? hr_fail_at(err, status, NULL, 0, 0, hr_slot_column(slot)) : HR_OK;
}

hr_status hr_cursor_store(hr_cursor *cursor, const hr_slot *slot, const char *cell, size_t size,
                          hr_error *err) {
    if (!cursor->misfits) return store_cell(cursor, slot, cell, size, err);
    hr_error refusal = {0};
    const hr_status status = store_cell(cursor, slot, cell, size, &refusal);
    if (!status) return HR_OK;
    if (status == HR_E_MEMORY || slot->role == HR_SLOT_PERSON) {
        if (err) *err = refusal;
        return status;
    }
    hr_misfits_refuse(cursor->misfits, &refusal);
    return note_misfit(cursor, slot, cell, size, err);
}

bool hr_cursor_take_word(hr_cursor *cursor, const hr_slot *slot, const char *cell, size_t size) {
    if (hr_table_is_missing(cursor->table, cell, size)) return store_missing(cursor, slot, NULL) == HR_OK;
    if (slot->role == HR_SLOT_DATE) {
        const hr_timestamp_rule rule = {slot->column->date->format, slot->column->date->offset};
        int64_t second;
        if (hr_timestamp_parse(&rule, cell, size, &second)) return false;
        put_date(cursor, slot, second);
        return true;
    }
    if (slot->role != HR_SLOT_CODE && slot->role != HR_SLOT_CLASS) return false;
    const uint32_t code = hr_string_map_find(&slot->values, cell, size);
    if (code == HR_STRING_MAP_NONE) return false;
    if (slot->role == HR_SLOT_CODE)
        slot->codes[cursor->row] = (uint16_t)code;
    else
        slot->numbers[cursor->row] = code - 1;
    return true;
}

/* ---- Late cells ---- */

void hr_cursor_done(hr_cursor *cursor) {
    free(cursor->late);
    *cursor = (hr_cursor){0};
}

bool hr_cursor_add_late(hr_cursor *cursor, size_t kept, const char *text, size_t size) {
    if (cursor->late_count == cursor->late_capacity) {
        const size_t capacity = cursor->late_capacity ? 2 * cursor->late_capacity : FIRST_CAPACITY;
        hr_late_cell *more = realloc(cursor->late, capacity * sizeof *more);
        if (!more) return false;
        cursor->late = more;
        cursor->late_capacity = capacity;
    }
    cursor->late[cursor->late_count++] = (hr_late_cell){cursor->row, kept, text, size};
    return true;
}

/* Every record has a cell of each column that is kept, so that the next row of these follows from them alone.
 */
hr_status hr_table_take_late(hr_table *table, hr_cursor *cursor, hr_data *into, hr_error *err) {
    bool taken = true;
    size_t row = SIZE_MAX, kept_rows = into->kept ? into->kept->rows : 0;
    for (size_t i = 0; taken && i < cursor->late_count; i++) {
        const hr_late_cell *cell = &cursor->late[i];
        if (!cell->kept && !into->persons) continue;
        if (!cell->kept) {
            taken = hr_persons_number(&table->persons, cell->text, cell->size, &into->persons[cell->row]);
            continue;
        }
        kept_rows += cell->row != row;
        row = cell->row;
        taken = hr_kept_add(into->kept, cell->kept - 1, kept_rows - 1, cell->text, cell->size);
    }
    cursor->late_count = 0;
    return taken ? HR_OK : hr_fail_memory(err);
}
