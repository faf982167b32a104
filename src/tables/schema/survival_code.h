/* The time of an event as a number, and as the whole number that stands for it among public cuts.
 *
 * Cuts c_0 < c_1 < ... divide time into intervals; interval k is (c_(k-1), c_k], and the first begins at 0.
 * Of each record it is known when the event came, or until when it had not (censored). A code is 2 * survived
 * + event: the number of intervals that the record survived, and whether the event came in the next one. A
 * record whose event came behind the last cut survived all, and so did one that was censored there; one that
 * was censored within an interval is not at risk in that one (fits count it as at risk if half of the
 * interval or more was over: trees/stats/gradient.c). */
#ifndef HR_TABLES_SCHEMA_SURVIVAL_CODE_H
#define HR_TABLES_SCHEMA_SURVIVAL_CODE_H

#include <hedgerow/schema.h>
#include <math.h>

/* 0 .. 2 * count. time >= 0. Thread: any. */
static inline size_t hr_survival_code(double time, bool event, const double *cuts, size_t count) {
    size_t survived = 0;
    while (survived < count && (event ? cuts[survived] < time : cuts[survived] <= time)) survived++;
    return 2 * survived + (event && survived < count);
}

/* How many codes there are. */
static inline size_t hr_survival_codes(size_t count) {
    return 2 * count + 1;
}

static inline size_t hr_survival_survived(size_t code) {
    return code / 2;
}

static inline bool hr_survival_event(size_t code) {
    return code % 2;
}

/* Intervals in which the record was at risk: the first so many. */
static inline size_t hr_survival_at_risk(size_t code) {
    return hr_survival_survived(code) + hr_survival_event(code);
}

/* ---- Labels ---- */

/* The label of a record: its time, with the sign bit where no event came until then. */
static inline double hr_time_label(double time, bool event) {
    return event ? time : -time;
}

static inline double hr_label_time(double label) {
    return fabs(label);
}

static inline bool hr_label_event(double label) {
    return !signbit(label);
}

/* How much of a record with the code is at risk in an interval, the first being 0: one that was censored in
 * it counts half. */
static inline double hr_survival_part_at_risk(size_t code, size_t interval) {
    if (interval < hr_survival_at_risk(code)) return 1;
    return interval == hr_survival_survived(code) ? .5 : 0;
}

#endif
