/* A model as JSON: the head is laid out for people, trees and releases take a line each.
 * docs/reference/formats.md specifies it.
 *
 * The text is built by hand, not by a library, because the layout and the digits of doubles matter: the same
 * model gives the same bytes everywhere, and every double reads back bit for bit. */
#include "base/buffer.h"
#include "base/text/number.h"
#include "models/model/json_fields.h"
#include "models/model/model.h"
#include "models/model/model_words.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/schema.h"

#include <hedgerow/hedgerow.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

void hr_json_add_number(hr_buffer *b, double value) {
    char text[HR_NUMBER_TEXT];
    hr_number_text(value, text);
    hr_buffer_text(b, value == 0 && signbit(value) ? "-0.0" : text);
}

void hr_json_add_text(hr_buffer *b, const char *text) {
    hr_buffer_text(b, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            hr_buffer_format(b, "\\%c", c);
        } else if (c < 0x20 || c == 0x7f) {
            hr_buffer_format(b, "\\u%04x", c);
        } else {
            hr_buffer_add(b, text, 1);
        }
    }
    hr_buffer_text(b, "\"");
}

static void add_number_after(hr_buffer *b, const char *before, double value) {
    hr_buffer_text(b, before);
    hr_json_add_number(b, value);
}

/* JSON has no infinity: null stands for it. */
static void add_epsilon(hr_buffer *b, double epsilon) {
    if (isinf(epsilon)) {
        hr_buffer_text(b, "null");
    } else {
        hr_json_add_number(b, epsilon);
    }
}

static void add_strings(hr_buffer *b, const char *const *texts, size_t count) {
    hr_buffer_text(b, "[");
    for (size_t i = 0; i < count; i++) {
        if (i) hr_buffer_text(b, ", ");
        hr_json_add_text(b, texts[i]);
    }
    hr_buffer_text(b, "]");
}

static void add_numbers(hr_buffer *b, const double *values, size_t count) {
    hr_buffer_text(b, "[");
    for (size_t i = 0; i < count; i++) {
        if (i) hr_buffer_text(b, ", ");
        hr_json_add_number(b, values[i]);
    }
    hr_buffer_text(b, "]");
}

/* Begins item i of a list or object whose items have lines of their own, indented by `indent`; ends it after
 * the last item. */
static void begin_item(hr_buffer *b, size_t i, int indent) {
    hr_buffer_format(b, "%s\n%*s", i ? "," : "", indent, "");
}

static void end_items(hr_buffer *b, size_t count, int indent, const char *bracket) {
    if (count) hr_buffer_format(b, "\n%*s", indent, "");
    hr_buffer_text(b, bracket);
}

static void add_guarantee(hr_buffer *b, const hr_model *m) {
    const hr_guarantee *g = &m->guarantee;
    hr_buffer_format(b, ",\n  \"guarantee\": {\n    \"private\": %s", g->is_private ? "true" : "false");
    hr_buffer_format(b, ",\n    \"privacy_measure\": \"%s\",\n    \"epsilon\": ",
                     HR_PRIVACY_MEASURE_NAMES[m->privacy_measure]);
    add_epsilon(b, g->epsilon);
    add_number_after(b, ",\n    \"delta\": ", g->delta);
    hr_buffer_text(b, ",\n    \"epsilon_replace\": ");
    add_epsilon(b, g->epsilon_replace);
    add_number_after(b, ",\n    \"delta_replace\": ", g->delta_replace);
    if (strcmp(g->unit, HR_ONE_RECORD) != 0) hr_buffer_format(b, ",\n    \"unit\": \"%s\"", g->unit);
    hr_buffer_text(b, ",\n    \"statement\": ");
    hr_json_add_text(b, g->statement);
    hr_buffer_text(b, "\n  }");
}

