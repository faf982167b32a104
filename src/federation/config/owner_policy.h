/* The policy of an owner file: which jobs the owner takes part in. Its keys stand in
 * docs/reference/formats.md. */
#ifndef HR_FEDERATION_CONFIG_OWNER_POLICY_H
#define HR_FEDERATION_CONFIG_OWNER_POLICY_H

#include "federation/config/fields.h"
#include "federation/protocol/message.h"

#include <stdint.h>

/* Of the calendar, in UTC. */
typedef enum hr_period { HR_PERIOD_DAY, HR_PERIOD_MONTH, HR_PERIOD_YEAR, HR_PERIODS } hr_period;

typedef enum hr_approval { HR_APPROVAL_AUTOMATIC, HR_APPROVAL_MANUAL } hr_approval;

/* What jobs may take together; 0: any amount. */
typedef struct hr_limits {
    double epsilon[HR_PERIODS]; /* that jobs accepted in a period cost */
    size_t jobs[HR_PERIODS];    /* accepted in a period */
    hr_approval approve;        /* of a job that keeps the rules: by the program, or by a person */
} hr_limits;

/* What holds for one coordinator, besides what holds for all. */
typedef struct hr_coordinator_limits {
    const char *coordinator;
    double epsilon; /* the most that a job may cost; 0: as the policy */
    hr_limits limits;
} hr_coordinator_limits;

#define HR_POLICY_ALL SIZE_MAX

/* What is not allowed here is refused. */
typedef struct hr_policy {
    hr_names coordinators; /* members that may offer a job */
    hr_names methods;      /* of hr_method_at */
    double epsilon, delta; /* the most that a job may cost */
    size_t owners;         /* the fewest owners of a job, itself included */
    size_t coalition; /* the fewest owners that a job must be safe against, together with its coordinator; 0:
                         one, of several owners. HR_POLICY_ALL: all others */
    size_t days;      /* after which a job is over, and an offer too old; 0: never */
    hr_names unprotected; /* of `methods`: also in paper mode, which has no guarantee, is the job allowed */
    hr_limits limits;     /* of the jobs of all coordinators together */
    const hr_coordinator_limits *each;
    size_t each_count;
    const hr_yaml_node *coordinator_nodes; /* where `coordinators` stands in the file; NULL: in no file */
} hr_policy;

/* Reads the mapping under `policy`. Owner: *out lives in the reader's arena. Fails: FORMAT (line, column),
 * MEMORY. */
HR_MUST_CHECK hr_status hr_policy_read(const hr_fields *reader, const hr_yaml_node *map, hr_policy *out);

/* Whether every coordinator is a member. `path`: of the owner file. Fails: FORMAT (file, line, column). */
HR_MUST_CHECK hr_status hr_policy_check_members(const hr_policy *policy, const hr_membership *membership,
                                                const char *path, hr_error *err);

/* The limits of one coordinator besides those of all; NULL: none. */
const hr_coordinator_limits *hr_policy_each(const hr_policy *policy, const char *coordinator);

/* Whether a person accepts the jobs of a coordinator. */
bool hr_policy_is_manual(const hr_policy *policy, const char *coordinator);

/* "day", "month" or "year". */
const char *hr_period_text(hr_period period);

#endif
