/* The statistics source of records in this process. */
#ifndef HR_TREES_RECORDS_LOCAL_SOURCE_H
#define HR_TREES_RECORDS_LOCAL_SOURCE_H

#include "base/timing.h"
#include "privacy/crypto/csprng.h"
#include "trees/records/stats_source.h"

typedef struct hr_local_stats_records {
    const hr_data *data;
    const double *scores;   /* rows x outputs, finite: scores of every record by other trees; NULL: 0 */
    const uint8_t *weights; /* of gradients of the square loss: integers from 1 on, functions of one record
                               and released values each; NULL: all are 1 */
    hr_csprng *csprng;      /* which records train which tree; NULL: the source shares nothing out */
    int threads;
    hr_timings *timings; /* NULL, or what counts how long the answers take */
} hr_local_stats_records;

/* Borrows what `records` points to. Answers all kinds of questions. Owner: the caller frees *out with
 * hr_stats_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_local_stats_source_new(const hr_local_stats_records *records,
                                                  hr_stats_source **out, hr_error *err);

/* What answers for hedge in a source of the above without timings that is prepared for it, where several add
 * their sums up. */
typedef struct hr_records hr_records;
hr_records *hr_local_stats_source_hedge(hr_stats_source *source);

/* For methods without privacy that look at single records; `source` is one of the above without timings,
 * prepared for gradients. Fails: MEMORY. */

/* Writes the packed gradient of every record in the round's loss and packing, with nothing added: one word
 * each, all records whatever the part. */
HR_MUST_CHECK hr_status hr_local_stats_source_gradients(hr_stats_source *source, const hr_stats_round *round,
                                                        int64_t *packed, hr_error *err);
/* Adds to the scores a tree that was not grown from these records: their values walk down it, not their bins.
 */
HR_MUST_CHECK hr_status hr_local_stats_source_add_other(hr_stats_source *source, const hr_tree *tree,
                                                        hr_error *err);

#endif
