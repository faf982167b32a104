#include "trees/records/tree_scores.h"

#include "base/fail.h"
#include "base/team.h"
#include "trees/tree/place_tree.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = HR_PLACES_BLOCK, FIRST_TREES = 16 };

struct hr_tree_scores {
    const hr_binned *binned;
    size_t outputs, workers;
    const hr_tree **trees;
    hr_place_tree *places; /* the first placed_count of them, laid out */
    size_t count, room, placed_count;
    size_t *offsets; /* of a feature's column in a block */
    bool *asked;     /* of a feature: a tree of this walk splits by it */
    uint8_t *bins;   /* per worker: the columns of a block */
    double *block;   /* per worker: the scores of a block, output after output */
    hr_arena *scratch;
    hr_arena_mark scratch_start;
};

/* ---- Trees ---- */

void hr_tree_scores_free(hr_tree_scores *s) {
    if (!s) return;
    free(s->trees);
    free(s->places);
    free(s->bins);
    hr_arena_free(s->scratch);
    free(s);
}

hr_status hr_tree_scores_new(const hr_binned *binned, size_t outputs, int threads, hr_tree_scores **out,
                             hr_error *err) {
    const size_t blocks = (binned->rows + BLOCK - 1) / BLOCK, most = (size_t)threads;
    hr_tree_scores *s = calloc(1, sizeof *s);
    if (!s) return hr_fail_memory(err);
    *s = (hr_tree_scores){.binned = binned,
                          .outputs = outputs,
                          .workers = most < blocks ? most
                                     : blocks      ? blocks
                                                   : 1,
                          .scratch = hr_arena_new()};
    if (!s->scratch) {
        hr_tree_scores_free(s);
        return hr_fail_memory(err);
    }
    s->scratch_start = hr_arena_get_mark(s->scratch);
    *out = s;
    return HR_OK;
}

hr_status hr_tree_scores_keep(hr_tree_scores *s, const hr_tree *trees, size_t count, hr_error *err) {
    if (s->count + count > s->room) {
        size_t room = s->room ? s->room : FIRST_TREES;
        while (room < s->count + count) room *= 2;
        const hr_tree **pointers = realloc(s->trees, room * sizeof *pointers);
        if (pointers) s->trees = pointers;
        hr_place_tree *places = realloc(s->places, room * sizeof *places);
        if (places) s->places = places;
        if (!pointers || !places) return hr_fail_memory(err);
        s->room = room;
    }
    for (size_t i = 0; i < count; i++) s->trees[s->count++] = &trees[i];
    return HR_OK;
}

size_t hr_tree_scores_count(const hr_tree_scores *s) {
    return s->count;
}

const hr_tree *hr_tree_scores_tree(const hr_tree_scores *s, size_t index) {
    return s->trees[index];
}

void hr_tree_scores_forget(hr_tree_scores *s) {
    hr_arena_rewind(s->scratch, s->scratch_start);
    s->count = s->placed_count = 0;
}

/* ---- Walks ---- */

/* Fits whose trees leave their records by leaf never come here. Bytes past the records of a block are walked,
 * and count for nothing: they are zeroed once. */
static bool make_room_for_blocks(hr_tree_scores *s) {
    const size_t features = s->binned->features;
    if (s->bins) return true;
    s->offsets = hr_arena_alloc(s->scratch, features, sizeof *s->offsets);
    s->asked = hr_arena_alloc(s->scratch, features, sizeof *s->asked);
    s->block = hr_arena_alloc(s->scratch, s->workers * s->outputs, BLOCK * sizeof *s->block);
    if (!s->offsets || !s->asked || !s->block) return false;
    for (size_t f = 0; f < features; f++) s->offsets[f] = f * BLOCK;
    s->scratch_start = hr_arena_get_mark(s->scratch);
    return (s->bins = calloc(s->workers * features + 1, BLOCK));
}

