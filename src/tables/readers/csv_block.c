#include "tables/readers/csv_block.h"

#include "base/fail.h"

#include <string.h>

bool hr_csv_block_init(hr_csv_block *work, const hr_reading *reading, size_t member, int threads) {
    const size_t kept = reading->options->kept_count;
    *work = (hr_csv_block){.records = hr_data_new(reading->table.data->schema)};
    if (!work->records) return false;
    work->records->borrows_labels = true;
    work->block = (hr_block){.records = work->records, .member = member, .threads = threads};
    work->records->kept = kept ? hr_kept_new(kept) : NULL;
    return !kept || work->records->kept;
}

void hr_csv_block_done(hr_csv_block *work) {
    hr_data *records = work->records;
    if (!records) return;
    memset(records->numbers, 0, records->feature_count * sizeof *records->numbers);
    memset(records->codes, 0, records->feature_count * sizeof *records->codes);
    records->exposures = NULL;
    hr_data_free(records);
    work->records = NULL;
}

void hr_csv_block_begin(hr_csv_block *work, size_t first) {
    hr_kept *kept = work->records->kept;
    work->first = first;
    work->records->rows = 0;
    if (kept) kept->rows = kept->texts.size = 0;
}

hr_status hr_csv_block_work(hr_csv_block *work, hr_reading *reading, hr_csv_part *part) {
    const hr_data *table = reading->table.data;
    hr_data *records = work->records;
    hr_status status = hr_table_take_late(&reading->table, &part->cursor, records, &part->error);
    records->rows = part->cursor.row - work->first;
    for (size_t f = 0; f < records->feature_count; f++) {
        records->numbers[f] = table->numbers[f] ? table->numbers[f] + work->first : NULL;
        records->codes[f] = table->codes[f] ? table->codes[f] + work->first : NULL;
    }
    if (table->exposures) records->exposures = table->exposures + work->first;
    records->labels = reading->labelled ? table->labels + work->first : NULL;
    if (status || !records->rows) return status;
    status = reading->work->work(reading->work->user, &work->block, &part->error);
    work->failed = status != HR_OK;
    return status;
}

hr_status hr_csv_block_finish(hr_csv_block *work, hr_reading *reading, hr_error *err) {
    if (!work->records->rows) return HR_OK;
    reading->worked += work->records->rows;
    hr_status status = reading->work->finish(reading->work->user, &work->block, err);
    work->failed = status != HR_OK;
    return status;
}
