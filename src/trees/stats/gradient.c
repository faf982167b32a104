#include "trees/stats/gradient.h"

#include "base/kernels/kernels.h"

#include <math.h>

enum { PIECE_ROWS = 512 }; /* of one call of a kernel */

/* ---- Targets ---- */

void hr_targets_of(const hr_data *data, double *targets) {
    const hr_column *label = hr_schema_label(hr_data_schema(data));
    const double *labels = hr_data_labels(data);
    size_t rows = hr_data_rows(data);
    bool number = label->kind == HR_KIND_NUMBER, two = !number && label->value_count == 2;
    double low = number ? label->low : 0, scale = number ? 2 / (label->high - label->low) : 2;
    for (size_t i = 0; i < rows; i++) targets[i] = number || two ? (labels[i] - low) * scale - 1 : labels[i];
}

/* ---- Gradients ---- */

static inline size_t row_at(const hr_gradient_input *in, size_t i) {
    return in->rows ? in->rows[i] : i;
}

static inline double target_at(const hr_gradient_input *in, size_t row) {
    if (in->outputs == 1) return in->targets[row];
    return in->targets[row] == (double)in->output ? 1 : -1;
}

static inline double residual_at(const hr_gradient_input *in, size_t row) {
    return in->scores[row * in->outputs + in->output] - target_at(in, row);
}

static inline int64_t pack_square(const hr_packing *packing, double residual, double clip, int64_t weight) {
    double g = hr_bounded(hr_bounded(residual, clip) * packing->gradient_scale * (double)weight,
                          (double)(packing->gradient_bound * weight));
    return hr_pack(packing, hr_round(g), weight);
}

static inline int64_t weight_at(const hr_gradient_input *in, size_t row) {
    return in->weights ? in->weights[row] : 1;
}

/* All records, one output and no weights, the common case, has a loop of its own: compilers vectorise it. */
static bool is_plain(const hr_gradient_input *in) {
    return !in->rows && in->outputs == 1 && !in->weights;
}

void hr_gradients_square(const hr_gradient_input *in, double clip, const hr_packing *packing,
                         int64_t *packed) {
    const hr_packing p = *packing;
    const double *restrict targets = in->targets, *restrict scores = in->scores;
    if (is_plain(in)) {
#pragma omp parallel for num_threads(in->threads) schedule(static)
        for (size_t i = 0; i < in->count; i++) packed[i] = pack_square(&p, scores[i] - targets[i], clip, 1);
        return;
    }
#pragma omp parallel for num_threads(in->threads) schedule(static)
    for (size_t i = 0; i < in->count; i++) {
        size_t row = row_at(in, i);
        packed[i] = pack_square(&p, residual_at(in, row), clip, weight_at(in, row));
    }
}

double hr_gradients_square_bound(const hr_gradient_input *in) {
    double bound = 0;
#pragma omp parallel for num_threads(in->threads) schedule(static) reduction(max : bound)
    for (size_t i = 0; i < in->count; i++) {
        double g = fabs(residual_at(in, row_at(in, i)));
        bound = g > bound ? g : bound;
    }
    return bound;
}

size_t hr_rows_within(const hr_gradient_input *in, double bound, uint32_t *kept) {
    size_t count = 0;
    for (size_t i = 0; i < in->count; i++) {
        size_t row = row_at(in, i);
        if (fabs(residual_at(in, row)) <= bound) kept[count++] = (uint32_t)row;
    }
    return count;
}

static hr_gradient_rule rule_of(const hr_packing *packing) {
    return (hr_gradient_rule){.scale = packing->gradient_scale,
                              .bound = (double)packing->gradient_bound,
                              .weight_scale = packing->weight_scale,
                              .shift = packing->shift};
}

static void two_classes(const hr_gradient_input *in, const hr_packing *packing, int64_t *packed) {
    const hr_gradient_rule rule = rule_of(packing);
    if (is_plain(in)) {
        const hr_kernels *kernels = hr_kernels_get();
#pragma omp parallel for num_threads(in->threads) schedule(static)
        for (size_t begin = 0; begin < in->count; begin += PIECE_ROWS) {
            const size_t count = in->count - begin < PIECE_ROWS ? in->count - begin : PIECE_ROWS;
            kernels->logistic_words(&rule, in->scores + begin, in->targets + begin, count, packed + begin);
        }
        return;
    }
#pragma omp parallel for num_threads(in->threads) schedule(static)
    for (size_t i = 0; i < in->count; i++)
        packed[i] = hr_logistic_word(&rule, in->scores[row_at(in, i)], in->targets[row_at(in, i)]);
}

static void set_class_gradients(const hr_gradient_input *in, const hr_packing *packing, int64_t *packed) {
    const hr_gradient_rule rule = rule_of(packing);
#pragma omp parallel for num_threads(in->threads) schedule(static)
    for (size_t i = 0; i < in->count; i++) {
        size_t row = row_at(in, i);
        const double *score = in->scores + row * in->outputs;
        double sum = 0;
        for (size_t k = 0; k < in->outputs; k++) sum += hr_exp(hr_bounded(score[k] - score[in->output], 80));
        packed[i] = hr_probability_word(&rule, 1 / sum, in->targets[row] == (double)in->output ? 1 : 0);
    }
}

void hr_gradients_logistic(const hr_gradient_input *in, const hr_packing *packing, int64_t *packed) {
    if (in->outputs == 1)
        two_classes(in, packing, packed);
    else
        set_class_gradients(in, packing, packed);
}

/* ---- The denominators of leaves ---- */

static int64_t hessian_of_residual(double r) {
    r = fmin(r, 2);
    return hr_round(r * (2 - r) * (1 << HR_HESSIAN_BITS));
}

int64_t hr_hessian(const hr_hessian_rule *rule, uint32_t row, int64_t gradient) {
    const double residual = fabs((double)gradient) * rule->bound / (double)rule->packing->gradient_bound;
    if (!rule->weights) return hessian_of_residual(residual);
    const uint32_t weight = rule->weights[row];
    return weight ? hr_person_share(weight, hessian_of_residual(residual / weight)) : 0;
}

/* ---- The sums of labels ---- */

size_t hr_label_sums(const double *targets, size_t rows, size_t outputs, bool classes, hr_exact *sums) {
    size_t count = !classes ? 1 : outputs == 1 ? 2 : outputs;
    for (size_t k = 0; k < count; k++) sums[k].unpaid = 0;
    for (size_t i = 0; i < rows; i++) {
        if (!classes)
            sums[0].unpaid += hr_round(targets[i] * 0x1p20);
        else
            sums[outputs == 1 ? targets[i] > 0 : (size_t)targets[i]].unpaid++;
    }
    return count;
}
