/* The statistics source of records in this process. */
#ifndef HR_STATS_LOCAL_SOURCE_H
#define HR_STATS_LOCAL_SOURCE_H

#include "random/csprng.h"
#include "stats/stats_source.h"

typedef struct hr_local_stats_records {
    const hr_data *data;
    const double *scores; /* of one output: what other trees say of every record; NULL: 0 */
    hr_csprng *csprng;    /* which records train which tree; NULL: the source shares nothing out */
    int threads;
} hr_local_stats_records;

/* Borrows what `records` points to. Answers both kinds of questions. Owner: the caller frees *out with
 * hr_stats_free. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_local_stats_source_new(const hr_local_stats_records *records,
                                                  hr_stats_source **out, hr_error *err);

#endif
