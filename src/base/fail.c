#include "base/fail.h"

#include <hedgerow/hedgerow.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *hr_status_text(hr_status status) {
    switch (status) {
    case HR_OK: return "ok";
    case HR_E_MEMORY: return "out of memory";
    case HR_E_ARGUMENT: return "bad argument";
    case HR_E_IO: return "input/output error";
    case HR_E_FORMAT: return "malformed input";
    case HR_E_SCHEMA: return "data and schema do not fit";
    case HR_E_BUDGET: return "the privacy budget is too small";
    case HR_E_POLICY: return "refused by policy";
    case HR_E_ABSENT: return "not built in";
    case HR_E_LIMIT: return "input too large";
    case HR_E_CANCELLED: return "cancelled";
    case HR_E_JOB: return "the job ended without a model";
    case HR_E_BUSY: return "in use by another process";
    }
    return "unknown status";
}

static void copy_error_text(char *to, size_t size, const char *from) {
    snprintf(to, size, "%s", from);
}

hr_status hr_fail(hr_error *err, hr_status status, const char *remedy, const char *format, ...) {
    if (!err) return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    copy_error_text(err->remedy, sizeof err->remedy, remedy);
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return status;
}

hr_status hr_fail_at(hr_error *err, hr_status status, const char *file, uint64_t line, uint64_t column,
                     const char *field) {
    if (!err) return status;
    if (file) copy_error_text(err->file, sizeof err->file, file);
    if (line) err->line = line;
    if (column) err->column = column;
    if (field) copy_error_text(err->field, sizeof err->field, field);
    return err->status;
}

hr_status hr_fail_memory(hr_error *err) {
    return hr_fail(err, HR_E_MEMORY, "free some memory, or use fewer rows, features or bins",
                   "out of memory");
}

/* Appends to text[0..size), counting past its end as snprintf does. */
static void append_text(char *text, size_t size, size_t *at, const char *format, ...) HR_PRINTF(4, 5);
static void append_text(char *text, size_t size, size_t *at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(*at < size ? text + *at : NULL, *at < size ? size - *at : 0, format, args);
    va_end(args);
    if (n > 0) *at += (size_t)n;
}

size_t hr_error_format(const hr_error *err, char *text, size_t size) {
    size_t at = 0;
    if (size) text[0] = '\0';
    if (err->file[0]) append_text(text, size, &at, "%s:", err->file);
    if (err->line) append_text(text, size, &at, "%llu:", (unsigned long long)err->line);
    if (err->column) append_text(text, size, &at, "%llu:", (unsigned long long)err->column);
    if (at) append_text(text, size, &at, " ");
    if (err->field[0]) append_text(text, size, &at, "field '%s': ", err->field);
    append_text(text, size, &at, "%s", err->message[0] ? err->message : hr_status_text(err->status));
    if (err->remedy[0]) append_text(text, size, &at, "; %s", err->remedy);
    return at;
}

/* ---- Structs that begin with their size ---- */

hr_status hr_sized_check(const hr_sized *kind, const void *given, hr_error *err) {
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < kind->min)
        return hr_fail(err, HR_E_ARGUMENT, kind->remedy, "the options were not initialised");
    if (size <= kind->size) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "use the library that the program's headers came with, or a newer one",
                   "the options are of a newer version of the library: they have %zu bytes, here it is %zu",
                   size, kind->size);
}

hr_status hr_sized_take(const hr_sized *kind, const void *given, void *out, hr_error *err) {
    size_t size;
    hr_status status = hr_sized_check(kind, given, err);
    if (status) return status;
    memcpy(&size, given, sizeof size);
    memcpy(out, given, size);
    memcpy(out, &kind->size, sizeof kind->size);
    return HR_OK;
}

/* ---- The library ---- */

const char *hr_version(void) {
    return HR_VERSION;
}

void hr_text_free(char *text) {
    free(text);
}
