/* What a model says of its features, from released values alone unless the caller brings a table: no
 * function here spends anything. */
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
                                 the trees' splits and counts as they are (docs/how-to/explanations.md). NULL:
                                 the model does not tell the noise of each of these trees */
} hr_shape;

/* The trees that are in no shape: of three features or more, or of two with more than 2^20 cells. */
typedef struct hr_shape_rest {
    size_t trees;
    double share; /* as of a shape; the shares add up to 1, or are all 0 */
} hr_shape_rest;

typedef struct hr_shapes hr_shapes;

/* The score of a record is the base, plus its cell of every shape, plus what the rest says, before the link
 * (docs/reference/formats.md, Predictions): without a rest the shapes say all that the model knows. Owner:
 * the caller frees *out with hr_shapes_free; the model need not outlive it. Thread: any. Fails: MEMORY. */
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

/* ---- SHAP: what each feature adds to the score of one record ---- */

/* Shapley values of the game whose players are the features, and in which features that do not take part have
 * the values of the background: at a split by one of them a record goes every way at once, in the shares of
 * the background.
 *
 * The background of a tree is, first of those that there are: the caller's table; the released counts of its
 * nodes; independent features, each uniform on its public bounds (integers, if the schema says so) or its
 * list of categories, none of them missing. A node without records goes every way in equal shares. */
typedef struct hr_shap_options {
    size_t size;               /* sizeof(hr_shap_options) */
    const hr_data *background; /* read with the model's schema, at least one record; borrowed during
                                  hr_shap_new. SHAP values then say what its records are like: they are as
                                  private as it is. NULL: released counts or public bounds */
    int threads;               /* 0: see hr_threads */
} hr_shap_options;
#define HR_SHAP_OPTIONS_INIT                                                                                 \
    { sizeof(hr_shap_options), NULL, 0 }

typedef struct hr_shap hr_shap;

/* Prepares a model, which must outlive *out. options: NULL for the defaults. Owner: the caller frees *out
 * with hr_shap_free. Thread: any; one hr_shap may be used by many. Fails: ARGUMENT (options), SCHEMA (a
 * background of another schema, or without records), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_shap_new(const hr_model *model, const hr_shap_options *options,
                                           hr_shap **out, hr_error *err);
HR_API void hr_shap_free(hr_shap *shap);

/* Scores of a record, before the link. */
HR_API size_t hr_shap_output_count(const hr_shap *shap);
/* output_count scores: what the model says of the background on average. Borrowed. */
HR_API const double *hr_shap_expected(const hr_shap *shap);
/* How many trees have their released counts for a background; of the others it is public bounds, or all have
 * the caller's table. */
HR_API size_t hr_shap_counted_trees(const hr_shap *shap);

/* out: rows x output_count x features doubles, [row][output][feature]. The features' values of a record and
 * output add up to its score less the expected one. Fails: SCHEMA (another schema than the model's), MEMORY.
 */
HR_API HR_MUST_CHECK hr_status hr_shap_values(const hr_shap *shap, const hr_data *data, double *out,
                                              hr_error *err);

/* ---- Importances ---- */

/* Importance of every feature, feature_count doubles that sum to 1 (or 0 without a split): the part of the
 * variance of each tree's leaf values that its splits account for, with the background of hr_shap_new without
 * a table. hr_model_importance takes every way at a split for equally likely; here one that few records go
 * counts little, and so does the noise in what they say. *counted_trees: how many trees have their released
 * counts for a background, the others public bounds. Fails: MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_weighted_importance(const hr_model *model, double *out,
                                                      size_t *counted_trees, hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
