/* Sending records down finished trees, over bins: for the scores of records that a tree was not trained on. */
#ifndef HR_TREE_ROUTE_H
#define HR_TREE_ROUTE_H

#include "bins/binned.h"
#include "tree/tree.h"

/* A tree as tables: step[node * 256 + bin] is the next node; a leaf steps to itself. */
typedef struct hr_router {
    size_t output;
    int depth;
    uint32_t *features;
    uint16_t *step;
    double *values;
} hr_router;

/* Tables in `arena`. At most 2^16 nodes. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_router_init(hr_router *router, const hr_tree *tree, const hr_binning *binning, hr_arena *arena, hr_error *err);

/* Adds the leaf values of rows[0..count) (NULL: rows 0, 1, ...) to scores[row * stride + output], tree by tree in order. */
void hr_routers_add(const hr_router *routers, size_t router_count, const hr_binned *binned, const uint32_t *rows, size_t count, int threads,
                    double *scores, size_t stride);

#endif
