/* An owner's part in InPrivate Digging among many. */
#include "federation/machines/inprivate.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* ---- What both sides check and send ---- */

static hr_status refuse_inprivate_message(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_FORMAT, "", "%s", why);
}

hr_status hr_inprivate_terms_check(hr_protocol *self, const Hedgerow__Terms *terms, hr_error *err) {
    (void)self;
    if (!terms->rounds || terms->rounds > HR_ROUNDS_MAX)
        return refuse_inprivate_message("the number of rounds is out of range", err);
    if (terms->delta != 0)
        return refuse_inprivate_message("a job with a delta, which this method does not use", err);
    if (terms->coalition)
        return refuse_inprivate_message("a job with a coalition, which this method does not use", err);
    if (!(terms->vote_share >= 0 && terms->vote_share < 1))
        return refuse_inprivate_message("a job whose votes cost all of its budget", err);
    if (terms->last_slots > HR_TAILS_MAX || (terms->last_slots && !(terms->vote_share > 0)))
        return refuse_inprivate_message("a job whose votes on the last slots have no budget, or are too many",
                                        err);
    if (terms->paper ? terms->vote_share != 0 : terms->exact_rounds || terms->exact_trees)
        return refuse_inprivate_message("votes are free and exact in mode paper, and in no other mode", err);
    return HR_OK;
}

hr_tree_rules hr_terms_rules(const Hedgerow__Terms *terms, const hr_schema *schema, double share) {
    return (hr_tree_rules){
        .schema = schema, .paper = terms->paper, .budget = hr_units_up(terms->epsilon * share)};
}

hr_status hr_send_slots(hr_protocol *protocol, const hr_job_state *job_state, size_t to, size_t first,
                        size_t end, hr_error *err) {
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    hr_status status = hr_job_state_list(job_state, first, end, &forest, err);
    if (!status) status = hr_protocol_send(protocol, to, HEDGEROW__MESSAGE__KIND_FOREST, &forest, err);
    hr_job_state_unlist(&forest);
    return status;
}

/* ---- Its state ---- */

/* Trees may overtake the start of the job, when they come from another owner: so many of each are kept. */
enum { EARLY_MAX = 2 * HR_ROUNDS_MAX };

/* What it is doing, which takes time. */
typedef enum owner_task { IDLE, TRAINING, VOTING } owner_task;

typedef struct inprivate_owner {
    hr_owner_job job;
    owner_task work;
    size_t work_slot, own_next; /* own_next: of its slots, those below it are dealt with */
    size_t round, vote_next;    /* rounds up to `round` are open; polls below vote_next were voted on */
    bool broadcast, votes;      /* votes: the job has them */
    bool polled;                /* it is to vote on the poll before vote_next */
    hr_job_state job_state;
    hr_event *early; /* from members that the terms name */
    size_t early_count;
    bool faithless[HR_MEMBERS_MAX], proven; /* it signed two trees for one slot; some owner did */
    bool *compared; /* by slot: its tree names the trees that this owner has, or a complaint was sent */
} inprivate_owner;

static size_t self_of(const inprivate_owner *o) {
    return hr_owner_job_self(&o->job);
}

/* ---- Passing on ---- */

/* Algorithm 2, lines 6 and 10: all trees to the next owner. The coordinator gets each from the owner that
 * trained it, so that no other owner can withhold it. */
static hr_status pass_along(inprivate_owner *o, size_t slot, hr_error *err) {
    size_t open = hr_job_state_next_open(&o->job_state), owners = o->job_state.owner_count,
           slots = hr_job_state_slots(&o->job_state);
    bool last = open == slots || open / owners != slot / owners;
    return last ? HR_OK
                : hr_send_slots(&o->job.protocol, &o->job_state, hr_job_state_owner(&o->job_state, open), 0,
                                open, err);
}