static void add_start_guarantee(hr_buffer *b, const hr_model *m) {
    const hr_start_guarantee *g = &m->start_guarantee;
    if (!g->given) return;
    hr_buffer_format(b,
                     ",\n  \"start_guarantee\": {\n    \"privacy_measure\": \"%s\",\n    \"units\": %" PRIu64,
                     HR_PRIVACY_MEASURE_NAMES[g->privacy_measure], g->units);
    add_number_after(b, ",\n    \"epsilon\": ", g->epsilon);
    add_number_after(b, ",\n    \"delta\": ", g->delta);
    add_number_after(b, ",\n    \"epsilon_replace\": ", g->epsilon_replace);
    add_number_after(b, ",\n    \"delta_replace\": ", g->delta_replace);

    const hr_trust *trust = &g->trust;
    if (trust->stated.shared_noise) {
        hr_buffer_format(b, ",\n    \"coalition\": %zu,\n    \"epsilon_owners\": ", trust->stated.coalition);
        add_epsilon(b, trust->stated.epsilon_owners);
        hr_buffer_text(b, ",\n    \"epsilon_everyone\": ");
        add_epsilon(b, trust->stated.epsilon_everyone);
        hr_buffer_format(b, ",\n    \"units_owners\": %" PRIu64 ",\n    \"units_everyone\": %" PRIu64,
                         trust->owners, trust->everyone);
    }
    hr_buffer_text(b, "\n  }");
}

static void add_text_member(hr_buffer *b, const char *key, const char *text) {
    hr_buffer_format(b, ", \"%s\": ", key);
    hr_json_add_text(b, text);
}

static void add_column(hr_buffer *b, const hr_column *column) {
    hr_buffer_text(b, "{\"name\": ");
    hr_json_add_text(b, column->name);
    hr_buffer_format(b, ", \"kind\": \"%s\"",
                     HR_KIND_NAMES[column->event ? HR_KIND_CATEGORY + 1 : (int)column->kind]);
    if (column->kind == HR_KIND_NUMBER) {
        if (column->event) {
            add_text_member(b, "event", column->event);
            hr_buffer_text(b, ", \"intervals\": ");
            add_numbers(b, column->intervals, column->interval_count);
        } else {
            add_number_after(b, ", \"low\": ", column->low);
            add_number_after(b, ", \"high\": ", column->high);
            hr_buffer_format(b, ", \"integer\": %s", column->integer ? "true" : "false");
        }
        if (column->count) hr_buffer_text(b, ", \"count\": true");
        if (column->monotone) add_text_member(b, "monotone", HR_MONOTONE_NAMES[column->monotone]);
        /* Only what differs from plain numbers: other models have the bytes that they always had. */
        const hr_number_format *format = &column->format;
        const char decimal[] = {format->decimal, 0}, thousands[] = {format->thousands, 0};
        if (format->decimal == ',') add_text_member(b, "decimal", decimal);
        if (format->thousands) add_text_member(b, "thousands", thousands);
        if (format->symbol) add_text_member(b, "symbol", format->symbol);
        if (column->quantiles) {
            hr_buffer_text(b, ", \"quantiles\": ");
            add_numbers(b, column->quantiles, column->quantile_count);
        }
    } else {
        hr_buffer_text(b, ", \"values\": ");
        add_strings(b, column->values, column->value_count);
        if (column->boolean) hr_buffer_text(b, ", \"boolean\": true");
    }
    if (column->review) hr_buffer_text(b, ", \"review\": true");
    if (column->source) add_text_member(b, "source", column->source);
    if (column->date) {
        add_text_member(b, "date", column->date->name);
        add_text_member(b, "part", hr_date_part_name(column->part));
    }
    hr_buffer_text(b, "}");
}

/* Only where there are some. */
static void add_dates(hr_buffer *b, const hr_schema *schema) {
    size_t count = 0;
    for (size_t f = 0; f < hr_schema_feature_count(schema); f++) {
        const hr_date_column *date = hr_schema_feature(schema, f)->date;
        if (!date || (f && date == hr_schema_feature(schema, f - 1)->date)) continue;
        char from[HR_TIMESTAMP_TEXT], to[HR_TIMESTAMP_TEXT];
        hr_date_range_text(date, from, to);
        if (!count) hr_buffer_text(b, ",\n    \"dates\": [");
        begin_item(b, count++, 6);
        hr_buffer_text(b, "{\"name\": ");
        hr_json_add_text(b, date->name);
        add_text_member(b, "from", from);
        add_text_member(b, "to", to);
        if (date->format) add_text_member(b, "format", date->format);
        add_text_member(b, "offset", HR_OFFSET_NAMES[date->offset]);
        hr_buffer_text(b, "}");
    }
    if (count) end_items(b, count, 4, "]");
}

