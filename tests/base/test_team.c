/* Work that shares itself out over a team is done once, whichever members wake up in time. */
#include "base/team.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MEMBERS_MAX = 9, PIECES = 500, ITEMS = 1000 };

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

static void test_team__does_all_work_once(void **state) {
    (void)state;
    for (size_t members = 1; members <= MEMBERS_MAX; members += 2) {
        hr_team *team = hr_team_new(members);
        assert_non_null(team);
        for (int piece = 0; piece < PIECES; piece++) {
            static shared_work w;
            w = (shared_work){.twice = 0};
            hr_team_run(team, take_items, &w);
            assert_int_equal(w.inside, 0);
            assert_int_equal(w.twice, 0);
            assert_int_equal(w.calls_of[0], 1);
            for (size_t i = 0; i < ITEMS; i++) assert_int_equal(w.done[i], 1);
            for (size_t m = members; m < MEMBERS_MAX; m++) assert_int_equal(w.calls_of[m], 0);
        }
        hr_team_free(team);
    }
}

/* Member 0 goes on when a helper has come. */
static void wait_for_a_helper(void *of, size_t member) {
    atomic_int *helpers = of;
    if (member) atomic_fetch_add(helpers, 1);
    while (!member && !atomic_load(helpers)) {
    }
}

static void test_team__has_helpers(void **state) {
    (void)state;
    hr_team *team = hr_team_new(2);
    for (int piece = 0; piece < 20; piece++) {
        atomic_int helpers = 0;
        hr_team_run(team, wait_for_a_helper, &helpers);
        assert_int_equal(helpers, 1);
    }
    hr_team_free(team);
}

static void test_team__ends_without_work(void **state) {
    (void)state;
    hr_team_free(hr_team_new(MEMBERS_MAX));
    hr_team_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_team__does_all_work_once),
        cmocka_unit_test(test_team__has_helpers),
        cmocka_unit_test(test_team__ends_without_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
