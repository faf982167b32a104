/* Rendering: one way to write every schema, so that files can be compared as text. */
#include "schema/schema_write.h"

#include "base/number.h"
#include "base/text.h"
#include "schema/cell_text.h"
#include "schema/date_parts.h"
#include "schema/schema.h"

#include <string.h>

/* Characters that YAML lets stand in a quoted text and that no editor folds or hides. */
static bool stands_for_itself(int32_t c) {
    return c != '"' && c != '\\' && hr_char_printable(c);
}

void hr_schema_write_text(hr_buffer *out, const char *text) {
    const char *end = text + strlen(text);
    hr_buffer_text(out, "\"");
    while (text < end) {
        const char *from = text;
        int32_t c = hr_utf8_next(&text, end);
        if (stands_for_itself(c)) {
            hr_buffer_add(out, from, (size_t)(text - from));
        } else if (c == '"' || c == '\\') {
            hr_buffer_format(out, "\\%c", (char)c);
        } else {
            hr_buffer_format(out, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
        }
    }
    hr_buffer_text(out, "\"");
}

static void write_list(hr_buffer *out, const char *const *words, size_t count) {
    hr_buffer_text(out, "[");
    for (size_t i = 0; i < count; i++) {
        if (i) hr_buffer_text(out, ", ");
        hr_schema_write_text(out, words[i]);
    }
    hr_buffer_text(out, "]\n");
}

static void write_schema_number(hr_buffer *out, const char *indent, const char *key, double value) {
    char text[HR_NUMBER_TEXT];
    hr_number_text(value, text);
    hr_buffer_format(out, "%s%s: %s\n", indent, key, text);
}

static void write_schema_key(hr_buffer *out, const char *indent, const char *key, const char *text) {
    hr_buffer_format(out, "%s%s: ", indent, key);
    hr_schema_write_text(out, text);
    hr_buffer_text(out, "\n");
}

/* Only what differs from plain numbers. */
static void write_number_format(hr_buffer *out, const char *indent, const hr_number_format *format) {
    const char decimal[] = {format->decimal, 0}, thousands[] = {format->thousands, 0};
    if (format->decimal == ',') write_schema_key(out, indent, "decimal", decimal);
    if (format->thousands) write_schema_key(out, indent, "thousands", thousands);
    if (format->symbol) write_schema_key(out, indent, "symbol", format->symbol);
}

static void write_schema_mark(hr_buffer *out, const char *indent, const hr_schema_mark *mark,
                              const char *keys) {
    if (mark && mark->keys) keys = mark->keys;
    const char *advice =
        mark && mark->advice ? mark->advice : "replace by public knowledge, then delete this line";
    hr_buffer_format(out, "%sreview: [%s]  # REVIEW: %s\n", indent, keys, advice);
}

static const char *kind_word(const hr_column *column, bool is_label) {
    if (column->kind == HR_KIND_NUMBER) return "number";
    if (column->boolean) return "boolean";
    return is_label ? "classes" : "category";
}

void hr_schema_write_column(hr_buffer *out, const hr_column *column, bool is_label,
                            const hr_schema_mark *mark) {
    const char *indent = is_label ? "  " : "    ";
    hr_buffer_text(out, is_label ? "label:\n  name: " : "  - name: ");
    hr_schema_write_text(out, column->name);
    hr_buffer_format(out, "\n%skind: %s\n", indent, kind_word(column, is_label));
    if (column->kind == HR_KIND_NUMBER) {
        write_schema_number(out, indent, "low", column->low);
        write_schema_number(out, indent, "high", column->high);
        if (column->integer) hr_buffer_format(out, "%sinteger: true\n", indent);
        write_number_format(out, indent, &column->format);
    } else if (!column->boolean) {
        hr_buffer_format(out, "%svalues: ", indent);
        write_list(out, column->values, column->value_count);
    }
    if (!column->review) return;
    write_schema_mark(out, indent, mark,
                      column->kind == HR_KIND_NUMBER ? "low, high"
                      : column->boolean              ? "kind"
                                                     : "values");
}

void hr_schema_write_date(hr_buffer *out, const hr_column *parts, size_t count, const hr_schema_mark *mark) {
    static const char indent[] = "    ";
    const hr_date_column *date = parts->date;
    char from[HR_TIMESTAMP_TEXT], to[HR_TIMESTAMP_TEXT];
    hr_date_range_text(date, from, to);
    hr_buffer_text(out, "  - name: ");
    hr_schema_write_text(out, date->name);
    hr_buffer_format(out, "\n%skind: date\n%sfrom: %s\n%sto: %s\n", indent, indent, from, indent, to);
    if (date->format) write_schema_key(out, indent, "format", date->format);
    if (date->offset) hr_buffer_format(out, "%soffset: %s\n", indent, HR_OFFSET_NAMES[date->offset]);
    for (size_t i = 0; i < count; i++)
        hr_buffer_format(out, "%s%s", i ? ", " : "    parts: [", hr_date_part_name(parts[i].part));
    hr_buffer_text(out, "]\n");
    if (parts->review) write_schema_mark(out, indent, mark, "from, to");
}

void hr_schema_write_missing(hr_buffer *out, const char *const *words, size_t count) {
    if (!count) return;
    hr_buffer_text(out, "missing: ");
    write_list(out, words, count);
}

/* Whether training takes the schema only because a person has vouched for it. Only then is it written: a
 * schema without long lists reads the same however its marks went. */
static bool needs_word(const hr_schema *schema) {
    bool is_long = hr_schema_label(schema)->value_count > HR_VALUES_UNASKED;
    for (size_t i = 0; i < hr_schema_feature_count(schema); i++)
        is_long |= hr_schema_feature(schema, i)->value_count > HR_VALUES_UNASKED;
    return is_long && hr_schema_is_reviewed(schema);
}

/* Writes the column of feature i; returns how many features it has. */
static size_t write_feature(hr_buffer *out, const hr_schema *schema, size_t i) {
    const hr_column *first = hr_schema_feature(schema, i);
    size_t count = 1;
    if (!first->date) {
        hr_schema_write_column(out, first, false, NULL);
        return 1;
    }
    while (i + count < hr_schema_feature_count(schema) && hr_date_shared(first, first + count)) count++;
    hr_schema_write_date(out, first, count, NULL);
    return count;
}

hr_status hr_schema_render(const hr_schema *schema, char **text, hr_error *err) {
    hr_buffer out = {0};
    hr_buffer_text(&out, "hedgerow-schema: 1\n");
    if (needs_word(schema)) hr_buffer_text(&out, "reviewed: true\n");
    hr_schema_write_column(&out, hr_schema_label(schema), true, NULL);
    hr_buffer_text(&out, "features:\n");
    for (size_t i = 0; i < hr_schema_feature_count(schema);) i += write_feature(&out, schema, i);
    hr_schema_write_missing(&out, hr_schema_missing_list(schema), hr_schema_missing_count(schema));
    if (hr_schema_unit(schema)) {
        hr_buffer_text(&out, "unit: ");
        hr_schema_write_text(&out, hr_schema_unit(schema));
        hr_buffer_text(&out, "\n");
    }
    return hr_buffer_take(&out, text, err);
}
