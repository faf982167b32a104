/* The miner's part in InPrivate Digging among many. */
#include "federation/inprivate.h"

#include "base/fail.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum phase { OFFERED, RUNNING, POLLED, OVER } phase;

typedef struct miner {
    hr_protocol protocol;
    hr_protocol_setup setup;
    Hedgerow__Terms *terms;
    phase phase;
    size_t round, invited[HR_MEMBERS_MAX];
    bool answered[HR_MEMBERS_MAX], accepted[HR_MEMBERS_MAX], gone[HR_MEMBERS_MAX]; /* by member; gone: withdrew, or broke the protocol */
    bool served[HR_MEMBERS_MAX]; /* by member: along the chain, the set did not reach her, or not whole */
    bool *sent;                  /* places to whose owners the miner sent it herself */
    hr_course course;
    hr_ballot *ballots; /* one a place */
    hr_arena *arena;    /* of what ballots say */
    size_t left_out, heard[HR_MEMBERS_MAX];
} miner;

static const char *name_of(const miner *m, size_t member) {
    return m->setup.view->roster->members[member].name;
}

static hr_status send_owners(miner *m, Hedgerow__Message__KindCase kind, void *content, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < m->course.owner_count; i++)
        status = hr_protocol_send(&m->protocol, m->course.owners[i], kind, content, err);
    return status;
}

static size_t round_begin(const miner *m) {
    return m->round * m->course.owner_count;
}

static size_t round_end(const miner *m) {
    return (m->round + 1) * m->course.owner_count;
}

/* ---- The end --------------------------------------------------------------------------------------------------------------------- */

/* Everybody who may still wait hears of it. */
static hr_status dismiss(miner *m, const char *reason, hr_error *err) {
    Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
    finish.reason = hr_text_of(reason);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < m->terms->n_owners; i++)
        status = hr_protocol_send(&m->protocol, m->invited[i], HEDGEROW__MESSAGE__KIND_FINISH, &finish, err);
    m->phase = OVER;
    return status;
}

static hr_status fail(miner *m, const char *why, hr_error *err) {
    hr_status status = dismiss(m, why, err);
    return status ? status : hr_protocol_say(&m->protocol, HR_ACT_FAIL, 0, err, "%s", why);
}

static bool has_tree(const miner *m) {
    for (size_t p = 0; p < hr_course_places(&m->course); p++)
        if (m->course.places[p].state == HR_PLACE_TREE) return true;
    return false;
}

static hr_status finish(miner *m, hr_error *err) {
    if (!has_tree(m)) return fail(m, "no owner gave a tree", err);
    hr_status status = dismiss(m, "", err);
    return status ? status : hr_protocol_say(&m->protocol, HR_ACT_FINISH, 0, err, "the model is complete");
}

/* ---- Rounds ------------------------------------------------------------------------------------------------------------------------ */

static hr_status list_all(const miner *m, Hedgerow__Forest *forest, hr_error *err) {
    return hr_course_list(&m->course, 0, m->terms->broadcast ? 0 : hr_course_places(&m->course), forest, err);
}

/* Along the chain only the miner knows all trees. */
static hr_status poll(miner *m, hr_error *err) {
    Hedgerow__Poll poll = HEDGEROW__POLL__INIT;
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    hr_status status = list_all(m, &forest, err);
    poll.round = (uint32_t)m->round;
    poll.forest = &forest;
    m->phase = POLLED;
    if (!status) status = send_owners(m, HEDGEROW__MESSAGE__KIND_POLL, &poll, err);
    hr_course_unlist(&forest);
    return status;
}

static hr_status next_round(miner *m, hr_error *err) {
    Hedgerow__Round round = HEDGEROW__ROUND__INIT;
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    m->round++;
    m->phase = RUNNING;
    hr_status status = list_all(m, &forest, err);
    round.round = (uint32_t)m->round;
    for (size_t i = 0; !status && i < m->course.owner_count; i++) {
        round.forest = i ? NULL : &forest;
        status = hr_protocol_send(&m->protocol, m->course.owners[i], HEDGEROW__MESSAGE__KIND_ROUND, &round, err);
    }
    hr_course_unlist(&forest);
    if (!status) status = hr_protocol_say(&m->protocol, HR_ACT_TELL, 0, err, "round %zu begins", m->round + 1);
    return status;
}

static hr_status round_over(miner *m, hr_error *err) {
    bool last = m->round + 1 == m->course.rounds;
    if (last && !hr_tails(m->terms, m->course.owner_count, m->round)) return finish(m, err);
    return m->terms->vote_share > 0 ? poll(m, err) : next_round(m, err);
}

