#include "tables/schema/schema_difference.h"

#include "base/text/text.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/schema.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 32 }; /* bytes of a name or value as it is shown */

/* Where the two schemas are, and the text of their difference. */
typedef struct comparison {
    const hr_schema_sides *sides;
    char *text;
} comparison;

/* What the sides have of `what`. */
static bool note_difference(const comparison *c, const char *what, const char *one, const char *other) {
    snprintf(c->text, HR_SCHEMA_DIFFERENCE, "%s: %s %s, %s %s", what, one, c->sides->one, other,
             c->sides->other);
    return true;
}

static bool note_numbers(const comparison *c, const char *what, double one, double other) {
    char a[32], b[32];
    snprintf(a, sizeof a, "%.10g", one);
    snprintf(b, sizeof b, "%.10g", other);
    return note_difference(c, what, a, b);
}

static bool note_words(const comparison *c, const char *what, const char *one, const char *other) {
    char a[WORD], b[WORD];
    hr_text_show(one, a, sizeof a);
    hr_text_show(other, b, sizeof b);
    return note_difference(c, what, a, b);
}

/* A list of words: what each is called, and what they are. */
typedef struct word_list {
    const char *name, *names;
    const char *const *words;
    size_t count;
} word_list;

static bool words_differ(const comparison *c, const word_list *one, const word_list *other) {
    char where[64];
    for (size_t i = 0; i < one->count && i < other->count; i++) {
        if (!strcmp(one->words[i], other->words[i])) continue;
        snprintf(where, sizeof where, "%s %zu", one->name, i + 1);
        return note_words(c, where, one->words[i], other->words[i]);
    }
    snprintf(where, sizeof where, "number of %s", one->names);
    return one->count != other->count && note_numbers(c, where, (double)one->count, (double)other->count);
}

static word_list values_of(const hr_column *column) {
    return (word_list){"value", "values", column->values, column->value_count};
}

static word_list missing_of(const hr_schema *schema) {
    return (word_list){"spelling of missing", "spellings of missing", hr_schema_missing_list(schema),
                       hr_schema_missing_count(schema)};
}

static const char *mark_text(char mark, char text[4]) {
    snprintf(text, 4, "'%c'", mark);
    return mark ? text : "none";
}

static bool number_formats_differ(const comparison *c, const hr_number_format *one,
                                  const hr_number_format *other) {
    char a[4], b[4];
    char decimal = one->decimal ? one->decimal : '.', other_decimal = other->decimal ? other->decimal : '.';
    if (decimal != other_decimal)
        return note_difference(c, "decimal", mark_text(decimal, a), mark_text(other_decimal, b));
    if (one->thousands != other->thousands)
        return note_difference(c, "thousands", mark_text(one->thousands, a), mark_text(other->thousands, b));
    return !hr_number_format_same(one, other) && note_words(c, "symbol", one->symbol ? one->symbol : "none",
                                                            other->symbol ? other->symbol : "none");
}

/* Of columns of dates of one name. */
static bool dates_differ(const comparison *c, const hr_date_column *one, const hr_date_column *other) {
    char from[HR_TIMESTAMP_TEXT], other_from[HR_TIMESTAMP_TEXT], to[HR_TIMESTAMP_TEXT],
        other_to[HR_TIMESTAMP_TEXT];
    hr_date_range_text(one, from, to);
    hr_date_range_text(other, other_from, other_to);
    if (one->from != other->from) return note_difference(c, "from", from, other_from);
    if (one->to != other->to) return note_difference(c, "to", to, other_to);
    if (one->offset != other->offset)
        return note_difference(c, "offset", HR_OFFSET_NAMES[one->offset], HR_OFFSET_NAMES[other->offset]);
    return !hr_date_column_same(one, other) && note_words(c, "format", one->format ? one->format : "ISO 8601",
                                                          other->format ? other->format : "ISO 8601");
}

static const char *kind_of_text(const hr_column *column) {
    return column->date      ? "date"
           : column->boolean ? "boolean"
           : column->count   ? "count"
           : column->event   ? "time"
                             : (column->kind == HR_KIND_NUMBER ? "number" : "category");
}

