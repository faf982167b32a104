/* Reservations that are given back: by whom, when, and what stays in the file. */
#include "privacy/ledger/spend.h"
#include "support/temp_dir.h"

#include <signal.h>
#include <sys/wait.h>

static hr_ledger *start(const temp_dir *s, double epsilon) {
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_create(s->path, epsilon, 0.5, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    return ledger;
}

static int64_t reserve(hr_ledger *ledger, double epsilon) {
    int64_t entry = 0;
    assert_int_equal(hr_ledger_reserve(ledger, epsilon, 0.125, "run", &entry, NULL), HR_OK);
    return entry;
}

static double spent(hr_ledger *ledger) {
    hr_ledger_total total = {0};
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    assert_true(total.delta_spent == total.epsilon_spent / 8);
    return total.epsilon_spent;
}

typedef struct search {
    int64_t id;
    int state;
} search;

static bool look(void *user, const hr_ledger_entry *entry) {
    search *s = user;
    if (entry->id == s->id) s->state = (int)entry->state;
    return true;
}

/* -1: there is no such entry. */
static int state_of(hr_ledger *ledger, int64_t id) {
    search s = {id, -1};
    assert_int_equal(hr_ledger_each(ledger, look, &s, NULL), HR_OK);
    return s.state;
}

static void refuse(hr_ledger *ledger, int64_t entry, hr_status status, const char *words) {
    hr_error err = {0};
    double before = spent(ledger);
    assert_int_equal(hr_ledger_void(ledger, entry, &err), status);
    check_file_error(&err, status, words, "ledger.db");
    assert_int_equal(hr_ledger_void(ledger, entry, NULL), status);
    assert_true(spent(ledger) == before);
}

static void test_void__gives_back_what_was_reserved(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 2);
    int64_t kept = reserve(ledger, 1), given = reserve(ledger, 1), more = 0;
    assert_int_equal(hr_ledger_reserve(ledger, 1, 0.125, "run", &more, NULL), HR_E_BUDGET);
    assert_int_equal(hr_ledger_void(ledger, given, NULL), HR_OK);
    assert_true(spent(ledger) == 1);
    assert_int_equal(state_of(ledger, given), HR_ENTRY_VOID);
    assert_int_equal(state_of(ledger, kept), HR_ENTRY_RESERVED);
    hr_ledger_close(ledger);
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    assert_true(spent(ledger) == 1);
    assert_int_equal(state_of(ledger, given), HR_ENTRY_VOID);
    more = reserve(ledger, 1);
    assert_true(more > given);
    assert_true(spent(ledger) == 2);
    hr_ledger_close(ledger);
    assert_string_equal(query_database(s->path, "SELECT count(*) || ' ' || sum(epsilon) FROM spending"),
                        "2 2.0");
}

static void test_void__takes_a_reservation_once(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 9);
    int64_t done = reserve(ledger, 1), given = reserve(ledger, 1), open = reserve(ledger, 1);
    assert_int_equal(hr_ledger_commit(ledger, done, NULL), HR_OK);
    refuse(ledger, done, HR_E_ARGUMENT, "committed already");
    assert_int_equal(hr_ledger_void(ledger, given, NULL), HR_OK);
    refuse(ledger, given, HR_E_ARGUMENT, "void or");
    assert_int_equal(hr_ledger_commit(ledger, given, NULL), HR_E_ARGUMENT);
    assert_int_equal(state_of(ledger, given), HR_ENTRY_VOID);
    static const int64_t wrong[] = {0, -1, 99, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuse(ledger, wrong[i], HR_E_POLICY, "this handle");
    assert_int_equal(state_of(ledger, open), HR_ENTRY_RESERVED);
    hr_ledger_close(ledger);
}

