/* A member that says different things to different members: two trees for one slot, two starts of one job. It
 * is found by what it signed; a member that only says that another one did so harms nobody. */
#include "support/liar.h"
#include "support/message_phases.h"

static const job_script chain = {3, false, 0, 0, 1, 0}, broadcast = {3, true, 0, 0, 1, 0},
                        voted = {3, true, .5, 0, 1, 0};
static const job_script *const scripts[] = {&chain, &broadcast, &voted};
enum { SCRIPTS = sizeof scripts / sizeof *scripts };

static void check_honest(simulator *b, bool anna_is_cut) {
    static const size_t honest[] = {COORDINATOR, BERT, CARL};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(b->parties[honest[i]].ends, 1);
        if (cut_by(b, honest[i], ANNA) != anna_is_cut) fail_msg("%zu: %s", honest[i], b->last_cut);
        for (size_t j = 0; j < 3; j++) assert_false(cut_by(b, honest[i], honest[j]));
    }
    const hr_job_state *c = hr_inprivate_coordinator_course(b->parties[COORDINATOR].machine);
    for (size_t p = 0; p < 9; p++)
        if (p % 3) assert_int_equal(c->slots[p].state, HR_SLOT_TREE);
    check_replay(b);
}

/* ---- Two trees for one slot ---- */

static size_t deceived;

static void send_another_tree(simulator *b, letter *l) {
    if (l->from == ANNA && l->to == deceived) change_trees(b, l);
}

/* An owner or the coordinator alone gets the other tree: the set that the next tree names shows it. */
static void test_two_trees__for_one_slot_end_their_owners_part(void **state) {
    for (size_t k = 0; k < SCRIPTS; k++)
        for (deceived = COORDINATOR; deceived <= CARL; deceived++)
            for (uint64_t seed = 0; seed < 5; seed++) {
                if (deceived == ANNA || (deceived == CARL && !scripts[k]->broadcast)) continue;
                simulator *b = inprivate_job_open(*state, scripts[k], seed);
                b->tamper = send_another_tree;
                simulator_run(b, NULL);
                check_honest(b, true);
                assert_int_equal(b->aways, 0);
                assert_true(strstr(b->last_cut, "it signed two trees for"));
                assert_true(lines_with(b, "was made after other trees than the coordinator has") ||
                            lines_with(b, "complains"));
                simulator_close(b);
            }
}

/* The tree that the coordinator has stays in the model: it is private, and its influence is bounded. */
static void test_two_trees__leave_the_first_one_in_the_model(void **state) {
    deceived = BERT;
    simulator *b = inprivate_job_open(*state, &chain, 1);
    b->tamper = send_another_tree;
    simulator_run(b, NULL);
    const hr_job_state *c = hr_inprivate_coordinator_course(b->parties[COORDINATOR].machine);
    assert_int_equal(c->slots[0].state, HR_SLOT_TREE);
    assert_true(hr_job_state_tree(c, 0)->tree.nodes[0].value == (double)ANNA / 1024);
    assert_int_equal(c->slots[6].state, HR_SLOT_EMPTY);
    simulator_close(b);
}

/* ---- False proofs ---- */

typedef enum proof_fault {
    SAME_TREE,
    NO_FIRST,
    NO_SECOND,
    UNSIGNED,
    OTHER_SLOT,
    NO_SLOT,
    EMPTY_TREE,
    PROOF_FAULTS
} proof_fault;

static void spoil_proof(hr_two_trees *proof, proof_fault fault) {
    switch (fault) {
    case SAME_TREE: proof->second = proof->first; break;
    case NO_FIRST: proof->notice.first = NULL; break;
    case NO_SECOND: proof->notice.second = NULL; break;
    case UNSIGNED: proof->second.signature = proof->first.signature; break;
    case OTHER_SLOT: proof->notice.slot = 1; break;
    case NO_SLOT: proof->notice.slot = proof->first.slot = proof->second.slot = UINT32_MAX; break;
    case EMPTY_TREE: proof->second.tree.len = 0; break;
    case PROOF_FAULTS: break;
    }
}

/* A message with two trees of Anna's for slot 0, and what is wrong with it. Owner: the caller. */
static hr_bytes proof_bytes(const simulator *b, proof_fault fault) {
    hr_job_state one = simulated_state_of(b, ANNA);
    hr_two_trees proof;
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_NOTICE);
    sign_leaf(((inprivate_job *)b)->f, &one, 0);
    hr_job_state_second(&one, 0, &proof);
    hr_bytes tree = bytes_of(proof.first.tree.data, proof.first.tree.len),
             signature = bytes_of(proof.first.signature.data, HR_SIGNATURE_SIZE);
    proof.second.tree = (ProtobufCBinaryData){tree.size, tree.at};
    proof.second.signature = (ProtobufCBinaryData){signature.size, signature.at};
    sign_another_tree(((inprivate_job *)b)->f, ANNA, &proof.second);
    const ProtobufCBinaryData made = proof.second.tree, signed_ = proof.second.signature;
    spoil_proof(&proof, fault);
    m.notice = &proof.notice;
    hr_bytes bytes = packed(&m);
    free(made.data);
    free(signed_.data);
    hr_job_state_done(&one);
    return bytes;
}

