/* The coordinator's machine: no owner, whatever it sends or keeps back, stops a job for the others, or gets
 * more into it than is its own.
 */
#include "support/liar.h"
#include "support/message_phases.h"

enum { FLOOD = 2000 };

static const job_script voting_crowd = {3, true, .5, 0, 1, 0};

/* The owners besides Anna finish the job, whatever it did. */
static void check_finish(simulator *b, size_t least) {
    simulator_run(b, NULL);
    assert_int_equal(b->parties[COORDINATOR].ends, 1);
    assert_int_equal(b->parties[BERT].ends, 1);
    assert_int_equal(b->parties[CARL].ends, 1);
    assert_false(cut_by(b, COORDINATOR, BERT) || cut_by(b, COORDINATOR, CARL));
    assert_in_range(trees_of(b), least, 9);
    check_replay(b);
    simulator_close(b);
}

/* ---- Everything at every point ---- */

static void check_message(const test_members *f, const sample *s, size_t from, point p) {
    simulator *b = simulator_at(f, &voting_job, BERT, p);
    bool ended = b->parties[COORDINATOR].ends, was_cut = cut_by(b, COORDINATOR, from);
    feed_message(b, from, COORDINATOR, s->bytes.at, s->bytes.size);
    if (ended) assert_int_equal(cut_by(b, COORDINATOR, from), was_cut);
    if (!ended && from == OUTSIDER) assert_true(cut_by(b, COORDINATOR, from));
    check_finish(b, 0);
}

static void test_coordinator__survives_every_message_at_every_point(void **state) {
    static const size_t senders[] = {ANNA, OUTSIDER};
    sample samples[SAMPLES];
    size_t count = samples_of(*state, samples);
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < 2; i++)
            for (int p = OFFERED; p < POINTS; p++)
                if (samples[s].type == &hedgerow__message__descriptor)
                    check_message(*state, &samples[s], senders[i], (point)p);
    samples_done(samples, count);
}

static void test_coordinator__gives_up_when_all_are_cut_off(void **state) {
    for (int p = OFFERED; p < ENDED; p++) {
        simulator *b = simulator_at(*state, &voting_job, CARL, (point)p);
        for (size_t who = ANNA; who <= CARL; who++) feed_message(b, who, COORDINATOR, "?", 1);
        simulator_run(b, NULL);
        assert_int_equal(b->parties[COORDINATOR].ends, 1);
        check_replay(b);
        simulator_close(b);
    }
}

static const hr_ballot *ballots_of(const simulator *b) {
    size_t count;
    return hr_inprivate_ballots(b->parties[COORDINATOR].machine, &count);
}

/* All owners' votes on the rounds before `end` were counted. */
static void check_votes(const simulator *b, size_t end) {
    const hr_ballot *ballots = ballots_of(b);
    for (size_t p = 0; p < 3 * end; p++) assert_true(ballots[p].counted);
}

/* ---- Answers, notices ---- */

static void send_acceptance(simulator *b, size_t from) {
    const acceptance signature = acceptance_by(((inprivate_job *)b)->f, &b->parties[COORDINATOR].setup, from);
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_ANSWER);
    answer.accepted = true;
    answer.signature = hr_data_of(signature.bytes, HR_SIGNATURE_SIZE);
    m.answer = &answer;
    send_message(b, from, COORDINATOR, &m);
}

static void send_notice(simulator *b, size_t from, uint32_t slot, uint32_t kind) {
    Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_NOTICE);
    notice.slot = slot;
    notice.kind = (Hedgerow__Notice__Kind)kind;
    m.notice = &notice;
    send_message(b, from, COORDINATOR, &m);
}

static void test_coordinator__takes_one_answer_and_a_change_of_mind(void **state) {
    simulator *b = simulator_at(*state, &voting_job, BERT, OFFERED);
    send_acceptance(b, ANNA);
    send_acceptance(b, ANNA);
    assert_true(cut_by(b, COORDINATOR, ANNA));
    check_finish(b, 6);
    b = simulator_at(*state, &voting_job, BERT, TRAINING);
    send_decline(b, CARL, HEDGEROW__DECLINE__CODE__CANCELLED, "enough");
    assert_false(cut_by(b, COORDINATOR, CARL));
    simulator_close(b);
}