/* Section VI-C: the new tree to all owners at once. */
static hr_status pass_around(inprivate_owner *o, size_t slot, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < o->job_state.owner_count; i++)
        if (o->job_state.owners[i] != self_of(o))
            status =
                hr_send_slots(&o->job.protocol, &o->job_state, o->job_state.owners[i], slot, slot + 1, err);
    return status;
}

/* ---- Work ---- */

static hr_status begin_owner_work(inprivate_owner *o, owner_task what, size_t slot, hr_error *err) {
    o->work = what;
    o->work_slot = slot;
    hr_action action = {.kind = what == VOTING ? HR_ACT_VOTE : HR_ACT_TRAIN, .slot = slot};
    return hr_protocol_act(&o->job.protocol, action, err);
}

/* Begins what it is its turn to do. */
static hr_status go_on(hr_protocol *self, hr_error *err) {
    inprivate_owner *o = (inprivate_owner *)self;
    if (o->job.phase != HR_OWNER_RUNNING || o->work != IDLE) return HR_OK;
    const hr_job_state *c = &o->job_state;
    size_t open = hr_job_state_next_undecided(c), owners = c->owner_count;
    bool round_over = open >= (o->round + 1) * owners,
         can_vote = c->exact_trees ? open + 1 == o->vote_next && hr_job_state_tree(c, open) : round_over;
    if (o->polled && can_vote) {
        o->polled = false;
        return begin_owner_work(
            o, VOTING, c->exact_trees ? open : o->round * owners + hr_job_state_position(c, self_of(o)), err);
    }
    bool mine = !round_over && open >= o->own_next && hr_job_state_owner(&o->job_state, open) == self_of(o);
    return mine ? begin_owner_work(o, TRAINING, open, err) : HR_OK;
}

static hr_status trained(inprivate_owner *o, const hr_event *event, hr_error *err) {
    o->own_next = o->work_slot + 1;
    if (!event->size) return hr_owner_job_notify(&o->job, HEDGEROW__NOTICE__KIND__EMPTY, o->work_slot, err);
    hr_status status = hr_job_state_sign_tree(&o->job_state, o->work_slot, event->bytes, event->size, err);
    if (!status)
        status = hr_send_slots(&o->job.protocol, &o->job_state, o->job.setup.coordinator, o->work_slot,
                               o->work_slot + 1, err);
    return status ? status : (o->broadcast ? pass_around : pass_along)(o, o->work_slot, err);
}

static hr_status voted(inprivate_owner *o, const hr_event *event, hr_error *err) {
    Hedgerow__Ballot none = HEDGEROW__BALLOT__INIT;
    ProtobufCMessage *made = NULL;
    none.round = (uint32_t)(o->work_slot / o->job_state.owner_count);
    none.tree = o->job_state.exact_trees ? (uint32_t)o->work_slot + 1 : 0;
    if (event->size) {
        hr_status status =
            hr_message_unpack(&hedgerow__ballot__descriptor, event->bytes, event->size, &made, err);
        if (status) return status;
    }
    hr_status status = hr_owner_job_send(&o->job, HEDGEROW__MESSAGE__KIND_BALLOT,
                                         made ? (Hedgerow__Ballot *)made : &none, err);
    hr_message_unpacked_free(made);
    return status;
}

static hr_status work_done(hr_protocol *self, const hr_event *event, hr_error *err) {
    inprivate_owner *o = (inprivate_owner *)self;
    owner_task was = o->work;
    o->work = IDLE;
    if (was == IDLE) return HR_OK;
    return was == VOTING ? voted(o, event, err) : trained(o, event, err);
}

/* ---- The beginning ---- */

static hr_status on_offer(hr_protocol *self, const Hedgerow__Terms *terms, hr_error *err) {
    inprivate_owner *o = (inprivate_owner *)self;
    o->early = calloc(terms->n_owners * EARLY_MAX, sizeof *o->early);
    o->job_state.rounds = terms->rounds;
    o->job_state.rules = hr_terms_rules(terms, o->job.setup.schema, 1 - terms->vote_share);
    o->broadcast = terms->broadcast;
    o->job_state.exact_trees = terms->exact_trees;
    o->votes = terms->vote_share > 0 || terms->exact_rounds || terms->exact_trees;
    return o->early ? HR_OK : hr_fail_memory(err);
}

