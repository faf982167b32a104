/* Days as text, against the C library's calendar. */
#include "base/text/calendar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

static void test_date__is_that_of_the_system_for_every_day(void **state) {
    (void)state;
    char written[HR_DATE_TEXT], wanted[80];
    for (int64_t day = 0; day * 86400 <= HR_DATE_MAX; day += day < 50000 ? 1 : 331) {
        time_t second = (time_t)(day * 86400 + day % 86400);
        struct tm tm;
        int64_t read = -1;
        assert_non_null(gmtime_r(&second, &tm));
        snprintf(wanted, sizeof wanted, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
        hr_date_text(second, written);
        assert_string_equal(written, wanted);
        assert_true(hr_date_parse(written, &read));
        assert_int_equal(read, day * 86400);
    }
}

static void test_date__that_is_none_is_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",           "2026-11-2",  "2026-11-022", "2026-13-01", "2026-00-01",
        "2026-01-00", "2026-02-29", "2026-04-31",  "1969-12-31", "0000-01-01",
        "2026/11/22", "22-11-2026", "2026-11-22Z", "2026-1a-22", " 2026-11-22"};
    int64_t read = 7;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (hr_date_parse(wrong[i], &read)) fail_msg("'%s' is read", wrong[i]);
    assert_int_equal(read, 7);
    assert_true(hr_date_parse("2024-02-29", &read));
    assert_true(hr_date_parse("9999-12-31", &read));
    assert_int_equal(read, HR_DATE_MAX - 86399);
}

static void test_day__is_read_if_the_month_has_it(void **state) {
    (void)state;
    for (int year = 0; year <= 9999; year += year % 100 > 4 && year % 100 < 95 ? 45 : 1) {
        for (int month = 0; month <= 13; month++) {
            for (int day = 0; day <= 32; day++) {
                char text[40];
                int64_t days = INT64_MIN;
                snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
                const bool is_day = year >= 1 && month >= 1 && month <= 12 && day >= 1 &&
                                    day <= hr_calendar_month_days(year, month);
                if (hr_calendar_day_parse(text, &days) != is_day) fail_msg("%s", text);
                if (days != (is_day ? hr_calendar_days(year, month, day) : INT64_MIN)) fail_msg("%s", text);
            }
        }
    }
}

static void test_day__has_digits_and_marks_alone(void **state) {
    (void)state;
    for (size_t at = 0; at < HR_CALENDAR_DAY_TEXT; at++) {
        for (int byte = 0; byte < 256; byte++) {
            char text[] = "2011-12-11";
            int64_t days = 0;
            const bool fits = at == 4 || at == 7 ? byte == '-' : byte >= '0' && byte <= '9';
            text[at] = (char)byte;
            /* Some digits make no month or day. */
            if (fits && ((at == 5 && byte > '1') || (at == 6 && byte > '2') || (at == 8 && byte > '3')))
                continue;
            if (hr_calendar_day_parse(text, &days) != fits) fail_msg("byte %d at %zu", byte, at);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_date__is_that_of_the_system_for_every_day),
        cmocka_unit_test(test_date__that_is_none_is_refused),
        cmocka_unit_test(test_day__is_read_if_the_month_has_it),
        cmocka_unit_test(test_day__has_digits_and_marks_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
