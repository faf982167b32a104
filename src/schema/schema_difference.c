#include "schema/schema_difference.h"

#include "base/text.h"
#include "schema/schema.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 32 }; /* bytes of a name or value as it is shown */

/* Where the two schemas are, and the text of their difference. */
typedef struct comparison {
    const hr_schema_sides *sides;
    char *text;
} comparison;

/* What the sides have of `what`. */
static bool tell_difference(const comparison *c, const char *what, const char *one, const char *other) {
    snprintf(c->text, HR_SCHEMA_DIFFERENCE, "%s: %s %s, %s %s", what, one, c->sides->one, other,
             c->sides->other);
    return true;
}

static bool tell_numbers(const comparison *c, const char *what, double one, double other) {
    char a[32], b[32];
    snprintf(a, sizeof a, "%.10g", one);
    snprintf(b, sizeof b, "%.10g", other);
    return tell_difference(c, what, a, b);
}

static bool tell_words(const comparison *c, const char *what, const char *one, const char *other) {
    char a[WORD], b[WORD];
    hr_text_show(one, a, sizeof a);
    hr_text_show(other, b, sizeof b);
    return tell_difference(c, what, a, b);
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
        return tell_words(c, where, one->words[i], other->words[i]);
    }
    snprintf(where, sizeof where, "number of %s", one->names);
    return one->count != other->count && tell_numbers(c, where, (double)one->count, (double)other->count);
}

static word_list values_of(const hr_column *column) {
    return (word_list){"value", "values", column->values, column->value_count};
}

static word_list missing_of(const hr_schema *schema) {
    return (word_list){"spelling of missing", "spellings of missing", hr_schema_missing_list(schema),
                       hr_schema_missing_count(schema)};
}

/* Of columns of one name. */
static bool kinds_differ(const comparison *c, const hr_column *one, const hr_column *other) {
    static const char *const kinds[] = {"number", "category"}, *const flags[] = {"no", "yes"};
    const word_list values = values_of(one), other_values = values_of(other);
    if (one->kind != other->kind) return tell_difference(c, "kind", kinds[one->kind], kinds[other->kind]);
    if (one->low != other->low) return tell_numbers(c, "low", one->low, other->low);
    if (one->high != other->high) return tell_numbers(c, "high", one->high, other->high);
    if (one->integer != other->integer)
        return tell_difference(c, "integer", flags[one->integer], flags[other->integer]);
    return words_differ(c, &values, &other_values);
}

static bool columns_differ(const comparison *c, const char *what, const hr_column *one,
                           const hr_column *other) {
    char difference[HR_SCHEMA_DIFFERENCE], name[WORD];
    const comparison within = {c->sides, difference};
    if (strcmp(one->name, other->name) != 0) return tell_words(c, what, one->name, other->name);
    if (!kinds_differ(&within, one, other)) return false;
    hr_text_show(one->name, name, sizeof name);
    snprintf(c->text, HR_SCHEMA_DIFFERENCE, "column %s, %.140s", name, difference);
    return true;
}

bool hr_schema_difference(const hr_schema *one, const hr_schema *other, const hr_schema_sides *sides,
                          char text[HR_SCHEMA_DIFFERENCE]) {
    const comparison c = {sides, text};
    const word_list missing = missing_of(one), other_missing = missing_of(other);
    size_t count = hr_schema_feature_count(one), other_count = hr_schema_feature_count(other);
    char what[40];
    if (columns_differ(&c, "label", hr_schema_label(one), hr_schema_label(other))) return true;
    for (size_t i = 0; i < count && i < other_count; i++) {
        snprintf(what, sizeof what, "feature %zu", i + 1);
        if (columns_differ(&c, what, hr_schema_feature(one, i), hr_schema_feature(other, i))) return true;
    }
    if (count != other_count)
        return tell_numbers(&c, "number of features", (double)count, (double)other_count);
    return words_differ(&c, &missing, &other_missing);
}
