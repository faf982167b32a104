/* The table of federated methods, and how a job comes to the machine of its method. */
#include "federation/federated/federated_method.h"

#include "federation/federated/terms.h"
#include "federation/party/party_core.h"
#include "support/test_members.h"

enum { COUNT_OF_EVENTS = 8 };

static Hedgerow__Terms *terms_with(Hedgerow__Terms *terms, ProtobufCBinaryData *owners, const char *method) {
    *terms = (Hedgerow__Terms)HEDGEROW__TERMS__INIT;
    owners[0] = hr_text_of("anna");
    owners[1] = hr_text_of("bert");
    terms->name = hr_text_of("job");
    terms->method = hr_text_of(method);
    terms->epsilon = 1;
    terms->rounds = 1;
    terms->owners = owners;
    terms->n_owners = 2;
    return terms;
}

static hr_bytes offer_of(const char *method) {
    Hedgerow__Terms terms;
    ProtobufCBinaryData owners[2];
    Hedgerow__Message m = HEDGEROW__MESSAGE__INIT;
    m.kind_case = HEDGEROW__MESSAGE__KIND_TERMS;
    m.terms = terms_with(&terms, owners, method);
    return packed(&m);
}

static const hr_federated_method *offered(hr_bytes message) {
    const hr_federated_method *out = NULL;
    assert_int_equal(hr_terms_method_offered(&message, &out, NULL), HR_OK);
    free(message.at);
    return out;
}

static void test_federated_method__is_found_by_its_whole_name(void **state) {
    (void)state;
    assert_ptr_equal(hr_federated_method_named("inprivate and more", 9, HR_MODE_SOUND),
                     &hr_federated_inprivate);
    assert_null(hr_federated_method_named("inprivate and more", 10, HR_MODE_SOUND));
    assert_null(hr_federated_method_named("inprivat", 8, HR_MODE_SOUND));
    assert_null(hr_federated_method_named("dpboost", 7, HR_MODE_SOUND));
    assert_null(hr_federated_method_named(NULL, 0, HR_MODE_SOUND));
    assert_ptr_equal(hr_federated_inprivate.method, hr_method_named("inprivate"));
}

/* What is no offer gets a machine too, which refuses it. */
static void test_federated_method__of_an_offer(void **state) {
    (void)state;
    Hedgerow__Message answer = HEDGEROW__MESSAGE__INIT;
    Hedgerow__Answer content = HEDGEROW__ANSWER__INIT;
    answer.kind_case = HEDGEROW__MESSAGE__KIND_ANSWER;
    answer.answer = &content;
    assert_ptr_equal(offered(offer_of("inprivate")), &hr_federated_inprivate);
    assert_non_null(offered(offer_of("nonesuch")));
    assert_non_null(offered(packed(&answer)));
    assert_non_null(offered(bytes_of("\xff", 1)));
}

static hr_live_job *job_of(const test_members *f, const hr_party_options *o, const hr_bytes *terms) {
    hr_live_job *j = NULL;
    hr_journal_job record = {.coordinator = f->members[COORDINATOR].name};
    if (terms) record.terms = (hr_blob){terms->at, terms->size};
    assert_int_equal(hr_live_job_make(o, &record, &j, NULL), HR_OK);
    return j;
}

static void feed(const hr_party_options *o, hr_live_job *j, size_t from, hr_bytes message) {
    hr_event event = {.kind = HR_EVENT_MESSAGE, .from = from, .bytes = message.at, .size = message.size};
    assert_int_equal(hr_live_job_feed(o, j, &event, NULL), HR_OK);
    free(message.at);
}

/* The kinds of the actions that are due, as a text of digits. */
static const char *due(hr_live_job *j) {
    static char kinds[COUNT_OF_EVENTS + 1];
    size_t count = 0;
    hr_action action;
    while (count < COUNT_OF_EVENTS && hr_protocol_next(j->protocol, &action)) {
        kinds[count++] = (char)('0' + action.kind);
        free(action.bytes.at);
    }
    kinds[count] = '\0';
    return kinds;
}

