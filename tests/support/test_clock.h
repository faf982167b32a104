/* A clock that goes on when it is told to, or with every reading. */
#ifndef TESTS_SUPPORT_TEST_CLOCK_H
#define TESTS_SUPPORT_TEST_CLOCK_H

#include "base/timing.h"

typedef struct test_clock {
    hr_moment now, each; /* every reading adds `each` */
    size_t readings;
} test_clock;

/* The hr_stopwatch.now whose user is a test_clock. */
hr_moment test_clock_now(void *user);

/* Seconds pass. */
void test_clock_pass(test_clock *clock, int64_t wall, int64_t processor);

#endif
