/* How large the noise of a release is: for those who weigh what was released, after it was. */
#ifndef HR_PRIVACY_NOISE_H
#define HR_PRIVACY_NOISE_H

#include "privacy/accountant.h"

/* Standard deviation of each sum that the gate releases at that cost (gate.h), at most; 0 without privacy. */
double hr_noise_deviation(hr_privacy_measure privacy_measure, hr_units cost, double sensitivity);

#endif
