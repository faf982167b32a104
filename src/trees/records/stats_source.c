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

hr_status hr_id3_records_answer(hr_stats_source *source, const hr_id3_question *question, hr_exact *out,
                                hr_error *err) {
    hr_status status = HR_OK;
    if (question->divided_count)
        status = source->ops->divide(source, question->divided, question->divisions, question->first,
                                     question->divided_count, err);
    if (!status) status = source->ops->answer(source, question->queries, question->query_count, out, err);
    for (size_t i = 0; !status && i < question->count; i++) out[i].unpaid *= HR_COUNT_UNIT;
    return status;
}
