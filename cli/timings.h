/* Where the time of a command went, for its owner's eyes. */
#ifndef CLI_TIMINGS_H
#define CLI_TIMINGS_H

#include "output.h"

#include <hedgerow/timing.h>

#define TIMINGS_HELP                                                                                         \
    "print where the time went, to standard error; with --json, in the object. For the owner's eyes: time "  \
    "tells of the records"

/* Begins to count if it is wanted; else *out stays NULL. */
hr_status timings_begin(bool wanted, hr_timings **out, hr_error *err);

/* All up to now: a line a phase, with seconds of wall clock and of processor time, and their total. NULL:
 * nothing. */
void print_timings(FILE *out, hr_timings *timings);
/* The same as the member "timings". */
void json_timings(json_writer *json, hr_timings *timings);
/* The same as an object on a line of its own, for output that is no single object. */
void print_timings_json(FILE *out, hr_timings *timings);

#endif
