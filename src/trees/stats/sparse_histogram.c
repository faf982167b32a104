/* Histograms of sparse bins: the cells that are there are added up, and the records that lack a feature have
 * what is left of the node's total, in the bin of absent cells. Words are integers, so that this is exact. */
#include "trees/stats/histogram.h"

#include "base/team.h"

#include <string.h>

bool hr_histogram_narrow(hr_binning *binning, hr_arena *arena) {
    size_t *at = hr_arena_alloc(arena, binning->feature_count + 1, sizeof *at);
    if (!at) return false;
    at[0] = 0;
    for (size_t f = 0; f < binning->feature_count; f++) at[f + 1] = at[f] + binning->features[f].bin_count;
    binning->cells_at = at;
    return true;
}

/* Each node is summed in parts, of some features each. */
typedef struct sparse_sums {
    const hr_binned *binned;
    const hr_sparse_node *nodes;
    size_t parts;
} sparse_sums;

/* Adds up cells of features [first, last). */
static void add_cells(const hr_binned *binned, const hr_sparse_node *node, size_t first, size_t last) {
    const hr_sparse_bins *bins = binned->sparse;
    const bool all = first == 0 && last == binned->features;
    for (size_t i = 0; i < node->count; i++) {
        const size_t row = node->rows ? node->rows[i] : i;
        size_t e = all ? bins->begins[row] : hr_sparse_bins_from(bins, row, first);
        for (const size_t end = bins->begins[row + 1]; e < end && bins->features[e] < last; e++)
            node->cells[hr_histogram_of(binned->binning, bins->features[e]) + bins->bins[e]] +=
                node->packed[i];
    }
}

static void sum_part(const hr_binned *binned, const hr_sparse_node *node, size_t first, size_t last) {
    const hr_binning *binning = binned->binning;
    const size_t begin = hr_histogram_of(binning, first), end = hr_histogram_of(binning, last);
    hr_sum_word total = 0;
    memset(node->cells + begin, 0, (end - begin) * sizeof *node->cells);
    add_cells(binned, node, first, last);
    for (size_t i = 0; i < node->count; i++) total += node->packed[i];
    for (size_t f = first; f < last; f++) {
        hr_sum_word *cells = node->cells + hr_histogram_of(binning, f), there = 0;
        for (uint32_t bin = 0; bin < binning->features[f].bin_count; bin++) there += cells[bin];
        cells[binned->sparse->absent[f]] += total - there;
    }
}

static void sum_parts(void *of, size_t member, size_t begin, size_t end) {
    const sparse_sums *s = of;
    const size_t features = s->binned->features;
    (void)member;
    for (size_t k = begin; k < end; k++) {
        const size_t part = k % s->parts;
        sum_part(s->binned, &s->nodes[k / s->parts], features * part / s->parts,
                 features * (part + 1) / s->parts);
    }
}

void hr_histograms_of_sparse(const hr_binned *binned, const hr_sparse_node *nodes, size_t count,
                             int threads) {
    sparse_sums sums = {binned, nodes, (size_t)threads};
    hr_team_share((size_t)threads, count * sums.parts, 1, sum_parts, &sums);
}
