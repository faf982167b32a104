#include "trees/tree/block_walk.h"

#include "trees/tree/walk.h"

enum { WORDS = HR_BINS_MAX / 64 };

/* Parents come before their children. */
static unsigned block_tree_depth(const hr_tree *tree, uint8_t *depths) {
    unsigned deepest = 0;
    depths[0] = 0;
    for (size_t n = 0; n < tree->node_count; n++) {
        const hr_node *node = &tree->nodes[n];
        if (depths[n] > deepest) deepest = depths[n];
        if (node->left) depths[node->left] = depths[node->left + 1] = (uint8_t)(depths[n] + 1);
    }
    return deepest;
}

/* A level while it is made. */
typedef struct level_draft {
    size_t node_count, offset_count;
    hr_level_node *nodes;
    hr_level_bytes *bytes;
    size_t *offsets;
} level_draft;

static uint8_t column_of_offset(level_draft *level, size_t offset) {
    size_t c = 0;
    while (c < level->offset_count && level->offsets[c] != offset) c++;
    if (c == level->offset_count) level->offsets[level->offset_count++] = offset;
    return (uint8_t)c;
}

/* What a tree is laid out from. */
typedef struct layout_of_tree {
    hr_arena *arena;
    const hr_tree *tree;
    const hr_binning *binning;
    const size_t *offsets;
} layout_of_tree;

/* A leaf asks for no feature, whatever its node has there: it keeps the bins 0 .. 255 of the first one, which
 * are all, on the left. Returns whether it is a set that is no range. */
static bool lay_out_node(const layout_of_tree *of, const hr_node *node, hr_level_node *out) {
    *out = (hr_level_node){.offset = of->offsets[node->left ? node->feature : 0], .width = UINT8_MAX};
    hr_range_node range;
    if (!node->left) return false;
    out->is_set = !hr_walk_range(of->tree, node, &of->binning->features[node->feature], &range);
    if (out->is_set) return true;
    out->low = range.low;
    out->width = range.width;
    return false;
}

static bool lay_out_sets_of_level(const layout_of_tree *of, const uint32_t *nodes, level_draft *level) {
    uint64_t *words = hr_arena_alloc(of->arena, level->node_count * WORDS, sizeof *words);
    if (!words) return false;
    for (size_t p = 0; p < level->node_count; p++, words += WORDS) {
        const hr_node *node = &of->tree->nodes[nodes[p]];
        level->nodes[p].right = words;
        if (!node->left) continue;
        const hr_feature_bins *bins = &of->binning->features[node->feature];
        for (unsigned bin = 0; bin < bins->bin_count; bin++)
            if (!hr_node_goes_left(of->tree, node, bins->kind, (uint8_t)bin))
                words[bin / 64] |= (uint64_t)1 << (bin % 64);
    }
    return true;
}

/* nodes: of the tree, by place; a leaf above stands at all places below it. */
static bool lay_out_level(const layout_of_tree *of, const uint32_t *nodes, size_t node_count, hr_level *out) {
    level_draft level = {.node_count = node_count};
    bool has_sets = false;
    level.nodes = hr_arena_alloc(of->arena, node_count, sizeof *level.nodes);
    level.bytes = hr_arena_alloc(of->arena, 1, sizeof *level.bytes);
    level.offsets = hr_arena_alloc(of->arena, node_count, sizeof *level.offsets);
    if (!level.nodes || !level.bytes || !level.offsets) return false;
    for (size_t p = 0; p < node_count; p++) {
        hr_level_node *node = &level.nodes[p];
        has_sets |= lay_out_node(of, &of->tree->nodes[nodes[p]], node);
        level.bytes->column[p] = column_of_offset(&level, node->offset);
        level.bytes->low[p] = node->low;
        level.bytes->width[p] = node->width;
    }
    *out = (hr_level){.node_count = node_count,
                      .nodes = level.nodes,
                      .bytes = level.bytes,
                      .offsets = level.offsets,
                      .offset_count = level.offset_count,
                      .has_sets = has_sets};
    return !has_sets || lay_out_sets_of_level(of, nodes, &level);
}

/* The nodes of the next level. NULL when memory is short. */
static uint32_t *descend(const layout_of_tree *of, const uint32_t *nodes, size_t node_count) {
    uint32_t *below = hr_arena_alloc(of->arena, 2 * node_count, sizeof *below);
    for (size_t p = 0; below && p < node_count; p++) {
        uint32_t left = of->tree->nodes[nodes[p]].left;
        below[2 * p] = left ? left : nodes[p];
        below[2 * p + 1] = left ? left + 1 : nodes[p];
    }
    return below;
}

bool hr_block_tree_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning,
                        const size_t *offsets, hr_block_tree *out) {
    const layout_of_tree of = {arena, tree, binning, offsets};
    uint8_t *depths = hr_arena_alloc(arena, tree->node_count, 1);
    const uint32_t *nodes = hr_arena_alloc(arena, 1, sizeof *nodes);
    if (!depths || !nodes) return false;
    *out = (hr_block_tree){.kernels = hr_kernels_get(), .depth = block_tree_depth(tree, depths)};
    for (unsigned l = 0; nodes && l < out->depth; l++) {
        size_t node_count = (size_t)1 << l;
        if (!lay_out_level(&of, nodes, node_count, &out->levels[l])) return false;
        nodes = descend(&of, nodes, node_count);
    }
    out->leaves = nodes;
    return nodes != NULL;
}

double *hr_block_tree_values(hr_arena *arena, const hr_tree *tree, const hr_block_tree *laid_out) {
    const size_t places = (size_t)1 << laid_out->depth,
                 room = places > HR_PLACES_MAX ? places : HR_PLACES_MAX;
    double *values = hr_arena_alloc(arena, room, sizeof *values);
    for (size_t p = 0; values && p < places; p++) values[p] = tree->nodes[laid_out->leaves[p]].value;
    return values;
}

/* A node of a level: itself, its offset, its set, its number in the level and among the leaves. */
double hr_block_tree_memory(void) {
    const size_t node = sizeof(hr_level_node) + sizeof(size_t) + WORDS * sizeof(uint64_t) + sizeof(uint32_t);
    return (double)(HR_WALK_PLACES_MAX * (node + sizeof(uint32_t) + 2) +
                    HR_WALK_DEPTH_MAX * (sizeof(hr_level_bytes) + 64));
}

void hr_block_walk(const hr_block_tree *tree, const uint8_t *bins, size_t begin, size_t count,
                   uint8_t *places) {
    size_t whole = (count + HR_VECTOR_ROWS - 1) / HR_VECTOR_ROWS * HR_VECTOR_ROWS;
    tree->kernels->walk_block(tree->levels, tree->depth, bins + begin, whole, places);
}
