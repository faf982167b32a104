/* Large blocks: what is in them stays, and what was given back is not missed. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_pages__are_memory(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 4096, 2 * 1024 * 1024 - 1, 2 * 1024 * 1024, 9 * 1024 * 1024 + 5};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *block = hr_pages_new(sizes[i]);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        memset(block, 7, sizes[i]);
        if (sizes[i]) assert_int_equal(block[sizes[i] - 1], 7);
        free(block);
    }
    assert_null(hr_pages_new(SIZE_MAX));
}

static void test_pages__drop_nothing_beside(void **state) {
    (void)state;
    enum { PART = 5 * 1024 * 1024, AT = 100, SIZE = 2 * PART };
    unsigned char *block = hr_pages_new(SIZE);
    assert_non_null(block);
    memset(block, 7, SIZE);
    hr_pages_drop(block + AT, PART);
    hr_pages_drop(block + AT + PART, 1000); /* too small to be worth it */
    for (size_t i = 0; i < AT; i++) assert_int_equal(block[i], 7);
    for (size_t i = AT + PART; i < SIZE; i++) assert_int_equal(block[i], 7);
    free(block);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages__are_memory),
        cmocka_unit_test(test_pages__drop_nothing_beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
