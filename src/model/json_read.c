/* From JSON to a model. A model file may come from anywhere: its shape and types are checked here, what the
 * values mean in hr_model_check. Only what docs/formats.md names is accepted.
 *
 * The first failure sticks: readers after it do nothing, so that none has to test each of its steps. */
#include "base/buffer.h"
#include "model/json.h"
#include "model/model.h"
#include "model/model_words.h"
#include "privacy/mechanisms.h"
#include "schema/cell_text.h"
#include "schema/check.h"
#include "schema/date_parts.h"
#include "schema/schema.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MECHANISMS_MAX = 16 };

typedef struct model_reader {
    const char *bytes;
    hr_model *model;
    hr_arena *arena; /* the model's */
    hr_status status;
    hr_error *err;
} model_reader;

/* A value and the way to it: the member `key` of the value above, or (key NULL) its element `index`. */
typedef struct json_position {
    const struct json_position *above;
    const char *key;
    size_t index;
    const hr_json *value; /* NULL: there is none */
} json_position;

static void add_path(hr_buffer *b, const json_position *at) {
    if (!at->above) return;
    add_path(b, at->above);
    if (!at->key) {
        hr_buffer_format(b, "[%zu]", at->index);
    } else {
        hr_buffer_format(b, "%s%s", at->above->above ? "." : "", at->key);
    }
}

static void refuse_model_json(model_reader *r, const json_position *at, const char *remedy,
                              const char *format, ...) HR_PRINTF(4, 5);
static void refuse_model_json(model_reader *r, const json_position *at, const char *remedy,
                              const char *format, ...) {
    if (r->status) return;
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    r->status = hr_fail(r->err, HR_E_FORMAT, remedy, "%s", message);
    hr_buffer path = {0};
    add_path(&path, at);
    uint64_t line = 0, column = 0;
    while (!at->value && at->above) at = at->above;
    if (at->above) hr_json_locate(r->bytes, at->value->at, &line, &column);
    hr_fail_at(r->err, r->status, NULL, line, column, path.bytes);
    hr_buffer_done(&path);
}

static void *allocate(model_reader *r, size_t count, size_t size) {
    void *memory = r->status ? NULL : hr_arena_alloc(r->arena, count, size);
    if (!memory && !r->status) r->status = hr_fail_memory(r->err);
    return memory;
}

static const char *kind_name(hr_json_kind kind) {
    static const char *const names[] = {"an object", "an array", "a text", "an integer",
                                        "a number",  "true",     "false",  "null"};
    return names[kind];
}

static json_position element(const json_position *at, size_t index) {
    return (json_position){at, NULL, index, &at->value->items[index]};
}

/* The member `key`, whatever its type; a missing one is refused. */
static json_position json_member(model_reader *r, const json_position *at, const char *key) {
    json_position found = {at, key, 0, hr_json_get(at->value, key)};
    if (!found.value) refuse_model_json(r, &found, "add it, see docs/formats.md", "the key is missing");
    return found;
}

static void expect(model_reader *r, const json_position *at, hr_json_kind kind) {
    if (r->status || at->value->kind == kind) return;
    refuse_model_json(r, at, "", "this must be %s, but is %s", kind_name(kind), kind_name(at->value->kind));
}

/* The number of items of an object or an array; 0 after a failure. */
static size_t json_size_of(const model_reader *r, const json_position *at) {
    return r->status ? 0 : at->value->count;
}

static json_position typed_member(model_reader *r, const json_position *at, const char *key,
                                  hr_json_kind kind) {
    json_position found = json_member(r, at, key);
    expect(r, &found, kind);
    return found;
}

/* Refuses keys that are not among `keys`. */
static void only_keys(model_reader *r, const json_position *at, const char *const *keys, size_t count) {
    expect(r, at, HR_JSON_OBJECT);
    if (r->status) return;
    for (size_t i = 0; i < at->value->count; i++) {
        const char *key = at->value->items[i].key;
        size_t k = 0;
        while (k < count && strcmp(keys[k], key)) k++;
        const json_position found = {at, key, 0, &at->value->items[i]};
        if (k == count)
            refuse_model_json(r, &found, "remove it, or use the version of Hedgerow that wrote it",
                              "the key is unknown");
    }
}

