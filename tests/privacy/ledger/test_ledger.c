/* What a ledger promises its owner in one process: limits, entries, sealing, words. */
#include "privacy/accountant.h"
#include "privacy/ledger/delta.h"
#include "support/temp_dir.h"

#include <math.h>

static hr_ledger *start(const temp_dir *s, double epsilon, double delta) {
    hr_ledger *ledger = NULL;
    assert_int_equal(hr_ledger_create(s->path, epsilon, delta, NULL), HR_OK);
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    return ledger;
}

static int64_t reserve(hr_ledger *ledger, double epsilon, double delta, const char *purpose) {
    int64_t entry = 0;
    hr_error err = {0};
    if (hr_ledger_reserve(ledger, epsilon, delta, purpose, &entry, &err)) fail_msg("%s", err.message);
    return entry;
}

static hr_ledger_total total(hr_ledger *ledger) {
    hr_ledger_total sum = {0};
    assert_int_equal(hr_ledger_sum(ledger, &sum, NULL), HR_OK);
    return sum;
}

static void test_create__makes_an_empty_private_file(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 2, 1e-6);
    hr_ledger_total sum = total(ledger);
    hr_ledger_close(ledger);
    assert_true(sum.epsilon_limit == 2 && sum.epsilon_spent == 0 && sum.delta_spent == 0);
    assert_true(sum.delta_limit <= 1e-6 && sum.delta_limit > 1e-6 - 1e-18);
    assert_int_equal(sum.entries, 0);
    assert_false(sum.frozen);
    struct stat info;
    assert_int_equal(stat(s->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_string_equal(query_database(s->path, "PRAGMA journal_mode"), "wal");
}

static void test_create__refuses_an_existing_file_and_leaves_it(void **state) {
    temp_dir *s = *state;
    write_file(s->path, "event_log", 5);
    hr_error err = {0};
    assert_int_equal(hr_ledger_create(s->path, 1, 0, &err), HR_E_IO);
    check_file_error(&err, HR_E_IO, "exists", s->path);
    size_t size = 0;
    char *bytes = read_file(s->path, &size);
    assert_int_equal(size, 5);
    assert_memory_equal(bytes, "event_log", 5);
    free(bytes);
    assert_int_equal(hr_ledger_create(s->folder, 1, 0, &err), HR_E_IO);
}

static void test_create__refuses_an_existing_ledger(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 1, 0);
    reserve(ledger, 0.5, 0, "run");
    assert_int_equal(hr_ledger_create(s->path, 100, 0, NULL), HR_E_IO);
    assert_true(total(ledger).epsilon_spent == 0.5 && total(ledger).epsilon_limit == 1);
    hr_ledger_close(ledger);
}

static void test_create__refuses_amounts_that_are_none(void **state) {
    temp_dir *s = *state;
    static const double epsilons[] = {0, -1, NAN, INFINITY, -INFINITY, 1048577, 1e300, 1e-13};
    static const double deltas[] = {-1e-9, 1, 1.5, NAN, INFINITY};
    hr_error err = {0};
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        assert_int_equal(hr_ledger_create(s->path, epsilons[i], 0, &err), HR_E_ARGUMENT);
        check_file_error(&err, HR_E_ARGUMENT, "epsilon", NULL);
        assert_string_equal(err.field, "epsilon");
    }
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        assert_int_equal(hr_ledger_create(s->path, 1, deltas[i], &err), HR_E_ARGUMENT);
        assert_string_equal(err.field, "delta");
    }
    assert_int_equal(hr_ledger_create(NULL, 1, 0, &err), HR_E_ARGUMENT);
    assert_int_equal(hr_ledger_create("", 1, 0, NULL), HR_E_ARGUMENT);
    assert_int_not_equal(access(s->path, F_OK), 0);
}

