/* A coordinator that serves a folder: what is queued, begun, cancelled and ended, and a process that dies
 * between any two of its steps. Owners that never come leave jobs open. */
#include "base/text/text.h"
#include "federation/folder/job_folder.h"
#include "federation/roles/coordinate_folder.h"
#include "federation/roles/serve.h"
#include "privacy/ledger/journal_list.h"
#include "support/temp_dir.h"

#include <fcntl.h>
#include <hedgerow/generate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { NAMES_TEXT = 400 };

#define COORDINATOR(name, at_once)                                                                           \
    "hedgerow-coordinator: 1\nname: " name "\nfederation: ../fed/coordinator/federation.yaml\n"              \
    "key: ../fed/coordinator/coordinator.key\nat-once: " at_once "\n"
static const char coordinator_file[] = COORDINATOR("coordinator", "2");
static const char job_file[] = "hedgerow-job: 1\nschema: schema.yaml\nmethod: inprivate\nepsilon: 0.5\n"
                               "owners: [north, south]\n";
static const char owner_file[] =
    "hedgerow-owner: 1\nname: %s\nfederation: fed/%s/federation.yaml\nkey: fed/%s/%s.key\n"
    "data: %s.csv\nschema: schema.yaml\nledger: %s.db\n"
    "policy: {coordinators: [coordinator], methods: [inprivate], epsilon: 1, owners: 2}\n";
static const char *const owner_names[] = {"north", "south"};
enum { OWNERS = 2 };

static hr_party_settings settings;
static hr_loopback *loopback;
static hr_folder_service *service; /* NULL: none runs */
static int64_t now, tick; /* milliseconds, of the coordinator's clock, and from one step to the next */

static void write_text(const char *path, const char *text) {
    write_file(path, text, strlen(text));
}

static void write_schema(void) {
    hr_generate_options options;
    hr_error err = {0};
    char *schema = NULL;
    hr_generate_options_init(&options, HR_GENERATE_HOSPITAL);
    options.rows = 60;
    assert_int_equal(hr_generate_schema(&options, &schema, &err), HR_OK);
    write_text("schema.yaml", schema);
    hr_text_free(schema);
}

static int folder_open(void **state) {
    const hr_new_member members[] = {{.name = "coordinator"}, {.name = "north"}, {.name = "south"}};
    const hr_federation_options options = {sizeof options, "demo", "tls://localhost:4222", members, 3};
    hr_error err = {0};
    if (temp_dir_open(state) || chdir(((temp_dir *)*state)->folder)) return -1;
    if (hr_federation_init("fed", &options, &err) || mkdir("desk", 0700)) return -1;
    write_schema();
    write_text("desk/coordinator.yaml", coordinator_file);
    write_text("job.yaml", job_file);
    settings = (hr_party_settings)HR_PARTY_SETTINGS_INIT;
    settings.threads = 1;
    now = 0;
    tick = 1000; /* so that each step looks for jobs that were cancelled */
    return hr_loopback_new(&loopback, &err);
}

static void stop(void) {
    hr_folder_service_close(service);
    service = NULL;
}

static int folder_close(void **state) {
    stop();
    hr_loopback_free(loopback);
    return chdir("/") ? -1 : temp_dir_close(state);
}

static void must(hr_status status, const hr_error *err) {
    char text[600];
    hr_error_format(err, text, sizeof text);
    if (status) fail_msg("%s", text);
}

static void submit(const char *name) {
    hr_submitted submitted;
    hr_error err = {0};
    must(hr_job_submit("desk", "job.yaml", name, &submitted, &err), &err);
    assert_string_equal(submitted.name, name);
    assert_int_equal(strlen(submitted.id), 32);
}

/* Until nothing is left to be done without another member. */
static void go_on(void) {
    hr_error err = {0};
    bool busy = true;
    for (int i = 0; i < 3 || busy; i++) {
        must(hr_folder_service_look(service, &err), &err);
        const hr_clock clock = {now += tick, hr_endpoint_clock().date};
        must(hr_party_step(hr_folder_service_party(service), clock, 0, &busy, &err), &err);
    }
}

static void start(void) {
    hr_error err = {0};
    must(hr_folder_service_open("desk", &settings, loopback, &service, &err), &err);
    go_on();
}

static bool add_state(void *user, const hr_job_info *job) {
    char *text = user;
    const size_t used = strlen(text);
    snprintf(text + used, NAMES_TEXT - used, "%s%s: %s", used ? "; " : "", job->name, job->state);
    return true;
}