static const char *copy_json_text(model_reader *r, const char *text) {
    char *copy = r->status ? NULL : hr_arena_text(r->arena, text, strlen(text));
    if (!copy && !r->status) r->status = hr_fail_memory(r->err);
    return copy;
}

static bool has_member(const model_reader *r, const json_position *at, const char *key) {
    return !r->status && hr_json_get(at->value, key);
}

static const char *text_at(model_reader *r, const json_position *at) {
    expect(r, at, HR_JSON_TEXT);
    return r->status ? NULL : copy_json_text(r, at->value->text);
}

static const char *json_text_of(model_reader *r, const json_position *at, const char *key) {
    const json_position found = json_member(r, at, key);
    return text_at(r, &found);
}

static double number_at(model_reader *r, const json_position *at) {
    if (r->status) return 0;
    if (at->value->kind == HR_JSON_INTEGER || at->value->kind == HR_JSON_NUMBER) return at->value->number;
    refuse_model_json(r, at, "", "this must be a number, but is %s", kind_name(at->value->kind));
    return 0;
}

static double json_number_of(model_reader *r, const json_position *at, const char *key) {
    const json_position found = json_member(r, at, key);
    return number_at(r, &found);
}

/* A number, or null for infinity. */
static double epsilon_of(model_reader *r, const json_position *at, const char *key) {
    const json_position found = json_member(r, at, key);
    return !r->status && found.value->kind == HR_JSON_NULL ? (double)INFINITY : number_at(r, &found);
}

static int64_t integer_at(model_reader *r, const json_position *at, int64_t low, int64_t high) {
    expect(r, at, HR_JSON_INTEGER);
    if (r->status) return 0;
    int64_t value = at->value->integer;
    if (value >= low && value <= high) return value;
    refuse_model_json(r, at, "", "%" PRId64 " is not between %" PRId64 " and %" PRId64, value, low, high);
    return 0;
}

static int64_t integer_of(model_reader *r, const json_position *at, const char *key, int64_t low,
                          int64_t high) {
    const json_position found = json_member(r, at, key);
    return integer_at(r, &found, low, high);
}

static bool bool_of(model_reader *r, const json_position *at, const char *key) {
    const json_position found = json_member(r, at, key);
    if (r->status) return false;
    bool is_true = found.value->kind == HR_JSON_TRUE;
    if (!is_true && found.value->kind != HR_JSON_FALSE)
        refuse_model_json(r, &found, "", "this must be true or false");
    return is_true;
}

/* The index of a text among words. */
static size_t word_of(model_reader *r, const json_position *at, const char *key, const char *const *words,
                      size_t count) {
    const json_position found = typed_member(r, at, key, HR_JSON_TEXT);
    if (r->status) return 0;
    const char *word = found.value->text;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(words[i], word)) return i;
    refuse_model_json(r, &found, "use the version of Hedgerow that wrote it", "the value '%.100s' is unknown",
                      word);
    return 0;
}

static const double *json_numbers_of(model_reader *r, const json_position *at, const char *key,
                                     size_t *count) {
    const json_position list = typed_member(r, at, key, HR_JSON_ARRAY);
    *count = json_size_of(r, &list);
    double *numbers = allocate(r, *count, sizeof *numbers);
    for (size_t i = 0; i < *count && !r->status; i++) {
        const json_position item = element(&list, i);
        numbers[i] = number_at(r, &item);
    }
    return numbers;
}

static const char *const *texts_of(model_reader *r, const json_position *at, const char *key, size_t *count) {
    const json_position list = typed_member(r, at, key, HR_JSON_ARRAY);
    *count = json_size_of(r, &list);
    const char **texts = allocate(r, *count, sizeof *texts);
    for (size_t i = 0; i < *count && !r->status; i++) {
        const json_position item = element(&list, i);
        texts[i] = text_at(r, &item);
    }
    return texts;
}

