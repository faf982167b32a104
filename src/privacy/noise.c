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

/* -ln of Chernoff's bound on the probability that Laplace noises of scale 1 add up to `sum` > 0 or more: the
 * largest of sum u + terms ln(1 - u^2) over 0 < u < 1. */
static double laplace_exponent(double terms, double sum) {
    const double u = sum / (terms + sqrt(terms * terms + sum * sum));
    return sum * u + terms * log1p(-u * u);
}

/* In scales; a single one by its law, others by Chernoff. */
static double laplace_bound(double terms, double exponent) {
    double low = 0, high = 1;
    if (terms <= 1) return exponent;
    while (laplace_exponent(terms, high) < exponent) low = high, high *= 2;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(laplace_exponent(terms, middle) < exponent ? &low : &high) = middle;
    }
    return high;
}

double hr_noise_bound(hr_privacy_measure privacy_measure, double deviation, double terms, double odds) {
    if (privacy_measure == HR_PRIVACY_NONE) return 0;
    if (privacy_measure == HR_PRIVACY_PURE) return deviation / sqrt(2) * laplace_bound(terms, -log(odds));
    return deviation * sqrt(-2 * terms * log(odds));
}

uint64_t hr_noise_shares(uint64_t members, uint64_t conspirators) {
    return members > conspirators ? members - conspirators : 1;
}
