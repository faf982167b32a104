/* From JSON to a model. A model file may come from anywhere: its shape and types are checked here, what the
 * values mean in hr_model_check. Only what docs/reference/formats.md names is accepted. */
#include "models/model/json_fields.h"
#include "models/model/model.h"
#include "models/model/model_words.h"
#include "privacy/mechanisms.h"
#include "tables/schema/cell_text.h"
#include "tables/schema/check.h"
#include "tables/schema/date_parts.h"
#include "tables/schema/schema.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MECHANISMS_MAX = 16 };

/* A number, or null for infinity. */
static double epsilon_of(hr_json_reader *r, const hr_json_position *at, const char *key) {
    const hr_json_position found = hr_json_member(r, at, key);
    return !r->status && found.value->kind == HR_JSON_NULL ? (double)INFINITY : hr_json_number_at(r, &found);
}

/* Models of one owner do not name it. */
static const char *read_unit(hr_json_reader *r, const hr_json_position *guarantee) {
    if (r->status || !hr_json_get(guarantee->value, "unit")) return HR_ONE_RECORD;
    return HR_RECORD_NAMES[hr_json_word_of(r, guarantee, "unit", HR_RECORD_NAMES, COUNT(HR_RECORD_NAMES))];
}

static void read_guarantee(hr_json_reader *r, const hr_json_position *root) {
    static const char *const keys[] = {"private",         "privacy_measure", "epsilon", "delta",
                                       "epsilon_replace", "delta_replace",   "unit",    "statement"};
    const hr_json_position at = hr_json_typed_member(r, root, "guarantee", HR_JSON_OBJECT);
    hr_json_only_keys(r, &at, keys, COUNT(keys));
    hr_guarantee *g = &r->model->guarantee;
    g->is_private = hr_json_bool_of(r, &at, "private");
    r->model->privacy_measure = (hr_privacy_measure)hr_json_word_of(
        r, &at, "privacy_measure", HR_PRIVACY_MEASURE_NAMES, COUNT(HR_PRIVACY_MEASURE_NAMES));
    g->epsilon = epsilon_of(r, &at, "epsilon");
    g->delta = hr_json_number_of(r, &at, "delta");
    g->epsilon_replace = epsilon_of(r, &at, "epsilon_replace");
    g->delta_replace = hr_json_number_of(r, &at, "delta_replace");
    g->unit = read_unit(r, &at);
    g->statement = hr_json_text_of(r, &at, "statement");
}

/* Those of a start whose owners added noise in shares. */
static void read_start_conditions(hr_json_reader *r, const hr_json_position *at, hr_trust *trust) {
    if (!hr_json_has(r, at, "coalition")) return;
    trust->said.shared_noise = true;
    trust->said.coalition = (size_t)hr_json_integer_of(r, at, "coalition", 0, UINT32_MAX);
    trust->said.epsilon_owners = epsilon_of(r, at, "epsilon_owners");
    trust->said.epsilon_everyone = epsilon_of(r, at, "epsilon_everyone");
    trust->owners = (hr_units)hr_json_integer_of(r, at, "units_owners", 0, (int64_t)HR_UNITS_MAX);
    trust->everyone = (hr_units)hr_json_integer_of(r, at, "units_everyone", 0, (int64_t)HR_UNITS_MAX);
}

