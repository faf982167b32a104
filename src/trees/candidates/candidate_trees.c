#include "trees/candidates/candidate_trees.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = HR_WALK_BLOCK, PLACES = HR_WALK_PLACES_MAX, LANES = 4 };

bool hr_candidate_trees_init(hr_candidate_trees *c, const hr_binned *binned, size_t channels, size_t room) {
    *c = (hr_candidate_trees){.binned = binned, .channels = channels, .room = room};
    c->leaves = hr_pages_new(binned->rows);
    c->offsets = malloc((binned->features + 1) * sizeof *c->offsets);
    c->trees = calloc(room + 1, sizeof *c->trees);
    c->grids = malloc(room * sizeof *c->grids);
    c->asked = calloc(binned->features + 1, sizeof *c->asked);
    bool arenas = true;
    for (int i = 0; i < HR_CANDIDATE_PASSES; i++) arenas = (c->arenas[i] = hr_arena_new()) && arenas;
    if (!c->leaves || !c->offsets || !c->trees || !c->grids || !c->asked || !arenas) return false;
    for (int i = 0; i < HR_CANDIDATE_PASSES; i++) c->starts[i] = hr_arena_get_mark(c->arenas[i]);
    for (size_t f = 0; f < binned->features; f++) c->offsets[f] = f * binned->column_stride;
    return true;
}

void hr_candidate_trees_done(hr_candidate_trees *c) {
    for (size_t t = 0; c->trees && t <= c->room; t++) hr_leaf_finder_done(&c->trees[t].finder);
    free(c->trees);
    free(c->leaves);
    free(c->offsets);
    free(c->grids);
    free(c->asked);
    for (int i = 0; i < HR_CANDIDATE_PASSES; i++) hr_arena_free(c->arenas[i]);
}

double hr_candidate_trees_memory(size_t rows, size_t room) {
    return (double)rows + (double)HR_CANDIDATE_PASSES * (double)(room + 1) * hr_leaf_finder_memory();
}

/* ---- Laying trees out ---- */

static bool same_features(const hr_leaf_grid *a, const hr_leaf_grid *b) {
    return a->feature_count == b->feature_count && a->features[0] == b->features[0] &&
           a->features[1] == b->features[1];
}

/* Sums by cell, unless they are too many for the nearest cache. A single tree has none to share them with. */
static void share_sums(hr_candidate_trees *c, hr_laid_out_tree *tree) {
    const hr_leaf_grid *grid = &tree->finder.grid;
    tree->shares_sums = c->count > 1 && hr_leaf_finder_has_grid(&tree->finder) &&
                        grid->cells * c->channels <= HR_CANDIDATE_CELLS_MAX;
    if (!tree->shares_sums) return;
    for (tree->grid = 0; tree->grid < c->grid_count; tree->grid++)
        if (same_features(&c->grids[tree->grid].grid, grid)) return;
    c->grids[c->grid_count++] = (hr_shared_grid){*grid, c->shared_count};
    c->shared_count += grid->cells * c->channels;
}

static void list_columns(hr_candidate_trees *c, const hr_tree *tree) {
    for (size_t n = 0; n < tree->node_count && c->ahead_count < HR_CANDIDATE_AHEAD; n++) {
        const hr_node *node = &tree->nodes[n];
        if (!node->left || c->asked[node->feature] == c->pass) continue;
        c->asked[node->feature] = c->pass;
        c->ahead[c->ahead_count++] = c->offsets[node->feature];
    }
}

bool hr_candidate_trees_lay_out(hr_candidate_trees *c, const hr_tree *candidates, size_t count) {
    c->pass++;
    hr_arena *arena = c->arenas[c->pass % HR_CANDIDATE_PASSES];
    hr_arena_rewind(arena, c->starts[c->pass % HR_CANDIDATE_PASSES]);
    c->count = count;
    c->grid_count = c->shared_count = c->ahead_count = 0;
    for (size_t t = 0; t < count; t++) {
        hr_laid_out_tree *tree = &c->trees[t];
        if (!hr_leaf_finder_make(&tree->finder, &candidates[t], c->binned->binning, c->offsets, arena))
            return false;
        share_sums(c, tree);
        list_columns(c, &candidates[t]);
    }
    return true;
}

/* ---- The step ---- */

/* The step's tree changes places with the chosen one's; a walk's layout moves to the arena that the next
 * round leaves alone. */
const hr_leaf_finder *hr_candidate_trees_set_step(hr_candidate_trees *c, size_t tree) {
    hr_laid_out_tree swap = c->trees[c->room];
    c->trees[c->room] = c->trees[tree];
    c->trees[tree] = swap;
    c->step_keeps_leaves = c->keeps_leaves;
    return &c->trees[c->room].finder;
}