/* Other owners would not start with it. */
static void test_coordinator__takes_signed_acceptances_alone(void **state) {
    for (size_t signer = ANNA; signer <= CARL; signer++)
        for (int unsigned_ = 0; unsigned_ < 2; unsigned_++) {
            simulator *b = simulator_at(*state, &voting_job, BERT, OFFERED);
            const acceptance signature =
                acceptance_by(((inprivate_job *)b)->f, &b->parties[COORDINATOR].setup, signer);
            Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
            Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_ANSWER);
            answer.accepted = true;
            answer.signature = hr_data_of(signature.bytes, unsigned_ ? 0 : HR_SIGNATURE_SIZE);
            m.answer = &answer;
            send_message(b, ANNA, COORDINATOR, &m);
            assert_int_equal(cut_by(b, COORDINATOR, ANNA), unsigned_ || signer != ANNA);
            if (cut_by(b, COORDINATOR, ANNA))
                check_finish(b, 6);
            else
                simulator_close(b);
        }
}

static void test_coordinator__refuses_notices_of_no_place_or_another_ones(void **state) {
    static const struct {
        uint32_t slot, kind;
    } cases[] = {{1, 0}, {4, 0}, {9, 0}, {9, 1}, {UINT32_MAX, 0}, {0, 1}, {3, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        simulator *b = simulator_at(*state, &voting_job, ANNA, STARTED);
        send_notice(b, ANNA, cases[i].slot, cases[i].kind);
        assert_true(cut_by(b, COORDINATOR, ANNA));
        check_finish(b, 6);
    }
}

static void test_coordinator__refuses_notices_of_unknown_kind(void **state) {
    static const uint32_t kinds[] = {2, 77, INT32_MAX};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        simulator *b = simulator_at(*state, &voting_job, ANNA, STARTED);
        send_notice(b, ANNA, 0, kinds[i]);
        assert_true(cut_by(b, COORDINATOR, ANNA));
        check_finish(b, 6);
    }
}

/* Anna complains of all others before it is their turn, to have the model to itself. */
static void test_coordinator__passes_over_nobody_whose_turn_has_not_come(void **state) {
    for (int broadcast = 0; broadcast < 2; broadcast++) {
        simulator *b = simulator_at(*state, broadcast ? &voting_crowd : &voting_job, ANNA, STARTED);
        for (uint32_t slot = 1; slot < 9; slot++)
            if (slot % 3) send_notice(b, ANNA, slot, HEDGEROW__NOTICE__KIND__REFUSED);
        simulator_run(b, NULL);
        assert_int_equal(trees_of(b), 9);
        simulator_close(b);
    }
}

/* Anna complains of every slot of another owner at the moment when it is waited for. */
static size_t complained;

static void complain_of_the_awaited(simulator *b) {
    const hr_job_state *c = hr_inprivate_coordinator_course(b->parties[COORDINATOR].machine);
    size_t slot = c ? hr_job_state_next_open(c) : 0;
    if (!c || b->parties[COORDINATOR].ends || slot < complained || slot % 3 == 0) return;
    complained = slot + 1;
    send_notice(b, ANNA, (uint32_t)slot, HEDGEROW__NOTICE__KIND__REFUSED);
}

static void test_coordinator__skips_nobody_on_a_complaint(void **state) {
    for (int broadcast = 0; broadcast < 2; broadcast++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            simulator *b = inprivate_job_open(*state, broadcast ? &voting_crowd : &voting_job, seed);
            complained = 0;
            simulator_run(b, complain_of_the_awaited);
            check_over(b);
            assert_true(complained > 5);
            assert_int_equal(trees_of(b), 9);
            assert_int_equal(b->aways, 0);
            assert_true(lines_with(b, "owner anna complains of what owner carl sent in slot"));
            check_replay(b);
            simulator_close(b);
        }
}

static void test_coordinator__hears_no_notices_of_who_declined(void **state) {
    for (uint32_t kind = 0; kind < 3; kind++) {
        simulator *b = inprivate_job_open(*state, &voting_crowd, 1);
        b->parties[CARL].refuses = true;
        while (!is_there(b, BERT, TRAINING)) assert_true(simulator_step(b));
        send_notice(b, CARL, 0, kind);
        assert_false(cut_by(b, COORDINATOR, CARL));
        simulator_run(b, NULL);
        assert_int_equal(trees_of(b), 6);
        simulator_close(b);
    }
}

