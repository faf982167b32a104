/* Statistics of columns over owners: one secure sum of the counts and sums of chosen columns. The question is
 * empty: the terms hold all of it. The coordinator makes the figures of the sum, as one process does
 * (methods/statistics/overview_figures.h). The sum is prepared (securesum.h). If it still lacks an answer it
 * is lost, and was paid for: there is no second one. */
#include "base/fail.h"
#include "base/text/number.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/sums/sum_checks.h"
#include "federation/sums/summed_coordinator.h"
#include "federation/sums/summed_owner.h"
#include "fit/budget.h"
#include "methods/statistics/overview_counts.h"
#include "methods/statistics/overview_figures.h"
#include "models/model/model.h"
#include "privacy/noise.h"

#include <string.h>

/* The one question, as either party has it. */
typedef struct statistics_sum {
    hr_overview overview;
    hr_charge lines[HR_OVERVIEW_LINES_MAX];
    size_t counts[HR_OVERVIEW_LINES_MAX];
    size_t line_count;
} statistics_sum;

/* ---- Terms ---- */

static hr_status make_sum(const hr_fit_facts *facts, hr_units budget, hr_arena *arena, statistics_sum **out,
                          hr_error *err) {
    statistics_sum *s = *out = hr_arena_alloc(arena, 1, sizeof *s);
    hr_status status = s ? hr_overview_of(facts, arena, &s->overview, err) : hr_fail_memory(err);
    if (!status) s->line_count = hr_overview_lines(&s->overview, budget, 0, s->lines, s->counts);
    return status;
}

static hr_status sum_of_terms(const Hedgerow__Terms *terms, const hr_schema *schema, hr_arena *arena,
                              statistics_sum **out, hr_error *err) {
    hr_fit_options options;
    hr_budget budget;
    hr_status status = hr_options_of_terms(terms, 1, &options, err);
    if (!status) status = hr_budget_of(&hr_method_statistics, &options, &budget, err);
    if (status) return status;
    const hr_fit_facts facts = {.options = &options, .schema = schema};
    return make_sum(&facts, budget.units, arena, out, err);
}

static hr_status check_statistics_options(const hr_fit_options *options, const hr_schema *schema,
                                          hr_error *err) {
    const hr_fit_facts facts = {.options = options, .schema = schema};
    statistics_sum *unused;
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? make_sum(&facts, 1, arena, &unused, err) : hr_fail_memory(err);
    hr_arena_free(arena);
    return status;
}

/* A sum of any owners: as many honest ones as there can be, or one. */
static hr_status check_lines(const statistics_sum *s, hr_privacy_measure privacy_measure, uint64_t shares,
                             hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < s->line_count; i++) {
        status = hr_charge_check_share(privacy_measure, &s->lines[i], shares, err);
        if (!status) status = hr_charge_check_share(privacy_measure, &s->lines[i], 1, err);
    }
    return status == HR_E_BUDGET ? hr_fail_at(err, status, NULL, 0, 0, "epsilon") : status;
}

static hr_status check_statistics_terms(const Hedgerow__Terms *terms, const hr_schema *schema,
                                        hr_error *err) {
    hr_fit_options options;
    hr_budget budget;
    hr_status status = hr_options_of_terms(terms, 1, &options, err);
    if (!status) status = hr_budget_check(&hr_method_statistics, &options, schema, 1, &budget, err);
    if (status) return status;
    statistics_sum *s;
    hr_arena *arena = hr_arena_new();
    status = arena ? sum_of_terms(terms, schema, arena, &s, err) : hr_fail_memory(err);
    if (!status)
        status =
            check_lines(s, budget.privacy_measure, hr_noise_shares(terms->n_owners, terms->coalition), err);
    hr_arena_free(arena);
    return status;
}

