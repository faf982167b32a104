#include "base/fail.h"
#include "methods/method.h"
#include "privacy/sensitivity.h"
#include "tables/bins/edges.h"
#include "tables/data/records.h"
#include "trees/records/stats_source.h"

static size_t outputs_of(const hr_schema *schema) {
    const hr_column *label = hr_schema_label(schema);
    if (label->event) return label->interval_count;
    if (label->quantiles) return label->quantile_count;
    return label->kind == HR_KIND_CATEGORY && label->value_count > 2 ? label->value_count : 1;
}

size_t hr_training_outputs(const hr_data *data) {
    return outputs_of(hr_data_schema(data));
}

static hr_status count_source_cells(void *user, size_t feature, size_t grid, hr_exact *cells, hr_error *err) {
    hr_stats_source *source = user;
    return source->ops->cells(source, feature, grid, cells, err);
}

hr_status hr_training_private_edges(hr_training *t, const hr_edges_release *release, uint64_t *groups,
                                    hr_error *err) {
    const hr_privacy_unit unit = hr_data_weights(t->data) ? HR_PER_PERSON : HR_PER_RECORD;
    const hr_edge_counter counter = {hr_data_schema(t->data), unit, count_source_cells, t->source};
    return hr_edges_release_counted(&counter, release, t->arena, &t->binning, groups, err);
}

static hr_status copy_start(hr_training *t, hr_error *err) {
    const hr_forest *start = t->start;
    hr_status status = HR_OK;
    for (size_t k = 0; k < start->output_count; k++) t->forest.base[k] = start->base[k];
    for (size_t i = 0; !status && i < start->tree_count; i++)
        status = hr_tree_copy(&start->trees[i], t->arena, &t->forest.trees[t->forest.tree_count++], err);
    return status;
}

hr_status hr_training_forest_init(hr_training *t, hr_link link, size_t trees, hr_error *err) {
    size_t outputs = hr_training_outputs(t->data), all = trees + (t->start ? t->start->tree_count : 0);
    t->forest = (hr_forest){.link = link, .output_count = outputs};
    t->forest.base = hr_arena_alloc(t->arena, outputs, sizeof *t->forest.base);
    t->forest.trees = hr_arena_alloc(t->arena, all, sizeof *t->forest.trees);
    if (!t->forest.base || !t->forest.trees) return hr_fail_memory(err);
    return t->start ? copy_start(t, err) : HR_OK;
}

size_t hr_facts_outputs(const hr_fit_facts *facts) {
    return facts->schema ? outputs_of(facts->schema) : 1;
}

hr_privacy_unit hr_facts_unit(const hr_fit_facts *facts) {
    bool weighs = facts->schema && hr_schema_weighs(facts->schema) && !facts->options->records_per_person;
    return weighs || hr_options_weigh(facts->options) ? HR_PER_PERSON : HR_PER_RECORD;
}

double hr_facts_table(const hr_fit_facts *facts) {
    return (double)facts->rows * (double)hr_schema_feature_count(facts->schema);
}

hr_status hr_facts_check_rows(const hr_fit_facts *facts, uint64_t weight_bound, int64_t gradient_bound,
                              hr_error *err) {
    if (hr_packing_shift(facts->rows, weight_bound, gradient_bound) >= 0) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "train on a part of the records",
                   "too many records for exact sums in 63 bits");
}

hr_status hr_facts_check_classes(const hr_fit_facts *facts, hr_error *err) {
    if (hr_facts_outputs(facts) <= HR_BINS_MAX) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "join rare classes", "more than %d classes", HR_BINS_MAX);
}

static hr_charge training_charge_of(const char *what, hr_units cost, uint64_t sensitivity) {
    return (hr_charge){.what = what, .tree = -1, .level = -1, .cost = cost, .sensitivity = sensitivity};
}

hr_status hr_facts_check_sums(const hr_fit_facts *facts, const char *what, hr_units cost,
                              uint64_t sensitivity, hr_error *err) {
    hr_charge charge = training_charge_of(what, cost, sensitivity);
    return hr_charge_check_sums(facts->privacy_measure, &charge, err);
}

hr_status hr_facts_check_choice(const hr_fit_facts *facts, const char *what, hr_units cost, uint64_t width,
                                hr_error *err) {
    hr_charge charge = training_charge_of(what, cost, width);
    return hr_charge_check_choice(facts->privacy_measure, &charge, err);
}

hr_status hr_facts_check_edges(const hr_fit_facts *facts, hr_units cost, hr_error *err) {
    hr_charge charge = training_charge_of("bin edges", cost, HR_RECORD_SENSITIVITY);
    if (!facts->schema) return HR_OK;
    const hr_edges_wanted wanted = {facts->schema, (uint32_t)facts->options->bins, hr_facts_unit(facts)};
    return hr_edges_check_private(&wanted, facts->privacy_measure, &charge, err);
}

hr_status hr_training_progress(const hr_training *training, size_t done, size_t total, hr_error *err) {
    const hr_fit_options *options = training->options;
    if (!options->progress || options->progress(options->user, done, total)) return HR_OK;
    return hr_fail(err, HR_E_CANCELLED, "",
                   "the fit was stopped; what it had reserved of the budget stays spent");
}
