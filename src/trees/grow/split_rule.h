/* How one feature divides the records of a node: at the best place, at a random one, or at the median. Each
 * is a rule, a function.
 *
 * Words of labels are those of label_sums.h.
 * None of this is private. */
#ifndef HR_TREES_GROW_SPLIT_RULE_H
#define HR_TREES_GROW_SPLIT_RULE_H

#include "privacy/crypto/csprng.h"
#include "tables/bins/bin_midpoints.h"
#include "trees/stats/split.h"

/* A feature's values among the records of a node. */
typedef struct hr_values {
    const hr_bin_midpoints *of;
    const hr_packing *packing;
    size_t width;
    int64_t min_records;      /* 1 or more: a side with fewer records is not allowed */
    size_t majority;          /* width > 1: the class that most records of the node have */
    const hr_sum_word *total; /* of the node */
    const hr_sum_word *cells; /* of bin b: cells[b * width ...] */
    hr_sum_word *left;        /* room for `width` words */
    bool missing;             /* numbers: some are */
    size_t count;             /* bins that occur, ascending; of numbers without bin 0 */
    uint8_t bins[HR_BINS_MAX];
} hr_values;

typedef struct hr_split_proposal {
    double purity;     /* the larger, the better; below 0: there is none */
    size_t left;       /* the first `left` of values->bins go left; 1 or more */
    double cut;        /* numbers: those up to it go left; it lies between the values that it divides */
    bool missing_left; /* numbers */
} hr_split_proposal;

/* Divides the records, whose feature has at least two different values (missing is one), by the sums of its
 * bins, and may reorder values->bins of a category. purity < 0: no division leaves `min_records` records on
 * both sides. */
typedef void hr_division_by_sums(hr_values *values, hr_csprng *csprng, hr_split_proposal *out);

/* Divides by a number whose range alone is known, and which has two different values (missing is one). */
typedef hr_cut hr_division_by_range(const hr_bin_midpoints *of, const hr_bin_range *range, hr_csprng *csprng);

/* How features divide the records of a node. */
typedef struct hr_split_rule {
    hr_division_by_sums *by_sums;
    hr_division_by_range *by_range; /* of numbers; NULL: by their sums */
} hr_split_rule;

/* Breiman: the best cut, with missing numbers on either side. Categories: in the order of their mean labels,
 * which holds the best of all subsets (Fisher); of more than two classes, in the order of the majority's
 * share, and every value against the rest. */
extern const hr_split_rule hr_split_rule_best;

/* Geurts et al.: a cut drawn uniformly from the range of the node's numbers, or a subset drawn uniformly from
 * its categories; missing numbers to a side drawn at random. */
extern const hr_split_rule hr_split_rule_random;

/* The cut, or the subset of categories taken in random order, that leaves the sides most nearly equal;
 * missing numbers as above. */
extern const hr_split_rule hr_split_rule_median;

/* What the division is worth that leaves values->left on the left side; below 0: a side has too few records.
 */
double hr_left_purity(const hr_values *values);

/* Such a division as a split; numbers that are missing go to the larger side if the node has none. */
hr_split hr_cut_split(const hr_values *values, hr_cut cut, bool has_missing);

/* The division as a split. Values that the node lacks go to the larger side. */
hr_split hr_split_proposal_split(const hr_values *values, const hr_split_proposal *division);

#endif
