#include "job/owner_work.h"

#include "base/fail.h"
#include "data/schema.h"
#include "job/budget.h"
#include "job/terms.h"
#include "methods/inprivate.h"
#include "random/stream.h"
#include "tree/advance.h"

#include <hedgerow/amount.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a vote's budget is shared out: the number of records only scales what was gained. */
static const double GAIN_SHARE = .7;

/* ---- Progress ------------------------------------------------------------------------------------------------------------------ */

static void tell(hr_party_work *self, const char *line) {
    const hr_owner_work *w = (const hr_owner_work *)self;
    if (w->tell) w->tell(w->user, line);
}

static void tell_format(hr_owner_work *w, const char *format, ...) HR_PRINTF(2, 3);
static void tell_format(hr_owner_work *w, const char *format, ...) {
    char line[HR_ACTION_TEXT + 100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    tell(&w->work, line);
}

/* ---- Terms ------------------------------------------------------------------------------------------------------------------- */

_Static_assert((int)HR_BALLOT_UNIT == 1 << HR_ADVANCE_BITS, "what ballots say is what owners count");

/* What speaks against a job: a status and a message for its miner. */
static hr_status object(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_POLICY, "", "%s", why);
}

static hr_status check_policy(const hr_policy *policy, const char *miner, const Hedgerow__Terms *terms, hr_error *err) {
    if (!hr_names_hold(&policy->miners, miner)) return object("her policy does not serve this miner", err);
    if (!hr_text_is(terms->method, hr_method_inprivate.info.name) || !hr_names_hold(&policy->methods, hr_method_inprivate.info.name))
        return object("her policy does not allow the method", err);
    if (terms->paper && !policy->paper) return object("her policy does not allow paper mode, which is not private", err);
    if (terms->epsilon > policy->epsilon) return object("epsilon is more than her policy allows a job", err);
    if (terms->delta > policy->delta) return object("delta is more than her policy allows a job", err);
    return terms->n_owners < policy->owners ? object("fewer owners than her policy demands", err) : HR_OK;
}

static hr_status check_schema(const hr_schema *own, ProtobufCBinaryData text, hr_error *err) {
    hr_schema *theirs = NULL;
    hr_status status = hr_schema_parse((const char *)text.data, text.len, "terms", &theirs, err);
    if (status == HR_E_MEMORY) return status;
    bool same = !status && hr_schema_same(own, theirs);
    hr_schema_free(theirs);
    return same ? HR_OK : object("the schema is not hers", err);
}

static hr_status check_ledger(hr_ledger *ledger, const Hedgerow__Terms *terms, hr_error *err) {
    hr_ledger_total total;
    if (!ledger || terms->paper) return HR_OK;
    hr_status status = hr_ledger_sum(ledger, &total, err);
    if (status) return status;
    bool suffices = !total.closed && total.epsilon_spent + hr_terms_cost(terms) <= total.epsilon_limit &&
                    total.delta_spent + terms->delta <= total.delta_limit;
    return suffices ? HR_OK : object("what is left in her ledger does not suffice", err);
}

/* Whether a tree's share, and a vote's, pay for all that they release. Terms and schema decide: the answer tells nothing of the records. */
static hr_status check_budget(const hr_schema *schema, const Hedgerow__Terms *terms, hr_error *err) {
    hr_fit_options options;
    hr_budget budget;
    hr_status status = hr_options_of_terms(terms, 1 - terms->vote_share, &options, err);
    if (!status) status = hr_budget_check(&hr_method_inprivate, &options, schema, 1, &budget, err);
    if (status || terms->paper || !(terms->vote_share > 0)) return status;
    hr_units vote = hr_units_down(terms->epsilon * terms->vote_share), least = vote - hr_units_share(vote, GAIN_SHARE);
    const hr_charge charge = {.what = "vote", .cost = least, .sensitivity = HR_TAILS_MAX << HR_ADVANCE_BITS};
    return hr_charge_check_sums(HR_PURE, &charge, err);
}

static hr_status decide(hr_party_work *self, const char *miner, const Hedgerow__Terms *terms, bool *accepted, char reason[HR_ACTION_TEXT],
                        hr_error *err) {
    hr_owner_work *w = (hr_owner_work *)self;
    hr_error said = {0};
    hr_status status = check_policy(w->policy, miner, terms, &said);
    if (!status) status = check_schema(hr_data_schema(w->data), terms->schema, &said);
    if (!status) status = check_ledger(w->ledger, terms, &said);
    if (!status) status = check_budget(hr_data_schema(w->data), terms, &said);
    if (status == HR_E_MEMORY || status == HR_E_IO) {
        if (err) *err = said;
        return status;
    }
    *accepted = !status;
    snprintf(reason, HR_ACTION_TEXT, "%.200s", said.message);
    char epsilon[HR_AMOUNT_TEXT];
    hr_spent_text(terms->epsilon, epsilon);
    if (!status) tell_format(w, "takes part in a job of %s, for epsilon %s", miner, epsilon);
    return HR_OK;
}

/* ---- A turn of hers ----------------------------------------------------------------------------------------------------------------- */

