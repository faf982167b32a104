#include "tables/infer/distinct.h"

#include <math.h>

enum { CELL_BITS = 11 };

/* FNV-1a, and a last mixing of its bits: the first ones choose the cell. */
static uint64_t hash_text(const char *text, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
    return hash ^ hash >> 33;
}

void hr_distinct_add(hr_distinct *distinct, const char *text, size_t size) {
    const uint64_t hash = hash_text(text, size);
    uint64_t rest = hash << CELL_BITS | (uint64_t)1 << (CELL_BITS - 1); /* never 0 */
    uint8_t place = 1;
    for (; !(rest >> 63); rest <<= 1) place++;
    uint8_t *highest = &distinct->highest[hash >> (64 - CELL_BITS)];
    if (*highest < place) *highest = place;
}

double hr_distinct_count(const hr_distinct *distinct) {
    const double cells = HR_DISTINCT_CELLS;
    double sum = 0, empty = 0;
    for (size_t i = 0; i < HR_DISTINCT_CELLS; i++) {
        sum += ldexp(1, -distinct->highest[i]);
        empty += !distinct->highest[i];
    }
    const double estimate = 0.7213 / (1 + 1.079 / cells) * cells * cells / sum;
    return estimate <= 2.5 * cells && empty > 0 ? cells * log(cells / empty) : estimate;
}
