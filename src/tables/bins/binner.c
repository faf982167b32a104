/* Writes a binned cache (docs/reference/formats.md): tables come in one after the other, and only one segment
 * of records is kept in memory. Segments wait in a file without a name; when the number of records is known,
 * their columns are put together. */
#include "base/buffer.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/team.h"
#include "tables/bins/edge_machine.h"
#include "tables/data/cell_file.h"
#include "tables/data/columns.h"
#include "tables/schema/schema.h"
#include "tables/source/origins.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BINNER_THREADS_MAX = 256 };

struct hr_binner {
    const hr_schema *schema;
    hr_arena *arena;
    hr_binning binning;
    const hr_search *searches; /* of its features */
    hr_cell_header header;
    char *path, *new_path, *yaml;
    bool replace, is_made; /* is_made: new_path is a file of ours */
    int threads, spool, fd;
    uint8_t *cells; /* of a segment: each column has room for a whole one */
    double *labels;
    size_t filled;             /* records of the segment */
    hr_column_report *reports; /* features and label */
    hr_buffer checksums;
    hr_origins origins; /* of all tables that came in */
};

static hr_status fail_binner(const hr_binner *b, const char *doing, hr_error *err) {
    if (errno == ENOMEM) return hr_fail_memory(err);
    hr_status status = hr_fail(err, HR_E_IO, "check the path, its permissions and the free space",
                               "cannot %s the binned cache: %s", doing, strerror(errno));
    return hr_fail_at(err, status, b->path, 0, 0, NULL);
}

void hr_binner_free(hr_binner *b) {
    if (!b) return;
    if (b->spool >= 0) close(b->spool);
    if (b->fd >= 0) close(b->fd);
    if (b->is_made) unlink(b->new_path);
    hr_buffer_done(&b->checksums);
    hr_origins_done(&b->origins);
    hr_text_free(b->yaml);
    void *all[] = {b->path, b->new_path, b->cells, b->labels, b->reports};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    hr_arena_free(b->arena);
    free(b);
}

static hr_status take_bin_options(const hr_bin_options *given, hr_bin_options *out, hr_error *err) {
    static const hr_sized kind = {sizeof *out, sizeof(size_t), "begin with HR_BIN_OPTIONS_INIT"};
    *out = (hr_bin_options)HR_BIN_OPTIONS_INIT;
    hr_status status = given ? hr_sized_take(&kind, given, out, err) : HR_OK;
    if (status) return status;
    if (out->bins < 2 || out->bins > 255) {
        hr_fail(err, HR_E_ARGUMENT, "allowed: 2..255", "%u bins of a numeric feature", out->bins);
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "bins");
    }
    if (out->threads < 1 || out->threads > BINNER_THREADS_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "allowed: 1..256", "%d threads", out->threads);
    return HR_OK;
}

static hr_status make_binner_room(hr_binner *b, const char *path, hr_error *err) {
    const size_t features = b->header.features, size = strlen(path) + sizeof ".new";
    b->path = malloc(size);
    b->new_path = malloc(size);
    b->cells = malloc(features * HR_CELL_SEGMENT);
    b->labels = malloc(HR_CELL_SEGMENT * sizeof *b->labels);
    b->reports = calloc(features + 1, sizeof *b->reports);
    b->arena = hr_arena_new();
    if (!b->path || !b->new_path || !b->cells || !b->labels || !b->reports || !b->arena)
        return hr_fail_memory(err);
    strcpy(b->path, path);
    snprintf(b->new_path, size, "%s.new", path);
    hr_status status = hr_schema_render(b->schema, &b->yaml, err);
    if (!status) b->header.schema_size = strlen(b->yaml);
    if (!status) status = hr_edges_public(b->schema, b->header.bins, b->arena, &b->binning, err);
    if (status) return status;
    b->searches = hr_binning_searches(&b->binning, b->arena);
    return b->searches ? HR_OK : hr_fail_memory(err);
}

