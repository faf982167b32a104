/* The coordinator's part in InPrivate Digging among many. */
#include "federation/machines/inprivate.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct inprivate_coordinator {
    hr_coordinator_job job;
    size_t round;
    size_t poll;                 /* the next one: a round or, of a job with votes on each tree, a slot */
    bool polled;                 /* owners vote on `poll` */
    double advance;              /* what the trees of the round gained, for each record */
    bool served[HR_MEMBERS_MAX]; /* by member: slots of other owners did not reach it, or not whole */
    bool *sent;                  /* slots to whose owners the coordinator sent the set itself */
    hr_slot_state *copied;       /* [position * slots + slot]: the copy of the slot that the owner was sent */
    bool *compared; /* by slot: its tree names the coordinator's trees, or its owner was sent these */
    hr_job_state job_state;
    hr_ballot *ballots; /* [poll * owners + position] */
    hr_arena *arena;    /* of the content of ballots */
    size_t dropped;
} inprivate_coordinator;

static const char *name_of_owner(const inprivate_coordinator *m, size_t member) {
    return hr_coordinator_job_name(&m->job, member);
}

static size_t round_begin(const inprivate_coordinator *m) {
    return m->round * m->job_state.owner_count;
}

static size_t round_end(const inprivate_coordinator *m) {
    return (m->round + 1) * m->job_state.owner_count;
}

/* Of the poll that owners vote on. */
static const hr_ballot *ballots_of(const inprivate_coordinator *m) {
    return m->ballots + m->poll * m->job_state.owner_count;
}

static bool has_polls(const inprivate_coordinator *m) {
    return m->job.terms->vote_share > 0 || m->job.terms->exact_rounds || m->job.terms->exact_trees;
}

/* ---- The end ---- */

static bool has_tree(const inprivate_coordinator *m) {
    for (size_t p = 0; p < hr_job_state_slots(&m->job_state); p++)
        if (m->job_state.slots[p].state == HR_SLOT_TREE) return true;
    return false;
}

static hr_status finish_job(inprivate_coordinator *m, hr_error *err) {
    if (!has_tree(m)) return hr_coordinator_job_fail(&m->job, HR_JOB_NO_ANSWER, "no owner sent a tree", err);
    return hr_coordinator_job_complete(&m->job, hr_data_of(NULL, 0), "the model is complete", err);
}

/* ---- The set of slots ---- */

/* Sends an owner the slots below `end` that are not open, each tree at most once in the job. */
static hr_status send_copy(inprivate_coordinator *m, size_t owner, size_t end, hr_error *err) {
    const hr_job_slot *slots = m->job_state.slots;
    hr_slot_state *copied =
        m->copied + hr_job_state_position(&m->job_state, owner) * hr_job_state_slots(&m->job_state);
    hr_status status = HR_OK;
    for (size_t first = 0, next; !status && first < end; first = next + 1) {
        for (next = first; next < end && copied[next] != slots[next].state; next++)
            copied[next] = slots[next].state;
        if (next > first) status = hr_send_slots(&m->job.protocol, &m->job_state, owner, first, next, err);
    }
    return status;
}

/* ---- Rounds ---- */

static hr_status list_all(const inprivate_coordinator *m, Hedgerow__Forest *forest, hr_error *err) {
    return hr_job_state_list(&m->job_state, 0,
                             m->job.terms->broadcast ? 0 : hr_job_state_slots(&m->job_state), forest, err);
}

/* Along the chain only the coordinator has all trees. A vote on one tree is sent with it. */
static hr_status poll_owners(inprivate_coordinator *m, size_t poll, hr_error *err) {
    const bool by_tree = m->job.terms->exact_trees;
    Hedgerow__Poll wire = HEDGEROW__POLL__INIT;
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    hr_status status = HR_OK;
    for (size_t i = 0; !status && m->job.terms->broadcast && !by_tree && i < m->job_state.owner_count; i++)
        if (m->served[m->job_state.owners[i]])
            status = send_copy(m, m->job_state.owners[i], round_end(m), err);
    if (!status)
        status = by_tree ? hr_job_state_list(&m->job_state, poll, poll + 1, &forest, err)
                         : list_all(m, &forest, err);
    wire.round = (uint32_t)m->round;
    wire.tree = by_tree ? (uint32_t)poll + 1 : 0;
    wire.forest = &forest;
    m->poll = poll;
    m->polled = true;
    if (!status) status = hr_coordinator_job_send(&m->job, HEDGEROW__MESSAGE__KIND_POLL, &wire, err);
    hr_job_state_unlist(&forest);
    return status;
}

