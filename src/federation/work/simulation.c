#include "federation/work/simulation.h"

#include "base/fail.h"
#include "base/team.h"
#include "base/threads.h"
#include "federation/protocol/checked_signatures.h"
#include "federation/protocol/sessions.h"
#include "tables/data/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No packet is lost and every party answers: nothing depends on time. */
static const int64_t NEVER = INT64_MAX / 64;

enum { SIGNATURES = 3 /* of a member, that others check: acceptance, mask key, start */ };

hr_status hr_assign_records(const hr_data *data, size_t owners, hr_csprng *csprng, hr_parts *out,
                            hr_error *err) {
    double equal[HR_MEMBERS_MAX];
    const hr_person_rows of = {data->persons, hr_data_rows(data)};
    for (size_t o = 0; o < owners; o++) equal[o] = 1;
    return of.persons ? hr_parts_drawn_by_persons(csprng, &of, equal, owners, out, err)
                      : hr_parts_drawn(csprng, of.rows, equal, owners, out, err);
}

/* ---- Parties ---- */

static hr_status invent_members(hr_simulation *s, hr_error *err) {
    size_t count = s->owner_count + 1;
    hr_member *members = calloc(count, sizeof *members);
    s->membership = (hr_membership){"simulation", members, count};
    s->coordinators = calloc(count, sizeof *s->coordinators);
    hr_status status = members && s->coordinators ? HR_OK : hr_fail_memory(err);
    for (size_t i = 0; !status && i < count; i++) {
        hr_simulated_party *simulated = &s->parties[i];
        snprintf(simulated->name, sizeof simulated->name, i ? "owner-%zu" : "coordinator", i);
        status = hr_identity_make(&simulated->identity, err);
        if (status) break;
        members[i] = (hr_member){.name = simulated->name, .key = hr_identity_public(simulated->identity)};
        status = hr_checked_signatures_new(SIGNATURES, &members[i].checked, err);
    }
    if (!status) s->coordinators[0] = true;
    return status;
}

static hr_status open_simulated_party(hr_simulation *s, size_t index, hr_error *err) {
    hr_simulated_party *simulated = &s->parties[index];
    simulated->view =
        (hr_party_view){.membership = &s->membership, .identity = simulated->identity, .self = index};
    hr_status status = hr_sessions_new(s->membership.count, &simulated->view.sessions, err);
    if (!status) status = hr_journal_in_memory(&simulated->journal, err);
    if (!status) status = hr_loopback_open(s->loopback, simulated->name, &simulated->transport, err);
    if (status) return status;
    hr_party_options options = {.view = &simulated->view,
                                .journal = simulated->journal,
                                .transport = simulated->transport,
                                .work = &simulated->as.work,
                                .schema = s->schema,
                                .coordinators = s->coordinators,
                                .min_owners = 1,
                                .round_gain = s->job->round_gain,
                                .deadline = NEVER,
                                .resend = NEVER};
    return hr_party_open(&options, &simulated->party, err);
}

static void init_work(hr_simulation *s, const hr_owner_tables *owners) {
    static const char *const coordinators[] = {"coordinator"};
    const hr_fit_options *options = &s->job->options;
    s->method = hr_job_file_method(s->job);
    s->policy = (hr_policy){.coordinators = {coordinators, 1},
                            .methods = {&s->method, 1},
                            .epsilon = options->epsilon,
                            .delta = options->delta,
                            .owners = 1,
                            .unprotected = {&s->method, 1}};
    hr_coordinator_work_init(&s->parties[0].as.coordinator);
    if (s->job->model) s->parties[0].as.work.evaluated = &s->job->evaluated;
    for (size_t i = 0; i < s->owner_count; i++) {
        hr_owner_work *work = &s->parties[i + 1].as.owner;
        hr_owner_work_init(work);
        work->data = work->test = owners->items[i];
        work->policy = &s->policy;
        work->threads = s->threads;
    }
}

hr_status hr_simulation_init(hr_simulation *s, const hr_job_file *job, const hr_schema *schema,
                             const hr_owner_tables *owners, int threads, hr_error *err) {
    const size_t count = owners->count;
    *s = (hr_simulation){.job = job, .schema = schema, .owner_count = count};
    if (!count || count >= HR_MEMBERS_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "a federation has at most 255 owners", "%zu owners", count);
    s->parties = calloc(count + 1, sizeof *s->parties);
    if (!s->parties) return hr_fail_memory(err);
    hr_status status = hr_threads_of(threads, &s->threads, err);
    init_work(s, owners);
    if (!status) status = hr_loopback_new(&s->loopback, err);
    if (!status) status = invent_members(s, err);
    for (size_t i = 0; !status && i <= count; i++) status = open_simulated_party(s, i, err);
    return status;
}

