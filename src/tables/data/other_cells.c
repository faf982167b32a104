/* Cells of columns that are no features: weights, times of events, and whether these came. */
#include "tables/data/table.h"

#include "base/fail.h"
#include "base/text/number.h"
#include "base/text/number_format.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/check.h"

#include <math.h>
#include <string.h>

/* How much of a cell a message shows. */
static int shown(size_t size) {
    return size < 60 ? (int)size : 60;
}

hr_status hr_cursor_store_weight(const hr_cursor *cursor, const char *cell, size_t size, hr_error *err) {
    const hr_column *column = &cursor->table->weight;
    const double high = column->high;
    double weight;
    const hr_number_status status = hr_number_format_plain(&column->format)
                                        ? hr_number_parse(cell, size, &weight)
                                        : hr_number_format_parse(&column->format, cell, size, &weight);
    if (status == HR_NUMBER_OK && weight >= 0 && weight <= high) {
        cursor->table->data->own_weights[cursor->row] = (uint32_t)(weight / high * (1 << HR_PERSON_BITS));
        return HR_OK;
    }
    char bound[HR_NUMBER_TEXT];
    hr_number_text(high, bound);
    return hr_fail(err, HR_E_SCHEMA,
                   "correct it, raise the weight's 'high' in the schema, or say how its numbers are written "
                   "(decimal, thousands)",
                   "'%.*s' is not a weight from 0 to %s", shown(size), cell, bound);
}

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
