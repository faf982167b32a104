#include "models/export/ensemble.h"

#include "base/fail.h"
#include "models/export/covers.h"
#include "trees/tree/binarize.h"

#include <math.h>

enum { LAST_BIN = HR_BINS_MAX - 1 };

/* The nodes of a tree that has two-way splits alone. */
typedef struct tree_source {
    const hr_tree *tree;
    const hr_schema *schema;
} tree_source;

static const hr_column *column_of(const tree_source *s, const hr_node *node) {
    return hr_schema_feature(s->schema, node->feature);
}

/* Tables are clipped to the bounds, so that a threshold outside of them sends all numbers one way; one within
 * sends a number where it sends the clipped one. */
static bool sends_all_left(const hr_column *column, const hr_node *node) {
    return node->threshold >= column->high;
}

static bool sends_none_left(const hr_column *column, const hr_node *node) {
    return node->threshold < column->low;
}

/* The child that every record goes to; 0 if there are two. */
static uint32_t only_child(const tree_source *s, const hr_node *node) {
    const hr_column *column = column_of(s, node);
    if (column->kind == HR_KIND_NUMBER) {
        if (sends_all_left(column, node) && node->missing_left) return node->left;
        return sends_none_left(column, node) && !node->missing_left ? node->left + 1 : 0;
    }
    size_t left = 0;
    for (size_t bin = 0; bin < hr_category_bins(column); bin++)
        left += hr_bin_set_has(&s->tree->subsets[node->subset], (uint8_t)bin);
    if (left == 0) return node->left + 1;
    return left == hr_category_bins(column) ? node->left : 0;
}

static uint32_t skip_one_way(const tree_source *s, uint32_t n) {
    for (;;) {
        const hr_node *node = &s->tree->nodes[n];
        uint32_t only = node->left ? only_child(s, node) : 0;
        if (!only) return n;
        n = only;
    }
}

/* ---- Splits ---- */

/* A node without the place of its children, and which of the source's children is the first of them. */
typedef struct asked_node {
    hr_engine_node node;
    uint32_t yes;
} asked_node;

/* Of a category the side without missing values is listed: engines do not list them. */
static asked_node ask(const tree_source *s, const hr_node *node) {
    const hr_column *column = column_of(s, node);
    asked_node asked = {.node = {.split = HR_ENGINE_PRESENT, .feature = node->feature}, .yes = node->left};
    if (column->kind == HR_KIND_CATEGORY) {
        const hr_bin_set *left = &s->tree->subsets[node->subset];
        bool missing_left = hr_bin_set_has(left, 0);
        asked.node.split = HR_ENGINE_CATEGORY;
        asked.yes += missing_left;
        for (size_t bin = 1; bin < hr_category_bins(column); bin++)
            if (hr_bin_set_has(left, (uint8_t)bin) != missing_left)
                hr_bin_set_add(&asked.node.listed, (uint8_t)bin);
    } else if (sends_none_left(column, node)) {
        asked.yes++;
    } else if (!sends_all_left(column, node)) {
        asked.node.split = HR_ENGINE_NUMBER;
        asked.node.missing_yes = node->missing_left;
        asked.node.threshold = node->threshold;
    }
    return asked;
}

double hr_engine_adds(const hr_ensemble *ensemble, size_t t, const hr_engine_node *leaf) {
    const double scaled = ensemble->scale * leaf->value;
    return t < ensemble->output_count ? ensemble->shift + scaled : scaled;
}

bool hr_engine_lists(const hr_engine_node *node, size_t value) {
    return hr_bin_set_has(&node->listed, (uint8_t)(value < LAST_BIN ? value + 1 : LAST_BIN));
}

/* ---- Trees ---- */

/* Takes off the list what the splits above send elsewhere, unless nothing is left: lists of multiway splits
 * would be long. */
static void shorten_list(const hr_engine_tree *tree, const uint32_t *parents, uint32_t n) {
    hr_engine_node *node = &tree->nodes[n];
    hr_bin_set listed = node->listed;
    uint64_t left = 0;
    for (uint32_t child = n; child; child = parents[child]) {
        const hr_engine_node *above = &tree->nodes[parents[child]];
        if (above->split != HR_ENGINE_CATEGORY || above->feature != node->feature) continue;
        for (size_t w = 0; w < HR_BINS_MAX / 64; w++)
            listed.words[w] &= above->yes == child ? above->listed.words[w] : ~above->listed.words[w];
    }
    for (size_t w = 0; w < HR_BINS_MAX / 64; w++) left |= listed.words[w];
    if (left) node->listed = listed;
}

