#include "privacy/noise.h"

#include <math.h>

double hr_noise_deviation(hr_privacy_measure privacy_measure, hr_units cost, double sensitivity) {
    double value = hr_units_value(cost);
    switch (privacy_measure) {
    case HR_PRIVACY_PURE: return sqrt(2) * sensitivity / value;
    case HR_PRIVACY_ZCDP: return sensitivity / sqrt(2 * value);
    case HR_PRIVACY_GDP: return sqrt(sensitivity * sensitivity / value + 6);
    case HR_PRIVACY_NONE: break;
    }
    return 0;
}

uint64_t hr_noise_shares(uint64_t members, uint64_t conspirators) {
    return members > conspirators ? members - conspirators : 1;
}
