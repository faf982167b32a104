#include "federation/sums/sum_checks.h"

#include "base/fail.h"
#include "federation/config/record_bounds.h"
#include "privacy/noise.h"
#include "privacy/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of one side of one line, of at most 2^18 lines in a job. */
static const double ODDS = 0x1p-50;

/* Bounds that are out of date leave sums that are of use; no owner has so many more records than it is known
 * to have. */
static const double USABLE = 4;

/* ---- What is public ---- */

static int compare_bounds(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The sums of the `members` smallest, or largest, of the owners' numbers. */
static double sum_of_smallest(const uint64_t *of, size_t count, size_t members) {
    uint64_t sorted[HR_MEMBERS_MAX];
    double sum = 0;
    memcpy(sorted, of, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_bounds);
    for (size_t i = 0; i < members && i < count; i++) sum += (double)sorted[i];
    return sum;
}

static double sum_of_largest(const uint64_t *of, size_t count, size_t members) {
    return sum_of_smallest(of, count, count) -
           sum_of_smallest(of, count, members < count ? count - members : 0);
}

hr_total_bounds hr_total_bounds_of(const hr_sum_checks *c, const Hedgerow__Terms *terms, size_t members) {
    const size_t owners = terms->n_records_most;
    if (!owners || owners > HR_MEMBERS_MAX)
        return (hr_total_bounds){0, (double)HR_RECORD_BOUND_MAX * (double)members};
    return (hr_total_bounds){.least = c->unit == HR_PER_PERSON || c->held_out
                                          ? 0
                                          : sum_of_smallest(terms->records_least, owners, members),
                             .most = sum_of_largest(terms->records_most, owners, members)};
}

/* ---- The checks ---- */

/* What the sum of so many numbers of a line has of noise, at most, in the line's units. */
static double noise_of(const hr_sum_checks *c, const hr_charge *line, const hr_summed_reply *reply,
                       double terms, double odds) {
    const double shares = (double)reply->members / (double)reply->shares;
    return hr_noise_bound(c->privacy_measure,
                          hr_noise_deviation(c->privacy_measure, line->cost, (double)line->sensitivity),
                          terms * shares, odds);
}

/* In records. */
static double sum_of_counts(const hr_sum_checks *c, const hr_counted_line *l) {
    double sum = 0;
    for (size_t i = 0; i < l->count; i++) sum += (double)l->values[i].paid;
    return sum / (double)hr_unit_of_counts(c->unit);
}

static double reach_of_counts(const hr_sum_checks *c, const hr_counted_line *l,
                              const hr_summed_reply *reply) {
    return noise_of(c, l->line, reply, (double)l->count, ODDS) / (double)hr_unit_of_counts(c->unit);
}

void hr_sum_checks_total(hr_sum_checks *c, const hr_counted_line *l, const hr_summed_reply *reply) {
    const hr_total_bounds bounds = hr_total_bounds_of(c, reply->job->terms, reply->members);
    c->total = sum_of_counts(c, l);
    c->reach = reach_of_counts(c, l, reply);
    c->members = reply->members;
    if (c->total < bounds.least - c->reach || c->total > bounds.most + c->reach)
        c->failed[HR_CHECK_TOTAL] = true;
}

void hr_sum_checks_counts(hr_sum_checks *c, const hr_counted_line *l, const hr_summed_reply *reply) {
    const hr_total_bounds bounds = hr_total_bounds_of(c, reply->job->terms, reply->members);
    const double sum = sum_of_counts(c, l), reach = reach_of_counts(c, l, reply);
    const double least = l->all ? bounds.least : 0;
    bool fits = sum >= least - reach && sum <= bounds.most + reach;
    if (c->members == reply->members && !(c->exposed && l->bins)) {
        fits = fits && sum <= c->total + c->reach + reach;
        if (l->all) fits = fits && sum >= c->total - c->reach - reach;
    }
    if (!fits) c->failed[HR_CHECK_COUNTS] = true;
}

/* Records of so many owners, at most; of as many as were counted, by their count, too, if it is one. */
static double most_records(const hr_sum_checks *c, const hr_summed_reply *reply) {
    const double most = hr_total_bounds_of(c, reply->job->terms, reply->members).most;
    return c->members == reply->members && !c->exposed ? fmin(most, fmax(c->total, 0) + c->reach) : most;
}

/* With each set's sum of either sign: of that many signed sums, none has more noise. */
void hr_sum_checks_sets(hr_sum_checks *c, const hr_counted_line *l, size_t outputs,
                        const hr_summed_reply *reply) {
    const size_t sets = l->count / outputs;
    const double odds = ldexp(ODDS / 16 / (double)outputs, -(int)sets),
                 most = most_records(c, reply) * (double)l->line->sensitivity +
                        noise_of(c, l->line, reply, (double)sets, odds);
    for (size_t k = 0; k < outputs; k++) {
        double size = 0;
        for (size_t s = 0; s < sets; s++) size += fabs((double)l->values[s * outputs + k].paid);
        if (size > most) c->failed[HR_CHECK_VALUE] = true;
    }
}

bool hr_sum_checks_values(hr_sum_checks *c, const hr_summed_question *q, const hr_summed_reply *reply) {
    const double records = most_records(c, reply);
    bool possible = true, usable = true;
    for (size_t i = 0, at = 0; i < q->line_count; i++) {
        const hr_charge *line = &q->lines[i];
        const double odds = ODDS / (double)(q->counts[i] + 1),
                     most = records * (double)line->sensitivity + noise_of(c, line, reply, 1, odds);
        for (size_t v = 0; v < q->counts[i]; v++, at++) {
            const double size = fabs((double)reply->values[at].paid);
            possible = possible && size <= most;
            usable = usable && size <= USABLE * most;
        }
    }
    if (!possible) c->failed[HR_CHECK_VALUE] = true;
    return usable;
}

void hr_sum_checks_text(const hr_sum_checks *c, char text[HR_SUSPECT_TEXT]) {
    static const char *const names[HR_SUM_CHECKS] = {[HR_CHECK_TOTAL] = "record count",
                                                     [HR_CHECK_COUNTS] = "leaf or bin counts",
                                                     [HR_CHECK_VALUE] = "size of a sum"};
    *text = '\0';
    for (size_t i = 0, at = 0; c && i < HR_SUM_CHECKS; i++)
        if (c->failed[i])
            at += (size_t)snprintf(text + at, HR_SUSPECT_TEXT - at, "%s%s", at ? ", " : "", names[i]);
}

hr_status hr_sum_checks_pass(const hr_sum_checks *c, hr_error *err) {
    char text[HR_SUSPECT_TEXT];
    hr_sum_checks_text(c, text);
    if (!*text) return HR_OK;
    return hr_fail(
        err, HR_E_POLICY, "ask the owners for their numbers of records",
        "what an owner sent is not possible with the records that the job says; checks that failed: "
        "%s",
        text);
}
