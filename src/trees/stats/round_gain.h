/* How far one round of boosting has come: what records lose in error by its trees. Section VI-B of InPrivate
 * Digging calls it the round gain; exact, it is a release without a price (privacy.md, I6), so it goes
 * through the gate as two sums.
 *
 * A record's gain is 1 if its class is predicted after the round and was not before, -1 the other way round,
 * else 0; of numbers, half of what the absolute error of the label (mapped to [-1, 1], as predictions are
 * clipped) became smaller. In units of 2^-HR_ROUND_GAIN_BITS, each rounded by itself: adding a record changes
 * the sum of gains by at most one record's unit, and the number of records by one. */
#ifndef HR_TREES_STATS_ROUND_GAIN_H
#define HR_TREES_STATS_ROUND_GAIN_H

#include "privacy/exact.h"
#include "privacy/sensitivity.h"

#include <hedgerow/data.h>

/* `records` has labels of two classes (scores above 0 predict the second) or numbers; before, after: one
 * score a record. */
void hr_round_gain_sums(const hr_data *records, const double *before, const double *after, hr_exact *gain,
                        hr_exact *count);

/* NOT PRIVATE: what the records gain as section VI-B has it, exactly and not rounded: of classes, how many
 * more of them are predicted; of numbers, what the sum of their absolute errors (equation 17) loses. */
double hr_round_gain_exact(const hr_data *records, const double *before, const double *after);

#endif
