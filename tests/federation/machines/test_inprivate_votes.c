/* Votes of mode paper: exact and free, on each tree before the next one is trained, and on another round by
 * the gain of all records together. */
#include "support/inprivate_job.h"

static const exact_votes on_rounds = {true, false}, on_trees = {false, true}, on_both = {true, true};

static bool cut_by(const simulator *b, size_t who, size_t member) {
    return b->parties[who].cut[member];
}

static const hr_job_state *course_of(const simulator *b, size_t who) {
    const hr_protocol *machine = b->parties[who].machine;
    return who == COORDINATOR ? hr_inprivate_coordinator_course(machine) : hr_inprivate_owner_course(machine);
}

static size_t model_trees(const simulator *b, size_t who) {
    const hr_job_state *c = course_of(b, who);
    size_t trees = 0;
    for (size_t p = 0; p < hr_job_state_slots(c); p++) trees += hr_job_state_model_tree(c, p) != NULL;
    return trees;
}

/* ---- On rounds ---- */

static size_t rounds_after(const test_members *f, double round_gain, const finding found[3]) {
    const job_script s = {2, false, 0, round_gain, 1, 0};
    simulator *b = exact_job_open(f, &s, on_rounds, 5);
    memcpy(&((inprivate_job *)b)->found[ANNA], found, 3 * sizeof *found);
    simulator_run(b, NULL);
    check_over(b);
    check_replay(b);
    size_t rounds = trees_of(b) / 3;
    simulator_close(b);
    return rounds;
}

/* The fraction of all records, not of the median owner's; another round follows a gain that exceeds the
 * threshold. */
static void test_votes__add_up_the_records_of_all_owners(void **state) {
    static const finding apart[] = {{100, 4000, {0}}, {600, 1000, {0}}, {300, 900, {0}}},
                         equal[] = {{512, 1024, {0}}, {512, 1024, {0}}, {512, 1024, {0}}},
                         worse[] = {{-500, 1024, {0}}, {100, 1024, {0}}, {100, 1024, {0}}},
                         nobody[] = {{0, 0, {0}}, {0, 0, {0}}, {0, 0, {0}}};
    assert_int_equal(rounds_after(*state, 1000. / 5900 - .001, apart), 2);
    assert_int_equal(rounds_after(*state, 1000. / 5900 + .001, apart), 1);
    assert_int_equal(rounds_after(*state, .499, equal), 2);
    assert_int_equal(rounds_after(*state, .5, equal), 1);
    assert_int_equal(rounds_after(*state, .001, worse), 1);
    assert_int_equal(rounds_after(*state, .001, nobody), 1);
}

/* ---- On trees ---- */

/* By the coordinator and by every owner, in every order of messages. */
static void test_votes__leave_out_trees_that_do_harm(void **state) {
    for (int broadcast = 0; broadcast < 2; broadcast++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            const job_script s = {2, broadcast != 0, 0, 0, 1, 0};
            simulator *b = exact_job_open(*state, &s, on_trees, seed);
            ((inprivate_job *)b)->gains[1] = ((inprivate_job *)b)->gains[5] = -1;
            simulator_run(b, NULL);
            check_over(b);
            check_replay(b);
            assert_int_equal(trees_of(b), 6);
            for (size_t who = COORDINATOR; who <= CARL; who++) {
                assert_int_equal(model_trees(b, who), 4);
                assert_null(hr_job_state_model_tree(course_of(b, who), 1));
            }
            assert_int_equal(lines_with(b, "the tree of owner bert in slot 1 is left out"), 1);
            simulator_close(b);
        }
}

/* Nobody trains before the trees of all others were decided on. */
static void check_turn(simulator *b) {
    for (size_t who = ANNA; who <= CARL; who++) {
        const simulated_party *p = &b->parties[who];
        if (p->work.kind != HR_ACT_TRAIN) continue;
        const hr_job_state *c = course_of(b, who);
        for (size_t slot = 0; slot < p->work.slot; slot++)
            assert_int_not_equal(c->slots[slot].verdict, HR_TREE_UNDECIDED);
    }
}

