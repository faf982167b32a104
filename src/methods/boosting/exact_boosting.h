/* Boosting without privacy: the base score, packing, trees and leaves of gbdt, and of every owner of simfl.
 */
#ifndef HR_METHODS_BOOSTING_EXACT_BOOSTING_H
#define HR_METHODS_BOOSTING_EXACT_BOOSTING_H

#include "methods/boosting/boosting.h"
#include "trees/grow/exact_splitter.h"

/* Charges that cost nothing: they are the model's list of what was released exactly. */
typedef struct hr_exact_permits {
    hr_permit splits, leaves, base;
} hr_exact_permits;

typedef struct hr_exact_boosting {
    hr_boosting boosting;
    hr_exact_splitter splitter;
    hr_permit levels[HR_TREE_DEPTH_MAX]; /* all of them the splits' */
    hr_exact_permits permits;
} hr_exact_boosting;

/* One line of that list. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_exact_charge(hr_gate *gate, const char *what, hr_permit *out, hr_error *err);
/* The lines of bin edges, splits, leaf sums and base score. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_exact_boosting_charge(hr_gate *gate, hr_edges edges, hr_exact_permits *out,
                                                 hr_error *err);

/* Bins the training's data by their exact quantiles, with room for `trees` trees. `rows`: the records whose
 * sums must fit, at least the training's. The struct must stay where it is. Fails: MEMORY, LIMIT. */
HR_MUST_CHECK hr_status hr_exact_boosting_init(hr_exact_boosting *exact, hr_training *training,
                                               const hr_exact_permits *permits, size_t trees, size_t rows,
                                               hr_error *err);
void hr_exact_boosting_done(hr_exact_boosting *exact);

bool hr_exact_boosting_is_logistic(const hr_exact_boosting *exact);

/* How the integers of `rows` records are packed: as many bits for a gradient as sums over all of them leave,
 * at most 30. Fails: LIMIT. */
HR_MUST_CHECK hr_status hr_exact_packing(bool logistic, size_t rows, hr_packing *out, hr_error *err);
/* Whether so many records leave gradients less than 12 bits: hr_training.sums_apart leaves them more. */
bool hr_exact_sums_apart(bool logistic, size_t rows);
/* Sets forest->base, by its link and outputs, from label sums over `rows` records: the mean of the targets,
 * or the log-odds of the classes. */
void hr_exact_base(const hr_noisy *sums, double rows, hr_forest *forest);

/* Records of every class; or one sum of targets, in units of 2^-20. Returns in *count how many sums. Fails:
 * as the source. */
HR_MUST_CHECK hr_status hr_exact_boosting_label_sums(hr_exact_boosting *exact, hr_noisy *sums, hr_error *err);
/* F_0 from such sums over `rows` records: the mean of the targets, or the log-odds of the classes. Fails: as
 * the source. */
HR_MUST_CHECK hr_status hr_exact_boosting_set_base(hr_exact_boosting *exact, const hr_noisy *sums,
                                                   double rows, hr_error *err);

/* A round of the output's gradients. Square loss: integers have all their bits for residuals up to `bound`,
 * and larger ones are clipped. */
hr_stats_round hr_exact_boosting_round(hr_exact_boosting *exact, size_t output, double bound);

/* Grows the forest's next tree in a round, and gives it its leaves: V = -eta S / (W + lambda), equation 4.
 * Scores do not have it yet. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_exact_boosting_tree(hr_exact_boosting *exact, const hr_stats_round *round,
                                               hr_error *err);

#endif
