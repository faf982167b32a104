/* A member of a federation by the file that a command names: an owner file, a job file, or the folder of a
 * coordinator that serves. */
#ifndef HR_FEDERATION_ROLES_MEMBER_FILES_H
#define HR_FEDERATION_ROLES_MEMBER_FILES_H

#include "federation/party/endpoint.h"

/* What an owner file and a job file have in common: a member, and its journal. Lives in an arena. */
typedef struct hr_member_files {
    hr_endpoint_files endpoint;
    const char *journal, *schema; /* paths; an owner's journal is its ledger */
    double round_gain;            /* a coordinator's */
    bool is_owner;
    const char *folder; /* of a coordinator that serves, which has no one schema; NULL: no folder was named */
} hr_member_files;

/* Fails: IO, FORMAT, ARGUMENT (a job file without a journal), LIMIT, MEMORY. */
HR_MUST_CHECK hr_status hr_member_files_read(const char *file, hr_arena *arena, hr_member_files *out,
                                             hr_error *err);

#endif
