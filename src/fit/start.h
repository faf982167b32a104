/* What a fit starts from: a released model that it continues, and what both cost together; a sample of the
 * records of each person. */
#ifndef HR_FIT_START_H
#define HR_FIT_START_H

#include "base/buffer.h"
#include "fit/budget.h"
#include "models/model/model.h"
#include "privacy/crypto/csprng.h"

#include <hedgerow/data.h>

/* ---- A released model ---- */

/* Whether the fit may continue options->start; nothing to refuse if there is none. schema: NULL for a plan
 * that has none. Looks at no record. Fails: ARGUMENT, SCHEMA, POLICY, as hr_fit. */
HR_MUST_CHECK hr_status hr_start_check(const hr_method *method, const hr_fit_options *options,
                                       const hr_schema *schema, hr_error *err);

/* What a record that is in the data of both pays: the start's cost (with those that it continues), and the
 * `granted` budget; under the start's conditions, against each coalition by itself. Equal measures: their
 * units add up, and become epsilon at the delta of the new model. Else epsilons and deltas add up. Fails:
 * MEMORY. */
HR_MUST_CHECK hr_status hr_start_compose(const hr_model *start, const hr_budget *granted,
                                         hr_start_guarantee *out, hr_error *err);

/* Adds to the statement what it starts from, the file's SHA-256 in hex, and what a record pays that is in the
 * data of both; nothing without a start. */
void hr_start_state(const hr_fit_options *options, const char *hash, const hr_start_guarantee *both,
                    hr_buffer *text);

/* ---- Records of each person ---- */

/* A table in which a person has at most m records: the alternative to weights, for every method. What a fit
 * spends on one record of it, a person costs m-fold (hr_budget). Starts from {0}. */
typedef struct hr_person_sample {
    hr_schema *schema; /* without the unit: records count by themselves */
    hr_data *data;
} hr_person_sample;

/* At most options->records_per_person >= 1 records of each person, drawn uniformly by coins of the stream,
 * which stay secret: the coins of a record are its own, so that what is drawn of a person depends on no
 * other. Over ranks every rank draws from its records, `data` and *out are this one's. The table must have a
 * unit. Owner: the caller calls hr_person_sample_done in either case. Fails: MEMORY; as other ranks. */
HR_MUST_CHECK hr_status hr_person_sample_draw(const hr_data *data, const hr_fit_options *options,
                                              hr_csprng *csprng, hr_person_sample *out, hr_error *err);
/* What the coins come to that were drawn: keys[i] for record i. Owner and failures as above. */
HR_MUST_CHECK hr_status hr_person_sample_keep(const hr_data *data, const uint64_t *keys, size_t most,
                                              hr_person_sample *out, hr_error *err);
void hr_person_sample_done(hr_person_sample *sample);

#endif
