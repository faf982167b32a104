#include "tables/schema/cell_text.h"

#include "base/fail.h"
#include "base/text/calendar.h"
#include "base/text/text.h"
#include "base/text/timestamp.h"

#include <string.h>

enum { SYMBOL_MAX = 16, FORMAT_MAX = 64, BOOLEAN_SPELLINGS = 26 };

const char *const HR_OFFSET_NAMES[3] = {"refused", "utc", "local"};
const char *const HR_MONOTONE_NAMES[3] = {"none", "increasing", "decreasing"};
const char *const HR_BOOLEAN_VALUES[2] = {"false", "true"};

const char *hr_boolean_spelling(size_t i, bool *value) {
    static const char *const spellings[BOOLEAN_SPELLINGS] = {
        "false", "true", "False", "True", "FALSE", "TRUE", "no", "yes", "No", "Yes", "NO", "YES", "f",
        "t",     "F",    "T",     "n",    "y",     "N",    "Y",  "0",   "1",  "off", "on", "OFF", "ON"};
    *value = i % 2 == 1;
    return i < BOOLEAN_SPELLINGS ? spellings[i] : NULL;
}

/* ---- Comparing ---- */

static bool same_optional_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static char decimal_mark(const hr_number_format *format) {
    return format->decimal ? format->decimal : '.';
}

bool hr_number_format_same(const hr_number_format *a, const hr_number_format *b) {
    return decimal_mark(a) == decimal_mark(b) && a->thousands == b->thousands &&
           same_optional_text(a->symbol, b->symbol);
}

bool hr_date_column_same(const hr_date_column *a, const hr_date_column *b) {
    return strcmp(a->name, b->name) == 0 && a->from == b->from && a->to == b->to && a->offset == b->offset &&
           same_optional_text(a->format, b->format);
}

bool hr_cell_text_same(const hr_column *a, const hr_column *b) {
    if (a->boolean != b->boolean || !a->date != !b->date) return false;
    if (a->date && (a->part != b->part || !hr_date_column_same(a->date, b->date))) return false;
    return hr_number_format_same(&a->format, &b->format);
}

/* ---- Checking ---- */

static hr_status check_symbol(const hr_number_format *format, hr_error *err) {
    static const char remedy[] = "give the sign of a unit, such as \"%\" or \"EUR\"";
    const char *symbol = format->symbol, *trimmed = symbol;
    const char marks[] = {decimal_mark(format), format->thousands, 0};
    size_t size = strlen(symbol);
    if (!size || size > SYMBOL_MAX || !hr_utf8_valid(symbol, size))
        return hr_fail(err, HR_E_FORMAT, remedy, "a symbol has 1 to %d bytes of UTF-8", SYMBOL_MAX);
    if (hr_text_trim(&trimmed, &size))
        return hr_fail(err, HR_E_FORMAT, "remove them: blanks between number and symbol are ignored",
                       "the symbol '%s' begins or ends with blanks", symbol);
    if (strpbrk(symbol, "+-0123456789") || strcspn(symbol, marks) == 0)
        return hr_fail(err, HR_E_FORMAT, remedy,
                       "the symbol '%s' has a digit or a sign, or begins with a mark of numbers", symbol);
    return HR_OK;
}

hr_status hr_number_format_check(const hr_number_format *format, const char **key, hr_error *err) {
    char decimal = decimal_mark(format), thousands = format->thousands;
    *key = "decimal";
    if (decimal != '.' && decimal != ',')
        return hr_fail(err, HR_E_FORMAT, "write decimal: \",\"", "the decimal mark is \".\" or \",\"");
    *key = "thousands";
    if (thousands && !strchr(".,' ", thousands))
        return hr_fail(err, HR_E_FORMAT, "write thousands: \"'\", or leave the key out",
                       "thousands are separated by \".\", \",\", \"'\" or \" \"");
    if (thousands == decimal)
        return hr_fail(err, HR_E_FORMAT, "give both keys, decimal and thousands",
                       "\"%c\" separates thousands and is the decimal mark too", decimal);
    *key = "symbol";
    return format->symbol ? check_symbol(format, err) : HR_OK;
}

hr_status hr_boolean_check(const hr_column *column, const char **key, hr_error *err) {
    *key = "values";
    bool fits = column->value_count == 2;
    for (size_t i = 0; i < 2 && fits; i++) fits = strcmp(column->values[i], HR_BOOLEAN_VALUES[i]) == 0;
    return fits
               ? HR_OK
               : hr_fail(err, HR_E_FORMAT, "leave the key out", "the values of a boolean are false and true");
}

static hr_status check_date_format(const hr_date_column *date, hr_error *err) {
    static const char remedy[] =
        "see docs/reference/formats.md, Dates and times; for example \"%d.%m.%Y %H:%M\"";
    const char *format = date->format, *trimmed = format;
    size_t size = strlen(format);
    const char *fault = hr_timestamp_format_fault(format);
    if (size > FORMAT_MAX || !hr_utf8_valid(format, size) || hr_text_trim(&trimmed, &size))
        return hr_fail(err, HR_E_FORMAT, remedy,
                       "a format has at most %d bytes of UTF-8, and no blanks around it", FORMAT_MAX);
    if (fault) return hr_fail(err, HR_E_FORMAT, remedy, "the format '%s' is not usable: %s", format, fault);
    return HR_OK;
}

static hr_status check_offset(const hr_date_column *date, hr_error *err) {
    bool given = date->offset != HR_OFFSET_REFUSED;
    if (!date->format || given == hr_timestamp_format_has(date->format, 'z')) return HR_OK;
    return given ? hr_fail(err, HR_E_FORMAT, "remove the key 'offset', or add %z to the format",
                           "the format has no offset (%%z)")
                 : hr_fail(err, HR_E_FORMAT, "add the key 'offset': utc or local",
                           "the format has an offset (%%z), but its meaning is not given");
}

hr_status hr_date_column_check(const hr_date_column *date, const char **key, hr_error *err) {
    hr_status status = HR_OK;
    *key = "to";
    if (date->from < HR_CALENDAR_MIN || date->to > HR_CALENDAR_MAX || date->from >= date->to)
        return hr_fail(err, HR_E_FORMAT, "give the public range of the dates, in the years 1 to 9999",
                       "'from' is not before 'to'");
    *key = "format";
    if (date->format) status = check_date_format(date, err);
    if (status) return status;
    *key = "offset";
    return check_offset(date, err);
}