static hr_status skip(miner *m, size_t place, const char *why, hr_error *err) {
    Hedgerow__Skip skip = HEDGEROW__SKIP__INIT;
    hr_course_sign_empty(&m->course, place);
    skip.place = (uint32_t)place;
    skip.signature = hr_data_of(m->course.places[place].signature, HR_SIGNATURE_SIZE);
    hr_status status = send_owners(m, HEDGEROW__MESSAGE__KIND_SKIP, &skip, err);
    if (status) return status;
    return hr_protocol_say(&m->protocol, HR_ACT_TELL, 0, err, "%s is passed over: %s", name_of(m, hr_course_owner(&m->course, place)), why);
}

/* The place that is waited for; the round's end if there is none. */
static size_t awaited(const miner *m) {
    size_t p = round_begin(m);
    while (p < round_end(m) && m->course.places[p].state != HR_PLACE_OPEN) p++;
    return p;
}

/* Along the chain an owner has the set from the one before her: from the miner, if that one's place is empty, or if it once did not reach
 * her. */
static hr_status serve(miner *m, hr_error *err) {
    size_t place = awaited(m);
    if (m->terms->broadcast || place == round_begin(m) || place == round_end(m) || m->sent[place]) return HR_OK;
    size_t owner = hr_course_owner(&m->course, place);
    if (m->course.places[place - 1].state != HR_PLACE_EMPTY && !m->served[owner]) return HR_OK;
    m->sent[place] = true;
    return hr_send_places(&m->protocol, &m->course, owner, 0, place, err);
}

static hr_status settle(miner *m, hr_error *err) {
    hr_status status = HR_OK;
    while (!status && m->phase == RUNNING) {
        size_t place = awaited(m);
        if (place == round_end(m))
            status = round_over(m, err);
        else if (m->gone[hr_course_owner(&m->course, place)])
            status = skip(m, place, "she takes no further part", err);
        else
            return serve(m, err);
    }
    return status;
}

/* ---- Votes ------------------------------------------------------------------------------------------------------------------------ */

static bool all_voted(const miner *m) {
    for (size_t p = round_begin(m); p < round_end(m); p++)
        if (!m->ballots[p].here && !m->gone[hr_course_owner(&m->course, p)]) return false;
    return true;
}

