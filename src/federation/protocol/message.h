/* The members of a federation, and their messages as bytes and back (hedgerow.proto). Bytes come from other
 * parties: reading them never uses more memory than a bound, and whatever is not understood is refused. */
#ifndef HR_FEDERATION_PROTOCOL_MESSAGE_H
#define HR_FEDERATION_PROTOCOL_MESSAGE_H

#include "federation/protocol/hedgerow.pb-c.h"
#include "privacy/crypto/identity.h"

#include <hedgerow/status.h>
#include <stdbool.h>

/* ---- Members ---- */

enum { HR_MEMBERS_MAX = 256, HR_NO_MEMBER = HR_MEMBERS_MAX };

/* As the federation's file lists it. */
typedef struct hr_member {
    const char *name;
    hr_public_key key;
    struct hr_checked_signatures *checked; /* of its signatures; NULL: each is checked again */
} hr_member;

/* A member is identified by its index. */
typedef struct hr_membership {
    const char *federation;
    const hr_member *members;
    size_t count;
} hr_membership;

/* HR_NO_MEMBER if there is none. */
size_t hr_membership_by_name(const hr_membership *membership, const void *name, size_t size);
size_t hr_membership_by_key(const hr_membership *membership, const uint8_t key[HR_KEY_SIZE]);

/* One member's own place in its federation. */
typedef struct hr_party_view {
    const hr_membership *membership;
    const hr_identity *identity;
    size_t self;
    struct hr_sessions *sessions; /* NULL: every packet is signed and sealed by itself (sessions.h) */
} hr_party_view;

/* ---- Messages ---- */

/* Of one message, over all of its envelopes; and of the memory that its reading may take. */
enum { HR_MESSAGE_MAX = 8 << 20, HR_UNPACKED_MAX = 64 << 20 };

/* Bytes of the texts of terms. */
enum {
    HR_JOB_NAME_MAX = 64,
    HR_SETTING_TEXT_MAX = 127,
    HR_SETTING_VALUE_MAX = 4095,
    HR_SCHEMA_TEXT_MAX = 4 << 20
};

/* Bytes that the holder owns; freed with free(). */
typedef struct hr_bytes {
    uint8_t *at;
    size_t size;
} hr_bytes;

/* A copy. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_bytes_copy(const void *at, size_t size, hr_bytes *out, hr_error *err);

/* Any of the types of hedgerow.proto as bytes. Fails: MEMORY. */
HR_MUST_CHECK hr_status hr_message_pack(const ProtobufCMessage *message, hr_bytes *out, hr_error *err);

/* Bytes as the type that `type` describes. Owner: the caller frees *out with hr_message_unpacked_free.
 * Fails: FORMAT (not such bytes), LIMIT (too large), MEMORY. */
HR_MUST_CHECK hr_status hr_message_unpack(const ProtobufCMessageDescriptor *type, const void *bytes,
                                          size_t size, ProtobufCMessage **out, hr_error *err);
/* The same, but fields that the type lacks are left out, as other versions may have them. */
HR_MUST_CHECK hr_status hr_message_unpack_part(const ProtobufCMessageDescriptor *type, const void *bytes,
                                               size_t size, ProtobufCMessage **out, hr_error *err);
void hr_message_unpacked_free(ProtobufCMessage *message);

/* Borrowed views of C strings and bytes for messages to be packed. */
ProtobufCBinaryData hr_text_of(const char *text);
ProtobufCBinaryData hr_data_of(const void *at, size_t size);

/* Whether a text from elsewhere has at most `most` bytes and may be shown to people (hr_text_printable). */
bool hr_text_is_fit(ProtobufCBinaryData text, size_t most);
/* The same of a text of several lines, which line feeds separate. */
bool hr_lines_are_fit(ProtobufCBinaryData text, size_t most);
/* Whether it can be the name of a job: 1 to HR_JOB_NAME_MAX bytes, fit, and of ASCII only letters, digits and
 * "-_.+ ()". So it is no path, and can stand in a line. */
bool hr_text_is_job_name(ProtobufCBinaryData text);
bool hr_text_is(ProtobufCBinaryData text, const char *other);

#endif
