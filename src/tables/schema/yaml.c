/* libyaml knows the syntax; this file keeps to the part of it that people write by hand and mean. */
#include "tables/schema/yaml.h"

#include "base/fail.h"

#include <string.h>
#include <yaml.h>

enum { NESTING_MAX = 8 };

typedef struct builder {
    hr_arena *arena;
    hr_error *err;
    hr_yaml_node *open[NESTING_MAX],
        *last[NESTING_MAX]; /* collections being read, and their children so far read last */
    int depth;
    hr_yaml_node *root;
    bool ended;
} builder;

static hr_status add_yaml_position(const builder *b, const yaml_mark_t *mark) {
    return hr_fail_at(b->err, HR_E_FORMAT, NULL, mark->line + 1, mark->column + 1, NULL);
}

static hr_status add_yaml_node(builder *b, const yaml_event_t *event, hr_yaml_kind kind, hr_yaml_node **out) {
    hr_yaml_node *node = hr_arena_alloc(b->arena, 1, sizeof *node);
    if (!node) return hr_fail_memory(b->err);
    node->kind = kind;
    node->line = event->start_mark.line + 1;
    node->column = event->start_mark.column + 1;
    if (!b->depth) {
        b->root = node;
    } else {
        hr_yaml_node *parent = b->open[b->depth - 1], *last = b->last[b->depth - 1];
        if (parent->kind == HR_YAML_MAPPING && parent->count % 2 == 0 && kind != HR_YAML_SCALAR) {
            hr_fail(b->err, HR_E_FORMAT, "", "a key must be a single word");
            return add_yaml_position(b, &event->start_mark);
        }
        *(last ? &last->next : &parent->child) = node;
        b->last[b->depth - 1] = node;
        parent->count++;
    }
    *out = node;
    return HR_OK;
}

static hr_status add_collection(builder *b, const yaml_event_t *event, hr_yaml_kind kind) {
    hr_yaml_node *node = NULL;
    hr_status status = add_yaml_node(b, event, kind, &node);
    if (status) return status;
    if (b->depth == NESTING_MAX) {
        hr_fail(b->err, HR_E_FORMAT, "close brackets, and indent as docs/reference/formats.md shows",
                "brackets or indentation are nested too deeply");
        return add_yaml_position(b, &event->start_mark);
    }
    b->open[b->depth] = node;
    b->last[b->depth++] = NULL;
    return HR_OK;
}

static hr_status add_scalar(builder *b, const yaml_event_t *event) {
    hr_yaml_node *node = NULL;
    hr_status status = add_yaml_node(b, event, HR_YAML_SCALAR, &node);
    if (status) return status;
    const char *text = (const char *)event->data.scalar.value;
    if (memchr(text, 0, event->data.scalar.length)) {
        hr_fail(b->err, HR_E_FORMAT, "remove it", "a text holds a NUL character");
        return add_yaml_position(b, &event->start_mark);
    }
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->text = hr_arena_text(b->arena, text, event->data.scalar.length);
    return node->text ? HR_OK : hr_fail_memory(b->err);
}

static hr_status refuse_extras(const builder *b, const yaml_event_t *event) {
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (event->type == YAML_SCALAR_EVENT) anchor = event->data.scalar.anchor, tag = event->data.scalar.tag;
    if (event->type == YAML_SEQUENCE_START_EVENT)
        anchor = event->data.sequence_start.anchor, tag = event->data.sequence_start.tag;
    if (event->type == YAML_MAPPING_START_EVENT)
        anchor = event->data.mapping_start.anchor, tag = event->data.mapping_start.tag;
    if (!anchor && !tag && event->type != YAML_ALIAS_EVENT) return HR_OK;
    hr_fail(b->err, HR_E_FORMAT, "write the text out, in quotes if it begins with '*', '&' or '!'",
            "anchors, aliases and tags are not allowed");
    return add_yaml_position(b, &event->start_mark);
}

static hr_status take_event(builder *b, const yaml_event_t *event) {
    hr_status status = refuse_extras(b, event);
    if (status) return status;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (!b->root) return HR_OK;
        hr_fail(b->err, HR_E_FORMAT, "remove what follows the '---'", "there is a second document");
        return add_yaml_position(b, &event->start_mark);
    case YAML_SCALAR_EVENT: return add_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT: return add_collection(b, event, HR_YAML_SEQUENCE);
    case YAML_MAPPING_START_EVENT: return add_collection(b, event, HR_YAML_MAPPING);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: b->depth--; return HR_OK;
    case YAML_STREAM_END_EVENT: b->ended = true; return HR_OK;
    default: return HR_OK;
    }
}

static hr_status refuse_syntax(const builder *b, const yaml_parser_t *parser) {
    if (parser->error == YAML_MEMORY_ERROR) return hr_fail_memory(b->err);
    if (parser->error == YAML_READER_ERROR) {
        return hr_fail(b->err, HR_E_FORMAT, "write it as UTF-8 without control characters", "%s at byte %zu",
                       parser->problem, parser->problem_offset + 1);
    }
    hr_fail(b->err, HR_E_FORMAT, "quote texts that hold ':', '#', brackets or quotes, and indent with spaces",
            "not YAML: %s", parser->problem ? parser->problem : "unreadable");
    return add_yaml_position(b, &parser->problem_mark);
}

hr_status hr_yaml_parse(const char *text, size_t size, hr_arena *arena, const hr_yaml_node **out,
                        hr_error *err) {
    builder b = {.arena = arena, .err = err};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return hr_fail_memory(err);
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, size -= 3;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    /* An empty text may have no address, as in a message. */
    yaml_parser_set_input_string(&parser, (const unsigned char *)(size ? text : ""), size);
    hr_status status = HR_OK;
    while (!status && !b.ended) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status = refuse_syntax(&b, &parser);
            break;
        }
        status = take_event(&b, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (!status && !b.root)
        status = hr_fail(err, HR_E_FORMAT, "is it the right one? see docs/reference/formats.md",
                         "the file is empty");
    if (!status) *out = b.root;
    return status;
}
