/* The last release of hedge: how often its probabilities come true, and the curve that mends them.
 *
 * Clipped gradients bias a forest's probabilities: of labels that are hard to foretell they are too bold. A
 * table of 20 probabilities times whether the label was the class spoken of (trees/candidates/reliability.h)
 * is released once; a logistic curve is fitted to its noisy cells, the noisier the closer to leaving
 * probabilities as they are. */
#ifndef HR_METHODS_HEDGE_CALIBRATION_H
#define HR_METHODS_HEDGE_CALIBRATION_H

#include "privacy/exact.h"
#include "trees/candidates/reliability.h"
#include "trees/tree/tree.h"

/* Whatever the cells (HR_RELIABILITY_CELLS of them, `unit` of them a record, or a person), a
 * calibration within its bounds (trees/tree/link.h). sigma: standard deviation of their noise, in records or
 * persons. */
hr_calibration hr_calibration_fit(const hr_noisy *cells, double unit, double sigma);

#endif
