/* The interval between two quantiles of a model, and its correction: each end moves outwards by one part of
 * the interval's own width, or inwards by a negative one. Which parts there are is public
 * (HR_INTERVAL_LEVELS); which of them a model has is released from held-out records
 * (conformal.proof.md). */
#ifndef HR_MODELS_MODEL_INTERVAL_H
#define HR_MODELS_MODEL_INTERVAL_H

#include "trees/tree/tree.h"

#include <hedgerow/schema.h>

enum { HR_INTERVAL_LEVELS = 309 };

/* Correction number `level`, ascending: from one that leaves the middle alone to one that covers all labels.
 */
double hr_interval_correction(size_t level);

/* Which quantiles of the label have a part `coverage` of it between them: (1 - coverage)/2 and (1 +
 * coverage)/2. False: it has not both; *ends is left alone. */
bool hr_interval_ends(const hr_column *label, double coverage, size_t ends[2]);

/* quantiles: of one record, in order. The ends of the interval are corrected, within the label's bounds; all
 * others keep their order: those within it are kept within, those outside outside. */
void hr_interval_correct(const hr_column *label, const hr_conformal *conformal, double *quantiles);

/* The least level whose interval has the value y in it. ends: those of the interval, before; y: within the
 * label's bounds. The last level covers everything. */
size_t hr_interval_level(const hr_column *label, const double ends[2], double y);

#endif
