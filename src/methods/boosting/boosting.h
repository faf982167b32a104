/* What all boosting methods share: the tools that grow a tree on the answers of a statistics source, and give
 * it leaves. */
#ifndef HR_METHODS_BOOSTING_BOOSTING_H
#define HR_METHODS_BOOSTING_BOOSTING_H

#include "methods/method.h"
#include "trees/grow/grow.h"
#include "trees/records/stats_source.h"
#include "trees/stats/split.h"

typedef struct hr_boosting {
    hr_training *training;
    hr_stats_source *source; /* the training's */
    size_t outputs;
    hr_packing packing;
    uint64_t weight_bound; /* the largest integer weight of a record */
    hr_grower *grower;
    hr_exact *leaf_gradients, *leaf_weights; /* room for the leaves of one tree */
    hr_noisy *noisy_gradients, *noisy_weights;
    double *values;
    hr_stats_left_out left_out; /* paper mode: what gradient-based data filtering left out, over all trees */
} hr_boosting;

/* hr_method.link of gbdt, and of those with square loss alone. */
hr_link hr_boosting_link(const hr_fit_options *options, hr_task task);

/* Prepares the source for training->binning and begins the forest (hr_training_forest_init) with room for
 * `trees` trees. `link` for numbers is always HR_LINK_NUMBER. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_boosting_init(hr_boosting *boosting, hr_training *training, hr_link link,
                                         size_t trees, hr_error *err);
void hr_boosting_done(hr_boosting *boosting);

/* For hr_method.memory: what hr_boosting_init and the growing of trees take for so many records. */
double hr_boosting_memory(const hr_fit_facts *facts, double rows);
/* What it takes besides where the facts' unit is HR_PER_PERSON: weights are summed as gradients are. */
double hr_boosting_persons_memory(const hr_fit_facts *facts, double rows);

/* Chooses the packing's shift for the bounds of a record's weight and gradient (packing.gradient_bound; of
 * weighted records, times the weight). Fails: LIMIT (too many records). */
HR_MUST_CHECK hr_status hr_boosting_pack(hr_boosting *boosting, uint64_t weight_bound, int64_t gradient_bound,
                                         hr_error *err);

/* Grows the next tree of the forest in a round, whose packing is the boosting's. Its leaf values are still 0;
 * leaf sums are in leaf_gradients and leaf_weights, `leaves` of them. Fails: MEMORY, and what the source and
 * the splitter fail with. */
HR_MUST_CHECK hr_status hr_boosting_grow(hr_boosting *boosting, hr_splitter *splitter,
                                         const hr_stats_round *round, hr_tree **tree, size_t *leaves,
                                         hr_error *err);

/* Adds what the forest's trees first, first + 1, ..., whose leaves have their values, predict to the scores
 * of the records. Fails: as the source. */
HR_MUST_CHECK hr_status hr_boosting_add_trees(hr_boosting *boosting, size_t first, hr_error *err);

#endif
