/* A job over owners in this process, the last of which ends its part while the job runs: it dies, so that
 * the coordinator's deadline must pass, or it leaves the job, which it tells the coordinator.
 *
 * usage: bench_dropout JOB HOW WHEN SUM SUMS TABLE...
 * HOW: none, dies or leaves. WHEN: asked (it has the question, and has sent nothing), or ready (it has sent
 * Ready, and no share). SUM: the number of the sum in the job, from 0 on, or unprepared: the first one that
 * no job prepares. SUMS: prepared, or whole: every sum names its owners in its question, as if none were.
 * Prints one line of JSON. `paid` and `lost` are parts of the budget of an owner that stays: of all answers,
 * and of those to sums that were lost. */
#include "federation/machines/securesum.h"
#include "federation/party/party_core.h"
#include "federation/sums/summed_job.h"
#include "federation/work/simulation.h"
#include "fits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SUMS_MAX = 4096, DEADLINES_MAX = 32 };

static const int64_t DEADLINE = INT64_MAX / 64; /* that of a simulation */

typedef hr_status (*next_question)(hr_party_work *, const hr_job_view *, hr_bytes *, hr_error *);
typedef hr_status (*train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);

static struct {
    const char *how, *sum;
    bool at_ready, whole;
    next_question next_question; /* the coordinator's */
    train train;                 /* an owner's */
    size_t sums;                 /* asked so far */
    size_t chosen;               /* 1 + the position of the sum in which the owner ends; 0: not yet */
    bool due, ended;
    double costs[SUMS_MAX], paid, lost; /* costs: by position, of an owner that stays */
    size_t lost_sums, deadlines, packets, bytes;
    hr_job_ending ending;
} w;

/* ---- What is watched ---- */

static hr_loopback_fate count_packet(void *user, const char *from, const char *to, size_t size) {
    (void)user, (void)from, (void)to;
    w.packets++;
    w.bytes += size;
    return HR_FATE_ARRIVES;
}

static void note_ending(void *user, hr_job_ending ending) {
    (void)user;
    w.ending = ending;
}

/* Of the coordinator's outcomes, and what they cost the owner. */
static void count_lost_sums(const hr_protocol *coordinator) {
    hr_sum_outcome outcome;
    size_t position = 0;
    w.lost_sums = 0;
    w.lost = 0;
    for (size_t i = 0; hr_securesum_outcome(coordinator, i, &outcome); i++) {
        if (outcome.choice) continue;
        if (outcome.dropped && outcome.members) {
            w.lost_sums++;
            w.lost += w.costs[position];
        }
        position++;
    }
}

static Hedgerow__Question *question_in(const hr_bytes *bytes) {
    ProtobufCMessage *out = NULL;
    hr_error err = {0};
    if (hr_message_unpack(&hedgerow__question__descriptor, bytes->at, bytes->size, &out, &err))
        bench_die(&err, "question:");
    return (Hedgerow__Question *)out;
}

static bool is_chosen(const Hedgerow__Question *question) {
    if (strcmp(w.how, "none") == 0) return false;
    return strcmp(w.sum, "unprepared") == 0 ? !question->prepared : w.sums == strtoul(w.sum, NULL, 10);
}

static void note_question(const Hedgerow__Question *question) {
    if (!question->values) return;
    if (w.sums == SUMS_MAX) bench_die(NULL, "too many sums");
    if (!w.chosen && is_chosen(question)) {
        w.chosen = w.sums + 1;
        w.due = w.whole || !w.at_ready;
    }
    w.sums++;
}

static hr_status watch_question(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    count_lost_sums(job->protocol);
    hr_status status = w.next_question(self, job, out, err);
    if (status) return status;
    Hedgerow__Question *question = question_in(out);
    note_question(question);
    if (w.whole) question->prepared = false;
    free(out->at);
    status = hr_message_pack(&question->base, out, err);
    hr_message_unpacked_free(&question->base);
    return status;
}

/* The part of its budget that an owner has paid. */
static double part_paid(const hr_job_view *job) {
    const hr_summed_party *party = *job->state;
    size_t count;
    hr_units total;
    const hr_release *releases = hr_gate_releases(party->gate, &count);
    if (hr_account(releases, count, &total, NULL)) bench_die(NULL, "the account");
    return (double)total / (double)party->budget.units;
}

static hr_status watch_first(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                             hr_error *err) {
    hr_sum_question question;
    hr_status status = w.train(self, job, slot, out, err);
    if (status || !hr_securesum_question(job->protocol, slot, &question)) return status;
    const double paid = part_paid(job);
    if (!question.choice) w.costs[question.position] += paid - w.paid;
    w.paid = paid;
    return HR_OK;
}

static hr_status watch_last(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                            hr_error *err) {
    hr_sum_question question;
    hr_status status = w.train(self, job, slot, out, err);
    if (!hr_securesum_question(job->protocol, slot, &question)) bench_die(NULL, "there is no question");
    w.due |= question.to_prepare && w.chosen == question.position + 1;
    return status;
}

