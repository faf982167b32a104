/* A ledger of layout version 1 (version-1.db, written by a `hedgerow train` of that time: entry 1 is
 * committed, 2 reserved) is brought up to date when it is opened, and says what it said before. */
#include "ledger/journal.h"
#include "support/temp_dir.h"

#include <sys/wait.h>

static void copy_old(const temp_dir *s) {
    size_t size = 0;
    char *bytes = read_file(HR_TESTS_DIR "/ledger/version-1.db", &size);
    write_file(s->path, bytes, size);
    free(bytes);
}

static hr_ledger *open_old(const temp_dir *s) {
    hr_ledger *ledger = NULL;
    hr_error err = {0};
    if (hr_ledger_open(s->path, &ledger, &err)) fail_msg("%s", err.message);
    return ledger;
}

static const char entries[] =
    "SELECT group_concat(id || ' ' || time || ' ' || purpose || ' ' || epsilon_units || ' ' || delta_units"
    " || ' ' || state, ';') FROM entries";

static void test_upgrade__keeps_every_entry(void **state) {
    temp_dir *s = *state;
    char before[512];
    copy_old(s);
    assert_string_equal(query_database(s->path, "PRAGMA user_version"), "1");
    snprintf(before, sizeof before, "%s", query_database(s->path, entries));
    for (int opened = 0; opened < 2; opened++) {
        hr_ledger *ledger = open_old(s);
        hr_ledger_total total = {0};
        assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
        assert_true(total.epsilon_limit == 3 && total.entries == 2 && !total.frozen);
        assert_true(total.epsilon_spent == 1 + 1099511 / 1099511627776.0);
        hr_ledger_close(ledger);
        assert_string_equal(query_database(s->path, entries), before);
        assert_string_equal(query_database(s->path, "PRAGMA user_version"), "2");
        assert_string_equal(query_database(s->path, "PRAGMA integrity_check"), "ok");
    }
    assert_non_null(
        strstr(before, "1 2026-11-22T06:10:34Z fit hedge for y 1099511627776 461168601842 committed;2 "));
}

/* Made or upgraded, a file has the same tables, views and triggers, but for the quotes that a new name
 * brings. */
static void test_upgrade__makes_the_same_layout(void **state) {
    temp_dir *s = *state;
    static const char *const names[] = {"entries",     "spending",      "entries_stay", "entries_begin",
                                        "entries_end", "entries_exist", "limits"};
    char made[1024], sql[160];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(sql, sizeof sql, "SELECT replace(sql, char(34), '') FROM sqlite_schema WHERE name = '%s'",
                 names[i]);
        assert_int_equal(hr_ledger_create(s->path, 3, 0, NULL), HR_OK);
        snprintf(made, sizeof made, "%s", query_database(s->path, sql));
        assert_memory_equal(made, "CREATE", 6);
        copy_old(s);
        hr_ledger_close(open_old(s));
        assert_string_equal(query_database(s->path, sql), made);
        assert_int_equal(unlink(s->path), 0);
    }
}

static void test_upgrade__makes_nothing_else(void **state) {
    temp_dir *s = *state;
    static const char all[] =
        "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_schema ORDER BY name)";
    copy_old(s);
    hr_ledger_close(open_old(s));
    assert_string_equal(query_database(s->path, all),
                        "closing_stays entries entries_begin entries_end entries_exist entries_stay limits"
                        " limits_exist limits_stay spending sqlite_sequence");
}

/* Numbers go on, and what was reserved before the upgrade stays spent whoever asks. */
static void test_upgrade__goes_on(void **state) {
    temp_dir *s = *state;
    copy_old(s);
    hr_ledger *ledger = open_old(s);
    int64_t entry = 0;
    assert_int_equal(hr_ledger_void(ledger, 2, NULL), HR_E_POLICY);
    assert_int_equal(hr_ledger_reserve(ledger, 1, 0, "new", &entry, NULL), HR_OK);
    assert_int_equal(entry, 3);
    assert_int_equal(hr_ledger_void(ledger, entry, NULL), HR_OK);
    assert_int_equal(hr_ledger_commit(ledger, 2, NULL), HR_OK);
    assert_string_equal(query_database(s->path, "SELECT group_concat(state) FROM entries"),
                        "committed,committed,void");
    hr_ledger_close(ledger);
    assert_true(query_database(s->path, "UPDATE entries SET state = 'void' WHERE id = 1")[0]);
    assert_true(query_database(s->path, "DELETE FROM entries")[0]);
}

