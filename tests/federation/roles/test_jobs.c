/* Jobs that are listed and cancelled, while their program runs and while it does not; and models that are not
 * written over the files of others. */
#include "federation/party/party_core.h"
#include "support/party_harness.h"

#include "privacy/ledger/journal_list.h"

#include <ctype.h>

typedef struct listing {
    char text[1000], id[HR_JOURNAL_ID_TEXT];
} listing;

static hr_status list_item(void *user, const hr_journal_item *item) {
    listing *l = user;
    size_t used = strlen(l->text);
    memcpy(l->id, item->id, sizeof l->id);
    snprintf(l->text + used, sizeof l->text - used, "%s of %s, epsilon %g, %s: %s, waits for '%s'; ",
             item->name, item->coordinator, item->epsilon, *item->charged ? item->charged : "-", item->state,
             item->awaits);
    return HR_OK;
}

static listing list_jobs(const harness_party *p) {
    listing l = {0};
    hr_error err = {0};
    if (hr_journal_list(p->path, list_item, &l, &err)) fail_msg("%s", err.message);
    return l;
}

static void check_jobs(const harness_party *p, const char *text) {
    listing l = list_jobs(p);
    assert_string_equal(l.text, text);
}

static void test_jobs__are_listed_while_they_run(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    check_jobs(&l.parties[1], "");
    harness_start(&l);
    check_jobs(&l.parties[0], "job of coordinator, epsilon 0.5, -: running, waits for 'the owners'; ");
    while (!l.event_log->trees[1].draws) assert_true(harness_step(&l));
    check_jobs(&l.parties[1],
               "job of coordinator, epsilon 0.5, committed: running, waits for 'the coordinator'; ");
    harness_run_until(&l, harness_is_idle);
    check_jobs(&l.parties[0], "job of coordinator, epsilon 0.5, -: done, waits for ''; ");
    check_jobs(&l.parties[1], "job of coordinator, epsilon 0.5, committed: done, waits for ''; ");
    harness_close(&l);
}

static void cancel(const harness_party *p, const char *id) {
    hr_error err = {0};
    hr_journal_named named;
    if (hr_journal_cancel(p->path, id, &named, &err)) fail_msg("%s", err.message);
}

static void begin(harness *l) {
    harness_open(l, harness_job(2, HR_ORDER_CHAIN, false));
    harness_start(l);
    while (!l->event_log->trees[1].draws) assert_true(harness_step(l));
}

/* In both cases all owners hear of it, and what they had reserved stays spent. */
static void test_cancel__by_the_coordinator_ends_the_job_for_all(void **state) {
    (void)state;
    for (int runs = 0; runs < 2; runs++) {
        harness l;
        begin(&l);
        listing job = list_jobs(&l.parties[0]);
        if (!runs) party_stop(&l.parties[0]);
        cancel(&l.parties[0], job.id);
        if (!runs) party_start(&l.parties[0]);
        l.now += 1000;
        harness_run_until(&l, harness_is_idle);
        assert_int_equal(l.event_log->models, 0);
        for (size_t i = 0; i < PARTIES; i++) check_journal(&l.parties[i]);
        assert_non_null(strstr(l.said, "coordinator: the job ended: cancelled: by the coordinator"));
        assert_non_null(strstr(l.said, "owner-3: the job ended: cancelled: by the coordinator"));
        check_query(&l.parties[1], "SELECT count(*) FROM entries", "1");
        harness_close(&l);
    }
}

/* It is not waited for. */
static void test_cancel__by_an_owner_ends_its_part(void **state) {
    (void)state;
    for (int runs = 0; runs < 2; runs++) {
        harness l;
        begin(&l);
        listing job = list_jobs(&l.parties[3]);
        job.id[6] = '\0';
        if (!runs) party_stop(&l.parties[3]);
        cancel(&l.parties[3], job.id);
        if (!runs) party_start(&l.parties[3]);
        l.now += 1000;
        party_step(&l.parties[3]);
        harness_run_until(&l, harness_is_idle);
        assert_int_equal(l.event_log->models, 1);
        assert_int_equal(trees_in_model(&l), 4);
        for (size_t i = 0; i < PARTIES; i++) check_journal(&l.parties[i]);
        assert_non_null(strstr(l.said, "owner-3: the job ended: cancelled: by the owner"));
        assert_non_null(strstr(l.said, "owner owner-3 declines: cancelled: by the owner"));
        harness_close(&l);
    }
}

