/* An owner's machine: whatever the coordinator, other owners or strangers to the job send at whatever point,
 * it does its part or cuts them off, and never trains or votes more than once. */
#include "base/text/calendar.h"
#include "support/message_phases.h"

enum { FLOOD = 2000 };

/* ---- Everything at every point ---- */

/* Whether an honest coordinator may send such a message to an owner at that point; what these hold is false
 * all the same. */
static bool may_come(Hedgerow__Message__KindCase kind, point p) {
    switch (kind) {
    case HEDGEROW__MESSAGE__KIND_TERMS: return p == OFFERED;
    case HEDGEROW__MESSAGE__KIND_START: return p == ACCEPTED;
    case HEDGEROW__MESSAGE__KIND_FOREST: return p >= ACCEPTED;
    case HEDGEROW__MESSAGE__KIND_ROUND: return p >= POLLED;
    case HEDGEROW__MESSAGE__KIND_FINISH: return true;
    default: return p == ENDED;
    }
}

static void check_message(const test_members *f, const sample *s, size_t from, point p) {
    simulator *b = simulator_at(f, &voting_job, BERT, p);
    ProtobufCMessage *message = NULL;
    assert_int_equal(hr_message_unpack(s->type, s->bytes.at, s->bytes.size, &message, NULL), HR_OK);
    Hedgerow__Message__KindCase kind = ((Hedgerow__Message *)message)->kind_case;
    hr_message_unpacked_free(message);
    bool ended = b->parties[BERT].ends, was_cut = cut_by(b, BERT, from);
    feed_message(b, from, BERT, s->bytes.at, s->bytes.size);
    bool cut = !was_cut && cut_by(b, BERT, from);
    if (ended) assert_false(cut);
    /* Of early trees, and of those that it has, it does not look at the content. */
    bool ignored = kind == HEDGEROW__MESSAGE__KIND_FOREST && from == ANNA && (p == ACCEPTED || p >= POLLED);
    if (!ended && from != COORDINATOR && !cut && !ignored)
        fail_msg("kind %d at %d from %zu", (int)kind, (int)p, from);
    if (!ended && from == COORDINATOR && !may_come(kind, p) && !cut)
        fail_msg("kind %d at %d", (int)kind, (int)p);
    if (from == COORDINATOR && cut)
        assert_int_equal(b->parties[BERT].ends, 1); /* without a coordinator there is no job */
    check_replay(b);
    simulator_close(b);
}

static void test_owner__survives_every_message_at_every_point(void **state) {
    static const size_t senders[] = {COORDINATOR, ANNA, OUTSIDER};
    sample samples[SAMPLES];
    size_t count = samples_of(*state, samples);
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < 3; i++)
            for (int p = OFFERED; p < POINTS; p++)
                if (samples[s].type == &hedgerow__message__descriptor)
                    check_message(*state, &samples[s], senders[i], (point)p);
    samples_done(samples, count);
}

static void test_owner__survives_bytes_that_are_no_message(void **state) {
    static const char *const bytes[] = {"", "\x0a", "\xff\xff", "\xa2\x06\x01x", "no message"};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        for (int p = OFFERED; p < ENDED; p++)
            for (size_t from = COORDINATOR; from <= ANNA; from++) {
                simulator *b = simulator_at(*state, &voting_job, BERT, (point)p);
                feed_message(b, from, BERT, bytes[i], strlen(bytes[i]));
                assert_true(cut_by(b, BERT, from));
                simulator_close(b);
            }
}

/* Its own events, where none was asked for. */
static void test_owner__ignores_events_out_of_turn(void **state) {
    static const hr_event_kind kinds[] = {HR_EVENT_DECIDED, HR_EVENT_WORK_STARTED, HR_EVENT_WORK_DONE,
                                          HR_EVENT_TIMEOUT};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        simulator *b = simulator_at(*state, &voting_job, BERT, STARTED);
        size_t letters = b->letter_count;
        feed(b, BERT, (hr_event){.kind = kinds[k], .number = 1});
        assert_int_equal(b->letter_count, letters);
        simulator_run(b, NULL);
        check_over(b);
        assert_int_equal(trees_of(b), 9);
        simulator_close(b);
    }
}

