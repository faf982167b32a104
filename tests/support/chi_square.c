#include "support/chi_square.h"

/* Pr(chi-square with `dof` degrees of freedom > x), by the series or the continued fraction of the incomplete
 * gamma function. */
static double chi_square_tail(double x, double dof) {
    double a = dof / 2, z = x / 2;
    if (z <= 0) return 1;
    double scale = exp(-z + a * log(z) - lgamma(a));
    if (z < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < 100000 && term > sum * 1e-16; n++) sum += term *= z / (a + n);
        return 1 - scale * sum;
    }
    double b = z + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int n = 1; n < 100000; n++) {
        double e = -n * (n - a);
        b += 2;
        d = 1 / (e * d + b);
        c = b + e / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-15) break;
    }
    return scale * h;
}

int chi_square_fits(const uint64_t *seen, const double *probability, size_t cells, uint64_t draws) {
    chi_square_cell last = {0, 0}, next = {0, 0}, rest = {(double)draws, (double)draws};
    double x = 0, used = 0;
    for (size_t i = 0; i <= cells; i++) {
        double n = i < cells ? (double)seen[i] : rest.seen;
        double e = i < cells ? probability[i] * (double)draws : fmax(rest.expected, 0);
        rest = (chi_square_cell){rest.seen - n, rest.expected - e};
        next = (chi_square_cell){next.seen + n, next.expected + e};
        if (next.expected < 10) continue;
        if (last.expected > 0) x += (last.seen - last.expected) * (last.seen - last.expected) / last.expected;
        last = next;
        next = (chi_square_cell){0, 0};
        used++;
    }
    last = (chi_square_cell){last.seen + next.seen, last.expected + next.expected};
    x += (last.seen - last.expected) * (last.seen - last.expected) / last.expected;
    double p = chi_square_tail(x, used - 1);
    return used > 1 && p > FALSE_ALARM / 2 && p < 1 - FALSE_ALARM / 2;
}
