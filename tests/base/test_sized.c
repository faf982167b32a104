/* Structs that grow at their end: what a caller's is too short to have keeps its default. */
#include "base/fail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct options {
    size_t size;
    int first, second;
    const char *later;
} options;

static const hr_sized kind = {sizeof(options), offsetof(options, second), "begin with the defaults"};
static const options defaults = {sizeof(options), 1, 2, "default"};

static void test_take__defaults_what_is_missing(void **state) {
    (void)state;
    const size_t sizes[] = {offsetof(options, second), offsetof(options, later), sizeof(options)};
    for (size_t i = 0; i < 3; i++) {
        options given = {sizes[i], 10, 20, "given"}, taken = defaults;
        assert_int_equal(hr_sized_take(&kind, &given, &taken, NULL), HR_OK);
        assert_int_equal(taken.size, sizeof taken);
        assert_int_equal(taken.first, 10);
        assert_int_equal(taken.second, i > 0 ? 20 : 2);
        assert_string_equal(taken.later, i > 1 ? "given" : "default");
    }
}

static void test_take__refuses_other_sizes(void **state) {
    (void)state;
    const size_t sizes[] = {0, 1, offsetof(options, second) - 1, sizeof(options) + 1, SIZE_MAX};
    for (size_t i = 0; i < 5; i++) {
        options given = {sizes[i], 10, 20, "given"}, taken = defaults;
        hr_error err = {0};
        assert_int_equal(hr_sized_take(&kind, &given, &taken, &err), HR_E_ARGUMENT);
        assert_int_equal(hr_sized_check(&kind, &given, NULL), HR_E_ARGUMENT);
        assert_memory_equal(&taken, &defaults, sizeof taken);
        if (sizes[i] < sizeof given) assert_string_equal(err.remedy, "begin with the defaults");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_take__defaults_what_is_missing),
        cmocka_unit_test(test_take__refuses_other_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
