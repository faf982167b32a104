/* A data set in the making: cells of text come in, typed columns grow. What a cell means is decided here,
 * whatever the format: docs/reference/formats.md, section Tables. */
#ifndef HR_TABLES_DATA_TABLE_H
#define HR_TABLES_DATA_TABLE_H

#include "base/string_map.h"
#include "tables/data/persons.h"
#include "tables/data/sparse.h"

/* Where the cells of one column go. */
typedef struct hr_slot {
    enum {
        HR_SLOT_NUMBER,
        HR_SLOT_CODE,
        HR_SLOT_CLASS,
        HR_SLOT_FORMATTED, /* a number that is written with marks or a symbol */
        HR_SLOT_DATE, /* a part of a date; its column goes to the first of them, which fills the others */
        HR_SLOT_PERSON,
        HR_SLOT_WEIGHT,
        HR_SLOT_EXPOSURE,
        HR_SLOT_TIME, /* of an event: the label, whose sign the event of the record decides */
        HR_SLOT_EVENT
    } role;
    bool integer;
    double low, high;
    double *numbers; /* all but HR_SLOT_CODE; HR_SLOT_CLASS: class indices */
    uint16_t *codes; /* HR_SLOT_CODE */
    size_t index; /* of the slot, its report and its misfits; weight, exposure and event have no report, the
                     unit none of them */
    const hr_column *column;
    hr_string_map values; /* categories and classes: the value's code, from 1 */
} hr_slot;

typedef struct hr_table {
    hr_data *data;
    hr_slot *slots; /* the last is the label's */
    size_t slot_count, capacity;
    size_t expected;        /* rows that there may be; 0: not known */
    hr_sparse_rows *sparse; /* the records; row 0 of the columns has the cells that are read. NULL: columns */
    hr_column unit, weight, exposure, event; /* names; bounds and formats of weight and exposure */
    hr_slot unit_slot, weight_slot, exposure_slot, event_slot;
    hr_persons persons;
    hr_string_map missing;
    double *missing_numbers; /* spellings of missing that are numbers, such as -999 */
    size_t missing_number_count;
} hr_table;

/* Fails: MEMORY. Call hr_table_done in either case. */
HR_MUST_CHECK hr_status hr_table_init(hr_table *table, const hr_schema *schema, hr_error *err);
void hr_table_done(hr_table *table);

hr_slot *hr_table_label(const hr_table *table);
/* The slot of the unit's column; NULL: the schema names none. */
hr_slot *hr_table_unit(hr_table *table);
/* The same of the weight's, of the exposure's of a count, and of the event's of a label that is a time. */
hr_slot *hr_table_weight(hr_table *table);
hr_slot *hr_table_exposure(hr_table *table);
hr_slot *hr_table_event(hr_table *table);

/* Before the first record: the column of the exposure is not read. */
void hr_table_leave_exposure(hr_table *table);

/* The name of the table's column that fills a slot. */
const char *hr_slot_column(const hr_slot *slot);

/* How many slots a column of the table fills, whose first one is given. */
size_t hr_slot_span(const hr_slot *slot);

/* Makes room for rows below `rows`, or HR_ROWS_MAX if that is less; keeps what is in rows below data->rows.
 * Slots' arrays move. Fails: LIMIT (data->rows is HR_ROWS_MAX), MEMORY. */
HR_MUST_CHECK hr_status hr_table_reserve(hr_table *table, size_t rows, hr_error *err);

/* Before the first row: records are kept in table->sparse, whose `absent` the caller fills. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_table_begin_sparse(hr_table *table, hr_error *err);

/* Puts the records of table->sparse, which is then NULL, into columns. Fails: LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_table_fill_columns(hr_table *table, hr_error *err);

/* Moves `count` rows down. */
void hr_table_move(const hr_table *table, size_t from, size_t to, size_t count);

/* A cell whose meaning depends on those of earlier records; it is taken when these are known. */
typedef struct hr_late_cell {
    size_t row;
    size_t kept; /* 0: an identifier of the unit; else 1 + its place among the columns that are kept */
    const char *text;
    size_t size;
} hr_late_cell;

