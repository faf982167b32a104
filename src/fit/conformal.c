/* Split conformal prediction of quantiles: the score of a held-out record is the least correction whose
 * interval has its label. A level is chosen privately among public ones, by how far the held-out records that
 * it covers, and those that the level before it covers, are from the number wanted. */
#include "fit/conformal.h"

#include "base/fail.h"
#include "fit/rank_steps.h"
#include "models/model/interval.h"
#include "models/model/model.h"
#include "tables/data/records.h"
#include "trees/cluster/cluster.h"
#include "trees/tree/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEVELS = HR_INTERVAL_LEVELS,
    PARTS = 10000 /* what 1 is in coverage, and a record in scores */
};
static const double SHARES[] = {.8, .2}; /* of the records: trained on, held out */

void hr_conformal_parts_done(hr_conformal_parts *parts) {
    hr_data_free(parts->trained);
    hr_data_free(parts->held_out);
    free(parts->releases);
    *parts = (hr_conformal_parts){0};
}

/* Rounded up: no less than what was asked for. */
static int64_t parts_of(double coverage) {
    return (int64_t)ceil(coverage * PARTS - 1e-6);
}

/* A record more covers, or does not cover, a level: scores move by either part of it, up or down. */
static hr_charge charge_of(double coverage, hr_units cost, bool weighs) {
    const int64_t part = parts_of(coverage), larger = part > PARTS - part ? part : PARTS - part;
    return (hr_charge){.what = "correction of the interval",
                       .tree = -1,
                       .level = -1,
                       .cost = cost,
                       .sensitivity = 2 * (uint64_t)larger *
                                      (uint64_t)(weighs ? (int)HR_PERSON_UNIT : (int)HR_RECORD_UNIT)};
}

/* By how many records the level that is chosen may fall short of those wanted, on average at most. */
static double shortfall_of(const hr_gate *gate, int64_t unit) {
    size_t lines;
    const hr_release *line = hr_gate_releases(gate, &lines);
    const double rate = (double)line->scale_num / (double)line->scale_den * PARTS * (double)unit;
    return (log(LEVELS - 1) + 1) / rate;
}

/* ---- Before anything is drawn ---- */

static hr_status refuse_conformal(const char *why, const char *remedy, hr_error *err) {
    hr_status status = hr_fail(err, HR_E_ARGUMENT, remedy, "%s", why);
    return hr_fail_at(err, status, NULL, 0, 0, "conformal");
}

hr_status hr_conformal_refuse(const hr_fit_options *options, const char *what, hr_error *err) {
    if (hr_conformal_coverage(options) == 0) return HR_OK;
    hr_status status = hr_fail(err, HR_E_ARGUMENT, "train in one process, or without the option",
                               "%s do not correct intervals by held-out records", what);
    return hr_fail_at(err, status, NULL, 0, 0, "conformal");
}

hr_status hr_conformal_check_label(const hr_schema *schema, double coverage, hr_error *err) {
    char quantiles[HR_QUANTILES_MAX * HR_QUANTILE_NAME] = "none", why[100];
    size_t ends[2];
    if (!schema)
        return refuse_conformal("the interval lies between two quantiles, which the schema names",
                                "give the schema", err);
    const hr_column *label = hr_schema_label(schema);
    const hr_task task = hr_schema_task(schema);
    if (task != HR_TASK_REGRESSION && task != HR_TASK_QUANTILES) {
        snprintf(why, sizeof why, "--conformal is for quantiles of a number, and the model predicts %s",
                 hr_task_text(task));
        return refuse_conformal(why, "leave it out", err);
    }
    if (hr_interval_ends(label, coverage, ends)) return HR_OK;
    for (size_t k = 0, used = 0; k < label->quantile_count && used < sizeof quantiles; k++)
        used += (size_t)snprintf(quantiles + used, sizeof quantiles - used, "%s%g", k ? ", " : "",
                                 label->quantiles[k]);
    hr_status status =
        hr_fail(err, HR_E_ARGUMENT,
                label->quantile_count
                    ? "choose an interval between two of them, or name both among the label's 'quantiles'"
                    : "name both in the schema: 'quantiles: [...]'",
                "an interval for %g lies between the quantiles %g and %g of the label, which has %s",
                coverage, (1 - coverage) / 2, (1 + coverage) / 2, quantiles);
    return hr_fail_at(err, status, NULL, 0, 0, "conformal");
}

