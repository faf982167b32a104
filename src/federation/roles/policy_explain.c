/* What an owner would answer to a job file: the terms that its coordinator would offer, asked of the policy.
 */
#include "base/fail.h"
#include "federation/config/owner_file.h"
#include "federation/federated/terms.h"
#include "federation/party/endpoint.h"
#include "federation/roles/policy_check.h"

#include <hedgerow/owner.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANSWERS_MAX = 64 };

/* The files, and the answers of all rules. */
typedef struct policy_explanation {
    hr_arena *arena;
    hr_owner_file owner;
    hr_job_file job;
    hr_schema *owner_schema, *job_schema;
    hr_ledger *ledger;
    ProtobufCMessage *terms;
    hr_rule_answer answers[ANSWERS_MAX];
    size_t count;
} policy_explanation;

static hr_status read_explained_owner(policy_explanation *e, const char *path, hr_error *err) {
    hr_status status = hr_owner_file_read(path, e->arena, &e->owner, err);
    if (!status) status = hr_owner_file_check(&e->owner, path, e->arena, err);
    if (!status) status = hr_schema_read(e->owner.schema, &e->owner_schema, err);
    return status ? status : hr_ledger_open(e->owner.ledger, &e->ledger, err);
}

static hr_status read_explained_job(policy_explanation *e, const char *path, hr_error *err) {
    hr_bytes terms = {0};
    hr_status status = hr_job_file_read(path, hr_federated_defaults, e->arena, &e->job, err);
    if (!status && !e->job.name) {
        hr_fail(err, HR_E_ARGUMENT, "add name, federation, key, journal and owners",
                "the job file does not name the members");
        return hr_fail_at(err, HR_E_ARGUMENT, path, 0, 0, NULL);
    }
    if (!status) status = hr_schema_read(e->job.schema, &e->job_schema, err);
    if (!status && !e->job.date) e->job.date = hr_endpoint_clock().date;
    if (!status) status = hr_terms_of(&e->job, path, e->job_schema, &e->job.owners, &terms, err);
    if (!status)
        status = hr_message_unpack(&hedgerow__terms__descriptor, terms.at, terms.size, &e->terms, err);
    free(terms.at);
    return status;
}

static bool keep_answer(void *user, const hr_rule_answer *answer) {
    policy_explanation *e = user;
    if (e->count < ANSWERS_MAX) e->answers[e->count++] = *answer;
    return true;
}

/* An offer that does not name the owner is no offer to it. */
static void answer_for_job(policy_explanation *e) {
    hr_rule_answer a = {.rule = "job", .keeps = hr_names_hold(&e->job.owners, e->owner.name)};
    snprintf(a.text, sizeof a.text, a.keeps ? "it names the owner %s" : "it does not name the owner %s",
             e->owner.name);
    keep_answer(e, &a);
}

static void answer_for_approval(policy_explanation *e) {
    const hr_rule_answer a = {"approve", true, "manual: the job waits for `hedgerow jobs approve`"};
    if (hr_policy_is_manual(&e->owner.policy, e->job.name)) keep_answer(e, &a);
}

static hr_status explain_policy(policy_explanation *e, hr_error *err) {
    const hr_policy_question question = {.policy = &e->owner.policy,
                                         .schema = e->owner_schema,
                                         .ledger = e->ledger,
                                         .has_test = e->owner.test != NULL,
                                         .coordinator = e->job.name,
                                         .terms = (const Hedgerow__Terms *)e->terms,
                                         .date = hr_endpoint_clock().date};
    answer_for_job(e);
    hr_status status = hr_policy_check(&question, keep_answer, e, err);
    if (!status) answer_for_approval(e);
    return status;
}

static void close_explanation(policy_explanation *e) {
    hr_message_unpacked_free(e->terms);
    hr_ledger_close(e->ledger);
    hr_schema_free(e->job_schema);
    hr_schema_free(e->owner_schema);
    hr_arena_free(e->arena);
    free(e);
}

static void show_answers(const policy_explanation *e, void (*visit)(void *user, const hr_policy_line *line),
                         void *user, bool *accepted) {
    *accepted = true;
    for (size_t i = 0; i < e->count; i++) {
        const hr_policy_line line = {e->answers[i].rule, e->answers[i].keeps, e->answers[i].text};
        *accepted = *accepted && line.keeps;
        visit(user, &line);
    }
}

hr_status hr_policy_explain(const char *owner_file, const char *job_file,
                            void (*visit)(void *user, const hr_policy_line *line), void *user, bool *accepted,
                            hr_error *err) {
    policy_explanation *e = calloc(1, sizeof *e);
    if (!e) return hr_fail_memory(err);
    e->arena = hr_arena_new();
    hr_status status = e->arena ? read_explained_owner(e, owner_file, err) : hr_fail_memory(err);
    if (!status) status = read_explained_job(e, job_file, err);
    if (!status) status = explain_policy(e, err);
    if (!status) show_answers(e, visit, user, accepted);
    close_explanation(e);
    return status;
}
