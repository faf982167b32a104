/* Random numbers for tests, the same in every run: splitmix64. */
#ifndef HR_TESTS_SUPPORT_RANDOM_NUMBERS_H
#define HR_TESTS_SUPPORT_RANDOM_NUMBERS_H

#include <stdint.h>

/* The next 64 bits; any *state is a seed. */
uint64_t next_random(uint64_t *state);

/* Uniform in [0, 1). */
double next_unit(uint64_t *state);

#endif
