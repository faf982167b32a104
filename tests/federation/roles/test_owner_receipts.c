/* An owner's ledger that was restored from a backup is found out by the receipts that the coordinator has. */
#include "support/meeting.h"

#include <string.h>

static char said[1 << 14];

static void keep_line(void *user, const hr_log_line *line) {
    (void)user;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", line->text);
}

static bool before_model(void *user) {
    return access(user, F_OK) != 0;
}

/* The n-th job. Until its model is there, if it `stops`. */
static hr_status play(int number, bool stops) {
    const hr_owner_files owners = {(const char *const[]){"north.yaml", "south.yaml"}, MEETING_OWNERS};
    hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    hr_job_result result = {0};
    hr_error err = {0};
    char model[32];
    snprintf(model, sizeof model, "model-%d.json", number);
    settings.threads = 1;
    settings.log_line = keep_line;
    settings.user = model;
    settings.should_continue = stops ? before_model : NULL;
    said[0] = '\0';
    hr_status status = hr_meet("job.yaml", model, &owners, &settings, &result, &err);
    hr_job_result_free(&result);
    return status;
}

static void run_job(int number) {
    if (play(number, false)) fail_msg("job %d: %s", number, said);
}

static void copy_file(const char *from, const char *to) {
    size_t size = 0;
    char *bytes = read_file(from, &size);
    write_file(to, bytes, size);
    free(bytes);
}

static void begin(void) {
    meeting_records();
    meeting_federation(9);
}

static void check_number(const char *sql, const char *number) {
    const char *answer = query_database("north.db", sql);
    if (strcmp(answer, number)) fail_msg("'%s' gives %s, not %s", sql, answer, number);
}

typedef struct tally {
    size_t states[HR_RECEIPT_ENTERED + 1], count;
} tally;

static bool count_state(void *user, const hr_receipt_info *receipt) {
    tally *t = user;
    assert_int_equal(receipt->number, ++t->count);
    assert_string_equal(receipt->owner, "north");
    assert_string_equal(receipt->coordinator, "coordinator");
    assert_non_null(strstr(receipt->purpose, receipt->job));
    assert_true(receipt->epsilon == 1 && receipt->delta == 0);
    t->states[receipt->state]++;
    return true;
}

typedef hr_status receipts_call(const char *ledger, const char *folder, const char *key,
                                hr_receipt_visit *visit, void *user, hr_error *err);

static tally call(receipts_call *receipts) {
    tally t = {0};
    hr_error err = {0};
    if (receipts("north.db", "coordinator.db.receipts/north", "fed/north/north.key", count_state, &t, &err))
        fail_msg("%s", err.message);
    return t;
}

static void test_rolled_back_ledger__is_declined_until_it_is_restored(void **state) {
    (void)state;
    begin();
    run_job(1);
    copy_file("north.db", "copy.db");
    run_job(2);
    run_job(3);
    copy_file("copy.db", "north.db");

    assert_int_equal(play(4, false), HR_E_POLICY);
    if (!strstr(said, "owner north declines: this owner's ledger is an older copy: it lacks the entry of 20"))
        fail_msg("%s", said);
    assert_non_null(strstr(said, "'hedgerow ledger restore LEDGER --receipts FOLDER --key KEY'"));
    assert_null(strstr(said, "cut off"));
    check_number("SELECT count(*) FROM entries", "1");

    tally found = call(hr_receipts_verify);
    assert_true(found.states[HR_RECEIPT_HELD] == 1 && found.states[HR_RECEIPT_MISSING] == 2);
    check_number("SELECT count(*) FROM entries", "1");
    found = call(hr_receipts_restore);
    assert_true(found.states[HR_RECEIPT_HELD] == 1 && found.states[HR_RECEIPT_ENTERED] == 2);
    check_number("SELECT sum(epsilon) FROM spending", "3.0");
    check_number("SELECT count(DISTINCT purpose) FROM spending WHERE state = 'committed'", "3");
    found = call(hr_receipts_restore);
    assert_int_equal(found.states[HR_RECEIPT_HELD], 3);
    check_number("SELECT count(*) FROM entries", "3");

    run_job(5);
    found = call(hr_receipts_verify);
    assert_int_equal(found.states[HR_RECEIPT_HELD], 4);
    check_number("SELECT count(*) FROM entries", "4");
}

/* All that was lost at the coordinator comes again, with the next charge. */
static void test_coordinator__that_lost_its_receipts_gets_them_again(void **state) {
    (void)state;
    begin();
    run_job(1);
    run_job(2);
    run_job(3);
    copy_file("coordinator.db", "kept.db");
    assert_int_equal(rename("coordinator.db.receipts", "lost"), 0);
    run_job(4);
    tally found = call(hr_receipts_verify);
    assert_int_equal(found.states[HR_RECEIPT_HELD], 4);
}

/* An older receipt than the ledger's last is no rollback. */
static void test_ledger__that_is_ahead_of_the_coordinator_takes_part(void **state) {
    (void)state;
    begin();
    run_job(1);
    assert_int_equal(system("cp -r coordinator.db.receipts old"), 0); /* NOLINT: a fixed command */
    run_job(2);
    assert_int_equal(system("rm -r coordinator.db.receipts && mv old coordinator.db.receipts"),
                     0); /* NOLINT */
    run_job(3);
    tally found = call(hr_receipts_verify);
    assert_int_equal(found.states[HR_RECEIPT_HELD], 3);
}

