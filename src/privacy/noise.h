/* How large the noise of a release is: for those who weigh what was released, after it was. */
#ifndef HR_PRIVACY_NOISE_H
#define HR_PRIVACY_NOISE_H

#include "privacy/accountant.h"

/* Standard deviation of each sum that the gate releases at that cost (gate.h), at most; 0 without privacy. */
double hr_noise_deviation(hr_privacy_measure privacy_measure, hr_units cost, double sensitivity);

/* Of `members` >= 1 owners who add a share of noise each, how many are counted on if up to `conspirators` of
 * all owners add none. The noise of the sum has members / hr_noise_shares times the variance of
 * hr_noise_deviation's. */
uint64_t hr_noise_shares(uint64_t members, uint64_t conspirators);

#endif
