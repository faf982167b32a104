/* Counting different texts up to a number of them. */
#include "base/word_counts.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static bool add(hr_words *words, hr_arena *arena, const char *text, size_t most) {
    bool kept;
    assert_true(hr_words_add(words, arena, text, strlen(text), most, &kept));
    return kept;
}

static void test_words__are_counted_and_put_in_order(void **state) {
    (void)state;
    hr_arena *arena = hr_arena_new();
    hr_words words = {0};
    const char *const texts[] = {"b", "a", "c", "a", "c", "d", "a", "e"};
    for (size_t i = 0; i < 8; i++) assert_int_equal(add(&words, arena, texts[i], 4), i != 7);
    assert_int_equal(words.count, 4);
    assert_int_equal(hr_words_cells(&words), 7);
    hr_words_sort(&words);
    static const char *const order[] = {"a", "c", "b", "d"};
    for (size_t i = 0; i < 4; i++) assert_string_equal(words.words[i].text, order[i]);
    assert_true(words.words[0].cells == 3 && words.words[1].cells == 2 && words.words[3].cells == 1);
    hr_words_done(&words);
    assert_int_equal(words.count, 0);
    hr_words_sort(&words);
    hr_words_done(&words);
    hr_arena_free(arena);
}

/* What is kept already counts on when there is no room for others. */
static void test_words__count_on_at_their_limit(void **state) {
    (void)state;
    hr_arena *arena = hr_arena_new();
    hr_words words = {0};
    assert_false(add(&words, arena, "x", 0));
    assert_true(add(&words, arena, "x", 1));
    for (int i = 0; i < 100; i++) assert_true(add(&words, arena, "x", 1));
    assert_false(add(&words, arena, "y", 1));
    assert_int_equal(hr_words_cells(&words), 101);
    hr_words_done(&words);
    hr_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words__are_counted_and_put_in_order),
        cmocka_unit_test(test_words__count_on_at_their_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
