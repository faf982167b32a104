/* Which round of a job each of an owner's records trains in.
 *
 * It follows from the job's secret and from the values of the record, not from its row: a job may take
 * days, and be taken up by a process that reads the records anew. Whatever was added, removed or sorted until
 * then, a record that is still there has its round, so that it trains one tree. Half of all different records
 * are in the first round, half of the rest in the second, and so on; the last takes what is left. Equal
 * records share a round: were they numbered, one that is removed would change the numbers, and so the rounds,
 * of others.
 *
 * In mode paper it is as published, and NOT PRIVATE: exact halves, drawn by the row from the same secret. A
 * table that was changed since then has other ones. */
#ifndef HR_FEDERATION_FEDERATED_ROUNDS_H
#define HR_FEDERATION_FEDERATED_ROUNDS_H

#include "federation/protocol/job_state.h"
#include "privacy/crypto/prf.h"

#include <hedgerow/data.h>
#include <math.h>

/* One spelling for each value: 0 and -0 are the same, and so are all that is missing. */
static inline double hr_spelled(double value) {
    return isnan(value) ? (double)NAN : value + 0.;
}

/* round_of: one a record. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_rounds_of(const hr_data *data, const uint8_t secret[HR_PRF_KEY], size_t rounds,
                                     uint8_t *round_of, hr_error *err);

/* NOT PRIVATE: the same as published, by the row; the round `rounds` is of records that train no tree. The
 * draws are those of hr_inprivate_halves with the first 8 bytes of the secret, the lowest first, as the seed.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_rounds_halved(size_t rows, const uint8_t secret[HR_PRF_KEY], size_t rounds,
                                         uint8_t *round_of, hr_error *err);

/* An owner's records of one round of a job, and their scores by the trees so far (Algorithm 2, line 8). Every
 * tree is added once, so that an owner that waits for its turn can add them as they come (section VI-C). */
typedef struct hr_round_records {
    size_t round;
    hr_data *records;
    double *scores; /* one a record */
    bool *added;    /* by slot: its tree is in the scores */
} hr_round_records;

/* The records of a round follow from the job's secret: after a crash they are the same, if they
 * are in the table. No trees are added yet. Owner: the caller frees *out with hr_round_records_free. Fails:
 * MEMORY.
 */
HR_MUST_CHECK hr_status hr_round_records_make(const hr_data *data, const uint8_t secret[HR_PRF_KEY],
                                              const hr_job_state *job_state, size_t round,
                                              hr_round_records **out, hr_error *err);
/* Adds the trees of the slots before `end` that are known, in the model and not in the scores. */
void hr_round_records_add(hr_round_records *r, const hr_job_state *job_state, size_t end);
/* NULL is allowed. */
void hr_round_records_free(hr_round_records *r);

#endif
