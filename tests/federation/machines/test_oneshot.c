/* One-shot jobs: every owner sends one model and is done; the coordinator takes what is signed for this job
 * and passes the method's check, names who is missing, and ends with the rest. */
#include "federation/machines/oneshot.h"
#include "support/job_simulator.h"
#include "support/test_members.h"

enum { PARTIES = 4 };

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

static hr_protocol *make_machine(const hr_protocol_setup *setup) {
    hr_protocol *machine = NULL;
    assert_int_equal(setup->view->self == COORDINATOR
                         ? hr_oneshot_coordinator(setup, check_text, &machine, NULL)
                         : hr_oneshot_owner(setup, &machine, NULL),
                     HR_OK);
    return machine;
}

static void decide(simulator *b, size_t who, bool accepts) {
    b->parties[who].refuses = !accepts;
    assert_int_equal(b->parties[who].work.kind, HR_ACT_DECIDE);
    do_work(b, who);
}

static bool trains(const simulator *b, size_t who) {
    return b->parties[who].work.kind == HR_ACT_TRAIN;
}

/* NULL: it has none. */
static void give(simulator *b, size_t who, const char *model) {
    assert_true(trains(b, who));
    b->parties[who].work.kind = 0;
    feed(b, who, (hr_event){.kind = HR_EVENT_WORK_STARTED});
    feed(b, who,
         (hr_event){.kind = HR_EVENT_WORK_DONE,
                    .bytes = (const uint8_t *)(model ? model : ""),
                    .size = model ? strlen(model) : 0});
}

static simulator *job_open(const test_members *f) {
    static const simulated_protocol protocol = {make_machine, NULL, NULL};
    simulator *b = simulator_new(sizeof *b, &protocol, 1);
    hr_protocol_setup setups[PARTIES];
    ProtobufCBinaryData owners[3];
    const Hedgerow__Terms terms = plain_terms(owners);
    const hr_bytes bytes = packed(&terms);
    for (size_t who = 0; who < PARTIES; who++) setups[who] = setup_of_member(f, who, bytes);
    simulator_start(b, bytes, setups, PARTIES);
    return b;
}

/* All have accepted, and have the start. */
static simulator *started(const test_members *f) {
    simulator *b = job_open(f);
    deliver_all(b);
    for (size_t who = ANNA; who <= CARL; who++) decide(b, who, true);
    deliver_all(b);
    for (size_t who = ANNA; who <= CARL; who++) assert_true(trains(b, who));
    return b;
}

static void job_close(simulator *b) {
    deliver_all(b);
    check_replay(b);
    simulator_close(b);
}

/* NULL: it has none. */
static void check_model(const simulator *b, size_t owner, const char *model) {
    const hr_bytes bytes = hr_oneshot_model(b->parties[COORDINATOR].machine, owner);
    assert_int_equal(bytes.size, model ? strlen(model) : 0);
    if (model) assert_memory_equal(bytes.at, model, bytes.size);
}

static hr_part_info part_of(const simulator *b, size_t member) {
    hr_part_info info;
    assert_true(hr_oneshot_part(b->parties[COORDINATOR].machine, member, &info));
    return info;
}

/* ---- Models that come ---- */

static void test_oneshot__takes_the_model_of_every_owner(void **state) {
    simulator *b = started(*state);
    hr_part_info nobody;
    const char *const models[] = {"one", "two", "three"};
    for (size_t i = 0; i < 3; i++) {
        assert_false(has_finished(&b->parties[COORDINATOR]));
        give(b, ANNA + i, models[i]);
        assert_true(has_finished(&b->parties[ANNA + i])); /* it waits for nobody */
        deliver_all(b);
    }
    assert_true(has_finished(&b->parties[COORDINATOR]));
    assert_false(hr_protocol_waits(b->parties[COORDINATOR].machine));
    assert_int_equal(hr_oneshot_owners(b->parties[COORDINATOR].machine), 3);
    for (size_t i = 0; i < 3; i++) {
        check_model(b, i, models[i]);
        assert_true(part_of(b, ANNA + i).trees == 1 && part_of(b, ANNA + i).skipped == 0);
    }
    assert_false(hr_oneshot_part(b->parties[COORDINATOR].machine, DORA, &nobody));
    assert_non_null(strstr(b->said, "owner bert sent its model, 2 of 3"));
    job_close(b);
}

static void test_oneshot__goes_on_without_a_model_that_is_refused(void **state) {
    simulator *b = started(*state);
    give(b, ANNA, "bad one");
    deliver_all(b);
    assert_true(b->parties[COORDINATOR].cut[ANNA]);
    assert_string_equal(b->last_cut, "0 cut off 1: a bad model");
    give(b, BERT, "two");
    give(b, CARL, "three");
    deliver_all(b);
    assert_true(has_finished(&b->parties[COORDINATOR]));
    check_model(b, 0, NULL);
    check_model(b, 2, "three");
    assert_int_equal(part_of(b, ANNA).state, HR_PART_CUT_OFF);
    assert_string_equal(part_of(b, ANNA).why, "a bad model");
    job_close(b);
}

