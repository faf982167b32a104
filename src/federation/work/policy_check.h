/* Whether an owner takes part in a job: every rule of its policy, with its reason. */
#ifndef HR_FEDERATION_WORK_POLICY_CHECK_H
#define HR_FEDERATION_WORK_POLICY_CHECK_H

#include "federation/config/owner_policy.h"
#include "federation/protocol/message.h"

#include <hedgerow/ledger.h>
#include <hedgerow/schema.h>

/* A job that was offered to an owner. */
typedef struct hr_policy_question {
    const hr_policy *policy;
    const hr_schema *schema; /* the owner's */
    hr_ledger *ledger;       /* the owner's; NULL: nothing is spent or counted */
    bool has_test;           /* the owner has records to evaluate models on */
    const char *coordinator;
    const Hedgerow__Terms *terms;
    int64_t date; /* seconds since 1970 began */
} hr_policy_question;

enum { HR_RULE_TEXT = 184 }; /* bytes, with the NUL */

typedef struct hr_rule_answer {
    const char *rule; /* the key of the policy, "limits.KEY" of its coordinator's; or what else decides:
                         "schema", "unit", "test", "terms", "ledger" */
    bool keeps;       /* the job keeps the rule */
    char text[HR_RULE_TEXT]; /* the numbers, which the coordinator reads, too */
} hr_rule_answer;

/* False: no further rule is checked. */
typedef bool hr_rule_visit(void *user, const hr_rule_answer *answer);

/* Checks one rule after the other. The answers depend on the policy, the schema, the terms, the ledger
 * and the jobs that were accepted before; never on a record. Fails: IO, MEMORY. */
HR_MUST_CHECK hr_status hr_policy_check(const hr_policy_question *question, hr_rule_visit *visit, void *user,
                                        hr_error *err);

#endif