void hr_simulation_set_callbacks(hr_simulation *s, const hr_party_settings *settings) {
    if (!s->parties) return;
    s->settings = settings;
    s->log = (hr_log){.sink = settings->log_line, .user = settings->user};
    s->parties[0].as.work.log = &s->log;
    s->parties[0].as.coordinator.user = settings->user;
}

void hr_simulation_of_one_file(hr_simulation *s) {
    s->parties[0].as.coordinator.of_one_file = true;
}

hr_job_result hr_simulation_take(hr_simulation *s) {
    const hr_job_result result = s->parties[0].as.coordinator.result;
    s->parties[0].as.coordinator.result = (hr_job_result){0};
    return result;
}

void hr_simulation_done(hr_simulation *s) {
    for (size_t i = 0; s->parties && i <= s->owner_count; i++) {
        hr_simulated_party *simulated = &s->parties[i];
        hr_party_close(simulated->party);
        if (simulated->transport) simulated->transport->close(simulated->transport);
        hr_journal_close(simulated->journal);
        hr_sessions_free(simulated->view.sessions);
        hr_identity_free(simulated->identity);
    }
    if (s->parties) hr_job_result_free(&s->parties[0].as.coordinator.result);
    hr_loopback_free(s->loopback);
    for (size_t i = 0; s->membership.members && i < s->membership.count; i++)
        hr_checked_signatures_free(s->membership.members[i].checked);
    free((void *)s->membership.members);
    free(s->coordinators);
    free(s->parties);
}

/* ---- The run ---- */

hr_status hr_simulation_submit(hr_simulation *s, hr_error *err) {
    const char **names = calloc(s->owner_count, sizeof *names);
    hr_bytes terms = {0};
    if (!names) return hr_fail_memory(err);
    for (size_t i = 0; i < s->owner_count; i++) names[i] = s->parties[i + 1].name;
    hr_status status =
        hr_terms_of(s->job, "simulation", s->schema, &(hr_names){names, s->owner_count}, &terms, err);
    const hr_new_job job = {.terms = {terms.at, terms.size}};
    if (!status) status = hr_party_submit(s->parties[0].party, &job, err);
    free(terms.at);
    free(names);
    return status;
}

static void work_simulated_party(hr_simulated_party *simulated) {
    bool busy = true;
    while (busy && !simulated->status)
        simulated->status = hr_party_step(simulated->party, (hr_clock){0}, 0, &busy, &simulated->error);
}

static void work_owners(void *of, size_t member, size_t begin, size_t end) {
    hr_simulated_party *const *owners = of;
    (void)member;
    for (size_t i = begin; i < end; i++) work_simulated_party(owners[i]);
}

/* The coordinator works on the caller's thread, where progress is logged; owners at the same time on as many
 * threads as there are, and a single owner trains on all of them. *any: whether a party had a packet in its
 * inbox. */
static hr_status continue_simulation(const hr_simulation *s, bool *any, hr_error *err) {
    hr_simulated_party *ready[HR_MEMBERS_MAX];
    size_t count = 0;
    hr_status status = s->settings ? hr_endpoint_check_stop(s->settings, err) : HR_OK;
    if (status) return status;
    for (size_t i = 0; i <= s->owner_count; i++)
        if (hr_loopback_waits(s->loopback, s->parties[i].name)) ready[count++] = &s->parties[i];
    *any = count > 0;
    const size_t first = count && ready[0] == s->parties;
    if (first) work_simulated_party(ready[0]);
    hr_team_share((size_t)s->threads, count - first, 1, work_owners, ready + first);
    for (size_t i = 0; i < count; i++) {
        if (!ready[i]->status) continue;
        if (err) *err = ready[i]->error;
        return ready[i]->status;
    }
    return HR_OK;
}

hr_status hr_simulation_run(hr_simulation *s, hr_error *err) {
    bool any = true;
    hr_status status = hr_simulation_submit(s, err);
    while (!status && any) status = continue_simulation(s, &any, err);
    if (status || hr_coordinator_work_has_result(&s->parties[0].as.coordinator)) return status;
    const char *state = s->parties[0].as.coordinator.state;
    return hr_fail(err, HR_E_POLICY, "see the owners' reasons in the log", "the job ended without a %s: %s",
                   hr_product_name(s->job), *state ? state : "no member could continue");
}