static void read_start_guarantee(hr_json_reader *r, const hr_json_position *root) {
    static const char *const keys[] = {"privacy_measure",  "units",         "epsilon",       "delta",
                                       "epsilon_replace",  "delta_replace", "coalition",     "epsilon_owners",
                                       "epsilon_everyone", "units_owners",  "units_everyone"};
    if (!hr_json_has(r, root, "start_guarantee")) return;
    const hr_json_position at = hr_json_typed_member(r, root, "start_guarantee", HR_JSON_OBJECT);
    hr_json_only_keys(r, &at, keys, COUNT(keys));
    hr_start_guarantee *g = &r->model->start_guarantee;
    g->given = true;
    g->privacy_measure = (hr_privacy_measure)hr_json_word_of(
        r, &at, "privacy_measure", HR_PRIVACY_MEASURE_NAMES, COUNT(HR_PRIVACY_MEASURE_NAMES));
    g->units = (hr_units)hr_json_integer_of(r, &at, "units", 0, (int64_t)HR_UNITS_MAX);
    g->epsilon = hr_json_number_of(r, &at, "epsilon");
    g->delta = hr_json_number_of(r, &at, "delta");
    g->epsilon_replace = hr_json_number_of(r, &at, "epsilon_replace");
    g->delta_replace = hr_json_number_of(r, &at, "delta_replace");
    read_start_conditions(r, &at, &g->trust);
}

static void read_settings(hr_json_reader *r, const hr_json_position *root) {
    const hr_json_position at = hr_json_typed_member(r, root, "settings", HR_JSON_OBJECT);
    size_t count = hr_json_size(r, &at);
    hr_setting *settings = hr_json_allocate(r, count, sizeof *settings);
    for (size_t i = 0; i < count && !r->status; i++) {
        const hr_json_position item = {&at, at.value->items[i].key, 0, &at.value->items[i]};
        settings[i].name = hr_json_copy_text(r, item.key);
        settings[i].value = hr_json_text_at(r, &item);
    }
    r->model->settings = settings;
    r->model->setting_count = count;
}

/* A text that need not be there. */
static const char *optional_text_of(hr_json_reader *r, const hr_json_position *at, const char *key) {
    return hr_json_has(r, at, key) ? hr_json_text_of(r, at, key) : NULL;
}

static bool optional_bool_of(hr_json_reader *r, const hr_json_position *at, const char *key) {
    return hr_json_has(r, at, key) && hr_json_bool_of(r, at, key);
}

/* A text of one character that need not be there. */
static char optional_mark_of(hr_json_reader *r, const hr_json_position *at, const char *key) {
    const char *text = optional_text_of(r, at, key);
    const hr_json_position found = {at, key, 0, text ? hr_json_get(at->value, key) : NULL};
    if (text && (!text[0] || text[1])) hr_json_refuse(r, &found, "", "this must be one character");
    return text && !r->status ? text[0] : 0;
}

static void read_json_number(hr_json_reader *r, const hr_json_position *at, hr_column *column) {
    static const char *const keys[] = {"name",      "kind",   "low",  "high", "integer", "decimal",
                                       "thousands", "symbol", "date", "part", "review"};
    hr_json_only_keys(r, at, keys, COUNT(keys));
    column->low = hr_json_number_of(r, at, "low");
    column->high = hr_json_number_of(r, at, "high");
    column->integer = hr_json_bool_of(r, at, "integer");
    column->format.decimal = optional_mark_of(r, at, "decimal");
    column->format.thousands = optional_mark_of(r, at, "thousands");
    column->format.symbol = optional_text_of(r, at, "symbol");
}

/* The columns of dates that features are parts of. */
typedef struct json_dates {
    const hr_date_column *dates;
    size_t count;
} json_dates;

static void read_json_part(hr_json_reader *r, const hr_json_position *at, const json_dates *dates,
                           hr_column *column) {
    if (!hr_json_has(r, at, "date") && !hr_json_has(r, at, "part")) return;
    const char *part_names[HR_DATE_PARTS], *name = hr_json_text_of(r, at, "date");
    for (int i = 0; i < HR_DATE_PARTS; i++) part_names[i] = hr_date_part_name((hr_date_part)i);
    column->part = (hr_date_part)hr_json_word_of(r, at, "part", part_names, HR_DATE_PARTS);
    for (size_t i = 0; !r->status && i < dates->count; i++)
        if (strcmp(dates->dates[i].name, name) == 0) column->date = &dates->dates[i];
    const hr_json_position found = {at, "date", 0, r->status ? NULL : hr_json_get(at->value, "date")};
    if (!r->status && !column->date)
        hr_json_refuse(r, &found, "", "there is no '%.100s' among the dates", name);
}