/* ---- The job ---- */

static void leave_job(hr_party *party) {
    for (size_t i = 0; i < party->job_count; i++) hr_live_job_cancel(party->jobs[i]);
}

/* The last owner, once it is time. After all others had their turn, so that they have answered. */
static void end_part(hr_party *party) {
    w.ended = true;
    if (strcmp(w.how, "leaves") == 0) leave_job(party);
}

/* For as long as it can. */
static bool step_party(hr_simulation *s, size_t index) {
    hr_party *party = s->parties[index].party;
    const hr_clock clock = {.now = index ? 0 : (int64_t)w.deadlines * DEADLINE};
    const bool last = index == s->owner_count;
    hr_error err = {0};
    bool busy = true, any = false;
    if (last && w.due && !w.ended) end_part(party);
    if (last && w.ended && strcmp(w.how, "dies") == 0) return false;
    for (; busy; any |= busy)
        if (hr_party_step(party, clock, 0, &busy, &err)) bench_die(&err, "job:");
    return any;
}

/* Whenever nobody has anything to do, the coordinator's deadline is over. */
static void run_job(hr_simulation *s) {
    hr_error err = {0};
    if (hr_simulation_submit(s, &err)) bench_die(&err, "job:");
    for (bool any = true; any || hr_party_jobs(s->parties[0].party);) {
        any = false;
        for (size_t i = 0; i <= s->owner_count; i++) any |= step_party(s, i);
        if (any || !hr_party_jobs(s->parties[0].party)) continue;
        if (++w.deadlines == DEADLINES_MAX) bench_die(NULL, "the job does not end");
    }
}

static void watch_simulation(hr_simulation *s) {
    hr_party_work *coordinator = &s->parties[0].as.work, *first = &s->parties[1].as.work,
                  *last = &s->parties[s->owner_count].as.work;
    s->parties[0].as.coordinator.report_end = note_ending;
    hr_loopback_script(s->loopback, count_packet, NULL);
    w.next_question = coordinator->next_question;
    w.train = first->train;
    coordinator->next_question = watch_question;
    first->train = watch_first;
    last->train = watch_last;
}

static void print_job(const hr_job_result *result, double seconds) {
    const hr_job_ending_info *ending = hr_job_ending_of(w.ending);
    const bool made = result->model || result->evaluation || result->bounded;
    printf("{\"sums\": %zu, \"lost_sums\": %zu, \"paid\": %.4f, \"lost\": %.4f, \"deadlines\": %zu, "
           "\"made\": %s, \"trees\": %zu, \"ending\": \"%s\", \"exit_code\": %d, \"packets\": %zu, "
           "\"bytes\": %zu, \"seconds\": %.4f}\n",
           w.sums, w.lost_sums, w.paid, w.lost, w.deadlines, made ? "true" : "false",
           result->model ? hr_model_tree_count(result->model) : 0, ending->word, ending->exit_code, w.packets,
           w.bytes, seconds);
}

static void check_words(int argc, char **argv) {
    if (argc < 8 || argc - 6 >= HR_MEMBERS_MAX)
        bench_die(NULL, "usage: bench_dropout JOB HOW WHEN SUM SUMS TABLE TABLE...");
    w.how = argv[2];
    w.at_ready = strcmp(argv[3], "ready") == 0;
    w.sum = argv[4];
    w.whole = strcmp(argv[5], "whole") == 0;
}

int main(int argc, char **argv) {
    hr_schema *schema = NULL;
    hr_data *tables[HR_MEMBERS_MAX] = {NULL};
    hr_job_file job = {0};
    hr_simulation simulation;
    hr_error err = {0};
    check_words(argc, argv);
    const size_t owners = (size_t)argc - 6;
    hr_arena *arena = hr_arena_new();
    if (!arena || hr_job_file_read(argv[1], hr_federated_job_rules, arena, &job, &err))
        bench_die(&err, "job file:");
    if (hr_schema_read(job.schema, &schema, &err)) bench_die(&err, "schema:");
    for (size_t o = 0; o < owners; o++)
        if (hr_data_read(schema, argv[6 + o], NULL, &tables[o], &err)) bench_die(&err, "data:");
    const hr_owner_tables of = {(const hr_data *const *)tables, owners};
    if (hr_simulation_init(&simulation, &job, schema, &of, 1, &err)) bench_die(&err, "job:");
    watch_simulation(&simulation);
    const clock_t begin = clock();
    run_job(&simulation);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC; /* of the processor */
    hr_job_result result = hr_simulation_take(&simulation);
    print_job(&result, seconds);
    hr_job_result_free(&result);
    hr_simulation_done(&simulation);
    for (size_t o = 0; o < owners; o++) hr_data_free(tables[o]);
    hr_schema_free(schema);
    hr_arena_free(arena);
    return 0;
}
