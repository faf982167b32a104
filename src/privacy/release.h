/* Releases of a method: what they have in common, and sums that are charged and drawn in one step. */
#ifndef HR_PRIVACY_RELEASE_H
#define HR_PRIVACY_RELEASE_H

#include "privacy/gate.h"

/* What releases of one tree have in common. */
typedef struct hr_release_scope {
    int64_t tree;         /* its index in the list; -1: of no tree */
    uint64_t group, part; /* composition */
    hr_units budget;      /* what they may cost in all; the gate does not read it */
} hr_release_scope;

/* level -1: of no level. */
hr_charge hr_scope_charge(const hr_release_scope *scope, const char *what, int64_t level, hr_units cost,
                          uint64_t sensitivity);

/* hr_gate_charge_sums, then hr_gate_sums under its permit. Spends: charge->cost. Fails: BUDGET, MEMORY;
 * nothing is charged or drawn then.
 */
HR_MUST_CHECK hr_status hr_gate_release_sums(hr_gate *gate, const hr_charge *charge, const hr_exact *in,
                                             size_t count, hr_noisy *out, hr_error *err);

#endif