static hr_column read_json_column(hr_json_reader *r, const hr_json_position *at, const json_dates *dates) {
    static const char *const category_keys[] = {"name", "kind", "values", "boolean", "review"};
    hr_json_expect(r, at, HR_JSON_OBJECT);
    hr_column column = {.name = hr_json_text_of(r, at, "name")};
    column.kind = (hr_kind)hr_json_word_of(r, at, "kind", HR_KIND_NAMES, COUNT(HR_KIND_NAMES));
    if (column.kind == HR_KIND_NUMBER) {
        read_json_number(r, at, &column);
        read_json_part(r, at, dates, &column);
    } else {
        hr_json_only_keys(r, at, category_keys, COUNT(category_keys));
        column.values = hr_json_texts_of(r, at, "values", &column.value_count);
        column.boolean = optional_bool_of(r, at, "boolean");
    }
    column.review = optional_bool_of(r, at, "review");
    return column;
}

static void read_json_date(hr_json_reader *r, const hr_json_position *at, hr_date_column *date) {
    static const char *const keys[] = {"name", "from", "to", "format", "offset"};
    hr_json_only_keys(r, at, keys, COUNT(keys));
    date->name = hr_json_text_of(r, at, "name");
    const char *from = hr_json_text_of(r, at, "from"), *to = hr_json_text_of(r, at, "to");
    date->format = optional_text_of(r, at, "format");
    date->offset = (hr_offset_rule)hr_json_word_of(r, at, "offset", HR_OFFSET_NAMES, COUNT(HR_OFFSET_NAMES));
    if (!r->status && (!hr_date_from_parse(from, &date->from) || !hr_date_to_parse(to, &date->to)))
        hr_json_refuse(r, at, "", "'from' and 'to' must be days, or times such as 2024-02-29T18:30:00");
}

/* Models without dates have no list of them. */
static json_dates read_json_dates(hr_json_reader *r, const hr_json_position *schema) {
    if (!hr_json_has(r, schema, "dates")) return (json_dates){NULL, 0};
    const hr_json_position list = hr_json_typed_member(r, schema, "dates", HR_JSON_ARRAY);
    size_t count = hr_json_size(r, &list);
    hr_date_column *dates = hr_json_allocate(r, count, sizeof *dates);
    for (size_t i = 0; i < count && !r->status; i++) {
        const hr_json_position item = hr_json_element(&list, i);
        read_json_date(r, &item, &dates[i]);
    }
    return (json_dates){dates, count};
}

/* The key path of what a schema's check found wrong. */
static void name_fault(const hr_schema_fault *fault, char *path, size_t size) {
    char column[48] = "label", item[32] = "";
    if (fault->part == HR_FAULT_FEATURES) snprintf(column, sizeof column, "features");
    if (fault->part == HR_FAULT_FEATURE) snprintf(column, sizeof column, "features[%zu]", fault->feature);
    if (fault->part == HR_FAULT_UNUSED) snprintf(column, sizeof column, "unused[%zu]", fault->feature);
    if (fault->part == HR_FAULT_MISSING) snprintf(column, sizeof column, "missing[%zu]", fault->item);
    bool of_column = fault->key && (fault->part == HR_FAULT_LABEL || fault->part == HR_FAULT_FEATURE);
    if (of_column && !strcmp(fault->key, "values")) snprintf(item, sizeof item, "[%zu]", fault->item);
    snprintf(path, size, "schema.%s%s%s%s", column, of_column ? "." : "", of_column ? fault->key : "", item);
}

