/* An owner's side of hedge over owners (federated_hedge.c): its records answer what the coordinator's machine
 * asks, and it believes none of it (hedge_question_wire.h). */
#include "base/fail.h"
#include "federation/federated/terms.h"
#include "federation/hedge/federated_interval.h"
#include "federation/hedge/hedge_cuts.h"
#include "federation/hedge/hedge_question_wire.h"
#include "federation/sums/summed_owner.h"
#include "methods/hedge/hedge_objective.h"
#include "methods/hedge/hedge_plan.h"
#include "tables/bins/edges.h"
#include "tables/data/records.h"
#include "trees/candidates/hedge_records.h"

typedef struct hedge_owner {
    const hr_data *data;      /* the records that train: all, or a part */
    hr_conformal_parts parts; /* empty: none are held out */
    int threads;
    hr_cut_table
        cut; /* the data with cuts of times that were found; empty: the schema has them, or none are */
    hr_records *records; /* NULL: there are no cuts yet, or no question but theirs was counted */
    hr_hedge_question_reader reader;
} hedge_owner;

static void close_hedge_owner(void *state) {
    hedge_owner *o = state;
    hr_records_free(o->records);
    hr_cut_table_done(&o->cut);
    hr_conformal_parts_done(&o->parts);
}

static hr_status open_records(hedge_owner *o, hr_error *err) {
    const hr_hedge_question_reader *reader = &o->reader;
    const hr_data *data = o->data;
    if (o->records) return HR_OK;
    if (reader->cuts) {
        hr_status status = hr_cut_table_make(o->data, reader->cuts, reader->cut_count, &o->cut, err);
        if (status) return status;
        data = o->cut.data;
    }
    return hr_records_new(data, reader->outputs, HR_HEDGE_CANDIDATES_OWNERS, o->threads, &o->records, err);
}

static hr_status open_hedge_owner(const hr_owner_turn *t, const hr_budget *budget, hr_arena *arena,
                                  void **state, hr_error *err) {
    const hr_schema *schema = hr_data_schema(t->data), *offered = t->job->offered;
    hr_fit_options options;
    hedge_owner *o = *state = hr_arena_alloc(arena, 1, sizeof *o);
    if (!o) return hr_fail_memory(err);
    *o = (hedge_owner){.threads = t->threads};
    hr_status status = hr_data_check_exposures(t->data, err);
    if (!status) status = hr_options_of_terms(t->job->terms, 1, &options, err);
    if (status) return status;
    hr_interactions interactions;
    status = hr_interactions_read(options.interactions, schema, arena, &interactions, err);
    if (status) return status;
    const bool ordered = offered && hr_hedge_outputs(schema) == 1 && hr_schema_is_monotone(offered) &&
                         hr_schema_feature_count(offered) == hr_schema_feature_count(schema);
    o->reader = (hr_hedge_question_reader){.schema = schema,
                                           .monotone = ordered ? offered : NULL,
                                           .bins = (uint32_t)options.bins,
                                           .outputs = hr_hedge_outputs(schema),
                                           .objective = hr_hedge_objective(&options, hr_schema_task(schema)),
                                           .privacy_measure = budget->privacy_measure,
                                           .interactions = interactions,
                                           .coverage = hr_conformal_coverage(&options),
                                           .arena = arena};
    status = hr_federated_interval_divide(t, &options, &o->data, &o->parts, err);
    if (status) return status;
    return hr_schema_label(schema)->quantile_cuts ? HR_OK : open_records(o, err);
}

/* One line a part of the question about bins, which is charged at its own level. */
static hr_status list_bins(const hedge_owner *o, const hr_hedge_question_in *h, hr_arena *arena,
                           hr_summed_question *out, hr_error *err) {
    const size_t parts = h->bins.part_count;
    hr_charge *lines = hr_arena_alloc(arena, parts + 1, sizeof *lines);
    size_t *counts = hr_arena_alloc(arena, parts + 1, sizeof *counts);
    if (!lines || !counts) return hr_fail_memory(err);
    hr_status status = hr_edge_question_check(o->reader.schema, o->reader.bins, &h->bins, err);
    if (status) return status;
    for (size_t i = 0; i < parts; i++) {
        lines[i] = hr_hedge_question_part(&o->reader, h, i);
        counts[i] = h->bins.parts[i].count;
    }
    out->lines = lines;
    out->counts = counts;
    out->line_count = parts;
    return HR_OK;
}

static hr_status read_hedge_question(void *state, const hr_owner_turn *turn, const hr_sum_question *received,
                                     hr_arena *arena, hr_summed_question *out, hr_error *err) {
    (void)turn;
    hedge_owner *o = state;
    hr_hedge_question_in *h = hr_arena_alloc(arena, 1, sizeof *h);
    if (!h) return hr_fail_memory(err);
    hr_status status = hr_hedge_question_read(&o->reader, &received->body, arena, h, err);
    if (status) return status;
    out->content = h;
    if (h->question.kind == HR_HEDGE_BINS) return list_bins(o, h, arena, out, err);
    if (h->question.kind == HR_HEDGE_CUTS)
        return hr_hedge_cuts_list(&h->question.lines[0], hr_hedge_unit_of(o->reader.schema), arena, out, err);
    hr_hedge_question_list(&h->question, out);
    return HR_OK;
}

static hr_status count_hedge_question(void *state, const hr_owner_turn *turn, const hr_summed_question *q,
                                      hr_exact *out, hr_error *err) {
    hedge_owner *o = state;
    const hr_hedge_question_in *h = q->content;
    if (h->question.kind == HR_HEDGE_BINS)
        return hr_edges_count_nodes(o->data, o->reader.bins, &h->bins, out, err);
    if (h->question.kind == HR_HEDGE_CUTS) return hr_time_cuts_count_nodes(o->data, out, err);
    if (h->question.kind == HR_HEDGE_LEVELS) {
        const hr_level_terms terms = hr_hedge_question_levels(&o->reader);
        return hr_federated_interval_count(turn, o->parts.held_out, &h->forest, &terms, out, err);
    }
    hr_status status = open_records(o, err);
    if (status) return status;
    return (q->choice ? hr_records_scores : hr_records_sums)(o->records, &h->question, out, err);
}

static hr_status follow_hedge_question(void *state, const hr_summed_question *q, hr_arena *arena,
                                       hr_error *err) {
    hedge_owner *o = state;
    const hr_hedge_question *question = &((const hr_hedge_question_in *)q->content)->question;
    if (question->kind != HR_HEDGE_LEAVES) return HR_OK;
    hr_status status = open_records(o, err);
    if (status) return status;
    hr_exact *ignored = hr_arena_alloc(arena, hr_hedge_question_values(question) + 1, sizeof *ignored);
    return ignored ? hr_records_sums(o->records, question, ignored, err) : hr_fail_memory(err);
}

const hr_summed_owner hr_hedge_owner_rules = {.choices = true,
                                              .open = open_hedge_owner,
                                              .close = close_hedge_owner,
                                              .read = read_hedge_question,
                                              .follow = follow_hedge_question,
                                              .count = count_hedge_question};
