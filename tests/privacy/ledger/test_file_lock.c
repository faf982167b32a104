/* One process at a time works from a journal. */
#include "privacy/ledger/file_lock.h"
#include "privacy/ledger/journal.h"
#include "support/temp_dir.h"

#include <sys/wait.h>

static hr_journal *open_own(const char *path) {
    hr_journal *j = NULL;
    assert_int_equal(hr_journal_open(path, &j, NULL), HR_OK);
    return j;
}

static void check_claimed(hr_status status, const hr_error *err) {
    assert_int_equal(status, HR_E_BUSY);
    check_file_error(err, HR_E_BUSY, "another process", "");
}

/* Whether another process could open the journal. */
static bool opens_elsewhere(const char *path) {
    int status = 0;
    pid_t child = fork();
    if (!child) {
        hr_journal *j = NULL;
        _exit(hr_journal_open(path, &j, NULL) != HR_OK);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status) == 0;
}

static void test_file_lock__keeps_others_out_until_it_ends(void **state) {
    temp_dir *s = *state;
    char lock[sizeof s->path + 8], words[80];
    hr_error err = {0};
    struct stat info;
    hr_journal *other = NULL, *j = open_own(s->path);
    snprintf(lock, sizeof lock, "%s.lock", s->path);
    assert_true(!stat(lock, &info) && (info.st_mode & 0777) == 0600);
    snprintf(words, sizeof words, "process %lld uses this file since 20", (long long)getpid());
    assert_int_equal(hr_journal_open(s->path, &other, &err), HR_E_BUSY);
    check_file_error(&err, HR_E_BUSY, words, "");
    write_file(lock, "x", 1);
    check_claimed(hr_journal_open(s->path, &other, &err), &err);
    assert_false(opens_elsewhere(s->path));
    hr_journal_close(j);
    assert_true(stat(lock, &info));
    assert_true(opens_elsewhere(s->path)); /* it ended without closing: its lock is there, and nobody's */
    assert_true(!stat(lock, &info));
    hr_journal_close(open_own(s->path));
}

/* It locks the file itself, by whatever name. */
static void test_file_lock__of_a_key_keeps_others_out(void **state) {
    temp_dir *s = *state;
    char other[sizeof s->path + 8];
    hr_file_lock *lock = NULL, *second = NULL;
    hr_error err = {0};
    snprintf(other, sizeof other, "%s.link", s->path);
    assert_int_equal(hr_file_lock_hold(s->path, &lock, &err), HR_E_IO);
    write_file(s->path, "key", 3);
    assert_int_equal(chmod(s->path, 0400), 0);
    assert_int_equal(symlink(s->path, other), 0);
    assert_int_equal(hr_file_lock_hold(s->path, &lock, NULL), HR_OK);
    check_claimed(hr_file_lock_hold(other, &second, &err), &err);
    hr_file_lock_release(lock);
    assert_int_equal(hr_file_lock_hold(other, &lock, NULL), HR_OK);
    hr_file_lock_release(lock);
    size_t size;
    free(read_file(s->path, &size));
    assert_int_equal(size, 3);
}

static void release_in_a_child(hr_file_lock *lock) {
    int status = 0;
    const pid_t child = fork();
    if (!child) {
        hr_file_lock_release(lock);
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
}

static void test_file_lock__is_not_its_holders_childs(void **state) {
    temp_dir *s = *state;
    hr_file_lock *key = NULL, *journal = NULL, *other = NULL;
    hr_error err = {0};
    write_file(s->path, "key", 3);
    assert_int_equal(hr_file_lock_hold(s->path, &key, NULL), HR_OK);
    assert_int_equal(hr_file_lock_take(s->path, &journal, NULL), HR_OK);
    release_in_a_child(key);
    release_in_a_child(journal);
    check_claimed(hr_file_lock_hold(s->path, &other, &err), &err);
    assert_int_equal(hr_file_lock_take(s->path, &other, &err), HR_E_BUSY);
    hr_file_lock_release(key);
    hr_file_lock_release(journal);
    assert_int_equal(hr_file_lock_hold(s->path, &key, NULL), HR_OK);
    assert_int_equal(hr_file_lock_take(s->path, &journal, NULL), HR_OK);
    hr_file_lock_release(key);
    hr_file_lock_release(journal);
}

static void test_file_lock__leaves_a_ledger_to_those_who_only_spend(void **state) {
    temp_dir *s = *state;
    hr_ledger *served = NULL, *second = NULL;
    hr_journal *j = NULL, *other = NULL;
    hr_error err = {0};
    int64_t entry = 0;
    assert_int_equal(hr_ledger_create(s->path, 1, 0, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(s->path, &served, NULL), HR_OK);
    assert_int_equal(hr_journal_of_ledger(served, &j, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(s->path, &second, NULL), HR_OK);
    assert_int_equal(hr_ledger_reserve(second, .5, 0, "a run", &entry, NULL), HR_OK);
    assert_int_equal(hr_journal_of_ledger(second, &other, &err), HR_E_BUSY);
    check_file_error(&err, HR_E_BUSY, "uses this file since 20", "");
    hr_journal_close(j);
    assert_int_equal(hr_journal_of_ledger(second, &other, NULL), HR_OK);
    hr_journal_close(other);
    hr_ledger_close(second);
    hr_ledger_close(served);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_dir_open, temp_dir_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_file_lock__keeps_others_out_until_it_ends),
        TEST(test_file_lock__of_a_key_keeps_others_out),
        TEST(test_file_lock__is_not_its_holders_childs),
        TEST(test_file_lock__leaves_a_ledger_to_those_who_only_spend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
