#include "tables/formats/byte_ranges.h"

#include "base/fail.h"
#include "tables/formats/formats.h"
#include "tables/source/contents.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 2048 * HR_CHUNK_BYTES };

/* ---- What a file is like ---- */

/* Whether a line end was added to the last line, which has none in the file. */
static bool has_added_end(const hr_lines *lines, uint64_t size) {
    char last;
    size_t got;
    if (!lines->source->ended || lines->limit != lines->source->end) return false;
    return !hr_file_read_at(lines->source->file, size - 1, &last, 1, &got, NULL) && got && last != '\n';
}

/* Where the lines stand in the file that their source reads. */
static bool layout_of_lines(const hr_lines *lines, hr_file_layout *out) {
    struct stat about;
    const off_t read = lseek(lines->source->file, 0, SEEK_CUR);
    if (read <= 0 || fstat(lines->source->file, &about) || about.st_size < read) return false;
    const uint64_t waiting = (uint64_t)(lines->source->end - lines->at), size = (uint64_t)about.st_size,
                   body = (uint64_t)read + has_added_end(lines, size) - waiting;
    *out = (hr_file_layout){size, body < size ? body : size, lines->line, lines->quotes, 0};
    return true;
}

/* ---- Row groups ---- */

/* False: it is no such file, or cannot be read. */
static bool open_groups(const char *path, hr_byte_source *file, hr_row_groups *out, hr_error *err) {
    *out = (hr_row_groups){0};
    hr_status status = hr_byte_source_open(file, path, err);
    if (!status) status = hr_byte_source_more(file, err);
    if (status) return false;
    const hr_contents contents = hr_contents_find(file->at, (size_t)(file->end - file->at));
    return contents.kind == HR_CONTENTS_PARQUET && !hr_parquet_groups(file->file, out, err);
}

static bool layout_of_groups(const char *path, uint64_t size, hr_file_layout *out) {
    hr_byte_source file;
    hr_row_groups groups;
    const bool found = open_groups(path, &file, &groups, NULL);
    if (found) *out = (hr_file_layout){.size = size, .line = 2, .groups = groups.count + 1};
    free(groups.ends);
    hr_byte_source_done(&file);
    return found;
}

/* So that the product fits: both rows are below 2^32. */
static uint64_t byte_of_row(uint64_t size, uint64_t row, uint64_t rows) {
    return rows ? size / rows * row + size % rows * row / rows : 0;
}

static hr_status find_group(const char *path, const hr_file_layout *layout, hr_file_place *place,
                            hr_error *err) {
    hr_byte_source file;
    hr_row_groups groups;
    const bool found = open_groups(path, &file, &groups, err) && groups.count + 1 == layout->groups;
    const uint64_t rows = groups.count ? groups.ends[groups.count - 1] : 0, at = place->at;
    *place = (hr_file_place){0};
    while (place->at < groups.count && byte_of_row(layout->size, place->lines, rows) < at)
        place->lines = groups.ends[place->at++];
    free(groups.ends);
    hr_byte_source_done(&file);
    if (found) return HR_OK;
    hr_fail(err, HR_E_IO, "leave the files alone while they are read", "the file was changed meanwhile");
    return hr_fail_at(err, HR_E_IO, path, 0, 0, NULL);
}

bool hr_file_layout_find(const char *path, const hr_read_options *options, hr_file_layout *out) {
    struct stat about;
    hr_read_options ours;
    hr_byte_source source;
    const hr_table_format *format;
    hr_lines lines;
    const hr_table_place place = {.path = path};
    if (stat(path, &about) || !S_ISREG(about.st_mode) || hr_data_is_binned(path) ||
        hr_read_options_take(options, &ours, NULL) || ours.query)
        return false;
    if (layout_of_groups(path, (uint64_t)about.st_size, out)) return true;
    bool found = !hr_table_open(&place, NULL, &source, NULL) && !source.stream && source.file >= 0 &&
                 !hr_table_format_find(&ours, &source, &format, NULL) &&
                 !hr_table_format_check(format, &ours, NULL) && !format->start(&lines, &source, &ours, NULL);
    if (found) found = layout_of_lines(&lines, out);
    hr_byte_source_done(&source);
    return found;
}

/* ---- Bytes of a file ---- */

typedef struct open_range {
    hr_byte_source file; /* nothing is read by itself */
    char *block;         /* BLOCK bytes */
} open_range;

static void close_range(open_range *o) {
    hr_byte_source_done(&o->file);
    free(o->block);
}

/* Call close_range in either case. */
static hr_status open_block(const char *path, open_range *out, hr_error *err) {
    *out = (open_range){.block = malloc(BLOCK)};
    hr_status status = hr_byte_source_open(&out->file, path, err);
    if (status) return hr_fail_at(err, status, path, 0, 0, NULL);
    return out->block ? HR_OK : hr_fail_memory(err);
}

hr_status hr_file_count(const char *path, const hr_file_layout *layout, const uint64_t range[2],
                        hr_file_place *place, int64_t sums[HR_CHUNK_SUMS], hr_error *err) {
    open_range o;
    const hr_kernels *kernels = hr_kernels_get();
    uint64_t at = range[0];
    hr_status status = open_block(path, &o, err);
    while (!status && at < range[1]) {
        size_t got;
        const size_t wanted = range[1] - at < BLOCK ? (size_t)(range[1] - at) : BLOCK;
        status = hr_file_read_at(o.file.file, at, o.block, wanted, &got, err);
        if (status || !got) break;
        hr_chunks_add(o.block, got, at / HR_CHUNK_BYTES, sums);
        const size_t head = layout->groups            ? got
                            : layout->body <= at      ? 0
                            : layout->body - at < got ? (size_t)(layout->body - at)
                                                      : got;
        place->lines += kernels->count_bytes(o.block + head, got - head, '\n');
        if (layout->quotes) place->marks += kernels->count_bytes(o.block + head, got - head, '"');
        at += got;
    }
    close_range(&o);
    return status;
}

/* Whether the bytes, which stand at the place, lead to a record. */
static bool pass_bytes(const hr_file_layout *layout, const char *bytes, size_t size, hr_file_place *place) {
    for (size_t i = 0; i < size; i++) {
        place->at++;
        place->marks += layout->quotes && bytes[i] == '"';
        if (bytes[i] != '\n') continue;
        place->lines++;
        if (place->marks % 2 == 0) return true;
    }
    return false;
}

hr_status hr_file_find_record(const char *path, const hr_file_layout *layout, hr_file_place *place,
                              hr_error *err) {
    open_range o;
    if (layout->groups) return find_group(path, layout, place, err);
    if (place->at == layout->body || place->at >= layout->size) return HR_OK;
    hr_status status = open_block(path, &o, err);
    size_t got = 0;
    if (!status) status = hr_file_read_at(o.file.file, place->at - 1, o.block, 1, &got, err);
    bool found = got == 1 && *o.block == '\n' && place->marks % 2 == 0;
    while (!status && !found) {
        status = hr_file_read_at(o.file.file, place->at, o.block, BLOCK, &got, err);
        found = pass_bytes(layout, o.block, status ? 0 : got, place) || !got;
    }
    close_range(&o);
    return status;
}