static hr_status on_start(hr_protocol *self, hr_error *err) {
    inprivate_owner *o = (inprivate_owner *)self;
    o->job_state.view = o->job.setup.view;
    o->job_state.coordinator = o->job.setup.coordinator;
    hr_job_state_take_start(&o->job_state, &o->job.start);
    hr_status status = hr_job_state_begin(&o->job_state, err);
    if (status) return status;
    o->compared = calloc(hr_job_state_slots(&o->job_state), sizeof *o->compared);
    if (!o->compared) return hr_fail_memory(err);
    for (size_t i = 0; !status && i < o->early_count; i++)
        status = hr_owner_job_receive(&o->job, &o->early[i], err);
    return status;
}

/* ---- While it runs ---- */

static hr_status keep_early(inprivate_owner *o, const hr_event *event, hr_error *err) {
    size_t had = 0;
    for (size_t i = 0; i < o->early_count; i++) had += o->early[i].from == event->from;
    if (!o->job.invited[event->from] || had == EARLY_MAX)
        return hr_protocol_refuse("trees before the job has started", err);
    hr_bytes copy;
    hr_status status = hr_bytes_copy(event->bytes, event->size, &copy, err);
    if (!status)
        o->early[o->early_count++] = (hr_event){HR_EVENT_MESSAGE, event->from, 0, copy.at, copy.size};
    return status;
}

/* The coordinator sends the trees instead. */
static hr_status complain(inprivate_owner *o, size_t member, hr_error *err) {
    size_t position = hr_job_state_position(&o->job_state, member);
    if (position == o->job_state.owner_count) return HR_OK;
    return hr_owner_job_notify(&o->job, HEDGEROW__NOTICE__KIND__REFUSED,
                               o->round * o->job_state.owner_count + position, err);
}

/* From then on sets differ by what this owner did, and are compared no more; the coordinator still does. */
static hr_status end_part_of(inprivate_owner *o, size_t slot, hr_error *err) {
    size_t member = hr_job_state_owner(&o->job_state, slot);
    o->faithless[member] = o->proven = true;
    if (member == self_of(o))
        return hr_owner_job_stop(
            &o->job, HR_JOB_VIOLATED,
            "there are two trees that this owner signed for one slot: its key is in use twice", err);
    return o->job.cut[member]
               ? HR_OK
               : hr_owner_job_cut_off(&o->job, member, "it signed two trees for one slot", err);
}

static hr_status report_second(inprivate_owner *o, size_t slot, hr_error *err) {
    hr_two_trees proof;
    hr_job_state_second(&o->job_state, slot, &proof);
    hr_status status = hr_owner_job_send(&o->job, HEDGEROW__MESSAGE__KIND_NOTICE, &proof.notice, err);
    return status ? status : end_part_of(o, slot, err);
}

/* Looks at the trees that came: whether one is a second one, and whether those before it are the same to its
 * owner as to this one. */
static hr_status look_at_trees(inprivate_owner *o, hr_error *err) {
    hr_job_state *c = &o->job_state;
    hr_status status = HR_OK;
    for (size_t p = 0; !status && o->job.phase == HR_OWNER_RUNNING && p < hr_job_state_slots(c); p++) {
        hr_set_match match = HR_SET_SAME;
        size_t member = hr_job_state_owner(c, p);
        if (c->slots[p].second.at && !o->faithless[member]) status = report_second(o, p, err);
        if (status || o->proven || o->compared[p] || c->slots[p].state != HR_SLOT_TREE) continue;
        status = hr_job_state_compare(c, p, &match, err);
        o->compared[p] = match != HR_SET_UNKNOWN;
        if (!status && match == HR_SET_OTHER && member != self_of(o))
            status = hr_owner_job_notify(&o->job, HEDGEROW__NOTICE__KIND__REFUSED, p, err);
    }
    return status;
}

