#include "base/string_map.h"
#include "support/check.h"

#include <stdio.h>

enum { MANY = 5000, LONGEST = 80 };

static void test_words__are_found_by_text_and_size(void **state) {
    (void)state;
    static char text[MANY][8];
    hr_string_map words = {0};
    assert_int_equal(hr_string_map_find(&words, "w1", 2), HR_STRING_MAP_NONE);
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "w%u", (unsigned)i);
        assert_true(hr_string_map_add(&words, text[i], strlen(text[i]), i));
    }
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(hr_string_map_find(&words, text[i], strlen(text[i])), i);
    assert_int_equal(hr_string_map_find(&words, "w12345", 3), 12);
    assert_int_equal(hr_string_map_find(&words, "w5000", 5), HR_STRING_MAP_NONE);
    assert_int_equal(hr_string_map_find(&words, "", 0), HR_STRING_MAP_NONE);
    hr_string_map_done(&words);
}

static void test_words__may_be_empty_and_hold_any_byte(void **state) {
    (void)state;
    hr_string_map words = {0};
    assert_true(hr_string_map_add(&words, "", 0, 7) && hr_string_map_add(&words, "a\0b", 3, 8) &&
                hr_string_map_add(&words, "a", 1, 9));
    assert_int_equal(hr_string_map_find(&words, "", 0), 7);
    assert_int_equal(hr_string_map_find(&words, "a\0b", 3), 8);
    assert_int_equal(hr_string_map_find(&words, "a\0c", 3), HR_STRING_MAP_NONE);
    assert_int_equal(hr_string_map_find(&words, "a", 1), 9);
    hr_string_map_done(&words);
}

/* Each differs from the others in one byte. */
static void test_words__are_told_apart_by_every_byte(void **state) {
    (void)state;
    static char text[LONGEST][LONGEST + 1][LONGEST];
    for (size_t size = 1; size <= LONGEST; size++) {
        hr_string_map words = {0};
        for (size_t at = 0; at <= size; at++) {
            char *word = text[size - 1][at];
            memset(word, 'a', size);
            if (at < size) word[at] = 'b';
            assert_int_equal(hr_string_map_find(&words, word, size), HR_STRING_MAP_NONE);
            assert_true(hr_string_map_add(&words, word, size, (uint32_t)at));
        }
        for (size_t at = 0; at <= size; at++)
            assert_int_equal(hr_string_map_find(&words, text[size - 1][at], size), at);
        assert_int_equal(hr_string_map_find(&words, text[size - 1][size], size - 1), HR_STRING_MAP_NONE);
        hr_string_map_done(&words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words__are_found_by_text_and_size),
        cmocka_unit_test(test_words__may_be_empty_and_hold_any_byte),
        cmocka_unit_test(test_words__are_told_apart_by_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