/* Only where there is one. */
static void add_exposure(hr_buffer *b, const hr_schema_parts *parts) {
    const hr_number_format *format = &parts->exposure_format;
    const char decimal[] = {format->decimal, 0}, thousands[] = {format->thousands, 0};
    if (!parts->exposure) return;
    hr_buffer_text(b, ",\n    \"exposure\": {\"name\": ");
    hr_json_add_text(b, parts->exposure);
    add_number_after(b, ", \"high\": ", parts->exposure_high);
    if (format->decimal == ',') add_text_member(b, "decimal", decimal);
    if (format->thousands) add_text_member(b, "thousands", thousands);
    hr_buffer_text(b, "}");
}

static void add_json_schema(hr_buffer *b, const hr_schema *schema) {
    const hr_schema_parts *parts = hr_schema_parts_of(schema);
    hr_buffer_text(b, ",\n  \"schema\": {\n    \"label\": ");
    add_column(b, hr_schema_label(schema));
    add_dates(b, schema);
    hr_buffer_text(b, ",\n    \"features\": [");
    for (size_t f = 0; f < hr_schema_feature_count(schema); f++) {
        begin_item(b, f, 6);
        add_column(b, hr_schema_feature(schema, f));
    }
    end_items(b, hr_schema_feature_count(schema), 4, "],\n    \"missing\": ");
    add_strings(b, hr_schema_missing_list(schema), hr_schema_missing_count(schema));

    /* Facts outside of label and features: who reads the schema from the model learns of them. */
    size_t count = 0;
    if (parts->missing_facts.review) hr_buffer_text(b, ",\n    \"missing_review\": true");
    if (parts->missing_facts.source) {
        hr_buffer_text(b, ",\n    \"missing_source\": ");
        hr_json_add_text(b, parts->missing_facts.source);
    }
    add_exposure(b, parts);
    if (parts->single_records) hr_buffer_text(b, ",\n    \"unit\": \"" HR_UNIT_RECORD "\"");
    for (size_t i = 0; i < parts->unused_count; i++) {
        if (!parts->unused[i].review) continue;
        hr_buffer_text(b, count++ ? ", " : ",\n    \"unused\": [");
        hr_json_add_text(b, parts->unused[i].name);
    }
    if (count) hr_buffer_text(b, "]");
    hr_buffer_text(b, "\n  }");
}

static void add_json_node(hr_buffer *b, const hr_tree *tree, const hr_node *node, const hr_schema *schema) {
    hr_buffer_text(b, "[");
    if (!node->left) {
        hr_json_add_number(b, node->value);
        hr_buffer_text(b, "]");
        return;
    }
    hr_kind kind = hr_schema_feature(schema, node->feature)->kind;
    hr_buffer_whole(b, node->left);
    hr_buffer_text(b, ",");
    hr_buffer_whole(b, node->feature);
    if (node->branches) {
        for (unsigned i = 0; kind == HR_KIND_NUMBER && i + 2 < node->branches; i++) {
            hr_buffer_text(b, i ? "," : ",[");
            hr_json_add_number(b, tree->thresholds[node->first + i]);
        }
        hr_buffer_text(b, kind == HR_KIND_CATEGORY ? "]" : node->branches > 2 ? "]]" : ",[]]");
    } else if (kind == HR_KIND_CATEGORY) {
        hr_buffer_text(b, ",");
        hr_buffer_whole(b, node->subset);
        hr_buffer_text(b, "]");
    } else {
        hr_buffer_text(b, ",");
        /* An infinite threshold is a text. */
        if (isinf(node->threshold))
            hr_json_add_text(b, node->threshold < 0 ? "-inf" : "inf");
        else
            hr_json_add_number(b, node->threshold);
        hr_buffer_text(b, node->missing_left ? ",1]" : ",0]");
    }
}

