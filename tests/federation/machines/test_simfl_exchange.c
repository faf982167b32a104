/* SimFL between machines: who sends what to whom, who is told of it, and what is refused, from an owner or
 * the coordinator. */
#include "federation/machines/simfl_exchange.h"
#include "support/simfl_job.h"

#include <math.h>

/* ---- What should be ---- */

static void test_simfl__owners_train_in_turn(void **state) {
    simulator *b = simfl_open(*state);
    hr_simfl_state s;
    simfl_run(b);
    for (size_t who = 0; who < SIMFL_PARTIES; who++) {
        assert_true(has_finished(&b->parties[who]));
        hr_simfl_state_of(b->parties[who].machine, &s);
        assert_true(s.owner_count == SIMFL_OWNERS && s.tree_count == (who ? SIMFL_TREES - 1 : SIMFL_TREES));
        assert_true(s.sums[0] == 3 && s.sums[1] == 3); /* 1 + 1 + 1, 0 + 1 + 2 */
        for (size_t t = 0; t < s.tree_count; t++) assert_true(s.trees[t].nodes[0].value == (double)t);
        for (size_t i = 0; i < SIMFL_OWNERS; i++) assert_int_equal(s.rows[i], simfl_rows[ANNA + i]);
    }
    assert_int_equal(((const simfl_job *)b)->relayed, 0);
    assert_non_null(strstr(b->said, "owner bert trained tree 2 of 4"));
    hr_part_info info;
    assert_true(hr_simfl_part(b->parties[COORDINATOR].machine, ANNA, &info) && info.trees == 2);
    assert_false(hr_simfl_part(b->parties[COORDINATOR].machine, DORA, &info));
    simfl_close(b);
}

/* An owner that trains one tree after the other has the gradients of all others for each. */
static void test_simfl__owners_train_in_blocks(void **state) {
    simfl_test_blocks = true;
    simulator *b = simfl_open(*state);
    hr_part_info info;
    simfl_run(b);
    static const size_t trained[SIMFL_PARTIES] = {0, 0, 2, 2};
    for (size_t who = 0; who < SIMFL_PARTIES; who++) {
        assert_true(has_finished(&b->parties[who]));
        if (who == COORDINATOR) continue;
        assert_true(hr_simfl_part(b->parties[COORDINATOR].machine, who, &info));
        assert_int_equal(info.trees, trained[who]);
    }
    simfl_close(b);
    simfl_test_blocks = false;
}

static void test_simfl__every_owner_has_the_hashes_of_the_others(void **state) {
    simulator *b = simfl_open(*state);
    simfl_run_until(b, ANNA, HR_SIMFL_TRAIN);
    for (size_t other = 1; other < SIMFL_OWNERS; other++) {
        const int16_t *hashes = hr_simfl_hashes(b->parties[ANNA].machine, other);
        for (size_t i = 0; i < simfl_rows[ANNA + other] * SIMFL_TABLES; i++)
            assert_int_equal(hashes[i], simfl_test_hash(ANNA + other, i));
    }
    assert_null(hr_simfl_hashes(b->parties[ANNA].machine, 0));
    simfl_close(b);
}

static void test_simfl__work_that_was_lost_is_done_again_once(void **state) {
    simulator *b = simfl_open(*state);
    simfl_run_until(b, BERT, HR_SIMFL_HASH);
    b->parties[BERT].loses = 100;
    do_work(b, BERT);
    assert_true(b->parties[BERT].work.kind == HR_ACT_TRAIN && !b->parties[BERT].failed);
    b->parties[BERT].loses = 0;
    simfl_run_until(b, BERT, HR_SIMFL_GRADIENTS);
    b->parties[BERT].loses = 100;
    do_work(b, BERT);
    b->parties[BERT].loses = 0;
    simfl_run(b);
    assert_true(has_finished(&b->parties[COORDINATOR]));
    simfl_close(b);
}