static void test_oneshot__goes_on_without_an_owner_that_has_none(void **state) {
    simulator *b = started(*state);
    give(b, ANNA, "one");
    give(b, BERT, NULL);
    assert_true(b->parties[BERT].failed);
    give(b, CARL, "three");
    deliver_all(b);
    assert_true(has_finished(&b->parties[COORDINATOR]));
    check_model(b, 1, NULL);
    assert_true(part_of(b, BERT).skipped == 1 && part_of(b, BERT).state == HR_PART_TAKEN);
    assert_non_null(strstr(b->said, "owner bert skipped: it has no model"));
    job_close(b);
}

static void test_oneshot__names_owners_that_do_not_answer(void **state) {
    simulator *b = started(*state);
    give(b, ANNA, "one");
    deliver_all(b);
    assert_true(hr_protocol_waits(b->parties[COORDINATOR].machine));
    assert_true(part_of(b, CARL).awaited && !part_of(b, CARL).skipped && !part_of(b, ANNA).awaited);
    feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    assert_true(has_finished(&b->parties[COORDINATOR]));
    assert_false(part_of(b, CARL).awaited);
    assert_non_null(strstr(b->said, "owner bert skipped: no answer in time"));
    assert_non_null(strstr(b->said, "owner carl skipped: no answer in time"));
    assert_null(strstr(b->said, "owner anna skipped"));
    assert_true(part_of(b, CARL).skipped == 1 && part_of(b, ANNA).skipped == 0);
    job_close(b);
}

static void test_oneshot__starts_with_those_that_have_answered(void **state) {
    simulator *b = job_open(*state);
    b->parties[BERT].away = true;
    deliver_all(b);
    decide(b, ANNA, true);
    decide(b, CARL, false);
    deliver_all(b);
    assert_false(trains(b, ANNA));
    assert_true(part_of(b, BERT).awaited && !part_of(b, ANNA).awaited && !part_of(b, CARL).awaited);
    feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    assert_false(part_of(b, BERT).awaited); /* the job starts without it */
    deliver_all(b);
    give(b, ANNA, "one");
    deliver_all(b);
    assert_true(has_finished(&b->parties[COORDINATOR]));
    assert_int_equal(hr_oneshot_owners(b->parties[COORDINATOR].machine), 1);
    assert_int_equal(part_of(b, BERT).state, HR_PART_SILENT);
    assert_int_equal(part_of(b, CARL).state, HR_PART_DECLINED);
    job_close(b);
}

/* Its policy wants three owners, and two take part. */
static void test_oneshot__does_not_train_among_fewer_owners_than_the_policy_wants(void **state) {
    simulator *b = job_open(*state);
    b->parties[ANNA].setup.min_owners = 3;
    hr_protocol_free(b->parties[ANNA].machine);
    b->parties[ANNA].machine = make_machine(&b->parties[ANNA].setup);
    deliver_all(b);
    decide(b, ANNA, true);
    decide(b, BERT, true);
    decide(b, CARL, false);
    deliver_all(b);
    assert_true(b->parties[ANNA].failed && !trains(b, ANNA));
    give(b, BERT, "two");
    deliver_all(b);
    assert_true(has_finished(&b->parties[COORDINATOR]));
    assert_int_equal(part_of(b, ANNA).state, HR_PART_DECLINED);
    job_close(b);
}

static void test_oneshot__fails_without_any_model(void **state) {
    simulator *b = started(*state);
    for (size_t who = ANNA; who <= CARL; who++) give(b, who, NULL);
    deliver_all(b);
    assert_true(b->parties[COORDINATOR].failed);
    assert_string_equal(b->parties[COORDINATOR].why, "no owner sent a model");
    job_close(b);
    b = started(*state);
    feed(b, COORDINATOR, (hr_event){.kind = HR_EVENT_TIMEOUT});
    assert_string_equal(b->parties[COORDINATOR].why, "no owner sent a model");
    deliver_all(b);
    assert_true(b->parties[ANNA].failed); /* it is told, and sends nothing any more */
    feed(b, ANNA, (hr_event){.kind = HR_EVENT_WORK_DONE, .bytes = (const uint8_t *)"x", .size = 1});
    assert_int_equal(b->letter_count, 0);
    job_close(b);
}

