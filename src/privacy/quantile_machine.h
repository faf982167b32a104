/* Cuts of one numeric column on a public grid of 2^bits cells, as machines over released values: they give
 * what they need next, accept it, and end with cuts. Neither sees a record or an exact statistic.
 * What they need depends on what they accepted alone. Thread: one at a time. */
#ifndef HR_PRIVACY_QUANTILE_MACHINE_H
#define HR_PRIVACY_QUANTILE_MACHINE_H

#include "privacy/exact.h"

#include <hedgerow/status.h>
#include <stdbool.h>
#include <stddef.h>

enum { HR_QUANTILE_BITS_MAX = 16, HR_QUANTILE_PARTS_MAX = 1 << HR_QUANTILE_BITS_MAX };

/* Cut c means "after cell c-1": cells 0..c-1 lie left of it. */
typedef struct hr_cuts {
    uint32_t *at; /* ascending, distinct, each in 1..2^bits-1; room: of the caller */
    size_t count;
} hr_cuts;

/* ---- Recursive medians ---- */

typedef struct hr_median_interval {
    uint32_t low, high; /* the cells low .. high - 1 */
    int level;          /* 0: the whole grid */
} hr_median_interval;

typedef struct hr_quantile_medians {
    int levels;
    hr_median_interval open[HR_QUANTILE_BITS_MAX + 2];
    size_t open_count;
    uint32_t *cuts;
    size_t cut_count;
} hr_quantile_medians;

/* 1 <= bits, levels <= HR_QUANTILE_BITS_MAX. cuts: the caller's room for 2^levels - 1. */
void hr_quantile_medians_init(hr_quantile_medians *machine, int bits, int levels, uint32_t *cuts);
/* The next interval whose median is wanted: one of the cuts low + 1 .. high - 1. False: the cuts are found.
 */
bool hr_quantile_medians_next(hr_quantile_medians *machine, hr_median_interval *out);
/* The cut that was chosen for it. */
void hr_quantile_medians_accept(hr_quantile_medians *machine, uint32_t cut);

/* ---- Noisy dyadic counts ---- */

/* Nodes are numbered from the root, 1, which is never needed; the children of i are 2 i and 2 i + 1; level l
 * has the 2^l nodes from 2^l on, each of 2^(bits - l) cells. */
typedef struct hr_quantile_counts hr_quantile_counts;

/* parts >= 1: how many parts of equal weight are wanted. noise: the standard deviation of the noise of a
 * node's value, in its units. Owner: the caller frees *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_quantile_counts_new(int bits, size_t parts, double noise, hr_quantile_counts **out,
                                               hr_error *err);
void hr_quantile_counts_free(hr_quantile_counts *machine);

/* What the cuts want next: the noisy counts of *node and *node + 1, two children of one node, both at *level
 * >= 1. False: the cuts are found. So few nodes are needed, but one pair after the other. */
bool hr_quantile_counts_next(hr_quantile_counts *machine, size_t *node, int *level);
/* Or all nodes of a level that the cuts might want, once the levels above it are there: at most 2^level nodes
 * into *nodes, ascending. Given level by level, hr_quantile_counts_next needs nothing. Returns how many. */
size_t hr_quantile_counts_level(const hr_quantile_counts *machine, int level, size_t *nodes);
/* The noisy count of a node; each is given once, and kept. */
void hr_quantile_counts_accept(hr_quantile_counts *machine, size_t node, hr_noisy value);

/* After hr_quantile_counts_next was false: the cuts, into room for parts - 1. Returns how many. */
size_t hr_quantile_counts_cuts(const hr_quantile_counts *machine, uint32_t *cuts);

#endif
