/* Timings by a clock that the tests move: every moment counts once, in the innermost phase. */
#include "support/test_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef struct timed {
    test_clock clock;
    hr_timings *timings;
} timed;

static int set_up_timed(void **state) {
    static timed t;
    t = (timed){0};
    const hr_stopwatch watch = {test_clock_now, &t.clock};
    *state = &t;
    return hr_timings_new_by(&watch, &t.timings, NULL);
}

static int tear_down_timed(void **state) {
    hr_timings_free(((timed *)*state)->timings);
    return 0;
}

static void assert_timing(const hr_timing *timing, const char *name, double wall, double processor) {
    assert_string_equal(timing->name, name);
    assert_true(timing->wall == wall);
    assert_true(timing->processor == processor);
}

static void assert_phase(const timed *t, size_t index, const char *name, double wall, double processor) {
    hr_timing timing;
    assert_true(hr_timings_at(t->timings, index, &timing));
    assert_timing(&timing, name, wall, processor);
}

static void assert_end(const timed *t, size_t index) {
    hr_timing timing = {"untouched", 0, 0};
    assert_false(hr_timings_at(t->timings, index, &timing));
    assert_string_equal(timing.name, "untouched");
}

static void test_at__nothing_was_entered(void **state) {
    timed *t = *state;
    hr_timing total;
    test_clock_pass(&t->clock, 3, 2);
    hr_timings_total(t->timings, &total);
    assert_timing(&total, "total", 3, 2);
    assert_phase(t, 0, "other", 3, 2);
    assert_end(t, 1);
}

static void test_enter__counts_what_passes_until_it_is_left(void **state) {
    timed *t = *state;
    hr_timing total;
    test_clock_pass(&t->clock, 1, 1);
    hr_timings_enter(t->timings, HR_PHASE_WRITE);
    test_clock_pass(&t->clock, 5, 2);
    hr_timings_leave(t->timings);
    test_clock_pass(&t->clock, 10, 0);
    hr_timings_enter(t->timings, HR_PHASE_READ);
    test_clock_pass(&t->clock, 7, 14);
    hr_timings_leave(t->timings);
    hr_timings_enter(t->timings, HR_PHASE_WRITE);
    test_clock_pass(&t->clock, 1, 1);
    hr_timings_leave(t->timings);
    hr_timings_total(t->timings, &total);
    assert_timing(&total, "total", 24, 18);
    assert_phase(t, 0, "read", 7, 14);
    assert_phase(t, 1, "write", 6, 3);
    assert_phase(t, 2, "other", 11, 1);
    assert_end(t, 3);
}

static void test_enter__inner_phases_count_once(void **state) {
    timed *t = *state;
    hr_timing total;
    hr_timings_enter(t->timings, HR_PHASE_CHOOSE);
    test_clock_pass(&t->clock, 1, 1);
    hr_timings_enter(t->timings, HR_PHASE_NOISE);
    test_clock_pass(&t->clock, 2, 2);
    hr_timings_enter(t->timings, HR_PHASE_CHOOSE);
    test_clock_pass(&t->clock, 4, 4);
    hr_timings_leave(t->timings);
    test_clock_pass(&t->clock, 8, 8);
    hr_timings_leave(t->timings);
    test_clock_pass(&t->clock, 16, 16);
    hr_timings_leave(t->timings);
    hr_timings_total(t->timings, &total);
    assert_timing(&total, "total", 31, 31);
    assert_phase(t, 0, "choose", 21, 21);
    assert_phase(t, 1, "noise", 10, 10);
    assert_phase(t, 2, "other", 0, 0);
}

/* A phase within itself costs no reading of the clock. */
static void test_enter__reads_the_clock_where_phases_change(void **state) {
    timed *t = *state;
    assert_int_equal(t->clock.readings, 1);
    hr_timings_enter(t->timings, HR_PHASE_CHOOSE);
    assert_int_equal(t->clock.readings, 2);
    for (int i = 0; i < 100; i++) {
        hr_timings_enter(t->timings, HR_PHASE_CHOOSE);
        hr_timings_leave(t->timings);
    }
    assert_int_equal(t->clock.readings, 2);
    hr_timings_leave(t->timings);
    assert_int_equal(t->clock.readings, 3);
}

/* While a phase is open, too. */
static void test_total__counts_up_to_now(void **state) {
    timed *t = *state;
    hr_timing total;
    hr_timings_enter(t->timings, HR_PHASE_READ);
    test_clock_pass(&t->clock, 2, 1);
    hr_timings_total(t->timings, &total);
    assert_timing(&total, "total", 2, 1);
    assert_phase(t, 0, "read", 2, 1);
    test_clock_pass(&t->clock, 2, 1);
    hr_timings_leave(t->timings);
    hr_timings_total(t->timings, &total);
    assert_timing(&total, "total", 4, 2);
    assert_phase(t, 0, "read", 4, 2);
}

