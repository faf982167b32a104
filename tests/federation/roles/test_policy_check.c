/* Limits of a period, counted by the calendar from the owner's files, whatever process accepted the jobs; and
 * the reasons of all rules. */
#include "base/text/calendar.h"
#include "federation/federated/terms.h"
#include "federation/work/owner_work.h"
#include "privacy/ledger/offers.h"
#include "privacy/ledger/spend.h"
#include "support/tables.h"
#include "support/temp_dir.h"

static const char *const owners[] = {"north", "south"}, *const coordinators[] = {"lab", "other"},
                         *const methods[] = {"inprivate"};

/* An owner's files, opened, and the offers that it gets. */
typedef struct owner {
    const char *path;
    hr_ledger *ledger;
    hr_journal *journal;
    table table;
    hr_policy policy;
    Hedgerow__Terms *terms; /* cost 1 */
    uint8_t jobs;           /* offered so far */
    char said[HR_ACTION_TEXT];
} owner;

static void open_files(owner *o) {
    assert_int_equal(hr_ledger_open(o->path, &o->ledger, NULL), HR_OK);
    assert_int_equal(hr_journal_of_ledger(o->ledger, &o->journal, NULL), HR_OK);
}

static void close_files(owner *o) {
    hr_journal_close(o->journal);
    hr_ledger_close(o->ledger);
}

static owner open_owner(void **state) {
    owner o = {.path = ((temp_dir *)*state)->path, .table = table_of_steps(60, 2, 2, 1)};
    hr_job_file job = {.rounds = 1, .options = options_of("inprivate", HR_MODE_SOUND)};
    hr_bytes bytes = {0};
    ProtobufCMessage *message = NULL;
    o.policy =
        (hr_policy){.coordinators = {coordinators, 2}, .methods = {methods, 1}, .epsilon = 2, .owners = 2};
    job.options.epsilon = 1;
    assert_int_equal(hr_terms_of(&job, "job", o.table.schema, &(hr_names){owners, 2}, &bytes, NULL), HR_OK);
    assert_int_equal(hr_message_unpack(&hedgerow__terms__descriptor, bytes.at, bytes.size, &message, NULL),
                     HR_OK);
    o.terms = (Hedgerow__Terms *)message;
    free(bytes.at);
    assert_int_equal(hr_ledger_create(o.path, 100, 0, NULL), HR_OK);
    open_files(&o);
    return o;
}

static void close_owner(owner *o) {
    close_files(o);
    hr_message_unpacked_free(&o->terms->base);
    table_close(&o->table);
}

static int64_t date_of(const char *day) {
    int64_t second = 0;
    assert_true(hr_date_parse(day, &second));
    return second;
}

/* As a party does it: the job and the decision in one transaction. "" if it is accepted, else the reason. */
static const char *offer(owner *o, const char *coordinator, const char *day) {
    hr_owner_work work = {0};
    hr_journal_job record = {.coordinator = coordinator, .date = date_of(day)};
    hr_decision decision = {0};
    record.id[0] = ++o->jobs;
    hr_owner_work_init(&work);
    work.data = o->table.data;
    work.policy = &o->policy;
    work.ledger = o->ledger;
    const hr_party_offer asked = {&record, o->terms, record.date, NULL};
    assert_int_equal(hr_journal_begin(o->journal, NULL), HR_OK);
    assert_int_equal(hr_journal_add_job(o->journal, &record, NULL), HR_OK);
    assert_int_equal(work.work.decide(&work.work, &asked, &decision, NULL), HR_OK);
    assert_int_equal(hr_journal_commit(o->journal, NULL), HR_OK);
    assert_int_equal(decision.verdict == HR_VERDICT_ACCEPTED, !decision.reason[0]);
    memcpy(o->said, decision.reason, sizeof o->said);
    return o->said;
}

