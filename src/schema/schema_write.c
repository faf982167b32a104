/* Rendering: one way to write every schema, so that files can be compared as text. */
#include "schema/schema_write.h"

#include "base/number.h"
#include "base/text.h"
#include "schema/schema.h"

#include <string.h>

/* Characters that YAML lets stand in a quoted text and that no editor folds or hides. */
static bool stands_for_itself(int32_t c) {
    return c != '"' && c != '\\' && hr_char_printable(c);
}

static void write_quoted(hr_buffer *out, const char *text) {
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
        write_quoted(out, words[i]);
    }
    hr_buffer_text(out, "]\n");
}

static void write_schema_number(hr_buffer *out, const char *indent, const char *key, double value) {
    char text[HR_NUMBER_TEXT];
    hr_number_render(value, text);
    hr_buffer_format(out, "%s%s: %s\n", indent, key, text);
}

void hr_schema_write_column(hr_buffer *out, const hr_column *column, bool is_label, const char *review) {
    const char *indent = is_label ? "  " : "    ";
    const char *category = is_label ? "classes" : "category";
    hr_buffer_text(out, is_label ? "label:\n  name: " : "  - name: ");
    write_quoted(out, column->name);
    hr_buffer_format(out, "\n%skind: %s\n", indent, column->kind == HR_KIND_NUMBER ? "number" : category);
    if (column->kind == HR_KIND_NUMBER) {
        write_schema_number(out, indent, "low", column->low);
        write_schema_number(out, indent, "high", column->high);
        if (column->integer) hr_buffer_format(out, "%sinteger: true\n", indent);
    } else {
        hr_buffer_format(out, "%svalues: ", indent);
        write_list(out, column->values, column->value_count);
    }
    if (!column->review) return;
    if (!review) review = column->kind == HR_KIND_NUMBER ? "low, high" : "values";
    hr_buffer_format(out, "%sreview: [%s]  # REVIEW: replace by public knowledge, then delete this line\n",
                     indent, review);
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

hr_status hr_schema_render(const hr_schema *schema, char **text, hr_error *err) {
    hr_buffer out = {0};
    hr_buffer_text(&out, "hedgerow-schema: 1\n");
    if (needs_word(schema)) hr_buffer_text(&out, "reviewed: true\n");
    hr_schema_write_column(&out, hr_schema_label(schema), true, NULL);
    hr_buffer_text(&out, "features:\n");
    for (size_t i = 0; i < hr_schema_feature_count(schema); i++)
        hr_schema_write_column(&out, hr_schema_feature(schema, i), false, NULL);
    hr_schema_write_missing(&out, hr_schema_missing_list(schema), hr_schema_missing_count(schema));
    return hr_buffer_take(&out, text, err);
}
