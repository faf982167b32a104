#include "support/sum_simulator.h"

#include "base/fail.h"

/* ---- Members ---- */

const hr_job_id sum_job_id = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

int sum_names_setup(void **state) {
    static const char *const texts[SUM_MEMBERS] = {"coordinator", "anna", "bert", "carl",    "dora",
                                                   "emil",        "fred", "gina", "outsider"};
    sum_names *n = calloc(1, sizeof *n);
    assert_non_null(n);
    n->membership = (hr_membership){"brook", n->members, SUM_MEMBERS};
    for (unsigned char m = 0; m < SUM_MEMBERS; m++) {
        n->who[m] = test_identity((unsigned char)(m + 1));
        n->members[m] = (hr_member){texts[m], hr_identity_public(n->who[m])};
        n->views[m] = (hr_party_view){&n->membership, n->who[m], m};
        memset(n->secrets[m], m + 1, sizeof n->secrets[m]);
    }
    *state = n;
    return 0;
}

int sum_names_teardown(void **state) {
    sum_names *n = *state;
    for (size_t m = 0; m < SUM_MEMBERS; m++) hr_identity_free(n->who[m]);
    free(n);
    return 0;
}

/* ---- Messages ---- */

hr_bytes sum_pack(const void *message) {
    hr_bytes out = {0};
    assert_int_equal(hr_message_pack(message, &out, NULL), HR_OK);
    return out;
}

Hedgerow__Message sum_message(Hedgerow__Message__KindCase kind, const void *content) {
    Hedgerow__Message m = HEDGEROW__MESSAGE__INIT;
    m.kind_case = kind;
    m.terms = (Hedgerow__Terms *)content; /* a union of pointers */
    return m;
}

static bool is_ring(const sum_script *script) {
    return script->coalition == SUM_RING;
}

hr_bytes sum_terms(const sum_script *script) {
    static const char *const texts[] = {"anna", "bert", "carl", "dora", "emil", "fred", "gina"};
    ProtobufCBinaryData owners[SUM_OWNERS_MAX];
    for (size_t i = 0; i < script->owners; i++) owners[i] = hr_text_of(texts[i]);
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    terms.name = hr_text_of("job");
    terms.schema = hr_text_of("schema");
    terms.method = hr_text_of("hedge");
    terms.epsilon = 1;
    terms.delta = 1e-6;
    terms.paper = is_ring(script);
    terms.coalition = terms.paper ? 0 : script->coalition;
    terms.owners = owners;
    terms.n_owners = script->owners;
    return sum_pack(&terms);
}

hr_protocol_setup sum_setup(const sum_names *names, size_t self, hr_bytes terms) {
    return (hr_protocol_setup){.view = &names->views[self],
                               .job = sum_job_id,
                               .coordinator = SUM_COORDINATOR,
                               .min_owners = 1,
                               .terms = terms,
                               .wants_model = (self - SUM_OWNER) % 2 == 0,
                               .secret = names->secrets[self]};
}

static bool is_of_a_ring(hr_bytes terms) {
    ProtobufCMessage *read = NULL;
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, terms.at, terms.size, &read, NULL),
                     HR_OK);
    const bool ring = ((const Hedgerow__Terms *)read)->paper;
    hr_message_unpacked_free(read);
    return ring;
}

hr_protocol *sum_machine(const hr_protocol_setup *setup) {
    static hr_protocol_make *const makes[2][2] = {{hr_securesum_owner, hr_securesum_coordinator},
                                                  {hr_ring_owner, hr_ring_coordinator}};
    hr_protocol *machine = NULL;
    hr_error err = {0};
    if (makes[is_of_a_ring(setup->terms)][setup->view->self == SUM_COORDINATOR](setup, &machine, &err))
        fail_msg("%s", err.message);
    return machine;
}

/* ---- The method ---- */

size_t sum_size(size_t question) {
    return 1 + question * 7 % SUM_VALUES_MAX;
}

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

uint64_t sum_value(size_t owner, size_t question, size_t i) {
    return mix(mix(mix(owner + 1) + question) + i);
}

uint32_t sum_index(size_t owner, size_t question) {
    return (uint32_t)(1000 * question + owner);
}

static bool is_choice(const sum_script *script, size_t question) {
    return script->choice_every && question % script->choice_every == 0;
}

size_t sum_number(hr_bytes body) {
    assert_int_equal(body.size, 1);
    return body.at[0];
}

