/* What splits and leaves of forests are made of: how many records a node has of every class, or how many and
 * the sum of their labels; and how alike the labels are on each side of a split. Integers throughout:
 * sensitivities are exact (impurity.proof.md). */
#ifndef HR_TREES_STATS_IMPURITY_H
#define HR_TREES_STATS_IMPURITY_H

#include "privacy/exact.h"
#include "privacy/sensitivity.h"
#include "trees/tree/tree.h"

#include <hedgerow/data.h>

/* One label a record: the index of its class, or the code of its time (hr_survival_code), which is counted as
 * a class is; or the number mapped to [-1, 1] in units of 2^-12. */
typedef struct hr_labels {
    int32_t *values;
    size_t classes;          /* or codes; 0: numbers */
    const uint32_t *weights; /* NULL, or what each record counts, in 1/HR_PERSON_UNIT; borrowed */
    hr_privacy_unit unit;    /* HR_PER_PERSON: statistics are of weighted records */
} hr_labels;

/* The kind of a schema's label: no values, nothing to free. */
hr_labels hr_labels_kind(const hr_schema *schema);

/* Owner: the caller frees with hr_labels_done. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_labels_of(const hr_data *data, hr_labels *out, hr_error *err);
/* The same with numbers in units of 2^-bits, bits <= 30. */
HR_MUST_CHECK hr_status hr_labels_scaled(const hr_data *data, int bits, hr_labels *out, hr_error *err);
void hr_labels_done(hr_labels *labels);

/* Numbers in the statistic of a node: its records in every class; or the sum of labels and the number of
 * records. */
static inline size_t hr_labels_width(const hr_labels *labels) {
    return labels->classes ? labels->classes : 2;
}

static inline void hr_labels_add_weighed(const hr_labels *labels, uint32_t row, hr_exact *stat) {
    const uint32_t weight = labels->weights[row];
    if (labels->classes) {
        stat[labels->values[row]].unpaid += weight;
    } else {
        stat[0].unpaid += hr_person_share(weight, labels->values[row]);
        stat[1].unpaid += weight;
    }
}

/* Adds a record to a node's statistic: in classes it changes one number by 1; else the sum by at most 2^12,
 * and the number by 1. With weights, numbers are in 1/HR_PERSON_UNIT, and sums finer by HR_PERSON_FINE_BITS.
 */
static inline void hr_labels_add(const hr_labels *labels, uint32_t row, hr_exact *stat) {
    if (labels->weights) {
        hr_labels_add_weighed(labels, row, stat);
    } else if (labels->classes) {
        stat[labels->values[row]].unpaid++;
    } else {
        stat[0].unpaid += labels->values[row];
        stat[1].unpaid++;
    }
}

/* ---- Sums over records ---- */

/* stats[node * width ...] of `node_count` nodes: node_of[i] is the node of rows[i] (NULL: of row i). */
void hr_labels_sum(const hr_labels *labels, const uint32_t *rows, const uint32_t *node_of, size_t count,
                   size_t node_count, hr_exact *stats);

/* stats[bin * width ...] of the bins of a feature; bins[row] is a record's. */
void hr_bins_sum(const hr_labels *labels, const uint8_t *bins, size_t bin_count, const uint32_t *rows,
                 size_t count, hr_exact *stats);

/* Of a division, left[i] being the side of rows[i]: the left side's statistic, the right side's, and the
 * (weighted) sum of the labels' squares in units of hr_purity: hr_sides_width numbers. A record changes one
 * side's as hr_labels_add does, and the last by at most 2^24 (2^20). */
void hr_sides_sum(const hr_labels *labels, const uint32_t *rows, const uint8_t *left, size_t count,
                  hr_exact *sides);

static inline size_t hr_sides_width(size_t label_width) {
    return 2 * label_width + 1;
}

/* ---- What is made of the sums; of `labels` only `classes` and `unit` are read ---- */

/* Minus the sum of squared errors of a division, from hr_sides_sum: the labels' squared distances from their
 * side's mean, in units of 2^-20 (classes as unit vectors) or 2^-24, rounded up. Adding a record changes it
 * by 0 to hr_purity_width downwards; a person, see there. */
hr_exact hr_division_score(const hr_labels *labels, const hr_exact *sides);

/* The same over the number of records, rounded: minus the mean squared error, which published methods go by.
 */
hr_exact hr_division_score_per_record(const hr_labels *labels, const hr_exact *sides);

/* The purity of the sets into which the bins of a feature divide records, in units of hr_purity, from
 * hr_bins_sum. Adding a record changes it as it changes hr_purity. */
hr_exact hr_bins_score(const hr_labels *labels, size_t bin_count, const hr_exact *stats);

/* What leaves hold, from their statistics one after the other, for the gate: counts[leaf * classes + k]; or
 * sums[leaf] in units of 2^-12, and counts[leaf]. Counts are in units of 1/64 of a record. A record changes
 * one count by 64, and one sum by at most 2^12. Per person they are as the statistics are (hr_labels_add). */
void hr_labels_of_leaves(const hr_labels *labels, const hr_exact *stats, size_t leaves, hr_exact *sums,
                         hr_exact *counts);

/* Published leaves: a released sum over an exact count, clipped to +-1; of no records NaN. NOT PRIVATE. */
double hr_mean_as_published(hr_noisy sum, hr_exact count);

/* How pure a set of records is, from its statistic: floor of sum over classes of n_k^2 / n, in units of 2^-20
 * (the larger, the less the Gini impurity n (1 - sum p_k^2)); or floor of S^2 / n, in units of 2^-24 (the sum
 * of squared errors is the sum of y^2 less that). 0 of no records. Adding a record changes it by one of
 * hr_purity_width() + 1 consecutive integers that depend on the record alone. */
int64_t hr_purity(const hr_labels *labels, const hr_exact *stat);

/* The width of a sum of purities over disjoint sets, one of which the record joins: sensitivity of a choice
 * among such sums. Per person, the widths of the choices at `nodes` disjoint nodes, added up: a person may
 * have records in all of them. */
uint64_t hr_purity_width(const hr_labels *labels, uint64_t nodes);

#endif
