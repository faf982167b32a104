/* Values of places in vectors of AVX2: loads of one number each, eight at a time; gathers take longer. */
#ifndef HR_BASE_KERNELS_PLACE_VECTORS_H
#define HR_BASE_KERNELS_PLACE_VECTORS_H

#include "base/kernels/kernels.h"

#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>

enum { HR_PLACE_LANES = 4, HR_PLACE_STEP = 2 * HR_PLACE_LANES, HR_PLACE_BITS = 8 };

/* The values at the four lowest bytes of `places`. */
static inline __m256d hr_vector_values_at(const double *values, uint64_t places) {
    const double *at[HR_PLACE_LANES];
    for (size_t k = 0; k < HR_PLACE_LANES; k++) at[k] = values + (uint8_t)(places >> HR_PLACE_BITS * k);
    return _mm256_set_m128d(_mm_loadh_pd(_mm_load_sd(at[2]), at[3]), _mm_loadh_pd(_mm_load_sd(at[0]), at[1]));
}

static inline void hr_vector_add_by_place(const double *values, const uint8_t *places, double *sums) {
    for (size_t i = 0; i < HR_PLACES_BLOCK; i += HR_PLACE_STEP) {
        uint64_t step;
        memcpy(&step, places + i, sizeof step);
        for (size_t k = 0; k < HR_PLACE_STEP; k += HR_PLACE_LANES) {
            const __m256d sum = _mm256_loadu_pd(sums + i + k);
            const __m256d value = hr_vector_values_at(values, step >> HR_PLACE_BITS * k);
            _mm256_storeu_pd(sums + i + k, _mm256_add_pd(sum, value));
        }
    }
}

#endif
#endif
