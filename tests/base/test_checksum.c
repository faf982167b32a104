/* The checksum against values of the published specification. */
#include "base/checksum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_checksum__is_xxh64(void **state) {
    (void)state;
    uint8_t bytes[101];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 7 + 1);
    assert_true(hr_checksum("", 0) == 0xef46db3751d8e999);
    assert_true(hr_checksum("a", 1) == 0xd24ec4f1a98c6e5b);
    assert_true(hr_checksum("abc", 3) == 0x44bc2cf5ad770999);
    assert_true(hr_checksum(bytes, 31) == 0x6ab1c40e29f50073);
    assert_true(hr_checksum(bytes, 32) == 0x5a0756fbe9ecd3d1);
    assert_true(hr_checksum(bytes, 101) == 0x6bf452176f29bc13);
    assert_true(hr_checksum(bytes + 1, 63) == 0xba005222c3eb5019);
}

static void test_checksum__sees_every_bit(void **state) {
    (void)state;
    uint8_t bytes[70] = {0};
    uint64_t whole = hr_checksum(bytes, sizeof bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_true(hr_checksum(bytes, sizeof bytes) != whole);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(hr_checksum(bytes, sizeof bytes - 1) != whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_checksum__is_xxh64),
                                       cmocka_unit_test(test_checksum__sees_every_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
