#include "trees/stats/round_gain.h"

#include <math.h>

enum { UNIT = 1 << HR_ROUND_GAIN_BITS };

static int64_t gain_of_class(double label, double before, double after) {
    bool second = label > 0;
    return ((after > 0) == second) - ((before > 0) == second);
}

static double error_of(double target, double score) {
    return fabs(target - fmin(fmax(score, -1), 1));
}

static int64_t gain_of_number(double target, double before, double after) {
    return (int64_t)nearbyint((error_of(target, before) - error_of(target, after)) / 2 * UNIT);
}

static double target_of(const hr_column *label, double value) {
    return label->kind == HR_KIND_NUMBER ? 2 * (value - label->low) / (label->high - label->low) - 1 : value;
}

void hr_round_gain_sums(const hr_data *records, const double *before, const double *after, hr_exact *gain,
                        hr_exact *count) {
    const hr_column *label = hr_schema_label(hr_data_schema(records));
    const double *labels = hr_data_labels(records);
    size_t rows = hr_data_rows(records);
    gain->unpaid = 0;
    for (size_t i = 0; i < rows; i++) {
        double target = target_of(label, labels[i]);
        gain->unpaid += label->kind == HR_KIND_NUMBER ? gain_of_number(target, before[i], after[i])
                                                      : UNIT * gain_of_class(target, before[i], after[i]);
    }
    count->unpaid = (int64_t)rows * UNIT;
}

double hr_round_gain_exact(const hr_data *records, const double *before, const double *after) {
    const hr_column *label = hr_schema_label(hr_data_schema(records));
    const double *labels = hr_data_labels(records);
    double gain = 0;
    for (size_t i = 0; i < hr_data_rows(records); i++) {
        double target = target_of(label, labels[i]);
        gain += label->kind == HR_KIND_NUMBER ? error_of(target, before[i]) - error_of(target, after[i])
                                              : (double)gain_of_class(target, before[i], after[i]);
    }
    return gain;
}
