/* Bounds of columns over owners, so that a federation can agree on a schema: secure sums of histograms, with
 * noise (fit/measure/shared_bounds.h). The first question is about all columns; a second one about the label,
 * if it is among them. A sum that lacks an answer is lost, and was paid for: there is no other one of its
 * kind. */
#include "base/fail.h"
#include "federation/config/job_file.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/terms.h"
#include "federation/sums/summed_job.h"
#include "fit/measure/shared_bounds.h"
#include "privacy/crypto/csprng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNHEARD_MAX = 3, COLUMN_NAME_MAX = 1024 }; /* sums in a row that no owner was there to be asked for */

/* ---- Terms ---- */

/* What the terms ask for, and the columns, which it points to: it stays where it is. */
typedef struct asked_bounds {
    hr_shared_bounds shared;
    size_t at[HR_SHARED_BOUNDS_MAX];
} asked_bounds;

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

static hr_status read_asked(const Hedgerow__Terms *terms, const hr_schema *schema, size_t members,
                            asked_bounds *out, hr_error *err) {
    *out = (asked_bounds){.shared = {.schema = schema,
                                     .columns = {out->at, terms->n_columns},
                                     .epsilon = terms->epsilon,
                                     .delta = terms->delta,
                                     .members = members,
                                     .coalition = terms->coalition}};
    if (terms->n_columns > HR_SHARED_BOUNDS_MAX)
        return hr_fail(err, HR_E_LIMIT, "", "%zu columns, and 256 at most", terms->n_columns);
    return find_named(terms, schema, out->at, err);
}

static void keep_bounds_defaults(hr_fit_options *options) {
    (void)options;
}

static hr_status take_any_columns(const hr_schema *schema, hr_error *err) {
    (void)schema, (void)err;
    return HR_OK;
}

/* Of fewer owners each share of the noise is larger: what all of them can pay for, fewer can. */
static hr_status check_bounds_terms(const Hedgerow__Terms *terms, const hr_schema *schema, hr_error *err) {
    asked_bounds asked;
    hr_budget budget;
    if (terms->paper || terms->n_settings || terms->train.len)
        return hr_fail(err, HR_E_ARGUMENT, "", "the method bounds has no paper mode, and no options");
    hr_status status = read_asked(terms, schema, terms->n_owners, &asked, err);
    return status ? status : hr_shared_bounds_check(&asked.shared, &budget, err);
}

/* ---- Questions ---- */

/* `even`: about the label, between `within`. */
typedef struct bounds_question {
    bool even;
    hr_bounds within;
} bounds_question;

static hr_status read_bounds_question(const hr_bytes *body, bounds_question *out, hr_error *err) {
    ProtobufCMessage *read = NULL;
    hr_status status =
        hr_message_unpack(&hedgerow__bounds_question__descriptor, body->at, body->size, &read, err);
    if (status) return status;
    const Hedgerow__BoundsQuestion *wire = (const Hedgerow__BoundsQuestion *)read;
    *out = (bounds_question){wire->even != 0, {wire->low, wire->high}};
    hr_message_unpacked_free(read);
    return HR_OK;
}

static hr_status pack_bounds_question(const bounds_question *question, hr_bytes *out, hr_error *err) {
    Hedgerow__BoundsQuestion wire = HEDGEROW__BOUNDS_QUESTION__INIT;
    wire.even = question->even;
    wire.low = question->within.low;
    wire.high = question->within.high;
    return hr_message_pack(&wire.base, out, err);
}

/* ---- An owner ---- */

/* One answer in the making. */
typedef struct bounds_answer {
    const hr_owner_turn *turn;
    hr_sum_question question;
    bounds_question asks;
    asked_bounds asked;
    hr_csprng *csprng;
    hr_gate *gate;
    hr_mask *mask;
    uint64_t *values;
} bounds_answer;

static void bounds_answer_done(bounds_answer *a) {
    free(a->values);
    hr_mask_free(a->mask);
    hr_gate_free(a->gate);
    hr_csprng_close(a->csprng);
}

/* Whether an earlier question for this owner was of the same kind: either kind is paid for once, also in the
 * owner's next life. One that cannot be read was answered by nothing. */
static bool was_asked(const bounds_answer *a) {
    const hr_owner_turn *t = a->turn;
    hr_sum_question earlier;
    bounds_question asks;
    for (size_t i = 0; i < t->slot; i++)
        if (hr_securesum_question(t->job->protocol, i, &earlier) && earlier.here &&
            !read_bounds_question(&earlier.body, &asks, NULL) && asks.even == a->asks.even)
            return true;
    return false;
}

static bool is_within_label(const hr_bounds *within, const hr_schema *schema) {
    const hr_column *label = hr_schema_label(schema);
    return within->low >= label->low && within->low < within->high && within->high <= label->high;
}

static hr_status read_bounds_turn(bounds_answer *a, hr_error *err) {
    const hr_owner_turn *t = a->turn;
    const hr_schema *schema = hr_data_schema(t->data);
    if (!hr_securesum_question(t->job->protocol, t->slot, &a->question) || a->question.choice)
        return hr_fail(err, HR_E_FORMAT, "", "the method bounds asks for sums");
    hr_status status = read_bounds_question(&a->question.body, &a->asks, err);
    if (!status) status = read_asked(t->job->terms, schema, a->question.members, &a->asked, err);
    if (status) return status;
    if (was_asked(a)) return hr_fail(err, HR_E_FORMAT, "", "a histogram is asked for once");
    if (!a->asks.even) return HR_OK;
    if (!hr_shared_bounds_has_label(&a->asked.shared) || !is_within_label(&a->asks.within, schema))
        return hr_fail(err, HR_E_FORMAT, "", "a histogram of no label, or outside its limits");
    a->asked.shared.within = &a->asks.within;
    return HR_OK;
}