static void test_oneshot__is_done_with_an_owner_that_leaves(void **state) {
    simulator *b = started(*state);
    give(b, ANNA, "one");
    give(b, BERT, "two");
    deliver_all(b);
    send_decline(b, CARL, HEDGEROW__DECLINE__CODE__CANCELLED, "");
    assert_true(has_finished(&b->parties[COORDINATOR]));
    check_model(b, 2, NULL);
    job_close(b);
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

static hr_digest start_of(const simulator *b, size_t count) {
    const size_t owners[] = {ANNA, BERT, CARL};
    ProtobufCMessage *terms = NULL;
    hr_digest digest;
    assert_int_equal(
        hr_message_unpack(&hedgerow__terms__descriptor, b->terms.at, b->terms.size, &terms, NULL), HR_OK);
    assert_int_equal(
        hr_terms_digest(&b->parties[COORDINATOR].setup, (const Hedgerow__Terms *)terms, &digest, NULL),
        HR_OK);
    hr_message_unpacked_free(terms);
    return hr_start_digest(&digest, b->parties[ANNA].setup.view->membership, owners, count);
}

static void send_released(simulator *b, model_fault fault) {
    Hedgerow__Released released = HEDGEROW__RELEASED__INIT;
    uint8_t signature[HR_SIGNATURE_SIZE];
    size_t size = fault == EMPTY_MODEL ? 0 : fault == LARGE ? HR_RELEASED_MAX + 1 : 5;
    uint8_t *text = calloc(size + 1, 1);
    const hr_bytes model = {text, size};
    hr_digest start = start_of(b, fault == OF_OTHERS ? 2 : 3);
    assert_non_null(text);
    if (fault == OF_ANOTHER_JOB) start.bytes[0] ^= 1;
    hr_released_sign(b->parties[fault == BY_ANOTHER ? BERT : ANNA].setup.view->identity, &start, &model,
                     signature);
    if (fault == UNSIGNED) text[0] ^= 1;
    released.model = hr_data_of(text, size);
    released.signature = hr_data_of(signature, sizeof signature - (fault == SHORT));
    send_content(b, ANNA, COORDINATOR, HEDGEROW__MESSAGE__KIND_RELEASED, &released);
    free(text);
}

static void test_oneshot__takes_only_what_an_owner_signed_for_this_job(void **state) {
    for (int fault = NONE; fault < FAULTS; fault++) {
        simulator *b = started(*state);
        send_released(b, (model_fault)fault);
        if (b->parties[COORDINATOR].cut[ANNA] != (fault != NONE)) fail_msg("fault %d", fault);
        assert_int_equal(hr_oneshot_model(b->parties[COORDINATOR].machine, 0).size != 0, fault == NONE);
        job_close(b);
    }
}

static void test_oneshot__takes_one_model_of_an_owner(void **state) {
    simulator *b = started(*state);
    send_released(b, NONE);
    send_released(b, NONE);
    assert_string_equal(b->last_cut, "0 cut off 1: a second model, or one after it had none");
    assert_int_equal(hr_oneshot_model(b->parties[COORDINATOR].machine, 0).size, 5); /* the first stays */
    job_close(b);
    b = started(*state);
    Hedgerow__Notice none = HEDGEROW__NOTICE__INIT;
    send_content(b, ANNA, COORDINATOR, HEDGEROW__MESSAGE__KIND_NOTICE, &none);
    send_released(b, NONE);
    assert_true(b->parties[COORDINATOR].cut[ANNA]);
    check_model(b, 0, NULL);
    job_close(b);
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
        simulator *b = started(*state);
        send_content(b, ANNA, COORDINATOR, rows[i].kind, rows[i].content);
        assert_true(b->parties[COORDINATOR].cut[ANNA]);
        job_close(b);
    }
    simulator *b = job_open(*state);
    send_released(b, NONE); /* before the start */
    assert_true(b->parties[COORDINATOR].cut[ANNA]);
    send_content(b, DORA, COORDINATOR, HEDGEROW__MESSAGE__KIND_BALLOT, &ballot);
    assert_true(b->parties[COORDINATOR].cut[DORA]);
    job_close(b);
}

static void test_oneshot__takes_one_refusal_of_a_member(void **state) {
    simulator *b = job_open(*state);
    for (int i = 0; i < 3; i++) send_decline(b, ANNA, HEDGEROW__DECLINE__CODE__POLICY, "no");
    assert_false(b->parties[COORDINATOR].cut[ANNA]);
    assert_int_equal(lines_with(b, "owner anna declines: no"), 1);
    job_close(b);
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
        const hr_protocol_setup setup = setup_of_member(f, COORDINATOR, bytes);
        hr_protocol *machine = NULL;
        assert_int_equal(hr_oneshot_coordinator(&setup, check_text, &machine, NULL),
                         fault ? HR_E_FORMAT : HR_OK);
        if (!fault) hr_protocol_free(machine);
        free(bytes.at);
        simulator *b = job_open(f);
        send_content(b, COORDINATOR, ANNA, HEDGEROW__MESSAGE__KIND_TERMS, &terms);
        assert_int_equal(b->parties[ANNA].work.kind == HR_ACT_DECIDE, !fault);
        assert_int_equal(b->parties[ANNA].cut[COORDINATOR], fault != 0);
        b->parties[ANNA].away = true;
        job_close(b);
    }
}

static void test_oneshot__owners_hear_the_coordinator_alone(void **state) {
    simulator *b = job_open(*state);
    Hedgerow__Skip skip = HEDGEROW__SKIP__INIT;
    send_content(b, BERT, ANNA, HEDGEROW__MESSAGE__KIND_SKIP, &skip);
    assert_true(b->parties[ANNA].cut[BERT] && !b->parties[ANNA].failed);
    send_content(b, COORDINATOR, ANNA, HEDGEROW__MESSAGE__KIND_SKIP, &skip);
    assert_true(b->parties[ANNA].cut[COORDINATOR] && b->parties[ANNA].failed);
    b->parties[ANNA].away = true;
    job_close(b);
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
