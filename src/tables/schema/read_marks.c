#include "tables/schema/read_marks.h"

#include "tables/schema/schema_read_text.h"

#include <string.h>

static const char BLANKS[] = " \t\r\n";
static const char both[] = "facts are open to review, or they are accepted, not both";

/* A list of keys, such as "review: [low, high]", each of which the mapping must have. met[i], unless NULL:
 * whether key i is named. */
static hr_status read_mark(const hr_keys *keys, const char *mark, const hr_yaml_node *node,
                           const hr_named_keys *named, bool *met) {
    if (node->kind != HR_YAML_SEQUENCE || !node->count)
        return hr_keys_refuse_kind(keys, node, mark, "a list of keys such as [low, high]");
    for (const hr_yaml_node *item = node->child; item; item = item->next) {
        const char *text = NULL;
        hr_status status = hr_keys_text(keys, item, "an entry of the list", &text);
        if (status) return status;
        bool known = named->also && strcmp(text, named->also) == 0;
        for (size_t i = 0; i < named->count; i++) {
            const bool is_key = named->found[i] && strcmp(named->names[i], text) == 0;
            if (is_key && met) met[i] = true;
            known |= is_key;
        }
        if (known) continue;
        return hr_keys_refuse(keys, item,
                              "name keys of this column, or write in place of the line where the facts are "
                              "published: source",
                              "%s: no key '%s' here", mark, text);
    }
    return HR_OK;
}

static hr_status read_source(const hr_keys *keys, const hr_yaml_node *node, hr_column *out) {
    if (out->review)
        return hr_keys_refuse(keys, node, "delete the line 'review' once its facts are replaced",
                              "facts that were read from the records have no source");
    hr_status status = hr_keys_text(keys, node, "source", &out->source);
    if (!status && strspn(out->source, BLANKS) == strlen(out->source))
        return hr_keys_refuse(keys, node, "write where the facts are published, such as \"code book 2024\"",
                              "source is blank");
    return status;
}

hr_status hr_read_column_marks(const hr_keys *keys, const hr_named_keys *named, const hr_mark_keys *marks,
                               hr_column *out) {
    const hr_yaml_node *mark = marks->review ? marks->review : marks->accepted;
    if (marks->review && marks->accepted)
        return hr_keys_refuse(keys, marks->accepted, "remove one of the two", both);
    hr_status status =
        mark ? read_mark(keys, marks->review ? "review" : "accepted", mark, named, NULL) : HR_OK;
    out->review = mark != NULL;
    out->accepted = marks->accepted != NULL;
    return status || !marks->source ? status : read_source(keys, marks->source, out);
}

hr_status hr_read_file_marks(const hr_keys *keys, const hr_named_keys *named, const hr_mark_keys *marks,
                             hr_schema_parts *parts) {
    bool review[2] = {false}, accepted[2] = {false};
    hr_status status = marks->review ? read_mark(keys, "review", marks->review, named, review) : HR_OK;
    if (!status && marks->accepted) status = read_mark(keys, "accepted", marks->accepted, named, accepted);
    if (!status && ((review[0] && accepted[0]) || (review[1] && accepted[1])))
        return hr_keys_refuse(keys, marks->accepted, "remove one of the two", both);
    parts->missing_facts.review = review[0] || accepted[0];
    parts->missing_facts.accepted = accepted[0];
    parts->unit_facts.review = review[1] || accepted[1];
    parts->unit_facts.accepted = accepted[1];
    return status || !marks->source ? status : read_source(keys, marks->source, &parts->missing_facts);
}

hr_status hr_read_unit(const hr_keys *keys, const hr_yaml_node *node, hr_schema_parts *parts) {
    hr_status status = hr_keys_text(keys, node, "unit", &parts->unit);
    if (status || !node->plain || strcmp(parts->unit, HR_UNIT_RECORD) != 0) return status;
    parts->unit = NULL;
    parts->single_records = true;
    return HR_OK;
}

/* A column of numbers from 0 to a public bound, which is neither the label nor a feature. */
typedef struct bounded_column {
    const char *name;
    double high;
    hr_number_format format;
} bounded_column;

static hr_status read_bounded(const hr_keys *keys, const hr_yaml_node *node, const char *help,
                              bounded_column *out) {
    static const char *const names[] = {"column", "high", "decimal", "thousands", NULL};
    const hr_yaml_node *found[4] = {NULL};
    hr_status status = hr_keys_find(keys, node, names, help, found);
    if (!status) status = hr_keys_need(keys, node, found[0], "column", help);
    if (!status) status = hr_keys_need(keys, node, found[1], "high", help);
    if (!status) status = hr_keys_text(keys, found[0], "column", &out->name);
    if (!status) status = hr_keys_number(keys, found[1], "high", &out->high);
    const hr_number_format_keys own = {found[2], found[3], NULL};
    return status ? status : hr_read_number_format(keys, &own, &out->format);
}

hr_status hr_read_exposure(const hr_keys *keys, const hr_yaml_node *node, const hr_number_format *format,
                           hr_schema_parts *parts) {
    static const char help[] =
        "an exposure has the keys column and high, the largest exposure of a record, and "
        "may have decimal and thousands";
    bounded_column column = {.format = *format};
    if (node->kind != HR_YAML_MAPPING) return hr_keys_refuse_kind(keys, node, "an exposure", "a mapping");
    const hr_status status = read_bounded(keys, node, help, &column);
    parts->exposure = column.name;
    parts->exposure_high = column.high;
    parts->exposure_format = column.format;
    return status;
}

hr_status hr_read_weight(const hr_keys *keys, const hr_yaml_node *node, const hr_number_format *format,
                         hr_schema_parts *parts) {
    static const char help[] =
        "a weight has the keys column and high, the largest weight of a record, and may "
        "have decimal and thousands";
    bounded_column column = {.high = 1, .format = *format};
    hr_status status = HR_OK;
    if (node->kind != HR_YAML_MAPPING)
        status = hr_keys_text(keys, node, "weight", &column.name);
    else
        status = read_bounded(keys, node, help, &column);
    parts->weight = column.name;
    parts->weight_high = column.high;
    parts->weight_format = column.format;
    return status;
}