static void test_votes__come_before_the_next_tree(void **state) {
    for (int broadcast = 0; broadcast < 2; broadcast++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            const job_script s = {2, broadcast != 0, 0, 0, 1, 0};
            simulator *b = exact_job_open(*state, &s, on_trees, seed);
            simulator_run(b, check_turn);
            check_over(b);
            assert_int_equal(model_trees(b, COORDINATOR), 6);
            simulator_close(b);
        }
}

/* Of the trees that stay: 256/1024 for each of two. */
static void test_votes__on_trees_decide_on_rounds_too(void **state) {
    static const double least[] = {.499, .5};
    for (int i = 0; i < 2; i++) {
        const job_script s = {2, false, 0, least[i], 1, 0};
        simulator *b = exact_job_open(*state, &s, on_both, 7);
        int64_t *gains = ((inprivate_job *)b)->gains;
        gains[0] = gains[2] = 256;
        gains[1] = -900;
        simulator_run(b, NULL);
        check_over(b);
        assert_int_equal(trees_of(b), i ? 3 : 6);
        simulator_close(b);
    }
}

/* The others' votes are counted once the deadline is over; the same of owners that leave. */
static void test_votes__do_not_wait_for_ever(void **state) {
    const job_script s = {1, false, 0, 0, 1, 0};
    simulator *b = exact_job_open(*state, &s, on_trees, 3);
    while (b->parties[CARL].work.kind != HR_ACT_VOTE) assert_true(simulator_step(b));
    b->parties[CARL].away = true;
    simulator_run(b, NULL);
    assert_true(b->aways > 0);
    assert_int_equal(model_trees(b, COORDINATOR), 2);
    all_return(b);
    check_over(b);
    simulator_close(b);
}

/* While the next tree is waited for there is no poll; who was too late for the last one did no wrong. */
static void test_votes__may_come_late(void **state) {
    const job_script s = {1, false, 0, 0, 1, 0};
    simulator *b = exact_job_open(*state, &s, on_trees, 3);
    while (b->parties[CARL].work.kind != HR_ACT_VOTE) assert_true(simulator_step(b));
    b->parties[CARL].away = true;
    while (course_of(b, COORDINATOR)->slots[0].verdict == HR_TREE_UNDECIDED)
        if (!simulator_step(b)) feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    do_work(b, CARL);
    deliver_all(b);
    assert_false(cut_by(b, COORDINATOR, CARL));
    all_return(b);
    check_over(b);
    check_replay(b);
    assert_int_equal(model_trees(b, COORDINATOR), 3);
    simulator_close(b);
}

/* It was skipped, so that nobody voted on it: it is in no model, and in nobody's scores. */
static void test_votes__leave_out_a_tree_that_comes_late(void **state) {
    const job_script s = {1, true, 0, 0, 1, 0};
    simulator *b = exact_job_open(*state, &s, on_trees, 3);
    while (b->parties[BERT].work.kind != HR_ACT_TRAIN) assert_true(simulator_step(b));
    b->parties[BERT].away = true;
    while (!lines_with(b, "owner bert skipped"))
        if (!simulator_step(b)) feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    b->parties[BERT].away = false;
    do_work(b, BERT);
    simulator_run(b, NULL);
    check_over(b);
    assert_int_equal(trees_of(b), 3);
    for (size_t who = COORDINATOR; who <= CARL; who++) assert_int_equal(model_trees(b, who), 2);
    simulator_close(b);
}

/* ---- What cannot be ---- */

enum { BALLOTS = 7 };

static void send_ballot(simulator *b, int wrong) {
    static const finding found[BALLOTS] = {{5, 10, {0}},
                                           {21, 10, {0}},
                                           {-21, 10, {0}},
                                           {0, -1, {0}},
                                           {5, 10, {0}},
                                           {5, 10, {0}},
                                           {0, (int64_t)1 << 43, {0}}};
    const hr_bytes bytes = exact_ballot_bytes(0, wrong == 4 ? 0 : wrong == 5 ? 2 : 1, found[wrong]);
    ProtobufCMessage *ballot = NULL;
    assert_int_equal(hr_message_unpack(&hedgerow__ballot__descriptor, bytes.at, bytes.size, &ballot, NULL),
                     HR_OK);
    send_content(b, ANNA, COORDINATOR, HEDGEROW__MESSAGE__KIND_BALLOT, ballot);
    hr_message_unpacked_free(ballot);
    free(bytes.at);
}

