/* How many records come to the leaves of a tree, for engines that weigh the ways of a split by that. */
#ifndef HR_MODELS_EXPORT_COVERS_H
#define HR_MODELS_EXPORT_COVERS_H

#include "models/export/ensemble.h"

/* Of a tree, at most, but for leaves of few records: 32-bit floats hold whole numbers up to here. */
enum { HR_COVERS_MOST = 1 << 24, HR_COVERS_OF_BOUNDS = 1000000 };

/* covers: one a node of tree t of the model; those of leaves are set, the others 0. Whole, 1 or more. They
 * are the released counts; of a tree without counts, the shares of HR_COVERS_OF_BOUNDS records that are
 * uniform on the public bounds (models/explain/shares.h). More than HR_COVERS_MOST in all are scaled down to
 * that. False when memory is short. */
bool hr_covers_of_tree(const hr_model *model, size_t t, hr_arena *arena, uint32_t *covers);

/* A copy of the tree whose leaves have their own index in `first`, which leaves do not use, so that it stays
 * with them when the tree is changed. Owner: its nodes live in the arena. False when memory is short. */
bool hr_covers_number_leaves(const hr_tree *tree, hr_arena *arena, hr_tree *out);

/* Sets the covers of splits from those of leaves. */
void hr_covers_add_up(hr_engine_tree *tree);

#endif
