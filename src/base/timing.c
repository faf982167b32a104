#include "base/timing.h"

#include <stdlib.h>
#include <time.h>

/* Deeper phases count in the one at this depth. */
enum { DEPTH_MAX = 16 };

static const char *const phase_names[] = {
    [HR_PHASE_OTHER] = "other",
    [HR_PHASE_READ] = "read",
    [HR_PHASE_LEDGER] = "ledger",
    [HR_PHASE_BOUNDS] = "bounds",
    [HR_PHASE_BINS] = "bins",
    [HR_PHASE_GRADIENTS] = "gradients",
    [HR_PHASE_HISTOGRAMS] = "histograms",
    [HR_PHASE_CANDIDATES] = "candidates",
    [HR_PHASE_SCAN] = "scan",
    [HR_PHASE_CHOOSE] = "choose",
    [HR_PHASE_SPLIT] = "split",
    [HR_PHASE_LEAVES] = "leaves",
    [HR_PHASE_NOISE] = "noise",
    [HR_PHASE_SCORE] = "score",
    [HR_PHASE_GROW] = "grow",
    [HR_PHASE_CALIBRATION] = "calibration",
    [HR_PHASE_MODEL] = "model",
    [HR_PHASE_PREDICT] = "predict",
    [HR_PHASE_EVALUATE] = "evaluate",
    [HR_PHASE_WRITE] = "write",
};

enum { PHASES = sizeof phase_names / sizeof *phase_names };

struct hr_timings {
    hr_stopwatch clock;
    hr_moment counted; /* up to this moment */
    hr_moment spent[PHASES];
    bool entered[PHASES];
    hr_phase open[DEPTH_MAX + 1]; /* from the outermost, HR_PHASE_OTHER, on */
    size_t depth;
};

/* ---- The clock ---- */

static int64_t nanoseconds_of(clockid_t clock) {
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static hr_moment system_now(void *user) {
    (void)user;
    return (hr_moment){nanoseconds_of(CLOCK_MONOTONIC), nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID)};
}

hr_status hr_timings_new_by(const hr_stopwatch *clock, hr_timings **out, hr_error *err) {
    hr_timings *timings = calloc(1, sizeof *timings);
    if (!timings) return hr_fail_memory(err);
    timings->clock = *clock;
    timings->counted = clock->now(clock->user);
    *out = timings;
    return HR_OK;
}

hr_status hr_timings_new(hr_timings **out, hr_error *err) {
    return hr_timings_new_by(&(hr_stopwatch){system_now, NULL}, out, err);
}

void hr_timings_free(hr_timings *timings) {
    free(timings);
}

/* ---- Phases ---- */

static hr_phase phase_at(const hr_timings *t, size_t depth) {
    return t->open[depth < DEPTH_MAX ? depth : DEPTH_MAX];
}

static void count_up(hr_timings *t) {
    hr_moment now = t->clock.now(t->clock.user), *spent = &t->spent[phase_at(t, t->depth)];
    spent->wall += now.wall - t->counted.wall;
    spent->processor += now.processor - t->counted.processor;
    t->counted = now;
}

void hr_timings_enter(hr_timings *t, hr_phase phase) {
    if (!t) return;
    hr_phase known = (size_t)phase < PHASES ? phase : HR_PHASE_OTHER;
    if (t->depth < DEPTH_MAX) {
        if (known != phase_at(t, t->depth)) count_up(t);
        t->open[t->depth + 1] = known;
        t->entered[known] = true;
    }
    t->depth++;
}

void hr_timings_leave(hr_timings *t) {
    if (!t || !t->depth) return;
    if (phase_at(t, t->depth) != phase_at(t, t->depth - 1)) count_up(t);
    t->depth--;
}

/* ---- Figures ---- */

static hr_timing timing_of(const char *name, hr_moment spent) {
    return (hr_timing){name, (double)spent.wall / 1e9, (double)spent.processor / 1e9};
}

void hr_timings_total(hr_timings *t, hr_timing *out) {
    hr_moment sum = {0, 0};
    count_up(t);
    for (size_t i = 0; i < PHASES; i++) {
        sum.wall += t->spent[i].wall;
        sum.processor += t->spent[i].processor;
    }
    *out = timing_of("total", sum);
}

bool hr_timings_at(const hr_timings *t, size_t index, hr_timing *out) {
    for (size_t i = HR_PHASE_OTHER + 1; i < PHASES; i++) {
        if (!t->entered[i] || index--) continue;
        *out = timing_of(phase_names[i], t->spent[i]);
        return true;
    }
    if (index) return false;
    *out = timing_of(phase_names[HR_PHASE_OTHER], t->spent[HR_PHASE_OTHER]);
    return true;
}