static void check_jobs(const char *expected) {
    char text[NAMES_TEXT] = "";
    hr_error err = {0};
    must(hr_jobs_each("desk", add_state, text, &err), &err);
    assert_string_equal(text, expected);
}

/* As `hedgerow status` shows them. */
typedef struct looked_at {
    uint64_t open, queued;
    char jobs[NAMES_TEXT];
} looked_at;

static bool note_party(void *user, const hr_party_info *party) {
    looked_at *found = user;
    found->open = party->open;
    found->queued = party->queued;
    return true;
}

static bool note_progress(void *user, const hr_job_progress *job) {
    const hr_job_info info = {.name = job->name, .state = job->state};
    assert_string_equal(job->coordinator, "coordinator");
    assert_true(job->epsilon == .5 && strlen(job->id) == 32 && *job->since);
    return add_state(((looked_at *)user)->jobs, &info);
}

static void check_status(uint64_t open, uint64_t queued, const char *jobs) {
    looked_at found = {0};
    const hr_party_viewer viewer = {note_party, note_progress, &found};
    hr_error err = {0};
    must(hr_party_look("desk", &viewer, &err), &err);
    assert_string_equal(found.jobs, jobs);
    assert_int_equal(found.open, open);
    assert_int_equal(found.queued, queued);
}

static void check_offered(const char *count) {
    assert_string_equal(query_database("desk/journal.db", "SELECT count(*) FROM jobs"), count);
}

static void mark_cancelled(const char *name) {
    hr_folder_job job;
    hr_journal_named named;
    char id[HR_JOB_ID_TEXT];
    hr_error err = {0};
    assert_true(hr_folder_look("desk", name, &job));
    hr_text_hex(job.id, HR_JOURNAL_ID, id);
    must(hr_journal_cancel("desk/journal.db", id, &named, &err), &err);
}

/* How many jobs the coordinator looks at. */
static void check_open(const char *expected) {
    hr_folder_job *jobs;
    size_t count;
    char text[NAMES_TEXT] = "";
    hr_error err = {0};
    must(hr_folder_open_jobs("desk", &jobs, &count, &err), &err);
    for (size_t i = 0; i < count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, jobs[i].name);
    }
    free(jobs);
    assert_string_equal(text, expected);
}

/* ---- Submitting ---- */

static void refuse(const char *file, const char *name, hr_status status, const char *words) {
    hr_submitted submitted;
    hr_error err = {0};
    assert_int_equal(hr_job_submit("desk", file, name, &submitted, &err), status);
    if (!strstr(err.message, words)) fail_msg("'%s' does not say '%s'", err.message, words);
    assert_true(*err.remedy);
}

static void test_submit__refuses_what_cannot_begin(void **state) {
    (void)state;
    submit("one");
    refuse("job.yaml", "one", HR_E_ARGUMENT, "there is a job 'one' already");
    check_open("one");
    refuse("job.yaml", ".one", HR_E_ARGUMENT, "cannot begin with a dot");
    refuse("job.yaml", "a/b", HR_E_ARGUMENT, "cannot be the name of a job");
    refuse("none.yaml", NULL, HR_E_IO, "cannot open the file");
    write_text("other.yaml", "hedgerow-job: 1\nschema: schema.yaml\nepsilon: 1\nowners: [north, east]\n");
    refuse("other.yaml", NULL, HR_E_ARGUMENT, "'east' cannot be an owner of this job");
    write_text("other.yaml",
               "hedgerow-job: 1\nschema: schema.yaml\nepsilon: 1\nowners: [north, coordinator]\n");
    refuse("other.yaml", NULL, HR_E_ARGUMENT, "'coordinator' cannot be an owner of this job");
    write_text("other.yaml", "hedgerow-job: 1\nschema: schema.yaml\nepsilon: 1\n");
    refuse("other.yaml", NULL, HR_E_ARGUMENT, "names no owners");
    write_text("other.yaml", "hedgerow-job: 1\nschema: schema.yaml\nepsilon: 1\nname: north\nfederation: f\n"
                             "key: k\njournal: j\nowners: [south]\n");
    refuse("other.yaml", NULL, HR_E_ARGUMENT, "the job is of the coordinator 'north'");
    write_text("other.yaml", "hedgerow-job: 1\nschema: none.yaml\nepsilon: 1\nowners: [north]\n");
    refuse("other.yaml", NULL, HR_E_IO, "cannot open the file");
    check_jobs("one: queued");
    assert_string_equal(query_database("desk/journal.db", "SELECT 1"), "1"); /* nothing made it a journal */
}

