#include "fit/settings.h"
#include "support/check.h"

static void test_threads__are_as_many_as_wanted_or_as_there_are(void **state) {
    (void)state;
    assert_int_equal(hr_threads_of(1), 1);
    assert_int_equal(hr_threads_of(64), 64);
    assert_true(hr_threads_of(0) >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads__are_as_many_as_wanted_or_as_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
