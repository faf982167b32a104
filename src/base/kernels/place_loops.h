/* Loops over the places of a tree, in C that compilers make vectors of. */
#ifndef HR_BASE_KERNELS_PLACE_LOOPS_H
#define HR_BASE_KERNELS_PLACE_LOOPS_H

#include "base/kernels/kernels.h"

#include <string.h>

/* Records that are walked together: who is at which split stays in the nearest cache. */
enum { HR_LOOP_PART = 128 };

/* The bins of a split, or what its table makes of them, written to `looked_up`. */
static inline const uint8_t *hr_loop_bins_at(const hr_place_split *split, const uint8_t *bins,
                                             uint8_t *looked_up) {
    if (!split->right) return bins + split->offset;
    for (size_t i = 0; i < HR_LOOP_PART; i++) looked_up[i] = split->right[bins[split->offset + i]];
    return looked_up;
}

/* here: 255 for records that are at the split. Adds to the places of those that go right, and writes who they
 * are. */
static inline void hr_loop_turn(const hr_place_split *split, const uint8_t *restrict bins,
                                const uint8_t *restrict here, uint8_t *restrict right,
                                uint8_t *restrict places) {
    for (size_t i = 0; i < HR_LOOP_PART; i++) {
        uint8_t beyond = (uint8_t)(bins[i] - split->low) > split->width ? UINT8_MAX : 0;
        right[i] = beyond & here[i];
        places[i] = (uint8_t)(places[i] + (right[i] & split->places_left));
    }
}

static inline void hr_loop_stay_left(const uint8_t *restrict here, const uint8_t *restrict right,
                                     uint8_t *restrict left) {
    for (size_t i = 0; i < HR_LOOP_PART; i++) left[i] = here[i] & (uint8_t)~right[i];
}

static inline void hr_loop_places_of_part(const hr_places *tree, const uint8_t *bins, uint8_t *places) {
    uint8_t at[HR_PLACES_MAX][HR_LOOP_PART], right[HR_LOOP_PART], looked_up[HR_LOOP_PART];
    memset(at[0], UINT8_MAX, HR_LOOP_PART);
    memset(places, 0, HR_LOOP_PART);
    for (size_t s = 0; s < tree->count; s++) {
        const hr_place_split *split = &tree->splits[s];
        const uint8_t *column = hr_loop_bins_at(split, bins, looked_up);
        hr_loop_turn(split, column, at[s], right, places);
        if (s >= tree->inner) continue;
        hr_loop_stay_left(at[s], right, at[split->left_records]);
        memcpy(at[split->right_records], right, HR_LOOP_PART);
    }
}

static inline void hr_loop_places_of_block(const hr_places *tree, const uint8_t *bins, uint8_t *places) {
    for (size_t i = 0; i < HR_PLACES_BLOCK; i += HR_LOOP_PART)
        hr_loop_places_of_part(tree, bins + i, places + i);
}

static inline void hr_loop_add_by_place(const double *values, const uint8_t *places, double *sums) {
    for (size_t i = 0; i < HR_PLACES_BLOCK; i++) sums[i] += values[places[i]];
}

#endif
