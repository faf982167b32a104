/* The statistics source: who answers the grower's questions about sums over records.
 *
 * The grower asks for the histograms of nodes and tells how nodes are split; it does not know whether the records are in this
 * process, sharded over a cluster, or shared out among owners. Nodes are named by their index in the tree; node 0, the root,
 * holds every record that the tree is trained on. */
#ifndef HR_TREE_SOURCE_H
#define HR_TREE_SOURCE_H

#include "base/fail.h"
#include "tree/split.h"

typedef struct hr_source hr_source;
struct hr_source {
    /* Writes the histograms of `count` nodes to out[0..count). */
    hr_status (*sum)(hr_source *self, const uint32_t *nodes, hr_cell *const *out, size_t count, hr_error *err);
    /* Sends the records of nodes[i] to the nodes left[i] (those that splits[i] sends left) and left[i] + 1. */
    hr_status (*split)(hr_source *self, const uint32_t *nodes, const hr_split *splits, const uint32_t *left, size_t count, hr_error *err);
};

#endif
