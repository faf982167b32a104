/* The owner file: where an owner's data, keys and ledger are, and what it allows. Its format stands in
 * docs/reference/formats.md. */
#ifndef HR_FEDERATION_CONFIG_OWNER_FILE_H
#define HR_FEDERATION_CONFIG_OWNER_FILE_H

#include "base/arena.h"
#include "federation/config/member_paths.h"
#include "federation/config/owner_policy.h"

#include <hedgerow/status.h>
#include <stdbool.h>

typedef struct hr_owner_file {
    hr_member_paths member;
    const char *data;              /* the path or address of the table; NULL: the program has it */
    const char *query;             /* the path of a query, if that is a database; else NULL */
    const char *test, *test_query; /* table and query of the records that models are evaluated on;
                                      NULL: the owner evaluates none */
    int separator;                 /* of both tables, as hr_separator counts them */
    int quote;                     /* of both tables, as hr_quote counts */
    size_t skip_lines;             /* of both tables */
    const char *schema, *ledger;   /* paths */
    const char *models;            /* the folder that finished models are written into; NULL: it gets none */
    size_t hello;                  /* seconds between two hellos; 0: HR_HELLO_PERIOD */
    hr_policy policy;
} hr_owner_file;

/* Owner: *out lives in the arena. Fails: FORMAT (file, line, column), LIMIT, IO, MEMORY. */
HR_MUST_CHECK hr_status hr_owner_file_read(const char *path, hr_arena *arena, hr_owner_file *out,
                                           hr_error *err);
/* As hr_owner_file_read, from memory. */
HR_MUST_CHECK hr_status hr_owner_file_parse(const hr_file_text *text, hr_arena *arena, hr_owner_file *out,
                                            hr_error *err);

/* Whether the federation file, which is read for it, lists the coordinators of the policy. `path`: of the
 * owner file. Fails: FORMAT (file, line, column), and as hr_federation_file_read. */
HR_MUST_CHECK hr_status hr_owner_file_check(const hr_owner_file *file, const char *path, hr_arena *arena,
                                            hr_error *err);

#endif
