/* How large the noise of a release is: for those who weigh what was released, after it was. */
#ifndef HR_PRIVACY_NOISE_H
#define HR_PRIVACY_NOISE_H

#include "privacy/accountant.h"

/* Standard deviation of each sum that the gate releases at that cost (gate.h), at most; 0 without privacy. */
double hr_noise_deviation(hr_privacy_measure privacy_measure, hr_units cost, double sensitivity);

/* What the sum of `terms` >= 1 independent noises, each of that deviation at most, exceeds with probability
 * `odds` at most, 0 < odds < 1; 0 without privacy. Of a sum over owners whose noise has f times the variance
 * of one gate's, f >= 1: f terms for each (hr_noise_shares). Proof: private_bounds.proof.md. */
double hr_noise_bound(hr_privacy_measure privacy_measure, double deviation, double terms, double odds);

/* Of `members` >= 1 owners who add a share of noise each, how many are counted on if up to `conspirators` of
 * all owners add none. The noise of the sum has members / hr_noise_shares times the variance of
 * hr_noise_deviation's. */
uint64_t hr_noise_shares(uint64_t members, uint64_t conspirators);

#endif
