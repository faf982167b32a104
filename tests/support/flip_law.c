#include "support/flip_law.h"

void flip_law(const double *scores, size_t count, double c, double *out) {
    enum { PIECES = 200, POINTS = 5 };
    static const double at[POINTS] = {-.906179845938664, -.538469310105683, 0, .538469310105683,
                                      .906179845938664};
    static const double weight[POINTS] = {.236926885056189, .478628670499366, .568888888888889,
                                          .478628670499366, .236926885056189};
    double best = scores[0];
    for (size_t r = 1; r < count; r++) best = fmax(best, scores[r]);
    for (size_t r = 0; r < count; r++) out[r] = 0;
    for (int i = 0; i < PIECES * POINTS; i++) {
        double x = (i / POINTS + (1 + at[i % POINTS]) / 2) / PIECES, all = weight[i % POINTS] / 2 / PIECES;
        for (size_t r = 0; r < count; r++) all *= 1 - exp(c * (scores[r] - best)) * (1 - x);
        for (size_t r = 0; r < count; r++) {
            double p = exp(c * (scores[r] - best));
            out[r] += p * all / (1 - p * (1 - x));
        }
    }
}
