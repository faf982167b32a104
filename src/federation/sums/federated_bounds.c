/* Bounds of columns over owners, so that a federation can agree on a schema: secure sums of histograms, with
 * noise (fit/measure/shared_bounds.h). The first question is about the magnitudes of all columns, the others
 * about even cells of those whose values lie close together, and of the label. Sums are prepared
 * (securesum.h). One that still lacks an answer is lost, and was paid for: there is no other of its kind. */
#include "base/fail.h"
#include "federation/config/job_file.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/sums/sum_checks.h"
#include "federation/sums/summed_coordinator.h"
#include "federation/sums/summed_owner.h"
#include "fit/measure/shared_bounds.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMN_NAME_MAX = 1024 };

/* ---- Terms ---- */

/* What the terms request, and the columns, which it points to: it stays where it is. */
typedef struct bounds_request {
    hr_shared_bounds shared;
    size_t at[HR_SHARED_BOUNDS_MAX];
} bounds_request;

/* The index of the column in the schema, by hr_shared_bounds_find, of names that are not ended by NUL. */
static hr_status find_named(const Hedgerow__Terms *terms, const hr_schema *schema, size_t *at,
                            hr_error *err) {
    const size_t count = terms->n_columns;
    const char **names = calloc(count + 1, sizeof *names);
    hr_arena *arena = hr_arena_new();
    hr_status status = names && arena ? HR_OK : hr_fail_memory(err);
    for (size_t i = 0; !status && i < count; i++) {
        const ProtobufCBinaryData name = terms->columns[i];
        if (!hr_text_is_fit(name, COLUMN_NAME_MAX))
            status = hr_fail(err, HR_E_ARGUMENT, "", "a column's name is too long, or not valid UTF-8");
        else if (!(names[i] = hr_arena_text(arena, (const char *)name.data, name.len)))
            status = hr_fail_memory(err);
    }
    if (!status) status = hr_shared_bounds_find(schema, names, count, at, err);
    hr_arena_free(arena);
    free(names);
    return status;
}

static hr_status read_request(const Hedgerow__Terms *terms, const hr_schema *schema, size_t members,
                              bounds_request *out, hr_error *err) {
    *out = (bounds_request){.shared = {.schema = schema,
                                       .columns = {out->at, terms->n_columns},
                                       .epsilon = terms->epsilon,
                                       .delta = terms->delta,
                                       .members = members,
                                       .coalition = terms->coalition}};
    if (terms->n_columns > HR_SHARED_BOUNDS_MAX)
        return hr_fail(err, HR_E_LIMIT, "", "%zu columns, and 256 at most", terms->n_columns);
    return find_named(terms, schema, out->at, err);
}

/* Of fewer owners each share of the noise is larger: what all of them can pay for, fewer can. */
static hr_status check_bounds_terms(const Hedgerow__Terms *terms, const hr_schema *schema, hr_error *err) {
    bounds_request request;
    hr_budget budget;
    if (terms->paper || terms->n_settings || terms->train.len)
        return hr_fail(err, HR_E_ARGUMENT, "", "the method bounds has no paper mode, and no options");
    hr_status status = read_request(terms, schema, terms->n_owners, &request, err);
    return status ? status : hr_shared_bounds_check(&request.shared, &budget, err);
}

/* ---- Questions ---- */

/* A question with its histograms, as either party has it. searches: the steps that it is about; all others
 * are HR_BOUNDS_DONE. */
typedef struct bounds_sum {
    hr_bounds_search searches[HR_SHARED_BOUNDS_MAX];
    bounds_request request;
    hr_bounds_question histograms[HR_SHARED_BOUNDS_MAX];
    hr_charge lines[HR_SHARED_BOUNDS_MAX];
    size_t counts[HR_SHARED_BOUNDS_MAX];
} bounds_sum;

/* Without ranges it is about the magnitudes of all columns. Fails: FORMAT (a column that the terms do not
 * name, or out of order). */
