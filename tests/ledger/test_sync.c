/* A reservation is on the disk before it is granted: the ledger's files are flushed within the call. SQLite's own file system is asked,
 * with a count of its flushes. */
#include "scratch.h"

/* The methods of a file, with another xSync. */
typedef struct counting {
    sqlite3_io_methods methods; /* first: a file points to it */
    const sqlite3_io_methods *real;
} counting;

static sqlite3_vfs *real_system;
static counting kinds[4]; /* files with locks and files without have methods of their own */
static size_t kind_count, flushes;

static int flush(sqlite3_file *file, int flags) {
    flushes++;
    return ((const counting *)file->pMethods)->real->xSync(file, flags);
}

static const sqlite3_io_methods *counting_of(const sqlite3_io_methods *real) {
    for (size_t i = 0; i < kind_count; i++)
        if (kinds[i].real == real) return &kinds[i].methods;
    assert_true(kind_count < 4);
    kinds[kind_count] = (counting){*real, real};
    kinds[kind_count].methods.xSync = flush;
    return &kinds[kind_count++].methods;
}

static int open_counting(sqlite3_vfs *system, const char *name, sqlite3_file *file, int flags, int *out_flags) {
    (void)system;
    int result = real_system->xOpen(real_system, name, file, flags, out_flags);
    if (file->pMethods) file->pMethods = counting_of(file->pMethods);
    return result;
}

static void test_reserve__flushes_before_it_grants(void **state) {
    scratch *s = *state;
    real_system = sqlite3_vfs_find(NULL);
    assert_non_null(real_system);
    sqlite3_vfs system = *real_system;
    system.zName = "counting";
    system.pNext = NULL;
    system.xOpen = open_counting;
    assert_int_equal(sqlite3_vfs_register(&system, 1), SQLITE_OK);
    assert_int_equal(hr_ledger_create(s->path, 100, .1, NULL), HR_OK);
    assert_true(flushes > 0);
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    for (int i = 0; i < 20; i++) {
        int64_t entry = 0;
        size_t before = flushes;
        assert_int_equal(hr_ledger_reserve(ledger, 1, 0, "a run", &entry, NULL), HR_OK);
        assert_true(flushes > before);
        before = flushes;
        assert_int_equal(hr_ledger_commit(ledger, entry, NULL), HR_OK);
        assert_true(flushes > before);
    }
    hr_ledger_close(ledger);
    assert_int_equal(sqlite3_vfs_unregister(&system), SQLITE_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_reserve__flushes_before_it_grants, scratch_open, scratch_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