static hr_status statistics_budget(const hr_job_view *job, hr_budget *out, hr_error *err) {
    hr_fit_options options;
    hr_status status = hr_options_of_terms(job->terms, 1, &options, err);
    return status ? status : hr_budget_of(job->method->method, &options, out, err);
}

static hr_summed_question question_of(const statistics_sum *s) {
    return (hr_summed_question){
        .lines = s->lines, .counts = s->counts, .line_count = s->line_count, .content = s};
}

/* ---- An owner ---- */

typedef struct statistics_owner {
    bool answered; /* the job's cost pays for one answer */
} statistics_owner;

static hr_status open_statistics_owner(const hr_owner_turn *turn, const hr_budget *budget, hr_arena *arena,
                                       void **state, hr_error *err) {
    (void)turn, (void)budget;
    *state = hr_arena_alloc(arena, 1, sizeof(statistics_owner));
    return *state ? HR_OK : hr_fail_memory(err);
}

static hr_status read_statistics_sum(void *state, const hr_owner_turn *t, const hr_sum_question *received,
                                     hr_arena *arena, hr_summed_question *out, hr_error *err) {
    statistics_owner *o = state;
    statistics_sum *s;
    if (o->answered) return hr_fail(err, HR_E_FORMAT, "", "statistics ask one question");
    o->answered = true;
    if (received->body.size) return hr_fail(err, HR_E_FORMAT, "", "statistics ask nothing but their terms");
    hr_status status = sum_of_terms(t->job->terms, hr_data_schema(t->data), arena, &s, err);
    if (!status) *out = question_of(s);
    return status;
}

static hr_status count_statistics_sum(void *state, const hr_owner_turn *turn, const hr_summed_question *q,
                                      hr_exact *out, hr_error *err) {
    (void)state, (void)err;
    hr_overview_count(&((const statistics_sum *)q->content)->overview, turn->data, out);
    return HR_OK;
}

static const hr_summed_owner statistics_owner_rules = {
    .open = open_statistics_owner, .read = read_statistics_sum, .count = count_statistics_sum};

/* ---- The coordinator ---- */

typedef struct statistics_coordinator {
    hr_arena *arena; /* of the job; borrowed */
    statistics_sum *sum;
    hr_budget budget;
    hr_sum_checks checks;
    hr_noisy *values; /* NULL: not learned yet */
    double noise_factor;
} statistics_coordinator;

static hr_status open_statistics_coordinator(const hr_job_view *job, const hr_budget *budget, hr_arena *arena,
                                             void **state, hr_error *err) {
    statistics_coordinator *c = *state = hr_arena_alloc(arena, 1, sizeof *c);
    if (!c) return hr_fail_memory(err);
    *c = (statistics_coordinator){.arena = arena, .budget = *budget};
    hr_status status = sum_of_terms(job->terms, job->schema, arena, &c->sum, err);
    if (!status)
        c->checks =
            (hr_sum_checks){.privacy_measure = budget->privacy_measure, .unit = c->sum->overview.unit};
    return status;
}

static hr_status next_statistics_question(void *state, const hr_summed_progress *progress, hr_arena *arena,
                                          hr_summed_question *out, bool *more, hr_error *err) {
    const statistics_coordinator *c = state;
    (void)arena;
    *more = !c->values;
    if (!*more) return HR_OK;
    *out = question_of(c->sum);
    return hr_summed_need_owners(progress, err);
}

/* Every record is in one of the first line's counts, and in one of each column's. */
static bool are_possible_statistics(void *state, const hr_summed_question *q, const hr_summed_reply *reply) {
    statistics_coordinator *c = state;
    const hr_overview *o = &c->sum->overview;
    const hr_noisy *values = reply->values;
    hr_counted_line line = {.line = q->lines, .values = values, .count = q->counts[0], .all = true};
    hr_sum_checks_counts(&c->checks, &line, reply);
    size_t at = 0;
    for (size_t k = 0; k < o->column_count; k++) {
        values += q->counts[at++];
        line =
            (hr_counted_line){.line = &q->lines[at], .values = values, .count = q->counts[at], .all = true};
        hr_sum_checks_counts(&c->checks, &line, reply);
        for (size_t i = 0; hr_overview_is_number(&o->columns[k]) && i < 2; i++) values += q->counts[at++];
    }
    return hr_sum_checks_values(&c->checks, q, reply);
}

