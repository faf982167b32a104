/* hedge as a machine over released values: it names the sums that it needs next, and accepts what was
 * released. It never sees a record or an exact statistic, so what it makes of the answers costs nothing.
 *
 * Order: TOTALS, BINS, then for each round CHOICE and LEAVES, then RELIABILITY (classes). hr_hedge_next gives
 * the next question as often as it is called; its answer is accepted by the function that its kind names,
 * once: TOTALS, LEAVES, RELIABILITY: hr_hedge_sums; BINS: hr_hedge_bins; CHOICE: hr_hedge_choice. Candidates
 * are drawn from public coins: machines with the same coins that accept the same answers have the same
 * questions. Thread: one at a time. */
#ifndef HR_METHODS_HEDGE_HEDGE_MACHINE_H
#define HR_METHODS_HEDGE_HEDGE_MACHINE_H

#include "methods/hedge/hedge_objective.h"
#include "methods/hedge/hedge_plan.h"
#include "trees/candidates/hedge_question.h"

typedef struct hr_hedge hr_hedge;

/* What is public before the first release. */
typedef struct hr_hedge_terms {
    hr_hedge_setting setting;
    size_t outputs; /* 1, or the number of classes if there are more than two, or of quantiles */
    hr_objective objective;
    hr_interactions interactions; /* its rule is the setting's, too; its groups live as long as the machine */
    const hr_schema *schema; /* counts, exposures, quantiles, monotone features; borrowed. NULL: of none */
    uint64_t first_group;    /* composition: each line has a group of its own from here on; those of the bins
                                have one */
} hr_hedge_terms;

/* Borrows the coins, a stream that is used for nothing secret, and the arena, which the forest is made in.
 * Owner: the caller frees *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_hedge_new(const hr_hedge_terms *terms, hr_csprng *coins, hr_arena *arena,
                                     hr_hedge **out, hr_error *err);
void hr_hedge_free(hr_hedge *hedge);

/* The next question. False: the forest is finished, and *out is left alone. */
bool hr_hedge_next(const hr_hedge *hedge, hr_hedge_question *out);

/* The released sums, hr_hedge_question_values of the question, in its order. noise_factor: their noise's
 * standard deviation in that of one release at the lines' costs; 1 where one party holds all records. values
 * NULL: the answer is lost. TOTALS are requested again, at the same cost once more; a round has no tree;
 * there is no calibration. Fails: MEMORY, BUDGET (too many losses before the first round). */
HR_MUST_CHECK hr_status hr_hedge_sums(hr_hedge *hedge, const hr_noisy *values, double noise_factor,
                                      hr_error *err);

/* Before the totals are accepted: public bounds of the number of records, 0 <= least <= most. A released
 * number beyond them is taken for the nearer one. Not called: any number. */
void hr_hedge_bound_records(hr_hedge *hedge, double least, double most);

/* Before the bins are accepted: how many owners add their sums up in the rounds, and how many of them add
 * noise for sure. Not called where one party holds all records. */
void hr_hedge_set_owners(hr_hedge *hedge, size_t owners, size_t honest);

/* Before the bins are accepted: an answer on them that cost so much was lost, and is requested again. Fails:
 * BUDGET (too much was lost before the first round). */
HR_MUST_CHECK hr_status hr_hedge_drop_sum(hr_hedge *hedge, hr_units cost, hr_error *err);

/* The released bins; borrowed until the machine is freed. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_hedge_bins(hr_hedge *hedge, const hr_binning *binning, hr_error *err);

/* Which of the question's trees was chosen. */
void hr_hedge_choice(hr_hedge *hedge, size_t index);

/* Rounds in which one owner chooses, at most; 0 before the bins are accepted, and without owners. */
size_t hr_hedge_turns(const hr_hedge *hedge);
/* Rounds that are over, and all; 0 before the bins are accepted. */
size_t hr_hedge_rounds(const hr_hedge *hedge, size_t *total);
/* The released number of records, >= 1; 0 before it is accepted. */
double hr_hedge_record_count(const hr_hedge *hedge);
/* The trees so far; the finished forest after the last question. Its arrays are in the arena. */
const hr_forest *hr_hedge_forest(const hr_hedge *hedge);

/* Bytes of a machine for so many features, at most, without the bins and its forest. */
double hr_hedge_memory(size_t features, size_t outputs);

#endif
