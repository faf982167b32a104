/* Equations 18 and 19 of InPrivate Digging: how long a job takes by the number of owners, when trees go from
 * owner to owner and when each goes to everybody at once. All parties run in this process, one at a time, and
 * every one has a clock of its own: its steps, messages and seals and the journal included, move it on by the
 * processor time they take; a packet arrives at its sender's time, transport takes no time; and the
 * party with the earliest clock runs next. So the clock of the coordinator tells what a federation of so many
 * machines would take.
 *
 * usage: bench_chain FILE ROWS FEATURES OWNERS chain|broadcast|hedge ROUNDS [OPTION=VALUE]...
 * hedge: a job of hedge over owners in place of inprivate; ROUNDS is not used, and there is no last figure.
 * FILE is of bench_table; every owner has all of its records. Prints one line of JSON: seconds until the
 * coordinator has the model; processor seconds of all parties together, of that in training and in preparing
 * it, of the coordinator and of all owners; packets and their bytes, and those that the coordinator sent; the
 * rounds of the model, one a tree; by how many bytes the peak of resident memory rose; and then, by the clock
 * on the wall, seconds of `simulate` on two threads and of the same trees in a row on one, by one who has
 * everything at hand, without messages. */
#include "base/arena.h"
#include "federation/work/simulation.h"
#include "fit/budget.h"
#include "fits.h"
#include "methods/boosting/inprivate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* ---- Clocks ---- */

static double processor_seconds(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t))
        bench_die(NULL, "the system does not tell the processor time");
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Linux counts in KiB. */
static double peak_bytes(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage)) bench_die(NULL, "the system does not tell the memory in use");
    return 1024 * (double)usage.ru_maxrss;
}

/* ---- The way ---- */

typedef struct packet {
    double arrives;
    hr_packet content;
    struct packet *next;
} packet;

/* A party on its clock. */
typedef struct member {
    double now;
    double spent, sent; /* processor seconds, bytes */
    bool busy;
    packet *inbox; /* the earliest first */
} member;

static hr_simulation simulation;
static member *members;
static size_t member_count, packets;
static double bytes_sent, step_began;
static member *stepping;

static double now_of_step(void) {
    return stepping->now + processor_seconds() - step_began;
}

static hr_status send(hr_transport *self, const char *to, const void *bytes, size_t size, hr_error *err) {
    size_t i = 0;
    (void)self;
    (void)err;
    while (strcmp(simulation.parties[i].name, to) != 0) i++;
    packet *p = bench_allocate(1, sizeof *p), **at = &members[i].inbox;
    *p = (packet){.arrives = now_of_step(), .content = {.bytes = bench_allocate(size, 1), .size = size}};
    memcpy(p->content.bytes, bytes, size);
    while (*at && (*at)->arrives <= p->arrives) at = &(*at)->next;
    p->next = *at;
    *at = p;
    packets++;
    bytes_sent += (double)size;
    stepping->sent += (double)size;
    return HR_OK;
}

static hr_status receive(hr_transport *self, int milliseconds, hr_packet *out, hr_error *err) {
    packet *first = stepping->inbox;
    (void)self;
    (void)milliseconds;
    (void)err;
    *out = (hr_packet){0};
    if (!first || first->arrives > stepping->now) return HR_OK;
    *out = first->content;
    stepping->inbox = first->next;
    free(first);
    return HR_OK;
}

static void settle(hr_transport *self, hr_packet *p) {
    (void)self;
    free(p->bytes);
}

static void lay_ways(void) {
    member_count = simulation.owner_count + 1;
    members = bench_allocate(member_count, sizeof *members);
    for (size_t i = 0; i < member_count; i++) {
        hr_transport *end = simulation.parties[i].transport;
        members[i] = (member){.busy = true};
        end->send = send;
        end->receive = receive;
        end->settle = settle;
    }
}

/* ---- The run ---- */

/* When a party can go on; never, if it has nothing to do and nothing is on the way to it. */
static double ready(const member *m) {
    if (m->busy) return m->now;
    return m->inbox ? fmax(m->now, m->inbox->arrives) : (double)INFINITY;
}

static void add_time(member *m, double spent) {
    m->now += spent;
    m->spent += spent;
}

static void step(size_t i) {
    hr_error err = {0};
    stepping = &members[i];
    stepping->now = ready(stepping);
    step_began = processor_seconds();
    if (hr_party_step(simulation.parties[i].party, (hr_clock){0}, 0, &stepping->busy, &err))
        bench_die(&err, "step:");
    add_time(stepping, processor_seconds() - step_began);
}

static double run(void) {
    hr_error err = {0};
    stepping = &members[0];
    step_began = processor_seconds();
    if (hr_simulation_submit(&simulation, &err)) bench_die(&err, "submit:");
    add_time(&members[0], processor_seconds() - step_began);
    while (!simulation.parties[0].as.coordinator.result.model) {
        size_t first = 0;
        for (size_t i = 1; i < member_count; i++)
            if (ready(&members[i]) < ready(&members[first])) first = i;
        if (isinf(ready(&members[first]))) bench_die(NULL, "the job ended without a model");
        step(first);
    }
    return members[0].now;
}

/* ---- What is in it ---- */

static hr_status (*train)(hr_party_work *, const hr_job_view *, size_t, hr_bytes *, hr_error *);
static hr_status (*prepare)(hr_party_work *, const hr_job_view *, hr_error *);
static double training, preparing;

