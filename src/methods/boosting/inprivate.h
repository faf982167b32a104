/* InPrivate Digging (Zhao et al. 2018), what an owner does: which records train in which round, Algorithm 1
 * on them, and the forest that the trees of all owners and rounds make. Scores are as the model adds them up:
 * of two classes the log-odds 2f (equation 9), else f, the label mapped to [-1, 1]. */
#ifndef HR_METHODS_BOOSTING_INPRIVATE_H
#define HR_METHODS_BOOSTING_INPRIVATE_H

#include "methods/method.h"
#include "privacy/gate.h"
#include "trees/tree/tree.h"

#include <hedgerow/fit.h>

enum { HR_INPRIVATE_ROUNDS_MAX = 64 };

/* Fails: ARGUMENT (more than two classes). */
HR_MUST_CHECK hr_status hr_inprivate_check(const hr_schema *schema, hr_error *err);
/* For hr_method.check: whether the budget is enough for a tree, and sums have room for the records. Fails:
 * BUDGET, LIMIT. */
HR_MUST_CHECK hr_status hr_inprivate_tree_check(const hr_fit_facts *facts, hr_error *err);

/* Which of the rounds 0 .. rounds - 1 every record (or person) trains in: half of what is left each round,
 * the last takes the rest. Every one tosses its own fair coins, so that adding one leaves the others where
 * they are and rounds compose in parallel. rounds: 1 .. 64. */
void hr_inprivate_rounds(hr_csprng *csprng, size_t rows, size_t rounds, uint8_t *round_of);
/* NOT PRIVATE: as published (section VI-B), each round takes half of the records that are left, rounded down,
 * drawn without replacement; those left after the last are of the round `rounds`. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_inprivate_halves(hr_csprng *csprng, size_t rows, size_t rounds, uint8_t *round_of,
                                            hr_error *err);

typedef struct hr_inprivate_tree_job {
    const hr_data *records;  /* of this tree only; maybe none */
    hr_privacy_unit unit;    /* HR_PER_PERSON: whole persons, whose records have weights (hr_data_weights) */
    const double *scores;    /* one a record, finite: the sum of the trees so far */
    hr_stats_source *source; /* sound: of sums over them at these scores; NULL: this process adds up.
                                `records` makes the bins all the same */
    hr_release_scope scope;
    hr_gate *gate; /* has scope.budget left */
    int threads;
} hr_inprivate_tree_job;

/* Algorithm 1: one private regression tree, in the mode options->mode; `options` are of the method inprivate.
 * Everything made is in `arena`. Spends: job->scope.budget. Fails: BUDGET, LIMIT (too many records), MEMORY,
 * and as the source. */
HR_MUST_CHECK hr_status hr_inprivate_tree(const hr_inprivate_tree_job *job, const hr_fit_options *options,
                                          hr_arena *arena, hr_tree *out, hr_error *err);

/* A forest without trees, with room for so many. Everything made is in `arena`. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_inprivate_forest_init(const hr_schema *schema, size_t trees, hr_arena *arena,
                                                 hr_forest *forest, hr_error *err);

#endif
