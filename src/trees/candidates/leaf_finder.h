/* How the records of a block find their leaf in one tree. Over one or two features a table has the leaf of
 * every combination of their bins; other trees are walked. Leaves are given as places, counted from 0 in an
 * order of the finder's own. */
#ifndef HR_TREES_CANDIDATES_LEAF_FINDER_H
#define HR_TREES_CANDIDATES_LEAF_FINDER_H

#include "tables/bins/binned.h"
#include "trees/tree/block_walk.h"

enum { HR_FINDER_NODES_MAX = 2 * HR_WALK_PLACES_MAX - 1 };

/* The combinations of the bins of one or two features: cell (bin of features[0]) * width + (bin of
 * features[1]). */
typedef struct hr_leaf_grid {
    size_t feature_count; /* more than two: there is no grid */
    uint32_t features[2]; /* ascending */
    size_t width, cells;
} hr_leaf_grid;

typedef struct hr_leaf_finder {
    hr_leaf_grid grid;  /* of the features that the tree splits by */
    uint8_t *leaf_of;   /* place of a cell */
    size_t leaf_room;   /* of `leaf_of` */
    hr_block_tree walk; /* of a tree without a grid */
    size_t place_count;
    uint16_t nodes[HR_WALK_PLACES_MAX];  /* the leaf at a place */
    uint8_t places[HR_FINDER_NODES_MAX]; /* of a leaf, by node */
} hr_leaf_finder;

/* Consecutive records. */
typedef struct hr_row_block {
    size_t begin, count; /* at most HR_WALK_BLOCK */
} hr_row_block;

/* Asks for the memory of a block that is read next. A pass reads more columns at once than the processor sees
 * coming by itself. Inlined: gcc takes a function that only asks for memory for one without effect. */
static inline __attribute__((always_inline)) void hr_ask_block_ahead(const void *from, size_t bytes) {
    enum { LINE = 64, FOR_READING = 0, SECOND_CACHE = 2 };
    for (size_t at = 0; at < bytes; at += LINE)
        __builtin_prefetch((const char *)from + at, FOR_READING, SECOND_CACHE);
}

/* The tree has two-way splits, HR_FINDER_NODES_MAX nodes and HR_WALK_DEPTH_MAX levels of them at most. The
 * finder is zeroed or was made before; what it holds in the arena is its owner's to keep. offsets: as
 * hr_block_tree_make. False when memory is short. */
bool hr_leaf_finder_make(hr_leaf_finder *finder, const hr_tree *tree, const hr_binning *binning,
                         const size_t *offsets, hr_arena *arena);
/* Frees what is not in the arena. */
void hr_leaf_finder_done(hr_leaf_finder *finder);
/* Bytes of a finder and what it holds, at most. */
double hr_leaf_finder_memory(void);

static inline bool hr_leaf_finder_has_grid(const hr_leaf_finder *finder) {
    return finder->grid.feature_count <= 2;
}

/* The cells and the places of a block's records; room for HR_WALK_BLOCK of them. */
void hr_leaf_grid_cells(const hr_leaf_grid *grid, const hr_binned *binned, const hr_row_block *rows,
                        uint16_t *cells);
void hr_leaf_finder_places(const hr_leaf_finder *finder, const hr_binned *binned, const hr_row_block *rows,
                           uint8_t *places);

#endif
