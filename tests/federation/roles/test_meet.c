/* A coordinator with its own files that comes back after its job. */
#include "federation/roles/serve.h"
#include "support/meeting.h"

#include <hedgerow/jobs.h>
#include <hedgerow/owner.h>

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

/* ---- Records in memory ---- */

static hr_schema *schema;
static hr_data *records;

/* Those of north, whose owner file names no table. */
static void read_records_of_north(void) {
    hr_error err = {0};
    size_t size = 0;
    meeting_records();
    meeting_federation(1);
    char *text = read_file("north.yaml", &size), *at = strstr(text, "data: north.csv\n");
    assert_non_null(at);
    memset(at, '#', strlen("data: north.csv"));
    meeting_write("north.yaml", text);
    free(text);
    assert_int_equal(hr_schema_read("schema.yaml", &schema, &err), HR_OK);
    assert_int_equal(hr_data_read(schema, "north.csv", NULL, &records, &err), HR_OK);
}

static void free_records(void) {
    hr_data_free(records);
    hr_schema_free(schema);
}

static hr_status open_north(const hr_data *data, const hr_data *test, hr_error *err) {
    static const hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    hr_loopback *loopback = NULL;
    hr_owner_service *service = NULL;
    assert_int_equal(hr_loopback_new(&loopback, err), HR_OK);
    const hr_owner_opening opening = {
        .file = "north.yaml", .records = {data, test}, .settings = &settings, .loopback = loopback};
    hr_status status = hr_owner_service_open(&opening, &service, err);
    hr_owner_service_close(service);
    hr_loopback_free(loopback);
    return status;
}

static void test_owner__without_a_table__needs_records_in_memory(void **state) {
    (void)state;
    hr_error err = {0};
    read_records_of_north();
    assert_int_equal(open_north(NULL, NULL, &err), HR_E_FORMAT);
    check_file_error(&err, HR_E_FORMAT, "the key 'data' is missing", "north.yaml");
    err = (hr_error){0};
    assert_int_equal(open_north(NULL, records, &err), HR_E_FORMAT);
    err = (hr_error){0};
    assert_int_equal(open_north(records, records, &err), HR_OK);
    free_records();
}

static hr_schema *other_schema(void) {
    size_t size = 0;
    hr_error err = {0};
    hr_schema *other = NULL;
    char *text = read_file("schema.yaml", &size), *at = strstr(text, "high: 105");
    assert_non_null(at);
    memcpy(at, "high: 106", strlen("high: 106"));
    assert_int_equal(hr_schema_parse(text, size, "other", &other, &err), HR_OK);
    free(text);
    return other;
}

static void test_owner__refuses_records_of_another_schema(void **state) {
    (void)state;
    hr_error err = {0};
    hr_data *of_other = NULL;
    read_records_of_north();
    hr_schema *other = other_schema();
    assert_int_equal(hr_data_read(other, "north.csv", NULL, &of_other, &err), HR_OK);
    const hr_data *const given[][2] = {{of_other, NULL}, {records, of_other}};
    for (size_t i = 0; i < 2; i++) {
        err = (hr_error){0};
        assert_int_equal(open_north(given[i][0], given[i][1], &err), HR_E_SCHEMA);
        check_file_error(&err, HR_E_SCHEMA,
                         i ? "the test records follow another schema" : "the records follow", "schema.yaml");
        assert_non_null(strstr(err.message, "105"));
    }
    hr_data_free(of_other);
    hr_schema_free(other);
    free_records();
}

static void test_owner__refuses_records_that_are_there_twice(void **state) {
    (void)state;
    hr_error err = {0};
    hr_data *twice = NULL;
    char *bytes;
    size_t size = 0;
    read_records_of_north();
    char *text = read_file("north.csv", &size);
    const char *rows = strchr(text, '\n') + 1;
    bytes = malloc(2 * size + 1);
    assert_non_null(bytes);
    const int both = snprintf(bytes, 2 * size + 1, "%s%s", text, rows);
    assert_int_equal(hr_data_parse(schema, bytes, (size_t)both, NULL, &twice, &err), HR_OK);
    assert_int_equal(open_north(records, twice, &err), HR_E_ARGUMENT);
    assert_int_equal(open_north(twice, NULL, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "the table holds all of its records 2 times"));
    free(bytes);
    free(text);
    hr_data_free(twice);
    free_records();
}

static void test_owner__refuses_records_without_labels(void **state) {
    (void)state;
    hr_error err = {0};
    hr_data *unlabelled = NULL;
    double cells[2] = {0};
    const double *columns[64];
    read_records_of_north();
    for (size_t i = 0; i < 64; i++) columns[i] = cells;
    assert_int_equal(hr_data_from_arrays(schema, 2, columns, NULL, &unlabelled, &err), HR_OK);
    assert_int_equal(open_north(unlabelled, NULL, &err), HR_E_SCHEMA);
    assert_string_equal(err.message, "the records have no labels");
    hr_data_free(unlabelled);
    free_records();
}