/* Models of one owner do not name it. */
static const char *read_unit(model_reader *r, const json_position *guarantee) {
    if (r->status || !hr_json_get(guarantee->value, "unit")) return HR_ONE_RECORD;
    return HR_RECORD_NAMES[word_of(r, guarantee, "unit", HR_RECORD_NAMES, COUNT(HR_RECORD_NAMES))];
}

static void read_guarantee(model_reader *r, const json_position *root) {
    static const char *const keys[] = {"private",         "privacy_measure", "epsilon", "delta",
                                       "epsilon_replace", "delta_replace",   "unit",    "statement"};
    const json_position at = typed_member(r, root, "guarantee", HR_JSON_OBJECT);
    only_keys(r, &at, keys, COUNT(keys));
    hr_guarantee *g = &r->model->guarantee;
    g->is_private = bool_of(r, &at, "private");
    r->model->privacy_measure = (hr_privacy_measure)word_of(
        r, &at, "privacy_measure", HR_PRIVACY_MEASURE_NAMES, COUNT(HR_PRIVACY_MEASURE_NAMES));
    g->epsilon = epsilon_of(r, &at, "epsilon");
    g->delta = json_number_of(r, &at, "delta");
    g->epsilon_replace = epsilon_of(r, &at, "epsilon_replace");
    g->delta_replace = json_number_of(r, &at, "delta_replace");
    g->unit = read_unit(r, &at);
    g->statement = json_text_of(r, &at, "statement");
}

static void read_start_guarantee(model_reader *r, const json_position *root) {
    static const char *const keys[] = {"privacy_measure", "units",           "epsilon",
                                       "delta",           "epsilon_replace", "delta_replace"};
    if (!has_member(r, root, "start_guarantee")) return;
    const json_position at = typed_member(r, root, "start_guarantee", HR_JSON_OBJECT);
    only_keys(r, &at, keys, COUNT(keys));
    hr_start_guarantee *g = &r->model->start_guarantee;
    g->given = true;
    g->privacy_measure = (hr_privacy_measure)word_of(r, &at, "privacy_measure", HR_PRIVACY_MEASURE_NAMES,
                                                     COUNT(HR_PRIVACY_MEASURE_NAMES));
    g->units = (hr_units)integer_of(r, &at, "units", 0, (int64_t)HR_UNITS_MAX);
    g->epsilon = json_number_of(r, &at, "epsilon");
    g->delta = json_number_of(r, &at, "delta");
    g->epsilon_replace = json_number_of(r, &at, "epsilon_replace");
    g->delta_replace = json_number_of(r, &at, "delta_replace");
}

static void read_settings(model_reader *r, const json_position *root) {
    const json_position at = typed_member(r, root, "settings", HR_JSON_OBJECT);
    size_t count = json_size_of(r, &at);
    hr_setting *settings = allocate(r, count, sizeof *settings);
    for (size_t i = 0; i < count && !r->status; i++) {
        const json_position item = {&at, at.value->items[i].key, 0, &at.value->items[i]};
        settings[i].name = copy_json_text(r, item.key);
        settings[i].value = text_at(r, &item);
    }
    r->model->settings = settings;
    r->model->setting_count = count;
}

/* A text that need not be there. */
static const char *optional_text_of(model_reader *r, const json_position *at, const char *key) {
    return has_member(r, at, key) ? json_text_of(r, at, key) : NULL;
}

/* A text of one character that need not be there. */
static char optional_mark_of(model_reader *r, const json_position *at, const char *key) {
    const char *text = optional_text_of(r, at, key);
    const json_position found = {at, key, 0, text ? hr_json_get(at->value, key) : NULL};
    if (text && (!text[0] || text[1])) refuse_model_json(r, &found, "", "this must be one character");
    return text && !r->status ? text[0] : 0;
}

