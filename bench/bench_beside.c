/* Times fits that run side by side, as on a server that several people use: one fit alone, COUNT fits one
 * after the other, and COUNT processes that each fit at the same time, all with as many threads as hr_threads
 * finds, and once more with one thread each.
 *
 * usage: bench_beside FILE ROWS FEATURES COUNT METHOD [OPTION=VALUE]...
 * FILE is of bench_table; reading it is not timed: processes are forked after it was read, and begin
 * together. Prints one line of JSON: seconds on the clock of one fit, of COUNT in a row and of COUNT side by
 * side, and the same two with one thread each; and how many threads there were. */
#include "fits.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void fit(const bench_table *t, const hr_fit_options *options) {
    hr_model *model = NULL;
    hr_error err = {0};
    if (hr_fit(t->data, options, &model, &err)) bench_die(&err, "fit:");
    hr_model_free(model);
}

static double in_a_row(const bench_table *t, const hr_fit_options *options, int count) {
    const double start = bench_seconds();
    for (int i = 0; i < count; i++) fit(t, options);
    return bench_seconds() - start;
}

/* Forks `count` processes, which wait for the pipe to close. */
static double side_by_side(const bench_table *t, const hr_fit_options *options, int count) {
    int gate[2];
    char byte;
    if (pipe(gate)) bench_die(NULL, "no pipe");
    for (int i = 0; i < count; i++) {
        const pid_t child = fork();
        if (child < 0) bench_die(NULL, "no process");
        if (child) continue;
        close(gate[1]);
        if (read(gate[0], &byte, 1) != 0) _exit(1);
        fit(t, options);
        _exit(0);
    }
    close(gate[0]);
    const double start = bench_seconds();
    close(gate[1]);
    for (int i = 0, how; i < count; i++)
        if (wait(&how) < 0 || !WIFEXITED(how) || WEXITSTATUS(how)) bench_die(NULL, "a process failed");
    return bench_seconds() - start;
}

int main(int argc, char **argv) {
    if (argc < 6) bench_die(NULL, "usage: bench_beside FILE ROWS FEATURES COUNT METHOD [OPTION=VALUE]...");
    const int count = atoi(argv[4]);
    hr_fit_options options = bench_options(argv[5], 0, argv + 6, argc - 6);
    bench_table t = bench_table_read(argv[1], strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
    hr_error err = {0};
    int threads = 0;
    if (hr_threads(&threads, &err)) bench_die(&err, "threads:");
    const double one = in_a_row(&t, &options, 1), row = in_a_row(&t, &options, count),
                 beside = side_by_side(&t, &options, count);
    options.threads = 1;
    const double row_one = in_a_row(&t, &options, count), beside_one = side_by_side(&t, &options, count);
    printf("{\"seconds\": %.6f, \"row\": %.6f, \"beside\": %.6f, \"row_one\": %.6f, \"beside_one\": %.6f, "
           "\"threads\": %d}\n",
           one, row, beside, row_one, beside_one, threads);
    bench_table_done(&t);
    return 0;
}