/* ---- The coordinator's tricks ---- */

static void send_poll(simulator *b, uint32_t round) {
    Hedgerow__Poll poll = HEDGEROW__POLL__INIT;
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_POLL);
    poll.round = round;
    m.poll = &poll;
    send_message(b, COORDINATOR, BERT, &m);
}

/* Every further vote on the same records would tell more than was paid for. */
static void test_owner__votes_once_a_round(void **state) {
    for (int voted = 0; voted < 2; voted++) {
        simulator *b = simulator_at(*state, &voting_job, BERT, VOTING);
        if (voted) do_work(b, BERT);
        send_poll(b, 0);
        assert_true(cut_by(b, BERT, COORDINATOR));
        assert_int_equal(b->parties[BERT].work.kind, voted ? 0 : HR_ACT_VOTE);
        simulator_close(b);
    }
}

static void test_owner__does_not_vote_where_no_votes_were_offered(void **state) {
    const job_script without = {3, false, 0, 0, 1, 0};
    simulator *b = simulator_at(*state, &without, BERT, TRAINING);
    do_work(b, BERT);
    send_poll(b, 0);
    assert_true(cut_by(b, BERT, COORDINATOR));
    assert_int_equal(b->parties[BERT].work.kind, 0);
    simulator_close(b);
}

static void test_owner__refuses_rounds_out_of_turn(void **state) {
    static const uint32_t rounds[] = {0, 2, 3, 8, UINT32_MAX};
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++)
        for (int poll = 0; poll < 2; poll++) {
            simulator *b = simulator_at(*state, &voting_job, BERT, STARTED);
            Hedgerow__Round round = HEDGEROW__ROUND__INIT;
            Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_ROUND);
            round.round = rounds[i];
            m.round = &round;
            if (!poll)
                send_message(b, COORDINATOR, BERT, &m);
            else if (i)
                send_poll(b, rounds[i]);
            assert_int_equal(cut_by(b, BERT, COORDINATOR), !poll || i);
            simulator_close(b);
        }
}

/* What is wrong with the acceptances of a start. */
typedef enum start_fault {
    NOTHING,
    ONE_TOO_FEW,
    ONE_TOO_MANY,
    ONE_EMPTY,
    OF_ANOTHER,
    OF_OTHER_TERMS,
    UNSIGNED,
    FAULTS
} start_fault;

static void accept_all(const simulator *b, const char *const *names, size_t count, acceptance *out) {
    const hr_protocol_setup *setup = &b->parties[COORDINATOR].setup;
    for (size_t i = 0; i < count; i++) {
        const char *name = names[i < 3 && names[i] ? i : 0];
        size_t member = hr_membership_by_name(&((inprivate_job *)b)->f->membership, name, strlen(name));
        out[i] = acceptance_by(((inprivate_job *)b)->f, setup, member == HR_NO_MEMBER ? ANNA : member);
    }
}

