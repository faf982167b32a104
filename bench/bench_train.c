/* Times training through the public API, with binning and trees apart: three fits that differ in their number
 * of trees alone.
 *
 * usage: bench_train FILE ROWS FEATURES METHOD THREADS FEW MANY [OPTION=VALUE]...
 * FILE is of bench_table; reading it is not timed. Prints one line of JSON: seconds a tree, (t(MANY) -
 * t(FEW)) / (MANY - FEW); seconds of everything before the first tree, t(FEW) - FEW trees; seconds of
 * predicting, a record and tree, the fastest of several times; and the log-loss on the training records, so
 * that the work is seen to be real. */
#include "fits.h"

#include <stdio.h>
#include <stdlib.h>

/* Fits `trees` trees; seconds of the fit. Owner: the caller frees *model. */
static double fit(const hr_data *data, const hr_fit_options *plan, int trees, hr_model **model) {
    hr_fit_options options = *plan;
    hr_error err = {0};
    char text[16];
    snprintf(text, sizeof text, "%d", trees);
    bench_set(&options, "trees", text);
    double start = bench_seconds();
    if (hr_fit(data, &options, model, &err)) bench_die(&err, "fit:");
    return bench_seconds() - start;
}

static void time_fits(const hr_data *data, const hr_fit_options *plan, int few, int many) {
    hr_model *model = NULL;
    double first = fit(data, plan, few, &model);
    hr_model_free(model);
    model = NULL;
    double second = fit(data, plan, many, &model);
    double tree = (second - first) / (many - few);
    double predicting =
        bench_time_predictions(data, plan->threads, model) / ((double)hr_data_rows(data) * many);
    hr_metrics metrics;
    hr_error err = {0};
    if (hr_evaluate(model, data, plan->threads, &metrics, &err)) bench_die(&err, "evaluate:");
    printf("{\"tree\": %.9f, \"bins\": %.9f, \"predict\": %.6g, \"logloss\": %.6f}\n", tree,
           first - tree * few, predicting, metrics.logloss);
    hr_model_free(model);
}

int main(int argc, char **argv) {
    if (argc < 8)
        bench_die(NULL, "usage: bench_train FILE ROWS FEATURES METHOD THREADS FEW MANY [OPTION=VALUE]...");
    hr_fit_options plan = bench_options(argv[4], atoi(argv[5]), argv + 8, argc - 8);
    bench_table t = bench_table_read(argv[1], strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
    time_fits(t.data, &plan, atoi(argv[6]), atoi(argv[7]));
    bench_table_done(&t);
    return 0;
}
