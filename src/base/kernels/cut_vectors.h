/* The best cut in vectors, where compilers make none of a loop: the sums up to bins that have records, within
 * a vector, to which those before it are added, and of which the lanes of bins with records are closed up;
 * and the first of the largest gains. */
#ifndef HR_BASE_KERNELS_CUT_VECTORS_H
#define HR_BASE_KERNELS_CUT_VECTORS_H

#include "base/kernels/cut_loops.h"
#include "base/kernels/row_vectors.h"

#ifdef __AVX2__
#include <immintrin.h>

#ifdef __AVX512BW__

enum { HR_CUT_LANES = 8 };

static inline size_t hr_vector_sums_up_to(const int64_t *words, size_t count, int64_t *sums, uint8_t *bins) {
    const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi64(HR_CUT_LANES - 1);
    const uint64_t each = 0x0101010101010101, first = 0x0706050403020100;
    __m512i before = zero;
    size_t found = 0;
    for (size_t i = 0; i < count; i += HR_CUT_LANES) {
        const __mmask8 here = (__mmask8)(count - i < HR_CUT_LANES ? (1u << (count - i)) - 1 : UINT8_MAX);
        const __m512i x = _mm512_maskz_loadu_epi64(here, words + i);
        const __mmask8 picked = _mm512_test_epi64_mask(x, x);
        const __m512i twos = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 7)),
                      fours = _mm512_add_epi64(twos, _mm512_alignr_epi64(twos, zero, 6)),
                      all = _mm512_add_epi64(fours, _mm512_alignr_epi64(fours, zero, 4));
        const size_t some = (size_t)__builtin_popcount(picked);
        const uint64_t of = _pext_u64(first + i * each, _pdep_u64(picked, each) * UINT8_MAX);
        _mm512_storeu_si512(sums + found, _mm512_maskz_compress_epi64(picked, _mm512_add_epi64(all, before)));
        memcpy(bins + found, &of, sizeof of);
        before = _mm512_add_epi64(before, _mm512_permutexvar_epi64(last, all));
        found += some;
    }
    return found;
}

/* gains: room for a multiple of the lanes. */
static inline size_t hr_vector_best_gain(double *gains, size_t count, double *gain) {
    __m512d most = _mm512_set1_pd(-1);
    for (size_t i = count; i % HR_CUT_LANES; i++) gains[i] = -1;
    for (size_t i = 0; i < count; i += HR_CUT_LANES) most = _mm512_max_pd(most, _mm512_loadu_pd(gains + i));
    *gain = _mm512_reduce_max_pd(most);
    most = _mm512_set1_pd(*gain);
    for (size_t i = 0; i < count; i += HR_CUT_LANES) {
        const __mmask8 found = _mm512_cmp_pd_mask(_mm512_loadu_pd(gains + i), most, _CMP_EQ_OQ);
        if (found) return i + (size_t)__builtin_ctz(found);
    }
    return 0;
}

#else

enum { HR_CUT_LANES = 4 };

/* Up to four words; 0 behind the last. */
static inline __m256i hr_vector_load_words(const int64_t *words, size_t count) {
    if (count >= HR_CUT_LANES) return _mm256_loadu_si256((const void *)words);
    const __m256i here =
        _mm256_cmpgt_epi64(_mm256_set1_epi64x((int64_t)count), _mm256_setr_epi64x(0, 1, 2, 3));
    return _mm256_maskload_epi64((const void *)words, here);
}

static inline size_t hr_vector_sums_up_to(const int64_t *words, size_t count, int64_t *sums, uint8_t *bins) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i before = zero;
    size_t found = 0;
    for (size_t i = 0; i < count; i += HR_CUT_LANES) {
        const __m256i x = hr_vector_load_words(words + i, count - i);
        const unsigned picked =
            (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(x, zero))) ^ 15;
        const __m256i twos = _mm256_add_epi64(x, _mm256_slli_si256(x, 8)),
                      of_low = _mm256_blend_epi32(zero, _mm256_permute4x64_epi64(twos, 0x55), 0xf0),
                      all = _mm256_add_epi64(twos, of_low);
        const __m256i halves = _mm256_cvtepu8_epi32(_mm_loadu_si64(hr_picked_halves[picked]));
        uint32_t of;
        memcpy(&of, hr_picked_rows[picked], sizeof of);
        of += (uint32_t)i * 0x01010101u;
        _mm256_storeu_si256((void *)(sums + found),
                            _mm256_permutevar8x32_epi32(_mm256_add_epi64(all, before), halves));
        memcpy(bins + found, &of, sizeof of);
        before = _mm256_add_epi64(before, _mm256_permute4x64_epi64(all, 0xff));
        found += (size_t)__builtin_popcount(picked);
    }
    return found;
}

/* gains: room for a multiple of the lanes. */
static inline size_t hr_vector_best_gain(double *gains, size_t count, double *gain) {
    __m256d most = _mm256_set1_pd(-1);
    for (size_t i = count; i % HR_CUT_LANES; i++) gains[i] = -1;
    for (size_t i = 0; i < count; i += HR_CUT_LANES) most = _mm256_max_pd(most, _mm256_loadu_pd(gains + i));
    most = _mm256_max_pd(most, _mm256_permute2f128_pd(most, most, 1));
    most = _mm256_max_pd(most, _mm256_permute_pd(most, 5));
    *gain = _mm256_cvtsd_f64(most);
    for (size_t i = 0; i < count; i += HR_CUT_LANES) {
        const __m256d same = _mm256_cmp_pd(_mm256_loadu_pd(gains + i), most, _CMP_EQ_OQ);
        const int found = _mm256_movemask_pd(same);
        if (found) return i + (size_t)__builtin_ctz((unsigned)found);
    }
    return 0;
}

#endif

static inline size_t hr_vector_best_cut(const hr_cut_node *node, const int64_t *gradients,
                                        const int64_t *weights, size_t count, double *gain) {
    double gains[HR_CUTS_MAX];
    hr_loop_gains_of_cuts(node, gradients, weights, count, gains);
    return hr_vector_best_gain(gains, count, gain);
}

static inline size_t hr_vector_best_cut_of_words(const hr_cut_node *node, int shift, const int64_t *words,
                                                 size_t count, double *gain) {
    double gains[HR_CUTS_MAX];
    hr_loop_gains_of_words(node, shift, words, count, gains);
    return hr_vector_best_gain(gains, count, gain);
}

#endif

#endif
