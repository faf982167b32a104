#include "methods/survival/curve_counts.h"

#include "base/fail.h"
#include "privacy/sensitivity.h"
#include "tables/bins/edges.h"
#include "tables/schema/schema.h"

#include <stdlib.h>

enum { FEWEST_BINS = 2 }; /* of numbers, which no count depends on */

hr_status hr_curve_check_schema(const hr_schema *schema, hr_error *err) {
    if (hr_schema_task(schema) == HR_TASK_SURVIVAL) return HR_OK;
    hr_fail(err, HR_E_ARGUMENT, "make the label 'kind: time', or use another method",
            "survival-curve learns times to an event alone");
    return hr_fail_at(err, HR_E_ARGUMENT, NULL, 0, 0, hr_schema_label(schema)->name);
}

hr_curve hr_curve_of(const hr_fit_facts *facts) {
    return (hr_curve){.schema = facts->schema,
                      .intervals = hr_schema_label(facts->schema)->interval_count,
                      .unit = hr_facts_unit(facts)};
}

hr_charge hr_curve_charge(const hr_curve *curve, hr_units cost) {
    return (hr_charge){.what = "interval counts",
                       .tree = -1,
                       .level = -1,
                       .cost = cost,
                       .sensitivity = hr_unit_of_counts(curve->unit)};
}

/* All records in one node. */
static hr_status ask_for_codes(hr_stats_source *source, const hr_stats_setup *setup, hr_exact *out,
                               hr_error *err) {
    hr_node leaf = {0};
    const hr_tree all = {.nodes = &leaf, .node_count = 1};
    const hr_stats_query query = {.answer = HR_STATS_LEAVES, .tree = &all};
    const hr_stats_shares shares = {.count = 1};
    const hr_stats_round round = {.part = 0};
    hr_status status = source->ops->prepare(source, setup, err);
    if (!status) status = source->ops->share_out(source, &shares, NULL, err);
    if (!status) status = source->ops->begin(source, &round, err);
    return status ? status : source->ops->answer(source, &query, 1, out, err);
}

hr_status hr_curve_count(const hr_curve *curve, hr_stats_source *source, const uint32_t *weights,
                         hr_exact *out, hr_error *err) {
    const size_t count = hr_curve_counts(curve);
    hr_binning binning;
    hr_labels labels = hr_labels_kind(curve->schema);
    labels.unit = curve->unit;
    hr_arena *arena = hr_arena_new();
    hr_exact *codes = malloc(count * sizeof *codes);
    hr_status status = arena && codes ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_edges_public(curve->schema, FEWEST_BINS, arena, &binning, err);
    if (!status) {
        const hr_stats_setup setup = {.kind = HR_STATS_LABELS,
                                      .binning = &binning,
                                      .weights = curve->unit == HR_PER_PERSON ? weights : NULL};
        status = ask_for_codes(source, &setup, codes, err);
    }
    if (!status) hr_labels_of_leaves(&labels, codes, 1, NULL, out);
    free(codes);
    hr_arena_free(arena);
    return status;
}
