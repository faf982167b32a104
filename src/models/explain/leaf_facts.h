/* What a model holds of the leaves of a tree beside their values. Of trees that share their leaves, one an
 * output, only the first has it. */
#ifndef HR_MODELS_EXPLAIN_LEAF_FACTS_H
#define HR_MODELS_EXPLAIN_LEAF_FACTS_H

#include "trees/tree/tree.h"

/* The released number of records of every node of tree t; NULL: it was not released. */
const double *hr_forest_counts(const hr_forest *forest, size_t t);

/* The standard deviation of the noise in the value of every leaf of tree t; NULL: it is not known. */
const double *hr_forest_noise(const hr_forest *forest, size_t t);

#endif
