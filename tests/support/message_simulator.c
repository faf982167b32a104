#include "support/message_simulator.h"

/* ---- Machines ---- */

const finding found_half = {512, 1024, {0}};

hr_bytes terms_of(const job_script *s) {
    ProtobufCBinaryData names[] = {hr_text_of("anna"), hr_text_of("bert"), hr_text_of("carl")};
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    terms.name = hr_text_of("job");
    terms.schema = hr_text_of(the_schema);
    terms.method = hr_text_of("inprivate");
    terms.epsilon = 1 / (1 - s->vote_share);
    terms.rounds = s->rounds;
    terms.broadcast = s->broadcast;
    terms.vote_share = s->vote_share;
    terms.last_slots = s->last_slots;
    terms.owners = names;
    terms.n_owners = 3;
    return packed(&terms);
}

hr_protocol *machine_of(const hr_protocol_setup *setup) {
    hr_protocol *machine = NULL;
    hr_error err = {0};
    bool mine = setup->view->self == setup->coordinator;
    if ((mine ? hr_inprivate_coordinator : hr_inprivate_owner)(setup, &machine, &err))
        fail_msg("%s", err.message);
    return machine;
}

hr_protocol_setup setup_of(const test_members *f, size_t self, const job_script *s, hr_bytes terms) {
    return (hr_protocol_setup){.view = &f->views[self],
                               .job = the_job,
                               .schema = f->schema,
                               .coordinator = COORDINATOR,
                               .min_owners = s->min_owners,
                               .terms = terms,
                               .round_gain = s->round_gain};
}

static hr_digest terms_digest_of(const hr_protocol_setup *setup) {
    ProtobufCMessage *terms = NULL;
    hr_digest digest;
    assert_int_equal(
        hr_message_unpack(&hedgerow__terms__descriptor, setup->terms.at, setup->terms.size, &terms, NULL),
        HR_OK);
    assert_int_equal(hr_terms_digest(setup, (const Hedgerow__Terms *)terms, &digest, NULL), HR_OK);
    hr_message_unpacked_free(terms);
    return digest;
}

acceptance acceptance_by(const test_members *f, const hr_protocol_setup *setup, size_t member) {
    const hr_digest terms = terms_digest_of(setup);
    acceptance made;
    hr_acceptance_sign(f->who[member], &terms, made.bytes);
    return made;
}

hr_job_state started_state_of(const test_members *f, const hr_protocol_setup *setup, size_t self) {
    hr_job_state made = job_state_of(f, self);
    made.terms = terms_digest_of(setup);
    made.start = hr_start_digest(&made.terms, &f->membership, made.owners, made.owner_count);
    if (self == COORDINATOR) hr_job_state_sign_start(&made);
    return made;
}

hr_job_state simulated_state_of(const simulator *b, size_t self) {
    return started_state_of(b->f, &b->parties[COORDINATOR].setup, self);
}

hr_bytes ballot_bytes(size_t round, size_t slot, finding found, size_t tails) {
    hr_release line = half_a_unit(slot);
    Hedgerow__Ballot ballot = HEDGEROW__BALLOT__INIT;
    Hedgerow__Release *storage = NULL;
    line.tree = -1;
    line.cost = HR_UNIT / 8;
    line.scale_num = 8;
    assert_int_equal(hr_wire_releases_pack(&line, 1, &storage, &ballot.releases, NULL), HR_OK);
    ballot.n_releases = 1;
    ballot.round = (uint32_t)round;
    ballot.counted = true;
    ballot.gain = found.gain;
    ballot.records = found.records;
    ballot.tails = found.tails;
    ballot.n_tails = tails;
    hr_bytes out = packed(&ballot);
    free(storage);
    free(ballot.releases);
    return out;
}

/* ---- Actions ---- */

static void byte_log_add(byte_log *t, const void *at, size_t size) {
    if (!size) return;
    t->at = realloc(t->at, t->size + size);
    assert_non_null(t->at);
    memcpy(t->at + t->size, at, size);
    t->size += size;
}

static void byte_log_action(byte_log *t, const hr_action *a) {
    const uint64_t head[] = {a->kind, a->member, a->slot, a->bytes.size, strlen(a->text)};
    byte_log_add(t, head, sizeof head);
    byte_log_add(t, a->bytes.at, a->bytes.size);
    byte_log_add(t, a->text, strlen(a->text));
}

static void note_line(simulator *b, const char *line) {
    size_t had = strlen(b->said);
    snprintf(b->said + had, sizeof b->said - had, "%s\n", line);
}

