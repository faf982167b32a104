/* Many processes at once, and processes that are killed: what was promised to a child stays spent. */
#include "support/temp_dir.h"

#include <signal.h>
#include <sys/wait.h>

static void exit_child(int code, const hr_error *err) {
    print_error("a child failed: %s\n", err->message);
    _exit(code);
}

static hr_ledger *open_or_exit(const char *path) {
    hr_ledger *ledger = NULL;
    hr_error err;
    if (hr_ledger_open(path, &ledger, &err)) exit_child(9, &err);
    return ledger;
}

static pid_t start_child(void) {
    pid_t child = fork();
    assert_true(child >= 0);
    return child;
}

/* 0: reserved; 1: refused for want of budget; 2: anything else. Begins when `gate` closes. */
static void reserve_once(const char *path, int gate, double epsilon) {
    char byte;
    if (read(gate, &byte, 1) != 0) _exit(8);
    hr_ledger *ledger = open_or_exit(path);
    int64_t entry = 0;
    hr_status status = hr_ledger_reserve(ledger, epsilon, 0, "race", &entry, NULL);
    hr_ledger_close(ledger);
    _exit(status == HR_OK ? 0 : status == HR_E_BUDGET ? 1 : 2);
}

static void race(const char *path, double limit, double epsilon) {
    int gate[2], outcomes[3] = {0};
    assert_int_equal(hr_ledger_create(path, limit, 0, NULL), HR_OK);
    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < 8; i++) {
        if (start_child() == 0) {
            close(gate[1]);
            reserve_once(path, gate[0], epsilon);
        }
    }
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < 8; i++) {
        int status = 0;
        assert_true(wait(&status) > 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 3);
        outcomes[WEXITSTATUS(status)]++;
    }
    assert_int_equal(outcomes[0], 5);
    assert_int_equal(outcomes[1], 3);
    hr_ledger *ledger = NULL;
    hr_ledger_total total = {0};
    assert_int_equal(hr_ledger_open(path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    assert_true(total.entries == 5 && total.epsilon_spent == limit);
    hr_ledger_close(ledger);
}

static void test_processes__share_one_budget(void **state) {
    temp_dir *s = *state;
    for (int round = 0; round < 10; round++) {
        race(s->path, 5, 1);
        assert_int_equal(unlink(s->path), 0);
    }
}

/* So little of the delta that no storm, however long it is let, uses up the ledger's. */
static const double storm_delta = 0x1p-30;

/* Reserves for ever, and tells the parent of every reservation once it is promised. With `commits`, every
 * second one is committed before it is told. */
static void storm(const char *path, int told, bool commits) {
    hr_ledger *ledger = open_or_exit(path);
    for (;;) {
        int64_t entry = 0;
        hr_error err;
        if (hr_ledger_reserve(ledger, 0x1p-10, storm_delta, "storm", &entry, &err)) exit_child(7, &err);
        if (commits && entry % 2 == 0 && hr_ledger_commit(ledger, entry, &err)) exit_child(6, &err);
        if (write(told, &entry, sizeof entry) != sizeof entry) _exit(5);
    }
}

/* Kills a storm after `wanted` promises; returns how many were made in all. */
static uint64_t kill_after(const char *path, uint64_t wanted, bool commits) {
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t child = start_child();
    if (child == 0) {
        close(told[0]);
        storm(path, told[1], commits);
    }
    close(told[1]);
    uint64_t promises = 0;
    int64_t entry = 0;
    while (promises < wanted && read(told[0], &entry, sizeof entry) == sizeof entry) promises++;
    assert_int_equal(kill(child, SIGKILL), 0);
    while (read(told[0], &entry, sizeof entry) == sizeof entry) promises++;
    close(told[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return promises;
}

static bool count_committed(void *user, const hr_ledger_entry *entry) {
    uint64_t *committed = user;
    *committed += entry->state == HR_ENTRY_COMMITTED;
    return true;
}

/* Everything promised is spent; beyond it at most what each killed child had in hand. */
static void check_spent(const char *path, uint64_t promises, uint64_t in_hand) {
    assert_string_equal(query_database(path, "PRAGMA integrity_check"), "ok");
    hr_ledger *ledger = NULL;
    hr_ledger_total total = {0};
    assert_int_equal(hr_ledger_open(path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    assert_in_range(total.entries, promises, promises + in_hand);
    assert_true(total.epsilon_spent == (double)total.entries * 0x1p-10 &&
                total.delta_spent == (double)total.entries * storm_delta);
    hr_ledger_close(ledger);
}

static void test_kill__never_loses_what_was_promised(void **state) {
    temp_dir *s = *state;
    assert_int_equal(hr_ledger_create(s->path, 1e6, 0.999, NULL), HR_OK);
    uint64_t promises = 0;
    for (uint64_t killed = 1; killed <= 24; killed++) {
        promises += kill_after(s->path, killed % 12, killed % 2);
        check_spent(s->path, promises, killed);
    }
    assert_true(promises >= 132);
}

/* The parent kills one child in its storm while another goes on. */
static void test_kill__does_not_disturb_others(void **state) {
    temp_dir *s = *state;
    assert_int_equal(hr_ledger_create(s->path, 1e6, 0.999, NULL), HR_OK);
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t other = start_child();
    if (other == 0) {
        close(told[0]);
        storm(s->path, told[1], false);
    }
    close(told[1]);
    uint64_t promises = 0, others = 1;
    int64_t first = 0;
    assert_int_equal(read(told[0], &first, sizeof first), sizeof first);
    for (int i = 0; i < 6; i++) promises += kill_after(s->path, 5, true);
    assert_int_equal(kill(other, SIGKILL), 0);
    for (int64_t entry = 0; read(told[0], &entry, sizeof entry) == sizeof entry;) others++;
    close(told[0]);
    int status = 0;
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_true(WIFSIGNALED(status));
    check_spent(s->path, promises + others, 7);
}

/* Reserved, then killed before it commits: the reservation stays spent and can still be committed by its
 * number. */
static void test_kill__leaves_a_reservation_spent(void **state) {
    temp_dir *s = *state;
    assert_int_equal(hr_ledger_create(s->path, 1, 0, NULL), HR_OK);
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t child = start_child();
    if (child == 0) {
        hr_ledger *ledger = open_or_exit(s->path);
        int64_t entry = 0;
        if (hr_ledger_reserve(ledger, 0.75, 0, "run", &entry, NULL)) _exit(7);
        if (write(told[1], &entry, sizeof entry) != sizeof entry) _exit(5);
        for (;;) pause();
    }
    int64_t entry = 0;
    assert_int_equal(read(told[0], &entry, sizeof entry), sizeof entry);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(told[0]);
    close(told[1]);
    hr_ledger *ledger = NULL;
    int64_t more = 0;
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_reserve(ledger, 0.75, 0, "again", &more, NULL), HR_E_BUDGET);
    uint64_t committed = 0;
    assert_int_equal(hr_ledger_each(ledger, count_committed, &committed, NULL), HR_OK);
    assert_int_equal(committed, 0);
    assert_int_equal(hr_ledger_commit(ledger, entry, NULL), HR_OK);
    assert_int_equal(hr_ledger_each(ledger, count_committed, &committed, NULL), HR_OK);
    assert_int_equal(committed, 1);
    hr_ledger_close(ledger);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_dir_open, temp_dir_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_processes__share_one_budget),
        TEST(test_kill__never_loses_what_was_promised),
        TEST(test_kill__does_not_disturb_others),
        TEST(test_kill__leaves_a_reservation_spent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
