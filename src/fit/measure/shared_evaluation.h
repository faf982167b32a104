/* An evaluation over several owners by one secure sum (federation/machines/securesum.h): each owner predicts
 * its own test table with a public model, and answers with counts, its share of the noise and its mask; the
 * coordinator makes the figures of the sum of all answers. Neither messages nor ledgers are handled here:
 * before an owner calls hr_shared_evaluation_answer, its ledger has paid. Proof: shared_evaluation.proof.md.
 */
#ifndef HR_FIT_MEASURE_SHARED_EVALUATION_H
#define HR_FIT_MEASURE_SHARED_EVALUATION_H

#include "fit/budget.h"

#include <hedgerow/evaluation.h>

/* Public, and the same at all parties. Scores are counted in 32 bins that are even on a public grid: the AUC
 * of a model whose probabilities are all close together is that of few bins, too low. */
typedef struct hr_shared_evaluation {
    const hr_schema *schema; /* of the model, and of all tables; borrowed */
    const hr_model *model;   /* an owner's: what it predicts with; all others: NULL. Borrowed */
    double epsilon, delta;   /* what each owner pays; delta 0: pure epsilon */
    size_t members;          /* owners that the sum is over, 1 to 256 */
    size_t coalition;        /* so many of all owners may leave their noise out, and tell each other all */
} hr_shared_evaluation;

/* How many numbers an answer has. */
size_t hr_shared_evaluation_values(const hr_schema *schema);

/* Whether it can be done, and what it costs each owner: *out. Looks at no record. Fails: ARGUMENT (a number
 * out of range), POLICY (the model protects persons, whom these sums do not), BUDGET (too little for any
 * noise). */
HR_MUST_CHECK hr_status hr_shared_evaluation_check(const hr_shared_evaluation *evaluation, hr_budget *out,
                                                   hr_error *err);

/* One owner's answer: hr_shared_evaluation_values numbers modulo 2^64. All is charged before any noise is
 * drawn. Spends: from the gate, whose budget is what hr_shared_evaluation_check says. Others see that it
 * fails, so it does not depend on the number of records: what delta a job may have is for the owner's policy.
 * A table without
 * records has sums of 0. Fails: as above, SCHEMA (no labels, another schema), BUDGET, MEMORY: nothing was
 * drawn. */
HR_MUST_CHECK hr_status hr_shared_evaluation_answer(const hr_shared_evaluation *evaluation,
                                                    const hr_data *data, hr_gate *gate, hr_mask *mask,
                                                    uint64_t *out, hr_error *err);

/* The figures of the sum of all answers. `account` is charged what each owner's gate was; nothing is drawn
 * from it. Fails: as hr_shared_evaluation_check, BUDGET (of the account), MEMORY. */
HR_MUST_CHECK hr_status hr_shared_evaluation_result(const hr_shared_evaluation *evaluation,
                                                    const hr_noisy *sums, hr_gate *account,
                                                    hr_evaluation *out, hr_error *err);

#endif
