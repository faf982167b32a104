/* Reading in blocks: see byte_source.h for why. */
#include "base/byte_source.h"

#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 256 * 1024 };

static hr_status start_byte_source(hr_byte_source *source, size_t capacity, hr_error *err) {
    source->buffer = malloc(capacity + HR_BYTE_SOURCE_PAD);
    if (!source->buffer) return hr_fail_memory(err);
    source->capacity = capacity;
    source->at = source->end = source->buffer;
    return HR_OK;
}

hr_status hr_byte_source_open(hr_byte_source *source, const char *path, hr_error *err) {
    *source = (hr_byte_source){.file = -1};
    source->file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (source->file < 0) {
        return hr_fail(err, HR_E_IO, "check the path and its permissions", "cannot open the file: %s",
                       strerror(errno));
    }
    return start_byte_source(source, BLOCK, err);
}

hr_status hr_byte_source_open_memory(hr_byte_source *source, const char *bytes, size_t size, hr_error *err) {
    *source = (hr_byte_source){.file = -1, .memory = bytes, .memory_size = size};
    return start_byte_source(source, size < BLOCK ? size + 1 : BLOCK, err);
}

hr_status hr_byte_source_open_stream(hr_byte_source *source, hr_byte_stream *stream, hr_error *err) {
    *source = (hr_byte_source){.file = -1, .stream = stream};
    return start_byte_source(source, BLOCK, err);
}

void hr_byte_source_done(hr_byte_source *source) {
    if (source->stream) source->stream->free(source->stream);
    if (source->file > STDIN_FILENO) close(source->file);
    free(source->buffer);
    *source = (hr_byte_source){.file = -1};
}

static hr_status make_source_room(hr_byte_source *source, hr_error *err) {
    size_t waiting = (size_t)(source->end - source->at);
    if (waiting) memmove(source->buffer, source->at, waiting);
    if (waiting == source->capacity) {
        if (source->capacity >= HR_SOURCE_RECORD_MAX) {
            return hr_fail(err, HR_E_LIMIT, "is a quotation mark left open, or is this not a text table?",
                           "a record is longer than 64 MiB");
        }
        char *more = realloc(source->buffer, source->capacity * 2 + HR_BYTE_SOURCE_PAD);
        if (!more) return hr_fail_memory(err);
        source->buffer = more;
        source->capacity *= 2;
    }
    source->at = source->buffer;
    source->end = source->buffer + waiting;
    return HR_OK;
}

static void read_memory(hr_byte_source *source) {
    size_t room = (size_t)(source->buffer + source->capacity - source->end);
    size_t size = room < source->memory_size ? room : source->memory_size;
    if (size) {
        memcpy(source->end, source->memory, size);
        source->end += size;
        source->memory += size;
        source->memory_size -= size;
    }
    source->ended = source->memory_size == 0;
}

static hr_status read_file(hr_byte_source *source, hr_error *err) {
    while (source->end < source->buffer + source->capacity) {
        ssize_t got =
            read(source->file, source->end, (size_t)(source->buffer + source->capacity - source->end));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return hr_fail(err, HR_E_IO, "check that it is a readable file", "cannot read the file: %s",
                           strerror(errno));
        if (got == 0) {
            source->ended = true;
            break;
        }
        source->end += got;
    }
    return HR_OK;
}

static hr_status read_stream(hr_byte_source *source, hr_error *err) {
    while (source->end < source->buffer + source->capacity && !source->ended) {
        size_t size = 0, room = (size_t)(source->buffer + source->capacity - source->end);
        hr_status status = source->stream->read(source->stream, source->end, room, &size, err);
        if (status) return status;
        source->end += size;
        source->ended = !size;
    }
    return HR_OK;
}

static void show_tap(hr_byte_source *source, const char *from) {
    if (source->end > from) source->tap->take(source->tap, from, (size_t)(source->end - from));
}

void hr_byte_source_tap(hr_byte_source *source, hr_byte_tap *tap) {
    source->tap = tap;
    show_tap(source, source->at);
}

hr_status hr_byte_source_more(hr_byte_source *source, hr_error *err) {
    if (source->ended) return HR_OK;
    hr_status status = make_source_room(source, err);
    if (status) return status;
    const size_t before = (size_t)(source->end - source->buffer);
    if (source->stream)
        status = read_stream(source, err);
    else if (source->file >= 0)
        status = read_file(source, err);
    else
        read_memory(source);
    memset(source->end, 0, HR_BYTE_SOURCE_PAD);
    if (source->tap) show_tap(source, source->buffer + before);
    return status;
}

hr_status hr_byte_source_exchange(hr_byte_source *source, char **buffer, size_t *capacity, hr_error *err) {
    const size_t waiting = (size_t)(source->end - source->at), used = source->capacity;
    if (*capacity < used) {
        free(*buffer);
        *buffer = malloc(used + HR_BYTE_SOURCE_PAD);
        *capacity = *buffer ? used : 0;
        if (!*buffer) return hr_fail_memory(err);
    }
    char *given = source->buffer;
    memcpy(*buffer, source->at, waiting);
    memset(*buffer + waiting, 0, HR_BYTE_SOURCE_PAD);
    source->at = source->buffer = *buffer;
    source->end = source->at + waiting;
    source->capacity = *capacity;
    *buffer = given;
    *capacity = used;
    return HR_OK;
}

size_t hr_byte_source_left(const hr_byte_source *source) {
    struct stat about;
    if (source->ended || source->stream) return 0;
    if (source->file < 0) return source->memory_size;
    const off_t at = lseek(source->file, 0, SEEK_CUR);
    if (at < 0 || fstat(source->file, &about) || !S_ISREG(about.st_mode) || about.st_size < at) return 0;
    return (size_t)(about.st_size - at);
}

hr_status hr_byte_source_fill(hr_byte_source *source, const char *path, size_t most, hr_error *err) {
    hr_status status = hr_byte_source_open(source, path, err);
    while (!status && !source->ended && (size_t)(source->end - source->at) <= most)
        status = hr_byte_source_more(source, err);
    return status;
}
