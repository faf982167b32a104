#include "support/hedge_games.h"

#include "privacy/accountant.h"
#include "trees/tree/tree.h"

/* Phi^-1 */
double normal_quantile(double p) {
    double low = -40, high = 40;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (erfc(-middle / sqrt(2)) / 2 < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A lower bound of mu from an event seen k0 and k1 times in n runs each. mu-GDP: Phi^-1(P(E)) - Phi^-1(Q(E))
 * <= mu, either way round; events and their complements say the same. */
double mu_of_event(double k0, double k1, double n) {
    double best = 0, count[2] = {k0, k1};
    for (int way = 0; way < 2; way++) {
        double low = min_probability(count[way], n, GAME_FALSE_ALARM / 4),
               high = max_probability(count[!way], n, GAME_FALSE_ALARM / 4);
        best = fmax(best, normal_quantile(low) - normal_quantile(high));
    }
    return best;
}

/* As epsilon_of_statistic: the first halves choose the threshold, the second halves count. */
double mu_of_statistic(double *s0, double *s1, size_t n) {
    size_t half = n / 2;
    double best = -1, threshold = 0;
    qsort(s0, half, sizeof *s0, ascending_doubles);
    qsort(s1, half, sizeof *s1, ascending_doubles);
    for (size_t i = 0; i < 60; i++) {
        double at = (i < 30 ? s0 : s1)[(size_t)((double)(i % 30) / 30 * (double)half)];
        double mu =
            mu_of_event((double)count_below(s0, half, at), (double)count_below(s1, half, at), (double)half);
        if (mu > best) best = mu, threshold = at;
    }
    return mu_of_event((double)count_below(s0 + half, half, threshold),
                       (double)count_below(s1 + half, half, threshold), (double)half);
}

/* What a fit at `epsilon` claims: mu, or epsilon. */
static double claim(const setting *s, double epsilon) {
    return s->delta > 0 ? sqrt(hr_units_value(hr_gdp_budget(epsilon, s->delta))) : epsilon;
}

double bound_of(const game *g) {
    game_play_both(g);
    return g->options.delta > 0 ? mu_of_statistic(game_seen[0], game_seen[1], g->runs)
                                : epsilon_of_statistic(game_seen[0], game_seen[1], g->runs);
}

/* A game that trains at `epsilon`, whatever it is labelled with. */
game game_of(const setting *s, double epsilon, double labelled, size_t runs, statistic *look) {
    game g = {.name = s->name,
              .options = options_of("hedge", HR_MODE_SOUND),
              .claimed = claim(s, labelled),
              .runs = runs,
              .look = look};
    g.options.epsilon = epsilon;
    g.options.delta = s->delta;
    g.options.bins = 8;
    return g;
}

/* ---- A leaf of all records ---- */

leaf_of_all hedge_leaf;

/* The leaf of the records, which all have the first category. */
static double value_of_all(const hr_model *model, size_t tree) {
    const hr_tree *t = &model->forest.trees[tree];
    const hr_node *node = t->nodes;
    while (node->left) node = &t->nodes[node->left + !hr_node_goes_left(t, node, HR_KIND_CATEGORY, 1)];
    return node->value;
}

/* Standard deviation of a released leaf sum, in clipped gradients: cost is (G/sigma)^2, or sqrt(2) G/sigma.
 */
static double noise_of(const hr_model *model) {
    for (size_t i = 0; i < model->release_count; i++) {
        double cost = hr_units_value(model->releases[i].cost);
        if (!strcmp(model->releases[i].what, "leaf sum"))
            return model->privacy_measure == HR_PRIVACY_PURE ? sqrt(2) / cost : 1 / sqrt(cost);
    }
    fail();
    return 0;
}

/* What a round adds to every score F is -eta S~/(N~ + ridge): S~ is the sum of gradients F + 1 and max(F - 1,
 * -1.2) of the others, the canary's, which is such a one, and noise. So -value (n + ridge)/eta less the
 * others' sum is noise around 0, or around the canary's gradient, but that N~ is off by a few in a hundred.
 * Trees of the last fifth were scaled down for the average; under Gaussian privacy eta is 1/2 at these sizes.
 */
double likelihood_ratio(const hr_model *model) {
    bool pure = model->privacy_measure == HR_PRIVACY_PURE;
    double score = model->forest.base[0], sum = 0, rounds = (double)model->forest.tree_count,
           eta = pure ? 1.7 / sqrt(rounds) : .5;
    double weight = hedge_leaf.records + (pure ? 6 : 12) * noise_of(model);
    for (size_t t = 0; t < model->forest.tree_count; t++) {
        double value = value_of_all(model, t) / fmin((rounds - (double)t) / (.2 * rounds), 1);
        double own = fmin(1 - score, 1.2), zeros = hedge_leaf.records - hedge_leaf.ones;
        double found = -value * weight / eta - (zeros * (score + 1) - hedge_leaf.ones * own);
        sum += pure ? fabs(found) - fabs(found + own) : -found;
        score = fmin(fmax(score + value, -1), 1);
    }
    return sum;
}
