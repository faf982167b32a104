/* The cuts between intervals of times, where owners find them (tables/bins/time_cuts.h): one sum of all nodes
 * of all levels, before hedge's own questions. The coordinator makes the cuts of it, and owners receive them
 * with the first question of hedge. What one process pays for cuts, each owner does. */
#ifndef HR_FEDERATION_HEDGE_HEDGE_CUTS_H
#define HR_FEDERATION_HEDGE_HEDGE_CUTS_H

#include "federation/hedge/hedge_question_wire.h"
#include "tables/bins/time_cuts.h"

/* The lines of the sum, one a level, for the charge of all. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_hedge_cuts_list(const hr_charge *whole, hr_privacy_unit unit, hr_arena *arena,
                                           hr_summed_question *out, hr_error *err);

/* The coordinator's. Starts from {0} and the cost. */
typedef struct hr_hedge_cuts {
    hr_units cost;    /* of all lines together */
    hr_units dropped; /* what lost sums cost */
    hr_schema
        *schema; /* the job's, with the cuts that were found. NULL: none are yet, or the job's has them */
} hr_hedge_cuts;

/* The charge of all lines; in that group. */
hr_charge hr_hedge_cuts_charge(const hr_hedge_cuts *cuts, uint64_t group);

/* Makes cuts->schema of the sum, unless it was lost. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_hedge_cuts_accept(hr_hedge_cuts *cuts, const hr_summed_question *question,
                                             const hr_summed_reply *reply, hr_privacy_measure privacy_measure,
                                             hr_error *err);

/* Whether shares of so many honest owners can be charged so: a public fact. Fails: BUDGET. */
HR_MUST_CHECK hr_status hr_hedge_cuts_check(hr_units cost, hr_privacy_measure privacy_measure,
                                            hr_privacy_unit unit, size_t honest, hr_error *err);

/* An owner's: the cuts that come with every question about totals, which is lost now and then: always the
 * same. Fails: FORMAT (none that its schema can have, or others than before), MEMORY. */
HR_MUST_CHECK hr_status hr_hedge_cuts_take(hr_hedge_question_reader *reader, const double *cuts, size_t count,
                                           hr_error *err);

#endif
