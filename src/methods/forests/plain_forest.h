/* What the forests without privacy share (rf, ert, median): exact bins, trees that are grown side by side,
 * one a thread and each from a stream of its own, and leaves that say the mean label or the share of every
 * class. Their model does not depend on the number of threads. */
#ifndef HR_METHODS_FORESTS_PLAIN_FOREST_H
#define HR_METHODS_FORESTS_PLAIN_FOREST_H

#include "methods/method.h"
#include "trees/grow/depth_first.h"

/* What tells such methods apart. Fails: LIMIT, MEMORY, CANCELLED. */
HR_MUST_CHECK hr_status hr_plain_forest_train(hr_training *training, hr_forest_taking *taking,
                                              const hr_split_rule *rule, hr_error *err);

/* 100 trees of depth 16, leaves of one record or more, the root of the number of features as candidates, 255
 * bins. */
void hr_plain_forest_defaults(hr_fit_options *options);

/* The options that they take, and those that they bound otherwise than the other methods do. */
extern const char *const hr_plain_forest_options[];
extern const hr_bound hr_plain_forest_bounds[];

/* Why they are not private. */
#define HR_PLAIN_FOREST_FLAWS                                                                                \
    "It has no privacy at all: splits, leaves and bin edges are exact statistics of the records."

#endif