/* Work that draws noise: a tree, or a vote. */
typedef struct turn {
    hr_owner_work *work;
    const hr_party_job *job;
    size_t place;
    hr_arena *arena;
    hr_gate *gate;
    hr_stream *stream;
    hr_fit_options options;
} turn;

static size_t round_of(const hr_party_job *job, size_t place) {
    return place / job->course->owner_count;
}

static hr_status open_gate(turn *t, hr_error *err) {
    hr_budget budget;
    hr_status status = hr_budget_of(&hr_method_inprivate, &t->options, &budget, err);
    if (!status) status = hr_stream_open(&t->stream, err);
    return status ? status : hr_gate_new(budget.currency, budget.units, t->stream, &t->gate, err);
}

/* Does it, for a share of what the job costs. */
static hr_status take_turn(turn *t, double share, hr_status (*work)(const turn *t, hr_bytes *out, hr_error *err), hr_bytes *out,
                           hr_error *err) {
    t->arena = hr_arena_new();
    hr_status status = t->arena ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_options_of_terms(t->job->terms, share, &t->options, err);
    if (!status) status = open_gate(t, err);
    if (!status) status = work(t, out, err);
    hr_gate_free(t->gate);
    hr_stream_close(t->stream);
    hr_arena_free(t->arena);
    return status;
}

/* ---- Trees ------------------------------------------------------------------------------------------------------------------------ */

static hr_status pack_tree(const turn *t, const hr_tree *tree, hr_bytes *out, hr_error *err) {
    const hr_course *course = t->job->course;
    hr_paid_tree paid = {.tree = *tree};
    paid.releases = (hr_release *)hr_gate_releases(t->gate, &paid.release_count);
    hr_tree_place where = {.job = course->job, .owner = hr_course_owner(course, t->place), .place = t->place};
    return hr_wire_tree_pack(course->view->roster, &where, &paid, out, err);
}

/* Line 8: her records of the round of a place, and what the trees before it say of them. */
static hr_status score(hr_owner_work *w, const hr_party_job *job, size_t place, hr_round_records **out, hr_error *err) {
    hr_status status = hr_round_records_find(&w->records, w->data, job, round_of(job, place), out, err);
    if (!status) hr_round_records_add(*out, job->course, place);
    return status;
}

static hr_status make_tree(const turn *t, hr_bytes *out, hr_error *err) {
    hr_round_records *r = NULL;
    hr_tree tree;
    hr_status status = score(t->work, t->job, t->place, &r, err);
    if (status) return status;
    hr_inprivate_tree_job one = {
        .records = r->records, .scores = r->scores, .budget = hr_gate_budget(t->gate), .index = t->place, .group = 0, .part = t->place};
    status = hr_inprivate_tree(&one, &t->options, t->gate, t->work->threads, t->arena, &tree, err);
    return status ? status : pack_tree(t, &tree, out, err);
}

static hr_status train(hr_party_work *self, const hr_party_job *job, size_t place, hr_bytes *out, hr_error *err) {
    turn t = {.work = (hr_owner_work *)self, .job = job, .place = place};
    tell_format(t.work, "trains her tree of round %zu", round_of(job, place) + 1);
    return take_turn(&t, 1 - job->terms->vote_share, make_tree, out, err);
}

/* The first place of hers that may still be trained; the number of places if there is none. */
static size_t next_place(const hr_course *course) {
    size_t owners = course->owner_count, open = hr_course_open(course), position = hr_course_position(course, course->view->self);
    size_t round = open / owners + (open % owners > position);
    return round < course->rounds ? round * owners + position : hr_course_places(course);
}

static hr_status prepare(hr_party_work *self, const hr_party_job *job, hr_error *err) {
    hr_round_records *ignored;
    if (!job->course) return HR_OK;
    size_t place = next_place(job->course);
    return place < hr_course_places(job->course) ? score((hr_owner_work *)self, job, place, &ignored, err) : HR_OK;
}

/* ---- Votes ------------------------------------------------------------------------------------------------------------------------- */

/* Sums each of which changes by at most one record's unit when a record is added. */
static hr_status release(const turn *t, const char *what, hr_units cost, const hr_exact *exact, size_t count, int64_t *noisy,
                         hr_error *err) {
    hr_charge charge = {
        .what = what, .tree = -1, .level = -1, .group = 0, .part = t->place, .cost = cost, .sensitivity = count << HR_ADVANCE_BITS};
    hr_permit permit;
    hr_noisy out[HR_TAILS_MAX];
    hr_status status = hr_gate_charge_sums(t->gate, &charge, &permit, err);
    if (status) return status;
    hr_gate_sums(t->gate, permit, exact, count, out);
    for (size_t i = 0; i < count; i++) noisy[i] = out[i].paid;
    return HR_OK;
}

