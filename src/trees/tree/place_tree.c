#include "trees/tree/place_tree.h"

#include "base/kernels/kernels.h"

#include <string.h>

enum { SPLITS_MAX = HR_PLACES_MAX - 1, NO_SPLIT = SPLITS_MAX };

/* The upper splits: the first ones level by level, at most SPLITS_MAX. */
typedef struct upper_part {
    uint32_t nodes[SPLITS_MAX];
    uint8_t children[SPLITS_MAX][2];               /* which splits they are; NO_SPLIT: places */
    uint8_t places[SPLITS_MAX], first[SPLITS_MAX]; /* how many places are below a split, and the first one */
    uint8_t order[SPLITS_MAX + 1];                 /* where a split stands in hr_places */
    unsigned depths[SPLITS_MAX];
    size_t count, inner;
} upper_part;

static uint8_t take_split(upper_part *u, const hr_tree *tree, uint32_t node, unsigned depth) {
    if (!tree->nodes[node].left || u->count == SPLITS_MAX) return NO_SPLIT;
    u->nodes[u->count] = node;
    u->depths[u->count] = depth;
    return (uint8_t)u->count++;
}

static uint8_t places_below(const upper_part *u, size_t split, size_t side) {
    uint8_t child = u->children[split][side];
    return child == NO_SPLIT ? 1 : u->places[child];
}

static bool is_inner(const upper_part *u, size_t split) {
    return u->children[split][0] != NO_SPLIT || u->children[split][1] != NO_SPLIT;
}

static void gather_upper(upper_part *u, const hr_tree *tree) {
    take_split(u, tree, 0, 0);
    for (size_t s = 0; s < u->count; s++)
        for (uint32_t side = 0; side < 2; side++)
            u->children[s][side] =
                take_split(u, tree, tree->nodes[u->nodes[s]].left + side, u->depths[s] + 1);

    for (size_t s = u->count; s-- > 0;)
        u->places[s] = (uint8_t)(places_below(u, s, 0) + places_below(u, s, 1));
    for (size_t s = 0; s < u->count; s++)
        for (size_t side = 0; side < 2; side++)
            if (u->children[s][side] != NO_SPLIT)
                u->first[u->children[s][side]] = (uint8_t)(u->first[s] + (side ? places_below(u, s, 0) : 0));

    for (size_t s = 0; s < u->count; s++) u->inner += is_inner(u, s);
    size_t inner = 0, last = u->inner;
    for (size_t s = 0; s < u->count; s++) u->order[s] = (uint8_t)(is_inner(u, s) ? inner++ : last++);
    u->order[NO_SPLIT] = NO_SPLIT;
}

static bool lay_out_upper_splits(hr_arena *arena, const upper_part *u, const hr_tree *tree,
                                 const hr_binning *binning, const size_t *offsets, hr_place_split *splits) {
    for (size_t s = 0; s < u->count; s++) {
        const hr_node *node = &tree->nodes[u->nodes[s]];
        hr_place_split *split = &splits[u->order[s]];
        *split = (hr_place_split){.offset = offsets[node->feature],
                                  .places_left = places_below(u, s, 0),
                                  .left_records = u->order[u->children[s][0]],
                                  .right_records = u->order[u->children[s][1]]};
        const hr_feature_bins *bins = &binning->features[node->feature];
        hr_range_node range;
        if (hr_walk_range(tree, node, bins, &range)) {
            split->low = range.low;
            split->width = range.width;
            continue;
        }
        uint8_t *right = hr_arena_alloc(arena, HR_BINS_MAX, 1);
        if (!right) return false;
        for (unsigned bin = 0; bin < bins->bin_count; bin++)
            right[bin] = hr_node_goes_left(tree, node, bins->kind, (uint8_t)bin) ? 0 : UINT8_MAX;
        split->right = right;
    }
    return true;
}

/* What the places add; or, where some are splits, at which nodes the walk goes on. */
static bool lay_out_places(hr_arena *arena, const upper_part *u, const hr_tree *tree, hr_place_tree *out) {
    uint32_t entries[HR_PLACES_MAX] = {0};
    for (size_t s = 0; s < u->count; s++)
        for (uint32_t side = 0; side < 2; side++) {
            const uint32_t child = tree->nodes[u->nodes[s]].left + side;
            const unsigned below = out->walk.depth - u->depths[s] - 1;
            if (u->children[s][side] != NO_SPLIT) continue;
            entries[u->first[s] + (side ? places_below(u, s, 0) : 0)] = child;
            if (tree->nodes[child].left && below > out->steps_below) out->steps_below = below;
        }
    if (out->steps_below) {
        uint32_t *kept = hr_arena_alloc(arena, HR_PLACES_MAX, sizeof *kept);
        if (kept) memcpy(kept, entries, sizeof entries);
        return (out->entries = kept);
    }
    double *values = hr_arena_alloc(arena, HR_PLACES_MAX, sizeof *values);
    for (size_t p = 0; values && p <= u->count; p++) values[p] = tree->nodes[entries[p]].value;
    return (out->values = values);
}

static bool lay_out_upper_part(hr_arena *arena, const hr_tree *tree, const hr_binning *binning,
                               const size_t *offsets, hr_place_tree *out) {
    upper_part u = {.count = 0};
    gather_upper(&u, tree);
    hr_place_split *splits = hr_arena_alloc(arena, u.count + 1, sizeof *splits);
    out->upper = (hr_places){.splits = splits, .inner = u.inner, .count = u.count};
    return splits && lay_out_upper_splits(arena, &u, tree, binning, offsets, splits) &&
           lay_out_places(arena, &u, tree, out);
}