static hr_status next_round(inprivate_coordinator *m, hr_error *err) {
    Hedgerow__Round round = HEDGEROW__ROUND__INIT;
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    m->round++;
    m->job.protocol.advances++;
    m->polled = false;
    m->advance = 0;
    if (!m->job.terms->exact_trees) m->poll = m->round;
    hr_status status = list_all(m, &forest, err);
    round.round = (uint32_t)m->round;
    for (size_t i = 0; !status && i < m->job_state.owner_count; i++) {
        round.forest = i ? NULL : &forest;
        status = hr_protocol_send(&m->job.protocol, m->job_state.owners[i], HEDGEROW__MESSAGE__KIND_ROUND,
                                  &round, err);
    }
    hr_job_state_unlist(&forest);
    if (!status)
        status = hr_protocol_emit(&m->job.protocol, HR_ACT_LOG, 0, err, "round %zu begins", m->round + 1);
    return status;
}

/* Section VI-B. As published a round follows one that exceeds the threshold. */
static hr_status decide_on_round(inprivate_coordinator *m, hr_error *err) {
    const double least = m->job.setup.round_gain;
    const bool paper = m->job.terms->paper,
               more = !(least > 0) || (paper ? m->advance > least : m->advance >= least);
    hr_status status =
        hr_protocol_emit(&m->job.protocol, HR_ACT_LOG, 0, err, "round %zu improved the model by %.4f: %s",
                         m->round + 1, m->advance, more ? "another round follows" : "the last round");
    if (status) return status;
    return more ? next_round(m, err) : finish_job(m, err);
}

static hr_status round_over(inprivate_coordinator *m, hr_error *err) {
    const Hedgerow__Terms *terms = m->job.terms;
    bool last = m->round + 1 == m->job_state.rounds;
    if (last && !hr_tails(terms, m->job_state.owner_count, m->round)) return finish_job(m, err);
    if (terms->exact_trees) return (terms->exact_rounds ? decide_on_round : next_round)(m, err);
    return has_polls(m) ? poll_owners(m, m->round, err) : next_round(m, err);
}

static hr_status skip(inprivate_coordinator *m, size_t slot, const char *why, hr_error *err) {
    Hedgerow__Skip skip = HEDGEROW__SKIP__INIT;
    hr_job_state_sign_empty(&m->job_state, slot);
    skip.slot = (uint32_t)slot;
    skip.signature = hr_data_of(m->job_state.slots[slot].signature, HR_SIGNATURE_SIZE);
    hr_status status = hr_coordinator_job_send(&m->job, HEDGEROW__MESSAGE__KIND_SKIP, &skip, err);
    if (status) return status;
    return hr_protocol_emit(&m->job.protocol, HR_ACT_WARN, 0, err, "owner %s skipped: %s",
                            name_of_owner(m, hr_job_state_owner(&m->job_state, slot)), why);
}

/* The slot whose tree, or the votes on it, is waited for; the round's end if there is none. */
static size_t awaited(const inprivate_coordinator *m) {
    const size_t p = hr_job_state_next_undecided(&m->job_state);
    return p < round_end(m) ? p : round_end(m);
}

/* The first slot of the round whose owner may lack slots of other owners: along the chain the coordinator
 * sends the set with the round to its first owner. */
static size_t first_dependent(const inprivate_coordinator *m) {
    return m->job.terms->broadcast ? 1 : round_begin(m) + 1;
}

/* An owner has the slots of others from these: from the coordinator, if they once did not reach it, or if
 * along the chain the slot before its own is empty. */
static hr_status serve(inprivate_coordinator *m, hr_error *err) {
    size_t slot = awaited(m);
    if (slot < first_dependent(m) || slot == round_end(m) || m->sent[slot]) return HR_OK;
    size_t owner = hr_job_state_owner(&m->job_state, slot);
    bool broken = !m->job.terms->broadcast && m->job_state.slots[slot - 1].state == HR_SLOT_EMPTY;
    if (!broken && !m->served[owner]) return HR_OK;
    m->sent[slot] = true;
    return send_copy(m, owner, slot, err);
}

