/* Copies of the log into the main file ("checkpoints"). SQLite's own file system layer is asked for every
 * lock and every write: none may reach the main file while nobody holds the writer's lock. */
#include "privacy/ledger/journal.h"
#include "privacy/ledger/spend.h"
#include "support/temp_dir.h"

enum { FILES_MAX = 8, WRITER = 0 /* the writer's lock, of the locks of the shared memory */ };

typedef struct main_file {
    sqlite3_file *file; /* NULL: the slot is free */
    bool writer, exclusive;
} main_file;

static sqlite3_vfs *real, watching;
static const sqlite3_io_methods *real_methods;
static sqlite3_io_methods methods;
static main_file files[FILES_MAX];
static size_t writes, unlocked_writes;
static bool other_comes_after_commit, other_writes;

static main_file *find_file(const sqlite3_file *file) {
    for (size_t i = 0; i < FILES_MAX; i++)
        if (files[i].file == file) return &files[i];
    return NULL;
}

static bool is_locked(void) {
    for (size_t i = 0; i < FILES_MAX; i++)
        if (files[i].file && (files[i].writer || files[i].exclusive)) return true;
    return false;
}

static int write_watched(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at) {
    writes++;
    unlocked_writes += !is_locked();
    return real_methods->xWrite(file, bytes, size, at);
}

static int lock_watched(sqlite3_file *file, int level) {
    int code = real_methods->xLock(file, level);
    if (!code) find_file(file)->exclusive = level == SQLITE_LOCK_EXCLUSIVE;
    return code;
}

static int unlock_watched(sqlite3_file *file, int level) {
    find_file(file)->exclusive = false;
    return real_methods->xUnlock(file, level);
}

/* Once another process has come, it keeps the writer's lock. */
static int lock_memory(sqlite3_file *file, int at, int count, int flags) {
    bool exclusive = flags & SQLITE_SHM_EXCLUSIVE, lock = flags & SQLITE_SHM_LOCK;
    if (at != WRITER || !exclusive) return real_methods->xShmLock(file, at, count, flags);
    if (lock && other_writes) return SQLITE_BUSY;
    int code = real_methods->xShmLock(file, at, count, flags);
    if (!code) find_file(file)->writer = lock;
    if (!lock) other_writes = other_comes_after_commit;
    return code;
}

static int close_watched(sqlite3_file *file) {
    *find_file(file) = (main_file){0};
    return real_methods->xClose(file);
}

static int open_watched(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
    (void)vfs;
    int code = real->xOpen(real, path, file, flags, out);
    if (code || !(flags & SQLITE_OPEN_MAIN_DB)) return code;
    main_file *slot = find_file(NULL);
    if (!slot) return SQLITE_FULL;
    *slot = (main_file){.file = file};
    real_methods = file->pMethods;
    methods = *real_methods;
    methods.xWrite = write_watched;
    methods.xLock = lock_watched;
    methods.xUnlock = unlock_watched;
    methods.xShmLock = lock_memory;
    methods.xClose = close_watched;
    file->pMethods = &methods;
    return code;
}

static int watch(void **state) {
    if (temp_dir_open_in_memory(state)) return -1;
    writes = unlocked_writes = 0;
    other_comes_after_commit = other_writes = false;
    real = sqlite3_vfs_find(NULL);
    watching = *real;
    watching.zName = "watching";
    watching.xOpen = open_watched;
    return sqlite3_vfs_register(&watching, 1);
}

static int stop_watching(void **state) {
    sqlite3_vfs_unregister(&watching);
    sqlite3_vfs_register(real, 1);
    return temp_dir_close(state);
}

static hr_ledger *open_ledger(const char *path) {
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_open(path, &ledger, NULL), HR_OK);
    return ledger;
}

static hr_ledger *make_ledger(const char *path) {
    assert_int_equal(hr_ledger_create(path, 100, 0, NULL), HR_OK);
    return open_ledger(path);
}

static void reserve(hr_ledger *ledger) {
    int64_t entry = 0;
    assert_int_equal(hr_ledger_reserve(ledger, 1, 0, "run", &entry, NULL), HR_OK);
}

/* What the main file says without its log. */
static hr_ledger_total total_of_main_file(const temp_dir *s) {
    char path[sizeof s->path + 8];
    size_t size;
    hr_ledger_total total = {0};
    char *bytes = read_file(s->path, &size);
    snprintf(path, sizeof path, "%s-copy", s->path);
    write_file(path, bytes, size);
    free(bytes);
    hr_ledger *copy = open_ledger(path);
    assert_int_equal(hr_ledger_sum(copy, &total, NULL), HR_OK);
    hr_ledger_close(copy);
    assert_int_equal(remove(path), 0);
    return total;
}

static hr_journal_job make_job(hr_journal *journal) {
    hr_journal_job job = {.id = "a job", .coordinator = "coordinator", .terms = {job.id, 0}};
    assert_int_equal(hr_journal_begin(journal, NULL), HR_OK);
    assert_int_equal(hr_journal_add_job(journal, &job, NULL), HR_OK);
    assert_int_equal(hr_journal_commit(journal, NULL), HR_OK);
    return job;
}

enum { LARGE = 8 << 20 };

