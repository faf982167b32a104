/* The correction of an interval from sums with noise, where no party has all held-out records: how many of
 * them have each level, added up so that the noise of all levels up to one stays small. What is made of the
 * sums costs nothing. Proof: level_sums.proof.md. */
#ifndef HR_FIT_LEVEL_SUMS_H
#define HR_FIT_LEVEL_SUMS_H

#include "models/model/interval.h"
#include "privacy/gate.h"

/* What is public of them. */
typedef struct hr_level_terms {
    hr_privacy_measure privacy_measure;
    bool weighs; /* records have weights, in 2^-16; else each counts HR_RECORD_UNIT */
    double coverage;
    hr_units cost; /* of the one line */
} hr_level_terms;

/* HR_INTERVAL_LEVELS sums, of which a record, or a person, changes all by a vector of the line's sensitivity.
 */
hr_charge hr_level_sums_charge(const hr_level_terms *terms);
/* weights: by level, as hr_conformal_count_levels has them. */
void hr_level_sums_of(const hr_level_terms *terms, const hr_exact *weights, hr_exact *out);

/* noise_factor: the standard deviation of the sums' noise in that which the line pays for. Sets correction,
 * shortfall and the number of held-out records of *made. */
void hr_level_sums_find(const hr_level_terms *terms, const hr_noisy *sums, double noise_factor,
                        hr_conformal *made);
/* By how many records the level that is found may fall short of those wanted, on average at most. */
double hr_level_sums_shortfall(const hr_level_terms *terms, double noise_factor);

#endif
