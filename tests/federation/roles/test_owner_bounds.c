/* An owner that has not as many records as a job says: a person decides, before anything is paid. */
#include "federation/federated/terms.h"
#include "federation/work/owner_work.h"
#include "privacy/ledger/offers.h"
#include "support/federation.h"
#include "support/temp_dir.h"

enum { ROWS = 90 };

typedef struct decision_case {
    const char *owner; /* this one's name */
    hr_record_bounds bounds;
    hr_verdict verdict;
} decision_case;

static char lines[4000];

static void keep_line(void *user, const hr_log_line *line) {
    (void)user;
    snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s\n", line->text);
}

static const hr_log log_lines = {.sink = keep_line};

typedef struct asked {
    hr_owner_work work;
    hr_policy policy;
    hr_journal_job record;
    hr_journal *journal;
    Hedgerow__Terms *terms;
} asked;

static void ask(asked *a, const char *path, const decision_case *c, const table *t) {
    static const char *const coordinators[] = {"coordinator"}, *const methods[] = {"hedge"};
    hr_job_file job = federated_job("hedge", 1, 1e-6);
    hr_error err = {0};
    job.records = c->bounds;
    memset(a, 0, sizeof *a);
    a->policy = (hr_policy){
        .coordinators = {coordinators, 1}, .methods = {methods, 1}, .epsilon = 1, .delta = 1e-6, .owners = 1};
    hr_owner_work_init(&a->work);
    a->work.work.log = &log_lines;
    a->work.name = c->owner;
    a->work.data = t->data;
    a->work.policy = &a->policy;
    a->record = (hr_journal_job){.id = {1, 2, 3, 4}, .coordinator = "coordinator"};
    if (!(a->terms = federation_terms(&job, t->schema, &err))) fail_msg("%s", err.message);
    assert_int_equal(hr_ledger_create(path, 10, 1e-3, &err), HR_OK);
    assert_int_equal(hr_ledger_open(path, &a->work.ledger, &err), HR_OK);
    assert_int_equal(hr_journal_of_ledger(a->work.ledger, &a->journal, &err), HR_OK);
    assert_int_equal(hr_journal_add_job(a->journal, &a->record, &err), HR_OK);
}

static hr_decision decide(asked *a) {
    hr_decision out = {0};
    hr_error err = {0};
    const hr_party_offer offer = {&a->record, a->terms, 1, NULL};
    if (a->work.work.decide(&a->work.work, &offer, &out, &err)) fail_msg("%s", err.message);
    return out;
}

static void end(asked *a) {
    hr_message_unpacked_free(&a->terms->base);
    hr_journal_close(a->journal);
    hr_ledger_close(a->work.ledger);
}

/* The coordinator learns no reason: the offer waits, as with approve: manual. */
static void test_owner__beyond_its_bounds_waits_for_a_person(void **state) {
    static const decision_case cases[] = {{"north", {ROWS, ROWS}, HR_VERDICT_ACCEPTED},
                                          {"north", {ROWS + 1, 200}, HR_VERDICT_UNDECIDED},
                                          {"south", {1, ROWS - 1}, HR_VERDICT_UNDECIDED},
                                          {"north", {0, 0}, HR_VERDICT_ACCEPTED}};
    table t = table_of_steps(ROWS, 2, 2, 5);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char path[300];
        asked a;
        snprintf(path, sizeof path, "%s/%zu.db", ((const temp_dir *)*state)->folder, i);
        *lines = '\0';
        ask(&a, path, &cases[i], &t);
        for (size_t again = 0; again < 2; again++) {
            const hr_decision decision = decide(&a);
            assert_int_equal(decision.verdict, cases[i].verdict);
            assert_string_equal(decision.reason, "");
        }
        const bool waits = cases[i].verdict == HR_VERDICT_UNDECIDED;
        const char *said = strstr(lines, "this owner has 90 records, and the job says ");
        assert_int_equal(said != NULL, waits);
        if (waits) {
            assert_null(strstr(said + 1, "this owner has 90 records"));
            assert_non_null(strstr(lines, "waits for `hedgerow jobs approve`"));
            hr_error err = {0};
            if (hr_offers_decide(a.work.ledger, "01020304000000000000000000000000", HR_OFFER_APPROVED, "",
                                 &err))
                fail_msg("%s", err.message);
            assert_int_equal(decide(&a).verdict, HR_VERDICT_ACCEPTED);
        }
        end(&a);
    }
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
        test_owner__beyond_its_bounds_waits_for_a_person, temp_dir_open, temp_dir_close)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
