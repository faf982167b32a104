/* A forest compiled for prediction. The thresholds that its trees compare a number with, sorted, divide it
 * into bins; so a record's values become bytes once, and all trees are walked over bytes
 * (trees/tree/place_tree.h). A feature with more thresholds than a byte can number has several columns of
 * bytes. */
#ifndef HR_MODELS_MODEL_PREDICTOR_H
#define HR_MODELS_MODEL_PREDICTOR_H

#include "base/kernels/search.h"
#include "trees/tree/place_tree.h"

#include <hedgerow/predictor.h>

/* Trees are walked by blocks of records, whose bytes stay in the nearest cache. */
enum { HR_PREDICTOR_BLOCK = HR_PLACES_BLOCK };

typedef struct hr_predictor_column {
    size_t feature;
    hr_feature_bins bins;
    hr_search search; /* of a number: among the edges of its bins */
} hr_predictor_column;

struct hr_predictor {
    const hr_forest *forest; /* the one that it was made of */
    const hr_schema *schema;
    size_t column_count;
    hr_predictor_column *columns;
    hr_place_tree *trees; /* those of the forest; column c begins at byte c * HR_PREDICTOR_BLOCK */
};

/* The trees are sound (tree_check.h) and about features of the schema. Borrows both. Everything made is in
 * `arena`. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_predictor_make(const hr_forest *forest, const hr_schema *schema, hr_arena *arena,
                                          hr_predictor *out, hr_error *err);

/* The bytes of `rows` records from `first` on, block after block: that of column c of record first + i is
 * bins[(i / HR_PREDICTOR_BLOCK * column_count + c) * HR_PREDICTOR_BLOCK + i % HR_PREDICTOR_BLOCK]. Those
 * beyond the records are left as they were. */
void hr_predictor_bins(const hr_predictor *predictor, const hr_data *data, size_t first, size_t rows,
                       uint8_t *bins);

/* The scores of the first `rows` records of a block, before any link: output k of record i is scores[k *
 * HR_PREDICTOR_BLOCK + i], room for whole blocks. What `bins` has beyond the records counts for nothing, but
 * is initialised. */
void hr_predictor_scores(const hr_predictor *predictor, const uint8_t *bins, size_t rows, double *scores);

/* How many threads walk so many blocks: `threads`, or what hr_threads finds if it is below 1; at most one a
 * block, and at least 1. Fails: as hr_threads. */
HR_MUST_CHECK hr_status hr_prediction_workers(int threads, size_t blocks, size_t *workers, hr_error *err);

#endif
