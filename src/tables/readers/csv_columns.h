/* Which column of a CSV file goes where. */
#ifndef HR_TABLES_READERS_CSV_COLUMNS_H
#define HR_TABLES_READERS_CSV_COLUMNS_H

#include "tables/readers/reading.h"

/* Arrays have one element a column of the file; they are in the reading's arena. */
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

#endif
