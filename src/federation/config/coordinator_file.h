/* The coordinator file: who a coordinator that serves is, and how many jobs run at once. Its format stands in
 * docs/reference/formats.md. */
#ifndef HR_FEDERATION_CONFIG_COORDINATOR_FILE_H
#define HR_FEDERATION_CONFIG_COORDINATOR_FILE_H

#include "base/arena.h"
#include "federation/config/member_paths.h"

#include <hedgerow/status.h>

/* Of jobs that run at once: owners refuse more open jobs of one coordinator (HR_PARTY_JOBS_MAX). */
enum { HR_COORDINATOR_JOBS_MAX = 16, HR_COORDINATOR_JOBS_USUAL = 4 };

typedef struct hr_coordinator_file {
    hr_member_paths member;
    size_t at_once; /* jobs that run at the same time, 1..HR_COORDINATOR_JOBS_MAX */
} hr_coordinator_file;

/* Owner: *out lives in the arena. Fails: FORMAT (file, line, column), LIMIT, IO, MEMORY. */
HR_MUST_CHECK hr_status hr_coordinator_file_read(const char *path, hr_arena *arena, hr_coordinator_file *out,
                                                 hr_error *err);
/* As hr_coordinator_file_read, from memory. */
HR_MUST_CHECK hr_status hr_coordinator_file_parse(const hr_file_text *text, hr_arena *arena,
                                                  hr_coordinator_file *out, hr_error *err);

#endif
