#include "support/epsilon_bounds.h"

/* The regularised incomplete beta function I_x(a, b), by its continued fraction (Lentz). */
static double beta_fraction(double a, double b, double x) {
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d), c = 1 + even / c, h *= d * c;
        d = 1 / (1 + odd * d), c = 1 + odd / c, h *= d * c;
        if (fabs(d * c - 1) < 1e-14) break;
    }
    return h;
}

static double beta_below(double a, double b, double x) {
    if (x <= 0 || x >= 1) return x >= 1;
    double scale = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return scale * beta_fraction(a, b, x) / a;
    return 1 - scale * beta_fraction(b, a, 1 - x) / b;
}

/* The x with I_x(a, b) = p. */
static double beta_quantile(double a, double b, double p) {
    double low = 0, high = 1;
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        if (beta_below(a, b, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double min_probability(double k, double n, double alpha) {
    return k <= 0 ? 0 : beta_quantile(k, n - k + 1, alpha);
}

double max_probability(double k, double n, double alpha) {
    return k >= n ? 1 : beta_quantile(k + 1, n - k, 1 - alpha);
}

static double log_ratio(double k0, double k1, double n) {
    double low = min_probability(k0, n, GAME_FALSE_ALARM / 8),
           high = max_probability(k1, n, GAME_FALSE_ALARM / 8);
    return low > 0 ? log(low / high) : 0;
}

double epsilon_of_event(double k0, double k1, double n) {
    double best = fmax(log_ratio(k0, k1, n), log_ratio(k1, k0, n));
    return fmax(0, fmax(best, fmax(log_ratio(n - k0, n - k1, n), log_ratio(n - k1, n - k0, n))));
}

int ascending_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

size_t count_below(const double *values, size_t count, double threshold) {
    size_t below = 0;
    for (size_t i = 0; i < count; i++) below += values[i] < threshold;
    return below;
}

double epsilon_of_statistic(double *s0, double *s1, size_t n) {
    size_t half = n / 2;
    double best = -1, threshold = 0;
    qsort(s0, half, sizeof *s0, ascending_doubles);
    qsort(s1, half, sizeof *s1, ascending_doubles);
    for (size_t i = 0; i < 120; i++) {
        double at = (i < 60 ? s0 : s1)[(size_t)((double)(i % 60) / 60 * (double)half)];
        double epsilon = epsilon_of_event((double)count_below(s0, half, at),
                                          (double)count_below(s1, half, at), (double)half);
        if (epsilon > best) best = epsilon, threshold = at;
    }
    return epsilon_of_event((double)count_below(s0 + half, half, threshold),
                            (double)count_below(s1 + half, half, threshold), (double)half);
}
