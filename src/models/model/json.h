/* JSON (RFC 8259) in memory. Strict: UTF-8 without NUL, no key twice in an object, no number that a double
 * cannot hold, nothing after the value. Every value knows where it stood.
 *
 * A parser of our own, because model files come from strangers and a parse must survive an allocation that
 * fails. */
#ifndef HR_MODELS_MODEL_JSON_H
#define HR_MODELS_MODEL_JSON_H

#include "base/arena.h"
#include "base/buffer.h"

#include <hedgerow/status.h>
#include <stdbool.h>

typedef enum hr_json_kind {
    HR_JSON_OBJECT,
    HR_JSON_ARRAY,
    HR_JSON_TEXT,
    HR_JSON_INTEGER, /* written without point and exponent, and within 64 bits */
    HR_JSON_NUMBER,
    HR_JSON_TRUE,
    HR_JSON_FALSE,
    HR_JSON_NULL
} hr_json_kind;

typedef struct hr_json {
    hr_json_kind kind;
    size_t at;       /* offset of its first byte */
    const char *key; /* of a member of an object */
    union {
        struct {
            const struct hr_json *items; /* members or elements, as they stood */
            size_t count;
        };
        struct {
            double number; /* of HR_JSON_INTEGER too */
            int64_t integer;
        };
        const char *text;
    };
} hr_json;

/* Owner: the values live in the arena. Fails: FORMAT (line and column), MEMORY. */
HR_MUST_CHECK hr_status hr_json_parse(hr_arena *arena, const char *bytes, size_t size, const hr_json **out,
                                      hr_error *err);

/* The member of an object, or NULL. */
const hr_json *hr_json_get(const hr_json *object, const char *key);

/* Line and column (in bytes) of an offset, both from 1. */
void hr_json_locate(const char *bytes, size_t at, uint64_t *line, uint64_t *column);

/* Adds a text in quotation marks. It is UTF-8. */
void hr_json_add_text(hr_buffer *buffer, const char *text);

/* Adds a finite number with every digit that the double needs. The integer -0 would lose its sign. */
void hr_json_add_number(hr_buffer *buffer, double value);

#endif
