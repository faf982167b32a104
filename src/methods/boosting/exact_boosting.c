#include "methods/boosting/exact_boosting.h"
#include "base/fail.h"
#include "tables/bins/edges.h"

#include <math.h>

enum { WEIGHT_BITS = 10, PACKED_BITS_MIN = 12 };

hr_status hr_exact_charge(hr_gate *gate, const char *what, hr_permit *out, hr_error *err) {
    hr_charge exact = {.what = what, .tree = -1, .level = -1, .sensitivity = 1};
    return hr_gate_charge_sums(gate, &exact, out, err);
}

hr_status hr_exact_boosting_charge(hr_gate *gate, hr_edges edges, hr_exact_permits *out, hr_error *err) {
    hr_status status = edges == HR_EDGES_PUBLIC ? HR_OK : hr_gate_charge_exact(gate, "bin edges", err);
    if (!status) status = hr_exact_charge(gate, "splits", &out->splits, err);
    if (!status) status = hr_exact_charge(gate, "leaf sums", &out->leaves, err);
    if (!status) status = hr_exact_charge(gate, "base score", &out->base, err);
    return status;
}

bool hr_exact_boosting_is_logistic(const hr_exact_boosting *e) {
    return e->boosting.training->forest.link == HR_LINK_LOGISTIC;
}

static uint64_t exact_weight_bound(bool logistic) {
    return logistic ? 1 << (WEIGHT_BITS - 2) : 1;
}

bool hr_exact_sums_apart(bool logistic, size_t rows) {
    return hr_packing_shift(rows, exact_weight_bound(logistic), (int64_t)1 << PACKED_BITS_MIN) < 0;
}

hr_status hr_exact_packing(bool logistic, size_t rows, hr_packing *packing, hr_error *err) {
    uint64_t weight_bound = exact_weight_bound(logistic);
    packing->weight_scale = logistic ? 1 << WEIGHT_BITS : 1;
    packing->shift = -1;
    for (int bits = 30; packing->shift < 0 && bits >= 8; bits--) {
        packing->gradient_bound = (int64_t)1 << bits;
        packing->shift = hr_packing_shift(rows, weight_bound, packing->gradient_bound);
    }
    if (packing->shift >= 0) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "train on a part of the records",
                   "too many records for exact sums in 63 bits");
}

static hr_status exact_boosting_bins(hr_training *training, hr_error *err) {
    const hr_fit_options *options = training->options;
    if (options->edges == HR_EDGES_PUBLIC)
        return hr_edges_public(hr_data_schema(training->data), (uint32_t)options->bins, training->arena,
                               &training->binning, err);
    return hr_edges_exact(training->data, (uint32_t)options->bins, training->threads, training->arena,
                          &training->binning, err);
}

/* Gains of classes are said of the labels 0 and 1; square loss has -1 and 1, and gradients twice as large. */
static double gamma_of(const hr_training *training) {
    const double gamma = training->options->by_name[HR_OPTION_GAMMA];
    return training->forest.link == HR_LINK_SIGNED ? 4 * gamma : gamma;
}

static void splitter_init(hr_exact_boosting *e) {
    const hr_training *training = e->boosting.training;
    for (int level = 0; level < HR_TREE_DEPTH_MAX; level++) e->levels[level] = e->permits.splits;
    e->splitter =
        (hr_exact_splitter){.binning = &training->binning,
                            .packing = &e->boosting.packing,
                            .gate = training->gate,
                            .permits = e->levels,
                            .lambda = training->options->lambda,
                            .min_child_weight = training->options->by_name[HR_OPTION_MIN_CHILD_WEIGHT],
                            .gamma = gamma_of(training),
                            .threads = training->threads};
    hr_exact_splitter_init(&e->splitter);
}

