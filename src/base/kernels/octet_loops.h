/* Octets (octets.h) in C. */
#ifndef HR_BASE_KERNELS_OCTET_LOOPS_H
#define HR_BASE_KERNELS_OCTET_LOOPS_H

#include "base/kernels/kernels.h"

#include <stddef.h>
#include <string.h>

static inline void hr_ask_row_ahead(const uint8_t *tiles, const uint32_t *rows, size_t i, size_t count) {
    if (i + HR_OCTETS_AHEAD < count)
        __builtin_prefetch(tiles + (size_t)rows[i + HR_OCTETS_AHEAD] * HR_OCTET_TILE);
}

static inline void hr_loop_octets_of_rows(const uint8_t *tiles, const uint8_t *picks, const uint32_t *rows,
                                          size_t count, uint8_t *octets) {
    for (size_t i = 0; i < count; i++) {
        const uint8_t *tile = tiles + (size_t)rows[i] * HR_OCTET_TILE;
        uint8_t octet[HR_OCTET];
        hr_ask_row_ahead(tiles, rows, i, count);
        for (size_t j = 0; j < HR_OCTET; j++) octet[j] = tile[picks[j]];
        memcpy(octets + i * HR_OCTET, octet, HR_OCTET);
    }
}

static inline void hr_loop_ranges_of_octets(const uint8_t *octets, size_t count, hr_octet_ranges *out) {
    hr_octet_ranges r;
    memset(r.least, UINT8_MAX, HR_OCTET);
    memset(r.before, UINT8_MAX, HR_OCTET);
    memset(r.largest, 0, HR_OCTET);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < HR_OCTET; j++) {
            uint8_t bin = octets[i * HR_OCTET + j], before = (uint8_t)(bin - 1);
            r.least[j] = bin < r.least[j] ? bin : r.least[j];
            r.before[j] = before < r.before[j] ? before : r.before[j];
            r.largest[j] = bin > r.largest[j] ? bin : r.largest[j];
        }
    *out = r;
}

static inline void hr_loop_sums_of_octets(const hr_octet_cuts *cuts, const uint8_t *octets,
                                          const int64_t *values, size_t count, int64_t *sums) {
    int64_t sum[HR_OCTET] = {0};
    const hr_octet_cuts c = *cuts;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < HR_OCTET; j++) {
            uint8_t at = (uint8_t)(octets[i * HR_OCTET + j] - c.first[j]);
            sum[j] += values[i] & -(int64_t)(at < c.count[j]);
        }
    memcpy(sums, sum, sizeof sum);
}

static inline void hr_loop_octets_within(const uint8_t *octets, hr_octet_cut cut, size_t count,
                                         uint8_t *within) {
    for (size_t i = 0; i < count; i++)
        within[i] = (uint8_t)(octets[i * HR_OCTET + cut.lane] - cut.first) < cut.count;
}

#endif