static void read_json_number(model_reader *r, const json_position *at, hr_column *column) {
    static const char *const keys[] = {"name",    "kind",      "low",    "high", "integer",
                                       "decimal", "thousands", "symbol", "date", "part"};
    only_keys(r, at, keys, COUNT(keys));
    column->low = json_number_of(r, at, "low");
    column->high = json_number_of(r, at, "high");
    column->integer = bool_of(r, at, "integer");
    column->format.decimal = optional_mark_of(r, at, "decimal");
    column->format.thousands = optional_mark_of(r, at, "thousands");
    column->format.symbol = optional_text_of(r, at, "symbol");
}

/* The columns of dates that features are parts of. */
typedef struct json_dates {
    const hr_date_column *dates;
    size_t count;
} json_dates;

static void read_json_part(model_reader *r, const json_position *at, const json_dates *dates,
                           hr_column *column) {
    if (!has_member(r, at, "date") && !has_member(r, at, "part")) return;
    const char *part_names[HR_DATE_PARTS], *name = json_text_of(r, at, "date");
    for (int i = 0; i < HR_DATE_PARTS; i++) part_names[i] = hr_date_part_name((hr_date_part)i);
    column->part = (hr_date_part)word_of(r, at, "part", part_names, HR_DATE_PARTS);
    for (size_t i = 0; !r->status && i < dates->count; i++)
        if (strcmp(dates->dates[i].name, name) == 0) column->date = &dates->dates[i];
    const json_position found = {at, "date", 0, r->status ? NULL : hr_json_get(at->value, "date")};
    if (!r->status && !column->date)
        refuse_model_json(r, &found, "", "there is no '%.100s' among the dates", name);
}

static hr_column read_json_column(model_reader *r, const json_position *at, const json_dates *dates) {
    static const char *const category_keys[] = {"name", "kind", "values", "boolean"};
    expect(r, at, HR_JSON_OBJECT);
    hr_column column = {.name = json_text_of(r, at, "name")};
    column.kind = (hr_kind)word_of(r, at, "kind", HR_KIND_NAMES, COUNT(HR_KIND_NAMES));
    if (column.kind == HR_KIND_NUMBER) {
        read_json_number(r, at, &column);
        read_json_part(r, at, dates, &column);
    } else {
        only_keys(r, at, category_keys, COUNT(category_keys));
        column.values = texts_of(r, at, "values", &column.value_count);
        column.boolean = has_member(r, at, "boolean") && bool_of(r, at, "boolean");
    }
    return column;
}

static void read_json_date(model_reader *r, const json_position *at, hr_date_column *date) {
    static const char *const keys[] = {"name", "from", "to", "format", "offset"};
    only_keys(r, at, keys, COUNT(keys));
    date->name = json_text_of(r, at, "name");
    const char *from = json_text_of(r, at, "from"), *to = json_text_of(r, at, "to");
    date->format = optional_text_of(r, at, "format");
    date->offset = (hr_offset_rule)word_of(r, at, "offset", HR_OFFSET_NAMES, COUNT(HR_OFFSET_NAMES));
    if (!r->status && (!hr_date_from_parse(from, &date->from) || !hr_date_to_parse(to, &date->to)))
        refuse_model_json(r, at, "", "'from' and 'to' must be days, or times such as 2024-02-29T18:30:00");
}

/* Models without dates have no list of them. */
static json_dates read_json_dates(model_reader *r, const json_position *schema) {
    if (!has_member(r, schema, "dates")) return (json_dates){NULL, 0};
    const json_position list = typed_member(r, schema, "dates", HR_JSON_ARRAY);
    size_t count = json_size_of(r, &list);
    hr_date_column *dates = allocate(r, count, sizeof *dates);
    for (size_t i = 0; i < count && !r->status; i++) {
        const json_position item = element(&list, i);
        read_json_date(r, &item, &dates[i]);
    }
    return (json_dates){dates, count};
}

