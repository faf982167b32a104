#include "federation/sums/summed_owner.h"

#include "base/fail.h"
#include "privacy/crypto/csprng.h"

#include <string.h>

enum { LINES_MAX = 1 << 18 }; /* of an owner's gate in one job: it keeps them all in memory */

/* A question until its owners are named, in an arena of its own: party.prepared. */
typedef struct prepared_question {
    hr_bytes body; /* borrowed from the protocol's machine */
    hr_summed_question question;
    hr_exact *exact; /* NULL: not counted, since the process started anew */
} prepared_question;

typedef struct summed_owner {
    hr_summed_party party; /* first */
    prepared_question prepared;
    uint64_t next_group; /* of the gate: every line has one of its own, so that all add up */
    bool charged;        /* a line */
    hr_permit once;      /* the last that was charged: of all questions, if the method charges once */
    bool refused;        /* a question, and with it all that follow */
} summed_owner;

static hr_status summed_owner_of(const hr_owner_turn *t, summed_owner **out, hr_error *err) {
    if (*t->job->state) {
        *out = *t->job->state;
        return HR_OK;
    }
    const hr_summed_owner *rules = t->job->method->summed->owner;
    hr_summed_party *made = NULL;
    hr_csprng *noise = NULL;
    hr_status status = hr_csprng_open(&noise, err);
    if (!status) status = hr_summed_open(t->job, sizeof **out, noise, &made, err);
    if (made) made->close = rules->close;
    if (!status) status = rules->open(t, &made->budget, made->arena, &made->state, err);
    if (status) {
        hr_summed_free(made);
        return status;
    }
    *t->job->state = *out = (summed_owner *)made;
    return HR_OK;
}

/* One question, from the protocol to the answer. */
typedef struct summed_turn {
    summed_owner *owner;
    const hr_owner_turn *turn;
    const hr_summed_method *method;
    hr_arena *arena;
    hr_sum_question received;
    hr_summed_question question;
    hr_permit *permits; /* [line] */
} summed_turn;

/* ---- What it costs: always before an exact number is looked at ---- */

static hr_status charge_line(summed_turn *s, size_t i, hr_error *err) {
    summed_owner *o = s->owner;
    hr_gate *gate = hr_summed_gate(&o->party, &s->question);
    hr_charge line = s->question.lines[i];
    size_t lines;
    hr_gate_releases(gate, &lines);
    if (lines == LINES_MAX) return hr_fail(err, HR_E_LIMIT, "", "a job of more than %d releases", LINES_MAX);
    line.group = o->next_group++;
    hr_status status =
        s->question.choice
            ? hr_gate_charge_choice(gate, &line, &s->permits[i], err)
            : hr_gate_charge_share(gate, &line, hr_summed_shares(s->turn->job, s->received.members),
                                   &s->permits[i], err);
    if (status) return status;
    o->charged = true;
    o->once = s->permits[i];
    return HR_OK;
}

/* A question for others costs nothing. */
static hr_status charge_question(summed_turn *s, hr_error *err) {
    const hr_summed_question *q = &s->question;
    if (!s->received.here) return HR_OK;
    s->permits = hr_arena_alloc(s->arena, q->line_count + 1, sizeof *s->permits);
    if (!s->permits) return hr_fail_memory(err);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < q->line_count; i++)
        if (s->method->charged_once && s->owner->charged)
            s->permits[i] = s->owner->once;
        else
            status = charge_line(s, i, err);
    return status;
}

/* ---- The answer ---- */

static hr_status give_share(summed_turn *s, const hr_exact *exact, size_t values, hr_bytes *out,
                            hr_error *err) {
    const hr_summed_question *q = &s->question;
    uint64_t *share = hr_arena_alloc(s->arena, values + 1, sizeof *share);
    hr_mask *mask = NULL;
    if (!share) return hr_fail_memory(err);
    hr_status status = s->method->protocol->mask(s->turn->job->protocol, s->turn->slot, &mask, err);
    if (status) return status;
    for (size_t i = 0, at = 0; i < q->line_count; at += q->counts[i++])
        hr_gate_share(hr_summed_gate(&s->owner->party, q), s->permits[i], exact + at, mask, q->counts[i],
                      share + at);
    hr_mask_free(mask);
    return hr_securesum_pack_share(&s->received, share, values, out, err);
}

static hr_status count_exact(summed_turn *s, hr_exact **out, hr_error *err) {
    *out = hr_arena_alloc(s->arena, hr_summed_values(&s->question) + 1, sizeof **out);
    if (!*out) return hr_fail_memory(err);
    return s->method->owner->count(s->owner->party.state, s->turn, &s->question, *out, err);
}

/* exact: NULL if they are not counted yet. */
static hr_status give_answer(summed_turn *s, hr_exact *exact, hr_bytes *out, hr_error *err) {
    const size_t values = hr_summed_values(&s->question);
    hr_status status = exact ? HR_OK : count_exact(s, &exact, err);
    if (status) return status;
    if (!s->question.choice) return give_share(s, exact, values, out, err);
    const size_t chosen =
        hr_gate_choose(hr_summed_gate(&s->owner->party, &s->question), s->permits[0], exact, values);
    return hr_securesum_pack_choice(&s->received, (uint32_t)chosen, out, err);
}

