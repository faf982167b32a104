#include "party/owner_work.h"

#include "base/date.h"
#include "base/fail.h"
#include "fit/budget.h"
#include "party/federated_method.h"
#include "party/terms.h"
#include "random/csprng.h"
#include "schema/schema.h"

#include <hedgerow/amount.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Progress ---- */

static void log_owner_work_line(hr_party_work *self, const char *line) {
    const hr_owner_work *w = (const hr_owner_work *)self;
    if (w->log_line) w->log_line(w->user, line);
}

static void log_format(hr_owner_work *w, const char *format, ...) HR_PRINTF(2, 3);
static void log_format(hr_owner_work *w, const char *format, ...) {
    char line[HR_ACTION_TEXT + 100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    log_owner_work_line(&w->work, line);
}

/* ---- Terms ---- */

/* The reason to decline a job: a status and a message for its coordinator. */
static hr_status object(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_POLICY, "", "%s", why);
}

static hr_status check_policy(const hr_policy *policy, const char *coordinator, const Hedgerow__Terms *terms,
                              hr_error *err) {
    if (!hr_names_hold(&policy->coordinators, coordinator))
        return object("the owner's policy does not allow this coordinator", err);
    const hr_federated_method *method = hr_terms_method(terms);
    if (!method || !hr_names_hold(&policy->methods, method->method->info.name))
        return object("the owner's policy does not allow the method", err);
    if (terms->paper && !policy->paper)
        return object("the owner's policy does not allow paper mode, which is not private", err);
    if (terms->epsilon > policy->epsilon)
        return object("epsilon is more than the owner's policy allows a job", err);
    if (terms->delta > policy->delta)
        return object("delta is more than the owner's policy allows a job", err);
    return terms->n_owners < policy->owners ? object("fewer owners than the owner's policy requires", err)
                                            : HR_OK;
}

static hr_status check_schema(const hr_schema *own, ProtobufCBinaryData text, hr_error *err) {
    hr_schema *theirs = NULL;
    hr_status status = hr_schema_parse((const char *)text.data, text.len, "terms", &theirs, err);
    if (status == HR_E_MEMORY) return status;
    bool same = !status && hr_schema_same(own, theirs);
    hr_schema_free(theirs);
    return same ? HR_OK : object("the schema is not the owner's", err);
}

static hr_status check_owner_ledger(hr_ledger *ledger, const Hedgerow__Terms *terms, hr_error *err) {
    hr_ledger_total total;
    if (!ledger || terms->paper) return HR_OK;
    hr_status status = hr_ledger_sum(ledger, &total, err);
    if (status) return status;
    bool suffices = !total.frozen && total.epsilon_spent + hr_terms_cost(terms) <= total.epsilon_limit &&
                    total.delta_spent + terms->delta <= total.delta_limit;
    return suffices ? HR_OK : object("too little budget is left in the owner's ledger", err);
}

static void tell_acceptance(hr_owner_work *w, const char *coordinator, const Hedgerow__Terms *terms) {
    char epsilon[HR_AMOUNT_TEXT], date[HR_DATE_TEXT];
    hr_spent_text(terms->epsilon, epsilon);
    hr_date_text((int64_t)terms->date, date);
    log_format(w, "takes part in a job of %s%s%s, for epsilon %s", coordinator, terms->date ? " of " : "",
               terms->date ? date : "", epsilon);
}

static hr_status decide_on_terms(hr_party_work *self, const char *coordinator, const Hedgerow__Terms *terms,
                                 bool *accepted, char reason[HR_ACTION_TEXT], hr_error *err) {
    hr_owner_work *w = (hr_owner_work *)self;
    hr_error refusal = {0};
    hr_status status = check_policy(w->policy, coordinator, terms, &refusal);
    if (!status) status = check_schema(hr_data_schema(w->data), terms->schema, &refusal);
    if (!status) status = check_owner_ledger(w->ledger, terms, &refusal);
    if (!status) status = hr_terms_method(terms)->check_terms(terms, hr_data_schema(w->data), &refusal);
    if (status == HR_E_MEMORY || status == HR_E_IO) {
        if (err) *err = refusal;
        return status;
    }
    *accepted = !status;
    snprintf(reason, HR_ACTION_TEXT, "%.200s", refusal.message);
    if (!status) tell_acceptance(w, coordinator, terms);
    return HR_OK;
}

/* ---- A turn of its own ---- */

static hr_status open_turn_gate(hr_owner_turn *t, hr_csprng **csprng, hr_error *err) {
    hr_budget budget;
    hr_status status = hr_budget_of(t->job->method->method, &t->options, &budget, err);
    if (!status) status = hr_csprng_open(csprng, err);
    return status ? status : hr_gate_new(budget.privacy_measure, budget.units, *csprng, &t->gate, err);
}

typedef hr_status turn_work(const hr_owner_turn *turn, hr_bytes *out, hr_error *err);

/* Does the work of a slot, for a share of what the job costs. */
static hr_status take_turn(hr_owner_turn *t, double share, turn_work *work, hr_bytes *out, hr_error *err) {
    hr_csprng *csprng = NULL;
    t->arena = hr_arena_new();
    hr_status status = t->arena ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_options_of_terms(t->job->terms, share, &t->options, err);
    if (!status) status = open_turn_gate(t, &csprng, err);
    if (!status) status = work(t, out, err);
    hr_gate_free(t->gate);
    hr_csprng_close(csprng);
    hr_arena_free(t->arena);
    return status;
}

static hr_owner_turn turn_of(hr_party_work *self, const hr_party_job *job, size_t slot) {
    const hr_owner_work *w = (const hr_owner_work *)self;
    return (hr_owner_turn){.job = job, .slot = slot, .data = w->data, .threads = w->threads, .work = self};
}

static hr_status train_owner_tree(hr_party_work *self, const hr_party_job *job, size_t slot, hr_bytes *out,
                                  hr_error *err) {
    hr_owner_turn turn = turn_of(self, job, slot);
    return take_turn(&turn, 1 - job->terms->vote_share, job->method->train, out, err);
}

static hr_status vote_owner_work(hr_party_work *self, const hr_party_job *job, size_t slot, hr_bytes *out,
                                 hr_error *err) {
    hr_owner_turn turn = turn_of(self, job, slot);
    return take_turn(&turn, job->terms->vote_share, job->method->vote, out, err);
}

static hr_status prepare_owner_records(hr_party_work *self, const hr_party_job *job, hr_error *err) {
    return job->method ? job->method->prepare(job, ((const hr_owner_work *)self)->data, err) : HR_OK;
}

/* ---- The end ---- */

static hr_status finish_owner_work(hr_party_work *self, const hr_party_job *job, hr_error *err) {
    hr_owner_work *w = (hr_owner_work *)self;
    (void)job, (void)err;
    w->done++;
    log_owner_work_line(self, "the job is done");
    return HR_OK;
}

static void fail_owner_work(hr_party_work *self, const hr_party_job *job, const char *why) {
    hr_owner_work *w = (hr_owner_work *)self;
    (void)job;
    w->failed++;
    log_format(w, "the job ended: %s", why);
}

void hr_owner_work_init(hr_owner_work *w) {
    w->work = (hr_party_work){.decide = decide_on_terms,
                              .train = train_owner_tree,
                              .vote = vote_owner_work,
                              .prepare = prepare_owner_records,
                              .finish = finish_owner_work,
                              .fail = fail_owner_work,
                              .log_line = log_owner_work_line};
}
