/* Against whom a guarantee is one, and as long as what holds: worked out in one place, from the releases of a
 * model, and carried on by whatever continues the model. */
#ifndef HR_MODELS_MODEL_CONDITIONS_H
#define HR_MODELS_MODEL_CONDITIONS_H

#include "privacy/accountant.h"

#include <hedgerow/model.h>

/* Bytes of conditions in words, with their NUL. */
enum { HR_CONDITIONS_TEXT = 480 };

/* The conditions, and what the model costs against larger coalitions, in units of its privacy measure:
 * HR_UNITS_MAX where nothing is promised. */
typedef struct hr_trust {
    hr_conditions stated;
    hr_units owners, everyone;
} hr_trust;

/* What owners were granted who add noisy sums up. */
typedef struct hr_sums_grant {
    hr_privacy_measure privacy_measure;
    hr_units units;
    double epsilon, delta; /* what is stated for the units */
    size_t owners, coalition;
} hr_sums_grant;

/* Of such owners' releases. The text is NULL. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_trust_of_sums(const hr_release *releases, size_t count, const hr_sums_grant *grant,
                                         hr_trust *out, hr_error *err);

/* After "differentially private": with a comma or a semicolon between its parts; "" if there are none.
 * epsilon: what the model costs under them. */
void hr_conditions_text(const hr_conditions *conditions, double epsilon, char text[HR_CONDITIONS_TEXT]);

#endif
