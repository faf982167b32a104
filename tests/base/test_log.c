/* Lines for people: what arrives at the sink is what was written, with whose it is. */
#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct heard {
    int lines;
    hr_log_line last;
    char text[2 * HR_LOG_TEXT];
} heard;

static void hear(void *user, const hr_log_line *line) {
    heard *h = user;
    h->lines++;
    h->last = *line;
    snprintf(h->text, sizeof h->text, "%s", line->text);
}

static void test_write__hands_everything_to_the_sink(void **state) {
    (void)state;
    heard h = {0};
    const hr_log log = {hear, &h, "north", NULL};
    hr_log_write(&log, HR_LOG_WARNING, "3f9a", "100% of it");
    assert_int_equal(h.lines, 1);
    assert_int_equal(h.last.level, HR_LOG_WARNING);
    assert_string_equal(h.last.owner, "north");
    assert_null(h.last.coordinator);
    assert_string_equal(h.last.job, "3f9a");
    assert_string_equal(h.text, "100% of it");
}

static void test_format__of_no_job(void **state) {
    (void)state;
    heard h = {0};
    const hr_log log = {hear, &h, NULL, "alice"};
    hr_log_format(&log, HR_LOG_DEBUG, NULL, "round %d of %d", 3, 7);
    assert_int_equal(h.last.level, HR_LOG_DEBUG);
    assert_null(h.last.owner);
    assert_string_equal(h.last.coordinator, "alice");
    assert_null(h.last.job);
    assert_string_equal(h.text, "round 3 of 7");
}

static void test_format__cuts_a_long_line_off(void **state) {
    (void)state;
    heard h = {0};
    char text[3 * HR_LOG_TEXT];
    const hr_log log = {.sink = hear, .user = &h};
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    hr_log_format(&log, HR_LOG_INFO, NULL, "%s", text);
    assert_int_equal(strlen(h.text), HR_LOG_TEXT - 1);
}

static void test_write__to_nowhere_does_nothing(void **state) {
    (void)state;
    const hr_log nowhere = {0};
    hr_log_write(NULL, HR_LOG_ERROR, NULL, "unheard");
    hr_log_format(&nowhere, HR_LOG_ERROR, NULL, "%s", "unheard");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write__hands_everything_to_the_sink),
        cmocka_unit_test(test_format__of_no_job),
        cmocka_unit_test(test_format__cuts_a_long_line_off),
        cmocka_unit_test(test_write__to_nowhere_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
