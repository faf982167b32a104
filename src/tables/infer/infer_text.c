/* Every cell rules out the formats that cannot read it; the first that is left is proposed. */
#include "tables/infer/infer_column.h"

#include "base/text/calendar.h"
#include "base/text/number_format.h"
#include "base/text/timestamp.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/schema_write.h"

#include <math.h>
#include <string.h>

enum { ALL_FORMATS = (1 << HR_INFERRED_FORMATS) - 1, ALL_DATES = (1 << HR_INFERRED_DATES) - 1 };

/* "1,234" is taken for separated thousands, so that format stands before the decimal comma. */
enum { COMMA_THOUSANDS = 1, DECIMAL_COMMA = 2 };
static const hr_number_format formats[HR_INFERRED_FORMATS] = {
    {'.', 0, NULL},    {'.', ',', NULL}, {',', 0, NULL},   {',', '.', NULL},
    {'.', '\'', NULL}, {',', ' ', NULL}, {'.', ' ', NULL}, {',', '\'', NULL}};

/* Day and month stand before month and day; a remark names both where both can be meant. */
enum { DAY_FIRST = 6, MONTH_FIRST = 12, SLASHES = 6 };
static const hr_timestamp_rule dates[HR_INFERRED_DATES] = {{NULL, HR_OFFSET_REFUSED},
                                                           {NULL, HR_OFFSET_UTC},
                                                           {"%Y%m%dT%H%M%S", HR_OFFSET_REFUSED},
                                                           {"%d.%m.%Y", HR_OFFSET_REFUSED},
                                                           {"%d.%m.%Y %H:%M", HR_OFFSET_REFUSED},
                                                           {"%d.%m.%Y %H:%M:%S", HR_OFFSET_REFUSED},
                                                           {"%d/%m/%Y", HR_OFFSET_REFUSED},
                                                           {"%d/%m/%Y %H:%M", HR_OFFSET_REFUSED},
                                                           {"%d/%m/%Y %H:%M:%S", HR_OFFSET_REFUSED},
                                                           {"%-d/%-m/%Y", HR_OFFSET_REFUSED},
                                                           {"%-d/%-m/%Y %-H:%M", HR_OFFSET_REFUSED},
                                                           {"%-d/%-m/%Y %-H:%M:%S", HR_OFFSET_REFUSED},
                                                           {"%m/%d/%Y", HR_OFFSET_REFUSED},
                                                           {"%m/%d/%Y %H:%M", HR_OFFSET_REFUSED},
                                                           {"%m/%d/%Y %H:%M:%S", HR_OFFSET_REFUSED},
                                                           {"%-m/%-d/%Y", HR_OFFSET_REFUSED},
                                                           {"%-m/%-d/%Y %-H:%M", HR_OFFSET_REFUSED},
                                                           {"%-m/%-d/%Y %-H:%M:%S", HR_OFFSET_REFUSED},
                                                           {"%-m/%-d/%Y %-I:%M %p", HR_OFFSET_REFUSED},
                                                           {"%-m/%-d/%Y %-I:%M:%S %p", HR_OFFSET_REFUSED},
                                                           {"%Y/%m/%d", HR_OFFSET_REFUSED},
                                                           {"%Y/%m/%d %H:%M:%S", HR_OFFSET_REFUSED},
                                                           {"%d-%b-%Y", HR_OFFSET_REFUSED},
                                                           {"%-d %b %Y", HR_OFFSET_REFUSED}};

/* ---- Booleans ---- */

/* Both values must be spelt in the same way; 0 and 1 are numbers. */
static void see_boolean(hr_text_inference *g, const char *cell, size_t size) {
    static const char pairs[] = "ttttttyyyyyyTTTTYYYY..oooo"; /* of the spellings, in their order */
    const char *spelling;
    bool value;
    for (size_t i = 0; (spelling = hr_boolean_spelling(i, &value)); i++) {
        if (strlen(spelling) != size || memcmp(spelling, cell, size) != 0) continue;
        if (pairs[i] == '.' || (g->pair && g->pair != pairs[i])) break;
        g->pair = pairs[i];
        g->yes |= value;
        g->no |= !value;
        return;
    }
    g->no_boolean = true;
}

/* ---- Numbers ---- */

static void see_number(hr_seen_range *seen, double value) {
    seen->low = seen->any ? fmin(seen->low, value) : value;
    seen->high = seen->any ? fmax(seen->high, value) : value;
    seen->fractions |= value != floor(value);
    seen->any = true;
}

static hr_seen_range join_seen(const hr_seen_range *a, const hr_seen_range *b) {
    if (!a->any || !b->any) return a->any ? *a : *b;
    return (hr_seen_range){fmin(a->low, b->low), fmax(a->high, b->high), true, a->fractions || b->fractions};
}

static const char *symbol_of_cell(const char *cell, size_t size) {
    static const char *const symbols[] = {
        "%", "$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "\xe2\x82\xb9", "EUR", "USD", "GBP", "CHF"};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        size_t length = strlen(symbols[i]);
        if (size <= length) continue;
        bool behind = memcmp(cell + size - length, symbols[i], length) == 0;
        size_t sign = *cell == '-' || *cell == '+';
        if (behind || (size > length + sign && memcmp(cell + sign, symbols[i], length) == 0))
            return symbols[i];
    }
    return NULL;
}

