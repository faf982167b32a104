/* Games of whole trainings of hedge, pure or with delta: what they claim, and what they show of it. */
#ifndef HR_TESTS_SUPPORT_HEDGE_GAMES_H
#define HR_TESTS_SUPPORT_HEDGE_GAMES_H

#include "support/audit_games.h"

typedef struct setting {
    const char *name;
    double delta;
    size_t classes;
} setting;

double normal_quantile(double p);

/* A lower bound of mu from an event seen k0 and k1 times in n runs each. */
double mu_of_event(double k0, double k1, double n);

/* As epsilon_of_statistic. */
double mu_of_statistic(double *s0, double *s1, size_t n);

/* A game that trains at `epsilon`, whatever it is labelled with. It claims mu (delta > 0), or epsilon. */
game game_of(const setting *s, double epsilon, double labelled, size_t runs, statistic *look);
double bound_of(const game *g);

/* Records of two classes that all have the first category of the one feature: so many, of which so many have
 * the second class. The canary, or the person that is one, has that too. */
typedef struct leaf_of_all {
    double records, ones;
} leaf_of_all;

extern leaf_of_all hedge_leaf; /* what likelihood_ratio is told */

/* The log likelihood ratio of the released values of that leaf, tree by tree: with the canary or without. */
double likelihood_ratio(const hr_model *model);

#endif
