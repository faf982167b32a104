/* What stands before the header of a CSV table: a byte order mark, lines that are skipped, and the line with
 * which spreadsheets name the separator. */
#include "base/fail.h"
#include "tables/readers/cells.h"
#include "tables/readers/csv_header.h"

#include <string.h>
#include <strings.h>

/* ---- Lines that are skipped ---- */

static hr_status refuse_preamble(uint64_t count, hr_error *err) {
    return hr_fail(err, HR_E_FORMAT, "give the number of lines before the header (--skip-lines)",
                   "there is no line behind the %llu lines that are skipped", (unsigned long long)count);
}

/* Lines of text: a quotation mark in them opens nothing. */
static hr_status skip_lines(hr_lines *lines, uint64_t count, hr_error *err) {
    hr_byte_source *source = lines->source;
    for (uint64_t left = count; left;) {
        char *end = memchr(source->at, '\n', (size_t)(source->end - source->at));
        if (end) {
            source->at = end + 1;
            lines->line++;
            left--;
            continue;
        }
        if (source->ended) return refuse_preamble(count, err);
        hr_status status = hr_lines_fetch(lines, err);
        if (status) return status;
    }
    while (source->at == source->end && !source->ended) {
        hr_status status = hr_lines_fetch(lines, err);
        if (status) return status;
    }
    lines->limit = lines->at = lines->line_start = source->at;
    return source->at == source->end ? refuse_preamble(count, err) : HR_OK;
}

hr_status hr_csv_start(hr_lines *lines, hr_byte_source *source, const hr_read_options *options,
                       hr_error *err) {
    hr_status status = hr_lines_start(lines, source, options->quote == HR_QUOTE_DOUBLE, err);
    return status || !options->skip_lines ? status : skip_lines(lines, options->skip_lines, err);
}

/* ---- The line that names the separator ---- */

/* The separator in "sep=;", with quotation marks around it or not; *end gets the line's end. NUL: it is
 * another line. */
static char separator_of_line(const char *p, const char **end) {
    static const char word[] = "sep=";
    const bool quoted = *p == '"';
    p += quoted;
    if (strncasecmp(p, word, sizeof word - 1) != 0) return '\0';
    p += sizeof word - 1;
    const char found = *p++;
    if (strchr("\r\n\"", found)) return '\0';
    if (quoted && *p++ != '"') return '\0';
    if (*p == '\r') p++;
    *end = p;
    return *p == '\n' ? found : '\0';
}

hr_status hr_csv_take_separator(hr_lines *lines, hr_separator *given, hr_error *err) {
    static const char separators[] = ",;\t|";
    const char *end, found = separator_of_line(lines->at, &end),
                     *at = found ? strchr(separators, found) : NULL;
    if (!found) return HR_OK;
    hr_status status = HR_OK;
    if (!at)
        status = hr_fail(err, HR_E_FORMAT, "separate the cells by comma, semicolon, tab or pipe",
                         "the line 'sep=' names another separator");
    else if (*given && *given != (hr_separator)(at - separators + 1))
        status = hr_fail(err, HR_E_FORMAT, "leave --separator out, or correct the line",
                         "the line 'sep=' names another separator than is given");
    if (status) return hr_fail_at(err, status, NULL, lines->line, 0, NULL);
    *given = (hr_separator)(at - separators + 1);
    lines->at += end + 1 - lines->at;
    lines->line_start = lines->at;
    lines->line++;
    return HR_OK;
}
