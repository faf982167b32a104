/* Private bounds of the records of several owners by secure sums (federation/machines/securesum.h): the
 * histograms of tables/bins/private_bounds.h, of which each owner has its part. Two questions: the magnitudes
 * of all columns, and, where the label is among them, its even cells between the bounds that its magnitudes
 * gave. Neither messages nor ledgers nor gates are handled here. Proof: shared_bounds.proof.md. */
#ifndef HR_FIT_MEASURE_SHARED_BOUNDS_H
#define HR_FIT_MEASURE_SHARED_BOUNDS_H

#include "fit/bounds.h"
#include "fit/budget.h"

enum { HR_SHARED_BOUNDS_MAX = 256 }; /* columns */

/* Public, and the same at all parties. */
typedef struct hr_shared_bounds {
    const hr_schema *schema;   /* of all tables; its limits are wide and public. Borrowed */
    hr_bounds_columns columns; /* 1 to HR_SHARED_BOUNDS_MAX; the label, if it is among them, is the last */
    const hr_bounds *within;   /* an owner's second answer: the even cells are between these, low < high, both
                                  within the label's limits. NULL: magnitudes */
    double epsilon, delta;     /* what each owner pays; delta 0: pure epsilon */
    size_t members;            /* owners that the sum is over, 1 to 256 */
    size_t coalition;          /* so many of all owners may leave their noise out, and share all they know */
} hr_shared_bounds;

/* The columns of these names in the order that is needed. at: room for `count`. Fails: ARGUMENT (no such
 * column, no number, named twice), LIMIT. */
HR_MUST_CHECK hr_status hr_shared_bounds_find(const hr_schema *schema, const char *const *names, size_t count,
                                              size_t *at, hr_error *err);

bool hr_shared_bounds_has_label(const hr_shared_bounds *bounds);

/* How many numbers an answer has. */
size_t hr_shared_bounds_values(const hr_shared_bounds *bounds);

/* Whether it can be done, and what both answers cost each owner together: *out. Looks at no record. Fails:
 * ARGUMENT (a number out of range), BUDGET (too little for any noise). */
HR_MUST_CHECK hr_status hr_shared_bounds_check(const hr_shared_bounds *bounds, hr_budget *out, hr_error *err);

/* The histograms of an answer, hr_shared_bounds_values numbers (hr_bounds_count), each with the line
 * that it is charged by: a part of the budget of hr_shared_bounds_check. Either answer once. Returns how
 * many.
 */
size_t hr_shared_bounds_histograms(const hr_shared_bounds *bounds, const hr_budget *budget,
                                   hr_bounds_question out[HR_SHARED_BOUNDS_MAX]);

/* Bounds from the sums of all answers, one a column: of magnitudes all of them, of even cells (`within`) the
 * last, which is what `within` was. Fails: as hr_shared_bounds_check. */
HR_MUST_CHECK hr_status hr_shared_bounds_take(const hr_shared_bounds *bounds, const hr_noisy *sums,
                                              hr_bounds *out, hr_error *err);

/* What each owner pays, and against whom that is a guarantee, for people. Fails: as hr_shared_bounds_check.
 */
enum { HR_SHARED_BOUNDS_STATEMENT = 512 };
HR_MUST_CHECK hr_status hr_shared_bounds_state(const hr_shared_bounds *bounds,
                                               char out[HR_SHARED_BOUNDS_STATEMENT], hr_error *err);

#endif