/* Even in the same process: a new opening of the ledger knows nothing of the runs before. */
static void test_void__is_for_the_handle_that_reserved(void **state) {
    temp_dir *s = *state;
    hr_ledger *one = start(s, 9), *two = NULL;
    int64_t entry = reserve(one, 1);
    assert_int_equal(hr_ledger_open(s->path, &two, NULL), HR_OK);
    refuse(two, entry, HR_E_POLICY, "this handle");
    int64_t other = reserve(two, 1);
    refuse(one, other, HR_E_POLICY, "this handle");
    refuse(two, entry, HR_E_POLICY, "this handle");
    assert_int_equal(hr_ledger_commit(two, entry, NULL), HR_OK);
    refuse(one, entry, HR_E_ARGUMENT, "committed already");
    hr_ledger_close(one);
    assert_int_equal(hr_ledger_open(s->path, &one, NULL), HR_OK);
    refuse(one, other, HR_E_POLICY, "this handle");
    assert_int_equal(hr_ledger_void(two, other, NULL), HR_OK);
    hr_ledger_close(one);
    hr_ledger_close(two);
}

/* What a larger transaction reserves may be rolled back, and its number be another's: it is never remembered.
 */
static void test_void__is_not_for_parts_of_transactions(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 9), *other = NULL;
    int64_t entry = 0;
    for (int rolled_back = 0; rolled_back < 2; rolled_back++) {
        assert_int_equal(sqlite3_exec(hr_ledger_file(ledger), "BEGIN IMMEDIATE", NULL, NULL, NULL),
                         SQLITE_OK);
        assert_int_equal(hr_ledger_reserve_within(ledger, 1, 0.125, "part", &entry, NULL), HR_OK);
        assert_int_equal(
            sqlite3_exec(hr_ledger_file(ledger), rolled_back ? "ROLLBACK" : "COMMIT", NULL, NULL, NULL),
            SQLITE_OK);
        if (!rolled_back) refuse(ledger, entry, HR_E_POLICY, "this handle");
    }
    assert_int_equal(hr_ledger_open(s->path, &other, NULL), HR_OK);
    assert_int_equal(reserve(other, 1), entry);
    refuse(ledger, entry, HR_E_POLICY, "this handle");
    hr_ledger_close(ledger);
    hr_ledger_close(other);
}

static void test_void__works_on_a_frozen_ledger(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 9);
    int64_t entry = reserve(ledger, 1);
    assert_int_equal(hr_ledger_freeze(ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_void(ledger, entry, NULL), HR_OK);
    assert_true(spent(ledger) == 0);
    hr_ledger_close(ledger);
}

static void test_layout__lets_states_only_move_on(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 9);
    int64_t done = reserve(ledger, 1), given = reserve(ledger, 1);
    assert_int_equal(hr_ledger_commit(ledger, done, NULL), HR_OK);
    assert_int_equal(hr_ledger_void(ledger, given, NULL), HR_OK);
    static const char *const undone[] = {"UPDATE entries SET state = 'void' WHERE id = 1",
                                         "UPDATE entries SET state = 'reserved' WHERE id = 1",
                                         "UPDATE entries SET state = 'reserved' WHERE id = 2",
                                         "UPDATE entries SET state = 'committed' WHERE id = 2",
                                         "UPDATE entries SET state = 'forgotten' WHERE id = 2",
                                         "UPDATE entries SET state = NULL WHERE id = 2",
                                         "DELETE FROM entries WHERE state = 'void'",
                                         "UPDATE entries SET epsilon_units = 1 WHERE state = 'void'",
                                         ("INSERT INTO entries (purpose, epsilon_units, delta_units, state, "
                                          "unit) VALUES ('gift', 1, 0, 'void', '')")};
    for (size_t i = 0; i < sizeof undone / sizeof *undone; i++)
        assert_true(query_database(s->path, undone[i])[0]);
    assert_string_equal(query_database(s->path, "SELECT group_concat(state) FROM entries"), "committed,void");
    hr_ledger_close(ledger);
}

/* ---- Processes ---- */

enum { RACERS = 8, TURNS = 25, ROOM = 5 };

