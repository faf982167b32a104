/* Labels, losses and gradients: from a record and the released model to one packed integer; and the
 * denominators of leaves, from a gradient.
 *
 * Targets are labels as the losses see them: a number mapped to [-1, 1] by its public bounds, -1 or 1 for two
 * classes, the class index for more. Scores are rows x outputs doubles, computed from released values only;
 * so a gradient depends on its own record and on the model, and adding a record changes one summand. Each is
 * rounded and clamped on its own: |integer gradient| <= G. */
#ifndef HR_TREES_STATS_GRADIENT_H
#define HR_TREES_STATS_GRADIENT_H

#include "privacy/sensitivity.h"
#include "trees/stats/packing.h"

#include <hedgerow/data.h>

/* ---- Targets ---- */

/* `rows` targets from labels; of times their codes (hr_survival_code), one
 * that is censored in the second half of an interval having survived it. */
void hr_targets_of(const hr_data *data, double *targets);

/* ---- Gradients ---- */

/* What the gradients of one output are computed from. rows: NULL for all, in order. */
typedef struct hr_gradient_input {
    const double *targets;
    const double *scores;
    size_t outputs,
        output; /* with outputs > 1, the target of an output is 1 for its class and -1 for the others */
    const uint32_t *rows;
    size_t count;
    const uint8_t *weights; /* square loss: integers from 1 on, one a record; NULL: all are 1 */
    int threads;
} hr_gradient_input;

/* Square loss: g = score - target (the derivative of (score - target)^2 / 2), clipped to +-clip, times the
 * record's weight. */
void hr_gradients_square(const hr_gradient_input *in, double clip, const hr_packing *packing,
                         int64_t *packed);

/* The largest |score - target|, for a scale that uses all bits. Not private. */
double hr_gradients_square_bound(const hr_gradient_input *in);

/* Keeps the rows whose |score - target| is at most `bound` (DPBoost's gradient-based data filtering); returns
 * how many. */
size_t hr_rows_within(const hr_gradient_input *in, double bound, uint32_t *kept);

/* Logistic loss (softmax for more than one output): g = p - [class], weight = p (1 - p), the second
 * derivative, but at least one integer unit: a node that holds records has a weight. */
void hr_gradients_logistic(const hr_gradient_input *in, const hr_packing *packing, int64_t *packed);

/* ---- The denominators of leaves ---- */

/* How the denominators of InPrivate's leaves for two classes (Zhao et al. 2018, equation 8) follow from
 * gradients. */
typedef struct hr_hessian_rule {
    const hr_packing *packing;
    double bound;            /* of a residual, at most 2 */
    const uint32_t *weights; /* of persons' records, in 1/HR_PERSON_UNIT; NULL: none */
} hr_hessian_rule;

/* |r| (2 - |r|) of a residual r = gradient * bound / gradient_bound in units of 2^-12: an integer in 0 ..
 * 2^12, as |r| <= bound <= 2. With weights: w times that, in units finer by HR_PERSON_FINE_BITS, of a
 * gradient that is weighted. `row`: the record. */
int64_t hr_hessian(const hr_hessian_rule *rule, uint32_t row, int64_t gradient);

/* ---- The sums of labels ---- */

/* Exact sums for the base score: one a class (counts), or one in all (the targets in units of 2^-20). Returns
 * how many. */
size_t hr_label_sums(const double *targets, size_t rows, size_t outputs, bool classes, hr_exact *sums);

#endif
