/* Lists of columns: what they are read from, what is written, and what is no list. */
#include "support/check.h"
#include "tables/schema/column_list.h"

#include <stdio.h>
#include <string.h>

static void assert_written(const char *text, const char *written) {
    char out[HR_COLUMN_LIST_TEXT];
    hr_error err = {0};
    if (hr_column_list_write(text, out, &err)) fail_msg("%s: %s", text, err.message);
    assert_string_equal(out, written);
    if (hr_column_list_write(out, out, &err)) fail_msg("%s: %s", out, err.message);
    assert_string_equal(out, written);
}

static void test_list__is_written_as_one(void **state) {
    (void)state;
    assert_written("age", "[\"age\"]");
    assert_written("age,dose", "[\"age\", \"dose\"]");
    assert_written(" age , dose of day", "[\"age\", \"dose of day\"]");
    assert_written("[age, dose]", "[\"age\", \"dose\"]");
    assert_written("['age, years', dose]", "[\"age, years\", \"dose\"]");
}

static void assert_no_list(const char *text, const char *message) {
    char out[HR_COLUMN_LIST_TEXT];
    hr_error err = {0};
    assert_int_equal(hr_column_list_write(text, out, &err), HR_E_ARGUMENT);
    assert_string_equal(err.message, message);
}

static void test_list__is_of_names_that_differ(void **state) {
    (void)state;
    char many[2 * HR_COLUMN_LIST_TEXT] = "";
    for (size_t i = 0; i < 700; i++) sprintf(many + strlen(many), "%sc%03zu", i ? "," : "", i);
    assert_no_list("", "'' is no list of columns");
    assert_no_list("[]", "'[]' is no list of columns");
    assert_no_list("[[a, b]]", "'[[a, b]]' is no list of columns");
    assert_no_list("[a, b", "'[a, b' is no list of columns");
    assert_no_list("a,,b", "'a,,b' is no list of columns");
    assert_no_list("a]", "'a]' is no list of columns");
    assert_no_list("age, dose, age", "the column 'age' is named twice");
    assert_no_list(many, "the list is longer than 4095 bytes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list__is_written_as_one),
        cmocka_unit_test(test_list__is_of_names_that_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