static void make_schema(hr_json_reader *r, const hr_schema_parts *parts) {
    char path[128];
    hr_schema_fault fault = {0};
    r->status = hr_schema_check(parts, &fault, r->err);
    if (!r->status) {
        r->status = hr_schema_make(parts, &r->model->schema, r->err);
    } else if (r->status != HR_E_MEMORY) {
        name_fault(&fault, path, sizeof path);
        hr_fail_at(r->err, r->status, NULL, 0, 0, path);
    }
}

/* Marks that a person accepted outside of label and features: of columns without a use, of spellings. */
static void read_other_marks(hr_json_reader *r, const hr_json_position *at, hr_schema_parts *parts) {
    parts->missing_facts.review = optional_bool_of(r, at, "missing_review");
    if (!hr_json_has(r, at, "unused")) return;
    const char *const *names = hr_json_texts_of(r, at, "unused", &parts->unused_count);
    hr_column *unused = hr_json_allocate(r, parts->unused_count, sizeof *unused);
    for (size_t i = 0; i < parts->unused_count && !r->status; i++)
        unused[i] = (hr_column){.name = names[i], .review = true};
    parts->unused = unused;
}

/* A model is trained with marks only if they were accepted. */
static hr_review review_of(const hr_schema_parts *parts) {
    bool marked = parts->label.review || parts->missing_facts.review || parts->unused_count;
    for (size_t f = 0; f < parts->feature_count; f++) marked |= parts->features[f].review;
    return marked ? HR_REVIEW_DONE : parts->reviewed;
}

static void read_json_schema(hr_json_reader *r, const hr_json_position *root) {
    static const char *const keys[] = {"label", "dates", "features", "missing", "missing_review", "unused"};
    static const json_dates no_dates = {NULL, 0};
    const hr_json_position at = hr_json_typed_member(r, root, "schema", HR_JSON_OBJECT);
    hr_json_only_keys(r, &at, keys, COUNT(keys));
    const hr_json_position label_at = hr_json_member(r, &at, "label"),
                           list = hr_json_typed_member(r, &at, "features", HR_JSON_ARRAY);
    hr_column label = r->status ? (hr_column){0} : read_json_column(r, &label_at, &no_dates);
    const json_dates dates = read_json_dates(r, &at);
    size_t count = hr_json_size(r, &list), missing_count;
    hr_column *features = hr_json_allocate(r, count, sizeof *features);
    for (size_t f = 0; f < count && !r->status; f++) {
        const hr_json_position item = hr_json_element(&list, f);
        features[f] = read_json_column(r, &item, &dates);
    }
    const char *const *missing = hr_json_texts_of(r, &at, "missing", &missing_count);
    hr_schema_parts parts = {.label = label,
                             .features = features,
                             .feature_count = count,
                             .missing = missing,
                             .missing_count = missing_count};
    if (!r->status) read_other_marks(r, &at, &parts);
    if (r->status) return;
    parts.reviewed = review_of(&parts);
    make_schema(r, &parts);
}

static void read_task(hr_json_reader *r, const hr_json_position *root) {
    size_t task = hr_json_word_of(r, root, "task", HR_TASK_NAMES, COUNT(HR_TASK_NAMES));
    const hr_json_position at = hr_json_member(r, root, "task");
    if (!r->status && task != (size_t)hr_schema_task(r->model->schema))
        hr_json_refuse(r, &at, "", "the task does not fit the label");
}

static int64_t entry(hr_json_reader *r, const hr_json_position *at, size_t index, int64_t high) {
    const hr_json_position item = hr_json_element(at, index);
    return hr_json_integer_at(r, &item, 0, high);
}

/* An infinite threshold is a text. */
static double threshold_at(hr_json_reader *r, const hr_json_position *at) {
    if (r->status || at->value->kind != HR_JSON_TEXT) return hr_json_number_at(r, at);
    if (!strcmp(at->value->text, "inf")) return (double)INFINITY;
    if (strcmp(at->value->text, "-inf") != 0)
        hr_json_refuse(r, at, "", "a threshold is a number, 'inf' or '-inf'");
    return -(double)INFINITY;
}