hr_status hr_binner_open(const hr_schema *schema, const char *path, const hr_bin_options *given,
                         hr_binner **out, hr_error *err) {
    hr_bin_options options;
    hr_status status = take_bin_options(given, &options, err);
    if (!status) status = hr_schema_refuse_unit(schema, "a binned cache", "train from the table itself", err);
    if (!status) status = hr_schema_refuse_quantile_cuts(schema, "a binned cache", err);
    if (status) return status;
    hr_binner *b = calloc(1, sizeof *b);
    if (!b) return hr_fail_memory(err);
    *b = (hr_binner){.schema = schema,
                     .header = {.features = (uint32_t)hr_schema_feature_count(schema), .bins = options.bins},
                     .replace = options.replace,
                     .threads = options.threads,
                     .spool = -1,
                     .fd = -1};
    status = make_binner_room(b, path, err);
    if (!status && !b->replace && !access(path, F_OK)) {
        errno = EEXIST;
        hr_fail(err, HR_E_IO, "choose another name, or say that it is to be replaced",
                "the file exists already");
        status = hr_fail_at(err, HR_E_IO, path, 0, 0, NULL);
    }
    if (!status && (b->spool = hr_file_unnamed(path)) < 0) status = fail_binner(b, "make room for", err);
    if (status)
        hr_binner_free(b);
    else
        *out = b;
    return status;
}

/* ---- Records come in ---- */

static void bin_column(hr_binner *b, const hr_data *data, size_t f, size_t begin, size_t count) {
    const hr_feature_bins *feature = &b->binning.features[f];
    uint8_t *out = b->cells + f * HR_CELL_SEGMENT + b->filled;
    double numbers[HR_DATA_BLOCK];
    uint16_t codes[HR_DATA_BLOCK];
    for (size_t at = 0; at < count; at += HR_DATA_BLOCK) {
        const size_t size = hr_data_block_size(at, count);
        if (feature->kind == HR_KIND_NUMBER) {
            const double *values = hr_data_number_block(data, f, begin + at, size, numbers);
            hr_bins_of_numbers(&b->searches[f], &(hr_number_block){values, size, NULL}, out + at);
        } else
            hr_bins_of_codes(feature, hr_data_code_block(data, f, begin + at, size, codes), size, out + at);
    }
}

typedef struct binned_stretch {
    hr_binner *binner;
    const hr_data *data;
    size_t begin, count;
} binned_stretch;

static void bin_columns(void *of, size_t member, size_t first, size_t end) {
    const binned_stretch *s = of;
    (void)member;
    for (size_t f = first; f < end; f++) bin_column(s->binner, s->data, f, s->begin, s->count);
}

static void add_checksum(hr_binner *b, const void *bytes, size_t size) {
    uint8_t eight[8];
    hr_cell_put(eight, hr_cell_checksum(bytes, size), 8);
    hr_buffer_add(&b->checksums, (const char *)eight, sizeof eight);
}

/* Labels, and then the columns, without gaps. */
static hr_status spool_segment(hr_binner *b, hr_error *err) {
    if (!b->filled) return HR_OK;
    bool written = hr_file_write(b->spool, b->labels, b->filled * sizeof *b->labels);
    for (size_t f = 0; written && f < b->header.features; f++) {
        const uint8_t *column = b->cells + f * HR_CELL_SEGMENT;
        add_checksum(b, column, b->filled);
        written = hr_file_write(b->spool, column, b->filled);
    }
    add_checksum(b, b->labels, b->filled * sizeof *b->labels);
    b->filled = 0;
    if (!written) return fail_binner(b, "write", err);
    return b->checksums.failed ? hr_fail_memory(err) : HR_OK;
}

static hr_status check_binner_data(const hr_binner *b, const hr_data *data, hr_error *err) {
    hr_status status = hr_data_check_values(data, err);
    if (status) return status;
    if (!hr_schema_same(b->schema, data->schema))
        return hr_fail(err, HR_E_SCHEMA, "read the table with the schema of the cache",
                       "the table was read with another schema");
    if (!data->labels)
        return hr_fail(err, HR_E_SCHEMA, "give a table that has the label", "the data have no label column");
    if (data->rows <= HR_ROWS_MAX - b->header.rows) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "use fewer rows", "more than %u rows", HR_ROWS_MAX);
}

