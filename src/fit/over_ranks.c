#include "fit/over_ranks.h"

#include "base/fail.h"
#include "base/threads.h"
#include "fit/conformal.h"
#include "fit/rank_steps.h"
#include "fit/settings.h"
#include "tables/schema/schema.h"
#include "trees/cluster/cluster.h"

#include <stdio.h>

static const char in_one_process[] = "train in one process, without mpirun or --link";

static hr_status refuse_over_ranks(const char *field, const char *why, const char *remedy, hr_error *err) {
    hr_status status = hr_fail(err, HR_E_ARGUMENT, remedy, "%s", why);
    return hr_fail_at(err, status, NULL, 0, 0, field);
}

static hr_status check_method_over_ranks(const hr_method *method, hr_task task, hr_error *err) {
    char remedy[200];
    if (method->over_ranks) return HR_OK;
    size_t at = (size_t)snprintf(remedy, sizeof remedy,
                                 "train in one process, without mpirun or --link, or with one of:");
    for (size_t i = 0; i < hr_method_count() && at < sizeof remedy; i++) {
        const hr_method *other = hr_method_named(hr_method_at(i)->name);
        if (other->over_ranks && hr_method_learns(other, task))
            at += (size_t)snprintf(remedy + at, sizeof remedy - at, " %s", other->info.name);
    }
    hr_status status =
        hr_fail(err, HR_E_ARGUMENT, remedy, "method %s is not trained over ranks", method->info.name);
    return hr_fail_at(err, status, NULL, 0, 0, "method");
}

/* Each of these looks at more of the records than sums over a rank's part hold. */
static hr_status check_options_over_ranks(const hr_fit_options *options, hr_error *err) {
    if (options->mode == HR_MODE_PAPER && hr_method_named(options->method)->info.is_private)
        return refuse_over_ranks("mode", "mode paper is not trained over ranks",
                                 "train in sound mode, or in one process", err);
    if (options->edges == HR_EDGES_EXACT)
        return refuse_over_ranks("edges", "exact bin edges need all records in one process",
                                 "add --option edges=public", err);
    if (options->record_weights)
        return refuse_over_ranks("record-weights", "ranks do not weigh records", in_one_process, err);
    return HR_OK;
}

hr_status hr_over_ranks_check(const hr_method *method, const hr_fit_options *options, const hr_schema *schema,
                              hr_error *err) {
    if (!options->cluster) return HR_OK;
    hr_status status = check_method_over_ranks(method, hr_schema_task(schema), err);
    if (!status) status = check_options_over_ranks(options, err);
    if (status || !hr_schema_unit(schema) || hr_conformal_coverage(options) == 0) return status;
    return refuse_over_ranks("conformal", "ranks hold no persons out", in_one_process, err);
}

hr_status hr_fit_check_cluster(const hr_fit_options *options, const hr_schema *schema, hr_error *err) {
    hr_fit_options taken;
    hr_status status = hr_options_taken(options, &taken, err);
    return status ? status : hr_over_ranks_check(hr_method_named(taken.method), &taken, schema, err);
}

hr_status hr_cluster_serve(hr_cluster *cluster, const hr_data *data, int threads, hr_error *err) {
    int count;
    if (hr_threads_of(threads, &count, NULL)) count = 1;
    return hr_ranks_serve(cluster, data, count, err);
}