/* Where a job runs in the copy, it is cancelled: it would use the records again without a charge. */
static void test_restore__cancels_the_jobs_of_the_copy(void **state) {
    (void)state;
    begin();
    run_job(1);
    assert_int_equal(play(2, true), HR_E_CANCELLED);
    copy_file("north.db", "copy.db");
    assert_int_equal(play(2, false), HR_E_IO); /* the model is there: the owners learn of it */
    run_job(3);
    call(hr_receipts_restore); /* nothing is missing */
    check_number("SELECT coalesce(sum(cancelled), 0) FROM notes", "0");
    copy_file("copy.db", "north.db");
    check_number("SELECT count(*) FROM jobs WHERE NOT over", "1");
    tally found = call(hr_receipts_restore);
    assert_int_equal(found.states[HR_RECEIPT_ENTERED], 1);
    check_number("SELECT sum(cancelled) FROM notes", "1");
    run_job(4);
    check_number("SELECT count(*) FROM jobs WHERE NOT over", "0");
    check_number("SELECT count(*) FROM entries", "4");
}

/* A coordinator that shows what this owner's key did not sign says nothing of the ledger. */
static void test_receipt__of_another_key_is_no_rollback(void **state) {
    (void)state;
    begin();
    run_job(1);
    assert_int_equal(system("rm coordinator.db.receipts/north/*; cp coordinator.db.receipts/south/* "
                            "coordinator.db.receipts/north"),
                     0); /* NOLINT */
    assert_int_equal(play(2, false), HR_E_POLICY);
    if (!strstr(said, "that this owner's key did not sign")) fail_msg("%s", said);
    assert_null(strstr(said, "older copy"));
    check_number("SELECT count(*) FROM entries", "1");
}

static void test_restore__refuses_what_the_owner_did_not_sign(void **state) {
    static receipts_call *const calls[] = {hr_receipts_verify, hr_receipts_restore};
    (void)state;
    tally t = {0};
    hr_error err = {0};
    begin();
    run_job(1);
    copy_file("north.db", "copy.db");
    run_job(2);
    copy_file("copy.db", "north.db");
    for (size_t i = 0; i < COUNT(calls); i++) {
        assert_int_equal(calls[i]("north.db", "coordinator.db.receipts/north", "fed/south/south.key",
                                  count_state, &t, &err),
                         HR_E_POLICY);
        assert_non_null(strstr(err.message, "was not signed with the key"));
        assert_non_null(strstr(err.file, "coordinator.db.receipts/north/"));
        assert_int_equal(calls[i]("north.db", "fed", "fed/north/north.key", count_state, &t, &err),
                         HR_E_ARGUMENT);
        assert_int_equal(calls[i]("north.db", "nowhere", "fed/north/north.key", count_state, &t, &err),
                         HR_E_IO);
    }
    meeting_write("coordinator.db.receipts/north/0000000009-scribble.receipt", "scribble");
    t = (tally){0};
    assert_int_equal(hr_receipts_restore("north.db", "coordinator.db.receipts/north", "fed/north/north.key",
                                         count_state, &t, &err),
                     HR_E_FORMAT);
    check_file_error(&err, HR_E_FORMAT, "no receipt",
                     "coordinator.db.receipts/north/0000000009-scribble.receipt");
    check_number("SELECT count(*) FROM entries", "1"); /* all, or nothing */
    assert_int_equal(play(3, false), HR_E_FORMAT);     /* the coordinator names the file */
}

/* The owner was killed between the commit of a charge and its count: it is counted before the job goes on. */
static void test_witness__counts_the_last_charge_before_work_goes_on(void **state) {
    (void)state;
    hr_ledger *ledger = NULL;
    size_t size = 0;
    char path[512];
    begin();
    assert_non_null(getcwd(path, sizeof path - sizeof "/witness"));
    strcat(path, "/witness"); /* NOLINT: it fits */
    assert_int_equal(hr_ledger_open("north.db", &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_set_witness(ledger, path, NULL), HR_OK);
    hr_ledger_close(ledger);
    copy_file("witness", "behind");
    run_job(1);
    copy_file("behind", "witness");
    meeting_write("model-2.json", "there: nothing is done");
    (void)play(2, true);
    check_number("SELECT count(*) FROM entries", "1");
    char *text = read_file("witness", &size);
    assert_non_null(strstr(text, "\nentries 1\n"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rolled_back_ledger__is_declined_until_it_is_restored,
                                        meeting_open, meeting_close),
        cmocka_unit_test_setup_teardown(test_coordinator__that_lost_its_receipts_gets_them_again,
                                        meeting_open, meeting_close),
        cmocka_unit_test_setup_teardown(test_ledger__that_is_ahead_of_the_coordinator_takes_part,
                                        meeting_open, meeting_close),
        cmocka_unit_test_setup_teardown(test_restore__cancels_the_jobs_of_the_copy, meeting_open,
                                        meeting_close),
        cmocka_unit_test_setup_teardown(test_receipt__of_another_key_is_no_rollback, meeting_open,
                                        meeting_close),
        cmocka_unit_test_setup_teardown(test_restore__refuses_what_the_owner_did_not_sign, meeting_open,
                                        meeting_close),
        cmocka_unit_test_setup_teardown(test_witness__counts_the_last_charge_before_work_goes_on,
                                        meeting_open, meeting_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
