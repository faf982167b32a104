/* Which side of a job's interval each of an owner's records is on: whether it trains, or is held out.
 *
 * It follows from the job's secret and from the record itself, not from its row: an owner may read its table
 * anew, in another order, while a job goes on, and a record that changed its side would pay for both. Records
 * of a person have the side of its identifier. Equal records have a coin each, the first, the second, and so
 * on. Proof: ../hedge/federated_interval.proof.md. */
#ifndef HR_FEDERATION_FEDERATED_RECORD_SIDES_H
#define HR_FEDERATION_FEDERATED_RECORD_SIDES_H

#include "privacy/crypto/prf.h"

#include <hedgerow/data.h>

/* sides: one a record, 1 with a probability of exactly a fifth: held out; else 0. Fails: MEMORY;
 * ARGUMENT (persons of a rank's part of a table). */
HR_MUST_CHECK hr_status hr_record_sides(const hr_data *data, const uint8_t key[HR_PRF_KEY], uint32_t *sides,
                                        hr_error *err);

#endif