hr_status hr_conformal_check(const hr_fit_options *options, const hr_schema *schema, bool is_binned,
                             const hr_budget *budget, hr_error *err) {
    const double coverage = hr_conformal_coverage(options);
    if (coverage == 0) return HR_OK;
    const hr_status status = hr_conformal_check_label(schema, coverage, err);
    if (status) return status;
    if (options->start)
        return refuse_conformal("the start may have seen the records that are held out",
                                "leave the start out, or the option", err);
    if (options->private_bounds_count)
        return refuse_conformal("private bounds are released from the records that are held out, too",
                                "leave the private bounds out, or the option", err);
    if (options->records_per_person)
        return refuse_conformal("records of a person that are drawn one by one would be on both sides",
                                "let all records of a person count, or leave the option out", err);
    if (is_binned)
        return refuse_conformal("a binned cache has no values to predict from", "train on the table", err);
    const hr_charge charge = charge_of(coverage, budget->units, true);
    return hr_charge_check_choice(budget->privacy_measure, &charge, err);
}

double hr_conformal_trained(const hr_fit_options *options, double records) {
    return hr_conformal_coverage(options) > 0 ? fmax(1, SHARES[0] * records) : records;
}

hr_status hr_conformal_plan(const hr_fit_options *options, const hr_budget *budget, hr_plan_info *plan,
                            hr_error *err) {
    const double coverage = hr_conformal_coverage(options);
    hr_gate *gate = NULL;
    hr_permit unused;
    if (coverage == 0) return HR_OK;
    const hr_charge charge = charge_of(coverage, budget->units, false);
    hr_status status = hr_gate_new(budget->privacy_measure, budget->units, NULL, &gate, err);
    if (!status) status = hr_gate_charge_choice(gate, &charge, &unused, err);
    if (!status) {
        plan->coverage = coverage;
        plan->held_out = SHARES[1] * plan->records;
        plan->short_by = shortfall_of(gate, HR_RECORD_UNIT) / (plan->held_out + 1);
    }
    hr_gate_free(gate);
    return status;
}

/* ---- The two sides ---- */

hr_status hr_conformal_take_sides(const hr_data **data, const hr_parts *sides, hr_conformal_parts *out,
                                  hr_error *err) {
    out->trained = hr_data_take_weighed(*data, hr_parts_rows(sides, 0), hr_parts_size(sides, 0));
    out->held_out = hr_data_take_weighed(*data, hr_parts_rows(sides, 1), hr_parts_size(sides, 1));
    if (!out->trained || !out->held_out) return hr_fail_memory(err);
    *data = out->trained;
    return HR_OK;
}

/* The coins are for the records of all ranks, *own for this one's. */
static hr_status divide_ranks(hr_cluster *cluster, hr_csprng *csprng, hr_parts *own, hr_error *err) {
    uint32_t *side_of = hr_cluster_hold_out(cluster, csprng, SHARES, err);
    hr_status status = side_of ? hr_ranks_hold_out(cluster, side_of, err) : hr_fail_memory(err);
    if (!status) status = hr_parts_given(side_of, cluster->begin[1], 2, own, err);
    free(side_of);
    return status;
}

hr_status hr_conformal_divide_by(const uint32_t *sides, const hr_data **data, hr_conformal_parts *out,
                                 hr_error *err) {
    hr_parts parts = {0};
    hr_status status = hr_parts_given(sides, hr_data_rows(*data), 2, &parts, err);
    if (!status) status = hr_conformal_take_sides(data, &parts, out, err);
    hr_parts_done(&parts);
    return status;
}

hr_status hr_conformal_divide(const hr_fit_options *options, hr_csprng *csprng, const hr_data **data,
                              hr_conformal_parts *out, hr_error *err) {
    if (hr_conformal_coverage(options) == 0) return HR_OK;
    hr_parts parts = {0};
    const hr_person_rows of = {(*data)->persons, hr_data_rows(*data)};
    hr_status status;
    if (options->cluster)
        status = divide_ranks(options->cluster, csprng, &parts, err);
    else if (of.persons)
        status = hr_parts_drawn_by_persons(csprng, &of, SHARES, 2, &parts, err);
    else
        status = hr_parts_drawn(csprng, of.rows, SHARES, 2, &parts, err);
    if (!status) status = hr_conformal_take_sides(data, &parts, out, err);
    hr_parts_done(&parts);
    return status;
}

/* ---- The release ---- */

hr_status hr_conformal_count_levels(const hr_held_out *records, hr_exact *weights, hr_error *err) {
    const hr_data *held_out = records->data;
    const size_t *ends = records->ends;
    const hr_column *label = hr_schema_label(hr_data_schema(held_out));
    const size_t rows = hr_data_rows(held_out), outputs = records->forest->output_count;
    const double *labels = hr_data_labels(held_out);
    hr_predictor predictor;
    hr_arena *arena = hr_arena_new();
    double *predicted = malloc((rows * outputs + 1) * sizeof *predicted);
    hr_status status = arena && predicted ? HR_OK : hr_fail_memory(err);
    if (!status)
        status = hr_predictor_make(records->forest, hr_data_schema(held_out), arena, &predictor, err);
    if (!status) status = hr_predict_data(&predictor, held_out, records->threads, predicted, err);
    memset(weights, 0, LEVELS * sizeof *weights);
    for (size_t i = 0; i < rows && !status; i++) {
        const double *quantiles = predicted + i * outputs;
        const double interval[2] = {quantiles[ends[0]], quantiles[ends[1]]};
        weights[hr_interval_level(label, interval, labels[i])].unpaid +=
            hr_data_weights(held_out) ? (int64_t)held_out->weights[i] : (int64_t)HR_RECORD_UNIT;
    }
    free(predicted);
    hr_arena_free(arena);
    return status;
}