static int compare(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* What owners say, whatever it is, moves a median by a rank each; a sum would be decided by whoever tells the largest number. */
static double median(int64_t *numbers, size_t count) {
    if (!count) return 0;
    qsort(numbers, count, sizeof *numbers, compare);
    return ((double)numbers[(count - 1) / 2] + (double)numbers[count / 2]) / 2;
}

/* Of what the ballots on the round say in the field at that offset. */
static double median_vote(const miner *m, size_t field, size_t *voters) {
    int64_t numbers[HR_MEMBERS_MAX];
    *voters = 0;
    for (size_t p = round_begin(m); p < round_end(m); p++)
        if (m->ballots[p].counted) memcpy(&numbers[(*voters)++], (const char *)&m->ballots[p] + field, sizeof *numbers);
    return median(numbers, *voters);
}

/* Section VI-B asks for a control of every owner's tree. What an early one spoils, those after it mend; the last have nobody after them.
 * They are left out if owners lose by them, beyond what noise explains, and more places only if they lose by so much more: by three
 * standard deviations of a sum. What all gain is the median owner's gain times their number; of Laplace noise the median varies no more
 * than the mean, for any number of voters, so that the sum's standard deviation is one for it too. */
static hr_status count_tails(miner *m, hr_error *err) {
    size_t tails = hr_tails(m->terms, m->course.owner_count, m->round);
    double scale = (double)tails * HR_BALLOT_UNIT / (m->terms->epsilon * m->terms->vote_share), worst = 0;
    for (size_t t = 0; t < tails; t++) {
        size_t voters;
        double gain = median_vote(m, offsetof(hr_ballot, tails) + t * sizeof(int64_t), &voters) * (double)voters;
        double threshold = -3 * scale * sqrt(2 * (double)voters);
        if (gain >= worst + threshold) continue;
        worst = gain;
        m->left_out = t + 1;
    }
    hr_status status = HR_OK;
    if (m->left_out)
        status = hr_protocol_say(&m->protocol, HR_ACT_TELL, 0, err, "the last %zu places are left out: records lose by their trees",
                                 m->left_out);
    return status ? status : finish(m, err);
}

/* Section VI-B: the improvement of one round, from noisy counts. A quotient of medians, and not the median of quotients: those of owners
 * with few records are noise divided by noise. */
static hr_status count_advance(miner *m, hr_error *err) {
    size_t voters;
    double gain = median_vote(m, offsetof(hr_ballot, gain), &voters), records = median_vote(m, offsetof(hr_ballot, records), &voters);
    double advance = records > 0 ? gain / records : 0;
    bool more = !(m->setup.advance > 0) || advance >= m->setup.advance;
    hr_status status = hr_protocol_say(&m->protocol, HR_ACT_TELL, 0, err, "round %zu was an advance of %.4f: %s", m->round + 1, advance,
                                       more ? "one more" : "enough");
    if (status) return status;
    if (!more) return finish(m, err);
    status = next_round(m, err);
    return status ? status : settle(m, err);
}

static hr_status count_votes(miner *m, hr_error *err) {
    return m->round + 1 == m->course.rounds ? count_tails(m, err) : count_advance(m, err);
}

static hr_status on_ballot(miner *m, size_t from, const Hedgerow__Ballot *wire, hr_error *err) {
    size_t position = hr_course_position(&m->course, from), polls = m->terms->vote_share > 0 ? m->round + (m->phase == POLLED) : 0;
    if (!m->course.places || position == m->course.owner_count || wire->round >= polls)
        return hr_protocol_refuse("a ballot of no poll", err);
    size_t place = wire->round * m->course.owner_count + position;
    if (m->ballots[place].here) return hr_protocol_refuse("a second ballot", err);
    hr_ballot ballot = {.here = true, .counted = wire->counted, .gain = wire->gain, .records = wire->records};
    if (wire->n_tails != (wire->counted ? hr_tails(m->terms, m->course.owner_count, wire->round) : 0))
        return hr_protocol_refuse("a ballot on other places", err);
    for (size_t t = 0; t < wire->n_tails; t++) ballot.tails[t] = wire->tails[t];
    hr_tree_rules rules = hr_terms_rules(m->terms, m->setup.schema, m->terms->vote_share);
    hr_status status = hr_wire_releases_unpack(wire->releases, wire->n_releases, &rules, place, m->arena, &ballot.releases, err);
    if (status) return status;
    ballot.release_count = wire->n_releases;
    m->ballots[place] = ballot;
    return m->phase == POLLED && all_voted(m) ? count_votes(m, err) : HR_OK;
}

/* ---- The beginning ----------------------------------------------------------------------------------------------------------------- */

static hr_status offer(miner *m, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < m->terms->n_owners; i++)
        status = hr_protocol_send(&m->protocol, m->invited[i], HEDGEROW__MESSAGE__KIND_TERMS, m->terms, err);
    return status;
}

static hr_status begin_course(miner *m, hr_error *err) {
    hr_status status = hr_course_begin(&m->course, err);
    if (status) return status;
    m->sent = calloc(hr_course_places(&m->course), sizeof *m->sent);
    m->ballots = calloc(hr_course_places(&m->course), sizeof *m->ballots);
    return m->sent && m->ballots ? HR_OK : hr_fail_memory(err);
}

static hr_status start(miner *m, hr_error *err) {
    Hedgerow__Start start = HEDGEROW__START__INIT;
    ProtobufCBinaryData names[HR_MEMBERS_MAX];
    for (size_t i = 0; i < m->terms->n_owners; i++) {
        size_t member = m->invited[i];
        if (!m->accepted[member] || m->gone[member]) continue;
        names[m->course.owner_count] = hr_text_of(name_of(m, member));
        m->course.owners[m->course.owner_count++] = member;
    }
    if (!m->course.owner_count) return fail(m, "no owner takes part", err);
    hr_status status = begin_course(m, err);
    start.owners = names;
    start.n_owners = m->course.owner_count;
    m->phase = RUNNING;
    if (!status) status = send_owners(m, HEDGEROW__MESSAGE__KIND_START, &start, err);
    if (status) return status;
    return hr_protocol_say(&m->protocol, HR_ACT_TELL, 0, err, "%zu of %zu owners take part", m->course.owner_count, m->terms->n_owners);
}

static bool all_answered(const miner *m) {
    for (size_t i = 0; i < m->terms->n_owners; i++)
        if (!m->answered[m->invited[i]] && !m->gone[m->invited[i]]) return false;
    return true;
}

/* An owner may still say no when she hears who else takes part. */
static hr_status withdraw(miner *m, size_t from, hr_error *err) {
    m->gone[from] = true;
    if (m->phase == POLLED && all_voted(m)) return count_votes(m, err);
    return settle(m, err);
}

