/* Trees for forests without privacy: grown depth-first, as deep as the records allow, each from a stream of
 * its own.
 *
 * A node draws features, has the records (trees/records/forest_records.h) sum their labels by the bins of
 * these, or give the range of these, lets a rule (split_rule.h) divide them, and keeps the purest division.
 * Nothing here is private; but the grower gets sums and bins, and sees no record. */
#ifndef HR_TREES_GROW_DEPTH_FIRST_H
#define HR_TREES_GROW_DEPTH_FIRST_H

#include "trees/grow/split_rule.h"
#include "trees/records/forest_records.h"

enum { HR_DEPTH_FIRST_LEVELS_MAX = 64 };

/* How trees are grown: shared by all growers, which borrow all of it. */
typedef struct hr_depth_first_plan {
    const hr_binning *binning;
    const hr_bin_midpoints *midpoints; /* of each feature */
    const hr_split_rule *rule;
    int depth;           /* levels of splits, 1..HR_DEPTH_FIRST_LEVELS_MAX */
    size_t candidates;   /* K: features that a node draws; it goes on only while none of them divides its
                            records */
    int64_t min_records; /* 1 or more: records of a leaf */
} hr_depth_first_plan;

typedef struct hr_depth_first hr_depth_first;

/* A grower of trees on sums over the records. Borrows both. Thread: one at a time. Owner: the caller frees
 * *out with hr_depth_first_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_depth_first_new(const hr_depth_first_plan *plan, hr_forest_records *records,
                                           hr_depth_first **out, hr_error *err);
void hr_depth_first_free(hr_depth_first *deep);

/* Grows a tree on the records taken last, and uses them up. The tree (leaf values are 0) and the statistics
 * of its leaves, (*stats)[node * hr_labels_width ...] as hr_labels_add makes them, belong to the grower until
 * it grows the next one. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_depth_first_grow(hr_depth_first *deep, hr_csprng *csprng, hr_tree *out,
                                            const hr_exact **stats, hr_error *err);

#endif
