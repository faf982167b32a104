#include "trees/grow/exact_splitter.h"

#include "base/team.h"
#include "trees/stats/split_gains.h"

#include <math.h>
#include <stdlib.h>

enum { FEATURES_TOGETHER = 128 };

/* `best`: one division a feature; `scores`: room for as many. */
static hr_split choose_one(const hr_exact_splitter *g, const hr_gain_rule *rule, hr_permit permit,
                           const hr_sum_word *cells, const hr_best_division *best, hr_exact *scores) {
    size_t features = g->binning->feature_count;
    for (size_t f = 0; f < features; f++) scores[f] = best[f].score;
    size_t f = hr_gate_choose(g->gate, permit, scores, features);
    if (!best[f].gains) return (hr_split){.made = false};
    hr_split split = hr_best_division_split(rule, &g->binning->features[f],
                                            cells + hr_histogram_of(g->binning, f), &best[f]);
    split.feature = (uint32_t)f;
    return split;
}

/* All features of all nodes of a level. */
typedef struct level_search {
    const hr_exact_splitter *splitter;
    const hr_gain_rule *rule;
    const hr_level_nodes *nodes;
    hr_best_division *best; /* node, feature */
} level_search;

static void search_features(void *of, size_t member, size_t begin, size_t end) {
    const level_search *s = of;
    const hr_binning *binning = s->splitter->binning;
    (void)member;
    for (size_t k = begin; k < end; k++) {
        size_t node = k / binning->feature_count, f = k % binning->feature_count;
        s->best[k] = hr_best_division_of(s->rule, &binning->features[f],
                                         s->nodes->cells[node] + hr_histogram_of(binning, f));
    }
}

static hr_status choose_exact_split(hr_splitter *self, const hr_level_nodes *nodes, hr_split *splits,
                                    hr_error *err) {
    const hr_exact_splitter *g = (const hr_exact_splitter *)self;
    size_t features = g->binning->feature_count, count = nodes->count;
    double unit = g->packing->weight_scale, scale = g->packing->gradient_scale;
    const hr_gain_rule rule = {g->packing, g->lambda * unit, fmax(g->min_child_weight * unit, 1),
                               2 * g->gamma * scale * scale / unit};
    hr_best_division *best = malloc(count * features * sizeof *best);
    hr_exact *scores = malloc(features * sizeof *scores);
    if (!best || !scores) {
        free(best);
        free(scores);
        return hr_fail_memory(err);
    }
    level_search search = {g, &rule, nodes, best};
    hr_team_share((size_t)g->threads, count * features, FEATURES_TOGETHER, search_features, &search);
    for (size_t node = 0; node < count; node++)
        splits[node] = choose_one(g, &rule, g->permits[nodes->level], nodes->cells[node],
                                  best + node * features, scores);
    free(best);
    free(scores);
    return HR_OK;
}

void hr_exact_splitter_init(hr_exact_splitter *splitter) {
    splitter->splitter.choose = choose_exact_split;
}