static hr_status read_ranges(const Hedgerow__BoundsQuestion *wire, size_t columns, bounds_sum *out,
                             hr_error *err) {
    if (!wire->n_ranges) return HR_OK;
    for (size_t i = 0; i < columns; i++) out->searches[i].next = HR_BOUNDS_DONE;
    for (size_t i = 0; i < wire->n_ranges; i++) {
        const Hedgerow__BoundsQuestion__Range *range = wire->ranges[i];
        if (range->column >= columns || (i && range->column <= wire->ranges[i - 1]->column))
            return hr_fail(err, HR_E_FORMAT, "", "a histogram of no column, or out of order");
        out->searches[range->column] =
            (hr_bounds_search){.next = range->last ? HR_BOUNDS_LAST_STEP : HR_BOUNDS_ZOOM_STEP,
                               .bounds = {range->low, range->high}};
    }
    return HR_OK;
}

static hr_status read_bounds_question(const hr_bytes *body, size_t columns, bounds_sum *out, hr_error *err) {
    ProtobufCMessage *read = NULL;
    hr_status status =
        hr_message_unpack(&hedgerow__bounds_question__descriptor, body->at, body->size, &read, err);
    if (status) return status;
    status = read_ranges((const Hedgerow__BoundsQuestion *)read, columns, out, err);
    hr_message_unpacked_free(read);
    return status;
}

static hr_status pack_bounds_question(const bounds_sum *sum, size_t columns, hr_bytes *out, hr_error *err) {
    Hedgerow__BoundsQuestion__Range ranges[HR_SHARED_BOUNDS_MAX], *at[HR_SHARED_BOUNDS_MAX];
    Hedgerow__BoundsQuestion wire = HEDGEROW__BOUNDS_QUESTION__INIT;
    wire.ranges = at;
    for (size_t i = 0; i < columns; i++) {
        const hr_bounds_search *search = &sum->searches[i];
        if (search->next != HR_BOUNDS_ZOOM_STEP && search->next != HR_BOUNDS_LAST_STEP) continue;
        Hedgerow__BoundsQuestion__Range *range = at[wire.n_ranges] = &ranges[wire.n_ranges];
        *range = (Hedgerow__BoundsQuestion__Range)HEDGEROW__BOUNDS_QUESTION__RANGE__INIT;
        range->column = (uint32_t)i;
        range->last = search->next == HR_BOUNDS_LAST_STEP;
        range->low = search->bounds.low;
        range->high = search->bounds.high;
        wire.n_ranges++;
    }
    return hr_message_pack(&wire.base, out, err);
}

static hr_status bounds_budget(const hr_job_view *job, hr_budget *out, hr_error *err) {
    bounds_request request;
    hr_status status = read_request(job->terms, job->schema, job->terms->n_owners, &request, err);
    return status ? status : hr_shared_bounds_check(&request.shared, out, err);
}

/* *s has its searches; members: owners that the sum is over. */
static hr_status list_histograms(bounds_sum *s, const hr_job_view *job, const hr_schema *schema,
                                 size_t members, hr_summed_question *out, hr_error *err) {
    hr_budget budget;
    hr_status status = read_request(job->terms, schema, members, &s->request, err);
    if (!status) status = hr_shared_bounds_check(&s->request.shared, &budget, err);
    if (status) return status;
    s->request.shared.searches = s->searches;
    const size_t count = hr_shared_bounds_histograms(&s->request.shared, &budget, s->histograms);
    for (size_t i = 0; i < count; i++) {
        s->lines[i] = s->histograms[i].line;
        s->counts[i] = s->histograms[i].cells;
    }
    *out = (hr_summed_question){.lines = s->lines, .counts = s->counts, .line_count = count, .content = s};
    return HR_OK;
}

/* ---- An owner ---- */

/* What this owner was asked for: each step of a search is paid for once. */
typedef struct bounds_owner {
    bool magnitudes;
    int zooms[HR_SHARED_BOUNDS_MAX];
    bool last[HR_SHARED_BOUNDS_MAX];
} bounds_owner;

static hr_status open_bounds_owner(const hr_owner_turn *turn, const hr_budget *budget, hr_arena *arena,
                                   void **state, hr_error *err) {
    (void)turn, (void)budget;
    *state = hr_arena_alloc(arena, 1, sizeof(bounds_owner));
    return *state ? HR_OK : hr_fail_memory(err);
}

