#include "base/text/text.h"
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

static void test_show__keeps_whole_characters_and_no_control(void **state) {
    (void)state;
    static const struct {
        const char *text, *shown;
    } cases[] = {{"", ""},
                 {"1234567", "1234567"},
                 {"12345678", "1234..."},
                 {"12\xc3\xa9 78", "12\xc3\xa9 78"},
                 {"123\xc3\xa9 789", "123..."},
                 {"a\nb\x1b[\xe2\x80\xa8", "a?b?[?"},
                 {"a\xff\xc3", "a??"},
                 {"\n\n\n\n\n\n\n\n\n", "????..."}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[8];
        hr_text_show(cases[i].text, out, sizeof out);
        assert_string_equal(out, cases[i].shown);
    }
}

/* Unicode's categories Cc, Cf, Zl, Zp and Cs, and noncharacters; and neighbours that are none of these. */
static void test_printable__is_what_hides_nothing(void **state) {
    (void)state;
    static const int32_t bad[] = {
        -1,      0,       '\n',    0x1f,    0x7f,    0x80,    0x9f,    0xad,    0x600,   0x605,
        0x61c,   0x6dd,   0x70f,   0x890,   0x891,   0x8e2,   0x180e,  0x200b,  0x200d,  0x200f,
        0x2028,  0x2029,  0x202a,  0x202e,  0x2060,  0x2066,  0x206f,  0xd800,  0xdfff,  0xfdd0,
        0xfdef,  0xfeff,  0xfff9,  0xfffb,  0xfffe,  0xffff,  0x110bd, 0x110cd, 0x13430, 0x1343f,
        0x1bca0, 0x1bca3, 0x1d173, 0x1d17a, 0x1fffe, 0x1ffff, 0xe0001, 0xe0020, 0xe007f, 0x10ffff};
    static const int32_t good[] = {' ',    '~',    0xa0,    0xac,    0xae,    0x5d0,  0x606,
                                   0x61b,  0x627,  0x180f,  0x200a,  0x2010,  0x2027, 0x202f,
                                   0x205f, 0x2070, 0xd7ff,  0xe000,  0xfdcf,  0xfdf0, 0xfefe,
                                   0xff01, 0xfffd, 0x1f331, 0x1d172, 0x1fffd, 0x20000};
    for (size_t i = 0; i < COUNT(bad); i++)
        if (hr_char_printable(bad[i])) fail_msg("U+%04X", (unsigned)bad[i]);
    for (size_t i = 0; i < COUNT(good); i++)
        if (!hr_char_printable(good[i])) fail_msg("U+%04X", (unsigned)good[i]);
    assert_true(hr_text_printable("plain \xc3\xa4", 8));
    assert_true(hr_text_printable("", 0));
    assert_false(hr_text_printable("plain \xc3", 7));
    assert_false(hr_text_printable("a\xe2\x80\x8b"
                                   "b",
                                   5)); /* zero width space */
}

static void test_list_gap__makes_a_list_of_any_length(void **state) {
    (void)state;
    static const char *const lists[] = {"", "x", "x or x", "x, x or x", "x, x, x or x"};
    for (size_t count = 0; count < COUNT(lists); count++) {
        char text[40] = "";
        for (size_t i = 0; i < count; i++) strcat(strcat(text, hr_list_gap(i, count)), "x");
        assert_string_equal(text, lists[count]);
    }
}

static void test_port__is_digits_up_to_65535(void **state) {
    (void)state;
    static const char *const none[] = {"", "65536", "99999", "655350", "-1", "+1", " 1", "1 ", "x", "//host"};
    unsigned port = 7;
    for (size_t i = 0; i < COUNT(none); i++)
        if (hr_port_parse(none[i], &port) || port != 7) fail_msg("'%s'", none[i]);
    assert_true(hr_port_parse("65535", &port));
    assert_int_equal(port, 65535);
    assert_true(hr_port_parse("0", &port));
    assert_int_equal(port, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trim__removes_spaces_and_tabs_at_the_ends),
        cmocka_unit_test(test_utf8__reads_every_code_point),
        cmocka_unit_test(test_utf8__refuses_what_is_no_character),
        cmocka_unit_test(test_show__keeps_whole_characters_and_no_control),
        cmocka_unit_test(test_printable__is_what_hides_nothing),
        cmocka_unit_test(test_list_gap__makes_a_list_of_any_length),
        cmocka_unit_test(test_port__is_digits_up_to_65535),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
