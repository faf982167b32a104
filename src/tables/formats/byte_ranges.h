/* Tables that several processes read together: each takes the records that begin within its part of a
 * file's bytes, or the row groups. Where a record begins is known from all that stands before it, quotation
 * marks included: each process counts those of its part, and from the others' counts each knows in which line
 * its part begins, and whether within quotation marks. */
#ifndef HR_TABLES_FORMATS_BYTE_RANGES_H
#define HR_TABLES_FORMATS_BYTE_RANGES_H

#include "tables/source/file_range.h"

#include <hedgerow/data.h>

/* What is known of a file before its records are read. */
typedef struct hr_file_layout {
    uint64_t size;   /* bytes */
    uint64_t body;   /* where its records begin */
    uint64_t line;   /* of that, from 1 */
    uint64_t quotes; /* not 0: line ends within quotation marks do not end a record */
    uint64_t groups; /* not 0: of a Parquet file, whose records are in so many row groups, 1 more counted */
} hr_file_layout;

/* Whether the file can be read by ranges: a regular file of text that is read as it is, or of Parquet.
 * Anything else, also what cannot be read at all, is left to those who read it as a whole. */
bool hr_file_layout_find(const char *path, const hr_read_options *options, hr_file_layout *out);

/* What stands before a byte of a file. */
typedef struct hr_file_place {
    uint64_t at;    /* the byte */
    uint64_t lines; /* ends of lines behind the layout's body */
    uint64_t marks; /* quotation marks there */
} hr_file_place;

/* Adds to `sums` the hashes of the chunks from byte `begin` to `end`, which begin chunks or end the file, and
 * counts the lines and marks that are there behind the body: place->lines and place->marks; place->at is left
 * alone. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_file_count(const char *path, const hr_file_layout *layout, const uint64_t range[2],
                                      hr_file_place *place, int64_t sums[HR_CHUNK_SUMS], hr_error *err);

/* Moves a place, not before the body, to the first record that begins there or behind it; to the end of the
 * file if there is none. Of a Parquet file, to the first row group: place->at becomes its number, or that of
 * all, and place->lines the rows before it. A row group begins at the byte that has the same part of the file
 * before it as the group has of the rows. Fails: IO, MEMORY, and as hr_parquet_groups. */
HR_MUST_CHECK hr_status hr_file_find_record(const char *path, const hr_file_layout *layout,
                                            hr_file_place *place, hr_error *err);

/* ---- Reading ---- */

typedef struct hr_table_part {
    const char *const *paths;
    size_t count;
    hr_byte_range *ranges; /* one a path; NULL: all of each. How many records they have is set */
    const uint8_t
        *key; /* HR_PRF_KEY bytes: for hashes of persons (hr_data.person_hashes); NULL: they have none */
} hr_table_part;

/* Reads a table as hr_data_read_all does, which reads all of it. Owner: the caller frees *out. Fails: as
 * that. */
HR_MUST_CHECK hr_status hr_data_read_part(const hr_schema *schema, const hr_table_part *part,
                                          const hr_read_options *options, hr_data **out, hr_error *err);

#endif
