/* One block of a CSV table as a data set of its own, for those who work on it while others read. */
#ifndef HR_TABLES_READERS_CSV_BLOCK_H
#define HR_TABLES_READERS_CSV_BLOCK_H

#include "tables/readers/csv_records.h"

/* Of one reader. Its columns are rows of the table in the making. */
typedef struct hr_csv_block {
    hr_data *records;
    size_t first; /* the table's row that is its row 0 */
    hr_block block;
    bool failed; /* the reading's work did */
} hr_csv_block;

/* Of reader `member`, and with so many threads for its work. Call hr_csv_block_done in either case. False
 * when memory is short. */
bool hr_csv_block_init(hr_csv_block *work, const hr_reading *reading, size_t member, int threads);
void hr_csv_block_done(hr_csv_block *work);

/* Begins a block, whose records are to be read into the table's rows from `first` on. */
void hr_csv_block_begin(hr_csv_block *work, size_t first);

/* Has the records that the part has read worked on. Fails: as the reading's work, MEMORY; in part->error. */
HR_MUST_CHECK hr_status hr_csv_block_work(hr_csv_block *work, hr_reading *reading, hr_csv_part *part);

/* Has the work finished. One block at a time, in their order. Fails: as the reading's work. */
HR_MUST_CHECK hr_status hr_csv_block_finish(hr_csv_block *work, hr_reading *reading, hr_error *err);

#endif
