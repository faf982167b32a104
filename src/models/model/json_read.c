/* From JSON to a model. A model file may come from anywhere: its shape and types are checked here, what the
 * values mean in hr_model_check. Only what docs/reference/formats.md names is accepted. */
#include "models/model/interval.h"
#include "models/model/json_fields.h"
#include "models/model/model.h"
#include "models/model/model_words.h"
#include "tables/schema/schema.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A number, or null for infinity. */
static double epsilon_of(hr_json_reader *r, const hr_json_position *at, const char *key) {
    const hr_json_position found = hr_json_member(r, at, key);
    return !r->status && found.value->kind == HR_JSON_NULL ? (double)INFINITY : hr_json_number_at(r, &found);
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
    /* Models of one owner do not name it. */
    g->unit = HR_ONE_RECORD;
    if (hr_json_has(r, &at, "unit"))
        g->unit = HR_RECORD_NAMES[hr_json_word_of(r, &at, "unit", HR_RECORD_NAMES, COUNT(HR_RECORD_NAMES))];
    g->statement = hr_json_text_of(r, &at, "statement");
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

    /* Those of a start whose owners added noise in shares. */
    hr_trust *trust = &g->trust;
    if (!hr_json_has(r, &at, "coalition")) return;
    trust->stated.shared_noise = true;
    trust->stated.coalition = (size_t)hr_json_integer_of(r, &at, "coalition", 0, UINT32_MAX);
    trust->stated.epsilon_owners = epsilon_of(r, &at, "epsilon_owners");
    trust->stated.epsilon_everyone = epsilon_of(r, &at, "epsilon_everyone");
    trust->owners = (hr_units)hr_json_integer_of(r, &at, "units_owners", 0, (int64_t)HR_UNITS_MAX);
    trust->everyone = (hr_units)hr_json_integer_of(r, &at, "units_everyone", 0, (int64_t)HR_UNITS_MAX);
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

static int64_t entry(hr_json_reader *r, const hr_json_position *at, size_t index, int64_t high) {
    const hr_json_position item = hr_json_element(at, index);
    return hr_json_integer_at(r, &item, 0, high);
}

/* [left, feature, threshold, missing], or multiway [left, feature, [thresholds]]. The thresholds of a
 * multiway split join those of its tree. */
static void read_number_split(hr_json_reader *r, const hr_json_position *at, hr_tree *tree, hr_node *node) {
    const hr_json_position found = hr_json_element(at, 2);
    if (at->value->count == 4) {
        /* An infinite threshold is a text. */
        const char *text = found.value->kind == HR_JSON_TEXT ? found.value->text : NULL;
        if (!text)
            node->threshold = hr_json_number_at(r, &found);
        else if (!strcmp(text, "inf"))
            node->threshold = (double)INFINITY;
        else if (!strcmp(text, "-inf"))
            node->threshold = -(double)INFINITY;
        else
            hr_json_refuse(r, &found, "", "a threshold is a number, 'inf' or '-inf'");
        node->missing_left = entry(r, at, 3, 1);
    } else if (at->value->count == 3 && found.value->kind == HR_JSON_ARRAY) {
        size_t count = hr_json_size(r, &found);
        if (count > HR_BINS_MAX - 2)
            hr_json_refuse(r, &found, "", "there are %zu thresholds, but 254 is the most", count);
        node->branches = (uint16_t)(count + 2);
        node->first = (uint32_t)tree->threshold_count;
        for (size_t i = 0; i < count && !r->status; i++) {
            const hr_json_position item = hr_json_element(&found, i);
            tree->thresholds[tree->threshold_count++] = hr_json_number_at(r, &item);
        }
    } else {
        hr_json_refuse(r, at, "", "a split of a number has 4 entries, or 3 with a list of thresholds");
    }
}

/* Of a split by a category: [left, feature, subset], or multiway [left, feature]. */
static void read_node(hr_json_reader *r, const hr_json_position *at, hr_tree *tree, hr_node *node) {
    hr_json_expect(r, at, HR_JSON_ARRAY);
    if (r->status) return;
    size_t size = at->value->count;
    if (size < 1 || size > 4) {
        hr_json_refuse(r, at, "", "a node has 1 to 4 entries, not %zu", size);
        return;
    }
    const hr_json_position first = hr_json_element(at, 0);
    if (size == 1) {
        node->value = hr_json_number_at(r, &first);
        return;
    }
    node->left = (uint32_t)entry(r, at, 0, UINT32_MAX);
    node->feature = (uint32_t)entry(r, at, 1, (int64_t)hr_schema_feature_count(r->model->schema) - 1);
    if (r->status) return;
    if (!node->left) hr_json_refuse(r, &first, "", "children must come after their parent");
    const hr_column *column = hr_schema_feature(r->model->schema, node->feature);
    if (column->kind == HR_KIND_NUMBER)
        read_number_split(r, at, tree, node);
    else if (size == 3)
        node->subset = (uint32_t)entry(r, at, 2, UINT32_MAX);
    else if (size == 2)
        node->branches = (uint16_t)hr_category_bins(column);
    else
        hr_json_refuse(r, at, "", "a split of a category has 3 entries, or 2");
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
        const hr_json_position subset = hr_json_element(&subsets, s);
        hr_json_expect(r, &subset, HR_JSON_ARRAY);
        int64_t before = -1;
        for (size_t i = 0; i < hr_json_size(r, &subset) && !r->status; i++) {
            const hr_json_position item = hr_json_element(&subset, i);
            int64_t bin = hr_json_integer_at(r, &item, before + 1, HR_BINS_MAX - 1);
            if (!r->status) hr_bin_set_add(&tree->subsets[s], (uint8_t)bin);
            before = bin;
        }
    }
    for (size_t n = 0; n < tree->node_count && !r->status; n++) {
        const hr_json_position item = hr_json_element(&nodes, n);
        read_node(r, &item, tree, &tree->nodes[n]);
    }

    /* Trees may have the noise of their leaves. */
    if (hr_json_has(r, at, "deviation")) tree->deviation = hr_json_number_of(r, at, "deviation");
    tree->counts = numbers_of_nodes(r, at, "counts", tree->node_count);
    tree->noise = numbers_of_nodes(r, at, "noise", tree->node_count);
}