static void test_federated_method__has_the_machine_of_an_owners_job_once_it_is_offered(void **state) {
    const test_members *f = *state;
    const hr_party_options o = {.view = &f->views[ANNA], .schema = f->schema, .min_owners = 1};
    hr_live_job *j = job_of(f, &o, NULL);
    assert_null(hr_live_job_view(j).method);
    feed(&o, j, BERT, offer_of("inprivate")); /* a member that writes before the offer */
    assert_true(j->cut[BERT] && !j->cut[COORDINATOR]);
    assert_null(j->protocol);
    assert_string_equal(due(j), "");
    feed(&o, j, COORDINATOR, offer_of("inprivate"));
    assert_ptr_equal(j->method, &hr_federated_inprivate);
    assert_string_equal(due(j), "2");
    assert_int_equal(HR_ACT_DECIDE, 2);
    hr_live_job_free(j);
}

/* A machine asks; the policy refuses (test_policy.c). */
static void test_federated_method__that_is_not_known_is_put_before_the_policy(void **state) {
    const test_members *f = *state;
    const hr_party_options o = {.view = &f->views[ANNA], .schema = f->schema, .min_owners = 1};
    hr_live_job *j = job_of(f, &o, NULL);
    feed(&o, j, COORDINATOR, offer_of("nonesuch"));
    assert_string_equal(due(j), "2");
    hr_live_job_free(j);
}

static void test_federated_method__of_a_miners_job_is_that_of_its_terms(void **state) {
    const test_members *f = *state;
    hr_party_work work = {0};
    const hr_party_options o = {.view = &f->views[COORDINATOR], .work = &work, .schema = f->schema};
    Hedgerow__Terms terms;
    ProtobufCBinaryData owners[2];
    hr_bytes bytes = packed(terms_with(&terms, owners, "inprivate"));
    hr_live_job *j = job_of(f, &o, &bytes);
    assert_int_equal(hr_live_job_start(&o, j, NULL), HR_OK);
    assert_ptr_equal(hr_live_job_view(j).method, &hr_federated_inprivate);
    assert_string_equal(due(j), "11"); /* two offers are sent */
    hr_live_job_free(j);
    free(bytes.at);
    bytes = packed(terms_with(&terms, owners, "dpboost"));
    hr_journal_job record = {.coordinator = "coordinator", .terms = {bytes.at, bytes.size}};
    assert_int_equal(hr_live_job_make(&o, &record, &j, NULL), HR_OK);
    assert_int_equal(hr_live_job_start(&o, j, NULL), HR_E_FORMAT);
    hr_live_job_free(j);
    free(bytes.at);
}

/* Journals hold these numbers: what was begun must be known again by another build. */
static void test_federated_method__has_works_of_fixed_numbers(void **state) {
    (void)state;
    const hr_action train = {.kind = HR_ACT_TRAIN, .slot = 5}, vote = {.kind = HR_ACT_VOTE, .slot = 5};
    const hr_action last = {.kind = HR_ACT_VOTE, .slot = HR_WORKS_MAX / 2 - 1};
    assert_int_equal(hr_live_job_work_number(&train), 10);
    assert_int_equal(hr_live_job_work_number(&vote), 11);
    assert_int_equal(hr_live_job_work_number(&last), HR_WORKS_MAX - 1);
}

/* Beyond the numbers that are noted nothing is begun: it could not be known again. */
static void test_federated_method__begins_no_work_beyond_the_numbers(void **state) {
    (void)state;
    hr_live_job j = {.work = {.kind = HR_ACT_TRAIN, .slot = HR_WORKS_MAX / 2 - 1}};
    assert_false(hr_live_job_has_begun(&j));
    j.work.slot++;
    assert_true(hr_live_job_has_begun(&j));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_federated_method__is_found_by_its_whole_name),
        cmocka_unit_test(test_federated_method__of_an_offer),
        cmocka_unit_test(test_federated_method__has_works_of_fixed_numbers),
        cmocka_unit_test(test_federated_method__begins_no_work_beyond_the_numbers),
        WITH_TEST_MEMBERS(test_federated_method__has_the_machine_of_an_owners_job_once_it_is_offered),
        WITH_TEST_MEMBERS(test_federated_method__that_is_not_known_is_put_before_the_policy),
        WITH_TEST_MEMBERS(test_federated_method__of_a_miners_job_is_that_of_its_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
