#include "support/job_simulator.h"

#include "federation/protocol/beginning.h"

#include <stdio.h>

/* ---- Actions ---- */

static void byte_log_action(byte_log *log, const hr_action *a) {
    const uint64_t head[] = {a->kind, a->member, a->slot, a->bytes.size, strlen(a->text)};
    const hr_bytes parts[] = {{(uint8_t *)head, sizeof head}, a->bytes, {(uint8_t *)a->text, head[4]}};
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (!parts[i].size) continue;
        log->at = realloc(log->at, log->size + parts[i].size);
        assert_non_null(log->at);
        memcpy(log->at + log->size, parts[i].at, parts[i].size);
        log->size += parts[i].size;
    }
}

static void post(simulator *s, size_t who, const hr_action *a) {
    assert_true(a->member < SIMULATED_MEMBERS && a->member != who && a->bytes.size);
    if (s->protocol->sent) s->protocol->sent(s, who, a);
    if (s->letter_count == s->letter_room) {
        s->letter_room = 2 * s->letter_room + 16;
        s->letters = realloc(s->letters, s->letter_room * sizeof *s->letters);
        assert_non_null(s->letters);
    }
    s->letters[s->letter_count++] = (letter){who, a->member, a->bytes};
}

static void carry_out(simulator *s, size_t who, hr_action *a) {
    simulated_party *p = &s->parties[who];
    const size_t said = strlen(s->said);
    assert_false(p->ends);
    assert_true(hr_text_is_fit(hr_text_of(a->text), HR_ACTION_TEXT));
    switch (a->kind) {
    case HR_ACT_SEND: post(s, who, a); return;
    case HR_ACT_TRAIN: assert_true(a->slot < SIMULATED_WORKS && !p->trained[a->slot]++); /* fallthrough */
    case HR_ACT_DECIDE:
    case HR_ACT_VOTE:
    case HR_ACT_NEXT_QUESTION:
        assert_int_equal(p->work.kind, 0);
        p->work = *a;
        break;
    case HR_ACT_RECEIPT:
    case HR_ACT_IGNORE: assert_true(who == 0 && a->member < SIMULATED_MEMBERS); break;
    case HR_ACT_CUT_OFF:
        assert_true(a->member < SIMULATED_MEMBERS && !p->cut[a->member] && a->text[0]);
        p->cut[a->member] = true;
        s->cuts++;
        snprintf(s->last_cut, sizeof s->last_cut, "%zu cut off %zu: %s", who, a->member, a->text);
        break;
    case HR_ACT_LOG:
    case HR_ACT_WARN:
        assert_true(a->text[0]);
        if (who == 0) snprintf(s->said + said, sizeof s->said - said, "%s\n", a->text);
        break;
    case HR_ACT_FINISH:
    case HR_ACT_FAIL:
        p->ends++;
        p->failed = a->kind == HR_ACT_FAIL;
        memcpy(p->why, a->text, sizeof p->why);
        break;
    default: fail_msg("an action of no kind");
    }
    free(a->bytes.at);
}

static void take_actions(simulator *s, size_t who) {
    hr_action a;
    while (hr_protocol_next(s->parties[who].machine, &a)) {
        byte_log_action(&s->parties[who].actions, &a);
        carry_out(s, who, &a);
    }
}

/* ---- Events ---- */

static hr_bytes exact_copy(const void *at, size_t size) {
    hr_bytes out = {malloc(size ? size : 1), size};
    assert_non_null(out.at);
    if (size) memcpy(out.at, at, size);
    return out;
}

void feed(simulator *s, size_t who, hr_event event) {
    simulated_party *p = &s->parties[who];
    const hr_bytes kept = exact_copy(event.bytes, event.size), gone = exact_copy(event.bytes, event.size);
    p->events = realloc(p->events, (p->event_count + 1) * sizeof *p->events);
    assert_non_null(p->events);
    event.bytes = kept.at;
    p->events[p->event_count++] = event;
    event.bytes = gone.at;
    assert_int_equal(hr_protocol_feed(p->machine, &event, NULL), HR_OK);
    free(gone.at);
    take_actions(s, who);
}

