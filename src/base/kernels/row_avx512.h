/* Division of records (rows.h) in vectors of AVX-512. */
#ifndef HR_BASE_KERNELS_ROW_AVX512_H
#define HR_BASE_KERNELS_ROW_AVX512_H

#include "base/kernels/kernels.h"

#include <immintrin.h>
#include <stddef.h>

enum { HR_AVX512_ROWS_TAKEN = 8 }; /* at once */

/* Eight records. */
typedef struct hr_eight_rows {
    __m256i rows;
    __m512i values;
} hr_eight_rows;

/* The picked lanes, closed up. */
static inline void hr_avx512_store_picked(const hr_valued_rows *out, size_t at, __mmask8 picked,
                                          const hr_eight_rows *in) {
    const __mmask8 some = (__mmask8)((1u << __builtin_popcount(picked)) - 1);
    _mm256_mask_storeu_epi32(out->rows + at, some, _mm256_maskz_compress_epi32(picked, in->rows));
    _mm512_mask_storeu_epi64(out->values + at, some, _mm512_maskz_compress_epi64(picked, in->values));
}

static inline size_t hr_avx512_divide_rows(const hr_given_rows *from, const uint8_t *goes_left, size_t count,
                                           const hr_valued_rows *left, const hr_valued_rows *right) {
    size_t to_left = 0;
    for (size_t i = 0; i < count; i += HR_AVX512_ROWS_TAKEN) {
        const __mmask8 here =
            (__mmask8)(count - i < HR_AVX512_ROWS_TAKEN ? (1u << (count - i)) - 1 : UINT8_MAX);
        const hr_eight_rows in = {_mm256_maskz_loadu_epi32(here, from->rows + i),
                                  _mm512_maskz_loadu_epi64(here, from->values + i)};
        const __m128i goes = _mm_maskz_loadu_epi8(here, goes_left + i);
        const __mmask8 picked = (__mmask8)_mm_test_epi8_mask(goes, goes);
        hr_avx512_store_picked(left, to_left, picked, &in);
        hr_avx512_store_picked(right, i - to_left, (__mmask8)(here & ~picked), &in);
        to_left += (size_t)__builtin_popcount(picked);
    }
    return to_left;
}

#endif
