/* Octets (octets.h) in vectors of AVX-512. */
#ifndef HR_KERNELS_OCTET_AVX512_H
#define HR_KERNELS_OCTET_AVX512_H

#include "kernels/octets.h"

#include <immintrin.h>
#include <stddef.h>

enum { HR_OCTETS_TAKEN = 8 }; /* at once */

/* Lane j adds the values whose byte j is among the bins of cut j. */
static inline void hr_avx512_sums_of_octets(const hr_octet_cuts *cuts, const uint8_t *octets,
                                            const int64_t *values, size_t count, int64_t *sums) {
    const __m128i first = _mm_loadu_si64(cuts->first), counts = _mm_loadu_si64(cuts->count);
    __m512i sum = _mm512_setzero_si512();
    for (size_t i = 0; i < count; i++) {
        __m128i at = _mm_sub_epi8(_mm_loadu_si64(octets + i * HR_OCTET), first);
        __mmask8 among = (__mmask8)_mm_cmplt_epu8_mask(at, counts);
        sum = _mm512_mask_add_epi64(sum, among, sum, _mm512_set1_epi64(values[i]));
    }
    _mm512_storeu_si512(sums, sum);
}

/* Eight records. */
typedef struct hr_loaded_rows {
    __m256i rows;
    __m512i values;
} hr_loaded_rows;

/* The picked lanes, closed up. */
static inline void hr_store_picked(const hr_valued_rows *out, size_t at, __mmask8 picked,
                                   const hr_loaded_rows *in) {
    const __mmask8 some = (__mmask8)((1u << __builtin_popcount(picked)) - 1);
    _mm256_mask_storeu_epi32(out->rows + at, some, _mm256_maskz_compress_epi32(picked, in->rows));
    _mm512_mask_storeu_epi64(out->values + at, some, _mm512_maskz_compress_epi64(picked, in->values));
}

static inline size_t hr_avx512_divide_by_octets(const hr_valued_rows *records, const uint8_t *octets,
                                                hr_octet_cut cut, size_t count,
                                                const hr_valued_rows *others) {
    const __m512i first = _mm512_set1_epi8((char)cut.first), bins = _mm512_set1_epi8((char)cut.count);
    const __mmask64 lanes = (__mmask64)0x0101010101010101 << cut.lane;
    size_t stay = 0, go = 0;
    for (size_t i = 0; i < count; i += HR_OCTETS_TAKEN) {
        const __mmask8 here = (__mmask8)(count - i < HR_OCTETS_TAKEN ? (1u << (count - i)) - 1 : UINT8_MAX);
        const __m512i octet = _mm512_maskz_loadu_epi64(here, octets + i * HR_OCTET);
        const hr_loaded_rows in = {_mm256_maskz_loadu_epi32(here, records->rows + i),
                                   _mm512_maskz_loadu_epi64(here, records->values + i)};
        const __mmask64 among = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(octet, first), bins);
        const __mmask8 stays = (__mmask8)_pext_u64(among, lanes) & here;
        const __mmask8 goes = (__mmask8)(here & ~stays);
        hr_store_picked(records, stay, stays, &in);
        hr_store_picked(others, go, goes, &in);
        stay += (size_t)__builtin_popcount(stays);
        go += (size_t)__builtin_popcount(goes);
    }
    return stay;
}

#endif
