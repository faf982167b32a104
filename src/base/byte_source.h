/* Bytes of a file, of standard input, of memory or of a stream, block by block.
 *
 * Blocks are read into one buffer that stays in the processor's cache, so a file of any size takes little
 * memory; a mapped file would not be faster, and could be truncated under the reader's feet. The reader takes
 * bytes from `at`; what it has not taken when it reads on is moved to the front. The buffer may be
 * changed in place. */
#ifndef HR_BASE_BYTE_SOURCE_H
#define HR_BASE_BYTE_SOURCE_H

#include <hedgerow/status.h>
#include <stdbool.h>

enum {
    HR_BYTE_SOURCE_PAD =
        96, /* so many bytes behind `end` may be read, and are zero when the input has ended */
    HR_SOURCE_RECORD_MAX = 64 * 1024 * 1024 /* bytes that may wait to be taken */
};

/* What gives bytes and is no file: a decompressor, the answer of a database. The first field of its own
 * struct. */
typedef struct hr_byte_stream hr_byte_stream;
struct hr_byte_stream {
    /* Writes up to `room` bytes; *size == 0: there are no more. Fails as it has to. */
    hr_status (*read)(hr_byte_stream *stream, char *to, size_t room, size_t *size, hr_error *err);
    void (*free)(hr_byte_stream *stream);
};

/* What is shown all bytes of a source, in order, before a reader changes them. The first field of its own
 * struct. */
typedef struct hr_byte_tap hr_byte_tap;
struct hr_byte_tap {
    void (*take)(hr_byte_tap *tap, const char *bytes, size_t size);
};

typedef struct hr_byte_source {
    char *at, *end; /* bytes that wait */
    bool ended;     /* nothing comes after `end` */
    char *buffer;
    size_t capacity;
    int file;               /* -1: none */
    hr_byte_stream *stream; /* NULL: none */
    const char *memory;
    size_t memory_size;
    hr_byte_tap *tap; /* borrowed; NULL: none */
} hr_byte_source;

/* "-" is standard input. Fails: IO, MEMORY. Call hr_byte_source_done in either case. */
HR_MUST_CHECK hr_status hr_byte_source_open(hr_byte_source *source, const char *path, hr_error *err);
/* Borrows the bytes. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_byte_source_open_memory(hr_byte_source *source, const char *bytes, size_t size,
                                                   hr_error *err);
/* Takes the stream over, in case of failure too. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_byte_source_open_stream(hr_byte_source *source, hr_byte_stream *stream,
                                                   hr_error *err);
void hr_byte_source_done(hr_byte_source *source);

/* Shows the tap the bytes that wait, and all that come after them. Borrows the tap. */
void hr_byte_source_tap(hr_byte_source *source, hr_byte_tap *tap);

/* Adds bytes behind `end`, at least one unless the input has ended. Fails: IO, LIMIT, MEMORY, and as the
 * stream. */
HR_MUST_CHECK hr_status hr_byte_source_more(hr_byte_source *source, hr_error *err);

/* Goes on with another buffer, to which the bytes that wait are moved, and gives the one that was in use
 * away: what was taken stays where it is. *buffer may be NULL, and is made larger if need be. Owner: the
 * caller frees *buffer with free(), in case of failure too. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_byte_source_exchange(hr_byte_source *source, char **buffer, size_t *capacity,
                                                hr_error *err);

/* How many bytes hr_byte_source_more has yet to bring, of a file that keeps its size or of memory; 0: none,
 * or not known. */
size_t hr_byte_source_left(const hr_byte_source *source);

/* Opens a file and reads all of it, or enough to see that it is larger than `most` bytes, which is no
 * failure. Fails: as hr_byte_source_open and hr_byte_source_more. Call hr_byte_source_done in either case. */
HR_MUST_CHECK hr_status hr_byte_source_fill(hr_byte_source *source, const char *path, size_t most,
                                            hr_error *err);

#endif
