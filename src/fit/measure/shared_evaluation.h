/* An evaluation over several owners by one secure sum (federation/machines/securesum.h): each owner predicts
 * its own test table with a public model, and answers with counts, its share of the noise and its mask; the
 * coordinator makes the figures of the sum of all answers. Neither messages nor ledgers nor gates are handled
 * here. Proof: shared_evaluation.proof.md. */
#ifndef HR_FIT_MEASURE_SHARED_EVALUATION_H
#define HR_FIT_MEASURE_SHARED_EVALUATION_H

#include "fit/measure/statistics.h"

#include <hedgerow/evaluation.h>

/* Public, and the same at all parties. Scores are counted in 32 bins that are even on a public grid: the AUC
 * of a model whose probabilities are all close together is that of few bins, too low. */
typedef struct hr_shared_evaluation {
    const hr_schema *schema; /* of the model, and of all tables; borrowed */
    const hr_model *model;   /* an owner's: what it predicts with; all others: NULL. Borrowed */
    double epsilon, delta;   /* what each owner pays; delta 0: pure epsilon */
    size_t members;          /* owners that the sum is over, 1 to 256 */
    size_t coalition;        /* so many of all owners may leave their noise out, and share all they know */
} hr_shared_evaluation;

/* How many numbers an answer has. */
size_t hr_shared_evaluation_values(const hr_schema *schema);

/* Whether it can be done, and what it costs each owner: *out. Looks at no record. Fails: ARGUMENT (a number
 * out of range), POLICY (the model protects persons, whom these sums do not), BUDGET (too little for any
 * noise). */
HR_MUST_CHECK hr_status hr_shared_evaluation_check(const hr_shared_evaluation *evaluation, hr_budget *out,
                                                   hr_error *err);

/* What one owner's answer is charged, line by line: how many lines, and how many numbers each has. They cost
 * the budget together, which is that of hr_shared_evaluation_check. */
size_t hr_shared_evaluation_lines(const hr_shared_evaluation *evaluation, const hr_budget *budget,
                                  hr_charge charges[HR_STATISTICS_MAX], size_t counts[HR_STATISTICS_MAX]);

/* The exact sums of one owner's records, hr_shared_evaluation_values numbers; of a table without records 0.
 * Others see that it fails, so it does not depend on the number of records: what delta a job may have is for
 * the owner's policy. Fails: SCHEMA (no labels, another schema), MEMORY. */
HR_MUST_CHECK hr_status hr_shared_evaluation_count(const hr_shared_evaluation *evaluation,
                                                   const hr_data *data, hr_exact *out, hr_error *err);

/* The figures of the sum of all answers; `charges` lists what each owner was charged. Fails: as
 * hr_shared_evaluation_check, MEMORY. */
HR_MUST_CHECK hr_status hr_shared_evaluation_result(const hr_shared_evaluation *evaluation,
                                                    const hr_noisy *sums, const hr_gate *charges,
                                                    hr_evaluation *out, hr_error *err);

#endif