static size_t slots_sent_to(const simulator *b, size_t to) {
    size_t slots = 0;
    for (size_t l = 0; l < b->letter_count; l++) {
        Hedgerow__Message *m = NULL;
        const hr_event event = {.bytes = b->letters[l].bytes.at, .size = b->letters[l].bytes.size};
        if (b->letters[l].from != COORDINATOR || b->letters[l].to != to) continue;
        assert_int_equal(hr_message_read(&event, &m, NULL), HR_OK);
        if (m->kind_case == HEDGEROW__MESSAGE__KIND_FOREST) slots += m->forest->n_slots;
        hr_message_unpacked_free(&m->base);
    }
    return slots;
}

/* However often an owner complains, it gets each slot once. */
static void test_coordinator__sends_who_complains_each_slot_once(void **state) {
    simulator *b = simulator_at(*state, &voting_crowd, ANNA, VOTING);
    size_t had = slots_sent_to(b, ANNA);
    for (uint32_t slot = 1; slot < 3; slot++)
        for (int i = 0; i < 3; i++) {
            send_notice(b, ANNA, slot, HEDGEROW__NOTICE__KIND__REFUSED);
            assert_int_equal(slots_sent_to(b, ANNA), had + slot + 1);
        }
    check_finish(b, 9);
}

/* It says that it has no tree, again and again. */
static void test_coordinator__goes_on_whatever_it_is_told_of_a_place(void **state) {
    for (int broadcast = 0; broadcast < 2; broadcast++) {
        simulator *b = simulator_at(*state, broadcast ? &voting_crowd : &voting_job, ANNA, STARTED);
        b->parties[ANNA].away = true;
        for (int i = 0; i < 3; i++) send_notice(b, ANNA, 0, HEDGEROW__NOTICE__KIND__EMPTY);
        send_notice(b, ANNA, 6, HEDGEROW__NOTICE__KIND__EMPTY); /* of a round to come */
        check_finish(b, 6);
    }
}

/* ---- Trees ---- */

/* Anna gives the coordinator a good tree, and Bert another one that is none: Bert is not left behind. */
static void send_rubbish_to_bert(simulator *b, letter *l) {
    (void)b;
    if (l->from != ANNA || l->to != BERT) return;
    Hedgerow__Message *m = message_in(l->bytes);
    if (m->kind_case == HEDGEROW__MESSAGE__KIND_FOREST) {
        m->forest->slots[m->forest->n_slots - 1]->signature.data[0] ^= 1;
        put_message(l, m);
    }
    hr_message_unpacked_free(&m->base);
}

static void test_coordinator__helps_those_who_were_given_another_tree(void **state) {
    for (int broadcast = 0; broadcast < 2; broadcast++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            simulator *b = inprivate_job_open(*state, broadcast ? &voting_crowd : &voting_job, seed);
            b->tamper = send_rubbish_to_bert;
            simulator_run(b, NULL);
            assert_true(cut_by(b, BERT, ANNA));
            assert_int_equal(trees_of(b), 9);
            assert_int_equal(b->aways, 0);
            check_votes(b, 2);
            check_replay(b);
            simulator_close(b);
        }
}

/* Anna sends its trees to the coordinator alone: it is waited for Bert, and for Carl, once. */
static void send_nothing_to_owners(simulator *b, letter *l) {
    (void)b;
    if (l->from == ANNA && l->to != COORDINATOR) l->to = OUTSIDER;
}

static void test_coordinator__helps_those_to_whom_trees_are_not_sent(void **state) {
    for (int broadcast = 0; broadcast < 2; broadcast++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            simulator *b = inprivate_job_open(*state, broadcast ? &voting_crowd : &voting_job, seed);
            b->tamper = send_nothing_to_owners;
            simulator_run(b, NULL);
            check_over(b);
            assert_int_equal(trees_of(b), 9);
            assert_in_range(b->aways, 1, 2);
            check_votes(b, 2);
            check_replay(b);
            simulator_close(b);
        }
}

