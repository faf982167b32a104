/* Who a member is, and where its files are: what owner, coordinator and job files have in common. */
#ifndef HR_FEDERATION_CONFIG_MEMBER_PATHS_H
#define HR_FEDERATION_CONFIG_MEMBER_PATHS_H

#include "federation/config/fields.h"

#include <stddef.h>

typedef struct hr_member_paths {
    const char *name;                          /* as a member */
    const char *federation, *key;              /* paths of the federation file and the secret key */
    const char *certificate, *certificate_key; /* paths, for TLS; both NULL without */
} hr_member_paths;

/* What is expected of an HR_FIELD_PATH. */
#define HR_FILE_EXPECTED "a file"

/* A row of a field table: a field of the hr_member_paths at this offset in the caller's struct. */
#define HR_MEMBER_FIELD(at, field, name, of_kind, needed, what)                                              \
    {                                                                                                        \
        .key = (name), .kind = (of_kind), .required = (needed),                                              \
        .offset = (at) + offsetof(hr_member_paths, field), .expected = (what)                                \
    }

/* Its five rows. needed: name, federation and key, in every file of the kind. */
#define HR_MEMBER_FIELDS(at, needed)                                                                         \
    HR_MEMBER_FIELD(at, name, "name", HR_FIELD_NAME, needed, HR_NAME_EXPECTED),                              \
        HR_MEMBER_FIELD(at, federation, "federation", HR_FIELD_PATH, needed, HR_FILE_EXPECTED),              \
        HR_MEMBER_FIELD(at, key, "key", HR_FIELD_PATH, needed, HR_FILE_EXPECTED),                            \
        HR_MEMBER_FIELD(at, certificate, "certificate", HR_FIELD_PATH, false, HR_FILE_EXPECTED),             \
        HR_MEMBER_FIELD(at, certificate_key, "certificate-key", HR_FIELD_PATH, false, HR_FILE_EXPECTED)

#endif
