#define _GNU_SOURCE /* memmem */
#include "privacy/crypto/csprng.h"
#include "support/chi_square.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGE = 4096 };

static hr_csprng *seeded(uint64_t seed) {
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open_seeded(seed, &csprng, NULL), HR_OK);
    return csprng;
}

static hr_csprng *from_os(void) {
    hr_csprng *csprng = NULL;
    assert_int_equal(hr_csprng_open(&csprng, NULL), HR_OK);
    return csprng;
}

static void test_csprng__gives_the_same_bits_for_a_seed(void **state) {
    (void)state;
    hr_csprng *a = seeded(7), *b = seeded(7), *c = seeded(8);
    int differs = 0;
    for (int i = 0; i < 10000; i++) {
        uint64_t x = hr_csprng_u64(a);
        assert_true(x == hr_csprng_u64(b));
        differs += x != hr_csprng_u64(c);
    }
    assert_int_equal(differs, 10000);
    hr_csprng_close(a);
    hr_csprng_close(b);
    hr_csprng_close(c);
}

/* key = BLAKE2b-256("hedgerow stream " and the seed in 8 little-endian bytes); output block 0 of ChaCha20
 * with a zero nonce is 2048 bytes, of which the first 32 are the next key. Computed apart from this library.
 */
static void test_csprng__is_the_documented_generator(void **state) {
    (void)state;
    static const uint64_t first[4] = {0x71d311ab3f24135c, 0xef45f686c336ba90, 0x6672769c0f1aa6f7,
                                      0x7727498363df9acd};
    static const uint64_t after_refill = 0x147f75c1851a255c;
    hr_csprng *csprng = seeded(42);
    for (int i = 0; i < 4; i++) assert_true(hr_csprng_u64(csprng) == first[i]);
    for (int i = 4; i < (2048 - 32) / 8; i++) (void)hr_csprng_u64(csprng);
    assert_true(hr_csprng_u64(csprng) == after_refill);
    hr_csprng_close(csprng);
}

static void test_csprng__serves_bytes_and_words_in_one_order(void **state) {
    (void)state;
    hr_csprng *words = seeded(3), *bytes = seeded(3);
    unsigned char a[9000], b[9000];
    for (size_t i = 0; i < sizeof a / 8; i++) {
        uint64_t x = hr_csprng_u64(words);
        for (int k = 0; k < 8; k++) a[8 * i + k] = (unsigned char)(x >> 8 * k);
    }
    size_t sizes[] = {1, 7, 0, 100, 2048, 3000, 8, 3836};
    size_t at = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hr_csprng_bytes(bytes, b + at, sizes[i]);
        at += sizes[i];
    }
    assert_int_equal(at, sizeof b);
    assert_memory_equal(a, b, sizeof a);
    hr_csprng_close(words);
    hr_csprng_close(bytes);
}

static void test_csprng__crosses_a_refill_in_the_middle_of_a_word(void **state) {
    (void)state;
    hr_csprng *a = seeded(5), *b = seeded(5);
    unsigned char skip[2013], expect[16];
    hr_csprng_bytes(a, skip, sizeof skip);
    uint64_t x = hr_csprng_u64(a);
    hr_csprng_bytes(b, skip, sizeof skip);
    hr_csprng_bytes(b, expect, 8);
    for (int k = 0; k < 8; k++) assert_int_equal((unsigned char)(x >> 8 * k), expect[k]);
    hr_csprng_close(a);
    hr_csprng_close(b);
}

static void test_csprng__differs_between_openings(void **state) {
    (void)state;
    hr_csprng *a = from_os(), *b = from_os();
    assert_false(hr_csprng_u64(a) == hr_csprng_u64(b) && hr_csprng_u64(a) == hr_csprng_u64(b));
    hr_csprng_close(a);
    hr_csprng_close(b);
}

/* The next 4 words of a child, and of its parent. */
static void fork_and_draw(hr_csprng *csprng, uint64_t child[4], uint64_t parent[4]) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        for (int i = 0; i < 4; i++) child[i] = hr_csprng_u64(csprng);
        ssize_t n = write(ends[1], child, 4 * sizeof *child);
        _exit(n == 4 * sizeof *child ? 0 : 1);
    }
    for (int i = 0; i < 4; i++) parent[i] = hr_csprng_u64(csprng);
    assert_int_equal(read(ends[0], child, 4 * sizeof *child), 4 * sizeof *child);
    int status = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(ends[0]);
    close(ends[1]);
}