static hr_bytes next_question(const sum_sim *s) {
    const size_t number =
        (is_ring(s->script) ? hr_ring_outcomes : hr_securesum_outcomes)(s->parties[SUM_COORDINATOR].machine);
    const uint8_t body = (uint8_t)number;
    Hedgerow__Question q = HEDGEROW__QUESTION__INIT;
    q.done = number == s->script->questions;
    if (q.done) q.model = hr_text_of("the model");
    if (!q.done) q.body = hr_data_of(&body, 1);
    if (!q.done && is_choice(s->script, number)) q.turns = (uint32_t)s->script->turns;
    if (!q.done && !q.turns) q.values = (uint32_t)sum_size(number);
    return sum_pack(&q);
}

hr_bytes sum_answer(const hr_protocol *owner, size_t index) {
    hr_sum_question q;
    hr_bytes out = {0};
    assert_true(hr_securesum_question(owner, index, &q) && q.here);
    const size_t self = hr_securesum_self(owner), number = sum_number(q.body), count = sum_size(number);
    if (q.choice) {
        assert_int_equal(hr_securesum_pack_choice(&q, sum_index(self, number), &out, NULL), HR_OK);
        return out;
    }
    uint64_t values[SUM_VALUES_MAX];
    hr_mask *mask = NULL;
    for (size_t i = 0; i < count; i++) values[i] = sum_value(self, number, i);
    assert_int_equal(hr_securesum_mask(owner, index, &mask, NULL), HR_OK);
    hr_mask_add(mask, values, count);
    hr_mask_free(mask);
    assert_int_equal(hr_securesum_pack_share(&q, values, count, &out, NULL), HR_OK);
    return out;
}

/* On a ring: what its machine makes two shares of. */
static hr_bytes answer_on_ring(const sum_sim *s, size_t who, size_t index) {
    const size_t count = sum_size(index);
    hr_bytes out = {0};
    uint64_t values[SUM_VALUES_MAX];
    hr_mask *mask = NULL;
    hr_sum_question q;
    assert_true(hr_ring_question(s->parties[who].machine, index, &q) && q.here &&
                sum_number(q.body) == index);
    for (size_t i = 0; i < count; i++) values[i] = sum_value(who - SUM_OWNER, index, i);
    assert_int_equal(hr_ring_mask(s->parties[who].machine, index, &mask, NULL), HR_OK);
    hr_mask_add(mask, values, count);
    hr_mask_free(mask);
    assert_int_equal(hr_securesum_pack_share(&q, values, count, &out, NULL), HR_OK);
    return out;
}

/* ---- Actions ---- */

static void log_bytes(sum_party *p, const void *at, size_t size) {
    if (!size) return;
    p->actions = realloc(p->actions, p->action_size + size);
    assert_non_null(p->actions);
    memcpy(p->actions + p->action_size, at, size);
    p->action_size += size;
}

static void log_action(sum_party *p, const hr_action *a) {
    const uint64_t head[] = {a->kind, a->member, a->slot, a->bytes.size, strlen(a->text)};
    log_bytes(p, head, sizeof head);
    log_bytes(p, a->bytes.at, a->bytes.size);
    log_bytes(p, a->text, strlen(a->text));
}

/* Which owners a question is asked of. */
static void note_question(sum_sim *s, const hr_action *a) {
    Hedgerow__Message *m = NULL;
    const hr_event event = {.bytes = a->bytes.at, .size = a->bytes.size};
    assert_int_equal(hr_message_read(&event, &m, NULL), HR_OK);
    if (m->kind_case == HEDGEROW__MESSAGE__KIND_ASK)
        for (size_t i = 0; i < SUM_OWNERS_MAX; i++)
            s->asked[m->ask->body.data[0]][i] =
                is_ring(s->script) ? i < s->script->owners : m->ask->members.data[0] >> i & 1;
    hr_message_unpacked_free(&m->base);
}

static void send_letter(sum_sim *s, size_t who, const hr_action *a) {
    assert_true(a->member < SUM_MEMBERS && a->member != who && a->bytes.size);
    assert_true(s->letter_count < SUM_LETTERS_MAX);
    if (who == SUM_COORDINATOR) note_question(s, a);
    s->letters[s->letter_count++] = (sum_letter){who, a->member, a->bytes};
}