/* Where cells are stored. Several threads may each have a cursor of one table, in rows of their own. */
typedef struct hr_cursor {
    const hr_table *table;
    size_t row;
    hr_column_report *reports; /* one a slot, and HR_BEHIND_LABEL (records.h) */
    hr_late_cell *late;        /* in the order in which they were met; freed by hr_cursor_done */
    size_t late_count, late_capacity;
    hr_misfits
        *misfits;  /* gathers the cells that do not fit, which read as missing; NULL: they are refused */
    bool censored; /* the record that is read: no event came until its time */
} hr_cursor;

void hr_cursor_done(hr_cursor *cursor);

/* The cursor goes to the next row: all cells of this one were stored. */
static inline void hr_cursor_next(hr_cursor *cursor) {
    const hr_slot *label = &cursor->table->slots[cursor->table->slot_count - 1];
    if (label->role == HR_SLOT_TIME && cursor->censored) label->numbers[cursor->row] *= -1;
    cursor->censored = false;
    cursor->row++;
}

/* Notes a cell, whose text is borrowed until hr_table_take_late. False when memory is short. */
bool hr_cursor_add_late(hr_cursor *cursor, size_t kept, const char *text, size_t size);

/* Whether a cell is empty or a spelling of missing. */
bool hr_table_is_missing(const hr_table *table, const char *cell, size_t size);

/* Whether its cells are parts of a public bound: the weight of a record, or its exposure. */
static inline bool hr_slot_is_part(const hr_slot *slot) {
    return slot->role == HR_SLOT_WEIGHT || slot->role == HR_SLOT_EXPOSURE;
}

/* The slots of weight and exposure, once the number of the others is known. */
void hr_table_init_parts(hr_table *table, const hr_schema *schema);

/* Stores the cell of such a part, of a time, or of an event, in the cursor's row. Fails: SCHEMA (it is none,
 * or out of bounds). */
HR_MUST_CHECK hr_status hr_cursor_store_part(const hr_cursor *cursor, const hr_slot *slot, const char *cell,
                                             size_t size, hr_error *err);
HR_MUST_CHECK hr_status hr_cursor_store_time(const hr_cursor *cursor, const hr_slot *slot, const char *cell,
                                             size_t size, hr_error *err);
HR_MUST_CHECK hr_status hr_cursor_store_event(hr_cursor *cursor, const char *cell, size_t size,
                                              hr_error *err);
/* Stores something in the place of a part that does not fit, for readers who list them. */
void hr_cursor_leave_part(const hr_cursor *cursor, const hr_slot *slot);
/* Of a part that is missing. Fails: SCHEMA, always. */
hr_status hr_slot_refuse_missing(const hr_slot *slot, hr_error *err);

/* Stores the meaning of a cell in the cursor's row. Fails: FORMAT (no number, no date), SCHEMA (bad label, no
 * identifier), MEMORY; the field is set. */
HR_MUST_CHECK hr_status hr_cursor_store(hr_cursor *cursor, const hr_slot *slot, const char *cell, size_t size,
                                        hr_error *err);

/* Stores a cell as hr_cursor_store does, if it is missing and may be, a date, or a value of a category or of
 * the label as the schema spells it. False: nothing is stored. */
bool hr_cursor_take_word(hr_cursor *cursor, const hr_slot *slot, const char *cell, size_t size);

/* Stores the cursor's late cells in `into`, the table's data or a part of them, and forgets them, once those
 * of all earlier records are stored. A part without persons gets no identifiers. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_table_take_late(hr_table *table, hr_cursor *cursor, hr_data *into, hr_error *err);

/* Hands over the data set, without labels if `labelled` is false. Owner: the caller frees *out. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_table_take(hr_table *table, bool labelled, hr_data **out, hr_error *err);

/* Whether a number that was read quickly may be a spelling of missing, so that its text must be looked at. */
static inline bool hr_table_may_be_missing(const hr_table *table, double value) {
    for (size_t i = 0; i < table->missing_number_count; i++) {
        if (table->missing_numbers[i] == value) return true;
    }
    return false;
}

/* Stores a number that is present, clipped to the column's bounds. */
static inline void hr_cursor_number(const hr_cursor *cursor, const hr_slot *slot, double value) {
    if (slot->integer && hr_is_fraction(value)) cursor->reports[slot->index].not_integer++;
    double clipped = value < slot->low ? slot->low : value > slot->high ? slot->high : value;
    if (clipped != value) cursor->reports[slot->index].out_of_range++;
    slot->numbers[cursor->row] = clipped;
}

#endif