static hr_status settle_job(inprivate_coordinator *m, hr_error *err) {
    hr_status status = HR_OK;
    while (!status && m->job.phase == HR_COORDINATOR_RUNNING && !m->polled) {
        size_t slot = awaited(m);
        if (slot == round_end(m))
            status = round_over(m, err);
        else if (m->job_state.slots[slot].state == HR_SLOT_TREE)
            status = poll_owners(m, slot, err);
        else if (m->job.gone[hr_job_state_owner(&m->job_state, slot)])
            status = skip(m, slot, "it ended its part", err);
        else
            return serve(m, err);
    }
    return status;
}

/* ---- Votes ---- */

static bool all_voted(const inprivate_coordinator *m) {
    const hr_ballot *ballots = ballots_of(m);
    for (size_t i = 0; i < m->job_state.owner_count; i++)
        if (!ballots[i].here && !m->job.gone[m->job_state.owners[i]]) return false;
    return true;
}

static hr_status count_tails(inprivate_coordinator *m, hr_error *err) {
    m->dropped = hr_votes_dropped(ballots_of(m), m->job_state.owner_count, m->job.terms,
                                  hr_tails(m->job.terms, m->job_state.owner_count, m->round));
    hr_status status = HR_OK;
    if (m->dropped)
        status = hr_protocol_emit(&m->job.protocol, HR_ACT_LOG, 0, err,
                                  "the last %zu slots are dropped: their trees make predictions worse",
                                  m->dropped);
    return status ? status : finish_job(m, err);
}

/* Of one tree, in mode paper: what the owners lose by makes no part of the model. */
static hr_status count_tree(inprivate_coordinator *m, hr_error *err) {
    const double gain = hr_votes_exact_gain(ballots_of(m), m->job_state.owner_count);
    const size_t slot = m->poll++;
    Hedgerow__Verdict verdict = HEDGEROW__VERDICT__INIT;
    verdict.slot = (uint32_t)slot;
    verdict.stays = gain >= 0;
    m->job_state.slots[slot].verdict = verdict.stays ? HR_TREE_STAYS : HR_TREE_LEFT_OUT;
    m->polled = false;
    if (verdict.stays) m->advance += gain;
    hr_status status = hr_coordinator_job_send(&m->job, HEDGEROW__MESSAGE__KIND_VERDICT, &verdict, err);
    if (!status && !verdict.stays)
        status = hr_protocol_emit(&m->job.protocol, HR_ACT_LOG, 0, err,
                                  "the tree of owner %s in slot %zu is left out: with it predictions are "
                                  "worse by %.4f",
                                  name_of_owner(m, hr_job_state_owner(&m->job_state, slot)), slot, -gain);
    return status ? status : settle_job(m, err);
}

static hr_status count_votes(inprivate_coordinator *m, hr_error *err) {
    const Hedgerow__Terms *terms = m->job.terms;
    const size_t owners = m->job_state.owner_count;
    if (terms->exact_trees) return count_tree(m, err);
    if (m->round + 1 == m->job_state.rounds) return count_tails(m, err);
    m->advance = (terms->paper ? hr_votes_exact_gain : hr_votes_noisy_gain)(ballots_of(m), owners);
    hr_status status = decide_on_round(m, err);
    return status ? status : settle_job(m, err);
}

static hr_status on_ballot(inprivate_coordinator *m, size_t owner, const Hedgerow__Ballot *wire,
                           hr_error *err) {
    const bool by_tree = m->job.terms->exact_trees;
    const size_t owners = m->job_state.owner_count, polls = has_polls(m) ? m->poll + m->polled : 0,
                 poll = by_tree ? wire->tree - (size_t)1 : wire->round;
    if (!m->job_state.slots || owner == owners || poll >= polls || (wire->tree != 0) != by_tree)
        return hr_protocol_refuse("a ballot without a poll", err);
    hr_ballot *ballot = &m->ballots[poll * owners + owner];
    if (ballot->here) return hr_protocol_refuse("a second ballot", err);
    const hr_ballot_poll of = {m->job.terms, m->job.setup.schema, owners,
                               by_tree ? poll : poll * owners + owner};
    hr_status status = hr_ballot_read(wire, &of, m->arena, ballot, err);
    if (status) return status;
    m->job.protocol.advances += m->polled && poll == m->poll;
    return m->polled && all_voted(m) ? count_votes(m, err) : HR_OK;
}

