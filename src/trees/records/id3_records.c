#include "trees/records/id3_records.h"

hr_status hr_id3_records_answer(hr_stats_source *source, const hr_id3_ask *ask, hr_exact *out,
                                hr_error *err) {
    hr_status status = HR_OK;
    if (ask->divided_count)
        status =
            source->ops->divide(source, ask->divided, ask->divisions, ask->first, ask->divided_count, err);
    if (!status) status = source->ops->ask(source, ask->queries, ask->query_count, out, err);
    for (size_t i = 0; !status && i < ask->count; i++) out[i].unpaid *= HR_COUNT_UNIT;
    return status;
}