static void carry_out(sum_sim *s, size_t who, hr_action *a) {
    sum_party *p = &s->parties[who];
    assert_false(p->ends);
    switch (a->kind) {
    case HR_ACT_SEND: send_letter(s, who, a); return;
    case HR_ACT_TRAIN: assert_true(a->slot < COUNT(p->answered) && !p->answered[a->slot]++); /* fallthrough */
    case HR_ACT_DECIDE:
    case HR_ACT_NEXT_QUESTION:
        assert_int_equal(p->work.kind, 0);
        p->work = *a;
        break;
    case HR_ACT_CUT_OFF:
        assert_true(a->member < SUM_MEMBERS && !p->cut[a->member] && a->text[0]);
        p->cut[a->member] = true;
        s->cuts++;
        snprintf(s->last_cut, sizeof s->last_cut, "%zu cut off %zu: %s", who, a->member, a->text);
        break;
    case HR_ACT_LOG:
    case HR_ACT_WARN: assert_true(a->text[0]); break;
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

static void take_actions(sum_sim *s, size_t who) {
    hr_action a;
    while (hr_protocol_next(s->parties[who].machine, &a)) {
        log_action(&s->parties[who], &a);
        carry_out(s, who, &a);
    }
}

static hr_bytes exact_copy(const void *at, size_t size) {
    hr_bytes out = {malloc(size ? size : 1), size};
    assert_non_null(out.at);
    if (size) memcpy(out.at, at, size);
    return out;
}

void sum_feed(sum_sim *s, size_t who, hr_event event) {
    sum_party *p = &s->parties[who];
    hr_bytes kept = exact_copy(event.bytes, event.size), gone = exact_copy(event.bytes, event.size);
    assert_true(p->event_count < SUM_EVENTS_MAX);
    event.bytes = kept.at;
    p->events[p->event_count++] = event;
    event.bytes = gone.at;
    assert_int_equal(hr_protocol_feed(p->machine, &event, NULL), HR_OK);
    free(gone.at);
    take_actions(s, who);
}

static void feed_letter(sum_sim *s, const sum_letter *l) {
    if (s->parties[l->to].machine && !s->parties[l->to].cut[l->from])
        sum_feed(s, l->to,
                 (hr_event){
                     .kind = HR_EVENT_MESSAGE, .from = l->from, .bytes = l->bytes.at, .size = l->bytes.size});
}

void sum_feed_message(sum_sim *s, size_t from, size_t to, Hedgerow__Message__KindCase kind,
                      const void *content) {
    const Hedgerow__Message m = sum_message(kind, content);
    const sum_letter letter = {from, to, sum_pack(&m)};
    feed_letter(s, &letter);
    free(letter.bytes.at);
}

/* ---- A job ---- */

sum_sim *sum_open(const sum_names *names, const sum_script *script, uint64_t seed) {
    sum_sim *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->names = names;
    s->script = script;
    hr_dice_init(&s->dice, seed);
    s->terms = sum_terms(script);
    for (size_t who = 0; who <= script->owners; who++) {
        s->parties[who].setup = sum_setup(names, who, s->terms);
        s->parties[who].machine = sum_machine(&s->parties[who].setup);
    }
    take_actions(s, SUM_COORDINATOR);
    return s;
}

void sum_close(sum_sim *s) {
    for (size_t who = 0; who < SUM_MEMBERS; who++) {
        sum_party *p = &s->parties[who];
        for (size_t e = 0; e < p->event_count; e++) free((void *)p->events[e].bytes);
        free(p->actions);
        hr_protocol_free(p->machine);
    }
    for (size_t l = 0; l < s->letter_count; l++) free(s->letters[l].bytes.at);
    free(s->terms.at);
    free(s);
}

void sum_deliver(sum_sim *s, size_t letter) {
    sum_letter l = s->letters[letter];
    memmove(&s->letters[letter], &s->letters[letter + 1], (--s->letter_count - letter) * sizeof l);
    if (s->tamper) s->tamper(s, &l);
    feed_letter(s, &l);
    free(l.bytes.at);
}

void sum_work(sum_sim *s, size_t who) {
    sum_party *p = &s->parties[who];
    const hr_action work = p->work;
    hr_bytes made = {0};
    p->work.kind = 0;
    if (work.kind == HR_ACT_DECIDE) {
        sum_feed(s, who,
                 (hr_event){.kind = HR_EVENT_DECIDED,
                            .number = !p->refuses,
                            .bytes = (const uint8_t *)"no",
                            .size = p->refuses ? 2 : 0});
        return;
    }
    if (work.kind == HR_ACT_NEXT_QUESTION) {
        made = next_question(s);
        sum_feed(s, who, (hr_event){.kind = HR_EVENT_NEXT_QUESTION, .bytes = made.at, .size = made.size});
    } else {
        if (hr_dice_below(&s->dice, 100) >= p->loses)
            made = is_ring(s->script) ? answer_on_ring(s, who, work.slot) : sum_answer(p->machine, work.slot);
        sum_feed(s, who, (hr_event){.kind = HR_EVENT_WORK_STARTED, .number = work.slot});
        sum_feed(s, who, (hr_event){.kind = HR_EVENT_WORK_DONE, .bytes = made.at, .size = made.size});
    }
    free(made.at);
}

/* The first letter between its two members. */
static bool is_first(const sum_sim *s, size_t letter) {
    for (size_t i = 0; i < letter; i++)
        if (s->letters[i].from == s->letters[letter].from && s->letters[i].to == s->letters[letter].to)
            return false;
    return true;
}

bool sum_step(sum_sim *s) {
    size_t choices[SUM_LETTERS_MAX + SUM_MEMBERS], count = 0;
    for (size_t l = 0; l < s->letter_count; l++)
        if (!s->parties[s->letters[l].to].away && is_first(s, l)) choices[count++] = l;
    for (size_t who = 0; who < SUM_MEMBERS; who++)
        if (s->parties[who].work.kind && !s->parties[who].away) choices[count++] = SUM_LETTERS_MAX + who;
    if (!count) return false;
    size_t choice = choices[hr_dice_below(&s->dice, count)];
    if (choice < SUM_LETTERS_MAX)
        sum_deliver(s, choice);
    else
        sum_work(s, choice - SUM_LETTERS_MAX);
    return true;
}

void sum_run(sum_sim *s, void (*meanwhile)(sum_sim *s)) {
    for (size_t steps = 0;; steps++) {
        assert_true(steps < 20000);
        if (meanwhile) meanwhile(s);
        if (sum_step(s)) continue;
        if (!hr_protocol_waits(s->parties[SUM_COORDINATOR].machine)) return;
        assert_true(++s->aways < 200);
        sum_feed(s, SUM_COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    }
}

/* ---- What must hold ---- */

static void check_sum(const sum_sim *s, size_t question, const hr_sum_outcome *o) {
    size_t members = 0;
    for (size_t i = 0; i < SUM_OWNERS_MAX; i++) members += s->asked[question][i];
    assert_int_equal(o->members, members);
    if (o->dropped) assert_null(o->sums);
    if (o->dropped) return;
    assert_int_equal(o->count, sum_size(question));
    for (size_t v = 0; v < o->count; v++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < SUM_OWNERS_MAX; i++)
            if (s->asked[question][i]) sum += sum_value(i, question, v);
        if (o->sums[v] != sum) fail_msg("question %zu: value %zu is another sum", question, v);
    }
}

size_t sum_check_outcomes(const sum_sim *s) {
    const hr_protocol *coordinator = s->parties[SUM_COORDINATOR].machine;
    const size_t *owners, count = hr_securesum_owners(coordinator, &owners);
    size_t lost = 0;
    hr_sum_outcome o;
    for (size_t q = 0; (is_ring(s->script) ? hr_ring_outcome : hr_securesum_outcome)(coordinator, q, &o);
         q++) {
        lost += o.dropped;
        assert_int_equal(o.choice, is_choice(s->script, q));
        if (!o.choice)
            check_sum(s, q, &o);
        else
            assert_int_equal(o.index,
                             o.dropped ? 0 : sum_index(hr_members_position(owners, count, o.member), q));
    }
    return lost;
}

void sum_check_over(const sum_sim *s) {
    for (size_t who = 0; who <= s->script->owners; who++) {
        const sum_party *p = &s->parties[who];
        if (p->ends != 1) fail_msg("member %zu has %zu ends", who, p->ends);
        if (p->failed && !p->refuses) fail_msg("member %zu failed: %s", who, p->why);
    }
    if (s->cuts) fail_msg("%s", s->last_cut);
}

void sum_check_replay(const sum_sim *s) {
    for (size_t who = 0; who <= s->script->owners; who++) {
        const sum_party *p = &s->parties[who];
        sum_party again = {.machine = sum_machine(&p->setup)};
        hr_action a;
        for (size_t e = 0; e <= p->event_count; e++) {
            while (hr_protocol_next(again.machine, &a)) {
                log_action(&again, &a);
                free(a.bytes.at);
            }
            if (e < p->event_count)
                assert_int_equal(hr_protocol_feed(again.machine, &p->events[e], NULL), HR_OK);
        }
        assert_int_equal(again.action_size, p->action_size);
        if (p->action_size) assert_memory_equal(again.actions, p->actions, p->action_size);
        free(again.actions);
        hr_protocol_free(again.machine);
    }
}
