#include "job/owner_work.h"

#include "base/date.h"
#include "base/fail.h"
#include "data/schema.h"
#include "job/budget.h"
#include "job/federated_method.h"
#include "job/terms.h"
#include "random/stream.h"

#include <hedgerow/amount.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Progress ------------------------------------------------------------------------------------------------------------------ */

static void tell(hr_party_work *self, const char *line) {
    const hr_owner_work *w = (const hr_owner_work *)self;
    if (w->tell) w->tell(w->user, line);
}

static void tell_format(hr_owner_work *w, const char *format, ...) HR_PRINTF(2, 3);
static void tell_format(hr_owner_work *w, const char *format, ...) {
    char line[HR_ACTION_TEXT + 100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    tell(&w->work, line);
}

/* ---- Terms ------------------------------------------------------------------------------------------------------------------- */

/* What speaks against a job: a status and a message for its miner. */
static hr_status object(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_POLICY, "", "%s", why);
}

static hr_status check_policy(const hr_policy *policy, const char *miner, const Hedgerow__Terms *terms, hr_error *err) {
    if (!hr_names_hold(&policy->miners, miner)) return object("her policy does not serve this miner", err);
    const hr_federated_method *method = hr_terms_method(terms);
    if (!method || !hr_names_hold(&policy->methods, method->method->info.name)) return object("her policy does not allow the method", err);
    if (terms->paper && !policy->paper) return object("her policy does not allow paper mode, which is not private", err);
    if (terms->epsilon > policy->epsilon) return object("epsilon is more than her policy allows a job", err);
    if (terms->delta > policy->delta) return object("delta is more than her policy allows a job", err);
    return terms->n_owners < policy->owners ? object("fewer owners than her policy demands", err) : HR_OK;
}

static hr_status check_schema(const hr_schema *own, ProtobufCBinaryData text, hr_error *err) {
    hr_schema *theirs = NULL;
    hr_status status = hr_schema_parse((const char *)text.data, text.len, "terms", &theirs, err);
    if (status == HR_E_MEMORY) return status;
    bool same = !status && hr_schema_same(own, theirs);
    hr_schema_free(theirs);
    return same ? HR_OK : object("the schema is not hers", err);
}

static hr_status check_ledger(hr_ledger *ledger, const Hedgerow__Terms *terms, hr_error *err) {
    hr_ledger_total total;
    if (!ledger || terms->paper) return HR_OK;
    hr_status status = hr_ledger_sum(ledger, &total, err);
    if (status) return status;
    bool suffices = !total.frozen && total.epsilon_spent + hr_terms_cost(terms) <= total.epsilon_limit &&
                    total.delta_spent + terms->delta <= total.delta_limit;
    return suffices ? HR_OK : object("what is left in her ledger does not suffice", err);
}

static void tell_acceptance(hr_owner_work *w, const char *miner, const Hedgerow__Terms *terms) {
    char epsilon[HR_AMOUNT_TEXT], date[HR_DATE_TEXT];
    hr_spent_text(terms->epsilon, epsilon);
    hr_date_text((int64_t)terms->date, date);
    tell_format(w, "takes part in a job of %s%s%s, for epsilon %s", miner, terms->date ? " of " : "", terms->date ? date : "", epsilon);
}

static hr_status decide(hr_party_work *self, const char *miner, const Hedgerow__Terms *terms, bool *accepted, char reason[HR_ACTION_TEXT],
                        hr_error *err) {
    hr_owner_work *w = (hr_owner_work *)self;
    hr_error said = {0};
    hr_status status = check_policy(w->policy, miner, terms, &said);
    if (!status) status = check_schema(hr_data_schema(w->data), terms->schema, &said);
    if (!status) status = check_ledger(w->ledger, terms, &said);
    if (!status) status = hr_terms_method(terms)->check_terms(terms, hr_data_schema(w->data), &said);
    if (status == HR_E_MEMORY || status == HR_E_IO) {
        if (err) *err = said;
        return status;
    }
    *accepted = !status;
    snprintf(reason, HR_ACTION_TEXT, "%.200s", said.message);
    if (!status) tell_acceptance(w, miner, terms);
    return HR_OK;
}

/* ---- A turn of hers ----------------------------------------------------------------------------------------------------------------- */

static hr_status open_gate(hr_owner_turn *t, hr_stream **stream, hr_error *err) {
    hr_budget budget;
    hr_status status = hr_budget_of(t->job->method->method, &t->options, &budget, err);
    if (!status) status = hr_stream_open(stream, err);
    return status ? status : hr_gate_new(budget.currency, budget.units, *stream, &t->gate, err);
}

typedef hr_status turn_work(const hr_owner_turn *turn, hr_bytes *out, hr_error *err);

/* Does the work of a place, for a share of what the job costs. */
static hr_status take_turn(hr_owner_turn *t, double share, turn_work *work, hr_bytes *out, hr_error *err) {
    hr_stream *stream = NULL;
    t->arena = hr_arena_new();
    hr_status status = t->arena ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_options_of_terms(t->job->terms, share, &t->options, err);
    if (!status) status = open_gate(t, &stream, err);
    if (!status) status = work(t, out, err);
    hr_gate_free(t->gate);
    hr_stream_close(stream);
    hr_arena_free(t->arena);
    return status;
}

static hr_owner_turn turn_of(hr_party_work *self, const hr_party_job *job, size_t place) {
    const hr_owner_work *w = (const hr_owner_work *)self;
    return (hr_owner_turn){.job = job, .place = place, .data = w->data, .threads = w->threads, .work = self};
}

static hr_status train(hr_party_work *self, const hr_party_job *job, size_t place, hr_bytes *out, hr_error *err) {
    hr_owner_turn turn = turn_of(self, job, place);
    return take_turn(&turn, 1 - job->terms->vote_share, job->method->train, out, err);
}

static hr_status vote(hr_party_work *self, const hr_party_job *job, size_t place, hr_bytes *out, hr_error *err) {
    hr_owner_turn turn = turn_of(self, job, place);
    return take_turn(&turn, job->terms->vote_share, job->method->vote, out, err);
}

static hr_status prepare(hr_party_work *self, const hr_party_job *job, hr_error *err) {
    return job->method ? job->method->prepare(job, ((const hr_owner_work *)self)->data, err) : HR_OK;
}

/* ---- The end ------------------------------------------------------------------------------------------------------------------------ */

static hr_status finish(hr_party_work *self, const hr_party_job *job, hr_error *err) {
    hr_owner_work *w = (hr_owner_work *)self;
    (void)job, (void)err;
    w->done++;
    tell(self, "the job is done");
    return HR_OK;
}

static void fail(hr_party_work *self, const hr_party_job *job, const char *why) {
    hr_owner_work *w = (hr_owner_work *)self;
    (void)job;
    w->failed++;
    tell_format(w, "the job ended: %s", why);
}

void hr_owner_work_init(hr_owner_work *w) {
    w->work =
        (hr_party_work){.decide = decide, .train = train, .vote = vote, .prepare = prepare, .finish = finish, .fail = fail, .tell = tell};
}
