/* Sums that noise is added to once, and of which the number of records up to any level is a short
 * combination: the square root of the matrix of prefix sums, in integers. With Laplace noise, whose price is
 * in L1, each level is a sum of its own. */
#include "fit/level_sums.h"

#include "privacy/noise.h"
#include "privacy/sensitivity.h"

#include <math.h>

enum { LEVELS = HR_INTERVAL_LEVELS, ONE = 32 /* what a record adds to the sum of its own level */ };

static int64_t unit_of(const hr_level_terms *terms) {
    return terms->weighs ? HR_PERSON_UNIT : HR_RECORD_UNIT;
}

/* steps[k]: what a record adds to the sum of the k-th level above its own. */
static void set_steps(hr_privacy_measure privacy_measure, int64_t steps[LEVELS]) {
    double step = 1;
    for (size_t k = 0; k < LEVELS; k++) {
        steps[k] = k && privacy_measure != HR_PRIVACY_GDP ? 0 : (int64_t)rint(ONE * step);
        step *= ((double)k + .5) / ((double)k + 1);
    }
}

hr_charge hr_level_sums_charge(const hr_level_terms *terms) {
    int64_t steps[LEVELS], squares = 0;
    set_steps(terms->privacy_measure, steps);
    for (size_t k = 0; k < LEVELS; k++) squares += steps[k] * steps[k];
    return (hr_charge){.what = "correction of the interval",
                       .tree = -1,
                       .level = -1,
                       .cost = terms->cost,
                       .sensitivity = (uint64_t)unit_of(terms) * (uint64_t)ceil(sqrt((double)squares))};
}

void hr_level_sums_of(const hr_level_terms *terms, const hr_exact *weights, hr_exact *out) {
    int64_t steps[LEVELS];
    set_steps(terms->privacy_measure, steps);
    for (size_t i = 0; i < LEVELS; i++) {
        out[i].unpaid = 0;
        for (size_t level = 0; level <= i; level++) out[i].unpaid += steps[i - level] * weights[level].unpaid;
    }
}

/* values: one a level; afterwards what they are sums of. */
static void undo_steps(hr_privacy_measure privacy_measure, double values[LEVELS]) {
    int64_t steps[LEVELS];
    set_steps(privacy_measure, steps);
    for (size_t i = 0; i < LEVELS; i++) {
        for (size_t level = 0; level < i; level++) values[i] -= (double)steps[i - level] * values[level];
        values[i] /= ONE;
    }
}

void hr_level_sums_find(const hr_level_terms *terms, const hr_noisy *sums, double noise_factor,
                        hr_conformal *made) {
    double counts[LEVELS], all = 0, covered = 0;
    size_t found = 0;
    for (size_t i = 0; i < LEVELS; i++) counts[i] = (double)sums[i].paid / (double)unit_of(terms);
    undo_steps(terms->privacy_measure, counts);
    for (size_t i = 0; i < LEVELS; i++) all += counts[i];
    while (found + 1 < LEVELS) { /* the last level covers all */
        covered += counts[found];
        if (covered >= terms->coverage * (all + 1)) break;
        found++;
    }
    made->correction = hr_interval_correction(found);
    made->shortfall = hr_level_sums_shortfall(terms, noise_factor);
    made->held_out = fmax(all, 0);
}

/* ---- What noise may take away ---- */

/* The largest deviation, of any level, of: records up to it, less that part of all records; in that of one
 * sum. */
static double deviation_of_levels(const hr_level_terms *terms) {
    double above[LEVELS] = {1}, largest = 0; /* above[k]: in records up to k levels higher */
    undo_steps(terms->privacy_measure, above);
    for (size_t k = 1; k < LEVELS; k++) above[k] += above[k - 1];
    for (size_t j = 0; j + 1 < LEVELS; j++) {
        double squares = 0;
        for (size_t i = 0; i < LEVELS; i++) {
            const double part = (i <= j ? above[j - i] : 0) - terms->coverage * above[LEVELS - 1 - i];
            squares += part * part;
        }
        largest = fmax(largest, squares);
    }
    return sqrt(largest);
}

/* The mean of the largest of LEVELS numbers is at most (ln LEVELS + the largest logarithm of their moments of
 * x) / x for every x > 0. Laplace noise of scale b has moments of at most 1/(1 - (x b)^2). */
double hr_level_sums_shortfall(const hr_level_terms *terms, double noise_factor) {
    const hr_charge line = hr_level_sums_charge(terms);
    const double sensitivity = (double)line.sensitivity / (double)unit_of(terms);
    if (terms->privacy_measure == HR_PRIVACY_GDP)
        return noise_factor * deviation_of_levels(terms) * sqrt(2 * log(LEVELS)) *
               hr_noise_deviation(HR_PRIVACY_GDP, terms->cost, (double)line.sensitivity) /
               (double)unit_of(terms);
    const double part = fmax(terms->coverage, 1 - terms->coverage),
                 scale = part * sensitivity / ONE / hr_units_value(terms->cost),
                 terms_of_noise = noise_factor * noise_factor * LEVELS;
    double least = (double)INFINITY;
    for (double x = 1. / 256; x < 1; x += 1. / 256)
        least = fmin(least, scale * (log(LEVELS) - terms_of_noise * log1p(-x * x)) / x);
    return least;
}
