#include "fit/cuts.h"

#include "base/fail.h"
#include "fit/rank_steps.h"
#include "tables/schema/schema.h"

#include <stdlib.h>

/* In no group of a method, nor of bounds (bounds.c): what cuts cost adds to what these cost. */
static const uint64_t GROUP = ((uint64_t)1 << 40) + 1;

static const double SHARE = .05;

static hr_charge charge_of(hr_units cost) {
    return (hr_charge){.what = "cuts of times", .tree = -1, .level = -1, .group = GROUP, .cost = cost};
}

static bool finds_cuts(const hr_method *method, const hr_schema *schema) {
    return schema && hr_schema_label(schema)->quantile_cuts && !method->predicts_nothing;
}

double hr_cuts_share(const hr_method *method, const hr_schema *schema) {
    return finds_cuts(method, schema) ? SHARE : 0;
}

hr_units hr_cuts_cost(const hr_method *method, const hr_schema *schema, hr_units budget) {
    return hr_units_share(budget, hr_cuts_share(method, schema));
}

hr_status hr_cuts_check(const hr_fit_facts *facts, const hr_method *method, hr_units cost, hr_error *err) {
    if (!finds_cuts(method, facts->schema)) return HR_OK;
    const hr_column *label = hr_schema_label(facts->schema);
    const hr_charge charge = charge_of(cost);
    return hr_time_cuts_check(label, facts->privacy_measure, &charge, hr_facts_unit(facts), err);
}

/* Over ranks rank 0 counts the times of all, and the others go on with the cuts that it found. */
static hr_status release_over_ranks(const hr_data *data, const hr_cuts_order *order, hr_time_cuts *cuts,
                                    hr_error *err) {
    const hr_charge charge = charge_of(order->cost);
    const hr_schema *schema = hr_data_schema(data);
    hr_exact *cells = malloc(((size_t)1 << HR_TIME_CUTS_BITS) * sizeof *cells);
    if (!cells) return hr_fail_memory(err);
    const hr_grid_counts events = {cells, HR_TIME_CUTS_BITS,
                                   hr_schema_weighs(schema) ? HR_PER_PERSON : HR_PER_RECORD};
    hr_status status = hr_ranks_count_events(order->cluster, data, cells, err);
    if (!status)
        status =
            hr_time_cuts_release_counted(hr_schema_label(schema), &events, order->gate, &charge, cuts, err);
    free(cells);
    return status ? status : hr_ranks_cut(order->cluster, cuts, err);
}

static hr_status release_here(const hr_data *data, const hr_cuts_order *order, hr_time_cuts *cuts,
                              hr_error *err) {
    const hr_charge charge = charge_of(order->cost);
    return hr_time_cuts_release(data, order->gate, &charge, cuts, err);
}

hr_status hr_cuts_release(const hr_data **data, const hr_data **trained, const hr_cuts_order *order,
                          hr_cut_tables *out, hr_error *err) {
    const bool is_one = *trained == *data;
    hr_time_cuts cuts;
    hr_status status = (order->cluster ? release_over_ranks : release_here)(*trained, order, &cuts, err);
    if (!status) status = hr_cut_table_make(*data, cuts.at, cuts.count, &out->all, err);
    if (!status && !is_one) status = hr_cut_table_make(*trained, cuts.at, cuts.count, &out->trained, err);
    if (status) return status;
    *data = out->all.data;
    *trained = (is_one ? &out->all : &out->trained)->data;
    return HR_OK;
}

void hr_cut_tables_done(hr_cut_tables *tables) {
    hr_cut_table_done(&tables->all);
    hr_cut_table_done(&tables->trained);
}

void hr_cuts_state(hr_units cost, hr_units budget, hr_buffer *statement) {
    if (!cost) return;
    hr_buffer_format(statement,
                     " The cuts between intervals of times were released as well, for %.3g %% of the budget.",
                     100 * (double)cost / (double)budget);
}
