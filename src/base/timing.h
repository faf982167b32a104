/* The clock behind hedgerow/timing.h. */
#ifndef HR_BASE_TIMING_H
#define HR_BASE_TIMING_H

#include "base/fail.h"

#include <hedgerow/timing.h>
#include <stdint.h>

/* A moment, in nanoseconds since some other one. */
typedef struct hr_moment {
    int64_t wall, processor;
} hr_moment;

typedef struct hr_stopwatch {
    hr_moment (*now)(void *user);
    void *user;
} hr_stopwatch;

/* hr_timings_new with a clock of the caller's, which is borrowed with its user. It is read when the innermost
 * phase becomes another one, and by hr_timings_total. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_timings_new_by(const hr_stopwatch *clock, hr_timings **out, hr_error *err);

#endif
