#include "support/simfl_job.h"

const uint32_t simfl_rows[SIMFL_PARTIES] = {0, 1, 2, 3};
size_t simfl_test_tables = SIMFL_TABLES;
bool simfl_test_blocks = false;

Hedgerow__Terms simfl_plain_terms(ProtobufCBinaryData owners[SIMFL_OWNERS]) {
    static const char *const names[] = {"anna", "bert", "carl"};
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    for (size_t i = 0; i < SIMFL_OWNERS; i++) owners[i] = hr_text_of(names[i]);
    terms.name = hr_text_of("job");
    terms.schema = hr_text_of(the_schema);
    terms.method = hr_text_of("simfl");
    terms.paper = true;
    terms.rounds = 1;
    terms.owners = owners;
    terms.n_owners = SIMFL_OWNERS;
    return terms;
}

static void bound_test_sums(hr_simfl_rules *rules, size_t records) {
    assert_true(records >= 1);
    rules->gradient_max = SIMFL_GRADIENT;
    rules->weight_max = SIMFL_WEIGHT;
}

static size_t test_trainer(const hr_simfl_rules *rules, const uint32_t *rows, size_t owners, size_t tree) {
    for (size_t i = 0; i < owners; i++) assert_true(rows[i]);
    assert_int_equal(rules->trees, SIMFL_TREES);
    return (rules->blocks ? 1 + tree / 2 : tree) % owners;
}

hr_status simfl_test_rules(const Hedgerow__Terms *terms, const hr_schema *schema, hr_simfl_rules *out,
                           hr_error *err) {
    assert_true(terms && schema && err);
    *out = (hr_simfl_rules){.tables = simfl_test_tables,
                            .trees = SIMFL_TREES,
                            .trainer = test_trainer,
                            .blocks = simfl_test_blocks,
                            .classes = true,
                            .bound = bound_test_sums};
    return HR_OK;
}

static hr_protocol *make_machine(const hr_protocol_setup *setup) {
    hr_protocol *machine = NULL;
    hr_error err = {0};
    const bool mine = setup->view->self == COORDINATOR;
    assert_int_equal((mine ? hr_simfl_coordinator_machine : hr_simfl_owner_machine)(setup, simfl_test_rules,
                                                                                    &machine, &err),
                     HR_OK);
    return machine;
}

static void count_relayed(simulator *s, size_t who, const hr_action *a) {
    Hedgerow__Message *m = message_in(a->bytes);
    if (who != COORDINATOR && a->member == COORDINATOR)
        ((simfl_job *)s)->relayed += m->kind_case == HEDGEROW__MESSAGE__KIND_SIMFL_HASHES ||
                                     m->kind_case == HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS;
    hr_message_unpacked_free(&m->base);
}

static void change_letter(simulator *s, letter *l) {
    simfl_job *job = (simfl_job *)s;
    if (!job->change) return;
    Hedgerow__Message *m = message_in(l->bytes);
    const bool stays = job->change(job, l->from, l->to, m);
    free(l->bytes.at);
    l->bytes = stays ? packed(m) : (hr_bytes){0};
    hr_message_unpacked_free(&m->base);
}

/* ---- Work ---- */

int16_t simfl_test_hash(size_t who, size_t i) {
    return (int16_t)(i % 2 ? -300 * (int)(who + i) : 300 * (int)(who + i));
}

static hr_bytes made_hashes(const hr_protocol *machine, size_t who) {
    int16_t hashes[SIMFL_ROWS * SIMFL_TABLES];
    hr_bytes out;
    for (size_t i = 0; i < simfl_rows[who] * SIMFL_TABLES; i++) hashes[i] = simfl_test_hash(who, i);
    assert_int_equal(hr_simfl_pack_hashes(machine, hashes, &out, NULL), HR_OK);
    return out;
}

static int64_t test_gradient(size_t who, size_t tree, size_t i) {
    return (int64_t)(who + tree + i) - 5;
}

