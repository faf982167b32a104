#include "models/export/covers.h"

#include "models/explain/leaf_facts.h"
#include "models/explain/shares.h"

#include <math.h>
#include <string.h>

/* Turns the shares of a node's records that go to each child into records. */
static void spread_records(const hr_tree *tree, double records, double *shares) {
    shares[0] = records;
    for (size_t n = 0; n < tree->node_count; n++)
        for (uint32_t i = 0; i < hr_node_child_count(&tree->nodes[n]); i++)
            shares[tree->nodes[n].left + i] *= shares[n];
}

bool hr_covers_of_tree(const hr_model *model, size_t t, hr_arena *arena, uint32_t *covers) {
    const hr_tree *tree = &model->forest.trees[t];
    const double *counts = hr_forest_counts(&model->forest, t);
    double *records = hr_arena_alloc(arena, tree->node_count, sizeof *records), all = 0;
    if (!records) return false;
    if (counts) {
        memcpy(records, counts, tree->node_count * sizeof *records);
    } else {
        hr_shares_of_bounds(tree, model->schema, records);
        spread_records(tree, HR_COVERS_OF_BOUNDS, records);
    }
    for (size_t n = 0; n < tree->node_count; n++)
        if (!tree->nodes[n].left) all += fmax(records[n], 1);
    const double scale = all > HR_COVERS_MOST ? HR_COVERS_MOST / all : 1;
    for (size_t n = 0; n < tree->node_count; n++)
        covers[n] = tree->nodes[n].left ? 0 : (uint32_t)fmax(nearbyint(records[n] * scale), 1);
    return true;
}

bool hr_covers_number_leaves(const hr_tree *tree, hr_arena *arena, hr_tree *out) {
    *out = *tree;
    out->nodes = hr_arena_alloc(arena, tree->node_count, sizeof *out->nodes);
    if (!out->nodes) return false;
    memcpy(out->nodes, tree->nodes, tree->node_count * sizeof *out->nodes);
    for (size_t n = 0; n < tree->node_count; n++)
        if (!tree->nodes[n].left) out->nodes[n].first = (uint32_t)n;
    return true;
}

void hr_covers_add_up(hr_engine_tree *tree) {
    for (size_t n = tree->node_count; n-- > 0;) {
        hr_engine_node *node = &tree->nodes[n];
        if (node->split != HR_ENGINE_LEAF)
            node->cover = tree->nodes[node->yes].cover + tree->nodes[node->yes + 1].cover;
    }
}