static void check_start(const test_members *f, size_t count, const char *const *names, start_fault fault) {
    simulator *b = simulator_at(f, &voting_job, BERT, ACCEPTED);
    ProtobufCBinaryData owners[HR_MEMBERS_MAX + 2], acceptances[HR_MEMBERS_MAX + 2];
    static acceptance signatures[HR_MEMBERS_MAX + 2];
    bool fine = fault == NOTHING;
    accept_all(b, names, count, signatures);
    Hedgerow__Start start = HEDGEROW__START__INIT;
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_START);
    for (size_t i = 0; i <= count; i++) {
        owners[i] = hr_text_of(names[i < 3 && names[i] ? i : 0]);
        acceptances[i] = hr_data_of(signatures[i].bytes, HR_SIGNATURE_SIZE);
    }
    start.owners = owners;
    start.acceptances = acceptances;
    start.n_owners = count;
    start.n_acceptances = count - (fault == ONE_TOO_FEW) + (fault == ONE_TOO_MANY);
    if (fault == ONE_EMPTY) acceptances[1].len = 0;
    if (fault == OF_ANOTHER) acceptances[2] = acceptances[1];
    hr_job_state state = simulated_state_of(b, COORDINATOR);
    size_t members[HR_MEMBERS_MAX + 1];
    for (size_t i = 0; i < count; i++)
        members[i] = hr_membership_by_name(&f->membership, owners[i].data, owners[i].len);
    if (count <= 3 && fine) {
        state.start = hr_start_digest(&state.terms, &f->membership, members, count);
        hr_job_state_sign_start(&state);
    }
    start.signature = hr_data_of(state.start_signature, fault == UNSIGNED ? 0 : HR_SIGNATURE_SIZE);
    if (fault == OF_OTHER_TERMS) { /* Carl was offered the job with votes on the last slots */
        const job_script other = {3, false, .5, 0, 1, 1};
        hr_protocol_setup setup = b->parties[COORDINATOR].setup;
        setup.terms = terms_of(&other);
        signatures[2] = acceptance_by(f, &setup, CARL);
        free(setup.terms.at);
    }
    m.start = &start;
    send_message(b, COORDINATOR, BERT, &m);
    hr_job_state_done(&state);
    assert_int_equal(cut_by(b, BERT, COORDINATOR), !fine);
    assert_int_equal(b->parties[BERT].ends, !fine);
    assert_int_equal(hr_inprivate_owner_course(b->parties[BERT].machine) != NULL, fine);
    simulator_close(b);
}

static void test_owner__starts_with_members_that_the_terms_named(void **state) {
    static const char *const lists[][8] = {
        {"bert", "anna", "carl"}, {"bert"},           {"anna", "carl"}, {"anna", "bert", "dora"},
        {"bert", "bert"},         {"bert", "nobody"}, {"bert", ""},     {"bert", "coordinator"}};
    static const size_t counts[] = {3, 1, 2, 3, 2, 2, 2, 2};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        check_start(*state, counts[i], lists[i], i < 2 ? NOTHING : FAULTS);
    check_start(*state, 0, lists[0], FAULTS);
    check_start(*state, HR_MEMBERS_MAX + 1, lists[0], FAULTS);
}

/* How many owners take part, and on which terms, is not the coordinator's word alone. */
static void test_owner__starts_with_owners_that_accepted_the_same_terms(void **state) {
    static const char *const names[] = {"anna", "bert", "carl"};
    for (int fault = NOTHING; fault < FAULTS; fault++) check_start(*state, 3, names, (start_fault)fault);
}

/* An acceptance is of one job and one coordinator: another offer of the same terms is another one. */
static void test_owner__accepts_one_offer(void **state) {
    const test_members *f = *state;
    hr_bytes terms = terms_of(&voting_job);
    hr_protocol_setup setup = setup_of(f, BERT, &voting_job, terms);
    const acceptance first = acceptance_by(f, &setup, BERT);
    setup.coordinator = OUTSIDER;
    const acceptance second = acceptance_by(f, &setup, BERT);
    setup.coordinator = COORDINATOR;
    setup.job.bytes[15]++;
    const acceptance third = acceptance_by(f, &setup, BERT);
    assert_memory_not_equal(&first, &second, sizeof first);
    assert_memory_not_equal(&first, &third, sizeof first);
    free(terms.at);
}

static void check_terms(const test_members *f, const Hedgerow__Terms *terms, bool fine) {
    simulator *b = simulator_at(f, &voting_job, BERT, OFFERED);
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_TERMS);
    m.terms = (Hedgerow__Terms *)terms;
    send_message(b, COORDINATOR, BERT, &m);
    assert_int_equal(cut_by(b, BERT, COORDINATOR), !fine);
    assert_int_equal(b->parties[BERT].work.kind == HR_ACT_DECIDE, fine);
    simulator_close(b);
    hr_bytes bytes = packed(terms);
    hr_protocol_setup setup = setup_of(f, COORDINATOR, &voting_job, bytes);
    hr_protocol *machine = NULL;
    assert_int_equal(hr_inprivate_coordinator(&setup, &machine, NULL), fine ? HR_OK : HR_E_FORMAT);
    hr_protocol_free(machine);
    free(bytes.at);
}