size_t lines_with(const simulator *b, const char *text) {
    size_t count = 0;
    for (const char *at = b->said; (at = strstr(at, text)) != NULL; count++) at = strchr(at, '\n');
    return count;
}

static void carry_out(simulator *b, size_t who, hr_action *a) {
    simulated_party *s = &b->parties[who];
    assert_false(s->ends);
    assert_true(hr_text_is_fit(hr_text_of(a->text), HR_ACTION_TEXT));
    switch (a->kind) {
    case HR_ACT_SEND:
        assert_true(a->member < MEMBERS && a->member != who && a->bytes.size);
        assert_true(b->letter_count < LETTERS_MAX);
        b->letters[b->letter_count++] = (letter){who, a->member, a->bytes};
        return;
    case HR_ACT_DECIDE:
    case HR_ACT_TRAIN:
    case HR_ACT_VOTE:
        assert_int_equal(s->work.kind, 0);
        if (a->kind == HR_ACT_TRAIN) assert_true(a->slot < 64 && !s->trained[a->slot]++);
        s->work = *a;
        break;
    case HR_ACT_CUT_OFF:
        assert_true(a->member < MEMBERS && !s->cut[a->member] && a->text[0]);
        s->cut[a->member] = true;
        b->cuts++;
        snprintf(b->why, sizeof b->why, "%zu cut off %zu: %s", who, a->member, a->text);
        break;
    case HR_ACT_LOG:
    case HR_ACT_WARN:
        assert_true(a->text[0]);
        if (who == COORDINATOR) note_line(b, a->text);
        break;
    case HR_ACT_FINISH:
    case HR_ACT_FAIL:
        s->ends++;
        memcpy(s->why, a->text, sizeof s->why);
        break;
    default: fail_msg("an action of no kind");
    }
    free(a->bytes.at);
}

static void take_actions(simulator *b, size_t who) {
    hr_action a;
    while (hr_protocol_next(b->parties[who].machine, &a)) {
        byte_log_action(&b->parties[who].actions, &a);
        carry_out(b, who, &a);
    }
}

void feed(simulator *b, size_t who, hr_event event) {
    simulated_party *s = &b->parties[who];
    hr_bytes kept = bytes_of(event.bytes, event.size), gone = bytes_of(event.bytes, event.size);
    assert_true(s->event_count < EVENTS_MAX);
    event.bytes = kept.at;
    s->events[s->event_count++] = event;
    event.bytes = gone.at;
    assert_int_equal(hr_protocol_feed(s->machine, &event, NULL), HR_OK);
    free(gone.at);
    take_actions(b, who);
}

void feed_message(simulator *b, size_t from, size_t to, const void *at, size_t size) {
    if (!b->parties[to].cut[from])
        feed(b, to, (hr_event){.kind = HR_EVENT_MESSAGE, .from = from, .bytes = at, .size = size});
}

void send_message(simulator *b, size_t from, size_t to, const Hedgerow__Message *message) {
    hr_bytes bytes = packed(message);
    feed_message(b, from, to, bytes.at, bytes.size);
    free(bytes.at);
}

/* ---- Opening and closing ---- */

simulator *simulator_open(const test_members *f, const job_script *s, uint64_t seed) {
    simulator *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->f = f;
    b->script = s;
    hr_dice_init(&b->dice, seed);
    b->terms = terms_of(s);
    for (size_t who = COORDINATOR; who <= CARL; who++) {
        b->parties[who].setup = setup_of(f, who, s, b->terms);
        b->parties[who].machine = machine_of(&b->parties[who].setup);
        b->found[who] = found_half;
    }
    take_actions(b, COORDINATOR);
    return b;
}

void simulator_close(simulator *b) {
    for (size_t who = COORDINATOR; who <= CARL; who++) {
        simulated_party *s = &b->parties[who];
        for (size_t e = 0; e < s->event_count; e++) free((void *)s->events[e].bytes);
        free(s->actions.at);
        hr_protocol_free(s->machine);
    }
    for (size_t l = 0; l < b->letter_count; l++) free(b->letters[l].bytes.at);
    free(b->terms.at);
    free(b);
}

/* ---- Steps ---- */

void deliver(simulator *b, size_t index) {
    letter l = b->letters[index];
    memmove(&b->letters[index], &b->letters[index + 1], (--b->letter_count - index) * sizeof l);
    if (b->tamper) b->tamper(b, &l);
    if (b->parties[l.to].machine) feed_message(b, l.from, l.to, l.bytes.at, l.bytes.size);
    free(l.bytes.at);
}

/* The first letter between its two members. */
static bool is_first(const simulator *b, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (b->letters[i].from == b->letters[index].from && b->letters[i].to == b->letters[index].to)
            return false;
    return true;
}

