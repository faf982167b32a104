#include "fit/start.h"

#include "base/fail.h"
#include "fit/rank_steps.h"
#include "tables/data/persons.h"
#include "tables/schema/schema.h"
#include "tables/schema/schema_difference.h"
#include "trees/tree/interactions.h"

#include <hedgerow/amount.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which models ---- */

static hr_status refuse_start(hr_error *err, hr_status status) {
    return hr_fail_at(err, status, NULL, 0, 0, "start");
}

static hr_status check_start_method(const hr_method *method, const hr_fit_options *options, hr_error *err) {
    char remedy[200];
    if (method->link && options->mode == HR_MODE_SOUND) return HR_OK;
    size_t at = (size_t)snprintf(remedy, sizeof remedy, "these do, in sound mode:");
    for (size_t i = 0; i < hr_method_count() && at < sizeof remedy; i++) {
        const hr_method *able = hr_method_named(hr_method_at(i)->name);
        if (able->link) at += (size_t)snprintf(remedy + at, sizeof remedy - at, " %s", able->info.name);
    }
    return refuse_start(err, hr_fail(err, HR_E_ARGUMENT, remedy, "%smethod %s cannot start from a model",
                                     method->link ? "the paper mode of " : "", method->info.name));
}

static const char *link_text(hr_link link) {
    static const char *const texts[] = {[HR_LINK_NUMBER] = "a number",
                                        [HR_LINK_SIGNED] = "probabilities (square loss)",
                                        [HR_LINK_LOGISTIC] = "log-odds (logistic loss)",
                                        [HR_LINK_HAZARD] = "log-odds of hazards",
                                        [HR_LINK_LOG] = "the logarithm of a mean count"};
    return texts[link];
}

static hr_status check_start_forest(const hr_method *method, const hr_fit_options *options, hr_error *err) {
    const hr_model *start = options->start;
    hr_fit_facts facts = {.schema = start->schema};
    size_t outputs = hr_facts_outputs(&facts);
    hr_link link = method->link(options, hr_schema_task(start->schema));
    if (start->forest.link != link)
        return refuse_start(err, hr_fail(err, HR_E_ARGUMENT,
                                         "use the loss, or a method, whose scores are those of the start",
                                         "the scores of the start are %s, those of this fit %s",
                                         link_text(start->forest.link), link_text(link)));
    if (start->forest.output_count != outputs)
        return refuse_start(err, hr_fail(err, HR_E_ARGUMENT, "start from a model that boosting made",
                                         "the start gives %zu scores a record, and method %s takes %zu",
                                         start->forest.output_count, method->info.name, outputs));

    /* Its trees are trees of the new model. */
    hr_interactions may_meet;
    hr_arena *arena = hr_arena_new();
    if (!arena) return hr_fail_memory(err);
    hr_status status = hr_interactions_read(options->interactions, start->schema, arena, &may_meet, err);
    const bool obeys = !status && hr_forest_obeys(&start->forest, &may_meet) == start->forest.tree_count;
    hr_arena_free(arena);
    if (status || obeys) return status;
    return refuse_start(err, hr_fail(err, HR_E_ARGUMENT,
                                     "start from a model that was trained with the same interactions, or "
                                     "leave the start or the interactions out",
                                     "a tree of the start splits by features that the interactions of this "
                                     "fit keep apart"));
}

/* A fit is for records; so must be what is added to it. */
static hr_status check_start_guarantee(const hr_fit_options *options, hr_error *err) {
    static const char remedy[] = "start from a private model; or, if the data of the start need no "
                                 "protection, say --start-is-public (start_is_public)";
    const hr_guarantee *g = &options->start->guarantee;
    if (options->start_is_public) return HR_OK;
    if (!g->is_private)
        return refuse_start(err, hr_fail(err, HR_E_POLICY, remedy, "the start has no privacy guarantee"));
    if (!strncmp(g->unit, HR_ONE_RECORD, strlen(HR_ONE_RECORD))) return HR_OK;
    return refuse_start(err, hr_fail(err, HR_E_POLICY, remedy,
                                     "the guarantee of the start is for %.60s, that of this fit for %s",
                                     g->unit, HR_ONE_RECORD));
}