static void test_create__needs_the_folder(void **state) {
    temp_dir *s = *state;
    char path[160];
    snprintf(path, sizeof path, "%s/none/ledger.db", s->folder);
    hr_error err = {0};
    assert_int_equal(hr_ledger_create(path, 1, 0, &err), HR_E_IO);
    check_file_error(&err, HR_E_IO, "No such file", path);
}

static void test_create__takes_names_that_sqlite_reads_otherwise(void **state) {
    temp_dir *s = *state;
    assert_int_equal(chdir(s->folder), 0);
    static const char *const names[] = {":memory:", "file:x?mode=memory", "a'b;--.db"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hr_ledger *ledger = NULL;
        assert_int_equal(hr_ledger_create(names[i], 1, 0, NULL), HR_OK);
        assert_int_equal(access(names[i], F_OK), 0);
        assert_int_equal(hr_ledger_open(names[i], &ledger, NULL), HR_OK);
        reserve(ledger, 1, 0, "all");
        hr_ledger_close(ledger);
        assert_int_equal(hr_ledger_open(names[i], &ledger, NULL), HR_OK);
        assert_true(total(ledger).epsilon_spent == 1);
        hr_ledger_close(ledger);
    }
    assert_int_equal(chdir("/"), 0);
}

static void test_reserve__spends_at_once_and_survives_closing(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 1, 0.5);
    int64_t first = reserve(ledger, 0.25, 0.125, "first"), second = reserve(ledger, 0.5, 0, "second");
    assert_true(second > first);
    hr_ledger_close(ledger);
    assert_int_equal(hr_ledger_open(s->path, &ledger, NULL), HR_OK);
    hr_ledger_total sum = total(ledger);
    assert_true(sum.epsilon_spent == 0.75 && sum.delta_spent == 0.125);
    assert_int_equal(sum.entries, 2);
    hr_ledger_close(ledger);
}

static void test_reserve__says_asked_spent_limit_and_left(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 5, 0.5);
    reserve(ledger, 4.5, 0.125, "most");
    hr_error err = {0};
    int64_t entry = -7;
    assert_int_equal(hr_ledger_reserve(ledger, 1, 0, "more", &entry, &err), HR_E_BUDGET);
    check_file_error(&err, HR_E_BUDGET, "epsilon is too small: asked 1, spent 4.5, limit 5, left 0.5",
                     "ledger.db");
    assert_int_equal(hr_ledger_reserve(ledger, 0.5, 0.75, "more", &entry, &err), HR_E_BUDGET);
    check_file_error(&err, HR_E_BUDGET, "delta is too small: asked 0.75, spent 0.125, limit 0.5, left 0.375",
                     "ledger.db");
    assert_int_equal(entry, -7);
    assert_int_equal(total(ledger).entries, 1);
    reserve(ledger, 0.5, 0.375, "the rest, exactly");
    assert_int_equal(hr_ledger_reserve(ledger, 1e-300, 0, "a whiff", &entry, NULL), HR_E_BUDGET);
    assert_int_equal(hr_ledger_reserve(ledger, 1048576, 0, "the world", &entry, NULL), HR_E_BUDGET);
    hr_ledger_close(ledger);
}

static void test_reserve__rounds_what_it_says_against_the_asker(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 1.2345678, 1.2345678e-6);
    reserve(ledger, .1, 1.2349e-8, "some");
    hr_error err = {0};
    int64_t entry;
    assert_int_equal(hr_ledger_reserve(ledger, 1.23456789, 0, "more", &entry, &err), HR_E_BUDGET);
    check_file_error(&err, HR_E_BUDGET, "asked 1.23457, spent 0.100001, limit 1.23456, left 1.13456",
                     "ledger.db");
    assert_int_equal(hr_ledger_reserve(ledger, .1, 1.23456789e-6, "more", &entry, &err), HR_E_BUDGET);
    check_file_error(&err, HR_E_BUDGET,
                     "asked 1.23457e-06, spent 1.23491e-08, limit 1.23456e-06, left 1.22221e-06",
                     "ledger.db");
    hr_ledger_close(ledger);
}

