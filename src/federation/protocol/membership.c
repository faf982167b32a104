#include "federation/protocol/membership.h"

#include <string.h>

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
