#include "trees/records/stats_source.h"

size_t hr_stats_width(const hr_binning *binning, size_t label_width, const hr_stats_query *query) {
    switch (query->answer) {
    case HR_STATS_LEAVES: return hr_tree_leaves(query->tree) * label_width;
    case HR_STATS_BINS: return binning->features[query->feature].bin_count * label_width;
    case HR_STATS_SIDES: return hr_sides_width(label_width);
    case HR_STATS_VALUES: return binning->features[query->feature].bin_count;
    case HR_STATS_CELLS: break;
    }
    return HR_BALANCE_COUNTS;
}
