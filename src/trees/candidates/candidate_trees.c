#include "trees/candidates/candidate_trees.h"

#include "base/arena.h"
#include "base/team.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = HR_WALK_BLOCK,
    PLACES = HR_WALK_PLACES_MAX,
    LANES = 4,
    TREES_TOGETHER = 8 /* that a thread lays out at a time */
};

bool hr_candidate_trees_init(hr_candidate_trees *c, const hr_binned *binned, size_t channels, size_t room,
                             size_t threads) {
    const size_t arena_count = HR_CANDIDATE_PASSES * threads;
    *c = (hr_candidate_trees){.binned = binned, .channels = channels, .room = room, .threads = threads};
    c->leaves = hr_pages_new(binned->rows);
    c->offsets = malloc((binned->features + 1) * sizeof *c->offsets);
    c->trees = calloc(room + 1, sizeof *c->trees);
    c->grids = malloc(room * sizeof *c->grids);
    c->asked = calloc(binned->features + 1, sizeof *c->asked);
    c->arenas = calloc(arena_count, sizeof *c->arenas);
    c->starts = malloc(arena_count * sizeof *c->starts);
    bool arenas = c->arenas && c->starts;
    for (size_t i = 0; arenas && i < arena_count; i++) arenas = (c->arenas[i] = hr_arena_new()) != NULL;
    if (!c->leaves || !c->offsets || !c->trees || !c->grids || !c->asked || !arenas) return false;
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
    free(c->asked);
    for (size_t i = 0; c->arenas && i < HR_CANDIDATE_PASSES * c->threads; i++) hr_arena_free(c->arenas[i]);
    free(c->arenas);
    free(c->starts);
}

double hr_candidate_trees_memory(size_t rows, size_t room) {
    return (double)rows + (double)HR_CANDIDATE_PASSES * (double)(room + 1) * hr_leaf_finder_memory();
}

/* ---- Laying trees out ---- */

/* Sums by cell, unless they are too many for the nearest cache. A single tree has none to share them with. */
static void share_sums(hr_candidate_trees *c, hr_laid_out_tree *tree) {
    const hr_leaf_grid *grid = &tree->finder.grid;
    tree->shares_sums = c->count > 1 && hr_leaf_finder_has_grid(&tree->finder) &&
                        grid->cells * c->channels <= HR_CANDIDATE_CELLS_MAX;
    if (!tree->shares_sums) return;
    for (tree->grid = 0; tree->grid < c->grid_count; tree->grid++) {
        const hr_leaf_grid *other = &c->grids[tree->grid].grid;
        if (other->feature_count == grid->feature_count && other->features[0] == grid->features[0] &&
            other->features[1] == grid->features[1])
            return;
    }
    c->grids[c->grid_count++] = (hr_shared_grid){*grid, c->shared_count};
    c->shared_count += grid->cells * c->channels;
}

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
    c->grid_count = c->shared_count = c->ahead_count = 0;
    hr_team_share(c->threads, count, TREES_TOGETHER, lay_trees_out, &pass);
    for (size_t t = 0; t < count; t++) {
        const hr_tree *tree = &candidates[t];
        share_sums(c, &c->trees[t]);
        for (size_t n = 0; n < tree->node_count && c->ahead_count < HR_CANDIDATE_AHEAD; n++) {
            const hr_node *node = &tree->nodes[n];
            if (!node->left || c->asked[node->feature] == c->pass) continue;
            c->asked[node->feature] = c->pass;
            c->ahead[c->ahead_count++] = c->offsets[node->feature];
        }
    }
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
    for (size_t g = 0; g < c->grid_count; g++) {
        const hr_shared_grid *of = &c->grids[g];
        uint16_t *cells = next_lane(&l, sums->cells + of->begin, of->grid.cells);
        hr_leaf_grid_cells(&of->grid, c->binned, rows, cells);
    }
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