static void test_simfl__owner_without_an_answer_ends_the_job(void **state) {
    simulator *b = simfl_open(*state);
    simfl_run_until(b, BERT, HR_SIMFL_GRADIENTS);
    b->parties[BERT].loses = 100;
    simfl_run(b);
    assert_string_equal(b->parties[BERT].why, "this owner has no answer to give");
    simfl_check_failed(b, "owner bert has no answer to give");
    simfl_close(b);
}

/* ---- Who is silent ---- */

static void check_silence(const test_members *f, size_t who, hr_simfl_task task) {
    static const char *const names[] = {"", "anna", "bert", "carl"};
    char why[100];
    simulator *b = simfl_open(f);
    hr_part_info info;
    snprintf(why, sizeof why, "owner %s gave no answer in time", names[who]);
    simfl_run_until(b, who, task);
    b->parties[who].away = true;
    simfl_run(b);
    assert_true(hr_protocol_waits(b->parties[COORDINATOR].machine));
    for (size_t other = ANNA; other < SIMFL_PARTIES; other++) {
        assert_true(hr_simfl_part(b->parties[COORDINATOR].machine, other, &info));
        assert_int_equal(info.awaited, other == who);
    }
    feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    simfl_run(b);
    simfl_check_failed(b, why);
    assert_false(hr_protocol_waits(b->parties[COORDINATOR].machine));
    simfl_close(b);
}

static void test_simfl__owner_that_is_silent_is_named(void **state) {
    check_silence(*state, BERT, HR_SIMFL_MEASURE);
    check_silence(*state, CARL, HR_SIMFL_HASH);
    check_silence(*state, BERT, HR_SIMFL_GRADIENTS);
    check_silence(*state, ANNA, HR_SIMFL_TRAIN);
}

static void test_simfl__begins_with_those_that_have_answered(void **state) {
    simulator *b = simfl_open(*state);
    b->parties[CARL].away = true;
    simfl_run(b);
    assert_false(b->parties[ANNA].work.kind == HR_ACT_TRAIN);
    feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    deliver_all(b);
    assert_true(b->parties[ANNA].work.kind == HR_ACT_TRAIN && b->parties[BERT].work.kind == HR_ACT_TRAIN);
    hr_simfl_state s;
    hr_simfl_state_of(b->parties[ANNA].machine, &s);
    assert_int_equal(s.owner_count, 2);
    simfl_close(b);
}

static void test_simfl__owner_that_leaves_ends_the_job(void **state) {
    simulator *b = simfl_open(*state);
    simfl_run_until(b, BERT, HR_SIMFL_GRADIENTS);
    send_decline(b, BERT, HEDGEROW__DECLINE__CODE__CANCELLED, "enough");
    b->parties[BERT].away = true; /* it has said so itself, and is sent no end */
    simfl_run(b);
    simfl_check_failed(b, "owner bert ended its part");
    simfl_close(b);
}

/* ---- An owner that lies to another ---- */

/* What Bert sends Anna is changed: Anna cuts it off, and the coordinator names both. */
static void check_lie(const test_members *f,
                      bool (*change)(simfl_job *job, size_t from, size_t to, Hedgerow__Message *m),
                      const char *why) {
    simulator *b = simfl_open(f);
    ((simfl_job *)b)->change = change;
    simfl_run(b);
    simfl_check_cut(b, ANNA, BERT, why);
    simfl_check_failed(b, "owner anna refused what owner bert sent");
    simfl_close(b);
}

static bool is_lie(size_t from, size_t to, const Hedgerow__Message *m, Hedgerow__Message__KindCase kind) {
    return from == BERT && to == ANNA && m->kind_case == kind;
}

