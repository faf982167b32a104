#include "trees/tree/multiway.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

hr_status hr_multiway_init(hr_multiway *m, const hr_binning *binning, hr_error *err) {
    *m = (hr_multiway){.binning = binning};
    m->first_edge = calloc(binning->feature_count, sizeof *m->first_edge);
    if (!m->first_edge) return hr_fail_memory(err);
    for (size_t k = 0; k < binning->feature_count; k++) {
        const hr_feature_bins *bins = &binning->features[k];
        m->first_edge[k] = (uint32_t)m->edge_count;
        if (bins->kind == HR_KIND_NUMBER) m->edge_count += bins->bin_count - 2;
    }
    m->edges = malloc((m->edge_count + 1) * sizeof *m->edges);
    if (!m->edges) return hr_fail_memory(err);
    for (size_t k = 0; k < binning->feature_count; k++) {
        const hr_feature_bins *bins = &binning->features[k];
        if (bins->kind != HR_KIND_NUMBER || bins->bin_count == 2) continue;
        memcpy(m->edges + m->first_edge[k], bins->edges, (bins->bin_count - 2) * sizeof *m->edges);
    }
    return HR_OK;
}

void hr_multiway_done(hr_multiway *m) {
    free(m->edges);
    free(m->first_edge);
}

size_t hr_multiway_split(const hr_multiway *m, hr_node *nodes, size_t node_count, uint32_t node,
                         uint32_t feature) {
    size_t branches = m->binning->features[feature].bin_count;
    nodes[node] = (hr_node){.left = (uint32_t)node_count,
                            .feature = feature,
                            .first = m->first_edge[feature],
                            .branches = (uint16_t)branches};
    for (size_t b = 0; b < branches; b++) nodes[node_count + b] = (hr_node){0};
    return node_count + branches;
}

bool hr_multiway_is_asked_above(const hr_node *nodes, const uint32_t *parents, uint32_t node,
                                uint32_t feature) {
    while (node) {
        node = parents[node];
        if (nodes[node].feature == feature) return true;
    }
    return false;
}