static hr_status pack_ballot(const turn *t, Hedgerow__Ballot *ballot, hr_bytes *out, hr_error *err) {
    Hedgerow__Release *storage = NULL;
    const hr_release *releases = hr_gate_releases(t->gate, &ballot->n_releases);
    ballot->counted = true;
    hr_status status = hr_wire_releases_pack(releases, ballot->n_releases, &storage, &ballot->releases, err);
    if (!status) status = hr_pack(&ballot->base, out, err);
    free(storage);
    free(ballot->releases);
    return status;
}

/* What is voted on: what the trees of a round's last `shortest` places gained, those of one place more, and so on, `count` times. */
typedef struct tails {
    size_t round, shortest, count;
} tails;

/* Adds all trees of the round; before[i]: a copy of the scores before those of tail i. */
static hr_status score_tails(hr_round_records *r, const hr_course *course, const tails *which, double **before, hr_error *err) {
    size_t end = (which->round + 1) * course->owner_count, rows = hr_data_rows(r->records);
    hr_status status = HR_OK;
    for (size_t i = which->count; !status && i-- > 0;) {
        hr_round_records_add(r, course, end - which->shortest - i);
        before[i] = malloc((rows + 1) * sizeof **before);
        if (!before[i]) status = hr_fail_memory(err);
        if (!status) memcpy(before[i], r->scores, rows * sizeof **before);
    }
    if (!status) hr_round_records_add(r, course, end);
    return status;
}

/* What tails gained for her records of their round. They may be others than those that she prepares: hers of the next round. */
static hr_status advance(const turn *t, const tails *which, hr_exact *gains, hr_exact *count, hr_error *err) {
    hr_round_records *r = NULL;
    double *before[HR_TAILS_MAX] = {NULL};
    hr_status status = hr_round_records_make(t->work->data, t->job, which->round, &r, err);
    if (!status) status = score_tails(r, t->job->course, which, before, err);
    for (size_t i = 0; !status && i < which->count; i++) hr_advance_sums(r->records, before[i], r->scores, &gains[i], count);
    for (size_t i = 0; i < HR_TAILS_MAX; i++) free(before[i]);
    hr_round_records_free(r);
    return status;
}

/* Whether one more round is worth it. */
static hr_status vote_on_round(const turn *t, Hedgerow__Ballot *ballot, hr_error *err) {
    tails whole = {ballot->round, t->job->course->owner_count, 1};
    hr_exact gain, count;
    hr_units budget = hr_gate_budget(t->gate), gain_cost = hr_units_share(budget, GAIN_SHARE);
    hr_status status = advance(t, &whole, &gain, &count, err);
    if (!status) status = release(t, "gain of a round", gain_cost, &gain, 1, &ballot->gain, err);
    return status ? status : release(t, "records of a round", budget - gain_cost, &count, 1, &ballot->records, err);
}

/* Whether the last trees do harm. */
static hr_status vote_on_last(const turn *t, Hedgerow__Ballot *ballot, hr_error *err) {
    tails last = {ballot->round, 1, ballot->n_tails};
    hr_exact gains[HR_TAILS_MAX], count;
    hr_status status = advance(t, &last, gains, &count, err);
    return status ? status : release(t, "gain of the last trees", hr_gate_budget(t->gate), gains, ballot->n_tails, ballot->tails, err);
}

static hr_status make_ballot(const turn *t, hr_bytes *out, hr_error *err) {
    int64_t noisy[HR_TAILS_MAX];
    Hedgerow__Ballot ballot = HEDGEROW__BALLOT__INIT;
    ballot.round = (uint32_t)round_of(t->job, t->place);
    ballot.tails = noisy;
    ballot.n_tails = hr_tails(t->job->terms, t->job->course->owner_count, ballot.round);
    hr_status status = ballot.n_tails ? vote_on_last(t, &ballot, err) : vote_on_round(t, &ballot, err);
    return status ? status : pack_ballot(t, &ballot, out, err);
}

static hr_status vote(hr_party_work *self, const hr_party_job *job, size_t place, hr_bytes *out, hr_error *err) {
    turn t = {.work = (hr_owner_work *)self, .job = job, .place = place};
    tell_format(t.work, "votes on round %zu", round_of(job, place) + 1);
    return take_turn(&t, job->terms->vote_share, make_ballot, out, err);
}

/* ---- The end ------------------------------------------------------------------------------------------------------------------------ */

static hr_status finish(hr_party_work *self, const hr_party_job *job, hr_error *err) {
    hr_owner_work *w = (hr_owner_work *)self;
    (void)err;
    hr_round_records_drop(&w->records, job->record->id);
    w->done++;
    tell(self, "the job is done");
    return HR_OK;
}

static void fail(hr_party_work *self, const hr_party_job *job, const char *why) {
    hr_owner_work *w = (hr_owner_work *)self;
    hr_round_records_drop(&w->records, job->record->id);
    w->failed++;
    tell_format(w, "the job ended: %s", why);
}

void hr_owner_work_init(hr_owner_work *w) {
    w->work =
        (hr_party_work){.decide = decide, .train = train, .vote = vote, .prepare = prepare, .finish = finish, .fail = fail, .tell = tell};
}

void hr_owner_work_done(hr_owner_work *w) {
    hr_round_records_free(w->records);
    w->records = NULL;
}
