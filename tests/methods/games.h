/* Games over whole trainings: thousands of fits on each of two neighbouring tables, and what a statistic of the models tells. */
#ifndef HR_TESTS_METHODS_GAMES_H
#define HR_TESTS_METHODS_GAMES_H

#include "methods/audit.h"
#include "methods/tables.h"

enum { RUNS_MAX = 10000 };

/* What a game looks at in a model. */
typedef double statistic(const hr_model *model);

typedef struct game {
    const char *name;
    table without, with; /* neighbours: the last record of `with` is the canary */
    hr_fit_options options;
    double claimed;
    size_t runs;
    statistic *look;
} game;

/* Neighbours from the first rows of one table. */
static inline void game_make(game *g, table *t, hr_column label, const hr_column *features) {
    table_make(t, label, features);
    g->with = g->without = *t;
    g->without.rows--;
    assert_int_equal(hr_data_from_arrays(t->schema, g->without.rows, (const double *const *)t->columns, t->labels, &g->without.data, NULL),
                     HR_OK);
}

static inline void game_close(game *g) {
    hr_data_free(g->without.data);
    table_close(&g->with);
}

static inline void play(const game *g, const hr_data *data, uint64_t seed, double *seen) {
    hr_fit_options options = g->options;
    options.reproducible_noise = true;
    for (size_t i = 0; i < g->runs; i++) {
        options.seed = seed + i;
        hr_model *model = fit(data, &options);
        seen[i] = g->look(model);
        hr_model_free(model);
    }
}

static double seen_in[2][RUNS_MAX]; /* without the canary, and with it */

static inline void play_both(const game *g) {
    assert_true(g->runs <= RUNS_MAX);
    play(g, g->without.data, 1000000, seen_in[0]);
    play(g, g->with.data, 2000000, seen_in[1]);
}

/* The statistic is 0 or 1. */
static inline double event_bound(const game *g) {
    play_both(g);
    return epsilon_of_event((double)count_below(seen_in[0], g->runs, .5), (double)count_below(seen_in[1], g->runs, .5), (double)g->runs);
}

static inline double statistic_bound(const game *g) {
    play_both(g);
    return epsilon_of_statistic(seen_in[0], seen_in[1], g->runs);
}

static inline void assert_quiet(const game *g, double bound) {
    print_message("%-48s claimed %.2f  at least %.3f\n", g->name, g->claimed, bound);
    if (!(bound <= g->claimed)) fail_msg("%s: epsilon is at least %.3f, claimed %.3f", g->name, bound, g->claimed);
}

static inline void assert_caught(const game *g, double bound) {
    print_message("%-48s claimed %.2f  at least %.3f  caught\n", g->name, g->claimed, bound);
    if (!(bound > g->claimed)) fail_msg("%s: epsilon is at least %.3f only, claimed %.3f", g->name, bound, g->claimed);
}

/* The value that the tree gives to a record whose features are all `x`. */
static inline double leaf_of(const hr_model *model, size_t tree, double x) {
    const hr_tree *t = &model->forest.trees[tree];
    const hr_node *node = t->nodes;
    while (node->left) {
        node = &t->nodes[node->left + !(x <= node->threshold)];
    }
    return node->value;
}

#endif
