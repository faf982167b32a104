/* An owner's policy is kept: each rule of it refuses a job that breaks it, and that job alone. */
#include "federation/federated/terms.h"
#include "federation/work/owner_work.h"
#include "support/tables.h"

enum { DAY = 86400 };

typedef struct offer {
    const char *coordinator;
    Hedgerow__Terms *terms;
    int64_t date;             /* of the owner */
    char why[HR_ACTION_TEXT]; /* it was declined last */
} offer;

static const char *const owners[] = {"north", "south", "west"};

/* Terms of a job that costs 1 and has three owners. */
static offer open_offer_of(const table *t, const char *method, hr_mode mode) {
    offer o = {.coordinator = "lab"};
    hr_bytes bytes = {0};
    ProtobufCMessage *message = NULL;
    hr_job_file job = {.rounds = 1, .options = options_of(method, mode)};
    job.options.epsilon = 1;
    assert_int_equal(hr_terms_of(&job, "job", t->schema, &(hr_names){owners, COUNT(owners)}, &bytes, NULL),
                     HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, bytes.at, bytes.size, &message, NULL),
                     HR_OK);
    o.terms = (Hedgerow__Terms *)message;
    free(bytes.at);
    return o;
}

static offer open_offer(const table *t, hr_mode mode) {
    return open_offer_of(t, "inprivate", mode);
}

static bool accepts(const table *t, const hr_policy *policy, offer *o) {
    hr_owner_work work = {0};
    const hr_journal_job record = {.coordinator = o->coordinator};
    const hr_party_offer asked = {&record, o->terms, o->date, NULL};
    hr_decision decision = {0};
    hr_owner_work_init(&work);
    work.data = t->data;
    work.policy = policy;
    assert_int_equal(work.work.decide(&work.work, &asked, &decision, NULL), HR_OK);
    memcpy(o->why, decision.reason, sizeof o->why);
    assert_true((decision.verdict == HR_VERDICT_ACCEPTED) == !decision.reason[0]);
    return decision.verdict == HR_VERDICT_ACCEPTED;
}

static void test_policy__refuses_what_it_does_not_allow(void **state) {
    (void)state;
    static const char *const labs[] = {"lab"}, *const methods[] = {"inprivate", "dpboost"};
    table t = table_of_steps(60, 2, 2, 1);
    offer o = open_offer(&t, HR_MODE_SOUND);
    const ProtobufCBinaryData real = o.terms->method;
    const hr_policy allows = {
        .coordinators = {labs, 1}, .methods = {methods, 2}, .epsilon = 1, .delta = 0, .owners = 3};
    hr_policy one_less = allows;
    assert_true(accepts(&t, &allows, &o));

    one_less.epsilon = .999;
    assert_false(accepts(&t, &one_less, &o));
    one_less = allows;
    one_less.owners = 4;
    assert_false(accepts(&t, &one_less, &o));
    one_less = allows;
    one_less.coordinators.count = 0;
    assert_false(accepts(&t, &one_less, &o));
    one_less = allows;
    one_less.methods.count = 0;
    assert_false(accepts(&t, &one_less, &o));

    o.coordinator = "laboratory";
    assert_false(accepts(&t, &allows, &o));
    o.coordinator = "lab";
    o.terms->method = hr_text_of("dpboost"); /* allowed, but no method of a federation */
    assert_false(accepts(&t, &allows, &o));
    o.terms->method = real;
    o.terms->delta = 1e-9;
    assert_false(accepts(&t, &allows, &o));
    o.terms->delta = 0;
    o.terms->epsilon = 1.001;
    assert_false(accepts(&t, &allows, &o));
    o.terms->epsilon = 1;
    assert_true(accepts(&t, &allows, &o));
    hr_message_unpacked_free(&o.terms->base);
    table_close(&t);
}

static void test_policy__allows_the_paper_mode_of_the_methods_it_lists_alone(void **state) {
    (void)state;
    static const char *const labs[] = {"lab"}, *const methods[] = {"id3", "inprivate"};
    hr_policy policy = {
        .coordinators = {labs, 1}, .methods = {methods, 2}, .epsilon = 1, .delta = 0, .owners = 3};
    table t = table_of_steps(60, 2, 2, 1);
    offer o = open_offer(&t, HR_MODE_PAPER);
    assert_true(o.terms->paper);
    assert_false(accepts(&t, &policy, &o));
    assert_non_null(strstr(o.why, "inprivate in paper mode has no guarantee, and is not listed"));
    policy.unprotected = (hr_names){methods, 1}; /* of id3 alone */
    assert_false(accepts(&t, &policy, &o));
    policy.unprotected = (hr_names){methods, 2};
    assert_true(accepts(&t, &policy, &o));
    hr_message_unpacked_free(&o.terms->base);
    table_close(&t);
}

/* Of three owners: against one that acts together with the coordinator, as every job is, or against both. */
static void test_policy__requires_the_coalition_that_it_names(void **state) {
    (void)state;
    static const char *const labs[] = {"lab"}, *const methods[] = {"hedge"};
    static const struct {
        size_t policy;
        uint32_t job;
        bool accepted;
    } cases[] = {{0, 1, true},
                 {1, 1, true},
                 {1, 2, true},
                 {2, 1, false},
                 {2, 2, true},
                 {7, 1, false},
                 {7, 2, true},
                 {HR_POLICY_ALL, 1, false},
                 {HR_POLICY_ALL, 2, true}};
    table t = table_of_steps(60, 2, 2, 1);
    offer o = open_offer_of(&t, "hedge", HR_MODE_SOUND);
    hr_policy policy = {
        .coordinators = {labs, 1}, .methods = {methods, 1}, .epsilon = 1, .delta = .1, .owners = 3};
    for (size_t i = 0; i < COUNT(cases); i++) {
        policy.coalition = cases[i].policy;
        o.terms->coalition = cases[i].job;
        if (accepts(&t, &policy, &o) != cases[i].accepted) fail_msg("case %zu: %s", i, o.why);
        if (!cases[i].accepted) assert_non_null(strstr(o.why, "coalition: the job is safe against 1 owners"));
    }
    hr_message_unpacked_free(&o.terms->base);
    table_close(&t);
}

