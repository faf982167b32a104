/* A recursive descent over bytes. Items of unfinished lists wait on a stack; a finished list is copied to the
 * arena in one piece, so that its items can be indexed. */
#include "models/model/json.h"

#include "base/fail.h"
#include "base/text/number.h"
#include "base/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { NESTING_MAX = 32, MEMBERS_MAX = 1000 };

typedef struct json_parser {
    const char *bytes;
    size_t size, at;
    unsigned depth;
    hr_arena *arena;
    hr_json *stack;
    size_t stacked, room;
    hr_error *err;
} json_parser;

static hr_status parse_value(json_parser *p, hr_json *out);

static hr_status refuse_json(json_parser *p, size_t at, const char *message) {
    uint64_t line, column;
    hr_json_locate(p->bytes, at, &line, &column);
    hr_fail(p->err, HR_E_FORMAT, "give a file that `hedgerow train` wrote", "this is not valid JSON: %s",
            message);
    return hr_fail_at(p->err, HR_E_FORMAT, NULL, line, column, NULL);
}

/* The byte at hand; 0 at the end (a byte 0 is valid nowhere). */
static char peek(const json_parser *p) {
    return p->at < p->size ? p->bytes[p->at] : '\0';
}

static char peek_past_blanks(json_parser *p) {
    while (peek(p) && strchr(" \t\n\r", peek(p))) p->at++;
    return peek(p);
}

static bool push(json_parser *p, const hr_json *value) {
    if (p->stacked == p->room) {
        size_t room = p->room ? 2 * p->room : 64;
        hr_json *stack = room <= SIZE_MAX / sizeof *stack ? realloc(p->stack, room * sizeof *stack) : NULL;
        if (!stack) return false;
        p->stack = stack;
        p->room = room;
    }
    p->stack[p->stacked++] = *value;
    return true;
}

/* ---- Words and numbers ---- */

static hr_status parse_word(json_parser *p, const char *word, hr_json_kind kind, hr_json *out) {
    size_t length = strlen(word);
    if (p->size - p->at < length || memcmp(p->bytes + p->at, word, length))
        return refuse_json(p, p->at, "a value is expected here");
    p->at += length;
    out->kind = kind;
    return HR_OK;
}

static size_t skip_digits(json_parser *p) {
    size_t first = p->at;
    while (peek(p) >= '0' && peek(p) <= '9') p->at++;
    return p->at - first;
}

/* Moves past a number; false if none stands there. *integer: it has no point and no exponent. */
static bool skip_number(json_parser *p, bool *integer) {
    *integer = true;
    if (peek(p) == '-') p->at++;
    bool zero = peek(p) == '0';
    size_t digits = skip_digits(p);
    if (!digits || (zero && digits > 1)) return false;
    if (peek(p) == '.') {
        *integer = false;
        p->at++;
        if (!skip_digits(p)) return false;
    }
    if (peek(p) == 'e' || peek(p) == 'E') {
        *integer = false;
        p->at++;
        if (peek(p) == '+' || peek(p) == '-') p->at++;
        if (!skip_digits(p)) return false;
    }
    return true;
}

/* Digits with a sign to 64 bits; false if they do not fit. */
static bool to_integer(const char *text, size_t size, int64_t *out) {
    bool negative = *text == '-';
    uint64_t value = 0, most = (uint64_t)INT64_MAX;
    for (size_t i = negative; i < size; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > (most - digit) / 10) return false;
        value = 10 * value + digit;
    }
    *out = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

static hr_status parse_number_json(json_parser *p, hr_json *out) {
    size_t first = p->at;
    bool integer;
    if (!skip_number(p, &integer)) return refuse_json(p, first, "a value is expected here");
    const char *text = p->bytes + first;
    if (hr_number_parse(text, p->at - first, &out->number) != HR_NUMBER_OK)
        return refuse_json(p, first, "the number is too large");
    out->kind = integer && to_integer(text, p->at - first, &out->integer) ? HR_JSON_INTEGER : HR_JSON_NUMBER;
    return HR_OK;
}

/* ---- Texts ---- */

/* Four hexadecimal digits; -1 if they are not there. */
static int32_t take_hex(json_parser *p) {
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *digit = peek(p) ? strchr(digits, peek(p)) : NULL;
        if (!digit) return -1;
        int32_t index = (int32_t)(digit - digits);
        value = 16 * value + (index < 16 ? index : index - 6);
        p->at++;
    }
    return value;
}

/* The character of an escape "\uXXXX", or of two that are a surrogate pair; the first "\u" is behind p->at. 0
 * is refused. */
static int32_t take_character(json_parser *p) {
    int32_t high = take_hex(p);
    if (high < 0xd800 || high > 0xdfff) return high;
    if (high > 0xdbff || peek(p) != '\\') return -1;
    p->at++;
    if (peek(p) != 'u') return -1;
    p->at++;
    int32_t low = take_hex(p);
    return low >= 0xdc00 && low <= 0xdfff ? 0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00) : -1;
}

/* Takes what follows a backslash, and writes it as UTF-8. NULL if it is no escape. */
static char *take_escape(json_parser *p, char *to) {
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char c = peek(p);
    const char *name = c ? strchr(names, c) : NULL;
    if (!name && c != 'u') return NULL;
    p->at++;
    if (name) {
        *to++ = values[name - names];
        return to;
    }
    int32_t character = take_character(p);
    if (character <= 0) return NULL;
    if (character < 0x80) {
        *to++ = (char)character;
        return to;
    }

    int more = 3;
    if (character < 0x10000) more = character < 0x800 ? 1 : 2;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(first[more] | character >> 6 * more);
    while (more--) *to++ = (char)(0x80 | (character >> 6 * more & 0x3f));
    return to;
}

