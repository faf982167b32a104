#include "federation/protocol/message.h"

#include "base/fail.h"
#include "base/text/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- Members ---- */

size_t hr_membership_by_name(const hr_membership *membership, const void *name, size_t size) {
    for (size_t i = 0; i < membership->count; i++)
        if (strlen(membership->members[i].name) == size && size &&
            !memcmp(membership->members[i].name, name, size))
            return i;
    return HR_NO_MEMBER;
}

size_t hr_membership_by_key(const hr_membership *membership, const uint8_t key[HR_KEY_SIZE]) {
    for (size_t i = 0; i < membership->count; i++)
        if (!memcmp(membership->members[i].key.bytes, key, HR_KEY_SIZE)) return i;
    return HR_NO_MEMBER;
}

/* ---- Messages as bytes ---- */

/* What the reading of one message has taken so far. */
typedef struct allowance {
    ProtobufCAllocator allocator;
    size_t left;
    bool exceeded, exhausted; /* the allowance; the machine's memory */
} allowance;

static void *take_message_bytes(void *user, size_t size) {
    allowance *a = user;
    if (size > a->left) {
        a->exceeded = true;
        return NULL;
    }
    a->left -= size;
    void *memory = malloc(size ? size : 1);
    if (!memory) a->exhausted = true;
    return memory;
}

static void free_message_bytes(void *user, void *memory) {
    (void)user;
    free(memory);
}

hr_status hr_bytes_copy(const void *at, size_t size, hr_bytes *out, hr_error *err) {
    uint8_t *copy = malloc(size + 1);
    if (!copy) return hr_fail_memory(err);
    if (size) memcpy(copy, at, size);
    *out = (hr_bytes){copy, size};
    return HR_OK;
}

hr_status hr_message_pack(const ProtobufCMessage *message, hr_bytes *out, hr_error *err) {
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *at = malloc(size + 1);
    if (!at) return hr_fail_memory(err);
    *out = (hr_bytes){at, protobuf_c_message_pack(message, at)};
    return HR_OK;
}

static bool is_understood(const ProtobufCMessage *message);

/* Whether the messages in one field are. */
static bool field_is_understood(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
    const char *at = (const char *)message + field->offset,
               *quantifier = (const char *)message + field->quantifier_offset;
    ProtobufCMessage *one = NULL, **many = &one;
    size_t count = 1;
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        memcpy(&count, quantifier, sizeof count);
        memcpy(&many, at, sizeof many);
    } else if (!(field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) ||
               *(const uint32_t *)(const void *)quantifier == field->id) {
        memcpy(&one, at, sizeof one);
    }
    for (size_t i = 0; i < count; i++)
        if (many[i] && !is_understood(many[i])) return false;
    return true;
}

/* Whether neither the message nor any within it has a field that its type lacks. Types do not contain
 * themselves. */
static bool is_understood(const ProtobufCMessage *message) {
    if (message->n_unknown_fields) return false;
    for (unsigned f = 0; f < message->descriptor->n_fields; f++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[f];
        if (field->type == PROTOBUF_C_TYPE_MESSAGE && !field_is_understood(message, field)) return false;
    }
    return true;
}

static const char remedy[] = "the sender runs another version of Hedgerow, or is malicious";

static hr_status refuse_bytes(const ProtobufCMessageDescriptor *type, hr_error *err) {
    return hr_fail(err, HR_E_FORMAT, remedy, "these bytes are not a valid %s", type->short_name);
}

hr_status hr_message_unpack_part(const ProtobufCMessageDescriptor *type, const void *bytes, size_t size,
                                 ProtobufCMessage **out, hr_error *err) {
    if (size > HR_MESSAGE_MAX)
        return hr_fail(err, HR_E_LIMIT, remedy, "a message of %zu bytes is too large", size);
    allowance room = {.left = HR_UNPACKED_MAX};
    room.allocator = (ProtobufCAllocator){take_message_bytes, free_message_bytes, &room};
    ProtobufCMessage *message = protobuf_c_message_unpack(type, &room.allocator, size, bytes);
    if (message) {
        *out = message;
        return HR_OK;
    }
    if (room.exhausted) return hr_fail_memory(err);
    if (room.exceeded) return hr_fail(err, HR_E_LIMIT, remedy, "a message takes too much memory");
    return refuse_bytes(type, err);
}

hr_status hr_message_unpack(const ProtobufCMessageDescriptor *type, const void *bytes, size_t size,
                            ProtobufCMessage **out, hr_error *err) {
    ProtobufCMessage *message = NULL;
    hr_status status = hr_message_unpack_part(type, bytes, size, &message, err);
    if (status) return status;
    if (is_understood(message)) {
        *out = message;
        return HR_OK;
    }
    hr_message_unpacked_free(message);
    return refuse_bytes(type, err);
}

void hr_message_unpacked_free(ProtobufCMessage *message) {
    if (!message) return;
    ProtobufCAllocator allocator = {take_message_bytes, free_message_bytes, NULL};
    protobuf_c_message_free_unpacked(message, &allocator);
}

/* ---- Texts of messages ---- */

ProtobufCBinaryData hr_data_of(const void *at, size_t size) {
    return (ProtobufCBinaryData){size, (uint8_t *)at};
}

ProtobufCBinaryData hr_text_of(const char *text) {
    return hr_data_of(text, strlen(text));
}

bool hr_text_is(ProtobufCBinaryData text, const char *other) {
    return text.len == strlen(other) && (!text.len || !memcmp(text.data, other, text.len));
}

bool hr_text_is_fit(ProtobufCBinaryData text, size_t most) {
    return text.len <= most && (!text.len || hr_text_printable((const char *)text.data, text.len));
}

bool hr_lines_are_fit(ProtobufCBinaryData text, size_t most) {
    const char *at = (const char *)text.data, *end = text.len ? at + text.len : at;
    if (text.len > most) return false;
    while (at < end) {
        int32_t c = hr_utf8_next(&at, end);
        if (c != '\n' && !hr_char_printable(c)) return false;
    }
    return true;
}

static bool is_of_job_names(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80 || (c && strchr("-_.+ ()", c));
}

bool hr_text_is_job_name(ProtobufCBinaryData text) {
    if (!text.len || !hr_text_is_fit(text, HR_JOB_NAME_MAX)) return false;
    for (size_t i = 0; i < text.len; i++)
        if (!is_of_job_names((char)text.data[i])) return false;
    return true;
}
