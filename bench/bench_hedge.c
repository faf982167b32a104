/* Times one whole fit of hedge through the public API, and its rounds by themselves; and weighs what the fit
 * takes beside the table.
 *
 * usage: bench_hedge FILE ROWS FEATURES THREADS [OPTION=VALUE]...
 * FILE is of bench_table; reading it is not timed. hedge chooses its number of rounds itself: the progress
 * callback tells it, and hr_fit_plan the candidates of a round. Prints one line of JSON: seconds of the fit,
 * and those that its threads were on a processor; rounds and candidates; nanoseconds a record, candidate and
 * round, from the end of the first round to the end of the last; by how many bytes the fit raised the peak of
 * resident memory, and the same divided by the size of the matrix of bins, a byte a record and feature;
 * seconds of predicting, a record and round, the fastest of several times; log-loss and AUC on the training
 * records. */
#include "fits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct rounds {
    double first, last; /* when they ended */
    size_t done;
} rounds;

static bool take_time(void *user, size_t done, size_t total) {
    rounds *r = user;
    (void)total;
    r->last = bench_seconds();
    if (!r->done) r->first = r->last;
    r->done = done;
    return true;
}

/* Of this program alone: what getrusage tells begins with the peak of the program that started it. Linux
 * counts in KiB. */
static double peak_bytes(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double kib = -1;
    while (file && kib < 0 && fgets(line, sizeof line, file))
        if (!strncmp(line, "VmHWM:", 6)) kib = strtod(line + 6, NULL);
    if (file) fclose(file);
    if (kib < 0) bench_die(NULL, "the system does not tell the memory in use");
    return 1024 * kib;
}

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void time_fit(const bench_table *t, hr_fit_options *options) {
    rounds r = {0};
    hr_plan_info plan;
    hr_model *model = NULL;
    hr_metrics metrics;
    hr_error err = {0};
    if (hr_fit_plan(options, (double)t->rows, t->schema, &plan, &err)) bench_die(&err, "plan:");
    options->progress = take_time;
    options->user = &r;
    double before = peak_bytes(), start = bench_seconds(), busy = processor_seconds();
    if (hr_fit(t->data, options, &model, &err)) bench_die(&err, "fit:");
    busy = processor_seconds() - busy;
    double spent = bench_seconds() - start, grown = peak_bytes() - before;
    if (hr_evaluate(model, t->data, options->threads, &metrics, &err)) bench_die(&err, "evaluate:");
    double predicting =
        bench_time_predictions(t->data, options->threads, model) / ((double)t->rows * (double)r.done);
    double steps = (double)(r.done - 1) * (double)plan.candidates * (double)t->rows;
    printf("{\"seconds\": %.9f, \"processor\": %.6f, \"rounds\": %zu, \"candidates\": %zu, \"nanoseconds\": "
           "%.6g, \"grown\": "
           "%.0f, \"matrices\": %.6f, "
           "\"predict\": %.6g, \"logloss\": %.6f, \"auc\": %.6f}\n",
           spent, busy, r.done, plan.candidates, 1e9 * (r.last - r.first) / steps, grown,
           grown / ((double)t->rows * (double)t->features), predicting, metrics.logloss, metrics.auc);
    hr_model_free(model);
}

int main(int argc, char **argv) {
    if (argc < 5) bench_die(NULL, "usage: bench_hedge FILE ROWS FEATURES THREADS [OPTION=VALUE]...");
    hr_fit_options options = bench_options("hedge", atoi(argv[4]), argv + 5, argc - 5);
    bench_table t = bench_table_read(argv[1], strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
    time_fit(&t, &options);
    bench_table_done(&t);
    return 0;
}
