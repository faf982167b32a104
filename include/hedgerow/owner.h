/* What an owner of a federation can look at and decide, beside the hr_serve that serves its records or
 * without it.
 *
 * In a library that was built without the feature `federation` the functions fail with ABSENT. */
#ifndef HEDGEROW_OWNER_H
#define HEDGEROW_OWNER_H

#include <hedgerow/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an owner file names; paths as they are from here. NULL: it names none. */
typedef struct hr_owner_info {
    const char *name, *federation; /* the member; the federation file */
    const char *data, *test;       /* paths of tables, or addresses of databases */
    const char *schema, *ledger, *models;
} hr_owner_info;

/* Calls `visit` once with what the owner file names. Nothing else is read. Texts are valid during the call
 * only. Thread: any. Fails: IO, FORMAT, LIMIT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_owner_read(const char *owner_file,
                                             void (*visit)(void *user, const hr_owner_info *info), void *user,
                                             hr_error *err);

/* A rule of an owner's policy, and what a job makes of it. */
typedef struct hr_policy_line {
    const char *rule; /* the key of the policy, "limits.KEY" of its coordinator's; or what else decides:
                         "job", "schema", "terms", "ledger" */
    bool keeps;       /* the job keeps the rule */
    const char *text; /* the numbers */
} hr_policy_line;

/* Calls `visit` for every rule that an owner would ask of a job if the coordinator of the job file offered it
 * now, and says whether the owner would take part. The policy, the schema and the ledger are read; no record,
 * and no network. Texts are valid during the call only. Thread: any. Spends: nothing. Fails: IO, FORMAT,
 * ARGUMENT (the job file names no members, or no federated method), LIMIT, MEMORY; `visit` was not called
 * then. */
HR_API HR_MUST_CHECK hr_status hr_policy_explain(const char *owner_file, const char *job_file,
                                                 void (*visit)(void *user, const hr_policy_line *line),
                                                 void *user, bool *accepted, hr_error *err);

/* Where the policy says `approve: manual`, an offer that keeps its rules waits for one of these. `job`: its
 * name, or the first digits of its id, as the log of the process that serves gives them; that process acts
 * within a second. `reason`: told to the coordinator; NULL: none. Thread: any; from any process. Fails:
 * ARGUMENT (no such job, or several, which the message lists), POLICY (it does not wait any more: it was
 * decided, or it is over), IO, FORMAT, MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_job_approve(const char *owner_file, const char *job, hr_error *err);
HR_API HR_MUST_CHECK hr_status hr_job_refuse(const char *owner_file, const char *job, const char *reason,
                                             hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
