#include "trees/stats/gradient.h"

#include "base/kernels/kernels.h"
#include "base/team.h"
#include "tables/schema/survival_code.h"

#include <math.h>
#include <stdatomic.h>

enum { PIECE_ROWS = 512 }; /* of one call of a kernel */

/* ---- Targets ---- */

/* A record that is censored in the second half of an interval counts as one that survived it. Else those that
 * are censored within intervals would have events there and no survival, and hazards would be too high. */
static size_t code_of(const hr_column *label, double value) {
    const double time = hr_label_time(value), *cuts = label->intervals;
    const size_t count = label->interval_count,
                 code = hr_survival_code(time, hr_label_event(value), cuts, count),
                 survived = hr_survival_survived(code);
    if (hr_survival_event(code) || survived == count) return code;
    const double from = survived ? cuts[survived - 1] : 0;
    return time >= from + (cuts[survived] - from) / 2 ? code + 2 : code;
}

void hr_targets_of(const hr_data *data, double *targets) {
    const hr_column *label = hr_schema_label(hr_data_schema(data));
    const double *labels = hr_data_labels(data);
    size_t rows = hr_data_rows(data);
    if (label->event) {
        for (size_t i = 0; i < rows; i++) targets[i] = (double)code_of(label, labels[i]);
        return;
    }
    bool number = label->kind == HR_KIND_NUMBER, two = !number && label->value_count == 2;
    double low = number && !label->count ? label->low : 0, scale = number ? 2 / (label->high - low) : 2;
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

/* What the threads of a call share. */
typedef struct gradient_task {
    const hr_gradient_input *in;
    hr_packing packing;
    hr_gradient_rule rule;
    double clip;
    int64_t *packed;
    _Atomic double bound; /* the largest gradient so far */
} gradient_task;

static void share_records(gradient_task *t, hr_team_part *part) {
    hr_team_share((size_t)t->in->threads, t->in->count, HR_TEAM_RECORDS, part, t);
}

static void pack_plain_squares(void *of, size_t member, size_t begin, size_t end) {
    const gradient_task *t = of;
    const hr_packing p = t->packing;
    const double clip = t->clip, *restrict targets = t->in->targets, *restrict scores = t->in->scores;
    int64_t *restrict packed = t->packed;
    (void)member;
    for (size_t i = begin; i < end; i++) packed[i] = pack_square(&p, scores[i] - targets[i], clip, 1);
}

static void pack_squares(void *of, size_t member, size_t begin, size_t end) {
    const gradient_task *t = of;
    (void)member;
    for (size_t i = begin; i < end; i++) {
        const size_t row = row_at(t->in, i);
        t->packed[i] = pack_square(&t->packing, residual_at(t->in, row), t->clip, weight_at(t->in, row));
    }
}

void hr_gradients_square(const hr_gradient_input *in, double clip, const hr_packing *packing,
                         int64_t *packed) {
    gradient_task task = {.in = in, .packing = *packing, .clip = clip, .packed = packed};
    share_records(&task, is_plain(in) ? pack_plain_squares : pack_squares);
}

static void find_bound(void *of, size_t member, size_t begin, size_t end) {
    gradient_task *t = of;
    double bound = 0, known = atomic_load(&t->bound);
    (void)member;
    for (size_t i = begin; i < end; i++) {
        const double g = fabs(residual_at(t->in, row_at(t->in, i)));
        bound = g > bound ? g : bound;
    }
    while (bound > known && !atomic_compare_exchange_weak(&t->bound, &known, bound)) {
    }
}

double hr_gradients_square_bound(const hr_gradient_input *in) {
    gradient_task task = {.in = in};
    share_records(&task, find_bound);
    return atomic_load(&task.bound);
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

static void pack_plain_logistic(void *of, size_t member, size_t begin, size_t end) {
    const gradient_task *t = of;
    const hr_kernels *kernels = hr_kernels_get();
    (void)member;
    for (size_t i = begin; i < end; i += PIECE_ROWS)
        kernels->logistic_words(&t->rule, t->in->scores + i, t->in->targets + i,
                                end - i < PIECE_ROWS ? end - i : PIECE_ROWS, t->packed + i);
}

static void pack_logistic(void *of, size_t member, size_t begin, size_t end) {
    const gradient_task *t = of;
    (void)member;
    for (size_t i = begin; i < end; i++) {
        const size_t row = row_at(t->in, i);
        t->packed[i] = hr_logistic_word(&t->rule, t->in->scores[row], t->in->targets[row]);
    }
}

static void pack_classes(void *of, size_t member, size_t begin, size_t end) {
    const gradient_task *t = of;
    const hr_gradient_input *in = t->in;
    (void)member;
    for (size_t i = begin; i < end; i++) {
        const size_t row = row_at(in, i);
        const double *score = in->scores + row * in->outputs;
        double sum = 0;
        for (size_t k = 0; k < in->outputs; k++) sum += hr_exp(hr_bounded(score[k] - score[in->output], 80));
        t->packed[i] = hr_probability_word(&t->rule, 1 / sum, in->targets[row] == (double)in->output ? 1 : 0);
    }
}

void hr_gradients_logistic(const hr_gradient_input *in, const hr_packing *packing, int64_t *packed) {
    gradient_task task = {.in = in, .rule = rule_of(packing), .packed = packed};
    share_records(&task, in->outputs > 1 ? pack_classes : is_plain(in) ? pack_plain_logistic : pack_logistic);
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
