/* Rows become lines of CSV, so that a cell means the same wherever it comes from. Memory: some thousands of
 * rows, and a page of each column that is read. */
#include "tables/source/parquet.h"

#include "base/buffer.h"
#include "base/fail.h"
#include "base/text/text.h"
#include "tables/source/arrow_cells.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a file may take, so that a damaged or hostile one cannot claim all: usual pages have 1 MiB. */
enum { MEGABYTE = 1024 * 1024, MEMORY_BASE = 1024, MEMORY_A_COLUMN = 4 /* in MEGABYTE */ };

typedef struct parquet_column {
    const char *name;
    bool is_read;
    size_t place; /* among the columns that are read */
    hr_arrow_column cells;
} parquet_column;

typedef struct parquet_rows {
    hr_byte_stream stream;
    const hr_parquet_module *module;
    hr_parquet_file *file;
    struct ArrowSchema schema;
    parquet_column *columns;
    size_t column_count;
    int *read; /* indices of the columns that are read */
    size_t read_count;
    size_t group, end; /* that is read, or is next; behind the last one */
    bool in_group;
    int64_t group_rows;     /* of this group so far */
    struct ArrowArray rows; /* that wait; release is NULL: none do */
    int64_t at, count;      /* among them */
    uint64_t line;          /* of the next row: the header's is 1 */
    hr_buffer lines;        /* as CSV; the first `taken` bytes were given */
    size_t taken;
} parquet_rows;

/* ---- Failures ---- */

static const char negative_rows[] = "a number of rows is negative, or cannot be read";

static hr_status fail_parquet(hr_parquet_result result, const char *message, hr_error *err) {
    static const char damaged[] = "is the file whole? write it again, or copy it again";
    switch (result) {
    case HR_PARQUET_MEMORY: return hr_fail_memory(err);
    case HR_PARQUET_LARGE:
        return hr_fail(err, HR_E_LIMIT, "write the table with pages of 1 MiB, as is usual",
                       "the file takes more than %d MiB and %d MiB a column to read, or more than there are",
                       MEMORY_BASE, MEMORY_A_COLUMN);
    case HR_PARQUET_UNSUPPORTED:
        return hr_fail(err, HR_E_ABSENT, "write the table with another compression, or without the feature",
                       "this build of Arrow cannot read the file: %s", message);
    default:
        return hr_fail(err, HR_E_FORMAT, damaged, "the Parquet file is damaged, or no such file: %s",
                       message);
    }
}

/* All columns of a group were to be read together: the first that cannot be read alone is named. */
static void name_column(parquet_rows *p, hr_error *err) {
    char message[HR_PARQUET_MESSAGE];
    for (size_t i = 0; i < p->read_count; i++) {
        hr_parquet_result result = p->module->start(p->file, p->group, &p->read[i], 1, message);
        struct ArrowArray rows = {0};
        for (bool more = !result; more; more = !result && rows.release) {
            if (rows.release) rows.release(&rows);
            result = p->module->next(p->file, &rows, message);
        }
        if (rows.release) rows.release(&rows);
        if (!result) continue;
        hr_fail_at(err, HR_E_FORMAT, NULL, 0, 0, p->columns[p->read[i]].name);
        return;
    }
}

static hr_status fail_group(parquet_rows *p, hr_parquet_result result, const char *message, hr_error *err) {
    char placed[HR_PARQUET_MESSAGE + 64];
    snprintf(placed, sizeof placed, "row group %zu: %s", p->group + 1, message);
    const hr_status status = fail_parquet(result, placed, err);
    if (result == HR_PARQUET_DAMAGED || result == HR_PARQUET_UNSUPPORTED) name_column(p, err);
    return status;
}

/* ---- Opening ---- */