/* The thresholds of a multiway split of a number join those of its tree. */
static void read_thresholds(hr_json_reader *r, const hr_json_position *at, hr_tree *tree, hr_node *node) {
    const hr_json_position list = hr_json_element(at, 2);
    size_t count = hr_json_size(r, &list);
    if (count > HR_BINS_MAX - 2)
        hr_json_refuse(r, &list, "", "there are %zu thresholds, but 254 is the most", count);
    node->branches = (uint16_t)(count + 2);
    node->first = (uint32_t)tree->threshold_count;
    for (size_t i = 0; i < count && !r->status; i++) {
        const hr_json_position item = hr_json_element(&list, i);
        tree->thresholds[tree->threshold_count++] = hr_json_number_at(r, &item);
    }
}

/* [left, feature, threshold, missing], or multiway [left, feature, [thresholds]]. */
static void read_number_split(hr_json_reader *r, const hr_json_position *at, hr_tree *tree, hr_node *node) {
    if (at->value->count == 4) {
        const hr_json_position threshold = hr_json_element(at, 2);
        node->threshold = threshold_at(r, &threshold);
        node->missing_left = entry(r, at, 3, 1);
    } else if (at->value->count == 3 && at->value->items[2].kind == HR_JSON_ARRAY) {
        read_thresholds(r, at, tree, node);
    } else {
        hr_json_refuse(r, at, "", "a split of a number has 4 entries, or 3 with a list of thresholds");
    }
}

/* [left, feature, subset], or multiway [left, feature]. */
static void read_category_split(hr_json_reader *r, const hr_json_position *at, const hr_column *column,
                                hr_node *node) {
    if (at->value->count == 3)
        node->subset = (uint32_t)entry(r, at, 2, UINT32_MAX);
    else if (at->value->count == 2)
        node->branches = (uint16_t)hr_category_bins(column);
    else
        hr_json_refuse(r, at, "", "a split of a category has 3 entries, or 2");
}

static void read_split(hr_json_reader *r, const hr_json_position *at, hr_tree *tree, hr_node *node) {
    const hr_schema *schema = r->model->schema;
    node->left = (uint32_t)entry(r, at, 0, UINT32_MAX);
    node->feature = (uint32_t)entry(r, at, 1, (int64_t)hr_schema_feature_count(schema) - 1);
    if (r->status) return;
    const hr_json_position left = hr_json_element(at, 0);
    if (!node->left) hr_json_refuse(r, &left, "", "children must come after their parent");
    const hr_column *column = hr_schema_feature(schema, node->feature);
    if (column->kind == HR_KIND_NUMBER)
        read_number_split(r, at, tree, node);
    else
        read_category_split(r, at, column, node);
}

static void read_node(hr_json_reader *r, const hr_json_position *at, hr_tree *tree, hr_node *node) {
    hr_json_expect(r, at, HR_JSON_ARRAY);
    if (r->status) return;
    size_t size = at->value->count;
    if (size == 1) {
        const hr_json_position leaf = hr_json_element(at, 0);
        node->value = hr_json_number_at(r, &leaf);
    } else if (size >= 2 && size <= 4) {
        read_split(r, at, tree, node);
    } else {
        hr_json_refuse(r, at, "", "a node has 1 to 4 entries, not %zu", size);
    }
}

static void read_subset(hr_json_reader *r, const hr_json_position *at, hr_bin_set *set) {
    hr_json_expect(r, at, HR_JSON_ARRAY);
    size_t count = hr_json_size(r, at);
    int64_t before = -1;
    for (size_t i = 0; i < count && !r->status; i++) {
        const hr_json_position item = hr_json_element(at, i);
        int64_t bin = hr_json_integer_at(r, &item, before + 1, HR_BINS_MAX - 1);
        if (!r->status) hr_bin_set_add(set, (uint8_t)bin);
        before = bin;
    }
}

