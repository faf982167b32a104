/* Growing one tree, level by level: get histograms from the source and splits from the splitter, and hand the
 * splits to the source.
 *
 * Only the smaller child of a split is summed; the other is its parent less that. The last level is not
 * partitioned: what its leaves hold follows from their parents' histograms. */
#ifndef HR_TREES_GROW_GROW_H
#define HR_TREES_GROW_GROW_H

#include "base/timing.h"
#include "trees/grow/splitter.h"
#include "trees/records/stats_source.h"

typedef struct hr_grower hr_grower;

/* Room for trees of `depth` levels of splits over histograms of `cells` cells. Owner: the caller. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_grower_new(const hr_binning *binning, size_t cells, int depth, hr_grower **out,
                                      hr_error *err);
void hr_grower_free(hr_grower *grower);

/* What a tree is grown from; all of it is borrowed. */
typedef struct hr_growth {
    hr_stats_source *source;
    hr_splitter *splitter;
    const hr_packing *packing; /* of the source's cells */
    hr_arena *arena;           /* of the tree's nodes and subsets */
    hr_timings *timings;       /* NULL: none */
} hr_growth;

/* Grows a tree over the records of the round that the source has begun; leaf values are 0. sums: one per node
 * of the tree, meaningful at leaves; borrowed until the next call. Fails: MEMORY, and what the source and the
 * splitter fail with. */
HR_MUST_CHECK hr_status hr_grow(hr_grower *grower, const hr_growth *growth, hr_tree *out,
                                const hr_sums **sums, hr_error *err);

#endif
