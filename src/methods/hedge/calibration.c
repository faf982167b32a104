#include "methods/hedge/calibration.h"
#include "privacy/sensitivity.h"

#include "trees/tree/link.h"

#include <float.h>
#include <math.h>

enum { BINS = HR_RELIABILITY_BINS, STEPS = 12 };

/* What is believed of (intercept, slope) before any count. */
static const double MEAN[2] = {0, 1}, DEVIATION[2] = {.15, .3};

/* A symmetric matrix. */
typedef struct matrix {
    double m00, m01, m11;
} matrix;

/* What was counted in a bin, in records, and x of its middle. */
typedef struct bin {
    double yes, all, x;
} bin;

static void add_square(matrix *m, double weight, double x) {
    m->m00 += weight;
    m->m01 += weight * x;
    m->m11 += weight * x * x;
}

/* m is positive definite, or would be but for rounding. */
static void solve(const matrix *m, const double right[2], double out[2]) {
    double low = m->m01 / m->m00, pivot = fmax(m->m11 - low * m->m01, 4 * DBL_EPSILON * m->m11);
    out[1] = (right[1] - low * right[0]) / pivot;
    out[0] = right[0] / m->m00 - low * out[1];
}

static void times(const matrix *m, const double v[2], double out[2]) {
    out[0] = m->m00 * v[0] + m->m01 * v[1];
    out[1] = m->m01 * v[0] + m->m11 * v[1];
}

/* The likelihood's gradient, its hessian, and the variance of the gradient: of the labels, and of the noise
 * in the cells. */
static void look(const bin *bins, double sigma, const double at[2], double gradient[2], matrix *hessian,
                 matrix *variance) {
    gradient[0] = gradient[1] = 0;
    *hessian = (matrix){1e-9, 0, 1e-9};
    *variance = *hessian;
    for (size_t b = 0; b < BINS; b++) {
        double q = 1 / (1 + exp(-(at[0] + at[1] * bins[b].x))), miss = bins[b].yes - bins[b].all * q;
        double weight = fmax(bins[b].all, 0) * q * (1 - q);
        gradient[0] += miss;
        gradient[1] += miss * bins[b].x;
        add_square(hessian, weight, bins[b].x);
        add_square(variance, weight + sigma * sigma * (q * q + (1 - q) * (1 - q)), bins[b].x);
    }
}

/* One step of Newton's method towards the most probable parameters. The gradient's distance from 0 is weighed
 * by its variance, so that counts which the noise drowns leave what was believed before. */
static void newton_step(const bin *bins, double sigma, double at[2]) {
    double gradient[2], right[2], weighed[2], first[2], second[2], by[2];
    matrix hessian, variance;
    look(bins, sigma, at, gradient, &hessian, &variance);
    solve(&variance, gradient, weighed);
    times(&hessian, weighed, right);
    solve(&variance, (const double[2]){hessian.m00, hessian.m01}, weighed);
    times(&hessian, weighed, first);
    solve(&variance, (const double[2]){hessian.m01, hessian.m11}, weighed);
    times(&hessian, weighed, second);
    for (size_t k = 0; k < 2; k++) right[k] -= (at[k] - MEAN[k]) / (DEVIATION[k] * DEVIATION[k]);
    matrix information = {first[0] + 1 / (DEVIATION[0] * DEVIATION[0]), second[0],
                          second[1] + 1 / (DEVIATION[1] * DEVIATION[1])};
    solve(&information, right, by);
    for (size_t k = 0; k < 2; k++) at[k] += fmin(fmax(by[k], -1), 1);
}

hr_calibration hr_calibration_fit(const hr_noisy *cells, double unit, double sigma) {
    bin bins[BINS];
    double at[2] = {MEAN[0], MEAN[1]};
    for (size_t b = 0; b < BINS; b++) {
        double no = (double)cells[2 * b].paid / unit, yes = (double)cells[2 * b + 1].paid / unit;
        bins[b] = (bin){yes, no + yes, hr_link_input(hr_reliability_middle(b))};
    }
    for (int i = 0; i < STEPS; i++) newton_step(bins, sigma, at);
    return (hr_calibration){true, fmin(fmax(at[0], -HR_INTERCEPT_MAX), HR_INTERCEPT_MAX),
                            fmin(fmax(at[1], HR_SLOPE_MIN), HR_SLOPE_MAX)};
}
