/* The survival curve over owners: one secure sum of how many records of each have each code. The question is
 * empty: the terms hold all of it. The coordinator makes the curve of the sum, as one process does
 * (methods/survival/curve_model.h). The sum is prepared (securesum.h). If it still lacks an answer it is
 * lost, and was paid for: there is no second one. */
#include "base/fail.h"
#include "base/text/number.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/sums/sum_checks.h"
#include "federation/sums/summed_coordinator.h"
#include "federation/sums/summed_owner.h"
#include "fit/budget.h"
#include "methods/survival/curve_counts.h"
#include "models/model/model.h"
#include "privacy/noise.h"
#include "tables/data/records.h"
#include "trees/records/local_source.h"

#include <string.h>

/* ---- Terms ---- */

static hr_status check_curve_options(const hr_fit_options *options, const hr_schema *schema, hr_error *err) {
    const hr_fit_facts facts = {.options = options, .schema = schema};
    hr_curve curve;
    return hr_curve_of(&facts, &curve, err);
}

static hr_status curve_of_terms(const Hedgerow__Terms *terms, const hr_schema *schema, hr_curve *out,
                                hr_error *err) {
    hr_fit_options options;
    hr_status status = hr_options_of_terms(terms, 1, &options, err);
    const hr_fit_facts facts = {.options = &options, .schema = schema};
    return status ? status : hr_curve_of(&facts, out, err);
}

/* A sum of any owners: as many honest ones as there can be, or one. */
static hr_status check_curve_terms(const Hedgerow__Terms *terms, const hr_schema *schema, hr_error *err) {
    hr_fit_options options;
    hr_budget budget;
    hr_status status = hr_options_of_terms(terms, 1, &options, err);
    if (!status) status = hr_budget_check(&hr_method_survival_curve, &options, schema, 1, &budget, err);
    if (status) return status;
    const hr_fit_facts facts = {.options = &options, .schema = schema};
    hr_curve curve;
    status = hr_curve_of(&facts, &curve, err);
    if (status) return status;
    const hr_charge line = hr_curve_charge(&curve, budget.units);
    status = hr_charge_check_share(budget.privacy_measure, &line,
                                   hr_noise_shares(terms->n_owners, terms->coalition), err);
    if (!status) status = hr_charge_check_share(budget.privacy_measure, &line, 1, err);
    return status == HR_E_BUDGET ? hr_fail_at(err, status, NULL, 0, 0, "epsilon") : status;
}

static hr_status curve_budget(const hr_job_view *job, hr_budget *out, hr_error *err) {
    hr_fit_options options;
    hr_status status = hr_options_of_terms(job->terms, 1, &options, err);
    return status ? status : hr_budget_of(job->method->method, &options, out, err);
}

/* The one question, as either party has it. */
typedef struct curve_sum {
    hr_curve curve;
    hr_charge line;
    size_t count;
} curve_sum;

static hr_status list_counts(const hr_curve *curve, hr_units budget, hr_arena *arena, hr_summed_question *out,
                             hr_error *err) {
    curve_sum *s = hr_arena_alloc(arena, 1, sizeof *s);
    if (!s) return hr_fail_memory(err);
    *s = (curve_sum){*curve, hr_curve_charge(curve, budget), hr_curve_counts(curve)};
    *out = (hr_summed_question){.lines = &s->line, .counts = &s->count, .line_count = 1, .content = s};
    return HR_OK;
}

/* ---- An owner ---- */

typedef struct curve_owner {
    bool answered; /* the job's cost pays for one answer */
    hr_units budget;
} curve_owner;

static hr_status open_curve_owner(const hr_owner_turn *turn, const hr_budget *budget, hr_arena *arena,
                                  void **state, hr_error *err) {
    (void)turn;
    curve_owner *o = *state = hr_arena_alloc(arena, 1, sizeof *o);
    if (!o) return hr_fail_memory(err);
    *o = (curve_owner){.budget = budget->units};
    return HR_OK;
}

static hr_status read_curve_sum(void *state, const hr_owner_turn *t, const hr_sum_question *received,
                                hr_arena *arena, hr_summed_question *out, hr_error *err) {
    curve_owner *o = state;
    hr_curve curve;
    if (o->answered) return hr_fail(err, HR_E_FORMAT, "", "a survival curve asks one question");
    o->answered = true;
    if (received->body.size)
        return hr_fail(err, HR_E_FORMAT, "", "a survival curve asks nothing but its terms");
    hr_status status = curve_of_terms(t->job->terms, hr_data_schema(t->data), &curve, err);
    return status ? status : list_counts(&curve, o->budget, arena, out, err);
}

static hr_status count_curve_sum(void *state, const hr_owner_turn *turn, const hr_summed_question *q,
                                 hr_exact *out, hr_error *err) {
    (void)state;
    const hr_local_stats_records records = {.data = turn->data, .threads = turn->threads};
    hr_stats_source *source = NULL;
    hr_status status = hr_local_stats_source_new(&records, &source, err);
    if (status) return status;
    status = hr_curve_count(&((const curve_sum *)q->content)->curve, source, hr_data_weights(turn->data), out,
                            err);
    hr_stats_free(source);
    return status;
}

