/* InPrivate Digging over owners (Zhao et al. 2018): what an owner trains and votes, and the model that the
 * coordinator puts together. */
#include "base/fail.h"
#include "federation/federated/federated_method.h"
#include "federation/federated/rounds.h"
#include "federation/federated/terms.h"
#include "federation/machines/inprivate.h"
#include "federation/protocol/wire_tree.h"
#include "fit/budget.h"
#include "methods/boosting/inprivate.h"
#include "privacy/gate.h"
#include "privacy/mechanisms.h"
#include "privacy/sensitivity.h"
#include "trees/stats/round_gain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a vote's budget is shared out: the number of records only scales what was gained. */
static const double GAIN_SHARE = .7;

/* The trees of many owners are a longer sequence than one owner's, and with a step of 1 the later ones follow
 * noise (docs/reference/results.md). */
static const double LEARNING_RATE = .5;

_Static_assert((int)HR_BALLOT_UNIT == 1 << HR_ROUND_GAIN_BITS,
               "ballots are noisy counts of the owners' records");

/* What an owner lists of a vote in mode paper. */
static const char VOTE[] = "accuracy of trees";

static const hr_job_state *job_state_of(const hr_job_view *job) {
    return hr_inprivate_owner_course(job->protocol);
}

static size_t round_of(const hr_job_view *job, size_t slot) {
    return slot / job_state_of(job)->owner_count;
}

static void log_round(const hr_owner_turn *turn, const char *what) {
    hr_job_log(turn->work, turn->job->record, HR_LOG_INFO, "%s round %zu", what,
               round_of(turn->job, turn->slot) + 1);
}

/* ---- Terms ---- */

static void set_defaults(hr_fit_options *options) {
    if (options->mode == HR_MODE_SOUND) options->learning_rate = LEARNING_RATE;
}

static hr_status check_terms(const Hedgerow__Terms *terms, const hr_schema *schema, hr_error *err) {
    hr_fit_options options;
    hr_budget budget;
    hr_status status = hr_options_of_terms(terms, 1 - terms->vote_share, &options, err);
    if (!status) status = hr_budget_check(&hr_method_inprivate, &options, schema, 1, &budget, err);
    if (status || terms->paper || !(terms->vote_share > 0)) return status;
    hr_units vote = hr_units_down(terms->epsilon * terms->vote_share),
             least = vote - hr_units_share(vote, GAIN_SHARE);
    const hr_charge charge = {
        .what = "vote", .cost = least, .sensitivity = HR_TAILS_MAX * HR_ROUND_GAIN_SENSITIVITY};
    return hr_charge_check_sums(HR_PRIVACY_PURE, &charge, err);
}

/* ---- Trees ---- */

static hr_status pack_tree(const hr_owner_turn *t, const hr_tree *tree, hr_bytes *out, hr_error *err) {
    const hr_job_state *job_state = job_state_of(t->job);
    hr_paid_tree paid = {.tree = *tree};
    paid.releases = (hr_release *)hr_gate_releases(t->gate, &paid.release_count);
    const hr_member *owner = &job_state->view->membership->members[hr_job_state_owner(job_state, t->slot)];
    const hr_tree_slot where = {job_state->start, owner->name, t->slot};
    hr_status status = hr_job_state_set(job_state, t->slot, t->arena, &paid.set, err);
    return status ? status : hr_wire_tree_pack(&where, &paid, out, err);
}

/* Line 8: the owner's records of the round of a slot, and their scores by the trees before it. They are
 * kept, so that each tree is added once. */
static hr_status score_round(const hr_job_view *job, const hr_data *data, size_t slot, hr_round_records **out,
                             hr_error *err) {
    hr_round_records *r = *job->state;
    size_t round = round_of(job, slot);
    if (!r || r->round != round) {
        hr_round_records_free(r);
        *job->state = NULL;
        hr_status status = hr_round_records_make(data, job->record->key, job_state_of(job), round, &r, err);
        if (status) return status;
        *job->state = r;
    }
    hr_round_records_add(r, job_state_of(job), slot);
    *out = r;
    return HR_OK;
}

