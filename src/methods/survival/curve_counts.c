#include "methods/survival/curve_counts.h"

#include "base/fail.h"
#include "privacy/sensitivity.h"
#include "tables/bins/edges.h"
#include "tables/schema/schema.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST_BINS = 2 }; /* of numbers, which no count depends on */
static const char category[] = "name a feature that is a category";

hr_status hr_curve_check_schema(const hr_schema *schema, hr_error *err) {
    if (hr_schema_task(schema) == HR_TASK_SURVIVAL) return HR_OK;
    hr_fail(err, HR_E_ARGUMENT, "make the label 'kind: time', or use another method",
            "survival-curve learns times to an event alone");
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, hr_schema_label(schema)->name);
}

static hr_status at_group(hr_error *err) {
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, "group");
}

static hr_status find_group(const char *name, hr_curve *curve, hr_error *err) {
    const size_t features = hr_schema_feature_count(curve->schema);
    size_t f = 0;
    while (f < features && strcmp(hr_schema_feature(curve->schema, f)->name, name) != 0) f++;
    if (f == features) {
        hr_fail(err, HR_E_ARGUMENT, category, "the schema has no feature '%.80s'", name);
        return at_group(err);
    }
    const hr_column *column = hr_schema_feature(curve->schema, f);
    if (column->kind != HR_KIND_CATEGORY) {
        hr_fail(err, HR_E_ARGUMENT, category, "groups are the values of a category, and '%.80s' is a number",
                name);
        return at_group(err);
    }
    if (column->value_count >= HR_CURVE_GROUPS_MAX) {
        hr_fail(err, HR_E_ARGUMENT, "join rare values, or name another category",
                "'%.80s' has %zu values, and a model has at most %d curves", name, column->value_count,
                HR_CURVE_GROUPS_MAX - 1);
        return at_group(err);
    }
    curve->group = column;
    curve->feature = (uint32_t)f;
    return HR_OK;
}

hr_status hr_curve_of(const hr_fit_facts *facts, hr_curve *out, hr_error *err) {
    const hr_status status = hr_curve_check_schema(facts->schema, err);
    if (status) return status;
    *out = (hr_curve){.schema = facts->schema,
                      .intervals = hr_schema_label(facts->schema)->interval_count,
                      .unit = hr_facts_unit(facts)};
    return *facts->options->group ? find_group(facts->options->group, out, err) : HR_OK;
}

hr_charge hr_curve_charge(const hr_curve *curve, hr_units cost) {
    return (hr_charge){.what = "interval counts",
                       .tree = -1,
                       .level = -1,
                       .cost = cost,
                       .sensitivity = hr_unit_of_counts(curve->unit)};
}

/* All records are in one node: its labels, or those of its records in each bin of the group's feature. */
static hr_status ask_for_codes(const hr_curve *curve, hr_stats_source *source, const hr_stats_setup *setup,
                               hr_exact *out, hr_error *err) {
    hr_node leaf = {0};
    const hr_tree all = {.nodes = &leaf, .node_count = 1};
    const hr_stats_query query = {
        .answer = curve->group ? HR_STATS_BINS : HR_STATS_LEAVES, .feature = curve->feature, .tree = &all};
    const hr_stats_shares shares = {.count = 1};
    const hr_stats_round round = {.part = 0};
    hr_status status = source->ops->prepare(source, setup, err);
    if (!status) status = source->ops->share_out(source, &shares, NULL, err);
    if (!status) status = source->ops->begin(source, &round, err);
    return status ? status : source->ops->answer(source, &query, 1, out, err);
}

hr_status hr_curve_count(const hr_curve *curve, hr_stats_source *source, const uint32_t *weights,
                         hr_exact *out, hr_error *err) {
    hr_binning binning;
    hr_labels labels = hr_labels_kind(curve->schema);
    labels.unit = curve->unit;
    hr_arena *arena = hr_arena_new();
    hr_exact *codes = malloc(hr_curve_counts(curve) * sizeof *codes);
    hr_status status = arena && codes ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_edges_public(curve->schema, FEWEST_BINS, arena, &binning, err);
    if (!status) {
        const hr_stats_setup setup = {.kind = HR_STATS_LABELS,
                                      .binning = &binning,
                                      .weights = curve->unit == HR_PER_PERSON ? weights : NULL};
        status = ask_for_codes(curve, source, &setup, codes, err);
    }
    if (!status) hr_labels_of_leaves(&labels, codes, hr_curve_groups(curve), NULL, out);
    free(codes);
    hr_arena_free(arena);
    return status;
}