/* 0: nothing is wrong; it is sent twice after that. */
static void test_votes__that_no_records_can_have_are_refused(void **state) {
    for (int wrong = 0; wrong < BALLOTS; wrong++) {
        const job_script s = {1, true, 0, 0, 1, 0};
        simulator *b = exact_job_open(*state, &s, on_trees, 3);
        while (b->parties[ANNA].work.kind != HR_ACT_VOTE) assert_true(simulator_step(b));
        send_ballot(b, wrong);
        assert_int_equal(cut_by(b, COORDINATOR, ANNA), wrong != 0);
        if (!wrong) send_ballot(b, 0);
        assert_true(cut_by(b, COORDINATOR, ANNA));
        simulator_close(b);
    }
}

/* A ballot on a tree, where owners vote on rounds. */
static void test_votes__on_trees_are_refused_where_rounds_are_voted_on(void **state) {
    const job_script s = {2, true, 0, .1, 1, 0};
    simulator *b = exact_job_open(*state, &s, on_rounds, 3);
    while (b->parties[ANNA].work.kind != HR_ACT_VOTE) assert_true(simulator_step(b));
    send_ballot(b, 0);
    assert_true(cut_by(b, COORDINATOR, ANNA));
    simulator_close(b);
}

static void test_votes__polls_and_verdicts_out_of_turn_are_refused(void **state) {
    static const struct { uint32_t round, tree; } polls[] = {{0, 0}, {0, 1}, {0, 4}, {1, 4}, {0, UINT32_MAX}};
    const job_script s = {2, true, 0, 0, 1, 0};
    for (size_t i = 0; i < sizeof polls / sizeof *polls; i++) {
        simulator *b = exact_job_open(*state, &s, on_trees, 3);
        while (b->parties[BERT].work.kind != HR_ACT_VOTE) assert_true(simulator_step(b));
        Hedgerow__Poll poll = HEDGEROW__POLL__INIT;
        poll.round = polls[i].round;
        poll.tree = polls[i].tree;
        send_content(b, COORDINATOR, BERT, HEDGEROW__MESSAGE__KIND_POLL, &poll);
        assert_true(cut_by(b, BERT, COORDINATOR));
        simulator_close(b);
    }
    for (uint32_t slot = 0; slot < 7; slot += 6)
        for (int of_trees = 0; of_trees < 2; of_trees++) {
            simulator *b = exact_job_open(*state, &s, of_trees ? on_trees : on_rounds, 3);
            while (b->parties[BERT].work.kind != HR_ACT_TRAIN) assert_true(simulator_step(b));
            Hedgerow__Verdict verdict = HEDGEROW__VERDICT__INIT;
            verdict.slot = slot; /* the first one was decided on; there is no seventh */
            send_content(b, COORDINATOR, BERT, HEDGEROW__MESSAGE__KIND_VERDICT, &verdict);
            assert_true(cut_by(b, BERT, COORDINATOR));
            simulator_close(b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_votes__add_up_the_records_of_all_owners),
        WITH_TEST_MEMBERS(test_votes__leave_out_trees_that_do_harm),
        WITH_TEST_MEMBERS(test_votes__come_before_the_next_tree),
        WITH_TEST_MEMBERS(test_votes__on_trees_decide_on_rounds_too),
        WITH_TEST_MEMBERS(test_votes__do_not_wait_for_ever),
        WITH_TEST_MEMBERS(test_votes__may_come_late),
        WITH_TEST_MEMBERS(test_votes__leave_out_a_tree_that_comes_late),
        WITH_TEST_MEMBERS(test_votes__that_no_records_can_have_are_refused),
        WITH_TEST_MEMBERS(test_votes__on_trees_are_refused_where_rounds_are_voted_on),
        WITH_TEST_MEMBERS(test_votes__polls_and_verdicts_out_of_turn_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
