#include "trees/candidates/candidate_trees.h"

#include "base/arena.h"
#include "base/team.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    TREES_TOGETHER = 8,      /* that a thread lays out at a time */
    CELLS_OF_BOTH_MAX = 2048 /* sums of two features that are alone, together */
};

bool hr_candidate_trees_init(hr_candidate_trees *c, const hr_binned *binned, size_t channels, size_t room,
                             size_t threads) {
    const size_t arena_count = HR_CANDIDATE_PASSES * threads;
    *c = (hr_candidate_trees){.binned = binned, .channels = channels, .room = room, .threads = threads};
    c->leaves = hr_pages_new(binned->rows);
    c->offsets = malloc((binned->features + 1) * sizeof *c->offsets);
    c->trees = calloc(room + 1, sizeof *c->trees);
    c->grids = malloc((room + room / 2) * sizeof *c->grids);
    c->walked = malloc(room * sizeof *c->walked);
    c->asked = calloc(binned->features + 1, sizeof *c->asked);
    c->arenas = calloc(arena_count, sizeof *c->arenas);
    c->starts = malloc(arena_count * sizeof *c->starts);
    bool arenas = c->arenas && c->starts;
    for (size_t i = 0; arenas && i < arena_count; i++) arenas = (c->arenas[i] = hr_arena_new()) != NULL;
    if (!c->leaves || !c->offsets || !c->trees || !c->grids || !c->walked || !c->asked || !arenas)
        return false;
    for (size_t i = 0; i < arena_count; i++) c->starts[i] = hr_arena_get_mark(c->arenas[i]);
    for (size_t f = 0; f < binned->features; f++) c->offsets[f] = f * binned->column_stride;
    return true;
}

void hr_candidate_trees_done(hr_candidate_trees *c) {
    for (size_t t = 0; c->trees && t <= c->room; t++) hr_leaf_finder_done(&c->trees[t].finder);
    free(c->trees);
    free(c->leaves);
    free(c->offsets);
    free(c->grids);
    free(c->walked);
    free(c->asked);
    for (size_t i = 0; c->arenas && i < HR_CANDIDATE_PASSES * c->threads; i++) hr_arena_free(c->arenas[i]);
    free(c->arenas);
    free(c->starts);
}

double hr_candidate_trees_memory(size_t rows, size_t room) {
    return (double)rows + (double)HR_CANDIDATE_PASSES * (double)(room + 1) * hr_leaf_finder_memory();
}

/* ---- Shared sums ---- */

static size_t add_grid(hr_candidate_trees *c, const hr_leaf_grid *grid) {
    c->grids[c->grid_count] = (hr_shared_grid){*grid, c->shared_count, c->grid_count};
    c->shared_count += grid->cells * c->channels;
    return c->grid_count++;
}

/* Sums by cell, unless they are too many for the nearest cache. A single tree has none to share them with. */
static void share_sums(hr_candidate_trees *c, size_t tree) {
    hr_laid_out_tree *laid_out = &c->trees[tree];
    const hr_leaf_grid *grid = &laid_out->finder.grid;
    laid_out->shares_sums = c->count > 1 && hr_leaf_finder_has_grid(&laid_out->finder) &&
                            grid->cells * c->channels <= HR_CANDIDATE_CELLS_MAX;
    if (!laid_out->shares_sums) {
        c->walked[c->walked_count++] = tree;
        return;
    }
    for (laid_out->grid = 0; laid_out->grid < c->grid_count; laid_out->grid++) {
        const hr_leaf_grid *other = &c->grids[laid_out->grid].grid;
        if (other->feature_count == grid->feature_count && other->features[0] == grid->features[0] &&
            other->features[1] == grid->features[1])
            return;
    }
    laid_out->grid = add_grid(c, grid);
}

static hr_leaf_grid grid_of_both(const hr_leaf_grid *a, const hr_leaf_grid *b) {
    const bool ascend = a->features[0] < b->features[0];
    const hr_leaf_grid *first = ascend ? a : b, *second = ascend ? b : a;
    return (hr_leaf_grid){.feature_count = 2,
                          .features = {first->features[0], second->features[0]},
                          .width = second->cells,
                          .cells = first->cells * second->cells};
}

/* A grid of one feature becomes part of one of two. `lonely`: a grid that found none before; there is none at
 * the end of all grids. Returns the lonely one of now. */
static size_t join_grid(hr_candidate_trees *c, size_t grid, size_t count, size_t lonely) {
    hr_shared_grid *g = &c->grids[grid];
    const uint32_t feature = g->grid.features[0];
    for (size_t w = 0; w < c->grid_count; w++) {
        const hr_leaf_grid *wide = &c->grids[w].grid;
        if (wide->feature_count < 2 || (wide->features[0] != feature && wide->features[1] != feature))
            continue;
        g->whole = w;
        return lonely;
    }
    if (lonely == count) return grid;
    const hr_leaf_grid both = grid_of_both(&c->grids[lonely].grid, &g->grid);
    if (both.cells * c->channels > CELLS_OF_BOTH_MAX) return lonely;
    g->whole = c->grids[lonely].whole = add_grid(c, &both);
    return count;
}

static void join_grids(hr_candidate_trees *c) {
    const size_t count = c->grid_count;
    size_t lonely = count;
    for (size_t g = 0; g < count; g++)
        if (c->grids[g].grid.feature_count == 1) lonely = join_grid(c, g, count, lonely);
}

/* ---- Laying trees out ---- */

typedef struct layout_pass {
    hr_candidate_trees *candidates;
    const hr_tree *trees;
    hr_arena **arenas; /* one a member of the team */
    atomic_bool failed;
} layout_pass;

static void lay_trees_out(void *of, size_t member, size_t begin, size_t end) {
    layout_pass *p = of;
    const hr_candidate_trees *c = p->candidates;
    for (size_t t = begin; t < end; t++)
        if (!hr_leaf_finder_make(&c->trees[t].finder, &p->trees[t], c->binned->binning, c->offsets,
                                 p->arenas[member]))
            p->failed = true;
}

bool hr_candidate_trees_lay_out(hr_candidate_trees *c, const hr_tree *candidates, size_t count) {
    const size_t first = ++c->pass % HR_CANDIDATE_PASSES * c->threads;
    layout_pass pass = {.candidates = c, .trees = candidates, .arenas = c->arenas + first};
    for (size_t w = 0; w < c->threads; w++) hr_arena_rewind(pass.arenas[w], c->starts[first + w]);
    c->count = count;
    c->grid_count = c->shared_count = c->walked_count = c->ahead_count = 0;
    hr_team_share(c->threads, count, TREES_TOGETHER, lay_trees_out, &pass);
    for (size_t t = 0; t < count; t++) {
        const hr_tree *tree = &candidates[t];
        share_sums(c, t);
        for (size_t n = 0; n < tree->node_count && c->ahead_count < HR_CANDIDATE_AHEAD; n++) {
            const hr_node *node = &tree->nodes[n];
            if (!node->left || c->asked[node->feature] == c->pass) continue;
            c->asked[node->feature] = c->pass;
            c->ahead[c->ahead_count++] = c->offsets[node->feature];
        }
    }
    join_grids(c);
    return !pass.failed;
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