static hr_status timed_train(hr_party_work *self, const hr_job_view *job, size_t slot, hr_bytes *out,
                             hr_error *err) {
    double start = processor_seconds();
    hr_status status = train(self, job, slot, out, err);
    training += processor_seconds() - start;
    return status;
}

static hr_status timed_prepare(hr_party_work *self, const hr_job_view *job, hr_error *err) {
    double start = processor_seconds();
    hr_status status = prepare(self, job, err);
    preparing += processor_seconds() - start;
    return status;
}

static void watch_work(void) {
    for (size_t i = 1; i < member_count; i++) {
        hr_party_work *work = &simulation.parties[i].as.work;
        train = work->train;
        prepare = work->prepare;
        work->train = timed_train;
        work->prepare = timed_prepare;
    }
}

/* ---- In a row ---- */

/* One tree, and what it says of the records. */
static void train_one(const bench_table *t, const hr_fit_options *options, size_t index, double *scores) {
    hr_error err = {0};
    hr_budget budget;
    hr_csprng *csprng = NULL;
    hr_gate *gate = NULL;
    hr_tree tree;
    hr_arena *arena = hr_arena_new();
    if (!arena || hr_budget_of(hr_method_named("inprivate"), options, &budget, &err) ||
        hr_csprng_open(&csprng, &err) ||
        hr_gate_new(budget.privacy_measure, budget.units, csprng, &gate, &err))
        bench_die(&err, "a gate:");
    hr_inprivate_tree_job job = {.records = t->data,
                                 .scores = scores,
                                 .scope = {(int64_t)index, 0, index, budget.units},
                                 .gate = gate,
                                 .threads = 1};
    if (hr_inprivate_tree(&job, options, arena, &tree, &err)) bench_die(&err, "a tree:");
    hr_tree_add(&tree, t->data, scores);
    hr_gate_free(gate);
    hr_csprng_close(csprng);
    hr_arena_free(arena);
}

static double in_a_row(const bench_table *t, const hr_fit_options *options, size_t trees) {
    double *scores = bench_allocate(t->rows, sizeof *scores), start = bench_seconds();
    memset(scores, 0, t->rows * sizeof *scores);
    for (size_t i = 0; i < trees; i++) train_one(t, options, i, scores);
    free(scores);
    return bench_seconds() - start;
}

/* ---- All of it ---- */

static void open_simulation(const bench_table *t, const hr_job_file *job, size_t owners, int threads) {
    hr_error err = {0};
    const hr_data **tables = bench_allocate(owners, sizeof *tables);
    for (size_t i = 0; i < owners; i++) tables[i] = t->data;
    if (hr_simulation_init(&simulation, job, t->schema, &(hr_owner_tables){tables, owners}, threads, &err))
        bench_die(&err, "simulation:");
    free(tables);
}

static double simulate(const bench_table *t, const hr_job_file *job, size_t owners) {
    hr_error err = {0};
    open_simulation(t, job, owners, 2);
    double start = bench_seconds();
    if (hr_simulation_run(&simulation, &err)) bench_die(&err, "simulation:");
    double seconds = bench_seconds() - start;
    hr_simulation_done(&simulation);
    return seconds;
}

static void free_inboxes(void) {
    for (size_t i = 0; i < member_count; i++)
        for (packet *p = members[i].inbox, *next; p; p = next) {
            next = p->next;
            free(p->content.bytes);
            free(p);
        }
    free(members);
}

static double spent_of_owners(void) {
    double spent = 0;
    for (size_t i = 1; i < member_count; i++) spent += members[i].spent;
    return spent;
}

static void run_on_clocks(const bench_table *t, const hr_job_file *job, size_t owners) {
    double peak = peak_bytes();
    open_simulation(t, job, owners, 1);
    lay_ways();
    watch_work();
    double start = processor_seconds(), seconds = run();
    printf("{\"seconds\": %.6f, \"processor\": %.6f, \"training\": %.6f, \"preparing\": %.6f, \"packets\": "
           "%zu, \"bytes\": %.0f, \"coordinator\": %.6f, \"owners\": %.6f, \"coordinator_bytes\": %.0f, "
           "\"rounds\": %zu, "
           "\"grown\": %.0f, ",
           seconds, processor_seconds() - start, training, preparing, packets, bytes_sent, members[0].spent,
           spent_of_owners(), members[0].sent,
           hr_model_tree_count(simulation.parties[0].as.coordinator.result.model), peak_bytes() - peak);
    hr_simulation_done(&simulation);
    free_inboxes();
}

int main(int argc, char **argv) {
    if (argc < 7)
        bench_die(
            NULL,
            "usage: bench_chain FILE ROWS FEATURES OWNERS chain|broadcast|hedge ROUNDS [OPTION=VALUE]...");
    bool hedge = strcmp(argv[5], "hedge") == 0;
    hr_job_file job = {.rounds = hedge ? 1 : strtoul(argv[6], NULL, 10),
                       .options = bench_options(hedge ? "hedge" : "inprivate", 1, argv + 7, argc - 7)};
    job.order = !hedge && strcmp(argv[5], "chain") != 0 ? HR_ORDER_BROADCAST : HR_ORDER_CHAIN;
    bench_table t = bench_table_read(argv[1], strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
    size_t owners = strtoul(argv[4], NULL, 10);
    run_on_clocks(&t, &job, owners);
    printf("\"simulate\": %.6f", simulate(&t, &job, owners));
    if (!hedge) printf(", \"row\": %.6f", in_a_row(&t, &job.options, owners * job.rounds));
    printf("}\n");
    bench_table_done(&t);
    return 0;
}
