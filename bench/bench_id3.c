/* A job of id3 over so many owners in this process: what it sends, and the processor time it takes. Records
 * are dealt out in turns.
 *
 * usage: bench_id3 SCHEMA DATA OWNERS EPSILON [OPTION=VALUE]...
 * Prints one line of JSON: packets and their bytes, acks included; the bytes of a packet's seal; processor
 * seconds of all parties together; and how many counts each sum has. */
#include "federation/work/simulation.h"
#include "fits.h"
#include "owners.h"
#include "privacy/crypto/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SUMS_MAX = 64 };

static size_t packets, sums[SUMS_MAX], sum_count;
static double bytes_sent;
static hr_status (*ask)(hr_party_work *, const hr_job_view *, hr_bytes *, hr_error *);

static double processor_seconds(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t))
        bench_die(NULL, "the system does not tell the processor time");
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static hr_loopback_fate count_packet(void *user, const char *from, const char *to, size_t size) {
    (void)user;
    (void)from;
    (void)to;
    packets++;
    bytes_sent += (double)size;
    return HR_FATE_ARRIVES;
}

static hr_status note_question(hr_party_work *self, const hr_job_view *job, hr_bytes *out, hr_error *err) {
    ProtobufCMessage *read = NULL;
    hr_status status = ask(self, job, out, err);
    if (status) return status;
    status = hr_message_unpack(&hedgerow__question__descriptor, out->at, out->size, &read, err);
    if (!status && ((Hedgerow__Question *)read)->values && sum_count < SUMS_MAX)
        sums[sum_count++] = ((Hedgerow__Question *)read)->values;
    hr_message_unpacked_free(read);
    return status;
}

static hr_job_file job_of(const char *epsilon, char *const *settings, int count) {
    hr_job_file job = {.rounds = 1, .options = bench_options("id3", 1, settings, count)};
    bench_set(&job.options, "epsilon", epsilon);
    return job;
}

static void run_job(const hr_job_file *job, const hr_schema *schema, const hr_owner_tables *owners) {
    hr_simulation simulation;
    hr_error err = {0};
    if (hr_simulation_init(&simulation, job, schema, owners, 1, &err)) bench_die(&err, "job:");
    hr_loopback_script(simulation.loopback, count_packet, NULL);
    ask = simulation.parties[0].as.work.next_question;
    simulation.parties[0].as.work.next_question = note_question;
    if (hr_simulation_run(&simulation, &err)) bench_die(&err, "job:");
    hr_simulation_done(&simulation);
}

static void print_job(size_t owners, double seconds) {
    printf("{\"owners\": %zu, \"packets\": %zu, \"bytes\": %.0f, ", owners, packets, bytes_sent);
    printf("\"seal\": %d, \"seconds\": %.4f, \"sums\": [", (int)HR_SESSION_OVERHEAD, seconds);
    for (size_t i = 0; i < sum_count; i++) printf("%s%zu", i ? ", " : "", sums[i]);
    puts("]}");
}

int main(int argc, char **argv) {
    hr_schema *schema = NULL;
    hr_data *all = NULL, *tables[HR_MEMBERS_MAX] = {NULL};
    hr_error err = {0};
    if (argc < 5) bench_die(NULL, "usage: bench_id3 SCHEMA DATA OWNERS EPSILON [OPTION=VALUE]...");
    const size_t owners = strtoul(argv[3], NULL, 10);
    if (owners < 1 || owners >= HR_MEMBERS_MAX) bench_die(NULL, "OWNERS is from 1 to 255");
    if (hr_schema_read(argv[1], &schema, &err) || hr_data_read(schema, argv[2], NULL, &all, &err))
        bench_die(&err, "data:");
    bench_deal(all, tables, owners);
    const hr_job_file job = job_of(argv[4], argv + 5, argc - 5);
    const double began = processor_seconds();
    run_job(&job, schema, &(hr_owner_tables){(const hr_data *const *)tables, owners});
    print_job(owners, processor_seconds() - began);
    for (size_t o = 0; o < owners; o++) hr_data_free(tables[o]);
    hr_data_free(all);
    hr_schema_free(schema);
    return 0;
}
