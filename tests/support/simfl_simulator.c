#include "support/simfl_simulator.h"

const uint32_t simfl_rows[SIMFL_PARTIES] = {0, 1, 2, 3};

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

hr_status simfl_test_rules(const Hedgerow__Terms *terms, const hr_schema *schema, hr_simfl_rules *out,
                           hr_error *err) {
    assert_true(terms && schema && err);
    *out = (hr_simfl_rules){
        .tables = SIMFL_TABLES, .trees = SIMFL_TREES, .classes = true, .bound = bound_test_sums};
    return HR_OK;
}

static hr_status make_machine(const hr_protocol_setup *setup, hr_protocol **out) {
    hr_error err = {0};
    if (setup->view->self == COORDINATOR)
        return hr_simfl_coordinator_machine(setup, simfl_test_rules, out, &err);
    return hr_simfl_owner_machine(setup, simfl_test_rules, out, &err);
}

static void log_bytes(simfl_log *log, const void *at, size_t size) {
    assert_true(log->size + size <= sizeof log->at);
    if (size) memcpy(log->at + log->size, at, size);
    log->size += size;
}

static void log_action(simfl_log *log, const hr_action *a) {
    const uint64_t head[] = {a->kind, a->member, a->slot, a->bytes.size};
    log_bytes(log, head, sizeof head);
    log_bytes(log, a->bytes.at, a->bytes.size);
    log_bytes(log, a->text, strlen(a->text));
}

Hedgerow__Message *simfl_unpacked(hr_bytes bytes) {
    ProtobufCMessage *m = NULL;
    assert_int_equal(hr_message_unpack(&hedgerow__message__descriptor, bytes.at, bytes.size, &m, NULL),
                     HR_OK);
    return (Hedgerow__Message *)m;
}

static void post(simfl_sim *b, size_t from, size_t to, hr_bytes bytes) {
    Hedgerow__Message *m = simfl_unpacked(bytes);
    b->relayed += to == COORDINATOR && (m->kind_case == HEDGEROW__MESSAGE__KIND_SIMFL_HASHES ||
                                        m->kind_case == HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS);
    if (!b->tamper || b->tamper(b, from, to, m)) {
        assert_true(b->letter_count < SIMFL_LETTERS && to < SIMFL_PARTIES);
        b->letters[b->letter_count++] = (simfl_letter){from, to, packed(m)};
    }
    hr_message_unpacked_free(&m->base);
    free(bytes.at);
}

static void carry_out(simfl_sim *b, size_t who, hr_action *a) {
    simfl_sim_party *p = &b->parties[who];
    size_t said = strlen(b->said);
    assert_false(p->finished || p->failed);
    if (a->kind == HR_ACT_SEND) {
        post(b, who, a->member, a->bytes);
        return;
    }
    if (a->kind == HR_ACT_DECIDE) p->decides = true;
    if (a->kind == HR_ACT_TRAIN) {
        assert_true(!p->has_work && a->slot == p->works++);
        p->has_work = true;
    }
    if (a->kind == HR_ACT_CUT_OFF) {
        p->cut[a->member] = true;
        memcpy(p->cut_why, a->text, sizeof p->cut_why);
    }
    if ((a->kind == HR_ACT_LOG || a->kind == HR_ACT_WARN) && who == COORDINATOR)
        snprintf(b->said + said, sizeof b->said - said, "%s\n", a->text);
    if (a->kind == HR_ACT_FINISH) p->finished = true;
    if (a->kind == HR_ACT_FAIL) {
        p->failed = true;
        memcpy(p->why, a->text, sizeof p->why);
    }
    free(a->bytes.at);
}

static void take_actions(simfl_sim *b, size_t who) {
    hr_action a;
    while (hr_protocol_next(b->parties[who].machine, &a)) {
        log_action(&b->parties[who].actions, &a);
        carry_out(b, who, &a);
    }
}