static const hr_sum_checks *checks_of_statistics(const void *state) {
    return &((const statistics_coordinator *)state)->checks;
}

static hr_status accept_statistics_sum(void *state, const hr_summed_question *q, const hr_summed_reply *reply,
                                       hr_error *err) {
    statistics_coordinator *c = state;
    const size_t count = hr_summed_values(q);
    hr_status status = hr_summed_need_values(reply, err);
    if (status) return status;
    if (!(c->values = hr_arena_alloc(c->arena, count, sizeof *c->values))) return hr_fail_memory(err);
    memcpy(c->values, reply->values, count * sizeof *c->values);
    c->noise_factor = reply->noise_factor;
    return HR_OK;
}

static hr_status pack_statistics_question(void *state, const hr_summed_progress *progress,
                                          const hr_summed_question *q, Hedgerow__Question *out,
                                          hr_bytes *body, hr_error *err) {
    (void)state, (void)q, (void)out, (void)err;
    hr_job_log(progress->work, progress->job->record, HR_LOG_INFO, "asks for the statistics");
    *body = (hr_bytes){0};
    return HR_OK;
}

static const hr_summed_coordinator statistics_coordinator_rules = {.open = open_statistics_coordinator,
                                                                   .next = next_statistics_question,
                                                                   .possible = are_possible_statistics,
                                                                   .checks = checks_of_statistics,
                                                                   .accept = accept_statistics_sum,
                                                                   .pack = pack_statistics_question};

/* ---- What comes of it ---- */

static hr_status assemble_statistics(const hr_job_view *job, hr_joint_model *m, hr_error *err) {
    void *state = NULL;
    const hr_gate *charges = NULL;
    hr_status status = hr_summed_result(job, &state, &charges, err);
    if (!status) status = hr_summed_describe(job, charges, m, err);
    if (status) return status;
    const statistics_coordinator *c = state;
    if (!c->values) return hr_fail(err, HR_E_JOB, "offer a new job", "the job ended without a sum");
    const hr_overview_release release = {.overview = &c->sum->overview,
                                         .values = c->values,
                                         .lines = c->sum->lines,
                                         .privacy_measure = c->budget.privacy_measure,
                                         .noise_factor = c->noise_factor};
    hr_overview_made made;
    char records[HR_NUMBER_TEXT];
    status = hr_overview_make(&release, m->arena, &made, err);
    if (status) return status;
    m->forest = made.forest;
    hr_number_text(made.records, records);
    hr_settings_add(&m->settings, HR_RECORDS_SETTING, records);
    for (size_t i = 0; i <= c->sum->overview.column_count; i++)
        hr_settings_add(&m->settings, made.texts[i].name, made.texts[i].text);
    return HR_OK;
}

/* ---- The method ---- */

static void set_statistics_defaults(hr_fit_options *options) {
    options->delta = 1e-6;
}

static const hr_summed_method statistics_summed = {.protocol = &hr_summed_securesum,
                                                   .owner = &statistics_owner_rules,
                                                   .coordinator = &statistics_coordinator_rules,
                                                   .budget = statistics_budget};

const hr_federated_method hr_federated_statistics = {
    .method = &hr_method_statistics,
    .machines = &hr_summed_machines,
    .persons = true,
    .defaults = set_statistics_defaults,
    .check_options = check_statistics_options,
    .check_terms = check_statistics_terms,
    .summed = &statistics_summed,
    .free_state = hr_summed_free,
    .round = hr_summed_round,
    .assemble = assemble_statistics,
};