static hr_status on_answer(miner *m, size_t from, const Hedgerow__Answer *answer, hr_error *err) {
    if (m->answered[from] && answer->accepted) return hr_protocol_refuse("a second answer", err);
    bool fit = hr_text_is_fit(answer->reason, 200);
    hr_status status = answer->accepted ? HR_OK
                                        : hr_protocol_say(&m->protocol, HR_ACT_TELL, 0, err, "%s refuses: %.*s", name_of(m, from),
                                                          fit ? (int)answer->reason.len : 0, fit ? (char *)answer->reason.data : "");
    m->answered[from] = true;
    m->accepted[from] = answer->accepted;
    if (status) return status;
    if (m->phase == OFFERED) return all_answered(m) ? start(m, err) : HR_OK;
    if (!answer->accepted) return withdraw(m, from, err);
    Hedgerow__Finish late = HEDGEROW__FINISH__INIT;
    late.reason = hr_text_of("it started without her");
    return hr_protocol_send(&m->protocol, from, HEDGEROW__MESSAGE__KIND_FINISH, &late, err);
}

/* ---- While it runs ------------------------------------------------------------------------------------------------------------------ */

static hr_status on_forest(miner *m, size_t from, const Hedgerow__Forest *forest, hr_error *err) {
    if (!m->course.places || hr_course_position(&m->course, from) == m->course.owner_count)
        return hr_protocol_refuse("trees of no job", err);
    size_t had = hr_course_open(&m->course);
    hr_status status = hr_course_merge(&m->course, forest, err);
    if (status) return status;
    size_t open = hr_course_open(&m->course);
    if (open > had)
        status = hr_protocol_say(&m->protocol, HR_ACT_TELL, 0, err, "%zu of %zu trees of round %zu", open - round_begin(m),
                                 m->course.owner_count, m->round + 1);
    return status ? status : settle(m, err);
}

/* One who got no valid tree of a place, or no whole set, gets what the miner has. Nobody is passed over before her turn. */
static hr_status hear_complaint(miner *m, size_t from, size_t place, hr_error *err) {
    m->served[from] = true;
    hr_place_state state = m->course.places[place].state;
    if (state == HR_PLACE_TREE && m->terms->broadcast) return hr_send_places(&m->protocol, &m->course, from, place, place + 1, err);
    if (state != HR_PLACE_OPEN || place > awaited(m)) return HR_OK;
    return skip(m, place, "another owner refused what she sent", err);
}

static hr_status on_notice(miner *m, size_t from, const Hedgerow__Notice *notice, hr_error *err) {
    if (m->phase != RUNNING) return HR_OK;
    if (notice->place >= hr_course_places(&m->course)) return hr_protocol_refuse("a notice of no place", err);
    bool own = hr_course_owner(&m->course, notice->place) == from;
    if (own != (notice->kind != HEDGEROW__NOTICE__KIND__REFUSED)) return hr_protocol_refuse("a notice of somebody else's place", err);
    if (notice->place >= round_end(m)) return HR_OK;
    if (own && m->course.places[notice->place].state != HR_PLACE_OPEN) return HR_OK;
    hr_status status = HR_OK;
    switch (notice->kind) {
    case HEDGEROW__NOTICE__KIND__EMPTY: status = skip(m, notice->place, "she has no tree to give", err); break;
    case HEDGEROW__NOTICE__KIND__REFUSED: status = hear_complaint(m, from, notice->place, err); break;
    default: return hr_protocol_refuse("a notice of a kind that is not known", err);
    }
    return status ? status : settle(m, err);
}

static bool is_invited(const miner *m, size_t member) {
    for (size_t i = 0; i < m->terms->n_owners; i++)
        if (m->invited[i] == member) return true;
    return false;
}

static hr_status handle(miner *m, const hr_event *event, hr_error *err) {
    Hedgerow__Message *message = NULL;
    if (!is_invited(m, event->from)) return hr_protocol_refuse("a message from one who was not asked", err);
    hr_status status = hr_message_read(event, &message, err);
    if (status) return status;
    switch (message->kind_case) {
    case HEDGEROW__MESSAGE__KIND_ANSWER: status = on_answer(m, event->from, message->answer, err); break;
    case HEDGEROW__MESSAGE__KIND_FOREST: status = on_forest(m, event->from, message->forest, err); break;
    case HEDGEROW__MESSAGE__KIND_NOTICE: status = on_notice(m, event->from, message->notice, err); break;
    case HEDGEROW__MESSAGE__KIND_BALLOT: status = on_ballot(m, event->from, message->ballot, err); break;
    default: status = hr_protocol_refuse("a message that miners do not get", err);
    }
    hr_unpacked_free(&message->base);
    return status;
}

