/* The coordinator's part in InPrivate Digging among many. */
#include "protocol/inprivate.h"

#include "base/fail.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum coordinator_phase { OFFERED, RUNNING, POLLED, OVER } coordinator_phase;

typedef struct coordinator {
    hr_protocol protocol;
    hr_protocol_setup setup;
    Hedgerow__Terms *terms;
    coordinator_phase phase;
    size_t round, invited[HR_MEMBERS_MAX];
    bool answered[HR_MEMBERS_MAX], accepted[HR_MEMBERS_MAX],
        gone[HR_MEMBERS_MAX];    /* by member; gone: withdrew, or broke the protocol */
    bool served[HR_MEMBERS_MAX]; /* by member: along the chain, the set did not reach it, or not whole */
    bool *sent;                  /* slots to whose owners the coordinator sent it itself */
    hr_job_state job_state;
    hr_ballot *ballots; /* one a slot */
    hr_arena *arena;    /* of the content of ballots */
    size_t dropped, heard[HR_MEMBERS_MAX];
} coordinator;

static const char *name_of_owner(const coordinator *m, size_t member) {
    return m->setup.view->membership->members[member].name;
}

static hr_status send_owners(coordinator *m, Hedgerow__Message__KindCase kind, void *content, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < m->job_state.owner_count; i++)
        status = hr_protocol_send(&m->protocol, m->job_state.owners[i], kind, content, err);
    return status;
}

static size_t round_begin(const coordinator *m) {
    return m->round * m->job_state.owner_count;
}

static size_t round_end(const coordinator *m) {
    return (m->round + 1) * m->job_state.owner_count;
}

/* ---- The end ---- */

/* Sends the end of the job to every invited owner. */
static hr_status dismiss(coordinator *m, const char *reason, hr_error *err) {
    Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
    finish.reason = hr_text_of(reason);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < m->terms->n_owners; i++)
        status = hr_protocol_send(&m->protocol, m->invited[i], HEDGEROW__MESSAGE__KIND_FINISH, &finish, err);
    m->phase = OVER;
    return status;
}

static hr_status fail_job(coordinator *m, const char *why, hr_error *err) {
    hr_status status = dismiss(m, why, err);
    return status ? status : hr_protocol_say(&m->protocol, HR_ACT_FAIL, 0, err, "%s", why);
}

static bool has_tree(const coordinator *m) {
    for (size_t p = 0; p < hr_job_state_slots(&m->job_state); p++)
        if (m->job_state.slots[p].state == HR_SLOT_TREE) return true;
    return false;
}

static hr_status finish_job(coordinator *m, hr_error *err) {
    if (!has_tree(m)) return fail_job(m, "no owner sent a tree", err);
    hr_status status = dismiss(m, "", err);
    return status ? status : hr_protocol_say(&m->protocol, HR_ACT_FINISH, 0, err, "the model is complete");
}

/* ---- Rounds ---- */

static hr_status list_all(const coordinator *m, Hedgerow__Forest *forest, hr_error *err) {
    return hr_job_state_list(&m->job_state, 0, m->terms->broadcast ? 0 : hr_job_state_slots(&m->job_state),
                             forest, err);
}

/* Along the chain only the coordinator has all trees. */
static hr_status poll(coordinator *m, hr_error *err) {
    Hedgerow__Poll poll = HEDGEROW__POLL__INIT;
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    hr_status status = list_all(m, &forest, err);
    poll.round = (uint32_t)m->round;
    poll.forest = &forest;
    m->phase = POLLED;
    if (!status) status = send_owners(m, HEDGEROW__MESSAGE__KIND_POLL, &poll, err);
    hr_job_state_unlist(&forest);
    return status;
}

static hr_status next_round(coordinator *m, hr_error *err) {
    Hedgerow__Round round = HEDGEROW__ROUND__INIT;
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    m->round++;
    m->phase = RUNNING;
    hr_status status = list_all(m, &forest, err);
    round.round = (uint32_t)m->round;
    for (size_t i = 0; !status && i < m->job_state.owner_count; i++) {
        round.forest = i ? NULL : &forest;
        status = hr_protocol_send(&m->protocol, m->job_state.owners[i], HEDGEROW__MESSAGE__KIND_ROUND, &round,
                                  err);
    }
    hr_job_state_unlist(&forest);
    if (!status) status = hr_protocol_say(&m->protocol, HR_ACT_LOG, 0, err, "round %zu begins", m->round + 1);
    return status;
}

