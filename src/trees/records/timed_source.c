#include "trees/records/timed_source.h"

#include <stdlib.h>

typedef struct timed_source {
    hr_stats_source source; /* first: a timed_source is an hr_stats_source */
    hr_stats_source *inner;
    hr_timings *timings;
} timed_source;

/* Enters the phase; returns who answers. */
static hr_stats_source *enter_source(hr_stats_source *self, hr_phase phase) {
    timed_source *s = (timed_source *)self;
    hr_timings_enter(s->timings, phase);
    return s->inner;
}

static hr_status leave_source(hr_stats_source *self, hr_status status) {
    hr_timings_leave(((timed_source *)self)->timings);
    return status;
}

static void free_timed_source(hr_stats_source *self) {
    hr_stats_free(((timed_source *)self)->inner);
    free(self);
}

static hr_status prepare_timed(hr_stats_source *self, const hr_stats_setup *setup, hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_BINS);
    return leave_source(self, inner->ops->prepare(inner, setup, err));
}

static hr_status cells_timed(hr_stats_source *self, size_t feature, size_t grid, hr_exact *cells,
                             hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_BINS);
    return leave_source(self, inner->ops->cells(inner, feature, grid, cells, err));
}

static hr_status share_out_timed(hr_stats_source *self, const hr_stats_shares *shares, size_t *filled,
                                 hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_SPLIT);
    return leave_source(self, inner->ops->share_out(inner, shares, filled, err));
}

static hr_status begin_timed(hr_stats_source *self, const hr_stats_round *round, hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_GRADIENTS);
    return leave_source(self, inner->ops->begin(inner, round, err));
}

/* ---- Gradients ---- */

static hr_status label_sums_timed(hr_stats_source *self, hr_exact *sums, hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_HISTOGRAMS);
    return leave_source(self, inner->ops->label_sums(inner, sums, err));
}

static hr_status largest_residual_timed(hr_stats_source *self, size_t output, double *out, hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_GRADIENTS);
    return leave_source(self, inner->ops->largest_residual(inner, output, out, err));
}

static hr_status set_base_timed(hr_stats_source *self, const double *base, hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_SCORE);
    return leave_source(self, inner->ops->set_base(inner, base, err));
}

static hr_status add_trees_timed(hr_stats_source *self, const hr_tree *trees, size_t count, hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_SCORE);
    return leave_source(self, inner->ops->add_trees(inner, trees, count, err));
}

static hr_status sum_timed(hr_stats_source *self, const uint32_t *nodes, hr_sum_word *const *out,
                           size_t count, hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_HISTOGRAMS);
    return leave_source(self, inner->ops->sum(inner, nodes, out, count, err));
}

static hr_status split_timed(hr_stats_source *self, const uint32_t *nodes, const hr_split *splits,
                             const uint32_t *left, size_t count, hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_SPLIT);
    return leave_source(self, inner->ops->split(inner, nodes, splits, left, count, err));
}

static hr_status hessians_timed(hr_stats_source *self, const hr_tree *tree, hr_exact *sums, hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_LEAVES);
    return leave_source(self, inner->ops->hessians(inner, tree, sums, err));
}

/* ---- Labels ---- */

/* A question about leaves comes alone. */
static hr_phase phase_of_queries(const hr_stats_query *queries, size_t count) {
    return count && queries[0].answer == HR_STATS_LEAVES ? HR_PHASE_LEAVES : HR_PHASE_HISTOGRAMS;
}

static hr_status answer_timed(hr_stats_source *self, const hr_stats_query *queries, size_t count,
                              hr_exact *out, hr_error *err) {
    hr_stats_source *inner = enter_source(self, phase_of_queries(queries, count));
    return leave_source(self, inner->ops->answer(inner, queries, count, out, err));
}

static hr_status divide_timed(hr_stats_source *self, const uint32_t *nodes, const hr_child_rule *divisions,
                              const uint32_t *first, size_t count, hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_SPLIT);
    return leave_source(self, inner->ops->divide(inner, nodes, divisions, first, count, err));
}

static hr_status gap_timed(hr_stats_source *self, const hr_stats_query *query, size_t gap, size_t *known,
                           double around[2], hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_HISTOGRAMS);
    return leave_source(self, inner->ops->gap(inner, query, gap, known, around, err));
}

/* ---- Hedge ---- */

static hr_status tree_scores_timed(hr_stats_source *self, const hr_hedge_question *question, hr_exact *out,
                                   hr_error *err) {
    hr_stats_source *inner = enter_source(self, HR_PHASE_SCAN);
    return leave_source(self, inner->ops->tree_scores(inner, question, out, err));
}

static hr_status tree_sums_timed(hr_stats_source *self, const hr_hedge_question *question, hr_exact *out,
                                 hr_error *err) {
    static const hr_phase phases[] = {[HR_HEDGE_TOTALS] = HR_PHASE_HISTOGRAMS,
                                      [HR_HEDGE_LEAVES] = HR_PHASE_LEAVES,
                                      [HR_HEDGE_RELIABILITY] = HR_PHASE_CALIBRATION};
    hr_stats_source *inner = enter_source(self, phases[question->kind]);
    return leave_source(self, inner->ops->tree_sums(inner, question, out, err));
}

/* ---- The source ---- */

static const hr_stats_ops timed_ops = {
    .free = free_timed_source,
    .prepare = prepare_timed,
    .cells = cells_timed,
    .share_out = share_out_timed,
    .begin = begin_timed,
    .label_sums = label_sums_timed,
    .largest_residual = largest_residual_timed,
    .set_base = set_base_timed,
    .add_trees = add_trees_timed,
    .sum = sum_timed,
    .split = split_timed,
    .hessians = hessians_timed,
    .answer = answer_timed,
    .divide = divide_timed,
    .gap = gap_timed,
    .tree_scores = tree_scores_timed,
    .tree_sums = tree_sums_timed,
};

hr_status hr_timed_source_new(hr_stats_source *inner, hr_timings *timings, hr_stats_source **out,
                              hr_error *err) {
    *out = inner;
    if (!timings) return HR_OK;
    timed_source *s = malloc(sizeof *s);
    if (!s) {
        hr_stats_free(inner);
        *out = NULL;
        return hr_fail_memory(err);
    }
    *s = (timed_source){{&timed_ops, inner->capacity}, inner, timings};
    *out = &s->source;
    return HR_OK;
}