/* An owner that ended its part is no longer awaited. */
static hr_status go_on(inprivate_coordinator *m, hr_error *err) {
    return m->polled && all_voted(m) ? count_votes(m, err) : settle_job(m, err);
}

/* ---- Two trees for one slot ---- */

/* Ends the part of an owner, shown the proof; the tree that the coordinator has stays. All others are shown
 * it too. */
static hr_status convict(inprivate_coordinator *m, const Hedgerow__Notice *proof, hr_error *err) {
    size_t slot = proof->slot, owner = hr_job_state_owner(&m->job_state, slot);
    hr_status status = HR_OK;
    if (m->job.gone[owner]) return HR_OK;
    m->job.gone[owner] = true;
    for (size_t i = 0; !status && i < m->job_state.owner_count; i++)
        if (m->job_state.owners[i] != owner)
            status = hr_protocol_send(&m->job.protocol, m->job_state.owners[i],
                                      HEDGEROW__MESSAGE__KIND_NOTICE, proof, err);
    const hr_digest one = hr_job_state_digest(proof->first->tree),
                    two = hr_job_state_digest(proof->second->tree);
    char text[2][HR_DIGEST_TEXT];
    hr_digest_text(&one, text[0]);
    hr_digest_text(&two, text[1]);
    if (!status)
        status = hr_protocol_emit(&m->job.protocol, HR_ACT_CUT_OFF, owner, err,
                                  "it signed two trees for slot %zu, with the digests %s and %s", slot,
                                  text[0], text[1]);
    return status;
}

/* An owner sent a second tree of its own, or of another one. */
static hr_status look_for_seconds(inprivate_coordinator *m, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t p = 0; !status && p < hr_job_state_slots(&m->job_state); p++) {
        if (!m->job_state.slots[p].second.at) continue;
        hr_two_trees two;
        hr_job_state_second(&m->job_state, p, &two);
        status = convict(m, &two.notice, err);
    }
    return status;
}

/* An owner that made its tree after others than the coordinator has is sent these: if it has two of one slot
 * then, it proves it. */
static hr_status compare_sets(inprivate_coordinator *m, hr_error *err) {
    hr_job_state *c = &m->job_state;
    hr_status status = HR_OK;
    for (size_t p = 0; !status && p < hr_job_state_slots(c); p++) {
        hr_set_match match = HR_SET_SAME;
        size_t owner = hr_job_state_owner(c, p);
        if (m->compared[p] || c->slots[p].state != HR_SLOT_TREE) continue;
        status = hr_job_state_compare(c, p, &match, err);
        m->compared[p] = match != HR_SET_UNKNOWN;
        if (status || match != HR_SET_OTHER) continue;
        status = hr_protocol_emit(&m->job.protocol, HR_ACT_WARN, 0, err,
                                  "the tree of owner %s in slot %zu was made after other trees than the "
                                  "coordinator has",
                                  name_of_owner(m, owner), p);
        if (!status && !m->job.gone[owner]) status = send_copy(m, owner, p, err);
    }
    return status;
}

/* ---- While it runs ---- */

static hr_status on_forest(inprivate_coordinator *m, size_t owner, const Hedgerow__Forest *forest,
                           hr_error *err) {
    if (!m->job_state.slots || owner == m->job_state.owner_count)
        return hr_protocol_refuse("trees without a job", err);
    size_t had = hr_job_state_next_open(&m->job_state);
    hr_status status = hr_job_state_merge(&m->job_state, forest, err);
    if (!status) status = look_for_seconds(m, err);
    if (!status) status = compare_sets(m, err);
    if (status) return status;
    size_t open = hr_job_state_next_open(&m->job_state);
    m->job.protocol.advances += open > had;
    if (open > had)
        status = hr_protocol_emit(&m->job.protocol, HR_ACT_LOG, 0, err, "%zu of %zu trees of round %zu",
                                  open - round_begin(m), m->job_state.owner_count, m->round + 1);
    return status ? status : go_on(m, err);
}

/* A complaint is one owner's word about another, so it only gets the complainer the coordinator's copy of the
 * set. The other's tree comes to the coordinator directly, or is skipped after the deadline. */
