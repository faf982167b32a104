/* How often the predictions of a forest for its training records come true: the table that a calibration is
 * fitted to. Proof of its sensitivity: reliability.proof.md. */
#ifndef HR_TREES_CANDIDATES_RELIABILITY_H
#define HR_TREES_CANDIDATES_RELIABILITY_H

#include "base/fail.h"
#include "privacy/exact.h"
#include "privacy/sensitivity.h"
#include "tables/bins/binned.h"
#include "trees/tree/tree.h"

enum { HR_RELIABILITY_BINS = 20, HR_RELIABILITY_CELLS = 2 * HR_RELIABILITY_BINS };

/* labels: class indices. start: scores of a released forest, rows x outputs, which the trees add to in place
 * of the base; NULL: the base. published: what all trees add to that, rows x outputs, in fixed point; NULL:
 * it is found by walking them. */
typedef struct hr_reliability_records {
    const hr_binned *binned;
    const double *labels, *start;
    const int32_t *published;
} hr_reliability_records;

/* Every record adds HR_COUNT_UNIT, or its weight (binned->weights), to one cell: cells[2 b] or, if its label
 * is the class that is spoken of (link.h), cells[2 b + 1]; b is the twentieth of [0, 1] that the class's
 * uncalibrated probability falls in, clipped to .005 .. .995. Scores are added up in fixed point. Trees are
 * as hr_block_walk takes them. The same for any number of threads. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_reliability_count(const hr_forest *forest, const hr_reliability_records *records,
                                             int threads, hr_exact *cells, hr_error *err);

/* Bytes that it takes for so many trees, at most. */
double hr_reliability_memory(size_t trees);

/* The middle of bin b. */
static inline double hr_reliability_middle(size_t b) {
    return ((double)b + .5) / HR_RELIABILITY_BINS;
}

#endif
