/* Forests that average their trees. A leaf estimates the label by itself; a prediction is the mean of the
 * estimates of all trees. */
#ifndef HR_METHODS_FORESTS_AVERAGE_H
#define HR_METHODS_FORESTS_AVERAGE_H

#include "methods/method.h"

/* How many numbers a leaf holds: 1, the label mapped to [-1, 1]; or the probability of every class. */
size_t hr_average_width(const hr_data *data);

/* Of how many features a node's split is chosen: HR_OPTION_MAX_FEATURES, or for 0 the root of their number,
 * rounded; at most all. */
size_t hr_candidate_features(const hr_fit_options *options, size_t features);

/* Starts the forest of options->trees trees: base scores 0. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_average_init(hr_training *training, hr_error *err);

/* Adds the next tree, once an output: leaf n has the values leaf_values[n * width + k]. Copies the tree.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_average_add(hr_training *training, const hr_tree *tree, const double *leaf_values,
                                       hr_error *err);

/* The same forest, of one tree, where there are no records: *out lives in the arena. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_average_of_one(const hr_schema *schema, const hr_tree *tree,
                                          const double *leaf_values, hr_arena *arena, hr_forest *out,
                                          hr_error *err);

#endif
