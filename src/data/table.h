/* A data set in the making: cells of text come in, typed columns grow. What a cell means is decided here,
 * whatever the format: docs/formats.md, section Tables. */
#ifndef HR_DATA_TABLE_H
#define HR_DATA_TABLE_H

#include "base/string_map.h"
#include "data/persons.h"

/* Where the cells of one column go. */
typedef struct hr_slot {
    enum {
        HR_SLOT_NUMBER,
        HR_SLOT_CODE,
        HR_SLOT_CLASS,
        HR_SLOT_FORMATTED, /* a number that is written with marks or a symbol */
        HR_SLOT_DATE, /* a part of a date; its column goes to the first of them, which fills the others */
        HR_SLOT_PERSON
    } role;
    bool integer;
    double low, high;
    double *numbers; /* all but HR_SLOT_CODE; HR_SLOT_CLASS: class indices */
    uint16_t *codes; /* HR_SLOT_CODE */
    hr_column_report *report;
    const hr_column *column;
    hr_string_map values; /* categories and classes: the value's code, from 1 */
} hr_slot;

typedef struct hr_table {
    hr_data *data;
    hr_slot *slots; /* the last is the label's */
    size_t slot_count, capacity;
    hr_column unit; /* its name alone */
    hr_slot unit_slot;
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

/* The name of the table's column that fills a slot. */
const char *hr_slot_column(const hr_slot *slot);

/* How many slots a column of the table fills, whose first one is given. */
size_t hr_slot_span(const hr_slot *slot);

/* Makes room for row data->rows. Fails: LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_table_grow(hr_table *table, hr_error *err);

/* Whether a cell is empty or a spelling of missing. */
bool hr_table_is_missing(const hr_table *table, const char *cell, size_t size);

/* Stores the meaning of a cell in row data->rows. Fails: FORMAT (no number, no date), SCHEMA (bad label, no
 * identifier), MEMORY; the field is set. */
HR_MUST_CHECK hr_status hr_table_store(hr_table *table, const hr_slot *slot, const char *cell, size_t size,
                                       hr_error *err);

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
static inline void hr_slot_number(const hr_slot *slot, size_t row, double value) {
    if (slot->integer && hr_is_fraction(value)) slot->report->not_integer++;
    double clipped = value < slot->low ? slot->low : value > slot->high ? slot->high : value;
    if (clipped != value) slot->report->out_of_range++;
    slot->numbers[row] = clipped;
}

#endif
