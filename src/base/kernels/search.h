/* Where numbers lie among ascending edges: the edges are dealt to buckets of equal width, so that a number's
 * bucket, which takes two operations, leaves few of them to compare with. */
#ifndef HR_BASE_KERNELS_SEARCH_H
#define HR_BASE_KERNELS_SEARCH_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { HR_SEARCH_EDGES_MAX = 254, HR_SEARCH_BUCKETS_MAX = 1024 };

typedef struct hr_search {
    const double *padded; /* the edges, then infinities, so that a step beyond the last compares, too */
    const uint8_t *first; /* of every bucket: how many edges are in those before it */
    size_t count;         /* of the edges */
    double low, scale;    /* x is in bucket (x - low) * scale, or in the first or last if that is outside */
    double last;          /* the last bucket */
    uint32_t buckets;
    unsigned steps; /* no bucket has more than 2^steps - 1 edges */
} hr_search;

/* Numbers that are looked up. */
typedef struct hr_number_block {
    const double *values;
    size_t count;
    const double *ahead; /* as many others, which are fetched from memory meanwhile; NULL: none */
} hr_number_block;

enum { HR_NUMBERS_A_LINE = 8 };

/* Fetches those from i on, a cache line of them. */
static inline void hr_ask_ahead(const hr_number_block *n, size_t i) {
    enum { FOR_READING = 0, SECOND_CACHE = 2 };
    if (n->ahead) __builtin_prefetch(n->ahead + i, FOR_READING, SECOND_CACHE);
}

/* How many buckets and padded edges a search among so many edges has; count <= HR_SEARCH_EDGES_MAX. */
uint32_t hr_search_bucket_count(size_t count);
size_t hr_search_padded_count(size_t count);

/* Makes a search among `count` ascending edges, which may be infinite. `first` and `padded` have the room
 * that the functions above state, and are kept by the search. */
hr_search hr_search_make(const double *edges, size_t count, uint8_t *first, double *padded);

/* The bucket of x; NaN: the first. It never falls as x grows: rounding keeps the order. */
static inline uint32_t hr_search_bucket(const hr_search *search, double x) {
    double at = (x - search->low) * search->scale;
    at = at > 0 ? at : 0;
    at = at < search->last ? at : search->last;
    return (uint32_t)(int32_t)at;
}

/* 0 if x is NaN, else 1 + how many edges are less. */
static inline uint8_t hr_search_bin(const hr_search *search, double x) {
    uint32_t at = search->first[hr_search_bucket(search, x)];
    for (unsigned step = search->steps; step-- > 0;)
        at += (uint32_t)(search->padded[at + ((uint32_t)1 << step) - 1] < x) << step;
    return isnan(x) ? 0 : (uint8_t)(1 + at);
}

#endif
