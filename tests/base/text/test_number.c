/* Decimal conversion against the C library, bit for bit. */
#include "base/text/number_fast.h"
#include "support/random_numbers.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 1;
static uint64_t next(void) {
    return next_random(&seed);
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static size_t quick_count;

/* The C library is the reference: tests run in the C locale. */
static void same_as_strtod(const char *text) {
    double mine = -12345;
    double expected = strtod(text, NULL);
    hr_number_status status = hr_number_parse(text, strlen(text), &mine);
    if (isinf(expected)) {
        if (status != HR_NUMBER_LARGE) fail_msg("%s: expected too large", text);
    } else if (status != HR_NUMBER_OK || bits_of(mine) != bits_of(expected)) {
        fail_msg("%s: %.17g, expected %.17g", text, mine, expected);
    }
    char padded[4100] = {0};
    double quick = -12345;
    size_t size = strlen(text);
    memcpy(padded, text, size);
    padded[size] = ',';
    const char *end = hr_number_fast(padded, &quick);
    if (end && (status != HR_NUMBER_OK || end != padded + size || bits_of(quick) != bits_of(expected))) {
        fail_msg("%s: quickly %.17g, expected %.17g", text, quick, expected);
    }
    quick_count += end != NULL;
}

static const char *const hard_cases[] = {
    "0",
    "-0",
    "+0",
    "0.0",
    "-0.0e5",
    "1",
    "-1",
    ".5",
    "5.",
    "1e0",
    "1E+2",
    "1e-2",
    "007",
    "00.50",
    "9007199254740992",
    "9007199254740993",
    "9007199254740994",
    "9007199254740995",
    "9007199254740993.0000000000000000000000000000000000000000000000000001",
    "9007199254740992.9999999999999999999999999",
    "1e22",
    "1e23",
    "123456789e22",
    "123456789e-22",
    "1e-22",
    "1e-23",
    "1e27",
    "1e28",
    "1e-27",
    "1e-28",
    "18446744073709551615",
    "18446744073709551616",
    "9999999999999999999",
    "99999999999999999999",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "1.797693134862315807e308",
    "1.797693134862315808e308",
    "1e308",
    "1e309",
    "1e999",
    "-1e999",
    "1e99999999999999999999",
    "1e-99999999999999999999",
    "0e99999999999",
    "4.9e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "2.47032822920623272088284396434110686182e-324",
    "2.47032822920623272088284396434110686183e-324",
    "2.2250738585072014e-308",
    "2.2250738585072011e-308",
    "2.225073858507201136057409796709131975934819546351645648e-308",
    "1e-323",
    "1e-324",
    "1e-400",
    "0.000000000000000000000000000000000000000000000000000000000000000000001",
    "7.2057594037927933e16",
    "6.631236846766476e-316",
    "3."
    "2378839133029012895883524125015321748630376694231080599012970495523019706706765657868357425877995578"
    "606157765598382834355143910841"
    "5316925268919056439645957739461803892836530514346395510035669666562920201733134403173004436936020525"
    "834580343147166003269958073130"
    "0954848363975548690010751530018881758184174569652173110473696022749934638425380623369774736560008997"
    "404060967498028389191878963968"
    "5754392222064169814626901133425240027243859416510512935526014211553334302252372915238433223313261384"
    "314778235911424088000307751706"
    "2591567072865700315195366426076982249493795184580153089523843981970840338993787324146348420560800002"
    "727053110682738790779144491853"
    "4771598750162812548862768493201518991668028251730299953143924168545708663913273994694463908672332763"
    "671875e-319",
    "8.692932128906250000e-01",
    "3.1415926535897932384626433832795028841971693993751",
    "0.1234567890123456789012345678901234567890e-5",
};

static void test_parse__hard_cases_round_as_strtod(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof hard_cases / sizeof *hard_cases; i++) same_as_strtod(hard_cases[i]);
}

