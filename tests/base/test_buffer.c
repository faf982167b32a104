/* Texts that grow: additions never fail by themselves, the taking tells. */
#include "base/buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_take__hands_over_what_was_added(void **state) {
    (void)state;
    hr_buffer buffer = {0};
    char *text = NULL;
    hr_buffer_text(&buffer, "one ");
    hr_buffer_format(&buffer, "%d %s", 2, "three");
    hr_buffer_add(&buffer, " four!", 5);
    assert_int_equal(hr_buffer_take(&buffer, &text, NULL), HR_OK);
    assert_string_equal(text, "one 2 three four");
    free(text);
    assert_true(!buffer.bytes && !buffer.size && !buffer.capacity && !buffer.failed);
}

static void test_take__of_nothing_is_the_empty_text(void **state) {
    (void)state;
    hr_buffer buffer = {0};
    char *text = NULL;
    assert_int_equal(hr_buffer_take(&buffer, &text, NULL), HR_OK);
    assert_string_equal(text, "");
    free(text);
}

static void test_add__grows_to_any_size(void **state) {
    (void)state;
    hr_buffer buffer = {0};
    for (size_t i = 0; i < 5000; i++) {
        char byte = (char)('a' + i % 26);
        if (i % 2)
            hr_buffer_add(&buffer, &byte, 1);
        else
            hr_buffer_format(&buffer, "%c", byte);
        assert_int_equal(buffer.size, i + 1);
        assert_true(buffer.capacity > buffer.size);
        assert_int_equal(buffer.bytes[buffer.size], '\0');
    }
    for (size_t i = 0; i < 5000; i++) assert_int_equal(buffer.bytes[i], 'a' + (int)(i % 26));
    hr_buffer_done(&buffer);
}

static void test_whole__writes_the_digits(void **state) {
    (void)state;
    hr_buffer buffer = {0};
    const uint32_t numbers[] = {0, 9, 10, 1234567890, UINT32_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hr_buffer_whole(&buffer, numbers[i]);
        hr_buffer_text(&buffer, " ");
    }
    assert_string_equal(buffer.bytes, "0 9 10 1234567890 4294967295 ");
    hr_buffer_done(&buffer);
}

static void test_format__longer_than_everything_before(void **state) {
    (void)state;
    hr_buffer buffer = {0};
    hr_buffer_format(&buffer, "%0*d|", 10000, 7);
    assert_int_equal(buffer.size, 10001);
    assert_int_equal(strlen(buffer.bytes), 10001);
    assert_int_equal(buffer.bytes[9999], '7');
    hr_buffer_done(&buffer);
}

static void test_add__keeps_bytes_that_are_no_text(void **state) {
    (void)state;
    hr_buffer buffer = {0};
    hr_buffer_add(&buffer, "a\0b", 3);
    hr_buffer_add(&buffer, NULL, 0);
    assert_int_equal(buffer.size, 3);
    assert_memory_equal(buffer.bytes, "a\0b", 4);
    hr_buffer_done(&buffer);
}

/* Sizes whose sum wraps around must fail, not allocate a little. */
static void test_add__refuses_sizes_that_overflow(void **state) {
    (void)state;
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 2, SIZE_MAX - 3};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hr_buffer buffer = {0};
        char kept[] = "untouched", *text = kept;
        hr_error err = {0};
        hr_buffer_text(&buffer, "1234");
        hr_buffer_add(&buffer, "", sizes[i]);
        assert_true(buffer.failed);
        hr_buffer_text(&buffer, "ignored");
        assert_int_equal(buffer.size, 4);
        assert_int_equal(hr_buffer_take(&buffer, &text, &err), HR_E_MEMORY);
        assert_int_equal(err.status, HR_E_MEMORY);
        assert_string_equal(text, "untouched");
        assert_null(buffer.bytes);
    }
}

static void test_done__leaves_an_empty_buffer(void **state) {
    (void)state;
    hr_buffer buffer = {0};
    hr_buffer_done(&buffer);
    hr_buffer_text(&buffer, "x");
    hr_buffer_done(&buffer);
    hr_buffer_done(&buffer);
    assert_true(!buffer.bytes && !buffer.size && !buffer.capacity);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_take__hands_over_what_was_added),
        cmocka_unit_test(test_take__of_nothing_is_the_empty_text),
        cmocka_unit_test(test_add__grows_to_any_size),
        cmocka_unit_test(test_whole__writes_the_digits),
        cmocka_unit_test(test_format__longer_than_everything_before),
        cmocka_unit_test(test_add__keeps_bytes_that_are_no_text),
        cmocka_unit_test(test_add__refuses_sizes_that_overflow),
        cmocka_unit_test(test_done__leaves_an_empty_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
