/* One table in the making, from one source after the other. */
#ifndef HR_TABLES_READERS_READING_H
#define HR_TABLES_READERS_READING_H

#include "tables/data/table.h"
#include "tables/readers/csv_header.h"

typedef struct hr_reading {
    const hr_read_options *options;
    hr_arena *arena;
    hr_table table;
    hr_format format;    /* of the first source */
    hr_csv_header first; /* its columns (CSV) */
    size_t sources;      /* that were read to their end */
    bool labelled;
} hr_reading;

#endif
