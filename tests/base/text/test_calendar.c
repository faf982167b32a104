/* Days, clocks and weekdays, against the C library's calendar. */
#include "base/text/calendar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

static void test_calendar__is_that_of_the_system(void **state) {
    (void)state;
    for (int64_t at = HR_CALENDAR_MIN; at <= HR_CALENDAR_MAX; at += 86400 * (at % 7 + 9) + 7919) {
        time_t second = (time_t)at;
        struct tm tm;
        assert_non_null(gmtime_r(&second, &tm));
        const hr_calendar c = hr_calendar_of(at);
        assert_int_equal(c.year, tm.tm_year + 1900);
        assert_int_equal(c.month, tm.tm_mon + 1);
        assert_int_equal(c.day, tm.tm_mday);
        assert_int_equal(c.hour, tm.tm_hour);
        assert_int_equal(c.minute, tm.tm_min);
        assert_int_equal(c.second, tm.tm_sec);
        assert_int_equal(c.yearday, tm.tm_yday + 1);
        assert_int_equal(c.weekday, tm.tm_wday ? tm.tm_wday : 7);
        assert_int_equal(hr_calendar_days(c.year, c.month, c.day) * HR_DAY_SECONDS + c.hour * 3600 +
                             c.minute * 60 + c.second,
                         at);
    }
}

static void test_calendar__knows_its_ends_and_leap_years(void **state) {
    (void)state;
    const hr_calendar first = hr_calendar_of(HR_CALENDAR_MIN), after = hr_calendar_of(HR_CALENDAR_MAX + 1);
    assert_true(first.year == 1 && first.month == 1 && first.day == 1 && first.hour == 0);
    assert_true(first.weekday == 1 && first.yearday == 1);
    assert_true(after.year == 10000 && after.month == 1 && after.day == 1 && after.second == 0);
    assert_int_equal(hr_calendar_month_days(2024, 2), 29);
    assert_int_equal(hr_calendar_month_days(2023, 2), 28);
    assert_int_equal(hr_calendar_month_days(1900, 2), 28);
    assert_int_equal(hr_calendar_month_days(2000, 2), 29);
    assert_int_equal(hr_calendar_month_days(2023, 12), 31);
    assert_int_equal(hr_calendar_of(hr_calendar_days(2024, 12, 31) * HR_DAY_SECONDS).yearday, 366);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calendar__is_that_of_the_system),
        cmocka_unit_test(test_calendar__knows_its_ends_and_leap_years),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
