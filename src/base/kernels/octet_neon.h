/* Octets (octets.h) in vectors of NEON. */
#ifndef HR_BASE_KERNELS_OCTET_NEON_H
#define HR_BASE_KERNELS_OCTET_NEON_H

#include "base/kernels/octet_loops.h"

#ifdef __aarch64__
#include <arm_neon.h>

static inline void hr_neon_octets_of_rows(const uint8_t *tiles, const uint8_t *picks, const uint32_t *rows,
                                          size_t count, uint8_t *octets) {
    const uint8x8_t pick = vld1_u8(picks);
    for (size_t i = 0; i < count; i++) {
        hr_ask_row_ahead(tiles, rows, i, count);
        const uint8x16x2_t tile = vld1q_u8_x2(tiles + (size_t)rows[i] * HR_OCTET_TILE);
        vst1_u8(octets + i * HR_OCTET, vqtbl2_u8(tile, pick));
    }
}

static inline void hr_neon_ranges_of_octets(const uint8_t *octets, size_t count, hr_octet_ranges *out) {
    uint8x8_t least = vdup_n_u8(UINT8_MAX), before = least, largest = vdup_n_u8(0);
    for (size_t i = 0; i < count; i++) {
        const uint8x8_t bins = vld1_u8(octets + i * HR_OCTET);
        least = vmin_u8(least, bins);
        before = vmin_u8(before, vsub_u8(bins, vdup_n_u8(1)));
        largest = vmax_u8(largest, bins);
    }
    vst1_u8(out->least, least);
    vst1_u8(out->before, before);
    vst1_u8(out->largest, largest);
}

/* `value` where the lane is -1, else 0, added to two sums. */
static inline int64x2_t hr_neon_add_where(int64x2_t sums, int32x2_t lanes, int64x2_t value) {
    return vaddq_s64(sums, vandq_s64(vmovl_s32(lanes), value));
}

static inline void hr_neon_sums_of_octets(const hr_octet_cuts *cuts, const uint8_t *octets,
                                          const int64_t *values, size_t count, int64_t *sums) {
    const uint8x8_t first = vld1_u8(cuts->first), counts = vld1_u8(cuts->count);
    int64x2_t a = vdupq_n_s64(0), b = a, c = a, d = a;
    for (size_t i = 0; i < count; i++) {
        const int64x2_t value = vdupq_n_s64(values[i]);
        const uint8x8_t among = vclt_u8(vsub_u8(vld1_u8(octets + i * HR_OCTET), first), counts);
        const int16x8_t lanes = vmovl_s8(vreinterpret_s8_u8(among));
        const int32x4_t low = vmovl_s16(vget_low_s16(lanes)), high = vmovl_s16(vget_high_s16(lanes));
        a = hr_neon_add_where(a, vget_low_s32(low), value);
        b = hr_neon_add_where(b, vget_high_s32(low), value);
        c = hr_neon_add_where(c, vget_low_s32(high), value);
        d = hr_neon_add_where(d, vget_high_s32(high), value);
    }
    vst1q_s64(sums, a);
    vst1q_s64(sums + 2, b);
    vst1q_s64(sums + 4, c);
    vst1q_s64(sums + 6, d);
}

#endif
#endif
