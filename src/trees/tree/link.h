/* From scores to the probabilities of classes. Predictions, and the counts that a calibration is made of,
 * must speak of the same probabilities: so they stand here, below both. */
#ifndef HR_TREES_TREE_LINK_H
#define HR_TREES_TREE_LINK_H

#include "trees/tree/tree.h"

/* Scores of HR_LINK_SIGNED make no class impossible. */
#define HR_MIN_PROBABILITY .005

/* A calibration that was made keeps within these: |intercept| <= 2, 1/4 <= slope <= 4. */
#define HR_INTERCEPT_MAX 2.
#define HR_SLOPE_MIN .25
#define HR_SLOPE_MAX 4.

/* The probabilities of the classes as the trees alone give them: two of one score, else one a score. scores[k
 * * stride] is the k-th; the link is not HR_LINK_NUMBER. Returns how many it wrote: at most output_count + 1.
 */
size_t hr_link_classes(const hr_forest *forest, const double *scores, size_t stride, double *out);

/* The largest; ties go to the lower index. */
size_t hr_link_largest(const double *probabilities, size_t count);

/* The class of which a probability is calibrated and judged: the second of two, the most probable of more. */
size_t hr_link_spoken_of(const double *probabilities, size_t count);

/* x(p) = ln(q / (1 - q)), q = 1/2 + (p - 1/2)/1.1: what a calibration is linear in. Finite for p in [0, 1].
 */
double hr_link_input(double p);

/* The probability of the class that is spoken of becomes 1/(1 + exp(-(intercept + slope x(p)))). Of more than
 * two classes the others keep their proportions, and the most probable stays so: it gets at least (1 + 2^-30)
 * r/(1 + r), r = second largest / (sum of all but the largest). Leaves them alone where no calibration was
 * made. */
void hr_link_calibrate(const hr_calibration *calibration, double *probabilities, size_t count);

#endif