/* Reserves one of few places, and gives back two of three; fails if there were ever more than ROOM. */
static void race(const char *path, int gate) {
    char byte;
    hr_ledger *ledger = NULL;
    int committed = 0;
    if (read(gate, &byte, 1) != 0 || hr_ledger_open(path, &ledger, NULL)) _exit(99);
    for (int turn = 0; turn < TURNS; turn++) {
        int64_t entry = 0;
        hr_ledger_total total;
        hr_status status = hr_ledger_reserve(ledger, 1, 0, "race", &entry, NULL);
        if (hr_ledger_sum(ledger, &total, NULL) || total.epsilon_spent > ROOM) _exit(98);
        if (status == HR_E_BUDGET) continue;
        if (status) _exit(97);
        bool commits = turn == TURNS - 1 && committed == 0;
        if ((commits ? hr_ledger_commit : hr_ledger_void)(ledger, entry, NULL)) _exit(96);
        committed += commits;
    }
    hr_ledger_close(ledger);
    _exit(committed);
}

static void test_processes__never_exceed_the_limit(void **state) {
    temp_dir *s = *state;
    int gate[2], committed = 0;
    assert_int_equal(hr_ledger_create(s->path, ROOM, 0, NULL), HR_OK);
    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < RACERS; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            close(gate[1]);
            race(s->path, gate[0]);
        }
    }
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < RACERS; i++) {
        int status = 0;
        assert_true(wait(&status) > 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
        committed += WEXITSTATUS(status);
    }
    hr_ledger *ledger = NULL;
    hr_ledger_total total = {0};
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    assert_int_equal(hr_ledger_sum(ledger, &total, NULL), HR_OK);
    assert_true(committed >= 1 && committed <= ROOM && total.epsilon_spent == committed);
    hr_ledger_close(ledger);
}

/* Reserves and tells of it; voids every second entry before it tells. */
static void storm(const char *path, int told) {
    hr_ledger *ledger = NULL;
    if (hr_ledger_open(path, &ledger, NULL)) _exit(9);
    for (;;) {
        int64_t entry = 0;
        if (hr_ledger_reserve(ledger, 1.0 / 1024, 0.125 / 1024, "storm", &entry, NULL)) _exit(7);
        if (entry % 2 == 0 && hr_ledger_void(ledger, entry, NULL)) _exit(6);
        if (write(told, &entry, sizeof entry) != sizeof entry) _exit(5);
    }
}

/* What was told of stays as it was told; nobody can give back the rest. */
static void check_storm(hr_ledger *ledger, int64_t last) {
    for (int64_t entry = 1; entry <= last; entry++) {
        if (entry % 2 == 0) assert_int_equal(state_of(ledger, entry), HR_ENTRY_VOID);
        if (entry % 2 == 1) assert_int_equal(state_of(ledger, entry), HR_ENTRY_RESERVED);
        assert_int_equal(hr_ledger_void(ledger, entry, NULL), HR_E_POLICY);
    }
}

static void test_kill__leaves_spent_what_was_not_given_back(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_create(s->path, 1e6, 0.999, NULL), HR_OK);
    for (int64_t killed = 1; killed <= 6; killed++) {
        int told[2];
        int64_t entry = 0, last = 0;
        assert_int_equal(pipe(told), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            close(told[0]);
            storm(s->path, told[1]);
        }
        close(told[1]);
        for (int64_t i = 0; i < killed && read(told[0], &entry, sizeof entry) == sizeof entry; i++)
            last = entry;
        assert_int_equal(kill(child, SIGKILL), 0);
        while (read(told[0], &entry, sizeof entry) == sizeof entry) last = entry;
        close(told[0]);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
        if (killed == 1) check_storm(ledger, last);
        refuse(ledger, last, HR_E_POLICY, "this handle");
        hr_ledger_close(ledger);
    }
    assert_string_equal(query_database(s->path, "PRAGMA integrity_check"), "ok");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_dir_open, temp_dir_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_void__gives_back_what_was_reserved),
        TEST(test_void__takes_a_reservation_once),
        TEST(test_void__is_for_the_handle_that_reserved),
        TEST(test_void__is_not_for_parts_of_transactions),
        TEST(test_void__works_on_a_frozen_ledger),
        TEST(test_layout__lets_states_only_move_on),
        TEST(test_processes__never_exceed_the_limit),
        TEST(test_kill__leaves_spent_what_was_not_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