/* In a tree that is not signed yet. */
static void name_false_set(hr_bytes *tree) {
    ProtobufCMessage *unpacked = NULL;
    assert_int_equal(hr_message_unpack(&hedgerow__tree__descriptor, tree->at, tree->size, &unpacked, NULL),
                     HR_OK);
    ((Hedgerow__Tree *)unpacked)->set.data[0] ^= 1;
    free(tree->at);
    *tree = packed(unpacked);
    hr_message_unpacked_free(unpacked);
}

void do_work(simulator *b, size_t who) {
    simulated_party *s = &b->parties[who];
    const hr_action work = s->work;
    s->work.kind = 0;
    if (work.kind == HR_ACT_DECIDE) {
        static const char why[] = "no";
        feed(b, who,
             (hr_event){.kind = HR_EVENT_DECIDED,
                        .number = !s->refuses,
                        .bytes = (const uint8_t *)why,
                        .size = s->refuses ? 2 : 0});
        return;
    }
    bool lost = hr_dice_below(&b->dice, 100) < s->loses;
    hr_bytes made = {0};
    if (!lost) {
        size_t owners = hr_inprivate_owner_course(s->machine)->owner_count;
        size_t round = work.slot / owners,
               most = b->script->last_slots < owners ? b->script->last_slots : owners - 1;
        size_t tails = round + 1 == b->script->rounds ? most : 0;
        made = work.kind == HR_ACT_TRAIN ? leaf_bytes(b->f, hr_inprivate_owner_course(s->machine), work.slot)
                                         : ballot_bytes(round, work.slot, b->found[who], tails);
    }
    if (made.size && s->names_false_sets && work.kind == HR_ACT_TRAIN) name_false_set(&made);
    feed(b, who, (hr_event){.kind = HR_EVENT_WORK_STARTED});
    feed(b, who, (hr_event){.kind = HR_EVENT_WORK_DONE, .bytes = made.at, .size = made.size});
    free(made.at);
}

bool simulator_step(simulator *b) {
    size_t choices[LETTERS_MAX + MEMBERS], count = 0;
    for (size_t l = 0; l < b->letter_count; l++)
        if (!b->parties[b->letters[l].to].away && is_first(b, l)) choices[count++] = l;
    for (size_t who = 0; who < MEMBERS; who++)
        if (b->parties[who].work.kind && !b->parties[who].away) choices[count++] = LETTERS_MAX + who;
    if (!count) return false;
    size_t choice = choices[hr_dice_below(&b->dice, count)];
    if (choice < LETTERS_MAX)
        deliver(b, choice);
    else
        do_work(b, choice - LETTERS_MAX);
    return true;
}

void simulator_run(simulator *b, void (*meanwhile)(simulator *b)) {
    for (size_t steps = 0;; steps++) {
        assert_true(steps < 20000);
        if (meanwhile) meanwhile(b);
        if (simulator_step(b)) continue;
        if (!hr_protocol_waits(b->parties[COORDINATOR].machine)) return;
        assert_true(++b->aways < 200);
        feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    }
}

void all_return(simulator *b) {
    for (size_t who = 0; who < MEMBERS; who++) b->parties[who].away = false;
    simulator_run(b, NULL);
}

void check_over(const simulator *b) {
    for (size_t who = COORDINATOR; who <= CARL; who++)
        if (b->parties[who].ends != 1) fail_msg("member %zu has %zu ends", who, b->parties[who].ends);
    if (b->cuts) fail_msg("%s", b->why);
}

void check_replay(const simulator *b) {
    for (size_t who = COORDINATOR; who <= CARL; who++) {
        const simulated_party *s = &b->parties[who];
        hr_protocol *again = machine_of(&s->setup);
        byte_log actions = {0};
        hr_action a;
        for (size_t e = 0; e <= s->event_count; e++) {
            while (hr_protocol_next(again, &a)) {
                byte_log_action(&actions, &a);
                free(a.bytes.at);
            }
            if (e < s->event_count) assert_int_equal(hr_protocol_feed(again, &s->events[e], NULL), HR_OK);
        }
        assert_int_equal(actions.size, s->actions.size);
        if (actions.size) assert_memory_equal(actions.at, s->actions.at, actions.size);
        free(actions.at);
        hr_protocol_free(again);
    }
}

size_t trees_of(const simulator *b) {
    const hr_job_state *c = hr_inprivate_coordinator_course(b->parties[COORDINATOR].machine);
    size_t trees = 0;
    for (size_t p = 0; c && p < hr_job_state_slots(c); p++) trees += c->slots[p].state == HR_SLOT_TREE;
    return trees;
}
