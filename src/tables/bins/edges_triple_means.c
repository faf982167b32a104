/* Bin edges as InPrivate Digging publishes them (Zhao et al. 2018, section V-A): NOT PRIVATE. */
#include "base/fail.h"
#include "tables/bins/edges.h"
#include "tables/data/columns.h"

#include <math.h>
#include <stdlib.h>

static int order_values(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The averages of every three of a number's sorted values, ascending, equal ones once, in `out`, which has
 * room for all values; returns how many. */
static size_t triple_means(const hr_data *data, size_t f, double *out) {
    const size_t rows = hr_data_rows(data);
    double buffer[HR_DATA_BLOCK];
    size_t known = 0, made = 0;
    for (size_t begin = 0; begin < rows; begin += HR_DATA_BLOCK) {
        const size_t count = hr_data_block_size(begin, rows);
        const double *values = hr_data_number_block(data, f, begin, count, buffer);
        for (size_t i = 0; i < count; i++)
            if (!isnan(values[i])) out[known++] = values[i];
    }
    qsort(out, known, sizeof *out, order_values);
    for (size_t i = 0; i + 3 <= known; i += 3) {
        double mean = out[i] / 3 + out[i + 1] / 3 + out[i + 2] / 3;
        mean = fmin(fmax(mean, out[i]), out[i + 2]); /* rounding */
        if (!made || mean > out[made - 1]) out[made++] = mean;
    }
    return made;
}

static hr_status bins_at_means(const double *means, size_t count, uint32_t bins, hr_arena *arena,
                               hr_feature_bins *out, hr_error *err) {
    size_t kept = count < bins ? count : bins - 1;
    double *edges = hr_arena_alloc(arena, kept + 1, sizeof *edges);
    if (!edges) return hr_fail_memory(err);
    for (size_t e = 0; e < kept; e++) edges[e] = means[(2 * e + 1) * count / (2 * kept)];
    *out = (hr_feature_bins){.kind = HR_KIND_NUMBER, .bin_count = (uint32_t)kept + 2, .edges = edges};
    return HR_OK;
}

hr_status hr_edges_triple_means(const hr_data *data, uint32_t bins, hr_arena *arena, hr_binning *out,
                                hr_error *err) {
    hr_binning made;
    hr_status status = hr_edges_public(hr_data_schema(data), bins, arena, &made, err);
    if (status) return status;
    double *room = malloc((hr_data_rows(data) + 1) * sizeof *room);
    if (!room) return hr_fail_memory(err);
    for (size_t f = 0; !status && f < made.feature_count; f++) {
        if (made.features[f].kind != HR_KIND_NUMBER) continue;
        size_t count = triple_means(data, f, room);
        status = bins_at_means(room, count, bins, arena, &made.features[f], err);
    }
    free(room);
    if (!status) *out = made;
    return status;
}