static void add_event(hr_journal *journal, const hr_journal_job *job, size_t size) {
    static const uint8_t bytes[LARGE];
    hr_journal_event event = {.kind = 1, .from = "", .bytes = {bytes, size}};
    assert_int_equal(hr_journal_begin(journal, NULL), HR_OK);
    assert_int_equal(hr_journal_add_event(journal, job->id, &event, NULL), HR_OK);
    assert_int_equal(hr_journal_commit(journal, NULL), HR_OK);
}

static void test_reservation__is_in_the_main_file_at_once(void **state) {
    const temp_dir *s = *state;
    hr_ledger *ledger = make_ledger(s->path);
    for (int i = 1; i <= 3; i++) {
        writes = 0;
        reserve(ledger);
        assert_true(writes > 0);
        assert_int_equal(total_of_main_file(s).entries, i);
    }
    assert_int_equal(hr_ledger_freeze(ledger, NULL), HR_OK);
    assert_true(total_of_main_file(s).frozen);
    hr_ledger_close(ledger);
    assert_int_equal(unlocked_writes, 0);
}

/* The writer's lock is free after the commit, but not to be had when the copy is due. */
static void test_copy__is_left_to_another_writer(void **state) {
    const temp_dir *s = *state;
    hr_ledger *ledger = make_ledger(s->path);
    reserve(ledger);
    writes = 0;
    other_comes_after_commit = true;
    reserve(ledger);
    assert_true(other_writes);
    assert_int_equal(writes, 0);
    other_comes_after_commit = other_writes = false;
    reserve(ledger);
    assert_int_equal(total_of_main_file(s).entries, 3);
    hr_ledger_close(ledger);
    assert_int_equal(unlocked_writes, 0);
}

static off_t log_size(const temp_dir *s) {
    char log[sizeof s->path + 8];
    struct stat info;
    snprintf(log, sizeof log, "%s-wal", s->path);
    assert_int_equal(stat(log, &info), 0);
    return info.st_size;
}

static void test_journal__is_copied_when_its_log_is_long(void **state) {
    const temp_dir *s = *state;
    hr_ledger *ledger = make_ledger(s->path);
    hr_journal *journal = NULL;
    assert_int_equal(hr_journal_of_ledger(ledger, &journal, NULL), HR_OK);
    hr_journal_job job = make_job(journal);
    reserve(ledger); /* empties the log */
    writes = 0;
    for (int i = 0; i < 5; i++) add_event(journal, &job, 1000);
    assert_int_equal(writes, 0);
    for (int i = 0; i < 500; i++) add_event(journal, &job, 1000);
    assert_true(writes > 0);
    assert_in_range(log_size(s), 1, 1 << 20);
    hr_journal_close(journal);
    hr_ledger_close(ledger);
    assert_int_equal(unlocked_writes, 0);
}

/* Of a ledger's file, and of a journal's own. */
static void test_log__is_short_again_after_a_large_transaction(void **state) {
    const temp_dir *s = *state;
    for (int of_ledger = 1; of_ledger >= 0; of_ledger--) {
        hr_ledger *ledger = of_ledger ? make_ledger(s->path) : NULL;
        hr_journal *journal = NULL;
        assert_int_equal(of_ledger ? hr_journal_of_ledger(ledger, &journal, NULL)
                                   : hr_journal_open(s->path, &journal, NULL),
                         HR_OK);
        hr_journal_job job = make_job(journal);
        add_event(journal, &job, LARGE);
        const off_t full = log_size(s);
        add_event(journal, &job, 1000);
        print_message("the log takes %lld bytes, then %lld\n", (long long)full, (long long)log_size(s));
        assert_true(full > LARGE);
        assert_in_range(log_size(s), 1, 1 << 20);
        hr_journal_close(journal);
        hr_ledger_close(ledger);
        unlink(s->path);
    }
    assert_int_equal(unlocked_writes, 0);
}

static void test_journal__copies_what_it_reserves(void **state) {
    const temp_dir *s = *state;
    hr_ledger *ledger = make_ledger(s->path);
    hr_journal *journal = NULL;
    assert_int_equal(hr_journal_of_ledger(ledger, &journal, NULL), HR_OK);
    hr_journal_job job = make_job(journal);
    assert_int_equal(hr_journal_begin(journal, NULL), HR_OK);
    assert_int_equal(hr_journal_reserve(journal, &job, 1, 0, "job", NULL), HR_OK);
    assert_int_equal(hr_journal_commit(journal, NULL), HR_OK);
    assert_int_equal(total_of_main_file(s).entries, 1);
    hr_journal_close(journal);
    hr_ledger_close(ledger);
    assert_int_equal(unlocked_writes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_reservation__is_in_the_main_file_at_once, watch, stop_watching),
        cmocka_unit_test_setup_teardown(test_copy__is_left_to_another_writer, watch, stop_watching),
        cmocka_unit_test_setup_teardown(test_journal__is_copied_when_its_log_is_long, watch, stop_watching),
        cmocka_unit_test_setup_teardown(test_log__is_short_again_after_a_large_transaction, watch,
                                        stop_watching),
        cmocka_unit_test_setup_teardown(test_journal__copies_what_it_reserves, watch, stop_watching),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
