/* Cuts of numbers that are drawn while trees grow, and become the model's bins when all have grown.
 *
 * A model holds at most 254 cuts a feature. After that many the nearest of them takes the place of a new one: what was drawn was released
 * already, so that this costs nothing. */
#ifndef HR_METHODS_CUTS_H
#define HR_METHODS_CUTS_H

#include "tree/tree.h"

enum { HR_CUTS_MAX = HR_BINS_MAX - 2 };

typedef struct hr_cuts hr_cuts;

/* Owner: the caller frees *out with hr_cuts_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_cuts_new(size_t features, hr_cuts **out, hr_error *err);
void hr_cuts_free(hr_cuts *cuts);

/* The index of a cut among those of its feature: what a node's `cut` holds while trees grow. */
uint8_t hr_cuts_add(hr_cuts *cuts, uint32_t feature, double value);

double hr_cuts_value(const hr_cuts *cuts, uint32_t feature, uint8_t index);

/* When all trees have grown: the cuts become the edges of the numbers of `binning`, and every node's `cut` the last bin that goes left.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_cuts_finish(const hr_cuts *cuts, hr_arena *arena, hr_binning *binning, hr_forest *forest, hr_error *err);

#endif
