#include "trees/candidates/leaf_finder.h"

#include <stdlib.h>

static void ask_split(hr_leaf_grid *g, uint32_t feature) {
    for (size_t i = 0; i < g->feature_count && i < 2; i++)
        if (g->features[i] == feature) return;
    if (g->feature_count < 2) g->features[g->feature_count] = feature;
    g->feature_count++;
}

/* A tree without a split is one over the first feature. */
static hr_leaf_grid grid_of(const hr_tree *tree, const hr_binning *binning) {
    hr_leaf_grid g = {.feature_count = 0};
    for (size_t n = 0; n < tree->node_count; n++)
        if (tree->nodes[n].left) ask_split(&g, tree->nodes[n].feature);
    if (!g.feature_count) g.feature_count = 1;
    if (g.feature_count == 2 && g.features[0] > g.features[1]) {
        uint32_t swap = g.features[0];
        g.features[0] = g.features[1];
        g.features[1] = swap;
    }
    g.width = g.feature_count == 2 ? binning->features[g.features[1]].bin_count : 1;
    g.cells = binning->features[g.features[0]].bin_count * g.width;
    return g;
}

/* ---- Tables ---- */

/* A table while it is filled. */
typedef struct leaf_table {
    const hr_tree *tree;
    const hr_binning *binning;
    hr_leaf_finder *finder;
} leaf_table;

/* The bins of a grid's features that reach a node. */
typedef struct region {
    uint8_t *bins[2];
    size_t counts[2];
} region;

/* Moves the bins that go left to the front; returns how many there are. */
static size_t divide_bins(const hr_tree *tree, const hr_node *node, hr_kind kind, uint8_t *bins,
                          size_t count) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t bin = bins[i];
        if (!hr_node_goes_left(tree, node, kind, bin)) continue;
        bins[i] = bins[left];
        bins[left++] = bin;
    }
    return left;
}

/* Every bin of the one feature meets every bin of the other, in any node: a split divides the bins of one of
 * them. */
static void fill_region(leaf_table *t, uint32_t n, region r) {
    const hr_node *node = &t->tree->nodes[n];
    hr_leaf_finder *f = t->finder;
    if (!node->left) {
        uint8_t place = (uint8_t)f->place_count++;
        f->nodes[place] = (uint16_t)n;
        f->places[n] = place;
        for (size_t a = 0; a < r.counts[0]; a++)
            for (size_t b = 0; b < r.counts[1]; b++)
                f->leaf_of[r.bins[0][a] * f->grid.width + r.bins[1][b]] = place;
        return;
    }
    size_t side = node->feature != f->grid.features[0];
    size_t left =
        divide_bins(t->tree, node, t->binning->features[node->feature].kind, r.bins[side], r.counts[side]);
    region rest = r;
    r.counts[side] = left;
    rest.bins[side] += left;
    rest.counts[side] -= left;
    fill_region(t, node->left, r);
    fill_region(t, node->left + 1, rest);
}

static bool fill_table(leaf_table *t) {
    hr_leaf_finder *f = t->finder;
    if (f->grid.cells > f->leaf_room) {
        uint8_t *leaf_of = realloc(f->leaf_of, f->grid.cells);
        if (!leaf_of) return false;
        f->leaf_of = leaf_of;
        f->leaf_room = f->grid.cells;
    }
    uint8_t bins[2][HR_BINS_MAX];
    for (size_t b = 0; b < HR_BINS_MAX; b++) bins[0][b] = bins[1][b] = (uint8_t)b;
    f->place_count = 0;
    fill_region(t, 0, (region){{bins[0], bins[1]}, {f->grid.cells / f->grid.width, f->grid.width}});
    return true;
}

/* ---- Finders ---- */

bool hr_leaf_finder_make(hr_leaf_finder *f, const hr_tree *tree, const hr_binning *binning,
                         const size_t *offsets, hr_arena *arena) {
    f->grid = grid_of(tree, binning);
    if (hr_leaf_finder_has_grid(f))
        return fill_table(&(leaf_table){.tree = tree, .binning = binning, .finder = f});
    if (!hr_block_tree_make(arena, tree, binning, offsets, &f->walk)) return false;
    /* From right to left: the first of a leaf's places is its own. */
    f->place_count = (size_t)1 << f->walk.depth;
    for (size_t place = f->place_count; place-- > 0;) {
        f->nodes[place] = (uint16_t)f->walk.leaves[place];
        f->places[f->nodes[place]] = (uint8_t)place;
    }
    return true;
}

void hr_leaf_finder_done(hr_leaf_finder *f) {
    free(f->leaf_of);
}

double hr_leaf_finder_memory(void) {
    return sizeof(hr_leaf_finder) + (double)HR_BINS_MAX * HR_BINS_MAX + hr_block_tree_memory();
}

void hr_leaf_grid_cells(const hr_leaf_grid *g, const hr_binned *binned, const hr_row_block *rows,
                        uint16_t *cells) {
    const uint8_t *first = hr_binned_column(binned, g->features[0]) + rows->begin;
    const uint8_t *second = hr_binned_column(binned, g->features[1]) + rows->begin;
    if (g->feature_count == 1)
        for (size_t i = 0; i < rows->count; i++) cells[i] = first[i];
    else
        hr_kernels_get()->cells_of_pair(first, second, (uint16_t)g->width, rows->count, cells);
}

void hr_leaf_finder_places(const hr_leaf_finder *f, const hr_binned *binned, const hr_row_block *rows,
                           uint8_t *places) {
    uint16_t cells[HR_WALK_BLOCK];
    if (!hr_leaf_finder_has_grid(f)) {
        hr_block_walk(&f->walk, binned->columns, rows->begin, rows->count, places);
        return;
    }
    if (f->grid.feature_count == 1) {
        const uint8_t *bins = hr_binned_column(binned, f->grid.features[0]) + rows->begin;
        for (size_t i = 0; i < rows->count; i++) places[i] = f->leaf_of[bins[i]];
        return;
    }
    hr_leaf_grid_cells(&f->grid, binned, rows, cells);
    for (size_t i = 0; i < rows->count; i++) places[i] = f->leaf_of[cells[i]];
}
