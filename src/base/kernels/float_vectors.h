/* Tables of floats in rows, in vectors of AVX2: squares of four rows and four columns are turned in
 * registers. */
#ifndef HR_BASE_KERNELS_FLOAT_VECTORS_H
#define HR_BASE_KERNELS_FLOAT_VECTORS_H

#include "base/kernels/float_loops.h"

#ifdef __AVX2__
#include <immintrin.h>

enum { HR_FLOAT_SQUARE = 4, HR_UPPER_HALVES = 0x31 };

/* NaN is not within, as no comparison holds. */
static inline bool hr_vector_floats_within(const hr_float_rows *rows, const hr_float_bounds *bounds) {
    const __m256 low = _mm256_loadu_ps(bounds->low), high = _mm256_loadu_ps(bounds->high);
    __m256 outside = _mm256_setzero_ps();
    for (size_t i = 0; i < rows->count; i++) {
        const __m256 row = _mm256_loadu_ps(rows->at + (ptrdiff_t)i * rows->stride);
        outside = _mm256_or_ps(outside, _mm256_or_ps(_mm256_cmp_ps(row, low, _CMP_NGE_UQ),
                                                     _mm256_cmp_ps(row, high, _CMP_NLE_UQ)));
    }
    return !_mm256_movemask_ps(outside);
}

static inline void hr_vector_turn_square(const float *at, ptrdiff_t stride, size_t room, double *out) {
    const __m256d a = _mm256_cvtps_pd(_mm_loadu_ps(at)), b = _mm256_cvtps_pd(_mm_loadu_ps(at + stride)),
                  c = _mm256_cvtps_pd(_mm_loadu_ps(at + 2 * stride)),
                  d = _mm256_cvtps_pd(_mm_loadu_ps(at + 3 * stride));
    const __m256d even_ab = _mm256_unpacklo_pd(a, b), odd_ab = _mm256_unpackhi_pd(a, b),
                  even_cd = _mm256_unpacklo_pd(c, d), odd_cd = _mm256_unpackhi_pd(c, d);
    _mm256_storeu_pd(out, _mm256_insertf128_pd(even_ab, _mm256_castpd256_pd128(even_cd), 1));
    _mm256_storeu_pd(out + room, _mm256_insertf128_pd(odd_ab, _mm256_castpd256_pd128(odd_cd), 1));
    _mm256_storeu_pd(out + 2 * room, _mm256_permute2f128_pd(even_ab, even_cd, HR_UPPER_HALVES));
    _mm256_storeu_pd(out + 3 * room, _mm256_permute2f128_pd(odd_ab, odd_cd, HR_UPPER_HALVES));
}

static inline void hr_vector_columns_of_floats(const hr_float_rows *rows, size_t room, double *out) {
    size_t i = 0;
    for (; i + HR_FLOAT_SQUARE <= rows->count; i += HR_FLOAT_SQUARE)
        for (size_t k = 0; k < HR_FLOATS_TOGETHER; k += HR_FLOAT_SQUARE)
            hr_vector_turn_square(rows->at + (ptrdiff_t)i * rows->stride + k, rows->stride, room,
                                  out + k * room + i);
    if (i == rows->count) return;
    const hr_float_rows rest = {rows->at + (ptrdiff_t)i * rows->stride, rows->stride, rows->count - i};
    hr_loop_columns_of_floats(&rest, room, out + i);
}

#endif
#endif
