#include "trees/tree/interactions.h"

#include "base/buffer.h"
#include "base/fail.h"
#include "tables/schema/keys.h"

#include <stdlib.h>
#include <string.h>

static const char EXPECTED[] = "write all, pairs, none, or lists of two features or more that may meet in a "
                               "tree, such as [[age, dose], [x, y, z]]";

hr_interaction_rule hr_interactions_rule_of(const char *text) {
    if (!*text || !strcmp(text, "all")) return HR_INTERACTIONS_ALL;
    if (!strcmp(text, "none")) return HR_INTERACTIONS_NONE;
    return strcmp(text, "pairs") ? HR_INTERACTIONS_GROUPS : HR_INTERACTIONS_PAIRS;
}

/* ---- Lists ---- */

static hr_status at_interactions(hr_error *err, hr_status status) {
    return hr_fail_at(err, status, NULL, 0, 0, HR_INTERACTIONS_NAME);
}

/* The name that a list has twice; NULL: none. */
static const char *name_given_twice(const hr_yaml_node *list) {
    for (const hr_yaml_node *name = list->child; name; name = name->next)
        for (const hr_yaml_node *other = list->child; other != name; other = other->next)
            if (!strcmp(name->text, other->text)) return name->text;
    return NULL;
}

static hr_status check_list(const hr_yaml_node *list, hr_error *err) {
    if (list->kind != HR_YAML_SEQUENCE)
        return hr_fail(err, HR_E_ARGUMENT, EXPECTED, "an item is no list of features");
    for (const hr_yaml_node *name = list->child; name; name = name->next)
        if (name->kind != HR_YAML_SCALAR || !*name->text)
            return hr_fail(err, HR_E_ARGUMENT, EXPECTED, "a list has an item that is no name");
    if (!list->count) return hr_fail(err, HR_E_ARGUMENT, EXPECTED, "a list has no feature");
    if (list->count == 1)
        return hr_fail(err, HR_E_ARGUMENT,
                       "remove the list: a feature that is in no list has trees of its own",
                       "a list has one feature alone, '%.60s'", list->child->text);
    const char *twice = name_given_twice(list);
    return twice ? hr_fail(err, HR_E_ARGUMENT, "name it once", "a list has the feature '%.60s' twice", twice)
                 : HR_OK;
}

/* *out: a list of lists of names. */
static hr_status read_lists(const char *text, hr_arena *arena, const hr_yaml_node **out, hr_error *err) {
    const hr_yaml_node *lists = NULL;
    hr_status status = hr_yaml_parse(text, strlen(text), arena, &lists, err);
    if (status == HR_E_MEMORY) return status;
    if (status || lists->kind != HR_YAML_SEQUENCE)
        return hr_fail(err, HR_E_ARGUMENT, EXPECTED, "'%.60s' is none of: all, pairs, none, lists", text);
    if (!lists->child) return hr_fail(err, HR_E_ARGUMENT, EXPECTED, "there is no list in the list");
    for (const hr_yaml_node *list = lists->child; !status && list; list = list->next)
        status = check_list(list, err);
    *out = lists;
    return status;
}

static hr_status write_lists(const char *text, char out[HR_INTERACTIONS_TEXT], hr_error *err) {
    const hr_yaml_node *lists = NULL;
    hr_buffer written = {0};
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? read_lists(text, arena, &lists, err) : hr_fail_memory(err);
    if (!status) hr_keys_line(&written, lists);
    if (!status && written.failed) status = hr_fail_memory(err);
    if (!status && written.size >= HR_INTERACTIONS_TEXT)
        status = hr_fail(err, HR_E_ARGUMENT, "use fewer or shorter names, or 'pairs' or 'all'",
                         "the lists are longer than %d bytes", HR_INTERACTIONS_TEXT - 1);
    if (!status) memcpy(out, written.bytes, written.size + 1);
    hr_buffer_done(&written);
    hr_arena_free(arena);
    return status;
}

hr_status hr_interactions_write(const char *text, char out[HR_INTERACTIONS_TEXT], hr_error *err) {
    const hr_interaction_rule rule = hr_interactions_rule_of(text);
    if (rule == HR_INTERACTIONS_GROUPS) return at_interactions(err, write_lists(text, out, err));
    const char *word = rule == HR_INTERACTIONS_ALL ? "" : text;
    memmove(out, word, strlen(word) + 1);
    return HR_OK;
}

/* ---- Features ---- */