/* An owner whose federation file is older than the coordinator's: nobody broke the protocol. */
static void check_unknown_owner(const test_members *f, const Hedgerow__Terms *terms) {
    simulator *b = simulator_at(f, &voting_job, BERT, OFFERED);
    send_content(b, COORDINATOR, BERT, HEDGEROW__MESSAGE__KIND_TERMS, terms);
    assert_false(cut_by(b, BERT, COORDINATOR));
    assert_true(b->parties[BERT].failed && b->parties[BERT].work.kind == 0);
    assert_non_null(strstr(
        b->parties[BERT].why,
        "this owner's federation file does not list the owner 'stranger'; the coordinator's is version 0"));
    Hedgerow__Message *m = message_in(b->letters[b->letter_count - 1].bytes);
    assert_int_equal(m->kind_case, HEDGEROW__MESSAGE__KIND_ANSWER);
    assert_int_equal(m->answer->decline->code, HEDGEROW__DECLINE__CODE__UNKNOWN_MEMBER);
    hr_message_unpacked_free(&m->base);
    simulator_close(b);
}

static void check_numbers_of_terms(const test_members *f, const Hedgerow__Terms *fair) {
    const double nan = strtod("nan", NULL);
    static const uint32_t rounds[] = {0, HR_ROUNDS_MAX + 1, UINT32_MAX};
    const double epsilons[] = {0, -1, nan, 1e300, strtod("inf", NULL), 1048577},
                 shares[] = {-.1, 1, 1.5, nan}, deltas[] = {1e-9, nan, -1};
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        Hedgerow__Terms t = *fair;
        t.rounds = rounds[i];
        check_terms(f, &t, false);
    }
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        Hedgerow__Terms t = *fair;
        t.epsilon = epsilons[i];
        check_terms(f, &t, false);
    }
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        Hedgerow__Terms t = *fair;
        t.vote_share = shares[i];
        check_terms(f, &t, false);
    }
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        Hedgerow__Terms t = *fair;
        t.delta = deltas[i];
        check_terms(f, &t, false);
    }
}

static void check_date_of_terms(const test_members *f, const Hedgerow__Terms *fair) {
    Hedgerow__Terms late = *fair;
    late.date = (uint64_t)HR_DATE_MAX;
    check_terms(f, &late, true);
    late.date++;
    check_terms(f, &late, false);
    late.date = UINT64_MAX;
    check_terms(f, &late, false);
}

/* Its texts are shown to people and stand in the ledger. */
static void check_texts_of_terms(const test_members *f, const Hedgerow__Terms *fair) {
    static const char direction[] = "a\xe2\x80\xae" /* U+202E */ "b";
    const char *const texts[] = {"a\nb", "\x1b[2J", direction, "\xff"};
    for (size_t i = 0; i <= sizeof texts / sizeof *texts; i++) {
        const char *path = "/srv/secret-study/job.yaml";
        const ProtobufCBinaryData text = hr_text_of(i ? texts[i - 1] : path);
        Hedgerow__Setting name = HEDGEROW__SETTING__INIT, value = name, *one = &name, *other = &value;
        Hedgerow__Terms t = *fair;
        t.name = text;
        check_terms(f, &t, false);
        t = *fair;
        t.method = text;
        check_terms(f, &t, !i);
        t = *fair;
        t.schema = text;
        check_terms(f, &t, i < 2);
        t = *fair;
        t.n_settings = 1;
        t.settings = &one;
        name.name = text;
        check_terms(f, &t, !i);
        t.settings = &other;
        value.value = text;
        check_terms(f, &t, !i);
    }
    Hedgerow__Terms nameless = *fair;
    nameless.name.len = 0;
    check_terms(f, &nameless, false);
}

static void check_owners_of_terms(const test_members *f, const Hedgerow__Terms *fair) {
    ProtobufCBinaryData twice[] = {hr_text_of("anna"), hr_text_of("bert"), hr_text_of("anna")};
    ProtobufCBinaryData strange[] = {hr_text_of("bert"), hr_text_of("stranger")};
    Hedgerow__Terms t = *fair;
    t.n_owners = 0;
    check_terms(f, &t, false);
    t = *fair;
    t.owners = twice;
    check_terms(f, &t, false);
    t.owners = strange;
    t.n_owners = 2;
    check_unknown_owner(f, &t);
    t = *fair;
    t.coordinator_owner = hr_text_of("anna");
    check_terms(f, &t, true);
    t.coordinator_owner = hr_text_of("ann");
    check_terms(f, &t, false);
}

