/* A table as two parts, byte for byte, in one pass. A tap keeps the bytes as they are in the source, since
 * the reader of cells changes them in place. */
#include "base/buffer.h"
#include "base/fail.h"
#include "tables/formats/formats.h"
#include "tables/formats/split_side.h"
#include "tables/readers/cells.h"

#include <string.h>

typedef struct table_parts {
    hr_byte_tap tap; /* of the source; the first field */
    hr_buffer raw;   /* bytes of the source that were not written yet, and those behind them */
    size_t added;    /* bytes that the source has behind them: a line end that the text lacks; 0 or 1 */
    hr_read_options reading;
    hr_split_options options;
    const hr_table_format *format;
    hr_lines lines;
    hr_csv_header header;
    size_t unit;     /* its column; SIZE_MAX: none */
    const char *end; /* of a line that lacks one */
    hr_split_side side;
    hr_split_counts counts;
    hr_error *err;
} table_parts;

/* ---- Bytes as they are ---- */

static void keep_bytes(hr_byte_tap *tap, const char *bytes, size_t size) {
    hr_buffer_add(&((table_parts *)(void *)tap)->raw, bytes, size);
}

/* Where a place of the source is in the raw bytes. */
static size_t raw_offset(const table_parts *p, const char *at) {
    return p->raw.size + p->added - (size_t)(p->lines.source->end - at);
}

static hr_status write_raw(const table_parts *p, bool test, size_t begin, size_t end) {
    const hr_split_options *o = &p->options;
    const bool is_cut = end > p->raw.size;
    hr_status status = o->write(o->user, test, p->raw.bytes + begin, end - begin - is_cut, p->err);
    return status || !is_cut ? status : o->write(o->user, test, p->end, strlen(p->end), p->err);
}

/* The next records. */
static hr_status read_on(table_parts *p) {
    const hr_byte_source *source = p->lines.source;
    if (p->lines.at == p->lines.limit && p->raw.size) {
        size_t taken = raw_offset(p, p->lines.limit);
        if (taken > p->raw.size) taken = p->raw.size;
        p->raw.size -= taken;
        memmove(p->raw.bytes, p->raw.bytes + taken, p->raw.size);
        if (taken && !p->raw.size) p->added = 0;
    }
    hr_status status = hr_lines_more(&p->lines, p->err);
    if (status) return status;
    if (p->raw.failed) return hr_fail_memory(p->err);
    p->added = source->ended && p->raw.size && p->raw.bytes[p->raw.size - 1] != '\n';
    return HR_OK;
}

/* ---- Records ---- */

/* Takes the cells of the record that waits; *unit gets its unit's. */
static hr_status take_cells(table_parts *p, hr_csv_cell *unit) {
    hr_csv_cell cell = {0};
    const uint64_t line = p->lines.line;
    const size_t count = p->header.count;
    for (size_t i = 0; !cell.last; i++) {
        hr_status status = hr_cells_next(&p->lines, &cell, p->err);
        if (status) return status;
        if (cell.last != (i + 1 == count))
            return hr_csv_refuse_ragged(line, i + 1, count, !cell.last, p->err);
        if (i == p->unit) *unit = cell;
    }
    if (p->unit == SIZE_MAX || unit->size) return HR_OK;
    hr_fail(p->err, HR_E_SCHEMA, "give every record an identifier, or split without --unit",
            "the identifier of the unit is missing");
    return hr_fail_at(p->err, HR_E_SCHEMA, NULL, line, 0, p->options.unit);
}

static hr_status take_record(table_parts *p) {
    const size_t begin = raw_offset(p, p->lines.at);
    hr_csv_cell unit = {0};
    if (p->format->separated) {
        hr_status status = take_cells(p, &unit);
        if (status) return status;
    } else { /* a line is a record */
        p->lines.at = (char *)memchr(p->lines.at, '\n', (size_t)(p->lines.limit - p->lines.at)) + 1;
        p->lines.line++;
    }
    const bool test = p->unit == SIZE_MAX
                          ? hr_split_side_is_test_record(&p->side, p->counts.train + p->counts.test)
                          : hr_split_side_is_test(&p->side, unit.text, unit.size);
    *(test ? &p->counts.test : &p->counts.train) += 1;
    return write_raw(p, test, begin, raw_offset(p, p->lines.at));
}

/* ---- The table ---- */

