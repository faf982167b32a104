#include "methods/cuts.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>

typedef struct cut_list {
    size_t count;
    double values[HR_CUTS_MAX]; /* in the order in which they were added */
} cut_list;

struct hr_cuts {
    size_t features;
    cut_list *lists;
};

void hr_cuts_free(hr_cuts *cuts) {
    if (!cuts) return;
    free(cuts->lists);
    free(cuts);
}

hr_status hr_cuts_new(size_t features, hr_cuts **out, hr_error *err) {
    hr_cuts *cuts = calloc(1, sizeof *cuts);
    if (cuts) *cuts = (hr_cuts){features, calloc(features + 1, sizeof *cuts->lists)};
    if (!cuts || !cuts->lists) {
        hr_cuts_free(cuts);
        return hr_fail_memory(err);
    }
    *out = cuts;
    return HR_OK;
}

static size_t nearest(const cut_list *list, double value) {
    size_t best = 0;
    for (size_t i = 1; i < list->count; i++)
        if (fabs(list->values[i] - value) < fabs(list->values[best] - value)) best = i;
    return best;
}

uint8_t hr_cuts_add(hr_cuts *cuts, uint32_t feature, double value) {
    cut_list *list = &cuts->lists[feature];
    size_t near = nearest(list, value);
    bool known = list->count && list->values[near] == value;
    if (known || list->count == HR_CUTS_MAX) return (uint8_t)near;
    list->values[list->count] = value;
    return (uint8_t)list->count++;
}

double hr_cuts_value(const hr_cuts *cuts, uint32_t feature, uint8_t index) {
    return cuts->lists[feature].values[index];
}

/* The bin of the largest value that a cut sends left: one above the number of smaller cuts. */
static uint8_t bin_of(const cut_list *list, double value) {
    uint8_t bin = 1;
    for (size_t i = 0; i < list->count; i++) bin = (uint8_t)(bin + (list->values[i] < value));
    return bin;
}

static hr_status set_edges(const cut_list *list, hr_arena *arena, hr_feature_bins *bins, hr_error *err) {
    double *edges = hr_arena_alloc(arena, list->count + 1, sizeof *edges);
    if (!edges) return hr_fail_memory(err);
    for (size_t i = 0; i < list->count; i++) edges[bin_of(list, list->values[i]) - 1] = list->values[i];
    bins->edges = edges;
    bins->bin_count = (uint32_t)list->count + 2;
    return HR_OK;
}

hr_status hr_cuts_finish(const hr_cuts *cuts, hr_arena *arena, hr_binning *binning, hr_forest *forest, hr_error *err) {
    for (size_t t = 0; t < forest->tree_count; t++) {
        for (size_t n = 0; n < forest->trees[t].node_count; n++) {
            hr_node *node = &forest->trees[t].nodes[n];
            if (!node->left || binning->features[node->feature].kind != HR_NUMBER) continue;
            const cut_list *list = &cuts->lists[node->feature];
            node->cut = bin_of(list, list->values[node->cut]);
        }
    }
    hr_status status = HR_OK;
    for (size_t f = 0; !status && f < binning->feature_count; f++)
        if (binning->features[f].kind == HR_NUMBER) status = set_edges(&cuts->lists[f], arena, &binning->features[f], err);
    return status;
}