/* Bert passes on to Carl what is not the set that he has: without Anna's first slot, or nothing at all. */
static void keep_back_annas_slot(simulator *b, letter *l) {
    (void)b;
    Hedgerow__Message *m = NULL;
    const hr_event event = {.bytes = l->bytes.at, .size = l->bytes.size};
    if (l->from != BERT || l->to != CARL) return;
    assert_int_equal(hr_message_read(&event, &m, NULL), HR_OK);
    assert_int_equal(m->kind_case, HEDGEROW__MESSAGE__KIND_FOREST);
    Hedgerow__Slot *kept = m->forest->slots[0];
    m->forest->slots[0] = m->forest->slots[m->forest->n_slots - 1];
    m->forest->n_slots--;
    free(l->bytes.at);
    l->bytes = packed(m);
    m->forest->slots[m->forest->n_slots++] = m->forest->slots[0];
    m->forest->slots[0] = kept;
    hr_message_unpacked_free(&m->base);
}

static size_t forests_to_carl;

static void keep_back_all(simulator *b, letter *l) {
    (void)b;
    Hedgerow__Message *m = NULL;
    const hr_event event = {.bytes = l->bytes.at, .size = l->bytes.size};
    if (l->from == BERT && l->to == CARL) l->to = OUTSIDER;
    if (l->from != COORDINATOR || l->to != CARL) return;
    assert_int_equal(hr_message_read(&event, &m, NULL), HR_OK);
    forests_to_carl += m->kind_case == HEDGEROW__MESSAGE__KIND_FOREST;
    hr_message_unpacked_free(&m->base);
}

static void test_coordinator__helps_those_from_whom_trees_are_kept_back(void **state) {
    for (uint64_t seed = 0; seed < 10; seed++) {
        simulator *b = inprivate_job_open(*state, &voting_job, seed);
        b->tamper = keep_back_annas_slot;
        simulator_run(b, NULL);
        assert_true(cut_by(b, CARL, BERT));
        assert_int_equal(trees_of(b), 9);
        assert_int_equal(b->aways, 0);
        simulator_close(b);
        b = inprivate_job_open(*state, &voting_job, seed);
        b->tamper = keep_back_all;
        forests_to_carl = 0;
        simulator_run(b, NULL);
        check_over(b);
        assert_int_equal(trees_of(b), 9);
        assert_int_equal(b->aways, 1); /* after it the coordinator sends Carl the set each time */
        assert_int_equal(forests_to_carl, 3);
        simulator_close(b);
    }
}

/* Bert is sent the set before he is passed over, as Anna may not have passed it on. Carl has it then. */
static void test_coordinator__waits_once_more_for_who_may_not_have_the_trees(void **state) {
    const job_script s = {1, false, 0, 0, 1, 0};
    simulator *b = simulator_at(*state, &s, CARL, STARTED);
    b->parties[BERT].away = b->parties[CARL].away = true;
    simulator_run(b, NULL);
    assert_int_equal(b->aways, 3);
    assert_int_equal(trees_of(b), 1);
    simulator_close(b);
}

static void test_coordinator__cuts_off_who_sends_forged_trees(void **state) {
    const test_members *f = *state;
    simulator *b = simulator_at(f, &voting_job, ANNA, STARTED);
    hr_job_state c = simulated_state_of(b, ANNA);
    Hedgerow__Slot slot = HEDGEROW__SLOT__INIT, *slots[] = {&slot};
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_FOREST);
    sign_leaf(f, &c, 1); /* Bert's slot */
    slot.slot = 1;
    slot.tree = hr_data_of(c.slots[1].tree.at, c.slots[1].tree.size);
    slot.signature = hr_data_of(c.slots[1].signature, HR_SIGNATURE_SIZE);
    forest.start = hr_data_of(c.start.bytes, HR_DIGEST_SIZE);
    forest.slots = slots;
    forest.n_slots = 1;
    m.forest = &forest;
    send_message(b, ANNA, COORDINATOR, &m);
    assert_true(cut_by(b, COORDINATOR, ANNA));
    hr_job_state_done(&c);
    check_finish(b, 6);
}

/* ---- Votes ---- */

enum { BALLOTS = 8 };

