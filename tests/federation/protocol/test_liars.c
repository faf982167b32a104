/* A liar among machines, in any order of letters: whatever Anna or the coordinator says, the others come to
 * their end, and never take each other for liars. HR_SCHEDULES says how many schedules are tried. */
#include "support/liar.h"

static size_t schedules(void) {
    const char *text = getenv("HR_SCHEDULES");
    return text ? strtoul(text, NULL, 10) : 300;
}

static void wander(simulator *b) {
    if (hr_dice_below(&b->dice, 20)) return;
    size_t who = ANNA + hr_dice_below(&b->dice, 3);
    b->parties[who].away = !b->parties[who].away;
}

/* ---- Anna ---- */

static void spoil(simulator *b, letter *l) {
    if (l->from != ANNA || hr_dice_below(&b->dice, 3)) return;
    hr_bytes bad = spoilt(&b->dice, &l->bytes);
    free(l->bytes.at);
    l->bytes = bad;
}

/* What it says goes to somebody else. */
static void misdirect(simulator *b, letter *l) {
    if (l->from == ANNA && !hr_dice_below(&b->dice, 3))
        l->to = hr_dice_below(&b->dice, 2) ? BERT : COORDINATOR;
}

/* Another tree for the same slot. */
static void equivocate(simulator *b, letter *l) {
    if (l->from == ANNA && hr_dice_below(&b->dice, 2)) change_trees(b, l);
}

static void keep_back(simulator *b, letter *l) {
    if (l->from == ANNA && l->to != COORDINATOR && hr_dice_below(&b->dice, 2)) l->to = OUTSIDER;
}

/* An acceptance that it did not sign, of other terms, or none. */
static void forge_acceptance(simulator *b, letter *l) {
    if (l->from != ANNA) return;
    Hedgerow__Message *m = message_in(l->bytes);
    if (m->kind_case == HEDGEROW__MESSAGE__KIND_ANSWER && m->answer->accepted) {
        const size_t size = m->answer->signature.len;
        if (hr_dice_below(&b->dice, 2))
            m->answer->signature.data[hr_dice_below(&b->dice, size)] ^= 1;
        else
            m->answer->signature.len = hr_dice_below(&b->dice, 2) * (size - 1);
        put_message(l, m);
        m->answer->signature.len = size;
    }
    hr_message_unpacked_free(&m->base);
}

/* Complaints about everybody, and proofs that are none. */
static void accuse(simulator *b) {
    wander(b);
    if (hr_dice_below(&b->dice, 8) || !b->parties[COORDINATOR].machine || b->parties[COORDINATOR].ends)
        return;
    const hr_job_state *c = hr_inprivate_coordinator_course(b->parties[COORDINATOR].machine);
    Hedgerow__Message m = message_with(HEDGEROW__MESSAGE__KIND_NOTICE);
    hr_two_trees proof;
    size_t slot = c ? hr_dice_below(&b->dice, hr_job_state_slots(c)) : 0;
    if (!c) return;
    hr_job_state_second(c, slot, &proof);
    proof.second = proof.first;
    if (hr_dice_below(&b->dice, 16)) {
        proof.notice.kind = HEDGEROW__NOTICE__KIND__REFUSED;
        proof.notice.first = proof.notice.second = NULL;
    }
    m.notice = &proof.notice;
    send_message(b, ANNA, COORDINATOR, &m);
}

static void (*const lies[])(simulator *b, letter *l) = {spoil,     misdirect, equivocate,
                                                        keep_back, NULL,      forge_acceptance};
enum { LIES = sizeof lies / sizeof *lies };

static void check_honest(const simulator *b, size_t seed, const size_t honest[3]) {
    for (size_t i = 0; i < 3; i++) {
        if (b->parties[honest[i]].ends != 1)
            fail_msg("seed %zu: member %zu has %zu ends", seed, honest[i], b->parties[honest[i]].ends);
        for (size_t j = 0; j < 3; j++)
            if (b->parties[honest[i]].cut[honest[j]]) fail_msg("seed %zu: %s", seed, b->last_cut);
    }
    check_replay(b);
}

static void test_liars__among_owners_harm_no_other_one(void **state) {
    static const size_t honest[] = {COORDINATOR, BERT, CARL};
    for (size_t seed = 0, count = schedules(); seed < count; seed++) {
        simulator *b = voted_job_open(*state, &voted_scripts[seed % VOTED_SCRIPTS], seed);
        const size_t lie = seed / VOTED_SCRIPTS % (LIES + 1);
        b->tamper = lie < LIES ? lies[lie] : NULL;
        ((inprivate_job *)b)->names_false_sets[ANNA] = lie == LIES || !hr_dice_below(&b->dice, 4);
        simulator_run(b, lie == LIES || !b->tamper ? accuse : wander);
        all_return(b);
        check_honest(b, seed, honest);
        simulator_close(b);
    }
}