static void check_fork(hr_csprng *csprng) {
    uint64_t first[4], second[4], parent[4], again[4];
    (void)hr_csprng_u64(csprng);
    fork_and_draw(csprng, first, parent);
    fork_and_draw(csprng, second, again);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            assert_true(first[i] != parent[k]);
            assert_true(first[i] != again[k]);
            assert_true(first[i] != second[k]);
            assert_true(second[i] != again[k]);
        }
    hr_csprng_close(csprng);
}

static void test_csprng__child_does_not_repeat_its_parent(void **state) {
    (void)state;
    check_fork(from_os());
    check_fork(seeded(1));
}

static void test_csprng__parent_is_not_disturbed_by_a_fork(void **state) {
    (void)state;
    hr_csprng *a = seeded(11), *b = seeded(11);
    uint64_t child[4], parent[4];
    fork_and_draw(a, child, parent);
    for (int i = 0; i < 4; i++) assert_true(parent[i] == hr_csprng_u64(b));
    hr_csprng_close(a);
    hr_csprng_close(b);
}

static void test_csprng__wipes_what_it_gave_out(void **state) {
    (void)state;
    hr_csprng *csprng = from_os();
    for (int i = 0; i < 1000; i++) {
        uint64_t x = hr_csprng_u64(csprng);
        assert_null(memmem(csprng, PAGE / 2, &x, sizeof x));
        unsigned char bytes[24];
        hr_csprng_bytes(csprng, bytes, sizeof bytes);
        assert_null(memmem(csprng, PAGE / 2, bytes, 8));
    }
    hr_csprng_close(csprng);
}

/* No 16 bytes of the state before a refill, the key among them, survive it. */
static void test_csprng__erases_its_key(void **state) {
    (void)state;
    hr_csprng *csprng = from_os();
    (void)hr_csprng_u64(csprng);
    unsigned char before[PAGE / 2], skip[2048];
    memcpy(before, csprng, sizeof before);
    hr_csprng_bytes(csprng, skip, sizeof skip);
    static const unsigned char zeros[16];
    for (size_t i = 0; i + 16 <= sizeof before; i += 8)
        if (memmem(before + i, 16, zeros, 8) == NULL) assert_null(memmem(csprng, PAGE / 2, before + i, 16));
    hr_csprng_close(csprng);
}

static void test_csprng__bytes_are_uniform(void **state) {
    (void)state;
    enum { DRAWS = 1 << 20 };
    hr_csprng *csprng = seeded(2);
    uint64_t seen[256] = {0};
    double p[256];
    for (int i = 0; i < 256; i++) p[i] = 1.0 / 256;
    for (int i = 0; i < DRAWS / 8; i++)
        for (uint64_t x = hr_csprng_u64(csprng), k = 0; k < 8; k++) seen[x >> 8 * k & 255]++;
    assert_true(chi_square_fits(seen, p, 256, DRAWS));
    hr_csprng_close(csprng);
}

static void test_csprng__close_takes_null(void **state) {
    (void)state;
    hr_csprng_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csprng__gives_the_same_bits_for_a_seed),
        cmocka_unit_test(test_csprng__is_the_documented_generator),
        cmocka_unit_test(test_csprng__serves_bytes_and_words_in_one_order),
        cmocka_unit_test(test_csprng__crosses_a_refill_in_the_middle_of_a_word),
        cmocka_unit_test(test_csprng__differs_between_openings),
        cmocka_unit_test(test_csprng__child_does_not_repeat_its_parent),
        cmocka_unit_test(test_csprng__parent_is_not_disturbed_by_a_fork),
        cmocka_unit_test(test_csprng__wipes_what_it_gave_out),
        cmocka_unit_test(test_csprng__erases_its_key),
        cmocka_unit_test(test_csprng__bytes_are_uniform),
        cmocka_unit_test(test_csprng__close_takes_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
