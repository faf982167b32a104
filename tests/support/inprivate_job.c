#include "support/inprivate_job.h"

/* ---- Machines ---- */

const finding found_half = {512, 1024, {0}};

static hr_bytes terms_with(const job_script *s, bool paper, exact_votes exact) {
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
    terms.paper = paper;
    terms.exact_rounds = exact.rounds;
    terms.exact_trees = exact.trees;
    terms.owners = names;
    terms.n_owners = 3;
    return packed(&terms);
}

hr_bytes terms_of(const job_script *s) {
    return terms_with(s, false, (exact_votes){false, false});
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
    hr_protocol_setup setup = setup_of_member(f, self, terms);
    setup.min_owners = s->min_owners;
    setup.round_gain = s->round_gain;
    return setup;
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

hr_job_state simulated_state_of(const simulator *s, size_t self) {
    return started_state_of(((const inprivate_job *)s)->f, &s->parties[COORDINATOR].setup, self);
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

hr_bytes exact_ballot_bytes(size_t round, size_t tree, finding found) {
    Hedgerow__Release line = HEDGEROW__RELEASE__INIT, *releases[] = {&line};
    Hedgerow__Ballot ballot = HEDGEROW__BALLOT__INIT;
    line.what = hr_text_of("accuracy of trees");
    line.tree = line.level = -1;
    line.sensitivity = line.scale_den = line.draws = 1;
    line.mechanism = HR_MECHANISM_IDENTITY;
    ballot.releases = releases;
    ballot.n_releases = 1;
    ballot.round = (uint32_t)round;
    ballot.tree = (uint32_t)tree;
    ballot.counted = true;
    ballot.gain = found.gain;
    ballot.records = found.records;
    return packed(&ballot);
}

/* ---- Jobs ---- */

static inprivate_job *job_in(simulator *s) {
    return (inprivate_job *)s;
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

static hr_bytes made_work(simulator *s, size_t who, const hr_action *work) {
    const inprivate_job *job = job_in(s);
    const hr_job_state *course = hr_inprivate_owner_course(s->parties[who].machine);
    const size_t owners = course->owner_count, round = work->slot / owners,
                 most = job->script->last_slots < owners ? job->script->last_slots : owners - 1;
    if (work->kind == HR_ACT_VOTE && job->exact.trees)
        return exact_ballot_bytes(round, work->slot + 1, (finding){job->gains[work->slot], 1024, {0}});
    if (work->kind == HR_ACT_VOTE && job->exact.rounds) return exact_ballot_bytes(round, 0, job->found[who]);
    if (work->kind == HR_ACT_VOTE)
        return ballot_bytes(round, work->slot, job->found[who], round + 1 == job->script->rounds ? most : 0);
    hr_bytes made = leaf_bytes(job->f, course, work->slot);
    if (job->names_false_sets[who]) name_false_set(&made);
    return made;
}

static simulator *open_with(const test_members *f, const job_script *script, hr_bytes terms, uint64_t seed) {
    static const simulated_protocol protocol = {machine_of, made_work, NULL};
    hr_protocol_setup setups[CARL + 1];
    inprivate_job *job = (inprivate_job *)simulator_new(sizeof *job, &protocol, seed);
    job->f = f;
    job->script = script;
    for (size_t who = COORDINATOR; who <= CARL; who++) {
        setups[who] = setup_of(f, who, script, terms);
        job->found[who] = found_half;
    }
    simulator_start(&job->sim, terms, setups, CARL + 1);
    return &job->sim;
}

simulator *inprivate_job_open(const test_members *f, const job_script *script, uint64_t seed) {
    return open_with(f, script, terms_of(script), seed);
}

simulator *exact_job_open(const test_members *f, const job_script *script, exact_votes exact, uint64_t seed) {
    simulator *s = open_with(f, script, terms_with(script, true, exact), seed);
    job_in(s)->exact = exact;
    return s;
}

const voted_script voted_scripts[VOTED_SCRIPTS] = {
    {{1, false, 0, 0, 1, 0}, {false, false}},   {{1, true, 0, 0, 1, 0}, {false, false}},
    {{3, false, 0, 0, 1, 0}, {false, false}},   {{3, true, 0, 0, 1, 0}, {false, false}},
    {{3, false, .5, 0, 1, 0}, {false, false}},  {{3, true, .5, 0, 1, 0}, {false, false}},
    {{3, false, .5, .9, 1, 0}, {false, false}}, {{3, true, .5, .9, 1, 0}, {false, false}},
    {{2, false, .5, 0, 1, 2}, {false, false}},  {{1, true, .5, 0, 1, 3}, {false, false}},
    {{3, false, 0, .9, 1, 0}, {true, false}},   {{3, true, 0, .1, 1, 0}, {true, false}},
    {{3, false, 0, 0, 1, 0}, {false, true}},    {{3, true, 0, 0, 1, 0}, {false, true}},
    {{2, true, 0, .9, 1, 0}, {true, true}}};

simulator *voted_job_open(const test_members *f, const voted_script *script, uint64_t seed) {
    const exact_votes exact = script->exact;
    if (!exact.rounds && !exact.trees) return inprivate_job_open(f, &script->script, seed);
    simulator *s = exact_job_open(f, &script->script, exact, seed);
    for (size_t slot = 0; slot < sizeof job_in(s)->gains / sizeof *job_in(s)->gains; slot++)
        job_in(s)->gains[slot] = (int64_t)(seed >> slot % 5 & 1) * -600;
    return s;
}

size_t trees_of(const simulator *s) {
    const hr_job_state *c = hr_inprivate_coordinator_course(s->parties[COORDINATOR].machine);
    size_t trees = 0;
    for (size_t p = 0; c && p < hr_job_state_slots(c); p++) trees += c->slots[p].state == HR_SLOT_TREE;
    return trees;
}