/* Fewer levels, or levels that are nearly empty, take more time than the splits one by one. */
static bool is_walked_by_levels(size_t splits, unsigned depth) {
    enum { DEPTH_MIN = 4, PLACES_A_SPLIT = 4 };
    if (depth > HR_WALK_DEPTH_MAX) return false;
    return splits > SPLITS_MAX || (depth >= DEPTH_MIN && splits >= ((size_t)1 << depth) / PLACES_A_SPLIT);
}

static bool lay_out_levels(hr_arena *arena, const hr_tree *tree, const hr_binning *binning,
                           const size_t *offsets, hr_place_tree *out) {
    hr_block_tree *levels = hr_arena_alloc(arena, 1, sizeof *levels);
    if (!levels || !hr_block_tree_make(arena, tree, binning, offsets, levels)) return false;
    out->levels = levels;
    return (out->level_values = hr_block_tree_values(arena, tree, levels));
}

bool hr_place_tree_make(hr_arena *arena, const hr_tree *tree, const hr_binning *binning,
                        const size_t *offsets, hr_place_tree *out) {
    const size_t splits = tree->node_count / 2;
    *out = (hr_place_tree){0};
    if (!hr_walk_tree_make(arena, tree, binning, offsets, &out->walk)) return false;
    if (splits > SPLITS_MAX && !hr_pair_grid_make(arena, tree, binning, offsets, &out->grid)) return false;
    if (out->grid.cells) return true;
    return (is_walked_by_levels(splits, out->walk.depth) ? lay_out_levels : lay_out_upper_part)(
        arena, tree, binning, offsets, out);
}

/* ---- Walks ---- */

/* Records or trees that are walked side by side, so that a step of one does not wait for another's. */
enum { LANES = 8 };

/* The node below `node` for a record whose bin of column c is bins[c * stride]. */
static inline uint32_t node_below(const hr_walk_tree *tree, const uint8_t *bins, size_t stride,
                                  uint32_t node) {
    if (tree->ranges) {
        const hr_range_node *range = &tree->ranges[node];
        uint8_t above_low = (uint8_t)(bins[range->offset / HR_PLACES_BLOCK * stride] - range->low);
        return range->left + (above_low > range->width);
    }
    const hr_set_node *set = &tree->sets[node];
    return set->left + (uint32_t)hr_bin_set_has(&set->right, bins[set->offset / HR_PLACES_BLOCK * stride]);
}

static void add_tree_to_block(const hr_place_tree *tree, const uint8_t *bins, double *scores) {
    if (tree->grid.cells) {
        hr_pair_grid_add(&tree->grid, bins, scores);
        return;
    }
    const hr_kernels *kernels = hr_kernels_get();
    uint8_t places[HR_PLACES_BLOCK];
    if (tree->levels) {
        hr_block_walk(tree->levels, bins, 0, HR_PLACES_BLOCK, places);
        if ((size_t)1 << tree->levels->depth <= HR_PLACES_MAX)
            kernels->add_by_place(tree->level_values, places, scores);
        else
            for (size_t i = 0; i < HR_PLACES_BLOCK; i++) scores[i] += tree->level_values[places[i]];
        return;
    }
    kernels->places_of_block(&tree->upper, bins, places);
    if (tree->values) {
        kernels->add_by_place(tree->values, places, scores);
        return;
    }
    uint32_t at[HR_PLACES_BLOCK];
    for (size_t i = 0; i < HR_PLACES_BLOCK; i++) at[i] = tree->entries[places[i]];
    for (size_t first = 0; first < HR_PLACES_BLOCK; first += LANES)
        for (unsigned step = 0; step < tree->steps_below; step++)
            for (size_t i = first; i < first + LANES; i++)
                at[i] = node_below(&tree->walk, bins + i, HR_PLACES_BLOCK, at[i]);
    for (size_t i = 0; i < HR_PLACES_BLOCK; i++) scores[i] += tree->walk.values[at[i]];
}

static inline void add_trees_to_one(const hr_place_tree *trees, size_t count, const uint8_t *bins,
                                    size_t stride, double *scores) {
    uint32_t at[LANES] = {0};
    unsigned depth = 0;
    for (size_t t = 0; t < count; t++) depth = trees[t].walk.depth > depth ? trees[t].walk.depth : depth;
    for (unsigned step = 0; step < depth; step++)
        for (size_t t = 0; t < count; t++) at[t] = node_below(&trees[t].walk, bins, stride, at[t]);
    for (size_t t = 0; t < count; t++) scores[trees[t].walk.output * stride] += trees[t].walk.values[at[t]];
}

void hr_place_trees_add_to_one(const hr_place_tree *trees, size_t count, const uint8_t *bins, size_t stride,
                               double *scores) {
    size_t t = 0;
    for (; t + LANES <= count; t += LANES) add_trees_to_one(trees + t, LANES, bins, stride, scores);
    add_trees_to_one(trees + t, count - t, bins, stride, scores);
}

/* So few records are faster walked one by one than as a block; measured by bench/bench_predict.c. */
enum { FEW = 48 };

void hr_place_trees_add(const hr_place_tree *trees, size_t tree_count, const uint8_t *bins, size_t count,
                        double *scores) {
    if (count <= FEW)
        for (size_t i = 0; i < count; i++)
            hr_place_trees_add_to_one(trees, tree_count, bins + i, HR_PLACES_BLOCK, scores + i);
    else
        for (size_t t = 0; t < tree_count; t++)
            add_tree_to_block(&trees[t], bins, scores + trees[t].walk.output * HR_PLACES_BLOCK);
}
