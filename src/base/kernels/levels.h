/* A tree of two-way splits as the walk of blocks of records reads it: level by level, every level full. The
 * places of a level are counted from left to right; the record at place p of one level goes to 2 p or 2 p + 1
 * of the next. A leaf above the last level sends all records left. */
#ifndef HR_BASE_KERNELS_LEVELS_H
#define HR_BASE_KERNELS_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Places fit in a byte. Blocks of records are walked HR_VECTOR_ROWS at once. */
enum {
    HR_LEVELS_MAX = 8,
    HR_LEVEL_PLACES_MAX = 1 << HR_LEVELS_MAX,
    HR_BLOCK_ROWS = 512,
    HR_VECTOR_ROWS = 64
};

typedef struct hr_level_node {
    size_t offset;         /* bytes to the column of its bins */
    const uint64_t *right; /* 256 bits: the bins that go right; NULL in levels without sets */
    uint8_t low, width;    /* bins low .. low + width go left; of a set that is no range: all */
    bool is_set;           /* it is no range: `right` alone says */
} hr_level_node;

/* What is told of every node of a level in bytes, by place. */
typedef struct hr_level_bytes {
    uint8_t column[HR_LEVEL_PLACES_MAX / 2]; /* index in `offsets` of the level */
    uint8_t low[HR_LEVEL_PLACES_MAX / 2], width[HR_LEVEL_PLACES_MAX / 2];
} hr_level_bytes;

typedef struct hr_level {
    size_t node_count;
    const hr_level_node *nodes;
    const hr_level_bytes *bytes;
    const size_t *offsets; /* of the nodes, each once */
    size_t offset_count;
    bool has_sets; /* some node is a set; then all have `right` */
} hr_level;

/* How gradients become words: clipped to `clip`, in units of 1/scale, rounded to the nearest integer, kept
 * within `bound` (an integer), shifted to the left, plus 1. */
typedef struct hr_word_rule {
    double clip, scale, bound;
    int shift;
} hr_word_rule;

#endif
