/* From mu of Gaussian differential privacy to (epsilon, delta) and back, by bisection over units. What is
 * returned was itself found to hold, whatever floats gave elsewhere. Proof: accountant.proof.md. */
#include "privacy/accountant.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

/* Against rounding, which is below 1e-10 of each tail, and against the correction for noise that is discrete.
 */
static const double MARGIN = 1e-9;

/* More than any tail that underflows. */
static const double TINY = 1e-300;

/* Phi(-x). */
static double upper_tail(double x) {
    return erfc(x * 0.70710678118654752440) / 2;
}

/* No more than e^epsilon Phi(-y), where (y^2 - x^2)/2 = epsilon: far out by the asymptotic series, whose
 * partial sums with an even number of terms are lower bounds. */
static double tilted_tail(double epsilon, double x, double y) {
    if (y < 30) return exp(epsilon) * upper_tail(y);
    double r = 1 / (y * y), density = 0.39894228040143267794 * exp(-x * x / 2);
    return density / y * (1 - r * (1 - r * (3 - 15 * r)));
}

/* Whether mu-GDP is proved to be (epsilon, delta)-DP; mu2 > 0. */
static bool gdp_holds(hr_units mu2, hr_units epsilon, double delta, double margin) {
    double mu = sqrt(hr_units_value(mu2)), e = hr_units_value(epsilon);
    double x = e / mu - mu / 2, y = e / mu + mu / 2;
    return upper_tail(x) * (1 + margin) - tilted_tail(e, x, y) * (1 - margin) + TINY <= delta;
}

hr_units hr_gdp_budget(double epsilon, double delta) {
    assert(epsilon >= 0 && delta > 0 && delta < 1);
    hr_units wanted = hr_units_down(epsilon < 0x1p20 ? epsilon : 0x1p20), low = 0, high = HR_UNITS_MAX;
    while (low < high) {
        hr_units middle = high - (high - low) / 2;
        /* more margin than needed, so that hr_gdp_epsilon gives back no more than the epsilon given */
        if (gdp_holds(middle, wanted, delta, 2 * MARGIN))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static double epsilon_by_curve(hr_units mu2, double delta) {
    hr_units low = 0, high = HR_UNITS_MAX;
    if (!gdp_holds(mu2, high, delta, MARGIN)) return HUGE_VAL;
    while (low < high) {
        hr_units middle = low + (high - low) / 2;
        if (gdp_holds(mu2, middle, delta, MARGIN))
            high = middle;
        else
            low = middle + 1;
    }
    return hr_units_value(high);
}

/* Whatever costs c of mu^2 is c/2-zCDP as well. */
static double epsilon_by_zcdp(hr_units mu2, double delta) {
    return hr_zcdp_epsilon(mu2 / 2 + mu2 % 2, delta) + MARGIN;
}

double hr_gdp_epsilon(hr_units mu2, double delta) {
    assert(mu2 <= HR_UNITS_MAX && delta > 0 && delta < 1);
    if (!mu2) return 0;
    return fmin(epsilon_by_curve(mu2, delta), epsilon_by_zcdp(mu2, delta));
}

/* ---- How often the odds change by more ---- */

/* Of logarithms of tails, and more. */
static const double ROUNDING = 4e-12;

double hr_gdp_beyond_gaussian(hr_units mu2, double epsilon) {
    double mu = sqrt(hr_units_value(mu2));
    return mu2 ? upper_tail(epsilon / mu - mu / 2) : 0;
}

/* ln Phi(-x): far out by the series of tilted_tail. */
static double log_upper_tail(double x) {
    if (x < 30) return log(upper_tail(x));
    double r = 1 / (x * x);
    return -x * x / 2 - log(x * 2.50662827463100050242) + log1p(-r * (1 - r * (3 - 15 * r)));
}

/* No event with odds of e^epsilon has a probability above Phi(z), where Phi(z - mu) = e^-epsilon Phi(z): the
 * ratio of the two grows with z. */
double hr_gdp_beyond(hr_units mu2, double epsilon) {
    double mu = sqrt(hr_units_value(mu2)), low = -0x1p20, high = 40;
    if (!mu2) return 0;
    for (int i = 0; i < 200; i++) {
        double z = (low + high) / 2;
        if (log_upper_tail(mu - z) - log_upper_tail(-z) > -epsilon)
            high = z;
        else
            low = z;
    }
    return fmin(1, upper_tail(-high - ROUNDING / mu) * (1 + MARGIN) + TINY);
}
