#include "federation/sums/federated_id3.h"

#include "base/fail.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "fit/budget.h"
#include "privacy/noise.h"
#include "privacy/sensitivity.h"
#include "tables/bins/edges.h"

#include <math.h>

enum { RESERVE = 1 }; /* levels of a job that may be repeated */

hr_id3_terms hr_federated_id3_terms(const Hedgerow__Terms *terms, const hr_schema *schema,
                                    const hr_fit_options *options, const hr_binning *binning) {
    return (hr_id3_terms){.binning = binning,
                          .classes = hr_schema_label(schema)->value_count,
                          .depth = (size_t)options->depth,
                          .leaf_share = options->leaf_share,
                          .published = terms->paper,
                          .reserve = terms->paper ? 0 : RESERVE,
                          .shares = hr_noise_shares(terms->n_owners, terms->coalition)};
}

/* The terms with their budget, checked; *binning lives in the arena. */
static hr_status read_id3_terms(const Hedgerow__Terms *terms, const hr_schema *schema, hr_arena *arena,
                                hr_binning *binning, hr_id3_terms *out, hr_error *err) {
    hr_fit_options options;
    hr_budget budget;
    hr_status status = hr_options_of_terms(terms, 1, &options, err);
    if (!status) status = hr_budget_check(&hr_method_id3, &options, schema, 1, &budget, err);
    if (!status) status = hr_edges_public(schema, (uint32_t)options.bins, arena, binning, err);
    if (status) return status;
    *out = hr_federated_id3_terms(terms, schema, &options, binning);
    out->privacy_measure = budget.privacy_measure;
    out->budget = budget.units;
    status = hr_id3_check(out, err);
    return status == HR_E_BUDGET ? hr_fail_at(err, status, NULL, 0, 0, "epsilon") : status;
}

hr_status hr_federated_id3_check(const Hedgerow__Terms *terms, const hr_schema *schema, hr_error *err) {
    hr_binning binning;
    hr_id3_terms read;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    hr_status status = read_id3_terms(terms, schema, arena, &binning, &read, err);
    hr_arena_free(arena);
    return status;
}

/* ---- The plan ---- */

/* Of a tree of so many levels. */
static double level_noise(const hr_id3_terms *t, size_t level, size_t levels, double noise_factor) {
    const hr_charge charge = hr_id3_level_charge(t->privacy_measure, t->binning->feature_count, level,
                                                 hr_id3_level_cost(t, levels));
    return noise_factor * hr_id3_count_noise(t, &charge);
}

/* Bins of a feature, on average; `filled` are those of values that the schema lists. */
typedef struct mean_bins {
    double all, filled;
} mean_bins;

static mean_bins mean_bins_of(const hr_binning *binning) {
    double all = 0;
    for (size_t f = 0; f < binning->feature_count; f++) all += (double)binning->features[f].bin_count;
    all /= (double)binning->feature_count;
    return (mean_bins){all, fmax(all - 1, 1)};
}

/* As if every node that has more records than a count has noise were split, into bins that are alike. */
static void add_sums(const hr_id3_terms *t, const hr_planned_job *job, const hr_job_plan_info *plan,
                     hr_job_traffic *traffic) {
    enum { NODE = 2, SPLIT = 3, VALUE = 8, FRAME = 16 };
    const mean_bins bins = mean_bins_of(t->binning);
    const double classes = (double)t->classes, features = (double)t->binning->feature_count;
    double open = 1, leaves = 1, splits = 0;
    if (hr_id3_records_cost(t)) hr_job_traffic_add_prepared(traffic, 1, FRAME, classes * VALUE);
    for (size_t level = 0; level < plan->levels; level++) {
        double counts =
            fmin(open * (features - (double)level) * bins.all * classes, (double)hr_id3_values_max(t));
        hr_job_traffic_add_prepared(traffic, 1, FRAME + open * NODE + splits * SPLIT, counts * VALUE);
        splits = open;
        leaves = fmin(leaves + open * (bins.all - 1), HR_ID3_NODES_MAX);
        double next = level_noise(t, level + 1 < t->binning->feature_count ? level + 1 : level, plan->levels,
                                  plan->noise_factor);
        open = fmin(open * bins.filled, fmin(job->records / fmax(next, 1), (double)HR_ID3_NODES_MAX));
    }
    hr_job_traffic_add_prepared(traffic, 1, FRAME + splits * SPLIT, leaves * classes * VALUE);
}

static void describe_id3_plan(const hr_id3_terms *t, const hr_planned_job *job, hr_job_plan_info *out) {
    const double budget = (double)t->budget, records = (double)hr_id3_records_cost(t);
    out->levels = hr_id3_depth_of_records(t, job->records, out->noise_factor);
    const hr_units level = hr_id3_level_cost(t, out->levels);
    const hr_charge leaves = hr_id3_leaf_charge(t->budget - hr_id3_records_cost(t) - out->levels * level);
    hr_job_traffic traffic;
    out->repeats = t->reserve;
    out->share_level = (double)level / budget;
    out->share_records = records / budget;
    out->share_leaves = 1 - out->share_records - (double)(out->levels + out->repeats) * out->share_level;
    out->level_noise = level_noise(t, 0, out->levels, out->noise_factor);
    out->leaf_noise = out->noise_factor * hr_id3_count_noise(t, &leaves);
    hr_job_traffic_begin(&traffic, job->terms);
    add_sums(t, job, out, &traffic);
    hr_job_traffic_describe(&traffic, out);
}

hr_status hr_federated_id3_plan(const hr_planned_job *job, hr_job_plan_info *out, hr_error *err) {
    hr_binning binning;
    hr_id3_terms terms;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    hr_status status = read_id3_terms(job->terms, job->schema, arena, &binning, &terms, err);
    if (!status) {
        out->plan.epsilon = hr_terms_cost(job->terms);
        out->plan.delta = hr_terms_delta(job->terms);
        describe_id3_plan(&terms, job, out);
    }
    hr_arena_free(arena);
    return status;
}