/* The last job ends; with a reservation or without one. */
static void end_job(owner *o, bool reserved) {
    hr_journal_job record = {.id = {o->jobs}};
    assert_int_equal(hr_journal_begin(o->journal, NULL), HR_OK);
    if (reserved) assert_int_equal(hr_journal_reserve(o->journal, &record, 1, 0, "job", NULL), HR_OK);
    assert_int_equal(hr_journal_end_job(o->journal, record.id, NULL), HR_OK);
    assert_int_equal(hr_journal_commit(o->journal, NULL), HR_OK);
}

static void run_sql(owner *o, const char *sql) {
    assert_int_equal(sqlite3_exec(hr_ledger_file(o->ledger), sql, NULL, NULL, NULL), SQLITE_OK);
}

static void test_ledger__of_persons_pays_for_no_job(void **state) {
    owner o = open_owner(state);
    int64_t entry;
    assert_int_equal(hr_ledger_set_unit(o.ledger, "patient", NULL), HR_OK);
    assert_int_equal(hr_ledger_reserve(o.ledger, .1, 0, "fit", &entry, NULL), HR_OK);
    assert_string_equal(offer(&o, "lab", "2026-01-31"), "ledger: it is of another unit than single records");
    close_owner(&o);
}

static void test_epsilon__of_a_month_is_counted_over_restarts(void **state) {
    owner o = open_owner(state);
    o.policy.limits.epsilon[HR_PERIOD_MONTH] = 2.5;
    assert_string_equal(offer(&o, "lab", "2026-01-31"), "");
    assert_string_equal(offer(&o, "lab", "2026-02-01"), "");
    close_files(&o);
    open_files(&o);
    assert_string_equal(offer(&o, "other", "2026-02-27"), "");
    assert_string_equal(offer(&o, "lab", "2026-02-28"),
                        "epsilon-per: the job costs 1, of 2.5 a month 0.5 is left until 2026-03-01");
    assert_string_equal(offer(&o, "lab", "2026-03-01"), "");
    close_owner(&o);
}

/* In units of the ledger, rounded down: three times a tenth leaves one unit of three tenths. */
static void test_epsilon__is_counted_exactly(void **state) {
    owner o = open_owner(state);
    o.policy.limits.epsilon[HR_PERIOD_DAY] = .3;
    o.terms->epsilon = .1;
    for (int i = 0; i < 3; i++) assert_string_equal(offer(&o, "lab", "2024-02-29"), "");
    assert_string_equal(offer(&o, "lab", "2024-02-29"),
                        "epsilon-per: the job costs 0.1, of 0.3 a day 9.09495e-13 is left until 2024-03-01");
    close_owner(&o);
}

static void test_epsilon__of_a_job_that_reserved_nothing_is_free_again(void **state) {
    owner o = open_owner(state);
    o.policy.limits.epsilon[HR_PERIOD_YEAR] = 1;
    assert_string_equal(offer(&o, "lab", "2026-01-01"), "");
    assert_string_not_equal(offer(&o, "lab", "2026-12-31"), "");
    o.jobs = 1;
    end_job(&o, false);
    o.jobs = 2;
    assert_string_equal(offer(&o, "lab", "2026-12-31"), "");
    end_job(&o, true);
    run_sql(&o, "DELETE FROM jobs"); /* the journal forgets old jobs */
    assert_string_equal(offer(&o, "lab", "2026-12-31"),
                        "epsilon-per: the job costs 1, of 1 a year 0 is left until 2027-01-01");
    close_owner(&o);
}

/* The jobs of a period count whatever became of them: an owner's time is spent all the same. */
static void test_jobs__of_a_day_are_counted(void **state) {
    owner o = open_owner(state);
    o.policy.limits.jobs[HR_PERIOD_DAY] = 2;
    for (int i = 0; i < 2; i++) {
        assert_string_equal(offer(&o, "lab", "2026-05-05"), "");
        end_job(&o, false);
    }
    assert_string_equal(offer(&o, "lab", "2026-05-05"), "jobs-per: of 2 a day 0 are left until 2026-05-06");
    assert_string_equal(offer(&o, "lab", "2026-05-06"), "");
    close_owner(&o);
}