static hr_status train_federated_inprivate(const hr_owner_turn *t, hr_bytes *out, hr_error *err) {
    hr_round_records *r = NULL;
    hr_tree tree;
    log_round(t, "trains the tree of");
    hr_status status = score_round(t->job, t->data, t->slot, &r, err);
    if (status) return status;
    hr_inprivate_tree_job one = {.records = r->records,
                                 .scores = r->scores,
                                 .scope = {(int64_t)t->slot, 0, t->slot, hr_gate_budget(t->gate)},
                                 .gate = t->gate,
                                 .threads = t->threads};
    status = hr_inprivate_tree(&one, &t->options, t->arena, &tree, err);
    return status ? status : pack_tree(t, &tree, out, err);
}

/* The first slot of the owner's that may still be trained; the number of slots if there is none. */
static size_t next_slot(const hr_job_state *job_state) {
    size_t owners = job_state->owner_count, open = hr_job_state_next_open(job_state),
           position = hr_job_state_position(job_state, job_state->view->self);
    size_t round = open / owners + (open % owners > position);
    return round < job_state->rounds ? round * owners + position : hr_job_state_slots(job_state);
}

static hr_status prepare_federated_inprivate(const hr_job_view *job, const hr_data *data, hr_error *err) {
    const hr_job_state *job_state = job_state_of(job);
    hr_round_records *ignored = NULL;
    if (!job_state || next_slot(job_state) == hr_job_state_slots(job_state)) return HR_OK;
    return score_round(job, data, next_slot(job_state), &ignored, err);
}

static void free_federated_inprivate(void *state) {
    hr_round_records_free(state);
}

/* ---- Votes ---- */

/* Sums each of which changes by at most one record's unit when a record is added, and what they cost. */
typedef struct ballot_sums {
    const char *what;
    hr_units cost;
    const hr_exact *exact;
    size_t count; /* at most HR_TAILS_MAX */
} ballot_sums;

static hr_status release_ballot_sums(const hr_owner_turn *t, const ballot_sums *sums, int64_t *noisy,
                                     hr_error *err) {
    hr_release_scope scope = {.tree = -1, .part = t->slot};
    hr_charge charge =
        hr_scope_charge(&scope, sums->what, -1, sums->cost, sums->count * HR_ROUND_GAIN_SENSITIVITY);
    hr_noisy out[HR_TAILS_MAX];
    hr_status status = hr_gate_release_sums(t->gate, &charge, sums->exact, sums->count, out, err);
    if (status) return status;
    for (size_t i = 0; i < sums->count; i++) noisy[i] = out[i].paid;
    return HR_OK;
}

static hr_status pack_ballot(const hr_owner_turn *t, Hedgerow__Ballot *ballot, hr_bytes *out, hr_error *err) {
    Hedgerow__Release *storage = NULL;
    const hr_release *releases = hr_gate_releases(t->gate, &ballot->n_releases);
    ballot->counted = true;
    hr_status status = hr_wire_releases_pack(releases, ballot->n_releases, &storage, &ballot->releases, err);
    if (!status) status = hr_message_pack(&ballot->base, out, err);
    free(storage);
    free(ballot->releases);
    return status;
}

/* What is voted on: what the trees of a round's last `shortest` slots gained, those of one slot more, and so
 * on, `count` times. */
typedef struct tails {
    size_t round, shortest, count;
} tails;

/* Adds all trees of the round; before[i]: a copy of the scores before those of tail i. */
static hr_status score_tails(hr_round_records *r, const hr_job_state *job_state, const tails *which,
                             double **before, hr_error *err) {
    size_t end = (which->round + 1) * job_state->owner_count, rows = hr_data_rows(r->records);
    hr_status status = HR_OK;
    for (size_t i = which->count; !status && i-- > 0;) {
        hr_round_records_add(r, job_state, end - which->shortest - i);
        before[i] = malloc((rows + 1) * sizeof **before);
        if (!before[i]) status = hr_fail_memory(err);
        if (!status) memcpy(before[i], r->scores, rows * sizeof **before);
    }
    if (!status) hr_round_records_add(r, job_state, end);
    return status;
}