static hr_status round_over(coordinator *m, hr_error *err) {
    bool last = m->round + 1 == m->job_state.rounds;
    if (last && !hr_tails(m->terms, m->job_state.owner_count, m->round)) return finish_job(m, err);
    return m->terms->vote_share > 0 ? poll(m, err) : next_round(m, err);
}

static hr_status skip(coordinator *m, size_t slot, const char *why, hr_error *err) {
    Hedgerow__Skip skip = HEDGEROW__SKIP__INIT;
    hr_job_state_sign_empty(&m->job_state, slot);
    skip.slot = (uint32_t)slot;
    skip.signature = hr_data_of(m->job_state.slots[slot].signature, HR_SIGNATURE_SIZE);
    hr_status status = send_owners(m, HEDGEROW__MESSAGE__KIND_SKIP, &skip, err);
    if (status) return status;
    return hr_protocol_say(&m->protocol, HR_ACT_LOG, 0, err, "owner %s skipped: %s",
                           name_of_owner(m, hr_job_state_owner(&m->job_state, slot)), why);
}

/* The slot that is waited for; the round's end if there is none. */
static size_t awaited(const coordinator *m) {
    size_t p = round_begin(m);
    while (p < round_end(m) && m->job_state.slots[p].state != HR_SLOT_OPEN) p++;
    return p;
}

/* Along the chain an owner has the set from the one before it: from the coordinator, if that one's slot is
 * empty, or if it once did not reach it. */
static hr_status serve(coordinator *m, hr_error *err) {
    size_t slot = awaited(m);
    if (m->terms->broadcast || slot == round_begin(m) || slot == round_end(m) || m->sent[slot]) return HR_OK;
    size_t owner = hr_job_state_owner(&m->job_state, slot);
    if (m->job_state.slots[slot - 1].state != HR_SLOT_EMPTY && !m->served[owner]) return HR_OK;
    m->sent[slot] = true;
    return hr_send_slots(&m->protocol, &m->job_state, owner, 0, slot, err);
}

static hr_status settle_job(coordinator *m, hr_error *err) {
    hr_status status = HR_OK;
    while (!status && m->phase == RUNNING) {
        size_t slot = awaited(m);
        if (slot == round_end(m))
            status = round_over(m, err);
        else if (m->gone[hr_job_state_owner(&m->job_state, slot)])
            status = skip(m, slot, "it ended its part", err);
        else
            return serve(m, err);
    }
    return status;
}

/* ---- Votes ---- */

static bool all_voted(const coordinator *m) {
    for (size_t p = round_begin(m); p < round_end(m); p++)
        if (!m->ballots[p].here && !m->gone[hr_job_state_owner(&m->job_state, p)]) return false;
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

/* Of what the ballots on the round say in the field at that offset. */
static double median_vote(const coordinator *m, size_t field, size_t *voters) {
    int64_t numbers[HR_MEMBERS_MAX];
    *voters = 0;
    for (size_t p = round_begin(m); p < round_end(m); p++)
        if (m->ballots[p].counted)
            memcpy(&numbers[(*voters)++], (const char *)&m->ballots[p] + field, sizeof *numbers);
    return median(numbers, *voters);
}

/* Section VI-B asks for a control of every owner's tree. Later trees correct an early one; no tree
 * corrects the last ones. They are left out if owners lose by them, beyond what noise explains, and more
 * slots only if they lose by so much more: by three standard deviations of a sum. What all gain is the median
 * owner's gain times their number; of Laplace noise the median varies no more than the mean, for any number
 * of voters, so that the sum's standard deviation is one for it too. */
static hr_status count_tails(coordinator *m, hr_error *err) {
    size_t tails = hr_tails(m->terms, m->job_state.owner_count, m->round);
    double scale = (double)tails * HR_BALLOT_UNIT / (m->terms->epsilon * m->terms->vote_share), worst = 0;
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
        status =
            hr_protocol_say(&m->protocol, HR_ACT_LOG, 0, err,
                            "the last %zu slots are dropped: their trees make predictions worse", m->dropped);
    return status ? status : finish_job(m, err);
}

/* Section VI-B: the improvement of one round, from noisy counts. A quotient of medians, and not the median of
 * quotients: those of owners with few records are noise divided by noise. */
static hr_status count_round_gain(coordinator *m, hr_error *err) {
    size_t voters;
    double gain = median_vote(m, offsetof(hr_ballot, gain), &voters),
           records = median_vote(m, offsetof(hr_ballot, records), &voters);
    double round_gain = records > 0 ? gain / records : 0;
    bool more = !(m->setup.round_gain > 0) || round_gain >= m->setup.round_gain;
    hr_status status =
        hr_protocol_say(&m->protocol, HR_ACT_LOG, 0, err, "round %zu improved the model by %.4f: %s",
                        m->round + 1, round_gain, more ? "another round follows" : "the last round");
    if (status) return status;
    if (!more) return finish_job(m, err);
    status = next_round(m, err);
    return status ? status : settle_job(m, err);
}

static hr_status count_votes(coordinator *m, hr_error *err) {
    return m->round + 1 == m->job_state.rounds ? count_tails(m, err) : count_round_gain(m, err);
}

static hr_status on_ballot(coordinator *m, size_t from, const Hedgerow__Ballot *wire, hr_error *err) {
    size_t position = hr_job_state_position(&m->job_state, from),
           polls = m->terms->vote_share > 0 ? m->round + (m->phase == POLLED) : 0;
    if (!m->job_state.slots || position == m->job_state.owner_count || wire->round >= polls)
        return hr_protocol_refuse("a ballot without a poll", err);
    size_t slot = wire->round * m->job_state.owner_count + position;
    if (m->ballots[slot].here) return hr_protocol_refuse("a second ballot", err);
    hr_ballot ballot = {.here = true, .counted = wire->counted, .gain = wire->gain, .records = wire->records};
    if (wire->n_tails != (wire->counted ? hr_tails(m->terms, m->job_state.owner_count, wire->round) : 0))
        return hr_protocol_refuse("a ballot on other slots", err);
    for (size_t t = 0; t < wire->n_tails; t++) ballot.tails[t] = wire->tails[t];
    hr_tree_rules rules = hr_terms_rules(m->terms, m->setup.schema, m->terms->vote_share);
    hr_status status = hr_wire_releases_unpack((hr_wire_releases){wire->releases, wire->n_releases}, &rules,
                                               slot, m->arena, &ballot.releases, err);
    if (status) return status;
    ballot.release_count = wire->n_releases;
    m->ballots[slot] = ballot;
    return m->phase == POLLED && all_voted(m) ? count_votes(m, err) : HR_OK;
}

/* ---- The beginning ---- */

static hr_status offer_terms(coordinator *m, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < m->terms->n_owners; i++)
        status = hr_protocol_send(&m->protocol, m->invited[i], HEDGEROW__MESSAGE__KIND_TERMS, m->terms, err);
    return status;
}