/* Sums of more than 53 bits lie between two doubles. */
static void test_sum__never_says_less_spent_or_more_left(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 1048576, .75);
    reserve(ledger, 0x1p-40, 0x1p-62, "one unit of each");
    hr_ledger_total sum = total(ledger);
    assert_true(sum.epsilon_limit == 1048576 && sum.epsilon_left == nextafter(1048576, 0));
    assert_true(sum.delta_limit == .75 && sum.delta_left == nextafter(.75, 0));
    reserve(ledger, 16384, .5, "much");
    sum = total(ledger);
    assert_true(sum.epsilon_spent == nextafter(16384, 1e9) && sum.delta_spent == nextafter(.5, 1));
    hr_ledger_close(ledger);
}

/* 0.2 in binary lies above 1/5: five of them exceed 1. Rounded down to whole units first, as a run does that
 * spends no more than the units below what was asked, five fit and leave next to nothing. */
static void test_reserve__adds_up_without_drift(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 1, 5e-6);
    double epsilon = hr_units_value(hr_units_down(0.2)), delta = hr_delta_value(hr_delta_down(1e-6));
    for (int i = 0; i < 5; i++) reserve(ledger, epsilon, delta, "a fifth");
    hr_ledger_total sum = total(ledger);
    assert_true(sum.epsilon_spent == ldexp(5 * (double)hr_units_down(0.2), -40));
    assert_true(sum.delta_spent == ldexp(5 * (double)hr_delta_down(1e-6), -62));
    assert_true(sum.epsilon_limit - sum.epsilon_spent < 5e-12 && sum.delta_limit - sum.delta_spent < 2e-18);
    hr_ledger_close(ledger);
}

static void test_reserve__rounds_against_the_spender(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 1, 5e-6);
    int64_t entry = 0;
    for (int i = 0; i < 4; i++) reserve(ledger, 0.2, 1e-6, "a little more than a fifth");
    assert_true(total(ledger).epsilon_spent >= 4 * 0.2 && total(ledger).delta_spent >= 4 * 1e-6);
    assert_int_equal(hr_ledger_reserve(ledger, 0.2, 0, "too much", &entry, NULL), HR_E_BUDGET);
    assert_int_equal(hr_ledger_reserve(ledger, 0.1, 1e-6, "too much", &entry, NULL), HR_E_BUDGET);
    hr_ledger_close(ledger);
}

static void test_reserve__refuses_amounts_that_are_none(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 1, 0.5);
    static const double epsilons[] = {0, -0.0, -1, NAN, INFINITY, -INFINITY, 1048577, 1e300};
    static const double deltas[] = {-1e-9, 1, 2, NAN, INFINITY, -INFINITY};
    hr_error err = {0};
    int64_t entry = -7;
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        assert_int_equal(hr_ledger_reserve(ledger, epsilons[i], 0, "run", &entry, &err), HR_E_ARGUMENT);
        check_file_error(&err, HR_E_ARGUMENT, "epsilon", NULL);
    }
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        assert_int_equal(hr_ledger_reserve(ledger, 0.5, deltas[i], "run", &entry, &err), HR_E_ARGUMENT);
        check_file_error(&err, HR_E_ARGUMENT, "delta", NULL);
    }
    assert_int_equal(entry, -7);
    assert_int_equal(total(ledger).entries, 0);
    hr_ledger_close(ledger);
}

typedef struct visitor {
    size_t count, stop_after;
    hr_ledger_entry last;
    char purpose[1100], when[64];
} visitor;

static bool look(void *user, const hr_ledger_entry *entry) {
    visitor *s = user;
    s->count++;
    s->last = *entry;
    snprintf(s->purpose, sizeof s->purpose, "%s", entry->purpose);
    snprintf(s->when, sizeof s->when, "%s", entry->when);
    return s->count != s->stop_after;
}

