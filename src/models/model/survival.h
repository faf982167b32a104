/* From the scores of hazards to what is predicted of times to an event. */
#ifndef HR_MODELS_MODEL_SURVIVAL_H
#define HR_MODELS_MODEL_SURVIVAL_H

#include "models/model/model.h"

/* Behind the probabilities of survival. */
enum { HR_SURVIVAL_FIGURES = 3 };

/* Numbers that hr_survival_write writes: one an interval, and the figures. */
static inline size_t hr_survival_outputs(const hr_column *label) {
    return label->interval_count + HR_SURVIVAL_FIGURES;
}

/* Of one record; the score of interval k is scores[k * stride]. The probability that no event came until each
 * cut, S; the median time, at which S is 1/2 (infinity: it is above that at the last cut); the mean time up
 * to the last cut; the risk, which is the sum over the cuts of the cumulative hazards -ln S. Between cuts S
 * is linear, from 1 at time 0. Thread: any. */
void hr_survival_write(const hr_column *label, const double *scores, size_t stride, double *out);

#endif
