/* One table in the making, from one source after the other, and the readers of its formats. */
#ifndef HR_TABLES_READERS_READING_H
#define HR_TABLES_READERS_READING_H

#include "tables/data/table.h"
#include "tables/readers/csv_header.h"

/* ---- Options, as the caller says them ---- */

/* NULL stands for the defaults. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_read_options_take(const hr_read_options *given, hr_read_options *out,
                                             hr_error *err);

/* The format that the options leave open or not: only CSV has a separator, and only CSV comes from databases.
 */
hr_format hr_read_format(const hr_read_options *options);

/* ---- The table ---- */

typedef struct hr_reading {
    const hr_read_options *options;
    hr_arena *arena;
    hr_table table;
    hr_format format;    /* of the first source */
    hr_csv_header first; /* its columns (CSV) */
    size_t sources;      /* that were read to their end */
    bool labelled;
} hr_reading;

/* ---- CSV tables ---- */

/* Adds the records of a source, read from its beginning. Fails as hr_data_read does, without the file's
 * name. */
HR_MUST_CHECK hr_status hr_csv_read(hr_reading *reading, hr_byte_source *source, hr_error *err);

/* ---- LIBSVM tables: "label index:value index:value ...", one record a line ---- */

/* Replaces HR_FORMAT_AUTO by the format that the beginning of the source looks like. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_libsvm_find_format(hr_byte_source *source, hr_format *format, hr_error *err);

/* Refuses what can be asked of CSV tables only. Fails: ARGUMENT. */
HR_MUST_CHECK hr_status hr_libsvm_check_options(const hr_read_options *options, hr_error *err);

/* One line in pieces. */
typedef struct hr_libsvm_entry {
    const char *where;
    uint32_t index; /* from 1; 0: the label */
    const char *text;
    size_t size;
    bool ended; /* there is no entry: the line is over */
} hr_libsvm_entry;

/* Skips empty lines and comments; returns whether a record waits before lines->limit. */
bool hr_libsvm_skip_empty(hr_lines *lines);

/* Takes the next entry of the line at lines->at; at the end of the line, moves to the next one. Only the
 * first entry may be a label. Fails: FORMAT (line, column). */
HR_MUST_CHECK hr_status hr_libsvm_next(hr_lines *lines, bool first, hr_libsvm_entry *entry, hr_error *err);

/* The failure of a line that gives an index twice. */
hr_status hr_libsvm_refuse_twice(const hr_lines *lines, const hr_libsvm_entry *entry, hr_error *err);

/* Adds the records of a source, read from its beginning. Fails as hr_data_read does, without the file's
 * name. */
HR_MUST_CHECK hr_status hr_libsvm_read(hr_reading *reading, hr_byte_source *source, hr_error *err);

#endif
