/* Dates and times as text: what is read and as which second, and what is refused. */
#include "base/text/timestamp.h"

#include "base/text/calendar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

typedef struct stamp {
    const char *text;
    const char *meaning; /* as hr_timestamp_text writes it */
} stamp;

static void expect_stamps(const char *format, hr_offset_rule offset, const stamp *stamps, size_t count) {
    const hr_timestamp_rule rule = {format, offset};
    char written[HR_TIMESTAMP_TEXT];
    for (size_t i = 0; i < count; i++) {
        int64_t second;
        hr_timestamp_status status =
            hr_timestamp_parse(&rule, stamps[i].text, strlen(stamps[i].text), &second);
        if (status) fail_msg("'%s' is refused: %d", stamps[i].text, (int)status);
        hr_timestamp_text(second, written);
        if (strcmp(written, stamps[i].meaning) != 0) fail_msg("'%s' is read as %s", stamps[i].text, written);
    }
}

static void expect_refused(const char *format, hr_offset_rule offset, hr_timestamp_status expected,
                           const char *const *texts) {
    const hr_timestamp_rule rule = {format, offset};
    for (; *texts; texts++) {
        int64_t second = 7;
        hr_timestamp_status status = hr_timestamp_parse(&rule, *texts, strlen(*texts), &second);
        if (status != expected || second != 7) fail_msg("'%s': %d", *texts, (int)status);
    }
}

#define EXPECT(format, offset, stamps) expect_stamps(format, offset, stamps, sizeof stamps / sizeof *stamps)

static void test_iso__is_read(void **state) {
    (void)state;
    static const stamp stamps[] = {{"2024-02-29", "2024-02-29T00:00:00"},
                                   {"2000-02-29T23:59", "2000-02-29T23:59:00"},
                                   {"2016-01-11 17:10:05", "2016-01-11T17:10:05"},
                                   {"2016-01-11T17:10:05.999999999", "2016-01-11T17:10:05"},
                                   {"2016-01-11T17:10:05,5", "2016-01-11T17:10:05"},
                                   {"2023-12-31T24:00", "2024-01-01T00:00:00"},
                                   {"2024-02-28 24:00:00", "2024-02-29T00:00:00"},
                                   {"0001-01-01", "0001-01-01T00:00:00"},
                                   {"1969-12-31T23:59:59", "1969-12-31T23:59:59"},
                                   {"9999-12-31T23:59:59", "9999-12-31T23:59:59"}};
    EXPECT(NULL, HR_OFFSET_REFUSED, stamps);
    EXPECT(NULL, HR_OFFSET_UTC, stamps);
}

static void test_iso__refuses_what_is_none(void **state) {
    (void)state;
    static const char *const unlike[] = {"",
                                         "2024",
                                         "2024-02",
                                         "2024-2-9",
                                         "24-02-09",
                                         "2024/02/09",
                                         "2024-02-09T",
                                         "2024-02-09 ",
                                         "2024-02-09T7:00",
                                         "2024-02-09T07",
                                         "20240209",
                                         "2024-02-09t07:00",
                                         "2024-02-09T07:00:",
                                         "2024-02-09T07:00:00.",
                                         "2024-02-09T07:00:00.1234567890",
                                         " 2024-02-09",
                                         "2024-02-09T07:00+",
                                         "2024-02-09T07:00+1",
                                         "2024-02-09T07:00+01:",
                                         "2024-02-09T07:00+01:0",
                                         "2024-02-09T07:00+24:00",
                                         "2024-02-09T07:00+01:60",
                                         "2024-02-09T07:00Zz",
                                         "2024-02-09x",
                                         "+2024-02-09",
                                         "2024-02-09+01:00",
                                         "-024-02-09",
                                         NULL};
    static const char *const none[] = {"2023-02-29",          "1900-02-29",
                                       "2024-00-01",          "2024-13-01",
                                       "2024-04-31",          "2024-01-00",
                                       "2024-01-32",          "0000-01-01",
                                       "2024-01-01T24:01",    "2024-01-01T24:00:01",
                                       "2024-01-01T25:00",    "2024-01-01T23:60",
                                       "2024-01-01T23:59:60", NULL};
    expect_refused(NULL, HR_OFFSET_LOCAL, HR_TIMESTAMP_UNLIKE, unlike);
    expect_refused(NULL, HR_OFFSET_REFUSED, HR_TIMESTAMP_NONE, none);
    expect_refused(NULL, HR_OFFSET_UTC, HR_TIMESTAMP_NONE,
                   (const char *const[]){"0001-01-01T00:00+00:01", "9999-12-31T23:59-01:00", NULL});
}

