/* CSV records into typed columns, which are found by name. */
#ifndef HR_TABLES_READERS_CSV_RECORDS_H
#define HR_TABLES_READERS_CSV_RECORDS_H

#include "tables/readers/cells.h"
#include "tables/readers/reading.h"

/* Which column of a CSV file goes where. Arrays have one element a column of the file; they are in the
 * reading's arena. */
typedef struct hr_csv_columns {
    hr_csv_header header;
    const hr_slot **slots;      /* NULL: not wanted, or kept */
    const hr_slot **kept_slots; /* of columns that are kept: where else they go, or NULL */
    size_t *kept_places;        /* 0, or 1 + its place among those that are kept */
    bool *twice;                /* another one of its name comes later */
    size_t *run_ends; /* the next column that has other cells than numbers, or the last one of the file */
} hr_csv_columns;

/* Fails: FORMAT (a name that is there twice), SCHEMA (a column is missing; the field is set), MEMORY. */
HR_MUST_CHECK hr_status hr_csv_map_columns(hr_reading *reading, const hr_csv_header *header,
                                           hr_csv_columns *out, hr_error *err);

/* A cell of weight or exposure that is missing: refused once the record is known to have a label. */
typedef struct hr_csv_absent {
    const hr_slot *slot; /* NULL: it is not */
    hr_lines lines;      /* before it */
    hr_csv_cell cell;
} hr_csv_absent;

/* What one thread works on. */
typedef struct hr_csv_part {
    const hr_csv_columns *columns;
    hr_lines lines;   /* whole records */
    hr_cursor cursor; /* in the row of the first of them */
    size_t row_limit; /* the end of its rows */
    double *numbers;  /* one a column: room for a run of numbers */
    hr_column_report
        *before;     /* one a slot: when the record began; NULL: records without a label are refused */
    bool unlabelled; /* the record that is read has no label */
    hr_csv_absent absent[2]; /* its weight and exposure */
    uint64_t skipped;        /* records without a label */
    hr_error error;
} hr_csv_part;

/* Stores the records that lines->at..limit holds; the cursor ends in the row behind the last one. Fails: as
 * hr_data_read does, in part->error, without the file's name. */
HR_MUST_CHECK hr_status hr_csv_read_records(hr_csv_part *part);

#endif