static size_t count_thresholds(const hr_json_reader *r, const hr_json_position *nodes) {
    size_t count = 0;
    for (size_t n = 0; n < hr_json_size(r, nodes); n++) {
        const hr_json *node = &nodes->value->items[n];
        bool multiway =
            node->kind == HR_JSON_ARRAY && node->count == 3 && node->items[2].kind == HR_JSON_ARRAY;
        if (multiway) count += node->items[2].count;
    }
    return count;
}

/* One number a node, or NULL. */
static double *numbers_of_nodes(hr_json_reader *r, const hr_json_position *at, const char *key,
                                size_t nodes) {
    size_t count;
    if (!hr_json_has(r, at, key)) return NULL;
    double *numbers = (double *)hr_json_numbers_of(r, at, key, &count);
    const hr_json_position list = {at, key, 0, NULL};
    if (!r->status && count != nodes) hr_json_refuse(r, &list, "", "there must be one entry for every node");
    return numbers;
}

/* Trees may have the noise of their leaves. */
static void read_released(hr_json_reader *r, const hr_json_position *at, hr_tree *tree) {
    if (hr_json_has(r, at, "deviation")) tree->deviation = hr_json_number_of(r, at, "deviation");
    tree->counts = numbers_of_nodes(r, at, "counts", tree->node_count);
    tree->noise = numbers_of_nodes(r, at, "noise", tree->node_count);
}

static void read_json_tree(hr_json_reader *r, const hr_json_position *at, hr_tree *tree) {
    static const char *const keys[] = {"output", "deviation", "counts", "noise", "subsets", "nodes"};
    hr_json_only_keys(r, at, keys, COUNT(keys));
    tree->output = (size_t)hr_json_integer_of(r, at, "output", 0, UINT32_MAX);
    const hr_json_position subsets = hr_json_typed_member(r, at, "subsets", HR_JSON_ARRAY),
                           nodes = hr_json_typed_member(r, at, "nodes", HR_JSON_ARRAY);
    tree->subset_count = hr_json_size(r, &subsets);
    tree->node_count = hr_json_size(r, &nodes);
    tree->subsets = hr_json_allocate(r, tree->subset_count, sizeof *tree->subsets);
    tree->nodes = hr_json_allocate(r, tree->node_count, sizeof *tree->nodes);
    tree->thresholds = hr_json_allocate(r, count_thresholds(r, &nodes), sizeof *tree->thresholds);
    for (size_t s = 0; s < tree->subset_count && !r->status; s++) {
        const hr_json_position item = hr_json_element(&subsets, s);
        read_subset(r, &item, &tree->subsets[s]);
    }
    for (size_t n = 0; n < tree->node_count && !r->status; n++) {
        const hr_json_position item = hr_json_element(&nodes, n);
        read_node(r, &item, tree, &tree->nodes[n]);
    }
    read_released(r, at, tree);
}

/* Models from before there was one have none, nor have those of other methods. */
static void read_calibration(hr_json_reader *r, const hr_json_position *root, hr_calibration *calibration) {
    static const char key[] = "calibration", *const keys[] = {"intercept", "slope"};
    const hr_json_position at = {root, key, 0, r->status ? NULL : hr_json_get(root->value, key)};
    if (!at.value) return;
    hr_json_only_keys(r, &at, keys, COUNT(keys));
    if (r->status) return;
    calibration->made = true;
    calibration->intercept = hr_json_number_of(r, &at, "intercept");
    calibration->slope = hr_json_number_of(r, &at, "slope");
}

