#define _DEFAULT_SOURCE /* madvise: that of POSIX may keep pages */
#include "tables/data/cell_file.h"

#include "base/fail.h"
#include "base/file.h"
#include "base/team.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

static const uint8_t magic[HR_CELL_MAGIC] = {0x89, 'H', 'R', 'B', 'I', 'N', 'S', '\n'};
static const char again[] = "write it again with `hedgerow bin`";

enum { SCHEMA_SIZE_MAX = 64 << 20, FEATURES_MAX = 65535, CHECKSUM_AT = 56 };

void hr_cell_put(uint8_t *at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++) at[i] = (uint8_t)(value >> 8 * i);
}

uint64_t hr_cell_get(const uint8_t *at, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) value |= (uint64_t)at[i] << 8 * i;
    return value;
}

uint64_t hr_cell_checksum(const void *bytes, size_t size) {
    return XXH64(bytes, size, 0);
}

/* ---- The header ---- */

void hr_cell_header_write(const hr_cell_header *header, uint8_t out[HR_CELL_HEADER]) {
    memset(out, 0, HR_CELL_HEADER);
    memcpy(out, magic, sizeof magic);
    hr_cell_put(out + 8, HR_CELL_VERSION, 4);
    hr_cell_put(out + 12, header->features, 4);
    hr_cell_put(out + 16, header->rows, 8);
    hr_cell_put(out + 24, header->bins, 4);
    hr_cell_put(out + 28, HR_CELL_SEGMENT, 4);
    hr_cell_put(out + 32, header->schema_size, 8);
    hr_cell_put(out + 40, header->extra, 8);
    hr_cell_put(out + 48, header->skipped, 8);
    hr_cell_put(out + CHECKSUM_AT, header->front_checksum, 8);
}

bool hr_cell_is_magic(const uint8_t *bytes) {
    return memcmp(bytes, magic, sizeof magic) == 0;
}

bool hr_data_is_binned(const char *path) {
    uint8_t bytes[HR_CELL_MAGIC];
    struct stat info;
    if (!strcmp(path, "-") || stat(path, &info) || !S_ISREG(info.st_mode))
        return false; /* pipes are read once */
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const bool whole = fread(bytes, sizeof bytes, 1, file) == 1;
    fclose(file);
    return whole && hr_cell_is_magic(bytes);
}

hr_status hr_cell_header_read(const uint8_t bytes[HR_CELL_HEADER], hr_cell_header *out, hr_error *err) {
    if (!hr_cell_is_magic(bytes))
        return hr_fail(err, HR_E_FORMAT, "`hedgerow bin` writes one", "this is not a binned cache");
    const uint64_t version = hr_cell_get(bytes + 8, 4);
    if (version != HR_CELL_VERSION)
        return hr_fail(err, HR_E_FORMAT, again, "a binned cache of version %u; this library reads version %d",
                       (unsigned)version, HR_CELL_VERSION);
    *out = (hr_cell_header){.features = (uint32_t)hr_cell_get(bytes + 12, 4),
                            .bins = (uint32_t)hr_cell_get(bytes + 24, 4),
                            .rows = hr_cell_get(bytes + 16, 8),
                            .schema_size = hr_cell_get(bytes + 32, 8),
                            .extra = hr_cell_get(bytes + 40, 8),
                            .skipped = hr_cell_get(bytes + 48, 8),
                            .front_checksum = hr_cell_get(bytes + CHECKSUM_AT, 8)};
    const bool possible = out->features >= 1 && out->features <= FEATURES_MAX && out->rows >= 1 &&
                          out->rows <= HR_ROWS_MAX && out->bins >= 2 && out->bins <= 255 &&
                          out->schema_size <= SCHEMA_SIZE_MAX &&
                          hr_cell_get(bytes + 28, 4) == HR_CELL_SEGMENT;
    return possible ? HR_OK : hr_fail(err, HR_E_FORMAT, again, "the header of the binned cache is damaged");
}

static size_t up_to(size_t size, size_t step) {
    return (size + step - 1) / step * step;
}

hr_cell_layout hr_cell_layout_of(const hr_cell_header *h) {
    const size_t columns = (size_t)h->features + 1, rows = (size_t)h->rows;
    hr_cell_layout l = {.schema = HR_CELL_HEADER,
                        .stride = up_to(rows, HR_CELL_PAGE),
                        .segments = (rows + HR_CELL_SEGMENT - 1) / HR_CELL_SEGMENT};
    l.reports = up_to(l.schema + (size_t)h->schema_size, 8);
    l.checksums = l.reports + columns * HR_CELL_REPORT;
    l.labels = up_to(l.checksums + l.segments * columns * 8, HR_CELL_PAGE);
    l.cells = up_to(l.labels + rows * sizeof(double), HR_CELL_PAGE);
    l.size = l.cells + h->features * l.stride;
    return l;
}

