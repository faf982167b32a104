/* CSV records into typed columns. */
#ifndef HR_TABLES_READERS_CSV_RECORDS_H
#define HR_TABLES_READERS_CSV_RECORDS_H

#include "tables/readers/csv_columns.h"

/* What one thread works on. */
typedef struct hr_csv_part {
    const hr_csv_columns *columns;
    hr_lines lines;   /* whole records */
    hr_cursor cursor; /* in the row of the first of them */
    size_t row_limit; /* the end of its rows */
    double *numbers;  /* one a column: room for a run of numbers */
    hr_column_report
        *before;      /* one a slot: when the record began; NULL: records without a label are refused */
    bool unlabelled;  /* the record that is read has no label */
    uint64_t skipped; /* records without a label */
    hr_error error;
} hr_csv_part;

/* Stores the records that lines->at..limit holds; the cursor ends in the row behind the last one. Fails: as
 * hr_data_read does, in part->error, without the file's name. */
HR_MUST_CHECK hr_status hr_csv_read_records(hr_csv_part *part);

#endif
