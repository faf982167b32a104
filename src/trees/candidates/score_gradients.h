/* The scores of the records of a candidate scan, and what a block of them adds to sums: their gradients,
 * clipped and as integers. Scores and targets are in fixed point (fixed_score.h). */
#ifndef HR_TREES_CANDIDATES_SCORE_GRADIENTS_H
#define HR_TREES_CANDIDATES_SCORE_GRADIENTS_H

#include "base/kernels/kernels.h"
#include "trees/candidates/candidate_scan.h"
#include "trees/candidates/leaf_finder.h"

enum { HR_SCORE_WORD_ROWS = 1 << 20 }; /* a sum has room for the words of so many records */

typedef struct hr_score_gradients {
    const hr_kernels *kernels;
    int32_t *targets;        /* more than two classes: their indices; times: codes */
    bool has_classes;        /* more than two: a score is a probability of each */
    const double *quantiles; /* one an output; NULL: outputs are no quantiles */
    double reach;            /* hr_quantile_reach */
    const uint32_t *weights; /* NULL: every record counts 1 */
    const double *exposures; /* counts: parts, above 0; NULL: all 1. Weights are there, too */
    size_t rows, outputs;
    size_t channels;    /* words of a record: one an output; with weights one more, for those */
    int shift;          /* of packed words */
    int32_t *scores;    /* record, output */
    int32_t *published; /* the same: sums of what published trees say; NULL: not wanted */
} hr_score_gradients;

/* Scores start at setup->base, published ones at 0. Borrows the weights. Owner: the caller ends with
 * hr_score_gradients_done, also where it is false: memory is short then. */
bool hr_score_gradients_init(hr_score_gradients *gradients, const hr_binned *binned,
                             const hr_candidate_scan_setup *setup);
void hr_score_gradients_done(hr_score_gradients *gradients);

/* As hr_candidate_scan_start. */
void hr_score_gradients_start(hr_score_gradients *gradients, const double *scores,
                              const hr_candidate_scan_loss *loss);

/* What a tree adds to scores: values[places[i] * outputs + k] to the k-th ones of record i of a block. */
typedef struct hr_score_step {
    const hr_fixed_step *values; /* of `place_count` places */
    size_t place_count;
    const uint8_t *places;
} hr_score_step;

void hr_score_gradients_take_step(hr_score_gradients *gradients, const hr_candidate_scan_loss *loss,
                                  const hr_row_block *rows, const hr_score_step *step);

/* Of one record, vector[k * HR_WALK_BLOCK]: halved until its length is at most the bound, should floats have
 * erred so far; and packed, each with a count of 1. */
void hr_score_gradients_pack(const hr_score_gradients *gradients, const hr_candidate_scan_loss *loss,
                             int64_t *vector);

/* words[k * HR_WALK_BLOCK + i]: channel k of record i of a block. Without weights a word has the gradient and
 * a count of 1 (packing.h); with weights, the person's share of the gradient, and in the last channel the
 * weight. Returns how many gradients are within the clip, or their weight; of more classes 0. */
int64_t hr_score_gradients_words(const hr_score_gradients *gradients, const hr_candidate_scan_loss *loss,
                                 const hr_row_block *rows, int64_t *words);

#endif
