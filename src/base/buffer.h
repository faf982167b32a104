/* A growing run of bytes, for texts that are rendered in memory. */
#ifndef HR_BASE_BUFFER_H
#define HR_BASE_BUFFER_H

#include "base/fail.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct hr_buffer {
    char *bytes; /* NUL-ended once anything was added */
    size_t size, capacity;
    bool failed; /* an allocation failed; later additions do nothing */
} hr_buffer;

/* Starts from {0}. Additions never fail by themselves; hr_buffer_take does. */
void hr_buffer_add(hr_buffer *buffer, const void *bytes, size_t size);
void hr_buffer_text(hr_buffer *buffer, const char *text);
/* The digits of a number: quicker than a format. */
void hr_buffer_whole(hr_buffer *buffer, uint32_t number);
/* A text as a cell of CSV: in quotation marks, which are doubled inside. */
void hr_buffer_quote(hr_buffer *buffer, const char *text, size_t size);
void hr_buffer_format(hr_buffer *buffer, const char *format, ...) HR_PRINTF(2, 3);
void hr_buffer_done(hr_buffer *buffer);

/* Hands the bytes over to the caller, who frees them with free() (hr_text_free in the API). Fails: MEMORY. */
hr_status hr_buffer_take(hr_buffer *buffer, char **text, hr_error *err);

#endif
