#include "federation/work/policy_check.h"

#include "base/fail.h"
#include "base/text/calendar.h"
#include "base/text/text.h"
#include "federation/config/owner_file.h"
#include "federation/federated/terms.h"
#include "federation/party/endpoint.h"
#include "privacy/ledger/offers.h"
#include "tables/schema/schema.h"
#include "tables/schema/schema_difference.h"

#include <hedgerow/amount.h>
#include <hedgerow/owner.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY = 86400 /* seconds */, ANSWERS_MAX = 64 };

typedef struct policy_check {
    const hr_policy_question *q;
    hr_rule_visit *visit;
    void *user;
    hr_schema *job; /* the job's; NULL before it was read, and if it cannot be */
    bool stopped;   /* by the visitor */
    hr_error *err;
} policy_check;

typedef hr_status policy_rule(policy_check *c);

static void answer(policy_check *c, const char *rule, bool keeps, const char *format, ...) HR_PRINTF(4, 5);
static void answer(policy_check *c, const char *rule, bool keeps, const char *format, ...) {
    hr_rule_answer a = {.rule = rule, .keeps = keeps};
    char text[2 * HR_RULE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hr_text_show(text, a.text, sizeof a.text);
    if (!c->stopped) c->stopped = !c->visit(c->user, &a);
}

/* ---- The terms alone ---- */

static hr_status check_coordinator(policy_check *c) {
    bool named = hr_names_hold(&c->q->policy->coordinators, c->q->coordinator);
    const ProtobufCBinaryData own = c->q->terms->coordinator_owner;
    answer(c, "coordinators", named, "%s is%s listed%s%.*s", c->q->coordinator, named ? "" : " not",
           own.len ? "; it is also the owner " : "", (int)own.len, own.data ? (const char *)own.data : "");
    return HR_OK;
}

static hr_status check_method(policy_check *c) {
    const hr_federated_method *method = hr_terms_method(c->q->terms);
    const char *name = method ? method->method->info.name : "";
    if (!method)
        answer(c, "methods", false, "the job's method does not train over a federation");
    else if (hr_names_hold(&c->q->policy->methods, name))
        answer(c, "methods", true, "%s is listed", name);
    else
        answer(c, "methods", false, "%s is not listed", name);
    return HR_OK;
}

static hr_status check_unprotected_method(policy_check *c) {
    ProtobufCBinaryData name = c->q->terms->method;
    const hr_federated_method *method = hr_terms_method(c->q->terms);
    if (!c->q->terms->paper)
        answer(c, "unprotected", true, "the job has a guarantee");
    else if (method && hr_names_hold(&c->q->policy->unprotected, method->method->info.name))
        answer(c, "unprotected", true, "%s in paper mode has no guarantee, and is listed",
               method->method->info.name);
    else
        answer(c, "unprotected", false, "%.*s in paper mode has no guarantee, and is not listed",
               (int)name.len, (const char *)name.data);
    return HR_OK;
}

static void check_amount(policy_check *c, const char *rule, double ask, double allowed) {
    char costs[HR_AMOUNT_TEXT], most[HR_AMOUNT_TEXT];
    hr_spent_text(ask, costs);
    hr_epsilon_left_text(allowed, most);
    answer(c, rule, ask <= allowed, "the job costs %s, the policy allows %s", costs, most);
}

static hr_status check_cost(policy_check *c) {
    const hr_coordinator_limits *each = hr_policy_each(c->q->policy, c->q->coordinator);
    check_amount(c, "epsilon", c->q->terms->epsilon, c->q->policy->epsilon);
    if (each && each->epsilon > 0) check_amount(c, "limits.epsilon", c->q->terms->epsilon, each->epsilon);
    check_amount(c, "delta", c->q->terms->delta, c->q->policy->delta);
    return HR_OK;
}

static hr_status check_owners(policy_check *c) {
    size_t owners = c->q->terms->n_owners, least = c->q->policy->owners;
    answer(c, "owners", owners >= least, "the job has %zu, the policy requires %zu", owners, least);
    return HR_OK;
}

/* The coalition that a job must be safe against: of methods that add up sums. In mode paper it is safe
 * against nobody, which check_unprotected_method is about. An owner that is the coordinator acts with it in
 * any case, so that it comes on top. */
static hr_status check_coalition(policy_check *c) {
    const hr_federated_method *method = hr_terms_method(c->q->terms);
    size_t others = c->q->terms->n_owners ? c->q->terms->n_owners - 1 : 0, wanted = c->q->policy->coalition,
           own = c->q->terms->coordinator_owner.len ? 1 : 0, least = wanted ? wanted : 1;
    if (!method || !method->summed || c->q->terms->paper) return HR_OK;
    if (least < others) least += own;
    if (least > others) least = others;
    answer(
        c, "coalition", c->q->terms->coalition >= least,
        "the job is safe against %u owners that act together with the coordinator%s, the policy requires %zu",
        c->q->terms->coalition, own ? ", its own among them" : "", least);
    return HR_OK;
}

/* An old offer, sent again to an owner whose ledger does not know it, would be paid for again. */
static hr_status check_date(policy_check *c) {
    char own[HR_DATE_TEXT], theirs[HR_DATE_TEXT];
    int64_t date = (int64_t)c->q->terms->date, age = c->q->date - date;
    size_t days = c->q->policy->days;
    if (!days) return HR_OK;
    hr_date_text(c->q->date, own);
    hr_date_text(date, theirs);
    if (!date)
        answer(c, "days", false, "the offer has no date, and the owner's is %s: offer the job anew", own);
    else if (age > (int64_t)days * DAY)
        answer(c, "days", false,
               "the offer is of %s, more than %zu days before the owner's date, %s: offer the job anew",
               theirs, days, own);
    else if (age < -DAY)
        answer(
            c, "days", false,
            "the offer is of %s, more than a day after the owner's date, %s: correct the clocks, or 'date' "
            "in the job file",
            theirs, own);
    else
        answer(c, "days", true, "the offer is of %s, at most %zu days old", theirs, days);
    return HR_OK;
}

static hr_status check_schema(policy_check *c) {
    static const hr_schema_sides sides = {"at the owner", "in the job"};
    ProtobufCBinaryData text = c->q->terms->schema;
    char difference[HR_SCHEMA_DIFFERENCE] = "it cannot be read", names[HR_SCHEMA_DIFFERENCE];
    hr_status status = hr_schema_parse((const char *)text.data, text.len, "terms", &c->job, c->err);
    if (status == HR_E_MEMORY) return status;
    size_t *features = status ? NULL : malloc((hr_schema_feature_count(c->job) + 1) * sizeof *features);
    if (!status && !features) return hr_fail_memory(c->err);
    bool differs = status || hr_schema_difference_of_part(c->q->schema, c->job, &sides, difference, features);
    free(features);
    const size_t left_out = differs ? 0 : hr_schema_left_out(c->q->schema, c->job, names);
    if (left_out)
        answer(c, "schema", true, "the job has the owner's but for %zu columns, which it leaves out: %s",
               left_out, names);
    else
        answer(c, "schema", !differs, "%s", differs ? difference : "the job has the owner's");
    return HR_OK;
}

static hr_status check_unit(policy_check *c) {
    const hr_federated_method *method = hr_terms_method(c->q->terms);
    hr_error why = {0};
    if (!method || !hr_schema_weighs(c->q->schema)) return HR_OK;
    const bool protects = !hr_federated_check_unit(method, c->q->terms->paper != 0, c->q->schema, &why);
    answer(c, "unit", protects, "%s",
           !protects                              ? why.message
           : hr_schema_unit(c->q->schema)         ? "the job protects whole persons"
           : hr_schema_weight(c->q->schema, NULL) ? "the job weighs records"
                                                  : "the job takes exposures of records");
    return HR_OK;
}

static hr_status check_test(policy_check *c) {
    const hr_federated_method *method = hr_terms_method(c->q->terms);
    if (!method || !method->tests) return HR_OK;
    answer(c, "test", c->q->has_test, "the owner file names %s records to evaluate models on",
           c->q->has_test ? "the" : "no");
    return HR_OK;
}

static hr_status check_method_terms(policy_check *c) {
    const hr_federated_method *method = hr_terms_method(c->q->terms);
    hr_error why = {0};
    if (!method) return HR_OK;
    const hr_schema *schema = c->job ? c->job : c->q->schema;
    hr_status status = hr_federated_check_label(method, c->q->terms->paper != 0, schema, &why);
    if (!status) status = hr_federated_check_monotone(method, c->q->terms->paper != 0, schema, &why);
    if (!status) status = method->check_terms(c->q->terms, schema, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(c->err);
    answer(c, "terms", !status, "%s", status ? why.message : "the method can train under them");
    return HR_OK;
}

/* ---- What was spent before ---- */

/* What the job costs in the ledger. */
static hr_units cost_of(const hr_policy_question *q) {
    return q->terms->paper ? 0 : hr_units_up(hr_terms_cost(q->terms));
}

/* The schema is the job's, too. The coordinator reads the reason: it names no column of the ledger. */
static hr_status check_ledger_unit(policy_check *c, bool *done) {
    const char *wanted = hr_schema_unit(c->q->schema);
    char *unit = NULL;
    hr_status status = hr_ledger_unit(c->q->ledger, &unit, c->err);
    *done = !status && unit && strcmp(unit, wanted ? wanted : "") != 0;
    if (*done)
        answer(c, "ledger", false, "it is of another unit than %s",
               wanted ? "the persons of the schema" : "single records");
    hr_text_free(unit);
    return status;
}

static hr_status check_owner_ledger(policy_check *c) {
    hr_ledger_total total;
    char costs[HR_AMOUNT_TEXT], left[HR_AMOUNT_TEXT];
    const Hedgerow__Terms *terms = c->q->terms;
    if (!c->q->ledger || terms->paper) return HR_OK;
    hr_status status = hr_ledger_sum(c->q->ledger, &total, c->err);
    if (status) return status;
    if (total.frozen) {
        answer(c, "ledger", false, "it is frozen");
        return HR_OK;
    }
    bool refused;
    status = check_ledger_unit(c, &refused);
    if (status || refused) return status;
    double cost = hr_terms_cost(terms);
    hr_spent_text(cost, costs);
    hr_epsilon_left_text(total.epsilon_left, left);
    answer(c, "ledger", total.epsilon_spent + cost <= total.epsilon_limit,
           "the job costs epsilon %s, the ledger has %s left", costs, left);
    double delta = hr_terms_delta(terms);
    if (!(delta > 0)) return HR_OK;
    hr_spent_text(delta, costs);
    hr_delta_left_text(total.delta_left, left);
    answer(c, "ledger", total.delta_spent + delta <= total.delta_limit,
           "the job costs delta %s, the ledger has %s left", costs, left);
    return HR_OK;
}

/* The first second of the period that a second lies in. */
static int64_t period_start(hr_period period, int64_t second) {
    char day[HR_DATE_TEXT];
    int64_t start = second;
    hr_date_text(second, day);
    if (period >= HR_PERIOD_MONTH) memcpy(day + 8, "01", 2);
    if (period >= HR_PERIOD_YEAR) memcpy(day + 5, "01", 2);
    (void)hr_date_parse(day, &start);
    return start;
}

/* Limits, the names of their rules, and the coordinator that they hold for; NULL: all together. */
typedef struct limits_of {
    const hr_limits *limits;
    const char *epsilon_rule, *jobs_rule, *coordinator;
} limits_of;

static void check_period_epsilon(policy_check *c, const limits_of *l, hr_period period, hr_units taken,
                                 const char *until) {
    hr_units limit = hr_units_down(l->limits->epsilon[period]), left = taken < limit ? limit - taken : 0;
    char costs[HR_AMOUNT_TEXT], most[HR_AMOUNT_TEXT], rest[HR_AMOUNT_TEXT];
    if (!(l->limits->epsilon[period] > 0) || c->q->terms->paper) return;
    hr_spent_text(hr_units_value(cost_of(c->q)), costs);
    hr_epsilon_left_text(l->limits->epsilon[period], most);
    hr_epsilon_left_text(hr_units_value(left), rest);
    answer(c, l->epsilon_rule, cost_of(c->q) <= left, "the job costs %s, of %s a %s %s is left until %s",
           costs, most, hr_period_text(period), rest, until);
}

static void check_period_jobs(policy_check *c, const limits_of *l, hr_period period, uint64_t taken,
                              const char *until) {
    size_t limit = l->limits->jobs[period], left = taken < limit ? limit - (size_t)taken : 0;
    if (limit)
        answer(c, l->jobs_rule, left > 0, "of %zu a %s %zu are left until %s", limit, hr_period_text(period),
               left, until);
}

static hr_status check_periods(policy_check *c, const limits_of *l) {
    static const int days[HR_PERIODS] = {1, 32, 367}; /* from the first of a period into the next */
    for (int p = 0; p < HR_PERIODS; p++) {
        hr_period period = (hr_period)p;
        hr_offers_taken taken;
        char until[HR_DATE_TEXT];
        if (!l->limits->jobs[p] && !(l->limits->epsilon[p] > 0)) continue;
        int64_t start = period_start(period, c->q->date);
        hr_status status = hr_offers_count(c->q->ledger, l->coordinator, start, &taken, c->err);
        if (status) return status;
        hr_date_text(period_start(period, start + days[period] * (int64_t)DAY), until);
        check_period_epsilon(c, l, period, taken.epsilon, until);
        check_period_jobs(c, l, period, taken.jobs, until);
    }
    return HR_OK;
}

static hr_status check_limits(policy_check *c) {
    const hr_coordinator_limits *each = hr_policy_each(c->q->policy, c->q->coordinator);
    const limits_of all = {&c->q->policy->limits, "epsilon-per", "jobs-per", NULL};
    if (!c->q->ledger) return HR_OK;
    hr_status status = check_periods(c, &all);
    if (status || !each) return status;
    const limits_of its = {&each->limits, "limits.epsilon-per", "limits.jobs-per", c->q->coordinator};
    return check_periods(c, &its);
}

/* ---- All of them ---- */

/* What depends on the policy alone comes before what depends on the ledger. */
static policy_rule *const rules[] = {check_coordinator, check_method,       check_unprotected_method,
                                     check_cost,        check_owners,       check_coalition,
                                     check_date,        check_schema,       check_unit,
                                     check_test,        check_method_terms, check_limits,
                                     check_owner_ledger};

hr_status hr_policy_check(const hr_policy_question *question, hr_rule_visit *visit, void *user,
                          hr_error *err) {
    policy_check c = {.q = question, .visit = visit, .user = user, .err = err};
    hr_status status = HR_OK;
    for (size_t i = 0; !status && !c.stopped && i < sizeof rules / sizeof *rules; i++) status = rules[i](&c);
    hr_schema_free(c.job);
    return status;
}

/* ---- A job file, checked in advance ----
 *
 * What an owner would answer to it: its policy is checked against the terms that the coordinator would offer.
 */

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
    hr_status status = hr_job_file_read(path, hr_federated_job_rules, e->arena, &e->job, err);
    if (!status && !e->job.member.name) {
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

static bool add_answer(void *user, const hr_rule_answer *answer) {
    policy_explanation *e = user;
    if (e->count < ANSWERS_MAX) e->answers[e->count++] = *answer;
    return true;
}

static hr_status explain_policy(policy_explanation *e, hr_error *err) {
    const hr_policy_question question = {.policy = &e->owner.policy,
                                         .schema = e->owner_schema,
                                         .ledger = e->ledger,
                                         .has_test = e->owner.test != NULL,
                                         .coordinator = e->job.member.name,
                                         .terms = (const Hedgerow__Terms *)e->terms,
                                         .date = hr_endpoint_clock().date};
    /* An offer that does not name the owner is no offer to it. */
    hr_rule_answer job = {.rule = "job", .keeps = hr_names_hold(&e->job.owners, e->owner.member.name)};
    snprintf(job.text, sizeof job.text, job.keeps ? "it names the owner %s" : "it does not name the owner %s",
             e->owner.member.name);
    add_answer(e, &job);
    hr_status status = hr_policy_check(&question, add_answer, e, err);
    const hr_rule_answer approval = {"approve", true, "manual: the job waits for `hedgerow jobs approve`"};
    if (!status && hr_policy_is_manual(&e->owner.policy, e->job.member.name)) add_answer(e, &approval);
    return status;
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
    hr_message_unpacked_free(e->terms);
    hr_ledger_close(e->ledger);
    hr_schema_free(e->job_schema);
    hr_schema_free(e->owner_schema);
    hr_arena_free(e->arena);
    free(e);
    return status;
}