/* A process that had the file open before goes on as well: it knows nothing of versions. */
static void test_upgrade__does_not_disturb_an_open_ledger(void **state) {
    temp_dir *s = *state;
    copy_old(s);
    sqlite3 *old = NULL;
    assert_int_equal(sqlite3_open(s->path, &old), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(old, "INSERT INTO entries (purpose, epsilon_units, delta_units) VALUES ('old', 1, 0)", 0,
                     0, 0),
        SQLITE_OK);
    hr_ledger *ledger = open_old(s);
    static const char both[] =
        "INSERT INTO entries (purpose, epsilon_units, delta_units) VALUES ('old', 1, 0);"
        "UPDATE entries SET state = 'committed' WHERE id = 3 AND state = 'reserved'";
    assert_int_equal(sqlite3_exec(old, both, 0, 0, 0), SQLITE_OK);
    assert_int_equal(sqlite3_close(old), SQLITE_OK);
    hr_ledger_total total = {0};
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    assert_int_equal(total.entries, 4);
    hr_ledger_close(ledger);
}

/* Eight processes open it at once: one of them upgrades it. */
static void test_upgrade__happens_once(void **state) {
    temp_dir *s = *state;
    for (int round = 0; round < 5; round++) {
        int gate[2];
        copy_old(s);
        assert_int_equal(pipe(gate), 0);
        for (int i = 0; i < 8; i++) {
            pid_t child = fork();
            assert_true(child >= 0);
            if (child) continue;
            char byte;
            hr_ledger *ledger = NULL;
            int64_t entry = 0;
            close(gate[1]);
            if (read(gate[0], &byte, 1) != 0 || hr_ledger_open(s->path, &ledger, NULL)) _exit(1);
            if (hr_ledger_reserve(ledger, 0.125, 0, "race", &entry, NULL)) _exit(2);
            hr_ledger_close(ledger);
            _exit(0);
        }
        close(gate[0]);
        close(gate[1]);
        for (int i = 0; i < 8; i++) {
            int status = 0;
            assert_true(wait(&status) > 0);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        assert_string_equal(query_database(s->path, "SELECT count(*) FROM entries WHERE state = 'reserved'"),
                            "9");
        assert_string_equal(query_database(s->path, "PRAGMA integrity_check"), "ok");
        assert_int_equal(unlink(s->path), 0);
    }
}

/* An owner's journal lies in the same file. */
static void test_upgrade__takes_a_journal(void **state) {
    temp_dir *s = *state;
    copy_old(s);
    hr_ledger *ledger = open_old(s);
    hr_journal *journal = NULL;
    hr_journal_job job = {.coordinator = "coordinator", .date = 1};
    memcpy(job.id, "job", 3);
    assert_int_equal(hr_journal_of_ledger(ledger, &journal, NULL), HR_OK);
    assert_int_equal(hr_journal_begin(journal, NULL), HR_OK);
    assert_int_equal(hr_journal_add_job(journal, &job, NULL), HR_OK);
    assert_int_equal(hr_journal_reserve(journal, &job, 1, 0, "job", NULL), HR_OK);
    assert_int_equal(hr_journal_spend(journal, &job, NULL), HR_OK);
    assert_int_equal(hr_journal_commit(journal, NULL), HR_OK);
    assert_int_equal(job.entry, 3);
    assert_int_equal(hr_ledger_void(ledger, 3, NULL), HR_E_POLICY);
    hr_journal_close(journal);
    hr_ledger_close(ledger);
    assert_string_equal(query_database(s->path, "SELECT state FROM entries WHERE id = 3"), "committed");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_dir_open, temp_dir_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_upgrade__keeps_every_entry),
        TEST(test_upgrade__makes_the_same_layout),
        TEST(test_upgrade__makes_nothing_else),
        TEST(test_upgrade__goes_on),
        TEST(test_upgrade__does_not_disturb_an_open_ledger),
        TEST(test_upgrade__happens_once),
        TEST(test_upgrade__takes_a_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
