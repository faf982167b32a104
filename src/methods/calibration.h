/* The last release of hedge: how often its probabilities come true, and the curve that mends them.
 *
 * Clipped gradients bias a forest's probabilities: of labels that are hard to foretell they are too bold. A table of 20 probabilities times
 * whether the label was the class spoken of (tree/reliability.h) is released once; a logistic curve is fitted to its noisy cells, the
 * noisier the closer to leaving probabilities as they are. */
#ifndef HR_METHODS_CALIBRATION_H
#define HR_METHODS_CALIBRATION_H

#include "bins/binned.h"
#include "methods/method.h"
#include "tree/reliability.h"

/* Calibrates training->forest, which is finished, on the training records, `binned` by training->binning. Cost 0: leaves it alone.
 * Spends: `cost`, in a group of its own. Fails: BUDGET, MEMORY. */
HR_MUST_CHECK hr_status hr_calibrate(hr_training *training, const hr_binned *binned, hr_units cost, hr_error *err);

/* Its first half: the noisy cells, in units of 1/64 of a record. */
HR_MUST_CHECK hr_status hr_calibration_release(hr_training *training, const hr_binned *binned, hr_units cost, hr_noisy *cells,
                                               hr_error *err);

/* Its second: whatever the cells, a calibration within its bounds (tree/link.h). sigma: standard deviation of their noise, in
 * records. */
hr_calibration hr_calibration_fit(const hr_noisy *cells, double sigma);

#endif
