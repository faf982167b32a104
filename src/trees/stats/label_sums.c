#include "trees/stats/label_sums.h"

static double squared(int64_t x) {
    return (double)x * (double)x;
}

double hr_label_mean(const hr_packing *packing, size_t width, const hr_sum_word *words, size_t label_class) {
    double sum = (double)(width == 1 ? hr_unpack(packing, *words).gradient.unpaid : words[label_class]);
    return sum / (double)hr_label_records(packing, width, words);
}

double hr_label_purity_classes(size_t width, const hr_sum_word *left, const hr_sum_word *total,
                               int64_t min_records) {
    int64_t a = 0, b = 0;
    double left_squares = 0, right_squares = 0;
    for (size_t k = 0; k < width; k++) {
        hr_sum_word right = total[k] - left[k];
        a += left[k];
        b += right;
        left_squares += squared(left[k]);
        right_squares += squared(right);
    }
    return a < min_records || b < min_records ? -1 : left_squares / (double)a + right_squares / (double)b;
}

void hr_label_statistic(const hr_packing *packing, const hr_labels *labels, const hr_sum_word *words,
                        hr_exact *stat) {
    if (labels->classes > 2) {
        for (size_t k = 0; k < labels->classes; k++) stat[k].unpaid = words[k];
        return;
    }
    hr_sums sums = hr_unpack(packing, words[0]);
    bool classes = labels->classes;
    stat[0].unpaid = classes ? sums.weight.unpaid - sums.gradient.unpaid : sums.gradient.unpaid;
    stat[1].unpaid = classes ? sums.gradient.unpaid : sums.weight.unpaid;
}
