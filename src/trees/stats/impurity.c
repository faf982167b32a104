#include "trees/stats/impurity.h"

#include "base/fail.h"
#include "privacy/sample.h"
#include "tables/schema/survival_code.h"
#include "trees/stats/gradient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ONE = 1 << HR_LABEL_BITS, FINE_BITS = 16 };

void hr_labels_done(hr_labels *labels) {
    free(labels->values);
    *labels = (hr_labels){0};
}

hr_labels hr_labels_kind(const hr_schema *schema) {
    const hr_column *label = hr_schema_label(schema);
    if (label->event) return (hr_labels){.classes = hr_survival_codes(label->interval_count)};
    return (hr_labels){.classes = label->kind == HR_KIND_CATEGORY ? label->value_count : 0};
}

static void codes_of_times(const hr_data *data, int32_t *values) {
    const hr_column *label = hr_schema_label(hr_data_schema(data));
    const double *times = hr_data_labels(data);
    for (size_t i = 0; i < hr_data_rows(data); i++)
        values[i] = (int32_t)hr_survival_code(hr_label_time(times[i]), hr_label_event(times[i]),
                                              label->intervals, label->interval_count);
}

static int32_t clamp_impurity(int64_t x, int64_t bound) {
    return (int32_t)(x < -bound ? -bound : x > bound ? bound : x);
}

static hr_status mapped_labels(const hr_data *data, int bits, hr_labels *labels, hr_error *err) {
    const int64_t one = (int64_t)1 << bits;
    const size_t rows = hr_data_rows(data);
    double *targets = malloc((rows + 1) * sizeof *targets);
    if (!targets) return hr_fail_memory(err);
    hr_targets_of(data, targets);
    for (size_t i = 0; i < rows; i++) {
        if (labels->classes == 2)
            labels->values[i] = targets[i] > 0;
        else
            labels->values[i] = labels->classes ? (int32_t)targets[i]
                                                : clamp_impurity(hr_round(targets[i] * (double)one), one);
    }
    free(targets);
    return HR_OK;
}

hr_status hr_labels_scaled(const hr_data *data, int bits, hr_labels *out, hr_error *err) {
    const bool times = hr_schema_label(hr_data_schema(data))->event;
    *out = hr_labels_kind(hr_data_schema(data));
    out->values = malloc((hr_data_rows(data) + 1) * sizeof *out->values);
    hr_status status = out->values ? HR_OK : hr_fail_memory(err);
    if (!status && times) codes_of_times(data, out->values);
    if (!status && !times) status = mapped_labels(data, bits, out, err);
    if (status) hr_labels_done(out);
    return status;
}

hr_status hr_labels_of(const hr_data *data, hr_labels *out, hr_error *err) {
    return hr_labels_scaled(data, HR_LABEL_BITS, out, err);
}

void hr_labels_sum(const hr_labels *labels, const uint32_t *rows, const uint32_t *node_of, size_t count,
                   size_t node_count, hr_exact *stats) {
    size_t width = hr_labels_width(labels);
    memset(stats, 0, node_count * width * sizeof *stats);
    for (size_t i = 0; i < count; i++)
        hr_labels_add(labels, rows ? rows[i] : (uint32_t)i, stats + node_of[i] * width);
}

static hr_u128 purity_of_classes(const hr_labels *labels, const hr_exact *stat) {
    hr_u128 squares = 0, all = 0;
    for (size_t k = 0; k < labels->classes; k++) {
        hr_u128 n = (hr_u128)stat[k].unpaid;
        squares += n * n;
        all += n;
    }
    return all ? (squares << HR_CLASS_BITS) / all : 0;
}

static hr_u128 purity_of_numbers(const hr_labels *labels, const hr_exact *stat) {
    enum { PERSON_BITS = 20 }; /* per person sum^2/count is in 2^-36/2^-16, and this in 2^-40 */
    const hr_i128 sum = stat[0].unpaid;
    const hr_u128 square = (hr_u128)(sum * sum) << (labels->unit == HR_PER_PERSON ? PERSON_BITS : 0);
    return stat[1].unpaid ? square / (hr_u128)stat[1].unpaid : 0;
}