/* A submission that was killed leaves a folder that is no job. */
static void test_submit__is_complete_or_not_there(void **state) {
    (void)state;
    submit("one");
    assert_int_equal(rename("desk/jobs/one", "desk/jobs/.one.00000000"), 0);
    check_jobs("");
    start();
    check_offered("0");
    submit("one");
    check_open("one"); /* the entry of the first is of no job */
    assert_int_equal(unlink("schema.yaml"), 0);
    write_text("job.yaml", "changed");
    go_on();
    check_jobs("one: running");
}

/* ---- Running ---- */

static void test_service__runs_as_many_as_it_may(void **state) {
    (void)state;
    submit("one");
    submit("two");
    start();
    submit("three");
    go_on();
    check_jobs("one: running; two: running; three: queued");
    check_status(2, 1, "one: running; two: running; three: queued");
    mark_cancelled("two");
    go_on();
    check_jobs("one: running; two: cancelled: by the coordinator; three: running");
    check_offered("3");
    check_open("one three");
}

static void test_service__cancels_what_is_queued(void **state) {
    (void)state;
    hr_cancel_info info;
    hr_error err = {0};
    submit("one");
    submit("two");
    check_status(0, 2, "one: queued; two: queued");
    must(hr_jobs_cancel("desk", "one", &info, &err), &err);
    check_status(0, 1, "two: queued");
    assert_true(info.ended && info.told && info.unbegun);
    assert_int_equal(hr_jobs_cancel("desk", "one", &info, &err), HR_E_ARGUMENT);
    assert_string_equal(err.message, "the job 'one' is over");
    start();
    check_jobs("one: cancelled: by the coordinator; two: running");
    check_offered("1");
    check_open("two");
}

static double measure(const char *number) {
    char line[120];
    size_t size;
    hr_error err = {0};
    must(hr_folder_service_measure(service, &err), &err);
    char *text = read_file("lab.prom", &size);
    snprintf(line, sizeof line, "\nhedgerow_%s} ", number);
    const char *at = strstr(text, line);
    if (!at) fail_msg("no %s in\n%s", number, text);
    const double value = strtod(at + strlen(line), NULL);
    free(text);
    return value;
}

#define LAB "{coordinator=\"coordinator\""

/* Each end counts once, also that of a job that never began. */
static void test_metrics__count_jobs(void **state) {
    (void)state;
    hr_cancel_info info;
    hr_error err = {0};
    settings.metrics = "lab.prom";
    submit("one");
    submit("two");
    submit("three");
    submit("four");
    write_text("desk/jobs/two/job.yaml", "hedgerow-job: 1\n");
    start();
    must(hr_jobs_cancel("desk", "four", &info, &err), &err);
    submit("five");
    go_on();
    assert_true(measure("jobs_open" LAB) == 2 && measure("jobs_queued" LAB) == 1);
    mark_cancelled("one");
    go_on();
    assert_true(measure("jobs_open" LAB) == 2 && measure("jobs_queued" LAB) == 0);
    assert_true(measure("jobs_ended_total" LAB ",ending=\"cancelled\"") == 2);
    assert_true(measure("jobs_ended_total" LAB ",ending=\"failed\"") == 1);
    assert_true(measure("jobs_failed_total" LAB) == 3 && measure("jobs_done_total" LAB) == 0);
    assert_true(measure("start_timestamp_seconds" LAB) > 1e9);
}

/* A process that died after a person cancelled the job, and before its end was written. */
static void test_service__writes_the_end_of_a_cancelled_job(void **state) {
    (void)state;
    hr_error err = {0};
    bool done = false;
    submit("one");
    must(hr_folder_change("desk", "one", HR_FOLDER_CANCELLED, &done, &err), &err);
    assert_true(done);
    start();
    check_jobs("one: cancelled: by the coordinator");
    check_offered("0");
}

/* One of the two wins. */
static void test_job__is_begun_or_cancelled(void **state) {
    (void)state;
    hr_error err = {0};
    bool done = false;
    submit("one");
    start();
    must(hr_folder_change("desk", "one", HR_FOLDER_CANCELLED, &done, &err), &err);
    assert_false(done);
    check_jobs("one: running");
}

static void backdate(const char *path, int days) {
    const struct timespec then = {.tv_sec = time(NULL) - days * 86400};
    assert_int_equal(utimensat(AT_FDCWD, path, (const struct timespec[]){then, then}, 0), 0);
}