/* A ballot of Anna's on the first round, and what is wrong with it; 0: nothing. Owner: the caller. */
static hr_bytes ballot_with(int wrong) {
    hr_bytes bytes = ballot_bytes(0, 0, found_half, 0);
    ProtobufCMessage *message = NULL;
    assert_int_equal(hr_message_unpack(&hedgerow__ballot__descriptor, bytes.at, bytes.size, &message, NULL),
                     HR_OK);
    free(bytes.at);
    Hedgerow__Ballot *ballot = (Hedgerow__Ballot *)message;
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_BALLOT);
    switch (wrong) {
    case 1: ballot->round = 1; break;
    case 2: ballot->round = UINT32_MAX; break;
    case 3: ballot->releases[0]->cost--; break;
    case 4: ballot->releases[0]->part = 3; break;
    case 5: ballot->releases[0]->group = 1; break;
    case 6: ballot->releases[0]->mechanism = HR_MECHANISM_IDENTITY; break;
    case 7: ballot->releases[0]->cost = HR_UNIT + 2; break; /* all that votes may cost is 1 */
    default: break;
    }
    m.ballot = ballot;
    bytes = packed(&m);
    hr_message_unpacked_free(message);
    return bytes;
}

static void send_ballot(simulator *b, int wrong) {
    hr_bytes bytes = ballot_with(wrong);
    feed_message(b, ANNA, COORDINATOR, bytes.at, bytes.size);
    free(bytes.at);
}

static void test_coordinator__counts_ballots_that_are_in_order(void **state) {
    for (int wrong = 0; wrong < BALLOTS; wrong++) {
        simulator *b = simulator_at(*state, &voting_crowd, ANNA, VOTING);
        send_ballot(b, wrong);
        assert_int_equal(cut_by(b, COORDINATOR, ANNA), wrong != 0);
        const hr_ballot *ballots = ballots_of(b);
        assert_int_equal(ballots[0].here, !wrong);
        assert_false(ballots[3].here);
        check_finish(b, 7); /* its machine votes once more, and is cut off then */
    }
}

static void test_coordinator__refuses_a_ballot_before_the_poll_and_a_second_one(void **state) {
    simulator *b = simulator_at(*state, &voting_crowd, ANNA, STARTED);
    send_ballot(b, 0);
    assert_true(cut_by(b, COORDINATOR, ANNA));
    check_finish(b, 6);
    b = simulator_at(*state, &voting_crowd, ANNA, VOTING);
    send_ballot(b, 0);
    assert_false(cut_by(b, COORDINATOR, ANNA));
    send_ballot(b, 0);
    assert_true(cut_by(b, COORDINATOR, ANNA));
    check_finish(b, 7);
}

/* Those who do not vote are waited for, but not for ever; a ballot that comes late is kept, since it was paid
 * for. */
static void test_coordinator__counts_without_those_who_stay_away(void **state) {
    simulator *b = simulator_at(*state, &voting_crowd, ANNA, VOTING);
    const hr_ballot *ballots = ballots_of(b);
    b->parties[ANNA].away = true;
    while (!ballots[1].here || !ballots[2].here) assert_true(simulator_step(b));
    assert_false(hr_inprivate_coordinator_course(b->parties[COORDINATOR].machine)->slots[4].state);
    feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    assert_false(ballots[0].here);
    b->parties[ANNA].away = false;
    simulator_run(b, NULL);
    assert_true(ballots[0].here);
    check_over(b);
    check_finish(b, 9);
}

static void test_coordinator__cuts_off_floods(void **state) {
    simulator *b = simulator_at(*state, &voting_job, ANNA, STARTED);
    int sent = 0;
    for (; sent < FLOOD && !cut_by(b, COORDINATOR, ANNA); sent++) {
        simulated_party *s = &b->parties[COORDINATOR];
        send_notice(b, ANNA, 6, 0);
        free((void *)s->events[--s->event_count].bytes);
    }
    assert_true(sent < FLOOD);
    simulator_close(b);
}

/* How many rounds are run if owners find that of the first. */
static size_t rounds_of(const test_members *f, double round_gain, const finding found[3],
                        void (*meanwhile)(simulator *b)) {
    const job_script s = {2, true, .5, round_gain, 1, 0};
    simulator *b = inprivate_job_open(f, &s, 5);
    memcpy(&((inprivate_job *)b)->found[ANNA], found, 3 * sizeof *found);
    simulator_run(b, meanwhile);
    size_t rounds = (trees_of(b) + 1) / 3; /* who stays away gives none in the second */
    all_return(b);
    check_over(b);
    check_replay(b);
    simulator_close(b);
    return rounds;
}

static size_t rounds_after(const test_members *f, double round_gain, const finding found[3]) {
    return rounds_of(f, round_gain, found, NULL);
}

