/* A range of a file's bytes: what one of several processes reads of it. */
#ifndef HR_TABLES_SOURCE_FILE_RANGE_H
#define HR_TABLES_SOURCE_FILE_RANGE_H

#include "base/byte_source.h"

#include <stdbool.h>
#include <stdint.h>

/* Records of a text table: `begin` is where a record begins, `end` where one does, or the file ends. Of a
 * Parquet file, both are row groups. */
typedef struct hr_byte_range {
    uint64_t begin, end;
    uint64_t line;    /* of the file, in which `begin` is, from 1 */
    uint64_t records; /* that were read from it; those that were left out count, too */
    bool of_groups;   /* row groups, not bytes */
} hr_byte_range;

/* The bytes of a regular file that is open, whose position stays as it is. Borrows `file`. Owner: the caller
 * frees *out. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_file_range_open(int file, const hr_byte_range *range, hr_byte_stream **out,
                                           hr_error *err);

/* Tables that are cut into ranges are hashed in chunks, so that each range has whole chunks and their hashes
 * are added up: two files with equal chunks have equal sums, others, but for an odd chance, have not. */
enum { HR_CHUNK_BYTES = 128, HR_CHUNK_SUMS = 4 };

/* Adds the hashes of the chunks of these bytes, the first of which is chunk `first` of its file. The last may
 * be shorter. */
void hr_chunks_add(const char *bytes, size_t size, uint64_t first, int64_t sums[HR_CHUNK_SUMS]);

/* Reads `size` bytes at `at`, or up to the end of the file; *got of them. Fails: IO. */
HR_MUST_CHECK hr_status hr_file_read_at(int file, uint64_t at, char *to, size_t size, size_t *got,
                                        hr_error *err);

#endif