/* What tails gained for the owner's records of their round. They may be others than those that are kept, of
 * the next round. */
static hr_status round_gain(const hr_owner_turn *t, const tails *which, hr_exact *gains, hr_exact *count,
                            hr_error *err) {
    const hr_job_state *job_state = job_state_of(t->job);
    hr_round_records *r = NULL;
    double *before[HR_TAILS_MAX] = {NULL};
    hr_status status = hr_round_records_make(t->data, t->job->record->key, job_state, which->round, &r, err);
    if (!status) status = score_tails(r, job_state, which, before, err);
    for (size_t i = 0; !status && i < which->count; i++)
        hr_round_gain_sums(r->records, before[i], r->scores, &gains[i], count);
    for (size_t i = 0; i < HR_TAILS_MAX; i++) free(before[i]);
    hr_round_records_free(r);
    return status;
}

/* Whether one more round is worth it. */
static hr_status vote_on_round(const hr_owner_turn *t, Hedgerow__Ballot *ballot, hr_error *err) {
    tails whole = {ballot->round, job_state_of(t->job)->owner_count, 1};
    hr_exact gain, count;
    hr_units budget = hr_gate_budget(t->gate), gain_cost = hr_units_share(budget, GAIN_SHARE);
    hr_status status = round_gain(t, &whole, &gain, &count, err);
    const ballot_sums gains = {"gain of a round", gain_cost, &gain, 1},
                      records = {"records of a round", budget - gain_cost, &count, 1};
    if (!status) status = release_ballot_sums(t, &gains, &ballot->gain, err);
    return status ? status : release_ballot_sums(t, &records, &ballot->records, err);
}

/* Whether the last trees make predictions worse. */
static hr_status vote_on_last(const hr_owner_turn *t, Hedgerow__Ballot *ballot, hr_error *err) {
    tails last = {ballot->round, 1, ballot->n_tails};
    hr_exact gains[HR_TAILS_MAX], count;
    hr_status status = round_gain(t, &last, gains, &count, err);
    const ballot_sums sums = {"gain of the last trees", hr_gate_budget(t->gate), gains, ballot->n_tails};
    return status ? status : release_ballot_sums(t, &sums, ballot->tails, err);
}

/* As published, and NOT PRIVATE: on all of the owner's records, exactly. On one tree, or on all of the round.
 */
static hr_status vote_exactly(const hr_owner_turn *t, Hedgerow__Ballot *ballot, hr_error *err) {
    const hr_job_state *job_state = job_state_of(t->job);
    const size_t rows = hr_data_rows(t->data), round = ballot->round * job_state->owner_count,
                 from = job_state->exact_trees ? t->slot : round,
                 to = job_state->exact_trees ? t->slot + 1 : round + job_state->owner_count;
    double *before = calloc(rows + 1, sizeof *before), *after = malloc((rows + 1) * sizeof *after);
    hr_status status = before && after ? hr_gate_charge_exact(t->gate, VOTE, err) : hr_fail_memory(err);
    for (size_t p = 0; !status && p < to; p++) {
        const hr_paid_tree *tree = (p < from ? hr_job_state_model_tree : hr_job_state_tree)(job_state, p);
        if (p == from) memcpy(after, before, rows * sizeof *after);
        if (tree) hr_tree_add(&tree->tree, t->data, p < from ? before : after);
    }
    if (!status) {
        ballot->tree = job_state->exact_trees ? (uint32_t)t->slot + 1 : 0;
        ballot->gain = llround(hr_round_gain_exact(t->data, before, after) * HR_BALLOT_UNIT);
        ballot->records = (int64_t)rows * HR_BALLOT_UNIT;
    }
    free(before);
    free(after);
    return status;
}

