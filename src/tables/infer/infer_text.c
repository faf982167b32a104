/* Every format counts the cells that it reads; the one that reads all, or nearly all, is proposed. */
#include "tables/infer/infer_column.h"

#include "base/text/calendar.h"
#include "base/text/number_format.h"
#include "base/text/text.h"
#include "base/text/timestamp.h"
#include "tables/data/records.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/schema_write.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* "1,234" is taken for separated thousands, so that format stands before the decimal comma. */
enum { COMMA_THOUSANDS = 1, DECIMAL_COMMA = 2, POINT_THOUSANDS = 3 };
static const hr_number_format formats[HR_INFERRED_FORMATS] = {
    {'.', 0, NULL},    {'.', ',', NULL}, {',', 0, NULL},   {',', '.', NULL},
    {'.', '\'', NULL}, {',', ' ', NULL}, {'.', ' ', NULL}, {',', '\'', NULL}};

/* Day and month stand before month and day; a remark names both where both can be meant. Years of two digits
 * come last. */
enum { COMPACT = 3, DAY_FIRST = 10, MONTH_FIRST = 16, SLASHES = 6, SHORT_DAY_FIRST = 32, SHORT_YEARS = 31 };
static const char *const date_formats[] = {
    NULL, /* ISO 8601 without offsets, and with them */
    NULL,
    "%Y%m%dT%H%M%S",
    "%Y%m%d",
    "%d.%m.%Y",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%-d.%-m.%Y",
    "%-d.%-m.%Y %-H:%M",
    "%-d.%-m.%Y %-H:%M:%S",
    "%d/%m/%Y",
    "%d/%m/%Y %H:%M",
    "%d/%m/%Y %H:%M:%S",
    "%-d/%-m/%Y",
    "%-d/%-m/%Y %-H:%M",
    "%-d/%-m/%Y %-H:%M:%S",
    "%m/%d/%Y",
    "%m/%d/%Y %H:%M",
    "%m/%d/%Y %H:%M:%S",
    "%-m/%-d/%Y",
    "%-m/%-d/%Y %-H:%M",
    "%-m/%-d/%Y %-H:%M:%S",
    "%-m/%-d/%Y %-I:%M %p",
    "%-m/%-d/%Y %-I:%M:%S %p",
    "%Y/%m/%d",
    "%Y/%m/%d %H:%M:%S",
    "%d-%b-%Y",
    "%-d %b %Y",
    "%d-%m-%Y",
    "%d-%m-%Y %H:%M",
    "%Y.%m.%d",
    "%-d.%-m.%y",
    "%-d/%-m/%y",
    "%-m/%-d/%y",
    "%d-%b-%y",
};
enum { DATES = sizeof date_formats / sizeof *date_formats };
static_assert(DATES < 64, "the facts of a cell have a bit for each");

static hr_timestamp_rule date_rule(unsigned i) {
    return (hr_timestamp_rule){date_formats[i], i == 1 ? HR_OFFSET_UTC : HR_OFFSET_REFUSED};
}

/* Most cells are numbers or dates: nine tenths of those that are present; or half, if there are many values
 * and few words besides, as where an unknown age has a word. */
static const double MOSTLY = .9, AT_LEAST = .5;
enum { FEW_WORDS = 3, MANY_VALUES = 20 };

void hr_remark_begin(hr_buffer *remarks) {
    if (remarks->size) hr_buffer_text(remarks, "; ");
}

/* ---- Booleans ---- */