static hr_status begin_job_state(coordinator *m, hr_error *err) {
    hr_status status = hr_job_state_begin(&m->job_state, err);
    if (status) return status;
    m->sent = calloc(hr_job_state_slots(&m->job_state), sizeof *m->sent);
    m->ballots = calloc(hr_job_state_slots(&m->job_state), sizeof *m->ballots);
    return m->sent && m->ballots ? HR_OK : hr_fail_memory(err);
}

static hr_status start_job(coordinator *m, hr_error *err) {
    Hedgerow__Start start = HEDGEROW__START__INIT;
    ProtobufCBinaryData names[HR_MEMBERS_MAX];
    for (size_t i = 0; i < m->terms->n_owners; i++) {
        size_t member = m->invited[i];
        if (!m->accepted[member] || m->gone[member]) continue;
        names[m->job_state.owner_count] = hr_text_of(name_of_owner(m, member));
        m->job_state.owners[m->job_state.owner_count++] = member;
    }
    if (!m->job_state.owner_count) return fail_job(m, "no owner takes part", err);
    hr_status status = begin_job_state(m, err);
    start.owners = names;
    start.n_owners = m->job_state.owner_count;
    m->phase = RUNNING;
    if (!status) status = send_owners(m, HEDGEROW__MESSAGE__KIND_START, &start, err);
    if (status) return status;
    return hr_protocol_say(&m->protocol, HR_ACT_LOG, 0, err, "%zu of %zu owners take part",
                           m->job_state.owner_count, m->terms->n_owners);
}

static bool all_answered(const coordinator *m) {
    for (size_t i = 0; i < m->terms->n_owners; i++)
        if (!m->answered[m->invited[i]] && !m->gone[m->invited[i]]) return false;
    return true;
}

/* An owner may still decline when it gets the list of owners. */
static hr_status withdraw(coordinator *m, size_t from, hr_error *err) {
    m->gone[from] = true;
    if (m->phase == POLLED && all_voted(m)) return count_votes(m, err);
    return settle_job(m, err);
}

