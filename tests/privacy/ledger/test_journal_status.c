/* What people are shown of a party: as it was noted last, from a file that others work with, that nobody
 * works with, or that a killed process left; and nothing is different in the folder afterwards. */
#include "privacy/ledger/file_lock.h"
#include "privacy/ledger/journal_status.h"
#include "support/temp_dir.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

static const uint8_t id_a[HR_JOURNAL_ID] = "job a", id_b[HR_JOURNAL_ID] = "job b";

static const char name_a[] = "6a6f6220610000000000000000000000";

typedef struct seen {
    int views, jobs;
    hr_journal_view view;
    hr_journal_progress progress; /* of the last job */
    char id[HR_JOURNAL_ID_TEXT], unit[16], state[40];
    struct {
        char member[16], part[16], reason[40];
        size_t skipped;
        bool awaited;
    } parts[3];
} seen;

static hr_status see_view(void *user, const hr_journal_view *view) {
    seen *s = user;
    s->views++;
    s->view = *view;
    assert_int_equal(s->jobs, 0);
    return HR_OK;
}

static hr_status see_job(void *user, const hr_journal_item *item, const hr_journal_progress *progress) {
    seen *s = user;
    s->jobs++;
    s->progress = *progress;
    snprintf(s->id, sizeof s->id, "%s", item->id);
    snprintf(s->unit, sizeof s->unit, "%s", progress->unit);
    snprintf(s->state, sizeof s->state, "%s", item->state);
    assert_true(progress->part_count <= 3);
    for (size_t i = 0; i < progress->part_count; i++) {
        const hr_journal_part *p = &progress->parts[i];
        snprintf(s->parts[i].member, sizeof s->parts[i].member, "%s", p->member);
        snprintf(s->parts[i].part, sizeof s->parts[i].part, "%s", p->part);
        snprintf(s->parts[i].reason, sizeof s->parts[i].reason, "%s", p->reason);
        s->parts[i].skipped = p->skipped;
        s->parts[i].awaited = p->awaited;
    }
    return HR_OK;
}

/* The names of a folder's files with their sizes and times of change, but that of the index of SQLite's log,
 * which readers use, too. */
