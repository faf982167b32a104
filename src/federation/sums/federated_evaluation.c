/* An evaluation over owners: one secure sum of what each counts on its own test table. The question is the
 * model; the coordinator makes the figures of the sum (fit/measure/shared_evaluation.h). A sum that lacks an
 * answer is lost, and was paid for: there is no second one. */
#include "base/fail.h"
#include "federation/config/job_file.h"
#include "federation/federated/evaluation_question.h"
#include "federation/federated/federated_method.h"
#include "federation/sums/summed_job.h"
#include "fit/measure/shared_evaluation.h"
#include "privacy/crypto/csprng.h"

#include <stdlib.h>
#include <string.h>

enum { UNHEARD_MAX = 3 }; /* sums in a row that no owner was there to be asked for */

static hr_shared_evaluation evaluation_of(const Hedgerow__Terms *terms, const hr_schema *schema,
                                          size_t members) {
    return (hr_shared_evaluation){.schema = schema,
                                  .epsilon = terms->epsilon,
                                  .delta = terms->delta,
                                  .members = members,
                                  .coalition = terms->coalition};
}

/* ---- Terms ---- */

static void keep_evaluation_defaults(hr_fit_options *options) {
    (void)options;
}

static hr_status take_any_label(const hr_schema *schema, hr_error *err) {
    (void)schema, (void)err;
    return HR_OK;
}

static bool is_fingerprint(ProtobufCBinaryData text) {
    static const char digits[] = "0123456789abcdef";
    bool fine = text.len == HR_DIGEST_TEXT - 1;
    for (size_t i = 0; fine && i < text.len; i++) fine = text.data[i] && strchr(digits, text.data[i]);
    return fine;
}

/* Of fewer owners each share of the noise is larger: what all of them can pay for, fewer can. */
static hr_status check_evaluation_terms(const Hedgerow__Terms *terms, const hr_schema *schema,
                                        hr_error *err) {
    const hr_shared_evaluation evaluation = evaluation_of(terms, schema, terms->n_owners);
    hr_budget budget;
    if (terms->paper || terms->n_settings || terms->train.len)
        return hr_fail(err, HR_E_ARGUMENT, "", "an evaluation has no paper mode, and no options");
    if (!is_fingerprint(terms->model))
        return hr_fail(err, HR_E_ARGUMENT, "", "the terms name no model to evaluate");
    return hr_shared_evaluation_check(&evaluation, &budget, err);
}

/* ---- An owner ---- */

/* One answer in the making. */
typedef struct evaluation_answer {
    const hr_owner_turn *turn;
    hr_sum_question question;
    hr_shared_evaluation evaluation;
    hr_model *model;
    hr_csprng *csprng;
    hr_gate *gate;
    hr_mask *mask;
    uint64_t *values;
} evaluation_answer;

static void evaluation_answer_done(evaluation_answer *a) {
    free(a->values);
    hr_mask_free(a->mask);
    hr_gate_free(a->gate);
    hr_csprng_close(a->csprng);
    hr_model_free(a->model);
}

/* The job's cost pays for one answer, also after a restart of the owner. */
static hr_status take_only_question(evaluation_answer *a, hr_error *err) {
    const hr_owner_turn *t = a->turn;
    hr_sum_question earlier;
    for (size_t i = 0; i < t->slot; i++)
        if (hr_securesum_question(t->job->protocol, i, &earlier) && earlier.here)
            return hr_fail(err, HR_E_FORMAT, "", "an evaluation asks one question");
    if (!hr_securesum_question(t->job->protocol, t->slot, &a->question) || a->question.choice)
        return hr_fail(err, HR_E_FORMAT, "", "an evaluation asks for a sum");
    return HR_OK;
}

static hr_status read_evaluated_model(evaluation_answer *a, hr_error *err) {
    const hr_owner_turn *t = a->turn;
    const hr_schema *schema = hr_data_schema(t->data);
    char fingerprint[HR_DIGEST_TEXT] = "";
    if (is_fingerprint(t->job->terms->model))
        memcpy(fingerprint, t->job->terms->model.data, t->job->terms->model.len);
    hr_status status = hr_evaluation_question_read(&a->question.body, fingerprint, schema, &a->model, err);
    a->evaluation = evaluation_of(t->job->terms, schema, a->question.members);
    a->evaluation.model = a->model;
    return status;
}

static hr_status open_evaluation_gate(evaluation_answer *a, hr_error *err) {
    hr_budget budget;
    hr_status status = hr_shared_evaluation_check(&a->evaluation, &budget, err);
    if (!status) status = hr_csprng_open(&a->csprng, err);
    return status ? status : hr_gate_new(budget.privacy_measure, budget.units, a->csprng, &a->gate, err);
}

