/* One pass over all records that sums their gradients over the leaves of many trees at once: what a round of
 * hedge needs to choose one of them, and its leaves.
 *
 * Over one or two features sums are added by bin, for all trees over the same ones at once, and then folded
 * into nodes; other trees are walked. Within the same pass the records take the step of the round before.
 * Nothing per record is kept but its scores. */
#ifndef HR_TREES_CANDIDATES_CANDIDATE_SCAN_H
#define HR_TREES_CANDIDATES_CANDIDATE_SCAN_H

#include "base/fail.h"
#include "privacy/exact.h"
#include "privacy/sample.h"
#include "privacy/sensitivity.h"
#include "tables/bins/binned.h"
#include "trees/stats/packing.h"
#include "trees/tree/tree.h"

#include <stdbool.h>

typedef struct hr_candidate_scan hr_candidate_scan;

/* What the scores F of a record are fitted to. */
typedef enum hr_objective {
    HR_OBJECTIVE_SQUARE,   /* gradient F - y; more than two classes: of every class, one-hot */
    HR_OBJECTIVE_LOGISTIC, /* gradient tanh(F) - y; two classes only */
    HR_OBJECTIVE_HAZARD,   /* an output an interval, y is a code (hr_survival_code): gradient
                              1/(1 + exp(-F)) - [the event came in it] where the record was at risk, else 0 */
    HR_OBJECTIVE_COUNT,    /* y is a part of the label's high: gradient (exp(F) - y) / (HR_COUNT_GRADIENT *
                              max(exp(F), exp(base))) */
    HR_OBJECTIVE_QUANTILES /* an output a quantile q of a number: gradient 1{y < F} - q over
                              hr_quantile_reach, with a ramp in the place of the step */
} hr_objective;

/* Whether each output is a class of more than two: gradients of a record add up to 0. */
static inline bool hr_objective_has_classes(hr_objective objective, size_t outputs) {
    return outputs > 1 && objective == HR_OBJECTIVE_SQUARE;
}

/* What the gradients of counts are divided by, beside the mean: most are within 1. */
enum { HR_COUNT_GRADIENT = 2 };

#define HR_QUANTILE_WIDTH_MIN (1. / 1024)
enum { HR_QUANTILE_RAMP = 4 };

/* What a record contributes in one round. */
typedef struct hr_candidate_scan_loss {
    hr_objective objective;
    double clip;        /* C_t: on |gradient|, or on its Euclidean norm with more than one output */
    double score_limit; /* scores are kept within +-limit (those of classes: within -0.2 .. 1.2) */
    int64_t bound;      /* G_t = floor(C_t 2^12) */
    double count_unit;  /* counts: the least mean that a gradient is divided by, above 0, as a part of high */
    double width;       /* quantiles: HR_QUANTILE_WIDTH_MIN to 1; steps are ramps over y +- width /
                           HR_QUANTILE_RAMP; within the clip is a record whose middle quantile is within
                           y +- width */
} hr_candidate_scan_loss;

/* How large trees may be. */
enum {
    HR_CANDIDATE_SCAN_DEPTH_MAX = 8,
    HR_CANDIDATE_SCAN_NODES_MAX = (2 << HR_CANDIDATE_SCAN_DEPTH_MAX) - 1
};

/* What all rounds of a scan have in common. */
typedef struct hr_candidate_scan_setup {
    const double *targets; /* as hr_targets_of; outputs > 1 without quantiles: class indices, one-hot; like
                              `base` read by hr_candidate_scan_new alone */
    size_t outputs;
    const double *base; /* where scores start: base[0..outputs) */
    size_t trees;       /* of a round at most, of two-way splits and HR_CANDIDATE_SCAN_NODES_MAX nodes */
    int threads;
    bool publishes;          /* steps have a published part, which is added up, too */
    hr_objective objective;  /* of all losses: it decides what targets are */
    const double *quantiles; /* HR_OBJECTIVE_QUANTILES: one an output, increasing; borrowed; else NULL */
} hr_candidate_scan_setup;

/* Per person (binned->weights): sums are of hr_person_share of each gradient, in units finer by
 * HR_PERSON_FINE_BITS, and counts are sums of weights, in units of 1/HR_PERSON_UNIT.
 * Borrows `binned`. Owner: the caller frees *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_candidate_scan_new(const hr_binned *binned, const hr_candidate_scan_setup *setup,
                                              hr_candidate_scan **out, hr_error *err);
void hr_candidate_scan_free(hr_candidate_scan *scan);

/* Before the first round: scores start at those of a forest (rows x outputs, as hr_forest adds them up) and
 * not at `base`. They are kept within the limits of the loss, whatever they are. */
void hr_candidate_scan_start(hr_candidate_scan *scan, const double *scores,
                             const hr_candidate_scan_loss *loss);
