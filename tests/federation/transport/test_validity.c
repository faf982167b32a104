#include "federation/transport/validity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void check_text(hr_validity validity, int64_t now, const char *expected) {
    char text[HR_VALIDITY_TEXT];
    hr_validity_text(&validity, now, text);
    assert_string_equal(text, expected);
}

static void test_validity__is_told_from_sixty_days_before(void **state) {
    (void)state;
    enum { DAY = 86400 };
    const int64_t ends = INT64_C(1798761599); /* the last second of 2026 */
    const hr_validity north = {"north", false, ends};
    check_text(north, ends - 60 * DAY, "");
    check_text(north, ends - 60 * DAY + 1, "the certificate of 'north' expires on 2026-12-31, in 59 days");
    check_text(north, ends - 2 * DAY + 1, "the certificate of 'north' expires on 2026-12-31, in 1 day");
    check_text(north, ends, "the certificate of 'north' expires on 2026-12-31, in 0 days");
    check_text(north, ends + 1, "the certificate of 'north' expired on 2026-12-31");
    check_text((hr_validity){"north", true, ends}, ends + 100 * DAY,
               "the certificate of the federation's authority (ca.pem) expired on 2026-12-31");
    check_text((hr_validity){"north", false, 0}, ends, "");
    assert_false(hr_validity_is_over(&north, ends));
    assert_true(hr_validity_is_over(&north, ends + 1));
    assert_false(hr_validity_is_over(&(hr_validity){"north", false, 0}, ends));
    assert_int_equal(hr_validity_days_left(&north, ends + 1), -1);
    assert_int_equal(hr_validity_days_left(&north, ends + DAY), -1);
    assert_int_equal(hr_validity_days_left(&north, ends + DAY + 1), -2);
}

static void test_validity__of_files_that_cannot_be_read__is_not_known(void **state) {
    (void)state;
    const hr_validity none = hr_validity_of("north", "/nowhere/tls.pem", "/nowhere/ca.pem");
    assert_int_equal(none.ends, 0);
    assert_false(none.is_authority);
    assert_int_equal(hr_validity_of("north", NULL, NULL).ends, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_validity__is_told_from_sixty_days_before),
        cmocka_unit_test(test_validity__of_files_that_cannot_be_read__is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