void feed_message(simulator *s, size_t from, size_t to, const void *at, size_t size) {
    if (s->parties[to].machine && !s->parties[to].cut[from])
        feed(s, to, (hr_event){.kind = HR_EVENT_MESSAGE, .from = from, .bytes = at, .size = size});
}

void send_message(simulator *s, size_t from, size_t to, const Hedgerow__Message *message) {
    hr_bytes bytes = {0};
    assert_int_equal(hr_message_pack(&message->base, &bytes, NULL), HR_OK);
    feed_message(s, from, to, bytes.at, bytes.size);
    free(bytes.at);
}

Hedgerow__Message *message_in(hr_bytes bytes) {
    Hedgerow__Message *m = NULL;
    const hr_event event = {.bytes = bytes.at, .size = bytes.size};
    assert_int_equal(hr_message_read(&event, &m, NULL), HR_OK);
    return m;
}

Hedgerow__Message message_of_content(Hedgerow__Message__KindCase kind, const void *content) {
    Hedgerow__Message m = HEDGEROW__MESSAGE__INIT;
    m.kind_case = kind;
    m.terms = (Hedgerow__Terms *)content; /* a union of pointers */
    return m;
}

void send_content(simulator *s, size_t from, size_t to, Hedgerow__Message__KindCase kind,
                  const void *content) {
    const Hedgerow__Message m = message_of_content(kind, content);
    send_message(s, from, to, &m);
}

void send_decline(simulator *s, size_t from, hr_decline_code code, const char *text) {
    const hr_protocol_setup *setup = &s->parties[from].setup;
    const hr_member *coordinator = &setup->view->membership->members[setup->coordinator];
    hr_decline decline;
    hr_bytes bytes = {0};
    hr_decline_make(setup->view->identity, &setup->job, &coordinator->key, code, text, &decline);
    assert_int_equal(hr_decline_answer(&decline.wire, &bytes, NULL), HR_OK);
    feed_message(s, from, setup->coordinator, bytes.at, bytes.size);
    free(bytes.at);
}

/* ---- Opening and closing ---- */

simulator *simulator_new(size_t size, const simulated_protocol *protocol, uint64_t seed) {
    simulator *s = calloc(1, size);
    assert_non_null(s);
    s->protocol = protocol;
    hr_dice_init(&s->dice, seed);
    return s;
}

void simulator_start(simulator *s, hr_bytes terms, const hr_protocol_setup *setups, size_t count) {
    s->terms = terms;
    for (size_t who = 0; who < count; who++) {
        s->parties[who].setup = setups[who];
        s->parties[who].machine = s->protocol->machine(&s->parties[who].setup);
    }
    for (size_t who = 0; who < count; who++) take_actions(s, who);
}

void simulator_close(simulator *s) {
    for (size_t who = 0; who < SIMULATED_MEMBERS; who++) {
        simulated_party *p = &s->parties[who];
        for (size_t e = 0; e < p->event_count; e++) free((void *)p->events[e].bytes);
        free(p->events);
        free(p->actions.at);
        hr_protocol_free(p->machine);
    }
    for (size_t l = 0; l < s->letter_count; l++) free(s->letters[l].bytes.at);
    free(s->letters);
    free(s->terms.at);
    free(s);
}

/* ---- Steps ---- */

void deliver(simulator *s, size_t index) {
    letter l = s->letters[index];
    memmove(&s->letters[index], &s->letters[index + 1], (--s->letter_count - index) * sizeof l);
    if (s->tamper) s->tamper(s, &l);
    if (l.bytes.at) feed_message(s, l.from, l.to, l.bytes.at, l.bytes.size);
    free(l.bytes.at);
}

void deliver_all(simulator *s) {
    for (size_t i = 0; i < s->letter_count;)
        if (s->parties[s->letters[i].to].away)
            i++;
        else
            deliver(s, i);
}

