/* What training over ranks costs, of a table that no text could hold here: each rank invents its part block
 * by block, bins it into a cache, and maps that. Ranks are processes of this machine, over ZeroMQ.
 *
 * usage: bench_ranks METHOD ROWS FEATURES RANKS ROUNDS FOLDER
 * ROWS: of all ranks together. The caches are made in FOLDER, and taken away; training stops after ROUNDS
 * trees, or rounds of hedge. Prints a line of JSON for each rank: seconds on a processor of making the cache,
 * of mapping and checking it, of all before the first round ended, and of a round behind that; bytes of
 * questions and of sums, and calls of the link, a round, as the rank sends or receives them once; the largest
 * resident memory, and the largest without the pages of the map, which the system takes back where it needs
 * them. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "fits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, CALLS_MOST = 1 << 20 };

typedef struct plan {
    const char *method, *folder;
    size_t rows, features, ranks, rounds;
} plan;

/* Ranks make the same calls in one order: rank 0 tells by their number when rounds end. */
typedef struct common {
    size_t first, last, done; /* calls before the end of the first round, and of the last one; rounds */
    char address[100];
} common;

static common *shared;
static hr_cluster_link inner;
static size_t calls;
static struct { double seconds, asked, summed; } before[CALLS_MOST];
static double asked, summed, anonymous;

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double memory_of(const char *name) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double kib = 0;
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name))) kib = strtod(line + strlen(name), NULL);
    if (file) fclose(file);
    return 1024 * kib;
}

/* ---- The link, counted ---- */

static void count_call(size_t of_question, size_t of_sum) {
    if (calls == CALLS_MOST) bench_die(NULL, "too many calls of the link");
    before[calls].seconds = processor_seconds();
    before[calls].asked = asked;
    before[calls++].summed = summed;
    asked += (double)of_question;
    summed += (double)of_sum;
    const double now = memory_of("RssAnon:");
    if (now > anonymous) anonymous = now;
}

static hr_status broadcast_counted(void *state, size_t root, void *at, size_t size, hr_error *err) {
    count_call(size, 0);
    return inner.broadcast(state, root, at, size, err);
}

static hr_status sum_counted(void *state, int64_t *words, size_t count, hr_error *err) {
    count_call(0, count * sizeof *words);
    return inner.sum(state, words, count, err);
}

/* ---- A part of the table ---- */

static uint64_t draw(uint64_t *law) {
    *law ^= *law << 13;
    *law ^= *law >> 7;
    return *law ^= *law << 17;
}

static void invent_block(float *values, double *labels, size_t rows, size_t features, uint64_t *law) {
    for (size_t i = 0; i < rows * features; i++) values[i] = (float)(draw(law) >> 40) * 0x1p-21f - 4;
    for (size_t i = 0; i < rows; i++) {
        const float *x = values + i;
        labels[i] = x[0] + .5f * x[rows] * x[rows] + 2 * ((float)(draw(law) >> 40) * 0x1p-24f) > 2.5f;
    }
}

/* The bins of a cache are public ones. */
static hr_fit_options fit_options(const plan *p) {
    char edges[] = "edges=public", *settings[] = {edges};
    hr_fit_options options = bench_options(p->method, 1, settings, 1);
    options.delta = 1e-10; /* below one over the number of records */
    return options;
}

static void make_cache(const plan *p, const hr_schema *schema, const char *path, size_t rank) {
    const size_t begin = p->rows * rank / p->ranks, end = p->rows * (rank + 1) / p->ranks;
    float *values = bench_allocate(BLOCK * p->features, sizeof *values);
    double *labels = bench_allocate(BLOCK, sizeof *labels);
    hr_array *columns = bench_allocate(p->features, sizeof *columns);
    hr_bin_options options = HR_BIN_OPTIONS_INIT;
    hr_binner *binner = NULL;
    hr_error err = {0};
    uint64_t law = 88172645463325252u + rank;
    options.bins = (uint32_t)fit_options(p).bins;
    options.replace = true;
    if (hr_binner_open(schema, path, &options, &binner, &err)) bench_die(&err, "cache:");
    for (size_t at = begin; at < end; at += BLOCK) {
        const size_t rows = end - at < BLOCK ? end - at : BLOCK;
        invent_block(values, labels, rows, p->features, &law);
        for (size_t f = 0; f < p->features; f++)
            columns[f] = (hr_array){values + f * rows, HR_ELEMENT_FLOAT32, sizeof *values};
        const hr_array label = {labels, HR_ELEMENT_FLOAT64, sizeof *labels};
        const hr_arrays table = {.rows = rows, .columns = columns, .labels = &label};
        hr_data *data = NULL;
        if (hr_data_borrow(schema, &table, &data, &err) || hr_binner_add(binner, data, &err))
            bench_die(&err, "block:");
        hr_data_free(data);
    }
    if (hr_binner_finish(binner, &err)) bench_die(&err, "cache:");
    hr_binner_free(binner);
    free(columns);
    free(labels);
    free(values);
}