/* Tries a format, unless it is ruled out. */
static void see_formatted(hr_text_inference *g, unsigned i, const char *symbol, const char *cell,
                          size_t size) {
    hr_number_format format = formats[i];
    double value;
    format.symbol = symbol;
    if (g->formats >> i & 1) return;
    if (hr_number_format_parse(&format, cell, size, &value) == HR_NUMBER_OK)
        see_number(&g->seen[i], value);
    else
        g->formats |= 1u << i;
}

static unsigned first_left(unsigned ruled_out) {
    unsigned i = 0;
    while (ruled_out >> i & 1) i++;
    return i;
}

/* ---- Dates ---- */

static void see_date(hr_text_inference *g, const char *cell, size_t size) {
    for (unsigned i = 0; i < HR_INFERRED_DATES; i++) {
        int64_t second;
        if (g->dates >> i & 1) continue;
        if (hr_timestamp_parse(&dates[i], cell, size, &second) || second > HR_CALENDAR_MAX) {
            g->dates |= 1u << i;
            continue;
        }
        g->first[i] = !g->dated || second < g->first[i] ? second : g->first[i];
        g->last[i] = !g->dated || second > g->last[i] ? second : g->last[i];
        g->clock |= second % HR_DAY_SECONDS != 0;
    }
    g->dated = true;
}

/* ---- The whole ---- */

void hr_text_inference_add(hr_text_inference *g, const char *cell, size_t size, const double *plain) {
    if (plain) {
        /* A plain number means the same in all formats that have a decimal point, if it has one. */
        const bool has_point = memchr(cell, '.', size);
        g->no_boolean = true;
        g->dates = ALL_DATES;
        see_number(has_point ? &g->points : &g->integers, *plain);
        for (unsigned i = 0; has_point && i < HR_INFERRED_FORMATS; i++)
            if (formats[i].decimal != '.') see_formatted(g, i, NULL, cell, size);
        return;
    }
    g->words = true;
    if (!g->no_boolean) see_boolean(g, cell, size);
    if (g->formats != ALL_FORMATS) {
        const char *symbol = symbol_of_cell(cell, size);
        if (symbol && g->symbol && strcmp(symbol, g->symbol) != 0) g->formats = ALL_FORMATS;
        if (symbol) g->symbol = symbol;
        for (unsigned i = 0; i < HR_INFERRED_FORMATS; i++) see_formatted(g, i, symbol, cell, size);
    }
    if (g->dates != ALL_DATES) see_date(g, cell, size);
}

hr_inferred_text hr_text_inference_kind(const hr_text_inference *g) {
    if (!g->words) return HR_INFERRED_WORDS;
    if (!g->no_boolean && g->no && g->yes) return HR_INFERRED_BOOLEAN;
    if (g->formats != ALL_FORMATS) return HR_INFERRED_NUMBER;
    return g->dates != ALL_DATES ? HR_INFERRED_DATE : HR_INFERRED_WORDS;
}

hr_column hr_text_inference_number(const hr_text_inference *g, const char *name, const char **remark) {
    unsigned i = first_left(g->formats);
    hr_seen_range seen = join_seen(&g->integers, &g->seen[i]);
    if (formats[i].decimal == '.') seen = join_seen(&seen, &g->points);
    if (i == COMMA_THOUSANDS && !(g->formats >> DECIMAL_COMMA & 1))
        *remark = "the comma is taken for a separator of thousands; if it is a decimal comma, write decimal: "
                  "\",\" in place of 'thousands', and divide the bounds by 1000";
    hr_column column = {.name = name, .kind = HR_KIND_NUMBER, .review = true, .integer = !seen.fractions};
    column.low = seen.low < seen.high ? seen.low : fmin(seen.low, 0);
    column.high = seen.low < seen.high ? seen.high : seen.high == 0 ? 1 : fmax(seen.high, 0);
    column.format = formats[i];
    column.format.symbol = g->symbol;
    return column;
}

void hr_text_inference_write(const hr_text_inference *g, const char *name, hr_buffer *out) {
    static const hr_date_part parts[] = {HR_DATE_PART_HOUR, HR_DATE_PART_WEEKDAY, HR_DATE_PART_MONTH,
                                         HR_DATE_PART_TREND};
    enum { PARTS = sizeof parts / sizeof *parts };
    const hr_column boolean = {.name = name, .kind = HR_KIND_CATEGORY, .boolean = true, .review = true};
    if (hr_text_inference_kind(g) != HR_INFERRED_DATE) {
        hr_schema_write_column(out, &boolean, false, NULL);
        return;
    }

    /* The public range that is proposed: whole days. */
    const unsigned i = first_left(g->dates);
    const hr_calendar from = hr_calendar_of(g->first[i]), to = hr_calendar_of(g->last[i]);
    const hr_date_column date = {.name = name,
                                 .from = hr_calendar_days(from.year, from.month, from.day) * HR_DAY_SECONDS,
                                 .to = (hr_calendar_days(to.year, to.month, to.day) + 1) * HR_DAY_SECONDS - 1,
                                 .format = dates[i].format,
                                 .offset = dates[i].offset};
    hr_column columns[PARTS];
    hr_schema_mark mark = {0};
    for (size_t k = 0; k < PARTS; k++)
        columns[k] = (hr_column){.review = true, .date = &date, .part = parts[k]};
    if (i >= DAY_FIRST && i < MONTH_FIRST && !(g->dates >> (i + SLASHES) & 1))
        mark.remark = "day and month may be the other way round in 'format'";
    const size_t first = !g->clock;
    hr_schema_write_date(out, columns + first, PARTS - first, &mark);
}
