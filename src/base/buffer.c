#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve_bytes(hr_buffer *buffer, size_t more) {
    if (buffer->failed) return false;
    if (more < buffer->capacity - buffer->size) return true;
    size_t need = buffer->size + more + 1;
    size_t capacity = buffer->capacity ? buffer->capacity : 256;
    while (capacity < need && capacity <= SIZE_MAX / 2) capacity *= 2;
    char *bytes = need > buffer->size && capacity >= need ? realloc(buffer->bytes, capacity) : NULL;
    if (!bytes) {
        buffer->failed = true;
        return false;
    }
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

void hr_buffer_add(hr_buffer *buffer, const void *bytes, size_t size) {
    if (!reserve_bytes(buffer, size)) return;
    if (size) memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
    buffer->bytes[buffer->size] = '\0';
}

void hr_buffer_text(hr_buffer *buffer, const char *text) {
    hr_buffer_add(buffer, text, strlen(text));
}

void hr_buffer_whole(hr_buffer *buffer, uint32_t number) {
    enum { DIGITS = 10 };
    char digits[DIGITS];
    size_t begin = DIGITS;
    do digits[--begin] = (char)('0' + number % 10);
    while (number /= 10);
    hr_buffer_add(buffer, digits + begin, DIGITS - begin);
}

void hr_buffer_format(hr_buffer *buffer, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length >= 0 && reserve_bytes(buffer, (size_t)length)) {
        vsnprintf(buffer->bytes + buffer->size, (size_t)length + 1, format, again);
        buffer->size += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

void hr_buffer_done(hr_buffer *buffer) {
    free(buffer->bytes);
    *buffer = (hr_buffer){0};
}

hr_status hr_buffer_take(hr_buffer *buffer, char **text, hr_error *err) {
    hr_buffer_add(buffer, "", 0);
    if (buffer->failed) {
        hr_buffer_done(buffer);
        return hr_fail_memory(err);
    }
    *text = buffer->bytes;
    *buffer = (hr_buffer){0};
    return HR_OK;
}

void hr_buffer_quote(hr_buffer *buffer, const char *text, size_t size) {
    hr_buffer_add(buffer, "\"", 1);
    for (const char *end = text + size; text < end;) {
        const char *mark = memchr(text, '"', (size_t)(end - text));
        const char *to = mark ? mark + 1 : end;
        hr_buffer_add(buffer, text, (size_t)(to - text));
        if (mark) hr_buffer_add(buffer, "\"", 1);
        text = to;
    }
    hr_buffer_add(buffer, "\"", 1);
}
