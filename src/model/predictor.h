/* A forest compiled for prediction. The thresholds that its trees compare a number with, sorted, divide it
 * into bins; so a record's values become bytes once, and all trees are walked over bytes (tree/walk.h). A
 * feature with more thresholds than a byte can tell apart has several columns of bytes. */
#ifndef HR_MODEL_PREDICTOR_H
#define HR_MODEL_PREDICTOR_H

#include "tree/walk.h"

/* Records are predicted in blocks of this many, whose bytes stay in the nearest cache. */
enum { HR_PREDICTOR_BLOCK = 512 };

typedef struct hr_predictor {
    size_t column_count;
    size_t *features;         /* of each column */
    hr_feature_bins *columns; /* the bins of each */
    hr_walk_tree *trees;      /* those of the forest; column c begins at byte c * HR_PREDICTOR_BLOCK */
} hr_predictor;

/* The trees are sound (tree_check.h) and about features of the schema. Everything made is in `arena`. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_predictor_make(const hr_forest *forest, const hr_schema *schema, hr_arena *arena,
                                          hr_predictor *out, hr_error *err);

/* The bytes of up to HR_PREDICTOR_BLOCK records from `first` on: column_count * HR_PREDICTOR_BLOCK. */
void hr_predictor_bins(const hr_predictor *predictor, const hr_data *data, size_t first, size_t rows,
                       uint8_t *bins);

#endif