/* ---- A rank ---- */

static bool stop_after_rounds(void *user, size_t done, size_t total) {
    const plan *p = user;
    (void)total;
    shared->last = calls;
    if (!shared->done) shared->first = calls;
    shared->done = done;
    return done < p->rounds;
}

static void train(const plan *p, hr_cluster *cluster, const hr_data *data) {
    hr_fit_options options = fit_options(p);
    hr_model *model = NULL;
    hr_error err = {0};
    options.cluster = cluster;
    options.progress = stop_after_rounds;
    options.user = (void *)p;
    if (hr_fit(data, &options, &model, &err) && !shared->done) bench_die(&err, "fit:");
    hr_model_free(model);
}

static void join_ranks(const plan *p, size_t rank, const char *key, hr_cluster **out) {
    hr_error err = {0};
    hr_cluster_zeromq options = {.rank = rank,
                                 .size = p->ranks,
                                 .address = shared->address,
                                 .key = key,
                                 .join_seconds = 36000,
                                 .silence_seconds = 3600};
    if (hr_cluster_zeromq_open(&options, &inner, &err)) bench_die(&err, "link:");
    hr_cluster_link link = inner;
    link.broadcast = broadcast_counted;
    link.sum = sum_counted;
    if (hr_cluster_join(&link, out, &err)) bench_die(&err, "join:");
}

static void run_rank(const plan *p, size_t rank, const char *key) {
    char path[4096];
    hr_schema *schema = bench_schema(p->features);
    hr_data *data = NULL;
    hr_cluster *cluster = NULL;
    hr_error err = {0};
    snprintf(path, sizeof path, "%s/part%zu.bin", p->folder, rank);
    make_cache(p, schema, path, rank);
    const double made = processor_seconds();
    if (hr_data_map(schema, path, 1, &data, &err)) bench_die(&err, "map:");
    const double mapped = processor_seconds();
    join_ranks(p, rank, key, &cluster);
    if (hr_cluster_share(cluster, data, &err)) bench_die(&err, "share:");
    if (!rank)
        train(p, cluster, data);
    else if (hr_cluster_serve(cluster, data, 1, &err))
        bench_die(&err, "serve:");
    count_call(0, 0);
    hr_cluster_close(cluster);
    const size_t first = shared->first, last = shared->last;
    const double rounds = (double)(shared->done > 1 ? shared->done - 1 : 1);
    printf("{\"rank\": %zu, \"rows\": %zu, \"rounds\": %zu, \"make\": %.2f, \"map\": %.2f, \"begin\": %.3f, "
           "\"round\": %.4f, \"asked\": %.0f, \"summed\": %.0f, \"calls\": %.1f, \"resident\": %.0f, "
           "\"anonymous\": %.0f}\n",
           rank, hr_data_rows(data), shared->done, made, mapped - made, before[first].seconds - mapped,
           (before[last].seconds - before[first].seconds) / rounds,
           (before[last].asked - before[first].asked) / rounds,
           (before[last].summed - before[first].summed) / rounds, (double)(last - first) / rounds,
           memory_of("VmHWM:"), anonymous);
    hr_data_free(data);
    hr_schema_free(schema);
    unlink(path);
}

int main(int argc, char **argv) {
    char key[HR_CLUSTER_KEY_TEXT];
    hr_error err = {0};
    if (argc != 7) bench_die(NULL, "usage: bench_ranks METHOD ROWS FEATURES RANKS ROUNDS FOLDER");
    const plan p = {argv[1],
                    argv[6],
                    strtoul(argv[2], NULL, 10),
                    strtoul(argv[3], NULL, 10),
                    strtoul(argv[4], NULL, 10),
                    strtoul(argv[5], NULL, 10)};
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || hr_cluster_key(key, &err)) bench_die(&err, "start:");
    snprintf(shared->address, sizeof shared->address, "tcp://127.0.0.1:%d", 20000 + (int)getpid() % 20000);
    for (size_t rank = 0; rank < p.ranks; rank++)
        if (!fork()) {
            run_rank(&p, rank, key);
            return 0;
        }
    int failed = 0, status;
    while (wait(&status) > 0) failed |= status;
    return failed != 0;
}
