/* All divisions of a node's categories in two, counted by how many records they send left: what DiPriMe's
 * Algorithm 3, lines 35 to 40, draws among, as published. There are 2^(values - 1) - 1 of them; they are
 * counted, not listed. The categories of the records alone settle the counts: NOT PRIVATE.
 *
 * The most frequent value stays on the right, so that no division comes twice; the other side may be empty
 * of records, never of values. */
#ifndef HR_TREES_STATS_DIVISIONS_H
#define HR_TREES_STATS_DIVISIONS_H

#include "privacy/exact.h"
#include "privacy/sample.h"
#include "trees/tree/tree.h"

/* Numbers of 8 bytes that a table of counts has at most (256 MiB). */
#define HR_DIVISIONS_ROOM ((double)(1 << 25))

typedef struct hr_divisions {
    size_t count; /* sums of records on the left: 0 .. count - 1 */
    /* By that sum: -|records on the left - on the right|, and how many divisions have it: exact up to 2^53,
     * else within 1e-13 of the number. */
    hr_exact *scores;
    double *ways;
    struct hr_divisions_table *table;
} hr_divisions;

/* records: of each bin, missing ones first; values: bins that are divided, 2 or more; missing_left: where the
 * missing ones go. Owner: hr_divisions_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_divisions_new(const hr_exact *records, const hr_bin_set *values, bool missing_left,
                                         hr_divisions **out, hr_error *err);
void hr_divisions_free(hr_divisions *divisions);

/* One of the divisions that send `sum` records left, each with the same probability: the values that go left.
 * ways[sum] >= 1. */
hr_bin_set hr_divisions_draw(const hr_divisions *divisions, hr_csprng *csprng, size_t sum);

/* Numbers of a table, at the most. */
static inline double hr_divisions_room(double values, double records) {
    return values * (records / 2 + 1);
}

#endif
