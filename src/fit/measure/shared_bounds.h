/* Private bounds of the records of several owners by secure sums (federation/machines/securesum.h): the
 * histograms of tables/bins/private_bounds.h, of which each owner has its part. First the magnitudes of all
 * columns; then, as long as there are such columns, the next even cells of all that have some. Neither
 * messages nor ledgers nor gates are handled here. Proof: shared_bounds.proof.md. */
#ifndef HR_FIT_MEASURE_SHARED_BOUNDS_H
#define HR_FIT_MEASURE_SHARED_BOUNDS_H

#include "fit/bounds.h"
#include "fit/budget.h"

enum { HR_SHARED_BOUNDS_MAX = 256 }; /* columns */

/* Public, and the same at all parties. */
typedef struct hr_shared_bounds {
    const hr_schema *schema;   /* of all tables; its limits are wide and public. Borrowed */
    hr_bounds_columns columns; /* 1 to HR_SHARED_BOUNDS_MAX; the label, if it is among them, is the last */
    const hr_bounds_search *searches; /* one a column: what the next histogram is, if any. Even cells are
                                         between bounds within the column's limits, low < high */
    double epsilon, delta;            /* what each owner pays; delta 0: pure epsilon */
    size_t members;                   /* owners that the sum is over, 1 to 256 */
    size_t coalition; /* so many of all owners may leave their noise out, and share all they know */
} hr_shared_bounds;

/* The columns of these names in the order that is needed. at: room for `count`. Fails: ARGUMENT (no such
 * column, no number, named twice), LIMIT. */
HR_MUST_CHECK hr_status hr_shared_bounds_find(const hr_schema *schema, const char *const *names, size_t count,
                                              size_t *at, hr_error *err);

/* Whether it can be done, and what all answers cost each owner together: *out. Looks at no record. Fails:
 * ARGUMENT (a number out of range), BUDGET (too little for any noise). */
HR_MUST_CHECK hr_status hr_shared_bounds_check(const hr_shared_bounds *bounds, hr_budget *out, hr_error *err);

/* The histograms of the next answer, in the order of the columns (hr_bounds_count), each with the line that
 * it is charged by: a part of the budget of hr_shared_bounds_check. Each step of a search once. Returns how
 * many.
 */
size_t hr_shared_bounds_histograms(const hr_shared_bounds *bounds, const hr_budget *budget,
                                   hr_bounds_question out[HR_SHARED_BOUNDS_MAX]);

/* Takes the sums of all answers to these histograms into the searches: `searches` is bounds->searches. Fails:
 * as hr_shared_bounds_check. */
HR_MUST_CHECK hr_status hr_shared_bounds_take(const hr_shared_bounds *bounds, const hr_noisy *sums,
                                              hr_bounds_search *searches, hr_error *err);

/* What each owner pays, against whom that is a guarantee, and of how many columns noise hid the bounds, for
 * people. Fails: as hr_shared_bounds_check.
 */
enum { HR_SHARED_BOUNDS_STATEMENT = 512 };
HR_MUST_CHECK hr_status hr_shared_bounds_state(const hr_shared_bounds *bounds,
                                               char out[HR_SHARED_BOUNDS_STATEMENT], hr_error *err);

#endif
