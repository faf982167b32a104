/* Shapley values of a leaf. A record reaches it with the probability that is the product over the features of
 * its path: 0 or 1 for a feature that takes part, the background's share for one that does not. */
#ifndef HR_MODELS_EXPLAIN_PRODUCT_GAME_H
#define HR_MODELS_EXPLAIN_PRODUCT_GAME_H

#include <stddef.h>
#include <stdint.h>

enum { HR_GAME_PLAYERS_MAX = 64, HR_GAME_POINTS_MAX = HR_GAME_PLAYERS_MAX / 2 };

/* Points and weights of Gauss and Legendre on [0, 1]: those of q points stand in row q - 1. */
typedef struct hr_quadrature {
    double points[HR_GAME_POINTS_MAX][HR_GAME_POINTS_MAX], weights[HR_GAME_POINTS_MAX][HR_GAME_POINTS_MAX];
} hr_quadrature;

void hr_quadrature_init(hr_quadrature *quadrature);

/* Player j takes part with o_j, bit j of `pattern`, and is z_j = shares[j] in [0, 1] else. Out: `count`
 * Shapley values of the game v(S) = (product over S of o) (product over the others of z), which add up to the
 * product of o less that of z. 1 <= count <= HR_GAME_PLAYERS_MAX; a share is 0 or at least 1e-30. Thread:
 * any. */
void hr_product_game(const hr_quadrature *quadrature, const double *shares, size_t count, uint64_t pattern,
                     double *out);

#endif
