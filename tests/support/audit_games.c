#include "support/audit_games.h"

void game_make(game *g, table *t, hr_column label, const hr_column *features) {
    table_make(t, label, features);
    g->with = g->without = *t;
    g->without.rows--;
    assert_int_equal(hr_data_from_arrays(t->schema, g->without.rows, (const double *const *)t->columns,
                                         t->labels, &g->without.data, NULL),
                     HR_OK);
}

void game_close(game *g) {
    hr_data_free(g->without.data);
    table_close(&g->with);
}

void game_play(const game *g, const hr_data *data, uint64_t seed, double *seen) {
    hr_fit_options options = g->options;
    options.reproducible_noise = true;
    for (size_t i = 0; i < g->runs; i++) {
        options.seed = seed + i;
        hr_model *model = fit(data, &options);
        seen[i] = g->look(model);
        hr_model_free(model);
    }
}

double game_seen[2][RUNS_MAX]; /* without the canary, and with it */

void game_play_both(const game *g) {
    assert_true(g->runs <= RUNS_MAX);
    game_play(g, g->without.data, 1000000, game_seen[0]);
    game_play(g, g->with.data, 2000000, game_seen[1]);
}

double event_bound(const game *g) {
    game_play_both(g);
    return epsilon_of_event((double)count_below(game_seen[0], g->runs, .5),
                            (double)count_below(game_seen[1], g->runs, .5), (double)g->runs);
}

double statistic_bound(const game *g) {
    game_play_both(g);
    return epsilon_of_statistic(game_seen[0], game_seen[1], g->runs);
}

static game_result result_of(const game *g, double bound) {
    return (game_result){g->name, g->claimed, bound, g->runs};
}

void assert_quiet(const game *g, double bound) {
    const game_result result = result_of(g, bound);
    assert_result_quiet(&result);
}

void assert_caught(const game *g, double bound) {
    const game_result result = result_of(g, bound);
    say_game(&result, "  caught");
    if (!(bound > g->claimed))
        fail_msg("%s: epsilon is at least %.3f only, claimed %.3f", g->name, bound, g->claimed);
}

double leaf_value(const hr_model *model, size_t tree, double x) {
    const hr_tree *t = &model->forest.trees[tree];
    const hr_node *node = t->nodes;
    while (node->left) node = &t->nodes[node->left + !(x <= node->threshold)];
    return node->value;
}
