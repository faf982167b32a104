#include "tables/source/arff.h"

#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct arff_stream {
    hr_byte_stream stream;
    hr_byte_source from;
    uint64_t line;   /* that is converted, from 1 */
    hr_buffer names; /* of the attributes so far, as a line of CSV without its end */
    bool in_data;    /* @data has come */
    hr_buffer csv;   /* what was converted last */
    size_t given;    /* bytes of it */
} arff_stream;

/* A part of one line. */
typedef struct arff_text {
    const char *at, *end;
} arff_text;

/* ---- Words ---- */

static bool is_arff_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(arff_text *text) {
    while (text->at < text->end && is_arff_blank(*text->at)) text->at++;
}

static arff_text trim(const char *at, const char *end) {
    arff_text text = {at, end};
    skip_blanks(&text);
    while (text.end > text.at && is_arff_blank(text.end[-1])) text.end--;
    return text;
}

/* Whether the text begins with a word, in letters of any case, and a blank or the end; skips it then. */
static bool take_word(arff_text *text, const char *word) {
    const size_t size = strlen(word), left = (size_t)(text->end - text->at);
    if (left < size || strncasecmp(text->at, word, size) != 0) return false;
    if (left > size && !is_arff_blank(text->at[size])) return false;
    text->at += size;
    skip_blanks(text);
    return true;
}

static hr_status refuse_arff(const arff_stream *a, const char *message, const char *remedy, hr_error *err) {
    hr_fail(err, HR_E_FORMAT, remedy, "%s", message);
    return hr_fail_at(err, HR_E_FORMAT, NULL, a->line, 0, NULL);
}

/* ---- Cells ---- */

static void add_quoted_byte(hr_buffer *out, char byte) {
    hr_buffer_add(out, &byte, 1);
    if (byte == '"') hr_buffer_add(out, &byte, 1);
}

/* What a backslash and this byte stand for. */
static char unescape(char byte) {
    return byte == 'n' ? '\n' : byte == 't' ? '\t' : byte == 'r' ? '\r' : byte;
}

/* Takes what stands in quotation marks, of either kind, and adds it as a cell of CSV. */
static hr_status take_quoted(const arff_stream *a, arff_text *text, hr_buffer *out, hr_error *err) {
    const char mark = *text->at++;
    hr_buffer_text(out, "\"");
    for (; text->at < text->end && *text->at != mark; text->at++) {
        const bool escaped = *text->at == '\\' && text->at + 1 < text->end;
        if (escaped) text->at++;
        add_quoted_byte(out, escaped ? unescape(*text->at) : *text->at);
    }
    hr_buffer_text(out, "\"");
    if (text->at == text->end)
        return refuse_arff(a, "a quotation mark is never closed", "close it in the same line", err);
    text->at++;
    skip_blanks(text);
    return HR_OK;
}

static void add_plain(hr_buffer *out, arff_text cell) {
    const size_t size = (size_t)(cell.end - cell.at);
    if (size == 1 && *cell.at == '?') {
        hr_buffer_text(out, "\"\"");
    } else if (!memchr(cell.at, '"', size)) {
        hr_buffer_add(out, cell.at, size);
    } else {
        hr_buffer_text(out, "\"");
        while (cell.at < cell.end) add_quoted_byte(out, *cell.at++);
        hr_buffer_text(out, "\"");
    }
}

static hr_status take_cell(arff_stream *a, arff_text *text, hr_error *err) {
    skip_blanks(text);
    if (text->at < text->end && (*text->at == '\'' || *text->at == '"')) {
        hr_status status = take_quoted(a, text, &a->csv, err);
        if (status || text->at == text->end || *text->at == ',') return status;
        return refuse_arff(a, "text after a closing quotation mark", "put all of the cell within the marks",
                           err);
    }
    if (text->at < text->end && *text->at == '{')
        return refuse_arff(a, "sparse records and weights of records cannot be read",
                           "write every cell of the record, and no weight", err);
    const char *comma = memchr(text->at, ',', (size_t)(text->end - text->at));
    const char *end = comma ? comma : text->end;
    add_plain(&a->csv, trim(text->at, end));
    text->at = end;
    return HR_OK;
}

static hr_status convert_record(arff_stream *a, arff_text text, hr_error *err) {
    hr_status status = take_cell(a, &text, err);
    while (!status && text.at < text.end) {
        text.at++;
        hr_buffer_text(&a->csv, ",");
        status = take_cell(a, &text, err);
    }
    return status;
}

/* ---- Declarations ---- */

static bool is_type(arff_text text) {
    static const char *const words[] = {"numeric", "real", "integer", "string", "date"};
    if (text.at < text.end && *text.at == '{') return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (take_word(&text, words[i])) return true;
    return false;
}

