/* The first record of a CSV table: how its cells are separated, and what its columns are called. */
#ifndef HR_TABLES_READERS_CSV_HEADER_H
#define HR_TABLES_READERS_CSV_HEADER_H

#include "base/arena.h"
#include "tables/readers/lines.h"

#include <hedgerow/data.h>

typedef struct hr_csv_header {
    const char **names; /* in an arena; NUL-ended */
    bool *dropped;      /* per column: to be treated as if it were not there */
    size_t count;
    const char **absent; /* that are to be dropped, and are not here; of the first file: in no file so far */
    size_t absent_count;
} hr_csv_header;

/* Starts at the beginning of a source, as hr_lines_start does, behind the lines that the options skip. Fails:
 * as that does; FORMAT (no line is left). */
HR_MUST_CHECK hr_status hr_csv_start(hr_lines *lines, hr_byte_source *source, const hr_read_options *options,
                                     hr_error *err);

/* Takes the line that names the separator ("sep=;") if it stands at lines->at, which lies in a record; then
 * *given is that separator. Fails: FORMAT (another one was given; it is none). */
HR_MUST_CHECK hr_status hr_csv_take_separator(hr_lines *lines, hr_separator *given, hr_error *err);

/* Reads the header and sets lines->separator: the one that the options, or a line before the header, give, or
 * the only one that the header has. Marks the columns that the options drop, and lists those that are absent:
 * another file may have them. Fails: FORMAT (no header, several separators), MEMORY. */
HR_MUST_CHECK hr_status hr_csv_read_header(hr_lines *lines, const hr_read_options *options, hr_arena *arena,
                                           hr_csv_header *out, hr_error *err);

/* Starts at the beginning of a source, and goes to where its records begin, behind the header. Fails: as
 * both. */
HR_MUST_CHECK hr_status hr_csv_start_records(hr_lines *lines, hr_byte_source *source,
                                             const hr_read_options *options, hr_error *err);

/* Pairs the columns of another file with those of the first, by name; of equal names by their order.
 * (*order)[i] is the first header's index of the column i, or SIZE_MAX if it is dropped; in the arena. Fails:
 * SCHEMA (a column is missing or new; the field is set), MEMORY. */
HR_MUST_CHECK hr_status hr_csv_match_header(const hr_csv_header *first, const hr_csv_header *next,
                                            hr_arena *arena, size_t **order, hr_error *err);

/* Takes what another file has off the absent columns of the first one. */
void hr_csv_note_dropped(hr_csv_header *first, const hr_csv_header *next);

/* The failure of a header that lacks a column; lists what is there. */
hr_status hr_csv_refuse_missing(const hr_csv_header *header, const char *name, hr_error *err);

/* The failure of a record with fewer or more cells than expected. */
hr_status hr_csv_refuse_ragged(uint64_t line, size_t found, size_t expected, bool more, hr_error *err);

#endif
