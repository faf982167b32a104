#include "trees/candidates/hazard_gradients.h"

#include "tables/schema/survival_code.h"

#include <math.h>

enum { BLOCK = HR_WALK_BLOCK };

/* Of one record; returns the square of their length. */
static double residuals_of(const int32_t *scores, size_t code, size_t outputs, double *residuals) {
    const size_t at_risk = hr_survival_at_risk(code) < outputs ? hr_survival_at_risk(code) : outputs;
    double square = 0;
    for (size_t k = 0; k < outputs; k++) residuals[k] = 0;
    for (size_t k = 0; k < at_risk; k++) {
        const double hazard = 1 / (1 + exp(-hr_fixed_value(scores[k])));
        const bool came = hr_survival_event(code) && k + 1 == at_risk;
        residuals[k] = came ? hazard - 1 : hazard;
        square += residuals[k] * residuals[k];
    }
    return square;
}

/* Integers are truncated towards zero; should floats have erred so far that their length exceeds the bound
 * all the same, the vector is halved until it does not. */
void hr_hazard_gradients_words(const hr_score_gradients *g, const hr_candidate_scan_loss *loss,
                               const hr_row_block *rows, int64_t *words) {
    double residuals[HR_INTERVALS_MAX];
    for (size_t i = 0; i < rows->count; i++) {
        const size_t row = rows->begin + i;
        int64_t *vector = words + i;
        const double length = sqrt(residuals_of(g->scores + row * g->outputs, (size_t)g->targets[row],
                                                g->outputs, residuals)),
                     factor = (length > loss->clip ? loss->clip / length : 1) * (1 << HR_GRADIENT_BITS);
        for (size_t k = 0; k < g->outputs; k++) vector[k * BLOCK] = (int64_t)(residuals[k] * factor);
        hr_score_gradients_pack(g, loss, vector);
    }
}