static hr_status vote_federated_inprivate(const hr_owner_turn *t, hr_bytes *out, hr_error *err) {
    int64_t noisy[HR_TAILS_MAX];
    Hedgerow__Ballot ballot = HEDGEROW__BALLOT__INIT;
    hr_status status;
    log_round(t, "votes on");
    ballot.round = (uint32_t)round_of(t->job, t->slot);
    ballot.tails = noisy;
    ballot.n_tails = hr_tails(t->job->terms, job_state_of(t->job)->owner_count, ballot.round);
    if (t->job->terms->paper)
        status = vote_exactly(t, &ballot, err);
    else
        status = ballot.n_tails ? vote_on_last(t, &ballot, err) : vote_on_round(t, &ballot, err);
    return status ? status : pack_ballot(t, &ballot, out, err);
}

/* ---- The model ---- */

static void list_federated_inprivate(const hr_release *releases, size_t count, hr_joint_model *m) {
    if (count) memcpy(m->releases + m->release_count, releases, count * sizeof *releases);
    m->release_count += count;
}

/* Slot by slot: what its tree cost, and what the ballot of its owner did. Ballots of mode paper cost nothing:
 * all have the same line, which is listed once. */
static hr_status list_releases(const hr_job_view *job, hr_joint_model *m, hr_error *err) {
    const hr_job_state *job_state = hr_inprivate_coordinator_course(job->protocol);
    size_t ballot_count, count = 0, slots = hr_job_state_slots(job_state);
    const hr_ballot *ballots = hr_inprivate_ballots(job->protocol, &ballot_count);
    for (size_t p = 0; p < slots; p++) {
        const hr_paid_tree *tree = hr_job_state_tree(job_state, p);
        count += tree ? tree->release_count : 0;
    }
    for (size_t b = 0; b < ballot_count; b++) count += ballots[b].release_count;
    m->releases = hr_arena_alloc(m->arena, count + 1, sizeof *m->releases);
    if (!m->releases) return hr_fail_memory(err);
    for (size_t p = 0; p < slots; p++) {
        const hr_paid_tree *tree = hr_job_state_tree(job_state, p);
        if (tree) list_federated_inprivate(tree->releases, tree->release_count, m);
        if (!job->terms->paper) list_federated_inprivate(ballots[p].releases, ballots[p].release_count, m);
    }
    size_t b = 0;
    while (job->terms->paper && b < ballot_count && !ballots[b].release_count) b++;
    if (job->terms->paper && b < ballot_count) list_federated_inprivate(ballots[b].releases, 1, m);
    return HR_OK;
}

/* Copies: the job may outlive the model, and keeps its own. */
static hr_status plant(const hr_job_state *job_state, size_t slots, hr_joint_model *m, hr_error *err) {
    hr_status status = hr_inprivate_forest_init(job_state->rules.schema, slots, m->arena, &m->forest, err);
    for (size_t p = 0; !status && p < slots; p++) {
        const hr_paid_tree *tree = hr_job_state_model_tree(job_state, p);
        if (tree) status = hr_tree_copy(&tree->tree, m->arena, &m->forest.trees[m->forest.tree_count++], err);
    }
    return status;
}

static hr_status assemble_federated_inprivate(const hr_job_view *job, hr_joint_model *m, hr_error *err) {
    const hr_job_state *job_state = hr_inprivate_coordinator_course(job->protocol);
    size_t slots = hr_job_state_slots(job_state), dropped = hr_inprivate_dropped(job->protocol);
    hr_settings_add_count(&m->settings, HR_OWNERS_SETTING, job_state->owner_count);
    hr_settings_add_count(&m->settings, HR_JOB_SETTING("rounds"), job_state->rounds);
    hr_settings_add(&m->settings, HR_JOB_SETTING("order"), job->terms->broadcast ? "broadcast" : "chain");
    hr_status status = list_releases(job, m, err);
    return status ? status : plant(job_state, slots - dropped, m, err);
}

/* Whether a list has an exact statistic, but for those of the name that is left out. */
static bool lists_exact(const hr_joint_model *m, const char *but) {
    for (size_t r = 0; r < m->release_count; r++)
        if (hr_mechanism_is_exact(m->releases[r].mechanism) && strcmp(m->releases[r].what, but) != 0)
            return true;
    return false;
}

