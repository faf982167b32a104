/* One-shot jobs: every owner sends one model and is done; the coordinator takes what is signed for this job
 * and passes the method's check, names who is missing, and ends with the rest. */
#include "federation/machines/oneshot.h"
#include "support/test_members.h"

enum { PARTIES = 4, EVENTS_MAX = 64, LETTERS_MAX = 64 };

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
    size_t event_count;
    bool away, decides, trains, finished, failed, cut[MEMBERS];
    char why[HR_ACTION_TEXT], cut_why[HR_ACTION_TEXT];
    byte_log actions;
} party;

typedef struct board {
    const test_members *f;
    hr_bytes terms;
    party parties[PARTIES];
    letter letters[LETTERS_MAX];
    size_t letter_count;
    char said[4096]; /* by the coordinator */
} board;

static Hedgerow__Terms plain_terms(ProtobufCBinaryData owners[3]) {
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    const char *const names[] = {"anna", "bert", "carl"};
    for (size_t i = 0; i < 3; i++) owners[i] = hr_text_of(names[i]);
    terms.name = hr_text_of("job");
    terms.schema = hr_text_of(the_schema);
    terms.method = hr_text_of("average");
    terms.train = hr_text_of("hedge");
    terms.epsilon = 1;
    terms.rounds = 1;
    terms.owners = owners;
    terms.n_owners = 3;
    return terms;
}

/* Models of this test are texts. */
static hr_status check_text(const Hedgerow__Terms *terms, const hr_schema *schema, const hr_bytes *model,
                            hr_error *err) {
    assert_true(terms && schema);
    if (model->size >= 3 && !memcmp(model->at, "bad", 3)) return hr_protocol_refuse("a bad model", err);
    return HR_OK;
}

