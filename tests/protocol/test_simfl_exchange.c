/* SimFL between machines: who sends what to whom, who is told of it, and what is refused, from an owner or
 * the coordinator. Numbers of records, hashes and gradients are made up; trees are leaves. */
#include "protocol/simfl_exchange.h"
#include "protocol/simfl_exchange_machine.h"
#include "support/test_members.h"

#include <math.h>

enum { PARTIES = 4, OWNERS = 3, EVENTS_MAX = 128, LETTERS_MAX = 64, TREES = 4, TABLES = 3, ROWS_MAX = 3 };
enum { GRADIENT_MAX = 100, WEIGHT_MAX = 10 };

static const uint32_t rows_of[PARTIES] = {0, 1, 2, 3};

typedef struct letter {
    size_t from, to;
    hr_bytes bytes;
} letter;

typedef struct byte_log {
    uint8_t at[1 << 16];
    size_t size;
} byte_log;

typedef struct party {
    hr_protocol_setup setup;
    hr_protocol *machine;
    hr_event events[EVENTS_MAX];
    size_t event_count, works;
    bool away, decides, has_work, loses, finished, failed, cut[MEMBERS];
    char why[HR_ACTION_TEXT], cut_why[HR_ACTION_TEXT];
    byte_log actions;
} party;

typedef struct board board;
struct board {
    const test_members *f;
    hr_bytes terms;
    party parties[PARTIES];
    letter letters[LETTERS_MAX];
    size_t letter_count, relayed; /* relayed: hashes and gradients that came to the coordinator */
    /* Changes a message; false: it is not sent. NULL: nobody lies. */
    bool (*tamper)(board *b, size_t from, size_t to, Hedgerow__Message *m);
    size_t count; /* for tamper */
    char said[4096];
};

static Hedgerow__Terms plain_terms(ProtobufCBinaryData owners[OWNERS]) {
    static const char *const names[] = {"anna", "bert", "carl"};
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    for (size_t i = 0; i < OWNERS; i++) owners[i] = hr_text_of(names[i]);
    terms.name = hr_text_of("job");
    terms.schema = hr_text_of(the_schema);
    terms.method = hr_text_of("simfl");
    terms.paper = true;
    terms.rounds = 1;
    terms.owners = owners;
    terms.n_owners = OWNERS;
    return terms;
}

static void bound_test_sums(hr_simfl_rules *rules, size_t records) {
    assert_true(records >= 1);
    rules->gradient_max = GRADIENT_MAX;
    rules->weight_max = WEIGHT_MAX;
}

static hr_status read_test_rules(const Hedgerow__Terms *terms, const hr_schema *schema, hr_simfl_rules *out,
                                 hr_error *err) {
    assert_true(terms && schema && err);
    *out = (hr_simfl_rules){.tables = TABLES, .trees = TREES, .classes = true, .bound = bound_test_sums};
    return HR_OK;
}

static hr_status make_machine(const hr_protocol_setup *setup, hr_protocol **out) {
    hr_error err = {0};
    if (setup->view->self == COORDINATOR)
        return hr_simfl_coordinator_machine(setup, read_test_rules, out, &err);
    return hr_simfl_owner_machine(setup, read_test_rules, out, &err);
}

static void log_bytes(byte_log *log, const void *at, size_t size) {
    assert_true(log->size + size <= sizeof log->at);
    if (size) memcpy(log->at + log->size, at, size);
    log->size += size;
}

static void log_action(byte_log *log, const hr_action *a) {
    const uint64_t head[] = {a->kind, a->member, a->slot, a->bytes.size};
    log_bytes(log, head, sizeof head);
    log_bytes(log, a->bytes.at, a->bytes.size);
    log_bytes(log, a->text, strlen(a->text));
}

static Hedgerow__Message *unpacked(hr_bytes bytes) {
    ProtobufCMessage *m = NULL;
    assert_int_equal(hr_message_unpack(&hedgerow__message__descriptor, bytes.at, bytes.size, &m, NULL),
                     HR_OK);
    return (Hedgerow__Message *)m;
}

static void post(board *b, size_t from, size_t to, hr_bytes bytes) {
    Hedgerow__Message *m = unpacked(bytes);
    b->relayed += to == COORDINATOR && (m->kind_case == HEDGEROW__MESSAGE__KIND_SIMFL_HASHES ||
                                        m->kind_case == HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS);
    if (!b->tamper || b->tamper(b, from, to, m)) {
        assert_true(b->letter_count < LETTERS_MAX && to < PARTIES);
        b->letters[b->letter_count++] = (letter){from, to, packed(m)};
    }
    hr_message_unpacked_free(&m->base);
    free(bytes.at);
}

