/* Whole records out of a source: the part of reading that all formats of text share. */
#ifndef HR_TABLES_READERS_LINES_H
#define HR_TABLES_READERS_LINES_H

#include "base/byte_source.h"
#include "base/kernels/kernels.h"
#include "tables/source/file_range.h"

typedef struct hr_lines {
    hr_byte_source *source;
    bool quotes;      /* line ends within quotation marks do not end a record */
    char *at, *limit; /* whole records that wait; every one ends in '\n', and HR_BYTE_SOURCE_PAD - 1 bytes
                         behind may be read */
    char separator;   /* of cells: a comma until the header is read */
    char blank;       /* what is ignored around cells besides spaces: a tab, or a space if tabs separate */
    uint64_t line;    /* the number of the line in which `at` is, from 1 */
    char *line_start;
    const hr_kernels *kernels;
} hr_lines;

/* Starts at the beginning of an opened source; skips a byte order mark. Fails: IO, FORMAT (empty input, NUL),
 * LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_lines_start(hr_lines *lines, hr_byte_source *source, bool quotes, hr_error *err);

/* Goes on with the records of a range of the file that the source reads, through `of_range`, which the caller
 * ends with hr_byte_source_done before the source, in either case; of row groups the source brings no others.
 * Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_lines_enter_range(hr_lines *lines, const hr_byte_range *range,
                                             hr_byte_source *of_range, hr_error *err);

/* Brings more bytes of the source, whole records or not. Fails as above. */
HR_MUST_CHECK hr_status hr_lines_fetch(const hr_lines *lines, hr_error *err);

/* Takes the records up to `limit` as read and provides the next ones; at == limit if there are none. Fails as
 * above. */
HR_MUST_CHECK hr_status hr_lines_more(hr_lines *lines, hr_error *err);

/* Adds the line and column of `where` to an error. */
hr_status hr_lines_place(const hr_lines *lines, const char *where, hr_status status, hr_error *err);

#endif