static void test_parse__random_texts_round_as_strtod(void **state) {
    (void)state;
    char text[128];
    for (int i = 0; i < 300000; i++) {
        int digits = 1 + (int)(next() % 30), point = (int)(next() % 31), at = 0;
        if (next() % 2) text[at++] = '-';
        for (int d = 0; d < digits; d++) {
            if (d == point) text[at++] = '.';
            text[at++] = (char)('0' + next() % 10);
        }
        text[at] = '\0';
        if (next() % 2) snprintf(text + at, sizeof text - (size_t)at, "e%d", (int)(next() % 800) - 400);
        same_as_strtod(text);
    }
}

static void test_parse__random_doubles_and_midpoints_round_as_strtod(void **state) {
    (void)state;
    char text[1200];
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = next();
        double x, y;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        for (int digits = 14; digits <= 19; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, x);
            same_as_strtod(text);
        }
        if (i % 20 || sizeof(long double) == sizeof(double)) continue;
        bits++;
        memcpy(&y, &bits, sizeof y);
        if (!isfinite(y)) continue;
        snprintf(text, sizeof text, "%.1100Lg", ((long double)x + (long double)y) / 2);
        same_as_strtod(text);
    }
}

static void test_parse__many_digits_round_as_strtod(void **state) {
    (void)state;
    static char text[4000];
    for (int i = 0; i < 200; i++) {
        int digits = 700 + (int)(next() % 1500), at = 0;
        for (int d = 0; d < digits; d++) text[at++] = (char)('0' + (i % 2 ? next() % 10 : 0));
        text[next() % 2 ? 0 : at - 1] = '5';
        text[1 + next() % 600] = '.';
        snprintf(text + at, sizeof text - (size_t)at, "e%d", -(int)(next() % 900));
        same_as_strtod(text);
    }
}

static void test_parse__refuses_what_is_no_number(void **state) {
    (void)state;
    static const char *const bad[] = {"",    ".",    "-",    "+",   "e5",   "1e",  "1e+", "1.2.3", "1,5",
                                      " 1",  "1 ",   "0x10", "inf", "-inf", "nan", "NaN", "1_0",   "--1",
                                      "+-1", "1e5.", "1f",   "१",   "1e 5", "1d5", ".e1", "- 1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 42;
        if (hr_number_parse(bad[i], strlen(bad[i]), &value) != HR_NUMBER_NONE)
            fail_msg("'%s' was taken for a number", bad[i]);
        assert_true(value == 42);
    }
}

static void test_fast__reads_the_usual_and_leaves_the_rest(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int taken; /* characters; -1: left to the general parser */
        double value;
    } cases[] = {{"1,", 1, 1},
                 {"-2.5\n", 4, -2.5},
                 {".5 ", 2, 0.5},
                 {"5.x", 2, 5},
                 {"1e3,", 3, 1000},
                 {"1e-2,", 4, 0.01},
                 {"12345678,", 8, 12345678},
                 {"123456789,", 9, 123456789},
                 {"-,", -1, 0},
                 {",", -1, 0},
                 {"e5,", -1, 0},
                 {"1e,", -1, 0},
                 {"1e1234,", -1, 0},
                 {"nan,", -1, 0},
                 {"+1,", -1, 0},
                 {".,", -1, 0},
                 {"1e99,", -1, 0},
                 {"--1,", -1, 0},
                 {"1.2.3,", 3, 1.2},
                 {"1:2,", 1, 1},

                 {"12345678901234567890,", -1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64] = {0};
        double value = 0;
        strcpy(text, cases[i].text);
        const char *end = hr_number_fast(text, &value);
        if ((end ? end - text : -1) != cases[i].taken || value != cases[i].value)
            fail_msg("'%s': %d, %.17g", text, end ? (int)(end - text) : -1, value);
    }
    for (int c = 0; c < 256; c++) { /* every byte that is no digit ends a number */
        char text[64] = "12";
        double value = 0;
        text[2] = (char)c;
        if ((c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E') continue;
        assert_ptr_equal(hr_number_fast(text, &value), text + 2);
        assert_true(value == 12);
    }
    assert_true(quick_count > 100000); /* the comparisons with strtod above met this path too */
}

/* Only where the machine has such a locale. */
static void test_parse__takes_a_point_in_every_locale(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    size_t found = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double value = 0;
        if (!setlocale(LC_ALL, names[i])) continue;
        found++;
        assert_int_equal(hr_number_parse("3.14159265358979323846264338327950288e50", 40, &value),
                         HR_NUMBER_OK);
        assert_true(value == 3.14159265358979323846264338327950288e50);
    }
    setlocale(LC_ALL, "C");
    if (!found) skip();
}

