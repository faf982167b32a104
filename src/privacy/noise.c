#include "privacy/noise.h"

#include <math.h>

double hr_noise_deviation(hr_privacy_measure privacy_measure, hr_units cost, double sensitivity) {
    double value = hr_units_value(cost);
    switch (privacy_measure) {
    case HR_PURE: return sqrt(2) * sensitivity / value;
    case HR_ZCDP: return sensitivity / sqrt(2 * value);
    case HR_GDP: return sqrt(sensitivity * sensitivity / value + 6);
    case HR_NO_PRIVACY: break;
    }
    return 0;
}
