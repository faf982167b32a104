/* Division of records (rows.h) in vectors of AVX2. */
#ifndef HR_BASE_KERNELS_ROW_VECTORS_H
#define HR_BASE_KERNELS_ROW_VECTORS_H

#include "base/kernels/row_loops.h"

#include <immintrin.h>
#include <string.h>

enum { HR_VECTOR_ROWS_TAKEN = 4 }; /* at once */

/* Four records. */
typedef struct hr_four_rows {
    __m128i rows;
    __m256i values;
} hr_four_rows;

/* Of four records, those whose bit is set come first, in order; some of the four follow. */
static const uint8_t hr_picked_rows[1 << HR_VECTOR_ROWS_TAKEN][HR_VECTOR_ROWS_TAKEN] = {
    {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {2, 0, 0, 0}, {0, 2, 0, 0},
    {1, 2, 0, 0}, {0, 1, 2, 0}, {3, 0, 0, 0}, {0, 3, 0, 0}, {1, 3, 0, 0}, {0, 1, 3, 0},
    {2, 3, 0, 0}, {0, 2, 3, 0}, {1, 2, 3, 0}, {0, 1, 2, 3}};
/* The same for the halves of their values. */
static const uint8_t hr_picked_halves[1 << HR_VECTOR_ROWS_TAKEN][2 * HR_VECTOR_ROWS_TAKEN] = {
    {0, 1, 0, 1, 0, 1, 0, 1}, {0, 1, 0, 1, 0, 1, 0, 1}, {2, 3, 0, 1, 0, 1, 0, 1}, {0, 1, 2, 3, 0, 1, 0, 1},
    {4, 5, 0, 1, 0, 1, 0, 1}, {0, 1, 4, 5, 0, 1, 0, 1}, {2, 3, 4, 5, 0, 1, 0, 1}, {0, 1, 2, 3, 4, 5, 0, 1},
    {6, 7, 0, 1, 0, 1, 0, 1}, {0, 1, 6, 7, 0, 1, 0, 1}, {2, 3, 6, 7, 0, 1, 0, 1}, {0, 1, 2, 3, 6, 7, 0, 1},
    {4, 5, 6, 7, 0, 1, 0, 1}, {0, 1, 4, 5, 6, 7, 0, 1}, {2, 3, 4, 5, 6, 7, 0, 1}, {0, 1, 2, 3, 4, 5, 6, 7}};

static inline __m128i hr_vector_load_four_bytes(const uint8_t *bytes) {
    int32_t word;
    memcpy(&word, bytes, sizeof word);
    return _mm_cvtsi32_si128(word);
}

static inline void hr_vector_store_picked(const hr_valued_rows *out, size_t at, unsigned picked,
                                          const hr_four_rows *in) {
    const __m128i rows = _mm_cvtepu8_epi32(hr_vector_load_four_bytes(hr_picked_rows[picked]));
    const __m256i halves = _mm256_cvtepu8_epi32(_mm_loadu_si64(hr_picked_halves[picked]));
    _mm_storeu_ps((void *)(out->rows + at), _mm_permutevar_ps(_mm_castsi128_ps(in->rows), rows));
    _mm256_storeu_si256((void *)(out->values + at), _mm256_permutevar8x32_epi32(in->values, halves));
}

static inline size_t hr_vector_divide_rows(const hr_given_rows *from, const uint8_t *goes_left, size_t count,
                                           const hr_valued_rows *left, const hr_valued_rows *right) {
    const size_t whole = count - count % HR_VECTOR_ROWS_TAKEN;
    const hr_given_rows in_order = *from; /* in registers, whatever is written */
    const hr_valued_rows to_the_left = *left, to_the_right = *right;
    size_t to_left = 0;
    for (size_t i = 0; i < whole; i += HR_VECTOR_ROWS_TAKEN) {
        const hr_four_rows in = {_mm_loadu_si128((const void *)(in_order.rows + i)),
                                 _mm256_loadu_si256((const void *)(in_order.values + i))};
        const __m128i goes = _mm_slli_epi32(_mm_cvtepu8_epi32(hr_vector_load_four_bytes(goes_left + i)), 31);
        const unsigned picked = (unsigned)_mm_movemask_ps(_mm_castsi128_ps(goes));
        hr_vector_store_picked(&to_the_left, to_left, picked, &in);
        hr_vector_store_picked(&to_the_right, i - to_left, picked ^ 15, &in);
        to_left += (size_t)__builtin_popcount(picked);
    }
    const hr_given_rows rest = {from->rows + whole, from->values + whole};
    const hr_valued_rows rest_left = {left->rows + to_left, left->values + to_left},
                         rest_right = {right->rows + (whole - to_left), right->values + (whole - to_left)};
    return to_left + hr_loop_divide_rows(&rest, goes_left + whole, count - whole, &rest_left, &rest_right);
}

#endif