static bool is_within_limits(const hr_bounds *within, const hr_schema *schema, size_t at) {
    const size_t features = hr_schema_feature_count(schema);
    const hr_column *column = at < features ? hr_schema_feature(schema, at) : hr_schema_label(schema);
    return within->low >= column->low && within->low < within->high && within->high <= column->high;
}

/* The columns of the question come after their magnitudes, and no step is asked for again. *s has its
 * request; its searches get the histograms so far, on which costs depend. */
static hr_status take_even_steps(bounds_owner *o, bounds_sum *s, hr_error *err) {
    const hr_bounds_columns *columns = &s->request.shared.columns;
    const hr_schema *schema = s->request.shared.schema;
    for (size_t i = 0; i < columns->count; i++) {
        hr_bounds_search *search = &s->searches[i];
        if (search->next == HR_BOUNDS_DONE) continue;
        const bool label = columns->at[i] == hr_schema_feature_count(schema);
        const bool last = search->next == HR_BOUNDS_LAST_STEP;
        const int zooms = label ? HR_BOUNDS_ZOOMS_OF_LABEL : HR_BOUNDS_ZOOMS_OF_FEATURE;
        if ((last && !label) || !is_within_limits(&search->bounds, schema, columns->at[i]))
            return hr_fail(err, HR_E_FORMAT, "", "a histogram of no label, or outside its limits");
        if (!o->magnitudes || o->last[i] || (!last && o->zooms[i] == zooms))
            return hr_fail(err, HR_E_FORMAT, "", "a histogram is asked for once, magnitudes first");
        search->zooms = o->zooms[i];
        o->zooms[i] += !last;
        o->last[i] = last;
    }
    return HR_OK;
}

static hr_status take_steps(bounds_owner *o, bounds_sum *s, hr_error *err) {
    if (s->searches[0].next != HR_BOUNDS_MAGNITUDES_STEP) return take_even_steps(o, s, err);
    if (o->magnitudes) return hr_fail(err, HR_E_FORMAT, "", "a histogram is asked for once");
    o->magnitudes = true;
    return HR_OK;
}

static hr_status read_bounds_sum(void *state, const hr_owner_turn *t, const hr_sum_question *received,
                                 hr_arena *arena, hr_summed_question *out, hr_error *err) {
    const hr_schema *schema = hr_data_schema(t->data);
    bounds_sum *s = hr_arena_alloc(arena, 1, sizeof *s);
    hr_status status =
        s ? read_request(t->job->terms, schema, received->members, &s->request, err) : hr_fail_memory(err);
    if (!status) status = read_bounds_question(&received->body, s->request.shared.columns.count, s, err);
    if (!status) status = take_steps(state, s, err);
    return status ? status : list_histograms(s, t->job, schema, received->members, out, err);
}

static hr_status count_bounds_sum(void *state, const hr_owner_turn *turn, const hr_summed_question *q,
                                  hr_exact *out, hr_error *err) {
    (void)state, (void)err;
    const bounds_sum *s = q->content;
    for (size_t i = 0; i < q->line_count; out += q->counts[i++])
        hr_bounds_count(turn->data, &s->histograms[i], out);
    return HR_OK;
}

static const hr_summed_owner bounds_owner_rules = {
    .open = open_bounds_owner, .read = read_bounds_sum, .count = count_bounds_sum};

/* ---- The coordinator ---- */

/* What the sums so far mean. */
typedef struct found_bounds {
    bounds_request request;                          /* as of the last sum */
    hr_bounds_search searches[HR_SHARED_BOUNDS_MAX]; /* in the order of the columns */
    hr_sum_checks checks;
} found_bounds;

static hr_status open_found_bounds(const hr_job_view *job, const hr_budget *budget, hr_arena *arena,
                                   void **state, hr_error *err) {
    found_bounds *f = *state = hr_arena_alloc(arena, 1, sizeof *f);
    if (!f) return hr_fail_memory(err);
    f->checks = (hr_sum_checks){.privacy_measure = budget->privacy_measure, .unit = HR_PER_RECORD};
    return read_request(job->terms, job->schema, job->terms->n_owners, &f->request, err);
}

