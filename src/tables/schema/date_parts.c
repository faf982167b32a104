#include "tables/schema/date_parts.h"

#include "base/text/calendar.h"

#include <string.h>

enum { DAY_TEXT = 10 }; /* YYYY-MM-DD */

static const struct {
    const char *name;
    double low, high; /* trend and year: those of the range */
} date_parts[HR_DATE_PARTS] = {
    [HR_DATE_PART_TREND] = {"trend", 0, 0},       [HR_DATE_PART_YEAR] = {"year", 0, 0},
    [HR_DATE_PART_MONTH] = {"month", 1, 12},      [HR_DATE_PART_DAY] = {"day", 1, 31},
    [HR_DATE_PART_YEARDAY] = {"yearday", 1, 366}, [HR_DATE_PART_WEEKDAY] = {"weekday", 1, 7},
    [HR_DATE_PART_HOUR] = {"hour", 0, 23},        [HR_DATE_PART_MINUTE] = {"minute", 0, 59}};

const char *hr_date_part_name(hr_date_part part) {
    return date_parts[part].name;
}

bool hr_date_part_find(const char *name, hr_date_part *out) {
    for (int i = 0; i < HR_DATE_PARTS; i++) {
        if (strcmp(date_parts[i].name, name) != 0) continue;
        *out = (hr_date_part)i;
        return true;
    }
    return false;
}

/* The kind and the bounds; no name. */
static hr_column part_bounds(const hr_date_column *date, hr_date_part part) {
    hr_column out = {.kind = HR_KIND_NUMBER, .date = date, .part = part};
    out.integer = part != HR_DATE_PART_TREND;
    out.low = date_parts[part].low;
    out.high = date_parts[part].high;
    if (part == HR_DATE_PART_TREND) out.high = (double)(date->to - date->from + 1) / HR_DAY_SECONDS;
    if (part == HR_DATE_PART_YEAR) {
        out.low = hr_calendar_of(date->from).year;
        out.high = hr_calendar_of(date->to).year;
    }
    return out;
}

bool hr_date_part_column(const hr_date_column *date, hr_date_part part, hr_arena *arena, hr_column *out) {
    const char *part_name = date_parts[part].name;
    size_t size = strlen(date->name), part_size = strlen(part_name);
    char *name = hr_arena_alloc(arena, size + part_size + 2, 1);
    if (!name) return false;
    memcpy(name, date->name, size);
    name[size] = '.';
    memcpy(name + size + 1, part_name, part_size);
    *out = part_bounds(date, part);
    out->name = name;
    return true;
}

static double calendar_part(const hr_calendar *c, hr_date_part part) {
    switch (part) {
    case HR_DATE_PART_MONTH: return c->month;
    case HR_DATE_PART_DAY: return c->day;
    case HR_DATE_PART_YEARDAY: return c->yearday;
    case HR_DATE_PART_WEEKDAY: return c->weekday;
    case HR_DATE_PART_HOUR: return c->hour;
    case HR_DATE_PART_MINUTE: return c->minute;
    case HR_DATE_PART_TREND:
    case HR_DATE_PART_YEAR: break;
    }
    return c->year;
}

double hr_date_part_value(const hr_date_column *date, hr_date_part part, const hr_date_time *time,
                          bool *clipped) {
    const int64_t second = time->second, within = second < date->from ? date->from
                                                  : second > date->to ? date->to
                                                                      : second;
    const bool of_range = part == HR_DATE_PART_TREND || part == HR_DATE_PART_YEAR;
    *clipped = of_range && within != second;
    if (part == HR_DATE_PART_TREND) return (double)(within - date->from) / HR_DAY_SECONDS;
    return *clipped ? hr_calendar_of(within).year : calendar_part(&time->calendar, part);
}

void hr_date_range_text(const hr_date_column *date, char from[HR_TIMESTAMP_TEXT],
                        char to[HR_TIMESTAMP_TEXT]) {
    hr_timestamp_text(date->from, from);
    hr_timestamp_text(date->to, to);
    if (strcmp(from + DAY_TEXT, "T00:00:00") == 0) from[DAY_TEXT] = 0;
    if (strcmp(to + DAY_TEXT, "T23:59:59") == 0) to[DAY_TEXT] = 0;
}

bool hr_date_from_parse(const char *text, int64_t *second) {
    static const hr_timestamp_rule iso = {NULL, HR_OFFSET_REFUSED};
    int64_t read;
    if (hr_timestamp_parse(&iso, text, strlen(text), &read) != HR_TIMESTAMP_OK || read > HR_CALENDAR_MAX)
        return false;
    *second = read;
    return true;
}

bool hr_date_to_parse(const char *text, int64_t *second) {
    if (!hr_date_from_parse(text, second)) return false;
    if (strlen(text) == DAY_TEXT) *second += HR_DAY_SECONDS - 1;
    return true;
}

bool hr_date_shared(const hr_column *a, const hr_column *b) {
    return a->date && b->date && strcmp(a->date->name, b->date->name) == 0;
}

bool hr_date_part_fits(const hr_column *column) {
    const hr_date_column *date = column->date;
    size_t size = strlen(date->name);
    const hr_column fit = part_bounds(date, column->part);
    return column->kind == fit.kind && column->integer == fit.integer && column->low == fit.low &&
           column->high == fit.high && strncmp(column->name, date->name, size) == 0 &&
           column->name[size] == '.' && strcmp(column->name + size + 1, date_parts[column->part].name) == 0;
}