/* Nodes stand in the order in which they are met, level by level. sources[n] is what node n is made of. */
static bool make_engine_tree(const hr_model *model, size_t t, hr_arena *arena, hr_engine_tree *out) {
    const hr_schema *schema = model->schema;
    hr_tree numbered, two_way;
    uint32_t *covers = hr_arena_alloc(arena, model->forest.trees[t].node_count, sizeof *covers);
    if (!covers || !hr_covers_of_tree(model, t, arena, covers)) return false;
    if (!hr_covers_number_leaves(&model->forest.trees[t], arena, &numbered)) return false;
    if (!hr_binarize(arena, &numbered, schema, &two_way)) return false;
    out->nodes = hr_arena_alloc(arena, two_way.node_count, sizeof *out->nodes);
    uint32_t *sources = hr_arena_alloc(arena, two_way.node_count, sizeof *sources);
    uint32_t *parents = hr_arena_alloc(arena, two_way.node_count, sizeof *parents);
    if (!out->nodes || !sources || !parents) return false;
    const tree_source s = {&two_way, schema};
    sources[0] = skip_one_way(&s, 0);
    out->node_count = 1;
    for (uint32_t n = 0; n < out->node_count; n++) {
        const hr_node *node = &two_way.nodes[sources[n]];
        if (!node->left) {
            out->nodes[n] =
                (hr_engine_node){.split = HR_ENGINE_LEAF, .cover = covers[node->first], .value = node->value};
            continue;
        }
        asked_node asked = ask(&s, node);
        out->nodes[n] = asked.node;
        out->nodes[n].yes = (uint32_t)out->node_count;
        if (asked.node.split == HR_ENGINE_CATEGORY) shorten_list(out, parents, n);
        parents[out->node_count] = parents[out->node_count + 1] = n;
        sources[out->node_count++] = skip_one_way(&s, asked.yes);
        sources[out->node_count++] = skip_one_way(&s, asked.yes == node->left ? node->left + 1 : node->left);
    }
    hr_covers_add_up(out);
    return true;
}

static bool make_leaf(double value, hr_arena *arena, hr_engine_tree *out) {
    out->nodes = hr_arena_alloc(arena, 1, sizeof *out->nodes);
    out->node_count = 1;
    if (out->nodes) out->nodes[0] = (hr_engine_node){.split = HR_ENGINE_LEAF, .cover = 1, .value = value};
    return out->nodes != NULL;
}

/* ---- Rounds ---- */

/* trees[k]: how many of the model's add to output k. Returns the most. */
static size_t count_trees(const hr_forest *forest, size_t *trees) {
    size_t most = 0;
    for (size_t t = 0; t < forest->tree_count; t++) {
        size_t count = ++trees[forest->trees[t].output];
        most = count > most ? count : most;
    }
    return most;
}

static bool make_rounds(const hr_model *model, hr_arena *arena, hr_ensemble *out) {
    const hr_forest *forest = &model->forest;
    size_t outputs = forest->output_count, *trees = hr_arena_alloc(arena, outputs, sizeof *trees);
    if (!trees) return false;
    const bool is_logistic = forest->link == HR_LINK_LOGISTIC && !forest->calibration.made;
    *out = (hr_ensemble){.schema = model->schema,
                         .link = forest->link == HR_LINK_LOG ? HR_ENGINE_LOG
                                 : is_logistic               ? HR_ENGINE_LOGISTIC
                                                             : HR_ENGINE_SCORES,
                         .output_count = outputs,
                         .round_count = 1 + count_trees(forest, trees),
                         .scale = 1};
    if (forest->link == HR_LINK_NUMBER) {
        const hr_column *label = hr_schema_label(model->schema);
        out->scale = (label->high - label->low) / 2;
        out->shift = label->low + out->scale;
    }
    if (forest->link == HR_LINK_LOG) out->shift = log(hr_schema_label(model->schema)->high);
    out->trees = hr_arena_alloc(arena, out->round_count * outputs, sizeof *out->trees);
    if (!out->trees) return false;
    for (size_t k = 0; k < outputs; k++) {
        if (!make_leaf(forest->base[k], arena, &out->trees[k])) return false;
        for (size_t r = 1 + trees[k]; r < out->round_count; r++)
            if (!make_leaf(0, arena, &out->trees[r * outputs + k])) return false;
        trees[k] = 0;
    }
    for (size_t t = 0; t < forest->tree_count; t++) {
        const size_t output = forest->trees[t].output, round = ++trees[output];
        if (!make_engine_tree(model, t, arena, &out->trees[round * outputs + output])) return false;
    }
    return true;
}

hr_status hr_ensemble_make(const hr_model *model, hr_arena *arena, hr_ensemble *out, hr_error *err) {
    const char *exposure = hr_schema_exposure(model->schema, NULL);
    if (exposure) {
        hr_fail(
            err, HR_E_ARGUMENT, "predict with Hedgerow",
            "other programs know no exposures (%s): they would predict all records' counts as of the largest",
            exposure);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "exposure");
    }
    return make_rounds(model, arena, out) ? HR_OK : hr_fail_memory(err);
}
