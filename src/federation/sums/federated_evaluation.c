/* An evaluation over owners: one secure sum of what each counts on its own test table. The question is the
 * model; the coordinator makes the figures of the sum (fit/measure/shared_evaluation.h). The sum is
 * prepared (securesum.h). If it still lacks an answer it is lost, and was paid for: there is no second one.
 */
#include "base/fail.h"
#include "federation/config/job_file.h"
#include "federation/federated/evaluation_question.h"
#include "federation/federated/federated_method.h"
#include "federation/sums/sum_checks.h"
#include "federation/sums/summed_coordinator.h"
#include "federation/sums/summed_owner.h"
#include "fit/measure/shared_evaluation.h"
#include "fit/measure/statistics.h"

#include <string.h>

static hr_shared_evaluation evaluation_of(const Hedgerow__Terms *terms, const hr_schema *schema,
                                          size_t members) {
    return (hr_shared_evaluation){.schema = schema,
                                  .epsilon = terms->epsilon,
                                  .delta = terms->delta,
                                  .members = members,
                                  .coalition = terms->coalition};
}

/* ---- Terms ---- */

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
    const hr_status status = hr_statistics_check_shared(schema, err);
    if (status) return status;
    if (terms->paper || terms->n_settings || terms->train.len)
        return hr_fail(err, HR_E_ARGUMENT, "", "an evaluation has no paper mode, and no options");
    if (!is_fingerprint(terms->model))
        return hr_fail(err, HR_E_ARGUMENT, "", "the terms name no model to evaluate");
    return hr_shared_evaluation_check(&evaluation, &budget, err);
}

static hr_status evaluation_budget(const hr_job_view *job, hr_budget *out, hr_error *err) {
    const hr_shared_evaluation evaluation = evaluation_of(job->terms, job->schema, job->terms->n_owners);
    return hr_shared_evaluation_check(&evaluation, out, err);
}

/* The one question, as either party has it. */
typedef struct evaluation_sum {
    hr_shared_evaluation evaluation;
    hr_charge lines[HR_STATISTICS_MAX];
    size_t counts[HR_STATISTICS_MAX];
} evaluation_sum;

/* *s has its evaluation. */
static hr_status list_statistics(evaluation_sum *s, hr_summed_question *out, hr_error *err) {
    hr_budget budget;
    hr_status status = hr_shared_evaluation_check(&s->evaluation, &budget, err);
    if (status) return status;
    *out = (hr_summed_question){.lines = s->lines, .counts = s->counts, .content = s};
    out->line_count = hr_shared_evaluation_lines(&s->evaluation, &budget, s->lines, s->counts);
    return HR_OK;
}

/* ---- An owner ---- */

typedef struct evaluation_owner {
    bool answered; /* the job's cost pays for one answer */
    hr_model *model;
} evaluation_owner;

static hr_status open_evaluation_owner(const hr_owner_turn *turn, const hr_budget *budget, hr_arena *arena,
                                       void **state, hr_error *err) {
    (void)turn, (void)budget;
    *state = hr_arena_alloc(arena, 1, sizeof(evaluation_owner));
    return *state ? HR_OK : hr_fail_memory(err);
}

static void close_evaluation_owner(void *state) {
    hr_model_free(((evaluation_owner *)state)->model);
}

static hr_status read_evaluation_sum(void *state, const hr_owner_turn *t, const hr_sum_question *received,
                                     hr_arena *arena, hr_summed_question *out, hr_error *err) {
    evaluation_owner *o = state;
    const hr_schema *schema = hr_data_schema(t->data);
    char fingerprint[HR_DIGEST_TEXT] = "";
    if (o->answered) return hr_fail(err, HR_E_FORMAT, "", "an evaluation asks one question");
    o->answered = true;
    evaluation_sum *s = hr_arena_alloc(arena, 1, sizeof *s);
    if (!s) return hr_fail_memory(err);
    if (is_fingerprint(t->job->terms->model))
        memcpy(fingerprint, t->job->terms->model.data, t->job->terms->model.len);
    hr_status status = hr_evaluation_question_read(&received->body, fingerprint, schema, &o->model, err);
    s->evaluation = evaluation_of(t->job->terms, schema, received->members);
    s->evaluation.model = o->model;
    return status ? status : list_statistics(s, out, err);
}

static hr_status count_evaluation_sum(void *state, const hr_owner_turn *turn, const hr_summed_question *q,
                                      hr_exact *out, hr_error *err) {
    (void)state;
    return hr_shared_evaluation_count(&((const evaluation_sum *)q->content)->evaluation, turn->data, out,
                                      err);
}

static const hr_summed_owner evaluation_owner_rules = {.open = open_evaluation_owner,
                                                       .close = close_evaluation_owner,
                                                       .read = read_evaluation_sum,
                                                       .count = count_evaluation_sum};

/* ---- The coordinator ---- */