static hr_status merge_slots(inprivate_owner *o, const Hedgerow__Forest *forest, hr_error *err) {
    hr_status status = hr_job_state_merge(&o->job_state, forest, err);
    return status ? status : look_at_trees(o, err);
}

/* Along the chain every owner passes on all slots up to its own. */
static hr_status merge(inprivate_owner *o, size_t from, const Hedgerow__Forest *forest, hr_error *err) {
    const bool along = !o->broadcast && from != o->job.setup.coordinator;
    for (size_t i = 0; along && i < forest->n_slots; i++)
        if (forest->slots[i]->slot != i) return hr_protocol_refuse("some trees are missing", err);
    return merge_slots(o, forest, err);
}

/* Owners of one job have one start. If the coordinator signed two, it is the one that broke the protocol. */
static bool has_other_start(const inprivate_owner *o, const Hedgerow__Forest *forest) {
    return !hr_digest_is(&o->job_state.start, forest->start.data, forest->start.len) &&
           hr_job_state_start_holds(&o->job_state, forest->start, forest->signature);
}

static hr_status on_forest(inprivate_owner *o, const hr_event *event, const Hedgerow__Forest *forest,
                           hr_error *err) {
    if (o->job.phase == HR_OWNER_ACCEPTED) return keep_early(o, event, err);
    if (o->job.phase != HR_OWNER_RUNNING) return hr_protocol_refuse("trees without a job", err);
    if (event->from != o->job.setup.coordinator &&
        hr_job_state_position(&o->job_state, event->from) == o->job_state.owner_count)
        return hr_protocol_refuse("trees from a member that is not an owner of this job", err);
    if (has_other_start(o, forest))
        return hr_owner_job_cut_off(&o->job, o->job.setup.coordinator, "it sent owners different starts",
                                    err);
    hr_error why;
    hr_status status = merge(o, event->from, forest, &why);
    if (!status) return HR_OK;
    hr_status sent = status == HR_E_MEMORY ? HR_OK : complain(o, event->from, err);
    return sent ? sent : hr_fail(err, status, "", "%s", why.message);
}

static hr_status on_skip(inprivate_owner *o, const Hedgerow__Skip *skip, hr_error *err) {
    if (o->job.phase != HR_OWNER_RUNNING) return hr_protocol_refuse("a slot without a job", err);
    return hr_job_state_empty(&o->job_state, skip->slot, skip->signature, err);
}

static hr_status on_round(inprivate_owner *o, const Hedgerow__Round *round, hr_error *err) {
    if (o->job.phase != HR_OWNER_RUNNING || round->round != o->round + 1 ||
        round->round >= o->job_state.rounds)
        return hr_protocol_refuse("a round at the wrong time", err);
    hr_status status = round->forest ? merge_slots(o, round->forest, err) : HR_OK;
    if (status) return status;
    o->round = round->round;
    o->polled = false; /* the coordinator waits for that vote no more */
    return HR_OK;
}

/* No budget is reserved for a second vote on a round; nor is a tree voted on twice. */
static hr_status on_poll(inprivate_owner *o, const Hedgerow__Poll *poll, hr_error *err) {
    const bool by_tree = o->job_state.exact_trees;
    const size_t asked = by_tree ? poll->tree - (size_t)1 : poll->round;
    if (o->job.phase != HR_OWNER_RUNNING || !o->votes || poll->round != o->round || asked < o->vote_next ||
        (poll->tree != 0) != by_tree || (by_tree && asked / o->job_state.owner_count != o->round))
        return hr_protocol_refuse("a poll at the wrong time", err);
    hr_status status = poll->forest ? merge_slots(o, poll->forest, err) : HR_OK;
    if (status) return status;
    o->vote_next = asked + 1;
    o->polled = true;
    return HR_OK;
}

