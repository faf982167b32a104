/* Multiway splits of a binning's features: one child for every bin, missing values first (hr_node.branches).
 */
#ifndef HR_TREES_TREE_MULTIWAY_H
#define HR_TREES_TREE_MULTIWAY_H

#include "trees/tree/tree.h"

/* What the splits of all trees share. */
typedef struct hr_multiway {
    const hr_binning *binning;
    double *edges;        /* of all numbers, the `thresholds` of a tree */
    uint32_t *first_edge; /* of every feature */
    size_t edge_count;
} hr_multiway;

/* Borrows the binning. Owner: the caller, by hr_multiway_done, also if it fails. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_multiway_init(hr_multiway *multiway, const hr_binning *binning, hr_error *err);
void hr_multiway_done(hr_multiway *multiway);

/* Makes `node` a split by the feature, with children from node_count on, which are leaves. Returns how many
 * nodes there are then. */
size_t hr_multiway_split(const hr_multiway *multiway, hr_node *nodes, size_t node_count, uint32_t node,
                         uint32_t feature);

/* Whether the feature splits a node above this one. parents[n] is the parent of node n > 0. */
bool hr_multiway_is_asked_above(const hr_node *nodes, const uint32_t *parents, uint32_t node,
                                uint32_t feature);

#endif