/* Carl says it of Anna, which did not: Carl is cut off. */
static void test_proof__that_proves_nothing_ends_the_part_of_who_sends_it(void **state) {
    for (int fault = SAME_TREE; fault <= PROOF_FAULTS; fault++) {
        simulator *b = simulator_at(*state, &broadcast, BERT, TRAINING);
        hr_bytes bytes = proof_bytes(b, (proof_fault)fault);
        bool proved = fault == PROOF_FAULTS;
        feed_message(b, CARL, COORDINATOR, bytes.at, bytes.size);
        assert_int_equal(cut_by(b, COORDINATOR, ANNA), proved);
        assert_int_equal(cut_by(b, COORDINATOR, CARL), !proved);
        feed_message(b, COORDINATOR, BERT, bytes.at, bytes.size);
        assert_int_equal(cut_by(b, BERT, ANNA), proved);
        assert_int_equal(cut_by(b, BERT, COORDINATOR), !proved);
        assert_int_equal(b->parties[BERT].ends, !proved);
        free(bytes.at);
        simulator_close(b);
    }
}

/* Its journal was restored, or its key is used twice. */
static void test_proof__against_an_owner_ends_its_job(void **state) {
    simulator *b = simulator_at(*state, &broadcast, ANNA, STARTED);
    hr_bytes bytes = proof_bytes(b, PROOF_FAULTS);
    feed_message(b, COORDINATOR, ANNA, bytes.at, bytes.size);
    assert_int_equal(b->parties[ANNA].ends, 1);
    assert_false(cut_by(b, ANNA, COORDINATOR));
    free(bytes.at);
    simulator_close(b);
}

/* ---- Sets that are false ---- */

/* A set that nobody has is a line in the log, and a copy of the trees for its owner. */
static void test_set__that_nobody_has_removes_nobody(void **state) {
    for (size_t k = 0; k < SCRIPTS; k++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            simulator *b = inprivate_job_open(*state, scripts[k], seed);
            ((inprivate_job *)b)->names_false_sets[ANNA] = true;
            simulator_run(b, NULL);
            check_honest(b, false);
            assert_int_equal(trees_of(b), 9);
            assert_true(lines_with(b, "the tree of owner anna in slot 3 was made after other trees"));
            simulator_close(b);
        }
}

/* ---- Two starts of one job ---- */

/* Bert is told that Carl takes no part. */
static void start_without_carl(simulator *b, letter *l) {
    if (l->from != COORDINATOR || l->to != BERT) return;
    Hedgerow__Message *m = message_in(l->bytes);
    if (m->kind_case == HEDGEROW__MESSAGE__KIND_START) {
        hr_job_state c = simulated_state_of(b, COORDINATOR);
        c.start = hr_start_digest(&c.terms, &((inprivate_job *)b)->f->membership, c.owners, 2);
        hr_job_state_sign_start(&c);
        memcpy(m->start->signature.data, c.start_signature, HR_SIGNATURE_SIZE);
        m->start->n_owners = m->start->n_acceptances = 2;
        put_message(l, m);
        m->start->n_owners = m->start->n_acceptances = 3;
        hr_job_state_done(&c);
    }
    hr_message_unpacked_free(&m->base);
}

static void test_start__that_others_have_not_ends_the_job(void **state) {
    for (uint64_t seed = 0; seed < 5; seed++) {
        simulator *b = inprivate_job_open(*state, &broadcast, seed);
        b->tamper = start_without_carl;
        while (!b->parties[BERT].ends) assert_true(simulator_step(b));
        assert_true(cut_by(b, BERT, COORDINATOR));
        assert_false(cut_by(b, BERT, ANNA) || cut_by(b, BERT, CARL));
        assert_string_equal(b->parties[BERT].why,
                            "the coordinator violated the protocol: it sent owners different starts");
        simulator_close(b);
    }
}

/* Anna names a start that the coordinator did not sign, or signed for another job. */
static void test_start__that_the_coordinator_did_not_sign_is_a_lie(void **state) {
    for (int other_job = 0; other_job < 2; other_job++) {
        simulator *b = simulator_at(*state, &broadcast, BERT, STARTED);
        hr_job_state c = simulated_state_of(b, COORDINATOR);
        Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
        Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_FOREST);
        c.start.bytes[0] ^= 1;
        c.terms.bytes[0] ^= 1; /* as of another job */
        if (other_job) hr_job_state_sign_start(&c);
        forest.start = hr_data_of(c.start.bytes, HR_DIGEST_SIZE);
        forest.signature = hr_data_of(c.start_signature, HR_SIGNATURE_SIZE);
        m.forest = &forest;
        send_message(b, ANNA, BERT, &m);
        assert_true(cut_by(b, BERT, ANNA));
        assert_false(cut_by(b, BERT, COORDINATOR));
        hr_job_state_done(&c);
        simulator_close(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_two_trees__for_one_slot_end_their_owners_part),
        WITH_TEST_MEMBERS(test_two_trees__leave_the_first_one_in_the_model),
        WITH_TEST_MEMBERS(test_proof__that_proves_nothing_ends_the_part_of_who_sends_it),
        WITH_TEST_MEMBERS(test_proof__against_an_owner_ends_its_job),
        WITH_TEST_MEMBERS(test_set__that_nobody_has_removes_nobody),
        WITH_TEST_MEMBERS(test_start__that_others_have_not_ends_the_job),
        WITH_TEST_MEMBERS(test_start__that_the_coordinator_did_not_sign_is_a_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