static void add_tree_model_json(hr_buffer *b, const hr_tree *tree, const hr_schema *schema) {
    hr_buffer_format(b, "{\"output\": %zu", tree->output);

    /* What was released of the leaves beside their values, where there is something. */
    if (tree->deviation > 0) add_number_after(b, ", \"deviation\": ", tree->deviation);
    if (tree->counts) {
        hr_buffer_text(b, ", \"counts\": ");
        add_numbers(b, tree->counts, tree->node_count);
    }
    if (tree->noise) {
        hr_buffer_text(b, ", \"noise\": ");
        add_numbers(b, tree->noise, tree->node_count);
    }

    hr_buffer_text(b, ", \"subsets\": [");
    for (size_t s = 0; s < tree->subset_count; s++) {
        const char *before = "[";
        if (s) hr_buffer_text(b, ",");
        for (unsigned bin = 0; bin < HR_BINS_MAX; bin++) {
            if (!hr_bin_set_has(&tree->subsets[s], (uint8_t)bin)) continue;
            hr_buffer_text(b, before);
            hr_buffer_whole(b, bin);
            before = ",";
        }
        hr_buffer_text(b, *before == '[' ? "[]" : "]");
    }
    hr_buffer_text(b, "], \"nodes\": [");
    for (size_t n = 0; n < tree->node_count; n++) {
        if (n) hr_buffer_text(b, ",");
        add_json_node(b, tree, &tree->nodes[n], schema);
    }
    hr_buffer_text(b, "]}");
}

static void add_forest(hr_buffer *b, const hr_model *m) {
    hr_buffer_text(b, ",\n  \"base\": ");
    add_numbers(b, m->forest.base, m->forest.output_count);

    /* Only where there is one: other models have the bytes that they always had. */
    const hr_calibration *calibration = &m->forest.calibration;
    if (calibration->made) {
        add_number_after(b, ",\n  \"calibration\": {\"intercept\": ", calibration->intercept);
        add_number_after(b, ", \"slope\": ", calibration->slope);
        hr_buffer_text(b, "}");
    }

    const hr_conformal *conformal = &m->forest.conformal;
    if (conformal->made) {
        add_number_after(b, ",\n  \"conformal\": {\"coverage\": ", conformal->coverage);
        add_number_after(b, ", \"correction\": ", conformal->correction);
        add_number_after(b, ", \"shortfall\": ", conformal->shortfall);
        if (conformal->held_out > 0) add_number_after(b, ", \"held_out\": ", conformal->held_out);
        hr_buffer_text(b, "}");
    }

    hr_buffer_text(b, ",\n  \"trees\": [");
    for (size_t t = 0; t < m->forest.tree_count; t++) {
        begin_item(b, t, 4);
        add_tree_model_json(b, &m->forest.trees[t], m->schema);
    }
    end_items(b, m->forest.tree_count, 2, "]");
}

hr_status hr_model_render(const hr_model *m, char **json, hr_error *err) {
    hr_buffer text = {0}, *b = &text;
    hr_buffer_format(b, "{\n  \"hedgerow-model\": %d,\n  \"version\": ", HR_MODEL_VERSION);
    hr_json_add_text(b, hr_version());
    hr_buffer_text(b, ",\n  \"method\": ");
    hr_json_add_text(b, m->method);
    hr_buffer_format(b, ",\n  \"mode\": \"%s\"", HR_MODE_NAMES[m->mode]);
    hr_buffer_format(b, ",\n  \"task\": \"%s\"", HR_TASK_NAMES[hr_schema_task(m->schema)]);
    hr_buffer_format(b, ",\n  \"link\": \"%s\"", HR_LINK_NAMES[m->forest.link]);
    if (m->start_model) hr_buffer_format(b, ",\n  \"start_model\": \"%s\"", m->start_model);
    add_guarantee(b, m);
    add_start_guarantee(b, m);
    hr_buffer_text(b, ",\n  \"settings\": {");
    for (size_t i = 0; i < m->setting_count; i++) {
        begin_item(b, i, 4);
        hr_json_add_text(b, m->settings[i].name);
        hr_buffer_text(b, ": ");
        hr_json_add_text(b, m->settings[i].value);
    }
    end_items(b, m->setting_count, 2, "}");
    add_json_schema(b, m->schema);
    add_forest(b, m);
    hr_json_add_releases(b, m->releases, m->release_count);
    hr_buffer_text(b, "\n}\n");
    return hr_buffer_take(b, json, err);
}