/* What breaks in mode paper, from the terms and from what the owners list. */
static void list_inprivate_flaws(const hr_job_view *job, const hr_joint_model *m, char *text, size_t size) {
    const hr_job_state *job_state = hr_inprivate_coordinator_course(job->protocol);
    const bool classes = hr_schema_task(job->schema) != HR_TASK_REGRESSION;
    bool later = false;
    size_t ballot_count, votes = 0, used = 0;
    const hr_ballot *ballots = hr_inprivate_ballots(job->protocol, &ballot_count);
    hr_fit_options o;
    const bool known = !hr_options_of_terms(job->terms, 1, &o, NULL),
               by_level =
                   known && o.depth > 1 && o.by_name[HR_OPTION_SPLIT_BUDGET] == HR_SPLIT_BUDGET_ALGORITHM;
    for (size_t p = 1; p < hr_job_state_slots(job_state); p++)
        later = later || hr_job_state_tree(job_state, p);
    for (size_t b = 0; b < ballot_count; b++) votes += ballots[b].counted;
    const char *const flaws[] = {
        !later    ? NULL
        : classes ? "The exponential mechanism is set for residuals within +-1, which reach +-2 after the "
                    "first tree, so that a tree costs up to twice eps_1, and its leaves more than eps_2"
                  : "The exponential mechanism and the leaves are set for residuals within +-1, which have "
                    "no bound after the first tree",
        by_level ? "Algorithm 1 spends eps_1 at every level" : NULL,
        "Each round takes an exact half of an owner's records that are left, which shifts when a record is "
        "added",
        lists_exact(m, VOTE) ? "Cut points are exact statistics of the records" : NULL,
        votes && job->terms->exact_trees ? "The accuracy of each tree on an owner's records is sent exactly, "
                                           "and decides whether the tree stays"
        : votes ? "What a round gains on an owner's records is sent exactly, and decides on another round"
                : NULL};
    *text = '\0';
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws && used < size; i++)
        if (flaws[i]) used += (size_t)snprintf(text + used, size - used, "%s%s.", used ? " " : "", flaws[i]);
}

static void find_inprivate_round(const hr_job_view *job, hr_job_position *out) {
    const hr_job_state *job_state = job->is_coordinator ? hr_inprivate_coordinator_course(job->protocol)
                                                        : hr_inprivate_owner_course(job->protocol);
    *out = (hr_job_position){.unit = "slot"};
    if (!job_state) return;
    const size_t slots = hr_job_state_slots(job_state), open = hr_job_state_next_open(job_state),
                 slot = open < slots ? open : slots - 1;
    out->round = slot / job_state->owner_count + 1;
    out->rounds = job_state->rounds;
    out->step = slot + 1;
}

static const hr_job_machines inprivate_machines = {
    .owner = hr_inprivate_owner, .coordinator = hr_inprivate_coordinator, .part = hr_inprivate_part};
static const hr_turn_job inprivate_turns = {.train = train_federated_inprivate,
                                            .vote = vote_federated_inprivate,
                                            .prepare = prepare_federated_inprivate};

static const hr_left_out inprivate_left_out[] = {
    {"trees", "use the key 'rounds': the number of trees of every owner"},
    {"round-gain", "use the key 'round-gain' of the job"},
    {"vote-trees", "use the key 'vote-trees' of the job"},
    {0}};

const hr_federated_method hr_federated_inprivate = {
    .method = &hr_method_inprivate,
    .left_out = inprivate_left_out,
    .machines = &inprivate_machines,
    .defaults = set_defaults,
    .check_schema = hr_inprivate_check,
    .check_terms = check_terms,
    .turns = &inprivate_turns,
    .flaws_of = list_inprivate_flaws,
    .round = find_inprivate_round,
    .free_state = free_federated_inprivate,
    .assemble = assemble_federated_inprivate,
};