static hr_status on_complaint(inprivate_coordinator *m, size_t from, size_t slot, hr_error *err) {
    m->served[from] = true;
    hr_status status = hr_protocol_emit(
        &m->job.protocol, HR_ACT_WARN, 0, err, "owner %s complains of what owner %s sent in slot %zu",
        name_of_owner(m, from), name_of_owner(m, hr_job_state_owner(&m->job_state, slot)), slot);
    return status ? status : send_copy(m, from, slot + 1, err);
}

static hr_status on_proof(inprivate_coordinator *m, const Hedgerow__Notice *proof, hr_error *err) {
    hr_status status = hr_job_state_prove(&m->job_state, proof->slot, proof->first, proof->second, err);
    if (!status) status = convict(m, proof, err);
    return status ? status : go_on(m, err);
}

static hr_status on_notice(inprivate_coordinator *m, size_t owner, const Hedgerow__Notice *notice,
                           hr_error *err) {
    if (m->job.phase == HR_COORDINATOR_OFFERED) return HR_OK;
    if (owner == m->job_state.owner_count)
        return hr_protocol_refuse("a notice of a member that is not an owner of this job", err);
    if (notice->slot >= hr_job_state_slots(&m->job_state))
        return hr_protocol_refuse("a notice without a slot", err);
    if (notice->kind == HEDGEROW__NOTICE__KIND__TWO_TREES) return on_proof(m, notice, err);
    const size_t from = m->job_state.owners[owner];
    bool own = hr_job_state_owner(&m->job_state, notice->slot) == from;
    if (own != (notice->kind != HEDGEROW__NOTICE__KIND__REFUSED))
        return hr_protocol_refuse("a notice about another owner's slot", err);
    if (notice->slot >= round_end(m)) return HR_OK;
    if (own && m->job_state.slots[notice->slot].state != HR_SLOT_OPEN) return HR_OK;
    hr_status status = HR_OK;
    switch (notice->kind) {
    case HEDGEROW__NOTICE__KIND__EMPTY: status = skip(m, notice->slot, "it has no tree", err); break;
    case HEDGEROW__NOTICE__KIND__REFUSED: status = on_complaint(m, from, notice->slot, err); break;
    default: return hr_protocol_refuse("a notice of an unknown kind", err);
    }
    return status ? status : settle_job(m, err);
}

static hr_status on_message(hr_protocol *self, size_t owner, const Hedgerow__Message *message,
                            hr_error *err) {
    inprivate_coordinator *m = (inprivate_coordinator *)self;
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_FOREST: return on_forest(m, owner, message->forest, err);
    case HEDGEROW__MESSAGE__KIND_NOTICE: return on_notice(m, owner, message->notice, err);
    case HEDGEROW__MESSAGE__KIND_BALLOT: return on_ballot(m, owner, message->ballot, err);
    default: return hr_protocol_refuse("a message that is not for coordinators", err);
    }
}

static hr_status continue_without(hr_protocol *self, size_t owner, hr_error *err) {
    (void)owner;
    return go_on((inprivate_coordinator *)self, err);
}

/* ---- The deadline ---- */

/* With broadcast an owner that does not vote may lack a tree of the round: it gets them, and is waited for
 * once more. */
static hr_status end_poll(inprivate_coordinator *m, hr_error *err) {
    hr_status status = HR_OK;
    bool wait = false;
    const bool lacks = m->job.terms->broadcast && !m->job.terms->exact_trees;
    for (size_t i = 0; !status && lacks && i < m->job_state.owner_count; i++) {
        size_t owner = m->job_state.owners[i];
        if (ballots_of(m)[i].here || m->job.gone[owner] || m->served[owner]) continue;
        m->served[owner] = wait = true;
        status = send_copy(m, owner, round_end(m), err);
    }
    return status || wait ? status : count_votes(m, err);
}

static hr_status on_timeout(hr_protocol *self, hr_error *err) {
    inprivate_coordinator *m = (inprivate_coordinator *)self;
    if (m->polled) return end_poll(m, err);
    size_t slot = awaited(m), owner = hr_job_state_owner(&m->job_state, slot);
    hr_status status = HR_OK;
    if (m->served[owner] || m->sent[slot] || slot < first_dependent(m))
        status = skip(m, slot, "no answer in time", err);
    m->served[owner] = true;
    return status ? status : settle_job(m, err);
}

