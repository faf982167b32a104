/* Errors as people read them. */
#include "base/fail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_fail__fills_in_and_returns_the_status(void **state) {
    (void)state;
    hr_error err = {.line = 9, .column = 9, .file = "old", .field = "old"};
    assert_int_equal(hr_fail(&err, HR_E_LIMIT, "use less", "%d is more than %s", 7, "six"), HR_E_LIMIT);
    assert_int_equal(err.status, HR_E_LIMIT);
    assert_string_equal(err.message, "7 is more than six");
    assert_string_equal(err.remedy, "use less");
    assert_true(err.line == 0 && err.column == 0 && !err.file[0] && !err.field[0]);
}

static void test_fail__takes_null(void **state) {
    (void)state;
    assert_int_equal(hr_fail(NULL, HR_E_IO, "", "x"), HR_E_IO);
    assert_int_equal(hr_fail_at(NULL, HR_E_FORMAT, "f", 1, 2, "n"), HR_E_FORMAT);
    assert_int_equal(hr_fail_memory(NULL), HR_E_MEMORY);
}

static void test_fail__cuts_what_is_too_long(void **state) {
    (void)state;
    char longer[1000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    hr_error err;
    hr_fail(&err, HR_E_IO, longer, "%s", longer);
    hr_fail_at(&err, HR_E_IO, longer, 0, 0, longer);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    assert_int_equal(strlen(err.remedy), sizeof err.remedy - 1);
    assert_int_equal(strlen(err.file), sizeof err.file - 1);
    assert_int_equal(strlen(err.field), sizeof err.field - 1);
}

static void test_fail_at__adds_only_what_is_given(void **state) {
    (void)state;
    hr_error err;
    hr_fail(&err, HR_E_FORMAT, "", "bad");
    assert_int_equal(hr_fail_at(&err, HR_E_FORMAT, NULL, 3, 4, "age"), HR_E_FORMAT);
    assert_int_equal(hr_fail_at(&err, HR_E_IO, "a.csv", 0, 0, NULL), HR_E_FORMAT);
    assert_string_equal(err.file, "a.csv");
    assert_string_equal(err.field, "age");
    assert_true(err.line == 3 && err.column == 4);
}

static void test_error_format__leaves_out_what_does_not_apply(void **state) {
    (void)state;
    char text[128];
    hr_error err = {.status = HR_E_FORMAT,
                    .file = "a.csv",
                    .line = 3,
                    .column = 4,
                    .field = "age",
                    .message = "bad",
                    .remedy = "mend it"};
    size_t length = hr_error_format(&err, text, sizeof text);
    assert_string_equal(text, "a.csv:3:4: field 'age': bad; mend it");
    assert_int_equal(length, strlen(text));
    err.column = 0;
    err.field[0] = err.remedy[0] = '\0';
    hr_error_format(&err, text, sizeof text);
    assert_string_equal(text, "a.csv:3: bad");
    err.file[0] = '\0';
    err.line = 0;
    hr_error_format(&err, text, sizeof text);
    assert_string_equal(text, "bad");
    err.message[0] = '\0';
    hr_error_format(&err, text, sizeof text);
    assert_string_equal(text, "malformed input");
}

static void test_error_format__never_writes_past_the_end(void **state) {
    (void)state;
    hr_error err = {.file = "a.csv", .line = 3, .message = "bad", .remedy = "mend it"};
    char whole[64];
    size_t length = hr_error_format(&err, whole, sizeof whole);
    assert_int_equal(hr_error_format(&err, NULL, 0), length);
    for (size_t size = 1; size <= length + 1; size++) {
        char text[64];
        memset(text, '#', sizeof text);
        assert_int_equal(hr_error_format(&err, text, size), length);
        assert_int_equal(strlen(text), size - 1);
        assert_memory_equal(text, whole, size - 1);
        assert_int_equal(text[size], '#');
    }
}

static void test_status_text__has_words_for_every_status(void **state) {
    (void)state;
    for (int status = HR_OK; status >= HR_E_CANCELLED; status--) {
        assert_string_not_equal(hr_status_text((hr_status)status), "unknown status");
        for (int other = HR_OK; other > status; other--)
            assert_string_not_equal(hr_status_text((hr_status)status), hr_status_text((hr_status)other));
    }
    assert_string_equal(hr_status_text((hr_status)-99), "unknown status");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fail__fills_in_and_returns_the_status),
        cmocka_unit_test(test_fail__takes_null),
        cmocka_unit_test(test_fail__cuts_what_is_too_long),
        cmocka_unit_test(test_fail_at__adds_only_what_is_given),
        cmocka_unit_test(test_error_format__leaves_out_what_does_not_apply),
        cmocka_unit_test(test_error_format__never_writes_past_the_end),
        cmocka_unit_test(test_status_text__has_words_for_every_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