typedef struct evaluation_coordinator {
    hr_arena *arena; /* of the job; borrowed */
    hr_noisy *sums;  /* NULL: not learned yet */
    hr_sum_checks checks;
    size_t members; /* owners that they are over */
} evaluation_coordinator;

static hr_status open_evaluation_coordinator(const hr_job_view *job, const hr_budget *budget, hr_arena *arena,
                                             void **state, hr_error *err) {
    (void)job;
    evaluation_coordinator *c = *state = hr_arena_alloc(arena, 1, sizeof *c);
    if (!c) return hr_fail_memory(err);
    c->arena = arena;
    c->checks = (hr_sum_checks){.privacy_measure = budget->privacy_measure, .unit = HR_PER_RECORD};
    return HR_OK;
}

static hr_status next_evaluation_question(void *state, const hr_summed_progress *progress, hr_arena *arena,
                                          hr_summed_question *out, bool *more, hr_error *err) {
    const evaluation_coordinator *c = state;
    const hr_job_view *job = progress->job;
    *more = !c->sums;
    if (!*more) return HR_OK;
    hr_status status = hr_summed_need_owners(progress, err);
    if (status) return status;
    evaluation_sum *s = hr_arena_alloc(arena, 1, sizeof *s);
    if (!s) return hr_fail_memory(err);
    s->evaluation = evaluation_of(job->terms, job->schema, job->terms->n_owners);
    return list_statistics(s, out, err);
}

/* Figures have no place for a warning: with impossible sums there are none. */
static bool are_possible_figures(void *state, const hr_summed_question *q, const hr_summed_reply *reply) {
    evaluation_coordinator *c = state;
    return hr_sum_checks_values(&c->checks, q, reply) && !c->checks.failed[HR_CHECK_VALUE];
}

static const hr_sum_checks *checks_of_evaluation(const void *state) {
    return &((const evaluation_coordinator *)state)->checks;
}

static hr_status accept_evaluation_sum(void *state, const hr_summed_question *q, const hr_summed_reply *reply,
                                       hr_error *err) {
    evaluation_coordinator *c = state;
    const size_t values = hr_summed_values(q);
    hr_status status = hr_sum_checks_pass(&c->checks, err);
    if (!status) status = hr_summed_need_values(reply, err);
    if (status) return status;
    hr_noisy *sums = hr_arena_alloc(c->arena, values, sizeof *sums);
    if (!sums) return hr_fail_memory(err);
    memcpy(sums, reply->values, values * sizeof *sums);
    c->sums = sums;
    c->members = reply->members;
    return HR_OK;
}

static hr_status pack_evaluation_question(void *state, const hr_summed_progress *progress,
                                          const hr_summed_question *q, Hedgerow__Question *out,
                                          hr_bytes *body, hr_error *err) {
    (void)state, (void)q, (void)out;
    const hr_file_text *model = progress->work->evaluated;
    if (!model)
        return hr_fail(err, HR_E_IO, "start it again with its job file", "the model file is not at hand");
    return hr_bytes_copy(model->text, model->size, body, err);
}

static const hr_summed_coordinator evaluation_coordinator_rules = {.open = open_evaluation_coordinator,
                                                                   .next = next_evaluation_question,
                                                                   .possible = are_possible_figures,
                                                                   .checks = checks_of_evaluation,
                                                                   .accept = accept_evaluation_sum,
                                                                   .pack = pack_evaluation_question};

static hr_status make_evaluation(const hr_job_view *job, hr_evaluation *out, hr_error *err) {
    void *state = NULL;
    const hr_gate *charges = NULL;
    hr_status status = hr_summed_result(job, &state, &charges, err);
    if (status) return status;
    const evaluation_coordinator *c = state;
    if (!c->sums) return hr_fail(err, HR_E_JOB, "offer a new job", "the job ended without a sum");
    const hr_shared_evaluation evaluation = evaluation_of(job->terms, job->schema, c->members);
    return hr_shared_evaluation_result(&evaluation, c->sums, charges, out, err);
}

/* ---- The method ---- */

/* Only its name and its description: it trains nothing. */
static const hr_method evaluation_method = {
    .info = {.name = HR_METHOD_EVALUATION,
             .summary = "how well a model predicts the owners' test tables",
             .paper = "a method of this project (docs/how-to/federation.md)",
             .is_private = true,
             .sound = "Each owner adds its share of the noise to what it counts, and a mask; the figures are "
                      "made of the sum alone.",
             .flaws = ""}};

static const hr_summed_method evaluation_summed = {.protocol = &hr_summed_securesum,
                                                   .owner = &evaluation_owner_rules,
                                                   .coordinator = &evaluation_coordinator_rules,
                                                   .budget = evaluation_budget};

const hr_federated_method hr_federated_evaluation = {
    .method = &evaluation_method,
    .machines = &hr_summed_machines,
    .tests = true,
    .check_schema = hr_statistics_check_shared,
    .check_terms = check_evaluation_terms,
    .summed = &evaluation_summed,
    .free_state = hr_summed_free,
    .round = hr_summed_round,
    .evaluate = make_evaluation,
};