static void test_offset__means_what_the_rule_says(void **state) {
    (void)state;
    static const char *const offsets[] = {"2024-01-01T00:30Z", "2024-01-01 00:30:00+02:00",
                                          "2024-01-01T00:30-05", "2024-01-01T00:30:00.5+0530", NULL};
    static const stamp utc[] = {{"2024-01-01T00:30Z", "2024-01-01T00:30:00"},
                                {"2024-01-01 00:30:00+02:00", "2023-12-31T22:30:00"},
                                {"2024-01-01T00:30-05", "2024-01-01T05:30:00"},
                                {"2024-01-01T00:30:00.5+0530", "2023-12-31T19:00:00"},
                                {"2024-01-01T00:30", "2024-01-01T00:30:00"}};
    static const stamp local[] = {{"2024-01-01T00:30Z", "2024-01-01T00:30:00"},
                                  {"2024-01-01 00:30:00+02:00", "2024-01-01T00:30:00"},
                                  {"2024-01-01T00:30-05", "2024-01-01T00:30:00"}};
    expect_refused(NULL, HR_OFFSET_REFUSED, HR_TIMESTAMP_OFFSET, offsets);
    EXPECT(NULL, HR_OFFSET_UTC, utc);
    EXPECT(NULL, HR_OFFSET_LOCAL, local);
}

/* No time zone of the system is read. */
static void test_offset__is_not_that_of_the_system(void **state) {
    (void)state;
    static const stamp same[] = {{"2024-07-01T00:30", "2024-07-01T00:30:00"},
                                 {"2024-03-31T02:30", "2024-03-31T02:30:00"}};
    assert_int_equal(setenv("TZ", "Europe/Berlin", 1), 0);
    tzset();
    EXPECT(NULL, HR_OFFSET_UTC, same);
    EXPECT(NULL, HR_OFFSET_LOCAL, same);
    assert_int_equal(unsetenv("TZ"), 0);
    tzset();
}

static void test_format__reads_its_letters(void **state) {
    (void)state;
    static const stamp german[] = {{"29.02.2024 08:05", "2024-02-29T08:05:00"},
                                   {"31.12.2023 24:00", "2024-01-01T00:00:00"}};
    static const stamp american[] = {{"1/5/2013 12:07:09 AM", "2013-01-05T00:07:09"},
                                     {"11/25/2013 1:00:00 pm", "2013-11-25T13:00:00"},
                                     {"2/3/2013 12:00:00 PM", "2013-02-03T12:00:00"}};
    static const stamp names[] = {{"02-OCT-12", "2012-10-02T00:00:00"},
                                  {"02-oct-69", "1969-10-02T00:00:00"},
                                  {"02-Oct-68", "2068-10-02T00:00:00"}};
    static const stamp packed[] = {{"20141013T235959", "2014-10-13T23:59:59"}};
    static const stamp zone[] = {{"2014-10-13 23+02:00", "2014-10-13T21:00:00"}};
    static const stamp percent[] = {{"% 20141013", "2014-10-13T00:00:00"}};
    static const stamp epoch[] = {
        {"0", "1970-01-01T00:00:00"}, {"1349168400", "2012-10-02T09:00:00"}, {"-1", "1969-12-31T23:59:59"}};
    EXPECT("%d.%m.%Y %H:%M", HR_OFFSET_REFUSED, german);
    EXPECT("%-m/%-d/%Y %-I:%M:%S %p", HR_OFFSET_REFUSED, american);
    EXPECT("%d-%b-%y", HR_OFFSET_REFUSED, names);
    EXPECT("%Y%m%dT%H%M%S", HR_OFFSET_REFUSED, packed);
    EXPECT("%Y-%m-%d %H%z", HR_OFFSET_UTC, zone);
    EXPECT("%% %Y%m%d", HR_OFFSET_REFUSED, percent);
    EXPECT("%s", HR_OFFSET_REFUSED, epoch);
}