static char *listed(const char *folder) {
    char command[200], *text = calloc(1, 4096);
    snprintf(command, sizeof command,
             "ls -lA --full-time %s | sed '/-shm$/s/ [0-9]*-[0-9]*-.*/ -shm/' | sort", folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_true(fread(text, 1, 4095, pipe) > 0);
    pclose(pipe);
    return text;
}

static seen look(const temp_dir *s, const char *path) {
    seen found = {0};
    hr_error err = {0};
    const hr_journal_viewer viewer = {see_view, see_job, &found};
    char *before = listed(s->folder);
    if (hr_journal_look(path, &viewer, &err)) fail_msg("%s", err.message);
    char *after = listed(s->folder);
    assert_string_equal(after, before);
    assert_int_equal(found.views, 1);
    free(before);
    free(after);
    return found;
}

static hr_journal *open_with_job(const char *path, const uint8_t *id) {
    hr_journal *j = NULL;
    hr_error err = {0};
    hr_journal_job job = {.coordinator = "coordinator", .terms = {(const uint8_t *)"t", 1}, .date = 86400};
    const hr_journal_note note = {.name = "n", .state = "running", .awaits = "the owners"};
    if (hr_journal_open(path, &j, &err)) fail_msg("%s", err.message);
    memcpy(job.id, id, HR_JOURNAL_ID);
    assert_int_equal(hr_journal_begin(j, NULL), HR_OK);
    assert_int_equal(hr_journal_add_job(j, &job, NULL), HR_OK);
    assert_int_equal(hr_journal_note_job(j, id, &note, NULL), HR_OK);
    assert_int_equal(hr_journal_commit(j, NULL), HR_OK);
    return j;
}

static void note(hr_journal *j, const uint8_t *id, const hr_journal_progress *progress) {
    const hr_journal_run run = {
        .process = 77, .begun = 5, .seen = 9, .contact = 8, .reconnects = 2, .connected = true};
    assert_int_equal(hr_journal_begin(j, NULL), HR_OK);
    assert_int_equal(hr_journal_note_run(j, &run, NULL), HR_OK);
    assert_int_equal(hr_journal_note_progress(j, id, progress, NULL), HR_OK);
    assert_int_equal(hr_journal_commit(j, NULL), HR_OK);
}

static const hr_journal_part parts[] = {
    {"north", "takes part", 3, 1, true, ""},
    {"south", "declined", 0, 0, false, "it's 'ledger': no \"budget\""},
};

static void test_progress__is_read_as_it_was_noted_last(void **state) {
    const temp_dir *s = *state;
    hr_journal *j = open_with_job(s->path, id_a);
    const hr_journal_progress first = {.round = 2,
                                       .rounds = 7,
                                       .step = 11,
                                       .unit = "question",
                                       .until = 60,
                                       .parts = parts,
                                       .part_count = 2},
                              second = {.step = 12, .unit = "question", .parts = parts, .part_count = 1};
    note(j, id_a, &first);
    seen found = look(s, s->path);
    assert_true(found.view.running && found.view.known && !found.view.has_ledger);
    assert_int_equal(found.view.run.process, 77);
    assert_int_equal(found.view.run.contact, 8);
    assert_int_equal(found.view.run.reconnects, 2);
    assert_true(found.view.run.connected);
    assert_int_equal(found.jobs, 1);
    assert_string_equal(found.id, name_a);
    assert_string_equal(found.state, "running");
    assert_int_equal(found.progress.until, 60);
    assert_int_equal(found.progress.part_count, 2);
    assert_true(found.parts[0].awaited && !found.parts[1].awaited);
    assert_int_equal(found.parts[0].skipped, 1);
    assert_string_equal(found.parts[1].reason, "it's 'ledger': no \"budget\"");
    note(j, id_a, &second);
    found = look(s, s->path);
    assert_int_equal(found.progress.round, 2); /* not known the second time */
    assert_int_equal(found.progress.rounds, 7);
    assert_int_equal(found.progress.step, 12);
    assert_string_equal(found.unit, "question");
    assert_int_equal(found.progress.until, 0);
    assert_int_equal(found.progress.part_count, 1);
    hr_journal_close(j);
    found = look(s, s->path);
    assert_false(found.view.running);
    assert_int_equal(found.jobs, 1);
}

static void test_progress__of_a_job_that_is_over_is_gone(void **state) {
    const temp_dir *s = *state;
    hr_journal *j = open_with_job(s->path, id_b);
    const hr_journal_progress progress = {.round = 1, .unit = "slot", .parts = parts, .part_count = 2};
    note(j, id_b, &progress);
    assert_int_equal(hr_journal_begin(j, NULL), HR_OK);
    assert_int_equal(hr_journal_end_job(j, id_b, NULL), HR_OK);
    assert_int_equal(hr_journal_commit(j, NULL), HR_OK);
    assert_int_equal(look(s, s->path).jobs, 0);
    assert_string_equal(query_database(s->path, "SELECT count(*) FROM progress"), "0");
    assert_string_equal(query_database(s->path, "SELECT count(*) FROM parts"), "0");
    hr_journal_close(j);
}

static void test_look__where_nothing_is_makes_nothing(void **state) {
    const temp_dir *s = *state;
    const seen found = look(s, s->path);
    assert_false(found.view.running || found.view.known || found.view.has_ledger);
    assert_int_equal(found.jobs, 0);
}

static void test_look__at_a_ledger_that_served_nobody(void **state) {
    const temp_dir *s = *state;
    assert_int_equal(hr_ledger_create(s->path, 2, 1e-6, NULL), HR_OK);
    const seen found = look(s, s->path);
    assert_true(found.view.has_ledger && !found.view.running);
    assert_true(found.view.total.epsilon_left == 2);
}

/* Its lock's file and SQLite's log stay as they are. */
static void test_look__after_a_process_was_killed(void **state) {
    const temp_dir *s = *state;
    int ready[2], parent[2]; /* the child ends with its parent */
    char byte;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(parent), 0);
    const pid_t child = fork();
    if (!child) {
        const hr_journal_progress progress = {.round = 4, .rounds = 5, .unit = "slot"};
        note(open_with_job(s->path, id_a), id_a, &progress);
        close(parent[1]);
        _exit(write(ready[1], "x", 1) == 1 && read(parent[0], &byte, 1));
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_true(look(s, s->path).view.running);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    const seen found = look(s, s->path);
    assert_false(found.view.running);
    assert_int_equal(found.progress.round, 4);
    assert_int_equal(found.view.run.process, 77);
    for (int i = 0; i < 2; i++) {
        close(ready[i]);
        close(parent[i]);
    }
}

/* Who looks at a lock that a killed process left has it for a moment: who takes it then is not refused. */
static void test_lock__is_taken_while_others_look(void **state) {
    const temp_dir *s = *state;
    char beside[120];
    hr_file_lock *held = NULL;
    hr_error err = {0};
    snprintf(beside, sizeof beside, "%s.lock", s->path);
    const pid_t child = fork();
    for (bool any; !child && getppid() != 1;) (void)!hr_file_lock_look(s->path, &any, NULL);
    if (!child) _exit(0);
    for (int i = 0; i < 2000; i++) {
        write_file(beside, "", 0);
        if (hr_file_lock_take(s->path, &held, &err)) fail_msg("%s", err.message);
        hr_file_lock_release(held);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_progress__is_read_as_it_was_noted_last, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_progress__of_a_job_that_is_over_is_gone, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_look__where_nothing_is_makes_nothing, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_look__at_a_ledger_that_served_nobody, temp_dir_open,
                                        temp_dir_close),
        cmocka_unit_test_setup_teardown(test_look__after_a_process_was_killed, temp_dir_open, temp_dir_close),
        cmocka_unit_test_setup_teardown(test_lock__is_taken_while_others_look, temp_dir_open, temp_dir_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