#define LIE(name, kind, ...)                                                                                 \
    static bool name(simfl_job *job, size_t from, size_t to, Hedgerow__Message *m) {                         \
        (void)job;                                                                                           \
        if (is_lie(from, to, m, HEDGEROW__MESSAGE__KIND_SIMFL_##kind)) {                                     \
            __VA_ARGS__;                                                                                     \
        }                                                                                                    \
        return true;                                                                                         \
    }

/* Room for more numbers, of 0. */
static void *lengthened(void *numbers, size_t from, size_t to) {
    char *longer = realloc(numbers, to);
    assert_non_null(longer);
    memset(longer + from, 0, to - from);
    return longer;
}

static void lengthen_hashes(Hedgerow__SimflHashes *m, size_t more) {
    m->hashes.data = lengthened(m->hashes.data, m->hashes.len, m->hashes.len + more);
    m->hashes.len += more;
}

static void lengthen_gradients(Hedgerow__SimflGradients *m) {
    const size_t size = m->n_gradients * sizeof *m->gradients, one = sizeof *m->gradients;
    m->gradients = lengthened(m->gradients, size, size + one);
    m->weights = lengthened(m->weights, size, size + one);
    m->n_gradients++;
    m->n_weights++;
}

LIE(short_hashes, HASHES, m->simfl_hashes->hashes.len -= 2)
LIE(half_a_hash, HASHES, m->simfl_hashes->hashes.len -= 1)
LIE(no_hashes, HASHES, m->simfl_hashes->hashes.len = 0)
LIE(long_hashes, HASHES, lengthen_hashes(m->simfl_hashes, 2))
LIE(hashes_of_one_more, HASHES, lengthen_hashes(m->simfl_hashes, 2 * SIMFL_TABLES))
LIE(other_rows, HASHES, m->simfl_hashes->rows = 1; m->simfl_hashes->hashes.len = 2 * SIMFL_TABLES)
LIE(no_rows, HASHES, m->simfl_hashes->rows = 0)
LIE(too_many_rows, HASHES, m->simfl_hashes->rows = HR_SIMFL_ROWS_MAX + 1)
LIE(later_hashes, HASHES, m->simfl_hashes->first = 1)
LIE(large_gradient, GRADIENTS, m->simfl_gradients->gradients[0] = 2 * SIMFL_GRADIENT + 1)
LIE(small_gradient, GRADIENTS, m->simfl_gradients->gradients[0] = INT64_MIN)
LIE(large_weight, GRADIENTS, m->simfl_gradients->weights[0] = 2 * SIMFL_WEIGHT + 1)
LIE(huge_weight, GRADIENTS, m->simfl_gradients->weights[0] = UINT64_MAX)
LIE(more_gradients, GRADIENTS, lengthen_gradients(m->simfl_gradients))
LIE(no_weights, GRADIENTS, m->simfl_gradients->n_weights = 0)
LIE(no_gradients, GRADIENTS, m->simfl_gradients->n_gradients = m->simfl_gradients->n_weights = 0)
LIE(other_tree, GRADIENTS, m->simfl_gradients->tree = 1)
LIE(later_tree, GRADIENTS, m->simfl_gradients->tree = 3)

static bool next_of_block(simfl_job *job, size_t from, size_t to, Hedgerow__Message *m) {
    (void)job;
    if (from == BERT && to == CARL && m->kind_case == HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS)
        m->simfl_gradients->tree++;
    return true;
}

static void test_simfl__hashes_that_lie_are_refused(void **state) {
    check_lie(*state, short_hashes, "hashes out of order, twice or of another length");
    check_lie(*state, half_a_hash, "hashes out of order, twice or of another length");
    check_lie(*state, no_hashes, "hashes out of order, twice or of another length");
    check_lie(*state, long_hashes, "hashes out of order, twice or of another length");
    check_lie(*state, hashes_of_one_more, "hashes out of order, twice or of another length");
    check_lie(*state, later_hashes, "hashes out of order, twice or of another length");
    check_lie(*state, other_rows, "another number of records than it declared to the coordinator");
    check_lie(*state, no_rows, "0 records, and an owner has 1 to 16777216");
    check_lie(*state, too_many_rows, "16777217 records, and an owner has 1 to 16777216");
}

/* Before the coordinator has said how many records its sender has: it may say one number, which must be the
 * coordinator's. */
static void test_simfl__hashes_that_come_early_are_held_to_the_sizes(void **state) {
    static const int16_t made[SIMFL_ROWS * SIMFL_TABLES];
    for (uint32_t again = 0; again < 2; again++) {
        simulator *b = simfl_open(*state);
        Hedgerow__SimflHashes hashes = HEDGEROW__SIMFL_HASHES__INIT;
        hashes.rows = 1;
        hashes.hashes = hr_data_of(made, 2 * SIMFL_TABLES);
        simfl_run_until(b, ANNA, HR_SIMFL_MEASURE);
        send_content(b, BERT, ANNA, HEDGEROW__MESSAGE__KIND_SIMFL_HASHES, &hashes);
        assert_false(b->parties[ANNA].cut[BERT]);
        if (again) {
            hashes.rows = 2;
            send_content(b, BERT, ANNA, HEDGEROW__MESSAGE__KIND_SIMFL_HASHES, &hashes);
            simfl_check_cut(b, ANNA, BERT, "two numbers of records");
        } else {
            simfl_run(b);
            simfl_check_cut(b, ANNA, BERT, "another number of records than it declared to the coordinator");
            simfl_check_failed(b, "owner anna refused what owner bert sent");
        }
        simfl_close(b);
    }
}

static void test_simfl__gradients_that_lie_are_refused(void **state) {
    check_lie(*state, large_gradient, "gradients out of range");
    check_lie(*state, small_gradient, "gradients out of range");
    check_lie(*state, large_weight, "gradients out of range");
    check_lie(*state, huge_weight, "gradients out of range");
    check_lie(*state, more_gradients, "gradients out of order, twice or of another number");
    check_lie(*state, no_weights, "gradients out of order, twice or of another number");
    check_lie(*state, no_gradients, "gradients out of order, twice or of another number");
    check_lie(*state, other_tree, "gradients for a tree that this owner does not train now");
    check_lie(*state, later_tree, "gradients for a tree that this owner does not train now");
}

/* The tree that Carl trains after the one that it is at. */
static void test_simfl__gradients_for_the_next_tree_of_a_block_are_refused(void **state) {
    simfl_test_blocks = true;
    simulator *b = simfl_open(*state);
    ((simfl_job *)b)->change = next_of_block;
    simfl_run(b);
    simfl_check_cut(b, CARL, BERT, "gradients for a tree that this owner does not train now");
    simfl_check_failed(b, "owner carl refused what owner bert sent");
    simfl_close(b);
    simfl_test_blocks = false;
}

/* Each in range, all of them more than Anna's one record can have. To Carl, which has three. */
static void test_simfl__gradients_of_more_records_than_there_are_are_refused(void **state) {
    for (size_t weights = 0; weights < 2; weights++) {
        simulator *b = simfl_open(*state);
        int64_t gradients[] = {0, 0, 0};
        uint64_t heavy[] = {0, 0, 0};
        Hedgerow__SimflGradients wire = HEDGEROW__SIMFL_GRADIENTS__INIT;
        for (size_t i = 0; i < 3; i++) {
            if (weights)
                heavy[i] = SIMFL_WEIGHT / 2;
            else
                gradients[i] = i % 2 ? SIMFL_GRADIENT / 2 : -SIMFL_GRADIENT / 2;
        }
        wire.tree = 2;
        wire.gradients = gradients;
        wire.weights = heavy;
        wire.n_gradients = wire.n_weights = 3;
        simfl_run_until(b, CARL, HR_SIMFL_GRADIENTS);
        while (hr_simfl_work_of(b->parties[CARL].machine).tree < 1) assert_true(simulator_step(b));
        do_work(b, CARL);
        send_content(b, ANNA, CARL, HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS, &wire);
        simfl_check_cut(b, CARL, ANNA, "gradients of more records than it has");
        simfl_close(b);
    }
}

static void test_simfl__messages_that_come_twice_are_refused(void **state) {
    const Hedgerow__Message__KindCase kinds[] = {HEDGEROW__MESSAGE__KIND_SIMFL_HASHES,
                                                 HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS};
    for (size_t k = 0; k < 2; k++) {
        simulator *b = simfl_open(*state);
        for (;;) {
            assert_true(b->letter_count || simulator_step(b));
            if (!b->letter_count) continue;
            const letter *l = &b->letters[0];
            Hedgerow__Message *m = message_in(l->bytes);
            const bool found = l->to == ANNA && m->kind_case == kinds[k];
            const size_t from = l->from;
            hr_bytes copy = bytes_of(l->bytes.at, l->bytes.size);
            hr_message_unpacked_free(&m->base);
            simulator_step(b);
            if (!found) {
                free(copy.at);
                continue;
            }
            feed_message(b, from, ANNA, copy.at, copy.size);
            free(copy.at);
            simfl_check_cut(b, ANNA, from,
                            k ? "gradients out of order, twice or" : "twice or of another length");
            break;
        }
        simfl_close(b);
    }
}

static void test_simfl__messages_of_others_are_refused(void **state) {
    simulator *b = simfl_open(*state);
    Hedgerow__SimflGradients gradients = HEDGEROW__SIMFL_GRADIENTS__INIT;
    Hedgerow__SimflSizes sizes = HEDGEROW__SIMFL_SIZES__INIT;
    simfl_run_until(b, ANNA, HR_SIMFL_MEASURE);
    send_content(b, DORA, ANNA, HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS, &gradients);
    simfl_check_cut(b, ANNA, DORA, "a member that is not an owner of this job");
    send_content(b, BERT, ANNA, HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS, &gradients);
    simfl_check_cut(b, ANNA, BERT, "gradients before the first tree begins");
    send_content(b, CARL, ANNA, HEDGEROW__MESSAGE__KIND_SIMFL_SIZES, &sizes);
    simfl_check_cut(b, ANNA, CARL, "only the coordinator may send");
    simfl_close(b);
}

/* ---- An owner that lies to the coordinator ---- */

static void check_size(const test_members *f, uint32_t rows, int64_t first, int64_t second, const char *why) {
    simulator *b = simfl_open(f);
    Hedgerow__SimflSize size = HEDGEROW__SIMFL_SIZE__INIT;
    int64_t sums[] = {first, second, 0};
    size.rows = rows;
    size.sums = sums;
    size.n_sums = rows == 5 ? 3 : 2;
    simfl_run_until(b, ANNA, HR_SIMFL_MEASURE);
    deliver_all(b);
    send_content(b, ANNA, COORDINATOR, HEDGEROW__MESSAGE__KIND_SIMFL_SIZE, &size);
    simfl_check_cut(b, COORDINATOR, ANNA, why);
    deliver_all(b);
    simfl_check_failed(b, "owner anna violated the protocol");
    simfl_close(b);
}

static void test_simfl__numbers_of_records_that_lie_are_refused(void **state) {
    check_size(*state, 0, 0, 0, "0 records, and an owner has 1 to 16777216");
    check_size(*state, HR_SIMFL_ROWS_MAX + 1, 1, HR_SIMFL_ROWS_MAX,
               "16777217 records, and an owner has 1 to 16777216");
    check_size(*state, 5, 1, 4, "label sums of another number than two");
    check_size(*state, 6, -1, 7, "label sums that so many records cannot have");
    check_size(*state, 6, 7, -1, "label sums that so many records cannot have");
    check_size(*state, 6, 1, 4, "label sums that so many records cannot have");
}

/* Of a label that is a number: one sum, which each record moves by at most label_max. */
static void test_simfl__sums_of_numbers_are_held_to_their_records(void **state) {
    (void)state;
    static const hr_simfl_rules rules = {.tables = 1, .trees = 1, .label_max = 1000};
    static const struct {
        int64_t sums[HR_SIMFL_SUMS];
        bool fit;
    } cases[] = {{{0, 0}, true},          {{3000, 0}, true},       {{-3000, 0}, true},
                 {{3001, 0}, false},      {{-3001, 0}, false},     {{0, 1}, false},
                 {{INT64_MAX, 0}, false}, {{INT64_MIN, 0}, false}, {{0, INT64_MIN}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (hr_simfl_sums_fit(&rules, 3, cases[i].sums) != cases[i].fit) fail_msg("case %zu", i);
}

static void check_notice(const test_members *f, Hedgerow__Notice__Kind kind, uint32_t slot, const char *why) {
    simulator *b = simfl_open(f);
    Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
    notice.kind = kind;
    notice.slot = slot;
    simfl_run_until(b, BERT, HR_SIMFL_GRADIENTS); /* for tree 0, of Anna */
    send_content(b, ANNA, COORDINATOR, HEDGEROW__MESSAGE__KIND_NOTICE, &notice);
    simfl_check_cut(b, COORDINATOR, ANNA, why);
    simfl_close(b);
}

static void test_simfl__notices_that_lie_are_refused(void **state) {
    check_notice(*state, HEDGEROW__NOTICE__KIND__SENT, 0, "at the wrong time"); /* again */
    check_notice(*state, HEDGEROW__NOTICE__KIND__SENT, 1, "at the wrong time"); /* its own tree */
    check_notice(*state, HEDGEROW__NOTICE__KIND__SENT, 2, "at the wrong time"); /* too early */
    check_notice(*state, HEDGEROW__NOTICE__KIND__REFUSED, 0, "a complaint that names no other owner");
    check_notice(*state, HEDGEROW__NOTICE__KIND__REFUSED, SIMFL_OWNERS,
                 "a complaint that names no other owner");
    check_notice(*state, HEDGEROW__NOTICE__KIND__TWO_TREES, 0, "a notice of another kind of job");
}

static void test_simfl__trees_out_of_turn_are_refused(void **state) {
    simulator *b = simfl_open(*state);
    hr_node leaf = {.value = 1};
    const hr_tree tree = {.nodes = &leaf, .node_count = 1};
    hr_bytes bytes;
    ProtobufCMessage *m = NULL;
    simfl_run_until(b, ANNA, HR_SIMFL_TRAIN);
    assert_int_equal(hr_simfl_pack_tree(b->parties[ANNA].machine, &tree, &bytes, NULL), HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__simfl_tree__descriptor, bytes.at, bytes.size, &m, NULL),
                     HR_OK);
    send_content(b, BERT, COORDINATOR, HEDGEROW__MESSAGE__KIND_SIMFL_TREE, m);
    simfl_check_cut(b, COORDINATOR, BERT, "a tree out of turn");
    hr_message_unpacked_free(m);
    free(bytes.at);
    simfl_close(b);
}

/* Others that are still at work do not take the coordinator's next turn for a violation. */
static void test_simfl__a_tree_before_its_gradients_harms_nobody_else(void **state) {
    simulator *b = simfl_open(*state);
    hr_node leaf = {.value = 1};
    const hr_tree tree = {.nodes = &leaf, .node_count = 1};
    hr_bytes bytes;
    ProtobufCMessage *m = NULL;
    simfl_run_until(b, BERT, HR_SIMFL_GRADIENTS);
    assert_int_equal(hr_simfl_pack_tree(b->parties[ANNA].machine, &tree, &bytes, NULL), HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__simfl_tree__descriptor, bytes.at, bytes.size, &m, NULL),
                     HR_OK);
    send_content(b, ANNA, COORDINATOR, HEDGEROW__MESSAGE__KIND_SIMFL_TREE, m);
    b->parties[ANNA].away = true;
    simfl_run(b);
    feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    simfl_run(b);
    assert_false(b->parties[BERT].cut[COORDINATOR] || b->parties[CARL].cut[COORDINATOR]);
    simfl_check_failed(b, "owner anna gave no answer in time");
    hr_message_unpacked_free(m);
    free(bytes.at);
    simfl_close(b);
}

/* Anna's first tree, made of these nodes. */
static void check_tree(const test_members *f, hr_tree tree, const char *why) {
    simulator *b = simfl_open(f);
    hr_bytes bytes;
    ProtobufCMessage *m = NULL;
    simfl_run_until(b, ANNA, HR_SIMFL_TRAIN);
    assert_int_equal(hr_simfl_pack_tree(b->parties[ANNA].machine, &tree, &bytes, NULL), HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__simfl_tree__descriptor, bytes.at, bytes.size, &m, NULL),
                     HR_OK);
    send_content(b, ANNA, COORDINATOR, HEDGEROW__MESSAGE__KIND_SIMFL_TREE, m);
    simfl_check_cut(b, COORDINATOR, ANNA, why);
    hr_message_unpacked_free(m);
    free(bytes.at);
    simfl_close(b);
}

