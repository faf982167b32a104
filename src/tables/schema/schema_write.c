/* Rendering: one way to write every schema, so that files can be compared as text. */
#include "tables/schema/schema_write.h"

#include "base/text/number.h"
#include "base/text/text.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/label_quantiles.h"
#include "tables/schema/schema.h"

#include <string.h>

void hr_schema_write_text(hr_buffer *out, const char *text) {
    const char *end = text + strlen(text);
    hr_buffer_text(out, "\"");
    while (text < end) {
        const char *from = text;
        int32_t c = hr_utf8_next(&text, end);
        /* Characters that YAML lets stand in a quoted text and that no editor folds or hides. */
        if (c != '"' && c != '\\' && hr_char_printable(c)) {
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

/* ---- Marks ---- */

/* The line that names what was read from the records: the kind, and what is added before it is closed. */
static void open_mark(hr_buffer *out, const char *indent, const hr_column *column,
                      const hr_schema_mark *mark) {
    hr_buffer_format(out, "%s%s: [%skind", indent, column->accepted ? "accepted" : "review",
                     mark && mark->name_too ? "name, " : "");
}

static void close_mark(hr_buffer *out, const hr_column *column, const hr_schema_mark *mark) {
    if (column->accepted) {
        hr_buffer_text(out, "]  # read from the records: NOT PRIVATE\n");
        return;
    }
    const char *remark = mark ? mark->remark : NULL;
    hr_buffer_format(out, "]  # REVIEW: %s%s%s\n", remark ? remark : "", remark ? "; " : "",
                     mark && mark->advice ? mark->advice : HR_SCHEMA_ADVICE);
}

/* Of a number's format it has the keys that hr_schema_write_column writes. */
static void write_column_mark(hr_buffer *out, const char *indent, const hr_column *column,
                              const hr_schema_mark *mark) {
    const hr_number_format *format = &column->format;
    open_mark(out, indent, column, mark);
    if (column->kind == HR_KIND_NUMBER) {
        hr_buffer_text(out, column->event   ? ", event, intervals"
                            : column->count ? ", low, high"
                                            : ", low, high, integer");
        if (format->decimal == ',') hr_buffer_text(out, ", decimal");
        if (format->thousands) hr_buffer_text(out, ", thousands");
        if (format->symbol) hr_buffer_text(out, ", symbol");
    } else if (!column->boolean) {
        hr_buffer_text(out, ", values");
    }
    close_mark(out, column, mark);
}

static void write_source(hr_buffer *out, const char *indent, const char *source) {
    if (source) write_schema_key(out, indent, "source", source);
}

/* ---- Columns ---- */

static const char *kind_word(const hr_column *column, bool is_label) {
    if (column->event) return "time";
    if (column->kind == HR_KIND_NUMBER) return column->count ? "count" : "number";
    if (column->boolean) return "boolean";
    return is_label ? "classes" : "category";
}

/* Only what differs from plain numbers. */
static void write_number_format(hr_buffer *out, const char *indent, const hr_number_format *format) {
    const char decimal[] = {format->decimal, 0}, thousands[] = {format->thousands, 0};
    if (format->decimal == ',') write_schema_key(out, indent, "decimal", decimal);
    if (format->thousands) write_schema_key(out, indent, "thousands", thousands);
    if (format->symbol) write_schema_key(out, indent, "symbol", format->symbol);
}

static void write_intervals(hr_buffer *out, const char *indent, const hr_column *column) {
    char number[HR_NUMBER_TEXT];
    if (column->quantile_cuts) {
        hr_number_text(column->intervals[column->interval_count - 1], number);
        hr_buffer_format(out, "%sintervals: {quantiles: %zu, high: %s}\n", indent, column->interval_count,
                         number);
        return;
    }
    for (size_t i = 0; i < column->interval_count; i++) {
        hr_number_text(column->intervals[i], number);
        hr_buffer_format(out, "%s%s%s", i ? ", " : indent, i ? "" : "intervals: [", number);
    }
    hr_buffer_text(out, "]\n");
}

void hr_schema_write_column(hr_buffer *out, const hr_column *column, bool is_label,
                            const hr_schema_mark *mark) {
    const char *indent = is_label ? "  " : "    ";
    hr_buffer_text(out, column->event ? "label:\n  time: " : is_label ? "label:\n  name: " : "  - name: ");
    hr_schema_write_text(out, column->name);
    hr_buffer_format(out, "\n%skind: %s\n", indent, kind_word(column, is_label));
    if (column->kind == HR_KIND_NUMBER) {
        if (column->event) {
            write_schema_key(out, indent, "event", column->event);
            write_intervals(out, indent, column);
        } else {
            write_schema_number(out, indent, "low", column->low);
            write_schema_number(out, indent, "high", column->high);
            hr_label_quantiles_write(out, indent, column);
            if (!column->count && (column->integer || column->review))
                hr_buffer_format(out, "%sinteger: %s\n", indent, column->integer ? "true" : "false");
        }
        write_number_format(out, indent, &column->format);
        if (column->monotone)
            hr_buffer_format(out, "%smonotone: %s\n", indent, HR_MONOTONE_NAMES[column->monotone]);
    } else if (!column->boolean) {
        hr_buffer_format(out, "%svalues: ", indent);
        write_list(out, column->values, column->value_count);
    }
    write_source(out, indent, column->source);
    if (column->review) write_column_mark(out, indent, column, mark);
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
    write_source(out, indent, parts->source);
    if (!parts->review) return;
    open_mark(out, indent, parts, mark);
    hr_buffer_format(out, ", from, to%s%s, parts", date->format ? ", format" : "",
                     date->offset ? ", offset" : "");
    close_mark(out, parts, mark);
}

void hr_schema_write_unused(hr_buffer *out, const hr_column *column, const hr_schema_mark *mark) {
    static const char indent[] = "    ";
    hr_buffer_text(out, "  - name: ");
    hr_schema_write_text(out, column->name);
    hr_buffer_format(out, "\n%skind: unused\n", indent);
    write_source(out, indent, column->source);
    if (!column->review) return;
    open_mark(out, indent, column, mark);
    close_mark(out, column, mark);
}

static void write_file_mark(hr_buffer *out, const hr_schema_parts *parts, bool accepted, const char *remark) {
    const bool missing = parts->missing_facts.review && parts->missing_facts.accepted == accepted,
               unit = parts->unit_facts.review && parts->unit_facts.accepted == accepted;
    if (!missing && !unit) return;
    hr_buffer_format(out, "%s: [%s%s%s]  # ", accepted ? "accepted" : "review", missing ? "missing" : "",
                     missing && unit ? ", " : "", unit ? "unit" : "");
    if (accepted) {
        hr_buffer_text(out, "read from the records: NOT PRIVATE\n");
        return;
    }
    hr_buffer_format(out, "REVIEW: %s\n", unit ? remark : HR_SCHEMA_ADVICE);
}

/* A column with a public bound, of the weight or the exposure; nothing without one. key: with its indent. */
static void write_bounded(hr_buffer *out, const char *key, const char *indent, const char *column,
                          double high, const hr_number_format *format) {
    if (!column) return;
    hr_buffer_format(out, "%s:\n", key);
    write_schema_key(out, indent, "column", column);
    write_schema_number(out, indent, "high", high);
    write_number_format(out, indent, format);
}

void hr_schema_write_rest(hr_buffer *out, const hr_schema_parts *parts, const char *remark) {
    if (parts->missing_count || parts->missing_facts.review) {
        hr_buffer_text(out, "missing: ");
        write_list(out, parts->missing, parts->missing_count);
        write_source(out, "", parts->missing_facts.source);
    }
    if (parts->single_records) hr_buffer_text(out, "unit: " HR_UNIT_RECORD "\n");
    if (parts->unit) write_schema_key(out, "", "unit", parts->unit);
    write_bounded(out, "weight", "  ", parts->weight, parts->weight_high, &parts->weight_format);
    write_file_mark(out, parts, false, remark ? remark : "confirm the unit; " HR_SCHEMA_ADVICE);
    write_file_mark(out, parts, true, NULL);
}

/* Whether 'reviewed: true' decides about something: marks, or long lists without a source. Only then is it
 * written: other schemas read the same without. */
static bool needs_word(const hr_schema_parts *parts) {
    bool needed = parts->label.review || parts->label.value_count > HR_VALUES_UNASKED ||
                  parts->missing_facts.review || parts->unit_facts.review;
    for (size_t i = 0; i < parts->feature_count; i++)
        needed |= parts->features[i].review || parts->features[i].value_count > HR_VALUES_UNASKED;
    for (size_t i = 0; i < parts->unused_count; i++) needed |= parts->unused[i].review;
    return needed;
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
    const hr_schema_parts *parts = hr_schema_parts_of(schema);
    hr_buffer_text(&out, "hedgerow-schema: 1\n");
    if (parts->reviewed == HR_REVIEW_PENDING) hr_buffer_text(&out, "reviewed: false\n");
    if (hr_review_is_done(parts->reviewed) && needs_word(parts)) hr_buffer_text(&out, "reviewed: true\n");
    hr_schema_write_column(&out, hr_schema_label(schema), true, NULL);
    write_bounded(&out, "  exposure", "    ", parts->exposure, parts->exposure_high, &parts->exposure_format);
    hr_buffer_text(&out, "features:\n");
    for (size_t i = 0; i < hr_schema_feature_count(schema);) i += write_feature(&out, schema, i);
    for (size_t i = 0; i < parts->unused_count; i++) hr_schema_write_unused(&out, &parts->unused[i], NULL);
    hr_schema_write_rest(&out, parts, NULL);
    return hr_buffer_take(&out, text, err);
}
