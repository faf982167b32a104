/* What one record adds to a released statistic: the units of the integers, and the sensitivity of every
 * statistic as a function of the largest weight of a record.
 *
 * A statistic sums over records the weight w of a record, 0 <= w <= w_max, times a number of the record: 1, a
 * label, a gradient. So its sensitivity is w_max times that of a record of weight 1, and so is the width of
 * the scores that choices are made by: adding weight to a mean moves it in proportion. Every record weighs 1,
 * w_max is HR_WEIGHT_MAX; but where boosting weighs records, a weight is an integer from 1 to a public
 * weight_bound, in units of HR_WEIGHT_UNIT. Proofs are beside the code that computes the statistic. */
#ifndef HR_PRIVACY_SENSITIVITY_H
#define HR_PRIVACY_SENSITIVITY_H

#include <stdint.h>

enum { HR_WEIGHT_MAX = 1 }; /* w_max */

/* What 1 is as an integer. */
enum {
    HR_COUNT_UNIT = 64, /* counts: noise is finer than a record */
    HR_RECORD_UNIT =
        1, /* counts of whole records: in cells, in bins, in leaves of trees grown on gradients */
    HR_WEIGHT_UNIT = 16,   /* weights, where records have weights of their own */
    HR_LABEL_BITS = 12,    /* labels, and sums of them, in 2^-12 */
    HR_GRADIENT_BITS = 12, /* gradients */
    HR_HESSIAN_BITS = 12,  /* hessians */
    HR_VALUE_BITS = 20,    /* leaf values of published methods */
    HR_ROUND_GAIN_BITS = 10,
    HR_CLASS_BITS = 20, /* purities of classes; those of numbers are in 2^-(2 HR_LABEL_BITS) */
    HR_GAIN_BITS = 16   /* gains of splits over the square of the largest gradient */
};

/* Sums. */
enum {
    HR_COUNT_SENSITIVITY = HR_WEIGHT_MAX * HR_COUNT_UNIT,
    HR_RECORD_SENSITIVITY = HR_WEIGHT_MAX * HR_RECORD_UNIT,
    HR_LABEL_SENSITIVITY = HR_WEIGHT_MAX << HR_LABEL_BITS,
    HR_HESSIAN_SENSITIVITY = HR_WEIGHT_MAX << HR_HESSIAN_BITS,
    HR_ROUND_GAIN_SENSITIVITY = HR_WEIGHT_MAX << HR_ROUND_GAIN_BITS
};

/* A sum of gradients, of integer magnitude at most `bound` each. */
static inline uint64_t hr_gradient_sensitivity(int64_t bound) {
    return HR_WEIGHT_MAX * (uint64_t)bound;
}

/* Choices: the width of their scores. */
enum {
    HR_MEDIAN_SCORE_WIDTH = 2 * HR_RECORD_SENSITIVITY,
    HR_GAIN_WIDTH = 4 * (HR_WEIGHT_MAX << HR_GAIN_BITS) + 6, /* 6: rounding */
    HR_CLASS_PURITY_WIDTH = 2 * (HR_WEIGHT_MAX << HR_CLASS_BITS),
    HR_NUMBER_PURITY_WIDTH = 4 * (HR_WEIGHT_MAX << (2 * HR_LABEL_BITS))
};

/* Sums over leaves of the length of the leaf's sum of gradients, of length at most `bound` each. */
static inline uint64_t hr_leaf_score_width(int64_t bound) {
    return 2 * hr_gradient_sensitivity(bound);
}

/* ---- Records, or persons with several records ---- */

/* What is added or removed: one record, or a person with all its records. Each of a person's m records has
 * the weight floor(2^16/m)/2^16 in every sum and count, so that a person weighs at most 1. What a weighted
 * record adds to a sum is a product truncated towards zero, so that what a person adds is at most what a
 * record of weight 1 does. */
typedef enum hr_privacy_unit { HR_PER_RECORD, HR_PER_PERSON } hr_privacy_unit;

enum {
    HR_PERSON_UNIT = 1 << 16, /* 1 in weights, and in counts per person */
    HR_PERSON_FINE_BITS = 6,  /* sums per person are finer by so many bits: shares of a record are not lost */
    HR_PERSON_GRADIENT_BOUND = /* of the weighted gradient of a record, over its weight in 2^-16 */
    ((1 << HR_GRADIENT_BITS) << HR_PERSON_FINE_BITS) / HR_PERSON_UNIT,
    HR_LEAVES_MAX = 256 /* of a tree of hedge */
};

/* What 1 is in counts, and so the sensitivity of a count. */
static inline uint64_t hr_unit_of_counts(hr_privacy_unit unit) {
    return unit == HR_PER_PERSON ? HR_PERSON_UNIT : HR_COUNT_UNIT;
}

/* How much finer than 2^-HR_GRADIENT_BITS or 2^-HR_LABEL_BITS sums of gradients and labels are. */
static inline uint64_t hr_unit_fineness(hr_privacy_unit unit) {
    return unit == HR_PER_PERSON ? 1 << HR_PERSON_FINE_BITS : 1;
}

static inline uint64_t hr_unit_label_sensitivity(hr_privacy_unit unit) {
    return HR_LABEL_SENSITIVITY * hr_unit_fineness(unit);
}

static inline uint64_t hr_unit_gradient_sensitivity(hr_privacy_unit unit, int64_t bound) {
    return hr_gradient_sensitivity(bound) * hr_unit_fineness(unit);
}

/* The width of hr_leaf_score_width. A person is in several leaves of a tree, and the length of each is
 * rounded down: 1 for each leaf. */
static inline uint64_t hr_unit_leaf_score_width(hr_privacy_unit unit, int64_t bound) {
    if (unit == HR_PER_RECORD) return hr_leaf_score_width(bound);
    return 2 * (hr_unit_gradient_sensitivity(unit, bound) + HR_LEAVES_MAX);
}

/* w x / 2^16 in units finer by HR_PERSON_FINE_BITS, truncated towards zero. |x| < 2^41. */
static inline int64_t hr_person_share(uint32_t weight, int64_t x) {
    return (int64_t)weight * x / (HR_PERSON_UNIT >> HR_PERSON_FINE_BITS);
}

/* The width of gains of splits, of all nodes of a level together. A person may be in all of them: its weights
 * there add up to at most 1, and each gain is rounded by itself. */
static inline uint64_t hr_unit_gain_width(hr_privacy_unit unit, uint64_t nodes) {
    return unit == HR_PER_PERSON ? HR_GAIN_WIDTH + 3 * nodes : HR_GAIN_WIDTH;
}

/* Medians of cells: their width. */
static inline uint64_t hr_unit_median_width(hr_privacy_unit unit) {
    return unit == HR_PER_PERSON ? 2 * HR_PERSON_UNIT : HR_MEDIAN_SCORE_WIDTH;
}

/* ---- Records of integer weights 1 to weight_bound ---- */

/* A sum of weights. */
static inline uint64_t hr_weight_sensitivity(uint64_t weight_bound) {
    return weight_bound;
}

/* A sum of weighted gradients, of integer magnitude at most weight * bound each. */
static inline uint64_t hr_weighted_gradient_sensitivity(uint64_t weight_bound, int64_t bound) {
    return weight_bound * hr_gradient_sensitivity(bound);
}

/* The width of gains of splits: HR_GAIN_WIDTH for weight_bound 1. */
static inline uint64_t hr_weighted_gain_width(uint64_t weight_bound) {
    return 4 * (weight_bound << HR_GAIN_BITS) + 6;
}

#endif