static void test_simfl__trees_of_wrong_numbers_are_refused(void **state) {
    static const double wrong[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hr_node leaf = {.value = wrong[i]};
        check_tree(*state, (hr_tree){.nodes = &leaf, .node_count = 1}, "value is out of bounds");
    }
    hr_node nodes[] = {{.left = 1, .threshold = (double)NAN}, {.value = 1}, {.value = -1}};
    check_tree(*state, (hr_tree){.nodes = nodes, .node_count = 3}, "the threshold is not a number");
    nodes[0] = (hr_node){.left = 1, .feature = 9};
    check_tree(*state, (hr_tree){.nodes = nodes, .node_count = 3}, "feature");
}

/* Cut short. */
static void test_simfl__trees_that_are_none_are_refused(void **state) {
    simulator *b = simfl_open(*state);
    hr_node leaf = {.value = 1};
    const hr_tree tree = {.nodes = &leaf, .node_count = 1};
    hr_bytes bytes;
    ProtobufCMessage *m = NULL;
    simfl_run_until(b, CARL, HR_SIMFL_TRAIN);
    assert_int_equal(hr_simfl_pack_tree(b->parties[CARL].machine, &tree, &bytes, NULL), HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__simfl_tree__descriptor, bytes.at, bytes.size, &m, NULL),
                     HR_OK);
    ((Hedgerow__SimflTree *)m)->tree.len--;
    send_content(b, CARL, COORDINATOR, HEDGEROW__MESSAGE__KIND_SIMFL_TREE, m);
    simfl_check_cut(b, COORDINATOR, CARL, "not a valid");
    hr_message_unpacked_free(m);
    free(bytes.at);
    simfl_close(b);
}