/* Its other mail is left alone: a turn that waits for it is not taken. */
static void test_cancel__leaves_at_once_without_working(void **state) {
    (void)state;
    harness l;
    size_t unread = 0;
    bool owes = true;
    harness_open(&l, harness_job(2, HR_ORDER_CHAIN, false));
    harness_start(&l);
    while (strcmp(query_database(l.parties[3].path, "SELECT count(*) FROM events"), "3"))
        assert_true(harness_step(&l));
    party_stop(&l.parties[3]);
    while (harness_step(&l)) {
    }
    listing job = list_jobs(&l.parties[3]);
    cancel(&l.parties[3], job.id);
    party_start(&l.parties[3]);
    for (int i = 0; owes && i < 1000; i++) {
        hr_error err = {0};
        const hr_clock clock = {l.now, l.date};
        if (hr_party_step_leaving(l.parties[3].party, clock, 0, &unread, &err)) fail_msg("%s", err.message);
        assert_int_equal(hr_party_owes(l.parties[3].party, &owes, NULL), HR_OK);
        for (size_t k = 0; k < 3; k++) party_step(&l.parties[k]);
    }
    assert_false(owes);
    assert_true(unread > 0);
    assert_non_null(strstr(l.said, "coordinator: owner owner-3 declines: cancelled: by the owner"));
    assert_int_equal(l.event_log->trees[2].draws, 0);
    check_query(&l.parties[3], "SELECT count(*) FROM entries", "0");
    party_restart(&l.parties[3]);
    harness_run_until(&l, harness_is_idle);
    assert_int_equal(l.event_log->trees[2].draws, 0);
    assert_int_equal(l.event_log->models, 1);
    for (size_t i = 0; i < PARTIES; i++) check_journal(&l.parties[i]);
    harness_close(&l);
}

/* ---- While an owner trains ---- */

enum { TREES = 40, LOOKS = 5 };

static struct {
    harness *harness;
    size_t canceller, looks; /* canceller: a party */
} under_way;

/* Each look of an owner takes it a second; at one of them the job is cancelled, by its coordinator or by the
 * owner. */
static hr_clock look_at_clock(void) {
    harness *l = under_way.harness;
    l->now += 1000;
    if (++under_way.looks == LOOKS) {
        cancel(&l->parties[under_way.canceller], "job");
        if (!under_way.canceller) {
            party_step(&l->parties[0]); /* it tells the owners */
            l->running = 1;
        }
    }
    return (hr_clock){l->now, l->date};
}

/* One owner trains 40 trees. What was charged stays charged, and nothing of them is sent. */
static void test_cancel__ends_the_work_of_an_owner(void **state) {
    (void)state;
    for (size_t canceller = 0; canceller < 2; canceller++) {
        harness l;
        hr_job_file job = harness_job_of_averages();
        job.options.trees = TREES;
        harness_open(&l, job);
        harness_start(&l);
        under_way.harness = &l;
        under_way.canceller = canceller;
        under_way.looks = 0;
        while (!strstr(l.said, "3 of 3 owners take part")) assert_true(harness_step(&l));
        for (size_t i = 2; i < PARTIES; i++) party_stop(&l.parties[i]);
        l.clock = look_at_clock;
        party_restart(&l.parties[1]);
        for (int i = 0; i < 100 && hr_party_jobs(l.parties[1].party); i++) party_step(&l.parties[1]);
        assert_int_equal(hr_party_jobs(l.parties[1].party), 0);
        assert_int_equal(under_way.looks, LOOKS);
        assert_non_null(strstr(l.said, canceller ? "owner-1: the job ended: cancelled: by the owner"
                                                 : "owner-1: the job ended: cancelled: by the coordinator"));
        assert_int_equal(l.event_log->trees[0].draws, 1);
        assert_int_equal(l.event_log->trees[0].sent, 0);
        check_query(&l.parties[1], "SELECT state FROM entries", "reserved");
        check_query(&l.parties[1], "SELECT epsilon FROM spending", "0.5");
        harness_close(&l);
    }
}

/* ---- While an owner trains, and another of its jobs ends ---- */

static char working[HR_JOURNAL_ID_TEXT], waiting[HR_JOURNAL_ID_TEXT];

static void name_live_job(const hr_live_job *job, char text[HR_JOURNAL_ID_TEXT]) {
    for (size_t i = 0; i < HR_JOURNAL_ID; i++) snprintf(text + 2 * i, 3, "%02x", job->record.id[i]);
}

