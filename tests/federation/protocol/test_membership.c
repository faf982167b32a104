#include "federation/protocol/message.h"
#include "support/check.h"

static const hr_member members[] = {{.name = "anna", .key = {{1}, {0}}}, {.name = "an", .key = {{2}, {0}}}};
static const hr_membership membership = {"brook", members, COUNT(members)};

static void test_named__is_the_member_of_exactly_that_name(void **state) {
    (void)state;
    assert_int_equal(hr_membership_by_name(&membership, "anna", 4), 0);
    assert_int_equal(hr_membership_by_name(&membership, "anna", 2), 1);
    assert_int_equal(hr_membership_by_name(&membership, "ann", 3), HR_NO_MEMBER);
    assert_int_equal(hr_membership_by_name(&membership, "an\0", 3), HR_NO_MEMBER);
    assert_int_equal(hr_membership_by_name(&membership, "", 0), HR_NO_MEMBER);
    assert_int_equal(hr_membership_by_name(&membership, NULL, 0), HR_NO_MEMBER);
}

static void test_keyed__is_the_member_of_exactly_that_key(void **state) {
    (void)state;
    uint8_t other[HR_KEY_SIZE] = {2};
    assert_int_equal(hr_membership_by_key(&membership, other), 1);
    other[HR_KEY_SIZE - 1] = 1;
    assert_int_equal(hr_membership_by_key(&membership, other), HR_NO_MEMBER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named__is_the_member_of_exactly_that_name),
        cmocka_unit_test(test_keyed__is_the_member_of_exactly_that_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
