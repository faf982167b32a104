/* The records of one tree of a forest without privacy (rf, ert, median): labels are summed by node and by
 * bin, and every node's records are one run of an array, dealt out in place when the node is split.
 *
 * NOT PRIVATE: the caller gets exact sums, and which bins occur. These methods are references and need the
 * records themselves, so there is one such object and no table of functions that others could implement.
 * Words of labels are those of label_sums.h. Thread: one at a time. */
#ifndef HR_TREES_RECORDS_FOREST_RECORDS_H
#define HR_TREES_RECORDS_FOREST_RECORDS_H

#include "privacy/crypto/csprng.h"
#include "tables/bins/binned.h"
#include "trees/stats/impurity.h"
#include "trees/stats/split.h"

enum { HR_FOREST_TOGETHER_MAX = 8 };

typedef struct hr_forest_records hr_forest_records;

/* What the records of all trees are taken from. */
typedef struct hr_forest_table {
    const hr_binned *binned;
    const hr_labels *labels;
    hr_packing packing; /* hr_forest_pack */
} hr_forest_table;

/* How labels add up in 63 bits: the packing, and with how many bits numbers should be scaled
 * (hr_labels_scaled). Fails: LIMIT. */
HR_MUST_CHECK hr_status hr_forest_pack(size_t rows, size_t classes, hr_packing *packing, int *bits,
                                       hr_error *err);

/* Room for the records of one tree. Borrows the table and what it points to. Owner: the caller frees *out
 * with hr_forest_records_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_forest_records_new(const hr_forest_table *table, hr_forest_records **out,
                                              hr_error *err);
void hr_forest_records_free(hr_forest_records *records);

/* How sums of labels are packed; words of such a sum; numbers of a node's statistic. */
const hr_packing *hr_forest_records_packing(const hr_forest_records *records);
size_t hr_forest_records_width(const hr_forest_records *records);
size_t hr_forest_records_statistic_width(const hr_forest_records *records);

/* Which records the next tree is grown on: every one, once; or a bootstrap, in which a record may come up
 * several times. */
typedef void hr_forest_taking(hr_forest_records *records, hr_csprng *csprng);
hr_forest_taking hr_forest_take_all, hr_forest_take_bootstrap;

/* The records of a node: handed on, never looked into. */
typedef struct hr_forest_run {
    size_t begin, count;
} hr_forest_run;

/* All records that were taken last. */
hr_forest_run hr_forest_records_root(const hr_forest_records *records);

/* The sum of the labels: `width` words. */
void hr_forest_records_sum(const hr_forest_records *records, hr_forest_run run, hr_sum_word *total);
/* How many records, copies included, such a sum is of. */
int64_t hr_forest_records_count(const hr_forest_records *records, const hr_sum_word *total);
/* Such a sum as a node's statistic (hr_labels_add). */
void hr_forest_records_statistic(const hr_forest_records *records, const hr_sum_word *total, hr_exact *stat);
/* Whether all labels are the same; `total` is their sum. */
bool hr_forest_records_are_pure(const hr_forest_records *records, hr_forest_run run,
                                const hr_sum_word *total);

/* How many features may be summed in one call, at most HR_FOREST_TOGETHER_MAX, and cells of a feature. */
size_t hr_forest_records_together(const hr_forest_records *records);
size_t hr_forest_records_cells(const hr_forest_records *records);

/* Adds the labels by the bins of features[0..count), to cells that are 0: bin b of the j-th is at cells + j *
 * (cells of a feature) + b * width. Writes the bins of the j-th that occur to seen[j]. */
void hr_forest_records_sum_bins(const hr_forest_records *records, hr_forest_run run, const uint32_t *features,
                                size_t count, hr_sum_word *cells, hr_bin_set *seen);

/* Writes the range of the j-th of features[0..count) to ranges[j], and keeps the records' bins of these until
 * the records are dealt out, looked at again, or taken anew. `count` as above. */
void hr_forest_records_look(hr_forest_records *records, hr_forest_run run, const uint32_t *features,
                            size_t count, hr_bin_range *ranges);

/* Writes the sum of the records that cuts[j] of the j-th feature looked at sends left to left[j * width ...],
 * for `count` of them. */
void hr_forest_records_sum_left(const hr_forest_records *records, hr_forest_run run, const hr_cut *cuts,
                                size_t count, hr_sum_word *left);

/* Deals the records out: those that the split sends left are sides[0], the others sides[1]. Both replace the
 * run. */
void hr_forest_records_divide(hr_forest_records *records, hr_forest_run run, const hr_split *split,
                              hr_forest_run sides[2]);

#endif