static void cancel_by_coordinator(const char *id) {
    harness *l = under_way.harness;
    cancel(&l->parties[0], id);
    party_step(&l->parties[0]); /* it tells the owners */
    l->running = 1;
}

/* First the job that waits for its turn is cancelled, then the one that the owner works for. */
static hr_clock look_at_two_jobs(void) {
    harness *l = under_way.harness;
    l->now += 1000;
    under_way.looks++;
    if (under_way.looks == LOOKS - 3) cancel_by_coordinator(waiting);
    if (under_way.looks == LOOKS) cancel_by_coordinator(working);
    return (hr_clock){l->now, l->date};
}

static void submit_another(harness *l) {
    const hr_party *coordinator = l->parties[0].party;
    const hr_live_job *first = coordinator->jobs[0];
    const hr_new_job job = {.terms = {first->terms.at, first->terms.size}, .date = l->date};
    assert_int_equal(hr_party_submit(l->parties[0].party, &job, NULL), HR_OK);
}

/* An owner that works takes in mail also after another of its jobs has ended. */
static void test_cancel__ends_the_work_of_an_owner_after_the_end_of_another_job(void **state) {
    (void)state;
    harness l;
    hr_job_file job = harness_job_of_averages();
    job.options.trees = TREES;
    harness_open(&l, job);
    harness_start(&l);
    submit_another(&l);
    under_way.harness = &l;
    under_way.looks = 0;
    while (!strstr(l.said, "3 of 3 owners take part")) assert_true(harness_step(&l));
    for (size_t i = 2; i < PARTIES; i++) party_stop(&l.parties[i]);
    l.clock = look_at_two_jobs;
    party_restart(&l.parties[1]);
    hr_live_job *const *jobs = l.parties[1].party->jobs;
    assert_int_equal(hr_party_jobs(l.parties[1].party), 2);
    assert_true(jobs[0]->work.kind && jobs[1]->work.kind);
    name_live_job(jobs[0], working);
    name_live_job(jobs[1], waiting);
    for (int i = 0; i < 100 && hr_party_jobs(l.parties[1].party); i++) party_step(&l.parties[1]);
    assert_int_equal(hr_party_jobs(l.parties[1].party), 0);
    assert_int_equal(under_way.looks, LOOKS);
    check_query(&l.parties[1], "SELECT count(*) FROM entries", "1");
    harness_close(&l);
}