static hr_status find_interacting(const hr_schema *schema, const char *name, uint32_t *out, hr_error *err) {
    const size_t count = hr_schema_feature_count(schema);
    for (size_t f = 0; f < count; f++) {
        *out = (uint32_t)f;
        if (!strcmp(hr_schema_feature(schema, f)->name, name)) return HR_OK;
    }
    const char *unit = hr_schema_unit(schema), *weight = hr_schema_weight(schema, NULL), *what = NULL;
    if (!strcmp(hr_schema_label(schema)->name, name)) what = "the label";
    if (unit && !strcmp(unit, name)) what = "the unit";
    if (weight && !strcmp(weight, name)) what = "the weight of the records";
    if (what)
        return hr_fail(err, HR_E_ARGUMENT, "name features alone", "'%.60s' is %s, and no feature", name,
                       what);
    return hr_fail(err, HR_E_ARGUMENT, "name features as the schema does",
                   "the schema has no feature '%.60s'", name);
}

static int by_index(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static hr_status read_group(const hr_yaml_node *list, const hr_schema *schema, hr_arena *arena,
                            hr_feature_group *out, hr_error *err) {
    hr_status status = HR_OK;
    *out = (hr_feature_group){.features = hr_arena_alloc(arena, list->count, sizeof *out->features)};
    if (!out->features) return hr_fail_memory(err);
    for (const hr_yaml_node *name = list->child; !status && name; name = name->next)
        status = find_interacting(schema, name->text, &out->features[out->count++], err);
    qsort(out->features, out->count, sizeof *out->features, by_index);
    return status;
}

hr_status hr_interactions_read(const char *text, const hr_schema *schema, hr_arena *arena,
                               hr_interactions *out, hr_error *err) {
    hr_interactions made = {.rule = hr_interactions_rule_of(text)};
    const hr_yaml_node *lists = NULL;
    *out = made;
    if (made.rule != HR_INTERACTIONS_GROUPS) return HR_OK;
    hr_status status = read_lists(text, arena, &lists, err);
    if (status) return at_interactions(err, status);
    made.groups = hr_arena_alloc(arena, lists->count, sizeof *made.groups);
    if (!made.groups) return hr_fail_memory(err);
    for (const hr_yaml_node *list = lists->child; !status && list; list = list->next)
        status = read_group(list, schema, arena, &made.groups[made.group_count++], err);
    *out = made;
    return status ? at_interactions(err, status) : HR_OK;
}

hr_status hr_interactions_check(const char *text, const hr_schema *schema, hr_error *err) {
    hr_interactions unused;
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_interactions_read(text, schema, arena, &unused, err) : hr_fail_memory(err);
    hr_arena_free(arena);
    return status;
}

/* ---- Whether trees obey ---- */

bool hr_group_has(const hr_feature_group *group, uint32_t feature) {
    return bsearch(&feature, group->features, group->count, sizeof feature, by_index);
}

static bool tree_is_within(const hr_tree *tree, const hr_feature_group *group) {
    for (size_t n = 0; n < tree->node_count; n++)
        if (tree->nodes[n].left && !hr_group_has(group, tree->nodes[n].feature)) return false;
    return true;
}

/* How many features it splits by; `most` + 1 stands for more than `most`, which is 1 or 2. */
static size_t count_features(const hr_tree *tree, size_t most) {
    uint32_t found[2];
    size_t count = 0;
    for (size_t n = 0; n < tree->node_count && count <= most; n++) {
        if (!tree->nodes[n].left) continue;
        size_t i = 0;
        while (i < count && found[i] != tree->nodes[n].feature) i++;
        if (i < count) continue;
        if (count < most) found[count] = tree->nodes[n].feature;
        count++;
    }
    return count;
}

bool hr_tree_obeys(const hr_tree *tree, const hr_interactions *interactions) {
    const hr_interaction_rule rule = interactions->rule;
    if (rule == HR_INTERACTIONS_ALL) return true;
    if (rule == HR_INTERACTIONS_PAIRS) return count_features(tree, 2) <= 2;
    if (count_features(tree, 1) <= 1) return true;
    for (size_t g = 0; g < interactions->group_count; g++)
        if (tree_is_within(tree, &interactions->groups[g])) return true;
    return false;
}

size_t hr_forest_obeys(const hr_forest *forest, const hr_interactions *interactions) {
    size_t t = 0;
    while (t < forest->tree_count && hr_tree_obeys(&forest->trees[t], interactions)) t++;
    return t;
}