static void keep_names(void *user, const hr_owner_info *info) {
    snprintf(user, 200, "%s %s %s %s %s", info->name, info->data ? info->data : "-", info->schema,
             info->ledger, info->test ? info->test : "-");
}

static void test_owner__refuses_a_table_without_records(void **state) {
    (void)state;
    hr_error err = {0};
    hr_data *none = NULL;
    size_t size = 0;
    read_records_of_north();
    char *text = read_file("north.csv", &size);
    assert_int_equal(hr_data_parse(schema, text, (size_t)(strchr(text, '\n') + 1 - text), NULL, &none, &err),
                     HR_OK);
    const hr_data *const given[][2] = {{none, NULL}, {records, none}};
    for (size_t i = 0; i < 2; i++) {
        err = (hr_error){0};
        assert_int_equal(open_north(given[i][0], given[i][1], &err), HR_E_SCHEMA);
        check_file_error(&err, HR_E_SCHEMA, "the data have no rows", "north.yaml");
    }
    free(text);
    hr_data_free(none);
    free_records();
}

static void test_owner_file__is_read_without_its_table(void **state) {
    (void)state;
    char names[200] = "";
    hr_error err = {0};
    read_records_of_north();
    assert_int_equal(hr_owner_read("north.yaml", keep_names, names, &err), HR_OK);
    assert_string_equal(names, "north - schema.yaml north.db -");
    assert_int_equal(hr_owner_read("south.yaml", keep_names, names, &err), HR_OK);
    assert_string_equal(names, "south south.csv schema.yaml south.db -");
    assert_int_equal(hr_owner_read("job.yaml", keep_names, names, &err), HR_E_FORMAT);
    free_records();
}

/* ---- The place of a result ---- */

static void test_coordinator__that_cannot_write_the_model__asks_nobody(void **state) {
    (void)state;
    static const char *const places[][2] = {{"nowhere/m.json", "cannot be written: No such file"},
                                            {"north.csv/m.json", "cannot be written: Not a directory"},
                                            {".", "cannot be written: Is a directory"}};
    hr_error err = {0};
    meeting_records();
    meeting_federation(1);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        err = (hr_error){0};
        assert_int_equal(meet(places[i][0], NULL, &err), HR_E_IO);
        check_file_error(&err, HR_E_IO, places[i][1], places[i][0]);
    }
    assert_int_equal(access("coordinator.db", F_OK), -1);
    assert_int_equal(meet("model.json", NULL, &err), HR_OK);
}

/* ---- Progress ---- */

static size_t times_shown;

static void check_progress(void *user, const hr_job_progress *job) {
    (void)user;
    times_shown++;
    assert_int_equal(strlen(job->id), 32);
    assert_string_equal(job->name, "job");
    assert_string_equal(job->coordinator, "coordinator");
    assert_string_equal(job->state, "running");
    assert_true(job->epsilon == 1 && !job->cancelled);
    assert_true(job->round <= job->rounds && job->owner_count <= MEETING_OWNERS);
    for (size_t i = 0; i < job->owner_count; i++) assert_string_equal(job->owners[i].name, meeting_owners[i]);
}

static void test_coordinator__shows_how_far_a_job_is(void **state) {
    (void)state;
    const hr_owner_files owners = {(const char *const[]){"north.yaml", "south.yaml"}, MEETING_OWNERS};
    hr_party_settings settings = HR_PARTY_SETTINGS_INIT;
    hr_job_result result = {0};
    hr_error err = {0};
    meeting_records();
    meeting_federation(1);
    times_shown = 0;
    settings.threads = 1;
    settings.progress = check_progress;
    assert_int_equal(hr_meet("job.yaml", "model.json", &owners, &settings, &result, &err), HR_OK);
    assert_true(times_shown > 0);
    hr_job_result_free(&result);
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
                                        meeting_close),
        cmocka_unit_test_setup_teardown(test_owner__without_a_table__needs_records_in_memory, meeting_open,
                                        meeting_close),
        cmocka_unit_test_setup_teardown(test_owner__refuses_records_of_another_schema, meeting_open,
                                        meeting_close),
        cmocka_unit_test_setup_teardown(test_owner__refuses_records_that_are_there_twice, meeting_open,
                                        meeting_close),
        cmocka_unit_test_setup_teardown(test_owner__refuses_records_without_labels, meeting_open,
                                        meeting_close),
        cmocka_unit_test_setup_teardown(test_owner__refuses_a_table_without_records, meeting_open,
                                        meeting_close),
        cmocka_unit_test_setup_teardown(test_owner_file__is_read_without_its_table, meeting_open,
                                        meeting_close),
        cmocka_unit_test_setup_teardown(test_coordinator__that_cannot_write_the_model__asks_nobody,
                                        meeting_open, meeting_close),
        cmocka_unit_test_setup_teardown(test_coordinator__shows_how_far_a_job_is, meeting_open,
                                        meeting_close)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