/* Exact ones in mode paper alone, and there nothing is paid for votes. */
static void check_votes_of_terms(const test_members *f, const Hedgerow__Terms *fair) {
    for (int i = 0; i < 16; i++) {
        Hedgerow__Terms t = *fair;
        t.paper = i & 1;
        t.exact_rounds = i >> 1 & 1;
        t.exact_trees = i >> 2 & 1;
        t.vote_share = i & 8 ? .5 : 0;
        check_terms(f, &t, t.paper ? t.vote_share == 0 : !t.exact_rounds && !t.exact_trees);
    }
}

static void test_owner__refuses_terms_that_cannot_be(void **state) {
    const test_members *f = *state;
    hr_bytes bytes = terms_of(&voting_job);
    ProtobufCMessage *message = NULL;
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, bytes.at, bytes.size, &message, NULL),
                     HR_OK);
    const Hedgerow__Terms *fair = (const Hedgerow__Terms *)message;
    check_terms(f, fair, true);
    check_numbers_of_terms(f, fair);
    check_date_of_terms(f, fair);
    check_texts_of_terms(f, fair);
    check_owners_of_terms(f, fair);
    check_votes_of_terms(f, fair);
    hr_message_unpacked_free(message);
    free(bytes.at);
}

static void test_owner__is_offered_a_job_once(void **state) {
    for (int p = DECIDING; p < ENDED; p++) {
        simulator *b = simulator_at(*state, &voting_job, BERT, (point)p);
        feed(b, BERT, b->parties[BERT].events[0]);
        assert_true(cut_by(b, BERT, COORDINATOR));
        simulator_close(b);
    }
}

/* It was polled on the first round while it was still training, and nobody waits for that vote any more. On
 * the second round, which it knows to be over, it votes when it is polled, and not before. */
static void test_owner__does_not_vote_late(void **state) {
    const job_script crowd = {3, true, .5, 0, 1, 0};
    simulator *b = simulator_at(*state, &crowd, BERT, TRAINING);
    const hr_job_state *c = hr_inprivate_coordinator_course(b->parties[COORDINATOR].machine);
    size_t poll = 0;
    b->parties[BERT].away = true;
    while (c->slots[4].state == HR_SLOT_OPEN || c->slots[5].state == HR_SLOT_OPEN)
        if (!simulator_step(b)) feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    for (size_t l = 0; l < b->letter_count; l++)
        if (b->letters[l].from == COORDINATOR && b->letters[l].to == BERT) poll = l;
    for (size_t l = 0; l < b->letter_count;)
        if (b->letters[l].to != BERT || l == poll)
            l++;
        else {
            deliver(b, l);
            poll -= l < poll;
        }
    do_work(b, BERT);
    assert_int_equal(b->parties[BERT].work.kind, 0);
    deliver(b, poll);
    assert_int_equal(b->parties[BERT].work.kind, HR_ACT_VOTE);
    simulator_close(b);
}

static void test_owner__takes_no_job_that_is_not_for_it(void **state) {
    const test_members *f = *state;
    simulator *b = simulator_at(f, &voting_job, BERT, OFFERED);
    ProtobufCBinaryData own[] = {hr_text_of("anna"), hr_text_of("carl")};
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_TERMS);
    terms.name = hr_text_of("job");
    terms.epsilon = terms.rounds = 1;
    terms.owners = own;
    terms.n_owners = 2;
    m.terms = &terms;
    send_message(b, COORDINATOR, BERT, &m);
    assert_true(cut_by(b, BERT, COORDINATOR));
    simulator_close(b);
}

