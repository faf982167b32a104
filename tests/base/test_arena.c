/* An arena: zeroed, aligned, apart from each other, and given back in whole marks. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool all_zero(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (bytes[i]) return false;
    return true;
}

static int arena_open(void **state) {
    *state = hr_arena_new();
    return *state ? 0 : -1;
}

static int arena_close(void **state) {
    hr_arena_free(*state);
    return 0;
}

static void test_alloc__zeroes_and_aligns(void **state) {
    static const size_t sizes[] = {0, 1, 3, 15, 16, 17, 100, 4095, 4096, 4097, 70000, 20000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *p = hr_arena_alloc(*state, sizes[i], 1);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % (sizes[i] >= 4096 ? 64 : 16), 0);
        assert_true(all_zero(p, sizes[i]));
        memset(p, 0xa5, sizes[i]);
    }
}

static void test_alloc__keeps_objects_apart(void **state) {
    enum { COUNT = 2000 };
    static unsigned char *objects[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        objects[i] = hr_arena_alloc(*state, i % 97 + 1, 1);
        assert_non_null(objects[i]);
        memset(objects[i], (int)(i % 251), i % 97 + 1);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < i % 97 + 1; k++) assert_int_equal(objects[i][k], i % 251);
}

static void test_alloc__refuses_counts_that_overflow(void **state) {
    assert_null(hr_arena_alloc(*state, SIZE_MAX, 2));
    assert_null(hr_arena_alloc(*state, SIZE_MAX / 2 + 1, 2));
    assert_null(hr_arena_alloc(*state, SIZE_MAX, SIZE_MAX));
    assert_null(hr_arena_alloc(*state, (size_t)1 << 33, (size_t)1 << 31));
    assert_non_null(hr_arena_alloc(*state, SIZE_MAX, 0));
    assert_non_null(hr_arena_alloc(*state, 0, SIZE_MAX));
    assert_non_null(hr_arena_alloc(*state, 10, 10));
}

static void test_text__is_a_copy_that_ends(void **state) {
    const char *from = "hedgerow";
    char *copy = hr_arena_text(*state, from, 5);
    assert_string_equal(copy, "hedge");
    assert_ptr_not_equal(copy, from);
    assert_string_equal(hr_arena_text(*state, NULL, 0), "");
    assert_memory_equal(hr_arena_text(*state, "a\0b", 3), "a\0b", 4);
}

static void test_rewind__gives_back_what_came_after_the_mark(void **state) {
    char *before = hr_arena_text(*state, "kept", 4);
    hr_arena_mark mark = hr_arena_get_mark(*state);
    unsigned char *first = hr_arena_alloc(*state, 64, 1);
    memset(first, 0xff, 64);
    for (int i = 0; i < 100; i++) assert_non_null(hr_arena_alloc(*state, 100000, 1));
    hr_arena_rewind(*state, mark);
    unsigned char *again = hr_arena_alloc(*state, 64, 1);
    assert_ptr_equal(again, first);
    assert_true(all_zero(again, 64));
    assert_string_equal(before, "kept");
}

static void test_rewind__to_an_empty_arena(void **state) {
    hr_arena_mark mark = hr_arena_get_mark(*state);
    assert_null(mark.block);
    hr_arena_rewind(*state, mark);
    assert_non_null(hr_arena_alloc(*state, 1, 1));
    hr_arena_rewind(*state, mark);
    assert_null(hr_arena_get_mark(*state).block);
}

static void test_rewind__nests(void **state) {
    hr_arena_mark outer = hr_arena_get_mark(*state);
    for (int i = 0; i < 50; i++) {
        char *kept = hr_arena_text(*state, "outer", 5);
        hr_arena_mark inner = hr_arena_get_mark(*state);
        assert_non_null(hr_arena_alloc(*state, (size_t)i * 3000, 1));
        hr_arena_rewind(*state, inner);
        assert_string_equal(kept, "outer");
    }
    hr_arena_rewind(*state, outer);
    assert_null(hr_arena_get_mark(*state).block);
}

/* How many pieces go into the arena before it takes another block. */
static size_t pieces_of_a_block(hr_arena *arena) {
    assert_non_null(hr_arena_alloc(arena, 1024, 1));
    const void *block = hr_arena_get_mark(arena).block;
    size_t pieces = 0;
    for (; hr_arena_get_mark(arena).block == block; pieces++) assert_non_null(hr_arena_alloc(arena, 1024, 1));
    return pieces;
}

static void test_rewind__forgets_how_large_the_blocks_had_become(void **state) {
    enum { BLOCKS = 6 };
    hr_arena_mark empty = hr_arena_get_mark(*state), after_one = empty;
    size_t pieces[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++) {
        pieces[i] = pieces_of_a_block(*state);
        if (i == 0) after_one = hr_arena_get_mark(*state);
    }
    hr_arena_rewind(*state, after_one);
    for (size_t i = 1; i < BLOCKS; i++) assert_int_equal(pieces_of_a_block(*state), pieces[i]);
    hr_arena_rewind(*state, empty);
    for (size_t i = 0; i < BLOCKS; i++) assert_int_equal(pieces_of_a_block(*state), pieces[i]);
}

static void test_free__takes_null(void **state) {
    (void)state;
    hr_arena_free(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_open, arena_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_alloc__zeroes_and_aligns),
        TEST(test_alloc__keeps_objects_apart),
        TEST(test_alloc__refuses_counts_that_overflow),
        TEST(test_text__is_a_copy_that_ends),
        TEST(test_rewind__gives_back_what_came_after_the_mark),
        TEST(test_rewind__to_an_empty_arena),
        TEST(test_rewind__nests),
        TEST(test_rewind__forgets_how_large_the_blocks_had_become),
        cmocka_unit_test(test_free__takes_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
