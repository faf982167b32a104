#include "models/model/json_fields.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add_path(hr_buffer *b, const hr_json_position *at) {
    if (!at->above) return;
    add_path(b, at->above);
    if (!at->key) {
        hr_buffer_format(b, "[%zu]", at->index);
    } else {
        hr_buffer_format(b, "%s%s", at->above->above ? "." : "", at->key);
    }
}

void hr_json_refuse(hr_json_reader *r, const hr_json_position *at, const char *remedy, const char *format,
                    ...) {
    if (r->status) return;
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    r->status = hr_fail(r->err, HR_E_FORMAT, remedy, "%s", message);
    hr_buffer path = {0};
    add_path(&path, at);
    uint64_t line = 0, column = 0;
    while (!at->value && at->above) at = at->above;
    if (at->above) hr_json_locate(r->bytes, at->value->at, &line, &column);
    hr_fail_at(r->err, r->status, NULL, line, column, path.bytes);
    hr_buffer_done(&path);
}

void *hr_json_allocate(hr_json_reader *r, size_t count, size_t size) {
    void *memory = r->status ? NULL : hr_arena_alloc(r->arena, count, size);
    if (!memory && !r->status) r->status = hr_fail_memory(r->err);
    return memory;
}

static const char *kind_name(hr_json_kind kind) {
    static const char *const names[] = {"an object", "an array", "a text", "an integer",
                                        "a number",  "true",     "false",  "null"};
    return names[kind];
}

hr_json_position hr_json_element(const hr_json_position *at, size_t index) {
    return (hr_json_position){at, NULL, index, &at->value->items[index]};
}

hr_json_position hr_json_member(hr_json_reader *r, const hr_json_position *at, const char *key) {
    hr_json_position found = {at, key, 0, hr_json_get(at->value, key)};
    if (!found.value)
        hr_json_refuse(r, &found, "add it, see docs/reference/formats.md", "the key is missing");
    return found;
}

void hr_json_expect(hr_json_reader *r, const hr_json_position *at, hr_json_kind kind) {
    if (r->status || at->value->kind == kind) return;
    hr_json_refuse(r, at, "", "this must be %s, but is %s", kind_name(kind), kind_name(at->value->kind));
}

size_t hr_json_size(const hr_json_reader *r, const hr_json_position *at) {
    return r->status ? 0 : at->value->count;
}

hr_json_position hr_json_typed_member(hr_json_reader *r, const hr_json_position *at, const char *key,
                                      hr_json_kind kind) {
    hr_json_position found = hr_json_member(r, at, key);
    hr_json_expect(r, &found, kind);
    return found;
}

void hr_json_only_keys(hr_json_reader *r, const hr_json_position *at, const char *const *keys, size_t count) {
    hr_json_expect(r, at, HR_JSON_OBJECT);
    if (r->status) return;
    for (size_t i = 0; i < at->value->count; i++) {
        const char *key = at->value->items[i].key;
        size_t k = 0;
        while (k < count && strcmp(keys[k], key)) k++;
        const hr_json_position found = {at, key, 0, &at->value->items[i]};
        if (k == count)
            hr_json_refuse(r, &found, "remove it, or use the version of Hedgerow that wrote it",
                           "the key is unknown");
    }
}

const char *hr_json_copy_text(hr_json_reader *r, const char *text) {
    char *copy = r->status ? NULL : hr_arena_text(r->arena, text, strlen(text));
    if (!copy && !r->status) r->status = hr_fail_memory(r->err);
    return copy;
}

bool hr_json_has(const hr_json_reader *r, const hr_json_position *at, const char *key) {
    return !r->status && hr_json_get(at->value, key);
}

const char *hr_json_text_at(hr_json_reader *r, const hr_json_position *at) {
    hr_json_expect(r, at, HR_JSON_TEXT);
    return r->status ? NULL : hr_json_copy_text(r, at->value->text);
}

const char *hr_json_text_of(hr_json_reader *r, const hr_json_position *at, const char *key) {
    const hr_json_position found = hr_json_member(r, at, key);
    return hr_json_text_at(r, &found);
}

double hr_json_number_at(hr_json_reader *r, const hr_json_position *at) {
    if (r->status) return 0;
    if (at->value->kind == HR_JSON_INTEGER || at->value->kind == HR_JSON_NUMBER) return at->value->number;
    hr_json_refuse(r, at, "", "this must be a number, but is %s", kind_name(at->value->kind));
    return 0;
}

double hr_json_number_of(hr_json_reader *r, const hr_json_position *at, const char *key) {
    const hr_json_position found = hr_json_member(r, at, key);
    return hr_json_number_at(r, &found);
}

int64_t hr_json_integer_at(hr_json_reader *r, const hr_json_position *at, int64_t low, int64_t high) {
    hr_json_expect(r, at, HR_JSON_INTEGER);
    if (r->status) return 0;
    int64_t value = at->value->integer;
    if (value >= low && value <= high) return value;
    hr_json_refuse(r, at, "", "%" PRId64 " is not between %" PRId64 " and %" PRId64, value, low, high);
    return 0;
}

int64_t hr_json_integer_of(hr_json_reader *r, const hr_json_position *at, const char *key, int64_t low,
                           int64_t high) {
    const hr_json_position found = hr_json_member(r, at, key);
    return hr_json_integer_at(r, &found, low, high);
}

bool hr_json_bool_of(hr_json_reader *r, const hr_json_position *at, const char *key) {
    const hr_json_position found = hr_json_member(r, at, key);
    if (r->status) return false;
    bool is_true = found.value->kind == HR_JSON_TRUE;
    if (!is_true && found.value->kind != HR_JSON_FALSE)
        hr_json_refuse(r, &found, "", "this must be true or false");
    return is_true;
}

size_t hr_json_word_of(hr_json_reader *r, const hr_json_position *at, const char *key,
                       const char *const *words, size_t count) {
    const hr_json_position found = hr_json_typed_member(r, at, key, HR_JSON_TEXT);
    if (r->status) return 0;
    const char *word = found.value->text;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(words[i], word)) return i;
    hr_json_refuse(r, &found, "use the version of Hedgerow that wrote it", "the value '%.100s' is unknown",
                   word);
    return 0;
}

const double *hr_json_numbers_of(hr_json_reader *r, const hr_json_position *at, const char *key,
                                 size_t *count) {
    const hr_json_position list = hr_json_typed_member(r, at, key, HR_JSON_ARRAY);
    *count = hr_json_size(r, &list);
    double *numbers = hr_json_allocate(r, *count, sizeof *numbers);
    for (size_t i = 0; i < *count && !r->status; i++) {
        const hr_json_position item = hr_json_element(&list, i);
        numbers[i] = hr_json_number_at(r, &item);
    }
    return numbers;
}

const char *const *hr_json_texts_of(hr_json_reader *r, const hr_json_position *at, const char *key,
                                    size_t *count) {
    const hr_json_position list = hr_json_typed_member(r, at, key, HR_JSON_ARRAY);
    *count = hr_json_size(r, &list);
    const char **texts = hr_json_allocate(r, *count, sizeof *texts);
    for (size_t i = 0; i < *count && !r->status; i++) {
        const hr_json_position item = hr_json_element(&list, i);
        texts[i] = hr_json_text_at(r, &item);
    }
    return texts;
}
