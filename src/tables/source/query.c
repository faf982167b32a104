#include "tables/source/query.h"

#include "base/byte_source.h"
#include "base/fail.h"
#include "base/text/text.h"

#include <stdlib.h>
#include <string.h>

static bool ends_query(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ';';
}

static hr_status take_query(const hr_byte_source *source, hr_query *query, hr_error *err) {
    const char *from = source->at;
    size_t size = (size_t)(source->end - from);
    if (size > HR_QUERY_MAX)
        return hr_fail(err, HR_E_LIMIT, "make it a view of the database, and select from that",
                       "the query has more than %d bytes", HR_QUERY_MAX);
    if (size >= 3 && memcmp(from, "\xef\xbb\xbf", 3) == 0) {
        from += 3;
        size -= 3;
    }
    if (!hr_utf8_valid(from, size))
        return hr_fail(err, HR_E_FORMAT, "save the file as UTF-8", "the query is not UTF-8");
    while (size && ends_query(from[size - 1])) size--;
    if (!size) return hr_fail(err, HR_E_FORMAT, "write one SQL query into it", "the file holds no query");
    query->text = malloc(size + 1);
    if (!query->text) return hr_fail_memory(err);
    memcpy(query->text, from, size);
    query->text[size] = '\0';
    return HR_OK;
}

hr_status hr_query_read(const char *path, hr_query *out, hr_error *err) {
    hr_byte_source source;
    *out = (hr_query){.path = path};
    hr_status status = hr_byte_source_fill(&source, path, HR_QUERY_MAX, err);
    if (!status) status = take_query(&source, out, err);
    hr_byte_source_done(&source);
    return status ? hr_fail_at(err, status, path, 0, 0, NULL) : HR_OK;
}

void hr_query_done(hr_query *query) {
    free(query->text);
    query->text = NULL;
}

hr_status hr_query_fail_at(const hr_query *query, size_t at, hr_status status, hr_error *err) {
    uint64_t line = 1;
    if (at > strlen(query->text)) return hr_fail_at(err, status, query->path, 0, 0, NULL);
    for (size_t i = 0; i < at; i++) line += query->text[i] == '\n';
    return hr_fail_at(err, status, query->path, line, 0, NULL);
}