/* 0 for the level at which so large a part of the weight is covered, one record more counted as not covered;
 * less for others, by what they, or those before them, miss it by. The last level covers all. */
static void score_levels(const hr_exact weights[LEVELS], int64_t part, int64_t unit, hr_exact *scores) {
    int64_t all = unit, covered = 0;
    for (size_t j = 0; j < LEVELS; j++) all += weights[j].unpaid;
    for (size_t j = 0; j < LEVELS; j++) {
        const int64_t beyond = PARTS * covered - part * all;
        covered += weights[j].unpaid;
        const int64_t missing = j + 1 < LEVELS ? part * all - PARTS * covered : 0;
        const int64_t miss = beyond > missing ? beyond : missing;
        scores[j].unpaid = miss > 0 ? -miss : 0;
    }
}

/* Lines of a gate, behind those that are there. */
static void add_lines(hr_conformal_parts *parts, const hr_gate *gate, uint64_t owner) {
    size_t count;
    const hr_release *lines = hr_gate_releases(gate, &count);
    for (size_t i = 0; i < count; i++) {
        hr_release *line = &parts->releases[parts->release_count++];
        *line = lines[i];
        line->owner = owner;
    }
}

static hr_status choose_correction(const hr_conformal_parts *parts, hr_training *training, hr_units units,
                                   hr_gate *gate, hr_error *err) {
    const double coverage = hr_conformal_coverage(training->options);
    const bool weighs = hr_data_weights(parts->held_out) != NULL;
    const int64_t unit = weighs ? HR_PERSON_UNIT : HR_RECORD_UNIT;
    hr_charge charge = charge_of(coverage, units, weighs);
    hr_conformal made = {.made = true, .coverage = coverage};
    hr_exact weights[LEVELS], scores[LEVELS];
    hr_permit permit;
    size_t count;
    /* Behind those of the trees, so that who adds up the costs of all groups never has too little. */
    const hr_release *lines = hr_gate_releases(training->gate, &count);
    for (size_t i = 0; i < count; i++)
        if (lines[i].group >= charge.group) charge.group = lines[i].group + 1;
    hr_interval_ends(hr_schema_label(hr_data_schema(parts->held_out)), coverage, made.ends);
    hr_status status = hr_gate_charge_choice(gate, &charge, &permit, err);
    hr_cluster *cluster = training->options->cluster;
    const hr_held_out held_out = {parts->held_out, &training->forest, made.ends, training->threads};
    if (!status)
        status = cluster ? hr_ranks_count_levels(cluster, &held_out, weights, err)
                         : hr_conformal_count_levels(&held_out, weights, err);
    if (status) return status;
    score_levels(weights, parts_of(coverage), unit, scores);
    made.correction = hr_interval_correction(hr_gate_choose(gate, permit, scores, LEVELS));
    made.shortfall = shortfall_of(gate, unit);
    training->forest.conformal = made;
    return HR_OK;
}

hr_status hr_conformal_release(hr_conformal_parts *parts, hr_training *training, const hr_budget *budget,
                               hr_error *err) {
    hr_gate *gate = NULL;
    if (!parts->held_out) return HR_OK;
    hr_status status =
        hr_gate_new(budget->privacy_measure, budget->units, hr_gate_csprng(training->gate), &gate, err);
    if (!status) status = choose_correction(parts, training, budget->units, gate, err);
    if (!status) {
        size_t first, second;
        hr_gate_releases(training->gate, &first);
        hr_gate_releases(gate, &second);
        parts->releases = calloc(first + second, sizeof *parts->releases);
        if (!parts->releases) status = hr_fail_memory(err);
    }
    if (!status) {
        add_lines(parts, training->gate, HR_OWNER_TRAINED);
        add_lines(parts, gate, HR_OWNER_HELD_OUT);
    }
    hr_gate_free(gate);
    return status;
}

const hr_release *hr_conformal_releases(const hr_conformal_parts *parts, const hr_gate *gate, size_t *count) {
    if (!parts->releases) return hr_gate_releases(gate, count);
    *count = parts->release_count;
    return parts->releases;
}

void hr_conformal_state(const hr_conformal_parts *parts, hr_buffer *statement) {
    if (!parts->held_out) return;
    hr_buffer_format(statement,
                     " A secret coin of its own kept each %s with a probability of a fifth from the trees: "
                     "those that it kept chose the correction of the interval, and nothing else, so that "
                     "none pays for both.",
                     parts->held_out->persons ? "person" : "record");
}
