/* A ledger of an older layout version is brought up to date when it is opened, and says what it said before.
 * version-1.db was written by a `hedgerow train` of that time: entry 1 is committed, 2 reserved. version-2.db
 * and journal-1.db were written by the library of that time: entry 1 of the ledger is void, 2 reserved, 3
 * committed for the job of its journal, which is over and still has a packet to deliver; the other journal
 * has the same job. version-3.db has the layout before units, and an entry 1 that is committed. */
#include "privacy/ledger/file_lock.h"
#include "privacy/ledger/journal.h"
#include "support/temp_dir.h"

#include <hedgerow/schema.h>

#include <sys/wait.h>

static const char *const versions[] = {HR_TESTS_DIR "/privacy/ledger/version-1.db",
                                       HR_TESTS_DIR "/privacy/ledger/version-2.db",
                                       HR_TESTS_DIR "/privacy/ledger/version-3.db"};

static void copy_file(const temp_dir *s, const char *path) {
    size_t size = 0;
    char *bytes = read_file(path, &size);
    write_file(s->path, bytes, size);
    free(bytes);
}

static void copy_old(const temp_dir *s) {
    copy_file(s, versions[0]);
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
        assert_string_equal(query_database(s->path, "PRAGMA user_version"), "4");
        assert_string_equal(query_database(s->path, "PRAGMA integrity_check"), "ok");
    }
    assert_non_null(
        strstr(before, "1 2026-11-22T06:10:34Z fit hedge for y 1099511627776 461168601842 committed;2 "));
}

/* Made or upgraded, a file has the same tables, views and triggers, but for the quotes that a new name
 * brings. */
static void test_upgrade__makes_the_same_layout(void **state) {
    temp_dir *s = *state;
    static const char *const names[] = {"entries",         "spending",      "entries_stay", "entries_begin",
                                        "entries_end",     "entries_exist", "limits",       "limits_stay",
                                        "limits_exist",    "frozen_stays",  "unit_stays",   "entries_unit",
                                        "entry_unit_stays"};
    char made[1024], sql[160];
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(sql, sizeof sql, "SELECT replace(sql, char(34), '') FROM sqlite_schema WHERE name = '%s'",
                 names[i]);
        assert_int_equal(hr_ledger_create(s->path, 3, 0, NULL), HR_OK);
        snprintf(made, sizeof made, "%s", query_database(s->path, sql));
        assert_memory_equal(made, "CREATE", 6);
        for (size_t v = 0; v < COUNT(versions); v++) {
            copy_file(s, versions[v]);
            hr_ledger_close(open_old(s));
            assert_string_equal(query_database(s->path, sql), made);
        }
        assert_int_equal(unlink(s->path), 0);
    }
}

/* What was spent before there were units was for records. */
static void test_upgrade__to_units_says_records(void **state) {
    temp_dir *s = *state;
    copy_file(s, versions[2]);
    assert_string_equal(query_database(s->path, "PRAGMA user_version"), "3");
    hr_ledger *ledger = open_old(s);
    char *unit = NULL;
    int64_t entry;
    assert_int_equal(hr_ledger_unit(ledger, &unit, NULL), HR_OK);
    assert_string_equal(unit, "");
    hr_text_free(unit);
    assert_int_equal(hr_ledger_set_unit(ledger, "patient_id", NULL), HR_OK);
    assert_int_equal(hr_ledger_reserve(ledger, .1, 0, "persons", &entry, NULL), HR_E_POLICY);
    assert_int_equal(hr_ledger_set_unit(ledger, NULL, NULL), HR_OK);
    assert_int_equal(hr_ledger_reserve(ledger, .1, 0, "records", &entry, NULL), HR_OK);
    hr_ledger_close(ledger);
    assert_string_equal(query_database(s->path, "SELECT group_concat(id || unit) FROM entries"), "1,2");
    assert_true(query_database(s->path, "UPDATE limits SET unit = 'x'")[0]);
    assert_true(query_database(s->path, "UPDATE entries SET unit = 'x'")[0]);
    assert_true(query_database(s->path, "INSERT INTO entries (purpose, epsilon_units, delta_units)"
                                        " VALUES ('as an older library does', 1, 0)")[0]);
}

static void test_upgrade__makes_nothing_else(void **state) {
    temp_dir *s = *state;
    static const char all[] =
        "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_schema ORDER BY name)";
    copy_old(s);
    hr_ledger_close(open_old(s));
    assert_string_equal(query_database(s->path, all),
                        "entries entries_begin entries_end entries_exist entries_stay entries_unit"
                        " entry_unit_stays frozen_stays limits limits_exist limits_stay spending"
                        " sqlite_sequence unit_stays");
}

/* Numbers go on, and what was reserved before the upgrade stays spent for every process. */
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