static void test_limits__of_a_coordinator_leave_the_others_alone(void **state) {
    owner o = open_owner(state);
    const hr_coordinator_limits each = {"lab", 1, {.epsilon = {1}, .jobs = {0, 2}}};
    o.policy.each = &each;
    o.policy.each_count = 1;
    assert_string_equal(offer(&o, "other", "2026-05-05"), "");
    assert_string_equal(offer(&o, "lab", "2026-05-05"), "");
    assert_string_equal(offer(&o, "lab", "2026-05-05"),
                        "limits.epsilon-per: the job costs 1, of 1 a day 0 is left until 2026-05-06");
    assert_string_equal(offer(&o, "lab", "2026-05-06"), "");
    assert_string_equal(offer(&o, "lab", "2026-05-07"),
                        "limits.jobs-per: of 2 a month 0 are left until 2026-06-01");
    o.terms->epsilon = 1.5;
    assert_string_equal(offer(&o, "lab", "2026-06-07"),
                        "limits.epsilon: the job costs 1.5, the policy allows 1");
    assert_string_equal(offer(&o, "other", "2026-06-07"), "");
    close_owner(&o);
}

/* Files of a version without the table: what their jobs reserved counts. */
static void test_epsilon__of_jobs_of_an_earlier_version_counts(void **state) {
    owner o = open_owner(state);
    o.policy.limits.epsilon[HR_PERIOD_YEAR] = 1;
    assert_string_equal(offer(&o, "lab", "2026-05-05"), "");
    end_job(&o, true);
    assert_int_equal(sqlite3_exec(hr_ledger_file(o.ledger), "DROP TABLE offers", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_string_equal(offer(&o, "lab", "2026-05-06"),
                        "epsilon-per: the job costs 1, of 1 a year 0 is left until 2027-01-01");
    assert_string_equal(offer(&o, "lab", "2027-01-01"), "");
    close_owner(&o);
}

static void test_reasons__name_the_rule_and_its_numbers(void **state) {
    owner o = open_owner(state);
    o.policy.epsilon = .5;
    assert_string_equal(offer(&o, "lab", "2026-05-05"), "epsilon: the job costs 1, the policy allows 0.5");
    o.policy.epsilon = 1;
    o.policy.owners = 3;
    assert_string_equal(offer(&o, "lab", "2026-05-05"), "owners: the job has 2, the policy requires 3");
    o.policy.owners = 2;
    o.policy.methods.count = 0;
    assert_string_equal(offer(&o, "lab", "2026-05-05"), "methods: inprivate is not listed");
    o.policy.methods.count = 1;
    table other = table_of_steps(60, 3, 2, 1);
    char *text = NULL;
    const ProtobufCBinaryData own = o.terms->schema;
    assert_int_equal(hr_schema_render(other.schema, &text, NULL), HR_OK);
    o.terms->schema = hr_text_of(text);
    assert_string_equal(offer(&o, "lab", "2026-05-05"),
                        "schema: number of features: 2 at the owner, 3 in the job");
    o.terms->schema = own;
    hr_text_free(text);
    table_close(&other);
    close_owner(&o);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, temp_dir_open_in_memory, temp_dir_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(test_ledger__of_persons_pays_for_no_job),
        WITH_FOLDER(test_epsilon__of_a_month_is_counted_over_restarts),
        WITH_FOLDER(test_epsilon__is_counted_exactly),
        WITH_FOLDER(test_epsilon__of_a_job_that_reserved_nothing_is_free_again),
        WITH_FOLDER(test_epsilon__of_jobs_of_an_earlier_version_counts),
        WITH_FOLDER(test_jobs__of_a_day_are_counted),
        WITH_FOLDER(test_limits__of_a_coordinator_leave_the_others_alone),
        WITH_FOLDER(test_reasons__name_the_rule_and_its_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
