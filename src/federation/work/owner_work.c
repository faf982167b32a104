#include "federation/work/owner_work.h"

#include "base/fail.h"
#include "base/text/calendar.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/sums/summed_owner.h"
#include "federation/work/owner_receipts.h"
#include "federation/work/policy_check.h"
#include "fit/budget.h"
#include "models/model/model.h"
#include "privacy/crypto/csprng.h"
#include "privacy/ledger/offers.h"
#include "privacy/ledger/spend.h"
#include "tables/data/records.h"
#include "tables/schema/schema_difference.h"

#include <hedgerow/amount.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HR_MODEL_PATH = 4096 };

/* ---- Terms ---- */

/* On the owner's own log: the coordinator does not learn of features that its job leaves out. */
static void log_left_out(const hr_owner_work *w, const hr_party_offer *offer) {
    char names[HR_SCHEMA_DIFFERENCE];
    const size_t count =
        offer->schema ? hr_schema_left_out(hr_data_schema(w->data), offer->schema, names) : 0;
    if (count)
        hr_job_log(&w->work, offer->record, HR_LOG_INFO, "the job leaves out %zu of this owner's columns: %s",
                   count, names);
}

static void log_acceptance(const hr_owner_work *w, const hr_party_offer *offer) {
    const Hedgerow__Terms *terms = offer->terms;
    char epsilon[HR_AMOUNT_TEXT], date[HR_DATE_TEXT];
    hr_spent_text(terms->epsilon, epsilon);
    hr_date_text((int64_t)terms->date, date);
    hr_job_log(&w->work, offer->record, HR_LOG_INFO, "takes part in a job of %s%s%s, for epsilon %s",
               offer->record->coordinator, terms->date ? " of " : "", terms->date ? date : "", epsilon);
}

static void decline_offer(hr_decision *decision, hr_decline_code code, const char *format, ...)
    HR_PRINTF(3, 4);
static void decline_offer(hr_decision *decision, hr_decline_code code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(decision->reason, sizeof decision->reason, format, arguments);
    va_end(arguments);
    decision->verdict = HR_VERDICT_DECLINED;
    decision->code = code;
}

/* An offer of other versions than this owner's is no fault of anybody, the coordinator behind or the owner.
 */
static void check_offer_versions(const hr_owner_work *w, const Hedgerow__Terms *terms, hr_decision *out) {
    const unsigned long long own = w->federation.version, theirs = terms->federation_version;
    const char *fingerprint = w->federation.fingerprint;
    if (terms->protocol != HR_PROTOCOL_VERSION)
        decline_offer(out, HEDGEROW__DECLINE__CODE__PROTOCOL_VERSION,
                      "the terms are of version %u of the protocol, this owner's program has version %d",
                      terms->protocol, HR_PROTOCOL_VERSION);
    else if (own && theirs < own)
        decline_offer(out, HEDGEROW__DECLINE__CODE__FEDERATION_VERSION,
                      "the coordinator's federation file is version %llu, this owner's version %llu: the "
                      "coordinator needs the current federation.yaml",
                      theirs, own);
    else if (own && theirs > own)
        decline_offer(out, HEDGEROW__DECLINE__CODE__FEDERATION_VERSION,
                      "this owner's federation file is version %llu, the coordinator's version %llu: this "
                      "owner needs the current federation.yaml",
                      own, theirs);
    else if (own && fingerprint && !hr_text_is(terms->federation_fingerprint, fingerprint))
        decline_offer(
            out, HEDGEROW__DECLINE__CODE__FEDERATION_VERSION,
            "two federation files have version %llu: compare what `hedgerow federation fingerprint` "
            "prints; this owner's is %s",
            own, fingerprint);
}

/* The first rule that the job does not keep is the reason to decline it. */
static bool note_refusal(void *user, const hr_rule_answer *answer) {
    hr_decision *decision = user;
    if (answer->keeps) return true;
    decline_offer(decision, HEDGEROW__DECLINE__CODE__POLICY, "%s: %s", answer->rule, answer->text);
    return false;
}

/* The records that the terms say the owner has, at its place; else -1. */
static ptrdiff_t place_of(const hr_owner_work *w, const Hedgerow__Terms *terms) {
    const size_t size = w->name ? strlen(w->name) : 0;
    for (size_t i = 0; size && i < terms->n_records_most; i++)
        if (terms->owners[i].len == size && !memcmp(terms->owners[i].data, w->name, size))
            return (ptrdiff_t)i;
    return -1;
}

/* Whether the owner has as many records as the terms say. Where it has not, nothing is sent that depends on
 * it: the offer waits for a person, as any offer does with approve: manual; `first`: its log says so. */
