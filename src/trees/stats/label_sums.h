/* Sums of labels over records, opened: what forests without privacy split by. NOT PRIVATE, which is why only
 * their code may include this (tests/hygiene/exact_statistics.py).
 *
 * Labels of a set of records add up in `width` words: one for numbers and for two classes, their sum and the
 * number of records packed into it (the Gini impurity of two classes falls by twice what the variance of the
 * labels 0 and 1 falls); for more classes the number of records in each. What a division is worth is the
 * purity of its sides, sum of S^2/n or of n_k^2/n: exact integers until here. Thread: any. */
#ifndef HR_TREES_STATS_LABEL_SUMS_H
#define HR_TREES_STATS_LABEL_SUMS_H

#include "trees/stats/impurity.h"
#include "trees/stats/packing.h"

/* The number of records. */
static inline int64_t hr_label_records(const hr_packing *packing, size_t width, const hr_sum_word *words) {
    int64_t records = 0;
    if (width == 1) return hr_unpack(packing, *words).weight.unpaid;
    for (size_t k = 0; k < width; k++) records += words[k];
    return records;
}

/* The mean label; with more than one word, the share of a class. Of at least one record. */
double hr_label_mean(const hr_packing *packing, size_t width, const hr_sum_word *words, size_t label_class);

/* Of one word: S_L^2/n_L + S_R^2/n_R, over one denominator; -1 if a side has fewer records than min_records
 * >= 1. */
static inline double hr_label_purity_packed(const hr_packing *packing, hr_sum_word left_word,
                                            hr_sum_word total, int64_t min_records) {
    hr_sums left = hr_unpack(packing, left_word), right = hr_unpack(packing, total - left_word);
    int64_t a = left.weight.unpaid, b = right.weight.unpaid;
    if (a < min_records || b < min_records) return -1;
    double left_sum = (double)left.gradient.unpaid, right_sum = (double)right.gradient.unpaid;
    return (left_sum * left_sum * (double)b + right_sum * right_sum * (double)a) / ((double)a * (double)b);
}

/* Of more words: the sum of n_k^2/n over both sides; -1 as above. */
double hr_label_purity_classes(size_t width, const hr_sum_word *left, const hr_sum_word *total,
                               int64_t min_records);

/* Adds packed records of one class, which stands in place of their sum, to words of more classes. */
static inline void hr_label_add_class(const hr_packing *packing, int64_t packed, hr_sum_word *words) {
    hr_sums one = hr_unpack(packing, packed);
    words[one.gradient.unpaid] += one.weight.unpaid;
}

/* The words as a node's statistic (impurity.h): hr_labels_width numbers. */
void hr_label_statistic(const hr_packing *packing, const hr_labels *labels, const hr_sum_word *words,
                        hr_exact *stat);

#endif
