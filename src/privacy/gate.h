/* THE RELEASE GATE: the only way from exact statistics (hr_exact) to released ones (hr_noisy).
 *
 * A gate holds a budget and a stream of random bits. A method first charges (hr_gate_charge writes the line
 * that the model will carry, and refuses what the budget does not cover), then draws under the permit it got.
 * A gate without privacy releases through the identity, and its list shows that.
 *
 * Under one permit every record (or person) may influence at most one call of hr_gate_choose, or several at
 * disjoint nodes whose changes of scores have widths that add up to at most `sensitivity`; and change the
 * exact sums of all calls of hr_gate_sums, or hr_gate_share, by a vector of length at most `sensitivity` (L1
 * in a pure gate, else L2; one coordinate by at most `sensitivity` is always right): the nodes of one level,
 * the leaves of one tree. A permit used for another kind of release gives 0. Proofs: laplace, gaussian,
 * exponential, permute_and_flip.proof.md for one release, accountant.proof.md for all of them. Thread: one at
 * a time. */
#ifndef HR_PRIVACY_GATE_H
#define HR_PRIVACY_GATE_H

#include "base/timing.h"
#include "privacy/accountant.h"
#include "privacy/crypto/mask.h"
#include "privacy/exact.h"
#include "privacy/sample.h"

typedef struct hr_gate hr_gate;

typedef struct hr_permit {
    size_t line;
} hr_permit;

/* What a release is: the line without what the gate fills in itself (mechanism, scale, draws). */
typedef struct hr_charge {
    const char *what; /* static text */
    int64_t tree, level;
    uint64_t group, part;
    hr_units cost;        /* > 0 unless the gate is without privacy */
    uint64_t sensitivity; /* > 0; sums: of the integer query; choices: width W of the integer score */
} hr_charge;

/* What releases of one tree have in common. */
typedef struct hr_release_scope {
    int64_t tree;         /* its index in the list; -1: of no tree */
    uint64_t group, part; /* composition */
    hr_units budget;      /* what they may cost in all; the gate does not read it */
} hr_release_scope;

/* level -1: of no level. */
hr_charge hr_scope_charge(const hr_release_scope *scope, const char *what, int64_t level, hr_units cost,
                          uint64_t sensitivity);

/* `budget` is in the privacy measure's units (ignored by HR_PRIVACY_NONE). The gate borrows the stream.
 * Owner: the caller frees *out with hr_gate_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_gate_new(hr_privacy_measure privacy_measure, hr_units budget, hr_csprng *csprng,
                                    hr_gate **out, hr_error *err);
void hr_gate_free(hr_gate *gate);

hr_privacy_measure hr_gate_privacy_measure(const hr_gate *gate);
/* What a method may spend: the budget, less what was set aside. */
hr_units hr_gate_budget(const hr_gate *gate);
/* Keeps so much of the budget for what is released beside the method. units: at most the budget. */
void hr_gate_set_aside(hr_gate *gate, hr_units units);
/* The stream, for choices that do not depend on records (which tree a record trains, random candidates). */
hr_csprng *hr_gate_csprng(hr_gate *gate);
/* Counts the time of draws from here on, for the caller alone; borrowed. */
void hr_gate_set_timings(hr_gate *gate, hr_timings *timings);
/* What was set, for those who work at this gate; NULL: nothing was. */
hr_timings *hr_gate_timings(const hr_gate *gate);

/* Spends: charge->cost in its group and part. Sums are released with integer noise: discrete Laplace of scale
 * sensitivity/cost (pure), or discrete Gaussian of sigma^2 = sensitivity^2/(2 cost) (zCDP) or
 * sensitivity^2/cost + 6 (GDP: use units so small that 6 does not matter). Fails: BUDGET, MEMORY; nothing
 * is charged then. */
HR_MUST_CHECK hr_status hr_gate_charge_sums(hr_gate *gate, const hr_charge *charge, hr_permit *out,
                                            hr_error *err);
/* Spends: the same. Pure choices are made by permute-and-flip: in a random order, the first candidate that is
 * taken with probability exp(-epsilon (largest score - score_r) / width), epsilon = cost. zCDP and GDP need a
 * bounded range, which that has not: there it is the exponential mechanism. */
HR_MUST_CHECK hr_status hr_gate_charge_choice(hr_gate *gate, const hr_charge *charge, hr_permit *out,
                                              hr_error *err);
/* Spends: the same. A choice that is drawn before the next charge: afterwards the permit gives 0. In a GDP
 * gate the cost then pays for a larger epsilon, up to sqrt(4 cost), since releases may follow that cost all
 * that is left of the budget (exponential.proof.md, *Before other releases*); hr_gate_spend_rest has to come
 * last. In other gates it is the choice above. */
HR_MUST_CHECK hr_status hr_gate_charge_choice_now(hr_gate *gate, const hr_charge *charge, hr_permit *out,
                                                  hr_error *err);
/* Spends: the same. Choices by the exponential mechanism in every privacy measure, for methods that must do
 * as published: Pr(r) proportional to exp(epsilon score_r / width), with epsilon = cost (pure), sqrt(8 cost)
 * (zCDP) or sqrt(8 cost/pi) (GDP). */
