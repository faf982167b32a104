#include "support/test_clock.h"

hr_moment test_clock_now(void *user) {
    test_clock *clock = user;
    clock->now.wall += clock->each.wall;
    clock->now.processor += clock->each.processor;
    clock->readings++;
    return clock->now;
}

void test_clock_pass(test_clock *clock, int64_t wall, int64_t processor) {
    clock->now.wall += wall * 1000000000;
    clock->now.processor += processor * 1000000000;
}