/* Of jobs that never appeared, one a day ago and one that may yet; of one that was removed; and none of a
 * job that an earlier version began. */
static void test_open__is_mended_when_the_coordinator_begins(void **state) {
    (void)state;
    submit("one");
    submit("two");
    start();
    stop();
    assert_int_equal(system("rm desk/open/*.one; rm -r desk/jobs/two"), 0);
    assert_int_equal(mkdir("desk/jobs/.late.00000000", 0700), 0);
    assert_int_equal(mkdir("desk/jobs/.soon.11111111", 0700), 0);
    write_text("desk/jobs/.late.00000000/job.yaml", "");
    backdate("desk/jobs/.late.00000000", 2);
    write_text("desk/open/00000000000000000000000000000000.late", "");
    write_text("desk/open/11111111111111111111111111111111.soon", "");
    write_text("desk/open/22222222222222222222222222222222.one", "");
    write_text("desk/open/notes", "");
    start();
    check_jobs("one: running");
    assert_int_equal(
        system("test \"$(ls desk/open | cut -d . -f 2 | sort | tr '\\n' ' ')\" = 'notes one soon '"), 0);
    assert_int_equal(access("desk/jobs/.late.00000000", F_OK), -1);
    assert_int_equal(access("desk/jobs/.soon.11111111", F_OK), 0);
}

static void test_bad_job__stops_no_other(void **state) {
    (void)state;
    submit("one");
    submit("two");
    write_text("desk/jobs/one/job.yaml", "hedgerow-job: 1\n");
    assert_int_equal(mkdir("desk/jobs/empty", 0700), 0);
    start();
    check_jobs("one: failed: the key 'schema' is missing; two: running");
    check_offered("1");
}

/* Each job has the deadline of its own file. */
static void test_deadline__is_of_one_job(void **state) {
    (void)state;
    submit("one");
    write_text("job.yaml", "hedgerow-job: 1\nschema: schema.yaml\nmethod: inprivate\nepsilon: 0.5\n"
                           "deadline: 20\nowners: [north, south]\n");
    submit("two");
    start();
    check_jobs("one: running; two: running");
    for (int i = 0; i < 20; i++) go_on();
    check_jobs("one: running; two: not begun: no owner takes part");
}

enum { STEPS = 3 /* of a second each, in which nothing comes */, DEADLINE = 100 /* seconds */ };

static void submit_with_deadline(const char *name) {
    char text[300];
    snprintf(text, sizeof text, "%sdeadline: %d\n", job_file, DEADLINE);
    write_text("job.yaml", text);
    submit(name);
}

static void wait_for(int seconds) {
    for (int i = 0; i < seconds; i += STEPS) go_on();
}

/* Neither a process that is killed again and again nor one that is started again in order puts it off. */
static void test_deadline__goes_on_after_a_restart(void **state) {
    (void)state;
    submit_with_deadline("one");
    for (int i = 0; i < 3; i++) { /* each notes 15 s */
        start();
        wait_for(18);
        stop();
    }
    start();
    check_jobs("one: running"); /* what was not noted yet does not count */
    wait_for(48);
    check_jobs("one: running");
    wait_for(6);
    check_jobs("one: not begun: no owner takes part");
}

/* The answer that the process before had fetched comes again after 30 seconds. */
static void test_deadline__lets_packets_come_again_after_a_restart(void **state) {
    (void)state;
    submit_with_deadline("one");
    start();
    wait_for(96);
    stop();
    start();
    wait_for(27);
    check_jobs("one: running");
    wait_for(6);
    check_jobs("one: not begun: no owner takes part");
}

/* However often it is killed, and however soon: all that it waited counts, and what a start adds is limited.
 */
static void test_deadline__ends_though_restarts_go_on(void **state) {
    (void)state;
    enum { LIFE = 11 /* seconds */, LONGER = 64 + 2 * LIFE };
    int waited = 0;
    submit_with_deadline("one");
    for (; waited < DEADLINE; waited += LIFE) {
        start();
        wait_for(9);
        check_jobs("one: running");
        stop();
    }
    for (; waited < DEADLINE + LONGER; waited += LIFE) {
        start();
        wait_for(9);
        stop();
    }
    check_jobs("one: not begun: no owner takes part");
}

/* ---- Files that are read anew ---- */

static void reload(void) {
    hr_error err = {0};
    must(hr_folder_service_reload(service, &err), &err);
    go_on();
}

