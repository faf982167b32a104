/* Numbers with marks and symbols: what each format reads, and what it refuses. */
#include "base/text/number_format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct spelt {
    const char *text;
    double value;
} spelt;

static void expect_read(hr_number_format format, const spelt *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double value = 12345;
        hr_number_status status =
            hr_number_format_parse(&format, cases[i].text, strlen(cases[i].text), &value);
        if (status != HR_NUMBER_OK || value != cases[i].value)
            fail_msg("'%s': status %d, %.17g", cases[i].text, (int)status, value);
    }
}

static void expect_refused(hr_number_format format, const char *const *texts) {
    for (; *texts; texts++) {
        double value = 12345;
        if (hr_number_format_parse(&format, *texts, strlen(*texts), &value) == HR_NUMBER_OK)
            fail_msg("'%s' is read as %.17g", *texts, value);
        assert_true(value == 12345);
    }
}

#define EXPECT(format, cases) expect_read(format, cases, sizeof cases / sizeof *cases)

static void test_decimal__may_be_a_comma(void **state) {
    (void)state;
    static const spelt read[] = {{"1,5", 1.5}, {"-0,25", -0.25}, {"+3", 3},    {",5", 0.5},
                                 {"5,", 5},    {"1,5e3", 1500},  {"0,1", 0.1}, {"1e-2", 0.01}};
    EXPECT(((hr_number_format){',', 0, NULL}), read);
    expect_refused((hr_number_format){',', 0, NULL},
                   (const char *const[]){"", "1.5", "1,5,5", "1.234,5", ",", "-", "1 5", "1,5%", "nan", "inf",
                                         "0x1", "1,5e", "1,-5", "--1", "1 ", NULL});
}

static void test_thousands__stand_in_groups_of_three(void **state) {
    (void)state;
    static const spelt german[] = {{"1.234.567,89", 1234567.89},
                                   {"1234567,89", 1234567.89},
                                   {"12.345", 12345},
                                   {"0,5", 0.5},
                                   {"-1.000", -1000}};
    static const spelt swiss[] = {{"1'234.5", 1234.5},
                                  {"1\xe2\x80\x99"
                                   "234.5",
                                   1234.5}};
    static const spelt french[] = {{"1 234,5", 1234.5},
                                   {"1\xc2\xa0"
                                    "234,5",
                                    1234.5},
                                   {"1\xe2\x80\xaf"
                                    "234,5",
                                    1234.5}};
    EXPECT(((hr_number_format){',', '.', NULL}), german);
    EXPECT(((hr_number_format){'.', '\'', NULL}), swiss);
    EXPECT(((hr_number_format){',', ' ', NULL}), french);
    expect_refused((hr_number_format){',', '.', NULL},
                   (const char *const[]){"1.5", "1.23", "1.2345", "1234.567", "0.125", "1..234", ".234",
                                         "1.234.", "1.234.56", "1,234.567", "1.234e", NULL});
    expect_refused((hr_number_format){',', ' ', NULL}, (const char *const[]){"1  234", "1 23", "1 234 5",
                                                                             "1\xc2"
                                                                             "234",
                                                                             NULL});
}

static void test_symbol__may_stand_before_or_behind(void **state) {
    (void)state;
    static const spelt euro[] = {{"1.234,50 \xe2\x82\xac", 1234.5},
                                 {"1,5\xe2\x82\xac", 1.5},
                                 {"\xe2\x82\xac 2", 2},
                                 {"-\xe2\x82\xac"
                                  "3",
                                  -3},
                                 {"\xe2\x82\xac -3", -3},
                                 {"7", 7},
                                 {"-7,5\xc2\xa0\xe2\x82\xac", -7.5}};
    static const spelt percent[] = {{"12.5%", 12.5}, {"12.5 %", 12.5}, {"%3", 3}, {"1e2%", 100}};
    static const spelt letters[] = {{"5EUR", 5}, {"5e1EUR", 50}, {"EUR 5", 5}, {"5 EUR", 5}};
    EXPECT(((hr_number_format){',', '.', "\xe2\x82\xac"}), euro);
    EXPECT(((hr_number_format){'.', 0, "%"}), percent);
    EXPECT(((hr_number_format){'.', 0, "EUR"}), letters);
    expect_refused((hr_number_format){'.', 0, "%"},
                   (const char *const[]){"%", "5%%", "%5%", "5 % 5", "-%-5", "5$", "- 5%", NULL});
}

static void test_length__is_bounded(void **state) {
    (void)state;
    char digits[500];
    double value = 7;
    const hr_number_format format = {',', 0, NULL};
    memset(digits, '1', sizeof digits);
    assert_int_equal(hr_number_format_parse(&format, digits, sizeof digits, &value), HR_NUMBER_NONE);
    assert_int_equal(hr_number_format_parse(&format, digits, 400, &value), HR_NUMBER_LARGE);
    assert_int_equal(hr_number_format_parse(&format, digits, 300, &value), HR_NUMBER_OK);
    assert_true(hr_number_format_plain(&(hr_number_format){0}));
    assert_true(hr_number_format_plain(&(hr_number_format){'.', 0, NULL}));
    assert_false(hr_number_format_plain(&format));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimal__may_be_a_comma),
        cmocka_unit_test(test_thousands__stand_in_groups_of_three),
        cmocka_unit_test(test_symbol__may_stand_before_or_behind),
        cmocka_unit_test(test_length__is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
