/* Work that shares itself out over a team is done once, whichever members wake up in time; also in children
 * of fork, wherever other threads were. */
#include "base/team.h"
#include "support/child.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MEMBERS_MAX = 9, PIECES = 500, ITEMS = 1000, FORKS = 100 };

/* ---- Members ---- */

typedef struct shared_work {
    atomic_size_t next;
    atomic_int done[ITEMS], inside, calls_of[MEMBERS_MAX], twice;
} shared_work;

static void take_items(void *of, size_t member) {
    shared_work *w = of;
    if (atomic_fetch_add(&w->calls_of[member], 1)) atomic_fetch_add(&w->twice, 1);
    atomic_fetch_add(&w->inside, 1);
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < ITEMS;) atomic_fetch_add(&w->done[i], 1);
    atomic_fetch_sub(&w->inside, 1);
}

static void team_run__does_all_work_once(void **state) {
    (void)state;
    for (size_t members = 1; members <= MEMBERS_MAX; members += 2) {
        for (int piece = 0; piece < PIECES; piece++) {
            static shared_work w;
            w = (shared_work){.twice = 0};
            hr_team_run(members, take_items, &w);
            assert_int_equal(w.inside, 0);
            assert_int_equal(w.twice, 0);
            assert_int_equal(w.calls_of[0], 1);
            for (size_t i = 0; i < ITEMS; i++) assert_int_equal(w.done[i], 1);
            for (size_t m = members; m < MEMBERS_MAX; m++) assert_int_equal(w.calls_of[m], 0);
        }
    }
}

/* Member 0 goes on when a helper has come. */
static void wait_for_a_helper(void *of, size_t member) {
    atomic_int *helpers = of;
    if (member) atomic_fetch_add(helpers, 1);
    while (!member && !atomic_load(helpers)) {
    }
}

static void team_run__has_helpers(void **state) {
    (void)state;
    for (int piece = 0; piece < 20; piece++) {
        atomic_int helpers = 0;
        hr_team_run(2, wait_for_a_helper, &helpers);
        assert_int_equal(helpers, 1);
    }
}

/* ---- Items ---- */

typedef struct counted_items {
    size_t run;
    atomic_int done[ITEMS], bad_runs;
} counted_items;

static void count_items(void *of, size_t member, size_t begin, size_t end) {
    counted_items *c = of;
    if (member >= MEMBERS_MAX || begin >= end || end - begin > c->run) atomic_fetch_add(&c->bad_runs, 1);
    for (size_t i = begin; i < end; i++) atomic_fetch_add(&c->done[i], 1);
}

static bool shares_items(size_t members, size_t count, size_t run) {
    counted_items c = {.run = run};
    hr_team_share(members, count, run, count_items, &c);
    if (c.bad_runs) return false;
    for (size_t i = 0; i < ITEMS; i++)
        if (c.done[i] != (i < count)) return false;
    return true;
}

static void team_share__gives_every_item_once(void **state) {
    (void)state;
    const size_t counts[] = {0, 1, 2, 7, ITEMS - 1, ITEMS}, runs[] = {1, 3, 256, 5000};
    for (size_t members = 1; members <= MEMBERS_MAX; members += 4)
        for (size_t c = 0; c < COUNT(counts); c++)
            for (size_t r = 0; r < COUNT(runs); r++) assert_true(shares_items(members, counts[c], runs[r]));
}

static void share_again(void *of, size_t member, size_t begin, size_t end) {
    atomic_int *wrong = of;
    (void)member;
    for (size_t i = begin; i < end; i++)
        if (!shares_items(3, ITEMS, 10)) atomic_fetch_add(wrong, 1);
}

static void team_share__works_inside_of_itself(void **state) {
    (void)state;
    for (int piece = 0; piece < 20; piece++) {
        atomic_int wrong = 0;
        hr_team_share(4, 16, 1, share_again, &wrong);
        assert_int_equal(wrong, 0);
    }
}

/* ---- Forks ---- */

/* Two calls: the child has helpers of its own. */
static bool child_works(void *unused) {
    (void)unused;
    atomic_int helpers = 0;
    hr_team_run(2, wait_for_a_helper, &helpers);
    return helpers == 1 && shares_items(3, ITEMS, 10);
}

static bool child_and_its_child_work(void *unused) {
    return child_works(unused) && holds_in_child(child_works, NULL) && child_works(unused);
}

static void fork__leaves_a_team_that_works(void **state) {
    (void)state;
    need_threads_in_children();
    assert_true(child_works(NULL));
    assert_true(holds_in_child(child_and_its_child_work, NULL));
    assert_true(child_works(NULL));
}

static void *share_until_told(void *of) {
    atomic_bool *ends = of;
    while (!atomic_load(ends)) shares_items(3, ITEMS, 1);
    return NULL;
}

static void fork__may_come_while_other_threads_are_at_work(void **state) {
    (void)state;
    need_threads_in_children();
    atomic_bool ends = false;
    pthread_t others[2];
    for (size_t i = 0; i < COUNT(others); i++)
        assert_int_equal(pthread_create(&others[i], NULL, share_until_told, &ends), 0);
    for (int i = 0; i < FORKS; i++) assert_true(holds_in_child(child_works, NULL));
    atomic_store(&ends, true);
    for (size_t i = 0; i < COUNT(others); i++) assert_int_equal(pthread_join(others[i], NULL), 0);
    assert_true(child_works(NULL));
}

static void team_worth__is_a_thread_for_each_part_that_is_worth_it(void **state) {
    (void)state;
    assert_int_equal(hr_team_worth(8, 0, 10), 1);
    assert_int_equal(hr_team_worth(8, 19, 10), 1);
    assert_int_equal(hr_team_worth(8, 20, 10), 2);
    assert_int_equal(hr_team_worth(8, 79, 10), 7);
    assert_int_equal(hr_team_worth(8, SIZE_MAX, 10), 8);
    assert_int_equal(hr_team_worth(1, SIZE_MAX, 1), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(team_worth__is_a_thread_for_each_part_that_is_worth_it),
        cmocka_unit_test(team_run__does_all_work_once),
        cmocka_unit_test(team_run__has_helpers),
        cmocka_unit_test(team_share__gives_every_item_once),
        cmocka_unit_test(team_share__works_inside_of_itself),
        cmocka_unit_test(fork__leaves_a_team_that_works),
        cmocka_unit_test(fork__may_come_while_other_threads_are_at_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
