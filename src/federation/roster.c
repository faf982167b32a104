#include "federation/roster.h"

#include <string.h>

size_t hr_roster_named(const hr_roster *roster, const void *name, size_t size) {
    for (size_t i = 0; i < roster->count; i++)
        if (strlen(roster->members[i].name) == size && size && !memcmp(roster->members[i].name, name, size)) return i;
    return HR_NO_MEMBER;
}

size_t hr_roster_keyed(const hr_roster *roster, const hr_public_key *key) {
    for (size_t i = 0; i < roster->count; i++)
        if (hr_public_key_same(&roster->members[i].key, key)) return i;
    return HR_NO_MEMBER;
}