hr_status hr_start_check(const hr_method *method, const hr_fit_options *options, const hr_schema *schema,
                         hr_error *err) {
    if (!options->start && options->start_is_public)
        return refuse_start(err, hr_fail(err, HR_E_ARGUMENT, "name the model to start from",
                                         "a start is said to be public, and there is none"));
    if (!options->start) return HR_OK;
    if (options->private_bounds_count) {
        hr_fail(err, HR_E_ARGUMENT, "leave the start out, or the private bounds",
                "a fit that starts from a model has the bounds of its schema");
        return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "private-bounds");
    }
    hr_status status = check_start_method(method, options, err);
    if (!status && schema)
        status = hr_schema_refuse_unit(schema, "a fit that continues a model", "train without a start", err);
    char difference[HR_SCHEMA_DIFFERENCE];
    const hr_schema_sides sides = {"in the start", "in the data's schema"};
    /* A start's cuts are plain, also where a fit has found them. */
    const bool has_cuts =
        schema && hr_schema_label(options->start->schema)->event && hr_schema_label(schema)->quantile_cuts;
    const char *remedy =
        has_cuts
            ? "write its cuts, which 'hedgerow show' lists, as intervals: [...], or train without the start"
            : "train with the schema of the start, or without the start";
    if (!status && schema && hr_schema_difference(options->start->schema, schema, &sides, difference))
        return refuse_start(
            err, hr_fail(err, HR_E_SCHEMA, remedy, "the start has another schema: %s", difference));
    if (!status) status = check_start_forest(method, options, err);
    return status ? status : check_start_guarantee(options, err);
}

/* ---- What both cost ---- */

/* The start's own cost; or, if it continues others, what it and they cost. With its conditions. */
static hr_status cost_of_start(const hr_model *start, hr_start_guarantee *out, hr_error *err) {
    const hr_guarantee *g = &start->guarantee;
    *out = start->start_guarantee;
    if (start->start_guarantee.given) return HR_OK;
    *out = (hr_start_guarantee){.given = true,
                                .privacy_measure = start->privacy_measure,
                                .units = hr_model_granted(start),
                                .epsilon = g->epsilon,
                                .delta = g->delta,
                                .epsilon_replace = g->epsilon_replace,
                                .delta_replace = g->delta_replace};
    return hr_model_trust(start, &out->trust, err);
}

/* The granted budget is against everybody: it adds to what the start costs each coalition. */
static void add_units_against(hr_units *units, double *epsilon, const hr_budget *granted) {
    hr_guarantee made;
    *units = *units < HR_UNITS_MAX / 4 ? *units + granted->units : HR_UNITS_MAX;
    hr_guarantee_of(*units, granted->privacy_measure, granted->delta, &made);
    *epsilon = made.epsilon;
}

static hr_start_guarantee add_units(const hr_start_guarantee *start, const hr_budget *granted) {
    hr_start_guarantee sum = {.given = true,
                              .privacy_measure = granted->privacy_measure,
                              .units = start->units,
                              .trust = start->trust};
    hr_guarantee made;
    add_units_against(&sum.units, &sum.epsilon, granted);
    hr_guarantee_of(sum.units, sum.privacy_measure, granted->delta, &made);
    sum.delta = made.delta;
    sum.epsilon_replace = made.epsilon_replace;
    sum.delta_replace = made.delta_replace;
    if (!sum.trust.stated.shared_noise) return sum;
    add_units_against(&sum.trust.owners, &sum.trust.stated.epsilon_owners, granted);
    add_units_against(&sum.trust.everyone, &sum.trust.stated.epsilon_everyone, granted);
    return sum;
}

static double add_up(double a, double b) {
    return nextafter(a + b, (double)INFINITY);
}

/* Basic composition, which holds for all measures. */
static hr_start_guarantee add_epsilons(const hr_start_guarantee *start, const hr_budget *granted) {
    hr_guarantee own;
    hr_guarantee_of(granted->units, granted->privacy_measure, granted->delta, &own);
    hr_start_guarantee sum = {.given = true,
                              .privacy_measure = HR_PRIVACY_NONE,
                              .epsilon = add_up(start->epsilon, granted->epsilon),
                              .delta = add_up(start->delta, granted->delta),
                              .epsilon_replace = add_up(start->epsilon_replace, own.epsilon_replace),
                              .delta_replace = add_up(start->delta_replace, own.delta_replace)};
    sum.trust.stated = start->trust.stated;
    if (!sum.trust.stated.shared_noise) return sum;
    sum.trust.stated.epsilon_owners = add_up(sum.trust.stated.epsilon_owners, granted->epsilon);
    sum.trust.stated.epsilon_everyone = add_up(sum.trust.stated.epsilon_everyone, granted->epsilon);
    return sum;
}

