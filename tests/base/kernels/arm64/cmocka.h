/* What the tests of kernels need of cmocka, for programs that are compiled for arm64 where no library of that
 * is. */
#ifndef HR_TESTS_BASE_KERNELS_ARM64_CMOCKA_H
#define HR_TESTS_BASE_KERNELS_ARM64_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

#define cmocka_unit_test(function)                                                                           \
    { #function, function }
#define assert_true(x)                                                                                       \
    do {                                                                                                     \
        if (x) break;                                                                                        \
        printf("%s:%d: %s\n", __FILE__, __LINE__, #x);                                                       \
        exit(EXIT_FAILURE);                                                                                  \
    } while (0)
#define assert_non_null(x) assert_true((x) != NULL)
#define assert_int_equal(a, b) assert_true((long long)(a) == (long long)(b))
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_string_equal(a, b) assert_true(strcmp(a, b) == 0)
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)
#define print_message printf
#define cmocka_run_group_tests(tests, set_up, tear_down)                                                     \
    cmocka_run_all(tests, sizeof(tests) / sizeof *(tests))

static inline int cmocka_run_all(const struct CMUnitTest *tests, size_t count) {
    void *state = NULL;
    for (size_t i = 0; i < count; i++) tests[i].run(&state);
    printf("%zu tests passed\n", count);
    return 0;
}

#endif
