/* Times the hashes of SimFL, and its search for similar records, beside a plain loop over all pairs.
 *
 * usage: bench_similar FILE ROWS FEATURES WIDTH RANGE THREADS SAMPLE [HASHES]
 * FILE is of bench_table; reading it is not timed. The first half of the rows belongs to one owner and looks
 * for similar records in the second half, the other's, by min(40, FEATURES - 1) hashes. RANGE 4 leaves the
 * numbers as they are; then WIDTH 4 is the hard case, where even the most similar record has few equal
 * hashes. The plain loop does SAMPLE of the queries, on one thread, and its time is scaled up to all. Prints
 * one line of JSON: seconds of the hashes of all rows; seconds of processor time of the search, of all its
 * threads, and of the wall; seconds of the plain loop and how many times as many as the search's processor
 * time; mean share of equal hashes. HASHES is a file to which all hashes are written, int16, row by row. Ends
 * with 1 if plain loop and search differ in how many hashes are equal.
 */
#define _DEFAULT_SOURCE
#include "fits.h"
#include "trees/similar/lsh.h"
#include "trees/similar/similar.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static size_t count_same(const hr_hashes *of, size_t i, const hr_hashes *among, size_t j) {
    const int16_t *a = of->at + i * of->tables, *b = among->at + j * among->tables;
    size_t same = 0;
    for (size_t t = 0; t < of->tables; t++) same += a[t] == b[t];
    return same;
}

static size_t most_same(const hr_hashes *of, size_t i, const hr_hashes *among) {
    size_t most = 0;
    for (size_t j = 0; j < among->rows; j++) {
        const size_t same = count_same(of, i, among, j);
        most = same > most ? same : most;
    }
    return most;
}

/* Seconds for all queries, from the sample. */
static double time_plain(const hr_hashes *of, const hr_hashes *among, const uint32_t *found, size_t sample) {
    const double start = processor_seconds();
    for (size_t k = 0; k < sample; k++) {
        const size_t i = k * of->rows / sample;
        if (most_same(of, i, among) != count_same(of, i, among, found[i]))
            bench_die(NULL, "the search has not found the most similar record");
    }
    return (processor_seconds() - start) * (double)of->rows / (double)sample;
}

static double mean_share(const hr_hashes *of, const hr_hashes *among, const uint32_t *found) {
    double sum = 0;
    for (size_t i = 0; i < of->rows; i++) sum += (double)count_same(of, i, among, found[i]);
    return sum / (double)(of->rows * of->tables);
}

static void time_search(const hr_hashes *all, double hashing, int threads, size_t sample) {
    const hr_hashes of = {all->at, all->rows / 2, all->tables},
                    among = {all->at + of.rows * of.tables, all->rows - of.rows, all->tables};
    uint32_t *found = bench_allocate(of.rows, sizeof *found);
    hr_error err = {0};
    const double wall = bench_seconds(), start = processor_seconds();
    if (hr_similar(&of, &among, 0, threads, found, &err)) bench_die(&err, "search:");
    const double searching = processor_seconds() - start, waited = bench_seconds() - wall,
                 plain = time_plain(&of, &among, found, sample);
    printf("{\"tables\": %zu, \"hash\": %.2f, \"search_processor\": %.2f, \"search\": %.2f, \"plain\": %.1f, "
           "\"ratio\": %.1f, \"equal\": %.3f}\n",
           all->tables, hashing, searching, waited, plain, plain / searching, mean_share(&of, &among, found));
    free(found);
}

static void write_hashes(const hr_hashes *all, const char *path) {
    FILE *file = fopen(path, "wb");
    const size_t count = all->rows * all->tables;
    if (!file || fwrite(all->at, sizeof *all->at, count, file) != count || fclose(file))
        bench_die(NULL, "cannot write the hashes");
}

int main(int argc, char **argv) {
    static const uint8_t coins[HR_LSH_COINS] = {1};
    if (argc != 8 && argc != 9) {
        fprintf(stderr, "usage: bench_similar FILE ROWS FEATURES WIDTH RANGE THREADS SAMPLE [HASHES]\n");
        return 2;
    }
    const int threads = atoi(argv[6]);
    const size_t sample = strtoul(argv[7], NULL, 10);
    bench_table table = bench_table_read(argv[1], strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
    if (table.rows < 2 || !sample || threads < 1)
        bench_die(NULL, "rows, sample and threads start at 2, 1, 1");
    hr_error err = {0};
    hr_lsh *lsh = NULL;
    if (hr_lsh_new(&(hr_lsh_setup){table.schema, atof(argv[4]), 0, atof(argv[5]), coins}, &lsh, &err))
        bench_die(&err, "planes:");
    int16_t *hashes = bench_allocate(table.rows * hr_lsh_tables(lsh), sizeof *hashes);
    const double start = processor_seconds();
    if (hr_lsh_hash(lsh, table.data, threads, hashes, &err)) bench_die(&err, "hashes:");
    const double hashing = processor_seconds() - start;
    const hr_hashes all = {hashes, table.rows, hr_lsh_tables(lsh)};
    if (argc == 9) write_hashes(&all, argv[8]);
    time_search(&all, hashing, threads, sample);
    free(hashes);
    hr_lsh_free(lsh);
    bench_table_done(&table);
    return 0;
}
