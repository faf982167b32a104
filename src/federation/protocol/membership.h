/* The members of a federation, as its file lists them: their names and public keys. */
#ifndef HR_FEDERATION_PROTOCOL_MEMBERSHIP_H
#define HR_FEDERATION_PROTOCOL_MEMBERSHIP_H

#include "privacy/crypto/identity.h"

enum { HR_MEMBERS_MAX = 256, HR_NO_MEMBER = HR_MEMBERS_MAX };

typedef struct hr_member {
    const char *name;
    hr_public_key key;
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

/* One party's slot in it. */
typedef struct hr_party_view {
    const hr_membership *membership;
    const hr_identity *identity;
    size_t self;
} hr_party_view;

#endif