static hr_status parse_text(json_parser *p, const char **out) {
    size_t first = p->at++, end = first + 1;
    while (end < p->size && p->bytes[end] != '"') end += p->bytes[end] == '\\' ? 2 : 1;
    if (end > p->size) end = p->size;
    /* Escapes are only longer than what they stand for. */
    char *text = hr_arena_alloc(p->arena, end - p->at + 1, 1), *to = text;
    if (!text) return hr_fail_memory(p->err);
    while (peek(p) != '"') {
        char c = peek(p);
        if ((unsigned char)c < 0x20)
            return refuse_json(p, p->at,
                               p->at < p->size ? "a text holds a control character" : "a text does not end");
        size_t at = p->at++;
        if (c != '\\') {
            *to++ = c;
        } else if (!(to = take_escape(p, to))) {
            return refuse_json(p, at, "unknown escape sequence");
        }
    }
    p->at++;
    if (!hr_utf8_valid(text, (size_t)(to - text)))
        return refuse_json(p, first, "the text is not valid UTF-8");
    *out = text;
    return HR_OK;
}

/* ---- Lists ---- */

static hr_status parse_member(json_parser *p, size_t base, hr_json *out) {
    const char *key = NULL;
    size_t at = p->at;
    if (peek(p) != '"') return refuse_json(p, at, "a key is expected here");
    hr_status status = parse_text(p, &key);
    if (status) return status;
    if (p->stacked - base >= MEMBERS_MAX) return refuse_json(p, at, "an object has more than 1000 keys");
    for (size_t i = base; i < p->stacked; i++)
        if (!strcmp(p->stack[i].key, key)) return refuse_json(p, at, "the key occurs twice");
    if (peek_past_blanks(p) != ':') return refuse_json(p, p->at, "a colon is expected here");
    p->at++;
    status = parse_value(p, out);
    out->key = key;
    return status;
}

/* An object or an array; `close` is its closing bracket. */
static hr_status parse_list(json_parser *p, char close, hr_json *out) {
    size_t base = p->stacked;
    p->at++;
    if (p->depth++ == NESTING_MAX) return refuse_json(p, p->at - 1, "lists are nested more than 32 deep");
    bool more = peek_past_blanks(p) != close;
    while (more) {
        hr_json item = {.kind = HR_JSON_NULL};
        peek_past_blanks(p);
        hr_status status = close == '}' ? parse_member(p, base, &item) : parse_value(p, &item);
        if (!status && !push(p, &item)) status = hr_fail_memory(p->err);
        if (status) return status;
        more = peek_past_blanks(p) == ',';
        if (more) p->at++;
    }
    if (peek(p) != close)
        return refuse_json(
            p, p->at, close == '}' ? "a comma or '}' is expected here" : "a comma or ']' is expected here");
    p->at++;
    p->depth--;
    size_t count = p->stacked - base;
    hr_json *items = hr_arena_alloc(p->arena, count, sizeof *items);
    if (!items) return hr_fail_memory(p->err);
    if (count) memcpy(items, p->stack + base, count * sizeof *items);
    p->stacked = base;
    out->kind = close == '}' ? HR_JSON_OBJECT : HR_JSON_ARRAY;
    out->items = items;
    out->count = count;
    return HR_OK;
}

static hr_status parse_value(json_parser *p, hr_json *out) {
    char c = peek_past_blanks(p);
    *out = (hr_json){.at = p->at};
    switch (c) {
    case '{': return parse_list(p, '}', out);
    case '[': return parse_list(p, ']', out);
    case '"': out->kind = HR_JSON_TEXT; return parse_text(p, &out->text);
    case 't': return parse_word(p, "true", HR_JSON_TRUE, out);
    case 'f': return parse_word(p, "false", HR_JSON_FALSE, out);
    case 'n': return parse_word(p, "null", HR_JSON_NULL, out);
    default: return parse_number_json(p, out);
    }
}

hr_status hr_json_parse(hr_arena *arena, const char *bytes, size_t size, const hr_json **out, hr_error *err) {
    json_parser p = {.bytes = bytes, .size = size, .arena = arena, .err = err};
    hr_json *root = hr_arena_alloc(arena, 1, sizeof *root);
    hr_status status = root ? parse_value(&p, root) : hr_fail_memory(err);
    if (!status) {
        peek_past_blanks(&p);
        if (p.at < size) status = refuse_json(&p, p.at, "unexpected text after the value");
    }
    free(p.stack);
    if (!status) *out = root;
    return status;
}

const hr_json *hr_json_get(const hr_json *object, const char *key) {
    if (!object || object->kind != HR_JSON_OBJECT) return NULL;
    for (size_t i = 0; i < object->count; i++)
        if (!strcmp(object->items[i].key, key)) return &object->items[i];
    return NULL;
}

void hr_json_locate(const char *bytes, size_t at, uint64_t *line, uint64_t *column) {
    *line = *column = 1;
    for (size_t i = 0; i < at; i++) {
        ++*column;
        if (bytes[i] != '\n') continue;
        ++*line;
        *column = 1;
    }
}