/* Of two times. */
static bool intervals_differ(const comparison *c, const hr_column *one, const hr_column *other) {
    char where[64];
    if (strcmp(one->event, other->event) != 0) return note_words(c, "event", one->event, other->event);
    if (one->quantile_cuts != other->quantile_cuts)
        return note_words(c, "intervals", one->quantile_cuts ? "quantiles" : "cuts",
                          other->quantile_cuts ? "quantiles" : "cuts");
    for (size_t i = 0; i < one->interval_count && i < other->interval_count; i++) {
        snprintf(where, sizeof where, "interval %zu", i + 1);
        if (one->intervals[i] != other->intervals[i])
            return note_numbers(c, where, one->intervals[i], other->intervals[i]);
    }
    return one->interval_count != other->interval_count &&
           note_numbers(c, "number of intervals", (double)one->interval_count, (double)other->interval_count);
}

static bool quantiles_differ(const comparison *c, const hr_column *one, const hr_column *other) {
    char where[64];
    for (size_t i = 0; i < one->quantile_count && i < other->quantile_count; i++) {
        snprintf(where, sizeof where, "quantile %zu", i + 1);
        if (one->quantiles[i] != other->quantiles[i])
            return note_numbers(c, where, one->quantiles[i], other->quantiles[i]);
    }
    return one->quantile_count != other->quantile_count &&
           note_numbers(c, "number of quantiles", (double)one->quantile_count, (double)other->quantile_count);
}

/* Of columns of one name. */
static bool kinds_differ(const comparison *c, const hr_column *one, const hr_column *other) {
    static const char *const flags[] = {"no", "yes"};
    const word_list values = values_of(one), other_values = values_of(other);
    if (strcmp(kind_of_text(one), kind_of_text(other)) != 0)
        return note_difference(c, "kind", kind_of_text(one), kind_of_text(other));
    if (one->date && dates_differ(c, one->date, other->date)) return true;
    if (one->low != other->low) return note_numbers(c, "low", one->low, other->low);
    if (one->high != other->high) return note_numbers(c, "high", one->high, other->high);
    if (one->event && intervals_differ(c, one, other)) return true;
    if (one->integer != other->integer)
        return note_difference(c, "integer", flags[one->integer], flags[other->integer]);
    if (quantiles_differ(c, one, other)) return true;
    return number_formats_differ(c, &one->format, &other->format) || words_differ(c, &values, &other_values);
}

static bool columns_differ(const comparison *c, const char *what, const hr_column *one,
                           const hr_column *other) {
    char difference[HR_SCHEMA_DIFFERENCE], name[WORD];
    const comparison within = {c->sides, difference};
    if (strcmp(one->name, other->name) != 0) return note_words(c, what, one->name, other->name);
    if (!kinds_differ(&within, one, other)) return false;
    hr_text_show(one->name, name, sizeof name);
    snprintf(c->text, HR_SCHEMA_DIFFERENCE, "column %s, %.140s", name, difference);
    return true;
}

static bool units_differ(const comparison *c, const hr_schema *one, const hr_schema *other) {
    const char *a = hr_schema_unit(one), *b = hr_schema_unit(other);
    if (a == b || (a && b && !strcmp(a, b))) return false;
    return note_words(c, "unit", a ? a : "none", b ? b : "none");
}

static bool weights_differ(const comparison *c, const hr_schema *one, const hr_schema *other) {
    double high, other_high;
    const char *a = hr_schema_weight(one, &high), *b = hr_schema_weight(other, &other_high);
    if (!a != !b || (a && strcmp(a, b) != 0)) return note_words(c, "weight", a ? a : "none", b ? b : "none");
    if (high != other_high) return note_numbers(c, "largest weight", high, other_high);
    return number_formats_differ(c, &hr_schema_parts_of(one)->weight_format,
                                 &hr_schema_parts_of(other)->weight_format);
}

static bool exposures_differ(const comparison *c, const hr_schema *one, const hr_schema *other) {
    double high, other_high;
    const char *a = hr_schema_exposure(one, &high), *b = hr_schema_exposure(other, &other_high);
    if (!a != !b || (a && strcmp(a, b) != 0))
        return note_words(c, "exposure", a ? a : "none", b ? b : "none");
    if (high != other_high) return note_numbers(c, "largest exposure", high, other_high);
    return number_formats_differ(c, &hr_schema_parts_of(one)->exposure_format,
                                 &hr_schema_parts_of(other)->exposure_format);
}

