#include "job/simulation.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nothing is lost on the way and nobody stays away: time plays no part. */
static const int64_t NEVER = INT64_MAX / 64;

/* ---- Seats ------------------------------------------------------------------------------------------------------------------------ */

static hr_status invent_members(hr_simulation *s, hr_error *err) {
    size_t count = s->owner_count + 1;
    hr_member *members = calloc(count, sizeof *members);
    s->roster = (hr_roster){"simulation", members, count};
    s->miners = calloc(count, sizeof *s->miners);
    hr_status status = members && s->miners ? HR_OK : hr_fail_memory(err);
    for (size_t i = 0; !status && i < count; i++) {
        hr_seat *seat = &s->seats[i];
        snprintf(seat->name, sizeof seat->name, i ? "owner-%zu" : "miner", i);
        status = hr_identity_make(&seat->identity, err);
        if (!status) members[i] = (hr_member){seat->name, hr_identity_public(seat->identity)};
    }
    if (!status) s->miners[0] = true;
    return status;
}

static hr_status take_seat(hr_simulation *s, size_t index, hr_error *err) {
    hr_seat *seat = &s->seats[index];
    seat->view = (hr_party_view){&s->roster, seat->identity, index};
    hr_status status = hr_journal_in_memory(&seat->journal, err);
    if (!status) status = hr_loopback_open(s->loopback, seat->name, &seat->transport, err);
    if (status) return status;
    hr_party_options options = {.view = &seat->view,
                                .journal = seat->journal,
                                .transport = seat->transport,
                                .work = &seat->as.work,
                                .schema = s->schema,
                                .miners = s->miners,
                                .least_owners = 1,
                                .advance = s->job->advance,
                                .deadline = NEVER,
                                .resend = NEVER};
    return hr_party_open(&options, &seat->party, err);
}

static void hire(hr_simulation *s, const hr_data *const *owners) {
    static const char *const miners[] = {"miner"};
    const hr_fit_options *options = &s->job->options;
    s->policy =
        (hr_policy){.miners = {miners, 1}, .methods = {&options->method, 1}, .epsilon = options->epsilon, .owners = 1, .paper = true};
    hr_miner_work_init(&s->seats[0].as.miner);
    for (size_t i = 0; i < s->owner_count; i++) {
        hr_owner_work *work = &s->seats[i + 1].as.owner;
        hr_owner_work_init(work);
        work->data = owners[i];
        work->policy = &s->policy;
        work->threads = s->threads;
    }
}

hr_status hr_simulation_init(hr_simulation *s, const hr_job_file *job, const hr_schema *schema, const hr_data *const *owners,
                             size_t owner_count, int threads, hr_error *err) {
    *s = (hr_simulation){.job = job, .schema = schema, .owner_count = owner_count, .threads = threads};
    if (!owner_count || owner_count >= HR_MEMBERS_MAX)
        return hr_fail(err, HR_E_ARGUMENT, "a federation has at most 255 owners", "%zu owners", owner_count);
    s->seats = calloc(owner_count + 1, sizeof *s->seats);
    if (!s->seats) return hr_fail_memory(err);
    hire(s, owners);
    hr_status status = hr_loopback_new(&s->loopback, err);
    if (!status) status = invent_members(s, err);
    for (size_t i = 0; !status && i <= owner_count; i++) status = take_seat(s, i, err);
    return status;
}

void hr_simulation_heed(hr_simulation *s, const hr_party_settings *settings) {
    if (!s->seats) return;
    s->settings = settings;
    s->seats[0].as.miner.tell = settings->tell;
    s->seats[0].as.miner.user = settings->user;
}

void hr_simulation_of_one_file(hr_simulation *s) {
    s->seats[0].as.miner.unit = HR_RECORD_OF_FILE;
}

hr_model *hr_simulation_take(hr_simulation *s) {
    hr_model *model = s->seats[0].as.miner.model;
    s->seats[0].as.miner.model = NULL;
    return model;
}

void hr_simulation_done(hr_simulation *s) {
    for (size_t i = 0; s->seats && i <= s->owner_count; i++) {
        hr_seat *seat = &s->seats[i];
        hr_party_close(seat->party);
        if (seat->transport) seat->transport->close(seat->transport);
        hr_journal_close(seat->journal);
        hr_identity_free(seat->identity);
    }
    if (s->seats) hr_model_free(s->seats[0].as.miner.model);
    hr_loopback_free(s->loopback);
    free((void *)s->roster.members);
    free(s->miners);
    free(s->seats);
}

/* ---- The run ---------------------------------------------------------------------------------------------------------------------- */

hr_status hr_simulation_submit(hr_simulation *s, hr_error *err) {
    const char **names = calloc(s->owner_count, sizeof *names);
    hr_bytes terms = {0};
    if (!names) return hr_fail_memory(err);
    for (size_t i = 0; i < s->owner_count; i++) names[i] = s->seats[i + 1].name;
    hr_status status = hr_terms_of(s->job, "simulation", s->schema, names, s->owner_count, &terms, err);
    if (!status) status = hr_party_submit(s->seats[0].party, (hr_blob){terms.at, terms.size}, 0, err);
    free(terms.at);
    free(names);
    return status;
}

/* Seats for whom a parcel waits. */
static size_t find_ready(const hr_simulation *s, hr_seat **ready) {
    size_t count = 0;
    for (size_t i = 0; i <= s->owner_count; i++)
        if (hr_loopback_waits(s->loopback, s->seats[i].name)) ready[count++] = &s->seats[i];
    return count;
}

/* For as long as she can. */
static void work(hr_seat *seat) {
    bool busy = true;
    while (busy && !seat->status) seat->status = hr_party_step(seat->party, (hr_clock){0}, 0, &busy, &seat->error);
}

/* The miner works on the caller's thread, who hears of the progress; owners at the same time on as many threads as there are, and one
 * alone has all of them for her training. */
static void work_all(const hr_simulation *s, hr_seat *const *ready, size_t count) {
    size_t first = count && ready[0] == s->seats;
    if (first) work(ready[0]);
#pragma omp parallel for num_threads(s->threads) schedule(dynamic, 1) if (count - first > 1)
    for (size_t i = first; i < count; i++) work(ready[i]);
}

static hr_status outcome(hr_seat *const *ready, size_t count, hr_error *err) {
    for (size_t i = 0; i < count; i++) {
        if (!ready[i]->status) continue;
        if (err) *err = ready[i]->error;
        return ready[i]->status;
    }
    return HR_OK;
}

static hr_status go_on(const hr_simulation *s, bool *any, hr_error *err) {
    hr_seat *ready[HR_MEMBERS_MAX];
    hr_status status = s->settings ? hr_station_ask(s->settings, err) : HR_OK;
    if (status) return status;
    size_t count = find_ready(s, ready);
    *any = count > 0;
    work_all(s, ready, count);
    return outcome(ready, count, err);
}

hr_status hr_simulation_run(hr_simulation *s, hr_error *err) {
    bool any = true;
    hr_status status = hr_simulation_submit(s, err);
    while (!status && any) status = go_on(s, &any, err);
    if (status || s->seats[0].as.miner.model) return status;
    const char *why = s->seats[0].as.miner.why;
    return hr_fail(err, HR_E_POLICY, "", "the job ended without a model: %s", *why ? why : "nobody went on");
}
