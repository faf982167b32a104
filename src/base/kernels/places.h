/* The upper part of a tree of two-way splits, laid out for blocks of records: at most HR_PLACES_MAX places
 * below it, numbered from left to right. All records of a block are held against every split, in vectors, so
 * that none of them waits for the one before it. */
#ifndef HR_BASE_KERNELS_PLACES_H
#define HR_BASE_KERNELS_PLACES_H

#include <stddef.h>
#include <stdint.h>

enum { HR_PLACES_MAX = 64, HR_PLACES_BLOCK = 512 };

/* Bins low .. low + width go left. A table gives each bin 0 or 255 instead, of which 0 goes left: low and
 * width are 0 then. */
typedef struct hr_place_split {
    size_t offset;        /* where its feature's bins of the block begin */
    const uint8_t *right; /* the table; NULL: none */
    uint8_t low, width;
    uint8_t places_left;                 /* how many places are below its left child */
    uint8_t left_records, right_records; /* the splits that its children are; HR_PLACES_MAX - 1: none */
} hr_place_split;

/* Parents come before their children. The first `inner` splits are those that have a split below them; the
 * root is splits[0]. */
typedef struct hr_places {
    const hr_place_split *splits; /* at most HR_PLACES_MAX - 1 */
    size_t inner, count;
} hr_places;

#endif