static hr_status take_file(const hr_parquet_module *module, int file, hr_parquet_file **out, hr_error *err) {
    char message[HR_PARQUET_MESSAGE];
    struct stat about;
    if (fstat(file, &about) || !S_ISREG(about.st_mode))
        return hr_fail(err, HR_E_ARGUMENT, "give the path of the file",
                       "a Parquet file cannot be read from a pipe, since its end is read first");
    const int64_t columns = about.st_size / 64; /* each takes more bytes of the file */
    const int64_t memory = (MEMORY_BASE + MEMORY_A_COLUMN * (columns < 65536 ? columns : 65536)) * MEGABYTE;
    const int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return hr_fail(err, HR_E_IO, "close other files, or raise the limit of open files",
                       "cannot read the file: %s", strerror(errno));
    const hr_parquet_result result = module->open(own, memory, out, message);
    return result ? fail_parquet(result, message, err) : HR_OK;
}

static hr_status take_columns(parquet_rows *p, const hr_column_choice *choice, hr_error *err) {
    char message[HR_PARQUET_MESSAGE];
    const hr_parquet_result result = p->module->schema(p->file, &p->schema, message);
    if (result) return fail_parquet(result, message, err);
    p->column_count = (size_t)p->schema.n_children;
    if (!p->column_count)
        return hr_fail(err, HR_E_FORMAT, "write a table with a label", "the Parquet file has no columns");
    p->columns = calloc(p->column_count, sizeof *p->columns);
    p->read = calloc(p->column_count, sizeof *p->read);
    hr_status status = p->columns && p->read ? HR_OK : hr_fail_memory(err);
    for (size_t i = 0; !status && i < p->column_count; i++) {
        parquet_column *column = &p->columns[i];
        const char *name = column->name = p->schema.children[i]->name;
        size_t size = strlen(name);
        if (i) hr_buffer_add(&p->lines, ",", 1);
        hr_buffer_quote(&p->lines, name, size);
        hr_text_trim(&name, &size);
        column->is_read = !choice || !choice->reads || choice->reads(choice->of, name, size);
        if (!column->is_read) continue;
        column->place = p->read_count;
        p->read[p->read_count++] = (int)i;
        status = hr_arrow_column_init(p->schema.children[i], &column->cells, err);
    }
    hr_buffer_add(&p->lines, "\n", 1);
    return status;
}

/* ---- Rows ---- */

static void release_rows(parquet_rows *p) {
    if (p->rows.release) p->rows.release(&p->rows);
    p->rows.release = NULL;
    p->at = p->count = 0;
}

/* Goes on until a row waits, or all were read. */
static hr_status find_rows(parquet_rows *p, hr_error *err) {
    char message[HR_PARQUET_MESSAGE];
    while (p->at >= p->count && p->group < p->end) {
        const int64_t promised = p->module->rows(p->file, p->group);
        hr_parquet_result result = HR_PARQUET_DONE;
        release_rows(p);
        if (promised < 0) return fail_group(p, HR_PARQUET_DAMAGED, negative_rows, err);
        if (!p->in_group) {
            p->in_group = true;
            p->group_rows = p->read_count ? 0 : promised;
            p->count = p->group_rows;
            if (p->read_count) result = p->module->start(p->file, p->group, p->read, p->read_count, message);
            if (result) return fail_group(p, result, message, err);
            continue;
        }
        if (p->read_count) result = p->module->next(p->file, &p->rows, message);
        if (result) return fail_group(p, result, message, err);
        p->count = p->rows.release ? p->rows.length : 0;
        p->group_rows += p->count;
        if (p->rows.release) continue;
        snprintf(message, sizeof message, "it has %lld rows, and its head promises %lld",
                 (long long)p->group_rows, (long long)promised);
        if (p->group_rows != promised) return fail_group(p, HR_PARQUET_DAMAGED, message, err);
        p->group++;
        p->in_group = false;
    }
    return HR_OK;
}

