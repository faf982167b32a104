/* What predictions of labelled records come to, in exact integers: the sums that a private evaluation
 * releases. Proof of their sensitivities: evaluation_counts.proof.md. */
#ifndef HR_TREES_CANDIDATES_EVALUATION_COUNTS_H
#define HR_TREES_CANDIDATES_EVALUATION_COUNTS_H

#include "privacy/exact.h"
#include "privacy/sensitivity.h"

#include <hedgerow/schema.h>
#include <stddef.h>

enum {
    HR_SCORE_GRID_BITS = 14, /* scores are cut on a public grid of so many bits */
    HR_SCORE_LEVELS = 4,     /* into at most 2^HR_SCORE_LEVELS bins */
    HR_SCORE_BINS = 1 << HR_SCORE_LEVELS,
    HR_SCORE_BINS_MAX = 32,
    HR_TIME_LEVELS = 3, /* times are cut into at most 2^HR_TIME_LEVELS groups */
    HR_TIME_GROUPS = 1 << HR_TIME_LEVELS,
    HR_SCORE_CELLS = 2 * HR_SCORE_BINS,
    HR_LOSS_BITS = 12,                         /* losses are summed in 2^-12 */
    HR_LOSS_MAX = 4,                           /* what the loss of one record counts as at most */
    HR_MISS_BITS = 16,                         /* misses are summed in 2^-16 of the label's range */
    HR_COVERED_MAX = HR_QUANTILES_MAX / 2 + 1, /* intervals of quantiles */
    HR_SCORE_LOSS_BITS = 16                    /* losses of hr_scored_total are summed in 2^-16 */
};

/* What one record adds to the sums at most. */
enum {
    HR_LOSS_SENSITIVITY = HR_WEIGHT_MAX * (HR_LOSS_MAX << HR_LOSS_BITS),
    HR_MISS_SENSITIVITY = HR_WEIGHT_MAX << HR_MISS_BITS,
    HR_TOTAL_WIDTH = HR_WEIGHT_MAX << HR_SCORE_LOSS_BITS
};

/* Intervals whose covered labels are counted, the widest first: that of the outer quantiles,
 * and those within it between two quantiles q and 1 - q. */
typedef struct hr_covered {
    size_t ends[HR_COVERED_MAX][2]; /* quantiles, from 0 */
    size_t count;
} hr_covered;

/* label: of quantiles; of one there is no interval. */
hr_covered hr_covered_of(const hr_column *label);

/* Predictions of a public model, and labels, of the same records; borrowed. */
typedef struct hr_scored {
    size_t rows, outputs;
    const double *predicted; /* rows x outputs: probabilities of classes, or the predicted number */
    const double *labels;    /* class indices, or numbers within the label's bounds */
    const uint32_t *decided; /* classes: the predicted class of each record, below `outputs` */
    const uint32_t *cuts;    /* two classes, times: where released cuts divide the grid, ascending */
    size_t cut_count, bins;  /* cut_count < bins <= HR_SCORE_BINS_MAX */
    double range;            /* numbers: width of the label's bounds, > 0 */
    /* Times: the cuts between intervals; `predicted` begins with as many probabilities of survival, of which
     * the last one is the score. NULL and 0: the label is no time. */
    const double *intervals;
    size_t interval_count;
    const double *quantiles; /* one an output, ascending, as what is predicted; NULL: the label has none */
    hr_covered covered;
} hr_scored;

/* The number of records. */
void hr_scored_records(const hr_scored *scored, hr_exact *sum);
/* Two cells a class: cells[2 k] records of class k that were decided otherwise, cells[2 k + 1] rightly. */
void hr_scored_outcomes(const hr_scored *scored, hr_exact *cells);
/* Two classes, times: the number of records, in whole records, in each of the 2^HR_SCORE_GRID_BITS cells of a
 * grid that is even in sqrt(p)/(sqrt(p) + sqrt(1 - p)), p the probability of class 1, or of survival until
 * the last cut: fine near 0 and 1, where the scores of rare classes are. */
void hr_scored_grid(const hr_scored *scored, hr_exact *cells);
/* The score at which that cell begins. */
double hr_score_edge(uint32_t cell);
/* Two classes: cells[2 b + k], 2 `bins` of them, records of class k in bin b; bin b holds the cells of
 * the grid from cuts[b - 1] to cuts[b] - 1. */
void hr_scored_scores(const hr_scored *scored, hr_exact *cells);
/* Times: cells[b * codes + code], the number of records of each code (survival_code.h) in bin b; and the sum
 * of their scores in bin b, in 2^-HR_MISS_BITS. */
void hr_scored_codes(const hr_scored *scored, hr_exact *cells);
void hr_scored_survival(const hr_scored *scored, hr_exact *cells);
/* Times: sum of min(-ln(probability of the code), HR_LOSS_MAX) in 2^-HR_LOSS_BITS. */
void hr_scored_code_loss(const hr_scored *scored, hr_exact *sum);
/* Sum of min(-ln(probability of the label), HR_LOSS_MAX) in 2^-HR_LOSS_BITS. */
void hr_scored_loss(const hr_scored *scored, hr_exact *sum);
/* Sums of |prediction - label|/range, and of its square, in 2^-HR_MISS_BITS. */
void hr_scored_misses(const hr_scored *scored, hr_exact *sum);
void hr_scored_squares(const hr_scored *scored, hr_exact *sum);

/* Quantiles: cells[d], the number of records whose label is in d of the intervals, d at most their number;
 * the sums of the pinball losses of each quantile, and of the widths of each interval, in parts of the
 * label's range, in 2^-HR_MISS_BITS. */
void hr_scored_covered(const hr_scored *scored, hr_exact *cells);
void hr_scored_pinball(const hr_scored *scored, hr_exact *sums);
void hr_scored_widths(const hr_scored *scored, hr_exact *sums);
/* What a record adds to the sums of pinball losses, and of widths, at most: in L1, or in length (L2). */
uint64_t hr_scored_pinball_sensitivity(const hr_column *label, bool length);
uint64_t hr_scored_width_sensitivity(const hr_column *label, bool length);

/* What models are compared by: minus the sum of a loss between 0 and 1 of each record, in
 * 2^-HR_SCORE_LOSS_BITS. Classes: half the squared distance between the probabilities and the record's class;
 * numbers: the square of four times the miss, at most 1. weights: of each record, in 2^-16, at most 2^16 for
 * all of a person together; NULL: each counts 1. Scores of several models change by 0 to -HR_TOTAL_WIDTH with
 * a record, or a person, more. */
void hr_scored_total(const hr_scored *scored, const uint32_t *weights, hr_exact *sum);

#endif
