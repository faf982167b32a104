/* The Shapley value of player j is the integral over t of the derivative of v's multilinear extension,
 *     (o_j - z_j) * integral from 0 to 1 of product over k != j of (z_k + t (o_k - z_k)) dt,
 * a polynomial of degree count - 1, for which count/2 points of Gauss and Legendre are exact. All factors are
 * positive but where o_k = z_k = 0, so that nothing cancels and dividing one factor out is safe. */
#include "models/explain/product_game.h"

#include <math.h>
#include <string.h>

enum { NEWTON_STEPS = 100 };

/* The Legendre polynomial of degree q at x, |x| < 1, and its derivative. */
static double legendre(size_t q, double x, double *slope) {
    double before = 1, now = x;
    for (size_t k = 2; k <= q; k++) {
        double next = ((double)(2 * k - 1) * x * now - (double)(k - 1) * before) / (double)k;
        before = now;
        now = next;
    }
    *slope = (double)q * (x * now - before) / (x * x - 1);
    return now;
}

void hr_quadrature_init(hr_quadrature *quadrature) {
    const double pi = 3.14159265358979323846;
    for (size_t q = 1; q <= HR_GAME_POINTS_MAX; q++) {
        for (size_t i = 0; i < q; i++) {
            double x = cos(pi * ((double)i + .75) / ((double)q + .5)), slope, step = 1;
            for (int s = 0; s < NEWTON_STEPS && fabs(step) > 1e-16; s++) {
                step = legendre(q, x, &slope) / slope;
                x -= step;
            }
            legendre(q, x, &slope);
            quadrature->points[q - 1][i] = (1 + x) / 2;
            quadrature->weights[q - 1][i] = 1 / ((1 - x * x) * slope * slope);
        }
    }
}

static double part_of(uint64_t pattern, size_t player) {
    return (double)(pattern >> player & 1);
}

void hr_product_game(const hr_quadrature *quadrature, const double *shares, size_t count, uint64_t pattern,
                     double *out) {
    double factors[HR_GAME_PLAYERS_MAX];
    size_t points = (count + 1) / 2;
    memset(out, 0, count * sizeof *out);
    for (size_t j = 0; j < count; j++)
        if (shares[j] == 0 && !(pattern >> j & 1)) return;
    for (size_t i = 0; i < points; i++) {
        double t = quadrature->points[points - 1][i], product = quadrature->weights[points - 1][i];
        for (size_t j = 0; j < count; j++) {
            factors[j] = shares[j] + t * (part_of(pattern, j) - shares[j]);
            product *= factors[j];
        }
        for (size_t j = 0; j < count; j++) out[j] += product / factors[j];
    }
    for (size_t j = 0; j < count; j++) out[j] *= part_of(pattern, j) - shares[j];
}
