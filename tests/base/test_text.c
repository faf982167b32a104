#include "base/text.h"
#include "support/check.h"

static void check_trim(const char *from, const char *to) {
    const char *text = from;
    size_t size = strlen(from);
    assert_int_equal(hr_text_trim(&text, &size), strcmp(from, to) != 0);
    assert_int_equal(size, strlen(to));
    assert_memory_equal(text, to, size);
}

static void test_trim__removes_spaces_and_tabs_at_the_ends(void **state) {
    (void)state;
    check_trim("", "");
    check_trim("a b", "a b");
    check_trim(" \ta\t b \t", "a\t b");
    check_trim(" \t ", "");
    check_trim("\na\r", "\na\r");
}

/* Every code point, written by the rule and read back. */
static void test_utf8__reads_every_code_point(void **state) {
    (void)state;
    for (int32_t c = 1; c <= 0x10ffff; c++) {
        char text[4];
        size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        static const int heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
        for (size_t i = size - 1, rest = (size_t)c; i > 0; i--, rest /= 64)
            text[i] = (char)(0x80 | rest % 64);
        text[0] = (char)(heads[size] | c >> (6 * (size - 1)));
        const char *at = text;
        bool surrogate = c >= 0xd800 && c <= 0xdfff;
        assert_int_equal(hr_utf8_next(&at, text + size), surrogate ? -1 : c);
        if (!surrogate) assert_ptr_equal(at, text + size);
        assert_int_equal(hr_utf8_valid(text, size), !surrogate);
        if (size > 1) assert_false(hr_utf8_valid(text, size - 1));
    }
}

static void test_utf8__refuses_what_is_no_character(void **state) {
    (void)state;
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x9f\xbf",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf8\x88\x80\x80\x80",
                                      "\xff",
                                      "\xe2\x82",
                                      "\xc3("};
    for (size_t i = 0; i < COUNT(bad); i++)
        if (hr_utf8_valid(bad[i], strlen(bad[i]))) fail_msg("case %zu is taken for UTF-8", i);
    assert_false(hr_utf8_valid("a\0b", 3));
    assert_true(hr_utf8_valid("", 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trim__removes_spaces_and_tabs_at_the_ends),
        cmocka_unit_test(test_utf8__reads_every_code_point),
        cmocka_unit_test(test_utf8__refuses_what_is_no_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