static hr_status find_unit(table_parts *p) {
    const char *name = p->options.unit;
    p->unit = SIZE_MAX;
    if (!name) return HR_OK;
    if (!p->format->separated)
        return hr_fail(p->err, HR_E_ARGUMENT, "leave --unit out", "the columns of a %s table have no names",
                       p->format->name);
    for (size_t i = 0; i < p->header.count; i++) {
        if (strcmp(p->header.names[i], name) != 0) continue;
        if (p->unit != SIZE_MAX) {
            hr_fail(p->err, HR_E_FORMAT, "rename one of them", "two columns of the table have this name");
            return hr_fail_at(p->err, HR_E_FORMAT, NULL, 0, 0, name);
        }
        p->unit = i;
    }
    return p->unit == SIZE_MAX ? hr_csv_refuse_missing(&p->header, name, p->err) : HR_OK;
}

/* What stands before the records is in both parts. */
static hr_status begin_parts(table_parts *p, hr_byte_source *source, hr_arena *arena) {
    hr_status status = p->format->separated ? hr_csv_start(&p->lines, source, &p->reading, p->err)
                                            : hr_lines_start(&p->lines, source, false, p->err);
    if (!status && p->format->separated)
        status = hr_csv_read_header(&p->lines, &p->reading, arena, &p->header, p->err);
    if (!status && p->raw.failed) status = hr_fail_memory(p->err);
    if (!status) status = find_unit(p);
    if (status) return status;
    p->added = p->format->separated && source->ended && p->raw.bytes[p->raw.size - 1] != '\n';
    const size_t size = raw_offset(p, p->lines.at);
    p->end = size > 1 && size <= p->raw.size && p->raw.bytes[size - 2] == '\r' ? "\r\n" : "\n";
    status = write_raw(p, false, 0, size);
    return status ? status : write_raw(p, true, 0, size);
}

static hr_status split_source(table_parts *p, hr_byte_source *source, hr_arena *arena) {
    hr_status status = hr_table_format_find(&p->reading, source, &p->format, p->err);
    if (!status) status = hr_table_format_check(p->format, &p->reading, p->err);
    if (status) return status;
    hr_byte_source_tap(source, &p->tap);
    status = begin_parts(p, source, arena);
    while (!status) {
        while (!status && hr_cells_skip_empty(&p->lines)) status = take_record(p);
        if (!status) status = read_on(p);
        if (p->lines.at == p->lines.limit) break;
    }
    const uint64_t records = p->counts.train + p->counts.test;
    if (status || (p->counts.train && p->counts.test)) return status;
    if (!records)
        return hr_fail(p->err, HR_E_SCHEMA, "give a table with records below its header",
                       "the table has no records");
    return hr_fail(p->err, HR_E_SCHEMA,
                   "split a table of more records or people, or give another share or seed",
                   "all records (%llu) would be in the %s part", (unsigned long long)records,
                   p->counts.train ? "train" : "test");
}

/* ---- The public way in ---- */

static hr_status take_split_options(table_parts *p, const hr_split_options *given) {
    static const hr_sized kind = {sizeof p->options, sizeof(size_t), "start from HR_SPLIT_OPTIONS_INIT"};
    hr_status status = hr_sized_take(&kind, given, &p->options, p->err);
    if (!status) status = hr_read_options_take(p->options.reading, &p->reading, p->err);
    if (status) return status;
    if (!p->options.write)
        return hr_fail(p->err, HR_E_ARGUMENT, "give a function", "nothing takes the parts");
    p->reading.drop_count = 0;
    return hr_split_side_init(&p->options, &p->side, p->err);
}

hr_status hr_table_split(const char *path, const hr_split_options *options, hr_split_counts *out,
                         hr_error *err) {
    table_parts p = {.tap = {keep_bytes}, .options = HR_SPLIT_OPTIONS_INIT, .err = err};
    hr_byte_source source = {.file = -1};
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? take_split_options(&p, options) : hr_fail_memory(err);
    if (!status) {
        const hr_table_place place = {
            .path = path, .query = p.reading.query, .as_written = p.reading.quote || p.reading.skip_lines};
        status = hr_table_open(&place, NULL, &source, err);
        if (!status) {
            status = split_source(&p, &source, arena);
            const bool names_part = err && err->file[0];
            if (status && !names_part) hr_table_source_fail_at(&place, p.reading.name, status, err);
        }
    }
    if (!status) *out = p.counts;
    hr_byte_source_done(&source);
    hr_buffer_done(&p.raw);
    hr_arena_free(arena);
    return status;
}