static hr_status next_bounds_question(void *state, const hr_summed_progress *progress, hr_arena *arena,
                                      hr_summed_question *out, bool *more, hr_error *err) {
    const found_bounds *f = state;
    const hr_job_view *job = progress->job;
    *more = false;
    for (size_t i = 0; i < job->terms->n_columns; i++) *more |= f->searches[i].next != HR_BOUNDS_DONE;
    if (!*more) return HR_OK;
    hr_status status = hr_summed_need_owners(progress, err);
    if (status) return status;
    bounds_sum *s = hr_arena_alloc(arena, 1, sizeof *s);
    if (!s) return hr_fail_memory(err);
    memcpy(s->searches, f->searches, sizeof s->searches);
    return list_histograms(s, job, job->schema, job->terms->n_owners, out, err);
}

/* A schema has no place for a warning: with impossible sums there is none. */
static bool are_possible_histograms(void *state, const hr_summed_question *q, const hr_summed_reply *reply) {
    found_bounds *f = state;
    return hr_sum_checks_values(&f->checks, q, reply) && !f->checks.failed[HR_CHECK_VALUE];
}

static const hr_sum_checks *checks_of_bounds(const void *state) {
    return &((const found_bounds *)state)->checks;
}

static hr_status accept_bounds_sum(void *state, const hr_summed_question *q, const hr_summed_reply *reply,
                                   hr_error *err) {
    (void)q;
    found_bounds *f = state;
    const hr_job_view *job = reply->job;
    hr_status status = hr_sum_checks_pass(&f->checks, err);
    if (!status) status = hr_summed_need_values(reply, err);
    if (status) return status;
    status = read_request(job->terms, job->schema, reply->members, &f->request, err);
    f->request.shared.searches = f->searches;
    return status ? status : hr_shared_bounds_take(&f->request.shared, reply->values, f->searches, err);
}

static hr_status pack_bounds_sum(void *state, const hr_summed_progress *progress, const hr_summed_question *q,
                                 Hedgerow__Question *out, hr_bytes *body, hr_error *err) {
    (void)state, (void)out;
    return pack_bounds_question(q->content, progress->job->terms->n_columns, body, err);
}

static const hr_summed_coordinator bounds_coordinator_rules = {.open = open_found_bounds,
                                                               .next = next_bounds_question,
                                                               .possible = are_possible_histograms,
                                                               .checks = checks_of_bounds,
                                                               .accept = accept_bounds_sum,
                                                               .pack = pack_bounds_sum};

static hr_status make_joint_schema(const hr_job_view *job, hr_joint_schema *out, hr_error *err) {
    _Static_assert((int)HR_SHARED_BOUNDS_STATEMENT == (int)sizeof out->statement, "statements are as long");
    void *state = NULL;
    const hr_gate *charges = NULL;
    hr_status status = hr_summed_result(job, &state, &charges, err);
    if (status) return status;
    const found_bounds *f = state;
    status = hr_shared_bounds_state(&f->request.shared, out->statement, err);
    if (status) return status;
    return hr_bounds_schema(job->schema, &f->request.shared.columns, f->searches, &out->schema, err);
}

/* ---- The method ---- */

/* Only its name and its description: it trains nothing. */
static const hr_method bounds_method = {
    .info = {.name = HR_METHOD_BOUNDS,
             .summary = "bounds of columns whose range nobody knows",
             .paper = "a method of this project (docs/how-to/federation.md)",
             .is_private = true,
             .sound = "Each owner adds its share of the noise to what it counts, and a mask; the bounds are "
                      "made of sums alone.",
             .flaws = ""}};

static const hr_summed_method bounds_summed = {.protocol = &hr_summed_securesum,
                                               .owner = &bounds_owner_rules,
                                               .coordinator = &bounds_coordinator_rules,
                                               .budget = bounds_budget};

const hr_federated_method hr_federated_bounds = {
    .method = &bounds_method,
    .machines = &hr_summed_machines,
    .check_terms = check_bounds_terms,
    .summed = &bounds_summed,
    .free_state = hr_summed_free,
    .round = hr_summed_round,
    .bound = make_joint_schema,
};