const uint8_t *hr_candidate_trees_step_places(const hr_candidate_trees *c, const hr_row_block *rows,
                                              uint8_t *room) {
    if (c->step_keeps_leaves) return c->leaves + rows->begin;
    hr_leaf_finder_places(&c->trees[c->room].finder, c->binned, rows, room);
    return room;
}

/* ---- Sums ---- */

void hr_candidate_trees_clear(const hr_candidate_trees *c, const hr_candidate_sums *sums) {
    memset(sums->leaves, 0, c->count * PLACES * c->channels * sizeof *sums->leaves);
    memset(sums->cells, 0, c->shared_count * sizeof *sums->cells);
}

/* Where the records of a block are added. */
typedef struct lane {
    uint16_t places[BLOCK];
    int64_t *sums;
    size_t stride; /* of a channel */
} lane;

/* A block that is added to several trees or grids at a time. */
typedef struct lanes {
    const hr_candidate_trees *candidates;
    const hr_row_block *rows;
    const int64_t *words;
    size_t count;
    lane all[LANES];
} lanes;

/* Additions to the same place wait for each other: full lanes go side by side. */
static void add_lanes(lanes *l) {
    const size_t records = l->rows->count;
    for (size_t k = 0; k < l->candidates->channels; k++) {
        const int64_t *words = l->words + k * BLOCK;
        int64_t *sums[LANES];
        for (size_t j = 0; j < l->count; j++) sums[j] = l->all[j].sums + k * l->all[j].stride;
        if (l->count == LANES)
            for (size_t i = 0; i < records; i++)
                for (size_t j = 0; j < LANES; j++) sums[j][l->all[j].places[i]] += words[i];
        else
            for (size_t j = 0; j < l->count; j++)
                for (size_t i = 0; i < records; i++) sums[j][l->all[j].places[i]] += words[i];
    }
    l->count = 0;
}

/* Its places are the caller's to fill. */
static uint16_t *next_lane(lanes *l, int64_t *sums, size_t stride) {
    if (l->count == LANES) add_lanes(l);
    lane *next = &l->all[l->count++];
    next->sums = sums;
    next->stride = stride;
    return next->places;
}

static void add_grids(lanes *l, const hr_candidate_sums *sums) {
    const hr_candidate_trees *c = l->candidates;
    for (size_t g = 0; g < c->grid_count; g++) {
        const hr_shared_grid *of = &c->grids[g];
        uint16_t *cells = next_lane(l, sums->cells + of->begin, of->grid.cells);
        hr_leaf_grid_cells(&of->grid, c->binned, l->rows, cells);
    }
}

static void add_tree(lanes *l, size_t tree, const hr_candidate_sums *sums) {
    const hr_candidate_trees *c = l->candidates;
    const hr_row_block *rows = l->rows;
    uint8_t places[BLOCK];
    uint16_t *wide = next_lane(l, sums->leaves + tree * PLACES * c->channels, PLACES);
    hr_leaf_finder_places(&c->trees[tree].finder, c->binned, rows, places);
    for (size_t i = 0; i < rows->count; i++) wide[i] = places[i];
    if (c->keeps_leaves) memcpy(c->leaves + rows->begin, places, rows->count);
}

void hr_candidate_trees_add(const hr_candidate_trees *c, const hr_row_block *rows, const int64_t *words,
                            const hr_candidate_sums *sums) {
    const size_t next = rows->begin + BLOCK;
    for (size_t i = 0; i < c->ahead_count && next + BLOCK <= c->binned->rows; i++)
        hr_ask_block_ahead(c->binned->columns + c->ahead[i] + next, BLOCK);

    lanes l;
    l.candidates = c;
    l.rows = rows;
    l.words = words;
    l.count = 0;
    add_grids(&l, sums);
    for (size_t t = 0; t < c->count; t++)
        if (!c->trees[t].shares_sums) add_tree(&l, t, sums);
    add_lanes(&l);
}

void hr_candidate_trees_fold(const hr_candidate_trees *c, const hr_candidate_sums *sums) {
    for (size_t t = 0; t < c->count; t++) {
        const hr_laid_out_tree *tree = &c->trees[t];
        int64_t *leaves = sums->leaves + t * PLACES * c->channels;
        for (size_t k = 0; tree->shares_sums && k < c->channels; k++) {
            const size_t count = tree->finder.grid.cells;
            const int64_t *cells = sums->cells + c->grids[tree->grid].begin + k * count;
            for (size_t i = 0; i < count; i++) leaves[k * PLACES + tree->finder.leaf_of[i]] += cells[i];
        }
    }
}