/* Deeper ones count in the last that there is room for, and are left like others. */
static void test_enter__deeper_than_there_is_room_for(void **state) {
    enum { MANY = 1001 };
    timed *t = *state;
    hr_timing total;
    for (int i = 0; i < MANY; i++) hr_timings_enter(t->timings, i % 2 ? HR_PHASE_NOISE : HR_PHASE_CHOOSE);
    test_clock_pass(&t->clock, 1, 1);
    for (int i = 0; i < MANY; i++) hr_timings_leave(t->timings);
    test_clock_pass(&t->clock, 2, 2);
    hr_timings_total(t->timings, &total);
    assert_timing(&total, "total", 3, 3);
    assert_phase(t, 0, "choose", 0, 0);
    assert_phase(t, 1, "noise", 1, 1);
    assert_phase(t, 2, "other", 2, 2);
}

static void test_leave__without_a_phase(void **state) {
    timed *t = *state;
    hr_timing total;
    hr_timings_leave(t->timings);
    test_clock_pass(&t->clock, 1, 1);
    hr_timings_enter(t->timings, HR_PHASE_READ);
    test_clock_pass(&t->clock, 2, 2);
    hr_timings_leave(t->timings);
    hr_timings_total(t->timings, &total);
    assert_phase(t, 0, "read", 2, 2);
    assert_phase(t, 1, "other", 1, 1);
}

/* Of a program that was built for a newer library, or is wrong. */
static void test_enter__of_an_unknown_phase(void **state) {
    timed *t = *state;
    hr_timing total;
    hr_timings_enter(t->timings, (hr_phase)1000);
    test_clock_pass(&t->clock, 1, 1);
    hr_timings_leave(t->timings);
    hr_timings_total(t->timings, &total);
    assert_phase(t, 0, "other", 1, 1);
    assert_end(t, 1);
}

static void test_enter__of_no_timings(void **state) {
    (void)state;
    hr_timings_enter(NULL, HR_PHASE_READ);
    hr_timings_leave(NULL);
    hr_timings_free(NULL);
}

/* Every phase has a name of its own. */
static void test_at__all_phases_in_order(void **state) {
    timed *t = *state;
    hr_timing total, timing, before;
    size_t count = 0;
    for (int phase = HR_PHASE_WRITE; phase > HR_PHASE_OTHER; phase--) {
        hr_timings_enter(t->timings, (hr_phase)phase);
        test_clock_pass(&t->clock, phase, 0);
        hr_timings_leave(t->timings);
    }
    hr_timings_total(t->timings, &total);
    for (; hr_timings_at(t->timings, count, &timing); count++) {
        if (count) assert_string_not_equal(timing.name, before.name);
        assert_true(timing.wall == (count < HR_PHASE_WRITE ? (double)count + 1 : 0));
        before = timing;
    }
    assert_int_equal(count, HR_PHASE_WRITE + 1);
}

/* The system's clocks do not go back. */
static void test_new__by_the_clocks_of_the_system(void **state) {
    (void)state;
    hr_timings *timings = NULL;
    hr_timing total, later;
    assert_int_equal(hr_timings_new(&timings, NULL), HR_OK);
    hr_timings_total(timings, &total);
    for (volatile int i = 0; i < 100000; i++) continue;
    hr_timings_total(timings, &later);
    assert_true(total.wall >= 0 && total.processor >= 0);
    assert_true(later.wall > total.wall && later.processor >= total.processor);
    hr_timings_free(timings);
}

#define TIMED(test) cmocka_unit_test_setup_teardown(test, set_up_timed, tear_down_timed)

int main(void) {
    const struct CMUnitTest tests[] = {
        TIMED(test_at__nothing_was_entered),
        TIMED(test_enter__counts_what_passes_until_it_is_left),
        TIMED(test_enter__inner_phases_count_once),
        TIMED(test_enter__reads_the_clock_where_phases_change),
        TIMED(test_total__counts_up_to_now),
        TIMED(test_enter__deeper_than_there_is_room_for),
        TIMED(test_leave__without_a_phase),
        TIMED(test_enter__of_an_unknown_phase),
        TIMED(test_at__all_phases_in_order),
        cmocka_unit_test(test_enter__of_no_timings),
        cmocka_unit_test(test_new__by_the_clocks_of_the_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