/* ---- A coordinator that lies ---- */

static void check_sizes(const test_members *f, const uint32_t *rows, size_t count, int64_t first,
                        const char *why) {
    simulator *b = simfl_open(f);
    Hedgerow__SimflSizes sizes = HEDGEROW__SIMFL_SIZES__INIT;
    int64_t sums[] = {first, 0};
    for (size_t i = 0; i < count; i++) sums[1] += rows[i];
    sums[1] -= first;
    sizes.rows = (uint32_t *)rows;
    sizes.n_rows = count;
    sizes.sums = sums;
    sizes.n_sums = 2;
    simfl_run_until(b, ANNA, HR_SIMFL_MEASURE);
    do_work(b, ANNA);
    send_content(b, COORDINATOR, ANNA, HEDGEROW__MESSAGE__KIND_SIMFL_SIZES, &sizes);
    simfl_check_cut(b, ANNA, COORDINATOR, why);
    assert_true(b->parties[ANNA].failed);
    simfl_close(b);
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
        simulator *b = simfl_open(*state);
        Hedgerow__SimflTurn turn = HEDGEROW__SIMFL_TURN__INIT;
        turn.tree = tree;
        simfl_run_until(b, BERT, HR_SIMFL_GRADIENTS);
        send_content(b, COORDINATOR, BERT, HEDGEROW__MESSAGE__KIND_SIMFL_TURN, &turn);
        simfl_check_cut(b, BERT, COORDINATOR, "a turn out of order");
        simfl_close(b);
    }
}

