/* Where records end is decided before any is parsed, so that a parser never meets half a record. */
#include "tables/readers/lines.h"

#include "base/fail.h"

#include <string.h>

/* Past the last '\n' with an even number of quotation marks before it, or `from`. Whole records hold an even
 * number, because every mark in them opens, closes or is doubled; in a malformed one the parser stops at the
 * first mark out of place. */
static char *whole_records(const hr_lines *lines, char *from, char *to) {
    const bool quotes = lines->quotes;
    size_t marks = quotes ? lines->kernels->count_bytes(from, (size_t)(to - from), '"') : 0;
    for (; to > from; to--) {
        if (to[-1] == '\n' && marks % 2 == 0) return to;
        marks -= quotes && to[-1] == '"';
    }
    return from;
}

static hr_status refuse_nul(const hr_lines *lines, hr_error *err) {
    const char *from = lines->source->at, *end = lines->source->end;
    const char *nul = memchr(from, 0, (size_t)(end - from));
    if (!nul) return HR_OK;
    hr_fail(err, HR_E_FORMAT,
            "this is not a text table, or is not UTF-8: convert it (for example from UTF-16)", "a NUL byte");
    return hr_fail_at(err, HR_E_FORMAT, NULL,
                      lines->line + lines->kernels->count_bytes(from, (size_t)(nul - from), '\n'), 0, NULL);
}

hr_status hr_lines_fetch(const hr_lines *lines, hr_error *err) {
    hr_status status = hr_byte_source_more(lines->source, err);
    const bool placed = err && err->line; /* by the stream of the source */
    if (status) return hr_fail_at(err, status, NULL, placed ? 0 : lines->line, 0, NULL);
    return refuse_nul(lines, err);
}

hr_status hr_lines_more(hr_lines *lines, hr_error *err) {
    hr_byte_source *source = lines->source;
    source->at = lines->limit;
    char *whole = whole_records(lines, source->at, source->end);
    while (whole == source->at && !source->ended) {
        hr_status status = hr_lines_fetch(lines, err);
        if (status) return status;
        whole = whole_records(lines, source->at, source->end);
    }
    if (source->ended) {
        if (source->end > source->at && source->end[-1] != '\n') *source->end++ = '\n';
        whole = source->end;
    }
    lines->at = lines->line_start = source->at;
    lines->limit = whole;
    return HR_OK;
}

hr_status hr_lines_start(hr_lines *lines, hr_byte_source *source, bool quotes, hr_error *err) {
    *lines = (hr_lines){.source = source,
                        .quotes = quotes,
                        .separator = ',',
                        .blank = '\t',
                        .line = 1,
                        .kernels = hr_kernels_get()};
    hr_status status = refuse_nul(lines, err); /* in what waits already */
    while (!status && !source->ended && source->end - source->at < 3) status = hr_lines_fetch(lines, err);
    if (status) return status;
    if (source->end - source->at >= 3 && memcmp(source->at, "\xef\xbb\xbf", 3) == 0) source->at += 3;
    if (source->ended && source->at == source->end)
        return hr_fail(err, HR_E_FORMAT, "is it the right one? its first line names the columns",
                       "the file is empty");
    lines->limit = lines->at = lines->line_start = source->at;
    return HR_OK;
}

hr_status hr_lines_enter_range(hr_lines *lines, const hr_byte_range *range, hr_byte_source *of_range,
                               hr_error *err) {
    hr_byte_stream *stream;
    if (range->of_groups) {
        lines->line = range->line;
        return HR_OK;
    }
    hr_status status = hr_file_range_open(lines->source->file, range, &stream, err);
    if (!status) status = hr_byte_source_open_stream(of_range, stream, err);
    if (status) return status;
    lines->source = of_range;
    lines->at = lines->limit = lines->line_start = of_range->at;
    lines->line = range->line;
    return HR_OK;
}

hr_status hr_lines_place(const hr_lines *lines, const char *where, hr_status status, hr_error *err) {
    return hr_fail_at(err, status, NULL, lines->line, (uint64_t)(where - lines->line_start) + 1, NULL);
}
