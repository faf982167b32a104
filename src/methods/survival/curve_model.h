/* Survival curves as a model, from the released counts of codes. Without groups it has no trees, and predicts
 * the curve of all for everybody. With groups each score has one tree, which has a leaf for each group:
 * where noise hides a group from the first interval on, it predicts the curve of all. It sees no record. */
#ifndef HR_METHODS_SURVIVAL_CURVE_MODEL_H
#define HR_METHODS_SURVIVAL_CURVE_MODEL_H

#include "methods/method.h"
#include "privacy/sensitivity.h"

enum { HR_CURVE_GROUPS_MAX = 64 };

/* What is counted: public facts. */
typedef struct hr_curve {
    const hr_schema *schema; /* borrowed */
    size_t intervals;
    hr_privacy_unit unit;
    const hr_column *group; /* a category; NULL: all records are one group */
    uint32_t feature;       /* its index */
} hr_curve;

/* Groups: the first of those that lack the category or have a value that the schema does not list, then one
 * for each value. */
size_t hr_curve_groups(const hr_curve *curve);
/* How many counts there are: by group, by code. */
size_t hr_curve_counts(const hr_curve *curve);

/* What they become. All of it lives in the arena that it was made in. */
typedef struct hr_curve_made {
    hr_forest forest;
    double records;               /* as it was released, at least 1 */
    const hr_named_curve *curves; /* of all, and of each group */
    size_t curve_count;
} hr_curve_made;

/* counts: as they were released. deviation: of the noise of each, in their own units. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_curve_make(const hr_curve *curve, const hr_noisy *counts, double deviation,
                                      hr_arena *arena, hr_curve_made *out, hr_error *err);

#endif
