/* The candidate trees of a pass over the records, laid out so that blocks of records are added to the sums of
 * their leaves; and the tree whose step the records take. Trees over the same one or two features share a
 * table of sums, one a combination of their bins (hr_leaf_grid), which is folded into the leaves of each tree
 * after the pass. Where a table over two features has a feature, the sums of its bins alone are made of that
 * table's, so that records are not added to a table of their own; two features without one get a table
 * together. Other trees are walked. */
#ifndef HR_TREES_CANDIDATES_CANDIDATE_TREES_H
#define HR_TREES_CANDIDATES_CANDIDATE_TREES_H

#include "trees/candidates/leaf_finder.h"

enum {
    HR_CANDIDATE_CELLS_MAX = 8192, /* sums of a grid that trees share */
    HR_CANDIDATE_AHEAD = 64,       /* columns that are asked for ahead of a block */
    HR_CANDIDATE_PASSES = 3        /* over all records, over a part, and over all again */
};

/* A grid whose cells have sums that trees share. */
typedef struct hr_shared_grid {
    hr_leaf_grid grid;
    size_t begin; /* where they begin: channel, cell */
    size_t whole; /* the grid of two features whose sums those of one feature are made of; itself: records are
                     added to it */
} hr_shared_grid;

typedef struct hr_laid_out_tree {
    hr_leaf_finder finder;
    bool shares_sums; /* those of grids[grid] */
    size_t grid;
} hr_laid_out_tree;

typedef struct hr_candidate_trees {
    const hr_binned *binned;
    size_t channels;    /* words of a record */
    size_t room, count; /* trees of a pass: at most; of this one */
    size_t *offsets;    /* of the columns */
    size_t threads;
    hr_arena **arenas; /* pass, thread: layouts of walked trees, of this pass and those before (the step still
                          walks a tree of theirs) */
    hr_arena_mark *starts; /* of these */
    size_t pass;
    hr_laid_out_tree *trees;              /* of a pass; the last one, trees[room], is that of the step */
    uint8_t *leaves;                      /* of the records, as places in one tree */
    bool keeps_leaves, step_keeps_leaves; /* of the only tree of a pass over all records: the caller's to set
                                             before it; of the step's tree */
    hr_shared_grid *grids;                /* whose sums trees of this pass share, and those made for them */
    size_t grid_count, shared_count;      /* grids; their sums */
    size_t *walked, walked_count;         /* the other trees */
    size_t *asked;                        /* by feature: the last pass with a tree that splits by it */
    size_t ahead[HR_CANDIDATE_AHEAD];     /* offsets of such columns of this pass */
    size_t ahead_count;
} hr_candidate_trees;

/* Borrows `binned`. Owner: the caller ends with hr_candidate_trees_done, also where it is false: memory is
 * short then. threads: that lay trees out; the sums do not depend on them. */
bool hr_candidate_trees_init(hr_candidate_trees *trees, const hr_binned *binned, size_t channels, size_t room,
                             size_t threads);
void hr_candidate_trees_done(hr_candidate_trees *trees);
/* Bytes, at most. */
double hr_candidate_trees_memory(size_t rows, size_t room);

/* Begins a pass. False when memory is short. */
bool hr_candidate_trees_lay_out(hr_candidate_trees *trees, const hr_tree *candidates, size_t count);

/* After a pass: the step's tree is candidate `tree`. Returns its finder. */
const hr_leaf_finder *hr_candidate_trees_set_step(hr_candidate_trees *trees, size_t tree);
/* The places of a block's records in the step's tree: found and written to `room`, for HR_WALK_BLOCK of them,
 * or those in `leaves`. */
const uint8_t *hr_candidate_trees_step_places(const hr_candidate_trees *trees, const hr_row_block *rows,
                                              uint8_t *room);

#endif
