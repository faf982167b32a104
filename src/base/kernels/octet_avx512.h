/* Octets (octets.h) in vectors of AVX-512. */
#ifndef HR_BASE_KERNELS_OCTET_AVX512_H
#define HR_BASE_KERNELS_OCTET_AVX512_H

#include "base/kernels/kernels.h"

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

static inline void hr_avx512_octets_within(const uint8_t *octets, hr_octet_cut cut, size_t count,
                                           uint8_t *within) {
    const __m512i first = _mm512_set1_epi8((char)cut.first), bins = _mm512_set1_epi8((char)cut.count);
    const __mmask64 lanes = (__mmask64)0x0101010101010101 << cut.lane;
    for (size_t i = 0; i < count; i += HR_OCTETS_TAKEN) {
        const __mmask8 here = (__mmask8)(count - i < HR_OCTETS_TAKEN ? (1u << (count - i)) - 1 : UINT8_MAX);
        const __m512i octet = _mm512_maskz_loadu_epi64(here, octets + i * HR_OCTET);
        const __mmask64 among = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(octet, first), bins);
        _mm_mask_storeu_epi8(within + i, here, _mm_maskz_set1_epi8((__mmask16)_pext_u64(among, lanes), 1));
    }
}

#endif