static hr_status on_answer(coordinator *m, size_t from, const Hedgerow__Answer *answer, hr_error *err) {
    if (m->answered[from] && answer->accepted) return hr_protocol_refuse("a second answer", err);
    bool fit = hr_text_is_fit(answer->reason, 200);
    hr_status status = answer->accepted
                           ? HR_OK
                           : hr_protocol_say(&m->protocol, HR_ACT_LOG, 0, err, "owner %s declines: %.*s",
                                             name_of_owner(m, from), fit ? (int)answer->reason.len : 0,
                                             fit ? (char *)answer->reason.data : "");
    m->answered[from] = true;
    m->accepted[from] = answer->accepted;
    if (status) return status;
    if (m->phase == OFFERED) return all_answered(m) ? start_job(m, err) : HR_OK;
    if (!answer->accepted) return withdraw(m, from, err);
    Hedgerow__Finish late = HEDGEROW__FINISH__INIT;
    late.reason = hr_text_of("the job started without this owner");
    return hr_protocol_send(&m->protocol, from, HEDGEROW__MESSAGE__KIND_FINISH, &late, err);
}

/* ---- While it runs ---- */

static hr_status on_owner_forest(coordinator *m, size_t from, const Hedgerow__Forest *forest, hr_error *err) {
    if (!m->job_state.slots || hr_job_state_position(&m->job_state, from) == m->job_state.owner_count)
        return hr_protocol_refuse("trees without a job", err);
    size_t had = hr_job_state_next_open(&m->job_state);
    hr_status status = hr_job_state_merge(&m->job_state, forest, err);
    if (status) return status;
    size_t open = hr_job_state_next_open(&m->job_state);
    if (open > had)
        status = hr_protocol_say(&m->protocol, HR_ACT_LOG, 0, err, "%zu of %zu trees of round %zu",
                                 open - round_begin(m), m->job_state.owner_count, m->round + 1);
    return status ? status : settle_job(m, err);
}

/* One who got no valid tree of a slot, or no whole set, gets what the coordinator has. Nobody is passed over
 * before its turn. */
static hr_status hear_complaint(coordinator *m, size_t from, size_t slot, hr_error *err) {
    m->served[from] = true;
    hr_slot_state state = m->job_state.slots[slot].state;
    if (state == HR_SLOT_TREE && m->terms->broadcast)
        return hr_send_slots(&m->protocol, &m->job_state, from, slot, slot + 1, err);
    if (state != HR_SLOT_OPEN || slot > awaited(m)) return HR_OK;
    return skip(m, slot, "another owner refused its trees", err);
}

static hr_status on_notice(coordinator *m, size_t from, const Hedgerow__Notice *notice, hr_error *err) {
    if (m->phase != RUNNING) return HR_OK;
    if (notice->slot >= hr_job_state_slots(&m->job_state))
        return hr_protocol_refuse("a notice without a slot", err);
    bool own = hr_job_state_owner(&m->job_state, notice->slot) == from;
    if (own != (notice->kind != HEDGEROW__NOTICE__KIND__REFUSED))
        return hr_protocol_refuse("a notice about another owner's slot", err);
    if (notice->slot >= round_end(m)) return HR_OK;
    if (own && m->job_state.slots[notice->slot].state != HR_SLOT_OPEN) return HR_OK;
    hr_status status = HR_OK;
    switch (notice->kind) {
    case HEDGEROW__NOTICE__KIND__EMPTY: status = skip(m, notice->slot, "it has no tree", err); break;
    case HEDGEROW__NOTICE__KIND__REFUSED: status = hear_complaint(m, from, notice->slot, err); break;
    default: return hr_protocol_refuse("a notice of an unknown kind", err);
    }
    return status ? status : settle_job(m, err);
}

static bool is_invited(const coordinator *m, size_t member) {
    for (size_t i = 0; i < m->terms->n_owners; i++)
        if (m->invited[i] == member) return true;
    return false;
}

static hr_status handle_owner_message(coordinator *m, const hr_event *event, hr_error *err) {
    Hedgerow__Message *message = NULL;
    if (!is_invited(m, event->from))
        return hr_protocol_refuse("a message from a member that was not asked", err);
    hr_status status = hr_message_read(event, &message, err);
    if (status) return status;
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_ANSWER: status = on_answer(m, event->from, message->answer, err); break;
    case HEDGEROW__MESSAGE__KIND_FOREST:
        status = on_owner_forest(m, event->from, message->forest, err);
        break;
    case HEDGEROW__MESSAGE__KIND_NOTICE: status = on_notice(m, event->from, message->notice, err); break;
    case HEDGEROW__MESSAGE__KIND_BALLOT: status = on_ballot(m, event->from, message->ballot, err); break;
    default: status = hr_protocol_refuse("a message that is not for coordinators", err);
    }
    hr_message_unpacked_free(&message->base);
    return status;
}