static bool facts_differ(const comparison *c, const hr_schema *one, const hr_schema *other) {
    const word_list missing = missing_of(one), other_missing = missing_of(other);
    return words_differ(c, &missing, &other_missing) || exposures_differ(c, one, other) ||
           units_differ(c, one, other) || weights_differ(c, one, other);
}

bool hr_schema_difference(const hr_schema *one, const hr_schema *other, const hr_schema_sides *sides,
                          char text[HR_SCHEMA_DIFFERENCE]) {
    const comparison c = {sides, text};
    size_t count = hr_schema_feature_count(one), other_count = hr_schema_feature_count(other);
    char what[40];
    if (columns_differ(&c, "label", hr_schema_label(one), hr_schema_label(other))) return true;
    for (size_t i = 0; i < count && i < other_count; i++) {
        snprintf(what, sizeof what, "feature %zu", i + 1);
        if (columns_differ(&c, what, hr_schema_feature(one, i), hr_schema_feature(other, i))) return true;
    }
    if (count != other_count)
        return note_numbers(&c, "number of features", (double)count, (double)other_count);
    return facts_differ(&c, one, other);
}

/* ---- A part of the features ---- */

static size_t find_feature_named(const hr_schema *schema, size_t first, const char *name) {
    const size_t count = hr_schema_feature_count(schema);
    while (first < count && strcmp(hr_schema_feature(schema, first)->name, name) != 0) first++;
    return first;
}

static bool is_none_of(const comparison *c, const char *name) {
    char shown[WORD], what[WORD + 16];
    hr_text_show(name, shown, sizeof shown);
    snprintf(what, sizeof what, "column %s", shown);
    return note_difference(c, what, "none", "one");
}

bool hr_schema_difference_of_part(const hr_schema *one, const hr_schema *other, const hr_schema_sides *sides,
                                  char text[HR_SCHEMA_DIFFERENCE], size_t *features) {
    const comparison c = {sides, text};
    const size_t count = hr_schema_feature_count(one), other_count = hr_schema_feature_count(other);
    for (size_t i = 0; i < other_count; i++) features[i] = i;
    if (other_count >= count) return hr_schema_difference(one, other, sides, text);
    if (columns_differ(&c, "label", hr_schema_label(one), hr_schema_label(other))) return true;
    for (size_t i = 0, at = 0; i < other_count; i++, at++) {
        const hr_column *column = hr_schema_feature(other, i);
        if (find_feature_named(one, 0, column->name) == count) return is_none_of(&c, column->name);
        const size_t found = find_feature_named(one, at, column->name);
        if (found == count) return note_words(&c, "order of the features", "another", column->name);
        if (columns_differ(&c, "feature", hr_schema_feature(one, found), column)) return true;
        features[i] = at = found;
    }
    return facts_differ(&c, one, other);
}

size_t hr_schema_left_out(const hr_schema *whole, const hr_schema *part, char text[HR_SCHEMA_DIFFERENCE]) {
    enum { MORE = 24 }; /* bytes of the number at the end */
    const size_t count = hr_schema_feature_count(whole), kept = hr_schema_feature_count(part);
    size_t left_out = 0, named = 0, used = 0;
    *text = '\0';
    for (size_t f = 0; f < count; f++) {
        char name[WORD];
        if (find_feature_named(part, 0, hr_schema_feature(whole, f)->name) < kept) continue;
        left_out++;
        hr_text_show(hr_schema_feature(whole, f)->name, name, sizeof name);
        if (named + 1 < left_out || used + strlen(name) + MORE > HR_SCHEMA_DIFFERENCE) continue;
        used += (size_t)snprintf(text + used, HR_SCHEMA_DIFFERENCE - used, "%s%s", named++ ? ", " : "", name);
    }
    if (left_out > named)
        snprintf(text + used, HR_SCHEMA_DIFFERENCE - used, " and %zu more", left_out - named);
    return left_out;
}
