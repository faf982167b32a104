/* Which round of a job each of an owner's records trains in.
 *
 * It follows from the job's secret and from the values of the record, not from its row: a job may take
 * days, and be taken up by a process that reads the records anew. Whatever was added, removed or sorted until
 * then, a record that is still there has its round, so that it trains one tree. Half of all different records
 * are in the first round, half of the rest in the second, and so on; the last takes what is left. Equal
 * records share a round: were they numbered, one that is removed would change the numbers, and so the rounds,
 * of others. */
#ifndef HR_FEDERATION_FEDERATED_ROUNDS_H
#define HR_FEDERATION_FEDERATED_ROUNDS_H

#include "privacy/crypto/prf.h"

#include <hedgerow/data.h>

/* round_of: one a record. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_rounds_of(const hr_data *data, const uint8_t secret[HR_PRF_KEY], size_t rounds,
                                     uint8_t *round_of, hr_error *err);

#endif
