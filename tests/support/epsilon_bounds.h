/* Distinguishing games: how far apart are the outputs of a mechanism on two neighbouring data sets, at least?
 *
 * A mechanism that is epsilon-private gives every event probabilities whose ratio is at most e^epsilon. A
 * game counts an event on both data sets and bounds ln of the ratio from below by Clopper and Pearson's
 * intervals. Where the bound exceeds what is claimed, the claim is false (up to the false-alarm rate); where
 * it does not, nothing is proved. */
#ifndef HR_TESTS_SUPPORT_EPSILON_BOUNDS_H
#define HR_TESTS_SUPPORT_EPSILON_BOUNDS_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Of one game: eight one-sided bounds, two for each direction of the event and of its complement. */
#define GAME_FALSE_ALARM 1e-6

/* Bounds of a probability of which k of n were seen, each exceeded with probability at most `alpha`. */
double min_probability(double k, double n, double alpha);
double max_probability(double k, double n, double alpha);

/* A lower bound of epsilon from an event that was seen k0 and k1 times in n runs each, and from its
 * complement; at least 0. */
double epsilon_of_event(double k0, double k1, double n);
int ascending_doubles(const void *a, const void *b);
size_t count_below(const double *values, size_t count, double threshold);

/* The same from a statistic of every run: the event "below a threshold", which the first halves choose and
 * the second halves count, so that the choice costs no confidence. Sorts the first halves. */
double epsilon_of_statistic(double *s0, double *s1, size_t n);

#endif
