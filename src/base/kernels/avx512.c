#include "base/kernels/block_avx512.h"
#include "base/kernels/block_loops.h"
#include "base/kernels/cell_vectors.h"
#include "base/kernels/cut_vectors.h"
#include "base/kernels/float_vectors.h"
#include "base/kernels/gradient_vectors.h"
#include "base/kernels/loops.h"
#include "base/kernels/octet_avx512.h"
#include "base/kernels/octet_vectors.h"
#include "base/kernels/row_avx512.h"
#include "base/kernels/score_avx512.h"
#include "base/kernels/search_avx512.h"
#include "base/kernels/sets.h"

#include <immintrin.h>

enum { GROUP = 64, GROUPS = HR_PLACES_BLOCK / GROUP, LANES = 8, TABLES = HR_PLACES_MAX / LANES };

/* ---- Places ---- */

/* Records of a block that go right at a split, a bit each; `here`: those that are at it. */
typedef struct turn {
    const uint8_t *bins;
    __m512i low, width, places_left;
} turn;

static inline turn turn_at(const hr_place_split *split, const uint8_t *bins) {
    return (turn){.bins = bins,
                  .low = _mm512_set1_epi8((char)split->low),
                  .width = _mm512_set1_epi8((char)split->width),
                  .places_left = _mm512_set1_epi8((char)split->places_left)};
}

static inline __mmask64 turn_group(const turn *t, size_t group, __mmask64 here) {
    __m512i beyond = _mm512_sub_epi8(_mm512_loadu_si512(t->bins + group * GROUP), t->low);
    return _mm512_mask_cmpgt_epu8_mask(here, beyond, t->width);
}

/* Turns bins into 0 or 255 by the table of a split: its two halves are picked by the highest bit. */
static void look_up_block(const uint8_t *right, const uint8_t *bins, uint8_t *out) {
    __m512i a = _mm512_loadu_si512(right), b = _mm512_loadu_si512(right + GROUP),
            c = _mm512_loadu_si512(right + 2 * GROUP), d = _mm512_loadu_si512(right + 3 * GROUP);
    for (size_t i = 0; i < HR_PLACES_BLOCK; i += GROUP) {
        __m512i bin = _mm512_loadu_si512(bins + i);
        __m512i low = _mm512_permutex2var_epi8(a, bin, b), high = _mm512_permutex2var_epi8(c, bin, d);
        _mm512_storeu_si512(out + i, _mm512_mask_blend_epi8(_mm512_movepi8_mask(bin), low, high));
    }
}

/* The bins of a split, or what its table makes of them, written to `looked_up`. */
static inline const uint8_t *bins_at(const hr_place_split *split, const uint8_t *bins, uint8_t *looked_up) {
    if (!split->right) return bins + split->offset;
    look_up_block(split->right, bins + split->offset, looked_up);
    return looked_up;
}

static void places_of_block(const hr_places *tree, const uint8_t *bins, uint8_t *out) {
    __mmask64 at[HR_PLACES_MAX][GROUPS];
    __m512i places[GROUPS];
    uint8_t looked_up[HR_PLACES_BLOCK];
    for (size_t g = 0; g < GROUPS; g++) at[0][g] = ~(__mmask64)0, places[g] = _mm512_setzero_si512();
    for (size_t s = 0; s < tree->inner; s++) {
        const hr_place_split *split = &tree->splits[s];
        const turn t = turn_at(split, bins_at(split, bins, looked_up));
        for (size_t g = 0; g < GROUPS; g++) {
            __mmask64 right = turn_group(&t, g, at[s][g]);
            places[g] = _mm512_mask_add_epi8(places[g], right, places[g], t.places_left);
            at[split->left_records][g] = at[s][g] & ~right;
            at[split->right_records][g] = right;
        }
    }
    for (size_t s = tree->inner; s < tree->count; s++) {
        const hr_place_split *split = &tree->splits[s];
        const turn t = turn_at(split, bins_at(split, bins, looked_up));
        for (size_t g = 0; g < GROUPS; g++) {
            __mmask64 right = turn_group(&t, g, at[s][g]);
            places[g] = _mm512_mask_add_epi8(places[g], right, places[g], t.places_left);
        }
    }
    for (size_t g = 0; g < GROUPS; g++) _mm512_storeu_si512(out + g * GROUP, places[g]);
}

/* ---- Values ---- */

/* The values of eight records: 64 of them are in eight registers, which are picked by bits of the place. */
static inline __m512d pick_values(const __m512d *tables, __m512i place) {
    __mmask8 second = _mm512_test_epi64_mask(place, _mm512_set1_epi64(16)),
             upper = _mm512_test_epi64_mask(place, _mm512_set1_epi64(32));
    __m512d a = _mm512_permutex2var_pd(tables[0], place, tables[1]),
            b = _mm512_permutex2var_pd(tables[2], place, tables[3]),
            c = _mm512_permutex2var_pd(tables[4], place, tables[5]),
            d = _mm512_permutex2var_pd(tables[6], place, tables[7]);
    return _mm512_mask_blend_pd(upper, _mm512_mask_blend_pd(second, a, b),
                                _mm512_mask_blend_pd(second, c, d));
}

static void add_by_place(const double *values, const uint8_t *places, double *sums) {
    __m512d tables[TABLES];
    for (size_t t = 0; t < TABLES; t++) tables[t] = _mm512_loadu_pd(values + t * LANES);
    for (size_t i = 0; i < HR_PLACES_BLOCK; i += LANES) {
        __m512i place = _mm512_cvtepu8_epi64(_mm_loadu_si64(places + i));
        _mm512_storeu_pd(sums + i, _mm512_add_pd(_mm512_loadu_pd(sums + i), pick_values(tables, place)));
    }
}

const hr_kernels hr_kernels_avx512 = {
    .name = "avx512",
    HR_KERNELS_IN_LOOPS,
    .bins_of_numbers = hr_avx512_bins_of_numbers,
    .floats_within = hr_vector_floats_within,
    .columns_of_floats = hr_vector_columns_of_floats,
    .places_of_block = places_of_block,
    .add_by_place = add_by_place,
    .find_cell_end = hr_vector_find_cell_end,
    .numbers_of_cells = hr_vector_numbers_of_cells,
    .ends_of_cells = hr_vector_ends_of_cells,
    .fractions_of_cells = hr_vector_fractions_of_cells,
    .walk_block = hr_avx512_walk_block,
    .step_scores = hr_avx512_step_scores,
    .octets_of_rows = hr_vector_octets_of_rows,
    .ranges_of_octets = hr_vector_ranges_of_octets,
    .sums_of_octets = hr_avx512_sums_of_octets,
    .octets_within = hr_avx512_octets_within,
    .logistic_words = hr_vector_logistic_words,
    .best_cut = hr_vector_best_cut,
    .best_cut_of_words = hr_vector_best_cut_of_words,
    .sums_up_to = hr_vector_sums_up_to,
    .divide_rows = hr_avx512_divide_rows,
};
