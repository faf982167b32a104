/* What an evaluation releases: sums over the records that a public model predicts, each with its
 * sensitivity and unit in one table. evaluation.c releases them for one table, shared_evaluation.c as one sum
 * over owners; both share out the budget in their own way. Looks at no record. */
#ifndef HR_FIT_MEASURE_STATISTICS_H
#define HR_FIT_MEASURE_STATISTICS_H

#include "fit/budget.h"
#include "trees/candidates/evaluation_counts.h"

#include <hedgerow/amount.h>
#include <hedgerow/evaluation.h>

enum { HR_STATISTICS_MAX = 3 };

/* One statistic. An exact sum is in 1/unit of a record, of a loss, or of the label's range. */
typedef struct hr_statistic {
    const char *what;
    void (*count)(const hr_scored *scored, hr_exact *sums);
    uint64_t sensitivity; /* in the unit: what one record adds to the sum, or to all sums, at most; 0: it
                             follows from the label and the privacy measure */
    double unit;
    enum {
        HR_CELLS_ONE,
        HR_CELLS_BY_CLASS,    /* 2 a class */
        HR_CELLS_BY_BIN,      /* 2 a bin of scores */
        HR_CELLS_BY_CODE,     /* as many a bin as there are codes of times */
        HR_CELLS_BY_GROUP,    /* 1 a bin */
        HR_CELLS_BY_COVER,    /* 1, and 1 an interval of quantiles */
        HR_CELLS_BY_QUANTILE, /* 1 a quantile */
        HR_CELLS_BY_INTERVAL  /* 1 an interval of quantiles */
    } cells;
} hr_statistic;

/* Parts of the budget, by task, in the order of the rows; each 1 in all, with the edges of score bins. */
typedef struct hr_statistic_shares {
    double numbers[3];      /* records, squares of misses, misses */
    double two_classes[3];  /* outcomes, losses, scores */
    double classes[2];      /* outcomes, losses */
    double times[3];        /* codes, survival, losses */
    double quantiles[3];    /* covered, pinball losses, widths */
    double one_quantile[2]; /* records, pinball losses */
} hr_statistic_shares;

/* The statistics of one evaluation; public. */
typedef struct hr_statistics {
    const hr_schema *schema;
    hr_task task;
    size_t classes, bins; /* bins: of scores, at most HR_SCORE_BINS_MAX */
    size_t codes;         /* of times */
    size_t covered;       /* intervals of quantiles (hr_covered_of) */
    const hr_statistic *rows;
    const double *shares; /* of each row */
    size_t count;
} hr_statistics;

/* schema and shares are borrowed. */
hr_statistics hr_statistics_of(const hr_schema *schema, size_t bins, const hr_statistic_shares *shares);

/* Whether scores are cut into bins. */
bool hr_statistics_has_scores(const hr_statistics *statistics);

/* Refuses a label of which owners release no figures together: times of events. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_statistics_check_shared(const hr_schema *schema, hr_error *err);

/* How many sums a row has. */
size_t hr_statistics_cells(const hr_statistics *statistics, size_t row);

/* What a row costs. Each is in a group of its own, whose number is the row's, so that they add up. */
hr_charge hr_statistics_charge(const hr_statistics *statistics, const hr_budget *budget, size_t row);

/* Standard deviation of the noise that this charge pays for, in records, losses, or the label's range. */
double hr_statistics_noise(const hr_statistics *statistics, const hr_budget *budget, size_t row);

/* Released sums of all rows in records, losses, or parts of the label's range, and their noise. */
typedef struct hr_statistic_sums {
    double *of[HR_STATISTICS_MAX], noise[HR_STATISTICS_MAX]; /* of[row]: hr_statistics_cells of them */
    size_t bins;                                             /* of scores: so many were released */
} hr_statistic_sums;

/* Of times: sums of so many invented records (time_figures.c). */
void hr_times_invent(const hr_statistics *statistics, double records, hr_statistic_sums *sums);

/* The same of quantiles (quantile_figures.c). */
void hr_quantiles_invent(const hr_statistics *statistics, double records, hr_statistic_sums *sums);

/* Fills in the figures of *out and their count. */
void hr_statistics_figures(const hr_statistics *statistics, const hr_budget *budget,
                           const hr_statistic_sums *sums, hr_evaluation *out);

/* Fills in what *out holds of the budget, and writes epsilon and delta, then both for replacing one record.
 */
void hr_statistics_state(const hr_budget *budget, hr_evaluation *out, char amounts[4][HR_AMOUNT_TEXT]);

/* Lists the gate's releases in *out. */
void hr_statistics_list(const hr_gate *gate, hr_evaluation *out);

#endif
