/* Numbers are written in digits that read back to the same number, so that a table means what it means as
 * CSV; a float in those of the shortest decimal that is nearest to it, as other tools write it. */
#include "tables/source/arrow_cells.h"

#include "base/text/calendar.h"
#include "base/text/number.h"
#include "base/text/timestamp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LIMBS_MAX = 8, SCALE_MAX = 76, DIGITS_MAX = 2 * SCALE_MAX + 4, SHORT_VIEW = 12 };

/* ---- Types ---- */

/* NULL: the type has cells. */
static const char *name_of_unreadable(const char *format) {
    static const struct {
        const char *begin, *name;
    } unreadable[] = {{"+l", "a list"},      {"+L", "a list"},          {"+v", "a list"},
                      {"+w", "a list"},      {"+s", "a struct"},        {"+m", "a map"},
                      {"+u", "a union"},     {"+r", "run-end encoded"}, {"z", "binary"},
                      {"Z", "binary"},       {"vz", "binary"},          {"w:", "binary"},
                      {"e", "a half float"}, {"tD", "a span of time"},  {"ti", "a span of time"}};
    for (size_t i = 0; i < sizeof unreadable / sizeof *unreadable; i++)
        if (strncmp(format, unreadable[i].begin, strlen(unreadable[i].begin)) == 0) return unreadable[i].name;
    return *format && strchr("nbcCsSiIlLfguUvdt", *format) ? NULL : "of a type that is not known";
}

static hr_status refuse_type(const char *name, const char *what, const char *remedy, hr_error *err) {
    hr_fail(err, HR_E_FORMAT, remedy, "the column is %s, which is no cell of a table", what);
    return hr_fail_at(err, HR_E_FORMAT, NULL, 0, 0, name);
}

static hr_status init_time(const char *name, hr_arrow_column *column, hr_error *err) {
    static const char *const utc[] = {"UTC", "Etc/UTC", "GMT", "Z", "+00:00"};
    const char *format = column->format, unit = format[2];
    column->per_second = unit == 'm' ? 1000 : unit == 'u' ? 1000000 : unit == 'n' ? 1000000000 : 1;
    if (format[1] != 's' || !unit || format[3] != ':' || !format[4]) return HR_OK;
    for (size_t i = 0; i < sizeof utc / sizeof *utc; i++) column->utc |= strcmp(format + 4, utc[i]) == 0;
    return column->utc ? HR_OK
                       : refuse_type(name, "of times in a zone",
                                     "write the times in UTC, or by the clock without a zone", err);
}

hr_status hr_arrow_column_init(const struct ArrowSchema *schema, hr_arrow_column *out, hr_error *err) {
    const struct ArrowSchema *values = schema->dictionary ? schema->dictionary : schema;
    *out = (hr_arrow_column){.format = values->format,
                             .code_format = schema->dictionary ? schema->format : NULL};
    const char *what = values->dictionary ? "a dictionary of dictionaries" : name_of_unreadable(out->format);
    if (!what && *out->format == 'd') {
        int precision, bits = 128;
        const int found = sscanf(out->format, "d:%d,%d,%d", &precision, &out->scale, &bits);
        out->limbs = bits / 32;
        if (found < 2 || out->limbs < 1 || out->limbs > LIMBS_MAX || out->scale < -SCALE_MAX ||
            out->scale > SCALE_MAX)
            what = "a decimal that is too long";
    }
    if (what)
        return refuse_type(schema->name, what,
                           "leave it out of the schema (or name it by --drop), or write its parts as columns "
                           "of numbers or texts",
                           err);
    return *out->format == 't' ? init_time(schema->name, out, err) : HR_OK;
}

/* ---- Numbers ---- */

static int64_t signed_at(char type, const void *numbers, int64_t at) {
    switch (type) {
    case 'c': return ((const int8_t *)numbers)[at];
    case 'C': return ((const uint8_t *)numbers)[at];
    case 's': return ((const int16_t *)numbers)[at];
    case 'S': return ((const uint16_t *)numbers)[at];
    case 'i': return ((const int32_t *)numbers)[at];
    case 'I': return ((const uint32_t *)numbers)[at];
    default: return ((const int64_t *)numbers)[at];
    }
}

static void write_whole(hr_buffer *out, uint64_t magnitude, bool negative) {
    char text[24], *from = text + sizeof text;
    do *--from = (char)('0' + magnitude % 10);
    while (magnitude /= 10);
    if (negative) *--from = '-';
    hr_buffer_add(out, from, (size_t)(text + sizeof text - from));
}

static void write_real(hr_buffer *out, double value) {
    char text[HR_NUMBER_TEXT];
    if (isnan(value)) return;
    if (isfinite(value))
        hr_number_text(value, text);
    else
        strcpy(text, value > 0 ? "inf" : "-inf"); /* the reader refuses it, with the place */
    hr_buffer_text(out, text);
}

/* The remainder of a number divided by ten, which it becomes; limbs from the lowest. */
static uint32_t divide_by_ten(uint32_t *limbs, int count) {
    uint64_t rest = 0;
    for (int i = count; i-- > 0;) {
        const uint64_t value = rest << 32 | limbs[i];
        limbs[i] = (uint32_t)(value / 10);
        rest = value % 10;
    }
    return (uint32_t)rest;
}

