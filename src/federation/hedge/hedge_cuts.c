#include "federation/hedge/hedge_cuts.h"

#include "base/fail.h"
#include "privacy/noise.h"

#include <string.h>

hr_charge hr_hedge_cuts_charge(const hr_hedge_cuts *cuts, uint64_t group) {
    return (hr_charge){.what = "cuts of times", .tree = -1, .level = -1, .group = group, .cost = cuts->cost};
}

hr_status hr_hedge_cuts_list(const hr_charge *whole, hr_privacy_unit unit, hr_arena *arena,
                             hr_summed_question *out, hr_error *err) {
    hr_charge *lines = hr_arena_alloc(arena, HR_TIME_CUTS_BITS, sizeof *lines);
    size_t *counts = hr_arena_alloc(arena, HR_TIME_CUTS_BITS, sizeof *counts);
    if (!lines || !counts) return hr_fail_memory(err);
    for (int level = 1; level <= HR_TIME_CUTS_BITS; level++) {
        lines[level - 1] = hr_time_cuts_level(whole, level, unit);
        counts[level - 1] = (size_t)1 << level;
    }
    out->lines = lines;
    out->counts = counts;
    out->line_count = HR_TIME_CUTS_BITS;
    return HR_OK;
}

hr_status hr_hedge_cuts_accept(hr_hedge_cuts *cuts, const hr_summed_question *question,
                               const hr_summed_reply *reply, hr_privacy_measure privacy_measure,
                               hr_error *err) {
    const hr_charge *line = &question->lines[0];
    if (!reply->values) {
        cuts->dropped += cuts->cost;
        return HR_OK;
    }
    const double noise =
        reply->noise_factor * hr_noise_deviation(privacy_measure, line->cost, (double)line->sensitivity);
    const hr_schema *schema = reply->job->schema;
    hr_time_cuts found;
    hr_status status = hr_time_cuts_of_nodes(hr_schema_label(schema), reply->values, noise, &found, err);
    return status ? status : hr_time_cuts_schema(schema, found.at, found.count, &cuts->schema, err);
}

hr_status hr_hedge_cuts_check(hr_units cost, hr_privacy_measure privacy_measure, hr_privacy_unit unit,
                              size_t honest, hr_error *err) {
    const hr_charge whole = hr_hedge_cuts_charge(&(hr_hedge_cuts){.cost = cost}, 0),
                    line = hr_time_cuts_level(&whole, 1, unit);
    hr_status status = hr_charge_check_share(privacy_measure, &line, honest, err);
    return status ? status : hr_charge_check_share(privacy_measure, &line, 1, err);
}

/* ---- At an owner ---- */

static hr_status refuse_cuts(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_FORMAT, "", "a question of hedge with %s", why);
}

/* As many as the schema wants, or fewer; the last is the schema's. */
static bool are_cuts(const hr_column *label, const double *cuts, size_t count) {
    double before = 0;
    for (size_t i = 0; i < count && before >= 0; i++) before = cuts[i] > before ? cuts[i] : -1;
    return count && count <= label->interval_count && before == label->intervals[label->interval_count - 1];
}

hr_status hr_hedge_cuts_take(hr_hedge_question_reader *reader, const double *cuts, size_t count,
                             hr_error *err) {
    const hr_column *label = hr_schema_label(reader->schema);
    if (!label->quantile_cuts) return count ? refuse_cuts("cuts of times that the schema has", err) : HR_OK;
    if (!are_cuts(label, cuts, count))
        return refuse_cuts("cuts of times that do not ascend to the schema's last one", err);
    const size_t size = count * sizeof *cuts;
    if (reader->cuts)
        return reader->cut_count == count && !memcmp(reader->cuts, cuts, size)
                   ? HR_OK
                   : refuse_cuts("other cuts of times than before", err);
    double *copy = hr_arena_alloc(reader->arena, count, sizeof *copy);
    if (!copy) return hr_fail_memory(err);
    memcpy(copy, cuts, size);
    reader->cuts = copy;
    reader->outputs = reader->cut_count = count;
    return HR_OK;
}