/* ---- Terms ---- */

static void test_simfl__terms_of_another_protocol_are_refused(void **state) {
    const test_members *f = *state;
    for (size_t wrong = 0; wrong < 6; wrong++) {
        ProtobufCBinaryData owners[SIMFL_OWNERS];
        Hedgerow__Terms terms = simfl_plain_terms(owners);
        hr_protocol *machine = NULL;
        hr_error err = {0};
        if (wrong == 0) terms.rounds = 2;
        if (wrong == 1) terms.broadcast = true;
        if (wrong == 2) terms.vote_share = .5;
        if (wrong == 3) terms.coalition = 1;
        if (wrong == 4) terms.last_slots = 1;
        if (wrong == 5) terms.epsilon = 1, terms.paper = false;
        const hr_bytes bytes = packed(&terms);
        const hr_protocol_setup setup = setup_of_member(f, COORDINATOR, bytes);
        assert_int_equal(hr_simfl_coordinator_machine(&setup, simfl_test_rules, &machine, &err), HR_E_FORMAT);
        assert_non_null(strstr(err.message, wrong == 5 ? "mode sound" : "does not use"));
        free(bytes.at);
    }
}

static void test_simfl__owner_does_not_accept_terms_of_mode_sound(void **state) {
    simulator *b = simfl_open(*state);
    ProtobufCBinaryData owners[SIMFL_OWNERS];
    Hedgerow__Terms terms = simfl_plain_terms(owners);
    terms.paper = false;
    terms.epsilon = 1;
    send_content(b, COORDINATOR, ANNA, HEDGEROW__MESSAGE__KIND_TERMS, &terms);
    simfl_check_cut(b, ANNA, COORDINATOR, "a job in mode sound");
    simfl_close(b);
}

