/* A model's trees as other engines have them: every split has two ways, none is empty, and values that no
 * record can have are sent where the schema's bounds send them. So the writers of formats differ in words
 * alone. */
#ifndef HR_MODELS_EXPORT_ENSEMBLE_H
#define HR_MODELS_EXPORT_ENSEMBLE_H

#include "models/model/model.h"

typedef enum hr_engine_split {
    HR_ENGINE_LEAF,
    HR_ENGINE_NUMBER,  /* x <= threshold goes to `yes`; a missing one if missing_yes */
    HR_ENGINE_PRESENT, /* every number goes to `yes`, a missing one does not */
    HR_ENGINE_CATEGORY /* the listed values go to `yes`; all others, missing and unknown ones, do not */
} hr_engine_split;

typedef struct hr_engine_node {
    hr_engine_split split;
    bool missing_yes;
    uint32_t feature;
    uint32_t yes;   /* later than the node; the other child follows it */
    uint32_t cover; /* records that come here, 1 or more (covers.h); of a split the sum of its children's */
    union {
        double threshold;  /* finite, within the feature's bounds, below the upper one */
        double value;      /* of a leaf */
        hr_bin_set listed; /* never empty; read it by hr_engine_lists */
    };
} hr_engine_node;

typedef struct hr_engine_tree {
    hr_engine_node *nodes; /* nodes[0] is the root */
    size_t node_count;
} hr_engine_tree;

/* What makes predictions of scores, if engines know it. */
typedef enum hr_engine_link {
    HR_ENGINE_SCORES,   /* none that they know: of a number, of HR_LINK_SIGNED, or with a calibration */
    HR_ENGINE_LOGISTIC, /* of one score 1 / (1 + exp(-score)), of more their softmax */
    HR_ENGINE_LOG       /* exp(shift + score): the mean of a count, up to its bounds */
} hr_engine_link;

/* Tree r * output_count + k adds to score k, which starts from 0: those of r = 0 are leaves with the base,
 * the model's trees follow in their order, and leaves of 0 fill up outputs that have fewer trees. */
typedef struct hr_ensemble {
    const hr_schema *schema;
    hr_engine_link link;
    size_t output_count, round_count;
    double shift, scale; /* of a number: its label is shift + scale * score within the bounds; of a
                             count: shift is the logarithm of its high; else 0 and 1 */
    hr_engine_tree *trees;
} hr_ensemble;

/* What leaf n of tree t adds to the label of a number, or to the score of a class. */
double hr_engine_adds(const hr_ensemble *ensemble, size_t t, const hr_engine_node *leaf);

/* Owner: what is made lives in the arena; the schema is the model's. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_ensemble_make(const hr_model *model, hr_arena *arena, hr_ensemble *out,
                                         hr_error *err);

/* Whether a split by category lists the value at this index of the schema's list. */
bool hr_engine_lists(const hr_engine_node *node, size_t value);

#endif
