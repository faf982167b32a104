/* Everything printed for people goes through here, so that all commands report alike. */
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_WIDTH = 80, BAR_WIDTH = 40 };

static void print_name(const char *name) {
    fprintf(stderr, "hedgerow%s%s: ", name[0] != '\0' ? " " : "", name);
}

int usage_error(const char *name, const char *format, ...) {
    print_name(name);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n'hedgerow%s%s --help' lists the options.\n", name[0] != '\0' ? " " : "", name);
    return EXIT_USAGE;
}

int error_exit_code(const hr_error *err) {
    switch (err->status) {
    case HR_E_POLICY:
    case HR_E_BUDGET: return EXIT_REFUSED;
    case HR_E_ARGUMENT: return EXIT_USAGE;
    case HR_E_ABSENT: return EXIT_ABSENT;
    case HR_E_BUSY: return EXIT_BUSY;
    default: return EXIT_FAILED;
    }
}

int report_error(const char *name, const hr_error *err) {
    char text[2048];
    hr_error_format(err, text, sizeof text);
    print_name(name);
    fprintf(stderr, "%s\n", text);
    return error_exit_code(err);
}

hr_status fail_io(hr_error *err, const char *path, const char *what, const char *remedy) {
    const char *reason = strerror(errno);
    *err = (hr_error){.status = HR_E_IO};
    snprintf(err->file, sizeof err->file, "%s", strcmp(path, "-") == 0 ? "standard output" : path);
    snprintf(err->message, sizeof err->message, "%s: %s", what, reason);
    snprintf(err->remedy, sizeof err->remedy, "%s", remedy);
    return HR_E_IO;
}

hr_status fail_argument(hr_error *err, const char *message, const char *remedy) {
    *err = (hr_error){.status = HR_E_ARGUMENT};
    snprintf(err->message, sizeof err->message, "%s", message);
    snprintf(err->remedy, sizeof err->remedy, "%s", remedy);
    return HR_E_ARGUMENT;
}

hr_status fail_memory(hr_error *err) {
    *err = (hr_error){.status = HR_E_MEMORY, .message = "out of memory"};
    return HR_E_MEMORY;
}

void print_wrapped(FILE *out, const char *text, size_t indent) {
    size_t column = indent;
    for (const char *word = text; *word != '\0';) {
        const size_t length = strcspn(word, " \n");
        if (column > indent && column + 1 + length > LINE_WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        const bool spaced = column > indent;
        fprintf(out, "%s%.*s", spaced ? " " : "", (int)length, word);
        column += length + spaced;
        word += length;
        if (*word == '\n') {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        if (*word != '\0') word++;
    }
    fputc('\n', out);
}

int text_width(const char *text) {
    int width = 0;
    for (; *text != '\0'; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

void print_padded(FILE *out, const char *text, int width) {
    const int pad = abs(width) - text_width(text);
    const int left = width < 0 && pad > 0 ? pad : 0, right = width > 0 && pad > 0 ? pad : 0;
    fprintf(out, "%*s%s%*s", left, "", text, right, "");
}

static bool needs_quotes(const char *text) {
    if (strpbrk(text, ",\"\r\n") != NULL) return true;
    return text[0] == ' ' || (text[0] != '\0' && text[strlen(text) - 1] == ' ');
}

void print_csv_field(FILE *out, const char *prefix, const char *text) {
    if (!needs_quotes(text)) {
        fprintf(out, "%s%s", prefix, text);
        return;
    }
    fprintf(out, "\"%s", prefix);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void print_metric(FILE *out, const char *name, int width, double value) {
    if (isnan(value)) {
        fprintf(out, "%-*s -\n", width, name);
    } else {
        fprintf(out, "%-*s %.4g\n", width, name, value);
    }
}

/* ---- Progress ---- */

void progress_init(progress_bar *bar, bool wanted) {
    *bar = (progress_bar){.visible = wanted && isatty(STDERR_FILENO), .shown = -1};
}

bool progress_step(void *user, size_t done, size_t total) {
    progress_bar *bar = user;
    if (!bar->visible || total == 0) return true;
    const double part = (double)done / (double)total;
    const int percent = (int)(100 * part);
    if (percent == bar->shown) return true;
    bar->shown = percent;
    const int filled = (int)(BAR_WIDTH * part);
    fprintf(stderr, "\r[%.*s%*s] %3d%%", filled, "########################################",
            BAR_WIDTH - filled, "", percent);
    fflush(stderr);
    return true;
}

void progress_clear(progress_bar *bar) {
    if (bar->visible && bar->shown >= 0) fprintf(stderr, "\r%*s\r", BAR_WIDTH + 8, "");
    bar->shown = -1;
}
