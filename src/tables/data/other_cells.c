/* Cells of columns that are no features: weights, exposures, times of events, and whether these came. */
#include "tables/data/table.h"

#include "base/fail.h"
#include "base/text/number.h"
#include "base/text/number_format.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/check.h"
#include "tables/schema/schema.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much of a cell a message shows. */
static int shown(size_t size) {
    return size < 60 ? (int)size : 60;
}

/* ---- Parts of a public bound: the weight of a record, and its exposure ---- */

void hr_table_init_parts(hr_table *table, const hr_schema *schema) {
    const hr_schema_parts *parts = hr_schema_parts_of(schema);
    table->weight.name = hr_schema_weight(schema, &table->weight.high);
    table->weight.format = parts->weight_format;
    table->weight_slot =
        (hr_slot){.role = HR_SLOT_WEIGHT, .index = table->slot_count, .column = &table->weight};
    table->exposure.name = hr_schema_exposure(schema, &table->exposure.high);
    table->exposure.format = parts->exposure_format;
    table->exposure_slot =
        (hr_slot){.role = HR_SLOT_EXPOSURE, .index = table->slot_count + 1, .column = &table->exposure};
}

hr_slot *hr_table_weight(hr_table *table) {
    return table->weight.name ? &table->weight_slot : NULL;
}

hr_slot *hr_table_exposure(hr_table *table) {
    return table->exposure.name ? &table->exposure_slot : NULL;
}

void hr_table_leave_exposure(hr_table *table) {
    table->exposure.name = NULL;
    free(table->data->exposures);
    table->data->exposures = NULL;
}

hr_status hr_slot_refuse_missing(const hr_slot *slot, hr_error *err) {
    if (slot->role == HR_SLOT_WEIGHT)
        return hr_fail(err, HR_E_SCHEMA, "give it a weight, or remove the record", "the weight is missing");
    return hr_fail(err, HR_E_SCHEMA, "give it an exposure, or remove the record", "the exposure is missing");
}

/* A weight, from 0 on, or an exposure, above 0, as a part of its bound. */
static hr_status read_part(const hr_slot *slot, const char *cell, size_t size, double *out, hr_error *err) {
    const hr_column *column = slot->column;
    const bool is_weight = slot->role == HR_SLOT_WEIGHT;
    double value;
    const hr_number_status status = hr_number_format_plain(&column->format)
                                        ? hr_number_parse(cell, size, &value)
                                        : hr_number_format_parse(&column->format, cell, size, &value);
    if (status == HR_NUMBER_OK && value <= column->high && (is_weight ? value >= 0 : value > 0)) {
        *out = value / column->high;
        return HR_OK;
    }
    char bound[HR_NUMBER_TEXT], remedy[200] = "remove the record, or correct it";
    hr_number_text(column->high, bound);
    if (status != HR_NUMBER_OK)
        snprintf(remedy, sizeof remedy,
                 "correct it, or say in the schema how its numbers are written (decimal, thousands)");
    else if (value > column->high)
        snprintf(remedy, sizeof remedy,
                 "correct it, raise the %s's 'high' in the schema, or say how its numbers are written "
                 "(decimal, thousands)",
                 is_weight ? "weight" : "exposure");
    return hr_fail(err, HR_E_SCHEMA, remedy, "'%.*s' is not %s %s", shown(size), cell,
                   is_weight ? "a weight from 0 to" : "an exposure above 0 and at most", bound);
}

hr_status hr_cursor_store_part(const hr_cursor *cursor, const hr_slot *slot, const char *cell, size_t size,
                               hr_error *err) {
    hr_data *data = cursor->table->data;
    double part = 0;
    const hr_status status = read_part(slot, cell, size, &part, err);
    if (status) return status;
    if (slot->role == HR_SLOT_WEIGHT)
        data->own_weights[cursor->row] = (uint32_t)(part * (1 << HR_PERSON_BITS));
    else
        data->exposures[cursor->row] = fmax(part, DBL_MIN); /* a quotient may be 0 */
    return HR_OK;
}

void hr_cursor_leave_part(const hr_cursor *cursor, const hr_slot *slot) {
    if (slot->role == HR_SLOT_WEIGHT)
        cursor->table->data->own_weights[cursor->row] = 0;
    else
        cursor->table->data->exposures[cursor->row] = 1;
}

hr_status hr_data_check_exposures(const hr_data *data, hr_error *err) {
    if (data->exposures || !hr_schema_exposure(data->schema, NULL)) return HR_OK;
    hr_fail(err, HR_E_SCHEMA, "give exposures with the arrays (hr_arrays.exposures)",
            "the data have no exposures, which the schema names");
    return hr_fail_at(err, HR_E_SCHEMA, NULL, 0, 0, "exposure");
}

/* ---- Times of events ---- */

hr_status hr_cursor_store_time(const hr_cursor *cursor, const hr_slot *slot, const char *cell, size_t size,
                               hr_error *err) {
    double time;
    const hr_number_status status = hr_number_format_parse(&slot->column->format, cell, size, &time);
    if (status != HR_NUMBER_OK || !(time >= 0 && time < HR_TIME_MAX))
        return hr_fail(err, HR_E_SCHEMA,
                       "correct it: a time is a number from 0 on, from the beginning of each record's watch",
                       "'%.*s' is not a time", shown(size), cell);
    slot->numbers[cursor->row] = fabs(time); /* of "-0", too */
    return HR_OK;
}

/* As a boolean, or as the number 0 or 1. */
hr_status hr_cursor_store_event(hr_cursor *cursor, const char *cell, size_t size, hr_error *err) {
    bool value = false;
    double number;
    const char *spelling;
    for (size_t i = 0; (spelling = hr_boolean_spelling(i, &value)); i++)
        if (strlen(spelling) == size && memcmp(spelling, cell, size) == 0) break;
    if (!spelling) {
        if (hr_number_parse(cell, size, &number) != HR_NUMBER_OK || (number != 0 && number != 1))
            return hr_fail(
                err, HR_E_SCHEMA,
                "write 1 or true where the event came at the record's time, and 0 or false where it "
                "had not come until then",
                "'%.*s' does not say whether the event came", shown(size), cell);
        value = number == 1;
    }
    cursor->censored = !value;
    return HR_OK;
}