static hr_status write_row(parquet_rows *p, hr_error *err) {
    const size_t begin = p->lines.size;
    for (size_t i = 0; i < p->column_count; i++) {
        const parquet_column *column = &p->columns[i];
        if (i) hr_buffer_add(&p->lines, ",", 1);
        if (!column->is_read) continue;
        const struct ArrowArray *cells = p->rows.children[column->place];
        const hr_status status = hr_arrow_cell_write(&column->cells, cells, p->at, &p->lines, err);
        if (status) return hr_fail_at(err, status, NULL, p->line, 0, column->name);
    }
    if (p->lines.size == begin) hr_buffer_text(&p->lines, "\"\""); /* an empty line would be no record */
    hr_buffer_add(&p->lines, "\n", 1);
    p->line++;
    p->at++;
    return HR_OK;
}

static hr_status read_parquet(hr_byte_stream *stream, char *to, size_t room, size_t *size, hr_error *err) {
    parquet_rows *p = (parquet_rows *)(void *)stream;
    if (p->taken == p->lines.size) p->taken = p->lines.size = 0;
    while (p->lines.size < room) {
        hr_status status = find_rows(p, err);
        if (!status && p->at >= p->count) break;
        if (!status) status = write_row(p, err);
        if (status) return status;
        if (p->lines.failed) return hr_fail_memory(err);
    }
    *size = p->lines.size - p->taken < room ? p->lines.size - p->taken : room;
    if (*size) memcpy(to, p->lines.bytes + p->taken, *size);
    p->taken += *size;
    return HR_OK;
}

static void free_parquet(hr_byte_stream *stream) {
    parquet_rows *p = (parquet_rows *)(void *)stream;
    release_rows(p);
    if (p->schema.release) p->schema.release(&p->schema);
    if (p->file) p->module->close(p->file);
    free(p->columns);
    free(p->read);
    hr_buffer_done(&p->lines);
    free(p);
}

hr_status hr_parquet_open(int file, const hr_column_choice *columns, const hr_byte_range *range,
                          hr_byte_stream **out, hr_error *err) {
    parquet_rows *p = malloc(sizeof *p);
    if (!p) return hr_fail_memory(err);
    *p = (parquet_rows){.stream = {read_parquet, free_parquet}, .line = range ? range->line : 2};
    hr_status status = hr_parquet_load(&p->module, err);
    if (!status) status = take_file(p->module, file, &p->file, err);
    if (!status) status = take_columns(p, columns, err);
    if (!status && p->lines.failed) status = hr_fail_memory(err);
    if (!status) p->end = p->module->groups(p->file);
    if (!status && range) {
        p->group = (size_t)range->begin;
        if (range->end < p->end) p->end = (size_t)range->end;
    }
    if (status)
        free_parquet(&p->stream);
    else
        *out = &p->stream;
    return status;
}

hr_status hr_parquet_groups(int file, hr_row_groups *out, hr_error *err) {
    const hr_parquet_module *module;
    hr_parquet_file *parquet = NULL;
    hr_status status = hr_parquet_load(&module, err);
    if (!status) status = take_file(module, file, &parquet, err);
    if (status) return status;
    uint64_t rows = 0;
    const size_t count = module->groups(parquet);
    *out = (hr_row_groups){calloc(count + 1, sizeof *out->ends), count};
    if (!out->ends) status = hr_fail_memory(err);
    for (size_t g = 0; !status && g < count; g++) {
        const int64_t more = module->rows(parquet, g);
        if (more < 0)
            status = fail_parquet(HR_PARQUET_DAMAGED, negative_rows, err);
        else if (more > UINT32_MAX || rows + (uint64_t)more > UINT32_MAX)
            status = hr_fail(err, HR_E_LIMIT, "train on a part of the records", "the file has too many rows");
        else
            out->ends[g] = rows += (uint64_t)more;
    }
    module->close(parquet);
    if (!status) return HR_OK;
    free(out->ends);
    *out = (hr_row_groups){0};
    return status;
}
