#include "support/check.h"

#include <hedgerow/hedgerow.h>
#include <stdio.h>

static void test_version__is_three_numbers(void **state) {
    (void)state;
    int major, minor, patch, end = 0;
    assert_int_equal(sscanf(hr_version(), "%d.%d.%d%n", &major, &minor, &patch, &end), 3);
    assert_int_equal(hr_version()[end], '\0');
}

static void test_text__null_may_be_freed(void **state) {
    (void)state;
    hr_text_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version__is_three_numbers),
        cmocka_unit_test(test_text__null_may_be_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
