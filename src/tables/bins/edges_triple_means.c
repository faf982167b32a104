/* Bin edges as InPrivate Digging publishes them (Zhao et al. 2018, section V-A): NOT PRIVATE. */
#include "base/fail.h"
#include "tables/bins/edges.h"
#include "tables/data/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int order_values(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The different known values of a number, ascending, in `out`, which has room for all records; returns how
 * many. */
static size_t different_values(const hr_data *data, size_t f, double *out) {
    const size_t rows = hr_data_rows(data);
    double buffer[HR_DATA_BLOCK];
    size_t known = 0, different = 0;
    for (size_t begin = 0; begin < rows; begin += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(begin, rows);
        const double *values = hr_data_number_block(data, f, begin, count, buffer);
        for (size_t i = 0; i < count; i++)
            if (!isnan(values[i])) out[known++] = values[i];
    }
    qsort(out, known, sizeof *out, order_values);
    for (size_t i = 0; i < known; i++)
        if (!i || out[i] > out[different - 1]) out[different++] = out[i];
    return different;
}

/* The last number below a candidate, for records less than the candidate go left. */
static double edge_below(double candidate, double lowest) {
    return fmax(nextafter(candidate, -(double)INFINITY), lowest);
}

/* Edges at the averages of every three, in place; returns how many. Of two values there is one, at the
 * second.
 */
static size_t down_sample(double *values, size_t count) {
    if (count == 2) values[0] = edge_below(values[1], values[0]);
    if (count < 3) return count / 2;
    for (size_t e = 0; e < count / 3; e++) {
        const double *three = values + 3 * e;
        const double mean = three[0] / 3 + three[1] / 3 + three[2] / 3;
        values[e] = edge_below(fmin(mean, three[2]), three[0]);
    }
    return count / 3;
}

static hr_status bins_at_means(const double *means, size_t count, hr_arena *arena, hr_feature_bins *out,
                               hr_error *err) {
    double *edges = hr_arena_alloc(arena, count + 1, sizeof *edges);
    if (!edges) return hr_fail_memory(err);
    memcpy(edges, means, count * sizeof *edges);
    *out = (hr_feature_bins){.kind = HR_KIND_NUMBER, .bin_count = (uint32_t)count + 2, .edges = edges};
    return HR_OK;
}

hr_status hr_edges_triple_means(const hr_data *data, hr_arena *arena, hr_binning *out, hr_error *err) {
    hr_binning made;
    hr_status status = hr_edges_public(hr_data_schema(data), 2, arena, &made, err);
    if (status) return status;
    double *room = malloc((hr_data_rows(data) + 1) * sizeof *room);
    if (!room) return hr_fail_memory(err);
    for (size_t f = 0; !status && f < made.feature_count; f++) {
        if (made.features[f].kind != HR_KIND_NUMBER) continue;
        const size_t count = down_sample(room, different_values(data, f, room));
        status = bins_at_means(room, count, arena, &made.features[f], err);
    }
    free(room);
    if (!status) *out = made;
    return status;
}
