/* The members of a federation, as its file lists them: who may speak, and by which key she is known. */
#ifndef HR_FEDERATION_ROSTER_H
#define HR_FEDERATION_ROSTER_H

#include "seal/identity.h"

enum { HR_MEMBERS_MAX = 256, HR_NO_MEMBER = HR_MEMBERS_MAX };

typedef struct hr_member {
    const char *name;
    hr_public_key key;
} hr_member;

/* Members are known by their index. */
typedef struct hr_roster {
    const char *federation;
    const hr_member *members;
    size_t count;
} hr_roster;

/* HR_NO_MEMBER if there is none. */
size_t hr_roster_named(const hr_roster *roster, const void *name, size_t size);
size_t hr_roster_keyed(const hr_roster *roster, const uint8_t key[HR_KEY_SIZE]);

/* One party's place in it. */
typedef struct hr_party_view {
    const hr_roster *roster;
    const hr_identity *identity;
    size_t self;
} hr_party_view;

#endif