/* Of one set: in units of hr_purity, per person finer by FINE_BITS, so that many small sets lose little. */
static hr_u128 fine_purity(const hr_labels *labels, const hr_exact *stat) {
    return labels->classes ? purity_of_classes(labels, stat) : purity_of_numbers(labels, stat);
}

static int64_t purity_of_fine(const hr_labels *labels, hr_u128 sum) {
    return (int64_t)(labels->unit == HR_PER_PERSON ? sum >> FINE_BITS : sum);
}

int64_t hr_purity(const hr_labels *labels, const hr_exact *stat) {
    return purity_of_fine(labels, fine_purity(labels, stat));
}

static int64_t square_of_label(const hr_labels *labels, uint32_t row) {
    const int64_t y = labels->values[row], square = labels->classes ? 1 << HR_CLASS_BITS : y * y;
    return labels->weights ? square * labels->weights[row] / HR_PERSON_UNIT : square;
}

void hr_sides_sum(const hr_labels *labels, const uint32_t *rows, const uint8_t *left, size_t count,
                  hr_exact *sides) {
    size_t width = hr_labels_width(labels);
    int64_t squares = 0;
    memset(sides, 0, hr_sides_width(width) * sizeof *sides);
    for (size_t i = 0; i < count; i++) {
        hr_labels_add(labels, rows[i], sides + (left[i] ? 0 : width));
        squares += square_of_label(labels, rows[i]);
    }
    sides[2 * width].unpaid = squares;
}

hr_exact hr_division_score(const hr_labels *labels, const hr_exact *sides) {
    size_t width = hr_labels_width(labels);
    const hr_u128 both = fine_purity(labels, sides) + fine_purity(labels, sides + width);
    return (hr_exact){purity_of_fine(labels, both) - sides[2 * width].unpaid};
}

static int64_t impurity_records_of(const hr_labels *labels, const hr_exact *stat) {
    int64_t count = 0;
    if (!labels->classes) return stat[1].unpaid;
    for (size_t k = 0; k < labels->classes; k++) count += stat[k].unpaid;
    return count;
}

hr_exact hr_division_score_per_record(const hr_labels *labels, const hr_exact *sides) {
    int64_t count =
        impurity_records_of(labels, sides) + impurity_records_of(labels, sides + hr_labels_width(labels));
    return (hr_exact){count ? hr_division_score(labels, sides).unpaid / count : 0};
}

void hr_bins_sum(const hr_labels *labels, const uint8_t *bins, size_t bin_count, const uint32_t *rows,
                 size_t count, hr_exact *stats) {
    size_t width = hr_labels_width(labels);
    memset(stats, 0, bin_count * width * sizeof *stats);
    for (size_t i = 0; i < count; i++) hr_labels_add(labels, rows[i], stats + bins[rows[i]] * width);
}

hr_exact hr_bins_score(const hr_labels *labels, size_t bin_count, const hr_exact *stats) {
    size_t width = hr_labels_width(labels);
    hr_u128 purity = 0;
    for (size_t b = 0; b < bin_count; b++) purity += fine_purity(labels, stats + b * width);
    return (hr_exact){purity_of_fine(labels, purity)};
}

void hr_labels_of_leaves(const hr_labels *labels, const hr_exact *stats, size_t leaves, hr_exact *sums,
                         hr_exact *counts) {
    const int64_t one = labels->unit == HR_PER_PERSON ? 1 : HR_COUNT_UNIT;
    size_t width = hr_labels_width(labels);
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        const hr_exact *stat = stats + leaf * width;
        for (size_t k = 0; k < labels->classes; k++) counts[leaf * width + k].unpaid = one * stat[k].unpaid;
        if (!labels->classes) {
            sums[leaf] = stat[0];
            counts[leaf].unpaid = one * stat[1].unpaid;
        }
    }
}

double hr_mean_as_published(hr_noisy sum, hr_exact count) {
    if (!count.unpaid) return NAN;
    double mean = (double)sum.paid / ONE / ((double)count.unpaid / HR_COUNT_UNIT);
    return mean < -1 ? -1 : mean > 1 ? 1 : mean;
}

uint64_t hr_purity_width(const hr_labels *labels, uint64_t nodes) {
    const uint64_t width = labels->classes ? HR_CLASS_PURITY_WIDTH : HR_NUMBER_PURITY_WIDTH;
    return labels->unit == HR_PER_PERSON ? width + 3 * nodes : width;
}
