/* The coordinator's part in InPrivate Digging among many. */
#include "federation/machines/inprivate.h"

#include "base/fail.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct inprivate_coordinator {
    hr_coordinator_job job;
    size_t round;
    bool polled;                 /* the owners vote on `round` */
    bool served[HR_MEMBERS_MAX]; /* by member: slots of other owners did not reach it, or not whole */
    bool *sent;                  /* slots to whose owners the coordinator sent the set itself */
    hr_slot_state
        *copied;    /* [position * slots + slot]: the copy of the slot that the coordinator sent that owner */
    bool *compared; /* by slot: its tree names the trees that the coordinator has, or its owner was sent these
                     */
    hr_job_state job_state;
    hr_ballot *ballots; /* one a slot */
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

/* ---- The end ---- */

static bool has_tree(const inprivate_coordinator *m) {
    for (size_t p = 0; p < hr_job_state_slots(&m->job_state); p++)
        if (m->job_state.slots[p].state == HR_SLOT_TREE) return true;
    return false;
}

static hr_status finish_job(inprivate_coordinator *m, hr_error *err) {
    if (!has_tree(m)) return hr_coordinator_job_fail(&m->job, "no owner sent a tree", err);
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

/* Along the chain only the coordinator has all trees. */
static hr_status poll(inprivate_coordinator *m, hr_error *err) {
    Hedgerow__Poll poll = HEDGEROW__POLL__INIT;
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    hr_status status = HR_OK;
    for (size_t i = 0; !status && m->job.terms->broadcast && i < m->job_state.owner_count; i++)
        if (m->served[m->job_state.owners[i]])
            status = send_copy(m, m->job_state.owners[i], round_end(m), err);
    if (!status) status = list_all(m, &forest, err);
    poll.round = (uint32_t)m->round;
    poll.forest = &forest;
    m->polled = true;
    if (!status) status = hr_coordinator_job_send(&m->job, HEDGEROW__MESSAGE__KIND_POLL, &poll, err);
    hr_job_state_unlist(&forest);
    return status;
}

static hr_status next_round(inprivate_coordinator *m, hr_error *err) {
    Hedgerow__Round round = HEDGEROW__ROUND__INIT;
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    m->round++;
    m->polled = false;
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

static hr_status round_over(inprivate_coordinator *m, hr_error *err) {
    bool last = m->round + 1 == m->job_state.rounds;
    if (last && !hr_tails(m->job.terms, m->job_state.owner_count, m->round)) return finish_job(m, err);
    return m->job.terms->vote_share > 0 ? poll(m, err) : next_round(m, err);
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

/* The slot that is waited for; the round's end if there is none. */
static size_t awaited(const inprivate_coordinator *m) {
    size_t p = round_begin(m);
    while (p < round_end(m) && m->job_state.slots[p].state != HR_SLOT_OPEN) p++;
    return p;
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
        else if (m->job.gone[hr_job_state_owner(&m->job_state, slot)])
            status = skip(m, slot, "it ended its part", err);
        else
            return serve(m, err);
    }
    return status;
}

/* ---- Votes ---- */

size_t hr_tails(const Hedgerow__Terms *terms, size_t owners, size_t round) {
    if (round + 1 != terms->rounds) return 0;
    return terms->last_slots < owners ? terms->last_slots : owners - 1;
}

static bool all_voted(const inprivate_coordinator *m) {
    for (size_t p = round_begin(m); p < round_end(m); p++)
        if (!m->ballots[p].here && !m->job.gone[hr_job_state_owner(&m->job_state, p)]) return false;
    return true;
}

static int compare_gains(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Each owner moves the median by at most one rank, whatever it sends; one large number would decide a sum. */
static double median(int64_t *numbers, size_t count) {
    if (!count) return 0;
    qsort(numbers, count, sizeof *numbers, compare_gains);
    return ((double)numbers[(count - 1) / 2] + (double)numbers[count / 2]) / 2;
}

/* Of the numbers in the field at that offset of the ballots on the round. */
static double median_vote(const inprivate_coordinator *m, size_t field, size_t *voters) {
    int64_t numbers[HR_MEMBERS_MAX];
    *voters = 0;
    for (size_t p = round_begin(m); p < round_end(m); p++)
        if (m->ballots[p].counted)
            memcpy(&numbers[(*voters)++], (const char *)&m->ballots[p] + field, sizeof *numbers);
    return median(numbers, *voters);
}

/* Section VI-B requires a control of every owner's tree. Later trees correct an early one; no tree
 * corrects the last ones. They are left out if owners lose by them, beyond what noise explains, and more
 * slots only if they lose by so much more: by three standard deviations of a sum. What all gain is the median
 * owner's gain times their number; of Laplace noise the median varies no more than the mean, for any number
 * of voters, so that the sum's standard deviation is one for it too. */
static hr_status count_tails(inprivate_coordinator *m, hr_error *err) {
    size_t tails = hr_tails(m->job.terms, m->job_state.owner_count, m->round);
    double scale = (double)tails * HR_BALLOT_UNIT / (m->job.terms->epsilon * m->job.terms->vote_share),
           worst = 0;
    for (size_t t = 0; t < tails; t++) {
        size_t voters;
        double gain =
            median_vote(m, offsetof(hr_ballot, tails) + t * sizeof(int64_t), &voters) * (double)voters;
        double threshold = -3 * scale * sqrt(2 * (double)voters);
        if (gain >= worst + threshold) continue;
        worst = gain;
        m->dropped = t + 1;
    }
    hr_status status = HR_OK;
    if (m->dropped)
        status = hr_protocol_emit(&m->job.protocol, HR_ACT_LOG, 0, err,
                                  "the last %zu slots are dropped: their trees make predictions worse",
                                  m->dropped);
    return status ? status : finish_job(m, err);
}

/* Section VI-B: the improvement of one round, from noisy counts. A quotient of medians, and not the median of
 * quotients: those of owners with few records are noise divided by noise. */
static hr_status count_round_gain(inprivate_coordinator *m, hr_error *err) {
    size_t voters;
    double gain = median_vote(m, offsetof(hr_ballot, gain), &voters),
           records = median_vote(m, offsetof(hr_ballot, records), &voters);
    double round_gain = records > 0 ? gain / records : 0;
    bool more = !(m->job.setup.round_gain > 0) || round_gain >= m->job.setup.round_gain;
    hr_status status =
        hr_protocol_emit(&m->job.protocol, HR_ACT_LOG, 0, err, "round %zu improved the model by %.4f: %s",
                         m->round + 1, round_gain, more ? "another round follows" : "the last round");
    if (status) return status;
    if (!more) return finish_job(m, err);
    status = next_round(m, err);
    return status ? status : settle_job(m, err);
}

static hr_status count_votes(inprivate_coordinator *m, hr_error *err) {
    return m->round + 1 == m->job_state.rounds ? count_tails(m, err) : count_round_gain(m, err);
}

static hr_status on_ballot(inprivate_coordinator *m, size_t owner, const Hedgerow__Ballot *wire,
                           hr_error *err) {
    size_t polls = m->job.terms->vote_share > 0 ? m->round + m->polled : 0;
    if (!m->job_state.slots || owner == m->job_state.owner_count || wire->round >= polls)
        return hr_protocol_refuse("a ballot without a poll", err);
    size_t slot = wire->round * m->job_state.owner_count + owner;
    if (m->ballots[slot].here) return hr_protocol_refuse("a second ballot", err);
    hr_ballot ballot = {.here = true, .counted = wire->counted, .gain = wire->gain, .records = wire->records};
    if (wire->n_tails != (wire->counted ? hr_tails(m->job.terms, m->job_state.owner_count, wire->round) : 0))
        return hr_protocol_refuse("a ballot on other slots", err);
    for (size_t t = 0; t < wire->n_tails; t++) ballot.tails[t] = wire->tails[t];
    hr_tree_rules rules = hr_terms_rules(m->job.terms, m->job.setup.schema, m->job.terms->vote_share);
    hr_status status = hr_wire_releases_unpack((hr_wire_releases){wire->releases, wire->n_releases}, &rules,
                                               slot, m->arena, &ballot.releases, err);
    if (status) return status;
    ballot.release_count = wire->n_releases;
    m->ballots[slot] = ballot;
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
    for (size_t p = round_begin(m); !status && m->job.terms->broadcast && p < round_end(m); p++) {
        size_t owner = hr_job_state_owner(&m->job_state, p);
        if (m->ballots[p].here || m->job.gone[owner] || m->served[owner]) continue;
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
        status = skip(m, slot, "no answer within the deadline", err);
    m->served[owner] = true;
    return status ? status : settle_job(m, err);
}

/* ---- The machine ---- */

static hr_status begin_job_state(hr_protocol *self, hr_error *err) {
    inprivate_coordinator *m = (inprivate_coordinator *)self;
    hr_job_state *c = &m->job_state;
    c->view = m->job.setup.view;
    c->coordinator = m->job.setup.coordinator;
    c->rounds = m->job.terms->rounds;
    c->rules = hr_terms_rules(m->job.terms, m->job.setup.schema, 1 - m->job.terms->vote_share);
    hr_job_state_take_start(c, &m->job.start);
    hr_status status = hr_job_state_begin(c, err);
    if (status) return status;
    m->sent = calloc(hr_job_state_slots(c), sizeof *m->sent);
    m->copied = calloc(hr_job_state_slots(c) * c->owner_count, sizeof *m->copied);
    m->ballots = calloc(hr_job_state_slots(c), sizeof *m->ballots);
    m->compared = calloc(hr_job_state_slots(c), sizeof *m->compared);
    m->arena = hr_arena_new();
    return m->sent && m->copied && m->compared && m->ballots && m->arena ? HR_OK : hr_fail_memory(err);
}

static size_t messages_max(const hr_protocol *self) {
    const size_t owners = ((const inprivate_coordinator *)self)->job.terms->n_owners;
    return 64 + 8 * HR_ROUNDS_MAX + 2 * HR_ROUNDS_MAX * owners;
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
    if (m->polled) return !m->job.gone[member] && !m->ballots[round_begin(m) + position].here;
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

const hr_ballot *hr_inprivate_ballots(const hr_protocol *self) {
    return ((const inprivate_coordinator *)self)->ballots;
}