static void test_simfl__bytes_of_a_member_have_a_limit(void **state) {
    (void)state;
    /* Hashes in 40 tables, gradients for every second tree. */
    const size_t needed = (size_t)HR_SIMFL_ROWS_MAX * (40 * 2 + 5 * 20);
    assert_true(hr_simfl_bytes_max(40, 10) >= needed && hr_simfl_bytes_max(40, 10) < 2 * needed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_simfl__owners_train_in_turn),
        WITH_TEST_MEMBERS(test_simfl__owners_train_in_blocks),
        WITH_TEST_MEMBERS(test_simfl__gradients_for_the_next_tree_of_a_block_are_refused),
        WITH_TEST_MEMBERS(test_simfl__every_owner_has_the_hashes_of_the_others),
        WITH_TEST_MEMBERS(test_simfl__work_that_was_lost_is_done_again_once),
        WITH_TEST_MEMBERS(test_simfl__owner_without_an_answer_ends_the_job),
        WITH_TEST_MEMBERS(test_simfl__owner_that_is_silent_is_named),
        WITH_TEST_MEMBERS(test_simfl__begins_with_those_that_have_answered),
        WITH_TEST_MEMBERS(test_simfl__owner_that_leaves_ends_the_job),
        WITH_TEST_MEMBERS(test_simfl__hashes_that_lie_are_refused),
        WITH_TEST_MEMBERS(test_simfl__hashes_that_come_early_are_held_to_the_sizes),
        WITH_TEST_MEMBERS(test_simfl__gradients_that_lie_are_refused),
        WITH_TEST_MEMBERS(test_simfl__gradients_of_more_records_than_there_are_are_refused),
        WITH_TEST_MEMBERS(test_simfl__messages_that_come_twice_are_refused),
        WITH_TEST_MEMBERS(test_simfl__messages_of_others_are_refused),
        WITH_TEST_MEMBERS(test_simfl__numbers_of_records_that_lie_are_refused),
        cmocka_unit_test(test_simfl__sums_of_numbers_are_held_to_their_records),
        WITH_TEST_MEMBERS(test_simfl__notices_that_lie_are_refused),
        WITH_TEST_MEMBERS(test_simfl__trees_out_of_turn_are_refused),
        WITH_TEST_MEMBERS(test_simfl__a_tree_before_its_gradients_harms_nobody_else),
        WITH_TEST_MEMBERS(test_simfl__trees_of_wrong_numbers_are_refused),
        WITH_TEST_MEMBERS(test_simfl__trees_that_are_none_are_refused),
        WITH_TEST_MEMBERS(test_simfl__sizes_that_lie_are_refused),
        WITH_TEST_MEMBERS(test_simfl__turns_out_of_order_are_refused),
        WITH_TEST_MEMBERS(test_simfl__terms_of_another_protocol_are_refused),
        WITH_TEST_MEMBERS(test_simfl__owner_does_not_accept_terms_of_mode_sound),
        WITH_TEST_MEMBERS(test_simfl__bytes_of_a_member_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
