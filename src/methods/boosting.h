/* What all boosting methods share: the binned records, their targets and scores, and the tools that grow a tree on them. */
#ifndef HR_METHODS_BOOSTING_H
#define HR_METHODS_BOOSTING_H

#include "bins/binned.h"
#include "methods/method.h"
#include "tree/gradient.h"
#include "tree/grow.h"
#include "tree/leaf.h"
#include "tree/local.h"
#include "tree/walk.h"

typedef struct hr_boosting {
    hr_training *training;
    hr_binned *binned;
    size_t rows, outputs;
    double *targets; /* gradient.h */
    double *scores;  /* rows x outputs: what the trees so far predict */
    hr_packing packing;
    int64_t *packed; /* one a record of the tree that is being trained; the local source's */
    hr_local *local;
    bool grew_on_all; /* the last tree was trained on all records, in order */
    hr_grower *grower;
    hr_arena *scratch;
    hr_arena_mark scratch_start;
    size_t *offsets;     /* of the features' bins in the tiles */
    hr_walk_tree *walks; /* walk_count trees laid out for scoring, from tree walk_first on */
    size_t walk_first, walk_count;
    hr_exact *leaf_gradients, *leaf_weights; /* room for the leaves of one tree */
    hr_noisy *noisy_gradients, *noisy_weights;
    double *values;
} hr_boosting;

/* Bins the records by training->binning and starts an empty forest (base 0, scores 0) with room for `trees` trees.
 * `link` for numbers is always HR_LINK_NUMBER. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_boosting_init(hr_boosting *boosting, hr_training *training, hr_link link, size_t trees, hr_error *err);
void hr_boosting_done(hr_boosting *boosting);

/* For hr_method.memory: what hr_boosting_init and the growing of trees take for so many records. */
double hr_boosting_memory(const hr_fit_facts *facts, double rows);

/* Chooses the packing's shift for its bounds. Fails: LIMIT (too many records). */
HR_MUST_CHECK hr_status hr_boosting_pack(hr_boosting *boosting, uint64_t weight_bound, hr_error *err);

/* The gradients' input for one output over rows[0..count) (NULL: all rows). */
hr_gradient_input hr_boosting_input(const hr_boosting *boosting, size_t output, const uint32_t *rows, size_t count);

/* Grows the next tree of the forest on those records, whose packed gradients are set. Its leaf values are still 0; leaf sums are
 * in leaf_gradients and leaf_weights, `leaves` of them. Fails: MEMORY, and what the splitter fails with. */
HR_MUST_CHECK hr_status hr_boosting_grow(hr_boosting *boosting, hr_splitter *splitter, size_t output, const uint32_t *rows, size_t count,
                                         hr_tree **tree, size_t *leaves, hr_error *err);

/* Adds what the forest's trees first, first + 1, ... predict to the scores of those records (NULL: all rows). Trees from before
 * the last hr_boosting_forget cannot be asked for. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_boosting_add_trees(hr_boosting *boosting, size_t first, const uint32_t *rows, size_t count, hr_error *err);

/* The same for all records, at the end of a round whose trees are first, first + 1, ...; then forgets. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_boosting_add_round(hr_boosting *boosting, size_t first, hr_error *err);

/* The trees so far will not be added to scores any more: frees their layout. */
void hr_boosting_forget(hr_boosting *boosting);

#endif