/* The key path of what a schema's check found wrong. */
static void name_fault(const hr_schema_fault *fault, char *path, size_t size) {
    char column[48] = "label", item[32] = "";
    if (fault->part == HR_FAULT_FEATURES) snprintf(column, sizeof column, "features");
    if (fault->part == HR_FAULT_FEATURE) snprintf(column, sizeof column, "features[%zu]", fault->feature);
    if (fault->part == HR_FAULT_MISSING) snprintf(column, sizeof column, "missing[%zu]", fault->item);
    bool of_column = fault->key && (fault->part == HR_FAULT_LABEL || fault->part == HR_FAULT_FEATURE);
    if (of_column && !strcmp(fault->key, "values")) snprintf(item, sizeof item, "[%zu]", fault->item);
    snprintf(path, size, "schema.%s%s%s%s", column, of_column ? "." : "", of_column ? fault->key : "", item);
}

static void make_schema(model_reader *r, const hr_schema_parts *parts) {
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

static void read_json_schema(model_reader *r, const json_position *root) {
    static const char *const keys[] = {"label", "dates", "features", "missing"};
    static const json_dates no_dates = {NULL, 0};
    const json_position at = typed_member(r, root, "schema", HR_JSON_OBJECT);
    only_keys(r, &at, keys, COUNT(keys));
    const json_position label_at = json_member(r, &at, "label"),
                        list = typed_member(r, &at, "features", HR_JSON_ARRAY);
    hr_column label = r->status ? (hr_column){0} : read_json_column(r, &label_at, &no_dates);
    const json_dates dates = read_json_dates(r, &at);
    size_t count = json_size_of(r, &list), missing_count;
    hr_column *features = allocate(r, count, sizeof *features);
    for (size_t f = 0; f < count && !r->status; f++) {
        const json_position item = element(&list, f);
        features[f] = read_json_column(r, &item, &dates);
    }
    const char *const *missing = texts_of(r, &at, "missing", &missing_count);
    const hr_schema_parts parts = {label, features, count, missing, missing_count, NULL};
    if (!r->status) make_schema(r, &parts);
}

static void read_task(model_reader *r, const json_position *root) {
    size_t task = word_of(r, root, "task", HR_TASK_NAMES, COUNT(HR_TASK_NAMES));
    const json_position at = json_member(r, root, "task");
    if (!r->status && task != (size_t)hr_schema_task(r->model->schema))
        refuse_model_json(r, &at, "", "the task does not fit the label");
}

static int64_t entry(model_reader *r, const json_position *at, size_t index, int64_t high) {
    const json_position item = element(at, index);
    return integer_at(r, &item, 0, high);
}

/* An infinite threshold is a text. */
static double threshold_at(model_reader *r, const json_position *at) {
    if (r->status || at->value->kind != HR_JSON_TEXT) return number_at(r, at);
    if (!strcmp(at->value->text, "inf")) return (double)INFINITY;
    if (strcmp(at->value->text, "-inf") != 0)
        refuse_model_json(r, at, "", "a threshold is a number, 'inf' or '-inf'");
    return -(double)INFINITY;
}

/* The thresholds of a multiway split of a number join those of its tree. */
static void read_thresholds(model_reader *r, const json_position *at, hr_tree *tree, hr_node *node) {
    const json_position list = element(at, 2);
    size_t count = json_size_of(r, &list);
    if (count > HR_BINS_MAX - 2)
        refuse_model_json(r, &list, "", "there are %zu thresholds, but 254 is the most", count);
    node->branches = (uint16_t)(count + 2);
    node->first = (uint32_t)tree->threshold_count;
    for (size_t i = 0; i < count && !r->status; i++) {
        const json_position item = element(&list, i);
        tree->thresholds[tree->threshold_count++] = number_at(r, &item);
    }
}

/* [left, feature, threshold, missing], or multiway [left, feature, [thresholds]]. */
static void read_number_split(model_reader *r, const json_position *at, hr_tree *tree, hr_node *node) {
    if (at->value->count == 4) {
        const json_position threshold = element(at, 2);
        node->threshold = threshold_at(r, &threshold);
        node->missing_left = entry(r, at, 3, 1);
    } else if (at->value->count == 3 && at->value->items[2].kind == HR_JSON_ARRAY) {
        read_thresholds(r, at, tree, node);
    } else {
        refuse_model_json(r, at, "", "a split of a number has 4 entries, or 3 with a list of thresholds");
    }
}

/* [left, feature, subset], or multiway [left, feature]. */
static void read_category_split(model_reader *r, const json_position *at, const hr_column *column,
                                hr_node *node) {
    if (at->value->count == 3)
        node->subset = (uint32_t)entry(r, at, 2, UINT32_MAX);
    else if (at->value->count == 2)
        node->branches = (uint16_t)hr_category_bins(column);
    else
        refuse_model_json(r, at, "", "a split of a category has 3 entries, or 2");
}

static void read_split(model_reader *r, const json_position *at, hr_tree *tree, hr_node *node) {
    const hr_schema *schema = r->model->schema;
    node->left = (uint32_t)entry(r, at, 0, UINT32_MAX);
    node->feature = (uint32_t)entry(r, at, 1, (int64_t)hr_schema_feature_count(schema) - 1);
    if (r->status) return;
    const json_position left = element(at, 0);
    if (!node->left) refuse_model_json(r, &left, "", "children must come after their parent");
    const hr_column *column = hr_schema_feature(schema, node->feature);
    if (column->kind == HR_KIND_NUMBER)
        read_number_split(r, at, tree, node);
    else
        read_category_split(r, at, column, node);
}

static void read_node(model_reader *r, const json_position *at, hr_tree *tree, hr_node *node) {
    expect(r, at, HR_JSON_ARRAY);
    if (r->status) return;
    size_t size = at->value->count;
    if (size == 1) {
        const json_position leaf = element(at, 0);
        node->value = number_at(r, &leaf);
    } else if (size >= 2 && size <= 4) {
        read_split(r, at, tree, node);
    } else {
        refuse_model_json(r, at, "", "a node has 1 to 4 entries, not %zu", size);
    }
}

static void read_subset(model_reader *r, const json_position *at, hr_bin_set *set) {
    expect(r, at, HR_JSON_ARRAY);
    size_t count = json_size_of(r, at);
    int64_t before = -1;
    for (size_t i = 0; i < count && !r->status; i++) {
        const json_position item = element(at, i);
        int64_t bin = integer_at(r, &item, before + 1, HR_BINS_MAX - 1);
        if (!r->status) hr_bin_set_add(set, (uint8_t)bin);
        before = bin;
    }
}

static size_t count_thresholds(const model_reader *r, const json_position *nodes) {
    size_t count = 0;
    for (size_t n = 0; n < json_size_of(r, nodes); n++) {
        const hr_json *node = &nodes->value->items[n];
        bool multiway =
            node->kind == HR_JSON_ARRAY && node->count == 3 && node->items[2].kind == HR_JSON_ARRAY;
        if (multiway) count += node->items[2].count;
    }
    return count;
}

/* One number a node, or NULL. */
static double *numbers_of_nodes(model_reader *r, const json_position *at, const char *key, size_t nodes) {
    size_t count;
    if (!has_member(r, at, key)) return NULL;
    double *numbers = (double *)json_numbers_of(r, at, key, &count);
    const json_position list = {at, key, 0, NULL};
    if (!r->status && count != nodes)
        refuse_model_json(r, &list, "", "there must be one entry for every node");
    return numbers;
}

/* Trees may tell how noisy their leaves are. */
static void read_released(model_reader *r, const json_position *at, hr_tree *tree) {
    if (has_member(r, at, "deviation")) tree->deviation = json_number_of(r, at, "deviation");
    tree->counts = numbers_of_nodes(r, at, "counts", tree->node_count);
    tree->noise = numbers_of_nodes(r, at, "noise", tree->node_count);
}

static void read_json_tree(model_reader *r, const json_position *at, hr_tree *tree) {
    static const char *const keys[] = {"output", "deviation", "counts", "noise", "subsets", "nodes"};
    only_keys(r, at, keys, COUNT(keys));
    tree->output = (size_t)integer_of(r, at, "output", 0, UINT32_MAX);
    const json_position subsets = typed_member(r, at, "subsets", HR_JSON_ARRAY),
                        nodes = typed_member(r, at, "nodes", HR_JSON_ARRAY);
    tree->subset_count = json_size_of(r, &subsets);
    tree->node_count = json_size_of(r, &nodes);
    tree->subsets = allocate(r, tree->subset_count, sizeof *tree->subsets);
    tree->nodes = allocate(r, tree->node_count, sizeof *tree->nodes);
    tree->thresholds = allocate(r, count_thresholds(r, &nodes), sizeof *tree->thresholds);
    for (size_t s = 0; s < tree->subset_count && !r->status; s++) {
        const json_position item = element(&subsets, s);
        read_subset(r, &item, &tree->subsets[s]);
    }
    for (size_t n = 0; n < tree->node_count && !r->status; n++) {
        const json_position item = element(&nodes, n);
        read_node(r, &item, tree, &tree->nodes[n]);
    }
    read_released(r, at, tree);
}

/* Models from before there was one have none, nor have those of other methods. */
static void read_calibration(model_reader *r, const json_position *root, hr_calibration *calibration) {
    static const char key[] = "calibration", *const keys[] = {"intercept", "slope"};
    const json_position at = {root, key, 0, r->status ? NULL : hr_json_get(root->value, key)};
    if (!at.value) return;
    only_keys(r, &at, keys, COUNT(keys));
    if (r->status) return;
    calibration->made = true;
    calibration->intercept = json_number_of(r, &at, "intercept");
    calibration->slope = json_number_of(r, &at, "slope");
}

static void read_forest(model_reader *r, const json_position *root) {
    hr_forest *forest = &r->model->forest;
    forest->link = (hr_link)word_of(r, root, "link", HR_LINK_NAMES, COUNT(HR_LINK_NAMES));
    forest->base = (double *)json_numbers_of(r, root, "base", &forest->output_count);
    read_calibration(r, root, &forest->calibration);
    const json_position list = typed_member(r, root, "trees", HR_JSON_ARRAY);
    forest->tree_count = json_size_of(r, &list);
    forest->trees = allocate(r, forest->tree_count, sizeof *forest->trees);
    for (size_t t = 0; t < forest->tree_count && !r->status; t++) {
        const json_position item = element(&list, t);
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

static void read_scale(model_reader *r, const json_position *at, hr_release *release) {
    const json_position found = typed_member(r, at, "scale", HR_JSON_TEXT);
    if (r->status) return;
    const char *text = found.value->text;
    if (!take_digits(&text, '/', &release->scale_num)) {
        refuse_model_json(r, &found, "", "the scale is not of the form 'integer/integer'");
        return;
    }
    text++;
    if (!take_digits(&text, '\0', &release->scale_den))
        refuse_model_json(r, &found, "", "the scale is not of the form 'integer/integer'");
}

static hr_mechanism mechanism_of(model_reader *r, const json_position *at) {
    const char *names[MECHANISMS_MAX];
    size_t count = 0;
    for (; count < MECHANISMS_MAX && hr_mechanism_info_of((uint32_t)count); count++)
        names[count] = hr_mechanism_info_of((uint32_t)count)->name;
    return (hr_mechanism)word_of(r, at, "mechanism", names, count);
}

static void read_shares(model_reader *r, const json_position *at, hr_release *release) {
    const json_position found = {at, "shares", 0, NULL};
    if (has_member(r, at, "shares"))
        release->shares = (uint64_t)integer_of(r, at, "shares", 1, HR_SHARES_MAX);
    if (!r->status && !hr_shares_fit(release))
        refuse_model_json(r, &found, "", "noise of a 'shared' mechanism has shares, and no other has");
}

static void read_json_release(model_reader *r, const json_position *at, hr_release *release) {
    static const char *const keys[] = {"what",      "tree",        "level", "group",  "part",
                                       "mechanism", "sensitivity", "scale", "shares", "owner",
                                       "units",     "cost",        "draws"};
    only_keys(r, at, keys, COUNT(keys));
    release->what = json_text_of(r, at, "what");
    release->tree = integer_of(r, at, "tree", -1, INT64_MAX);
    release->level = integer_of(r, at, "level", -1, INT64_MAX);
    release->group = (uint64_t)integer_of(r, at, "group", 0, INT64_MAX);
    release->part = (uint64_t)integer_of(r, at, "part", 0, INT64_MAX);
    release->mechanism = mechanism_of(r, at);
    release->sensitivity = (uint64_t)integer_of(r, at, "sensitivity", 0, INT64_MAX);
    read_scale(r, at, release);
    read_shares(r, at, release);
    if (has_member(r, at, "owner")) release->owner = (uint64_t)integer_of(r, at, "owner", 1, INT64_MAX);
    release->cost = (hr_units)integer_of(r, at, "units", 0, (int64_t)HR_UNITS_MAX);
    release->draws = (uint64_t)integer_of(r, at, "draws", 0, INT64_MAX);
    double cost = json_number_of(r, at, "cost");
    const json_position found = {at, "cost", 0, NULL};
    if (!r->status && cost != hr_units_value(release->cost))
        refuse_model_json(r, &found, "", "the cost is not units / 2^40");
}

static void read_releases(model_reader *r, const json_position *root) {
    const json_position list = typed_member(r, root, "releases", HR_JSON_ARRAY);
    hr_model *m = r->model;
    m->release_count = json_size_of(r, &list);
    m->releases = allocate(r, m->release_count, sizeof *m->releases);
    for (size_t i = 0; i < m->release_count && !r->status; i++) {
        const json_position item = element(&list, i);
        read_json_release(r, &item, &m->releases[i]);
    }
}

/* Other versions are refused before anything else is looked at. */
static void read_version(model_reader *r, const json_position *root) {
    static const char key[] = "hedgerow-model", other[] = "use the version of Hedgerow that wrote it";
    const json_position at = {root, key, 0, hr_json_get(root->value, key)};
    if (!at.value) {
        refuse_model_json(r, root, "give a file that `hedgerow train` wrote", "this is not a Hedgerow model");
        return;
    }
    expect(r, &at, HR_JSON_INTEGER);
    if (!r->status && at.value->integer != 2)
        refuse_model_json(r, &at, other, "version %" PRId64 " is unknown; this library reads version 2",
                          at.value->integer);
}

static hr_status read_model(model_reader *r, const hr_json *json) {
    static const char *const keys[] = {"hedgerow-model", "version",  "method",         "mode",
                                       "task",           "link",     "start_model",    "guarantee",
                                       "settings",       "schema",   "base",           "calibration",
                                       "trees",          "releases", "start_guarantee"};
    const json_position root = {NULL, NULL, 0, json};
    read_version(r, &root);
    if (r->status) return r->status;
    only_keys(r, &root, keys, COUNT(keys));
    json_text_of(r, &root, "version");
    r->model->method = json_text_of(r, &root, "method");
    r->model->mode = (hr_mode)word_of(r, &root, "mode", HR_MODE_NAMES, COUNT(HR_MODE_NAMES));
    if (has_member(r, &root, "start_model")) r->model->start_model = json_text_of(r, &root, "start_model");
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
    model_reader r = {.bytes = bytes, .err = err, .model = calloc(1, sizeof *r.model)};
    if (r.model) r.arena = r.model->arena = hr_arena_new();
    hr_arena *arena = hr_arena_new();
    r.status = r.arena && arena ? hr_json_parse(arena, bytes, size, &json, err) : hr_fail_memory(err);
    if (r.status) goto out;
    if (!read_model(&r, json)) r.status = hr_model_check(r.model, err);
    if (!r.status)
        r.status = hr_predictor_make(&r.model->forest, r.model->schema, r.arena, &r.model->predictor, err);
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
