/* One table in the making, from one source after the other, and the readers of its formats. */
#ifndef HR_TABLES_READERS_READING_H
#define HR_TABLES_READERS_READING_H

#include "tables/data/table.h"
#include "tables/readers/csv_header.h"

/* ---- The table ---- */

typedef struct hr_table_format hr_table_format; /* tables/formats/formats.h */

typedef struct hr_reading {
    const hr_read_options *options;
    hr_arena *arena;
    hr_table table;
    const hr_table_format *format; /* of the source that was read last; NULL: none was read */
    hr_csv_header first;           /* columns of the first source, where a header names them */
    size_t sources;                /* that were read to their end */
    bool labelled;
    const hr_byte_range *range; /* of the source: its records alone are read; NULL: all */
    const hr_block_work *work; /* what is done with the records, a block at a time; NULL: `table` keeps all */
    size_t worked;             /* records that it is done with */
    bool work_failed;          /* not the reading: the failure is not about the table */
} hr_reading;

/* Records in all sources so far. */
static inline size_t hr_reading_rows(const hr_reading *reading) {
    return reading->worked + reading->table.data->rows;
}

/* ---- CSV tables ---- */

/* Adds the records of a source, read from its beginning. Fails as hr_data_read does, without the file's
 * name. */
HR_MUST_CHECK hr_status hr_csv_read(hr_reading *reading, hr_byte_source *source, hr_error *err);

#endif