/* A process of an older library that had the file open before can still end what it has reserved. It gets no
 * more budget: it asks for a column that has another name now. */
static void test_upgrade__lets_an_open_ledger_end_its_entries(void **state) {
    temp_dir *s = *state;
    copy_old(s);
    sqlite3 *old = NULL;
    assert_int_equal(sqlite3_open(s->path, &old), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(old, "INSERT INTO entries (purpose, epsilon_units, delta_units) VALUES ('old', 1, 0)", 0,
                     0, 0),
        SQLITE_OK);
    hr_ledger *ledger = open_old(s);
    assert_int_equal(
        sqlite3_exec(old, "UPDATE entries SET state = 'committed' WHERE id = 3 AND state = 'reserved'", 0, 0,
                     0),
        SQLITE_OK);
    assert_int_equal(sqlite3_exec(old, "SELECT closed IS NOT NULL FROM limits", 0, 0, 0), SQLITE_ERROR);
    assert_int_equal(sqlite3_close(old), SQLITE_OK);
    hr_ledger_close(ledger);
    assert_string_equal(query_database(s->path, "SELECT state FROM entries WHERE id = 3"), "committed");
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

/* ---- Version 2 ---- */

static void test_upgrade_2__keeps_every_entry(void **state) {
    temp_dir *s = *state;
    char before[512];
    copy_file(s, versions[1]);
    assert_string_equal(query_database(s->path, "PRAGMA user_version"), "2");
    snprintf(before, sizeof before, "%s", query_database(s->path, entries));
    for (int opened = 0; opened < 2; opened++) {
        hr_ledger *ledger = open_old(s);
        hr_ledger_total total = {0};
        assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
        assert_true(total.epsilon_limit == 3 && total.entries == 3 && !total.frozen);
        assert_true(total.epsilon_spent == .625);
        hr_ledger_close(ledger);
        assert_string_equal(query_database(s->path, entries), before);
        assert_string_equal(query_database(s->path, "PRAGMA user_version"), "4");
        assert_string_equal(query_database(s->path, "PRAGMA integrity_check"), "ok");
    }
    assert_non_null(strstr(before, "1 2026-11-22T14:57:13Z fit hedge for y 274877906944 0 void;2 "));
}

/* The time as well; and what was frozen stays so. */
static void test_upgrade_2__keeps_a_frozen_ledger_frozen(void **state) {
    temp_dir *s = *state;
    for (size_t v = 0; v < COUNT(versions); v++) {
        hr_ledger_total total = {0};
        int64_t entry = 0;
        copy_file(s, versions[v]);
        query_database(s->path, v < 2 ? "UPDATE limits SET closed = '2026-11-22T15:00:00Z'"
                                      : "UPDATE limits SET frozen = '2026-11-22T15:00:00Z'");
        hr_ledger *ledger = open_old(s);
        assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
        assert_true(total.frozen);
        assert_int_equal(hr_ledger_reserve(ledger, .125, 0, "more", &entry, NULL), HR_E_POLICY);
        assert_int_equal(hr_ledger_freeze(ledger, NULL), HR_OK);
        hr_ledger_close(ledger);
        assert_string_equal(query_database(s->path, "UPDATE limits SET frozen = NULL"),
                            "a frozen ledger stays frozen");
        assert_string_equal(query_database(s->path, "SELECT frozen FROM limits"), "2026-11-22T15:00:00Z");
    }
}

/* ---- Journals of version 1 ---- */

static hr_status show_packet(void *user, const char *to, uint64_t sequence, hr_blob packet) {
    snprintf(user, 64, "%s %d %.*s", to, (int)sequence, (int)packet.size, (const char *)packet.at);
    return HR_OK;
}

/* Its job stays known and numbered, and its packet is delivered; a new one follows. */
static void check_upgraded_journal(hr_journal *journal) {
    static const uint8_t id[HR_JOURNAL_ID] = "first job";
    const hr_journal_event event = {.kind = 1, .from = "bob", .sequence = 9};
    bool known = false;
    uint64_t taken = 0, posted = 0;
    char packet[64] = "";
    assert_int_equal(hr_journal_knows(journal, id, &known, NULL), HR_OK);
    assert_int_equal(hr_journal_taken(journal, id, "ann", &taken, NULL), HR_OK);
    assert_int_equal(hr_journal_posted(journal, id, "ann", &posted, NULL), HR_OK);
    assert_true(known && taken == 4 && posted == 2);
    assert_int_equal(hr_journal_each_packet(journal, show_packet, packet, NULL), HR_OK);
    assert_string_equal(packet, "ann 2 two");
    assert_int_equal(hr_journal_begin(journal, NULL), HR_OK);
    assert_int_equal(hr_journal_received(journal, id, "ann", 2, NULL), HR_OK);
    assert_int_equal(hr_journal_add_event(journal, id, &event, NULL), HR_OK);
    assert_int_equal(hr_journal_post(journal, id, "bob", 1, (hr_blob){0}, NULL), HR_OK);
    assert_int_equal(hr_journal_commit(journal, NULL), HR_OK);
}

static const char tables[] = "SELECT group_concat(replace(sql, char(34), ''), ';') FROM (SELECT sql FROM "
                             "sqlite_schema WHERE tbl_name IN ('jobs', 'events', 'parties', 'packets') "
                             "ORDER BY name)";

/* Made or upgraded, the tables are the same. */
static void check_journal_tables(const temp_dir *s) {
    char upgraded[2048];
    hr_journal *journal = NULL;
    snprintf(upgraded, sizeof upgraded, "%s", query_database(s->path, tables));
    assert_int_equal(unlink(s->path), 0);
    assert_int_equal(hr_journal_open(s->path, &journal, NULL), HR_OK);
    hr_journal_close(journal);
    assert_string_equal(query_database(s->path, tables), upgraded);
}

static void test_journal_of_a_ledger__is_upgraded_with_it(void **state) {
    temp_dir *s = *state;
    hr_journal *journal = NULL;
    copy_file(s, versions[1]);
    hr_ledger *ledger = open_old(s);
    assert_int_equal(hr_journal_of_ledger(ledger, &journal, NULL), HR_OK);
    check_upgraded_journal(journal);
    hr_journal_close(journal);
    hr_ledger_close(ledger);
    check_journal_tables(s);
}

static void test_journal__is_upgraded(void **state) {
    temp_dir *s = *state;
    hr_journal *journal = NULL;
    copy_file(s, HR_TESTS_DIR "/privacy/ledger/journal-1.db");
    assert_int_equal(hr_journal_open(s->path, &journal, NULL), HR_OK);
    check_upgraded_journal(journal);
    hr_journal_close(journal);
    assert_string_equal(query_database(s->path, "PRAGMA user_version"), "2");
    check_journal_tables(s);
}

/* Neither is changed: the older version can go on. */
static void test_journal__with_an_unfinished_job_is_refused(void **state) {
    temp_dir *s = *state;
    hr_journal *journal = NULL;
    hr_ledger *ledger = NULL;
    hr_error err = {0};
    copy_file(s, HR_TESTS_DIR "/privacy/ledger/journal-1.db");
    query_database(s->path, "UPDATE jobs SET over = 0");
    assert_int_equal(hr_journal_open(s->path, &journal, &err), HR_E_FORMAT);
    check_file_error(&err, HR_E_FORMAT, "an earlier version of Hedgerow began is not over", s->path);
    assert_string_equal(query_database(s->path, "PRAGMA user_version"), "1");
    assert_string_equal(query_database(s->path, "SELECT taken FROM parties"), "4");
    copy_file(s, versions[1]);
    query_database(s->path, "UPDATE jobs SET over = 0");
    assert_int_equal(hr_ledger_open(s->path, &ledger, &err), HR_E_FORMAT);
    check_file_error(&err, HR_E_FORMAT, "an earlier version of Hedgerow began is not over", s->path);
    assert_string_equal(query_database(s->path, "PRAGMA user_version"), "2");
    assert_string_equal(query_database(s->path, "SELECT closed IS NULL FROM limits"), "1");
    assert_true(ledger == NULL && journal == NULL);
}

static void test_journal__in_use_is_not_upgraded(void **state) {
    temp_dir *s = *state;
    hr_file_lock *server = NULL;
    hr_ledger *ledger = NULL;
    hr_error err = {0};
    copy_file(s, versions[1]);
    assert_int_equal(hr_file_lock_take(s->path, &server, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(s->path, &ledger, &err), HR_E_BUSY);
    check_file_error(&err, HR_E_BUSY, "uses this file since", s->path);
    assert_string_equal(query_database(s->path, "PRAGMA user_version"), "2");
    hr_file_lock_release(server);
    hr_ledger_close(open_old(s));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_dir_open, temp_dir_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_upgrade__keeps_every_entry),
        TEST(test_upgrade__makes_the_same_layout),
        TEST(test_upgrade__makes_nothing_else),
        TEST(test_upgrade__to_units_says_records),
        TEST(test_upgrade__goes_on),
        TEST(test_upgrade__lets_an_open_ledger_end_its_entries),
        TEST(test_upgrade__happens_once),
        TEST(test_upgrade__takes_a_journal),
        TEST(test_upgrade_2__keeps_every_entry),
        TEST(test_upgrade_2__keeps_a_frozen_ledger_frozen),
        TEST(test_journal_of_a_ledger__is_upgraded_with_it),
        TEST(test_journal__is_upgraded),
        TEST(test_journal__with_an_unfinished_job_is_refused),
        TEST(test_journal__in_use_is_not_upgraded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
