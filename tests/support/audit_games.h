/* Games over whole trainings: thousands of fits on each of two neighbouring tables, and what a statistic of
 * the models tells. */
#ifndef HR_TESTS_SUPPORT_AUDIT_GAMES_H
#define HR_TESTS_SUPPORT_AUDIT_GAMES_H

#include "support/epsilon_bounds.h"
#include "support/game_result.h"
#include "support/tables.h"

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
void game_make(game *g, table *t, hr_column label, const hr_column *features);
void game_close(game *g);
void game_play(const game *g, const hr_data *data, uint64_t seed, double *seen);

extern double game_seen[2][RUNS_MAX]; /* without the canary, and with it */

void game_play_both(const game *g);

/* The statistic is 0 or 1. */
double event_bound(const game *g);
double statistic_bound(const game *g);
void assert_quiet(const game *g, double bound);
void assert_caught(const game *g, double bound);

/* The value that the tree gives to a record whose features are all `x`. */
double leaf_value(const hr_model *model, size_t tree, double x);

#endif