static bool is_within_bounds(const hr_owner_work *w, const hr_party_offer *offer, bool first) {
    const Hedgerow__Terms *terms = offer->terms;
    const hr_federated_method *method = hr_terms_method(terms);
    const hr_data *data = method && method->tests ? w->test : w->data;
    const ptrdiff_t at = place_of(w, terms);
    if (at < 0 || !data) return true;
    const uint64_t rows = hr_data_rows(data), least = terms->records_least[at],
                   most = terms->records_most[at];
    if (rows >= least && rows <= most) return true;
    if (first)
        hr_job_log(
            &w->work, offer->record, HR_LOG_WARNING,
            "this owner has %llu records, and the job says %llu to %llu: the model would be taken for "
            "suspect. Nothing is sent or paid unless a person approves the job; ask %s for other bounds",
            (unsigned long long)rows, (unsigned long long)least, (unsigned long long)most,
            offer->record->coordinator);
    return false;
}

/* A refusal depends on the records, and the coordinator reads it: no method with a guarantee has this check.
 */
static hr_status check_offer_records(hr_owner_work *w, const hr_party_offer *offer, hr_decision *out,
                                     hr_error *err) {
    const hr_federated_method *method = hr_terms_method(offer->terms);
    hr_error why = {0};
    if (out->verdict != HR_VERDICT_ACCEPTED || !method->unprotected) return HR_OK;
    hr_status status = method->unprotected->check_records(w->data, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (!status) return HR_OK;
    decline_offer(out, HEDGEROW__DECLINE__CODE__RECORDS, "records: %.*s", HR_RULE_TEXT - 1, why.message);
    return HR_OK;
}

static hr_status check_offer_policy(hr_owner_work *w, const hr_party_offer *offer, hr_decision *out,
                                    hr_error *err) {
    const hr_policy_question question = {.policy = w->policy,
                                         .schema = hr_data_schema(w->data),
                                         .ledger = w->ledger,
                                         .has_test = w->test != NULL,
                                         .coordinator = offer->record->coordinator,
                                         .terms = offer->terms,
                                         .date = offer->date};
    check_offer_versions(w, offer->terms, out);
    if (out->verdict == HR_VERDICT_DECLINED) return HR_OK;
    return hr_policy_check(&question, note_refusal, out, err);
}

static hr_status decide_without_ledger(hr_owner_work *w, const hr_party_offer *offer, hr_decision *out,
                                       hr_error *err) {
    hr_status status = check_offer_policy(w, offer, out, err);
    return status ? status : check_offer_records(w, offer, out, err);
}

/* Within the transaction that holds the decision. */
static hr_status note_offer(hr_owner_work *w, const hr_party_offer *offer, hr_offer_state state,
                            const char *text, hr_error *err) {
    const hr_offer_row row = {.id = offer->record->id,
                              .coordinator = offer->record->coordinator,
                              .date = offer->date,
                              .epsilon = offer->terms->paper ? 0 : hr_units_up(hr_terms_cost(offer->terms)),
                              .state = state,
                              .text = text};
    return hr_offers_put(w->ledger, &row, err);
}

/* Logs what waits for a person, once. */
static hr_status begin_waiting(hr_owner_work *w, const hr_party_offer *offer, hr_error *err) {
    const Hedgerow__Terms *terms = offer->terms;
    char epsilon[HR_AMOUNT_TEXT], text[100];
    hr_spent_text(terms->epsilon, epsilon);
    if (terms->model.len)
        snprintf(text, sizeof text, "%s, epsilon %s, owners %zu, model %.12s",
                 hr_terms_method(terms)->method->info.name, epsilon, terms->n_owners,
                 (const char *)terms->model.data);
    else
        snprintf(text, sizeof text, "%s, epsilon %s, rounds %u, owners %zu",
                 hr_terms_method(terms)->method->info.name, epsilon, terms->rounds, terms->n_owners);
    const uint8_t *id = offer->record->id;
    hr_job_log(&w->work, offer->record, HR_LOG_WARNING,
               "a job of %s waits for `hedgerow jobs approve` or `refuse`, id %02x%02x%02x%02x: %s",
               offer->record->coordinator, id[0], id[1], id[2], id[3], text);
    return note_offer(w, offer, HR_OFFER_WAITING, text, err);
}

/* What a person decided outweighs no rule: the policy is checked in any case. */
static hr_status decide_with_ledger(hr_owner_work *w, const hr_party_offer *offer, hr_decision *out,
                                    hr_error *err) {
    hr_offer_state before = 0;
    char reason[160] = "";
    hr_status status = hr_offers_prepare(w->ledger, err);
    if (!status) status = hr_offers_state(w->ledger, offer->record->id, &before, reason, sizeof reason, err);
    if (!status) status = check_offer_policy(w, offer, out, err);
    if (!status && out->verdict == HR_VERDICT_ACCEPTED)
        status = hr_owner_receipts_compare(w, offer, out, err);
    if (status) return status;
    if (out->verdict == HR_VERDICT_ACCEPTED && before == HR_OFFER_REFUSED) {
        decline_offer(out, HEDGEROW__DECLINE__CODE__REFUSED, "the owner refused the job%s%s",
                      *reason ? ": " : "", reason);
    }
    const bool waiting = before == HR_OFFER_WAITING,
               decidable = out->verdict == HR_VERDICT_ACCEPTED && before != HR_OFFER_APPROVED;
    if (decidable && (!is_within_bounds(w, offer, !waiting) ||
                      hr_policy_is_manual(w->policy, offer->record->coordinator))) {
        out->verdict = HR_VERDICT_UNDECIDED;
        return waiting ? HR_OK : begin_waiting(w, offer, err);
    }
    status = check_offer_records(w, offer, out, err);
    if (status) return status;
    return note_offer(w, offer, out->verdict == HR_VERDICT_ACCEPTED ? HR_OFFER_ACCEPTED : HR_OFFER_DECLINED,
                      out->reason, err);
}

static hr_status decide_on_offer(hr_party_work *self, const hr_party_offer *offer, hr_decision *out,
                                 hr_error *err) {
    hr_owner_work *w = (hr_owner_work *)self;
    hr_decision decision = {.verdict = HR_VERDICT_ACCEPTED};
    hr_status status = (w->ledger ? decide_with_ledger : decide_without_ledger)(w, offer, &decision, err);
    if (status) return status;
    if (decision.verdict == HR_VERDICT_ACCEPTED) {
        log_acceptance(w, offer);
        log_left_out(w, offer);
    }
    *out = decision;
    return HR_OK;
}

/* ---- A turn of its own ---- */

typedef hr_status turn_work(const hr_owner_turn *turn, hr_bytes *out, hr_error *err);

/* Beside the ledger that pays. */
static hr_status name_unread(hr_owner_turn *t, const hr_ledger *ledger, hr_error *err) {
    char path[HR_MODEL_PATH];
    const uint8_t *id = t->job->record->id;
    if (!ledger) return HR_OK;
    const int size = snprintf(path, sizeof path, "%s.job-%02x%02x%02x%02x.unread", hr_ledger_path(ledger),
                              id[0], id[1], id[2], id[3]);
    if (size >= HR_MODEL_PATH) return HR_OK;
    t->unread = hr_arena_text(t->arena, path, (size_t)size);
    return t->unread ? HR_OK : hr_fail_memory(err);
}

/* hr_fit_options.progress of all that an owner trains. */
static bool should_continue_turn(void *user, size_t done, size_t total) {
    const hr_job_view *job = user;
    (void)done, (void)total;
    return job->should_continue(job->user);
}

/* Does the work of a slot, for a share of what the job costs. */
static hr_status take_turn(hr_owner_turn *t, double share, turn_work *work, hr_bytes *out, hr_error *err) {
    const hr_method *trained = NULL;
    hr_csprng *csprng = NULL;
    hr_budget budget;
    t->arena = hr_arena_new();
    hr_status status = t->arena ? HR_OK : hr_fail_memory(err);
    if (!status) status = name_unread(t, ((const hr_owner_work *)t->work)->ledger, err);
    if (!status) status = hr_options_of_terms(t->job->terms, share, &t->options, err);
    if (t->job->should_continue) t->options.progress = should_continue_turn;
    t->options.user = (void *)t->job;
    if (!status) status = hr_terms_trained(t->job->terms, &trained, err);
    if (!status) status = hr_budget_of(trained, &t->options, &budget, err);
    if (!status) status = hr_csprng_open(&csprng, err);
    if (!status) status = hr_gate_new(budget.privacy_measure, budget.units, csprng, &t->gate, err);
    if (!status) status = work(t, out, err);
    hr_gate_free(t->gate);
    hr_csprng_close(csprng);
    hr_arena_free(t->arena);
    return status;
}

/* The owner's records, with the features that the job has. */
static hr_status records_of(const hr_owner_work *w, const hr_job_view *job, const hr_data **out,
                            hr_error *err) {
    static const hr_schema_sides sides = {"at the owner", "in the job"};
    char difference[HR_SCHEMA_DIFFERENCE];
    *out = job->method->tests ? w->test : w->data;
    if (!job->part || !*out) return HR_OK;
    size_t *features = malloc((hr_schema_feature_count(job->schema) + 1) * sizeof *features);
    if (features && !*job->part &&
        !hr_schema_difference_of_part(hr_data_schema(*out), job->schema, &sides, difference, features))
        *job->part = hr_data_part(*out, job->schema, features);
    free(features);
    *out = *job->part;
    return *out ? HR_OK : hr_fail_memory(err);
}

static hr_status open_turn(hr_party_work *self, const hr_job_view *job, size_t slot, hr_owner_turn *out,
                           hr_error *err) {
    const hr_owner_work *w = (const hr_owner_work *)self;
    *out = (hr_owner_turn){.job = job, .slot = slot, .threads = w->threads, .work = self};
    return records_of(w, job, &out->data, err);
}

static hr_status train_owner_tree(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                                  hr_error *err) {
    hr_owner_turn turn;
    hr_status status = open_turn(self, job, slot, &turn, err);
    if (status) return status;
    if (job->method->summed) return hr_summed_answer(&turn, out, err);
    if (job->method->unprotected) return job->method->unprotected->work(&turn, out, err);
    return take_turn(&turn, 1 - job->terms->vote_share, job->method->turns->train, out, err);
}

static hr_status vote_on_trees(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                               hr_error *err) {
    hr_owner_turn turn;
    hr_status status = open_turn(self, job, slot, &turn, err);
    const double share =
        job->terms->paper ? 1 : job->terms->vote_share; /* in mode paper nothing is paid for */
    return status ? status : take_turn(&turn, share, job->method->turns->vote, out, err);
}

static hr_status prepare_owner_records(hr_party_work *self, const hr_job_view *job, hr_error *err) {
    const hr_turn_job *turns = job->method ? job->method->turns : NULL;
    const hr_data *data;
    if (!turns || !turns->prepare) return HR_OK;
    hr_status status = records_of((const hr_owner_work *)self, job, &data, err);
    return status ? status : turns->prepare(job, data, err);
}

/* ---- The end ---- */

/* The model that the coordinator sent is read strictly, and written as this program writes models. */
static hr_status write_model(hr_owner_work *w, const hr_job_view *job, const hr_bytes *bytes, hr_error *err) {
    char path[HR_MODEL_PATH];
    hr_model *model = NULL;
    const uint8_t *id = job->record->id;
    int size = snprintf(path, sizeof path, "%s/%.*s-%02x%02x%02x%02x.json", w->models,
                        (int)job->terms->name.len, job->terms->name.data, id[0], id[1], id[2], id[3]);
    if (size < 0 || (size_t)size >= sizeof path)
        return hr_fail(err, HR_E_ARGUMENT, "name a folder with a shorter path in the owner file",
                       "the path of the folder 'models' is too long");
    hr_status status =
        hr_model_parse_json((const char *)bytes->at, bytes->size, "the coordinator's model", &model, err);
    if (!status) status = hr_model_write(model, path, err);
    if (!status) hr_job_log(&w->work, job->record, HR_LOG_INFO, "the model is in %s", path);
    hr_model_free(model);
    return status;
}

/* A model that cannot be written is no reason to go on with the job. */
static hr_status store_model(hr_owner_work *w, const hr_job_view *job, hr_error *err) {
    const hr_bytes bytes = job->method->assemble && job->method->machines->model
                               ? job->method->machines->model(job->protocol)
                               : (hr_bytes){0};
    hr_error why = {0};
    if (!w->models || !bytes.size) return HR_OK;
    hr_status status = write_model(w, job, &bytes, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    if (status)
        hr_job_log(&w->work, job->record, HR_LOG_ERROR, "the job's model is not kept: %s", why.message);
    return HR_OK;
}

static hr_status finish_job(hr_party_work *self, const hr_job_view *job, hr_error *err) {
    return store_model((hr_owner_work *)self, job, err);
}

static void count_ending(hr_party_work *self, const hr_job_view *job, hr_job_ending ending,
                         const char *state) {
    (void)job, (void)state;
    ((hr_owner_work *)self)->ended[ending]++;
}

void hr_owner_work_init(hr_owner_work *w) {
    w->work = (hr_party_work){.decide = decide_on_offer,
                              .charged = hr_owner_receipts_charged,
                              .train = train_owner_tree,
                              .vote = vote_on_trees,
                              .prepare = prepare_owner_records,
                              .finish = finish_job,
                              .over = count_ending};
}
