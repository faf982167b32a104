/* What an owner file and a job file have in common: a member, and its journal. */
#ifndef HR_FEDERATION_ROLES_MEMBER_FILES_H
#define HR_FEDERATION_ROLES_MEMBER_FILES_H

#include "base/arena.h"
#include "federation/party/endpoint.h"

typedef struct hr_member_files {
    hr_endpoint_files endpoint;
    const char *journal, *schema; /* paths; an owner's journal is its ledger */
    double round_gain;            /* a coordinator's */
    bool is_owner;
} hr_member_files;

/* Owner: *out lives in the arena. Fails: IO, FORMAT, ARGUMENT (a job file without a journal), LIMIT, MEMORY.
 */
HR_MUST_CHECK hr_status hr_member_files_read(const char *file, hr_arena *arena, hr_member_files *out,
                                             hr_error *err);

#endif
