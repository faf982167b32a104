/* A survival curve as a model, from the released counts of codes: it has no trees, and predicts the curve for
 * everybody. It sees no record. */
#ifndef HR_METHODS_SURVIVAL_CURVE_MODEL_H
#define HR_METHODS_SURVIVAL_CURVE_MODEL_H

#include "methods/method.h"
#include "privacy/sensitivity.h"

/* What is counted: public facts. */
typedef struct hr_curve {
    const hr_schema *schema; /* borrowed */
    size_t intervals;
    hr_privacy_unit unit;
} hr_curve;

/* How many counts there are: by code. */
size_t hr_curve_counts(const hr_curve *curve);

/* What they become. All of it lives in the arena that it was made in. */
typedef struct hr_curve_made {
    hr_forest forest;
    double records;   /* as it was released, at least 1 */
    const char *text; /* of HR_CURVE_SETTING */
} hr_curve_made;

/* counts: as they were released. deviation: of the noise of each, in their own units. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_curve_make(const hr_curve *curve, const hr_noisy *counts, double deviation,
                                      hr_arena *arena, hr_curve_made *out, hr_error *err);

#endif