static void carry_out(board *b, size_t who, hr_action *a) {
    party *p = &b->parties[who];
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

static void take_actions(board *b, size_t who) {
    hr_action a;
    while (hr_protocol_next(b->parties[who].machine, &a)) {
        log_action(&b->parties[who].actions, &a);
        carry_out(b, who, &a);
    }
}

static void feed(board *b, size_t who, hr_event event) {
    party *p = &b->parties[who];
    hr_bytes kept = bytes_of(event.bytes, event.size);
    assert_true(p->event_count < EVENTS_MAX);
    event.bytes = kept.at;
    p->events[p->event_count++] = event;
    assert_int_equal(hr_protocol_feed(p->machine, &event, NULL), HR_OK);
    take_actions(b, who);
}

static void feed_bytes(board *b, size_t from, size_t to, hr_bytes bytes) {
    if (!b->parties[to].cut[from] && !b->parties[to].finished && !b->parties[to].failed)
        feed(b, to,
             (hr_event){.kind = HR_EVENT_MESSAGE, .from = from, .bytes = bytes.at, .size = bytes.size});
    free(bytes.at);
}

static void send(board *b, size_t from, size_t to, Hedgerow__Message__KindCase kind, const void *content) {
    Hedgerow__Message m = HEDGEROW__MESSAGE__INIT;
    m.kind_case = kind;
    m.terms = (Hedgerow__Terms *)content; /* a union of pointers */
    feed_bytes(b, from, to, packed(&m));
}

/* ---- Work ---- */

static int16_t test_hash(size_t who, size_t i) {
    return (int16_t)(i % 2 ? -300 * (int)(who + i) : 300 * (int)(who + i));
}

static hr_bytes made_hashes(const hr_protocol *machine, size_t who) {
    int16_t hashes[ROWS_MAX * TABLES];
    hr_bytes out;
    for (size_t i = 0; i < rows_of[who] * TABLES; i++) hashes[i] = test_hash(who, i);
    assert_int_equal(hr_simfl_pack_hashes(machine, hashes, &out, NULL), HR_OK);
    return out;
}

static int64_t test_gradient(size_t who, size_t tree, size_t i) {
    return (int64_t)(who + tree + i) - 5;
}

static hr_bytes made_gradients(const hr_protocol *machine, size_t who, const hr_simfl_work *work) {
    int64_t gradients[ROWS_MAX], weights[ROWS_MAX];
    hr_bytes out;
    for (size_t i = 0; i < ROWS_MAX; i++) {
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
    for (size_t other = 0; other < OWNERS; other++) {
        const int64_t *gradients, *weights;
        if (other == work->trainer) continue;
        hr_simfl_received(machine, other, &gradients, &weights);
        for (size_t i = 0; i < rows_of[who]; i++)
            assert_true(gradients[i] == test_gradient(ANNA + other, work->tree, i) &&
                        weights[i] == (int64_t)i);
    }
    assert_int_equal(hr_simfl_pack_tree(machine, &tree, &out, NULL), HR_OK);
    return out;
}

static hr_bytes made_outcome(const hr_protocol *machine, size_t who) {
    const hr_simfl_work work = hr_simfl_work_of(machine);
    const int64_t sums[] = {1, rows_of[who] - 1};
    hr_bytes out = {0};
    switch (work.task) {
    case HR_SIMFL_MEASURE: assert_int_equal(hr_simfl_pack_size(rows_of[who], sums, &out, NULL), HR_OK); break;
    case HR_SIMFL_HASH: out = made_hashes(machine, who); break;
    case HR_SIMFL_GRADIENTS: out = made_gradients(machine, who, &work); break;
    case HR_SIMFL_TRAIN: out = made_tree(machine, who, &work); break;
    }
    return out;
}

static void do_work(board *b, size_t who) {
    party *p = &b->parties[who];
    hr_bytes outcome = {0};
    p->has_work = false;
    feed(b, who, (hr_event){.kind = HR_EVENT_BEGUN});
    if (!p->loses) outcome = made_outcome(p->machine, who);
    feed(b, who, (hr_event){.kind = HR_EVENT_WORKED, .bytes = outcome.at, .size = outcome.size});
    free(outcome.at);
}

static void decide(board *b, size_t who, bool accepts) {
    b->parties[who].decides = false;
    feed(b, who, (hr_event){.kind = HR_EVENT_DECIDED, .number = accepts, .bytes = (const uint8_t *)"no"});
}

static bool deliver_next(board *b) {
    if (!b->letter_count) return false;
    const letter l = b->letters[0];
    memmove(b->letters, b->letters + 1, --b->letter_count * sizeof l);
    if (b->parties[l.from].away || b->parties[l.to].away)
        free(l.bytes.at);
    else
        feed_bytes(b, l.from, l.to, l.bytes);
    return true;
}

static bool is_over(const party *p) {
    return p->finished || p->failed;
}

/* One thing happens: mail, then decisions, then work. */
static bool step(board *b) {
    if (deliver_next(b)) return true;
    for (size_t who = ANNA; who < PARTIES; who++) {
        party *p = &b->parties[who];
        if (p->away || is_over(p) || !(p->decides || p->has_work)) continue;
        if (p->decides)
            decide(b, who, true);
        else
            do_work(b, who);
        return true;
    }
    return false;
}

static void run(board *b) {
    while (step(b)) {
    }
}

/* Until the owner has that work to do. */
static void run_until(board *b, size_t who, hr_simfl_task task) {
    const party *p = &b->parties[who];
    while (!p->has_work || hr_simfl_work_of(p->machine).task != task) assert_true(step(b));
}

static board *board_open(const test_members *f) {
    board *b = calloc(1, sizeof *b);
    ProtobufCBinaryData owners[OWNERS];
    Hedgerow__Terms terms = plain_terms(owners);
    assert_non_null(b);
    b->f = f;
    b->terms = packed(&terms);
    for (size_t who = 0; who < PARTIES; who++) {
        party *p = &b->parties[who];
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
static void check_replay(const board *b) {
    for (size_t who = 0; who < PARTIES; who++) {
        const party *p = &b->parties[who];
        hr_protocol *again = NULL;
        hr_action a;
        byte_log *log = calloc(1, sizeof *log);
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

static void board_close(board *b) {
    check_replay(b);
    for (size_t i = 0; i < b->letter_count; i++) free(b->letters[i].bytes.at);
    for (size_t who = 0; who < PARTIES; who++) {
        for (size_t i = 0; i < b->parties[who].event_count; i++)
            free((void *)b->parties[who].events[i].bytes);
        hr_protocol_free(b->parties[who].machine);
    }
    free(b->terms.at);
    free(b);
}

static void check_failed(const board *b, const char *why) {
    const party *c = &b->parties[COORDINATOR];
    assert_true(c->failed);
    if (!strstr(c->why, why)) fail_msg("%s", c->why);
    for (size_t who = ANNA; who < PARTIES; who++)
        assert_true(b->parties[who].away || b->parties[who].failed || b->parties[who].decides);
}

static void check_cut(const board *b, size_t by, size_t who, const char *why) {
    assert_true(b->parties[by].cut[who]);
    if (!strstr(b->parties[by].cut_why, why)) fail_msg("%s", b->parties[by].cut_why);
}

/* ---- What should be ---- */

static void test_simfl__owners_train_in_turn(void **state) {
    board *b = board_open(*state);
    hr_simfl_state s;
    run(b);
    for (size_t who = 0; who < PARTIES; who++) {
        assert_true(b->parties[who].finished);
        hr_simfl_state_of(b->parties[who].machine, &s);
        assert_true(s.owner_count == OWNERS && s.tree_count == (who ? TREES - 1 : TREES));
        assert_true(s.sums[0] == 3 && s.sums[1] == 3); /* 1 + 1 + 1, 0 + 1 + 2 */
        for (size_t t = 0; t < s.tree_count; t++) assert_true(s.trees[t].nodes[0].value == (double)t);
        for (size_t i = 0; i < OWNERS; i++) assert_int_equal(s.rows[i], rows_of[ANNA + i]);
    }
    assert_int_equal(b->relayed, 0);
    assert_non_null(strstr(b->said, "owner bert trained tree 2 of 4"));
    hr_part_info info;
    assert_true(hr_simfl_part(b->parties[COORDINATOR].machine, ANNA, &info) && info.trees == 2);
    assert_false(hr_simfl_part(b->parties[COORDINATOR].machine, DORA, &info));
    board_close(b);
}

static void test_simfl__every_owner_has_the_hashes_of_the_others(void **state) {
    board *b = board_open(*state);
    run_until(b, ANNA, HR_SIMFL_TRAIN);
    for (size_t other = 1; other < OWNERS; other++) {
        const int16_t *hashes = hr_simfl_hashes(b->parties[ANNA].machine, other);
        for (size_t i = 0; i < rows_of[ANNA + other] * TABLES; i++)
            assert_int_equal(hashes[i], test_hash(ANNA + other, i));
    }
    assert_null(hr_simfl_hashes(b->parties[ANNA].machine, 0));
    board_close(b);
}

static void test_simfl__work_that_was_lost_is_done_again_once(void **state) {
    board *b = board_open(*state);
    run_until(b, BERT, HR_SIMFL_HASH);
    b->parties[BERT].loses = true;
    do_work(b, BERT);
    assert_true(b->parties[BERT].has_work && !b->parties[BERT].failed);
    b->parties[BERT].loses = false;
    run_until(b, BERT, HR_SIMFL_GRADIENTS);
    b->parties[BERT].loses = true;
    do_work(b, BERT);
    b->parties[BERT].loses = false;
    run(b);
    assert_true(b->parties[COORDINATOR].finished);
    board_close(b);
}

static void test_simfl__owner_without_an_answer_ends_the_job(void **state) {
    board *b = board_open(*state);
    run_until(b, BERT, HR_SIMFL_GRADIENTS);
    b->parties[BERT].loses = true;
    run(b);
    assert_string_equal(b->parties[BERT].why, "this owner has no answer to give");
    check_failed(b, "owner bert has no answer to give");
    board_close(b);
}

/* ---- Who is silent ---- */

static void check_silence(const test_members *f, size_t who, hr_simfl_task task) {
    static const char *const names[] = {"", "anna", "bert", "carl"};
    char why[100];
    board *b = board_open(f);
    hr_part_info info;
    snprintf(why, sizeof why, "owner %s gave no answer within the deadline", names[who]);
    run_until(b, who, task);
    b->parties[who].away = true;
    run(b);
    assert_true(hr_protocol_waits(b->parties[COORDINATOR].machine));
    for (size_t other = ANNA; other < PARTIES; other++) {
        assert_true(hr_simfl_part(b->parties[COORDINATOR].machine, other, &info));
        assert_int_equal(info.awaited, other == who);
    }
    feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_AWAY});
    run(b);
    check_failed(b, why);
    assert_false(hr_protocol_waits(b->parties[COORDINATOR].machine));
    board_close(b);
}

static void test_simfl__owner_that_is_silent_is_named(void **state) {
    check_silence(*state, BERT, HR_SIMFL_MEASURE);
    check_silence(*state, CARL, HR_SIMFL_HASH);
    check_silence(*state, BERT, HR_SIMFL_GRADIENTS);
    check_silence(*state, ANNA, HR_SIMFL_TRAIN);
}

static void test_simfl__begins_with_those_that_have_answered(void **state) {
    board *b = board_open(*state);
    b->parties[CARL].away = true;
    run(b);
    assert_false(b->parties[ANNA].has_work);
    feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_AWAY});
    while (deliver_next(b)) {
    }
    assert_true(b->parties[ANNA].has_work && b->parties[BERT].has_work);
    hr_simfl_state s;
    hr_simfl_state_of(b->parties[ANNA].machine, &s);
    assert_int_equal(s.owner_count, 2);
    board_close(b);
}

static void test_simfl__owner_that_leaves_ends_the_job(void **state) {
    board *b = board_open(*state);
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    answer.reason = hr_text_of("enough");
    run_until(b, BERT, HR_SIMFL_GRADIENTS);
    send(b, BERT, COORDINATOR, HEDGEROW__MESSAGE__KIND_ANSWER, &answer);
    run(b);
    check_failed(b, "owner bert ended its part");
    board_close(b);
}

/* ---- An owner that lies to another ---- */

/* What Bert sends Anna is changed: Anna cuts it off, and the coordinator names both. */
static void check_lie(const test_members *f,
                      bool (*tamper)(board *b, size_t from, size_t to, Hedgerow__Message *m),
                      const char *why) {
    board *b = board_open(f);
    b->tamper = tamper;
    run(b);
    check_cut(b, ANNA, BERT, why);
    check_failed(b, "owner anna refused what owner bert sent");
    board_close(b);
}

static bool is_lie(size_t from, size_t to, const Hedgerow__Message *m, Hedgerow__Message__KindCase kind) {
    return from == BERT && to == ANNA && m->kind_case == kind;
}

#define LIE(name, kind, ...)                                                                                 \
    static bool name(board *b, size_t from, size_t to, Hedgerow__Message *m) {                               \
        (void)b;                                                                                             \
        if (is_lie(from, to, m, HEDGEROW__MESSAGE__KIND_SIMFL_##kind)) {                                     \
            __VA_ARGS__;                                                                                     \
        }                                                                                                    \
        return true;                                                                                         \
    }

LIE(short_hashes, HASHES, m->simfl_hashes->hashes.len -= 2)
LIE(other_rows, HASHES, m->simfl_hashes->rows = 1; m->simfl_hashes->hashes.len = 2 * TABLES)
LIE(no_rows, HASHES, m->simfl_hashes->rows = 0)
LIE(too_many_rows, HASHES, m->simfl_hashes->rows = HR_SIMFL_ROWS_MAX + 1)
LIE(later_hashes, HASHES, m->simfl_hashes->first = 1)
LIE(large_gradient, GRADIENTS, m->simfl_gradients->gradients[0] = 2 * GRADIENT_MAX + 1)
LIE(small_gradient, GRADIENTS, m->simfl_gradients->gradients[0] = INT64_MIN)
LIE(large_weight, GRADIENTS, m->simfl_gradients->weights[0] = 2 * WEIGHT_MAX + 1)
LIE(huge_weight, GRADIENTS, m->simfl_gradients->weights[0] = UINT64_MAX)
LIE(no_weights, GRADIENTS, m->simfl_gradients->n_weights = 0)
LIE(no_gradients, GRADIENTS, m->simfl_gradients->n_gradients = m->simfl_gradients->n_weights = 0)
LIE(other_tree, GRADIENTS, m->simfl_gradients->tree = 1)
LIE(later_tree, GRADIENTS, m->simfl_gradients->tree = 3)

static void test_simfl__hashes_that_lie_are_refused(void **state) {
    check_lie(*state, short_hashes, "hashes out of order, twice or of another length");
    check_lie(*state, later_hashes, "hashes out of order, twice or of another length");
    check_lie(*state, other_rows, "another number of records than it told the coordinator");
    check_lie(*state, no_rows, "0 records, and an owner has 1 to 100000");
    check_lie(*state, too_many_rows, "100001 records, and an owner has 1 to 100000");
}

static void test_simfl__gradients_that_lie_are_refused(void **state) {
    check_lie(*state, large_gradient, "gradients out of range");
    check_lie(*state, small_gradient, "gradients out of range");
    check_lie(*state, large_weight, "gradients out of range");
    check_lie(*state, huge_weight, "gradients out of range");
    check_lie(*state, no_weights, "gradients of another number than this owner has records");
    check_lie(*state, no_gradients, "gradients of another number than this owner has records");
    check_lie(*state, other_tree, "gradients for a tree that this owner does not train now");
    check_lie(*state, later_tree, "gradients for a tree that this owner does not train now");
}

/* Each in range, all of them more than Anna's one record can have. To Carl, which has three. */
static void test_simfl__gradients_of_more_records_than_there_are_are_refused(void **state) {
    for (size_t weights = 0; weights < 2; weights++) {
        board *b = board_open(*state);
        int64_t gradients[] = {0, 0, 0};
        uint64_t heavy[] = {0, 0, 0};
        Hedgerow__SimflGradients wire = HEDGEROW__SIMFL_GRADIENTS__INIT;
        for (size_t i = 0; i < 3; i++) {
            if (weights)
                heavy[i] = WEIGHT_MAX / 2;
            else
                gradients[i] = i % 2 ? GRADIENT_MAX / 2 : -GRADIENT_MAX / 2;
        }
        wire.tree = 2;
        wire.gradients = gradients;
        wire.weights = heavy;
        wire.n_gradients = wire.n_weights = 3;
        run_until(b, CARL, HR_SIMFL_GRADIENTS);
        while (hr_simfl_work_of(b->parties[CARL].machine).tree < 1) assert_true(step(b));
        send(b, ANNA, CARL, HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS, &wire);
        check_cut(b, CARL, ANNA, "gradients of more records than it has");
        board_close(b);
    }
}

static void test_simfl__messages_that_come_twice_are_refused(void **state) {
    const Hedgerow__Message__KindCase kinds[] = {HEDGEROW__MESSAGE__KIND_SIMFL_HASHES,
                                                 HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS};
    for (size_t k = 0; k < 2; k++) {
        board *b = board_open(*state);
        for (;;) {
            const letter *l = b->letters;
            assert_true(b->letter_count || step(b));
            if (!b->letter_count) continue;
            Hedgerow__Message *m = unpacked(l->bytes);
            const bool found = l->to == ANNA && m->kind_case == kinds[k];
            const size_t from = l->from;
            hr_bytes copy = bytes_of(l->bytes.at, l->bytes.size);
            hr_message_unpacked_free(&m->base);
            step(b);
            if (!found) {
                free(copy.at);
                continue;
            }
            feed_bytes(b, from, ANNA, copy);
            check_cut(b, ANNA, from, k ? "gradients for one tree twice" : "twice or of another length");
            break;
        }
        board_close(b);
    }
}

static void test_simfl__messages_of_others_are_refused(void **state) {
    board *b = board_open(*state);
    Hedgerow__SimflGradients gradients = HEDGEROW__SIMFL_GRADIENTS__INIT;
    Hedgerow__SimflSizes sizes = HEDGEROW__SIMFL_SIZES__INIT;
    run_until(b, ANNA, HR_SIMFL_MEASURE);
    send(b, DORA, ANNA, HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS, &gradients);
    check_cut(b, ANNA, DORA, "a member that takes no part");
    send(b, BERT, ANNA, HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS, &gradients);
    check_cut(b, ANNA, BERT, "gradients before the first tree begins");
    send(b, CARL, ANNA, HEDGEROW__MESSAGE__KIND_SIMFL_SIZES, &sizes);
    check_cut(b, ANNA, CARL, "only the coordinator may send");
    board_close(b);
}

/* ---- An owner that lies to the coordinator ---- */

static void check_size(const test_members *f, uint32_t rows, int64_t first, int64_t second, const char *why) {
    board *b = board_open(f);
    Hedgerow__SimflSize size = HEDGEROW__SIMFL_SIZE__INIT;
    int64_t sums[] = {first, second, 0};
    size.rows = rows;
    size.sums = sums;
    size.n_sums = rows == 5 ? 3 : 2;
    run_until(b, ANNA, HR_SIMFL_MEASURE);
    while (deliver_next(b)) {
    }
    send(b, ANNA, COORDINATOR, HEDGEROW__MESSAGE__KIND_SIMFL_SIZE, &size);
    check_cut(b, COORDINATOR, ANNA, why);
    while (deliver_next(b)) {
    }
    check_failed(b, "owner anna violated the protocol");
    board_close(b);
}

static void test_simfl__numbers_of_records_that_lie_are_refused(void **state) {
    check_size(*state, 0, 0, 0, "0 records, and an owner has 1 to 100000");
    check_size(*state, HR_SIMFL_ROWS_MAX + 1, 1, HR_SIMFL_ROWS_MAX,
               "100001 records, and an owner has 1 to 100000");
    check_size(*state, 5, 1, 4, "label sums of another number than two");
    check_size(*state, 6, -1, 7, "label sums that so many records cannot have");
    check_size(*state, 6, 7, -1, "label sums that so many records cannot have");
    check_size(*state, 6, 1, 4, "label sums that so many records cannot have");
}

static void check_notice(const test_members *f, Hedgerow__Notice__Kind kind, uint32_t slot, const char *why) {
    board *b = board_open(f);
    Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
    notice.kind = kind;
    notice.slot = slot;
    run_until(b, BERT, HR_SIMFL_GRADIENTS); /* for tree 0, of Anna */
    send(b, ANNA, COORDINATOR, HEDGEROW__MESSAGE__KIND_NOTICE, &notice);
    check_cut(b, COORDINATOR, ANNA, why);
    board_close(b);
}

static void test_simfl__notices_that_lie_are_refused(void **state) {
    check_notice(*state, HEDGEROW__NOTICE__KIND__SENT, 0, "at the wrong time"); /* again */
    check_notice(*state, HEDGEROW__NOTICE__KIND__SENT, 1, "at the wrong time"); /* its own tree */
    check_notice(*state, HEDGEROW__NOTICE__KIND__SENT, 2, "at the wrong time"); /* too early */
    check_notice(*state, HEDGEROW__NOTICE__KIND__REFUSED, 0, "a complaint about nobody");
    check_notice(*state, HEDGEROW__NOTICE__KIND__REFUSED, OWNERS, "a complaint about nobody");
    check_notice(*state, HEDGEROW__NOTICE__KIND__TWO_TREES, 0, "a notice of another kind of job");
}

static void test_simfl__trees_out_of_turn_are_refused(void **state) {
    board *b = board_open(*state);
    hr_node leaf = {.value = 1};
    const hr_tree tree = {.nodes = &leaf, .node_count = 1};
    hr_bytes bytes;
    ProtobufCMessage *m = NULL;
    run_until(b, ANNA, HR_SIMFL_TRAIN);
    assert_int_equal(hr_simfl_pack_tree(b->parties[ANNA].machine, &tree, &bytes, NULL), HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__simfl_tree__descriptor, bytes.at, bytes.size, &m, NULL),
                     HR_OK);
    send(b, BERT, COORDINATOR, HEDGEROW__MESSAGE__KIND_SIMFL_TREE, m);
    check_cut(b, COORDINATOR, BERT, "a tree out of turn");
    hr_message_unpacked_free(m);
    free(bytes.at);
    board_close(b);
}

/* A leaf that is no number, and a tree of another slot. */
static void test_simfl__trees_that_are_none_are_refused(void **state) {
    for (size_t wrong = 0; wrong < 2; wrong++) {
        board *b = board_open(*state);
        hr_node leaf = {.value = wrong ? 1 : (double)NAN};
        const hr_tree tree = {.nodes = &leaf, .node_count = 1};
        hr_bytes bytes;
        ProtobufCMessage *m = NULL;
        run_until(b, ANNA, HR_SIMFL_TRAIN);
        if (wrong) run_until(b, CARL, HR_SIMFL_TRAIN);
        const size_t maker = wrong ? CARL : ANNA;
        assert_int_equal(hr_simfl_pack_tree(b->parties[wrong ? CARL : ANNA].machine, &tree, &bytes, NULL),
                         HR_OK);
        assert_int_equal(hr_message_unpack(&hedgerow__simfl_tree__descriptor, bytes.at, bytes.size, &m, NULL),
                         HR_OK);
        if (wrong) ((Hedgerow__SimflTree *)m)->tree.len--;
        send(b, maker, COORDINATOR, HEDGEROW__MESSAGE__KIND_SIMFL_TREE, m);
        check_cut(b, COORDINATOR, maker, wrong ? "not a valid" : "value is out of bounds");
        hr_message_unpacked_free(m);
        free(bytes.at);
        board_close(b);
    }
}

/* ---- A coordinator that lies ---- */

static void check_sizes(const test_members *f, const uint32_t *rows, size_t count, int64_t first,
                        const char *why) {
    board *b = board_open(f);
    Hedgerow__SimflSizes sizes = HEDGEROW__SIMFL_SIZES__INIT;
    int64_t sums[] = {first, 0};
    for (size_t i = 0; i < count; i++) sums[1] += rows[i];
    sums[1] -= first;
    sizes.rows = (uint32_t *)rows;
    sizes.n_rows = count;
    sizes.sums = sums;
    sizes.n_sums = 2;
    run_until(b, ANNA, HR_SIMFL_MEASURE);
    do_work(b, ANNA);
    send(b, COORDINATOR, ANNA, HEDGEROW__MESSAGE__KIND_SIMFL_SIZES, &sizes);
    check_cut(b, ANNA, COORDINATOR, why);
    assert_true(b->parties[ANNA].failed);
    board_close(b);
}

static void test_simfl__sizes_that_lie_are_refused(void **state) {
    static const uint32_t good[] = {1, 2, 3}, other[] = {2, 2, 3}, none[] = {1, 0, 3},
                          many[] = {1, HR_SIMFL_ROWS_MAX + 1, 3};
    check_sizes(*state, good, 2, 1, "numbers of records of other owners");
    check_sizes(*state, other, 3, 1, "another number of records than this owner has");
    check_sizes(*state, none, 3, 1, "an owner with no records, or too many");
    check_sizes(*state, many, 3, 1, "an owner with no records, or too many");
    check_sizes(*state, good, 3, -1, "label sums that so many records cannot have");
    check_sizes(*state, good, 3, 7, "label sums that so many records cannot have");
}

static void test_simfl__turns_out_of_order_are_refused(void **state) {
    for (uint32_t tree = 0; tree < 3; tree++) {
        board *b = board_open(*state);
        Hedgerow__SimflTurn turn = HEDGEROW__SIMFL_TURN__INIT;
        turn.tree = tree;
        run_until(b, BERT, HR_SIMFL_GRADIENTS);
        send(b, COORDINATOR, BERT, HEDGEROW__MESSAGE__KIND_SIMFL_TURN, &turn);
        check_cut(b, BERT, COORDINATOR, "a turn out of order");
        board_close(b);
    }
}

/* ---- Terms ---- */

static void test_simfl__terms_of_another_protocol_are_refused(void **state) {
    const test_members *f = *state;
    for (size_t wrong = 0; wrong < 6; wrong++) {
        ProtobufCBinaryData owners[OWNERS];
        Hedgerow__Terms terms = plain_terms(owners);
        hr_protocol *machine = NULL;
        hr_error err = {0};
        if (wrong == 0) terms.rounds = 2;
        if (wrong == 1) terms.broadcast = true;
        if (wrong == 2) terms.vote_share = .5;
        if (wrong == 3) terms.coalition = 1;
        if (wrong == 4) terms.last_slots = 1;
        if (wrong == 5) terms.epsilon = 1, terms.paper = false;
        const hr_bytes bytes = packed(&terms);
        const hr_protocol_setup setup = {.view = &f->views[COORDINATOR],
                                         .job = the_job,
                                         .schema = f->schema,
                                         .coordinator = COORDINATOR,
                                         .terms = bytes};
        assert_int_equal(hr_simfl_coordinator_machine(&setup, read_test_rules, &machine, &err), HR_E_FORMAT);
        assert_non_null(strstr(err.message, wrong == 5 ? "mode sound" : "does not use"));
        free(bytes.at);
    }
}

static void test_simfl__owner_does_not_accept_terms_of_mode_sound(void **state) {
    board *b = board_open(*state);
    ProtobufCBinaryData owners[OWNERS];
    Hedgerow__Terms terms = plain_terms(owners);
    terms.paper = false;
    terms.epsilon = 1;
    send(b, COORDINATOR, ANNA, HEDGEROW__MESSAGE__KIND_TERMS, &terms);
    check_cut(b, ANNA, COORDINATOR, "a job in mode sound");
    board_close(b);
}

static void test_simfl__bytes_of_a_member_have_a_limit(void **state) {
    (void)state;
    /* Hashes of 100,000 records in 40 tables, gradients for every second tree. */
    assert_true(hr_simfl_bytes_max(40, 10) >= 100000 * 40 * 2 + 5 * 100000 * 20);
    assert_true(hr_simfl_bytes_max(40, 10) < 64u << 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_simfl__owners_train_in_turn),
        WITH_TEST_MEMBERS(test_simfl__every_owner_has_the_hashes_of_the_others),
        WITH_TEST_MEMBERS(test_simfl__work_that_was_lost_is_done_again_once),
        WITH_TEST_MEMBERS(test_simfl__owner_without_an_answer_ends_the_job),
        WITH_TEST_MEMBERS(test_simfl__owner_that_is_silent_is_named),
        WITH_TEST_MEMBERS(test_simfl__begins_with_those_that_have_answered),
        WITH_TEST_MEMBERS(test_simfl__owner_that_leaves_ends_the_job),
        WITH_TEST_MEMBERS(test_simfl__hashes_that_lie_are_refused),
        WITH_TEST_MEMBERS(test_simfl__gradients_that_lie_are_refused),
        WITH_TEST_MEMBERS(test_simfl__gradients_of_more_records_than_there_are_are_refused),
        WITH_TEST_MEMBERS(test_simfl__messages_that_come_twice_are_refused),
        WITH_TEST_MEMBERS(test_simfl__messages_of_others_are_refused),
        WITH_TEST_MEMBERS(test_simfl__numbers_of_records_that_lie_are_refused),
        WITH_TEST_MEMBERS(test_simfl__notices_that_lie_are_refused),
        WITH_TEST_MEMBERS(test_simfl__trees_out_of_turn_are_refused),
        WITH_TEST_MEMBERS(test_simfl__trees_that_are_none_are_refused),
        WITH_TEST_MEMBERS(test_simfl__sizes_that_lie_are_refused),
        WITH_TEST_MEMBERS(test_simfl__turns_out_of_order_are_refused),
        WITH_TEST_MEMBERS(test_simfl__terms_of_another_protocol_are_refused),
        WITH_TEST_MEMBERS(test_simfl__owner_does_not_accept_terms_of_mode_sound),
        WITH_TEST_MEMBERS(test_simfl__bytes_of_a_member_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
