/* A job of SimFL over so many owners in this process: what its preprocessing takes, and what it sends.
 * Records are dealt out in turns.
 *
 * usage: bench_simfl SCHEMA DATA OWNERS TREES [OPTION=VALUE]...
 * Prints one line of JSON: records of all owners, and hashes of each; processor seconds, of one thread, of
 * the hashes of all records and of the search of every owner's records among those of every other; and
 * packets of a job of TREES trees and the bytes that its owners and its coordinator send, acks and seals
 * included. */
#include "federation/work/simulation.h"
#include "fits.h"
#include "owners.h"
#include "trees/similar/lsh.h"
#include "trees/similar/similar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct traffic {
    const char *coordinator;
    size_t packets;
    double owners_sent, coordinator_sent;
} traffic;

static double processor_seconds(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t))
        bench_die(NULL, "the system does not tell the processor time");
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Preprocessing ---- */

static hr_lsh *make_planes(const hr_schema *schema, const hr_fit_options *options) {
    static const uint8_t coins[HR_LSH_COINS] = {1};
    hr_error err = {0};
    hr_lsh *lsh = NULL;
    const hr_lsh_setup setup = {.schema = schema,
                                .width = options->by_name[HR_OPTION_LSH_WIDTH],
                                .tables = (size_t)options->by_name[HR_OPTION_LSH_TABLES],
                                .range = options->by_name[HR_OPTION_LSH_RANGE],
                                .coins = coins};
    if (hr_lsh_new(&setup, &lsh, &err)) bench_die(&err, "planes:");
    return lsh;
}

static double hash_records(const hr_lsh *lsh, const hr_owner_tables *owners, hr_hashes *of) {
    const double began = processor_seconds();
    hr_error err = {0};
    for (size_t m = 0; m < owners->count; m++) {
        const size_t rows = hr_data_rows(owners->items[m]), tables = hr_lsh_tables(lsh);
        int16_t *at = bench_allocate(rows * tables, sizeof *at);
        if (hr_lsh_hash(lsh, owners->items[m], 1, at, &err)) bench_die(&err, "hashes:");
        of[m] = (hr_hashes){at, rows, tables};
    }
    return processor_seconds() - began;
}

static double search_records(const hr_hashes *of, size_t owners) {
    const double began = processor_seconds();
    hr_error err = {0};
    for (size_t m = 0; m < owners; m++) {
        uint32_t *found = bench_allocate(of[m].rows, sizeof *found);
        for (size_t j = 0; j < owners; j++)
            if (j != m && hr_similar(&of[m], &of[j], 0, 1, found, &err)) bench_die(&err, "search:");
        free(found);
    }
    return processor_seconds() - began;
}

static void print_preprocessing(const hr_schema *schema, const hr_job_file *job,
                                const hr_owner_tables *owners) {
    hr_lsh *lsh = make_planes(schema, &job->options);
    hr_hashes *of = bench_allocate(owners->count, sizeof *of);
    const double hashing = hash_records(lsh, owners, of);
    const double searching = search_records(of, owners->count);
    printf("\"tables\": %zu, \"hash\": %.3f, \"search\": %.3f, ", hr_lsh_tables(lsh), hashing, searching);
    for (size_t m = 0; m < owners->count; m++) free((int16_t *)of[m].at);
    free(of);
    hr_lsh_free(lsh);
}

/* ---- What is sent ---- */

static hr_loopback_fate count_packet(void *user, const char *from, const char *to, size_t size) {
    traffic *t = user;
    (void)to;
    t->packets++;
    *(strcmp(from, t->coordinator) == 0 ? &t->coordinator_sent : &t->owners_sent) += (double)size;
    return HR_FATE_ARRIVES;
}

static void print_traffic(const hr_schema *schema, const hr_job_file *job, const hr_owner_tables *owners) {
    hr_simulation simulation;
    hr_error err = {0};
    if (hr_simulation_init(&simulation, job, schema, owners, 1, &err)) bench_die(&err, "job:");
    traffic t = {.coordinator = simulation.parties[0].name};
    hr_loopback_script(simulation.loopback, count_packet, &t);
    if (hr_simulation_run(&simulation, &err)) bench_die(&err, "job:");
    printf("\"packets\": %zu, \"owners_sent\": %.0f, \"coordinator_sent\": %.0f", t.packets, t.owners_sent,
           t.coordinator_sent);
    hr_simulation_done(&simulation);
}

/* ---- All of it ---- */

static hr_job_file job_of(const char *trees, char *const *settings, int count) {
    hr_job_file job = {.rounds = 1, .options = bench_options("simfl", 1, settings, count)};
    bench_set(&job.options, "trees", trees);
    job.options.mode = HR_MODE_PAPER;
    return job;
}

int main(int argc, char **argv) {
    hr_schema *schema = NULL;
    hr_data *all = NULL, *tables[HR_MEMBERS_MAX] = {NULL};
    hr_error err = {0};
    if (argc < 5) bench_die(NULL, "usage: bench_simfl SCHEMA DATA OWNERS TREES [OPTION=VALUE]...");
    const size_t owners = strtoul(argv[3], NULL, 10);
    if (owners < 2 || owners >= HR_MEMBERS_MAX) bench_die(NULL, "OWNERS is from 2 to 255");
    if (hr_schema_read(argv[1], &schema, &err) || hr_data_read(schema, argv[2], NULL, &all, &err))
        bench_die(&err, "data:");
    bench_deal(all, tables, owners);
    const hr_job_file job = job_of(argv[4], argv + 5, argc - 5);
    const hr_owner_tables of = {(const hr_data *const *)tables, owners};
    printf("{\"records\": %zu, ", hr_data_rows(all));
    print_preprocessing(schema, &job, &of);
    print_traffic(schema, &job, &of);
    puts("}");
    for (size_t o = 0; o < owners; o++) hr_data_free(tables[o]);
    hr_data_free(all);
    hr_schema_free(schema);
    return 0;
}