static hr_status make_bounds_answer(bounds_answer *a, hr_bytes *out, hr_error *err) {
    const hr_owner_turn *t = a->turn;
    const hr_shared_bounds *shared = &a->asked.shared;
    const size_t count = hr_shared_bounds_values(shared);
    hr_budget budget;
    hr_status status = hr_shared_bounds_check(shared, &budget, err);
    a->values = calloc(count, sizeof *a->values);
    if (!status && !a->values) status = hr_fail_memory(err);
    if (!status) status = hr_csprng_open(&a->csprng, err);
    if (!status) status = hr_gate_new(budget.privacy_measure, budget.units, a->csprng, &a->gate, err);
    if (!status) status = hr_securesum_mask(t->job->protocol, t->slot, &a->mask, err);
    if (!status) status = hr_shared_bounds_answer(shared, t->data, a->gate, a->mask, a->values, err);
    return status ? status : hr_securesum_pack_share(&a->question, a->values, count, out, err);
}

static hr_status answer_bounds(const hr_owner_turn *t, hr_bytes *out, hr_error *err) {
    bounds_answer a = {.turn = t};
    hr_status status = read_bounds_turn(&a, err);
    if (!status) status = make_bounds_answer(&a, out, err);
    bounds_answer_done(&a);
    return status;
}

/* ---- The coordinator ---- */

/* What the sums so far say. */
typedef struct found_bounds {
    asked_bounds asked;
    hr_bounds at[HR_SHARED_BOUNDS_MAX]; /* in the order of the columns */
    size_t sums, unheard;               /* unheard: those since the last one that nobody was there for */
} found_bounds;

static hr_status take_bounds_sum(found_bounds *f, const hr_party_job *job, const hr_sum_outcome *sum,
                                 hr_error *err) {
    hr_noisy *values = NULL;
    hr_status status = hr_summed_values(sum, &values, err);
    if (!status) status = read_asked(job->terms, job->schema, sum->members, &f->asked, err);
    const hr_bounds of_magnitudes = f->at[job->terms->n_columns - 1];
    if (f->sums) f->asked.shared.within = &of_magnitudes;
    if (!status) status = hr_shared_bounds_take(&f->asked.shared, values, f->at, err);
    f->asked.shared.within = NULL;
    free(values);
    return status;
}

static hr_status find_bounds(found_bounds *f, const hr_party_job *job, hr_error *err) {
    hr_sum_outcome sum;
    hr_status status = read_asked(job->terms, job->schema, job->terms->n_owners, &f->asked, err);
    for (size_t i = 0; !status && hr_securesum_outcome(job->protocol, i, &sum); i++) {
        f->unheard = sum.lost ? f->unheard + 1 : 0;
        if (sum.lost && sum.members)
            return hr_fail(err, HR_E_IO, "offer a new job when all owners can be reached",
                           "the sum is lost, since an owner's answer is missing");
        if (sum.lost) continue;
        status = take_bounds_sum(f, job, &sum, err);
        f->sums++;
    }
    return status;
}

static hr_status ask_bounds(const hr_party_job *job, hr_party_work *work, Hedgerow__Question *out,
                            hr_bytes *body, hr_error *err) {
    (void)work;
    found_bounds f = {0};
    hr_status status = find_bounds(&f, job, err);
    if (status) return status;
    const size_t sums = hr_shared_bounds_has_label(&f.asked.shared) ? 2 : 1;
    out->done = f.sums == sums;
    if (out->done) return HR_OK;
    if (f.unheard >= UNHEARD_MAX)
        return hr_fail(err, HR_E_IO, "start again when the owners can be reached", "no owner is there");
    const hr_bounds *label = &f.at[job->terms->n_columns - 1];
    const bounds_question question = {f.sums > 0, f.sums ? *label : (hr_bounds){0, 0}};
    f.asked.shared.within = question.even ? label : NULL;
    status = pack_bounds_question(&question, body, err);
    if (status) return status;
    out->body = hr_data_of(body->at, body->size);
    out->values = (uint32_t)hr_shared_bounds_values(&f.asked.shared);
    return HR_OK;
}

static hr_status make_joint_schema(const hr_party_job *job, hr_joint_schema *out, hr_error *err) {
    _Static_assert((int)HR_SHARED_BOUNDS_STATEMENT == (int)sizeof out->statement, "statements are as long");
    found_bounds f = {0};
    hr_status status = find_bounds(&f, job, err);
    if (!status) status = hr_shared_bounds_state(&f.asked.shared, out->statement, err);
    if (!status) status = hr_bounds_schema(job->schema, &f.asked.shared.columns, f.at, &out->schema, err);
    return status;
}

/* ---- The method ---- */

static void forget_no_bounds(void *kept) {
    (void)kept;
}

/* Only its name and what it says: it trains nothing. */
static const hr_method bounds_method = {
    .info = {.name = HR_METHOD_BOUNDS,
             .summary = "bounds of columns whose range nobody knows",
             .paper = "a method of this project (docs/federation.md)",
             .is_private = true,
             .sound = "Each owner adds its share of the noise to what it counts, and a mask; the bounds are "
                      "made of sums alone.",
             .flaws = ""}};

const hr_federated_method hr_federated_bounds = {
    .method = &bounds_method,
    .owner = hr_securesum_owner,
    .coordinator = hr_securesum_coordinator,
    .defaults = keep_bounds_defaults,
    .check_schema = take_any_columns,
    .check_terms = check_bounds_terms,
    .answer = answer_bounds,
    .ask = ask_bounds,
    .forget = forget_no_bounds,
    .part = hr_securesum_part,
    .round = hr_summed_round,
    .bound = make_joint_schema,
};