hr_status hr_binner_add(hr_binner *b, const hr_data *data, hr_error *err) {
    hr_status status = check_binner_data(b, data, err);
    if (!status) status = hr_origins_add_all(&b->origins, data->origins, err);
    for (size_t begin = 0; !status && begin < data->rows;) {
        const size_t left = data->rows - begin, room = HR_CELL_SEGMENT - b->filled,
                     count = left < room ? left : room;
        hr_team_share((size_t)b->threads, b->header.features, 1, bin_columns,
                      &(binned_stretch){b, data, begin, count});
        memcpy(b->labels + b->filled, data->labels + begin, count * sizeof *b->labels);
        b->filled += count;
        begin += count;
        if (b->filled == HR_CELL_SEGMENT) status = spool_segment(b, err);
    }
    if (status) return status;
    for (size_t f = 0; f <= b->header.features; f++)
        hr_column_report_add(&b->reports[f], hr_data_report(data, f));
    b->header.rows += data->rows;
    b->header.skipped += data->skipped;
    b->header.extra = data->extra;
    return HR_OK;
}

/* ---- The file ---- */

static bool write_at(int fd, const void *bytes, size_t size, size_t at) {
    return lseek(fd, (off_t)at, SEEK_SET) >= 0 && hr_file_write(fd, bytes, size);
}

static bool read_spool(hr_binner *b, void *to, size_t size) {
    for (uint8_t *at = to; size;) {
        const ssize_t got = read(b->spool, at, size);
        if (got <= 0 && !(got < 0 && errno == EINTR)) return false;
        if (got > 0) at += got, size -= (size_t)got;
    }
    return true;
}

/* Puts each segment's columns in their places. */
static bool place_segments(hr_binner *b, const hr_cell_layout *l) {
    bool placed = lseek(b->spool, 0, SEEK_SET) == 0;
    for (size_t s = 0; placed && s < l->segments; s++) {
        const size_t begin = s * HR_CELL_SEGMENT, count = hr_cell_segment_rows(s, (size_t)b->header.rows);
        placed = read_spool(b, b->labels, count * sizeof *b->labels) &&
                 write_at(b->fd, b->labels, count * sizeof *b->labels, l->labels + begin * sizeof *b->labels);
        for (size_t f = 0; placed && f < b->header.features; f++)
            placed = read_spool(b, b->cells, count) &&
                     write_at(b->fd, b->cells, count, l->cells + f * l->stride + begin);
    }
    return placed;
}

static hr_status write_cells(hr_binner *b, hr_error *err) {
    const hr_cell_layout l = hr_cell_layout_of(&b->header);
    (void)unlink(b->new_path); /* of a process that was killed */
    b->fd = open(b->new_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (b->fd < 0) return fail_binner(b, "create", err);
    b->is_made = true;
    if (ftruncate(b->fd, (off_t)l.size) || !place_segments(b, &l)) return fail_binner(b, "write", err);

    uint8_t *front = calloc(1, l.labels);
    if (!front) return hr_fail_memory(err);
    memcpy(front + l.schema, b->yaml, (size_t)b->header.schema_size);
    for (size_t f = 0; f <= b->header.features; f++) {
        const hr_column_report *report = &b->reports[f];
        uint8_t *at = front + l.reports + f * HR_CELL_REPORT;
        hr_cell_put(at, report->missing, 8);
        hr_cell_put(at + 8, report->unknown, 8);
        hr_cell_put(at + 16, report->out_of_range, 8);
        hr_cell_put(at + 24, report->not_integer, 8);
    }
    memcpy(front + l.checksums, b->checksums.bytes, b->checksums.size);
    hr_cell_header_write(&b->header, front);
    b->header.front_checksum = hr_cell_checksum(front, l.labels);
    hr_cell_header_write(&b->header, front);
    hr_status status = write_at(b->fd, front, l.labels, 0) ? HR_OK : fail_binner(b, "write", err);
    free(front);
    if (!status && fsync(b->fd)) status = fail_binner(b, "write", err);
    return status;
}

hr_status hr_binner_finish(hr_binner *b, hr_error *err) {
    if (!b->header.rows) return hr_fail(err, HR_E_SCHEMA, "add records", "the data have no rows");
    hr_status status = spool_segment(b, err);
    if (!status) status = write_cells(b, err);
    if (status) return status;

    /* A name that must be free is taken by link(), which fails if a file has come there meanwhile. */
    if (b->replace ? rename(b->new_path, b->path) : link(b->new_path, b->path))
        return fail_binner(b, "name", err);
    if (!b->replace) unlink(b->new_path);
    b->is_made = false;
    hr_file_sync_folder(b->new_path);
    return HR_OK;
}