static hr_status on_verdict(inprivate_owner *o, const Hedgerow__Verdict *verdict, hr_error *err) {
    if (o->job.phase != HR_OWNER_RUNNING || !o->job_state.exact_trees ||
        verdict->slot >= hr_job_state_slots(&o->job_state) ||
        o->job_state.slots[verdict->slot].verdict != HR_TREE_UNDECIDED)
        return hr_protocol_refuse("a verdict at the wrong time", err);
    o->job_state.slots[verdict->slot].verdict = verdict->stays ? HR_TREE_STAYS : HR_TREE_LEFT_OUT;
    o->polled = false; /* the coordinator waits for that vote no more */
    return HR_OK;
}

/* The coordinator passes on the proof against another owner. */
static hr_status on_proof(inprivate_owner *o, const Hedgerow__Notice *notice, hr_error *err) {
    if (o->job.phase != HR_OWNER_RUNNING || notice->kind != HEDGEROW__NOTICE__KIND__TWO_TREES)
        return hr_protocol_refuse("a notice that is not for owners", err);
    hr_status status = hr_job_state_prove(&o->job_state, notice->slot, notice->first, notice->second, err);
    return status ? status : end_part_of(o, notice->slot, err);
}

/* ---- The machine ---- */

static hr_status on_coordinator(hr_protocol *self, const hr_event *event, const Hedgerow__Message *m,
                                hr_error *err) {
    inprivate_owner *o = (inprivate_owner *)self;
    switch (m->kind_case) {
    case HEDGEROW__MESSAGE__KIND_FOREST: return on_forest(o, event, m->forest, err);
    case HEDGEROW__MESSAGE__KIND_SKIP: return on_skip(o, m->skip, err);
    case HEDGEROW__MESSAGE__KIND_ROUND: return on_round(o, m->round, err);
    case HEDGEROW__MESSAGE__KIND_POLL: return on_poll(o, m->poll, err);
    case HEDGEROW__MESSAGE__KIND_VERDICT: return on_verdict(o, m->verdict, err);
    case HEDGEROW__MESSAGE__KIND_NOTICE: return on_proof(o, m->notice, err);
    default: return hr_protocol_refuse("a message that is not for owners", err);
    }
}

static hr_status on_other(hr_protocol *self, const hr_event *event, const Hedgerow__Message *m,
                          hr_error *err) {
    if (m->kind_case != HEDGEROW__MESSAGE__KIND_FOREST)
        return hr_protocol_refuse("a message that only the coordinator may send", err);
    return on_forest((inprivate_owner *)self, event, m->forest, err);
}

static size_t messages_max(const hr_protocol *self) {
    return 64 + 8 * HR_ROUNDS_MAX + 6 * hr_job_state_slots(&((const inprivate_owner *)self)->job_state);
}

static void free_trees(hr_protocol *self) {
    inprivate_owner *o = (inprivate_owner *)self;
    for (size_t i = 0; i < o->early_count; i++) free((void *)o->early[i].bytes);
    free(o->early);
    free(o->compared);
    hr_job_state_done(&o->job_state);
}

static const hr_owner_rules rules = {
    .check = hr_inprivate_terms_check,
    .offered = on_offer,
    .started = on_start,
    .coordinator = on_coordinator,
    .other = on_other,
    .work_done = work_done,
    .go_on = go_on,
    .messages_max = messages_max,
    .done = free_trees,
};

hr_status hr_inprivate_owner(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    inprivate_owner *o = calloc(1, sizeof *o);
    if (!o) return hr_fail_memory(err);
    *out = hr_owner_job_open(&o->job, &rules, setup);
    return HR_OK;
}

const hr_job_state *hr_inprivate_owner_course(const hr_protocol *self) {
    const inprivate_owner *o = (const inprivate_owner *)self;
    return o->job_state.slots ? &o->job_state : NULL;
}
