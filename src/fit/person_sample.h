/* A table in which a person has at most m records: the alternative to weights, for every method. What a fit
 * spends on one record of it, a person costs m-fold (hr_budget). */
#ifndef HR_FIT_PERSON_SAMPLE_H
#define HR_FIT_PERSON_SAMPLE_H

#include "privacy/crypto/csprng.h"

#include <hedgerow/data.h>

/* Starts from {0}. */
typedef struct hr_person_sample {
    hr_schema *schema; /* without the unit: records count by themselves */
    hr_data *data;
} hr_person_sample;

/* At most `most` >= 1 records of each person, drawn uniformly by coins of the stream, which stay secret: the
 * coins of a record are its own, so that what is drawn of a person depends on no other. The table must have
 * a unit. Owner: the caller calls hr_person_sample_done in either case. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_person_sample_draw(const hr_data *data, size_t most, hr_csprng *csprng,
                                              hr_person_sample *out, hr_error *err);
void hr_person_sample_done(hr_person_sample *sample);

#endif