/* ---- The map ---- */

static hr_status fail_cell_file(const char *path, const char *doing, hr_error *err) {
    if (errno == ENOMEM) return hr_fail_memory(err);
    hr_status status = hr_fail(err, HR_E_IO, "check the path, its permissions and the free space",
                               "cannot %s the binned cache: %s", doing, strerror(errno));
    return hr_fail_at(err, status, path, 0, 0, NULL);
}

/* Vectors that begin at one of the last records read up to HR_VECTOR_ROWS - 1 bytes behind a column, the last
 * one, too: a page of zeros is behind the file. */
static void *map_with_room(int fd, size_t size, int protection) {
    void *room = mmap(NULL, size + HR_CELL_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return room;
    void *map = mmap(room, size, protection, MAP_SHARED | MAP_FIXED, fd, 0);
    if (map == MAP_FAILED) munmap(room, size + HR_CELL_PAGE);
    return map;
}

static void unmap_with_room(void *map, size_t size) {
    if (map) munmap(map, size + HR_CELL_PAGE);
}

static hr_status map_cell_file(hr_cell_file *f, hr_error *err) {
    uint8_t bytes[HR_CELL_HEADER];
    if (fstat(f->fd, &f->opened)) return fail_cell_file(f->path, "read", err);
    if (!S_ISREG(f->opened.st_mode) || pread(f->fd, bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return hr_fail(err, HR_E_FORMAT, "`hedgerow bin` writes one", "this is not a binned cache");
    hr_status status = hr_cell_header_read(bytes, &f->header, err);
    if (status) return status;
    f->layout = hr_cell_layout_of(&f->header);
    if ((uint64_t)f->opened.st_size != f->layout.size)
        return hr_fail(err, HR_E_FORMAT, "copy it again, or write it again with `hedgerow bin`",
                       "the binned cache has %llu bytes instead of %zu: it was cut off, or is damaged",
                       (unsigned long long)f->opened.st_size, f->layout.size);
    void *map = map_with_room(f->fd, f->layout.size, PROT_READ);
    if (map == MAP_FAILED) return fail_cell_file(f->path, "map", err);
    f->map = map;
    f->cells = f->map + f->layout.cells;
    f->labels = (const double *)(const void *)(f->map + f->layout.labels);

    /* All before the labels has one checksum, which stands in it as 0. */
    uint8_t *front = malloc(f->layout.labels);
    if (!front) return hr_fail_memory(err);
    memcpy(front, f->map, f->layout.labels);
    memset(front + CHECKSUM_AT, 0, 8);
    const uint64_t checksum = hr_cell_checksum(front, f->layout.labels);
    free(front);
    if (checksum == f->header.front_checksum) return HR_OK;
    return hr_fail(err, HR_E_FORMAT, again,
                   "the front of the binned cache is damaged: its checksum is another");
}

hr_status hr_cell_file_open(const char *path, hr_cell_file **out, hr_error *err) {
    const uint16_t one = 1;
    uint8_t first_byte;
    memcpy(&first_byte, &one, 1);
    if (first_byte != 1)
        return hr_fail(err, HR_E_ABSENT, "train from the table itself",
                       "binned caches are mapped on little-endian machines only");
    hr_cell_file *f = calloc(1, sizeof *f);
    if (!f) return hr_fail_memory(err);
    f->fd = open(path, O_RDONLY | O_CLOEXEC);
    hr_status status = f->fd < 0 ? fail_cell_file(path, "open", err) : HR_OK;
    f->path = malloc(strlen(path) + 1);
    if (f->path) strcpy(f->path, path);
    if (!status && !f->path) status = hr_fail_memory(err);
    if (!status) status = map_cell_file(f, err);
    if (!status) {
        *out = f;
        return HR_OK;
    }
    hr_cell_file_close(f);
    return hr_fail_at(err, status, path, 0, 0, NULL);
}

void hr_cell_file_close(hr_cell_file *f) {
    if (!f) return;
    unmap_with_room(f->map, f->layout.size);
    if (f->fd >= 0) close(f->fd);
    free(f->path);
    free(f);
}

void hr_cell_file_release(const hr_cell_file *f) {
    (void)madvise(f->map, f->layout.size, MADV_DONTNEED);
}

hr_status hr_cell_file_unchanged(const hr_cell_file *f, hr_error *err) {
    struct stat now;
    if (fstat(f->fd, &now)) return fail_cell_file(f->path, "read", err);
    const struct timespec *was = &f->opened.st_mtim, *is = &now.st_mtim;
    if (now.st_size == f->opened.st_size && is->tv_sec == was->tv_sec && is->tv_nsec == was->tv_nsec)
        return HR_OK;
    hr_fail(err, HR_E_FORMAT, "leave it alone while it is in use, and train again",
            "the binned cache was changed while it was read");
    return hr_fail_at(err, HR_E_FORMAT, f->path, 0, 0, NULL);
}

/* ---- The records ---- */

static bool are_labels(const hr_column *label, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const double value = values[i];
        const bool within =
            label->kind == HR_KIND_NUMBER
                ? value >= label->low && value <= label->high
                : value >= 0 && value < (double)label->value_count && value == (double)(int64_t)value;
        if (!within) return false;
    }
    return true;
}

/* Column `header.features` is the label. */
static bool is_segment_whole(const hr_cell_file *f, const hr_schema *schema, const uint32_t *bin_counts,
                             size_t column, size_t segment) {
    const size_t features = f->header.features, begin = segment * HR_CELL_SEGMENT,
                 count = hr_cell_segment_rows(segment, (size_t)f->header.rows);
    const bool is_label = column == features;
    const uint8_t *cells = f->cells + column * f->layout.stride + begin;
    const uint64_t checksum = is_label ? hr_cell_checksum(f->labels + begin, count * sizeof *f->labels)
                                       : hr_cell_checksum(cells, count),
                   wanted =
                       hr_cell_get(f->map + f->layout.checksums + (segment * (features + 1) + column) * 8, 8);
    if (checksum != wanted) return false;
    if (is_label) return are_labels(hr_schema_label(schema), f->labels + begin, count);
    uint8_t highest = 0;
    for (size_t i = 0; i < count; i++) highest = cells[i] > highest ? cells[i] : highest;
    return highest < bin_counts[column];
}

typedef struct segment_check {
    const hr_cell_file *file;
    const hr_schema *schema;
    const uint32_t *bin_counts;
    size_t columns;
    atomic_size_t first; /* segment, column: the first that is damaged */
} segment_check;

static void check_segments(void *of, size_t member, size_t begin, size_t end) {
    segment_check *c = of;
    (void)member;
    for (size_t i = begin; i < end; i++) {
        size_t known = atomic_load(&c->first);
        if (i >= known || is_segment_whole(c->file, c->schema, c->bin_counts, i % c->columns, i / c->columns))
            continue;
        while (i < known && !atomic_compare_exchange_weak(&c->first, &known, i)) {
        }
    }
}

hr_status hr_cell_file_check(const hr_cell_file *f, const hr_schema *schema, const uint32_t *bin_counts,
                             int threads, hr_error *err) {
    const size_t columns = (size_t)f->header.features + 1, all = f->layout.segments * columns;
    segment_check check = {.file = f, .schema = schema, .bin_counts = bin_counts, .columns = columns};
    atomic_init(&check.first, all);
    hr_team_share((size_t)threads, all, 1, check_segments, &check);
    const size_t first = atomic_load(&check.first);
    if (first == all) return HR_OK;

    const size_t segment = first / columns, column = first % columns, begin = segment * HR_CELL_SEGMENT;
    const hr_column *of = column + 1 == columns ? hr_schema_label(schema) : hr_schema_feature(schema, column);
    hr_fail(err, HR_E_FORMAT, again, "the binned cache is damaged in records %zu to %zu", begin + 1,
            begin + hr_cell_segment_rows(segment, (size_t)f->header.rows));
    return hr_fail_at(err, HR_E_FORMAT, f->path, 0, 0, of->name);
}

/* ---- Room on the disk ---- */

/* Space is taken at once: a full disk is met here, and not where a page is written. */
hr_status hr_spare_map(const char *path, size_t size, uint8_t **out, hr_error *err) {
    const int fd = hr_file_unnamed(path);
    if (fd < 0) return fail_cell_file(path, "make a temporary file beside", err);
    errno = posix_fallocate(fd, 0, (off_t)size);
    void *map = errno ? MAP_FAILED : map_with_room(fd, size, PROT_READ | PROT_WRITE);
    hr_status status = map == MAP_FAILED ? fail_cell_file(path, "make room beside", err) : HR_OK;
    close(fd);
    if (!status) *out = map;
    return status;
}

void hr_spare_map_done(uint8_t *map, size_t size) {
    unmap_with_room(map, size);
}

void hr_spare_map_release(uint8_t *begin, size_t size) {
    (void)madvise(begin, size, MADV_DONTNEED);
}

hr_status hr_data_check_values(const hr_data *data, hr_error *err) {
    if (!data->cells) return HR_OK;
    hr_fail(err, HR_E_POLICY, "give the table itself",
            "a binned cache has bins and no values: it is for training alone");
    return hr_fail_at(err, HR_E_POLICY, data->cells->path, 0, 0, NULL);
}
