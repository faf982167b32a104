#include "federation/roster.h"

#include <string.h>

size_t hr_roster_named(const hr_roster *roster, const void *name, size_t size) {
    for (size_t i = 0; i < roster->count; i++)
        if (strlen(roster->members[i].name) == size && size && !memcmp(roster->members[i].name, name, size)) return i;
    return HR_NO_MEMBER;
}

size_t hr_roster_keyed(const hr_roster *roster, const uint8_t key[HR_KEY_SIZE]) {
    for (size_t i = 0; i < roster->count; i++)
        if (!memcmp(roster->members[i].key.bytes, key, HR_KEY_SIZE)) return i;
    return HR_NO_MEMBER;
}