static void send_anna_away_from_the_vote(simulator *b) {
    if (b->parties[ANNA].work.kind == HR_ACT_VOTE) b->parties[ANNA].away = true;
}

/* The median gain, divided by the median number of records. */
static void test_coordinator__takes_the_median_owners_advance(void **state) {
    static const finding apart[] = {{100, 4000, {0}}, {600, 1000, {0}}, {300, 900, {0}}},
                         lost[] = {{-5, 9, {0}}, {-4, 7, {0}}, {1, 8, {0}}},
                         nobody[] = {{100, -4000, {0}}, {600, -1000, {0}}, {300, 900, {0}}};
    assert_int_equal(rounds_after(*state, .299, apart), 2);
    assert_int_equal(rounds_after(*state, .301, apart), 1);
    assert_int_equal(rounds_after(*state, .001, lost), 1);
    assert_int_equal(rounds_after(*state, .001, nobody),
                     1); /* noise has it that there are no records: no round gain */
}

static void test_coordinator__takes_the_mean_advance_of_two(void **state) {
    static const finding found[] = {{0, 0, {0}}, {100, 1000, {0}}, {600, 3000, {0}}};
    assert_int_equal(rounds_of(*state, .174, found, send_anna_away_from_the_vote), 2);
    assert_int_equal(rounds_of(*state, .176, found, send_anna_away_from_the_vote), 1);
}

static const int64_t lies[] = {-((int64_t)1 << 50), (int64_t)1 << 50, INT64_MIN, INT64_MAX};
enum { LIES = sizeof lies / sizeof *lies };

static void test_coordinator__lets_one_owner_neither_end_nor_prolong_a_job(void **state) {
    for (size_t i = 0; i < LIES * LIES; i++)
        for (size_t liar = 0; liar < 3; liar++) {
            finding found[] = {found_half, found_half, found_half};
            found[liar] = (finding){lies[i % LIES], lies[i / LIES], {0}};
            assert_int_equal(rounds_after(*state, .49, found), 2);
            assert_int_equal(rounds_after(*state, .51, found), 1);
        }
}

/* ---- Votes on the last slots ---- */

/* A vote has an epsilon of 1, and 1024 is one record: what three owners say of two slots has a standard
 * deviation of 2048 sqrt(6) = 5016.6, three of which are 5016.6 for each of them. */
static size_t dropped(const test_members *f, bool broadcast, const finding found[3]) {
    const job_script s = {2, broadcast, .5, 0, 1, 2};
    simulator *b = inprivate_job_open(f, &s, 3);
    memcpy(&((inprivate_job *)b)->found[ANNA], found, 3 * sizeof *found);
    simulator_run(b, NULL);
    check_over(b);
    check_replay(b);
    assert_int_equal(trees_of(b), 6);
    size_t out = hr_inprivate_dropped(b->parties[COORDINATOR].machine);
    simulator_close(b);
    return out;
}

static void test_coordinator__leaves_out_last_places_that_do_harm_beyond_noise(void **state) {
    static const struct {
        int64_t last, last_two;
        size_t out;
    } cases[] = {{0, 0, 0},         {30000, 30000, 0},     {-5016, -5016, 0},  {-5017, 0, 1},
                 {-5017, -5100, 1}, {-5017, -10033, 1},    {-5017, -10034, 2}, {0, -5017, 2},
                 {0, -5016, 0},     {-300000, -290000, 1}, {20000, -5017, 2},  {-300000, -300000000, 2}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int broadcast = 0; broadcast < 2; broadcast++) {
            int64_t last = cases[c].last, two = cases[c].last_two;
            const finding found[] = {
                {0, 0, {last - 100, two}}, {0, 0, {last + 100, two + 7}}, {0, 0, {last, two - 7}}};
            assert_int_equal(dropped(*state, broadcast, found), cases[c].out);
        }
}

static void test_coordinator__lets_one_owner_leave_nothing_out_and_keep_nothing_in(void **state) {
    for (size_t i = 0; i < LIES * LIES; i++)
        for (size_t liar = 0; liar < 3; liar++)
            for (size_t out = 0; out < 3; out++) {
                finding found[3];
                for (size_t who = 0; who < 3; who++)
                    found[who] = (finding){0, 0, {out == 1 ? -6000 : -100, out ? -6000 : 100}};
                found[liar] = (finding){0, 0, {lies[i % LIES], lies[i / LIES]}};
                assert_int_equal(dropped(*state, i % 2, found), out);
            }
}

