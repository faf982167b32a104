#include "support/random_numbers.h"

uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double next_unit(uint64_t *state) {
    return (double)(next_random(state) >> 11) * 0x1p-53;
}