static hr_status take_attribute(arff_stream *a, arff_text text, hr_error *err) {
    hr_status status = HR_OK;
    if (a->names.size) hr_buffer_text(&a->names, ",");
    if (text.at < text.end && (*text.at == '\'' || *text.at == '"')) {
        status = take_quoted(a, &text, &a->names, err);
    } else {
        hr_buffer_text(&a->names, "\"");
        for (; text.at < text.end && !is_arff_blank(*text.at) && *text.at != '{'; text.at++)
            add_quoted_byte(&a->names, *text.at);
        hr_buffer_text(&a->names, "\"");
        skip_blanks(&text);
    }
    if (status || is_type(text)) return status;
    return refuse_arff(a, "not an attribute of a known type",
                       "write @attribute, a name, and numeric, real, integer, string, date or {values}", err);
}

static hr_status convert_declaration(arff_stream *a, arff_text text, hr_error *err) {
    if (take_word(&text, "@relation")) return HR_OK;
    if (take_word(&text, "@attribute")) return take_attribute(a, text, err);
    if (!take_word(&text, "@data"))
        return refuse_arff(a, "not @relation, @attribute or @data", "begin comments with %", err);
    if (!a->names.size)
        return refuse_arff(a, "@data without attributes", "declare each column by @attribute", err);
    hr_buffer_add(&a->csv, a->names.bytes, a->names.size);
    a->in_data = true;
    return HR_OK;
}

/* ---- Lines ---- */

/* The next line, without its end; *found is false if there is none. */
static hr_status next_line(arff_stream *a, arff_text *line, bool *found, hr_error *err) {
    hr_byte_source *from = &a->from;
    size_t searched = 0;
    for (;;) {
        const size_t waiting = (size_t)(from->end - from->at);
        char *end = waiting > searched ? memchr(from->at + searched, '\n', waiting - searched) : NULL;
        *found = end || waiting;
        if (!end && !from->ended) {
            searched = waiting;
            hr_status status = hr_byte_source_more(from, err);
            if (status) return status;
            continue;
        }
        *line = trim(from->at, end ? end : from->end);
        from->at = end ? end + 1 : from->end;
        return HR_OK;
    }
}

/* Makes one line of CSV of the next line, or none at the end. */
static hr_status convert_line(arff_stream *a, hr_error *err) {
    arff_text line;
    bool found;
    hr_status status = next_line(a, &line, &found, err);
    a->csv.size = a->given = 0;
    if (status || (!found && a->in_data)) return status;
    a->line++;
    if (!found)
        return refuse_arff(a, "the table ends before @data", "the file was cut off: copy it again", err);
    if (line.at < line.end && *line.at != '%')
        status = a->in_data ? convert_record(a, line, err) : convert_declaration(a, line, err);
    hr_buffer_text(&a->csv, "\n");
    if (!status && (a->csv.failed || a->names.failed)) status = hr_fail_memory(err);
    return status;
}

static hr_status read_arff(hr_byte_stream *stream, char *to, size_t room, size_t *size, hr_error *err) {
    arff_stream *a = (arff_stream *)stream;
    for (*size = 0; *size < room;) {
        hr_status status = a->given == a->csv.size ? convert_line(a, err) : HR_OK;
        if (status) return status;
        size_t more = a->csv.size - a->given;
        if (!more) return HR_OK;
        if (more > room - *size) more = room - *size;
        memcpy(to + *size, a->csv.bytes + a->given, more);
        a->given += more;
        *size += more;
    }
    return HR_OK;
}

static void free_arff(hr_byte_stream *stream) {
    arff_stream *a = (arff_stream *)stream;
    hr_byte_source_done(&a->from);
    hr_buffer_done(&a->names);
    hr_buffer_done(&a->csv);
    free(a);
}

static void skip_byte_order_mark(arff_text *text) {
    if (text->end - text->at >= 3 && memcmp(text->at, "\xef\xbb\xbf", 3) == 0) text->at += 3;
}

bool hr_arff_looks(const char *bytes, size_t size) {
    arff_text text = {bytes, bytes + size};
    skip_byte_order_mark(&text);
    while (text.at < text.end) {
        const char *end = memchr(text.at, '\n', (size_t)(text.end - text.at));
        arff_text line = trim(text.at, end ? end : text.end);
        if (line.at < line.end && *line.at != '%') return take_word(&line, "@relation");
        text.at = end ? end + 1 : text.end;
    }
    return false;
}

hr_status hr_arff_open(hr_byte_source *arff, hr_byte_stream **out, hr_error *err) {
    arff_stream *a = calloc(1, sizeof *a);
    if (!a) return hr_fail_memory(err);
    a->stream = (hr_byte_stream){read_arff, free_arff};
    a->from = *arff;
    arff_text waiting = {arff->at, arff->end};
    skip_byte_order_mark(&waiting);
    a->from.at += waiting.at - arff->at;
    *arff = (hr_byte_source){.file = -1};
    *out = &a->stream;
    return HR_OK;
}
