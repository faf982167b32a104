/* Amounts as text, against the exact decimal expansion of the double (the C library prints all of its up to
 * 767 digits). */
#include "support/random_numbers.h"

#include <hedgerow/amount.h>

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DRAWS = 20000, DIGITS_ALL = 780 };

/* ---- Exact decimals ---- */

/* 0.DIGITS * 10^exponent; no zero leads */
typedef struct exact {
    char digits[DIGITS_ALL + 1];
    int exponent;
} exact;

static exact exact_of_text(const char *text) {
    exact x = {.exponent = 0};
    size_t count = 0;
    bool after_point = false;
    const char *c = text;
    for (; *c && *c != 'e'; c++) {
        if (*c == '.') after_point = true;
        if (*c == '.') continue;
        assert_true(*c >= '0' && *c <= '9');
        if (count || *c != '0') x.digits[count++] = *c;
        if (!after_point && count) x.exponent++;
        if (after_point && !count) x.exponent--;
    }
    if (*c == 'e') x.exponent += atoi(c + 1);
    memset(x.digits + count, '0', DIGITS_ALL - count);
    return x;
}

static exact exact_of(double value) {
    char text[DIGITS_ALL + 20];
    snprintf(text, sizeof text, "%.770e", value);
    return exact_of_text(text);
}

static int compare(const exact *a, const exact *b) {
    if (a->exponent != b->exponent) return a->exponent < b->exponent ? -1 : 1;
    return memcmp(a->digits, b->digits, DIGITS_ALL);
}

/* One more, or one less, in the sixth digit. */
static exact next_to(const exact *x, bool up) {
    exact y = *x;
    int i = 5;
    for (; i >= 0 && y.digits[i] == (up ? '9' : '0'); i--) y.digits[i] = up ? '0' : '9';
    if (i >= 0) y.digits[i] = (char)(y.digits[i] + (up ? 1 : -1));
    if (i >= 0 && y.digits[0] != '0') return y;
    y.exponent += up ? 1 : -1;
    memset(y.digits, up ? '0' : '9', 6);
    if (up) y.digits[0] = '1';
    return y;
}

/* ---- Values ---- */

/* All sizes that epsilon and delta have; every fourth an integer of units, every eighth a short decimal or
 * next to one. */
static double draw_amount(uint64_t *state, int bits) {
    uint64_t kind = next_random(state) % 8, word = next_random(state);
    int power = (int)(next_random(state) % 60) - 45;
    double value = ldexp((double)(word >> 11) + 1, power - 53);
    char text[40];
    if (kind < 5) return value;
    if (kind < 7) return ldexp((double)(word >> (11 + next_random(state) % 40)) + 1, -bits);
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)(1 + word % 999999), power / 3);
    value = strtod(text, NULL);
    return next_random(state) % 2 ? nextafter(value, next_random(state) % 2 ? 0 : 1e9) : value;
}

static void (*const left_texts[])(double, char[HR_AMOUNT_TEXT]) = {hr_epsilon_left_text, hr_delta_left_text};
static const int left_bits[] = {40, 62};

static void check_spent(double value) {
    char text[HR_AMOUNT_TEXT];
    hr_spent_text(value, text);
    exact said = exact_of_text(text), is = exact_of(value), below = next_to(&said, false);
    bool reads_back = strtod(text, NULL) == value;
    if (!reads_back && compare(&said, &is) < 0)
        fail_msg("%.17g is printed as %s, which is less", value, text);
    if (compare(&below, &is) >= 0) fail_msg("%.17g is printed as %s, a unit too much", value, text);
}

static void check_left(double value, size_t kind) {
    char text[HR_AMOUNT_TEXT];
    left_texts[kind](value, text);
    double asked = strtod(text, NULL);
    exact said = exact_of_text(text), is = exact_of(value), above = next_to(&said, true);
    bool same_units = floor(ldexp(asked, left_bits[kind])) == ldexp(value, left_bits[kind]);
    if (asked != value && !same_units && compare(&said, &is) > 0)
        fail_msg("%.17g is printed as %s, which is more", value, text);
    if (compare(&above, &is) <= 0) fail_msg("%.17g is printed as %s, a unit too little", value, text);
}

