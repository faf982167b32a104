#include "base/buffer.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *text_of(double value) {
    hr_buffer buffer = {0};
    hr_buffer_number(&buffer, value);
    char *text = NULL;
    assert_int_equal(hr_buffer_take(&buffer, &text, NULL), HR_OK);
    return text;
}

static void test_number__is_short_for_people(void **state) {
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"}, {-0.0, "-0.0"}, {1, "1"}, {0.1, "0.1"}, {-2.5, "-2.5"}, {1e300, "1e+300"}, {1.0 / 3, "0.3333333333333333"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = text_of(cases[i].value);
        assert_string_equal(text, cases[i].text);
        free(text);
    }
}

static void test_number__survives_bit_for_bit(void **state) {
    (void)state;
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        double value, back;
        memcpy(&value, &x, sizeof value);
        if (!isfinite(value)) continue;
        char *text = text_of(value);
        back = strtod(text, NULL);
        assert_memory_equal(&back, &value, sizeof value);
        free(text);
    }
    const double edges[] = {DBL_MIN, DBL_MAX, DBL_TRUE_MIN, -DBL_TRUE_MIN, 9007199254740993.0, 0.1 + 0.2};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        char *text = text_of(edges[i]);
        assert_true(strtod(text, NULL) == edges[i]);
        free(text);
    }
}

static void test_number__has_a_point_in_any_locale(void **state) {
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8", "ps_AF"};
    bool tried = false;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        if (!setlocale(LC_NUMERIC, locales[i])) continue;
        tried = true;
        char *text = text_of(-1.5e-7), *small = text_of(0.75);
        setlocale(LC_NUMERIC, "C");
        assert_string_equal(text, "-1.5e-07");
        assert_string_equal(small, "0.75");
        free(text);
        free(small);
    }
    if (!tried) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number__is_short_for_people),
        cmocka_unit_test(test_number__survives_bit_for_bit),
        cmocka_unit_test(test_number__has_a_point_in_any_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
