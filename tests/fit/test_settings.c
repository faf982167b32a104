#include "base/arena.h"
#include "fit/settings.h"
#include "support/check.h"

static void test_settings__are_kept_in_order_until_there_is_no_room(void **state) {
    (void)state;
    hr_arena *arena = hr_arena_new();
    hr_settings settings = {.arena = arena};
    char value[] = "seven";
    hr_settings_add(&settings, "given", value);
    value[0] = '?'; /* a copy was made */
    assert_string_equal(settings.items[0].value, "seven");
    for (size_t i = 1; i < HR_SETTINGS_MAX; i++) hr_settings_add_count(&settings, "counted", i);
    assert_false(settings.incomplete);
    assert_int_equal(settings.count, HR_SETTINGS_MAX);
    assert_int_equal(atoi(settings.items[HR_SETTINGS_MAX - 1].value), HR_SETTINGS_MAX - 1);
    hr_settings_add_count(&settings, "too many", 1);
    assert_true(settings.incomplete);
    assert_int_equal(settings.count, HR_SETTINGS_MAX);
    hr_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings__are_kept_in_order_until_there_is_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
