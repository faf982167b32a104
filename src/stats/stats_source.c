#include "stats/stats_source.h"

static size_t leaves_of(const hr_tree *tree) {
    size_t leaves = 0;
    for (size_t n = 0; n < tree->node_count; n++) leaves += !tree->nodes[n].left;
    return leaves;
}

size_t hr_stats_width(const hr_binning *binning, size_t label_width, const hr_stats_query *query) {
    switch (query->answer) {
    case HR_STATS_LEAVES: return leaves_of(query->tree) * label_width;
    case HR_STATS_BINS: return binning->features[query->feature].bin_count * label_width;
    case HR_STATS_SIDES: return hr_sides_width(label_width);
    case HR_STATS_VALUES: return binning->features[query->feature].bin_count;
    case HR_STATS_CELLS: break;
    }
    return HR_BALANCE_COUNTS;
}