static void test_purpose__is_kept_to_the_letter(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 100, 0);
    char longest[1001];
    memset(longest, 'x', sizeof longest - 1);
    longest[1000] = '\0';
    const char *const purposes[] = {"'); DELETE FROM entries; --",
                                    "Robert'); UPDATE limits SET epsilon_units = 1; --", "%s%n",
                                    "\xc3\xa4 \xe2\x82\xac", longest};
    for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++) {
        reserve(ledger, 1, 0, purposes[i]);
        visitor seen = {0};
        assert_int_equal(hr_ledger_each(ledger, look, &seen, NULL), HR_OK);
        assert_int_equal(seen.count, i + 1);
        assert_string_equal(seen.purpose, purposes[i]);
    }
    assert_true(total(ledger).epsilon_limit == 100);
    hr_ledger_close(ledger);
}

static void test_purpose__must_be_one_line(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 100, 0);
    char longer[1002];
    memset(longer, 'x', sizeof longer - 1);
    longer[1001] = '\0';
    const char *const purposes[] = {NULL,        "",     longer,         "line\nbreak",
                                    "tab\there", "\x7f", "\xe2\x80\xae", "\xff"};
    hr_error err = {0};
    int64_t entry = 0;
    for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++) {
        assert_int_equal(hr_ledger_reserve(ledger, 1, 0, purposes[i], &entry, &err), HR_E_ARGUMENT);
        check_file_error(&err, HR_E_ARGUMENT, "purpose", NULL);
        assert_string_equal(err.field, "purpose");
    }
    assert_int_equal(total(ledger).entries, 0);
    hr_ledger_close(ledger);
}

static void test_each__tells_what_was_written(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 3, 0.5);
    int64_t first = reserve(ledger, 0.5, 0.125, "one");
    reserve(ledger, 1, 0, "two");
    reserve(ledger, 1, 0, "three");
    assert_int_equal(hr_ledger_commit(ledger, first, NULL), HR_OK);
    visitor seen = {.stop_after = 1};
    assert_int_equal(hr_ledger_each(ledger, look, &seen, NULL), HR_OK);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.last.id, first);
    assert_string_equal(seen.purpose, "one");
    assert_true(seen.last.epsilon == 0.5 && seen.last.delta == 0.125);
    assert_int_equal(seen.last.state, HR_ENTRY_COMMITTED);
    assert_int_equal(strlen(seen.when), strlen("2026-01-01T00:00:00Z"));
    assert_true(seen.when[4] == '-' && seen.when[10] == 'T' && seen.when[19] == 'Z');
    seen.stop_after = 0;
    assert_int_equal(hr_ledger_each(ledger, look, &seen, NULL), HR_OK);
    assert_int_equal(seen.count, 4);
    assert_int_equal(seen.last.state, HR_ENTRY_RESERVED);
    assert_string_equal(seen.purpose, "three");
    hr_ledger_close(ledger);
}

static void test_commit__takes_a_reservation_once(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 3, 0);
    int64_t entry = reserve(ledger, 1, 0, "run");
    hr_error err = {0};
    assert_int_equal(hr_ledger_commit(ledger, entry, &err), HR_OK);
    assert_true(total(ledger).epsilon_spent == 1);
    assert_int_equal(hr_ledger_commit(ledger, entry, &err), HR_E_ARGUMENT);
    check_file_error(&err, HR_E_ARGUMENT, "committed already", "ledger.db");
    static const int64_t wrong[] = {0, -1, 99, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(hr_ledger_commit(ledger, wrong[i], &err), HR_E_ARGUMENT);
    hr_ledger_close(ledger);
}