static void change_database(const char *path, const char *sql) {
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* ---- While an owner trains, and its journal is damaged ---- */

/* The journal takes no more messages, of which one is on its way. */
static hr_clock look_at_damaged_journal(void) {
    harness *l = under_way.harness;
    char sql[200];
    l->now += 1000;
    if (++under_way.looks == LOOKS) {
        snprintf(sql, sizeof sql,
                 "CREATE TRIGGER damage BEFORE INSERT ON events WHEN new.kind = %d"
                 " BEGIN SELECT raise(ABORT, 'damage'); END",
                 HR_EVENT_MESSAGE);
        change_database(l->parties[1].path, sql);
        cancel_by_coordinator(list_jobs(&l->parties[0]).id);
    }
    return (hr_clock){l->now, l->date};
}

/* What it has taken in is not in the journal: it ends, as if it had died, and does not go on without. */
static void test_work__ends_with_the_party_when_mail_cannot_be_noted(void **state) {
    (void)state;
    harness l;
    hr_job_file job = harness_job_of_averages();
    job.options.trees = TREES;
    harness_open(&l, job);
    harness_start(&l);
    under_way.harness = &l;
    under_way.looks = 0;
    while (!strstr(l.said, "3 of 3 owners take part")) assert_true(harness_step(&l));
    for (size_t i = 2; i < PARTIES; i++) party_stop(&l.parties[i]);
    l.clock = look_at_damaged_journal;
    party_restart(&l.parties[1]);
    bool busy;
    hr_status status = HR_OK;
    for (int i = 0; i < 10 && !status && !under_way.looks; i++)
        status = hr_party_step(l.parties[1].party, (hr_clock){l.now, l.date}, 0, &busy, NULL);
    assert_int_equal(under_way.looks, LOOKS);
    assert_int_equal(status, HR_E_FORMAT);
    assert_null(strstr(l.said, "no answer is given"));
    harness_close(&l);
}

static void check_found(const harness_party *p, const char *text, const char *id) {
    hr_error err = {0};
    hr_journal_named named;
    if (hr_journal_find(p->path, text, &named, &err)) fail_msg("%s", err.message);
    assert_string_equal(named.id, id);
}

static void check_not_found(const harness_party *p, const char *text, const char *why) {
    hr_error err = {0};
    hr_journal_named named;
    assert_int_equal(hr_journal_find(p->path, text, &named, &err), HR_E_ARGUMENT);
    if (!strstr(err.message, why)) fail_msg("'%s' has no '%s'", err.message, why);
}

static void test_job__is_named_by_its_name_or_the_beginning_of_its_id(void **state) {
    (void)state;
    harness l;
    char upper[HR_JOURNAL_ID_TEXT], two[200];
    hr_error err = {0};
    hr_journal_named named;
    const harness_party *p = &l.parties[0];
    begin(&l);
    listing job = list_jobs(p);
    for (size_t i = 0; i < sizeof upper; i++) upper[i] = (char)toupper((unsigned char)job.id[i]);
    check_found(p, "job", job.id);
    check_found(p, upper, job.id);
    check_not_found(p, "xyz", "no open job has the name 'xyz', or an id that begins so");
    check_not_found(p, "", "no open job");
    check_not_found(p, "JOB", "no open job");
    change_database(p->path, "INSERT INTO jobs (id, time, coordinator, terms, key)"
                             " SELECT x'00112233445566778899aabbccddeeff', time, coordinator, terms, key"
                             " FROM jobs;"
                             "INSERT INTO notes (job, name) VALUES (x'00112233445566778899aabbccddeeff',"
                             " 'job');");
    snprintf(two, sizeof two, "several open jobs are 'job': %.8s (job), 00112233 (job)", job.id);
    check_not_found(p, "job", two);
    check_found(p, "0011", "00112233445566778899aabbccddeeff");
    change_database(p->path, "DELETE FROM jobs WHERE id = x'00112233445566778899aabbccddeeff'");
    harness_run_until(&l, harness_is_idle);
    assert_int_equal(hr_journal_cancel(p->path, job.id, &named, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, " is over"));
    assert_int_equal(l.event_log->models, 1);
    harness_close(&l);
}

/* ---- What became of the owners ---- */

static void note_report(void *user, const hr_owner_report *report) {
    harness_party *p = user;
    size_t used = strlen(p->harness->said);
    snprintf(p->harness->said + used, sizeof p->harness->said - used,
             "%s: part %d, %zu trees, %zu skipped, '%s'\n", report->name, (int)report->part, report->trees,
             report->skipped, report->reason);
}

/* The first has spent its budget elsewhere, and the last is not there. */
static void test_report__says_what_became_of_each_owner(void **state) {
    (void)state;
    harness l;
    hr_ledger *ledger = NULL;
    int64_t entry;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    l.deadline = 5000;
    assert_int_equal(hr_ledger_open(l.parties[1].path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_reserve(ledger, LIMIT, 0, "elsewhere", &entry, NULL), HR_OK);
    hr_ledger_close(ledger);
    harness_start(&l);
    party_stop(&l.parties[3]);
    l.parties[0].as.coordinator.report_owner = note_report;
    for (int i = 0; i < 20000 && hr_party_jobs(l.parties[0].party); i++) {
        harness_step(&l);
        l.now += 10;
    }
    assert_int_equal(trees_in_model(&l), 1);
    assert_int_equal(l.parties[0].as.coordinator.ending, HR_JOB_DONE);
    assert_non_null(strstr(l.said, "owner-1: part 1, 0 trees, 0 skipped, 'ledger: the job costs epsilon"));
    assert_non_null(strstr(l.said, "owner-2: part 0, 1 trees, 0 skipped, ''\n"));
    assert_non_null(strstr(l.said, "owner-3: part 2, 0 trees, 0 skipped, ''\n"));
    harness_close(&l);
}

static void run_to_the_end(harness *l) {
    for (int i = 0; i < 20000 && hr_party_jobs(l->parties[0].party); i++) {
        harness_step(l);
        l->now += 10;
    }
}

/* It is not called one that took part. */
static void test_report__tells_an_acceptance_that_came_too_late(void **state) {
    (void)state;
    harness l;
    harness_open(&l, harness_job(2, HR_ORDER_CHAIN, false));
    l.deadline = 5000;
    harness_start(&l);
    party_stop(&l.parties[3]);
    l.parties[0].as.coordinator.report_owner = note_report;
    while (!strstr(l.said, "2 of 3 owners take part")) {
        harness_step(&l);
        l.now += 10;
    }
    party_start(&l.parties[3]);
    run_to_the_end(&l);
    assert_non_null(strstr(l.said, "owner-2: part 0, 2 trees, 0 skipped, ''\n"));
    assert_non_null(
        strstr(l.said, "owner-3: part 4, 0 trees, 0 skipped, 'its answer came after the job started'\n"));
    harness_close(&l);
}

/* One owner has accepted, one has spent its budget elsewhere, and one is not there. */
static void test_report__of_a_job_that_did_not_start(void **state) {
    (void)state;
    harness l;
    hr_ledger *ledger = NULL;
    int64_t entry;
    harness_open(&l, harness_job(1, HR_ORDER_CHAIN, false));
    assert_int_equal(hr_ledger_open(l.parties[1].path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_reserve(ledger, LIMIT, 0, "elsewhere", &entry, NULL), HR_OK);
    hr_ledger_close(ledger);
    harness_start(&l);
    party_stop(&l.parties[3]);
    l.parties[0].as.coordinator.report_owner = note_report;
    while (harness_step(&l)) {
    }
    cancel(&l.parties[0], "job");
    l.now += 1000;
    run_to_the_end(&l);
    assert_non_null(strstr(l.said, "owner-1: part 1, 0 trees, 0 skipped, 'ledger: the job costs epsilon"));
    assert_non_null(strstr(l.said, "owner-2: part 4, 0 trees, 0 skipped, 'the job has not started'\n"));
    assert_non_null(strstr(l.said, "owner-3: part 2, 0 trees, 0 skipped, ''\n"));
    harness_close(&l);
}

/* ---- The file of the model ---- */

static void test_model__is_not_written_over_a_file_of_others(void **state) {
    (void)state;
    harness l;
    size_t size;
    begin(&l);
    write_file(l.model, "of others", 9);
    harness_run_until(&l, harness_is_idle);
    char *text = read_file(l.model, &size);
    assert_string_equal(text, "of others");
    free(text);
    const char *rescue = l.parties[0].as.coordinator.rescue;
    assert_int_equal(strncmp(rescue, l.model, strlen(l.model)), 0);
    text = read_file(rescue, &size);
    assert_non_null(strstr(text, "hedgerow"));
    free(text);
    harness_close(&l);
}

static harness_party *finisher;

/* Finishes the job, appends bytes to its model, the first of them NUL, and finishes it again. */
static hr_status finish_beside_longer_file(hr_party_work *self, const hr_job_view *job, hr_error *err) {
    size_t size;
    hr_status status = finisher->real.finish(self, job, err);
    char *text = read_file(finisher->harness->model, &size);
    char *longer = calloc(size + 4, 1);
    assert_non_null(longer);
    memcpy(longer, text, size);
    memcpy(longer + size + 1, "end", 3);
    write_file(finisher->harness->model, longer, size + 4);
    free(text);
    free(longer);
    return status ? status : finisher->real.finish(self, job, err);
}

static void test_model__is_not_written_over_a_file_that_begins_with_it(void **state) {
    (void)state;
    harness l;
    size_t size;
    begin(&l);
    finisher = &l.parties[0];
    finisher->as.work.finish = finish_beside_longer_file;
    harness_run_until(&l, harness_is_idle);
    free(read_file(l.model, &size));
    assert_int_equal(strncmp(finisher->as.coordinator.rescue, l.model, strlen(l.model)), 0);
    size_t own;
    free(read_file(finisher->as.coordinator.rescue, &own));
    assert_int_equal(own + 4, size);
    harness_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs__are_listed_while_they_run),
        cmocka_unit_test(test_cancel__by_the_coordinator_ends_the_job_for_all),
        cmocka_unit_test(test_cancel__by_an_owner_ends_its_part),
        cmocka_unit_test(test_cancel__leaves_at_once_without_working),
        cmocka_unit_test(test_cancel__ends_the_work_of_an_owner),
        cmocka_unit_test(test_cancel__ends_the_work_of_an_owner_after_the_end_of_another_job),
        cmocka_unit_test(test_work__ends_with_the_party_when_mail_cannot_be_noted),
        cmocka_unit_test(test_job__is_named_by_its_name_or_the_beginning_of_its_id),
        cmocka_unit_test(test_report__says_what_became_of_each_owner),
        cmocka_unit_test(test_report__tells_an_acceptance_that_came_too_late),
        cmocka_unit_test(test_report__of_a_job_that_did_not_start),
        cmocka_unit_test(test_model__is_not_written_over_a_file_of_others),
        cmocka_unit_test(test_model__is_not_written_over_a_file_that_begins_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