/* Nobody is away, so that nobody is skipped but the liar: all others' trees are in the model. */
static void test_liars__remove_no_tree_but_their_own(void **state) {
    static const size_t honest[] = {COORDINATOR, BERT, CARL};
    for (size_t seed = 0, count = schedules(); seed < count; seed++) {
        const job_script *s = &voted_scripts[seed % VOTED_SCRIPTS].script;
        const size_t lie = seed / VOTED_SCRIPTS % LIES;
        if (lie == 1) continue; /* what goes to the wrong member is missing elsewhere */
        simulator *b = voted_job_open(*state, &voted_scripts[seed % VOTED_SCRIPTS], seed);
        b->tamper = lies[lie];
        ((inprivate_job *)b)->names_false_sets[ANNA] = !hr_dice_below(&b->dice, 3);
        simulator_run(b, NULL);
        check_honest(b, seed, honest);
        const hr_job_state *c = hr_inprivate_coordinator_course(b->parties[COORDINATOR].machine);
        size_t rounds = s->round_gain > .5 ? 1 : s->rounds, trees = 0;
        for (size_t p = 0; p < hr_job_state_slots(c); p++)
            trees += hr_job_state_owner(c, p) != ANNA && c->slots[p].state == HR_SLOT_TREE;
        if (trees != 2 * rounds) fail_msg("seed %zu: %zu trees of others", seed, trees);
        simulator_close(b);
    }
}

/* ---- The coordinator ---- */

static void sign_start_anew(const simulator *b, Hedgerow__Start *start, const size_t *owners) {
    hr_job_state c = simulated_state_of(b, COORDINATOR);
    c.start = hr_start_digest(&c.terms, &((inprivate_job *)b)->f->membership, owners, start->n_owners);
    hr_job_state_sign_start(&c);
    if (start->signature.len == HR_SIGNATURE_SIZE)
        memcpy(start->signature.data, c.start_signature, HR_SIGNATURE_SIZE);
    hr_job_state_done(&c);
}

/* Without Carl, or without Carl's acceptance. */
static void change_start(simulator *b, Hedgerow__Start *start) {
    size_t owners[] = {ANNA, BERT, CARL};
    if (start->n_owners != 3 || hr_dice_below(&b->dice, 2)) return;
    if (hr_dice_below(&b->dice, 2)) {
        start->n_owners = start->n_acceptances = 2;
        sign_start_anew(b, start, owners);
        return;
    }
    start->acceptances[2].data[hr_dice_below(&b->dice, HR_SIGNATURE_SIZE)] ^= 4;
    sign_start_anew(b, start, owners);
}

static void deceive_owners(simulator *b, letter *l) {
    if (l->from != COORDINATOR) return;
    Hedgerow__Message *m = message_in(l->bytes);
    const size_t count = m->kind_case == HEDGEROW__MESSAGE__KIND_START ? m->start->n_owners : 0;
    if (count) change_start(b, m->start);
    if (m->kind_case == HEDGEROW__MESSAGE__KIND_TERMS && !hr_dice_below(&b->dice, 3))
        m->terms->epsilon *= 1.5;
    if (m->kind_case == HEDGEROW__MESSAGE__KIND_SKIP && !hr_dice_below(&b->dice, 2)) m->skip->slot ^= 1;
    put_message(l, m);
    if (count) m->start->n_owners = m->start->n_acceptances = count;
    hr_message_unpacked_free(&m->base);
}

/* Owners that require three train with three that accepted the same terms, or not at all; and do not take
 * each other for liars. */
static void test_liars__that_coordinate_have_nobody_train_on_other_terms(void **state) {
    for (size_t seed = 0, count = schedules(); seed < count; seed++) {
        voted_script s = voted_scripts[seed % VOTED_SCRIPTS];
        const hr_digest *terms = NULL;
        s.script.min_owners = 3;
        simulator *b = voted_job_open(*state, &s, seed);
        b->tamper = deceive_owners;
        simulator_run(b, NULL);
        for (size_t who = ANNA; who <= CARL; who++) {
            const hr_job_state *c = hr_inprivate_owner_course(b->parties[who].machine);
            for (size_t other = ANNA; other <= CARL; other++)
                if (b->parties[who].cut[other]) fail_msg("seed %zu: %s", seed, b->last_cut);
            if (!c) continue;
            assert_int_equal(c->owner_count, 3);
            if (terms && !hr_digest_is(terms, c->terms.bytes, HR_DIGEST_SIZE))
                fail_msg("seed %zu: owners train on different terms", seed);
            terms = &c->terms;
        }
        check_replay(b);
        simulator_close(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_liars__among_owners_harm_no_other_one),
        WITH_TEST_MEMBERS(test_liars__remove_no_tree_but_their_own),
        WITH_TEST_MEMBERS(test_liars__that_coordinate_have_nobody_train_on_other_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