void simfl_feed(simfl_sim *b, size_t who, hr_event event) {
    simfl_sim_party *p = &b->parties[who];
    hr_bytes kept = bytes_of(event.bytes, event.size);
    assert_true(p->event_count < SIMFL_EVENTS);
    event.bytes = kept.at;
    p->events[p->event_count++] = event;
    assert_int_equal(hr_protocol_feed(p->machine, &event, NULL), HR_OK);
    take_actions(b, who);
}

void simfl_feed_bytes(simfl_sim *b, size_t from, size_t to, hr_bytes bytes) {
    if (!b->parties[to].cut[from] && !b->parties[to].finished && !b->parties[to].failed)
        simfl_feed(b, to,
                   (hr_event){.kind = HR_EVENT_MESSAGE, .from = from, .bytes = bytes.at, .size = bytes.size});
    free(bytes.at);
}

void simfl_send(simfl_sim *b, size_t from, size_t to, Hedgerow__Message__KindCase kind, const void *content) {
    Hedgerow__Message m = HEDGEROW__MESSAGE__INIT;
    m.kind_case = kind;
    m.terms = (Hedgerow__Terms *)content; /* a union of pointers */
    simfl_feed_bytes(b, from, to, packed(&m));
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

/* It has what all others sent. */
static hr_bytes made_tree(const hr_protocol *machine, size_t who, const hr_simfl_work *work) {
    hr_node leaf = {.value = (double)work->tree};
    const hr_tree tree = {.nodes = &leaf, .node_count = 1};
    hr_bytes out;
    for (size_t other = 0; other < SIMFL_OWNERS; other++) {
        const int64_t *gradients, *weights;
        if (other == work->trainer) continue;
        hr_simfl_received(machine, other, &gradients, &weights);
        for (size_t i = 0; i < simfl_rows[who]; i++)
            assert_true(gradients[i] == test_gradient(ANNA + other, work->tree, i) &&
                        weights[i] == (int64_t)i);
    }
    assert_int_equal(hr_simfl_pack_tree(machine, &tree, &out, NULL), HR_OK);
    return out;
}

static hr_bytes made_outcome(const hr_protocol *machine, size_t who) {
    const hr_simfl_work work = hr_simfl_work_of(machine);
    const int64_t sums[] = {1, simfl_rows[who] - 1};
    hr_bytes out = {0};
    switch (work.task) {
    case HR_SIMFL_MEASURE:
        assert_int_equal(hr_simfl_pack_size(simfl_rows[who], sums, &out, NULL), HR_OK);
        break;
    case HR_SIMFL_HASH: out = made_hashes(machine, who); break;
    case HR_SIMFL_GRADIENTS: out = made_gradients(machine, who, &work); break;
    case HR_SIMFL_TRAIN: out = made_tree(machine, who, &work); break;
    }
    return out;
}

void simfl_do_work(simfl_sim *b, size_t who) {
    simfl_sim_party *p = &b->parties[who];
    hr_bytes outcome = {0};
    p->has_work = false;
    simfl_feed(b, who, (hr_event){.kind = HR_EVENT_WORK_STARTED});
    if (!p->loses) outcome = made_outcome(p->machine, who);
    simfl_feed(b, who, (hr_event){.kind = HR_EVENT_WORK_DONE, .bytes = outcome.at, .size = outcome.size});
    free(outcome.at);
}

static void simfl_decide(simfl_sim *b, size_t who, bool accepts) {
    b->parties[who].decides = false;
    simfl_feed(b, who,
               (hr_event){.kind = HR_EVENT_DECIDED, .number = accepts, .bytes = (const uint8_t *)"no"});
}

bool simfl_deliver(simfl_sim *b) {
    if (!b->letter_count) return false;
    const simfl_letter l = b->letters[0];
    memmove(b->letters, b->letters + 1, --b->letter_count * sizeof l);
    if (b->parties[l.from].away || b->parties[l.to].away)
        free(l.bytes.at);
    else
        simfl_feed_bytes(b, l.from, l.to, l.bytes);
    return true;
}

static bool is_over(const simfl_sim_party *p) {
    return p->finished || p->failed;
}

/* One thing happens: mail, then decisions, then work. */
bool simfl_step(simfl_sim *b) {
    if (simfl_deliver(b)) return true;
    for (size_t who = ANNA; who < SIMFL_PARTIES; who++) {
        simfl_sim_party *p = &b->parties[who];
        if (p->away || is_over(p) || !(p->decides || p->has_work)) continue;
        if (p->decides)
            simfl_decide(b, who, true);
        else
            simfl_do_work(b, who);
        return true;
    }
    return false;
}

void simfl_run(simfl_sim *b) {
    while (simfl_step(b)) {
    }
}

/* Until the owner has that work to do. */
void simfl_run_until(simfl_sim *b, size_t who, hr_simfl_task task) {
    const simfl_sim_party *p = &b->parties[who];
    while (!p->has_work || hr_simfl_work_of(p->machine).task != task) assert_true(simfl_step(b));
}

simfl_sim *simfl_open(const test_members *f) {
    simfl_sim *b = calloc(1, sizeof *b);
    ProtobufCBinaryData owners[SIMFL_OWNERS];
    Hedgerow__Terms terms = simfl_plain_terms(owners);
    assert_non_null(b);
    b->f = f;
    b->terms = packed(&terms);
    for (size_t who = 0; who < SIMFL_PARTIES; who++) {
        simfl_sim_party *p = &b->parties[who];
        p->setup = (hr_protocol_setup){.view = &f->views[who],
                                       .job = the_job,
                                       .schema = f->schema,
                                       .coordinator = COORDINATOR,
                                       .min_owners = 1,
                                       .terms = b->terms};
        assert_int_equal(make_machine(&p->setup, &p->machine), HR_OK);
        take_actions(b, who);
    }
    return b;
}

/* A new machine that is fed the same events takes the same actions. */
static void check_replay(const simfl_sim *b) {
    for (size_t who = 0; who < SIMFL_PARTIES; who++) {
        const simfl_sim_party *p = &b->parties[who];
        hr_protocol *again = NULL;
        hr_action a;
        simfl_log *log = calloc(1, sizeof *log);
        assert_int_equal(make_machine(&p->setup, &again), HR_OK);
        for (size_t i = 0; i < p->event_count; i++)
            assert_int_equal(hr_protocol_feed(again, &p->events[i], NULL), HR_OK);
        while (hr_protocol_next(again, &a)) {
            log_action(log, &a);
            free(a.bytes.at);
        }
        assert_int_equal(log->size, p->actions.size);
        assert_memory_equal(log->at, p->actions.at, log->size);
        hr_protocol_free(again);
        free(log);
    }
}

void simfl_close(simfl_sim *b) {
    check_replay(b);
    for (size_t i = 0; i < b->letter_count; i++) free(b->letters[i].bytes.at);
    for (size_t who = 0; who < SIMFL_PARTIES; who++) {
        for (size_t i = 0; i < b->parties[who].event_count; i++)
            free((void *)b->parties[who].events[i].bytes);
        hr_protocol_free(b->parties[who].machine);
    }
    free(b->terms.at);
    free(b);
}

void simfl_check_failed(const simfl_sim *b, const char *why) {
    const simfl_sim_party *c = &b->parties[COORDINATOR];
    assert_true(c->failed);
    if (!strstr(c->why, why)) fail_msg("%s", c->why);
    for (size_t who = ANNA; who < SIMFL_PARTIES; who++)
        assert_true(b->parties[who].away || b->parties[who].failed || b->parties[who].decides);
}

void simfl_check_cut(const simfl_sim *b, size_t by, size_t who, const char *why) {
    assert_true(b->parties[by].cut[who]);
    if (!strstr(b->parties[by].cut_why, why)) fail_msg("%s", b->parties[by].cut_why);
}