static void test_deadline__goes_on_over_a_reload(void **state) {
    (void)state;
    submit_with_deadline("one");
    start();
    for (int i = 0; i < 4; i++) {
        wait_for(9);
        reload();
    }
    wait_for(27);
    check_jobs("one: running");
    wait_for(35);
    check_jobs("one: not begun: no owner takes part");
}

static char last_line[HR_LOG_TEXT];

static void note_line(void *user, const hr_log_line *line) {
    (void)user;
    if (line->level == HR_LOG_ERROR) snprintf(last_line, sizeof last_line, "%s", line->text);
}

/* What is there now is faulty: the job goes on with what was there. */
static void refuse_reload(const char *path, const char *text, const char *words) {
    size_t size;
    char *before = read_file(path, &size);
    *last_line = '\0';
    write_text(path, text);
    reload();
    if (!strstr(last_line, "the previous ones stay in force") || !strstr(last_line, words))
        fail_msg("'%s' does not say '%s'", last_line, words);
    write_file(path, before, size);
    free(before);
    check_jobs("one: running; two: running; three: queued");
}

static void test_reload__of_faulty_files_changes_nothing(void **state) {
    (void)state;
    settings.log_line = note_line;
    submit("one");
    submit("two");
    submit("three");
    start();
    refuse_reload("desk/coordinator.yaml", COORDINATOR("coordinator", "x"),
                  "coordinator.yaml:5:10: at-once: 'x' is not a number");
    refuse_reload("fed/coordinator/federation.yaml", "hedgerow-federation: 1\nname: {\n", "federation.yaml");
    refuse_reload("fed/coordinator/coordinator.key", "no key", "coordinator.key");
    refuse_reload("desk/coordinator.yaml", COORDINATOR("nobody", "2"), "'nobody' is not a member");
    write_text("desk/coordinator.yaml", COORDINATOR("coordinator", "3"));
    *last_line = '\0';
    reload();
    assert_string_equal(last_line, "");
    hr_file_lock *key_lock = NULL;
    assert_int_equal(hr_file_lock_hold("fed/coordinator/coordinator.key", &key_lock, NULL), HR_E_BUSY);
    check_jobs("one: running; two: running; three: running");
    check_offered("3");
}

/* ---- A process that died ---- */

static void test_restart__goes_on_with_every_job(void **state) {
    (void)state;
    submit("one");
    submit("two");
    start();
    stop();
    submit("three");
    start();
    check_jobs("one: running; two: running; three: queued");
    check_offered("2");
}

static void test_restart__offers_what_was_claimed(void **state) {
    (void)state;
    hr_error err = {0};
    bool done = false;
    hr_folder_job job;
    char id[HR_JOB_ID_TEXT];
    submit("one");
    must(hr_folder_change("desk", "one", HR_FOLDER_STARTED, &done, &err), &err);
    start();
    stop();
    start();
    check_jobs("one: running");
    check_offered("1");
    assert_true(hr_folder_look("desk", "one", &job));
    hr_text_hex(job.id, HR_JOURNAL_ID, id);
    assert_string_equal(query_database("desk/journal.db", "SELECT lower(hex(id)) FROM jobs"), id);
}

/* The process died before the end was in the folder. */
static void test_restart__does_not_offer_again(void **state) {
    (void)state;
    hr_folder_job job;
    char entry[HR_FOLDER_PATH];
    submit("one");
    start();
    mark_cancelled("one");
    go_on();
    stop();
    check_open("");
    assert_int_equal(unlink("desk/jobs/one/ended"), 0);
    assert_true(hr_folder_look("desk", "one", &job));
    must(hr_folder_open_path("desk", "one", job.id, entry, NULL), &(hr_error){0});
    write_text(entry, "");
    start();
    check_jobs("one: cancelled: by the coordinator");
    check_offered("1");
    assert_int_equal(access("desk/jobs/one/ended", F_OK), 0);
}

/* The same name again, after the folder of the job that ended was removed: another job. */
static void test_name__may_be_used_again(void **state) {
    (void)state;
    hr_cancel_info info;
    hr_error err = {0};
    submit("one");
    must(hr_jobs_cancel("desk", "one", &info, &err), &err);
    assert_int_equal(rename("desk/jobs/one", "away"), 0);
    submit("one");
    check_open("one");
    start();
    check_jobs("one: running");
    check_offered("1");
}