/* A tree is laid out when it is first needed, and kept: every part of an ensemble walks down all trees before
 * it. */
static bool lay_out_trees(hr_tree_scores *s) {
    for (; s->placed_count < s->count; s->placed_count++)
        if (!hr_place_tree_make(s->scratch, s->trees[s->placed_count], s->binned->binning, s->offsets,
                                &s->places[s->placed_count]))
            return false;
    return true;
}

static void gather_sparse_bins(const hr_tree_scores *s, const uint32_t *rows, size_t begin, size_t count,
                               uint8_t *bins) {
    const hr_sparse_bins *sparse = s->binned->sparse;
    for (size_t f = 0; f < s->binned->features; f++)
        if (s->asked[f]) memset(bins + s->offsets[f], sparse->absent[f], count);
    for (size_t i = 0; i < count; i++) {
        const size_t row = rows ? rows[begin + i] : begin + i;
        for (size_t e = sparse->begins[row]; e < sparse->begins[row + 1]; e++)
            if (s->asked[sparse->features[e]]) bins[s->offsets[sparse->features[e]] + i] = sparse->bins[e];
    }
}

/* Records of a list are far apart: a line of their tiles has many features. */
static void gather_bins(const hr_tree_scores *s, const uint32_t *rows, size_t begin, size_t count,
                        uint8_t *bins) {
    if (s->binned->sparse) {
        gather_sparse_bins(s, rows, begin, count, bins);
        return;
    }
    for (size_t f = 0; f < s->binned->features; f++) {
        if (!s->asked[f]) continue;
        uint8_t *out = bins + s->offsets[f];
        if (!rows) {
            memcpy(out, hr_binned_column(s->binned, f) + begin, count);
            continue;
        }
        const uint8_t *tiles = s->binned->tiles + hr_binned_offset(s->binned, f);
        for (size_t i = 0; i < count; i++) out[i] = tiles[(size_t)rows[begin + i] * HR_TILE];
    }
}

typedef struct tree_scores_walk {
    const hr_tree_scores *scores;
    size_t from;
    const uint32_t *rows;
    double *out;
} tree_scores_walk;

static void add_to_block(void *of, size_t member, size_t begin, size_t end) {
    const tree_scores_walk *walk = of;
    const hr_tree_scores *s = walk->scores;
    const size_t outputs = s->outputs, count = end - begin;
    uint8_t *bins = s->bins + member * s->binned->features * BLOCK;
    double *block = s->block + member * outputs * BLOCK;
    gather_bins(s, walk->rows, begin, count, bins);
    for (size_t i = 0; i < count; i++) {
        const double *scores = walk->out + (walk->rows ? walk->rows[begin + i] : begin + i) * outputs;
        for (size_t k = 0; k < outputs; k++) block[k * BLOCK + i] = scores[k];
    }
    hr_place_trees_add(s->places + walk->from, s->count - walk->from, bins, count, block);
    for (size_t i = 0; i < count; i++) {
        double *scores = walk->out + (walk->rows ? walk->rows[begin + i] : begin + i) * outputs;
        for (size_t k = 0; k < outputs; k++) scores[k] = block[k * BLOCK + i];
    }
}

hr_status hr_tree_scores_add(hr_tree_scores *s, size_t from, const uint32_t *rows, size_t count, double *out,
                             hr_error *err) {
    if (!make_room_for_blocks(s) || !lay_out_trees(s)) return hr_fail_memory(err);
    memset(s->asked, 0, s->binned->features * sizeof *s->asked);
    for (size_t t = from; t < s->count; t++)
        for (size_t n = 0; n < s->trees[t]->node_count; n++)
            if (s->trees[t]->nodes[n].left) s->asked[s->trees[t]->nodes[n].feature] = true;

    tree_scores_walk walk = {s, from, rows, out};
    hr_team_share(s->workers, count, BLOCK, add_to_block, &walk);
    return HR_OK;
}
