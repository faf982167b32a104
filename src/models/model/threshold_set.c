#include "models/model/threshold_set.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

static size_t slot_of(const hr_threshold_set *set, double threshold) {
    uint64_t bits;
    memcpy(&bits, &threshold, sizeof bits);
    bits ^= bits >> 32; /* the lower half of an integer's is 0 */
    bits *= UINT64_C(0x9e3779b97f4a7c15);
    size_t last = 2 * set->room - 1, slot = (size_t)(bits >> 32) & last;
    while (set->slots[slot] && set->thresholds[set->slots[slot] - 1] != threshold) slot = (slot + 1) & last;
    return slot;
}

static bool make_room_for_thresholds(hr_threshold_set *set) {
    if (set->count < set->room) return true;
    const size_t room = set->room ? 2 * set->room : FIRST_ROOM;
    double *thresholds = realloc(set->thresholds, room * sizeof *thresholds);
    if (thresholds) set->thresholds = thresholds;
    uint32_t *slots = calloc(2 * room, sizeof *slots);
    if (!thresholds || !slots) {
        free(slots);
        return false;
    }
    free(set->slots);
    set->slots = slots;
    set->room = room;
    for (size_t i = 0; i < set->count; i++) set->slots[slot_of(set, set->thresholds[i])] = (uint32_t)i + 1;
    return true;
}

bool hr_threshold_set_add(hr_threshold_set *set, double threshold, uint32_t *index) {
    if (!make_room_for_thresholds(set)) return false;
    const double positive_zero = threshold + 0.;
    uint32_t *slot = &set->slots[slot_of(set, positive_zero)];
    if (!*slot) {
        set->thresholds[set->count++] = positive_zero;
        *slot = (uint32_t)set->count;
    }
    *index = *slot - 1;
    return true;
}

typedef struct added_threshold {
    double threshold;
    uint32_t index;
} added_threshold;

static int compare_added_thresholds(const void *a, const void *b) {
    double x = ((const added_threshold *)a)->threshold, y = ((const added_threshold *)b)->threshold;
    return (x > y) - (x < y);
}

bool hr_threshold_set_sort(hr_threshold_set *set) {
    if (!set->count) return true;
    added_threshold *added = malloc(set->count * sizeof *added);
    set->ranks = malloc(set->count * sizeof *set->ranks);
    bool has_room = added && set->ranks;
    if (has_room) {
        for (size_t i = 0; i < set->count; i++) added[i] = (added_threshold){set->thresholds[i], (uint32_t)i};
        qsort(added, set->count, sizeof *added, compare_added_thresholds);
        for (size_t i = 0; i < set->count; i++) {
            set->thresholds[i] = added[i].threshold;
            set->ranks[added[i].index] = (uint32_t)i;
        }
    }
    free(added);
    return has_room;
}

void hr_threshold_set_done(hr_threshold_set *set) {
    free(set->thresholds);
    free(set->slots);
    free(set->ranks);
    *set = (hr_threshold_set){0};
}