static void read_conformal(hr_json_reader *r, const hr_json_position *root) {
    static const char key[] = "conformal", *const keys[] = {"coverage", "correction", "shortfall",
                                                            "held_out"};
    hr_conformal *conformal = &r->model->forest.conformal;
    if (r->status || !hr_json_has(r, root, key)) return;
    const hr_json_position at = hr_json_member(r, root, key);
    if (r->version < HR_MODEL_VERSION_CONFORMAL) {
        hr_json_refuse(r, &at, "use a file of version 4", "version %d has no corrections of intervals",
                       (int)r->version);
        return;
    }
    hr_json_only_keys(r, &at, keys, COUNT(keys));
    conformal->made = !r->status;
    conformal->coverage = hr_json_number_of(r, &at, "coverage");
    conformal->correction = hr_json_number_of(r, &at, "correction");
    conformal->shortfall = hr_json_number_of(r, &at, "shortfall");
    if (hr_json_has(r, &at, "held_out")) conformal->held_out = hr_json_number_of(r, &at, "held_out");
    if (!r->status) hr_interval_ends(hr_schema_label(r->model->schema), conformal->coverage, conformal->ends);
}

static void read_forest(hr_json_reader *r, const hr_json_position *root) {
    hr_forest *forest = &r->model->forest;
    forest->link = (hr_link)hr_json_word_of(r, root, "link", HR_LINK_NAMES, COUNT(HR_LINK_NAMES));
    forest->base = (double *)hr_json_numbers_of(r, root, "base", &forest->output_count);

    /* Models from before there was one have none, nor have those of other methods. */
    static const char key[] = "calibration", *const keys[] = {"intercept", "slope"};
    hr_calibration *calibration = &forest->calibration;
    if (hr_json_has(r, root, key)) {
        const hr_json_position at = hr_json_member(r, root, key);
        hr_json_only_keys(r, &at, keys, COUNT(keys));
        calibration->made = !r->status;
        calibration->intercept = hr_json_number_of(r, &at, "intercept");
        calibration->slope = hr_json_number_of(r, &at, "slope");
    }

    read_conformal(r, root);

    const hr_json_position list = hr_json_typed_member(r, root, "trees", HR_JSON_ARRAY);
    forest->tree_count = hr_json_size(r, &list);
    forest->trees = hr_json_allocate(r, forest->tree_count, sizeof *forest->trees);
    for (size_t t = 0; t < forest->tree_count && !r->status; t++) {
        const hr_json_position item = hr_json_element(&list, t);
        read_json_tree(r, &item, &forest->trees[t]);
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
    if (r->status) return;
    r->version = at.value->integer;
    if (r->version < HR_MODEL_VERSION_FIRST || r->version > HR_MODEL_VERSION)
        hr_json_refuse(r, &at, other, "version %" PRId64 " is unknown; this library reads versions %d to %d",
                       r->version, HR_MODEL_VERSION_FIRST, HR_MODEL_VERSION);
}

static hr_status read_model(hr_json_reader *r, const hr_json *json) {
    static const char *const keys[] = {"hedgerow-model", "version", "method",      "mode",
                                       "task",           "link",    "start_model", "guarantee",
                                       "settings",       "schema",  "base",        "calibration",
                                       "conformal",      "trees",   "releases",    "start_guarantee"};
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
    hr_json_read_schema(r, &root);
    size_t task = hr_json_word_of(r, &root, "task", HR_TASK_NAMES, COUNT(HR_TASK_NAMES));
    const hr_json_position at = hr_json_member(r, &root, "task");
    if (!r->status && task != (size_t)hr_schema_task(r->model->schema))
        hr_json_refuse(r, &at, "", "the task does not fit the label");
    read_forest(r, &root);
    hr_json_read_releases(r, &root);
    return r->status;
}

/* The contents of the text, checked; nothing is made of it yet. */
static hr_status read_parts(const char *bytes, size_t size, size_t releases_max, hr_model **out,
                            hr_error *err) {
    const hr_json *json = NULL;
    hr_json_reader r = {
        .bytes = bytes, .releases_max = releases_max, .err = err, .model = calloc(1, sizeof *r.model)};
    if (r.model) r.arena = r.model->arena = hr_arena_new();
    hr_arena *arena = hr_arena_new();
    r.status = r.arena && arena ? hr_json_parse(arena, bytes, size, &json, err) : hr_fail_memory(err);
    if (!r.status && !read_model(&r, json)) r.status = hr_model_check(r.model, err);
    hr_arena_free(arena);
    if (r.status)
        hr_model_free(r.model);
    else
        *out = r.model;
    return r.status;
}

static hr_status parse_model(const char *bytes, size_t size, const char *name, size_t releases_max,
                             hr_model **out, hr_error *err) {
    hr_model *model = NULL;
    hr_status status = read_parts(bytes, size, releases_max, &model, err);
    if (!status)
        status = hr_predictor_make(&model->forest, model->schema, model->arena, &model->predictor, err);
    if (!status) status = hr_model_state(model, err);
    if (status) {
        hr_model_free(model);
        return hr_fail_at(err, status, name, 0, 0, NULL);
    }
    hr_sha256_text(bytes, size, model->file_hash);
    *out = model;
    return HR_OK;
}

hr_status hr_model_parse_json(const char *bytes, size_t size, const char *name, hr_model **out,
                              hr_error *err) {
    return parse_model(bytes, size, name, SIZE_MAX, out, err);
}

hr_status hr_model_rewrite_json(const char *bytes, size_t size, char **again, hr_error *err) {
    hr_model *model = NULL;
    hr_status status = read_parts(bytes, size, SIZE_MAX, &model, err);
    if (!status) status = hr_model_render(model, again, err);
    hr_model_free(model);
    return status;
}

hr_status hr_model_parse_sent(const char *bytes, size_t size, const char *name, hr_model **out,
                              hr_error *err) {
    return parse_model(bytes, size, name, HR_SENT_RELEASES + size / 2, out, err);
}