/* Two's complement; the machine's order of bytes is little-endian, as Arrow's is. */
static void write_decimal(const hr_arrow_column *column, const void *numbers, int64_t at, hr_buffer *out) {
    uint32_t limbs[LIMBS_MAX];
    char text[DIGITS_MAX + 2 * SCALE_MAX], *end = text + sizeof text, *from = end;
    int count = column->limbs;
    const size_t size = (size_t)count * sizeof *limbs;
    memcpy(limbs, (const char *)numbers + (size_t)at * size, size);
    const bool negative = limbs[count - 1] >> 31;
    uint64_t carry = 1;
    for (int i = 0; negative && i < count; i++) {
        carry += (uint32_t)~limbs[i];
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    while (count && !limbs[count - 1]) count--;
    for (int i = column->scale; i < 0; i++) *--from = '0';
    for (int i = 0; i <= column->scale || count; i++) {
        if (i && i == column->scale) *--from = '.';
        *--from = (char)('0' + divide_by_ten(limbs, count));
        while (count && !limbs[count - 1]) count--;
    }
    if (negative) *--from = '-';
    hr_buffer_add(out, from, (size_t)(end - from));
}

/* ---- Texts ---- */

static hr_status write_text(char type, const struct ArrowArray *array, int64_t at, hr_buffer *out,
                            hr_error *err) {
    int32_t view[4];
    const char *text;
    size_t size;
    if (type == 'v') { /* a text of at most SHORT_VIEW bytes stands in its view, others in a buffer behind */
        const char *place = (const char *)array->buffers[1] + (size_t)at * sizeof view;
        memcpy(view, place, sizeof view);
        size = (size_t)view[0];
        text = place + sizeof *view;
        if (size > SHORT_VIEW) text = (const char *)array->buffers[2 + view[2]] + view[3];
    } else {
        const int64_t begin = signed_at(type == 'U' ? 'l' : 'i', array->buffers[1], at),
                      end = signed_at(type == 'U' ? 'l' : 'i', array->buffers[1], at + 1);
        size = (size_t)(end - begin);
        text = size ? (const char *)array->buffers[2] + begin : "";
    }
    if (memchr(text, 0, size))
        return hr_fail(err, HR_E_FORMAT, "write texts without it", "a NUL byte in a text");
    hr_buffer_quote(out, text, size);
    return HR_OK;
}

/* ---- Times ---- */

static hr_status refuse_time(hr_error *err) {
    return hr_fail(err, HR_E_FORMAT, "times are of the years 1 to 9999, and times of a day before 24:00",
                   "a time that is out of range");
}

static hr_status write_time(const hr_arrow_column *column, const void *numbers, int64_t at, hr_buffer *out,
                            hr_error *err) {
    char text[HR_TIMESTAMP_TEXT];
    const char *format = column->format;
    const bool is_day = format[1] == 'd', is_clock = format[1] == 't';
    const bool is_short = format[2] == 'D' || (is_clock && (format[2] == 's' || format[2] == 'm'));
    const int64_t value = signed_at(is_short ? 'i' : 'l', numbers, at), units = column->per_second;
    const int64_t second = format[2] == 'D' ? value * HR_DAY_SECONDS : value / units - (value % units < 0);
    if (second < HR_CALENDAR_MIN || second > HR_CALENDAR_MAX) return refuse_time(err);
    if (is_clock && (second < 0 || second >= HR_DAY_SECONDS)) return refuse_time(err);
    hr_timestamp_text(second, text);
    if (is_day)
        hr_buffer_add(out, text, HR_CALENDAR_DAY_TEXT);
    else
        hr_buffer_text(out, is_clock ? text + HR_CALENDAR_DAY_TEXT + 1 : text);
    const int64_t fraction = is_day ? 0 : value - second * units;
    const int digits = units == 1000 ? 3 : units == 1000000 ? 6 : 9;
    if (fraction) hr_buffer_format(out, ".%0*lld", digits, (long long)fraction);
    if (column->utc) hr_buffer_text(out, "Z");
    return HR_OK;
}

/* ---- Cells ---- */

static bool bit_at(const void *bits, int64_t at) {
    return ((const uint8_t *)bits)[at / 8] >> at % 8 & 1;
}

static bool is_missing(const struct ArrowArray *array, int64_t at) {
    return array->null_count && array->buffers[0] && !bit_at(array->buffers[0], at);
}

static hr_status write_value(const hr_arrow_column *column, const struct ArrowArray *array, int64_t at,
                             hr_buffer *out, hr_error *err) {
    const char type = *column->format;
    if (type == 'n' || is_missing(array, at)) return HR_OK;
    const void *numbers = array->buffers[1];
    int64_t whole;
    switch (type) {
    case 'b': hr_buffer_text(out, bit_at(numbers, at) ? "true" : "false"); return HR_OK;
    case 'f': write_real(out, hr_number_float_decimal(((const float *)numbers)[at])); return HR_OK;
    case 'g': write_real(out, ((const double *)numbers)[at]); return HR_OK;
    case 'd': write_decimal(column, numbers, at, out); return HR_OK;
    case 't': return write_time(column, numbers, at, out, err);
    case 'u':
    case 'U':
    case 'v': return write_text(type, array, at, out, err);
    case 'L': write_whole(out, ((const uint64_t *)numbers)[at], false); return HR_OK;
    default:
        whole = signed_at(type, numbers, at);
        write_whole(out, whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole, whole < 0);
        return HR_OK;
    }
}

hr_status hr_arrow_cell_write(const hr_arrow_column *column, const struct ArrowArray *array, int64_t row,
                              hr_buffer *out, hr_error *err) {
    const int64_t at = array->offset + row;
    if (!column->code_format) return write_value(column, array, at, out, err);
    if (is_missing(array, at)) return HR_OK;
    const int64_t code = signed_at(*column->code_format, array->buffers[1], at);
    return write_value(column, array->dictionary, array->dictionary->offset + code, out, err);
}