/* A ballot on other slots than were asked about is none. */
static void test_coordinator__refuses_ballots_on_other_places(void **state) {
    const job_script s = {1, true, .5, 0, 1, 2};
    const finding loss = {512, 1024, {-1000000, -1000000, 0, 0}}, win = {512, 1024, {2000000, 2000000, 0, 0}};
    for (size_t count = 0; count <= 4; count++) {
        simulator *b = simulator_at(*state, &s, ANNA, VOTING);
        ((inprivate_job *)b)->found[BERT] = loss; /* outvoted by Carl unless Anna votes too */
        ((inprivate_job *)b)->found[CARL] = win;
        hr_bytes bytes = ballot_bytes(0, 0, loss, count);
        ProtobufCMessage *ballot = NULL;
        assert_int_equal(
            hr_message_unpack(&hedgerow__ballot__descriptor, bytes.at, bytes.size, &ballot, NULL), HR_OK);
        Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_BALLOT);
        m.ballot = (Hedgerow__Ballot *)ballot;
        b->parties[ANNA].work.kind = 0;
        send_message(b, ANNA, COORDINATOR, &m);
        assert_int_equal(cut_by(b, COORDINATOR, ANNA), count != 2);
        simulator_run(b, NULL);
        assert_int_equal(hr_inprivate_dropped(b->parties[COORDINATOR].machine), count == 2 ? 1 : 0);
        hr_message_unpacked_free(ballot);
        free(bytes.at);
        simulator_close(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_coordinator__survives_every_message_at_every_point),
        WITH_TEST_MEMBERS(test_coordinator__gives_up_when_all_are_cut_off),
        WITH_TEST_MEMBERS(test_coordinator__takes_one_answer_and_a_change_of_mind),
        WITH_TEST_MEMBERS(test_coordinator__takes_signed_acceptances_alone),
        WITH_TEST_MEMBERS(test_coordinator__refuses_notices_of_no_place_or_another_ones),
        WITH_TEST_MEMBERS(test_coordinator__refuses_notices_of_unknown_kind),
        WITH_TEST_MEMBERS(test_coordinator__passes_over_nobody_whose_turn_has_not_come),
        WITH_TEST_MEMBERS(test_coordinator__skips_nobody_on_a_complaint),
        WITH_TEST_MEMBERS(test_coordinator__sends_who_complains_each_slot_once),
        WITH_TEST_MEMBERS(test_coordinator__helps_those_to_whom_trees_are_not_sent),
        WITH_TEST_MEMBERS(test_coordinator__hears_no_notices_of_who_declined),
        WITH_TEST_MEMBERS(test_coordinator__goes_on_whatever_it_is_told_of_a_place),
        WITH_TEST_MEMBERS(test_coordinator__helps_those_who_were_given_another_tree),
        WITH_TEST_MEMBERS(test_coordinator__helps_those_from_whom_trees_are_kept_back),
        WITH_TEST_MEMBERS(test_coordinator__waits_once_more_for_who_may_not_have_the_trees),
        WITH_TEST_MEMBERS(test_coordinator__cuts_off_who_sends_forged_trees),
        WITH_TEST_MEMBERS(test_coordinator__counts_ballots_that_are_in_order),
        WITH_TEST_MEMBERS(test_coordinator__refuses_a_ballot_before_the_poll_and_a_second_one),
        WITH_TEST_MEMBERS(test_coordinator__takes_the_median_owners_advance),
        WITH_TEST_MEMBERS(test_coordinator__takes_the_mean_advance_of_two),
        WITH_TEST_MEMBERS(test_coordinator__lets_one_owner_neither_end_nor_prolong_a_job),
        WITH_TEST_MEMBERS(test_coordinator__leaves_out_last_places_that_do_harm_beyond_noise),
        WITH_TEST_MEMBERS(test_coordinator__lets_one_owner_leave_nothing_out_and_keep_nothing_in),
        WITH_TEST_MEMBERS(test_coordinator__refuses_ballots_on_other_places),
        WITH_TEST_MEMBERS(test_coordinator__counts_without_those_who_stay_away),
        WITH_TEST_MEMBERS(test_coordinator__cuts_off_floods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