static void read_forest(hr_json_reader *r, const hr_json_position *root) {
    hr_forest *forest = &r->model->forest;
    forest->link = (hr_link)hr_json_word_of(r, root, "link", HR_LINK_NAMES, COUNT(HR_LINK_NAMES));
    forest->base = (double *)hr_json_numbers_of(r, root, "base", &forest->output_count);
    read_calibration(r, root, &forest->calibration);
    const hr_json_position list = hr_json_typed_member(r, root, "trees", HR_JSON_ARRAY);
    forest->tree_count = hr_json_size(r, &list);
    forest->trees = hr_json_allocate(r, forest->tree_count, sizeof *forest->trees);
    for (size_t t = 0; t < forest->tree_count && !r->status; t++) {
        const hr_json_position item = hr_json_element(&list, t);
        read_json_tree(r, &item, &forest->trees[t]);
    }
}

/* Decimal digits without a leading zero, up to `end`; false if that is not what stands there, or beyond 64
 * bits. */
static bool take_digits(const char **at, char end, uint64_t *out) {
    uint64_t value = 0;
    const char *first = *at;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        uint64_t digit = (uint64_t)(**at - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = 10 * value + digit;
    }
    if (*at == first || (*first == '0' && *at > first + 1) || **at != end) return false;
    *out = value;
    return true;
}

static void read_scale(hr_json_reader *r, const hr_json_position *at, hr_release *release) {
    const hr_json_position found = hr_json_typed_member(r, at, "scale", HR_JSON_TEXT);
    if (r->status) return;
    const char *text = found.value->text;
    if (!take_digits(&text, '/', &release->scale_num)) {
        hr_json_refuse(r, &found, "", "the scale is not of the form 'integer/integer'");
        return;
    }
    text++;
    if (!take_digits(&text, '\0', &release->scale_den))
        hr_json_refuse(r, &found, "", "the scale is not of the form 'integer/integer'");
}

static hr_mechanism mechanism_of(hr_json_reader *r, const hr_json_position *at) {
    const char *names[MECHANISMS_MAX];
    size_t count = 0;
    for (; count < MECHANISMS_MAX && hr_mechanism_info_of((uint32_t)count); count++)
        names[count] = hr_mechanism_info_of((uint32_t)count)->name;
    return (hr_mechanism)hr_json_word_of(r, at, "mechanism", names, count);
}

static void read_shares(hr_json_reader *r, const hr_json_position *at, hr_release *release) {
    const hr_json_position found = {at, "shares", 0, NULL};
    if (hr_json_has(r, at, "shares"))
        release->shares = (uint64_t)hr_json_integer_of(r, at, "shares", 1, HR_SHARES_MAX);
    if (!r->status && !hr_shares_fit(release))
        hr_json_refuse(r, &found, "", "noise of a 'shared' mechanism has shares, and no other has");
}

static void read_json_release(hr_json_reader *r, const hr_json_position *at, hr_release *release) {
    static const char *const keys[] = {"what",      "tree",        "level", "group",  "part",
                                       "mechanism", "sensitivity", "scale", "shares", "owner",
                                       "units",     "cost",        "draws"};
    hr_json_only_keys(r, at, keys, COUNT(keys));
    release->what = hr_json_text_of(r, at, "what");
    release->tree = hr_json_integer_of(r, at, "tree", -1, INT64_MAX);
    release->level = hr_json_integer_of(r, at, "level", -1, INT64_MAX);
    release->group = (uint64_t)hr_json_integer_of(r, at, "group", 0, INT64_MAX);
    release->part = (uint64_t)hr_json_integer_of(r, at, "part", 0, INT64_MAX);
    release->mechanism = mechanism_of(r, at);
    release->sensitivity = (uint64_t)hr_json_integer_of(r, at, "sensitivity", 0, INT64_MAX);
    read_scale(r, at, release);
    read_shares(r, at, release);
    if (hr_json_has(r, at, "owner"))
        release->owner = (uint64_t)hr_json_integer_of(r, at, "owner", 1, INT64_MAX);
    release->cost = (hr_units)hr_json_integer_of(r, at, "units", 0, (int64_t)HR_UNITS_MAX);
    release->draws = (uint64_t)hr_json_integer_of(r, at, "draws", 0, INT64_MAX);
    double cost = hr_json_number_of(r, at, "cost");
    const hr_json_position found = {at, "cost", 0, NULL};
    if (!r->status && cost != hr_units_value(release->cost))
        hr_json_refuse(r, &found, "", "the cost is not units / 2^40");
}