static void test_parse__stays_within_its_bytes(void **state) {
    (void)state;
    double value = 0;
    assert_int_equal(hr_number_parse("12345", 2, &value), HR_NUMBER_OK);
    assert_true(value == 12);
    char *exact = malloc(3);
    memcpy(exact, "1.5", 3);
    assert_int_equal(hr_number_parse(exact, 3, &value), HR_NUMBER_OK);
    assert_true(value == 1.5);
    free(exact);
}

static void test_text__reads_back(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},        {-0.0, "-0"},
                 {1, "1"},        {-17, "-17"},
                 {0.1, "0.1"},    {1e14, "100000000000000"},
                 {1e15, "1e+15"}, {0.30000000000000004, "0.30000000000000004"}};
    char text[HR_NUMBER_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_number_text(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = next();
        double x, back = 0;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        hr_number_text(x, text);
        assert_int_equal(hr_number_parse(text, strlen(text), &back), HR_NUMBER_OK);
        assert_true(bits_of(x) == bits_of(back));
    }
}

/* By definition: the first of 15, 16 and 17 digits that reads back. */
static void check_text(double x) {
    char text[HR_NUMBER_TEXT], wanted[HR_NUMBER_TEXT];
    int digits = 15;
    do snprintf(wanted, sizeof wanted, "%.*g", digits, x);
    while (strtod(wanted, NULL) != x && digits++ < 17);
    hr_number_text(x, text);
    assert_string_equal(text, wanted);
    hr_number_text(-x, text);
    assert_true(text[0] == '-' && strcmp(text + 1, wanted) == 0);
}

/* And of the doubles beside it. */
static void check_texts_near(double x) {
    double below = nextafter(x, 0), above = nextafter(x, INFINITY);
    check_text(x);
    for (int i = 0; i < 3; i++) {
        check_text(below);
        check_text(above);
        below = nextafter(below, 0);
        above = nextafter(above, INFINITY);
    }
}

static void test_text__has_the_first_digits_that_read_back(void **state) {
    (void)state;
    for (int e = -300; e < 300; e++) check_texts_near(pow(10, e));
    for (int e = -60; e < 60; e++) check_texts_near(ldexp(1, e));
    for (int i = 0; i < 60000; i++) {
        const double unit = (double)(next() >> 11) * 0x1p-53, decade = pow(10, (double)(next() % 24) - 7);
        const double few = (double)(next() % 100000) / 1e5,
                     places = (double)(next() % 10000000000000000) / 1e16;
        check_text((unit + 0x1p-53) * decade);
        check_texts_near((few + 1e-5) * decade);
        check_texts_near(places + 1e-9);
    }
}

static void test_render_float__reads_back(void **state) {
    (void)state;
    char text[HR_NUMBER_TEXT];
    hr_number_float_text(-.1f, text);
    assert_string_equal(text, "-1.00000001e-01");
    for (int i = 0; i < 100000; i++) {
        uint32_t bits = (uint32_t)next(), back_bits;
        float x, back;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        hr_number_float_text(x, text);
        back = strtof(text, NULL);
        memcpy(&back_bits, &back, sizeof back);
        assert_true(bits == back_bits);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse__hard_cases_round_as_strtod),
        cmocka_unit_test(test_parse__random_texts_round_as_strtod),
        cmocka_unit_test(test_parse__random_doubles_and_midpoints_round_as_strtod),
        cmocka_unit_test(test_parse__many_digits_round_as_strtod),
        cmocka_unit_test(test_parse__refuses_what_is_no_number),
        cmocka_unit_test(test_parse__takes_a_point_in_every_locale),
        cmocka_unit_test(test_parse__stays_within_its_bytes),
        cmocka_unit_test(test_text__reads_back),
        cmocka_unit_test(test_text__has_the_first_digits_that_read_back),
        cmocka_unit_test(test_render_float__reads_back),
        cmocka_unit_test(test_fast__reads_the_usual_and_leaves_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
