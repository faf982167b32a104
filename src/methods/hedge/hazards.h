/* What times to an event add to hedge: base hazards from released numbers, and leaf values from released
 * sums.
 *
 * One output an interval, whose score is the log-odds of its hazard: of the event in the interval, of records
 * that are at risk in it. Released values only. */
#ifndef HR_METHODS_HEDGE_HAZARDS_H
#define HR_METHODS_HEDGE_HAZARDS_H

#include "trees/tree/tree.h"

/* counts: the released numbers of records by code (hr_survival_code), 2 * intervals + 1, each with noise of
 * this deviation. base[k]: the log-odds of the hazard of interval k. information[k]: what a record adds to
 * the second derivative of output k's loss, on average: h (1 - h), times the part of records at risk; above
 * 0. */
void hr_hazard_base(const double *counts, size_t intervals, double noise, double *base, double *information);

/* The released leaves of a tree. */
typedef struct hr_hazard_leaves {
    const hr_tree *tree;
    size_t outputs;
    const double *information;
    const double *sums, *counts; /* node, output; node */
    double noise;                /* the deviation of each sum's */
} hr_hazard_leaves;

/* values[node * outputs + k]: minus the step of Newton's method in score k, shrunk towards the parent's, and
 * towards one step that all scores of the node have in common. Thread: any. */
void hr_hazard_values(const hr_hazard_leaves *leaves, double *values);

#endif