static void read_releases(hr_json_reader *r, const hr_json_position *root) {
    const hr_json_position list = hr_json_typed_member(r, root, "releases", HR_JSON_ARRAY);
    hr_model *m = r->model;
    m->release_count = hr_json_size(r, &list);
    m->releases = hr_json_allocate(r, m->release_count, sizeof *m->releases);
    for (size_t i = 0; i < m->release_count && !r->status; i++) {
        const hr_json_position item = hr_json_element(&list, i);
        read_json_release(r, &item, &m->releases[i]);
    }
}

/* Other versions are refused before anything else is looked at. */
static void read_version(hr_json_reader *r, const hr_json_position *root) {
    static const char key[] = "hedgerow-model", other[] = "use the version of Hedgerow that wrote it";
    const hr_json_position at = {root, key, 0, hr_json_get(root->value, key)};
    if (!at.value) {
        hr_json_refuse(r, root, "give a file that `hedgerow train` wrote", "this is not a Hedgerow model");
        return;
    }
    hr_json_expect(r, &at, HR_JSON_INTEGER);
    if (!r->status && at.value->integer != 2)
        hr_json_refuse(r, &at, other, "version %" PRId64 " is unknown; this library reads version 2",
                       at.value->integer);
}

static hr_status read_model(hr_json_reader *r, const hr_json *json) {
    static const char *const keys[] = {"hedgerow-model", "version",  "method",         "mode",
                                       "task",           "link",     "start_model",    "guarantee",
                                       "settings",       "schema",   "base",           "calibration",
                                       "trees",          "releases", "start_guarantee"};
    const hr_json_position root = {NULL, NULL, 0, json};
    read_version(r, &root);
    if (r->status) return r->status;
    hr_json_only_keys(r, &root, keys, COUNT(keys));
    hr_json_text_of(r, &root, "version");
    r->model->method = hr_json_text_of(r, &root, "method");
    r->model->mode = (hr_mode)hr_json_word_of(r, &root, "mode", HR_MODE_NAMES, COUNT(HR_MODE_NAMES));
    if (hr_json_has(r, &root, "start_model"))
        r->model->start_model = hr_json_text_of(r, &root, "start_model");
    read_guarantee(r, &root);
    read_start_guarantee(r, &root);
    read_settings(r, &root);
    read_json_schema(r, &root);
    read_task(r, &root);
    read_forest(r, &root);
    read_releases(r, &root);
    return r->status;
}

hr_status hr_model_parse(const char *bytes, size_t size, const char *name, hr_model **out, hr_error *err) {
    const hr_json *json = NULL;
    hr_json_reader r = {.bytes = bytes, .err = err, .model = calloc(1, sizeof *r.model)};
    if (r.model) r.arena = r.model->arena = hr_arena_new();
    hr_arena *arena = hr_arena_new();
    r.status = r.arena && arena ? hr_json_parse(arena, bytes, size, &json, err) : hr_fail_memory(err);
    if (r.status) goto out;
    if (!read_model(&r, json)) r.status = hr_model_check(r.model, err);
    if (!r.status)
        r.status = hr_predictor_make(&r.model->forest, r.model->schema, r.arena, &r.model->predictor, err);
    if (!r.status) r.status = hr_model_state(r.model, err);
    if (r.status) goto out;
    hr_sha256_text(bytes, size, r.model->file_hash);
    *out = r.model;
    r.model = NULL;
out:
    hr_arena_free(arena);
    hr_model_free(r.model);
    if (r.status) hr_fail_at(err, r.status, name, 0, 0, NULL);
    return r.status;
}
