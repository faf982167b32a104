#include "trees/candidates/candidate_sums.h"

#include <string.h>

enum {
    BLOCK = HR_WALK_BLOCK,
    PLACES = HR_WALK_PLACES_MAX,
    COPIES = HR_CANDIDATE_COPIES,
    LANES = 2, /* tables that a block is added to side by side */
    FIRST_IS_LOW = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
};

void hr_candidate_sums_clear(const hr_candidate_trees *c, const hr_candidate_sums *sums) {
    memset(sums->leaves, 0, c->count * PLACES * c->channels * sizeof *sums->leaves);
    memset(sums->cells, 0, c->shared_count * sizeof *sums->cells);
    if (c->count == 1) memset(sums->copies, 0, c->channels * COPIES * PLACES * sizeof *sums->copies);
}

/* A block of records, which is added to sums. */
typedef struct added_block {
    const hr_candidate_trees *candidates;
    const hr_row_block *rows;
    const int64_t *words;
    const hr_candidate_sums *sums;
} added_block;

/* Eight places, or four cells, are loaded as one number. */
static inline uint64_t load_together(const void *from) {
    uint64_t all;
    memcpy(&all, from, sizeof all);
    return all;
}

static inline uint8_t place_of(uint64_t eight, unsigned i) {
    return (uint8_t)(eight >> 8 * (FIRST_IS_LOW ? i : 7 - i));
}

static inline uint16_t cell_of(uint64_t four, unsigned i) {
    return (uint16_t)(four >> 16 * (FIRST_IS_LOW ? i : 3 - i));
}

/* Additions to the same sum wait for each other: two tables go side by side. */
static void add_two_by_cells(const int64_t *restrict words, uint16_t cells[LANES][BLOCK], size_t count,
                             int64_t *a, int64_t *b) {
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const uint64_t of_a = load_together(cells[0] + i), of_b = load_together(cells[1] + i);
        for (unsigned j = 0; j < 4; j++) {
            a[cell_of(of_a, j)] += words[i + j];
            b[cell_of(of_b, j)] += words[i + j];
        }
    }
    for (; i < count; i++) {
        a[cells[0][i]] += words[i];
        b[cells[1][i]] += words[i];
    }
}

static void add_two_by_places(const int64_t *restrict words, uint8_t places[LANES][BLOCK], size_t count,
                              int64_t *a, int64_t *b) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const uint64_t of_a = load_together(places[0] + i), of_b = load_together(places[1] + i);
        for (unsigned j = 0; j < 8; j++) {
            a[place_of(of_a, j)] += words[i + j];
            b[place_of(of_b, j)] += words[i + j];
        }
    }
    for (; i < count; i++) {
        a[places[0][i]] += words[i];
        b[places[1][i]] += words[i];
    }
}

static void add_by_cells(const int64_t *words, const uint16_t *cells, size_t count, int64_t *sums) {
    for (size_t i = 0; i < count; i++) sums[cells[i]] += words[i];
}

static void add_by_places(const int64_t *words, const uint8_t *places, size_t count, int64_t *sums) {
    for (size_t i = 0; i < count; i++) sums[places[i]] += words[i];
}

/* The grid that records are added to at `from` or behind it; grid_count: none. */
static size_t next_grid(const hr_candidate_trees *c, size_t from) {
    while (from < c->grid_count && c->grids[from].whole != from) from++;
    return from;
}

static void add_to_grids(const added_block *b) {
    const hr_candidate_trees *c = b->candidates;
    uint16_t cells[LANES][BLOCK];
    for (size_t first = next_grid(c, 0); first < c->grid_count;) {
        const size_t second = next_grid(c, first + 1), grids[LANES] = {first, second};
        const size_t count = second < c->grid_count ? LANES : 1;
        int64_t *sums[LANES] = {NULL};
        for (size_t j = 0; j < count; j++) {
            hr_leaf_grid_cells(&c->grids[grids[j]].grid, c->binned, b->rows, cells[j]);
            sums[j] = b->sums->cells + c->grids[grids[j]].begin;
        }
        for (size_t k = 0; k < c->channels; k++) {
            const int64_t *words = b->words + k * BLOCK;
            if (count == LANES)
                add_two_by_cells(words, cells, b->rows->count, sums[0], sums[1]);
            else
                add_by_cells(words, cells[0], b->rows->count, sums[0]);
            for (size_t j = 0; j < count; j++) sums[j] += c->grids[grids[j]].grid.cells;
        }
        first = next_grid(c, second + 1);
    }
}