HR_MUST_CHECK hr_status hr_gate_charge_exponential(hr_gate *gate, const hr_charge *charge, hr_permit *out,
                                                   hr_error *err);

/* Spends: the same. Sums over the records of several owners, each of whom adds a share of the noise: the
 * shares of any `shares` owners, 1 to 256, add up to what charge->cost pays for. A share is discrete Gaussian
 * of sigma^2 = (sensitivity^2/cost + 6)/shares, at least 12 (GDP), or the difference of two Polya variables
 * of shape 1/shares that add up to discrete Laplace of scale sensitivity/cost (pure). Fails: BUDGET (also in
 * zCDP, which has no noise in shares), MEMORY; nothing is charged then. */
HR_MUST_CHECK hr_status hr_gate_charge_share(hr_gate *gate, const hr_charge *charge, uint64_t shares,
                                             hr_permit *out, hr_error *err);

/* Spends: all that is left, in a group of its own, and releases nothing: in a GDP gate the list then costs
 * the whole budget, on which hr_gate_charge_choice_now counts. In other gates nothing is spent. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_gate_spend_rest(hr_gate *gate, hr_error *err);

/* Whether the cost buys a noise that can be drawn, for sums and for choices as above, in a gate of that
 * privacy measure; its budget does not count. What a method will charge can be checked so before there is a
 * gate. Fails: BUDGET. */
HR_MUST_CHECK hr_status hr_charge_check_sums(hr_privacy_measure privacy_measure, const hr_charge *charge,
                                             hr_error *err);
HR_MUST_CHECK hr_status hr_charge_check_choice(hr_privacy_measure privacy_measure, const hr_charge *charge,
                                               hr_error *err);
HR_MUST_CHECK hr_status hr_charge_check_share(hr_privacy_measure privacy_measure, const hr_charge *charge,
                                              uint64_t shares, hr_error *err);

/* Whether `lines` charges that together cost charge->cost, in its group and part, are covered; makes room for
 * them, so that after HR_OK none of them fails for budget or memory. Charges nothing. Fails: BUDGET, MEMORY.
 */
HR_MUST_CHECK hr_status hr_gate_covers(hr_gate *gate, const hr_charge *charge, size_t lines, hr_error *err);

/* Notes that the model contains exact statistics of the records (the bin edges of published methods). With
 * such a line in its list no model can claim privacy. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_gate_charge_exact(hr_gate *gate, const char *what, hr_error *err);

/* Noisy sums, coordinate by coordinate, within +-2^61 (exact sums beyond are clamped first, except without
 * privacy). `in` and `out` may not overlap. */
void hr_gate_sums(hr_gate *gate, hr_permit permit, const hr_exact *in, size_t count, hr_noisy *out);

/* hr_gate_charge_sums, then hr_gate_sums under its permit. Spends: charge->cost. Fails: BUDGET, MEMORY;
 * nothing is charged or drawn then. Inline, so that the linker can send every call of hr_gate_sums to a test.
 */
HR_MUST_CHECK static inline hr_status hr_gate_release_sums(hr_gate *gate, const hr_charge *charge,
                                                           const hr_exact *in, size_t count, hr_noisy *out,
                                                           hr_error *err) {
    hr_permit permit;
    hr_status status = hr_gate_charge_sums(gate, charge, &permit, err);
    if (!status) hr_gate_sums(gate, permit, in, count, out);
    return status;
}

/* This owner's answer to a secure sum, coordinate by coordinate, modulo 2^64: exact sum, share of noise and
 * the next numbers of the mask. Modulo 2^64 the answers of all owners of the mask add up to the noisy sum.
 * Without privacy no noise is added. Under any other permit than one for shares the answer is the mask alone.
 */
void hr_gate_share(hr_gate *gate, hr_permit permit, const hr_exact *in, hr_mask *mask, size_t count,
                   uint64_t *out);

/* The answers of all owners of a mask, added up modulo 2^64, as a released value. */
static inline hr_noisy hr_noisy_of_answers(uint64_t sum) {
    return (hr_noisy){(int64_t)sum};
}

/* The index chosen among `count` >= 1 candidates by their scores (|score| < 2^62), which are overwritten.
 * Without privacy: the first of the largest. */
size_t hr_gate_choose(hr_gate *gate, hr_permit permit, hr_exact *scores, size_t count);

/* The index chosen under a permit of hr_gate_charge_exponential, Pr(r) proportional to weights[r] exp(epsilon
 * score_r / width), good to 1e-12: for candidates that stand for so many equal ones. weights: >= 0, their sum
 * positive and finite. NOT PRIVATE where weights or their number depend on records: as published alone. */
size_t hr_gate_choose_weighted(hr_gate *gate, hr_permit permit, const hr_exact *scores, const double *weights,
                               size_t count);

/* The list of what was released so far; hr_account adds up what it costs. */
const hr_release *hr_gate_releases(const hr_gate *gate, size_t *count);

#endif
