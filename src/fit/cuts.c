#include "fit/cuts.h"

#include "base/fail.h"
#include "tables/data/records.h"
#include "tables/schema/schema.h"

#include <stdlib.h>

/* In no group of a method, nor of bounds (bounds.c): what cuts cost adds to what these cost. */
static const uint64_t GROUP = ((uint64_t)1 << 40) + 1;

static const double SHARE = .05;

static hr_charge charge_of(hr_units cost) {
    return (hr_charge){.what = "cuts of times", .tree = -1, .level = -1, .group = GROUP, .cost = cost};
}

double hr_cuts_share(const hr_schema *schema) {
    return schema && hr_schema_label(schema)->quantile_cuts ? SHARE : 0;
}

hr_units hr_cuts_cost(const hr_schema *schema, hr_units budget) {
    return hr_units_share(budget, hr_cuts_share(schema));
}

hr_status hr_cuts_check(const hr_fit_facts *facts, hr_units cost, hr_error *err) {
    if (!facts->schema || !hr_schema_label(facts->schema)->quantile_cuts) return HR_OK;
    const hr_column *label = hr_schema_label(facts->schema);
    const hr_charge charge = charge_of(cost);
    return hr_time_cuts_check(label, facts->privacy_measure, &charge, hr_facts_unit(facts), err);
}

static hr_status cut_table(const hr_data *data, const hr_time_cuts *cuts, hr_cut_tables *out, size_t at,
                           hr_error *err) {
    hr_schema_parts parts = *hr_schema_parts_of(hr_data_schema(data));
    parts.label.intervals = cuts->at;
    parts.label.interval_count = cuts->count;
    parts.label.quantile_cuts = false;
    const size_t count = hr_schema_feature_count(hr_data_schema(data));
    size_t *features = malloc((count + 1) * sizeof *features);
    if (!features) return hr_fail_memory(err);
    for (size_t f = 0; f < count; f++) features[f] = f;
    hr_status status = hr_schema_make(&parts, &out->schemas[at], err);
    if (!status) out->data[at] = hr_data_part(data, out->schemas[at], features);
    free(features);
    return status || out->data[at] ? status : hr_fail_memory(err);
}

hr_status hr_cuts_release(const hr_data **data, const hr_data **trained, hr_gate *gate, hr_units cost,
                          hr_cut_tables *out, hr_error *err) {
    const hr_charge charge = charge_of(cost);
    const bool is_one = *trained == *data;
    hr_time_cuts cuts;
    hr_status status = hr_time_cuts_release(*trained, gate, &charge, &cuts, err);
    if (!status) status = cut_table(*data, &cuts, out, 0, err);
    if (!status && !is_one) status = cut_table(*trained, &cuts, out, 1, err);
    if (status) return status;
    *data = out->data[0];
    *trained = out->data[is_one ? 0 : 1];
    return HR_OK;
}

void hr_cut_tables_done(hr_cut_tables *tables) {
    for (size_t i = 0; i < 2; i++) {
        hr_data_free(tables->data[i]);
        hr_schema_free(tables->schemas[i]);
    }
    *tables = (hr_cut_tables){0};
}

void hr_cuts_state(hr_units cost, hr_units budget, hr_buffer *statement) {
    if (!cost) return;
    hr_buffer_format(statement,
                     " The cuts between intervals of times were released as well, for %.3g %% of the budget.",
                     100 * (double)cost / (double)budget);
}