static hr_status make_machine(const hr_protocol_setup *setup, hr_protocol **out) {
    if (setup->view->self == COORDINATOR) return hr_oneshot_coordinator(setup, check_text, out, NULL);
    return hr_oneshot_owner(setup, out, NULL);
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

static void carry_out(board *b, size_t who, hr_action *a) {
    party *p = &b->parties[who];
    size_t said = strlen(b->said);
    assert_false(p->finished || p->failed);
    if (a->kind == HR_ACT_SEND) {
        assert_true(b->letter_count < LETTERS_MAX && a->member < PARTIES);
        b->letters[b->letter_count++] = (letter){who, a->member, a->bytes};
        return;
    }
    if (a->kind == HR_ACT_DECIDE) p->decides = true;
    if (a->kind == HR_ACT_TRAIN) {
        assert_true(!p->trains && a->slot == 0);
        p->trains = true;
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
    if (!b->parties[to].cut[from])
        feed(b, to,
             (hr_event){.kind = HR_EVENT_MESSAGE, .from = from, .bytes = bytes.at, .size = bytes.size});
    free(bytes.at);
}

static void send(board *b, size_t from, Hedgerow__Message__KindCase kind, const void *content) {
    Hedgerow__Message m = HEDGEROW__MESSAGE__INIT;
    m.kind_case = kind;
    m.terms = (Hedgerow__Terms *)content; /* a union of pointers */
    feed_bytes(b, from, COORDINATOR, packed(&m));
}

static void decide(board *b, size_t who, bool accepts) {
    b->parties[who].decides = false;
    feed(b, who, (hr_event){.kind = HR_EVENT_DECIDED, .number = accepts, .bytes = (const uint8_t *)"no"});
}

/* NULL: it has none. */
static void give(board *b, size_t who, const char *model) {
    assert_true(b->parties[who].trains);
    feed(b, who, (hr_event){.kind = HR_EVENT_WORK_STARTED});
    feed(b, who,
         (hr_event){.kind = HR_EVENT_WORK_DONE,
                    .bytes = (const uint8_t *)(model ? model : ""),
                    .size = model ? strlen(model) : 0});
}

/* All letters, but those of members that are away. */
static void deliver(board *b) {
    for (size_t i = 0; i < b->letter_count; i++) {
        letter l = b->letters[i];
        if (b->parties[l.from].away || b->parties[l.to].away)
            free(l.bytes.at);
        else
            feed_bytes(b, l.from, l.to, l.bytes);
    }
    b->letter_count = 0;
}

static board *board_open(const test_members *f) {
    board *b = calloc(1, sizeof *b);
    ProtobufCBinaryData owners[3];
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

/* All have accepted, and have the start. */
static board *started(const test_members *f) {
    board *b = board_open(f);
    deliver(b);
    for (size_t who = ANNA; who <= CARL; who++) decide(b, who, true);
    deliver(b);
    deliver(b);
    for (size_t who = ANNA; who <= CARL; who++) assert_true(b->parties[who].trains);
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
    deliver(b);
    check_replay(b);
    for (size_t who = 0; who < PARTIES; who++) {
        for (size_t i = 0; i < b->parties[who].event_count; i++)
            free((void *)b->parties[who].events[i].bytes);
        hr_protocol_free(b->parties[who].machine);
    }
    free(b->terms.at);
    free(b);
}

/* NULL: it has none. */
static void check_model(const board *b, size_t owner, const char *model) {
    const hr_bytes bytes = hr_oneshot_model(b->parties[COORDINATOR].machine, owner);
    assert_int_equal(bytes.size, model ? strlen(model) : 0);
    if (model) assert_memory_equal(bytes.at, model, bytes.size);
}

static hr_part_info part_of(const board *b, size_t member) {
    hr_part_info info;
    assert_true(hr_oneshot_part(b->parties[COORDINATOR].machine, member, &info));
    return info;
}

/* ---- Models that come ---- */

static void test_oneshot__takes_the_model_of_every_owner(void **state) {
    board *b = started(*state);
    hr_part_info nobody;
    const char *const models[] = {"one", "two", "three"};
    for (size_t i = 0; i < 3; i++) {
        assert_false(b->parties[COORDINATOR].finished);
        give(b, ANNA + i, models[i]);
        assert_true(b->parties[ANNA + i].finished); /* it waits for nobody */
        deliver(b);
    }
    assert_true(b->parties[COORDINATOR].finished);
    assert_false(hr_protocol_waits(b->parties[COORDINATOR].machine));
    assert_int_equal(hr_oneshot_owners(b->parties[COORDINATOR].machine), 3);
    for (size_t i = 0; i < 3; i++) {
        check_model(b, i, models[i]);
        assert_true(part_of(b, ANNA + i).trees == 1 && part_of(b, ANNA + i).skipped == 0);
    }
    assert_false(hr_oneshot_part(b->parties[COORDINATOR].machine, DORA, &nobody));
    assert_non_null(strstr(b->said, "owner bert sent its model, 2 of 3"));
    board_close(b);
}

static void test_oneshot__goes_on_without_a_model_that_is_refused(void **state) {
    board *b = started(*state);
    give(b, ANNA, "bad one");
    deliver(b);
    assert_true(b->parties[COORDINATOR].cut[ANNA]);
    assert_string_equal(b->parties[COORDINATOR].cut_why, "a bad model");
    give(b, BERT, "two");
    give(b, CARL, "three");
    deliver(b);
    assert_true(b->parties[COORDINATOR].finished);
    check_model(b, 0, NULL);
    check_model(b, 2, "three");
    assert_int_equal(part_of(b, ANNA).state, HR_PART_CUT_OFF);
    assert_string_equal(part_of(b, ANNA).why, "a bad model");
    board_close(b);
}

static void test_oneshot__goes_on_without_an_owner_that_has_none(void **state) {
    board *b = started(*state);
    give(b, ANNA, "one");
    give(b, BERT, NULL);
    assert_true(b->parties[BERT].failed);
    give(b, CARL, "three");
    deliver(b);
    assert_true(b->parties[COORDINATOR].finished);
    check_model(b, 1, NULL);
    assert_true(part_of(b, BERT).skipped == 1 && part_of(b, BERT).state == HR_PART_TAKEN);
    assert_non_null(strstr(b->said, "owner bert skipped: it has no model"));
    board_close(b);
}

static void test_oneshot__names_owners_that_do_not_answer(void **state) {
    board *b = started(*state);
    give(b, ANNA, "one");
    deliver(b);
    assert_true(hr_protocol_waits(b->parties[COORDINATOR].machine));
    assert_true(part_of(b, CARL).awaited && !part_of(b, CARL).skipped && !part_of(b, ANNA).awaited);
    feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    assert_true(b->parties[COORDINATOR].finished);
    assert_false(part_of(b, CARL).awaited);
    assert_non_null(strstr(b->said, "owner bert skipped: no answer within the deadline"));
    assert_non_null(strstr(b->said, "owner carl skipped: no answer within the deadline"));
    assert_null(strstr(b->said, "owner anna skipped"));
    assert_true(part_of(b, CARL).skipped == 1 && part_of(b, ANNA).skipped == 0);
    board_close(b);
}

static void test_oneshot__starts_with_those_that_have_answered(void **state) {
    board *b = board_open(*state);
    b->parties[BERT].away = true;
    deliver(b);
    decide(b, ANNA, true);
    decide(b, CARL, false);
    deliver(b);
    assert_false(b->parties[ANNA].trains);
    assert_true(part_of(b, BERT).awaited && !part_of(b, ANNA).awaited && !part_of(b, CARL).awaited);
    feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    assert_false(part_of(b, BERT).awaited); /* the job starts without it */
    deliver(b);
    give(b, ANNA, "one");
    deliver(b);
    assert_true(b->parties[COORDINATOR].finished);
    assert_int_equal(hr_oneshot_owners(b->parties[COORDINATOR].machine), 1);
    assert_int_equal(part_of(b, BERT).state, HR_PART_SILENT);
    assert_int_equal(part_of(b, CARL).state, HR_PART_DECLINED);
    board_close(b);
}

/* Its policy wants three owners, and two take part. */
static void test_oneshot__does_not_train_among_fewer_owners_than_the_policy_wants(void **state) {
    board *b = board_open(*state);
    b->parties[ANNA].setup.min_owners = 3;
    hr_protocol_free(b->parties[ANNA].machine);
    assert_int_equal(make_machine(&b->parties[ANNA].setup, &b->parties[ANNA].machine), HR_OK);
    deliver(b);
    decide(b, ANNA, true);
    decide(b, BERT, true);
    decide(b, CARL, false);
    deliver(b);
    deliver(b);
    assert_true(b->parties[ANNA].failed && !b->parties[ANNA].trains);
    give(b, BERT, "two");
    deliver(b);
    assert_true(b->parties[COORDINATOR].finished);
    assert_int_equal(part_of(b, ANNA).state, HR_PART_DECLINED);
    board_close(b);
}

static void test_oneshot__fails_without_any_model(void **state) {
    board *b = started(*state);
    for (size_t who = ANNA; who <= CARL; who++) give(b, who, NULL);
    deliver(b);
    assert_true(b->parties[COORDINATOR].failed);
    assert_string_equal(b->parties[COORDINATOR].why, "no owner sent a model");
    board_close(b);
    b = started(*state);
    feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    assert_string_equal(b->parties[COORDINATOR].why, "no owner sent a model");
    deliver(b);
    assert_true(b->parties[ANNA].failed); /* it is told, and sends nothing any more */
    feed(b, ANNA, (hr_event){.kind = HR_EVENT_WORK_DONE, .bytes = (const uint8_t *)"x", .size = 1});
    assert_int_equal(b->letter_count, 0);
    board_close(b);
}

static void test_oneshot__is_done_with_an_owner_that_leaves(void **state) {
    board *b = started(*state);
    Hedgerow__Answer leaves = HEDGEROW__ANSWER__INIT;
    give(b, ANNA, "one");
    give(b, BERT, "two");
    deliver(b);
    send(b, CARL, HEDGEROW__MESSAGE__KIND_ANSWER, &leaves);
    assert_true(b->parties[COORDINATOR].finished);
    check_model(b, 2, NULL);
    board_close(b);
}

/* ---- What is not taken ---- */

typedef enum model_fault {
    NONE,
    EMPTY_MODEL,
    LARGE,
    UNSIGNED,
    SHORT,
    BY_ANOTHER,
    OF_ANOTHER_JOB,
    OF_OTHERS,
    FAULTS
} model_fault;

static hr_digest start_of(const board *b, size_t count) {
    const size_t owners[] = {ANNA, BERT, CARL};
    ProtobufCMessage *terms = NULL;
    hr_digest digest;
    assert_int_equal(
        hr_message_unpack(&hedgerow__terms__descriptor, b->terms.at, b->terms.size, &terms, NULL), HR_OK);
    assert_int_equal(
        hr_terms_digest(&b->parties[COORDINATOR].setup, (const Hedgerow__Terms *)terms, &digest, NULL),
        HR_OK);
    hr_message_unpacked_free(terms);
    return hr_start_digest(&digest, &b->f->membership, owners, count);
}

static void send_released(board *b, model_fault fault) {
    Hedgerow__Released released = HEDGEROW__RELEASED__INIT;
    uint8_t signature[HR_SIGNATURE_SIZE];
    size_t size = fault == EMPTY_MODEL ? 0 : fault == LARGE ? HR_RELEASED_MAX + 1 : 5;
    uint8_t *text = calloc(size + 1, 1);
    const hr_bytes model = {text, size};
    hr_digest start = start_of(b, fault == OF_OTHERS ? 2 : 3);
    assert_non_null(text);
    if (fault == OF_ANOTHER_JOB) start.bytes[0] ^= 1;
    hr_released_sign(b->f->who[fault == BY_ANOTHER ? BERT : ANNA], &start, &model, signature);
    if (fault == UNSIGNED) text[0] ^= 1;
    released.model = hr_data_of(text, size);
    released.signature = hr_data_of(signature, sizeof signature - (fault == SHORT));
    send(b, ANNA, HEDGEROW__MESSAGE__KIND_RELEASED, &released);
    free(text);
}

static void test_oneshot__takes_only_what_an_owner_signed_for_this_job(void **state) {
    for (int fault = NONE; fault < FAULTS; fault++) {
        board *b = started(*state);
        send_released(b, (model_fault)fault);
        if (b->parties[COORDINATOR].cut[ANNA] != (fault != NONE)) fail_msg("fault %d", fault);
        assert_int_equal(hr_oneshot_model(b->parties[COORDINATOR].machine, 0).size != 0, fault == NONE);
        board_close(b);
    }
}

static void test_oneshot__takes_one_model_of_an_owner(void **state) {
    board *b = started(*state);
    send_released(b, NONE);
    send_released(b, NONE);
    assert_string_equal(b->parties[COORDINATOR].cut_why, "a second model, or one after it had none");
    assert_int_equal(hr_oneshot_model(b->parties[COORDINATOR].machine, 0).size, 5); /* the first stays */
    board_close(b);
    b = started(*state);
    Hedgerow__Notice none = HEDGEROW__NOTICE__INIT;
    send(b, ANNA, HEDGEROW__MESSAGE__KIND_NOTICE, &none);
    send_released(b, NONE);
    assert_true(b->parties[COORDINATOR].cut[ANNA]);
    check_model(b, 0, NULL);
    board_close(b);
}

static void test_oneshot__takes_nothing_that_is_no_part_of_it(void **state) {
    Hedgerow__Notice other = HEDGEROW__NOTICE__INIT, refused = HEDGEROW__NOTICE__INIT;
    Hedgerow__Ballot ballot = HEDGEROW__BALLOT__INIT;
    other.slot = 1;
    refused.kind = HEDGEROW__NOTICE__KIND__REFUSED;
    const struct {
        Hedgerow__Message__KindCase kind;
        const void *content;
    } rows[] = {{HEDGEROW__MESSAGE__KIND_NOTICE, &other},
                {HEDGEROW__MESSAGE__KIND_NOTICE, &refused},
                {HEDGEROW__MESSAGE__KIND_BALLOT, &ballot}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        board *b = started(*state);
        send(b, ANNA, rows[i].kind, rows[i].content);
        assert_true(b->parties[COORDINATOR].cut[ANNA]);
        board_close(b);
    }
    board *b = board_open(*state);
    send_released(b, NONE); /* before the start */
    assert_true(b->parties[COORDINATOR].cut[ANNA]);
    send(b, DORA, HEDGEROW__MESSAGE__KIND_BALLOT, &ballot);
    assert_true(b->parties[COORDINATOR].cut[DORA]);
    board_close(b);
}

static void test_oneshot__takes_one_refusal_of_a_member(void **state) {
    board *b = board_open(*state);
    Hedgerow__Answer no = HEDGEROW__ANSWER__INIT;
    send(b, ANNA, HEDGEROW__MESSAGE__KIND_ANSWER, &no);
    assert_false(b->parties[COORDINATOR].cut[ANNA]);
    send(b, ANNA, HEDGEROW__MESSAGE__KIND_ANSWER, &no);
    assert_true(b->parties[COORDINATOR].cut[ANNA]);
    board_close(b);
}

/* ---- Terms ---- */

static void test_oneshot__has_terms_of_its_own(void **state) {
    const test_members *f = *state;
    for (int fault = 0; fault <= 6; fault++) {
        ProtobufCBinaryData owners[3];
        Hedgerow__Terms terms = plain_terms(owners);
        if (fault == 1) terms.rounds = 2;
        if (fault == 2) terms.broadcast = true;
        if (fault == 3) terms.vote_share = .5;
        if (fault == 4) terms.last_slots = 1;
        if (fault == 5) terms.coalition = 1;
        if (fault == 6) terms.train = hr_text_of("");
        hr_bytes bytes = packed(&terms);
        const hr_protocol_setup setup = {.view = &f->views[COORDINATOR],
                                         .job = the_job,
                                         .schema = f->schema,
                                         .coordinator = COORDINATOR,
                                         .terms = bytes};
        hr_protocol *machine = NULL;
        assert_int_equal(hr_oneshot_coordinator(&setup, check_text, &machine, NULL),
                         fault ? HR_E_FORMAT : HR_OK);
        if (!fault) hr_protocol_free(machine);
        free(bytes.at);
        board *b = board_open(f);
        Hedgerow__Message offer = HEDGEROW__MESSAGE__INIT;
        offer.kind_case = HEDGEROW__MESSAGE__KIND_TERMS;
        offer.terms = &terms;
        feed_bytes(b, COORDINATOR, ANNA, packed(&offer));
        assert_int_equal(b->parties[ANNA].decides, !fault);
        assert_int_equal(b->parties[ANNA].cut[COORDINATOR], fault != 0);
        b->parties[ANNA].away = true;
        board_close(b);
    }
}

static void test_oneshot__owners_hear_the_coordinator_alone(void **state) {
    board *b = board_open(*state);
    Hedgerow__Message m = HEDGEROW__MESSAGE__INIT;
    Hedgerow__Skip skip = HEDGEROW__SKIP__INIT;
    m.kind_case = HEDGEROW__MESSAGE__KIND_SKIP;
    m.skip = &skip;
    feed_bytes(b, BERT, ANNA, packed(&m));
    assert_true(b->parties[ANNA].cut[BERT] && !b->parties[ANNA].failed);
    feed_bytes(b, COORDINATOR, ANNA, packed(&m));
    assert_true(b->parties[ANNA].cut[COORDINATOR] && b->parties[ANNA].failed);
    b->parties[ANNA].away = true;
    board_close(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TEST_MEMBERS(test_oneshot__takes_the_model_of_every_owner),
        WITH_TEST_MEMBERS(test_oneshot__goes_on_without_a_model_that_is_refused),
        WITH_TEST_MEMBERS(test_oneshot__goes_on_without_an_owner_that_has_none),
        WITH_TEST_MEMBERS(test_oneshot__names_owners_that_do_not_answer),
        WITH_TEST_MEMBERS(test_oneshot__starts_with_those_that_have_answered),
        WITH_TEST_MEMBERS(test_oneshot__does_not_train_among_fewer_owners_than_the_policy_wants),
        WITH_TEST_MEMBERS(test_oneshot__fails_without_any_model),
        WITH_TEST_MEMBERS(test_oneshot__is_done_with_an_owner_that_leaves),
        WITH_TEST_MEMBERS(test_oneshot__takes_only_what_an_owner_signed_for_this_job),
        WITH_TEST_MEMBERS(test_oneshot__takes_one_model_of_an_owner),
        WITH_TEST_MEMBERS(test_oneshot__takes_nothing_that_is_no_part_of_it),
        WITH_TEST_MEMBERS(test_oneshot__takes_one_refusal_of_a_member),
        WITH_TEST_MEMBERS(test_oneshot__has_terms_of_its_own),
        WITH_TEST_MEMBERS(test_oneshot__owners_hear_the_coordinator_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
