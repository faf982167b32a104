/* A coordinator with its own files that comes back after its job. */
#include "support/meeting.h"

#include <hedgerow/federation.h>

#include <string.h>

static bool before_model(void *user) {
    (void)user;
    return access("model.json", F_OK) != 0;
}

static hr_status meet(const char *model, bool (*should_continue)(void *user), hr_error *err) {
    const hr_owner_files owners = {(const char *const[]){"north.yaml", "south.yaml"}, MEETING_OWNERS};
    hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    hr_job_result result = {0};
    settings.threads = 1;
    settings.should_continue = should_continue;
    hr_status status = hr_meet("job.yaml", model, &owners, &settings, &result, err);
    hr_job_result_free(&result);
    return status;
}

static void check_open_jobs(const char *journal, const char *count) {
    assert_string_equal(query_database(journal, "SELECT count(*) FROM jobs WHERE NOT over"), count);
}

/* A coordinator that was stopped after it wrote the model still tells its owners that the job is over. */
static void test_coordinator__stopped_after_the_model__sends_what_is_left(void **state) {
    (void)state;
    hr_error err = {0};
    meeting_records();
    meeting_federation(1);
    assert_int_equal(meet("model.json", before_model, &err), HR_E_CANCELLED);
    check_open_jobs("coordinator.db", "0");
    check_open_jobs("north.db", "1");
    check_open_jobs("south.db", "1");

    assert_int_equal(meet("model.json", NULL, &err), HR_E_IO);
    check_file_error(&err, HR_E_IO, "the model exists already", "model.json");
    check_open_jobs("north.db", "0");
    check_open_jobs("south.db", "0");
    assert_string_equal(query_database("north.db", "SELECT count(*) FROM entries"), "1");
}

/* A build without zlib finds that out before an owner pays. */
static void test_coordinator__that_could_not_compress_the_model__asks_nobody(void **state) {
    (void)state;
    hr_error err = {0};
    meeting_records();
    meeting_federation(1);
    const hr_status named = hr_model_check_name("model.json.gz", NULL);
    assert_int_equal(meet("model.json.gz", NULL, &err), named);
    assert_true(!named == !access("model.json.gz", F_OK));
    if (!named) return;
    check_file_error(&err, HR_E_ABSENT, "cannot write gzip files", "model.json.gz");
    assert_string_equal(query_database("north.db", "SELECT count(*) FROM entries"), "0");
}

/* ---- Federation files of different versions ---- */

static char said[4096];

static void keep_line(void *user, const hr_log_line *line) {
    (void)user;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", line->text);
}

static void change_version(const char *path, const char *to) {
    size_t size = 0;
    char *text = read_file(path, &size), *at = strstr(text, "version: 1\n");
    assert_non_null(at);
    memcpy(at, to, strlen(to));
    meeting_write(path, text);
    free(text);
}

/* Whichever of the two is behind, the owner says so; north's policy wants two owners, so that it ends its
 * part as well. Nothing waits for the deadline of 600 seconds, and nothing is spent. */
static void check_other_version(const char *member, const char *reason) {
    const hr_owner_files owners = {(const char *const[]){"north.yaml", "south.yaml"}, MEETING_OWNERS};
    hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    hr_job_result result = {0};
    hr_error err = {0};
    char path[64];
    meeting_records();
    meeting_federation(1);
    snprintf(path, sizeof path, "fed/%s/federation.yaml", member);
    change_version(path, "version: 2\n");
    said[0] = '\0';
    settings.threads = 1;
    settings.log_line = keep_line;
    assert_int_equal(hr_meet("job.yaml", "model.json", &owners, &settings, &result, &err), HR_E_POLICY);
    if (!strstr(said, reason)) fail_msg("%s", said);
    assert_null(strstr(said, "violat"));
    assert_null(strstr(said, "cut off"));
    for (size_t i = 0; i < MEETING_OWNERS; i++) {
        snprintf(path, sizeof path, "%s.db", meeting_owners[i]);
        check_open_jobs(path, "0");
        assert_string_equal(query_database(path, "SELECT count(*) FROM entries"), "0");
    }
}

static void test_owner__with_a_newer_federation_file_declines(void **state) {
    (void)state;
    check_other_version("south", "owner south declines: the coordinator's federation file is version 1, this "
                                 "owner's version 2: the coordinator needs the current federation.yaml\n");
    assert_non_null(strstr(said, "owner north declines: fewer owners take part than the policy requires\n"));
}

static void test_owners__with_an_older_federation_file_decline(void **state) {
    (void)state;
    check_other_version("coordinator",
                        "owner south declines: this owner's federation file is version 1, the "
                        "coordinator's version 2: this owner needs the current federation.yaml\n");
    assert_non_null(strstr(said, "owner north declines: this owner's federation file is version 1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_coordinator__stopped_after_the_model__sends_what_is_left,
                                        meeting_open, meeting_close),
        cmocka_unit_test_setup_teardown(test_coordinator__that_could_not_compress_the_model__asks_nobody,
                                        meeting_open, meeting_close),
        cmocka_unit_test_setup_teardown(test_owner__with_a_newer_federation_file_declines, meeting_open,
                                        meeting_close),
        cmocka_unit_test_setup_teardown(test_owners__with_an_older_federation_file_decline, meeting_open,
                                        meeting_close)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
