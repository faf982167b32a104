/* Another process that keeps the lock: the call waits ten seconds for it, then says so. */
#include "support/temp_dir.h"

static void test_reserve__says_who_holds_the_lock(void **state) {
    temp_dir *s = *state;
    assert_int_equal(hr_ledger_create(s->path, 1, 0, NULL), HR_OK);
    hr_ledger *ledger = NULL;
    sqlite3 *db = NULL;
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    assert_int_equal(sqlite3_open(s->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    hr_error err = {0};
    int64_t entry = 0;
    assert_int_equal(hr_ledger_reserve(ledger, 1, 0, "run", &entry, &err), HR_E_IO);
    check_file_error(&err, HR_E_IO, "locked", "ledger.db");
    assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(hr_ledger_reserve(ledger, 1, 0, "run", &entry, &err), HR_OK);
    hr_ledger_close(ledger);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_reserve__says_who_holds_the_lock, temp_dir_open, temp_dir_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