static void test_format__is_strict(void **state) {
    (void)state;
    expect_refused("%d.%m.%Y", HR_OFFSET_REFUSED, HR_TIMESTAMP_UNLIKE,
                   (const char *const[]){"1.02.2024", "01.2.2024", "01.02.24", "01-02-2024", "01.02.2024 ",
                                         "01.02.20240", "2024-02-01", NULL});
    expect_refused("%d.%m.%Y", HR_OFFSET_REFUSED, HR_TIMESTAMP_NONE,
                   (const char *const[]){"29.02.2023", "31.04.2024", "00.01.2024", NULL});
    expect_refused("%-m/%-d/%Y %-I:%M %p", HR_OFFSET_REFUSED, HR_TIMESTAMP_NONE,
                   (const char *const[]){"1/1/2024 0:00 AM", "1/1/2024 13:00 PM", "13/1/2024 1:00 PM", NULL});
    expect_refused("%-m/%-d/%Y %-I:%M %p", HR_OFFSET_REFUSED, HR_TIMESTAMP_UNLIKE,
                   (const char *const[]){"1/1/2024 1:00", "1/1/2024 1:00 XM", "001/1/2024 1:00 AM", NULL});
    expect_refused("%d %b %Y", HR_OFFSET_REFUSED, HR_TIMESTAMP_UNLIKE,
                   (const char *const[]){"01 Okt 2024", "01 Octo 2024", "01 O", NULL});
    expect_refused("%s", HR_OFFSET_REFUSED, HR_TIMESTAMP_UNLIKE,
                   (const char *const[]){"", "-", "1.5", "1349168400000", "+1", NULL});
    expect_refused("%s", HR_OFFSET_REFUSED, HR_TIMESTAMP_NONE,
                   (const char *const[]){"253402300801", "-99999999999", NULL});
}

static void test_format__that_is_not_usable_is_refused(void **state) {
    (void)state;
    static const char *const good[] = {"%Y-%m-%d",          "%d/%m/%y %H:%M:%S",
                                       "%-d.%-m.%Y %-H:%M", "%b %d, %Y %I:%M %p",
                                       "%Y-%m-%dT%H:%M%z",  "%s",
                                       "%%%Y%m%d",          NULL};
    static const char *const bad[] = {"",
                                      "%Y",
                                      "%Y-%m",
                                      "%m-%d",
                                      "%Y-%m-%d %",
                                      "%Y-%m-%d %Q",
                                      "%Y-%m-%d %j",
                                      "%Y-%m-%d %Y",
                                      "%Y-%y-%m-%d",
                                      "%Y-%m-%b-%d",
                                      "%Y-%m-%d %H %I %p",
                                      "%Y-%m-%d %I",
                                      "%Y-%m-%d %H %p",
                                      "%Y-%m-%d %M",
                                      "%Y-%m-%d %H %S",
                                      "%-Y-%m-%d",
                                      "%Y%-m%d",
                                      "%Y %-m5 %d",
                                      "%s %Y",
                                      "%Y-%m-%d %-",
                                      NULL};
    for (size_t i = 0; good[i]; i++)
        if (hr_timestamp_format_fault(good[i]))
            fail_msg("%s: %s", good[i], hr_timestamp_format_fault(good[i]));
    for (size_t i = 0; bad[i]; i++)
        if (!hr_timestamp_format_fault(bad[i])) fail_msg("%s is accepted", bad[i]);
    assert_true(hr_timestamp_format_has("%Y %z", 'z'));
    assert_false(hr_timestamp_format_has("%Y %%z", 'z'));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iso__is_read),
        cmocka_unit_test(test_iso__refuses_what_is_none),
        cmocka_unit_test(test_offset__means_what_the_rule_says),
        cmocka_unit_test(test_offset__is_not_that_of_the_system),
        cmocka_unit_test(test_format__reads_its_letters),
        cmocka_unit_test(test_format__is_strict),
        cmocka_unit_test(test_format__that_is_not_usable_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