hr_status hr_exact_boosting_init(hr_exact_boosting *e, hr_training *training, const hr_exact_permits *permits,
                                 size_t trees, size_t rows, hr_error *err) {
    const hr_fit_options *options = training->options;
    hr_link link = options->loss == HR_LOSS_LOGISTIC ? HR_LINK_LOGISTIC : HR_LINK_SIGNED;
    hr_timings *timings = hr_gate_timings(training->gate);
    *e = (hr_exact_boosting){.permits = *permits};
    hr_timings_enter(timings, HR_PHASE_BINS);
    hr_status status = exact_boosting_bins(training, err);
    hr_timings_leave(timings);
    if (!status) status = hr_boosting_init(&e->boosting, training, link, trees, err);
    if (status) return status;
    splitter_init(e);
    status = hr_exact_packing(hr_exact_boosting_is_logistic(e), training->sums_apart ? HR_CHUNK_ROWS : rows,
                              &e->boosting.packing, err);
    if (status) hr_exact_boosting_done(e);
    return status;
}

void hr_exact_boosting_done(hr_exact_boosting *e) {
    hr_boosting_done(&e->boosting);
}

static bool has_classes(const hr_exact_boosting *e) {
    return e->boosting.training->forest.link != HR_LINK_NUMBER;
}

hr_status hr_exact_boosting_label_sums(hr_exact_boosting *e, hr_noisy *sums, hr_error *err) {
    hr_boosting *b = &e->boosting;
    hr_exact exact[HR_BINS_MAX];
    size_t count = !has_classes(e) ? 1 : b->outputs == 1 ? 2 : b->outputs;
    hr_status status = b->source->ops->label_sums(b->source, exact, err);
    if (!status) hr_gate_sums(b->training->gate, e->permits.base, exact, count, sums);
    return status;
}

void hr_exact_base(const hr_noisy *sums, double rows, hr_forest *forest) {
    const size_t outputs = forest->output_count;
    const bool classes = forest->link != HR_LINK_NUMBER;
    for (size_t k = 0; k < outputs; k++) {
        double in_class = (double)sums[outputs == 1 && classes ? 1 : k].paid;
        if (!classes)
            forest->base[k] = (double)sums[0].paid / 0x1p20 / rows;
        else if (forest->link != HR_LINK_LOGISTIC)
            forest->base[k] = 2 * in_class / rows - 1;
        else if (outputs == 1)
            forest->base[k] = log((in_class + 1) / (rows - in_class + 1));
        else
            forest->base[k] = log((in_class + 1) / (rows + (double)outputs));
    }
}

hr_status hr_exact_boosting_set_base(hr_exact_boosting *e, const hr_noisy *sums, double rows, hr_error *err) {
    hr_boosting *b = &e->boosting;
    hr_exact_base(sums, rows, &b->training->forest);
    return b->source->ops->set_base(b->source, b->training->forest.base, err);
}

/* Gradients of logistic loss are probabilities: they fill all bits as they are. */
hr_stats_round hr_exact_boosting_round(hr_exact_boosting *e, size_t output, double bound) {
    hr_packing *packing = &e->boosting.packing;
    bool logistic = hr_exact_boosting_is_logistic(e);
    packing->gradient_scale = (double)packing->gradient_bound;
    if (!logistic) packing->gradient_scale /= bound;
    return (hr_stats_round){.output = output,
                            .loss = logistic ? HR_STATS_LOGISTIC : HR_STATS_SQUARE,
                            .bound = bound,
                            .packing = *packing};
}

static void set_leaves(hr_exact_boosting *e, hr_tree *tree, size_t leaves) {
    hr_boosting *b = &e->boosting;
    const hr_fit_options *options = b->training->options;
    hr_gate_sums(b->training->gate, e->permits.leaves, b->leaf_gradients, leaves, b->noisy_gradients);
    hr_gate_sums(b->training->gate, e->permits.leaves, b->leaf_weights, leaves, b->noisy_weights);
    for (size_t l = 0; l < leaves; l++) {
        double sum = (double)b->noisy_gradients[l].paid / b->packing.gradient_scale;
        double weight = (double)b->noisy_weights[l].paid / b->packing.weight_scale + options->lambda;
        b->values[l] = weight > 0 ? -options->learning_rate * sum / weight : 0;
    }
    hr_leaves_set(tree, b->values);
}

hr_status hr_exact_boosting_tree(hr_exact_boosting *e, const hr_stats_round *round, hr_error *err) {
    hr_tree *tree;
    size_t leaves;
    hr_status status = hr_boosting_grow(&e->boosting, &e->splitter.splitter, round, &tree, &leaves, err);
    if (!status) set_leaves(e, tree, leaves);
    return status;
}
