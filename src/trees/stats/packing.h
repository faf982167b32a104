/* Gradients as integers: a record's gradient and weight in one 64-bit word, and sums of them in one cell.
 *
 * packed = gradient * 2^shift + weight, 0 <= weight. A sum of packed words is (sum of gradients) * 2^shift +
 * sum of weights as long as the weights add up to less than 2^shift and the gradients to less than 2^(63 -
 * shift) in magnitude.
 *
 * Persons' records (privacy/sensitivity.h) have weights that are too fine for that: a word is a sum of
 * gradients then, and the sum of the weights is in a word of its own, `weight_cells` behind it. So are the
 * sums of more records than packed words have room for: words of HR_CHUNK_ROWS records are unpacked, and
 * added to both. */
#ifndef HR_TREES_STATS_PACKING_H
#define HR_TREES_STATS_PACKING_H

#include "base/round.h"
#include "privacy/exact.h"
#include "trees/stats/histogram.h"

enum { HR_CHUNK_ROWS = 1 << 18 };

typedef struct hr_packing {
    int shift;              /* of words, also of those of a chunk */
    int64_t gradient_bound; /* G: |integer gradient| of a record never exceeds it; of a weighted record: G
                               times the integer weight */
    double gradient_scale; /* integer gradient = real gradient * gradient_scale (* integer weight), rounded to
                              nearest even */
    double weight_scale;   /* integer weight = real weight * weight_scale; 1 for counts */
    size_t weight_cells;   /* 0: packed. Else, in a histogram, how far behind gradients their weights are;
                              of persons shift is 0 */
} hr_packing;

typedef struct hr_sums {
    hr_exact gradient, weight;
} hr_sums;

/* Room for `rows` records of integer weight at most `weight_bound` and gradient at most `gradient_bound`: the
 * shift, or -1 where 63 bits do not suffice. */
int hr_packing_shift(size_t rows, uint64_t weight_bound, int64_t gradient_bound);

static inline int64_t hr_pack(const hr_packing *packing, int64_t gradient, int64_t weight) {
    return (int64_t)((uint64_t)gradient << packing->shift) + weight;
}

static inline hr_sums hr_unpack(const hr_packing *packing, hr_sum_word cell) {
    int64_t weight = cell & (((int64_t)1 << packing->shift) - 1);
    return (hr_sums){{(cell - weight) >> packing->shift}, {weight}}; /* exact: the low bits are 0 */
}

/* The same of gradients, and of weights where these are apart. */
static inline hr_sums hr_unpack_apart(const hr_packing *packing, hr_sum_word gradient, hr_sum_word weight) {
    return packing->weight_cells ? (hr_sums){{gradient}, {weight}} : hr_unpack(packing, gradient);
}

#endif