static const hr_summed_owner curve_owner_rules = {
    .open = open_curve_owner, .read = read_curve_sum, .count = count_curve_sum};

/* ---- The coordinator ---- */

typedef struct curve_coordinator {
    hr_arena *arena; /* of the job; borrowed */
    hr_curve curve;
    hr_budget budget;
    hr_sum_checks checks;
    hr_noisy *sums;   /* NULL: not learned yet */
    double deviation; /* of the noise of each */
} curve_coordinator;

static hr_status open_curve_coordinator(const hr_job_view *job, const hr_budget *budget, hr_arena *arena,
                                        void **state, hr_error *err) {
    curve_coordinator *c = *state = hr_arena_alloc(arena, 1, sizeof *c);
    if (!c) return hr_fail_memory(err);
    *c = (curve_coordinator){.arena = arena, .budget = *budget};
    hr_status status = curve_of_terms(job->terms, job->schema, &c->curve, err);
    c->checks = (hr_sum_checks){.privacy_measure = budget->privacy_measure, .unit = c->curve.unit};
    return status;
}

static hr_status next_curve_question(void *state, const hr_summed_progress *progress, hr_arena *arena,
                                     hr_summed_question *out, bool *more, hr_error *err) {
    const curve_coordinator *c = state;
    *more = !c->sums;
    if (!*more) return HR_OK;
    hr_status status = hr_summed_need_owners(progress, err);
    return status ? status : list_counts(&c->curve, c->budget.units, arena, out, err);
}

/* Every record is in one count. */
static bool are_possible_counts(void *state, const hr_summed_question *q, const hr_summed_reply *reply) {
    curve_coordinator *c = state;
    const hr_counted_line line = {
        .line = q->lines, .values = reply->values, .count = q->counts[0], .all = true};
    hr_sum_checks_counts(&c->checks, &line, reply);
    return hr_sum_checks_values(&c->checks, q, reply);
}

static const hr_sum_checks *checks_of_curve(const void *state) {
    return &((const curve_coordinator *)state)->checks;
}

static hr_status accept_curve_sum(void *state, const hr_summed_question *q, const hr_summed_reply *reply,
                                  hr_error *err) {
    curve_coordinator *c = state;
    hr_status status = hr_summed_need_values(reply, err);
    if (status) return status;
    if (!(c->sums = hr_arena_alloc(c->arena, q->counts[0], sizeof *c->sums))) return hr_fail_memory(err);
    memcpy(c->sums, reply->values, q->counts[0] * sizeof *c->sums);
    c->deviation = reply->noise_factor * hr_noise_deviation(c->budget.privacy_measure, q->lines[0].cost,
                                                            (double)q->lines[0].sensitivity);
    return HR_OK;
}

static hr_status pack_curve_question(void *state, const hr_summed_progress *progress,
                                     const hr_summed_question *q, Hedgerow__Question *out, hr_bytes *body,
                                     hr_error *err) {
    (void)state, (void)q, (void)out, (void)err;
    hr_job_log(progress->work, progress->job->record, HR_LOG_INFO, "asks for the counts of the curve");
    *body = (hr_bytes){0};
    return HR_OK;
}

static const hr_summed_coordinator curve_coordinator_rules = {.open = open_curve_coordinator,
                                                              .next = next_curve_question,
                                                              .possible = are_possible_counts,
                                                              .checks = checks_of_curve,
                                                              .accept = accept_curve_sum,
                                                              .pack = pack_curve_question};

/* ---- The model ---- */

static hr_status assemble_curve(const hr_job_view *job, hr_joint_model *m, hr_error *err) {
    void *state = NULL;
    const hr_gate *charges = NULL;
    hr_status status = hr_summed_result(job, &state, &charges, err);
    if (!status) status = hr_summed_describe(job, charges, m, err);
    if (status) return status;
    const curve_coordinator *c = state;
    hr_curve_made made;
    char records[HR_NUMBER_TEXT];
    if (!c->sums) return hr_fail(err, HR_E_JOB, "offer a new job", "the job ended without a sum");
    status = hr_curve_make(&c->curve, c->sums, c->deviation, m->arena, &made, err);
    if (status) return status;
    m->forest = made.forest;
    hr_number_text(made.records, records);
    hr_settings_add(&m->settings, HR_RECORDS_SETTING, records);
    for (size_t i = 0; i < made.curve_count; i++)
        hr_settings_add(&m->settings, made.curves[i].name, made.curves[i].text);
    return HR_OK;
}

/* ---- The method ---- */

static void set_curve_defaults(hr_fit_options *options) {
    options->delta = 1e-6;
}

static const hr_summed_method curve_summed = {.protocol = &hr_summed_securesum,
                                              .owner = &curve_owner_rules,
                                              .coordinator = &curve_coordinator_rules,
                                              .budget = curve_budget};

const hr_federated_method hr_federated_survival_curve = {
    .method = &hr_method_survival_curve,
    .machines = &hr_summed_machines,
    .persons = true,
    .defaults = set_curve_defaults,
    .check_schema = hr_curve_check_schema,
    .check_options = check_curve_options,
    .check_terms = check_curve_terms,
    .summed = &curve_summed,
    .free_state = hr_summed_free,
    .round = hr_summed_round,
    .assemble = assemble_curve,
};
