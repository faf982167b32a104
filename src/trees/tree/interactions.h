/* Which features a tree may split by together: the fit's option `interactions`. It is public, and decides
 * which candidate trees are drawn. */
#ifndef HR_TREES_TREE_INTERACTIONS_H
#define HR_TREES_TREE_INTERACTIONS_H

#include "trees/tree/tree.h"

#include <hedgerow/fit.h>

/* The name of the option, of the setting in a model, and of the field in errors. */
#define HR_INTERACTIONS_NAME "interactions"

typedef enum hr_interaction_rule {
    HR_INTERACTIONS_ALL,   /* any */
    HR_INTERACTIONS_NONE,  /* one feature */
    HR_INTERACTIONS_PAIRS, /* at most two */
    HR_INTERACTIONS_GROUPS /* one feature, or several of one group */
} hr_interaction_rule;

/* Features that may meet in a tree: two or more, in ascending order. */
typedef struct hr_feature_group {
    uint32_t *features;
    size_t count;
} hr_feature_group;

typedef struct hr_interactions {
    hr_interaction_rule rule;
    hr_feature_group *groups; /* they may share features */
    size_t group_count;
} hr_interactions;

/* Writes the text as it stands in options and models: "", which stands for `all`, "none", "pairs", or lists
 * with all names in quotation marks. `out` may be `text`. Fails: ARGUMENT (neither a word nor lists of two
 * names or more, none of them twice; too long), MEMORY. */
HR_MUST_CHECK hr_status hr_interactions_write(const char *text, char out[HR_INTERACTIONS_TEXT],
                                              hr_error *err);

/* The rule of a text, without a look at its names. */
hr_interaction_rule hr_interactions_rule_of(const char *text);

/* *out lives in the arena. Fails: as above, and ARGUMENT (the schema has no such feature). */
HR_MUST_CHECK hr_status hr_interactions_read(const char *text, const hr_schema *schema, hr_arena *arena,
                                             hr_interactions *out, hr_error *err);

/* The same without what it makes: whether it can be read. */
HR_MUST_CHECK hr_status hr_interactions_check(const char *text, const hr_schema *schema, hr_error *err);

bool hr_group_has(const hr_feature_group *group, uint32_t feature);
/* Whether all splits of the tree are by features that may meet. */
bool hr_tree_obeys(const hr_tree *tree, const hr_interactions *interactions);
/* How many trees of the forest obey before the first that does not: all, or its index. */
size_t hr_forest_obeys(const hr_forest *forest, const hr_interactions *interactions);

#endif
