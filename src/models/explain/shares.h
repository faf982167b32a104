/* The background of SHAP values: of the records that reach a node's parent, the share that goes to the node.
 * Where none reach the parent, its children have equal shares. */
#ifndef HR_MODELS_EXPLAIN_SHARES_H
#define HR_MODELS_EXPLAIN_SHARES_H

#include "models/model/model.h"

/* One share a node, 1 of the root, from its number of records. */
void hr_shares_of_counts(const hr_tree *tree, const double *counts, double *shares);

/* From independent features that are uniform on the schema's bounds and lists. */
void hr_shares_of_bounds(const hr_tree *tree, const hr_schema *schema, double *shares);

/* From the released counts of tree t of a model, or from public bounds if it has none. Returns whether it has
 * counts. */
bool hr_shares_of_model(const hr_model *model, size_t t, double *shares);

/* counts[n] += the records of the table that reach node n. */
void hr_shares_count(const hr_tree *tree, const hr_data *data, double *counts);

#endif
