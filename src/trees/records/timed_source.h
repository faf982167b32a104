/* A statistics source that counts, phase by phase, how long another one takes to answer. */
#ifndef HR_TREES_RECORDS_TIMED_SOURCE_H
#define HR_TREES_RECORDS_TIMED_SOURCE_H

#include "base/timing.h"
#include "trees/records/stats_source.h"

/* Hands questions to `inner`, and answers as it does. `timings` are borrowed; NULL: *out is `inner` itself.
 * Owner: takes `inner` over, which is freed with *out, or at once if this fails. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_timed_source_new(hr_stats_source *inner, hr_timings *timings,
                                            hr_stats_source **out, hr_error *err);

#endif