/* A member that broke the protocol is no longer awaited. */
static hr_status cut_off_owner(coordinator *m, size_t member, const char *why, hr_error *err) {
    hr_status status = hr_protocol_say(&m->protocol, HR_ACT_CUT_OFF, member, err, "%s", why);
    m->gone[member] = true;
    if (status) return status;
    if (m->phase == OFFERED) return is_invited(m, member) && all_answered(m) ? start_job(m, err) : HR_OK;
    if (m->phase == POLLED) return all_voted(m) ? count_votes(m, err) : HR_OK;
    return settle_job(m, err);
}

static hr_status count_owners_in_phase(coordinator *m, size_t member, hr_error *err) {
    size_t most = 64 + 8 * HR_ROUNDS_MAX + 2 * HR_ROUNDS_MAX * m->terms->n_owners;
    return ++m->heard[member] > most ? hr_protocol_refuse("more messages than the job needs", err) : HR_OK;
}

static hr_status hear_owner(coordinator *m, const hr_event *event, hr_error *err) {
    if (m->phase == OVER || m->gone[event->from]) return HR_OK;
    hr_error why = {0};
    hr_status status = count_owners_in_phase(m, event->from, &why);
    if (!status) status = handle_owner_message(m, event, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    return status ? cut_off_owner(m, event->from, why.message, err) : HR_OK;
}

static hr_status away(coordinator *m, hr_error *err) {
    if (m->phase == OFFERED) return start_job(m, err);
    if (m->phase == POLLED) return count_votes(m, err);
    if (m->phase == OVER) return HR_OK;
    size_t slot = awaited(m), owner = hr_job_state_owner(&m->job_state, slot);
    hr_status status = HR_OK;
    if (m->served[owner] || m->sent[slot] || slot == round_begin(m) || m->terms->broadcast)
        status = skip(m, slot, "no answer within the deadline", err);
    m->served[owner] = true;
    return status ? status : settle_job(m, err);
}

static hr_status feed_coordinator(hr_protocol *self, const hr_event *event, hr_error *err) {
    coordinator *m = (coordinator *)self;
    switch (event->kind) {
    case HR_EVENT_MESSAGE: return hear_owner(m, event, err);
    case HR_EVENT_AWAY: return away(m, err);
    case HR_EVENT_DECIDED:
    case HR_EVENT_BEGUN:
    case HR_EVENT_WORKED: break;
    }
    return HR_OK;
}

static bool coordinator_waits(const hr_protocol *self) {
    return ((const coordinator *)self)->phase != OVER;
}

static void free_coordinator(hr_protocol *self) {
    coordinator *m = (coordinator *)self;
    if (m->terms) hr_message_unpacked_free(&m->terms->base);
    hr_job_state_done(&m->job_state);
    hr_arena_free(m->arena);
    free(m->sent);
    free(m->ballots);
    free(m);
}

static hr_status read_terms(coordinator *m, hr_error *err) {
    ProtobufCMessage *terms = NULL;
    hr_status status =
        hr_message_unpack(&hedgerow__terms__descriptor, m->setup.terms.at, m->setup.terms.size, &terms, err);
    if (status) return status;
    m->terms = (Hedgerow__Terms *)terms;
    m->job_state.rounds = m->terms->rounds;
    status = hr_terms_check(m->terms, m->setup.view->membership, m->invited, err);
    if (!status) m->job_state.rules = hr_terms_rules(m->terms, m->setup.schema, 1 - m->terms->vote_share);
    return status;
}

hr_status hr_inprivate_coordinator(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    coordinator *m = calloc(1, sizeof *m);
    if (!m) return hr_fail_memory(err);
    m->protocol =
        (hr_protocol){.feed = feed_coordinator, .waits = coordinator_waits, .free = free_coordinator};
    m->setup = *setup;
    m->job_state.view = setup->view;
    m->job_state.job = setup->job;
    m->job_state.coordinator = setup->coordinator;
    m->arena = hr_arena_new();
    hr_status status = m->arena ? read_terms(m, err) : hr_fail_memory(err);
    if (!status) status = offer_terms(m, err);
    if (status)
        hr_protocol_free(&m->protocol);
    else
        *out = &m->protocol;
    return status;
}

const hr_job_state *hr_inprivate_coordinator_course(const hr_protocol *self) {
    const coordinator *m = (const coordinator *)self;
    return m->job_state.slots ? &m->job_state : NULL;
}

size_t hr_inprivate_dropped(const hr_protocol *self) {
    return ((const coordinator *)self)->dropped;
}

const hr_ballot *hr_inprivate_ballots(const hr_protocol *self) {
    return ((const coordinator *)self)->ballots;
}
