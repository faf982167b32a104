/* The file of a binned cache (docs/reference/formats.md, Binned cache): where its parts are, and its bytes as
 * a map.
 *
 * Columns are whole and begin at pages, so that training walks them in the map as it walks them in memory,
 * and the system may take the pages back where memory is short. Checksums are of segments of a column, so
 * that a writer needs one segment of the records at a time, and damage has a place. */
#ifndef HR_TABLES_DATA_CELL_FILE_H
#define HR_TABLES_DATA_CELL_FILE_H

#include "tables/data/records.h"

#include <sys/stat.h>

enum {
    HR_CELL_MAGIC = 8, /* bytes that a file begins with */
    HR_CELL_VERSION = 1,
    HR_CELL_HEADER = 128,      /* bytes */
    HR_CELL_SEGMENT = 1 << 16, /* records */
    HR_CELL_PAGE = 1 << 12,    /* labels and columns begin at multiples */
    HR_CELL_REPORT = 4 * 8     /* bytes of one column's counts */
};

typedef struct hr_cell_header {
    uint32_t features, bins;
    uint64_t rows, schema_size; /* the text's bytes, without its NUL */
    uint64_t extra, skipped;    /* hr_data_extra_columns, hr_data_skipped */
    uint64_t front_checksum;    /* of all bytes before the labels, these eight being 0 */
} hr_cell_header;

/* Where the parts begin. */
typedef struct hr_cell_layout {
    size_t schema, reports, checksums, labels, cells, size;
    size_t stride;   /* from one column to the next */
    size_t segments; /* of a column; checksums are segment by segment: the features, then the labels */
} hr_cell_layout;

hr_cell_layout hr_cell_layout_of(const hr_cell_header *header);

/* Whether HR_CELL_MAGIC bytes are those that a binned cache begins with. */
bool hr_cell_is_magic(const uint8_t *bytes);

/* The header as bytes, and back. Fails: FORMAT (not such a file; another version; numbers out of range). */
void hr_cell_header_write(const hr_cell_header *header, uint8_t out[HR_CELL_HEADER]);
HR_MUST_CHECK hr_status hr_cell_header_read(const uint8_t bytes[HR_CELL_HEADER], hr_cell_header *out,
                                            hr_error *err);

/* Little-endian. */
void hr_cell_put(uint8_t *at, uint64_t value, size_t size);
uint64_t hr_cell_get(const uint8_t *at, size_t size);

/* XXH64 with seed 0: finds damage that happened by accident. Who changes a file on purpose can change its
 * checksum, too. */
uint64_t hr_cell_checksum(const void *bytes, size_t size);

/* Records of a segment. */
static inline size_t hr_cell_segment_rows(size_t segment, size_t rows) {
    size_t begin = segment * HR_CELL_SEGMENT;
    return rows - begin < HR_CELL_SEGMENT ? rows - begin : HR_CELL_SEGMENT;
}

typedef struct hr_cell_file {
    hr_cell_header header;
    hr_cell_layout layout;
    char *path;
    int fd;
    struct stat opened;
    uint8_t *map; /* layout.size bytes, read only */
    const uint8_t *cells;
    const double *labels;
} hr_cell_file;

/* Maps a file, and checks all but the records: their checksums are hr_cell_file_check's. Owner: the caller
 * closes *out. Fails: IO, FORMAT, ABSENT (a big-endian machine), MEMORY. */
HR_MUST_CHECK hr_status hr_cell_file_open(const char *path, hr_cell_file **out, hr_error *err);
/* NULL is allowed. */
void hr_cell_file_close(hr_cell_file *file);

/* Reads every record once: checksums; cells below the counts of their features; labels that the schema
 * allows. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_cell_file_check(const hr_cell_file *file, const hr_schema *schema,
                                           const uint32_t *bin_counts, int threads, hr_error *err);

/* Gives the pages that were read back to the system: they are read again where they are needed. */
void hr_cell_file_release(const hr_cell_file *file);

/* Whether the file is still the one that was opened, by its size and time. Fails: FORMAT. */
HR_MUST_CHECK hr_status hr_cell_file_unchanged(const hr_cell_file *file, hr_error *err);

/* Room for `size` bytes in a file without a name beside `path`, mapped: pages go to the disk where memory is
 * short. Owner: the caller unmaps it with hr_spare_map_done. Fails: IO. */
HR_MUST_CHECK hr_status hr_spare_map(const char *path, size_t size, uint8_t **out, hr_error *err);
void hr_spare_map_done(uint8_t *map, size_t size);
/* Gives pages back to the system, which keeps what was written; from `begin` on, which begins one. */
void hr_spare_map_release(uint8_t *begin, size_t size);

#endif