void do_work(simulator *s, size_t who) {
    simulated_party *p = &s->parties[who];
    const hr_action work = p->work;
    p->work.kind = 0;
    if (work.kind == HR_ACT_DECIDE) {
        static const char why[] = "no";
        feed(s, who,
             (hr_event){.kind = HR_EVENT_DECIDED,
                        .number = !p->refuses,
                        .bytes = (const uint8_t *)why,
                        .size = p->refuses ? 2 : 0});
        return;
    }
    hr_bytes made = {0};
    if (work.kind == HR_ACT_NEXT_QUESTION) {
        made = s->protocol->work(s, who, &work);
        feed(s, who, (hr_event){.kind = HR_EVENT_NEXT_QUESTION, .bytes = made.at, .size = made.size});
    } else {
        if (hr_dice_below(&s->dice, 100) >= p->loses) made = s->protocol->work(s, who, &work);
        feed(s, who, (hr_event){.kind = HR_EVENT_WORK_STARTED, .number = work.slot});
        feed(s, who, (hr_event){.kind = HR_EVENT_WORK_DONE, .bytes = made.at, .size = made.size});
    }
    free(made.at);
}

/* The first letter between its two members. */
static bool is_first(const simulator *s, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (s->letters[i].from == s->letters[index].from && s->letters[i].to == s->letters[index].to)
            return false;
    return true;
}

bool simulator_step(simulator *s) {
    size_t *choices = malloc((s->letter_count + SIMULATED_MEMBERS) * sizeof *choices), count = 0;
    assert_non_null(choices);
    for (size_t l = 0; l < s->letter_count; l++)
        if (!s->parties[s->letters[l].to].away && is_first(s, l)) choices[count++] = l;
    for (size_t who = 0; who < SIMULATED_MEMBERS; who++)
        if (s->parties[who].work.kind && !s->parties[who].away) choices[count++] = s->letter_count + who;
    const size_t choice = count ? choices[s->in_order ? 0 : hr_dice_below(&s->dice, count)] : 0;
    free(choices);
    if (!count) return false;
    if (choice < s->letter_count)
        deliver(s, choice);
    else
        do_work(s, choice - s->letter_count);
    return true;
}

void simulator_run(simulator *s, void (*meanwhile)(simulator *s)) {
    for (size_t steps = 0;; steps++) {
        assert_true(steps < 20000);
        if (meanwhile) meanwhile(s);
        if (simulator_step(s)) continue;
        if (!hr_protocol_waits(s->parties[0].machine)) return;
        assert_true(++s->aways < 200);
        feed(s, 0, (hr_event){.kind = HR_EVENT_TIMEOUT});
    }
}

void all_return(simulator *s) {
    for (size_t who = 0; who < SIMULATED_MEMBERS; who++) s->parties[who].away = false;
    simulator_run(s, NULL);
}

/* ---- What must hold ---- */

size_t lines_with(const simulator *s, const char *text) {
    size_t count = 0;
    for (const char *at = s->said; (at = strstr(at, text)) != NULL; count++) at = strchr(at, '\n');
    return count;
}

void check_over(const simulator *s) {
    for (size_t who = 0; who < SIMULATED_MEMBERS; who++)
        if (s->parties[who].machine && s->parties[who].ends != 1)
            fail_msg("member %zu has %zu ends", who, s->parties[who].ends);
    if (s->cuts) fail_msg("%s", s->last_cut);
}

void check_replay(const simulator *s) {
    for (size_t who = 0; who < SIMULATED_MEMBERS; who++) {
        const simulated_party *p = &s->parties[who];
        if (!p->machine) continue;
        hr_protocol *again = s->protocol->machine(&p->setup);
        byte_log actions = {0};
        hr_action a;
        for (size_t e = 0; e <= p->event_count; e++) {
            while (hr_protocol_next(again, &a)) {
                byte_log_action(&actions, &a);
                free(a.bytes.at);
            }
            if (e < p->event_count) assert_int_equal(hr_protocol_feed(again, &p->events[e], NULL), HR_OK);
        }
        assert_int_equal(actions.size, p->actions.size);
        if (actions.size) assert_memory_equal(actions.at, p->actions.at, actions.size);
        free(actions.at);
        hr_protocol_free(again);
    }
}