static void test_freeze__ends_spending_for_good(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 3, 0), *other = NULL;
    int64_t running = reserve(ledger, 1, 0, "run"), entry = 0;
    assert_int_equal(hr_ledger_open(s->path, &other, NULL), HR_OK);
    assert_int_equal(hr_ledger_freeze(ledger, NULL), HR_OK);
    hr_error err = {0};
    assert_int_equal(hr_ledger_reserve(other, 1, 0, "late", &entry, &err), HR_E_POLICY);
    check_file_error(&err, HR_E_POLICY, "frozen", "ledger.db");
    hr_ledger_close(ledger);
    assert_int_equal(hr_ledger_freeze(other, NULL), HR_OK);
    assert_true(total(other).frozen && total(other).epsilon_spent == 1);
    assert_int_equal(hr_ledger_commit(other, running, NULL), HR_OK);
    hr_ledger_close(other);
    assert_int_equal(hr_ledger_open(s->path, &other, NULL), HR_OK);
    assert_true(total(other).frozen);
    hr_ledger_close(other);
}

static void test_two_handles__see_one_truth(void **state) {
    temp_dir *s = *state;
    hr_ledger *one = start(s, 1, 0), *two = NULL;
    assert_int_equal(hr_ledger_open(s->path, &two, NULL), HR_OK);
    reserve(one, 0.75, 0, "one");
    int64_t entry = 0;
    assert_int_equal(hr_ledger_reserve(two, 0.75, 0, "two", &entry, NULL), HR_E_BUDGET);
    reserve(two, 0.25, 0, "two");
    assert_true(total(one).epsilon_spent == 1);
    hr_ledger_close(one);
    hr_ledger_close(two);
    hr_ledger_close(NULL);
}

static void test_layout__can_be_read_and_not_undone_by_hand(void **state) {
    temp_dir *s = *state;
    hr_ledger *ledger = start(s, 3, 0);
    reserve(ledger, 0.5, 0, "run");
    hr_ledger_close(ledger);
    assert_string_equal(
        query_database(s->path, "SELECT purpose || ' ' || epsilon || ' ' || state FROM spending"),
        "run 0.5 reserved");
    static const char *const undone[] = {
        "DELETE FROM entries",
        "UPDATE entries SET epsilon_units = 1",
        "DELETE FROM limits",
        "UPDATE limits SET epsilon_units = 99 << 40",
        "INSERT INTO limits VALUES (2, 1, 1, '', NULL, '')",
        "INSERT INTO entries (purpose, epsilon_units, delta_units, unit) VALUES ('gift', -1, 0, '')",
        "INSERT INTO entries (purpose, epsilon_units, delta_units, unit) VALUES ('gift', 0.5, 0, '')",
        "UPDATE limits SET frozen = 'now'; UPDATE limits SET frozen = NULL"};
    for (size_t i = 0; i < sizeof undone / sizeof *undone; i++)
        assert_true(query_database(s->path, undone[i])[0]);
    assert_string_equal(query_database(s->path, "SELECT count(*) || sum(epsilon) FROM spending"), "10.5");
    assert_string_equal(query_database(s->path, "SELECT epsilon_units >> 40 FROM limits"), "3");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_dir_open, temp_dir_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_create__makes_an_empty_private_file),
        TEST(test_create__refuses_an_existing_file_and_leaves_it),
        TEST(test_create__refuses_an_existing_ledger),
        TEST(test_create__refuses_amounts_that_are_none),
        TEST(test_create__needs_the_folder),
        TEST(test_create__takes_names_that_sqlite_reads_otherwise),
        TEST(test_reserve__spends_at_once_and_survives_closing),
        TEST(test_reserve__says_asked_spent_limit_and_left),
        TEST(test_reserve__rounds_what_it_says_against_the_asker),
        TEST(test_sum__never_says_less_spent_or_more_left),
        TEST(test_reserve__adds_up_without_drift),
        TEST(test_reserve__rounds_against_the_spender),
        TEST(test_reserve__refuses_amounts_that_are_none),
        TEST(test_purpose__is_kept_to_the_letter),
        TEST(test_purpose__must_be_one_line),
        TEST(test_each__tells_what_was_written),
        TEST(test_commit__takes_a_reservation_once),
        TEST(test_freeze__ends_spending_for_good),
        TEST(test_two_handles__see_one_truth),
        TEST(test_layout__can_be_read_and_not_undone_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