static hr_status make_evaluation_answer(evaluation_answer *a, hr_bytes *out, hr_error *err) {
    const hr_owner_turn *t = a->turn;
    const size_t count = hr_shared_evaluation_values(a->evaluation.schema);
    a->values = calloc(count, sizeof *a->values);
    hr_status status = a->values ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_securesum_mask(t->job->protocol, t->slot, &a->mask, err);
    if (!status)
        status = hr_shared_evaluation_answer(&a->evaluation, t->data, a->gate, a->mask, a->values, err);
    return status ? status : hr_securesum_pack_share(&a->question, a->values, count, out, err);
}

static hr_status answer_evaluation(const hr_owner_turn *t, hr_bytes *out, hr_error *err) {
    evaluation_answer a = {.turn = t};
    hr_status status = take_only_question(&a, err);
    if (!status) status = read_evaluated_model(&a, err);
    if (!status) status = open_evaluation_gate(&a, err);
    if (!status) status = make_evaluation_answer(&a, out, err);
    evaluation_answer_done(&a);
    return status;
}

/* ---- The coordinator ---- */

static hr_status ask_for_counts(const hr_party_job *job, const hr_party_work *work, Hedgerow__Question *out,
                                hr_bytes *body, hr_error *err) {
    const hr_file_text *model = work->evaluated;
    if (!model)
        return hr_fail(err, HR_E_IO, "start it again with its job file", "the model file is not at hand");
    hr_status status = hr_bytes_copy(model->text, model->size, body, err);
    if (status) return status;
    out->body = hr_data_of(body->at, body->size);
    out->values = (uint32_t)hr_shared_evaluation_values(job->schema);
    return HR_OK;
}

static hr_status ask_evaluation(const hr_party_job *job, hr_party_work *work, Hedgerow__Question *out,
                                hr_bytes *body, hr_error *err) {
    hr_sum_outcome last = {.lost = true};
    const size_t asked = hr_securesum_outcomes(job->protocol);
    if (asked) hr_securesum_outcome(job->protocol, asked - 1, &last);
    out->done = !last.lost;
    if (out->done) return HR_OK;
    if (last.members)
        return hr_fail(err, HR_E_IO, "offer a new job when all owners can be reached",
                       "the sum is lost, since an owner's answer is missing");
    if (asked >= UNHEARD_MAX)
        return hr_fail(err, HR_E_IO, "start again when the owners can be reached", "no owner is there");
    return ask_for_counts(job, work, out, body, err);
}

static hr_status open_account(const hr_shared_evaluation *evaluation, hr_csprng **unused, hr_gate **account,
                              hr_error *err) {
    hr_budget budget;
    hr_status status = hr_shared_evaluation_check(evaluation, &budget, err);
    if (!status) status = hr_csprng_open_seeded(0, unused, err);
    return status ? status : hr_gate_new(budget.privacy_measure, budget.units, *unused, account, err);
}

static hr_status make_evaluation(const hr_party_job *job, hr_evaluation *out, hr_error *err) {
    hr_sum_outcome sum = {.lost = true};
    hr_noisy *values = NULL;
    hr_csprng *unused = NULL;
    hr_gate *account = NULL;
    const size_t asked = hr_securesum_outcomes(job->protocol);
    if (asked) hr_securesum_outcome(job->protocol, asked - 1, &sum);
    if (sum.lost) return hr_fail(err, HR_E_JOB, "offer a new job", "the job ended without a sum");
    const hr_shared_evaluation evaluation = evaluation_of(job->terms, job->schema, sum.members);
    hr_status status = hr_summed_values(&sum, &values, err);
    if (!status) status = open_account(&evaluation, &unused, &account, err);
    if (!status) status = hr_shared_evaluation_result(&evaluation, values, account, out, err);
    hr_gate_free(account);
    hr_csprng_close(unused);
    free(values);
    return status;
}

/* ---- The method ---- */

static void forget_no_evaluation(void *kept) {
    (void)kept;
}

/* Only its name and what it says: it trains nothing. */
static const hr_method evaluation_method = {
    .info = {.name = HR_METHOD_EVALUATION,
             .summary = "how well a model predicts the owners' test tables",
             .paper = "a method of this project (docs/federation.md)",
             .is_private = true,
             .sound = "Each owner adds its share of the noise to what it counts, and a mask; the figures are "
                      "made of the sum alone.",
             .flaws = ""}};

const hr_federated_method hr_federated_evaluation = {
    .method = &evaluation_method,
    .owner = hr_securesum_owner,
    .coordinator = hr_securesum_coordinator,
    .tests = true,
    .defaults = keep_evaluation_defaults,
    .check_schema = take_any_label,
    .check_terms = check_evaluation_terms,
    .answer = answer_evaluation,
    .ask = ask_evaluation,
    .forget = forget_no_evaluation,
    .part = hr_securesum_part,
    .round = hr_summed_round,
    .evaluate = make_evaluation,
};
