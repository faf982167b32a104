/* Files that are no ledger, or no longer one: each is refused with words that help, and left as it is. */
#include "privacy/ledger/store.h"
#include "support/temp_dir.h"

#include <signal.h>
#include <sys/wait.h>

static void refuse(const char *path, hr_status status, const char *words) {
    hr_ledger *ledger = NULL;
    hr_error err = {0};
    assert_int_equal(hr_ledger_open(path, &ledger, &err), status);
    check_file_error(&err, status, words, path);
    assert_null(ledger);
    assert_int_equal(hr_ledger_open(path, &ledger, NULL), status);
}

/* Refused, and not a byte changed. */
static void refuse_untouched(const char *path, hr_status status, const char *words) {
    size_t before = 0, after = 0;
    char *old = read_file(path, &before);
    refuse(path, status, words);
    char *new = read_file(path, &after);
    assert_int_equal(before, after);
    assert_memory_equal(old, new, before);
    free(old);
    free(new);
}

static void make(const temp_dir *s, int entries) {
    hr_ledger *ledger = NULL;
    int64_t entry = 0;
    assert_int_equal(hr_ledger_create(s->path, 1000, 0, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    for (int i = 0; i < entries; i++)
        assert_int_equal(hr_ledger_reserve(ledger, 1, 0, "a run with a purpose", &entry, NULL), HR_OK);
    hr_ledger_close(ledger);
}

static void test_open__refuses_what_is_not_a_file(void **state) {
    temp_dir *s = *state;
    hr_error err = {0};
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_open(NULL, &ledger, &err), HR_E_ARGUMENT);
    check_file_error(&err, HR_E_ARGUMENT, "path", NULL);
    assert_int_equal(hr_ledger_open("", &ledger, &err), HR_E_ARGUMENT);
    refuse(s->path, HR_E_IO, "No such file");
    refuse(s->folder, HR_E_IO, "folder");
    assert_int_equal(mkfifo(s->path, 0600), 0);
    refuse(s->path, HR_E_IO, "pipe");
}

static void test_open__refuses_what_is_not_a_database(void **state) {
    temp_dir *s = *state;
    write_file(s->path, "", 0);
    refuse_untouched(s->path, HR_E_FORMAT, "not a ledger");
    char page[8192];
    memset(page, 'a', sizeof page);
    write_file(s->path, page, 50);
    refuse_untouched(s->path, HR_E_FORMAT, "not a ledger");
    write_file(s->path, page, sizeof page);
    refuse_untouched(s->path, HR_E_FORMAT, "not a ledger");
}

static void test_open__refuses_a_database_of_others(void **state) {
    temp_dir *s = *state;
    query_database(s->path, "PRAGMA journal_mode = WAL; PRAGMA application_id = 77; CREATE TABLE entries "
                            "(id); INSERT INTO entries VALUES (1)");
    refuse_untouched(s->path, HR_E_FORMAT, "not a ledger");
    assert_string_equal(query_database(s->path, "SELECT count(*) FROM entries"), "1");
}

/* A program that crashed leaves its log behind; copying that into its database is not our business. */
static void test_open__leaves_the_log_of_others(void **state) {
    temp_dir *s = *state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sqlite3 *db = NULL;
        if (sqlite3_open(s->path, &db)) _exit(1);
        _exit(sqlite3_exec(db, "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (5)",
                           NULL, NULL, NULL));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    refuse_untouched(s->path, HR_E_FORMAT, "not a ledger");
    assert_string_equal(query_database(s->path, "SELECT x FROM t"), "5");
}

static void test_open__refuses_a_newer_version(void **state) {
    temp_dir *s = *state;
    make(s, 1);
    query_database(s->path, "PRAGMA user_version = 5");
    refuse_untouched(s->path, HR_E_FORMAT, "layout version 5");
    query_database(s->path, "PRAGMA user_version = 0");
    refuse_untouched(s->path, HR_E_FORMAT, "damaged");
}

static void test_open__refuses_every_truncation(void **state) {
    temp_dir *s = *state;
    make(s, 200);
    size_t size = 0;
    char *bytes = read_file(s->path, &size);
    assert_true(size > 5 * 4096);
    static const size_t cuts[] = {1, 99, 100, 101, 511, 512, 4095, 4096, 4097, 3 * 4096, 5 * 4096};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        write_file(s->path, bytes, cuts[i]);
        refuse(s->path, HR_E_FORMAT, cuts[i] < 512 ? "" : "damaged");
    }
    write_file(s->path, bytes, size - 1);
    refuse(s->path, HR_E_FORMAT, "damaged");
    write_file(s->path, bytes, size);
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    hr_ledger_close(ledger);
    free(bytes);
}

