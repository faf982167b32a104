/* The job file: the model that a coordinator asks for, and who asks whom. Its format stands in
 * docs/formats.md. */
#ifndef HR_PARTY_JOB_FILE_H
#define HR_PARTY_JOB_FILE_H

#include "base/arena.h"
#include "config/fields.h"

#include <hedgerow/fit.h>

/* Who has the trees so far: the next owner only, or all remaining ones at once. */
typedef enum hr_order { HR_ORDER_CHAIN, HR_ORDER_BROADCAST } hr_order;

typedef struct hr_job_file {
    const char *schema;     /* path */
    hr_fit_options options; /* method, mode, epsilon and delta of each owner, and the method's own options */
    size_t rounds;          /* 1..8 */
    hr_order order;
    double round_gain; /* stop when a round improves by less; 0: all rounds, and no votes */
    size_t
        last_slots; /* after the last round, vote on leaving out up to so many last trees; 0: no such vote */
    double vote_share; /* part of epsilon for votes; 0 without any */
    size_t deadline;   /* seconds that an owner may stay away */
    int64_t date;      /* of the terms: seconds since 1970 began; 0: the file does not say it */

    /* What only mining over a federation needs: `name` and all others, or none of them. Certificates both or
     * none. */
    const char *name; /* of the coordinator, as a member; NULL: there is no such part */
    const char *federation, *key, *certificate, *certificate_key; /* paths */
    const char *journal;                                          /* path */
    hr_names owners;                                              /* members, in the order of the chain */
} hr_job_file;

/* Owner: *out lives in the arena. Fails: FORMAT (file, line, column), LIMIT, IO, MEMORY. */
HR_MUST_CHECK hr_status hr_job_file_read(const char *path, hr_arena *arena, hr_job_file *out, hr_error *err);
/* The same from memory; relative paths are taken from the folder of `path`. */
HR_MUST_CHECK hr_status hr_job_file_parse(const char *text, size_t size, const char *path, hr_arena *arena,
                                          hr_job_file *out, hr_error *err);

#endif
