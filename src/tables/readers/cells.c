/* The general tokenizer: right for every cell, and fast where cells are words. Plain numbers take the
 * shorter way of csv_records.c. */
#include "tables/readers/cells.h"

#include "base/fail.h"
#include "base/text/text.h"

#include <string.h>

static char *skip_cell_blanks(const hr_lines *lines, char *p) {
    while (*p == ' ' || *p == lines->blank) p++;
    return p;
}

bool hr_cells_skip_empty(hr_lines *lines) {
    while (lines->at < lines->limit) {
        char *p = skip_cell_blanks(lines, lines->at);
        if (*p == '\r') p++;
        if (*p != '\n') return true;
        lines->at = lines->line_start = p + 1;
        lines->line++;
    }
    return false;
}

static hr_status refuse_cell(const hr_lines *lines, const char *where, const char *remedy,
                             const char *message, hr_error *err) {
    hr_fail(err, HR_E_FORMAT, remedy, "%s", message);
    return hr_lines_place(lines, where, HR_E_FORMAT, err);
}

/* Takes the separator or line end at p. */
static hr_status take_end(hr_lines *lines, char *p, hr_csv_cell *cell, hr_error *err) {
    if (*p == '\r' && p[1] == '\n') p++;
    if (*p == lines->separator) {
        cell->last = false;
        lines->at = p + 1;
        return HR_OK;
    }
    switch (*p) {
    case '\n':
        cell->last = true;
        lines->line++;
        lines->line_start = p + 1;
        break;
    case '\r':
        return refuse_cell(lines, p, "convert the line ends to LF or CR LF",
                           "a carriage return without a line feed", err);
    case '"':
        return refuse_cell(lines, p,
                           "put the whole cell in quotation marks and double the marks inside it, or "
                           "read marks as letters (--quote none)",
                           "a quotation mark inside a cell that does not begin with one", err);
    default:
        return refuse_cell(lines, p, "end the cell there, and double quotation marks inside quoted cells",
                           "text after a closing quotation mark", err);
    }
    lines->at = p + 1;
    return HR_OK;
}

/* Moves from an opening mark to its closing one, undoing doubled marks in place. The cell's text ends at
 * *end. */
static hr_status take_quoted(hr_lines *lines, char *open, char **end, char **after, hr_error *err) {
    char *to = open + 1, *from = to;
    uint64_t line = lines->line;
    char *line_start = lines->line_start;
    for (;;) {
        char *mark = memchr(from, '"', (size_t)(lines->limit - from));
        if (!mark)
            return refuse_cell(lines, open, "close it, or read marks as letters (--quote none)",
                               "a quotation mark that is never closed", err);
        for (char *p = from; (p = memchr(p, '\n', (size_t)(mark - p)));) {
            line++;
            line_start = ++p;
        }
        if (to != from) memmove(to, from, (size_t)(mark - from));
        to += mark - from;
        from = mark + 1;
        if (*from != '"') break;
        *to++ = '"';
        from++;
    }
    lines->line = line;
    lines->line_start = line_start;
    *end = to;
    *after = from;
    return HR_OK;
}

/* Of a cell without quotation marks around it; records end in LF. */
static char *find_plain_end(const hr_lines *lines, char *p) {
    const char *end = lines->kernels->find_cell_end(p, lines->separator);
    while (*end == '"' && !lines->quotes) end = lines->kernels->find_cell_end(end + 1, lines->separator);
    return p + (end - p);
}

hr_status hr_cells_next(hr_lines *lines, hr_csv_cell *cell, hr_error *err) {
    char *from = lines->at, *p = skip_cell_blanks(lines, from), *end = p;
    cell->where = from;
    if (*p == '"' && lines->quotes) {
        from = p + 1;
        end = from + (lines->kernels->find_cell_end(from, '"') - from);
        hr_status status = HR_OK;
        if (*end == '"' && end[1] != '"')
            p = end + 1; /* no marks and no line ends inside */
        else
            status = take_quoted(lines, p, &end, &p, err);
        if (status) return status;
        p = skip_cell_blanks(lines, p);
    } else {
        p = end = find_plain_end(lines, p);
    }
    cell->text = from;
    cell->size = (size_t)(end - from);
    hr_text_trim(&cell->text, &cell->size);
    return take_end(lines, p, cell, err);
}