static void test_owner__takes_a_skip_of_the_coordinator_alone(void **state) {
    const test_members *f = *state;
    for (size_t signer = COORDINATOR; signer <= OUTSIDER; signer++)
        for (uint32_t slot = 0; slot < 12; slot += 11) {
            simulator *b = simulator_at(f, &voting_job, BERT, STARTED);
            hr_job_state c = simulated_state_of(b, signer);
            hr_job_state_sign_empty(&c, 0);
            Hedgerow__Skip skip = HEDGEROW__SKIP__INIT;
            Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_SKIP);
            skip.slot = slot;
            skip.signature = hr_data_of(c.slots[0].signature, HR_SIGNATURE_SIZE);
            m.skip = &skip;
            send_message(b, COORDINATOR, BERT, &m);
            assert_int_equal(cut_by(b, BERT, COORDINATOR), signer != COORDINATOR || slot);
            hr_job_state_done(&c);
            simulator_close(b);
        }
}

static void test_owner__shows_no_unfit_reason(void **state) {
    simulator *b = simulator_at(*state, &voting_job, BERT, STARTED);
    Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_FINISH);
    finish.reason = hr_text_of("\x1b[2J");
    m.finish = &finish;
    send_message(b, COORDINATOR, BERT, &m); /* carry_out looks at the text */
    assert_int_equal(b->parties[BERT].ends, 1);
    simulator_close(b);
}

/* ---- Other owners ---- */

static void send_forest(simulator *b, size_t from, Hedgerow__Slot *slot) {
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_FOREST);
    hr_job_state state = simulated_state_of(b, from);
    forest.start = hr_data_of(state.start.bytes, HR_DIGEST_SIZE);
    forest.slots = &slot;
    forest.n_slots = slot != NULL;
    m.forest = &forest;
    send_message(b, from, BERT, &m);
    hr_job_state_done(&state);
}

/* Bert's slot was skipped while it trained, and Anna's of the next round too. What it passes on to Carl then
 * ends before Carl's slot, which it does not have, so that Carl does not miss a tree in it. */
static void test_owner__passes_on_no_more_than_it_has_in_full(void **state) {
    const job_script s = {3, false, 0, 0, 1, 0};
    simulator *b = simulator_at(*state, &s, BERT, TRAINING);
    const hr_job_state *c = hr_inprivate_coordinator_course(b->parties[COORDINATOR].machine);
    b->parties[ANNA].away = b->parties[BERT].away = true;
    while (c->slots[3].state != HR_SLOT_EMPTY)
        if (!simulator_step(b)) feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    assert_int_equal(c->slots[2].state, HR_SLOT_TREE);
    const hr_job_state *own = hr_inprivate_owner_course(b->parties[BERT].machine);
    for (size_t l = 0;
         own->slots[3].state == HR_SLOT_OPEN;) /* the coordinator's copy of slot 2 is on its way */
        if (b->letters[l].to == BERT)
            deliver(b, l);
        else
            l++;
    assert_int_equal(own->slots[2].state, HR_SLOT_OPEN);
    do_work(b, BERT);
    all_return(b);
    check_over(b);
    simulator_close(b);
}

/* The coordinator hears of it at once, and passes over Anna. */
static void test_owner__complains_of_trees_that_are_none(void **state) {
    simulator *b = simulator_at(*state, &voting_job, BERT, STARTED);
    Hedgerow__Slot slot = HEDGEROW__SLOT__INIT;
    slot.tree = hr_text_of("no tree");
    send_forest(b, ANNA, &slot);
    assert_true(cut_by(b, BERT, ANNA));
    letter last = b->letters[b->letter_count - 1];
    ProtobufCMessage *message = NULL;
    assert_true(last.from == BERT && last.to == COORDINATOR);
    assert_int_equal(
        hr_message_unpack(&hedgerow__message__descriptor, last.bytes.at, last.bytes.size, &message, NULL),
        HR_OK);
    const Hedgerow__Message *m = (const Hedgerow__Message *)message;
    assert_int_equal(m->kind_case, HEDGEROW__MESSAGE__KIND_NOTICE);
    assert_true(m->notice->kind == HEDGEROW__NOTICE__KIND__REFUSED && m->notice->slot == 0);
    hr_message_unpacked_free(message);
    simulator_close(b);
}