/* It acts together with the coordinator in any case, so that it comes on top of those of the policy. */
static void test_policy__counts_an_owner_that_is_the_coordinator(void **state) {
    (void)state;
    static const char *const labs[] = {"lab"}, *const methods[] = {"hedge"};
    table t = table_of_steps(60, 2, 2, 1);
    offer o = open_offer_of(&t, "hedge", HR_MODE_SOUND);
    hr_policy policy = {
        .coordinators = {labs, 1}, .methods = {methods, 1}, .epsilon = 1, .delta = .1, .owners = 3};
    o.terms->coalition = 1;
    assert_true(accepts(&t, &policy, &o));
    o.terms->coordinator_owner = o.terms->owners[1];
    assert_false(accepts(&t, &policy, &o));
    assert_non_null(strstr(o.why, "with the coordinator, its own among them, the policy requires 2"));
    o.terms->coalition = 2;
    assert_true(accepts(&t, &policy, &o));
    policy.coalition = HR_POLICY_ALL;
    assert_true(accepts(&t, &policy, &o));
    o.terms->coordinator_owner = (ProtobufCBinaryData){0};
    hr_message_unpacked_free(&o.terms->base);
    table_close(&t);
}

/* An old offer is no offer, also to an owner whose ledger is new. */
static void test_policy__refuses_offers_of_another_time(void **state) {
    (void)state;
    static const char *const labs[] = {"lab"}, *const methods[] = {"inprivate"};
    hr_policy policy = {
        .coordinators = {labs, 1}, .methods = {methods, 1}, .epsilon = 1, .owners = 3, .days = 30};
    table t = table_of_steps(60, 2, 2, 1);
    offer o = open_offer(&t, HR_MODE_SOUND);
    o.terms->date = 1795305600; /* 2026-11-22 */
    for (int64_t age = -DAY; age <= 30 * DAY; age += 31 * DAY) {
        o.date = 1795305600 + age;
        assert_true(accepts(&t, &policy, &o));
    }
    o.date = 1795305600 + 30 * DAY + 1;
    assert_false(accepts(&t, &policy, &o));
    assert_string_equal(o.why, "days: the offer is of 2026-11-22, more than 30 days before the owner's date, "
                               "2026-12-22: offer the job anew");
    o.date = 1795305600 - DAY - 1;
    assert_false(accepts(&t, &policy, &o));
    assert_string_equal(o.why, "days: the offer is of 2026-11-22, more than a day after the owner's date, "
                               "2026-11-20: correct the clocks, or 'date' in the job file");
    o.terms->date = 0;
    assert_false(accepts(&t, &policy, &o));
    assert_string_equal(o.why,
                        "days: the offer has no date, and the owner's is 2026-11-20: offer the job anew");
    policy.days = 0; /* a simulation */
    assert_true(accepts(&t, &policy, &o));
    hr_message_unpacked_free(&o.terms->base);
    table_close(&t);
}

/* What can be known from the terms is refused before anything is reserved. */
static void test_policy__declines_budgets_that_pay_for_nothing(void **state) {
    (void)state;
    static const char *const labs[] = {"lab"}, *const methods[] = {"inprivate"};
    static const double epsilons[] = {1e-12, 1e-11}, enough = .01;
    const hr_policy allows = {
        .coordinators = {labs, 1}, .methods = {methods, 1}, .epsilon = 1, .delta = 0, .owners = 3};
    table t = table_of_steps(60, 2, 2, 1);
    offer o = open_offer(&t, HR_MODE_SOUND);
    for (size_t i = 0; i < COUNT(epsilons); i++) {
        o.terms->epsilon = epsilons[i];
        assert_false(accepts(&t, &allows, &o));
    }
    o.terms->epsilon = enough;
    assert_true(accepts(&t, &allows, &o));
    o.terms->vote_share = 1e-11; /* the tree is paid for, the vote is not */
    assert_false(accepts(&t, &allows, &o));
    hr_message_unpacked_free(&o.terms->base);
    table_close(&t);
}

/* An offer tells no path of the coordinator's machine. */
static void test_terms__are_named_after_the_job_file(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"job.yaml", "job"},
                                           {"/srv/secret/heart.v2.yaml", "heart.v2"},
                                           {"./trial", "trial"},
                                           {"a/.hidden", ".hidden"}};
    char name[HR_JOB_NAME_MAX + 1];
    hr_error err;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(hr_job_name_of(cases[i][0], name, NULL), HR_OK);
        assert_string_equal(name, cases[i][1]);
    }
    assert_int_equal(hr_job_name_of("jobs/what?.yaml", name, &err), HR_E_ARGUMENT);
    assert_string_equal(err.message, "the name of the job file cannot be the name of a job");
    assert_true(err.remedy[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policy__refuses_what_it_does_not_allow),
        cmocka_unit_test(test_policy__allows_the_paper_mode_of_the_methods_it_lists_alone),
        cmocka_unit_test(test_policy__requires_the_coalition_that_it_names),
        cmocka_unit_test(test_policy__counts_an_owner_that_is_the_coordinator),
        cmocka_unit_test(test_policy__refuses_offers_of_another_time),
        cmocka_unit_test(test_policy__declines_budgets_that_pay_for_nothing),
        cmocka_unit_test(test_terms__are_named_after_the_job_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
