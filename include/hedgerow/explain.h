/* What a model says of its features, from released values alone: no function here spends anything. */
#ifndef HEDGEROW_EXPLAIN_H
#define HEDGEROW_EXPLAIN_H

#include <hedgerow/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Shapes: what the trees of one feature, or of two, add up to ---- */

/* The cells of one feature. Cell 0 is missing. Of a number, cell i >= 1 holds the x with edges[i - 2] < x <=
 * edges[i - 1]; the first has no lower, the last no upper edge. Of a category, cell i holds the schema's
 * value i - 1; the last one holds all later values, too, if there are more than 254. */
typedef struct hr_shape_axis {
    size_t feature;      /* an index in the schema */
    size_t cell_count;   /* of a number: edges + 2 */
    const double *edges; /* cell_count - 2, ascending; NULL of a category */
} hr_shape_axis;

/* The trees that split by exactly these features, added up. */
typedef struct hr_shape {
    size_t axis_count; /* 1 or 2, by ascending feature */
    hr_shape_axis axes[2];
    size_t trees;
    double share;         /* of the spread of all trees (hr_model_importance), these trees' part */
    const double *values; /* [cell of axis 0][cell of axis 1][output], what the trees add to the score; with
                             one axis [cell][output] */
    const double *deviations; /* like values: the standard deviation of what the noise of the leaves added,
                                 the trees' splits and counts as they are (docs/explanations.md). NULL: the
                                 model does not tell the noise of each of these trees */
} hr_shape;

/* The trees that are in no shape: of three features or more, or of two with more than 2^20 cells. */
typedef struct hr_shape_rest {
    size_t trees;
    double share; /* as of a shape; the shares add up to 1, or are all 0 */
} hr_shape_rest;

typedef struct hr_shapes hr_shapes;

/* The score of a record is the base, plus its cell of every shape, plus what the rest says, before the link
 * (docs/formats.md, Predictions): without a rest the shapes say all that the model knows. Owner: the caller
 * frees *out with hr_shapes_free; the model need not outlive it. Thread: any. Fails: MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_shapes_make(const hr_model *model, hr_shapes **out, hr_error *err);
HR_API void hr_shapes_free(hr_shapes *shapes);

/* Scores of a record: 1 for regression and two classes (some methods: 2), else the number of classes. */
HR_API size_t hr_shapes_output_count(const hr_shapes *shapes);
/* output_count scores that all records start from, trees without a split included. Borrowed. */
HR_API const double *hr_shapes_base(const hr_shapes *shapes);
/* Those of one feature first, by ascending features. */
HR_API size_t hr_shapes_count(const hr_shapes *shapes);
/* Returns false past the last. Arrays are borrowed. */
HR_API bool hr_shapes_at(const hr_shapes *shapes, size_t index, hr_shape *out);
HR_API hr_shape_rest hr_shapes_rest(const hr_shapes *shapes);

#ifdef __cplusplus
}
#endif
#endif