/* Bytes that a scan takes beside the binned table, at most. */
double hr_candidate_scan_memory(size_t rows, size_t outputs, size_t trees, int threads);

/* After a round: the step that every record takes at the beginning of the next one, down one of the round's
 * trees: values[node * outputs + k] is added to its k-th score, and `published` times that to its published
 * one. */
void hr_candidate_scan_set_step(hr_candidate_scan *scan, size_t tree, const double *values, double published);

/* Takes the step that is set. Returns what the published parts of all steps add up to, rows x outputs; NULL
 * when memory is short. */
const int32_t *hr_candidate_scan_published(hr_candidate_scan *scan, const hr_candidate_scan_loss *loss);

/* One pass over all records: takes the step that is set, then sums over `trees` trees. */
HR_MUST_CHECK hr_status hr_candidate_scan_round(hr_candidate_scan *scan, const hr_tree *trees,
                                                size_t tree_count, const hr_candidate_scan_loss *loss,
                                                hr_error *err);

/* Records begin .. end - 1. */
typedef struct hr_row_range {
    size_t begin, end;
} hr_row_range;

/* The same over a part of the records; the others take the step in the next pass over all. Between two passes
 * over all records there is at most one over a part. */
HR_MUST_CHECK hr_status hr_candidate_scan_part(hr_candidate_scan *scan, hr_row_range rows,
                                               const hr_tree *trees, size_t tree_count,
                                               const hr_candidate_scan_loss *loss, hr_error *err);

/* What a score leaves out of account. */
typedef struct hr_leaf_score_rule {
    size_t outputs;
    int64_t threshold; /* taken off the length of every leaf's sum, down to 0 */
    const hr_schema
        *schema; /* of one output: only what leaves monotone features in order counts; NULL: all does */
} hr_leaf_score_rule;

/* After a round: the scores of the candidates, sum over leaves of |S_l| (more outputs: of floor(|S_l|_2)),
 * less the threshold where that is positive. With a schema: the largest sum over leaves of v_l S_l less the
 * threshold where v_l is not 0, of v_l in {-1, 0, 1} that are so ordered that at every split by a monotone
 * feature leaves on one side alone are raised in part (v_l = -1), or lowered in part: others have none or all
 * of it. Adding a record changes each by at most bound, a person by at most half of hr_unit_leaf_score_width.
 */
void hr_candidate_scan_scores(const hr_candidate_scan *scan, const hr_tree *trees, size_t tree_count,
                              const hr_leaf_score_rule *rule, hr_exact *scores);

/* After a round: leaf sums of one tree, in order of its leaves: sums[leaf * outputs + k]; counts in units of
 * 1/64, or 1/HR_PERSON_UNIT. Returns how many leaves. */
size_t hr_candidate_scan_leaves(const hr_candidate_scan *scan, const hr_tree *trees, size_t tree,
                                hr_exact *sums, hr_exact *counts);

/* After a round: how many records had a gradient within the clip, in units of counts. */
hr_exact hr_candidate_scan_within(const hr_candidate_scan *scan);

/* What a vector of gradients of quantiles, 1{y < F_k} - q_k, is divided by: the greatest length of one whose
 * scores are in the order of the quantiles. One whose scores are not, and that is longer, is shortened. */
double hr_quantile_reach(const double *quantiles, size_t count);

/* Records by themselves. */
typedef struct hr_scan_records {
    const double *targets;   /* as hr_candidate_scan_setup has them */
    const uint32_t *weights; /* NULL: all count 1 */
    const double *exposures; /* of counts, with weights; NULL: none */
    size_t rows;
} hr_scan_records;

/* Before the first round: the number of records in units of 1/64; the sum of targets in units of 2^-12 (one
 * output), or the records of every class in units of 1/64. With weights: their sums, in units of
 * 1/HR_PERSON_UNIT, and targets in units finer by HR_PERSON_FINE_BITS. With exposures the weights count parts
 * of that, and the sum is of counts as parts of the highest, 0 to 1, in place of targets. Returns how many
 * `labels` it wrote. */
size_t hr_candidate_scan_totals(const hr_scan_records *records, size_t outputs, hr_exact *count,
                                hr_exact *labels);

/* ---- Scores of leaf sums ----
 *
 * What hedge's choice makes of leaf sums: the scores of candidate trees, in integers. Sums come from one
 * scan, or are those of several added up; a score is no sum, so it is made once they are. */

/* floor(sqrt(x)), exactly. */
int64_t hr_whole_root(hr_u128 x);

/* The same as hr_candidate_scan_scores of a scan with these leaf sums: of all trees, leaf by leaf, in the
 * order of hr_candidate_scan_leaves. */
void hr_leaf_scores(const hr_exact *sums, const hr_tree *trees, size_t count, const hr_leaf_score_rule *rule,
                    hr_exact *scores);

#endif