hr_status hr_start_compose(const hr_model *start, const hr_budget *granted, hr_start_guarantee *out,
                           hr_error *err) {
    hr_start_guarantee cost;
    hr_status status = cost_of_start(start, &cost, err);
    if (status) return status;
    if (cost.privacy_measure == granted->privacy_measure && cost.units + granted->units < HR_UNITS_MAX / 4) {
        *out = add_units(&cost, granted);
        if (isfinite(out->epsilon_replace)) return HR_OK;
    }
    *out = add_epsilons(&cost, granted);
    return HR_OK;
}

void hr_start_state(const hr_fit_options *options, const char *hash, const hr_start_guarantee *both,
                    hr_buffer *text) {
    hr_interval_info interval;
    if (!options->start) return;
    if (hr_model_interval(options->start, &interval))
        hr_buffer_format(text,
                         " Its interval is not corrected, though that of the model that it starts from is, "
                         "for %g of the labels.",
                         interval.coverage);
    hr_buffer_format(text, " It starts from the model with the SHA-256 %s", hash);
    if (!both->given) {
        hr_buffer_text(text, options->start_is_public
                                 ? ", which is said to be public: nothing is charged for it."
                                 : ".");
        return;
    }
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT], epsilon_replace[HR_AMOUNT_TEXT],
        delta_replace[HR_AMOUNT_TEXT], conditions[HR_CONDITIONS_TEXT];
    hr_spent_text(both->epsilon, epsilon);
    hr_spent_text(both->delta, delta);
    hr_spent_text(both->epsilon_replace, epsilon_replace);
    hr_spent_text(both->delta_replace, delta_replace);
    hr_buffer_format(text, ". A record that is also in the data of that model has (%s, %s) for both together",
                     epsilon, delta);
    hr_buffer_format(text, " (%s, %s for replacing it)", epsilon_replace, delta_replace);
    hr_conditions_text(&both->trust.stated, both->epsilon, conditions);
    if (*conditions) hr_buffer_format(text, ", under the conditions of that model: %s", conditions);
    hr_buffer_text(text, both->privacy_measure == HR_PRIVACY_NONE
                             ? ": the two are of different kinds, so epsilons and deltas add up."
                             : ".");
}

/* ---- Records of each person ---- */

void hr_person_sample_done(hr_person_sample *sample) {
    hr_data_free(sample->data);
    hr_schema_free(sample->schema);
    *sample = (hr_person_sample){0};
}

hr_status hr_person_sample_keep(const hr_data *data, const uint64_t *keys, size_t most, hr_person_sample *out,
                                hr_error *err) {
    hr_status status = hr_schema_copy_of_records(hr_data_schema(data), &out->schema, err);
    if (status) return status;
    const size_t rows = hr_data_rows(data);
    uint32_t *kept = malloc((rows + 1) * sizeof *kept);
    const size_t count = kept ? hr_persons_keep(data, keys, most, kept) : 0;
    if (kept && (count || !rows)) out->data = hr_data_take(data, kept, count);
    free(kept);
    if (!out->data) return hr_fail_memory(err);
    hr_data_forget_persons(out->data, out->schema);
    return HR_OK;
}

hr_status hr_person_sample_draw(const hr_data *data, const hr_fit_options *options, hr_csprng *csprng,
                                hr_person_sample *out, hr_error *err) {
    const size_t most = (size_t)options->records_per_person;
    const size_t rows = options->cluster ? hr_cluster_rows(options->cluster) : hr_data_rows(data);
    uint64_t *keys = malloc((rows + 1) * sizeof *keys);
    if (!keys) return hr_fail_memory(err);
    for (size_t i = 0; i < rows; i++) keys[i] = hr_csprng_u64(csprng);
    hr_status status = options->cluster ? hr_ranks_sample(options->cluster, data, keys, most, out, err)
                                        : hr_person_sample_keep(data, keys, most, out, err);
    free(keys);
    return status;
}