static hr_bytes made_gradients(const hr_protocol *machine, size_t who, const hr_simfl_work *work) {
    int64_t gradients[SIMFL_ROWS], weights[SIMFL_ROWS];
    hr_bytes out;
    for (size_t i = 0; i < SIMFL_ROWS; i++) {
        gradients[i] = test_gradient(who, work->tree, i);
        weights[i] = (int64_t)i;
    }
    assert_int_equal(hr_simfl_pack_gradients(machine, gradients, weights, &out, NULL), HR_OK);
    return out;
}

static void check_received(const hr_protocol *machine, size_t who, const hr_simfl_work *work) {
    for (size_t other = 0; other < SIMFL_OWNERS; other++) {
        const int64_t *gradients, *weights;
        if (other == work->trainer) continue;
        hr_simfl_received(machine, other, &gradients, &weights);
        for (size_t i = 0; i < simfl_rows[who]; i++)
            assert_true(gradients[i] == test_gradient(ANNA + other, work->tree, i) &&
                        weights[i] == (int64_t)i);
    }
}

/* It has what all others sent. */
static hr_bytes made_tree(const simulator *s, size_t who, const hr_simfl_work *work) {
    const hr_protocol *machine = s->parties[who].machine;
    hr_node leaf = {.value = (double)work->tree};
    const hr_tree tree = {.nodes = &leaf, .node_count = 1};
    hr_bytes out;
    if (!((const simfl_job *)s)->any_numbers) check_received(machine, who, work);
    assert_int_equal(hr_simfl_pack_tree(machine, &tree, &out, NULL), HR_OK);
    return out;
}

static hr_bytes made_work(simulator *s, size_t who, const hr_action *action) {
    const hr_protocol *machine = s->parties[who].machine;
    const hr_simfl_work work = hr_simfl_work_of(machine);
    const int64_t sums[] = {1, simfl_rows[who] - 1};
    hr_bytes out = {0};
    assert_true(!action->slot || s->parties[who].trained[action->slot - 1]);
    switch (work.task) {
    case HR_SIMFL_MEASURE:
        assert_int_equal(hr_simfl_pack_size(simfl_rows[who], sums, &out, NULL), HR_OK);
        break;
    case HR_SIMFL_HASH: out = made_hashes(machine, who); break;
    case HR_SIMFL_GRADIENTS: out = made_gradients(machine, who, &work); break;
    case HR_SIMFL_TRAIN: out = made_tree(s, who, &work); break;
    }
    return out;
}

void simfl_run(simulator *s) {
    while (simulator_step(s)) continue;
}

/* Until the owner has that work to do. */
void simfl_run_until(simulator *b, size_t who, hr_simfl_task task) {
    const simulated_party *p = &b->parties[who];
    while (p->work.kind != HR_ACT_TRAIN || hr_simfl_work_of(p->machine).task != task)
        assert_true(simulator_step(b));
}

simulator *simfl_open(const test_members *f) {
    static const simulated_protocol protocol = {make_machine, made_work, count_relayed};
    simfl_job *job = (simfl_job *)simulator_new(sizeof *job, &protocol, 1);
    hr_protocol_setup setups[SIMFL_PARTIES];
    ProtobufCBinaryData owners[SIMFL_OWNERS];
    const Hedgerow__Terms terms = simfl_plain_terms(owners);
    const hr_bytes bytes = packed(&terms);
    job->sim.in_order = true;
    job->sim.tamper = change_letter;
    for (size_t who = 0; who < SIMFL_PARTIES; who++) setups[who] = setup_of_member(f, who, bytes);
    simulator_start(&job->sim, bytes, setups, SIMFL_PARTIES);
    return &job->sim;
}

void simfl_close(simulator *s) {
    check_replay(s);
    simulator_close(s);
}

void simfl_check_failed(const simulator *b, const char *why) {
    const simulated_party *c = &b->parties[COORDINATOR];
    assert_true(c->failed);
    if (!strstr(c->why, why)) fail_msg("%s", c->why);
    for (size_t who = ANNA; who < SIMFL_PARTIES; who++)
        assert_true(b->parties[who].away || b->parties[who].failed ||
                    b->parties[who].work.kind == HR_ACT_DECIDE);
}

void simfl_check_cut(const simulator *b, size_t by, size_t who, const char *why) {
    assert_true(b->parties[by].cut[who]);
    if (!strstr(b->last_cut, why)) fail_msg("%s", b->last_cut);
}
