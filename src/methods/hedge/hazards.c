#include "methods/hedge/hazards.h"

#include "tables/schema/survival_code.h"
#include "trees/candidates/candidate_scan.h"
#include "trees/tree/hierarchical_shrinkage.h"

#include <math.h>
#include <string.h>

static const double LARGEST_HAZARD = .9, LEAST_EVENTS = .5, LEAST_AT_RISK = .01;

/* How strongly steps are pulled: in information, for a noise of 1. Chosen on made-up tables of 2,000 to
 * 25,000 records. */
static const double RIDGE_COMMON = 24, RIDGE_OWN = 100;

/* The noisy counts, and what they come to over all intervals. */
typedef struct hazard_counts {
    const double *counts; /* by code */
    size_t intervals;
    double noise;                     /* of each count */
    double all;                       /* records, no fewer than the noise of their number */
    double at_risk[HR_INTERVALS_MAX]; /* by interval */
    double hazard;                    /* the mean over the intervals, by those at risk */
} hazard_counts;

/* The part of a measured number that is believed beside what was expected, the more the larger it is beside
 * its noise. */
static double trust(double number, double noise) {
    return number * number / (number * number + noise * noise);
}

/* Records and their sums over intervals. Where noise hides both, half of the records survive all intervals.
 */
static void add_up_hazard_counts(hazard_counts *h) {
    const double intervals = (double)h->intervals, codes = (double)hr_survival_codes(h->intervals),
                 unknown = 1 - exp2(-1 / intervals);
    double later = 0, events = 0, at_risk = 0;
    for (size_t c = 0; c < hr_survival_codes(h->intervals); c++) later += h->counts[c];
    h->all = fmax(fmax(later, h->noise * sqrt(codes)), 1);
    for (size_t k = 0; k < h->intervals; k++) {
        later -= h->counts[2 * k]; /* censored before the interval ends */
        h->at_risk[k] = fmin(fmax(later, LEAST_AT_RISK * h->all), h->all);
        later -= h->counts[2 * k + 1];
        at_risk += h->at_risk[k];
        events += h->counts[2 * k + 1];
    }
    const double found = fmin(fmax(events, LEAST_EVENTS) / at_risk, LARGEST_HAZARD);
    h->hazard = unknown + trust(at_risk, h->noise * pow(intervals, 1.5)) * (found - unknown);
}

/* An interval whose events drown in the noise has the hazard of the others. */
static double hazard_of(const hazard_counts *h, size_t k) {
    const double expected = h->hazard * h->at_risk[k], found = h->counts[2 * k + 1],
                 least = fmin(fmax(h->noise / 2, LEAST_EVENTS), expected),
                 events = expected + trust(expected, h->noise) * (found - expected);
    return fmin(fmax(events, least) / h->at_risk[k], LARGEST_HAZARD);
}

void hr_hazard_base(const double *counts, size_t intervals, double noise, double *base, double *information) {
    hazard_counts h = {.counts = counts, .intervals = intervals, .noise = noise};
    add_up_hazard_counts(&h);
    for (size_t k = 0; k < intervals; k++) {
        const double hazard = hazard_of(&h, k);
        base[k] = log(hazard / (1 - hazard));
        information[k] = h.at_risk[k] / h.all * hazard * (1 - hazard);
    }
}

/* Room for one score of every node; inner nodes are filled in by the shrinkage. */
typedef struct node_room {
    double sums[HR_CANDIDATE_SCAN_NODES_MAX], counts[HR_CANDIDATE_SCAN_NODES_MAX],
        common[HR_CANDIDATE_SCAN_NODES_MAX], own[HR_CANDIDATE_SCAN_NODES_MAX];
} node_room;

/* Noise of several sums adds up to more; where risks are in proportion one step is nearly all there is to
 * learn, and it has the events of all intervals. */
static void common_step(const hr_hazard_leaves *l, node_room *room) {
    double information = 0;
    for (size_t k = 0; k < l->outputs; k++) information += l->information[k];
    for (size_t n = 0; n < l->tree->node_count; n++) {
        room->sums[n] = 0;
        for (size_t k = 0; k < l->outputs && !l->tree->nodes[n].left; k++)
            room->sums[n] += l->sums[n * l->outputs + k];
        room->counts[n] = l->counts[n] * information;
    }
    hr_hierarchical_shrinkage(l->tree, 1, RIDGE_COMMON * l->noise * sqrt((double)l->outputs), room->sums,
                              room->counts, room->common);
}

void hr_hazard_values(const hr_hazard_leaves *l, double *values) {
    node_room room;
    common_step(l, &room);
    for (size_t k = 0; k < l->outputs; k++) {
        for (size_t n = 0; n < l->tree->node_count; n++) {
            room.counts[n] = l->counts[n] * l->information[k];
            room.sums[n] = l->sums[n * l->outputs + k] - room.counts[n] * room.common[n];
        }
        hr_hierarchical_shrinkage(l->tree, 1, RIDGE_OWN * l->noise, room.sums, room.counts, room.own);
        for (size_t n = 0; n < l->tree->node_count; n++)
            values[n * l->outputs + k] = room.common[n] + room.own[n];
    }
}
