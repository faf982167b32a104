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

/* An interval in which the noise leaves no event has as many as the noise makes likely. */
void hr_hazard_base(const double *counts, size_t intervals, double noise, double *base, double *information) {
    const double least = fmax(noise / 2, LEAST_EVENTS);
    double all = 0, at_risk = 0;
    for (size_t c = 0; c < hr_survival_codes(intervals); c++) all += counts[c];
    all = fmax(all, 1);
    at_risk = all;
    for (size_t k = 0; k < intervals; k++) {
        at_risk -= counts[2 * k]; /* censored before the interval ends */
        const double there = fmin(fmax(at_risk, LEAST_AT_RISK * all), all);
        const double hazard = fmin(fmax(counts[2 * k + 1], least) / there, LARGEST_HAZARD);
        base[k] = log(hazard / (1 - hazard));
        information[k] = there / all * hazard * (1 - hazard);
        at_risk -= counts[2 * k + 1];
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