static hr_status read_question(summed_turn *s, hr_error *err) {
    const hr_summed_owner *rules = s->method->owner;
    if (s->received.choice && !rules->choices)
        return hr_fail(err, HR_E_FORMAT, "", "a choice, in a job that asks for sums");
    hr_status status = rules->read(s->owner->party.state, s->turn, &s->received, s->arena, &s->question, err);
    if (status || s->received.choice == s->question.choice) return status;
    return hr_fail(err, HR_E_FORMAT, "", "a choice that is asked for as a sum, or a sum as a choice");
}

/* The records take the step of a question that is not counted. */
static hr_status follow_question(summed_turn *s, hr_error *err) {
    const hr_summed_owner *rules = s->method->owner;
    return rules->follow ? rules->follow(s->owner->party.state, &s->question, s->arena, err) : HR_OK;
}

/* ---- Questions that are prepared ---- */

static void forget_prepared(summed_owner *o) {
    hr_arena_free(o->party.prepared);
    o->party.prepared = NULL;
    o->prepared = (prepared_question){0};
}

static summed_turn turn_of_prepared(const summed_turn *s) {
    summed_turn turn = *s;
    turn.arena = s->owner->party.prepared;
    turn.question = s->owner->prepared.question;
    return turn;
}

/* One whose owners were never named. */
static hr_status leave_prepared(summed_turn *s, hr_error *err) {
    if (!s->owner->party.prepared) return HR_OK;
    summed_turn left = turn_of_prepared(s);
    hr_status status = s->owner->prepared.exact ? HR_OK : follow_question(&left, err);
    forget_prepared(s->owner);
    return status;
}

/* All work but noise, before it is known who takes part in the sum. Nothing is charged: of the exact numbers
 * nothing leaves the owner before take_named. If no owner was ready the same question comes again, and is
 * read once. */
static hr_status take_unnamed(summed_turn *s, bool of_turn, hr_bytes *out, hr_error *err) {
    prepared_question *p = &s->owner->prepared;
    const hr_bytes *body = &s->received.body;
    hr_status status = HR_OK;
    if (!s->owner->party.prepared || p->body.size != body->size || memcmp(p->body.at, body->at, body->size)) {
        status = leave_prepared(s, err);
        if (!status) status = read_question(s, err);
        if (status) return status;
        *p = (prepared_question){.body = *body, .question = s->question};
        s->owner->party.prepared = s->arena;
        s->arena = NULL;
    }
    if (!of_turn) return HR_OK;
    summed_turn counted = turn_of_prepared(s);
    if (!p->exact) status = count_exact(&counted, &p->exact, err);
    return status ? status : hr_securesum_pack_ready(&s->received, out, err);
}

/* The same question, once its owners are named. */
static hr_status take_named(summed_turn *s, bool of_turn, hr_bytes *out, hr_error *err) {
    summed_owner *o = s->owner;
    summed_turn named = turn_of_prepared(s);
    hr_status status = charge_question(&named, err);
    if (!status && of_turn)
        status = give_answer(&named, o->prepared.exact, out, err);
    else if (!status && !o->prepared.exact)
        status = follow_question(&named, err);
    forget_prepared(o);
    return status;
}

/* ---- All questions ---- */

/* Question `index` of the job; answered if it is the one of the turn. */
static hr_status take_question(summed_turn *s, size_t index, hr_bytes *out, hr_error *err) {
    const hr_summed_owner *rules = s->method->owner;
    const bool of_turn = index == s->turn->slot;
    if (!s->method->protocol->question(s->turn->job->protocol, index, &s->received))
        return hr_fail(err, HR_E_ARGUMENT, "", "there is no question %zu", index);
    if (!s->received.here && of_turn) return hr_fail(err, HR_E_FORMAT, "", "a question for other owners");
    if (s->received.to_prepare) return take_unnamed(s, of_turn, out, err);
    if (s->received.prepared) return take_named(s, of_turn, out, err);
    hr_status status = leave_prepared(s, err);
    if (status) return status;
    if (!s->received.here && !rules->follow) return HR_OK;
    status = read_question(s, err);
    if (!status) status = charge_question(s, err);
    if (status) return status;
    return of_turn ? give_answer(s, NULL, out, err) : follow_question(s, err);
}

hr_status hr_summed_answer(const hr_owner_turn *t, hr_bytes *out, hr_error *err) {
    summed_owner *o = NULL;
    hr_status status = summed_owner_of(t, &o, err);
    if (!status && (o->refused || t->slot < o->party.taken))
        return hr_fail(err, HR_E_FORMAT, "",
                       "a question that was answered before, or one after a question that was refused");
    for (; !status && o->party.taken <= t->slot; o->party.taken++) {
        summed_turn s = {.owner = o, .turn = t, .method = t->job->method->summed, .arena = hr_arena_new()};
        status = s.arena ? take_question(&s, o->party.taken, out, err) : hr_fail_memory(err);
        hr_arena_free(s.arena);
        if (status) o->refused = true;
    }
    return status;
}
