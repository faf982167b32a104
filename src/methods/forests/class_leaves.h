/* The probabilities of classes in leaves, from released counts. */
#ifndef HR_METHODS_FORESTS_CLASS_LEAVES_H
#define HR_METHODS_FORESTS_CLASS_LEAVES_H

#include "trees/tree/tree.h"

/* In: counts[node * classes + k] >= 0 of the leaves, and the standard deviation of their noise, both in
 * records. Out: leaf_values[node * classes + k], probabilities; every node's are pulled towards its parent's
 * (trees/tree/hierarchical_shrinkage.h), so that small leaves have the values of their neighbourhood.
 * Overwrites the counts; records: room for a number a node. Thread: any. */
void hr_class_leaves(const hr_tree *tree, size_t classes, double noise, double *counts, double *records,
                     double *leaf_values);

/* Makes probabilities of `classes` distances from 1/classes. */
void hr_class_probabilities(double *leaf_values, size_t classes);

#endif
