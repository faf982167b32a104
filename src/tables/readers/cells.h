/* Cells of CSV text, whatever they mean. RFC 4180, and a little kinder: blanks around a cell and around
 * quotation marks are ignored. */
#ifndef HR_TABLES_READERS_CELLS_H
#define HR_TABLES_READERS_CELLS_H

#include "tables/readers/lines.h"

typedef struct hr_csv_cell {
    const char *text; /* without quotation marks and outer blanks; changed in place, valid until the next
                         lines are fetched */
    size_t size;
    const char *where; /* where it began, for messages */
    bool last;         /* of its record */
} hr_csv_cell;

/* Skips lines that are empty but for blanks; returns whether a record waits before lines->limit. */
bool hr_cells_skip_empty(hr_lines *lines);

/* Takes the cell at lines->at, which must lie in a record. Fails: FORMAT (line, column). */
HR_MUST_CHECK hr_status hr_cells_next(hr_lines *lines, hr_csv_cell *cell, hr_error *err);

#endif
