/* Where the time of a call went: seconds of wall clock and of processor time, phase by phase.
 *
 *     hr_timings *timings = NULL;
 *     if (hr_timings_new(&timings, &err)) ...
 *     options.timings = timings; (hr_fit_options, hr_read_options)
 *
 * FOR THE OWNER'S EYES: how long something takes tells about the records it is done with, and nobody paid for
 * that. Nothing else that the library makes depends on timings, and nothing keeps them: no model, no ledger,
 * no message, no line of a log.
 *
 * Phases nest, and every moment counts in the innermost one alone, so that the phases and the rest, "other",
 * add up to the total. Phases are those of the thread that calls; what other threads of the process work
 * meanwhile counts as processor time. Thread: one at a time. */
#ifndef HEDGEROW_TIMING_H
#define HEDGEROW_TIMING_H

#include <hedgerow/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hr_timings hr_timings;

typedef enum hr_phase {
    HR_PHASE_OTHER,       /* of no phase */
    HR_PHASE_READ,        /* a table is read */
    HR_PHASE_LEDGER,      /* budget is reserved, and committed */
    HR_PHASE_BOUNDS,      /* bounds of columns are released */
    HR_PHASE_BINS,        /* bin edges, and values to bins; those of hedge's records are in its first scan */
    HR_PHASE_GRADIENTS,   /* boosting: gradients of the records of a tree; forests: a tree is begun */
    HR_PHASE_HISTOGRAMS,  /* sums over the records of nodes, or over all */
    HR_PHASE_CANDIDATES,  /* hedge: what follows from answers; random trees by public coins */
    HR_PHASE_SCAN,        /* hedge: sums over the leaves of all of them; the last step is taken */
    HR_PHASE_CHOOSE,      /* splits or trees: scores of candidates, and choices through the gate */
    HR_PHASE_SPLIT,       /* records go to the children of their node */
    HR_PHASE_LEAVES,      /* hedge, forests: sums over leaves, beside what a scan has */
    HR_PHASE_NOISE,       /* the gate draws noise for sums */
    HR_PHASE_SCORE,       /* what trees so far, or a start, say of the records */
    HR_PHASE_GROW,        /* rf, ert, median: all of their trees' growth */
    HR_PHASE_CALIBRATION, /* hedge: counts of how often its probabilities come true */
    HR_PHASE_MODEL,       /* the model is made, or read */
    HR_PHASE_PREDICT,     /* a model predicts */
    HR_PHASE_EVALUATE,    /* predictions are compared with labels; with the predictions */
    HR_PHASE_WRITE        /* a result is written */
} hr_phase;

/* Of one phase, or of all. */
typedef struct hr_timing {
    const char *name;       /* such as "bins"; of all: "total" */
    double wall, processor; /* seconds */
} hr_timing;

/* Begins to count. Owner: the caller frees *out with hr_timings_free. Fails: MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_timings_new(hr_timings **out, hr_error *err);
HR_API void hr_timings_free(hr_timings *timings);

/* Enters a phase within those that were entered before, and leaves it. The library does so where it is given
 * timings; a program may, around what it does. NULL: nothing happens. */
HR_API void hr_timings_enter(hr_timings *timings, hr_phase phase);
HR_API void hr_timings_leave(hr_timings *timings);

/* Counts up to now; *out: all since hr_timings_new. */
HR_API void hr_timings_total(hr_timings *timings, hr_timing *out);
/* The index-th of the phases that were entered, in the order of hr_phase, and last HR_PHASE_OTHER; as of the
 * last call of hr_timings_total, they add up to it. Returns false past the last. */
HR_API bool hr_timings_at(const hr_timings *timings, size_t index, hr_timing *out);

#ifdef __cplusplus
}
#endif
#endif