/* Both values must be spelt in the same way; 0 and 1 are numbers. */
static void see_boolean(hr_text_inference *g, const char *cell, size_t size) {
    static const char pairs[] = "ttttttyyyyyyTTTTYYYY..oooo"; /* of the spellings, in their order */
    const char *spelling;
    bool value;
    for (size_t i = 0; (spelling = hr_boolean_spelling(i, &value)); i++) {
        if (*spelling != *cell || strlen(spelling) != size || memcmp(spelling, cell, size) != 0) continue;
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
    if (!seen->cells || value < seen->low) seen->low = value;
    if (!seen->cells || value > seen->high) seen->high = value;
    seen->fractions |= hr_is_fraction(value);
    seen->cells++;
}

static hr_seen_range join_seen(const hr_seen_range *a, const hr_seen_range *b) {
    if (!a->cells || !b->cells) return a->cells ? *a : *b;
    return (hr_seen_range){a->cells + b->cells, fmin(a->low, b->low), fmax(a->high, b->high),
                           a->fractions || b->fractions};
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char *symbol_of_cell(const char *cell, size_t size) {
    static const char *const symbols[] = {
        "%", "$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "\xe2\x82\xb9", "EUR", "USD", "GBP", "CHF"};
    static const char begins[] = "%$\xe2\xc2"
                                 "EUGC",
                      ends[] = "%$\xac\xa3\xa5\xb9RDPF";
    const size_t signs = *cell == '-' || *cell == '+';
    if (size <= signs || (!strchr(begins, cell[signs]) && !strchr(ends, cell[size - 1]))) return NULL;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        size_t length = strlen(symbols[i]);
        if (size <= length) continue;
        bool behind = memcmp(cell + size - length, symbols[i], length) == 0;
        if (behind || (size > length + signs && memcmp(cell + signs, symbols[i], length) == 0))
            return symbols[i];
    }
    return NULL;
}

/* Returns whether the format reads the cell. */
static bool reads_number(unsigned i, const char *symbol, const char *cell, size_t size, double *value) {
    hr_number_format format = formats[i];
    format.symbol = symbol;
    return hr_number_format_parse(&format, cell, size, value) == HR_NUMBER_OK;
}

/* False of a text without a symbol that no format reads: it does not begin as numbers do, or has letters or a
 * mark of dates inside. */
static bool may_be_formatted(const char *cell, size_t size) {
    const size_t signs = *cell == '-' || *cell == '+';
    if (signs == size || (!is_digit(cell[signs]) && cell[signs] != '.' && cell[signs] != ',')) return false;
    for (size_t i = signs + 1; i < size; i++) {
        const char c = cell[i];
        const bool exponent = cell[i - 1] == 'e' || cell[i - 1] == 'E';
        if (c == ':' || c == '/' || ((c == '-' || c == '+') && !exponent)) return false;
        if (((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) && c != 'e' && c != 'E') return false;
    }
    return true;
}

static void see_formatted(hr_text_inference *g, const char *cell, size_t size, hr_cell_facts *facts) {
    const char *symbol = symbol_of_cell(cell, size);
    if (!symbol && !may_be_formatted(cell, size)) return;
    for (unsigned i = 0; i < HR_INFERRED_FORMATS; i++) {
        double value;
        if (!reads_number(i, symbol, cell, size, &value)) continue;
        see_number(&g->seen[i], value);
        facts->formats |= (uint8_t)(1u << i);
    }
    if (!facts->formats || !symbol) return;
    g->symbols_differ |= g->symbol && strcmp(symbol, g->symbol) != 0;
    g->symbol = facts->symbol = symbol;
}

/* How many cells a format of numbers reads. */
static uint64_t cells_read(const hr_text_inference *g, unsigned i) {
    return g->integers.cells + g->seen[i].cells + (formats[i].decimal == '.' ? g->points.cells : 0);
}

static unsigned best_number(const hr_text_inference *g, uint64_t *cells) {
    unsigned best = 0;
    *cells = 0;
    for (unsigned i = 0; i < HR_INFERRED_FORMATS && !g->symbols_differ; i++) {
        const uint64_t read = cells_read(g, i);
        if (read <= *cells) continue;
        *cells = read;
        best = i;
    }
    return best;
}

/* ---- Dates ---- */

static bool reads_date(unsigned i, const char *cell, size_t size, int64_t *second) {
    const hr_timestamp_rule rule = date_rule(i);
    return hr_timestamp_parse(&rule, cell, size, second) == HR_TIMESTAMP_OK && *second <= HR_CALENDAR_MAX;
}

/* A time of day without a date, such as 8:30 or 08:30:00. */
static bool is_time(const char *cell, size_t size) {
    static const hr_timestamp_rule rules[] = {{"%Y%m%d %-H:%M", HR_OFFSET_REFUSED},
                                              {"%Y%m%d %-H:%M:%S", HR_OFFSET_REFUSED}};
    char text[24] = "20240101 ";
    int64_t second;
    if (size > 8 || !memchr(cell, ':', size)) return false;
    memcpy(text + 9, cell, size);
    return !hr_timestamp_parse(&rules[0], text, 9 + size, &second) ||
           !hr_timestamp_parse(&rules[1], text, 9 + size, &second);
}

/* The formats that may read a text that begins with digits, of a year or fewer, and this mark: '%' in their
 * place stands for further digits, or anything. */
static uint64_t formats_beginning(bool year, char mark) {
    uint64_t found = 0;
    for (unsigned i = 0; i < DATES; i++) {
        const char *format = date_formats[i];
        const char first = format ? format[format[1] == '-' ? 3 : 2] : '-';
        const bool of_year = !format || format[1] == 'Y';
        if (first == '%' || (first == mark && year == of_year)) found |= (uint64_t)1 << i;
    }
    return found;
}

/* Dates begin with a digit. Of plain numbers only those of eight digits can be dates. */
static bool see_date(hr_text_inference *g, hr_arena *arena, const char *cell, size_t size,
                     hr_cell_facts *facts) {
    if (!g->dates) g->dates = hr_arena_alloc(arena, DATES, sizeof *g->dates);
    if (!g->dates) return false;
    size_t digits = 0;
    while (digits < size && is_digit(cell[digits])) digits++;
    const char mark = digits < size ? cell[digits] : '\0';
    const bool year = digits == 4;
    if (!g->may_read.formats || g->may_read.mark != mark || g->may_read.year != year) {
        g->may_read.formats = formats_beginning(year, mark);
        g->may_read.mark = mark;
        g->may_read.year = year;
    }
    const bool compact = size == 8 && digits == size;
    const uint64_t tried = compact ? (uint64_t)1 << COMPACT : g->may_read.formats;
    for (unsigned i = 0; tried >> i; i++) {
        hr_seen_dates *seen = &g->dates[i];
        int64_t second;
        if (!(tried >> i & 1) || !reads_date(i, cell, size, &second)) continue;
        seen->first = !seen->cells || second < seen->first ? second : seen->first;
        seen->last = !seen->cells || second > seen->last ? second : seen->last;
        seen->clock |= second % HR_DAY_SECONDS != 0;
        seen->cells++;
        facts->dates |= (uint64_t)1 << i;
    }
    g->dates_read |= facts->dates;
    return true;
}

static unsigned best_date(const hr_text_inference *g, uint64_t *cells) {
    unsigned best = 0;
    *cells = 0;
    for (unsigned i = 0; g->dates_read >> i; i++) {
        if (g->dates[i].cells <= *cells) continue;
        *cells = g->dates[i].cells;
        best = i;
    }
    return best;
}

/* ---- Gathering ---- */

/* Whether what has read most cells until now reads this one. */
static bool is_read(const hr_text_inference *g, const char *cell, size_t size, const hr_cell_facts *facts) {
    uint64_t number_cells, date_cells;
    const unsigned number = best_number(g, &number_cells), date = best_date(g, &date_cells);
    double value;
    return number_cells >= date_cells ? reads_number(number, g->symbol, cell, size, &value)
                                      : facts->dates >> date & 1;
}

/* Counts the text among the words if it is one of them; else it becomes one if there are few, or if it is odd
 * and so wanted. */
static bool note_word(hr_text_inference *g, hr_arena *arena, const char *cell, size_t size,
                      hr_cell_facts *facts) {
    hr_words *words = &g->odd;
    facts->word = hr_string_map_find(&words->known, cell, size);
    if (facts->word != HR_STRING_MAP_NONE) {
        words->words[facts->word].cells++;
        return true;
    }
    if (words->count >= HR_WORDS_MAX) return true;
    if (words->count >= HR_WORDS_FIRST && (!g->words || (facts->digits && is_read(g, cell, size, facts))))
        return true;
    facts->word = (uint32_t)words->count;
    return hr_words_note(words, arena, cell, size, true);
}

bool hr_text_inference_add(hr_text_inference *g, hr_arena *arena, const char *cell, size_t size,
                           hr_cell_facts *facts) {
    facts->digits = facts->number;
    for (size_t i = 0; i < size && !facts->digits; i++) facts->digits = is_digit(cell[i]);
    g->cells++;
    if (facts->number) {
        /* A plain number means the same in all formats that have a decimal point, if it has one. Of the
         * others only one reads a point: before three digits. */
        const char *point = memchr(cell, '.', size);
        const size_t behind = point ? size - (size_t)(point - cell) - 1 : 0;
        double value;
        facts->point = point;
        g->no_boolean = true;
        see_number(point ? &g->points : &g->integers, facts->value);
        if (behind >= 3 && (behind == 3 || !is_digit(point[4])) &&
            reads_number(POINT_THOUSANDS, NULL, cell, size, &value)) {
            see_number(&g->seen[POINT_THOUSANDS], value);
            facts->formats = 1u << POINT_THOUSANDS;
        }
        if (size == 8 && !point && !see_date(g, arena, cell, size, facts)) return false;
    } else {
        g->words = true;
        if (!g->no_boolean) see_boolean(g, cell, size);
        if (facts->digits) see_formatted(g, cell, size, facts);
        if (is_digit(*cell) && !see_date(g, arena, cell, size, facts)) return false;
        facts->time = facts->digits && is_time(cell, size);
        g->times += facts->time;
    }
    return note_word(g, arena, cell, size, facts);
}

bool hr_text_inference_repeat(hr_text_inference *g, hr_arena *arena, const hr_cell_text *cell,
                              hr_cell_facts *facts, uint64_t cells) {
    g->cells += cells;
    if (facts->time) g->times += cells;
    if (facts->number && facts->point) g->points.cells += cells;
    if (facts->number && !facts->point) g->integers.cells += cells;
    for (unsigned i = 0; facts->formats >> i; i++) g->seen[i].cells += facts->formats >> i & 1 ? cells : 0;
    for (unsigned i = 0; facts->dates >> i; i++) g->dates[i].cells += facts->dates >> i & 1 ? cells : 0;
    if (facts->symbol) g->symbol = facts->symbol;
    if (facts->word == HR_STRING_MAP_NONE) return note_word(g, arena, cell->text, cell->size, facts);
    g->odd.words[facts->word].cells += cells;
    return true;
}

/* ---- Judging ---- */

/* Whether the cells that are read are enough of all, and the words between them known. Else they are words.
 */
static void judge_odd(hr_text_inference *g, uint64_t read, size_t distinct, bool is_label) {
    const double share = (double)read / (double)g->cells;
    if (share < AT_LEAST) g->kind = HR_INFERRED_WORDS;
    if (read == g->cells) g->odd.count = 0;
    if (g->kind == HR_INFERRED_WORDS || read == g->cells) return;
    hr_words *odd = &g->odd;
    size_t kept = 0;
    for (size_t i = 0; i < odd->count; i++) {
        const char *word = odd->words[i].text;
        const size_t size = strlen(word);
        double value;
        int64_t second;
        if (g->kind == HR_INFERRED_DATE ? !reads_date(g->format, word, size, &second)
                                        : !reads_number(g->format, g->symbol, word, size, &value))
            odd->words[kept++] = odd->words[i];
    }
    odd->count = kept;
    const bool many = distinct > MANY_VALUES + odd->count;
    for (size_t i = 0; i < odd->count; i++)
        if (!hr_utf8_valid(odd->words[i].text, strlen(odd->words[i].text))) g->kind = HR_INFERRED_WORDS;
    const bool mostly = share >= MOSTLY || (odd->count <= FEW_WORDS && many);
    g->codes = g->kind == HR_INFERRED_NUMBER && hr_words_are_codes(odd);
    if (!mostly || hr_words_cells(odd) + read != g->cells || odd->count > HR_WORDS_LISTED || g->codes ||
        (is_label && !many))
        g->kind = HR_INFERRED_WORDS;
}

void hr_text_inference_judge(hr_text_inference *g, size_t distinct, bool is_label) {
    uint64_t number_cells, date_cells;
    const unsigned number = best_number(g, &number_cells), date = best_date(g, &date_cells);
    /* Eight digits are dates if the name has a word for that, and the years are likely. */
    const hr_seen_dates *digits = g->dates ? &g->dates[COMPACT] : NULL;
    const bool compact = !is_label && g->date_name && digits && digits->cells &&
                         (double)digits->cells >= MOSTLY * (double)g->cells &&
                         hr_calendar_of(digits->first).year >= 1900 &&
                         hr_calendar_of(digits->last).year <= 2100;
    g->kind = HR_INFERRED_WORDS;
    if (!g->words && !compact) {
        g->odd.count = 0;
        return;
    }
    if (!g->no_boolean && g->no && g->yes) {
        g->kind = HR_INFERRED_BOOLEAN;
        return;
    }
    const bool is_date = compact || (date_cells > number_cells && !is_label);
    g->kind = is_date ? HR_INFERRED_DATE : HR_INFERRED_NUMBER;
    g->format = compact ? COMPACT : is_date ? date : number;
    judge_odd(g, is_date ? g->dates[g->format].cells : number_cells, distinct, is_label);
}

bool hr_text_inference_is_plain(const hr_text_inference *g) {
    return g->kind == HR_INFERRED_NUMBER && !g->format && !g->symbol;
}

hr_decimal_mark hr_text_inference_decimal(const hr_text_inference *g) {
    if (g->kind == HR_INFERRED_NUMBER && g->format) {
        const bool comma = cells_read(g, DECIMAL_COMMA) == cells_read(g, g->format);
        if (g->format == COMMA_THOUSANDS && comma) return HR_DECIMAL_COMMA_OR_GROUPS;
        return formats[g->format].decimal == ',' ? HR_DECIMAL_COMMA : HR_DECIMAL_POINT;
    }
    const bool plain = g->kind == HR_INFERRED_NUMBER || !g->words;
    if (!plain || !g->points.cells) return HR_DECIMAL_NONE;
    return g->seen[POINT_THOUSANDS].cells >= cells_read(g, 0) - g->integers.cells ? HR_DECIMAL_POINT_OR_GROUPS
                                                                                  : HR_DECIMAL_POINT;
}

void hr_text_inference_take_comma(hr_text_inference *g) {
    g->format = g->format == COMMA_THOUSANDS ? DECIMAL_COMMA : POINT_THOUSANDS;
    g->kind = HR_INFERRED_NUMBER;
}

hr_column hr_text_inference_number(const hr_text_inference *g, const char *name) {
    const hr_seen_range formatted = join_seen(&g->integers, &g->seen[g->format]);
    const hr_seen_range seen =
        formats[g->format].decimal == '.' ? join_seen(&formatted, &g->points) : formatted;
    hr_column column = {.name = name, .kind = HR_KIND_NUMBER, .review = true, .integer = !seen.fractions};
    column.low = seen.low < seen.high ? seen.low : fmin(seen.low, 0);
    column.high = seen.low < seen.high ? seen.high : seen.high == 0 ? 1 : fmax(seen.high, 0);
    column.format = formats[g->format];
    column.format.symbol = g->symbol;
    return column;
}

static void remark_date(const hr_text_inference *g, hr_buffer *remarks) {
    const unsigned i = g->format;
    const bool slashes =
        i >= DAY_FIRST && i < MONTH_FIRST && g->dates[i + SLASHES].cells == g->dates[i].cells;
    const bool short_slashes = i == SHORT_DAY_FIRST && g->dates[i + 1].cells == g->dates[i].cells;
    if (slashes || short_slashes) {
        hr_remark_begin(remarks);
        hr_buffer_text(remarks, "day and month may be the other way round in 'format'");
    }
    if (i >= SHORT_YEARS) {
        hr_remark_begin(remarks);
        hr_buffer_text(remarks,
                       "years of two digits: 69 to 99 are read as 1969 to 1999, 00 to 68 as 2000 to 2068");
    }
}

void hr_text_inference_write(const hr_text_inference *g, const char *name, hr_buffer *remarks,
                             hr_buffer *out) {
    static const hr_date_part parts[] = {HR_DATE_PART_HOUR, HR_DATE_PART_WEEKDAY, HR_DATE_PART_MONTH,
                                         HR_DATE_PART_TREND};
    enum { PARTS = sizeof parts / sizeof *parts };
    const hr_column boolean = {.name = name, .kind = HR_KIND_CATEGORY, .boolean = true, .review = true};
    hr_schema_mark mark = {.remark = remarks->size ? remarks->bytes : NULL};
    if (g->kind != HR_INFERRED_DATE) {
        hr_schema_write_column(out, &boolean, false, &mark);
        return;
    }

    /* The public range that is proposed: whole days. */
    const hr_seen_dates *seen = &g->dates[g->format];
    const hr_timestamp_rule rule = date_rule(g->format);
    const hr_calendar from = hr_calendar_of(seen->first), to = hr_calendar_of(seen->last);
    const hr_date_column date = {.name = name,
                                 .from = hr_calendar_days(from.year, from.month, from.day) * HR_DAY_SECONDS,
                                 .to = (hr_calendar_days(to.year, to.month, to.day) + 1) * HR_DAY_SECONDS - 1,
                                 .format = rule.format,
                                 .offset = rule.offset};
    hr_column columns[PARTS];
    for (size_t k = 0; k < PARTS; k++)
        columns[k] = (hr_column){.review = true, .date = &date, .part = parts[k]};
    remark_date(g, remarks);
    mark.remark = remarks->size ? remarks->bytes : NULL;
    const size_t first = !seen->clock;
    hr_schema_write_date(out, columns + first, PARTS - first, &mark);
}

void hr_text_inference_done(hr_text_inference *g) {
    hr_words_done(&g->odd);
    g->dates = NULL;
    g->dates_read = 0;
}
