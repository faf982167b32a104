#include "base/kernels/search.h"

#include <math.h>
#include <string.h>

/* More buckets than edges, so that most have none or one; few edges have so many buckets as vectors look up
 * at once. */
enum { BUCKETS_AN_EDGE = 4, BUCKETS_MIN = 128 };

uint32_t hr_search_bucket_count(size_t count) {
    uint32_t buckets = BUCKETS_MIN;
    while (buckets < BUCKETS_AN_EDGE * count && buckets < HR_SEARCH_BUCKETS_MAX) buckets *= 2;
    return buckets;
}

size_t hr_search_padded_count(size_t count) {
    return 2 * count + 2;
}

/* From the least finite edge to the largest. */
static void set_scale(hr_search *search, const double *edges, size_t count) {
    size_t begin = 0, end = count;
    while (begin < end && isinf(edges[begin])) begin++;
    while (end > begin && isinf(edges[end - 1])) end--;
    if (begin == end) return;
    double width = edges[end - 1] - edges[begin], scale = (double)search->buckets / width;
    search->low = edges[begin];
    search->scale = isfinite(scale) ? scale : 0;
}

/* Counts the edges of every bucket, and returns the largest count. */
static size_t count_edges(const hr_search *search, const double *edges, size_t count, uint8_t *first) {
    size_t most = 0, at = 0;
    for (uint32_t b = 0; b < search->buckets; b++) {
        size_t begin = at;
        first[b] = (uint8_t)at;
        while (at < count && hr_search_bucket(search, edges[at]) == b) at++;
        if (at - begin > most) most = at - begin;
    }
    return most;
}

hr_search hr_search_make(const double *edges, size_t count, uint8_t *first, double *padded) {
    hr_search search = {
        .padded = padded, .first = first, .count = count, .buckets = hr_search_bucket_count(count)};
    search.last = (double)(search.buckets - 1);
    set_scale(&search, edges, count);
    size_t most = count_edges(&search, edges, count, first);
    while (((size_t)1 << search.steps) - 1 < most) search.steps++;
    if (count) memcpy(padded, edges, count * sizeof *edges);
    for (size_t i = count; i < hr_search_padded_count(count); i++) padded[i] = INFINITY;
    return search;
}
