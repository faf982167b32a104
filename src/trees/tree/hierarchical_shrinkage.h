/* Leaf values from noisy sums and counts: every node's mean is pulled towards its parent's, the more so the
 * fewer its records. Leaves whose values drown in noise then have the value of their neighbourhood. Released
 * values only. */
#ifndef HR_TREES_TREE_HIERARCHICAL_SHRINKAGE_H
#define HR_TREES_TREE_HIERARCHICAL_SHRINKAGE_H

#include "trees/tree/tree.h"

/* In: sums[node * outputs + k] and counts[node] >= 0 of the leaves; the function fills in those of all other
 * nodes. Out: values[node * outputs + k], v_root = S / (N + r sqrt(L)) and v = v_parent + (S - N v_parent) /
 * (N + r sqrt(L)) below, where N is the node's count, L the number of leaves below it (the noise of S grows
 * with its root) and r = ridge > 0, in records. Thread: any. */
void hr_hierarchical_shrinkage(const hr_tree *tree, size_t outputs, double ridge, double *sums,
                               double *counts, double *values);

/* noise[n] of a leaf: the standard deviation that its value has if that of every leaf's sum is 1, of
 * independent sums and the counts as they are; 0 of other nodes. Values are linear in the sums: with the
 * counts as hr_hierarchical_shrinkage leaves them. Thread: any. */
void hr_shrinkage_noise(const hr_tree *tree, double ridge, const double *counts, double *noise);

#endif