static void add_to_walked(const added_block *b) {
    const hr_candidate_trees *c = b->candidates;
    uint8_t places[LANES][BLOCK];
    for (size_t first = 0; first < c->walked_count; first += LANES) {
        const size_t count = c->walked_count - first < LANES ? 1 : LANES;
        int64_t *sums[LANES] = {NULL};
        for (size_t j = 0; j < count; j++) {
            const size_t tree = c->walked[first + j];
            hr_leaf_finder_places(&c->trees[tree].finder, c->binned, b->rows, places[j]);
            sums[j] = b->sums->leaves + tree * PLACES * c->channels;
        }
        for (size_t k = 0; k < c->channels; k++) {
            const int64_t *words = b->words + k * BLOCK;
            if (count == LANES)
                add_two_by_places(words, places, b->rows->count, sums[0] + k * PLACES, sums[1] + k * PLACES);
            else
                add_by_places(words, places[0], b->rows->count, sums[0] + k * PLACES);
        }
    }
}

/* A tree may have few leaves, and a leaf many neighbours: these are added to copies of its sum. */
static void add_to_copies(const int64_t *restrict words, const uint8_t *places, size_t count,
                          int64_t copies[COPIES][PLACES]) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const uint64_t of_eight = load_together(places + i);
        for (unsigned j = 0; j < 8; j++) copies[j % COPIES][place_of(of_eight, j)] += words[i + j];
    }
    add_by_places(words + i, places + i, count - i, copies[0]);
}

static void add_to_only_tree(const added_block *b) {
    const hr_candidate_trees *c = b->candidates;
    uint8_t places[BLOCK];
    hr_leaf_finder_places(&c->trees[0].finder, c->binned, b->rows, places);
    for (size_t k = 0; k < c->channels; k++)
        add_to_copies(b->words + k * BLOCK, places, b->rows->count,
                      (int64_t(*)[PLACES])(b->sums->copies + k * COPIES * PLACES));
    if (c->keeps_leaves) memcpy(c->leaves + b->rows->begin, places, b->rows->count);
}

void hr_candidate_sums_add(const hr_candidate_trees *c, const hr_row_block *rows, const int64_t *words,
                           const hr_candidate_sums *sums) {
    const size_t next = rows->begin + BLOCK;
    const added_block b = {c, rows, words, sums};
    for (size_t i = 0; i < c->ahead_count && next + BLOCK <= c->binned->rows; i++)
        hr_ask_block_ahead(c->binned->columns + c->ahead[i] + next, BLOCK);
    if (c->count == 1) {
        add_to_only_tree(&b);
        return;
    }
    add_to_grids(&b);
    add_to_walked(&b);
}

/* ---- Folding ---- */

/* The sums of one feature's bins, made of those of the grid of two. */
static void fold_whole(const hr_candidate_trees *c, const hr_shared_grid *part, int64_t *cells) {
    const hr_shared_grid *whole = &c->grids[part->whole];
    const size_t width = whole->grid.width, height = whole->grid.cells / width;
    const bool is_first = whole->grid.features[0] == part->grid.features[0];
    for (size_t k = 0; k < c->channels; k++) {
        const int64_t *from = cells + whole->begin + k * whole->grid.cells;
        int64_t *to = cells + part->begin + k * part->grid.cells;
        for (size_t a = 0; a < height; a++)
            for (size_t i = 0; i < width; i++) to[is_first ? a : i] += from[a * width + i];
    }
}

void hr_candidate_sums_fold(const hr_candidate_trees *c, const hr_candidate_sums *sums) {
    for (size_t k = 0; c->count == 1 && k < c->channels; k++)
        for (size_t i = 0; i < COPIES * PLACES; i++)
            sums->leaves[k * PLACES + i % PLACES] += sums->copies[k * COPIES * PLACES + i];
    for (size_t g = 0; g < c->grid_count; g++)
        if (c->grids[g].whole != g) fold_whole(c, &c->grids[g], sums->cells);
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