static void test_text__bounds_the_exact_value_within_a_unit(void **state) {
    (void)state;
    uint64_t random = 1;
    for (size_t i = 0; i < DRAWS; i++) {
        double value = draw_amount(&random, left_bits[i % 2]);
        check_spent(value);
        check_left(value, i % 2);
    }
    static const double odd[] = {DBL_MAX,      DBL_MIN,  5e-324, 0x1p-62, 0x1p-40,
                                 .99999999685, 999999.5, 999999, 1048576, 1e15 + .5};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        check_spent(odd[i]);
        check_left(odd[i], i % 2);
    }
}

/* ---- Looks ---- */

static void test_text__looks_as_people_write(void **state) {
    (void)state;
    static const struct {
        double amount;
        const char *spent, *left;
    } cases[] = {
        {0, "0", "0"},
        {1, "1", "1"},
        {.1, "0.1", "0.1"},
        {1e-6, "1e-06", "1e-06"},
        {2.5, "2.5", "2.5"},
        {120, "120", "120"},
        {1.2349e-6, "1.2349e-06", "1.2349e-06"},
        {.10530301, "0.105304", "0.105303"},
        {1.2345641, "1.23457", "1.23456"},
        {.00012345678, "0.000123457", "0.000123456"},
        {.000012345678, "1.23457e-05", "1.23456e-05"},
        {123456.7, "123457", "123456"},
        {1234567, "1.23457e+06", "1.23456e+06"},
        {999999.5, "1e+06", "999999"},
        {9.9999999, "10", "9.99999"},
        {.099999949, "0.1", "0.0999999"},
        {.99999999685, "1", "0.999999"},
        {0x1.fffffffffffffp-1, "1", "0.999999"},
        {0x1.0000000000001p0, "1.00001", "1"},
        {1e-300, "1e-300", "1e-300"},
        {HUGE_VAL, "inf", "inf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[HR_AMOUNT_TEXT];
        hr_spent_text(cases[i].amount, text);
        assert_string_equal(text, cases[i].spent);
        hr_epsilon_left_text(cases[i].amount, text);
        assert_string_equal(text, cases[i].left);
    }
}

/* A limit of .1 is the multiple of 2^-40 below. Asking for .1 gets that, and the text says so; a unit less is
 * another limit. */
static void test_left__is_what_one_may_ask_for(void **state) {
    (void)state;
    char text[HR_AMOUNT_TEXT];
    const double tenth = floor(ldexp(.1, 40)), millionth = floor(ldexp(1e-6, 62));
    hr_epsilon_left_text(ldexp(tenth, -40), text);
    assert_string_equal(text, "0.1");
    hr_epsilon_left_text(ldexp(tenth - 1, -40), text);
    assert_string_equal(text, "0.0999999");
    hr_epsilon_left_text(ldexp(tenth + 1, -40), text);
    assert_string_equal(text, "0.1");
    hr_delta_left_text(ldexp(millionth, -62), text);
    assert_string_equal(text, "1e-06");
    hr_delta_left_text(ldexp(millionth - 1, -62), text);
    assert_string_equal(text, "9.99999e-07");
    hr_spent_text(ldexp(tenth, -40), text);
    assert_string_equal(text, "0.1");
    hr_spent_text(ldexp(tenth + 1, -40), text);
    assert_string_equal(text, "0.100001");
}

/* Only where the machine has such a locale. */
static void test_text__has_a_point_in_every_locale(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    char text[HR_AMOUNT_TEXT];
    size_t found = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!setlocale(LC_NUMERIC, names[i])) continue;
        found++;
        hr_spent_text(1.2345641, text);
        assert_string_equal(text, "1.23457");
    }
    setlocale(LC_NUMERIC, "C");
    if (!found) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text__bounds_the_exact_value_within_a_unit),
        cmocka_unit_test(test_text__looks_as_people_write),
        cmocka_unit_test(test_left__is_what_one_may_ask_for),
        cmocka_unit_test(test_text__has_a_point_in_every_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
