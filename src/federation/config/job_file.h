/* The job file: the model that a coordinator makes, its owners and the files of the coordinator. Its
 * format stands in docs/reference/formats.md. */
#ifndef HR_FEDERATION_CONFIG_JOB_FILE_H
#define HR_FEDERATION_CONFIG_JOB_FILE_H

#include "base/arena.h"
#include "federation/config/federation_file.h"
#include "federation/config/member_paths.h"
#include "federation/config/record_bounds.h"

#include <hedgerow/federation.h>

/* Which owners get the trees so far: the next one only, or all remaining ones at once. */
typedef enum hr_order { HR_ORDER_CHAIN, HR_ORDER_BROADCAST } hr_order;

/* For which owners the deadline is waited for: all of them, or those that are present (party/presence.h). */
typedef enum hr_wait_for { HR_WAIT_ALL, HR_WAIT_PRESENT } hr_wait_for;

/* Half of the other owners, rounded down, but at least one; 0 of an owner alone. */
static inline size_t hr_coalition_usual(size_t owners) {
    return owners < 2 ? 0 : owners < 5 ? 1 : (owners - 1) / 2;
}

/* The job method of owners that each train a model alone, which are averaged. */
#define HR_METHOD_AVERAGE "average"
/* The job method that trains nothing: owners release how well a model predicts. */
#define HR_METHOD_EVALUATION "evaluation"
/* The job method that trains nothing: owners release between which bounds the values of columns are. */
#define HR_METHOD_BOUNDS "bounds"

typedef struct hr_job_file {
    const char *schema;     /* path */
    hr_fit_options options; /* method, mode, epsilon and delta of each owner, and the method's own options */
    bool
        averages; /* the job's method is HR_METHOD_AVERAGE, and options.method what each owner trains alone */
    const char *model; /* path: the job's method is HR_METHOD_EVALUATION, and of `options` only epsilon and
                          delta count. NULL: any other method */
    hr_file_text evaluated; /* what is in that file */
    hr_names columns; /* the job's method is HR_METHOD_BOUNDS, as with `model`; empty: any other method */
    size_t rounds;    /* 1..8 */
    hr_order order;
    double round_gain; /* stop when a round improves by less; 0: all rounds, and no votes */
    size_t
        last_slots;  /* after the last round, vote on leaving out up to so many last trees; 0: no such vote */
    bool vote_trees; /* mode paper: owners vote on each tree, exactly */
    double vote_share; /* part of epsilon for votes; 0 without any, and in mode paper, where they are free */
    size_t coalition;  /* owners that may act together with the coordinator, of methods that add sums up; 0:
                          hr_coalition_usual */
    hr_record_bounds records;              /* of each owner, unless owner_records has its own */
    const hr_record_bounds *owner_records; /* [owner of `owners`]; NULL: `records` holds for all */
    size_t deadline;                       /* seconds within which an owner must answer */
    hr_wait_for wait_for;
    int64_t date;                      /* of the terms: seconds since 1970 began; 0: not in the file */
    hr_federation_id in;               /* the federation that the job is offered in; not of the file */
    const hr_federation_file *members; /* of that federation: bounds of owners whose records the file does not
                                          bound; NULL: not read */

    /* What only a job over a federation needs: the coordinator and all others, or none of them. */
    hr_member_paths member; /* the coordinator; name NULL: only a simulation */
    const char *journal;    /* path */
    hr_names owners;        /* members, in the order of the chain */
    const char
        *coordinator_owner; /* the owner that is the coordinator, too; NULL: none. In simulations as well */
} hr_job_file;

/* The method of the job. */
static inline const char *hr_job_file_method(const hr_job_file *job) {
    if (job->model) return HR_METHOD_EVALUATION;
    if (job->columns.count) return HR_METHOD_BOUNDS;
    return job->averages ? HR_METHOD_AVERAGE : job->options.method;
}

/* An option of one owner alone that a job does not have, and what to do about it. */
typedef struct hr_left_out {
    const char *name, *instead;
} hr_left_out;

/* Sets the options in which the defaults of a job differ from those of options->method, and returns the
 * options that its jobs do not have: ended by a NULL name; NULL: none. From the table of federated methods,
 * which is in a room above. Not called of HR_METHOD_AVERAGE, of which each owner trains as it does alone. */
typedef const hr_left_out *hr_job_rules(hr_fit_options *options);

/* What to do about an option that is left out; NULL: it is not. */
const char *hr_left_out_instead(const hr_left_out *list, const char *name);

/* Reads the model of an evaluation, too. Owner: *out lives in the arena. Fails: FORMAT (file, line, column),
 * LIMIT, IO, MEMORY. */
HR_MUST_CHECK hr_status hr_job_file_read(const char *path, hr_job_rules *rules, hr_arena *arena,
                                         hr_job_file *out, hr_error *err);
/* As hr_job_file_read, from memory, but `evaluated` stays empty. */
HR_MUST_CHECK hr_status hr_job_file_parse(const hr_file_text *text, hr_job_rules *rules, hr_arena *arena,
                                          hr_job_file *out, hr_error *err);
/* What a job of that file makes. */
hr_job_product hr_job_file_makes(const hr_job_file *job);
/* Reads the file job->model into `evaluated`. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_job_file_load_model(hr_job_file *job, hr_arena *arena, hr_error *err);

#endif
