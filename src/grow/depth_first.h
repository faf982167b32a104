/* Trees for forests without privacy: grown depth-first, as deep as the records allow, each from a stream of
 * its own.
 *
 * The records of a node are one run of an array, dealt out in place when the node is split. A node draws
 * features, sums the labels by the bins of one of them at a time, lets a rule (split_rule.h) divide them, and
 * keeps the purest division. It may look at records whenever it likes: nothing here is private. */
#ifndef HR_GROW_DEPTH_FIRST_H
#define HR_GROW_DEPTH_FIRST_H

#include "bins/binned.h"
#include "grow/split_rule.h"
#include "stats/impurity.h"

enum { HR_DEPTH_FIRST_LEVELS_MAX = 64 };

/* What trees are grown from and how: shared by all growers, which borrow all of it. */
typedef struct hr_depth_first_plan {
    const hr_binned *binned;
    const double *midpoints; /* hr_bin_midpoints */
    const hr_labels *labels;
    hr_packing packing; /* hr_depth_first_pack */
    hr_split_rule *rule;
    int depth;           /* levels of splits, 1..HR_DEPTH_FIRST_LEVELS_MAX */
    size_t candidates;   /* K: features that a node draws; it goes on only while none of them divides its
                            records */
    int64_t min_records; /* 1 or more: records of a leaf */
} hr_depth_first_plan;

/* How labels add up in 63 bits: the packing, and with how many bits numbers should be scaled
 * (hr_labels_scaled). Fails: LIMIT. */
HR_MUST_CHECK hr_status hr_depth_first_pack(size_t rows, size_t classes, hr_packing *packing, int *bits,
                                            hr_error *err);

typedef struct hr_depth_first hr_depth_first;

/* A grower: room for the records of one tree. Thread: one at a time. Owner: the caller frees *out with
 * hr_depth_first_free. Fails: MEMORY.
 */
HR_MUST_CHECK hr_status hr_depth_first_new(const hr_depth_first_plan *plan, hr_depth_first **out,
                                           hr_error *err);
void hr_depth_first_free(hr_depth_first *deep);

/* Which records the next tree is grown on: every one, once; or a bootstrap, in which a record may come up
 * several times. */
typedef void hr_depth_first_taking(hr_depth_first *deep, hr_csprng *csprng);
hr_depth_first_taking hr_depth_first_take_all, hr_depth_first_take_bootstrap;

/* Grows a tree on the records taken last, and uses them up. The tree (leaf values are 0) and the statistics
 * of its leaves, (*stats)[node * hr_labels_width ...] as hr_labels_add makes them, belong to the grower until
 * it grows the next one. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_depth_first_grow(hr_depth_first *deep, hr_csprng *csprng, hr_tree *out,
                                            const hr_exact **stats, hr_error *err);

#endif