static void test_open__refuses_scribbled_pages(void **state) {
    temp_dir *s = *state;
    make(s, 200);
    size_t size = 0;
    char *bytes = read_file(s->path, &size);
    for (size_t page = 1; page < size / 4096; page++) {
        char kept[64];
        memcpy(kept, bytes + page * 4096, sizeof kept);
        memset(bytes + page * 4096, 0x5a, sizeof kept);
        write_file(s->path, bytes, size);
        refuse(s->path, HR_E_FORMAT, "damaged");
        memcpy(bytes + page * 4096, kept, sizeof kept);
    }
    free(bytes);
}

static void test_open__refuses_a_ledger_without_its_tables(void **state) {
    temp_dir *s = *state;
    make(s, 1);
    query_database(s->path, "DROP TRIGGER limits_exist; DELETE FROM limits");
    refuse(s->path, HR_E_FORMAT, "limits");
    query_database(s->path, "DROP TABLE limits");
    refuse(s->path, HR_E_FORMAT, "limits");
}

static void test_sum__refuses_tables_that_were_changed(void **state) {
    temp_dir *s = *state;
    make(s, 1);
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    query_database(s->path, "DROP VIEW spending; DROP TABLE entries");
    hr_error err = {0};
    hr_ledger_total total = {.entries = 7};
    int64_t entry = -7;
    assert_int_equal(hr_ledger_sum(ledger, &total, &err), HR_E_FORMAT);
    check_file_error(&err, HR_E_FORMAT, "damaged", "ledger.db");
    assert_int_equal(hr_ledger_reserve(ledger, 1, 0, "run", &entry, &err), HR_E_FORMAT);
    assert_int_equal(hr_ledger_commit(ledger, 1, &err), HR_E_FORMAT);
    assert_true(total.entries == 7 && entry == -7);
    hr_ledger_close(ledger);
}

/* Rights do not bind root: a child gives them up first. */
static void test_open__needs_the_right_to_write(void **state) {
    temp_dir *s = *state;
    make(s, 1);
    assert_int_equal(chmod(s->folder, 0777), 0);
    assert_int_equal(chmod(s->path, 0444), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534)) _exit(3);
        hr_ledger *ledger = NULL;
        hr_error err = {0};
        hr_status status = hr_ledger_open(s->path, &ledger, &err);
        _exit(status == HR_E_IO && strstr(err.message, "cannot be written") && err.remedy[0] ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Another process that closes the ledger removes what SQLite keeps beside it. */
static void test_open__does_not_mind_that_files_beside_it_go(void **state) {
    temp_dir *s = *state;
    char beside[sizeof s->path + 8];
    snprintf(beside, sizeof beside, "%s-shm", s->path);
    make(s, 1);
    pid_t child = fork();
    assert_true(child >= 0);
    while (child == 0) {
        write_file(beside, "", 0);
        if (remove(beside)) _exit(1);
    }
    hr_status status = HR_OK;
    for (int i = 0; !status && i < 2000; i++) {
        sqlite3 *db = NULL;
        status = hr_store_connect(s->path, &db, NULL);
        sqlite3_close(db);
    }
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(status, HR_OK);
}

/* What a start without the right to write left beside the file, before this was checked. */
static void test_open__names_the_file_that_cannot_be_written(void **state) {
    temp_dir *s = *state;
    char beside[sizeof s->path + 8];
    struct stat info;
    snprintf(beside, sizeof beside, "%s-shm", s->path);
    make(s, 1);
    assert_int_equal(chmod(s->folder, 0777), 0);
    for (int step = 0; step < 2; step++) {
        assert_int_equal(chmod(s->path, step ? 0666 : 0444), 0);
        if (step) write_file(beside, "", 0);
        if (step) assert_int_equal(chmod(beside, 0444), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            if (geteuid() == 0 && setuid(65534)) _exit(3);
            hr_ledger *ledger = NULL;
            hr_error err = {0};
            hr_status status = hr_ledger_open(s->path, &ledger, &err);
            _exit(status == HR_E_IO && strstr(err.message, step ? "ledger.db-shm' cannot be written"
                                                                : "ledger.db' cannot be written")
                      ? 0
                      : 1);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        if (!step) assert_true(stat(beside, &info));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_dir_open, temp_dir_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_open__refuses_what_is_not_a_file),
        TEST(test_open__refuses_what_is_not_a_database),
        TEST(test_open__refuses_a_database_of_others),
        TEST(test_open__leaves_the_log_of_others),
        TEST(test_open__refuses_a_newer_version),
        TEST(test_open__refuses_every_truncation),
        TEST(test_open__refuses_scribbled_pages),
        TEST(test_open__refuses_a_ledger_without_its_tables),
        TEST(test_sum__refuses_tables_that_were_changed),
        TEST(test_open__needs_the_right_to_write),
        TEST(test_open__does_not_mind_that_files_beside_it_go),
        TEST(test_open__names_the_file_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
