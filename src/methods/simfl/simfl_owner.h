/* One owner of SimFL (Li, Wen, He: Practical Federated Gradient Boosting Decision Trees. AAAI 2020, Algorithm
 * 2): its records, their scores, and the trees that it trains. methods/simfl/simfl.c holds all owners in one
 * process; over several, messages carry what these functions write and read. NOT PRIVATE.
 *
 * First the label sums of all owners, added up, give every owner the base score; then each receives which
 * record of every other owner is most like each of its own (trees/similar/similar.h). Then owners train trees
 * in turn. For a tree of owner m every other owner i writes its gradients for m (lines 1 to 8), m receives
 * them (lines 9 to 18) and trains (line 21); then every other owner adds the tree. */
#ifndef HR_METHODS_SIMFL_SIMFL_OWNER_H
#define HR_METHODS_SIMFL_SIMFL_OWNER_H

#include "methods/boosting/exact_boosting.h"
#include "privacy/sample.h"

#include <hedgerow/data.h>

typedef struct hr_simfl_owner hr_simfl_owner;

/* What was charged once for all trees, at the identity's price. */
typedef struct hr_simfl_permits {
    hr_exact_permits boosting;
    hr_permit gradients;
} hr_simfl_permits;

/* Writes the lines of what SimFL releases exactly: bin edges, record hashes, splits, leaf sums, base score,
 * gradients of similar records. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_charge(hr_gate *gate, hr_simfl_permits *out, hr_error *err);

/* All of it is borrowed. */
typedef struct hr_simfl_setup {
    const hr_data *data;           /* the owner's records, of at least one */
    const hr_fit_options *options; /* trees (of all owners), depth, bins, learning-rate, lambda, loss,
                                      min-child-weight, gamma */
    hr_gate *gate;                 /* without privacy */
    hr_simfl_permits permits;
    hr_arena *arena;      /* of the trees that it trains */
    const uint32_t *rows; /* records of every owner, this one included: `owners` numbers */
    size_t owners;
    int threads;
} hr_simfl_setup;

/* Bins its records by their own exact quantiles. The label is a number or has two classes. Owner: the caller
 * frees *out. Fails: MEMORY, LIMIT (too many records of all owners for exact sums). */
HR_MUST_CHECK hr_status hr_simfl_owner_new(const hr_simfl_setup *setup, hr_simfl_owner **out, hr_error *err);
void hr_simfl_owner_free(hr_simfl_owner *owner);

/* Its records of each of the two classes; or the sum of its targets in units of 2^-20, and 0. Fails: MEMORY.
 */
HR_MUST_CHECK hr_status hr_simfl_owner_label_sums(hr_simfl_owner *owner, hr_noisy sums[2], hr_error *err);
/* The same of all owners, added up: sets its scores to the base score, which is the same at every owner.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_owner_set_base(hr_simfl_owner *owner, const hr_noisy sums[2], double *base,
                                                hr_error *err);

/* similar[q] < rows[other]: the record of that owner that is most like its record q. Copies. Fails: MEMORY.
 */
HR_MUST_CHECK hr_status hr_simfl_owner_match(hr_simfl_owner *owner, size_t other, const uint32_t *similar,
                                             hr_error *err);

/* For each of the rows[other] records of another owner, the sums of g and h over its own records that are
 * most like it, as integers. That owner was matched. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_owner_gradients(hr_simfl_owner *owner, size_t other, hr_noisy *gradients,
                                                 hr_noisy *weights, hr_error *err);

/* Adds what another owner wrote for it, one number each a record, to the gradients of its next tree; once for
 * each owner and tree. Fails:
 * FORMAT (more than rows[other] records can have; nothing was added). */
HR_MUST_CHECK hr_status hr_simfl_owner_receive(hr_simfl_owner *owner, size_t other, const hr_noisy *gradients,
                                               const hr_noisy *weights, hr_error *err);

/* How owners share the trees of a model. */
typedef struct hr_simfl_order {
    hr_owner_order order;
    size_t trees; /* T */
} hr_simfl_order;

static inline hr_simfl_order hr_simfl_order_of(const hr_fit_options *options) {
    return (hr_simfl_order){(hr_owner_order)options->by_name[HR_OPTION_ORDER], (size_t)options->trees};
}

/* The owner that trains tree number `tree`, of owners with so many records, one at least. In turn: tree
 * modulo owners. In blocks: owner i begins with tree floor(T n_i / N), n_i being the records of the owners
 * before it. */
size_t hr_simfl_owner_of_tree(const hr_simfl_order *order, const uint32_t *rows, size_t owners, size_t tree);

/* Trains the next tree on its own records, with their own gradients and those received since its last tree,
 * and adds it to their scores. *out: in the setup's arena. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_owner_train(hr_simfl_owner *owner, hr_tree *out, hr_error *err);

/* Adds the tree of another owner to its scores. Only thresholds and sets of categories are read. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_simfl_owner_add(hr_simfl_owner *owner, const hr_tree *tree, hr_error *err);

/* ---- Owners that are tried out in one process ---- */

/* A table divided among owners, to measure what they would learn together or alone (the same, section 6). The
 * division is drawn. theta 0: all owners get equally many records, or one more. Else, of two classes, theta
 * of the records of class 0 and 1 - theta of those of class 1, both rounded, go to the first owners, half of
 * all rounded up, and the rest to the others; within each half they are divided equally. Records keep their
 * order. out: `owners` tables. Owner: the caller frees each with hr_data_free. Fails: ARGUMENT (an owner
 * would have no record), MEMORY; nothing is to be freed then. */
HR_MUST_CHECK hr_status hr_simfl_split(const hr_data *data, size_t owners, double theta, hr_csprng *csprng,
                                       hr_data **out, hr_error *err);

#endif
