#include "methods/forests/class_leaves.h"

#include "trees/tree/hierarchical_shrinkage.h"

#include <math.h>

/* How strongly noise pulls a node towards its parent: records to each unit of its standard deviation. Chosen
 * on development sets. Without noise a leaf without records still has the values of its parent. */
static const double RIDGE = 1, MIN_RIDGE = 1e-9;

void hr_class_probabilities(double *leaf_values, size_t classes) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++)
        sum += leaf_values[k] = fmax(leaf_values[k] + 1 / (double)classes, 0);
    for (size_t k = 0; k < classes; k++) leaf_values[k] /= sum;
}

/* Sums of (label's unit vector - 1/classes), so that nothing known means that all classes are alike. */
static double centre_counts(double *counts, size_t classes) {
    double all = 0;
    for (size_t k = 0; k < classes; k++) all += counts[k];
    for (size_t k = 0; k < classes; k++) counts[k] -= all / (double)classes;
    return all;
}

void hr_class_leaves(const hr_tree *tree, size_t classes, double noise, double *counts, double *records,
                     double *leaf_values) {
    for (size_t n = 0; n < tree->node_count; n++)
        if (!tree->nodes[n].left) records[n] = centre_counts(counts + n * classes, classes);
    hr_hierarchical_shrinkage(tree, classes, fmax(RIDGE * noise, MIN_RIDGE), counts, records, leaf_values);
    for (size_t n = 0; n < tree->node_count; n++) hr_class_probabilities(leaf_values + n * classes, classes);
}
