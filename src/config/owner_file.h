/* The owner file: where an owner's data, keys and ledger are, and what it allows. Its format stands in
 * docs/formats.md. */
#ifndef HR_CONFIG_OWNER_FILE_H
#define HR_CONFIG_OWNER_FILE_H

#include "base/arena.h"
#include "config/fields.h"

#include <hedgerow/status.h>
#include <stdbool.h>

/* What is not allowed here is refused. */
typedef struct hr_policy {
    hr_names coordinators; /* members that may offer a job */
    hr_names methods;      /* of hr_method_at */
    double epsilon, delta; /* the most that a job may cost */
    size_t owners;         /* the fewest owners of a job, itself included */
    size_t days;           /* after which a job is over */
    bool paper;            /* jobs in paper mode, which is not private, are allowed */
} hr_policy;

typedef struct hr_owner_file {
    const char *name;                          /* as a member */
    const char *federation;                    /* path of the federation file */
    const char *key;                           /* path of the secret key */
    const char *certificate, *certificate_key; /* paths, for TLS; both NULL without */
    const char *data, *schema, *ledger;        /* paths */
    hr_policy policy;
} hr_owner_file;

/* Owner: *out lives in the arena. Fails: FORMAT (file, line, column), LIMIT, IO, MEMORY. */
HR_MUST_CHECK hr_status hr_owner_file_read(const char *path, hr_arena *arena, hr_owner_file *out,
                                           hr_error *err);
/* The same from memory. */
HR_MUST_CHECK hr_status hr_owner_file_parse(const hr_file_text *text, hr_arena *arena, hr_owner_file *out,
                                            hr_error *err);

#endif
