#include "tables/bins/bin_midpoints.h"

#include "base/fail.h"
#include "base/team.h"
#include "tables/data/columns.h"

#include <math.h>

static double middle(double low, double high) {
    return low < high ? low / 2 + high / 2 : low;
}

typedef struct bin_ranges {
    double low[HR_BINS_MAX], high[HR_BINS_MAX];
} bin_ranges;

static void find_ranges(const hr_data *data, const hr_binned *binned, size_t f, bin_ranges *out) {
    double buffer[HR_DATA_BLOCK];
    for (uint32_t bin = 0; bin < HR_BINS_MAX; bin++) out->low[bin] = INFINITY, out->high[bin] = -INFINITY;
    for (size_t begin = 0; begin < binned->rows; begin += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(begin, binned->rows);
        const double *values = hr_data_number_block(data, f, begin, count, buffer);
        const uint8_t *bins = hr_binned_column(binned, f) + begin;
        for (size_t i = 0; i < count; i++) {
            uint8_t bin = bins[i];
            out->low[bin] = values[i] < out->low[bin] ? values[i] : out->low[bin]; /* missing: neither */
            out->high[bin] = values[i] > out->high[bin] ? values[i] : out->high[bin];
        }
    }
}

static void middles_of_ranges(const bin_ranges *r, uint32_t bin_count, double *out) {
    double before = 0;
    for (uint32_t bin = bin_count - 1; bin; bin--)
        if (r->low[bin] <= r->high[bin]) before = middle(r->low[bin], r->high[bin]);
    for (uint32_t bin = 1; bin < bin_count; bin++) {
        if (r->low[bin] <= r->high[bin]) before = middle(r->low[bin], r->high[bin]);
        out[bin] = before;
    }
}

/* A midpoint is x or less where the number before it is less than x. */
hr_search hr_midpoints_search(const double *midpoints, uint32_t bin_count, uint8_t *first, double *padded) {
    double edges[HR_SEARCH_EDGES_MAX];
    const size_t count = bin_count > 2 ? bin_count - 2 : 0;
    for (size_t i = 0; i < count; i++) edges[i] = nextafter(midpoints[i + 2], -INFINITY);
    return hr_search_make(edges, count, first, padded);
}

/* Room for the midpoints and the search of a number; 0 so far. */
typedef struct midpoint_room {
    double *midpoints, *padded;
    uint8_t *first;
} midpoint_room;

static bool make_midpoint_room(hr_arena *arena, midpoint_room *out) {
    out->midpoints = hr_arena_alloc(arena, HR_BINS_MAX, sizeof *out->midpoints);
    out->padded = hr_arena_alloc(arena, hr_search_padded_count(HR_SEARCH_EDGES_MAX), sizeof *out->padded);
    out->first = hr_arena_alloc(arena, HR_SEARCH_BUCKETS_MAX, sizeof *out->first);
    return out->midpoints && out->padded && out->first;
}

typedef struct midpoint_task {
    const hr_data *data;
    const hr_binned *binned;
    const midpoint_room *rooms; /* feature */
    hr_bin_midpoints *found;    /* feature */
} midpoint_task;

static void find_midpoints(void *of, size_t member, size_t begin, size_t end) {
    const midpoint_task *t = of;
    (void)member;
    for (size_t f = begin; f < end; f++) {
        const hr_feature_bins *feature = &t->binned->binning->features[f];
        const midpoint_room *room = &t->rooms[f];
        t->found[f].feature = feature;
        if (feature->kind == HR_KIND_CATEGORY) continue;
        bin_ranges ranges;
        find_ranges(t->data, t->binned, f, &ranges);
        middles_of_ranges(&ranges, feature->bin_count, room->midpoints);
        t->found[f].midpoints = room->midpoints;
        t->found[f].search =
            hr_midpoints_search(room->midpoints, feature->bin_count, room->first, room->padded);
    }
}

hr_status hr_bin_midpoints_find(const hr_data *data, const hr_binned *binned, int threads, hr_arena *arena,
                                hr_bin_midpoints **out, hr_error *err) {
    const hr_feature_bins *features = binned->binning->features;
    hr_bin_midpoints *found = hr_arena_alloc(arena, binned->features, sizeof *found);
    midpoint_room *rooms = hr_arena_alloc(arena, binned->features, sizeof *rooms);
    if (!found || !rooms) return hr_fail_memory(err);
    for (size_t f = 0; f < binned->features; f++)
        if (features[f].kind == HR_KIND_NUMBER && !make_midpoint_room(arena, &rooms[f]))
            return hr_fail_memory(err);
    hr_team_share((size_t)threads, binned->features, 1, find_midpoints,
                  &(midpoint_task){data, binned, rooms, found});
    *out = found;
    return HR_OK;
}