/* Its job ends, the others continue. */
static void test_restart__without_the_folder_of_a_job(void **state) {
    (void)state;
    submit("one");
    submit("two");
    start();
    stop();
    assert_int_equal(rename("desk/jobs/one", "desk/jobs/.one"), 0);
    start();
    check_jobs("two: running");
    assert_string_equal(query_database("desk/journal.db", "SELECT state FROM notes WHERE name = 'one'"),
                        "failed: its files cannot be read: its folder is gone");
}

/* ---- With owners ---- */

static bool append(void *file, const char *bytes, size_t size) {
    return fwrite(bytes, 1, size, file) == size;
}

static hr_owner_service *open_owner(size_t index) {
    const char *name = owner_names[index];
    char path[32], text[sizeof owner_file + 64];
    hr_generate_options options;
    hr_owner_service *owner = NULL;
    hr_error err = {0};
    hr_generate_options_init(&options, HR_GENERATE_HOSPITAL);
    options.rows = 60;
    options.seed = index + 1;
    snprintf(path, sizeof path, "%s.csv", name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    must(hr_generate(&options, append, file, &err), &err);
    assert_int_equal(fclose(file), 0);
    snprintf(path, sizeof path, "%s.db", name);
    must(hr_ledger_create(path, 2, 0, &err), &err);
    snprintf(path, sizeof path, "%s.yaml", name);
    snprintf(text, sizeof text, owner_file, name, name, name, name, name, name);
    write_text(path, text);
    const hr_owner_opening opening = {.file = path, .settings = &settings, .loopback = loopback};
    must(hr_owner_service_open(&opening, &owner, &err), &err);
    return owner;
}

/* Jobs of different settings side by side: one has votes and two rounds. */
static void test_jobs__end_with_their_models(void **state) {
    (void)state;
    hr_owner_service *owners[OWNERS];
    hr_error err = {0};
    tick = 1; /* no deadline passes */
    for (size_t i = 0; i < OWNERS; i++) owners[i] = open_owner(i);
    submit("one");
    write_text("job.yaml",
               "hedgerow-job: 1\nschema: schema.yaml\nmethod: inprivate\nepsilon: 0.5\nrounds: 2\n"
               "round-gain: 1e-9\nowners: [south, north]\n");
    submit("two");
    start();
    for (int i = 0; i < 10000 && hr_party_jobs(hr_folder_service_party(service)); i++) {
        bool busy;
        go_on();
        for (size_t o = 0; o < OWNERS; o++)
            must(hr_party_step(hr_owner_service_party(owners[o]), hr_endpoint_clock(), 0, &busy, &err), &err);
    }
    check_jobs("one: done; two: done");
    for (size_t i = 0; i < OWNERS; i++) hr_owner_service_close(owners[i]);
    hr_job_record job;
    for (int i = 0; i < 2; i++) {
        hr_model *model = NULL;
        must(hr_job_find("desk", i ? "two" : "one", &job, &err), &err);
        assert_int_equal(job.ending, HR_JOB_DONE);
        assert_int_equal(job.makes, HR_JOB_MODEL);
        must(hr_model_read(job.result, &model, &err), &err);
        hr_model_free(model);
        assert_int_equal(access(job.log, F_OK), 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_submit__refuses_what_cannot_begin, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_submit__is_complete_or_not_there, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_service__runs_as_many_as_it_may, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_service__cancels_what_is_queued, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_metrics__count_jobs, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_service__writes_the_end_of_a_cancelled_job, folder_open,
                                    folder_close),
    cmocka_unit_test_setup_teardown(test_job__is_begun_or_cancelled, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_open__is_mended_when_the_coordinator_begins, folder_open,
                                    folder_close),
    cmocka_unit_test_setup_teardown(test_bad_job__stops_no_other, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_deadline__is_of_one_job, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_deadline__goes_on_after_a_restart, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_deadline__lets_packets_come_again_after_a_restart, folder_open,
                                    folder_close),
    cmocka_unit_test_setup_teardown(test_deadline__ends_though_restarts_go_on, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_deadline__goes_on_over_a_reload, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_reload__of_faulty_files_changes_nothing, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_restart__goes_on_with_every_job, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_restart__offers_what_was_claimed, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_restart__does_not_offer_again, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_name__may_be_used_again, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_restart__without_the_folder_of_a_job, folder_open, folder_close),
    cmocka_unit_test_setup_teardown(test_jobs__end_with_their_models, folder_open, folder_close),
};

int main(void) {
    return cmocka_run_group_tests(tests, NULL, NULL);
}