/* One who floods it before the start is cut off; the trees of others, sent early, are kept. */
static void test_owner__keeps_early_trees_during_a_flood(void **state) {
    const test_members *f = *state;
    simulator *b = simulator_at(f, &voting_job, BERT, ACCEPTED);
    hr_job_state anna = simulated_state_of(b, ANNA);
    sign_leaf(f, &anna, 0);
    for (int i = 0; i < FLOOD && !cut_by(b, BERT, CARL); i++) send_forest(b, CARL, NULL);
    assert_true(cut_by(b, BERT, CARL));
    send_forest(b, OUTSIDER, NULL);
    assert_true(cut_by(b, BERT, OUTSIDER));
    Hedgerow__Slot slot = HEDGEROW__SLOT__INIT;
    slot.tree = hr_data_of(anna.slots[0].tree.at, anna.slots[0].tree.size);
    slot.signature = hr_data_of(anna.slots[0].signature, HR_SIGNATURE_SIZE);
    send_forest(b, ANNA, &slot);
    assert_false(cut_by(b, BERT, ANNA));
    while (!is_there(b, BERT, STARTED)) assert_true(simulator_step(b));
    assert_int_equal(b->parties[BERT].work.kind, HR_ACT_TRAIN);
    hr_job_state_done(&anna);
    simulator_close(b);
}

static void test_owner__cuts_off_floods(void **state) {
    for (size_t from = COORDINATOR; from <= ANNA; from++) {
        simulator *b = simulator_at(*state, &voting_job, BERT, STARTED);
        int sent = 0;
        for (; sent < FLOOD && !cut_by(b, BERT, from); sent++) {
            simulated_party *s = &b->parties[BERT];
            send_forest(b, from, NULL);
            free((void *)s->events[--s->event_count].bytes); /* the events are not fed again */
        }
        assert_true(sent < FLOOD);
        simulator_close(b);
    }
}

/* Early trees of one that are no trees: it is cut off once, and the rest is not listened to. */
static void test_owner__cuts_off_once(void **state) {
    simulator *b = simulator_at(*state, &voting_job, BERT, ACCEPTED);
    Hedgerow__Slot slot = HEDGEROW__SLOT__INIT;
    slot.tree = hr_text_of("no tree");
    for (int i = 0; i < 5; i++) send_forest(b, ANNA, &slot);
    while (!is_there(b, BERT, STARTED)) assert_true(simulator_step(b)); /* carry_out sees a second time */
    assert_true(cut_by(b, BERT, ANNA));
    simulator_close(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_owner__survives_every_message_at_every_point),
        WITH_TEST_MEMBERS(test_owner__survives_bytes_that_are_no_message),
        WITH_TEST_MEMBERS(test_owner__ignores_events_out_of_turn),
        WITH_TEST_MEMBERS(test_owner__votes_once_a_round),
        WITH_TEST_MEMBERS(test_owner__does_not_vote_where_no_votes_were_offered),
        WITH_TEST_MEMBERS(test_owner__refuses_rounds_out_of_turn),
        WITH_TEST_MEMBERS(test_owner__starts_with_members_that_the_terms_named),
        WITH_TEST_MEMBERS(test_owner__starts_with_owners_that_accepted_the_same_terms),
        WITH_TEST_MEMBERS(test_owner__accepts_one_offer),
        WITH_TEST_MEMBERS(test_owner__refuses_terms_that_cannot_be),
        WITH_TEST_MEMBERS(test_owner__is_offered_a_job_once),
        WITH_TEST_MEMBERS(test_owner__does_not_vote_late),
        WITH_TEST_MEMBERS(test_owner__takes_no_job_that_is_not_for_it),
        WITH_TEST_MEMBERS(test_owner__takes_a_skip_of_the_coordinator_alone),
        WITH_TEST_MEMBERS(test_owner__shows_no_unfit_reason),
        WITH_TEST_MEMBERS(test_owner__passes_on_no_more_than_it_has_in_full),
        WITH_TEST_MEMBERS(test_owner__complains_of_trees_that_are_none),
        WITH_TEST_MEMBERS(test_owner__keeps_early_trees_during_a_flood),
        WITH_TEST_MEMBERS(test_owner__cuts_off_floods),
        WITH_TEST_MEMBERS(test_owner__cuts_off_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