/* Whoever broke the protocol is waited for no more. */
static hr_status cut_off(miner *m, size_t member, const char *why, hr_error *err) {
    hr_status status = hr_protocol_say(&m->protocol, HR_ACT_CUT_OFF, member, err, "%s", why);
    m->gone[member] = true;
    if (status) return status;
    if (m->phase == OFFERED) return is_invited(m, member) && all_answered(m) ? start(m, err) : HR_OK;
    if (m->phase == POLLED) return all_voted(m) ? count_votes(m, err) : HR_OK;
    return settle(m, err);
}

static hr_status count(miner *m, size_t member, hr_error *err) {
    size_t most = 64 + 8 * HR_ROUNDS_MAX + 2 * HR_ROUNDS_MAX * m->terms->n_owners;
    return ++m->heard[member] > most ? hr_protocol_refuse("more messages than the job needs", err) : HR_OK;
}

static hr_status hear(miner *m, const hr_event *event, hr_error *err) {
    if (m->phase == OVER || m->gone[event->from]) return HR_OK;
    hr_error why = {0};
    hr_status status = count(m, event->from, &why);
    if (!status) status = handle(m, event, &why);
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    return status ? cut_off(m, event->from, why.message, err) : HR_OK;
}

static hr_status away(miner *m, hr_error *err) {
    if (m->phase == OFFERED) return start(m, err);
    if (m->phase == POLLED) return count_votes(m, err);
    if (m->phase == OVER) return HR_OK;
    size_t place = awaited(m), owner = hr_course_owner(&m->course, place);
    hr_status status = HR_OK;
    if (m->served[owner] || m->sent[place] || place == round_begin(m) || m->terms->broadcast)
        status = skip(m, place, "she stays away", err);
    m->served[owner] = true;
    return status ? status : settle(m, err);
}

static hr_status feed(hr_protocol *self, const hr_event *event, hr_error *err) {
    miner *m = (miner *)self;
    switch (event->kind) {
    case HR_EVENT_MESSAGE: return hear(m, event, err);
    case HR_EVENT_AWAY: return away(m, err);
    case HR_EVENT_DECIDED:
    case HR_EVENT_BEGUN:
    case HR_EVENT_WORKED: break;
    }
    return HR_OK;
}

static bool waits(const hr_protocol *self) {
    return ((const miner *)self)->phase != OVER;
}

static void free_miner(hr_protocol *self) {
    miner *m = (miner *)self;
    if (m->terms) hr_unpacked_free(&m->terms->base);
    hr_course_done(&m->course);
    hr_arena_free(m->arena);
    free(m->sent);
    free(m->ballots);
    free(m);
}

static hr_status read_terms(miner *m, hr_error *err) {
    ProtobufCMessage *terms = NULL;
    hr_status status = hr_unpack(&hedgerow__terms__descriptor, m->setup.terms.at, m->setup.terms.size, &terms, err);
    if (status) return status;
    m->terms = (Hedgerow__Terms *)terms;
    m->course.rounds = m->terms->rounds;
    status = hr_terms_check(m->terms, m->setup.view->roster, m->invited, err);
    if (!status) m->course.rules = hr_terms_rules(m->terms, m->setup.schema, 1 - m->terms->vote_share);
    return status;
}

hr_status hr_inprivate_miner(const hr_protocol_setup *setup, hr_protocol **out, hr_error *err) {
    miner *m = calloc(1, sizeof *m);
    if (!m) return hr_fail_memory(err);
    m->protocol = (hr_protocol){.feed = feed, .waits = waits, .free = free_miner};
    m->setup = *setup;
    m->course.view = setup->view;
    m->course.job = setup->job;
    m->course.miner = setup->miner;
    m->arena = hr_arena_new();
    hr_status status = m->arena ? read_terms(m, err) : hr_fail_memory(err);
    if (!status) status = offer(m, err);
    if (status)
        hr_protocol_free(&m->protocol);
    else
        *out = &m->protocol;
    return status;
}

const hr_course *hr_inprivate_miner_course(const hr_protocol *self) {
    const miner *m = (const miner *)self;
    return m->course.places ? &m->course : NULL;
}

size_t hr_inprivate_left_out(const hr_protocol *self) {
    return ((const miner *)self)->left_out;
}

const hr_ballot *hr_inprivate_ballots(const hr_protocol *self) {
    return ((const miner *)self)->ballots;
}