/* ---- The machine ---- */

static size_t ballot_count(const inprivate_coordinator *m) {
    const hr_job_state *c = &m->job_state;
    return (m->job.terms->exact_trees ? hr_job_state_slots(c) : c->rounds) * c->owner_count;
}

static hr_status begin_job_state(hr_protocol *self, hr_error *err) {
    inprivate_coordinator *m = (inprivate_coordinator *)self;
    hr_job_state *c = &m->job_state;
    c->view = m->job.setup.view;
    c->coordinator = m->job.setup.coordinator;
    c->rounds = m->job.terms->rounds;
    c->exact_trees = m->job.terms->exact_trees;
    c->rules = hr_terms_rules(m->job.terms, m->job.setup.schema, 1 - m->job.terms->vote_share);
    hr_job_state_take_start(c, &m->job.start);
    hr_status status = hr_job_state_begin(c, err);
    if (status) return status;
    m->sent = calloc(hr_job_state_slots(c), sizeof *m->sent);
    m->copied = calloc(hr_job_state_slots(c) * c->owner_count, sizeof *m->copied);
    m->ballots = calloc(ballot_count(m), sizeof *m->ballots);
    m->compared = calloc(hr_job_state_slots(c), sizeof *m->compared);
    m->arena = hr_arena_new();
    return m->sent && m->copied && m->compared && m->ballots && m->arena ? HR_OK : hr_fail_memory(err);
}

static size_t messages_max(const hr_protocol *self) {
    const size_t owners = ((const inprivate_coordinator *)self)->job.terms->n_owners;
    return 64 + 8 * HR_ROUNDS_MAX + 3 * HR_ROUNDS_MAX * owners;
}

static void free_trees(hr_protocol *self) {
    inprivate_coordinator *m = (inprivate_coordinator *)self;
    hr_job_state_done(&m->job_state);
    hr_arena_free(m->arena);
    free(m->sent);
    free(m->copied);
    free(m->compared);
    free(m->ballots);
}

static const hr_coordinator_rules rules = {
    .check = hr_inprivate_terms_check,
    .started = begin_job_state,
    .message = on_message,
    .without = continue_without,
    .timeout = on_timeout,
    .messages_max = messages_max,
    .done = free_trees,
};

hr_status hr_inprivate_coordinator(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    inprivate_coordinator *m = calloc(1, sizeof *m);
    return m ? hr_coordinator_job_open(&m->job, &rules, setup, out, err) : hr_fail_memory(err);
}

/* ---- For its party ---- */

const hr_job_state *hr_inprivate_coordinator_course(const hr_protocol *self) {
    const inprivate_coordinator *m = (const inprivate_coordinator *)self;
    return m->job_state.slots ? &m->job_state : NULL;
}

static bool is_awaited(const inprivate_coordinator *m, size_t member) {
    const size_t position = hr_job_state_position(&m->job_state, member);
    if (m->job.phase != HR_COORDINATOR_RUNNING || position == m->job_state.owner_count) return false;
    if (m->polled) return !m->job.gone[member] && !ballots_of(m)[position].here;
    const size_t slot = awaited(m);
    return slot < round_end(m) && hr_job_state_owner(&m->job_state, slot) == member;
}

bool hr_inprivate_part(const hr_protocol *self, size_t member, hr_part_info *out) {
    const inprivate_coordinator *m = (const inprivate_coordinator *)self;
    if (!hr_coordinator_job_part(&m->job, member, out)) return false;
    out->awaited = out->awaited || is_awaited(m, member);
    for (size_t p = 0; m->job_state.slots && p < hr_job_state_slots(&m->job_state); p++) {
        if (hr_job_state_owner(&m->job_state, p) != member) continue;
        out->trees += m->job_state.slots[p].state == HR_SLOT_TREE;
        out->skipped += m->job_state.slots[p].state == HR_SLOT_EMPTY;
    }
    return true;
}

size_t hr_inprivate_dropped(const hr_protocol *self) {
    return ((const inprivate_coordinator *)self)->dropped;
}

const hr_ballot *hr_inprivate_ballots(const hr_protocol *self, size_t *count) {
    const inprivate_coordinator *m = (const inprivate_coordinator *)self;
    *count = ballot_count(m);
    return m->ballots;
}
